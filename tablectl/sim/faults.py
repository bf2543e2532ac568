"""Faults that can be brought about while the simulated table runs, by name: ``inject(table, "jam_head", side=2)``.

Each says what it does to the world; what the program makes of it is the program's business. `FAULTS` lists them with
their arguments; a fault with a way back has an entry with ``mend`` in front (``mend_head``).
"""

from __future__ import annotations

import difflib
import inspect
import math
from collections.abc import Callable
from typing import Any, Final

from tablectl.sim.backend import Cable, SimTable
from tablectl.sim.mechanics import Cam
from tablectl.sim.world import ImpossibleMove


class UnknownFault(ValueError):
    """There is no such fault, or it takes other arguments; the message says which there are."""


def jam_head(table: SimTable, side: int, starts: float = math.inf) -> str:
    """A pair sticks in the stacking head; it comes loose at the ``starts``-th new start of the head (never)."""
    table.heads[side].jam(starts)
    return f"a pair will stick in head {side}"


def kill_head(table: SimTable, side: int) -> str:
    """The motor of a stacking head turns no more."""
    table.heads[side].dead = True
    table.heads[side].update()
    return f"the motor of head {side} is dead"


def kill_belt(table: SimTable, side: int) -> str:
    """The belt of one side stands still: no tile reaches its head."""
    table.heads[side].belt_dead = True
    return f"the belt of side {side} is dead"


def mend_head(table: SimTable, side: int) -> str:
    """What sticks is taken out; motor and belt work again."""
    table.heads[side].mend()
    return f"head {side} works again"


def double_count(table: SimTable, side: int, tiles: int = 1) -> str:
    """The counting eye sees the next tiles twice."""
    table.heads[side].flaws["double"] += tiles
    return f"the eye of side {side} sees {tiles} tiles twice"


def miss_count(table: SimTable, side: int, tiles: int = 1) -> str:
    """The counting eye does not see the next tiles."""
    table.heads[side].flaws["missed"] += tiles
    return f"the eye of side {side} misses {tiles} tiles"


def flicker_cam(table: SimTable, side: int, pairs: int = 1) -> str:
    """The sensor of a head's cam flickers after the next pairs: they seem to be pushed twice."""
    table.heads[side].flaws["flickers"] += pairs
    return f"the cam of head {side} flickers after {pairs} pairs"


def miss_cam(table: SimTable, side: int, pairs: int = 1) -> str:
    """The sensor of a head's cam does not see the next pairs being pushed."""
    table.heads[side].flaws["unseen"] += pairs
    return f"the cam of head {side} misses {pairs} pairs"


def drop_tile(table: SimTable, side: int, tiles: int = 1) -> str:
    """The next tiles fall to the floor of the machine behind the lane reader."""
    table.heads[side].flaws["dropped"] += tiles
    return f"{tiles} tiles of side {side} fall into the machine"


def kill_drum(table: SimTable) -> str:
    """Disc and ring stand still whatever their outputs say."""
    table.drum.dead = True
    table.drum.update()
    return "disc and ring are dead"


def clog_drum(table: SimTable) -> str:
    """Tiles are wedged in the drum; turning the disc the other way frees them."""
    table.drum.clogged = True
    return "tiles are wedged in the drum"


def mend_drum(table: SimTable) -> str:
    """Disc and ring turn again, nothing is wedged."""
    table.drum.dead = table.drum.clogged = False
    table.drum.update()
    return "disc and ring work again"


def weaken_magnet(table: SimTable, tag: str = "") -> str:
    """The magnet of a tile is gone: the ring never picks it."""
    tag = tag or _some_tile(table)
    table.drum.weak.add(tag)
    return f"the ring does not pick {table.world.kinds[tag]} {tag}"


def mend_magnets(table: SimTable) -> str:
    """Tiles with weak magnets were replaced."""
    table.drum.weak.clear()
    return "all magnets are strong"


def blind_sensor(table: SimTable, name: str) -> str:
    """A sensor never sees anything any more (dirt, a loose plug)."""
    table.inputs[name].stuck_at = False
    return f"{name} is blind"


def stick_sensor(table: SimTable, name: str) -> str:
    """A sensor is on for ever (a bent lever)."""
    table.inputs[name].stuck_at = True
    return f"{name} is stuck"


def mend_sensor(table: SimTable, name: str) -> str:
    """A sensor was cleaned or replaced."""
    table.inputs[name].stuck_at = None
    return f"{name} works again"


def stall_lift(table: SimTable, part: str) -> str:
    """Something holds the dome (``dome``) or a tray (``tray.0`` …)."""
    _lift(table, part).block()
    return f"{part} is held"


