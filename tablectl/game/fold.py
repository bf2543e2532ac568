"""The fold: the only writer of the state of a match. The state is a pure function of the events in order."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, Final, cast

from tablectl.game import events as ev
from tablectl.game.machine import DECLARABLE, IllegalStep, step, step_match
from tablectl.game.state import Game, Hand, OpenAlert, Phase, RiverTile, Seat
from tablectl.rules.api import Discard, HandResult, HandView, Incident, Points, RuleSet
from tablectl.tiles.meld import Meld, MeldKind, source_of
from tablectl.tiles.tile import Tile


class FoldError(ValueError):
    """An event that cannot follow those before it. The message names its sequence number, type and the phase."""


def add(a: Points, b: Points) -> Points:
    """The sum, seat by seat."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3])


def view(hand: Hand) -> HandView:
    """The hand as rules look at it. A tile that the antennas have not named is None among the standing tiles."""
    return cast(HandView, hand)


def flowers_left(hand: Hand, rules: RuleSet) -> bool:
    """Whether the opening replacement goes on: a flower stands, a replacement is owed, or a tile is not named yet."""
    return any(seat.owed or any(t is None or t in rules.play.flowers for t in seat.standing) for seat in hand.seats)


def drawable(hand: Hand, rules: RuleSet) -> int:
    """Tiles that may still leave the wall."""
    return hand.wall_left - rules.undrawn(view(hand))


def wanted_tiles(hand: Hand, rules: RuleSet, seat: int) -> int:
    """Standing tiles of ``seat`` at a rest point, i.e. outside its own turn (competition J15)."""
    return rules.play.hand_tiles - 3 * len(hand.seats[seat].melds)


