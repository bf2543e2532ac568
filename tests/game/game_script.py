"""A hand told move by move: hands in notation, one second a move unless said otherwise."""

from __future__ import annotations

from collections import Counter
from typing import Any, TypeVar

from tablectl.game import actions as act
from tablectl.game import events as ev
from tablectl.game.state import Hand, Phase
from tablectl.game.table import Table
from tablectl.rules.api import MatchState, Points, RuleSet
from tablectl.tiles.meld import MeldKind
from tablectl.tiles.notation import parse_tile, parse_tiles
from tablectl.tiles.tile import Tile

KINDS = {
    "chow": MeldKind.CHOW,
    "pung": MeldKind.PUNG,
    "kong": MeldKind.EXPOSED_KONG,
    "added": MeldKind.ADDED_KONG,
    "concealed": MeldKind.CONCEALED_KONG,
}


class Script:
    """A table with one hand dealt. ``hands``: seat → its tiles; the other seats get what is left of the set, suit
    tiles from the end (no flowers, nothing told about them)."""

    def __init__(
        self,
        rules: RuleSet,
        hands: dict[int, str] | None = None,
        drawn: str = "9p",
        *,
        dealer: int = 0,
        points: Points = (100, 100, 100, 100),
        streak: int = 0,
        deal: bool = True,
    ) -> None:
        self.table = Table(rules, match=MatchState(points=points, dealer=dealer, streak=streak))
        self.t = 100.0
        self.do(act.RaiseWalls(t=self.t))
        if deal:
            self.throw()
            self.deal(hands or {}, drawn)

    @property
    def hand(self) -> Hand:
        assert self.table.hand is not None
        return self.table.hand

    @property
    def phase(self) -> Phase:
        return self.hand.phase

    @property
    def points(self) -> Points:
        return self.hand.points

    def do(self, action: act.Action) -> list[ev.Event]:
        return self.table.apply(action)

    def tick(self, seconds: float = 1.0) -> float:
        self.t += seconds
        return self.t

    def throw(self, *dice: int) -> list[ev.Event]:
        return self.do(act.RestDice(t=self.tick(), dice=dice or (3, 4)))

    def deal(self, hands: dict[int, str], drawn: str) -> None:
        size = self.table.rules.play.hand_tiles
        told = {seat: parse_tiles(text) for seat, text in hands.items()}
        left = Counter(self.table.rules.tile_set.tiles())
        left.subtract([t for tiles in told.values() for t in tiles] + [parse_tile(drawn)])
        assert min(left.values()) >= 0, "more tiles told than the set has"
        spare = [t for t in sorted(left.elements(), reverse=True) if t.suit]
        for seat in range(4):
            tiles = told.get(seat, ())
            filler, spare = spare[: size - len(tiles)], spare[size - len(tiles) :]
            told[seat] = (*tiles, *filler)
            assert len(told[seat]) == size, f"seat {seat} has {len(told[seat])} tiles"
        self.do(act.Deal(t=self.tick(), hands=tuple(told[s] for s in range(4)), drawn=parse_tile(drawn)))

    def draw(self, seat: int, tile: str | None = None, end: Any = None, after: float = 1.0) -> list[ev.Event]:
        side = end or ("tail" if self.hand.seats[seat].owed else "live")
        kind = None if tile is None else parse_tile(tile)
        return self.do(act.Draw(t=self.tick(after), seat=seat, tile=kind, end=side))

    def discard(self, seat: int, tile: str, after: float = 1.0) -> list[ev.Event]:
        return self.do(act.DiscardTile(t=self.tick(after), seat=seat, tile=parse_tile(tile)))

    def turn(self, seat: int, drawn: str, discarded: str | None = None) -> list[ev.Event]:
        """A draw and a discard (of the drawn tile unless told)."""
        return self.draw(seat, drawn) + self.discard(seat, discarded or drawn)

    def flower(self, seat: int, tile: str) -> list[ev.Event]:
        return self.do(act.LayFlower(t=self.tick(), seat=seat, tile=parse_tile(tile)))

    def meld(self, seat: int, kind: str, tile: str | None, consumed: str, after: float = 1.0) -> list[ev.Event]:
        taken = None if tile is None else parse_tile(tile)
        return self.do(
            act.LayMeld(t=self.tick(after), seat=seat, kind=KINDS[kind], tile=taken, consumed=parse_tiles(consumed))
        )

    def win(self, seat: int, after: float = 1.0) -> list[ev.Event]:
        return self.do(act.DeclareWin(t=self.tick(after), seat=seat))

    def press(self, seat: int, key: str, n: int | None = None, after: float = 1.0) -> list[ev.Event]:
        return self.do(act.Press(t=self.tick(after), seat=seat, key=key, n=n))

    def rule(self, do: str, **keys: Any) -> list[ev.Event]:
        return self.do(act.Rule(t=self.tick(), do=do, by="referee", **keys))

    def wait(self, seconds: float) -> list[ev.Event]:
        return self.do(act.PassTime(t=self.tick(seconds)))

    def standing(self, seat: int) -> list[Tile | None]:
        return sorted(self.hand.seats[seat].standing, key=lambda t: 99 if t is None else t)


def alerts(events: list[ev.Event]) -> list[tuple[str, int | None]]:
    """Code and seat of the alerts among the events."""
    return [(e.code, e.seat) for e in events if isinstance(e, ev.Alerted)]


def kinds(events: list[ev.Event]) -> list[str]:
    """The types of the events, calls left out."""
    return [e.type for e in events if not isinstance(e, ev.ClaimCalled)]


E = TypeVar("E", bound=ev.Event)


def find(events: list[ev.Event], kind: type[E]) -> list[E]:
    """The events of one type."""
    return [e for e in events if isinstance(e, kind)]