def kill_lift(table: SimTable, part: str) -> str:
    """The motor of the dome or of a tray turns no more."""
    _lift(table, part).kill()
    return f"the motor of {part} is dead"


def slow_lift(table: SimTable, part: str, times: float) -> str:
    """Friction: a lift takes ``times`` as long from its next run on."""
    _lift(table, part).turn_s *= times
    return f"{part} takes {times:g} times as long"


def turn_lift(table: SimTable, part: str, turn: float = 0.5) -> str:
    """Somebody turns a lift by hand, forwards, by this part of a turn: half a turn opens the dome."""
    if not 0 < turn < 1:
        raise ValueError(f"a lift is turned by hand by more than 0 and less than 1, not by {turn:g}")
    _lift(table, part).turn(turn)
    return f"{part} was turned by hand"


def mend_lift(table: SimTable, part: str) -> str:
    """What held a lift is taken out, its motor turns again."""
    cam = _lift(table, part)
    cam.kill(False)
    cam.block(False)
    return f"{part} moves again"


def unplug_reader(table: SimTable, name: str = "") -> str:
    """The cable of a reader or lane (``lane.0`` …) is out: it reports nothing. Left out: all readers of zones."""
    for cable in _cables(table, name):
        cable.unplug()
    return f"{name or 'every reader of zones'} is unplugged"


def plug_reader(table: SimTable, name: str = "") -> str:
    """The cable is in again."""
    for cable in _cables(table, name):
        cable.plug()
    return f"{name or 'every reader of zones'} is plugged in"


def kill_tag(table: SimTable, tag: str = "") -> str:
    """The chip of a tile never answers an antenna again."""
    tag = tag or _some_tile(table)
    for reader in table.readers:
        reader.dead_tags.add(tag)
    for lane in table.lanes:
        lane.dead_tags.add(tag)
    return f"the chip of {table.world.kinds[tag]} {tag} is dead"


def lose_tile(table: SimTable, tag: str = "") -> str:
    """A tile falls off the table."""
    tag = tag or _some_tile(table)
    table.world.move(tag, "floor")
    return f"{table.world.kinds[tag]} {tag} lies on the floor"


def return_tile(table: SimTable, tag: str = "") -> str:
    """A lost tile is found, on the floor or inside the machine, and put on the table."""
    tag = tag or next(iter((*table.world.tags("floor"), *table.world.tags("inside"))))
    table.world.move(tag, "felt")
    return f"{table.world.kinds[tag]} {tag} lies on the table"


def mix_tile(table: SimTable, tag: str = "", other: str = "") -> str:
    """Two tiles, one of each set, are exchanged: each goes where the other was."""
    world = table.world
    tag = tag or _some_tile(table)
    other = other or table.chance.choice(
        [t for t in world.on_table() if world.set_of[t] not in ("", world.set_of[tag])]
    )
    if world.set_of[tag] == world.set_of[other]:
        raise UnknownFault(f"{tag} and {other} belong to the same set; mix_tile wants one of each")
    world.swap(tag, other)
    return f"{tag} and {other} changed places"


def mix_sets(table: SimTable) -> str:
    """Everything that lies on the table is in the drum too."""
    for tag in table.world.on_table():
        table.world.load(tag)
    return "both sets are in the drum"


def sort_sets(table: SimTable) -> str:
    """Somebody takes all tiles out of the machine, sorts them, and puts the set that was more into the drum."""
    world = table.world
    inside = [*world.tags("drum"), *(tag for head in table.heads for tag in head.clear())]
    names = [world.set_of[tag] for tag in inside]
    own = max(sorted(set(names)), key=names.count)
    for tag in inside:
        world.move(tag, "felt")
    for tag in world.on_table():
        if world.set_of[tag] == own:
            world.load(tag)
    return f"set {own} lies in the drum, everything else on the table"


def add_foreign_tile(table: SimTable, tag: str = "e0040999ffff0001") -> str:
    """A tile of somebody else's set lies in the drum instead of one of this table's, which falls to the floor."""
    own = _some_tile(table)
    table.world.add(tag, table.world.kinds[own], "drum")
    table.world.move(own, "floor")
    return f"the foreign tile {tag} is in the drum instead of {table.world.kinds[own]} {own}"


def take_out_foreign_tiles(table: SimTable) -> str:
    """Somebody takes the foreign tiles away, wherever they are."""
    foreign = [tag for tag, name in table.world.set_of.items() if not name]
    for tag in foreign:
        table.world.move(tag, "floor")
    return f"{len(foreign)} foreign tiles are gone"


def empty_drum(table: SimTable) -> str:
    """Nobody has pushed the tiles in: what was in the drum lies on the table."""
    tags = table.world.tags("drum")
    for tag in tags:
        table.world.move(tag, "felt")
    return f"{len(tags)} tiles lie on the table"


