"""From the start of a match to the dealer's first turn: walls, keys, stakes, dice, deal, indicator."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

from tablectl.game import actions as act
from tablectl.game import ends, winning
from tablectl.game import events as ev
from tablectl.game.claims import claims_until
from tablectl.game.counting import dealer_throw_due
from tablectl.game.machine import OPENING, PLAYING
from tablectl.game.record import of_last_hand
from tablectl.game.state import Hand, MatchPhase, Phase
from tablectl.rules.api import MatchState

if TYPE_CHECKING:
    from tablectl.game.table import Table

#: keys that are calls on a discard or announcements of a move
CALLS = frozenset({"chow", "pung", "kong", "flower", "show"})
#: seconds after which dice that did not come to rest (stuck, or the power failed) may be thrown again
DICE_SECONDS = 10.0
#: the antennas see the last tiles of a deal up to so many seconds after they were taken
DEAL_SEEN_SECONDS = 4.0


def start_match(table: Table, action: act.StartMatch) -> None:
    if table.game.phase is MatchPhase.HAND:
        return
    if table.match.over is not None:
        table.start = _following(table)
    planned = table.names
    if any(action.names):
        table.names = action.names
    table.simulated = action.simulated
    _start(table, action.t, action.dealer)
    _by_plan(table, action.t, planned)


def _by_plan(table: Table, t: float, planned: tuple[str, ...]) -> None:
    """In a further game of a round the players sit as the plan has them (competition J97, J143)."""
    names = table.game.names
    if table.match.game > 1 and len({*planned}) == 4 and {*names} == {*planned}:
        for seat in range(4):
            if names[seat] != planned[seat]:
                table.alert(t, "seat_change", seat, f"{planned[seat]} sits here by the plan")


def name_seats(table: Table, action: act.NameSeats) -> None:
    table.names = action.names
    table.emit(ev.SeatsNamed(t=action.t, names=action.names))


def _start(table: Table, t: float, drawn: int | None = None) -> None:
    """``drawn``: the seat drawn to deal first; a match that was given from outside has its dealer."""
    rules = table.rules
    if table.start is None:
        table.start = _following(table) or rules.first_hand()
        if table.start.game == 1:
            table.state.forget()
    elif table.start.first is None and drawn is None and rules.play.first_dealer != "set":
        drawn = table.start.dealer
    if drawn is not None:
        table.start = replace(table.start, dealer=drawn, first=drawn)
    changed = rules.options.model_dump(mode="json", exclude_defaults=True)
    table.emit(
        ev.MatchStarted(
            t=t,
            rules=rules.id,
            options=changed,
            names=table.names,
            scores=table.start.points,
            simulated=table.simulated,
            dealer=table.start.first,
        )
    )


def _following(table: Table) -> MatchState | None:
    """The next game of the round, its players on the seats of the plan (competition J97)."""
    rules, played = table.rules, table.game.match
    following = rules.next_game(played) if played.over is not None else None
    if following is not None:
        before, after = rules.seating(played.game), rules.seating(following.game)
        a, b, c, d = (table.game.names[before.index(player)] for player in after)
        table.names = (a, b, c, d)
    return following


def raise_walls(table: Table, action: act.RaiseWalls) -> None:
    """The walls are up: open the next hand, after closing one that was given up on the way."""
    if table.playing is not None:
        ends.abandon(table, action.t)
    if table.game.phase in (MatchPhase.WAITING, MatchPhase.OVER):
        if table.game.phase is MatchPhase.OVER:
            table.start = None
            table.names, table.simulated = table.game.names, table.game.simulated
        _start(table, action.t)
    open_hand(table, action.t)


def open_hand(table: Table, t: float) -> None:
    """The walls stand: the hand that the match has come to."""
    match = table.match
    table.emit(
        ev.HandOpened(
            t=t,
            hand=match.hand,
            rules=table.rules.id,
            dealer=match.dealer,
            bakaze=match.prevalent,
            streak=match.streak,
            scores=match.points,
            game=match.game,
            circle=match.circle,
            carry=dict(match.carry),
        )
    )
    _stakes_of_empty_seats(table, t)


def press(table: Table, action: act.Press) -> None:
    hand = table.playing
    if hand is None:
        return
    if action.key == "dice":
        _press_dice(table, hand, action)
    elif action.key in ("sit", "pull"):
        _press_stake(table, hand, action)
    elif action.key == "win":
        winning.declare_win(table, act.DeclareWin(t=action.t, seat=action.seat))
    elif action.key == "pass":
        _press_pass(table, hand, action)
    elif action.key == "ready":
        if not hand.seats[action.seat].ready:
            table.emit(ev.ClaimCalled(t=action.t, actor=action.seat, claim="ready"))
    elif action.key == "call":
        table.emit(ev.ClaimCalled(t=action.t, actor=action.seat, claim="call"))
    elif action.key == "show" and shows_discard(hand, action.seat):
        table.emit(ev.TileShown(t=action.t, actor=action.seat, pai=hand.discards[-1].tile, what="discard"))
    elif action.key in CALLS:
        _press_call(table, hand, action)


def to_throw(table: Table, hand: Hand) -> int | None:
    """The seat whose throw is awaited, None outside the phase of the dice and where any one player throws."""
    if hand.phase is not Phase.DICE or dealer_throw_due(table.game, table.rules):
        return None
    return table.rules.thrower(hand.dealer, [sum(throw) for throw in hand.throws])


def _press_dice(table: Table, hand: Hand, action: act.Press) -> None:
    thrower = to_throw(table, hand)
    if _throws_after_deal(table, hand, action.seat):
        table.emit(ev.ClaimCalled(t=action.t, actor=action.seat, claim="early_dice"))
    elif hand.phase is not Phase.DICE:
        table.alert(action.t, "dice_wrong_seat", action.seat, "no throw is due")
    elif not may_throw(table, hand, action.seat):
        table.alert(action.t, "dice_wrong_seat", action.seat, f"seat {thrower} throws")
    elif hand.dice_pressed and action.t < (hand.dice_pressed_at or 0.0) + DICE_SECONDS:
        table.alert(action.t, "dice_wrong_seat", action.seat, "pressed twice")
    elif not ends.end_by_time(table, action.t):
        table.emit(ev.ClaimCalled(t=action.t, actor=action.seat, claim="dice"))


def _throws_after_deal(table: Table, hand: Hand, seat: int) -> bool:
    """Whether ``seat`` has the next throw, once the deal that is going on is complete (tianjin T103): its last tiles
    may lie already, and be seen in a moment."""
    thrower = table.rules.thrower(hand.dealer, [sum(throw) for throw in hand.throws])
    dealing = hand.phase is Phase.DEALING and hand.early_dice is None
    return dealing and thrower is not None and (seat == thrower or thrower in table.game.empty_seats)


def may_throw(table: Table, hand: Hand, seat: int) -> bool:
    """Whether ``seat`` may make the throw that is due: the seat named for it, where that is empty or the rules do not
    mind anybody."""
    thrower = to_throw(table, hand)
    anybody = thrower is None or thrower in table.game.empty_seats or table.rules.play.any_seat_throws
    return hand.phase is Phase.DICE and (anybody or seat == thrower)


# --- stakes


def stakes_due(hand: Hand) -> tuple[int, ...]:
    """The seats that have to choose now: the dealer, then the three others at once (tianjin T203, T204)."""
    if hand.phase is not Phase.STAKES:
        return ()
    if "sit" not in hand.stakes:
        return (hand.dealer,)
    pulls = cast(dict[int, int], hand.stakes.get("pull", {}))
    return tuple(seat for n in (1, 2, 3) if (seat := (hand.dealer + n) % 4) not in pulls)


def choose_stake(table: Table, hand: Hand, seat: int, n: int, t: float) -> None:
    table.emit(ev.StakeChosen(t=t, actor=seat, stake="sit" if seat == hand.dealer else "pull", n=n))
    _stakes_of_empty_seats(table, t)


def _stakes_of_empty_seats(table: Table, t: float) -> None:
    """A seat without a player neither sits nor pulls."""
    hand = table.playing
    empty = next((seat for seat in stakes_due(hand) if seat in table.game.empty_seats), None) if hand else None
    if hand is not None and empty is not None:
        choose_stake(table, hand, empty, 0, t)


def _press_stake(table: Table, hand: Hand, action: act.Press) -> None:
    n = 1 if action.n is None else action.n
    most = 1 if action.key == "sit" else table.rules.play.pull_max
    own_key = (action.key == "sit") == (action.seat == hand.dealer)
    if own_key and action.seat in stakes_due(hand) and 0 <= n <= most:
        choose_stake(table, hand, action.seat, n, action.t)
    else:
        table.alert(action.t, "stake_key_refused", action.seat, action.key)


# --- calls


def shows_discard(hand: Hand, seat: int) -> bool:
    """Whether the show key is about the wildcard that ``seat`` has just discarded (亮搭, zhenjiang Z214)."""
    last = hand.last_discard
    return hand.open_discard and last is not None and last.seat == seat and last.tile in hand.wild and not last.shown


def _press_pass(table: Table, hand: Hand, action: act.Press) -> None:
    """In DISCARDED and ROBBING: no claim. In DECLARED: the seat agrees to the win."""
    if action.seat in hand.passed or hand.phase not in (Phase.DISCARDED, Phase.ROBBING, Phase.DECLARED):
        return
    table.emit(ev.ClaimCalled(t=action.t, actor=action.seat, claim="pass"))
    if hand.phase is Phase.DECLARED:
        winning.confirm_if_agreed(table, action.t)
    else:
        ends.end_if_exhausted(table, action.t)


def _press_call(table: Table, hand: Hand, action: act.Press) -> None:
    """A call on the discard, or before a move of the own turn. A late one is an offence while the discard lies."""
    if hand.calls.get(action.seat) == action.key:
        return
    discard = hand.last_discard
    claims = action.key in ("pung", "kong") and discard is not None and discard.seat != action.seat
    moved_on = hand.phase is Phase.TURN and hand.turn != action.seat
    in_claims = hand.phase is Phase.DISCARDED or moved_on
    until = claims_until(table, hand)
    late = moved_on and not _called_before_draw(table, action.t) if until is None else action.t > until
    if discard is not None and claims and in_claims and late:
        table.alert(action.t, "late_claim", action.seat, f"{action.key} {discard.tile}")
        return
    table.emit(ev.ClaimCalled(t=action.t, actor=action.seat, claim=action.key))


def _called_before_draw(table: Table, t: float) -> bool:
    """Whether a call of the time ``t``, heard of only now, was made while the last discard lay."""
    moves = winning.moves_since_discard(table)
    drawn = moves[0][1].t if moves else None
    return drawn is not None and t < drawn


def rest_dice(table: Table, action: act.RestDice) -> None:
    hand = table.playing
    if hand is None or hand.phase is not Phase.DICE:
        return
    thrower = to_throw(table, hand)
    if thrower is not None:
        table.emit(ev.DiceThrown(t=action.t, actor=thrower, dice=action.dice))
    else:
        presser = hand.dealer if hand.dice_presser is None else hand.dice_presser
        dealer = table.rules.first_seat(presser, sum(action.dice))
        table.emit(ev.DealerThrown(t=action.t, actor=presser, dice=action.dice, dealer=dealer))


def deal(table: Table, action: act.Deal) -> None:
    """The deal is complete. Without dice (they were not read) the hand is played all the same."""
    hand = table.playing
    if hand is None or hand.phase not in (Phase.DICE, Phase.DEALING) or hand.live_taken:
        return
    tehais = tuple(tuple(sorted(tiles, key=lambda tile: 99 if tile is None else tile)) for tiles in action.hands)
    table.emit(ev.HandDealt(t=action.t, tehais=tehais))
    table.emit(ev.TileDrawn(t=action.t, actor=hand.dealer, pai=action.drawn))
    if hand.early_dice is not None:
        table.emit(ev.ClaimCalled(t=action.t, actor=hand.early_dice[0], claim="dice"))


def indicator_awaited(table: Table, hand: Hand) -> bool:
    """Whether the indicator is due, or play has begun without the table's knowing it."""
    awaited = table.rules.play.indicator != "none" and hand.indicator is None
    return awaited and hand.phase in (*OPENING, *PLAYING)


