"""What is believed of the hand that is played. The parts of the tracker share it; each says what it does with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Protocol

from tablectl.game import events as ev
from tablectl.game.judge import candidate
from tablectl.game.judge import judge as rule_on
from tablectl.game.record import effective
from tablectl.game.state import Game, Hand, Phase
from tablectl.rules.api import Discard, RuleSet
from tablectl.tiles.tile import Tile
from tablectl.tiles.wall import Deck, Place
from tablectl.tracking.alerts import Watch
from tablectl.tracking.keys import Keys
from tablectl.tracking.outlook import Outlook, Told, outlook
from tablectl.tracking.presence import Presence
from tablectl.tracking.wall import WallOrder

#: phases in which tiles are moved by the players, after the deal
PLAYED: Final = frozenset(
    {
        Phase.INDICATOR,
        Phase.FLOWERS,
        Phase.TURN,
        Phase.REPLACING,
        Phase.CLAIMED,
        Phase.DISCARDED,
        Phase.ROBBING,
        Phase.LAST_ROUND,
        Phase.DECLARED,
    }
)


class TableView(Protocol):
    """What the tracker reads of a table."""

    @property
    def rules(self) -> RuleSet: ...
    @property
    def hand(self) -> Hand | None: ...
    @property
    def game(self) -> Game: ...
    @property
    def events(self) -> list[ev.Event]: ...
    @property
    def last_seq(self) -> int: ...


@dataclass(slots=True)
class Beliefs:
    """One hand, from the walls on. ``tiles``: every registered tag and its tile; ``period``: seconds between two reads
    of a zone; ``lane_places``: for each lane at which place each of its passages came to lie."""

    table: TableView
    tiles: Mapping[str, Tile]
    period: float
    presence: Presence
    wall: WallOrder
    lane_places: Sequence[Sequence[Place]]
    watch: Watch
    keys: Keys = field(default_factory=Keys)
    #: the time now, and that of the last event (seconds)
    t: float = 0.0
    event_t: float = 0.0
    #: something is held back: it is to be weighed again soon, whatever is read
    restless: bool = False
    #: the wall of the hand that is over was told
    revealed: bool = False
    #: tag of the last discard; of the live draw of the seat in turn
    last: str | None = None
    drawn: str | None = None
    #: per seat: tags of pungs that may be extended
    pungs: list[list[tuple[str, ...]]] = field(default_factory=lambda: [[] for _ in range(4)])
    #: seats whose win was told since the last discard
    won: set[int] = field(default_factory=set)
    #: the last steps told, latest last; when a step was taken back, by its sense
    told: list[Told] = field(default_factory=list)
    retracted: dict[tuple[object, ...], float] = field(default_factory=dict)
    #: tags drawn out of turn, by which seat
    early: dict[str, int] = field(default_factory=dict)
    #: tags told as drawn that were not read in the hand yet, by seat
    unseen: dict[str, int] = field(default_factory=dict)
    #: tags moved while nobody looked: in which order cannot be known
    unwatched: set[str] = field(default_factory=set)
    #: what rules said of hands after the event of that number: see `wins`
    _judged: dict[tuple[int, Tile | None, int | None], bool | None] = field(default_factory=dict)
    _judged_at: int = -1

    def outlook(self, hand: Hand) -> Outlook:
        """The real point of play."""
        fresh = self._replacements(hand.turn) if hand.phase is Phase.FLOWERS else ()
        return outlook(hand, self.last, self.drawn, fresh)

    def _replacements(self, seat: int) -> tuple[Tile, ...]:
        """What ``seat``, which laid flowers last, has drawn since the first of them."""
        drawn: list[Tile] = []
        since_first = 0
        for event in reversed(self.table.events):
            if isinstance(event, ev.HandDealt) or (isinstance(event, ev.FlowerLaid) and event.actor != seat):
                break
            if isinstance(event, ev.FlowerLaid):
                since_first = len(drawn)
            elif isinstance(event, ev.TileDrawn) and event.actor == seat and event.pai is not None:
                drawn.append(event.pai)
        return tuple(drawn[:since_first])

    def open_tags(self) -> set[str]:
        """Tags outside hands and wall that may move: the last discard, and those of the steps told last."""
        tags = {tag for told in self.told for tag, _ in told.step.moves}
        if self.last is not None:
            tags.add(self.last)
        return tags

    def standing(self) -> list[tuple[int, ev.Event]]:
        """The events that stand, with their numbers."""
        events = self.table.events
        return effective(events, self.table.last_seq - len(events) + 1)

    def break_wall(self, deck: Deck) -> None:
        """The dice gave the deck: which tag is due at which draw."""
        self.wall.break_at(deck, self.lane_places)

    def wins(self, seat: int, tile: Tile | None = None, discarder: int | None = None) -> bool | None:
        """Whether the hand of ``seat`` wins now, as rules see it; or with ``tile``, drawn from the wall or discarded by
        ``discarder``, which holds it or has just drawn it. None where that cannot be said."""
        if self._judged_at != self.table.last_seq:
            self._judged.clear()
            self._judged_at = self.table.last_seq
        asked = seat, tile, discarder
        if asked not in self._judged:
            self._judged[asked] = self._wins(*asked)
        return self._judged[asked]

    def _wins(self, seat: int, tile: Tile | None, discarder: int | None) -> bool | None:
        hand, rules = self.table.hand, self.table.rules
        if hand is None:
            return None
        if tile is not None:
            holder = seat if discarder is None else discarder
            if discarder is None or hand.turn != holder or hand.phase is Phase.DISCARDED:
                hand = _after_draw(hand, holder, tile)
            if discarder is not None:
                hand = _after_discard(hand, tile)
        win = candidate(hand, rules, seat)
        if win is None:
            return None
        return rule_on(self.table.game, hand, rules, (win,)).verdicts[0].legal


def _after_draw(hand: Hand, seat: int, tile: Tile) -> Hand:
    """The hand as it would be if ``seat`` had drawn ``tile`` from the live end."""
    holder = hand.seats[seat]
    seats = list(hand.seats)
    seats[seat] = replace(holder, standing=[*holder.standing, tile], drawn=tile)
    drawn = replace(hand, phase=Phase.TURN, turn=seat, seats=seats, after="draw", chain=())
    drawn.live_taken += 1
    drawn.wall_left -= 1
    return drawn


def _after_discard(hand: Hand, tile: Tile) -> Hand:
    """The hand as it would be if the seat in turn discarded ``tile``."""
    holder = hand.seats[hand.turn]
    seats, standing = list(hand.seats), list(holder.standing)
    if tile in standing:
        standing.remove(tile)
    seats[hand.turn] = replace(holder, standing=standing, drawn=None)
    discards = [*hand.discards, Discard(hand.turn, tile)]
    return replace(hand, phase=Phase.DISCARDED, seats=seats, discards=discards)


def thrown_again(hand: Hand) -> bool:
    """Whether dice are awaited after the deal (tianjin: for the indicator)."""
    return hand.phase is Phase.DICE and hand.live_taken > 0
