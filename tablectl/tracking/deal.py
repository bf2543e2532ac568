"""The deal: tiles go from the wall to the four hands in blocks, in a human order and tempo.

The wall and the dice say who should get what; what the antennas see decides who got it. A tile that is expected in a
hand is believed there at its first reading, another one after several.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tablectl.tiles.tile import Tile
from tablectl.tiles.wall import Deck
from tablectl.tracking.places import HAND, MELD, RIVER
from tablectl.tracking.presence import Presence
from tablectl.tracking.wall import WallOrder

#: reads in a row after which a tile that is not expected in a hand is believed there
UNEXPECTED_READS = 3
#: periods without an arrival after which a hand of other tiles than expected is taken as dealt
STEADY_PERIODS = 4
#: ... and expected tiles that the antennas do not find are taken as dealt
SILENT_PERIODS = 8
#: tiles at each end of what is left of the wall that tell, read so often, that the deal is over
FOLLOWING = 4
FOLLOWING_READS = 2
#: so many tiles may be taken as dealt without having been read
MOST_SILENT = 3


@dataclass(frozen=True, slots=True)
class Dealt:
    """A finished deal: tags by seat (with the dealer's drawn tile), that tile, when it ended, seats that got others'
    tiles."""

    hands: tuple[frozenset[str], ...]
    drawn: str | None
    t: float
    wrong: tuple[int, ...]


@dataclass(slots=True)
class DealWatch:
    """Watches one deal."""

    deck: Deck
    dealer: int
    #: by seat: tags that it may get by the lanes and the dice, and those that it should get
    possible: list[set[str]] = field(default_factory=list)
    expected: list[set[str]] = field(default_factory=list)
    #: the first tiles to be drawn after the deal: where one of them turns up, the deal is over
    following: set[str] = field(default_factory=set)
    last_arrival: float = 0.0
    arrivals: dict[str, float] = field(default_factory=dict)
    over: bool = False

    def start(self, wall: WallOrder, t: float) -> None:
        """The dice are known: look up who should get what."""
        dealt = [self.deck.dealt(seat) for seat in range(4)]
        self.expected = [{tag for p in positions if (tag := wall.likely(p))} for positions in dealt]
        self.possible = [{tag for p in positions for tag in wall.odds(p)} for positions in dealt]
        after = [wall.likely(p) for p in (*self.deck.tail[:FOLLOWING], *self.deck.live[:FOLLOWING])]
        self.following = {tag for tag in after if tag is not None} - set().union(*self.possible)
        self.last_arrival = t

    def watch(self, presence: Presence, tiles: Mapping[str, Tile], t: float, period: float) -> Dealt | None:
        """Believe what arrived; the deal when it is complete."""
        for seat in range(4):
            for place in (HAND[seat], MELD[seat], RIVER[seat]):
                zone = presence.zones.get(place)
                if zone is None or not zone.strange:
                    continue
                for tag, run in list(zone.strange.items()):
                    self._arrives(presence, tiles, seat, place, tag, run, t)
        hands = tuple(frozenset(presence.zone(HAND[seat]).tags) for seat in range(4))
        need = [len(self.deck.dealt(seat)) for seat in range(4)]
        lacking = [need[seat] - len(hands[seat]) for seat in range(4)]
        as_expected = all(hands[seat] <= self.possible[seat] for seat in range(4))
        if as_expected and not any(lacking):
            return self._dealt(hands, ())
        quiet = (t - self.last_arrival) / period
        if not any(lacking) and (quiet >= STEADY_PERIODS or self.over):
            return self._dealt(hands, tuple(s for s in range(4) if not hands[s] <= self.possible[s]))
        if self.blind and (quiet >= STEADY_PERIODS or self.over) and max(lacking) == 0:
            return self._dealt(self._without_replacements(presence, tiles, lacking, t), ())
        if (quiet >= SILENT_PERIODS or self.over) and sum(max(0, n) for n in lacking) <= MOST_SILENT:
            return self._fill(presence, hands, lacking)
        return None

    @property
    def blind(self) -> bool:
        """Nothing is known of the order of the wall: there are no lanes, or the power was cut."""
        return not any(self.possible)

    def _without_replacements(
        self, presence: Presence, tiles: Mapping[str, Tile], lacking: list[int], t: float
    ) -> tuple[frozenset[str], ...]:
        """The hands as dealt, where flowers were laid open and replaced before anybody looked. Which tiles came for the
        flowers cannot be known, and makes no difference to the hand that results: the last ones found are taken back,
        and told as drawn."""
        dealt = []
        for seat in range(4):
            tags = presence.zone(HAND[seat]).tags
            plain = [tag for tag in tags if not tiles[tag].is_flower]
            later = sorted(plain, key=lambda tag: (self.arrivals.get(tag, 0.0), tag))[len(plain) + lacking[seat] :]
            for tag in later:
                presence.place(tag, "wall", t)
            dealt.append(frozenset(tags) - set(later))
        return tuple(dealt)

    def _arrives(
        self,
        presence: Presence,
        tiles: Mapping[str, Tile],
        seat: int,
        place: str,
        tag: str,
        run: int,
        t: float,
    ) -> None:
        home = presence.lies(tag)
        if tag not in tiles or home == HAND[seat]:
            return
        if tag in self.following and home.startswith("wall"):
            self.over = self.over or run >= FOLLOWING_READS
            return
        known = any(tag in tags for tags in self.possible)
        if place != HAND[seat]:
            # a tile read at first only beside the hand: an edge, or a flower laid open at once
            laid = self.blind and place == MELD[seat] and tiles[tag].is_flower
            if (tag in self.possible[seat] or laid) and home.startswith("wall") and run >= 2:
                self._believe(presence, seat, tag, t)
        elif home.startswith("wall"):
            if tag in self.possible[seat] or run >= (UNEXPECTED_READS + 1 if known else 2):
                self._believe(presence, seat, tag, t)
        elif run >= UNEXPECTED_READS and presence.zone(home).missing.get(tag, 0) >= UNEXPECTED_READS - 1:
            self._believe(presence, seat, tag, t)

    def _believe(self, presence: Presence, seat: int, tag: str, t: float) -> None:
        presence.place(tag, HAND[seat], t)
        self.last_arrival = t
        self.arrivals[tag] = t

    def _fill(self, presence: Presence, hands: tuple[frozenset[str], ...], lacking: list[int]) -> Dealt | None:
        """Take the expected tiles that no antenna finds as dealt."""
        placed = set().union(*hands)
        filled = []
        for seat in range(4):
            silent = sorted(self.expected[seat] - placed)
            if lacking[seat] != len(silent):
                if lacking[seat] > 0:
                    return None
                silent = []
            for tag in silent:
                presence.place(tag, HAND[seat], self.last_arrival)
            filled.append(hands[seat] | set(silent))
        return self._dealt(tuple(filled), tuple(s for s in range(4) if not filled[s] <= self.possible[s]))

    def _dealt(self, hands: tuple[frozenset[str], ...], wrong: tuple[int, ...]) -> Dealt:
        return Dealt(hands, None, self.last_arrival, wrong)

    def drawn(self, hands: tuple[frozenset[str], ...], wall: WallOrder) -> str | None:
        """The dealer's last tile: where the wall says it, else the one that came last."""
        tag = wall.likely(self.deck.dealt(self.dealer)[-1])
        if tag in hands[self.dealer]:
            return tag
        return max(hands[self.dealer], key=lambda tag: (self.arrivals.get(tag, 0.0), tag), default=None)
