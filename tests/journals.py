"""A journal with a played match in it: every hand sealed, its dice thrown with a secret, one hand won."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

from tablectl.base.clock import HandClock
from tablectl.base.journal import Journal
from tablectl.drivers.dice import commit, roll
from tablectl.game import actions as act
from tablectl.game import events as ev
from tablectl.game.fairness import digest_of, index_of
from tablectl.game.table import Table
from tablectl.rules.registry import load
from tablectl.tiles.notation import parse_tiles
from tablectl.tiles.tile import Tile

NAMES = ("王小明", "李四", "陈大文", "Zhao Yun")
#: 清一色, 一色三步高 and more: dealt to the dealer of the first hand, with its last tile
WON = "12345678999m11m"
LAST = Tile.M1


class Match:
    """Plays hands at a table of ``rules`` and keeps the events."""

    def __init__(self, rules: str = "mcr", seed: int = 1) -> None:
        self.rules = load(rules)
        self.table = Table(self.rules, names=NAMES, simulated=True)
        self.random = Random(seed)
        self.t = 0.0
        self.do(act.StartMatch(t=0, names=NAMES, simulated=True))

    def do(self, action: act.Action) -> None:
        self.table.apply(action)

    def tick(self) -> float:
        self.t += 1
        return self.t

    def hand(self, *, won: bool = False) -> None:
        """A hand: sealed, thrown, dealt; won on the dealer's first tile, or drawn after a turn."""
        secret = self.random.randbytes(32)
        throws = self._throws(secret)
        built, deck = self._wall([sum(throw["dice"]) for throw in throws], won)
        salt = self.random.randbytes(32).hex()
        seals = [("wall", digest_of(built, salt), salt), ("dice", commit(secret), secret.hex())]
        self.do(act.RaiseWalls(t=self.tick()))
        for what, digest, _ in seals:
            self.do(act.Commit(t=self.t, what=what, digest=digest))  # type: ignore[arg-type]
        for throw in throws:
            self.do(act.RestDice(t=self.tick(), dice=tuple(throw["dice"])))
        wall = [built[place.side][index_of(place)] for place in deck.places]
        dealer = self.table.match.dealer
        hands = [[wall[position - 1] for position in deck.dealt(seat)] for seat in range(4)]
        drawn = hands[dealer].pop()
        self.do(act.Deal(t=self.tick(), hands=tuple(map(tuple, hands)), drawn=drawn))
        if won:
            self.do(act.DeclareWin(t=self.tick(), seat=dealer))
            self.do(act.Rule(t=self.tick(), do="confirm", by="referee Wu"))
        else:
            self.do(act.Rule(t=self.tick(), do="draw_hand", by="referee Wu", reason="exhausted"))
        self.do(act.RevealWall(t=self.tick(), wall=tuple(wall)))
        for what, digest, shown in seals:
            more: dict[str, Any] = {"built": built} if what == "wall" else {"throws": tuple(throws)}
            self.do(act.OpenCommitment(t=self.t, what=what, digest=digest, secret=shown, **more))  # type: ignore[arg-type]

    def _throws(self, secret: bytes) -> list[dict[str, Any]]:
        throws: list[dict[str, Any]] = []
        while self.rules.thrower(self.table.match.dealer, [sum(throw["dice"]) for throw in throws]) is not None:
            message, counter = f"0@{self.random.randrange(10**12)}", len(throws) + 1
            throws.append({"message": message, "counter": counter, "dice": list(roll(secret, message, counter))})
        return throws

    def _wall(self, sums: list[int], won: bool) -> tuple[tuple[tuple[Tile | None, ...], ...], Any]:
        deck = self.rules.deck(self.table.match.dealer, sums)
        tiles = [tile for tile in self.rules.tile_set.tiles() if not tile.is_flower]
        self.random.shuffle(tiles)
        wall: dict[int, Tile] = {}
        if won:
            left = Counter(tiles)
            chosen = [*parse_tiles(WON), LAST]
            left.subtract(chosen)
            wall = dict(zip(deck.dealt(self.table.match.dealer), chosen, strict=True))
            tiles = list(left.elements())
            self.random.shuffle(tiles)
        flowers = [tile for tile in self.rules.tile_set.tiles() if tile.is_flower]
        rest = iter([*tiles, *flowers])  # the flowers lie where nobody gets to
        for position in range(1, len(deck.places) + 1):
            if position not in wall:
                wall[position] = next(rest)
        sides: list[list[Tile | None]] = [[None] * (2 * stacks) for stacks in self.rules.stacks]
        for position, tile in wall.items():
            place = deck.places[position - 1]
            sides[place.side][index_of(place)] = tile
        return tuple(tuple(side) for side in sides), deck

    def end(self) -> None:
        self.do(act.Rule(t=self.tick(), do="end_game", by="referee Wu"))

    @property
    def events(self) -> list[dict[str, Any]]:
        return [ev.to_json(event) for event in self.table.events]


def write(path: Path, events: list[dict[str, Any]]) -> Path:
    """A journal with these events."""
    with Journal(path, HandClock()) as journal:
        journal.append(events)
    return path


def played(path: Path, rules: str = "mcr", hands: int = 3) -> Path:
    """A journal of a match of so many hands; the first is won."""
    match = Match(rules)
    for n in range(hands):
        match.hand(won=n == 0)
    return write(path, match.events)
