"""A core for the page's tests: a real table of the competition rules that plays a fixed hand, behind a real link."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from tablectl.app import Core
from tablectl.base.clock import LoopClock
from tablectl.base.journal import MEMORY, Journal
from tablectl.core.console import ruling_of
from tablectl.core.offers import offered
from tablectl.core.records import Records
from tablectl.core.rules_info import rules_json
from tablectl.core.waiting import Waiting
from tablectl.game import actions as act
from tablectl.game import rulings
from tablectl.game.events import Event, to_json
from tablectl.game.fairness import digest_of
from tablectl.game.table import Table
from tablectl.game.views import Role, redact
from tablectl.link.connection import Client
from tablectl.link.sections import add_table
from tablectl.link.server import Link, Look
from tablectl.refusals import Refused
from tablectl.rules import registry
from tablectl.tiles.meld import MeldKind
from tablectl.tiles.notation import parse_tile
from tablectl.tiles.tile import Tile

NAMES = ("王小明", "李四", "陈大文", "Zhao Yun")
#: standing tiles after the deal; seat 0 is the dealer and has a flower to replace
HANDS = (
    "1m 2m 3m 4m 5m 6m 7m 8m a 2p 2p 7s 8s",
    "1p 1p 9p 9p 4s 5s 7s 1m 1m F F F E",
    "2m 3m 4m 5p 5p 7p 8p P P 3s 6s W C",
    "2s 2s E E 9s 9s 9s 7p 7p 7p 7p 8m 6m",
)
#: pixels that a display might show: a PNG of one black dot
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=="


def tiles(text: str) -> tuple[Tile, ...]:
    return tuple(parse_tile(code) for code in text.split())


def draw(seat: int, code: str, end: Any = "live") -> act.Action:
    return act.Draw(t=0, seat=seat, tile=parse_tile(code), end=end)


def discard(seat: int, code: str) -> act.Action:
    return act.DiscardTile(t=0, seat=seat, tile=parse_tile(code))


def lay(seat: int, kind: MeldKind, code: str | None, consumed: str) -> act.Action:
    tile = None if code is None else parse_tile(code)
    return act.LayMeld(t=0, seat=seat, kind=kind, tile=tile, consumed=tiles(consumed))


OPENING: Sequence[act.Action] = (
    act.StartMatch(t=0, names=NAMES, simulated=True),
    act.RaiseWalls(t=0),
    act.Press(t=0, seat=0, key="dice"),
    act.RestDice(t=0, dice=(3, 4)),
    act.Deal(t=0, hands=tuple(tiles(hand) for hand in HANDS), drawn=Tile.NORTH),
    act.LayFlower(t=0, seat=0, tile=Tile.PLUM),
    draw(0, "9m", "tail"),
)
PLAY: Sequence[act.Action] = (
    discard(0, "N"),
    draw(1, "S"),
    discard(1, "S"),
    draw(2, "1m"),
    discard(2, "1m"),
    lay(1, MeldKind.PUNG, "1m", "1m 1m"),
    discard(1, "E"),
    lay(3, MeldKind.PUNG, "E", "E E"),
    discard(3, "6m"),
    draw(0, "1s"),
    discard(0, "1s"),
    draw(1, "9m"),
    discard(1, "9m"),
    draw(2, "9s"),
    discard(2, "9s"),
    lay(3, MeldKind.EXPOSED_KONG, "9s", "9s 9s 9s"),
    draw(3, "5p", "tail"),
    discard(3, "5p"),
    draw(0, "4p"),
    discard(0, "4p"),
    draw(1, "8p"),
    discard(1, "8p"),
    draw(2, "C"),
    discard(2, "W"),
    draw(3, "3m"),
    lay(3, MeldKind.CONCEALED_KONG, None, "7p 7p 7p 7p"),
    draw(3, "8p", "tail"),
    discard(3, "8p"),
)
#: seat 0 completes 清龙 with its own draw
WIN: Sequence[act.Action] = (draw(0, "6s"), act.DeclareWin(t=0, seat=0))
SALT = "5a" * 32


def built() -> tuple[tuple[Tile | None, ...], ...]:
    """A wall of which the lanes told the dealt tiles only; they lie where the dice of `OPENING` want them."""
    table = Table(registry.load("competition"))
    for action in OPENING[1:4]:
        table.apply(action)
    assert table.hand is not None
    deck = table.hand.deck
    assert deck is not None
    sides: list[list[Tile | None]] = [[None] * (2 * stacks) for stacks in table.rules.stacks]
    for seat, hand in enumerate(HANDS):
        dealt = [*tiles(hand), Tile.NORTH] if seat == 0 else list(tiles(hand))
        for position, tile in zip(deck.dealt(seat), dealt, strict=True):
            place = deck.places[position - 1]
            sides[place.side][2 * (place.stack - 1) + (0 if place.upper else 1)] = tile
    return tuple(tuple(side) for side in sides)


def sealed_hand() -> list[act.Action]:
    """The whole hand, its wall sealed before the dice and opened after it."""
    wall = built()
    digest = digest_of(wall, SALT)
    seal = act.Commit(t=0, what="wall", digest=digest, unknown=144 - 53)
    opened = act.OpenCommitment(t=0, what="wall", digest=digest, secret=SALT, built=wall)
    confirm = act.Rule(t=0, do="confirm", by="referee Wu")
    return [*OPENING[:2], seal, *OPENING[2:], *PLAY, *WIN, confirm, opened]


class PlayedCore:
    """`play` applies actions as if each was done now and tells the link; `said` is what clients asked for."""

    def __init__(self, path: Path, rules: str = "competition", **options: Any) -> None:
        self.path = path
        self.table = Table(registry.load(rules, options), names=NAMES, simulated=True)
        #: what `records.Records` needs of a core
        self.clock = LoopClock()
        self.journal = Journal(MEMORY, self.clock)
        self.settings = SimpleNamespace(table="Hall 3", time_zone="Asia/Shanghai")
        self.listeners: list[Callable[[int, Sequence[Event]], None]] = []
        self.said: list[tuple[str, dict[str, Any]]] = []
        self.looks: list[tuple[Role, int | None, str]] = []
        self.machine: dict[str, Any] = {
            "state": "shuffling",
            "ready": False,
            "sides": [{"tiles": n, "target": 36, "eye": n, "passages": n} for n in (22, 18, 30, 36)],
            "cycles": 4,
            "commands": ["pause", "shuffle", "stop"],
            "programmes": [136, 144],
            "programme": 144,
            "next_programme": 144,
        }
        self.faults: list[dict[str, Any]] = []
        self.link: Link | None = None

    def _redact(self, event: Event, role: Role, seat: int | None) -> Event | None:
        return redact(event, role, seat, play=self.table.rules.play)

    def _looked(self, look: Look) -> None:
        if not look.ended:
            self.looks.append((look.role, look.seat, look.by))

    def _history(self, seq: int) -> Iterator[tuple[int, Event]]:
        return ((number, event) for number, event in enumerate(self.table.events, 1) if number > seq)

    async def start(self) -> None:
        link = Link(self.path, redact=self._redact, history=self._history, looked=self._looked)
        add_table(link, lambda: self.table)
        link.section("machine", lambda role, seat: self.machine, follows_events=False)
        link.section("faults", lambda role, seat: self.faults, follows_events=False)
        screens = {"screens": [{"name": "main", "png": PNG, "lines": ["东圈 第1盘", "王小明 出牌"]}]}
        link.section("display", lambda role, seat: screens)
        link.section("sim", lambda role, seat: {"faults": [{"name": "jam", "help": "卡牌", "params": {"side": 1}}]})
        link.section("can", lambda role, seat: offered(self.table, role, seat))
        link.section("waits", Waiting(lambda: self.table).section)
        link.section(
            "site", lambda role, seat: {"table": "Hall 3", "simulated": True, "rules": rules_json(self.table.rules)}
        )
        for do in rulings.ACTS:
            link.method(f"referee.{do}", self._ruling(do))
        for name in (
            "machine.lift",
            "machine.pause",
            "machine.resume",
            "machine.stop",
            "machine.shuffle",
            "match.start",
            "match.dice",
            "faults.clear",
            "sim.fault",
        ):
            link.method(name, self._note(name))
        Records(cast(Core, self)).add_to(link)
        link.method("faults.list", lambda params, _: self.faults, changes=False)
        link.publish(self.table.last_seq, [])
        await link.start()
        self.link = link

    async def stop(self) -> None:
        if self.link is not None:
            await self.link.stop()
            self.link = None

    def play(self, *actions: act.Action) -> None:
        now = asyncio.get_running_loop().time()
        for action in actions:
            events = self.table.apply(replace(action, t=now))
            if events:
                self.journal.append([to_json(event) for event in events])
            for listener in self.listeners:
                listener(self.table.last_seq, events)
            if self.link is not None:
                self.link.publish(self.table.last_seq, events)

    def touch(self, section: str) -> None:
        if self.link is not None:
            self.link.touch(section)

    def _ruling(self, do: str) -> Any:
        def rule(params: dict[str, Any], client: Client) -> dict[str, Any]:
            self.said.append((f"referee.{do}", params))
            ruling = ruling_of(do, params, self.table, 0)
            refusal = self.table.refusal(ruling)
            if refusal is not None:
                raise Refused(refusal)
            self.play(ruling)
            return {"seq": self.table.last_seq}

        return rule

    def _note(self, name: str) -> Any:
        return lambda params, client: self.said.append((name, params))
