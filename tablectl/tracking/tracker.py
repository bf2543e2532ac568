"""From reports to actions: what was played, as far as the antennas, keys and dice can tell.

The tracker reads the state of the hand and never writes it. It gives one step of play at a time: after `Tracker.feed`
and every `Tracker.advance` the actions must be applied to the table before the next call (`Pipeline` does it).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from math import exp, inf, log
from typing import Protocol

from tablectl.base.reports import DiceRested, KeyPressed, LanePassed, MachineReported, RefereeActed, Report, ZoneRead
from tablectl.game import actions as act
from tablectl.game import events as ev
from tablectl.game.judge import candidate
from tablectl.game.judge import judge as rule_on
from tablectl.game.record import effective
from tablectl.game.state import Game, Hand, Phase
from tablectl.rules.api import RuleSet
from tablectl.tiles.meld import MeldKind
from tablectl.tiles.notation import NotationError, parse_tile
from tablectl.tiles.tile import Tile
from tablectl.tiles.wall import Deck, Place, lane_places
from tablectl.tracking.alerts import UNEXPLAINED_READS, Watch
from tablectl.tracking.deal import Dealt, DealWatch
from tablectl.tracking.hypotheses import CLAIMS, Judgement, Verdict, judge, to_explain
from tablectl.tracking.keys import Keys
from tablectl.tracking.lanes import Company, Side
from tablectl.tracking.mending import misnamed
from tablectl.tracking.noise import Noise
from tablectl.tracking.outages import Outages
from tablectl.tracking.outlook import EVENT_OF, Outlook, Step, Told, outlook
from tablectl.tracking.places import APART, AWAY, HAND, MELD, RIVER, WALL
from tablectl.tracking.presence import LONG_MEMORY, MEMORY, SURE_READS, Presence
from tablectl.tracking.recovery import QUESTION_PERIODS, Look, find, unexplained
from tablectl.tracking.scene import Scene
from tablectl.tracking.unwatched import played
from tablectl.tracking.wall import End, WallOrder

#: log-odds from which a step is told at once (about one error in 2,000), and from which a late one is
SURE = 7.5
LATE_SURE = 1.5
#: ... and from which a step is taken back that has been told
BACK_SURE = 4.0
#: ... and when a person has judged the hand and nothing more is to come
HASTY_SURE = 0.5
#: rulings on a hand that is over; others are made while it is played
JUDGING = frozenset({"confirm", "refuse", "false_win", "announce", "amend", "draw_hand", "replay_hand", "end_game"})
#: read periods after which less will do, and after which `LATE_SURE` is enough
PATIENT_PERIODS = 3.5
LATE_PERIODS = 6.0
#: seconds after which the best explanation is told in any case, where the rules set no claim window
CLAIM_SECONDS = 3.0
#: seconds that the dealer needs to turn up the indicator
INDICATOR_SECONDS = 1.0
#: log-weight of unexplained tiles from which calls stay held back: the moves before them are not told yet
UNEXPLAINED = 1.0
#: draws ahead of what was told that may be seen at each end of the wall
NEXT_DRAWS = 3
#: log-weight against nothing from which a play that is not told yet may explain what lies there
DOUBT = 3.0
#: a tile taken before the discard
EARLY_DRAW = -4.0
#: ... that is not the next one: rather the tile before it has a damaged tag
EARLY_NOT_DUE = -11.0
#: log-odds and reads from which an offence is told
OFFENCE_SURE = 5.0
OFFENCE_READS = 3
#: ... while the discard may lie there unseen
HIDDEN_READS = 9
#: ... of a tile that went back to the wall, where nothing was sure while it lay there
PUT_BACK_READS = 6

#: tiles of another's that a seat takes with a block of the deal; fewer are an error of the lanes
BLOCK_TILES = 3

#: reads in a row after which two tags of one kind are believed to lie in each other's places
TWIN_READS = 3
#: read periods for which a step that was taken back once is not taken back again
RETRACT_PERIODS = 12.0
#: read periods after an outage of a reader for which everything read meanwhile is looked back at
CATCH_UP_PERIODS = 12.0
#: reads at another seat after which a draw that nobody saw is taken back
PHANTOM_READS = 3
#: read periods after which everything is weighed again, however little has changed
WEIGHED_PERIODS = 3.0
#: what a person is asked for where moves that nobody saw could be made out only step by step
GUESSED = "no play explains all that was moved; look at what was told since the start and correct it"
#: steps that can be taken back again
MOST_TOLD = 5
#: decisions that are kept, to be explained
DECISIONS = 12

#: alerts that a discard, flower or meld brings about in the game; they go with it
BROUGHT_ABOUT = frozenset(
    {
        *("flower_discarded", "flower_kept", "wild_discarded", "mechanical_discard", "penalty_tile_kept"),
        *("first_wildcard_kept", "wildcard_not_shown", "second_wildcard_hidden", "wrong_tile_count"),
        *("false_meld", "kong_refused", "late_claim", "wrong_call"),
    }
)

PLAYED = frozenset(
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


class Tracker:
    """Follows one table, hand after hand.

    ``tags``: every registered tag and its tile (of both sets). ``first_left``, ``lower_first``: how the lanes build, as
    in the header of a trace. ``period_s``: about how often a zone is read.
    """

    def __init__(
        self,
        table: TableView,
        tags: Mapping[str, Tile],
        *,
        first_left: bool = True,
        lower_first: bool = True,
        period_s: float = 0.25,
    ) -> None:
        self.table = table
        self.tiles = tags
        self.first_left = first_left
        self.lower_first = lower_first
        self.period = period_s
        self.presence = Presence(Noise(), period_s)
        self._sides = [Side() for _ in range(4)]
        self._company = Company()
        self._watch = Watch(tags)
        #: readers that are silent; since when it is known again what happens everywhere
        self._outages = Outages(period_s)
        self._held = False
        self._seen_since = -inf
        #: the last steps told, with when and what spoke for and against them
        self.decided: deque[tuple[float, Judgement]] = deque(maxlen=DECISIONS)
        #: after a start in the middle of a hand: what is read before anything is believed, when to ask about the rest
        self._looking: Look | None = None
        self._question_at: float | None = None
        self._forget_hand()

    def _forget_hand(self) -> None:
        self.wall = WallOrder([Side() for _ in range(4)], self.table.rules.stacks, frozenset())
        self._deal: DealWatch | None = None
        self._rested: act.RestDice | None = None  # dice that rested before the deal was seen to be complete
        self._last: str | None = None  # tag of the last discard
        self._drawn: str | None = None  # tag of the live draw of the seat in turn
        self._pungs: list[list[tuple[str, ...]]] = [[] for _ in range(4)]
        self._early: dict[str, int] = {}  # tags drawn out of turn, by which seat
        #: tags of the wall that answered in the hand of a seat whose turn it is not, and in which reads of it
        self._taken: dict[tuple[str, int], set[int]] = {}
        self._overtaken: float | None = None  # when a tile was drawn that went back to the wall just now
        self._unseen: dict[str, int] = {}  # tags told as drawn that were not read in the hand yet, by seat
        self._unwatched: set[str] = set()  # tags moved while nobody looked: in which order cannot be known
        self._moved: dict[str, str] = {}  # ... and where they were found, until that is explained
        self._sought: Phase | None = None  # in which phase it was tried to explain that
        self._dark: list[Step] = []  # what was played then, still to be told; the next one last
        self._guessed = False  # no play explains all of it: the steps told since are guesses
        self._keys = Keys()
        self._restless = False
        self._t = 0.0
        self._thought = 0.0
        self._event_t = 0.0
        self._revealed = False
        self._favourite: tuple[tuple[object, ...], float] | None = None  # the step held back, and since when
        self._told: list[Told] = []  # the last steps told, latest last
        self._retracted: dict[tuple[object, ...], float] = {}  # when a step was taken back, by its sense
        self._won: set[int] = set()  # seats whose win was told since the last discard
        self._waiting: list[act.Action] = []  # what a person did, told after the moves before it
        self._legal: dict[tuple[int, int], bool | None] = {}
        self._verdict: Verdict | None = None  # the last one

    # --- in

    def feed(self, report: Report) -> list[act.Action]:
        """Take a report. Actions to apply now; call `advance` after them until nothing more comes."""
        if isinstance(report, ZoneRead):
            hand = self.table.hand
            self._outages.read(report.zone, report.t)
            if hand is not None and _thrown_again(hand) and self._looking is None:
                self._t = report.t
                self.presence.read(report.zone, report.t, report.tags)  # nobody moves, but hands settle into view
                return []
            if hand is None or (hand.phase not in PLAYED and hand.phase is not Phase.DEALING):
                return self._after_hand(hand, report.t)
            if self._looking is not None:
                return self._take_over(hand, self._looking) if self._looking.take(report) else []
            self._t = t = report.t
            if self._holds(t):
                self.presence.read(report.zone, t, report.tags)
                return []
            waited = self._restless and t >= self._thought + self.period / 2
            if not self.presence.read(report.zone, t, report.tags):
                return self._think(hand) if waited else []
            actions: list[act.Action] = [*self._look(report.zone)]
            stirs = waited or hand.phase is Phase.DEALING or self.presence.stirs(report.zone, self._open_tags())
            told = self._think(hand) if stirs else []
            strange = self.presence.zones[report.zone].strange and hand.phase in PLAYED
            if strange and not told and self._blames:  # what is told now may explain what lies there
                doubted = self._doubted()
                actions += self._watch.misplaced(t, report.zone, self.presence, hand, self._wins_now, doubted)
            return [*actions, *told]
        if isinstance(report, LanePassed):
            if 0 <= report.lane < 4:
                self._sides[report.lane].passed(report.tag, report.t)
            return []
        self._t = max(self._t, report.t)
        if isinstance(report, MachineReported):
            return self._machine(report)
        if isinstance(report, DiceRested):
            return self._dice(act.RestDice(t=report.t, dice=report.dice))
        if isinstance(report, KeyPressed):
            self._restless = True
            return self._keys.pressed(report)
        return self._rule(report)

    def advance(self, t: float) -> list[act.Action]:
        """What is decided by now without a new report: the next step, or one that was held back long enough."""
        hand = self.table.hand
        self._t = max(self._t, t)
        if hand is None or (hand.phase not in PLAYED and hand.phase is not Phase.DEALING):
            return self._after_hand(hand, t)
        if self._looking is not None:  # what a person says needs no antenna
            told, self._waiting = self._waiting, []
            return told
        if self._holds(self._t):  # a ruling waits too: it is about what was not seen yet
            return []
        return self._think(hand)

    @property
    def unseen(self) -> bool:
        """Whether it is not known just now what happens in some zone: its reader is silent."""
        return self._held or bool(self._outages.given_up)

    def _holds(self, t: float) -> bool:
        """Whether nothing is told because a reader is silent."""
        holds = self._outages.holds(t)
        if holds and not self._held:
            self.presence.memory, self.presence.learns = LONG_MEMORY, False
        elif self._held and not holds:
            self._see_again(t)
        self._held = holds
        self._restless = self._restless or holds
        return holds

    @property
    def _blames(self) -> bool:
        """Whether what lies where it does not belong is anybody's offence, and not a move that no antenna saw."""
        return self._caught_up and not self._outages.given_up

    @property
    def _caught_up(self) -> bool:
        """Whether what moved while a reader was silent has been explained, if it can be."""
        return self._t - self._seen_since > CATCH_UP_PERIODS * self.period

    def _see_again(self, t: float) -> None:
        """All readers are back. In which order tiles moved meanwhile is not always known: that is no offence."""
        self._seen_since = t
        self.presence.learns = True
        self._unwatched |= {tag for zone in self.presence.unfit.values() for tag in zone.strange}
        self._watch.strays.clear()
        self._favourite = None
        self._verdict = None

    def next_deadline(self) -> float | None:
        """When `advance` should be called although nothing was reported; None while nothing is held back."""
        return self._t + self.period if self._restless else None

    def built(self) -> tuple[tuple[Tile | None, ...], ...]:
        """The walls just raised as the lanes told them: of each side the tile on every place, stack 1 first, the upper
        one before the lower; None where a lane missed it or the tag is unknown. Asked before the dice are thrown."""
        sides = []
        for side, tags in enumerate(self.wall.told()):
            places = self._lane_places(side)
            lies = {(p.stack, p.upper): self.tiles.get(tag) for p, tag in zip(places, tags, strict=True) if tag}
            stacks = range(1, self.table.rules.stacks[side] + 1)
            sides.append(tuple(lies.get((stack, upper)) for stack in stacks for upper in (True, False)))
        return tuple(sides)

    def _lane_places(self, side: int) -> tuple[Place, ...]:
        stacks = self.table.rules.stacks
        return lane_places(stacks, side, first_left=self.first_left, lower_first=self.lower_first)

    # --- a start in the middle of a hand

    def resume(self) -> None:
        """The program was started again, and the table stands where the record ends. Reports that are still remembered
        were fed before. Nothing is told of the hand until the antennas have said which tag lies where."""
        self._looking, hand = None, self.table.hand
        if hand is None:
            return
        self._won = {win.actor for win in hand.declared}
        for event in reversed(self.table.events):
            self._revealed = isinstance(event, ev.WallRevealed)
            if self._revealed or isinstance(event, ev.HandOpened):
                break
        if not self.wall.known and hand.phase is not Phase.ENDED:
            for tag in self.tiles:
                self.presence.place(tag, "wall", self._t)
        self._break_again(hand)
        if hand.phase in PLAYED or hand.phase is Phase.DEALING or _thrown_again(hand):
            self._looking = Look(self.period)

    def _take_over(self, hand: Hand, look: Look) -> list[act.Action]:
        """The antennas were heard: lay out the tags, and go on from there."""
        self._looking = None
        events, rules = self.table.events, self.table.rules
        self._break_again(hand)
        found = find(rules, hand, events, self.table.last_seq - len(events) + 1, look, self.tiles, self.wall)
        self.presence.clear()
        for tag, place in found.places.items():
            self.presence.place(tag, place, look.begun)
        self._last, self._drawn, self._pungs, self._told = found.last, found.drawn, found.pungs, found.told
        if hand.deck is not None and hand.phase is not Phase.DEALING:
            on_table = {tag for tag, place in found.places.items() if not place.startswith("wall")}
            self.wall.identify(on_table)
        told: list[act.Action] = []
        self._t = self._event_t = look.seen_at
        for zone, t, tags in look.at_once():
            self.presence.read(zone, t, tags)
            if hand.phase is Phase.DEALING and not told:
                told = self._watch_deal(hand)
        self._unwatched = {tag for zone in self.presence.zones.values() for tag in zone.strange}
        self._moved = {
            tag: zone
            for tag, zone in look.mostly().items()
            if tag in found.places and found.places[tag] != zone and not zone.startswith("wall")
        }
        self._t = look.reads[-1].t
        self._question_at = self._t + QUESTION_PERIODS * self.period
        self._restless = True
        return told or self._think(hand)

    def _explain_moved(self, look: Outlook, scene: Scene) -> None:
        """Tiles lie elsewhere than the record has them: which play leads to that?"""
        left = {tag: to for tag, to in self._moved.items() if self.presence.lies(tag) != to}
        steps, complete = played(look, scene, left)
        self._dark, self._sought = list(reversed(steps)), look.phase
        if complete or look.phase is not Phase.FLOWERS:
            self._moved, self._guessed = {}, not complete

    def _break_again(self, hand: Hand) -> None:
        """The dice of the record broke the wall, and so many tiles left it."""
        if hand.deck is not None:
            self.wall.break_at(hand.deck, [self._lane_places(side) for side in range(4)])
            turned = 0
            for event in reversed(self.table.events):
                turned += isinstance(event, ev.IndicatorTurned)
                if isinstance(event, ev.HandOpened):
                    break
            self.wall.count_off(hand.live_taken, hand.tail_taken, turned=turned)

    def _question(self, hand: Hand) -> list[act.Action]:
        """Tiles that were moved while nobody looked, and that no play explains: a person has to say what happened."""
        if self._question_at is None or self._t < self._question_at:
            return []
        self._question_at = None
        detail = unexplained(self.presence, self.tiles) if hand.phase is not Phase.DECLARED else ""
        if self._guessed:
            self._guessed, detail = False, f"{GUESSED}: {detail}" if detail else GUESSED
        return [*self._watch.say(self._t, "moved_while_off", None, detail)] if detail else []

    # --- machine, referee

    def _machine(self, report: MachineReported) -> list[act.Action]:
        if report.machine == "collecting":
            return self._after_moves(act.ClearTable(t=report.t))
        if report.machine != "raised":
            return []
        self.presence.clear()
        self._watch = Watch(self.tiles)
        self._looking = None
        self._forget_hand()
        rules = self.table.rules
        seen = [tag for side in self._sides for tag in side.tags]
        lack = rules.tile_set.missing(self.tiles[tag] for tag in seen if tag in self.tiles)
        apart = self._company.others(seen)
        unseen = [tag for tag in self.tiles if tag not in seen and tag not in apart and self.tiles[tag] in lack]
        self.wall = WallOrder(self._sides, rules.stacks, frozenset([*seen, *unseen]))
        for side, passages in enumerate(self._sides):
            for tag in passages.tags:
                if tag in self.tiles:
                    self.presence.place(tag, WALL[side], report.t)
        for tag in unseen:
            self.presence.place(tag, "wall", report.t)
        self._sides = [Side() for _ in range(4)]
        return [act.RaiseWalls(t=report.t), *self._watch.composition(report.t, seen, rules.tile_set)]

    def _rule(self, report: RefereeActed) -> list[act.Action]:
        data = report.act
        event = data.get("event")
        rule = act.Rule(
            t=report.t,
            do=str(data.get("do", "")),
            by=str(data.get("by", "referee")),
            seat=data.get("seat"),
            points=data.get("points"),
            to=data.get("to"),
            reason=str(data.get("reason", "")),
            replaces=data.get("replaces"),
            event=ev.from_json(event) if isinstance(event, Mapping) else None,
            pai=_named(data.get("pai")),
        )
        return self._after_moves(rule)

    def _after_moves(self, action: act.Action) -> list[act.Action]:
        """Tell ``action`` once nothing more is held back: a person has judged the hand, or takes it in."""
        self._waiting.append(action)
        return self.advance(action.t)

    def _unsaid_win(self, hand: Hand) -> list[act.Action]:
        """A confirmation without a declared win: nobody pressed the key and the hand was shown where it stood. It is
        that of the only seat whose hand wins now."""
        if not any(isinstance(w, act.Rule) and w.do == "confirm" for w in self._waiting) or hand.declared:
            return []
        seats = [seat for seat in range(4) if self._judge_win(seat)]
        return [act.DeclareWin(t=self._t, seat=seats[0])] if len(seats) == 1 else []

    def _after_hand(self, hand: Hand | None, t: float) -> list[act.Action]:
        self._restless = False
        if self._waiting:
            told, self._waiting = self._waiting, []
            return told
        if hand is None or hand.phase is not Phase.ENDED or self._revealed:
            return []
        self._revealed = True
        wall = self.wall.tiles(self.tiles)
        return [act.RevealWall(t=t, wall=wall)] if wall else []

    # --- looking

    def _look(self, name: str) -> list[act.Action]:
        zone = self.presence.zones[name]
        found: list[act.Action] = []
        if zone.strange:
            self._swap_twins(name)
            found += self._watch.strangers(self._t, name, zone, self.presence)
            if self.table.hand is not None and self.table.hand.phase in PLAYED:
                found += self._watch.twice(self._t, name, zone, self.presence)
                self._watch.follow(self._t, name, self.presence)
        if zone.missing:
            found += self._watch.silent(self._t, name, zone, self.presence)
        return found

    def _doubted(self) -> set[str]:
        """Tags that some play may move, by what was weighed last, though nothing is sure yet."""
        judgement = self._verdict.judgement if self._verdict is not None else None
        if judgement is None:
            return set()
        likely = [steps for weight, steps in judgement.weighed if weight > judgement.nothing - DOUBT]
        return {tag for steps in likely for step in steps for tag, _ in step.moves}

    def _open_tags(self) -> set[str]:
        """Tags outside hands and wall that may move: the last discard, and those of the steps told last."""
        tags = {tag for told in self._told for tag, _ in told.step.moves}
        if self._last is not None:
            tags.add(self._last)
        return tags

    def _swap_twins(self, name: str) -> None:
        """Two tags of one kind were taken for each other: that changes no record, only which tag lies where."""
        zone = self.presence.zones[name]
        for tag, run in list(zone.strange.items()):
            if run < TWIN_READS or tag not in self.tiles:
                continue
            home = self.presence.lies(tag)
            if tag not in self.presence.zone(home).missing and home.partition(".")[0] in ("hand", "meld", "river"):
                continue
            for twin, silent in zone.missing.items():
                if home.startswith("wall") and twin not in self._unseen:
                    continue  # that one was drawn, and this one may be drawn now
                if silent >= TWIN_READS and self.tiles.get(twin) == self.tiles[tag]:
                    self.presence.place(tag, name, self._t)
                    self.presence.place(twin, home, self._t)
                    break

    def _think(self, hand: Hand) -> list[act.Action]:
        self._thought = self._t
        if self._caught_up and self.presence.memory != MEMORY and not self._held:
            self.presence.memory = MEMORY
        if hand.phase is Phase.DEALING:
            told, self._waiting = self._waiting, []
            return told or self._watch_deal(hand)
        if hand.phase is Phase.INDICATOR and hand.deck is not None:
            turned = self._indicator(hand, hand.deck)
            if turned or hand.deck.indicator is None:
                return turned
        if self._caught_up:  # a call made meanwhile may explain what is seen only now
            self._keys.fade(self._t)
        self._restless = bool(self._keys.fresh or self._keys.held or self._waiting)
        look = outlook(hand, self._last, self._drawn)
        scene = self._scene(hand)
        if self._moved and hand.phase not in (self._sought, Phase.DECLARED):
            self._explain_moved(look, scene)
        if self._dark:
            step, later = self._dark.pop(), self._keys.set_aside(self._event_t)
            told = self._commit(step, dict.fromkeys((tag for tag, _ in step.moves), self._event_t), look, self._event_t)
            self._keys.take_back(later)
            return told
        self._settle_sure()
        back = self._told if look.phase is not Phase.DECLARED and not self._waiting else []
        if back and self._t < self._retracted.get(back[-1].step.sense, -inf) + RETRACT_PERIODS * self.period:
            back = []  # told, taken back and told again: from the same readings it would go on like that
        nothing = self._nothing(look)
        judgement = self._judge(look, scene, back, nothing)
        self._restless = self._restless or (judgement.step is not None and judgement.margin > 0)
        if judgement.step is not None and judgement.margin >= self._needed(judgement):
            t = self._t if judgement.t is None else judgement.t
            self.decided.append((self._t, judgement))
            return self._commit(judgement.step, judgement.times, look, min(max(t, self._event_t), self._t))
        if self._waiting:
            told = [*(self._unsaid_win(hand) or self._keys.wins()), *self._waiting]
            self._waiting = []
            return told
        if (judgement.step is None or judgement.margin < 0) and nothing < UNEXPLAINED:
            told = self._keys.due(self._t, hand)
            if told:
                return told
        return [*self._question(hand), *self._phantoms(), *self._misnamed(), *self._offences(look, judgement)]

    def _judge(self, look: Outlook, scene: Scene, back: Sequence[Told], nothing: float) -> Judgement:
        """What speaks for what; as before, where little has changed since."""
        gains = to_explain(scene)
        nothing += sum(gain for _, gain in scene.strays)
        point = (self.table.last_seq, len(back), *scene.keys.items())
        before = self._verdict
        if before is not None and before.stands(self._t, point, gains, nothing, self._needed(before.judgement)):
            return before.judgement
        judgement = judge(look, scene, back, nothing, gains)
        self._verdict = Verdict(judgement, point, gains, nothing, self._t + WEIGHED_PERIODS * self.period)
        return judgement

    def _indicator(self, hand: Hand, deck: Deck) -> list[act.Action]:
        """The indicator, where the dice or the tail of the wall say which tile it is: no antenna sees it."""
        play = self.table.rules.play
        position = deck.indicator if deck.indicator is not None else self.wall.due("tail")
        if position is None or position in self.wall.emptied:
            return []
        self._restless = True
        if deck.indicator is None and self._t < max(self._event_t, hand.since or 0.0) + INDICATOR_SECONDS:
            return []
        odds = self.wall.odds(position)
        tag = max(odds, key=lambda tag: odds[tag], default=None)
        if tag is None:
            detail = "the order of the wall is not known: which tile is the indicator? Enter it (match.indicator)"
            return [*self._watch.say(self._t, "wall_mismatch", None, detail, "indicator")]
        self.wall.took(tag, position)
        if play.indicator_lies == "apart":
            flower = self.tiles[tag] in play.flowers and play.indicator_flower == "dealer"
            self.presence.place(tag, MELD[hand.dealer] if flower else APART, self._t)
        self._event_t = self._t
        return [act.TurnIndicator(t=self._t, tile=self.tiles[tag], seat=hand.dealer)]

    def _scene(self, hand: Hand) -> Scene:
        return Scene(
            self.presence,
            self.wall,
            self.tiles,
            self.table.rules.play,
            self._pungs,
            self._keys.fresh,
            self._keys.since,
            frozenset(self._won),
            self._wins_now,
            self._watch.groups(self.presence, hand, self._last, self.table.rules.play.flowers, self._due()),
            not self._blames,
            not self._caught_up,
        )

    def _due(self) -> set[str] | None:
        """Tags that may be drawn next, at both ends of the wall; None where nothing is known of its order."""
        if not self.wall.known:
            return None
        ends: tuple[End, End] = ("live", "tail")
        positions: list[int] = []
        for end in ends:
            gone: set[int] = set()
            while len(gone) < NEXT_DRAWS and (position := self.wall.due(end, gone)) is not None:
                gone.add(position)
            positions += gone
        return {tag for position in positions for tag in self.wall.odds(position)}

    def _wins_now(self, seat: int) -> bool | None:
        """Whether the hand of ``seat`` wins now, as rules see it; None where that cannot be said."""
        key = (self.table.last_seq, seat)
        if key not in self._legal:
            self._legal = {key: self._judge_win(seat)}
        return self._legal[key]

    def _judge_win(self, seat: int) -> bool | None:
        hand, rules = self.table.hand, self.table.rules
        win = candidate(hand, rules, seat) if hand is not None else None
        if hand is None or win is None:
            return None
        return rule_on(self.table.game, hand, rules, (win,)).verdicts[0].legal

    def _needed(self, judgement: Judgement) -> float:
        """The log-odds that are enough now: less, the longer the evidence has been waiting."""
        if any(_judges(action) for action in self._waiting):
            hand = self.table.hand
            return SURE if hand is not None and self._unsaid_win(hand) else HASTY_SURE
        if not judgement.backed or judgement.t is None or judgement.margin <= 0.0:
            self._favourite = None
            return SURE
        assert judgement.step is not None
        if self._favourite is None or self._favourite[0] != judgement.step.sense:
            self._favourite = (judgement.step.sense, max(judgement.t, self._seen_since))
        waited = self._t - self._favourite[1]
        enough = BACK_SURE if judgement.step.kind == "retract" else LATE_SURE
        if waited >= (self.table.rules.play.claim_seconds or CLAIM_SECONDS):
            return 0.0 if enough == LATE_SURE else enough
        late = (waited / self.period - PATIENT_PERIODS) / (LATE_PERIODS - PATIENT_PERIODS)
        return SURE + min(max(late, 0.0), 1.0) * (enough - SURE)

    def weigh(self) -> Judgement | None:
        """What speaks for what just now, without deciding anything; None outside play."""
        hand = self.table.hand
        if hand is None or hand.phase not in PLAYED:
            return None
        look = outlook(hand, self._last, self._drawn)
        scene = self._scene(hand)
        nothing = self._nothing(look) + sum(gain for _, gain in scene.strays)
        return judge(look, scene, self._told, nothing, to_explain(scene))

    # --- the deal

    def _dice(self, rested: act.RestDice) -> list[act.Action]:
        """Dice that are thrown after the deal (tianjin T103) say that it is over, before the antennas see the last
        tiles; they are told after it."""
        if self._deal is None or self.table.hand is None or self.table.hand.phase is not Phase.DEALING:
            return [rested]
        self._deal.over = True
        self._rested = rested
        return self._watch_deal(self.table.hand)

    def _watch_deal(self, hand: Hand) -> list[act.Action]:
        deck = hand.deck
        if deck is None:
            return []
        if self._deal is None or self._deal.deck is not deck:
            self.wall.break_at(deck, [self._lane_places(side) for side in range(4)])
            self._deal = DealWatch(deck, hand.dealer, self.wall)
            self._deal.start(self._t)
        self._restless = True
        dealt = self._deal.watch(self.presence, self.tiles, self._t, self.period)
        return self._dealt(hand, self._deal, dealt) if dealt else []

    def _dealt(self, hand: Hand, watch: DealWatch, dealt: Dealt) -> list[act.Action]:
        self.wall.dealt(dealt.hands)
        drawn = watch.drawn(dealt.hands)
        hands = []
        for seat, tags in enumerate(dealt.hands):
            named = sorted(self.tiles[tag] for tag in tags if seat != hand.dealer or tag != drawn)
            lack = len(watch.deck.dealt(seat)) - (seat == hand.dealer) - len(named)
            hands.append((*named, *[None] * lack))
        actions: list[act.Action] = [
            act.Deal(t=dealt.t, hands=tuple(hands), drawn=self.tiles[drawn] if drawn is not None else None)
        ]
        if max(dealt.wrong.values(), default=0) >= BLOCK_TILES:
            wrong = list(dealt.wrong)
            detail = f"other tiles dealt than due: seats {wrong}"
            actions += self._watch.say(dealt.t, "wrong_break", wrong[0], detail)
        elif dealt.wrong:
            actions += self._watch.say(dealt.t, "wall_mismatch", None, "the deal is not what the lanes read")
        self._event_t = dealt.t
        rested, self._rested = self._rested, None
        return [*actions, rested] if rested is not None else actions

    # --- play

    def _nothing(self, look: Outlook) -> float:
        """The log-weight of no step having happened: a tile drawn too early lies in a hand without a step."""
        return log(1.0 + sum(exp(min(weight, 60.0)) for _, _, weight in self._early_draws(look)))

    def _early_draws(self, look: Outlook) -> list[tuple[str, int, float]]:
        """Tiles of the wall that lie at a seat which may not draw now: tag, seat, log-weight."""
        found = []
        due = self.wall.due("live")
        odds = self.wall.odds(due) if due is not None else {}
        for seat in range(4):
            zone = self.presence.zones.get(HAND[seat])
            if zone is None or not zone.strange or _may_draw(look, seat):
                continue
            for tag in zone.strange:
                if self.presence.lies(tag).startswith("wall"):
                    prior = EARLY_DRAW if tag in odds or not odds else EARLY_NOT_DUE
                    if self._early.get(tag) == seat:
                        prior = 0.0
                    weight = prior + self.presence.way(tag, HAND[seat]).support
                    if weight > -6.0:
                        found.append((tag, seat, weight))
        return found

    def _offences(self, look: Outlook, judgement: Judgement) -> list[act.Action]:
        """A tile drawn by a seat whose turn it is not, once nothing else explains it."""
        if look.phase is Phase.DECLARED or not self._blames:
            return []
        actions: list[act.Action] = []
        for tag, seat, weight in self._early_draws(look):
            run = self.presence.zone(HAND[seat]).strange[tag]
            against = max(0.0, -judgement.margin if judgement.step else -inf)
            sure = weight > OFFENCE_SURE and (judgement.step is None or judgement.margin < -OFFENCE_SURE)
            enough = run >= (HIDDEN_READS if self._hidden_discard(look) else OFFENCE_READS)
            if tag not in self._early and enough and sure and against >= 0.0:
                self._early[tag] = seat
                detail = f"{self.tiles[tag].code} drawn before the discard"
                actions += self._watch.say(self._t, "draw_out_of_turn", seat, detail, (tag, seat))
            self._taken.setdefault((tag, seat), set()).add(self.presence.zone(HAND[seat]).count)
        for (tag, seat), reads in list(self._taken.items()):
            in_wall = self.presence.lies(tag).startswith("wall")
            if in_wall and self.presence.answered(tag, HAND[seat]):
                continue
            del self._taken[tag, seat]
            if in_wall and len(reads) >= PUT_BACK_READS:
                detail = f"{self.tiles[tag].code} taken and put back"
                actions += self._watch.say(self._t, "draw_out_of_turn", seat, detail, (tag, seat))
        for tag, seat in list(self._early.items()):
            if tag not in self.presence.zone(HAND[seat]).last and not self.presence.way(tag, HAND[seat]).support > 0:
                del self._early[tag]
                self.presence.place(tag, self.presence.lies(tag), self._t)
        return actions

    def _hidden_discard(self, look: Outlook) -> bool:
        """Whether a tile of the seat in turn may lie in the river, by some reading of it there or by its silence."""
        presence, hand = self.presence, self.presence.zone(HAND[look.turn])
        if any(presence.answered(tag, RIVER[look.turn]) for tag in hand.tags):
            return True
        return any(run >= OFFENCE_READS and not presence.answers(tag) for tag, run in hand.missing.items())

    def _phantoms(self) -> list[act.Action]:
        """A draw was told that no antenna saw, because the turn had passed; now the tile turns up at another seat: the
        seat had not drawn at all (少张)."""
        for tag, seat in list(self._unseen.items()):
            if self.presence.lies(tag) != HAND[seat] or tag in self.presence.zone(HAND[seat]).last:
                del self._unseen[tag]
                continue
            places = (*HAND, *RIVER, *(MELD if self.tiles[tag] in self.table.rules.play.flowers else ()))
            others = [name for name in places if not name.endswith(str(seat))]
            winners = [n for n, key in self._keys.fresh.items() if key == "win"]  # they may take it as a discard
            runs = [self.presence.zone(name).strange.get(tag, 0) for name in others if int(name[-1]) not in winners]
            hand = self.table.hand
            plays = hand is not None and hand.phase is Phase.TURN and hand.turn == seat  # it may be on its way
            if plays or max(runs, default=0) < PHANTOM_READS:
                continue
            del self._unseen[tag]
            self._told.clear()
            self.wall.put_back(tag)
            self.presence.place(tag, WALL[self.wall.side_of(tag) or 0], self._t - PHANTOM_READS * self.period)
            for seq, event in reversed(self._standing()):
                if isinstance(event, ev.TileDrawn) and (event.actor, event.pai) == (seat, self.tiles[tag]):
                    suspect = self._watch.say(self._t, "wrong_tile_count", seat, "discarded without having drawn")
                    return [act.Amend(t=self._t, replaces=seq, event=None), *suspect]
        return []

    def _misnamed(self) -> list[act.Action]:
        """A discard was named wrongly: what was told after it stands, but the tiles change places."""
        found = misnamed(self.presence, self.tiles, self._standing, self.period, SURE)
        if found is None:
            return []
        seat, at = found.told.actor, found.told.t or self._t
        self.presence.place(found.tag, HAND[seat], at)
        self.presence.place(found.other, RIVER[seat], at)
        self._told.clear()
        self._last = found.other if self._last == found.tag else self._last
        self._drawn = found.tag if self._drawn == found.other else self._drawn
        if found.right.pai == found.told.pai:
            return []
        return [act.Amend(t=self._t, replaces=found.seq, event=found.right)]

    def _standing(self) -> list[tuple[int, ev.Event]]:
        """The events that stand, with their numbers."""
        events = self.table.events
        return effective(events, self.table.last_seq - len(events) + 1)

    def _commit(self, step: Step, times: Mapping[str, float], look: Outlook, t: float) -> list[act.Action]:
        """A step is believed: move its tags and tell it."""
        if step.kind == "retract":
            return self._take_back(t)
        homes = tuple((tag, self.presence.lies(tag)) for tag, _ in step.moves)
        for tag, place in step.moves:
            self.presence.follow(tag, place, times[tag])
        self._event_t = t
        if step.kind == "win":
            for tag, _ in step.moves:
                self.presence.settle(tag)
        elif step.moves and (look.phase is not Phase.LAST_ROUND or step.kind == "draw"):  # a discard becomes no event
            self._told.append(Told(step, look, homes, t))
            if len(self._told) > MOST_TOLD:
                self._settle(self._told.pop(0))
        hand = self.table.hand
        assert hand is not None  # a step of play
        calls = self._keys.used(step, t, hand)
        late = self._late_claim(step, calls, hand, t)
        self._overtaken = None
        return [*calls, *self._tell(step, t), *late]

    def _late_claim(self, step: Step, calls: list[act.Action], hand: Hand, t: float) -> list[act.Action]:
        """A claim for which a tile went back to the wall that had been drawn: too late, unless it was called before."""
        if self._overtaken is None or step.kind not in CLAIMS or self.table.rules.play.claim_seconds is not None:
            return []
        if hand.calls.get(step.seat) in ("pung", "kong") or any(call.t < self._overtaken for call in calls):
            return []
        return [*self._watch.say(t, "late_claim", step.seat, "after the next draw", (step.seat, len(hand.discards)))]

    def _settle_sure(self) -> None:
        """Tags that answer again and again where they were told to be do lie there."""
        for told in self._told:
            for tag, place in told.step.moves:
                if self.presence.lies(tag) == place and self.presence.sure(tag):
                    self.presence.settle(tag)

    def _settle(self, told: Told) -> None:
        """A step is old enough to be sure."""
        open_tags = {tag for later in self._told for tag, _ in later.step.moves}
        for tag, _ in told.step.moves:
            if tag not in open_tags:
                self.presence.settle(tag)

    def _take_back(self, t: float) -> list[act.Action]:
        """The last step told was none: its event goes out of the record, with what it brought about. Alerts about a
        draw stay: the tile may have been drawn, and put back."""
        told = self._told.pop()
        step = told.step
        self._retracted[step.sense] = self._t
        for tag, home in told.homes:
            if step.kind == "draw":  # put back: what was read of it says nothing about its being drawn again
                self.presence.place(tag, home, self._t)
            else:
                self.presence.back(tag, home, self._t)
        self._last, self._drawn = told.before.last or self._last, told.before.drawn
        if step.kind == "draw":
            for tag, _ in step.moves:
                self.wall.put_back(tag)
                lay = sum(tag in read for _, read, _ in self.presence.zone(HAND[step.seat]).reads)
                self._overtaken = told.t if lay >= SURE_READS else None
        if step.kind == "pung":
            self._pungs[step.seat].pop()
        actions: list[act.Action] = []
        for seq, event in reversed(self._standing()):
            if isinstance(event, EVENT_OF[step.kind]) and getattr(event, "actor", None) == step.seat:
                return [*actions, act.Amend(t=t, replaces=seq, event=None)]
            alerted = isinstance(event, ev.Alerted) and event.seat == step.seat and event.code in BROUGHT_ABOUT
            called = step.kind == "discard" and isinstance(event, ev.ClaimCalled) and self._keys.again(event)
            if isinstance(event, (ev.PointsPaid, ev.IncidentNoted, ev.HandKilled)) or alerted or called:
                actions.append(act.Amend(t=t, replaces=seq, event=None))
        return []

    def _tell(self, step: Step, t: float) -> list[act.Action]:
        seat, tags = step.seat, [tag for tag, _ in step.moves]
        match step.kind:
            case "draw":
                return self._told_draw(step, tags[0] if tags else None, t)
            case "flower":
                assert step.tile is not None
                return [act.LayFlower(t=t, seat=seat, tile=step.tile)]
            case "discard":
                assert step.tile is not None
                self._last, self._drawn = tags[0], None
                self._won.clear()
                return [act.DiscardTile(t=t, seat=seat, tile=step.tile)]
            case "win":
                self._won.add(seat)
                return [act.DeclareWin(t=self._t, seat=seat)]
            case "pung":
                self._pungs[seat].append(tuple(tags))
            case "added_kong":
                self._last = tags[0]
        kind = MeldKind(step.kind)
        return [act.LayMeld(t=t, seat=seat, kind=kind, tile=step.tile, consumed=step.consumed)]

    def _told_draw(self, step: Step, tag: str | None, t: float) -> list[act.Action]:
        zones = (HAND[step.seat], MELD[step.seat], RIVER[step.seat])
        seen = tag is not None and any(self.presence.answered(tag, zone) for zone in zones)
        self.wall.took(tag, step.position, seen=seen)
        if tag is not None:
            self._early.pop(tag, None)
            if tag not in self.presence.zone(HAND[step.seat]).last:
                self._unseen[tag] = step.seat
        if step.end == "live":
            self._drawn = tag
        actions: list[act.Action] = [act.Draw(t=t, seat=step.seat, tile=step.tile, end=step.end)]
        if step.offence and tag not in self._unwatched:
            actions += self._watch.say(t, step.offence, step.seat, f"{step.tile} is not the tile due", (tag, step.seat))
        return actions


def _may_draw(look: Outlook, seat: int) -> bool:
    """Whether a draw of ``seat`` is due, or may be once what is going on is finished."""
    if look.phase in (Phase.DISCARDED, Phase.LAST_ROUND):
        return seat == (look.turn + 1) % 4
    if look.phase is Phase.FLOWERS:
        return look.owed[seat] > 0
    return seat == look.turn


__all__ = ["AWAY", "MELD", "UNEXPLAINED_READS", "Tracker"]


def _judges(action: act.Action) -> bool:
    """Whether a person has seen the hand to its end: it is judged, or its tiles go in."""
    return not isinstance(action, act.Rule) or action.do in JUDGING


def _named(code: object) -> Tile | None:
    """The tile of a ruling; None where it names none (the table says then what it needs)."""
    try:
        return parse_tile(str(code)) if code is not None else None
    except NotationError:
        return None


def _thrown_again(hand: Hand) -> bool:
    """Whether dice are awaited after the deal (tianjin: for the indicator)."""
    return hand.phase is Phase.DICE and hand.live_taken > 0