def press_emergency_stop(table: SimTable) -> str:
    """Somebody presses the emergency stop: the motors have no current."""
    table.press_emergency_stop()
    return "the emergency stop is pressed"


def release_emergency_stop(table: SimTable) -> str:
    """The emergency stop is pulled out again."""
    table.release_emergency_stop()
    return "the emergency stop is released"


def cut_supply(table: SimTable) -> str:
    """The fuse of the motors blows: they have no current, everything else lives."""
    table.machinery.supply.cut("fuse")
    return "the motors have no current"


def restore_supply(table: SimTable) -> str:
    """The fuse of the motors is replaced."""
    table.machinery.supply.restore("fuse")
    return "the motors have current"


def loosen_wire(table: SimTable, name: str) -> str:
    """An output does nothing any more: setting it fails as a board that does not answer."""
    table.outputs[name].plugged = False
    return f"the board of {name} does not answer"


def mend_wire(table: SimTable, name: str) -> str:
    """The board of an output answers again."""
    table.outputs[name].plugged = True
    return f"the board of {name} answers"


#: by name, with arguments that make a button of it: what the page offers
FAULTS: Final[dict[str, tuple[Callable[..., str], dict[str, Any]]]] = {
    fault.__name__: (fault, example)
    for fault, example in (
        (jam_head, {"side": 2}),
        (kill_head, {"side": 2}),
        (kill_belt, {"side": 2}),
        (mend_head, {"side": 2}),
        (double_count, {"side": 1}),
        (miss_count, {"side": 1}),
        (flicker_cam, {"side": 3}),
        (miss_cam, {"side": 3}),
        (drop_tile, {"side": 0}),
        (kill_drum, {}),
        (clog_drum, {}),
        (mend_drum, {}),
        (weaken_magnet, {}),
        (mend_magnets, {}),
        (blind_sensor, {"name": "head_eye.0"}),
        (stick_sensor, {"name": "head_eye.0"}),
        (mend_sensor, {"name": "head_eye.0"}),
        (stall_lift, {"part": "tray.1"}),
        (kill_lift, {"part": "tray.1"}),
        (slow_lift, {"part": "tray.1", "times": 1.6}),
        (turn_lift, {"part": "dome"}),
        (mend_lift, {"part": "tray.1"}),
        (unplug_reader, {}),
        (plug_reader, {}),
        (kill_tag, {}),
        (lose_tile, {}),
        (return_tile, {}),
        (mix_tile, {}),
        (mix_sets, {}),
        (sort_sets, {}),
        (add_foreign_tile, {}),
        (take_out_foreign_tiles, {}),
        (empty_drum, {}),
        (press_emergency_stop, {}),
        (release_emergency_stop, {}),
        (cut_supply, {}),
        (restore_supply, {}),
        (loosen_wire, {"name": "disc_motor"}),
        (mend_wire, {"name": "disc_motor"}),
    )
}


def inject(table: SimTable, name: str, /, **arguments: Any) -> str:
    """Bring about a fault; the result says in words what was done.

    Raises:
        UnknownFault: no such fault, other arguments are needed, there is no such part, or it cannot happen now.
    """
    if name not in FAULTS:
        near = difflib.get_close_matches(name, FAULTS, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise UnknownFault(f"unknown fault {name!r}{hint} There are: {', '.join(FAULTS)}")
    fault, _ = FAULTS[name]
    takes = list(inspect.signature(fault).parameters.values())[1:]
    needed = [p.name for p in takes if p.default is p.empty]
    if not set(needed) <= arguments.keys() <= {p.name for p in takes}:
        may = [f"{p.name}{'' if p.default is p.empty else ' (or not)'}" for p in takes]
        raise UnknownFault(f"{name} takes {', '.join(may) or 'no arguments'}, not {', '.join(arguments) or 'none'}")
    try:
        return fault(table, **arguments)
    except (LookupError, TypeError, StopIteration) as error:
        raise UnknownFault(f"{name}: there is no such part: {error}") from error
    except (ValueError, ImpossibleMove) as error:
        raise UnknownFault(f"{name}: {error}") from error


def _some_tile(table: SimTable) -> str:
    """Any tile in the drum. Raises IndexError where it is empty."""
    return table.chance.choice(table.world.tags("drum"))


def _lift(table: SimTable, part: str) -> Cam:
    lifts = {"dome": table.dome.cam} | {f"tray.{tray.side}": tray.cam for tray in table.trays}
    return lifts[part]


def _cables(table: SimTable, name: str) -> list[Cable]:
    """One cable, or those of all readers of zones. Raises KeyError."""
    if name:
        return [table.cables[name]]
    return [cable for reader, cable in table.cables.items() if not reader.startswith("lane.")]
