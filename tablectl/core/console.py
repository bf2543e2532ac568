"""What may be asked over the link: the state of the table, rulings, the machine, the match, faults, records.

Every method that changes something names who did it (``by``) and leaves a line in the journal: a ruling as its event,
everything else as a fact.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Coroutine
from typing import Any, Final, get_type_hints

from tablectl import __version__
from tablectl.app import Core
from tablectl.base.faults import Fault, FaultCleared, FaultRaised, clearing_roles
from tablectl.base.reports import DiceRested, KeyPressed
from tablectl.core.figures import Figures
from tablectl.core.offers import MATCH, NUMBERS, USUAL_KEYS, offered
from tablectl.core.pairing import Pairing
from tablectl.core.players import Players
from tablectl.core.records import Records
from tablectl.core.rules_info import rules_json
from tablectl.core.waiting import Waiting
from tablectl.core.workshop import Workshop, machine_json
from tablectl.game import actions as act
from tablectl.game import events as ev
from tablectl.game import record, rulings
from tablectl.game.table import Table
from tablectl.game.views import Role, redact
from tablectl.link.connection import Client
from tablectl.link.protocol import INVALID_PARAMS, RpcError
from tablectl.link.sections import add_table
from tablectl.link.server import Link, Look
from tablectl.machine.status import MachineStatus
from tablectl.refusals import Refusal, Refused
from tablectl.sim.display import MemoryDisplay
from tablectl.tiles.notation import NotationError, parse_tile, parse_tiles

Params = dict[str, Any]

#: the particulars of a ruling and their types; ``t`` and ``do`` are not for clients to say
_FORMS: Final = {
    name: form
    for name, form in get_type_hints(act.Rule).items()
    if name in act.Rule.__dataclass_fields__ and name not in ("t", "do")
}
COMMANDS: Final = ("lift", "pause", "resume", "shuffle", "stop")


class Console:
    """The link of a core with all its methods and sections."""

    def __init__(self, core: Core) -> None:
        self.core = core
        section = core.settings.link
        self.link = Link(
            section.socket,
            redact=lambda event, role, seat: redact(event, role, seat, play=core.rules.play),
            mode=section.mode,
            history=self._history,
            looked=self._looked,
        )
        self.pairing = Pairing(core)
        self._add_sections()
        self._add_methods()
        core.listeners.append(self.link.publish)
        core.bus.subscribe(MachineStatus, lambda _: self.link.touch("machine"))
        for kind in (FaultRaised, FaultCleared):
            core.bus.subscribe(kind, lambda _: self.link.touch("faults"))
        for display in core.backend.displays.values():
            if isinstance(display, MemoryDisplay):
                display.changed = lambda: self.link.touch("display")

    # --- state

    def _add_sections(self) -> None:
        core, link = self.core, self.link
        add_table(link, lambda: core.table)
        link.section("waits", Waiting(lambda: core.table).section)
        link.section("can", lambda role, seat: offered(core.table, role, seat))
        link.section("site", lambda role, seat: self._site(), follows_events=False)
        link.section("machine", lambda role, seat: self._machine(), follows_events=False)
        link.section("faults", lambda role, seat: [fault_json(f) for f in core.faults.active], follows_events=False)
        link.section("display", lambda role, seat: self._display(role), follows_events=False)

    def _site(self) -> Params:
        core = self.core
        return {
            "table": core.settings.table,
            "version": __version__,
            "backend": core.backend.name,
            "simulated": core.simulated,
            "language": core.settings.language,
            "rules": rules_json(core.rules),
            "pairing": bool(core.backend.displays),
            "auto_referee": core.simulated and core.settings.sim.referee,
        }

    def _machine(self) -> Params | None:
        status = self.core.status
        if status is None:
            return None
        return machine_json(status)

    def _display(self, role: Role) -> Params:
        """The pictures on the displays that keep them (simulated ones), as PNG in base64. Who does not sit at the
        table must not read the code there that pairs a phone with a seat."""
        if self.pairing.active and role not in (Role.REFEREE, Role.OPERATOR):
            return {"screens": []}
        screens = [
            {
                "name": name,
                "width": display.size[0],
                "height": display.size[1],
                "png": base64.b64encode(display.png()).decode(),
            }
            for name, display in self.core.backend.displays.items()
            if isinstance(display, MemoryDisplay)
        ]
        return {"screens": screens}

    def _history(self, since: int) -> list[tuple[int, ev.Event]]:
        return [(entry.seq, ev.from_json(entry.data)) for entry in self.core.journal.read(since)]

    def _looked(self, look: Look) -> None:
        note = "left" if look.ended else "looked"
        self.core.journal.note(note, role=look.role.value, seat=look.seat, by=look.by, via=look.peer)

    # --- methods

    def _add_methods(self) -> None:
        link = self.link
        for do in rulings.ACTS:
            link.method(f"referee.{do}", self._ruling(do))
        for command in COMMANDS:
            link.method(f"machine.{command}", self._command(command))
        link.method("match.start", self._match_start)
        link.method("match.end", self._ruling("end_game"))
        link.method("match.seats", self._match_seats)
        link.method("match.dice", self._match_dice)
        link.method("match.indicator", self._match_indicator)
        link.method("match.key", self._match_key)
        link.method("faults.list", self._faults_list, changes=False)
        link.method("faults.clear", self._faults_clear)
        Records(self.core).add_to(link)
        Workshop(self.core).add_to(link)
        Players(self.core).add_to(link)
        Figures(self.core).add_to(link)
        self.pairing.add_to(link)
        link.method("core.stop", self._core_stop)

    def _ruling(self, do: str) -> Callable[[Params, Client], Params]:
        def rule(params: Params, client: Client) -> Params:
            ruling = ruling_of(do, params, self.core.table, self.core.clock.now())
            refused = self.core.table.refusal(ruling)
            if refused is not None:
                raise Refused(refused)
            events = self.core.rule(ruling)
            return {"seq": self.core.table.last_seq, "events": [ev.to_json(event) for event in events]}

        rule.__doc__ = f"A referee's ruling: {do}."
        return rule

    def _command(self, name: str) -> Callable[[Params, Client], Coroutine[Any, Any, Params]]:
        async def command(params: Params, client: Client) -> Params:
            machine = self.core.machine
            done = getattr(machine, name)()
            if done is not None:
                await done
            self.core.journal.note("machine", command=name, by=params["by"])
            return {"state": machine.state.value}

        command.__doc__ = f"Tell the machine: {name}."
        return command

    def _asked(self, do: str) -> None:
        """Raises Refused where this command of the match has no effect now."""
        refused = MATCH[do](self.core.table)
        if refused is not None:
            raise Refused(refused)

    def _match_start(self, params: Params, client: Client) -> Params:
        """Begin a match: ``names`` of the four players."""
        self._asked("start")
        names = _names(params)
        self.core.journal.note("match_begun", names=list(names), by=params["by"])
        self.core.start_match(names)
        return {"seq": self.core.table.last_seq}

    def _match_seats(self, params: Params, client: Client) -> Params:
        """Say who sits where: ``names`` of the four players."""
        names = _names(params)
        self.core.journal.note("seats_named", names=list(names), by=params["by"])
        self.core.apply(act.NameSeats(t=self.core.clock.now(), names=names))
        return {"seq": self.core.table.last_seq}

    def _match_dice(self, params: Params, client: Client) -> Params:
        """Enter what the dice show, where the table could not read them: ``dice``, as many as are thrown at once."""
        self._asked("dice")
        dice, count = params.get("dice"), self.core.rules.play.dice_count
        if not isinstance(dice, list) or len(dice) != count or not all(type(n) is int and 1 <= n <= 6 for n in dice):
            raise RpcError(INVALID_PARAMS, f"dice: {dice!r}; expected {count} numbers from 1 to 6")
        self.core.journal.note("dice_entered", dice=dice, by=params["by"])
        self.core.report(DiceRested(self.core.clock.now(), tuple(dice)))
        return {"seq": self.core.table.last_seq}

    def _match_indicator(self, params: Params, client: Client) -> Params:
        """Enter the tile that lies as the indicator, where the table cannot know it (the power failed), or took another
        one for it (the lanes erred): ``tile``."""
        self._asked("indicator")
        try:
            tile = parse_tile(str(params.get("tile")))
        except NotationError as error:
            raise RpcError(INVALID_PARAMS, f"tile: {error}") from error
        if tile not in self.core.rules.tile_set.counts:
            raise RpcError(INVALID_PARAMS, f"tile: {self.core.rules.name_zh} is played without {tile.code}")
        self.core.journal.note("indicator_entered", tile=tile.code, by=params["by"])
        dealer = self.core.table.match.dealer
        self.core.apply(act.TurnIndicator(t=self.core.clock.now(), tile=tile, seat=dealer, by=params["by"]))
        return {"seq": self.core.table.last_seq}

    def _match_key(self, params: Params, client: Client) -> Params:
        """Press a key for a seat, at a table without key pads or where one is broken: ``seat``, ``key``, ``n`` for keys
        that carry a number."""
        keys = sorted({*USUAL_KEYS} | self.core.rules.play.extra_keys)
        key, seat, n = params.get("key"), params.get("seat"), params.get("n")
        if key not in keys:
            raise RpcError(INVALID_PARAMS, f"key: {key!r}; expected one of {', '.join(keys)}")
        if type(seat) is not int or not 0 <= seat <= 3:
            raise RpcError(INVALID_PARAMS, f"seat: {seat!r}; expected a seat, 0 to 3")
        numbers = NUMBERS.get(str(key), (None,))
        if n not in numbers or type(n) not in (int, type(None)):
            expected = ", ".join("none" if number is None else str(number) for number in numbers)
            raise RpcError(INVALID_PARAMS, f"n: {n!r}; expected {expected} for {key}")
        self.core.journal.note("key_pressed", key=key, seat=seat, n=n, by=params["by"])
        self.core.report(KeyPressed(self.core.clock.now(), str(key), seat, n))
        return {"seq": self.core.table.last_seq}

    def _faults_list(self, params: Params, client: Client) -> list[Params]:
        """The faults that stand, oldest first."""
        return [fault_json(fault) for fault in self.core.faults.active]

    def _faults_clear(self, params: Params, client: Client) -> list[Params]:
        """Clear a fault: ``id``, as `faults.list` gives it (``H02@head.2``), or its code for all of that code."""
        name = params.get("id")
        if not isinstance(name, str):
            raise RpcError(INVALID_PARAMS, "expected id (text), for example H02@head.2")
        code, _, where = name.partition("@")
        cleared = self.core.faults.clear(code, params["by"], where or None)
        self.core.journal.note("fault_cleared", id=name, by=params["by"])
        return [fault_json(fault) for fault in cleared]

    def _core_stop(self, params: Params, client: Client) -> Params:
        """End the program; outputs go safe."""
        self.core.journal.note("stopped", by=params["by"])
        self.core.stop()
        return {}


def fault_json(fault: Fault) -> Params:
    """A fault as the page shows it, in both languages."""
    texts = {}
    for language in ("zh", "en"):
        text = fault.text(language)
        texts[language] = {"title": text.title, "usual": list(text.causes), "next": text.next_step}
    return {
        "id": f"{fault.code}@{fault.where}" if fault.where else fault.code,
        "code": fault.code,
        "where": fault.where,
        "severity": fault.severity.value,
        "detail": fault.detail,
        "since": fault.wall,
        "clear_by": clearing_roles(fault.kind),
        **texts,
    }


def _names(params: Params) -> tuple[str, str, str, str]:
    names = params.get("names")
    if not isinstance(names, list) or len(names) != 4 or not all(isinstance(name, str) for name in names):
        raise RpcError(INVALID_PARAMS, "names: expected the names of the four players, seat 0 first")
    return (names[0], names[1], names[2], names[3])


def ruling_of(do: str, params: Params, table: Table, t: float) -> act.Rule:
    """The ruling of a request: its keys are those of `game.actions.Rule`, tiles in notation. ``seq`` names an event to
    correct by its number in the journal.

    Raises:
        RpcError: a value is not of its form.
        Refused: the record has no such event.
    """
    given = {key: value for key, value in params.items() if key in _FORMS and value is not None}
    unknown = ", ".join(sorted(params.keys() - _FORMS.keys() - {"seq"}))
    if unknown:
        raise RpcError(INVALID_PARAMS, f"{unknown}: no key of a ruling; there are {', '.join(sorted(_FORMS))}")
    seq = params.get("seq")
    if seq is not None:
        given["replaces"] = record.place_of(table.state, seq)
        if given["replaces"] is None:
            raise Refused(Refusal("no_such_event", seq=seq))
    return act.Rule(t=t, do=do, **{key: _formed(key, value) for key, value in given.items()})


def _formed(key: str, value: object) -> Any:
    """A value of a request as the ruling holds it; tiles may come in one text, ``45m``."""
    try:
        given = [tile.code for tile in parse_tiles(value)] if key == "tiles" and isinstance(value, str) else value
        return ev.typed(_FORMS[key], given)
    except (ValueError, TypeError, KeyError) as error:
        raise RpcError(INVALID_PARAMS, f"{key}: {value!r}: {error}") from error