class Fold:
    """Events in, state out. ``game`` is for reading only.

    ``log[n]`` has sequence number ``first_seq + n``.
    """

    def __init__(self, rules: RuleSet, *, first_seq: int = 1) -> None:
        self.rules = rules
        self.first_seq = first_seq
        self.log: list[ev.Event] = []
        self.game = Game(match=rules.first_hand())
        #: what stands in place of an event: sequence number → the right event, or None
        self.replaced: dict[int, ev.Event | None] = {}
        #: the state before each hand was opened, by sequence number
        self._checkpoints: list[tuple[int, Game]] = [(first_seq, copy.copy(self.game))]

    @property
    def last_seq(self) -> int:
        """The sequence number of the latest event, ``first_seq - 1`` when there is none."""
        return self.first_seq + len(self.log) - 1

    @property
    def hand_seq(self) -> int:
        """The sequence number of the latest `HandOpened`; ``first_seq`` when there is none."""
        return self._checkpoints[-1][0]

    def apply(self, event: ev.Event) -> int:
        """Take one event and return its sequence number.

        Raises:
            FoldError: the event cannot follow those before it. The state is then as before.
        """
        seq = self.last_seq + 1
        if isinstance(event, ev.Corrected):
            self._correct(seq, event)
        else:
            self._fold(seq, event)
        self.log.append(event)
        return seq

    def effective(self, first_seq: int | None = None) -> Iterable[tuple[int, ev.Event]]:
        """Events with their numbers as corrections left them, corrections themselves left out."""
        for seq in range(first_seq or self.first_seq, self.first_seq + len(self.log)):
            event = self.replaced.get(seq, self.log[seq - self.first_seq])
            if event is not None and not isinstance(event, ev.Corrected):
                yield seq, event

    def _correct(self, seq: int, event: ev.Corrected) -> None:
        old = self.replaced.copy()
        checkpoints = self._checkpoints.copy()
        if not self.first_seq <= event.replaces < seq or isinstance(event.event, ev.Corrected):
            raise FoldError(f"event {seq} (correction): there is no event {event.replaces} to correct")
        self.replaced[event.replaces] = event.event
        try:
            self._refold(event.replaces)
        except FoldError as error:
            self.replaced, self._checkpoints = old, checkpoints
            self._refold(event.replaces)
            raise FoldError(f"event {seq} (correction of {event.replaces}): {error}") from None

    def _refold(self, changed: int) -> None:
        while len(self._checkpoints) > 1 and self._checkpoints[-1][0] > changed:
            self._checkpoints.pop()
        start, game = self._checkpoints[-1]
        if len(self._checkpoints) > 1:
            self._checkpoints.pop()  # taken again when its hand opens
        self.game = copy.copy(game)
        for seq, event in self.effective(start):
            self._fold(seq, event)

    def _fold(self, seq: int, event: ev.Event) -> None:
        if isinstance(event, ev.HandOpened):
            self._checkpoints.append((seq, copy.copy(self.game)))
        try:
            _HANDLERS[type(event)](self, event, seq)
        except IllegalStep as error:
            raise FoldError(f"event {seq} ({event.type}): {error}") from None

    # --- match

    def _hand(self, event: ev.Event) -> Hand:
        hand = self.game.hand
        if hand is None:
            raise IllegalStep(f"{event.type!r} needs a hand, and none is open")
        return hand

    def _match_started(self, event: ev.MatchStarted, seq: int) -> None:
        game = self.game
        step_match(game, "start")
        match = self.rules.first_hand()
        self.game = Game(
            match=replace(match, points=event.scores),
            phase=game.phase,
            names=event.names,
            simulated=event.simulated,
            empty_seats=game.empty_seats,
        )

    def _seats_named(self, event: ev.SeatsNamed, seq: int) -> None:
        self.game.names = event.names

    def _match_ended(self, event: ev.MatchEnded, seq: int) -> None:
        step_match(self.game, "finish")
        if self.game.hand is not None and self.game.hand.phase is not Phase.ENDED:
            self.game.hand = None  # walls stood, but no hand was begun
        self.game.match = replace(self.game.match, over=event.reason)

    def _hand_opened(self, event: ev.HandOpened, seq: int) -> None:
        game = self.game
        step_match(game, "open_hand")
        if game.started_at is None:
            game.started_at, game.paused_seconds, game.time_told = event.t, 0, frozenset()
        game.match = replace(
            game.match,
            points=event.scores,
            dealer=event.dealer,
            streak=event.streak,
            prevalent=event.bakaze,
            hand=event.hand,
            circle=event.circle,
            game=event.game,
            carry=dict(event.carry),
            over=None,
        )
        hand = game.hand = Hand(
            number=event.hand,
            dealer=event.dealer,
            prevalent=event.bakaze,
            streak=event.streak,
            start_points=event.scores,
            points=event.scores,
            phase=Phase.IDLE,
            turn=event.dealer,
            wall_left=self.rules.tile_set.total,
            opened_at=event.t,
            carry=dict(event.carry),
        )
        for seat in game.empty_seats:
            hand.seats[seat].dead = "mechanical"
        step(hand, "open_stakes" if "sit" in self.rules.play.extra_keys else "open")

    # --- from the walls to the first discard

    def _stake_chosen(self, event: ev.StakeChosen, seq: int) -> None:
        hand = self._hand(event)
        step(hand, "choose")
        if event.stake == "sit":
            hand.stakes["sit"] = bool(event.n)
        else:
            pulls = cast(dict[int, int], hand.stakes.setdefault("pull", {}))
            pulls[event.actor] = event.n
        if "sit" in hand.stakes and len(cast(dict[int, int], hand.stakes.get("pull", {}))) == 3:
            step(hand, "close_stakes")

    def _dice_thrown(self, event: ev.DiceThrown, seq: int) -> None:
        hand, rules = self._hand(event), self.rules
        before_deal = rules.play.throws_before_deal
        sums = [*(sum(throw) for throw in hand.throws), sum(event.dice)]
        complete = rules.thrower(hand.dealer, sums) is None
        dealt = hand.live_taken > 0
        if not dealt and (complete or len(sums) == before_deal):
            step(hand, "complete_throws")
            hand.deck = rules.deck(hand.dealer, sums)
        elif dealt and complete:
            hand.deck = rules.deck(hand.dealer, sums)
            self._after_deal(hand)
        else:
            step(hand, "throw")
        hand.throws.append(event.dice)
        hand.dice_pressed = False

    def _dealt(self, event: ev.HandDealt, seq: int) -> None:
        hand = self._hand(event)
        step(hand, "deal")
        for seat, tiles in zip(hand.seats, event.tehais, strict=True):
            seat.standing = list(tiles)
            hand.live_taken += len(tiles)
        hand.wall_left -= hand.live_taken
        hand.since = event.t
        hand.deadline = _after(event.t, self.rules.play.initial_flower_seconds or self.rules.play.first_discard_seconds)

    def _after_deal(self, hand: Hand) -> None:
        """Go on to what is due before the dealer plays."""
        play = self.rules.play
        sums = [sum(throw) for throw in hand.throws]
        if (
            hand.phase is Phase.DEALING
            and play.throws_before_deal
            and self.rules.thrower(hand.dealer, sums) is not None
        ):
            step(hand, "throw_again")
        elif play.indicator == "after_deal" and hand.indicator is None:
            step(hand, "await_indicator")
        elif play.flowers and flowers_left(hand, self.rules):
            if hand.phase is not Phase.FLOWERS:
                step(hand, "begin_flowers")
        elif play.indicator == "after_flowers" and hand.indicator is None:
            step(hand, "await_indicator")
        else:
            hand.turn = hand.dealer
            step(hand, "begin_play")
            if play.initial_flower_seconds is not None:
                hand.deadline = _after(hand.since, play.first_discard_seconds)

    def _indicator_turned(self, event: ev.IndicatorTurned, seq: int) -> None:
        hand = self._hand(event)
        step(hand, "turn_indicator")
        hand.wall_left -= 1
        if event.pai in self.rules.play.flowers:  # goes to the dealer's flowers, the next one is turned (fuzhou T109)
            hand.seats[hand.dealer].flowers.append(event.pai)
            return
        hand.indicator = event.pai
        hand.wild = self.rules.wild(event.pai)
        self._after_deal(hand)

    # --- play

    def _drawn(self, event: ev.TileDrawn, seq: int) -> None:
        hand = self._hand(event)
        seat, actor = hand.seats[event.actor], event.actor
        if hand.phase is Phase.DEALING:
            step(hand, "deal")
            self._take(hand, seat, event)
            self._after_deal(hand)
            return
        if seat.owed:
            self._replacement(hand, seat, event)
            return
        if hand.phase is Phase.LAST_ROUND or (hand.phase is Phase.DISCARDED and self._last_round_due(hand)):
            hand.last_round = hand.last_round - 1 if hand.phase is Phase.LAST_ROUND else drawable(hand, self.rules) - 1
            step(hand, "draw_last_round")
        elif hand.phase is Phase.DISCARDED or (hand.phase in (Phase.TURN, Phase.CLAIMED) and actor == hand.turn):
            step(hand, "draw")
        else:
            step(hand, "move_out_of_turn")
            self._take(hand, seat, event)
            return
        self._take(hand, seat, event)
        hand.turn, hand.after, hand.chain = actor, "draw", ()

    def _last_round_due(self, hand: Hand) -> bool:
        tiles = self.rules.play.last_round_tiles
        return tiles > 0 and 0 < drawable(hand, self.rules) <= tiles

    def _replacement(self, hand: Hand, seat: Seat, event: ev.TileDrawn) -> None:
        in_turn = event.actor == hand.turn and hand.phase in (Phase.REPLACING, Phase.ROBBING)
        if hand.phase is Phase.FLOWERS:
            step(hand, "replace_opening_flower")
        elif in_turn:
            step(hand, "replace" if seat.owed == 1 else "replace_more")
        else:
            step(hand, "move_out_of_turn")
        seat.owed -= 1
        self._take(hand, seat, event)
        hand.tail_taken += 1
        hand.live_taken -= 1
        if in_turn:
            hand.after = "kong" if hand.chain and hand.chain[-1] == "kong" else "flower"
        if hand.phase is Phase.FLOWERS and not flowers_left(hand, self.rules):
            self._after_deal(hand)

    def _take(self, hand: Hand, seat: Seat, event: ev.TileDrawn) -> None:
        seat.standing.append(event.pai)
        seat.drawn = event.pai
        hand.wall_left -= 1
        hand.live_taken += 1

    def _flower_laid(self, event: ev.FlowerLaid, seq: int) -> None:
        hand = self._hand(event)
        seat = hand.seats[event.actor]
        if hand.phase is Phase.FLOWERS:
            step(hand, "lay_opening_flower")
            hand.turn = event.actor
        elif event.actor == hand.turn and hand.phase in (Phase.TURN, Phase.CLAIMED, Phase.REPLACING):
            step(hand, "lay_flower")
            hand.chain = (*hand.chain, "flower")
        else:
            step(hand, "move_out_of_turn")
        _remove(seat, event.pai)
        seat.flowers.append(event.pai)
        seat.owed += 1

    def _discarded(self, event: ev.TileDiscarded, seq: int) -> None:
        hand = self._hand(event)
        seat = hand.seats[event.actor]
        step(hand, "discard")
        after = hand.after if event.actor == hand.turn else "draw"
        after_names = {"flower": "replacement", "kong": "replacement"}
        _remove(seat, event.pai)
        seat.drawn = None
        seat.owed = 0
        seat.penalty_tile = None
        if seat.hung is not None and seat.hung not in seat.standing:
            seat.hung = None
        if seat.miscount and len(seat.standing) == wanted_tiles(hand, self.rules, event.actor):
            seat.miscount = 0
        seat.river.append(RiverTile(event.pai, event.tsumogiri))
        hand.discards.append(
            Discard(event.actor, event.pai, drawn=event.tsumogiri, after=after_names.get(after, after))
        )
        hand.turn, hand.after, hand.chain = event.actor, "draw", ()
        self._new_clock(hand, event.t)
        hand.claims_until = _after(event.t, self.rules.play.claim_seconds)

    def _new_clock(self, hand: Hand, t: float | None) -> None:
        hand.since = t
        hand.deadline = _after(t, self.rules.play.discard_seconds)
        hand.warned = hand.overrun = False
        hand.calls.clear()
        hand.passed.clear()
        hand.raised.clear()

    def _claimed(self, event: ev.ChowMade | ev.PungMade | ev.ExposedKongMade, seq: int) -> None:
        hand = self._hand(event)
        discard = hand.last_discard
        if discard is None or (discard.seat, discard.tile) != (event.target, event.pai):
            raise IllegalStep(f"seat {event.target} has no {event.pai} lying that could be claimed")
        seat = hand.seats[event.actor]
        kind = _CLAIM_KINDS[type(event)]
        step(hand, "claim_kong" if kind is MeldKind.EXPOSED_KONG else "claim")
        hand.discards[-1] = replace(discard, claimed=True)
        hand.seats[event.target].river[-1].claimed_by = event.actor
        for tile in event.consumed:
            _remove(seat, tile)
        seat.melds.append(
            Meld(
                kind,
                tuple(sorted((*event.consumed, event.pai))),
                source_of(event.actor, event.target),
                event.pai if kind is MeldKind.CHOW else None,
            )
        )
        hand.turn = event.actor
        hand.passed.clear()
        if kind is MeldKind.EXPOSED_KONG:
            seat.owed += 1
            hand.chain = ("kong",)
        else:
            hand.after = "chow" if kind is MeldKind.CHOW else "pung"

    def _concealed_kong(self, event: ev.ConcealedKongMade, seq: int) -> None:
        hand = self._hand(event)
        self._kong_in_turn(hand, event.actor, "conceal_kong")
        seat = hand.seats[event.actor]
        for tile in event.consumed:
            _remove(seat, tile)
        seat.melds.append(Meld(MeldKind.CONCEALED_KONG, tuple(event.consumed)))

    def _added_kong(self, event: ev.AddedKongMade, seq: int) -> None:
        hand = self._hand(event)
        seat = hand.seats[event.actor]
        at = next(
            (n for n, m in enumerate(seat.melds) if m.kind is MeldKind.PUNG and m.tile == event.pai),
            None,
        )
        if at is None:
            raise IllegalStep(f"seat {event.actor} has no pung of {event.pai} to extend")
        self._kong_in_turn(hand, event.actor, "add_robbable_kong" if self.rules.play.rob_added_kong else "add_kong")
        _remove(seat, event.pai)
        seat.melds[at] = Meld(MeldKind.ADDED_KONG, (event.pai,) * 4, seat.melds[at].source)
        hand.added = event.pai
        hand.claims_until = _after(event.t, self.rules.play.claim_seconds)
        hand.passed.clear()

    def _kong_in_turn(self, hand: Hand, actor: int, trigger: str) -> None:
        opening = hand.phase in (Phase.FLOWERS, Phase.INDICATOR)
        if opening or (actor == hand.turn and hand.phase in (Phase.TURN, Phase.CLAIMED, Phase.REPLACING)):
            step(hand, trigger)
            hand.turn = actor
            hand.chain = (*hand.chain, "kong")
        else:
            step(hand, "move_out_of_turn")
        hand.seats[actor].drawn = None
        hand.seats[actor].owed += 1

    def _tile_shown(self, event: ev.TileShown, seq: int) -> None:
        hand = self._hand(event)
        step(hand, "move_out_of_turn")
        seat = hand.seats[event.actor]
        if event.what == "hung":
            seat.hung = event.pai
        else:
            seat.shown.append(event.pai)

    def _called(self, event: ev.ClaimCalled, seq: int) -> None:
        hand = self._hand(event)
        if event.claim == "dice":
            hand.dice_pressed = True
        elif event.claim == "pass":
            hand.passed.add(event.actor)
        elif event.claim == "ready":
            hand.seats[event.actor].ready = True
        else:
            hand.calls[event.actor] = event.claim

    # --- facts, payments, statuses

    def _incident(self, event: ev.IncidentNoted, seq: int) -> None:
        self._hand(event).incidents.append(Incident(event.kind, event.actor, event.target, dict(event.extra)))

    def _paid(self, event: ev.PointsPaid, seq: int) -> None:
        hand, game = self.game.hand, self.game
        off_board = event.off_board or (0, 0, 0, 0)
        if hand is None or hand.phase is Phase.ENDED:
            match = game.match
            game.match = replace(
                match, points=add(match.points, event.deltas), off_board=add(match.off_board, off_board)
            )
            return
        hand.points = add(hand.points, event.deltas)
        hand.off_board = add(hand.off_board, off_board)
        if event.actor is not None:
            hand.incidents.append(Incident(event.reason, event.actor, event.target, dict(event.extra)))
        else:
            hand.penalties = add(hand.penalties, event.deltas)

    def _killed(self, event: ev.HandKilled, seq: int) -> None:
        hand = self._hand(event)
        hand.seats[event.actor].dead = event.reason
        kind = event.reason if event.reason in self.rules.incident_kinds else "dead_hand"
        if kind in self.rules.incident_kinds:
            hand.incidents.append(Incident(kind, event.actor))

    def _warned(self, event: ev.TimeWarned, seq: int) -> None:
        if event.what == "match":
            self.game.time_told |= {event.seconds}
        else:
            self._hand(event).warned = True

    def _alerted(self, event: ev.Alerted, seq: int) -> None:
        hand = self.game.hand
        if hand is None:
            return
        hand.alerts.append(OpenAlert(seq, event))
        hand.raised.add((event.code, event.seat))
        if event.code == "over_time":
            hand.overrun = True
        if event.code == "wrong_tile_count" and event.seat is not None:
            hand.seats[event.seat].miscount = len(hand.seats[event.seat].standing)

    # --- the end of a hand

    def _win_declared(self, event: ev.WinDeclared, seq: int) -> None:
        hand = self._hand(event)
        before = hand.phase
        step(hand, "declare")
        if before in DECLARABLE:
            hand.resume = before
            hand.passed.clear()
        others = [win for win in hand.declared if win.actor != event.actor]
        start = event.target if event.target != event.actor else event.actor
        hand.declared = sorted([*others, event], key=lambda win: (win.actor - start - 1) % 4)
        hand.deadline = None

    def _win_withdrawn(self, event: ev.WinWithdrawn, seq: int) -> None:
        hand = self._hand(event)
        left = [win for win in hand.declared if win.actor != event.actor]
        if len(left) == len(hand.declared) or hand.resume is None:
            raise IllegalStep(f"seat {event.actor} has not declared a win")
        if not left:
            step(hand, f"withdraw_to_{hand.resume.value}")
            hand.resume = None
            hand.passed.clear()
            hand.warned = hand.overrun = False
            hand.deadline = _after(event.t, self.rules.play.discard_seconds)
        hand.declared = left

    def _hand_won(self, event: ev.HandWon, seq: int) -> None:
        hand = self._hand(event)
        step(hand, "win")
        hand.points = add(hand.points, event.deltas)
        hand.winners.append(event.actor)
        if event.target != event.actor and hand.resume is Phase.ROBBING:
            konger = hand.seats[event.target]
            konger.melds = [
                Meld(MeldKind.PUNG, m.tiles[:3], m.source)
                if m.kind is MeldKind.ADDED_KONG and m.tile == event.pai
                else m
                for m in konger.melds
            ]
        elif event.target != event.actor and hand.seats[event.target].river:
            hand.seats[event.target].river[-1].claimed_by = event.actor

    def _hand_drawn(self, event: ev.HandDrawn, seq: int) -> None:
        hand = self._hand(event)
        step(hand, "end_drawn")
        hand.points = add(hand.points, event.deltas)
        hand.drawn_reason = event.reason
        hand.deadline = None

    def _hand_ended(self, event: ev.HandEnded, seq: int) -> None:
        hand, game = self._hand(event), self.game
        step(hand, "end")
        step_match(game, "close_hand")
        hand.points = event.scores
        hand.deadline = None
        game.before = (*game.before, game.match)
        game.result = HandResult(
            winners=tuple(hand.winners),
            deltas=event.deltas,
            off_board=event.off_board or (0, 0, 0, 0),
            carry=dict(event.carry),
            void=hand.drawn_reason == "void",
            broken_off=hand.drawn_reason == "broken_off",
        )
        game.match = self.rules.next_hand(game.match, game.result, game.minutes(event.t))
        if game.match.game != game.before[-1].game:
            game.started_at = None

    def _wall_revealed(self, event: ev.WallRevealed, seq: int) -> None:
        """Part of the record only."""

    # --- rulings

    def _ruled(self, event: ev.Ruled, seq: int) -> None:
        game, hand = self.game, self.game.hand
        if event.do == "seat_empty" and event.seat is not None:
            game.empty_seats |= {event.seat}
        elif event.do == "seat_taken" and event.seat is not None:
            game.empty_seats -= {event.seat}
        elif event.do == "undo":
            if not game.before:
                raise IllegalStep("there is no hand to undo")
            step_match(game, "undo_hand")
            game.match, game.before = game.before[-1], game.before[:-1]
            game.hand = game.result = None
            return
        elif event.do == "pause":
            game.paused_at = event.t
        elif event.do == "resume":
            self._resume(event)
        if hand is None:
            return
        if event.do == "revive" and event.seat is not None:
            hand.seats[event.seat].dead = None
            hand.incidents = [i for i in hand.incidents if i.seat != event.seat or i.kind not in _DEATHS]
        elif event.do == "penalty_tile" and event.seat is not None:
            hand.seats[event.seat].penalty_tile = event.pai
        answered = event.seat if event.do in ("penalty", "penalty_tile", "dead_hand", "warning", "revive") else None
        hand.alerts = [
            a for a in hand.alerts if a.seq != event.alert and (answered is None or a.alert.seat != answered)
        ]

    def _resume(self, event: ev.Ruled) -> None:
        game, hand = self.game, self.game.hand
        if game.paused_at is None or event.t is None:
            return
        stood = event.t - game.paused_at
        game.paused_seconds += stood
        game.paused_at = None
        if hand is not None:
            hand.since, hand.deadline, hand.claims_until = (
                _after(moment, stood) for moment in (hand.since, hand.deadline, hand.claims_until)
            )


