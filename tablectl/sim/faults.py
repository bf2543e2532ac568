"""Faults that can be brought about while the simulated table runs, by name: ``inject(table, "jam_head", side=2)``.

Each says what it does to the world; what the program makes of it is the program's business. `FAULTS` lists them with
their arguments; a fault with a way back has an entry with ``mend`` in front (``mend_head``).
"""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable
from typing import Any, Final

from tablectl.sim.backend import SimTable
from tablectl.sim.devices import SimDevice
from tablectl.sim.mechanics import Cam


class UnknownFault(ValueError):
    """There is no such fault, or it takes other arguments; the message says which there are."""


def jam_head(table: SimTable, side: int) -> str:
    """A pair sticks in the stacking head: it is never pushed to the end."""
    table.heads[side].jammed = True
    return f"a pair will stick in head {side}"


def kill_head(table: SimTable, side: int) -> str:
    """The motor of a stacking head turns no more."""
    table.heads[side].dead = True
    table.heads[side].update()
    return f"the motor of head {side} is dead"


def mend_head(table: SimTable, side: int) -> str:
    """What stuck is taken out, the motor turns again."""
    head = table.heads[side]
    head.jammed = head.dead = False
    head.update()
    return f"head {side} works again"


def kill_drum(table: SimTable) -> str:
    """Disc and ring stand still whatever their outputs say."""
    table.drum.dead = True
    table.drum.update()
    return "disc and ring are dead"


def mend_drum(table: SimTable) -> str:
    """Disc and ring turn again."""
    table.drum.dead = False
    table.drum.update()
    return "disc and ring work again"


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


def mend_lift(table: SimTable, part: str) -> str:
    """What held a lift is taken out, its motor turns again."""
    cam = _lift(table, part)
    cam.kill(False)
    cam.block(False)
    return f"{part} moves again"


def unplug_reader(table: SimTable, name: str) -> str:
    """The cable of a reader (``zones``) or lane (``lane.0`` …) is out: it reports nothing."""
    _reader(table, name).plugged = False
    return f"{name} is unplugged"


def plug_reader(table: SimTable, name: str) -> str:
    """The cable is in again."""
    _reader(table, name).plugged = True
    return f"{name} is plugged in"


def kill_tag(table: SimTable, tag: str) -> str:
    """The chip of a tile never answers an antenna again."""
    kind = table.world.kinds[tag]
    for reader in table.readers:
        reader.dead_tags.add(tag)
    return f"the chip of {kind} {tag} is dead"


def lose_tile(table: SimTable, tag: str) -> str:
    """A tile falls off the table."""
    table.world.move(tag, "floor")
    return f"{table.world.kinds[tag]} {tag} lies on the floor"


def return_tile(table: SimTable, tag: str) -> str:
    """A lost tile is found and put on the table."""
    table.world.move(tag, "felt")
    return f"{table.world.kinds[tag]} {tag} lies on the table"


def mix_tile(table: SimTable, tag: str, other: str) -> str:
    """Two tiles, one of each set, are exchanged: each goes where the other was."""
    if table.world.set_of[tag] == table.world.set_of[other]:
        raise UnknownFault(f"{tag} and {other} belong to the same set; mix_tile wants one of each")
    table.world.swap(tag, other)
    return f"{tag} and {other} changed places"


FAULTS: Final[dict[str, Callable[..., str]]] = {
    fault.__name__: fault
    for fault in (
        jam_head,
        kill_head,
        mend_head,
        kill_drum,
        mend_drum,
        blind_sensor,
        stick_sensor,
        mend_sensor,
        stall_lift,
        kill_lift,
        slow_lift,
        mend_lift,
        unplug_reader,
        plug_reader,
        kill_tag,
        lose_tile,
        return_tile,
        mix_tile,
    )
}


def inject(table: SimTable, name: str, /, **arguments: Any) -> str:
    """Bring about a fault; the result says in words what was done.

    Raises:
        UnknownFault: no such fault, other arguments are needed, or there is no such part.
    """
    if name not in FAULTS:
        near = difflib.get_close_matches(name, FAULTS, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise UnknownFault(f"unknown fault {name!r}{hint} There are: {', '.join(FAULTS)}")
    fault = FAULTS[name]
    wanted = list(inspect.signature(fault).parameters)[1:]
    if sorted(arguments) != sorted(wanted):
        raise UnknownFault(f"{name} takes {', '.join(wanted) or 'no arguments'}, not {', '.join(arguments) or 'none'}")
    try:
        return fault(table, **arguments)
    except (KeyError, IndexError, TypeError) as error:
        raise UnknownFault(f"{name}: there is no such part: {error}") from error


def _lift(table: SimTable, part: str) -> Cam:
    lifts = {"dome": table.dome.cam} | {f"tray.{tray.side}": tray.cam for tray in table.trays}
    return lifts[part]


def _reader(table: SimTable, name: str) -> SimDevice:
    devices: list[SimDevice] = [*table.readers, *table.lanes]
    return {device.name: device for device in devices}[name]
