"""The deal: tiles go from the wall to the four hands in blocks, in a human order and tempo.

The wall and the dice say who should get what; what the antennas see decides who got it. A tile that is expected in a
hand is believed there at its first reading, another one after several. Where more tiles than were dealt are found in a
hand (a flower was replaced already, or a tile of the wall answers across an edge), those that the wall makes unlikely,
or that came last, go back to the wall and are told as played.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field

from tablectl.game import actions as act
from tablectl.game.state import Hand, Phase
from tablectl.tiles.tile import Tile
from tablectl.tiles.wall import Deck
from tablectl.tracking.beliefs import Beliefs
from tablectl.tracking.places import HAND, MELD, RIVER, WALL
from tablectl.tracking.presence import Presence
from tablectl.tracking.wall import WallOrder

#: reads in a row after which a tile that is not expected in a hand is believed there
UNEXPECTED_READS = 3
#: periods without an arrival after which a hand of other tiles than expected is taken as dealt
STEADY_PERIODS = 4
#: ... and expected tiles that the antennas do not find are taken as dealt; where later moves were seen, sooner
SILENT_PERIODS = 8
SILENT_OVER_PERIODS = 3
#: periods within which the antennas do not tell who was first
AT_ONCE_PERIODS = 2.5
#: tiles at each end of what is left of the wall that tell, read so often, that the deal is over
FOLLOWING = 4
FOLLOWING_READS = 2
#: so many tiles may be taken as dealt without having been read; periods after which they remain unnamed where the
#: wall does not tell them
MOST_SILENT = 3
UNNAMED_PERIODS = 16
#: probabilities by the wall from which a tile is due to a seat, and below which it is another's
DUE_SHARE = 0.5
FOREIGN_SHARE = 0.02
#: tiles of another's that a seat takes with a block of the deal; fewer are an error of the lanes
BLOCK_TILES = 3


@dataclass(frozen=True, slots=True)
class Dealt:
    """A finished deal: tags by seat (with the dealer's drawn tile), when it ended, seats that got others' tiles, the
    first of them first, and how many each has of them."""

    hands: tuple[frozenset[str], ...]
    t: float
    wrong: Mapping[int, int]


@dataclass(slots=True)
class DealWatch:
    """Watches one deal."""

    deck: Deck
    dealer: int
    wall: WallOrder
    #: by seat: tags that it may get by the lanes and the dice
    possible: list[set[str]] = field(default_factory=list)
    #: the first tiles to be drawn after the deal: where one of them turns up, the deal is over
    following: set[str] = field(default_factory=set)
    #: the blocks in the order of the deal: who should take which tags
    blocks: list[tuple[int, set[str]]] = field(default_factory=list)
    last_arrival: float = 0.0
    arrivals: dict[str, float] = field(default_factory=dict)
    #: where the tags lay that arrived
    homes: dict[str, str] = field(default_factory=dict)
    #: later moves were seen, or dice were thrown that are due after the deal
    over: bool = False
    _found: tuple[frozenset[str], ...] = ()
    _weighed: Sequence[Mapping[str, float]] = ()

    def start(self, t: float) -> None:
        """The dice are known: look up who should get what."""
        wall = self.wall
        dealt = [self.deck.dealt(seat) for seat in range(4)]
        self.possible = [{tag for p in positions for tag in wall.odds(p)} for positions in dealt]
        self.blocks = [
            (block.seat, {tag for p in block.positions if (tag := wall.likely(p))}) for block in self.deck.deal
        ]
        after = [wall.likely(p) for p in (*self.deck.tail[:FOLLOWING], *self.deck.live[:FOLLOWING])]
        self.following = {tag for tag in after if tag is not None} - set().union(*self.possible)
        self.last_arrival = t

    def watch(self, presence: Presence, tiles: Mapping[str, Tile], t: float, period: float) -> Dealt | None:
        """Believe what arrived; the deal when it is complete."""
        self.look(presence, tiles, t)
        return self._complete(presence, tiles, t, period)

    def look(self, presence: Presence, tiles: Mapping[str, Tile], t: float) -> None:
        """Believe what arrived."""
        for seat in range(4):
            for place in (HAND[seat], MELD[seat], RIVER[seat]):
                zone = presence.zones.get(place)
                if zone is None or not zone.strange:
                    continue
                for tag, run in list(zone.strange.items()):
                    self._arrives(presence, tiles, seat, place, tag, run, t)
        self._stayed(presence, t)

    def _complete(self, presence: Presence, tiles: Mapping[str, Tile], t: float, period: float) -> Dealt | None:
        """The deal, when what is believed makes one."""
        found = tuple(frozenset(presence.zone(HAND[seat]).tags) for seat in range(4))
        lacking = [len(self.deck.dealt(seat)) - len(found[seat]) for seat in range(4)]
        silent = sum(max(0, n) for n in lacking)
        if silent > MOST_SILENT:
            return None
        quiet = (t - self.last_arrival) / period
        shares = self._shares(found)
        hands = tuple(
            self._without_surplus(found[seat], lacking[seat], shares[seat], tiles, _silent(presence, seat))
            for seat in range(4)
        )
        named = [shares[seat].get(tag, 0.0) for seat in range(4) for tag in hands[seat]]
        sure = not self.blind and min(named) > DUE_SHARE
        if silent:
            if quiet < (SILENT_OVER_PERIODS if self.over else SILENT_PERIODS):
                return None
            filled = self._filled(presence, hands, shares, lacking)
            if filled is None and quiet < UNNAMED_PERIODS:
                return None
            hands = filled or hands
        elif not (sure or quiet >= STEADY_PERIODS or self.over):
            return None
        for seat in range(4):
            for tag in found[seat].difference(*hands):
                presence.place(tag, self.homes.get(tag, "wall"), self.arrivals.get(tag, t) - period)
        wrong = self._wrong(hands, shares, period)
        return Dealt(hands, self.last_arrival, wrong)

    def _shares(self, found: tuple[frozenset[str], ...]) -> Sequence[Mapping[str, float]]:
        """What each seat should be dealt, by the wall and what was found so far."""
        if found != self._found:
            first = [
                sorted(tags, key=lambda tag: (self.arrivals.get(tag, 0.0), tag))[: len(self.deck.dealt(seat))]
                for seat, tags in enumerate(found)
            ]  # what came later may be for flowers
            self._found, self._weighed = found, self.wall.shares([set(tags) for tags in first])
        return self._weighed

    @property
    def blind(self) -> bool:
        """Nothing is known of the order of the wall: there are no lanes, or the power was cut."""
        return not any(self.possible)

    def _without_surplus(
        self,
        found: frozenset[str],
        lacking: int,
        share: Mapping[str, float],
        tiles: Mapping[str, Tile],
        silent: Set[str],
    ) -> frozenset[str]:
        """A hand as dealt: of more tiles than that, the ones that are due there, answer, and came first. Where
        nothing is known of the wall, which tiles came for flowers makes no difference to the hand that results; but
        the flowers were dealt."""
        if lacking >= 0:
            return found

        def late(tag: str) -> tuple[bool, bool, float, bool, float, str]:
            return (
                share.get(tag, 0.0) <= DUE_SHARE,
                tag in silent,
                -share.get(tag, 0.0),
                not tiles[tag].is_flower,
                self.arrivals.get(tag, 0.0),
                tag,
            )

        return frozenset(sorted(found, key=late)[:lacking])

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
        if home.startswith("wall") and tag in presence.zone(home).last:
            return  # a ghost here
        if tag in self.following and home.startswith("wall"):
            self.over = self.over or run >= FOLLOWING_READS
            return
        known = any(tag in tags for tags in self.possible)
        if place != HAND[seat]:
            # a tile read at first only beside the hand: an edge, or a flower laid open at once
            laid = self.blind and place == MELD[seat] and tiles[tag].is_flower
            if (tag in self.possible[seat] or laid) and home.startswith("wall") and (run >= 2 or self.over):
                self._believe(presence, seat, tag, t)
        elif home.startswith("wall"):
            if tag in self.possible[seat] or run >= (UNEXPECTED_READS + 1 if known else 2):
                self._believe(presence, seat, tag, t)
        elif run >= UNEXPECTED_READS and presence.zone(home).missing.get(tag, 0) >= UNEXPECTED_READS - 1:
            self._believe(presence, seat, tag, t)

    def _stayed(self, presence: Presence, t: float) -> None:
        """A tile that still answers in the wall, and not in the hand, did not come there."""
        for name in WALL:
            zone = presence.zones.get(name)
            for tag, run in list(zone.strange.items()) if zone is not None else ():
                hand = presence.lies(tag)
                if run >= UNEXPECTED_READS and tag in self.homes and tag in _silent(presence, int(hand[-1])):
                    presence.place(tag, self.homes.pop(tag), t)
                    del self.arrivals[tag]

    def _believe(self, presence: Presence, seat: int, tag: str, t: float) -> None:
        self.homes[tag] = presence.lies(tag)
        presence.place(tag, HAND[seat], t)
        self.last_arrival = t
        self.arrivals[tag] = t

    def _filled(
        self,
        presence: Presence,
        hands: tuple[frozenset[str], ...],
        shares: Sequence[Mapping[str, float]],
        lacking: Sequence[int],
    ) -> tuple[frozenset[str], ...] | None:
        """The hands with the tiles due that no antenna finds; None where the wall does not tell them."""
        placed = set().union(*hands)
        filled = []
        for seat in range(4):
            due = sorted(((share, tag) for tag, share in shares[seat].items() if tag not in placed), reverse=True)
            silent = [tag for share, tag in due[: max(0, lacking[seat])] if share > DUE_SHARE]
            if len(silent) < lacking[seat]:
                return None
            filled.append(hands[seat].union(silent))
        for seat in range(4):
            for tag in filled[seat] - hands[seat]:
                presence.place(tag, HAND[seat], self.last_arrival)
        return tuple(filled)

    def _wrong(
        self, hands: tuple[frozenset[str], ...], shares: Sequence[Mapping[str, float]], period: float
    ) -> Mapping[int, int]:
        """The seats that took others' tiles, and how many; the first of them first: as the antennas saw it, and where
        that was at about the same time, as the deal has it."""
        if self.blind:
            return {}
        taken: dict[int, float] = {}
        count: dict[int, int] = {}
        for seat in range(4):
            others = [tag for tag in hands[seat] if shares[seat].get(tag, 0.0) < FOREIGN_SHARE]
            if others:
                taken[seat] = min(self.arrivals.get(tag, self.last_arrival) for tag in others)
                count[seat] = len(others)
        missed: dict[int, int] = {}
        for n, (seat, tags) in enumerate(self.blocks):
            if tags.isdisjoint(hands[seat]):
                missed.setdefault(seat, n)
        first = min(taken.values(), default=0.0) + AT_ONCE_PERIODS * period
        order = sorted(taken, key=lambda seat: (taken[seat] > first, missed.get(seat, len(self.blocks))))
        return {seat: count[seat] for seat in order}

    def drawn(self, hands: tuple[frozenset[str], ...]) -> str | None:
        """The dealer's last tile: where the wall says it, else of those that it puts nowhere the one that came last."""
        *before, last = self.deck.dealt(self.dealer)
        tag = self.wall.likely(last)
        if tag in hands[self.dealer]:
            return tag
        known = {self.wall.likely(position) for position in before}
        rest = hands[self.dealer] - known or hands[self.dealer]
        return max(rest, key=lambda tag: (self.arrivals.get(tag, 0.0), tag), default=None)


def _silent(presence: Presence, seat: int) -> Set[str]:
    """Tags that are believed in a hand, and answer neither there nor among the flowers before it."""
    missing = presence.zone(HAND[seat]).missing
    return {tag for tag, run in missing.items() if run >= UNEXPECTED_READS and not presence.answered(tag, MELD[seat])}


class Deals:
    """Tells the deal of one hand."""

    def __init__(self, beliefs: Beliefs) -> None:
        self._beliefs = beliefs
        self._watch: DealWatch | None = None
        #: dice that rested before the deal was seen to be complete
        self._rested: act.RestDice | None = None

    def dice(self, rested: act.RestDice) -> list[act.Action]:
        """Dice that are thrown after the deal (tianjin T103) say that it is over, before the antennas see the last
        tiles; they are told after it."""
        hand = self._beliefs.table.hand
        if self._watch is None or hand is None or hand.phase is not Phase.DEALING:
            return [rested]
        self._watch.over = True
        self._rested = rested
        return self.watch(hand)

    def watch(self, hand: Hand) -> list[act.Action]:
        """The deal, once it is complete."""
        now, watch = self._beliefs, self._watched(hand)
        if watch is None:
            return []
        now.restless = True
        dealt = watch.watch(now.presence, now.tiles, now.t, now.period)
        return self._tell(hand, watch, dealt) if dealt else []

    def look(self, hand: Hand) -> None:
        """Believe what arrived, and tell nothing yet: what was dealt before anybody looked is still being read."""
        now, watch = self._beliefs, self._watched(hand)
        if watch is not None:
            watch.look(now.presence, now.tiles, now.t)

    def _watched(self, hand: Hand) -> DealWatch | None:
        """The deal that the dice began; None before them."""
        now, deck = self._beliefs, hand.deck
        if deck is not None and (self._watch is None or self._watch.deck is not deck):
            now.break_wall(deck)
            self._watch = DealWatch(deck, hand.dealer, now.wall)
            self._watch.start(now.t)
        return self._watch if deck is not None else None

    def _tell(self, hand: Hand, watch: DealWatch, dealt: Dealt) -> list[act.Action]:
        now = self._beliefs
        now.wall.dealt(dealt.hands)
        drawn = watch.drawn(dealt.hands)
        hands = []
        for seat, tags in enumerate(dealt.hands):
            named = sorted(now.tiles[tag] for tag in tags if seat != hand.dealer or tag != drawn)
            lack = len(watch.deck.dealt(seat)) - (seat == hand.dealer) - len(named)
            hands.append((*named, *[None] * lack))
        actions: list[act.Action] = [
            act.Deal(t=dealt.t, hands=tuple(hands), drawn=now.tiles[drawn] if drawn is not None else None)
        ]
        if max(dealt.wrong.values(), default=0) >= BLOCK_TILES:
            wrong = list(dealt.wrong)
            detail = f"other tiles dealt than due: seats {wrong}"
            actions += now.watch.say(dealt.t, "wrong_break", wrong[0], detail)
        elif dealt.wrong:
            actions += now.watch.say(dealt.t, "wall_mismatch", None, "the deal is not what the lanes read")
        now.event_t = dealt.t
        rested, self._rested = self._rested, None
        return [*actions, rested] if rested is not None else actions