_DEATHS: Final = ("dead_hand", "wrong_count", "first_wildcard_kept", "wildcard_not_shown", "second_wildcard_hidden")

_CLAIM_KINDS: Final[dict[type[ev.Event], MeldKind]] = {
    ev.ChowMade: MeldKind.CHOW,
    ev.PungMade: MeldKind.PUNG,
    ev.ExposedKongMade: MeldKind.EXPOSED_KONG,
}

_HANDLERS: Final[dict[type[ev.Event], Callable[[Fold, Any, int], None]]] = {
    ev.MatchStarted: Fold._match_started,
    ev.SeatsNamed: Fold._seats_named,
    ev.MatchEnded: Fold._match_ended,
    ev.HandOpened: Fold._hand_opened,
    ev.StakeChosen: Fold._stake_chosen,
    ev.DiceThrown: Fold._dice_thrown,
    ev.HandDealt: Fold._dealt,
    ev.IndicatorTurned: Fold._indicator_turned,
    ev.TileDrawn: Fold._drawn,
    ev.FlowerLaid: Fold._flower_laid,
    ev.TileDiscarded: Fold._discarded,
    ev.ClaimCalled: Fold._called,
    ev.ChowMade: Fold._claimed,
    ev.PungMade: Fold._claimed,
    ev.ExposedKongMade: Fold._claimed,
    ev.ConcealedKongMade: Fold._concealed_kong,
    ev.AddedKongMade: Fold._added_kong,
    ev.TileShown: Fold._tile_shown,
    ev.IncidentNoted: Fold._incident,
    ev.PointsPaid: Fold._paid,
    ev.HandKilled: Fold._killed,
    ev.TimeWarned: Fold._warned,
    ev.Alerted: Fold._alerted,
    ev.WinDeclared: Fold._win_declared,
    ev.WinWithdrawn: Fold._win_withdrawn,
    ev.HandWon: Fold._hand_won,
    ev.HandDrawn: Fold._hand_drawn,
    ev.WallRevealed: Fold._wall_revealed,
    ev.HandEnded: Fold._hand_ended,
    ev.Ruled: Fold._ruled,
}


def _after(t: float | None, seconds: float | None) -> float | None:
    return None if t is None or seconds is None else t + seconds


def _remove(seat: Seat, tile: Tile) -> None:
    """Take ``tile`` out of the standing tiles: itself, else one that is not named yet, else nothing (the draw of it
    was never seen)."""
    if tile in seat.standing:
        seat.standing.remove(tile)
    elif None in seat.standing:
        seat.standing.remove(None)
    if seat.drawn == tile:
        seat.drawn = None
