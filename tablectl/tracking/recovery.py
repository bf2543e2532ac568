"""Taking over in the middle of a hand, after the program was started again.

For a few reads it is only looked; then every tag is believed to lie where it lay when the program ended (`layout`), and
what was moved meanwhile is explained from the same readings: by a play that leads to all of it (`unwatched`), or step
by step like every move. What stays unexplained is asked of a person.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from tablectl.base.reports import ZoneRead
from tablectl.game import actions as act
from tablectl.game import events as ev
from tablectl.game.counting import view
from tablectl.game.limits import by_time
from tablectl.game.state import Hand, Phase
from tablectl.tiles.tile import Tile
from tablectl.tracking.beliefs import PLAYED, Beliefs, thrown_again
from tablectl.tracking.deal import Deals
from tablectl.tracking.keys import CALL_OF
from tablectl.tracking.layout import find
from tablectl.tracking.outlook import EVENT_OF, Outlook, Step, retraction
from tablectl.tracking.places import HAND, MELD
from tablectl.tracking.presence import Presence
from tablectl.tracking.scene import Scene
from tablectl.tracking.steps import OPEN_TILES, shown_of
from tablectl.tracking.unwatched import either_way, played

#: read periods for which is looked before anything is believed
LOOK_PERIODS: Final = 5.0
#: read periods after which a tile that still does not fit the record becomes a question to a person, and the reads in
#: a row that say so
QUESTION_PERIODS: Final = 48.0
QUESTION_READS: Final = 36
#: the call that a claim answers
_CALLS: Final = {EVENT_OF[kind]: call for kind, call in CALL_OF.items()}
#: what a person is asked for where moves that nobody saw could be made out only step by step
GUESSED: Final = "no play explains all that was moved; look at what was told since the start and correct it"
#: ... and where discards of one seat may have been made in another order than is told
UNORDERED: Final = "nobody saw in which order these were discarded; correct it where it matters"


@dataclass(slots=True)
class Look:
    """What the antennas read since the program was started again."""

    period: float
    reads: list[ZoneRead] = field(default_factory=list)

    def take(self, read: ZoneRead) -> bool:
        """Take one in; whether that is enough."""
        self.reads.append(read)
        return read.t - self.reads[0].t >= LOOK_PERIODS * self.period

    @property
    def begun(self) -> float:
        """The beliefs are those of just before the first read."""
        return self.reads[0].t - self.period

    @property
    def seen_at(self) -> float:
        """When every zone had been read once."""
        first: dict[str, float] = {}
        for read in self.reads:
            first.setdefault(read.zone, read.t)
        return max(first.values())

    def at_once(self) -> Iterator[tuple[str, float, frozenset[str]]]:
        """The reads, those of the first round all at one time: which antenna came first says nothing about the order of
        moves that nobody saw."""
        seen_at = self.seen_at
        for read in self.reads:
            yield read.zone, max(read.t, seen_at), read.tags

    def moved_since(self, answers: Mapping[str, list[str]]) -> set[str]:
        """The tags of ``answers`` that were not in the first round where they are now: their moves were watched."""
        seen_at = self.seen_at
        first = {(tag, read.zone) for read in self.reads if read.t <= seen_at for tag in read.tags}
        return {tag for tag, zones in answers.items() if (tag, zones[0]) not in first}

    def answers(self) -> dict[str, list[str]]:
        """The zones in which each tag answered, that first where it did most often."""
        counts: dict[str, Counter[str]] = {}
        for read in self.reads:
            for tag in read.tags:
                counts.setdefault(tag, Counter())[read.zone] += 1
        return {tag: sorted(zones, key=lambda zone: (-zones[zone], zone)) for tag, zones in counts.items()}


class Recovery:
    """A start in the middle of one hand: nothing of this class is at work in a hand that was seen from its walls on."""

    def __init__(self, beliefs: Beliefs, deals: Deals) -> None:
        self._beliefs = beliefs
        self._deals = deals
        #: what is read before anything is believed
        self._look: Look | None = None
        #: when to ask about what is left over
        self._question_at: float | None = None
        #: tags that were moved while nobody looked, and where they were found, until that is explained
        self._moved: dict[str, str] = {}
        #: those of them that moved while it was looked already
        self._watched: set[str] = set()
        #: in which phase it was tried to explain that
        self._sought: Phase | None = None
        #: what was moved while nobody looked is not told yet
        self._telling = False
        #: what was played then, still to be told; the next one last
        self._unwatched: list[Step] = []
        #: what a person is to look at in it, once it is told: discards whose order cannot be known
        self._unordered = ""
        #: no play was found that explains all of it: the steps told since are guesses
        self._guessed = False
        #: how many events there were before the start
        self._begun = 0

    @property
    def looking(self) -> bool:
        """Whether it is not known yet which tag lies where."""
        return self._look is not None

    def begin(self, hand: Hand) -> None:
        """The table stands where the record ends. What the machine reported of this hand was fed before."""
        now = self._beliefs
        self._begun = len(now.table.events)
        now.won = {win.actor for win in hand.declared}
        for event in reversed(now.table.events):
            now.revealed = isinstance(event, ev.WallRevealed)
            if now.revealed or isinstance(event, ev.HandOpened):
                break
        self._remember_claims()
        if not now.wall.known and hand.phase is not Phase.ENDED:
            for tag in now.tiles:
                now.presence.place(tag, "wall", now.t)
        self._break_again(hand)
        if hand.phase in PLAYED or hand.phase is Phase.DEALING or thrown_again(hand):
            self._look = Look(now.period)

    def read(self, hand: Hand, report: ZoneRead) -> list[act.Action] | None:
        """Take in a read; once there are enough of them, lay out the tags: what that says of the deal (None before)."""
        look = self._look
        if look is None or not look.take(report):
            return None
        self._look = None
        return self._take_over(hand, look)

    def next_step(self, hand: Hand, outlook: Outlook, scene: Scene) -> Step | None:
        """The next of the steps that were made while nobody looked; None where none is known (any more)."""
        if self._moved and hand.phase not in (self._sought, Phase.DECLARED):
            self._explain(outlook, scene)
        self._telling = self._telling and bool(self._unwatched)
        return self._unwatched.pop() if self._unwatched else None

    def unknown(self, hand: Hand) -> list[act.Action]:
        """What nobody can know of the steps that were told: whether a wildcard was shown (it counts as shown, zhenjiang
        Z214), and in which order a seat discarded (a person is asked)."""
        now = self._beliefs
        if self._telling and now.table.rules.must_show(view(hand), hand.turn):
            return [act.ShowTile(t=now.event_t, seat=hand.turn, tile=hand.discards[-1].tile, what="discard")]
        if self._unwatched or not self._unordered:
            return []
        detail, self._unordered = self._unordered, ""
        return [*now.watch.say(now.event_t, "moved_while_off", None, detail, detail)]

    def question(self, hand: Hand) -> list[act.Action]:
        """Tiles that were moved while nobody looked, and that no play explains: a person has to say what happened."""
        now = self._beliefs
        if self._question_at is None or now.t < self._question_at:
            return []
        self._question_at = None
        detail = unexplained(now.presence, now.tiles) if hand.phase is not Phase.DECLARED else ""
        if self._guessed and (detail or self._doubtful()):
            detail = f"{GUESSED}: {detail}" if detail else GUESSED
        self._guessed = False
        return [*now.watch.say(now.t, "moved_while_off", None, detail)] if detail else []

    def _doubtful(self) -> bool:
        """Whether something told since the start fits no play: an offence, a correction. A tile that was on its way
        when the table stood still is told when it lies, and is no guess then."""
        told = self._beliefs.table.events[self._begun :]
        return any(isinstance(event, ev.Corrected | ev.Alerted) and not by_time(event) for event in told)

    def _take_over(self, hand: Hand, look: Look) -> list[act.Action]:
        """The antennas were heard: lay out the tags, and go on from there."""
        now, events, answers = self._beliefs, self._beliefs.table.events, look.answers()
        self._break_again(hand)
        first_seq = now.table.last_seq - len(events) + 1
        found = find(now.table.rules, hand, events, first_seq, answers, now.tiles, now.wall)
        now.presence.clear()
        for tag, place in found.places.items():
            now.presence.place(tag, place, look.begun)
        now.last, now.drawn, now.pungs, now.told = found.last, found.drawn, found.pungs, found.told
        if hand.deck is not None and hand.phase is not Phase.DEALING:
            on_table = {tag for tag, place in found.places.items() if not place.startswith("wall")}
            now.wall.identify(on_table)
        told: list[act.Action] = []
        now.t = now.event_t = look.seen_at
        for zone, t, tags in look.at_once():
            now.presence.read(zone, t, tags)
            if hand.phase is Phase.DEALING:
                self._deals.look(hand)
        if hand.phase is Phase.DEALING:  # not sooner: of what was dealt and laid open, something may be missed at first
            told = self._deals.watch(hand)
        now.unwatched = {tag for zone in now.presence.zones.values() for tag in zone.strange}
        self._moved = {
            tag: zones[0]
            for tag, zones in answers.items()
            if tag in found.places and found.places[tag] not in zones and not zones[0].startswith("wall")
        }
        self._watched = look.moved_since(answers)
        self._telling = True
        now.t = look.reads[-1].t
        self._question_at = now.t + QUESTION_PERIODS * now.period
        now.restless = True
        return told

    def _explain(self, outlook: Outlook, scene: Scene) -> None:
        """Tiles lie elsewhere than the record has them: which play leads to that?"""
        now = self._beliefs
        left = {tag: to for tag, to in self._moved.items() if now.presence.lies(tag) != to}
        last = now.told[-1] if now.told else None
        if last is not None and last.homes and all(left.get(tag) == home for tag, home in last.homes):
            self._unwatched = [retraction(last, outlook, 0.0)[0]]  # told too soon: what was played is sought from there
            return
        steps, complete = played(outlook, scene, left, late=self._watched)
        open_hands = frozenset() if complete else _open_hands(outlook, scene)
        if open_hands:
            steps, complete = played(outlook, scene, left, open_hands, self._watched)
        if not complete:  # something may be on its way still, and is weighed like every move
            left = {tag: to for tag, to in left.items() if tag not in self._watched}
            steps, complete = played(outlook, scene, left, open_hands) if left else ((), True)
        self._unwatched, self._sought = list(reversed(steps)), outlook.phase
        seats = [
            f"seat {seat} {' '.join(tile.code for tile in tiles)}"
            for seat, tiles in either_way(steps, self._watched).items()
        ]
        self._unordered = f"{UNORDERED}: {', '.join(seats)}" if seats else ""
        if complete or outlook.phase is not Phase.FLOWERS:
            self._moved, self._guessed = {}, not complete

    def _remember_claims(self) -> None:
        """A call that was pressed only when its meld lay, or once more, is remembered, and was no call."""
        now = self._beliefs
        for _, event in reversed(now.standing()):
            if isinstance(event, ev.HandOpened):
                break
            if isinstance(event, ev.ChowMade | ev.PungMade | ev.ExposedKongMade) and event.t is not None:
                now.keys.made.setdefault(event.actor, (_CALLS[type(event)], event.t))

    def _break_again(self, hand: Hand) -> None:
        """The dice of the record broke the wall, and so many tiles left it."""
        now = self._beliefs
        if hand.deck is not None:
            now.break_wall(hand.deck)
            turned = 0
            for event in reversed(now.table.events):
                turned += isinstance(event, ev.IndicatorTurned)
                if isinstance(event, ev.HandOpened):
                    break
            now.wall.count_off(hand.live_taken, hand.tail_taken, turned=turned)


def _open_hands(look: Outlook, scene: Scene) -> frozenset[str]:
    """The zones of melds in which more standing tiles of the seat answer than it may have laid meanwhile."""
    standing = [scene.tags_of(look, hand) for hand in HAND]
    return frozenset(MELD[seat] for seat in range(4) if len(shown_of(scene, seat, standing[seat])) >= OPEN_TILES)


def unexplained(presence: Presence, tiles: Mapping[str, Tile]) -> str:
    """What does not lie where the record has it, in words; "" = nothing."""
    found = []
    for name, zone in sorted(presence.zones.items()):
        for tag, run in sorted(zone.strange.items()):
            if run >= QUESTION_READS and tag in tiles and not presence.lies(tag).startswith(name):
                found.append(f"{tiles[tag].code} in {name}")
    return ", ".join(found)