def _correct_indicator(table: Table, action: act.TurnIndicator) -> None:
    """Another tile lies there than was told: what was noted of discards for the wrong wildcards goes with it."""
    told = list(of_last_hand(table.state))
    seq, turned = [(seq, event) for seq, event in told if isinstance(event, ev.IndicatorTurned)][-1]
    if turned.pai is action.tile:
        return
    noted = [n for n, event in told if isinstance(event, ev.IncidentNoted) and event.kind == "wild_discard"]
    right = ev.IndicatorTurned(t=turned.t, pai=action.tile, actor=turned.actor)
    winning.correct(
        table,
        action.t,
        ev.Corrected(t=action.t, replaces=seq, event=right, by=action.by),
        *(ev.Corrected(t=action.t, replaces=n, event=None, by=action.by) for n in noted),
    )


def turn_indicator(table: Table, action: act.TurnIndicator) -> None:
    hand = table.playing
    if hand is not None and hand.indicator is not None:
        _correct_indicator(table, action)
        return
    if hand is None or not indicator_awaited(table, hand):
        return
    if hand.phase is Phase.FLOWERS:
        for seat, holder in enumerate(hand.seats):
            if any(tile in table.rules.play.flowers for tile in holder.standing if tile is not None):
                table.alert(action.t, "flower_kept", seat, "when the indicator was turned up")
    table.emit(ev.IndicatorTurned(t=action.t, pai=action.tile, actor=action.seat))
