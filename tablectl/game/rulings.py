"""The referee's acts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from tablectl.game import actions as act
from tablectl.game import ends, opening, record, winning
from tablectl.game import events as ev
from tablectl.game.counting import add, minus
from tablectl.game.judge import situation
from tablectl.game.state import Hand, MatchPhase, Phase
from tablectl.rules.api import NO_POINTS, Incident, Payment, RulesError, Situation
from tablectl.rules.options import nearest
from tablectl.tiles.notation import format_tiles

if TYPE_CHECKING:
    from tablectl.game.table import Table

#: acts that need a seat
_OF_A_SEAT = (
    *("dead_hand", "revive", "penalty", "penalty_tile", "expose", "unclear_call", "warning"),
    *("announce", "amend", "false_win", "inserted", "apart", "put_back", "seat_empty", "seat_taken", "count"),
)
#: acts that state a fact of the rule system: its incident kind (beijing T17, T24; competition J38)
FACTS = {"expose": "exposure", "unclear_call": "unclear_call", "inserted": "inserted"}
#: acts during a hand only
_IN_A_HAND = ("dead_hand", "revive", "penalty_tile", "draw_hand", "replay_hand", "put_back", *FACTS)
ACTS = (
    *(*_OF_A_SEAT, "confirm", "refuse", "dismiss", "draw_hand", "replay_hand", "correct", "undo"),
    *("pause", "resume", "extra_time", "end_game"),
)
#: what a seat does with its tiles
_MOVES = (
    *(ev.TileDiscarded, ev.FlowerLaid, ev.ChowMade, ev.PungMade),
    *(ev.ExposedKongMade, ev.ConcealedKongMade, ev.AddedKongMade),
)


def refusal(table: Table, ruling: act.Rule) -> str | None:
    """Why this ruling has no effect now; None where it has one."""
    do, hand = ruling.do, table.playing
    if do not in ACTS:
        return f"{do!r} is no ruling; expected one of {', '.join(sorted(ACTS))}"
    if do in _OF_A_SEAT and ruling.seat not in (0, 1, 2, 3):
        return f"{do} needs a seat, 0–3"
    if do == "confirm" and table.unconfirmed:
        return None
    if do in ("confirm", "refuse") and (hand is None or hand.phase is not Phase.DECLARED):
        return "no win is declared"
    if do in _IN_A_HAND and hand is None:
        return "no hand is being played"
    if do in FACTS and FACTS[do] not in table.rules.incident_kinds:
        return f"{do} is no ruling of {table.rules.name_zh}"
    if do in _NEEDS:
        met, words = _NEEDS[do]
        return None if met(table, ruling) else words.format(seat=ruling.seat)
    return _REFUSALS[do](table, ruling) if do in _REFUSALS else None


def _judgement_refused(table: Table, ruling: act.Rule) -> str | None:
    hand = table.playing
    if ruling.do == "announce" and not table.rules.play.points_announced:
        return f"the table counts the points of {table.rules.name_zh}"
    win = None if hand is None else next((win for win in hand.declared if win.actor == ruling.seat), None)
    if win is None:
        return f"seat {ruling.seat} has not declared a win"
    if ruling.do == "announce":
        return None if ruling.points is not None and ruling.points >= 0 else "announce needs the points"
    if ruling.do == "amend":
        if not win.legal:
            return "the win is refused: its fans do not count"
        fans = ruling.fans or {}
        if not fans or not all(type(value) is int and value >= 0 for value in fans.values()):
            return "amend needs the fans with their values, fans"
        known = {*win.fans, *(entry.name for entry in table.rules.fan_table())}
        unknown = [f"{name!r} is no fan of {table.rules.name_zh}{nearest(name, known)}" for name in {*fans} - known]
        return "; ".join(sorted(unknown)) or None
    return None


def _extra_time_refused(table: Table, ruling: act.Rule) -> str | None:
    limited = table.rules.play.match_minutes is not None
    return None if limited and ruling.seconds is not None else "extra_time needs the seconds, and a game with a limit"


def _undo_refused(table: Table, ruling: act.Rule) -> str | None:
    hand = table.playing
    if hand is not None and hand.phase not in (Phase.DICE, Phase.STAKES):
        return "a hand is being played; draw_hand ends it"
    return None if table.game.before else "there is no hand to undo"


def _penalty_refused(table: Table, ruling: act.Rule) -> str | None:
    if not ruling.points or ruling.points < 0:
        return "a penalty needs points above 0"
    if ruling.to not in ("each", "nobody", None) and ruling.to not in (0, 1, 2, 3):
        return "a penalty goes to 'each', 'nobody' or a seat 0–3"
    if ruling.to == ruling.seat:
        return "a penalty cannot go to the seat that pays it"
    try:
        _penalty(table, ruling)
    except RulesError as error:
        return str(error)
    return None


def _count_refused(table: Table, ruling: act.Rule) -> str | None:
    if table.rules.play.points_in_play is None:
        return f"nothing is counted in {table.rules.name_zh}"
    return None if ruling.points is not None and ruling.points >= 0 else "count needs the points, 0 or more"


def _correction_refused(table: Table, ruling: act.Rule) -> str | None:
    if ruling.replaces is None:
        return "correct needs the place of the event in the hand's record, replaces"
    seq = record.sequence_number(table.state, ruling.replaces)
    if seq is None:
        return f"the hand's record has no event {ruling.replaces} that can be corrected"
    why = table.state.objection(ev.Corrected(t=ruling.t, replaces=seq, event=ruling.event, by=ruling.by))
    return None if why is None else f"what happened after it does not fit that: {why}"


#: rulings with a condition of their own, and what is said where it is not met
_NEEDS: Final[dict[str, tuple[Callable[[Table, act.Rule], bool], str]]] = {
    "put_back": (
        lambda table, ruling: _last_draw(table, ruling.seat) is not None,
        "seat {seat} holds no tile that it has just drawn",
    ),
    "apart": (
        lambda table, ruling: _insertion(table, ruling.seat) is not None,
        "the winning tile of seat {seat} was not put among the standing ones",
    ),
    "penalty_tile": (lambda table, ruling: ruling.pai is not None, "penalty_tile needs the tile, pai"),
    "expose": (lambda table, ruling: bool(ruling.tiles), "expose needs the tiles that were seen together, tiles"),
    "pause": (lambda table, ruling: table.game.paused_at is None, "the clock stands already"),
    "resume": (lambda table, ruling: table.game.paused_at is not None, "the clock is running"),
    "dismiss": (lambda table, ruling: ruling.alert is not None, "dismiss needs the number of the alert"),
    "end_game": (
        lambda table, ruling: table.game.phase in (MatchPhase.BETWEEN, MatchPhase.HAND),
        "no match is being played",
    ),
}
#: rulings that can be refused for several reasons
_REFUSALS: Final[dict[str, Callable[[Table, act.Rule], str | None]]] = {
    **dict.fromkeys(("announce", "amend", "false_win"), _judgement_refused),
    "extra_time": _extra_time_refused,
    "undo": _undo_refused,
    "penalty": _penalty_refused,
    "count": _count_refused,
    "correct": _correction_refused,
}


def rule(table: Table, action: act.Rule) -> None:
    if refusal(table, action) is not None:
        return
    do, t = action.do, action.t
    if do == "confirm" and table.playing is not None:
        winning.confirm(table, t, action.by)
    elif do == "refuse":
        winning.refuse(table, t, action.by, action.seat, action.reason)
    elif do == "correct":
        _correct(table, action)
    else:
        hand = table.playing
        table.emit(
            ev.Ruled(
                t=t,
                do=do,
                by=action.by,
                seat=action.seat,
                points=action.points,
                to=action.to,
                reason=action.reason,
                pai=action.pai,
                tiles=action.tiles,
                alert=action.alert,
                fans=action.fans,
                seconds=action.seconds,
            )
        )
        _carry_out(table, action, hand)


def _carry_out(table: Table, action: act.Rule, hand: Hand | None) -> None:
    """``hand``: the one that was being played when the ruling was made."""
    t, seat = action.t, action.seat
    match action.do:
        case "penalty":
            _carry_out_penalty(table, _penalty(table, action), t)
            _end_again(table, t, action.by)
        case "count" if seat is not None:
            held = (table.match.points if hand is None else hand.points)[seat]
            if action.points != held:
                table.alert(t, "tickets_mismatch", seat, f"counted {action.points}, expected {held}")
        case do if do in FACTS and seat is not None:
            extra = {"tiles": format_tiles(action.tiles)} if action.tiles else {}
            table.settle_incident(t, Incident(FACTS[do], seat, None, extra))
            winning.rejudge(table, t)
        case "announce" | "amend":
            winning.rejudge(table, t)
        case "false_win" if seat is not None:
            winning.find_false(table, t, seat)
        case "put_back":
            _take_out(table, action, _last_draw(table, seat))
        case "apart":
            _take_out(table, action, _insertion(table, seat))
        case "dead_hand" if seat is not None:
            table.emit(ev.HandKilled(t=t, actor=seat, reason=action.reason or "referee"))
        case "undo" if hand is not None:  # its walls stand already
            opening.open_hand(table, t)
        case "draw_hand":
            ends.draw_hand(table, t, action.reason or "referee")
        case "replay_hand":
            ends.draw_hand(table, t, "void")
        case "seat_empty" if seat is not None:
            _leave(table, action, seat, hand)
        case "end_game":
            _end_game(table, t, hand)


def _take_out(table: Table, action: act.Rule, seq: int | None) -> None:
    """Number ``seq`` of the record did not happen."""
    if seq is not None:
        _replace(table, action.t, seq, None, action)


def _leave(table: Table, action: act.Rule, seat: int, hand: Hand | None) -> None:
    table.alert(action.t, "seat_empty", seat, action.reason)
    if hand is None:
        return
    if "escape" in table.rules.incident_kinds:  # 逃跑 (fuzhou T507)
        table.settle_incident(action.t, Incident("escape", seat))
        ends.draw_hand(table, action.t, "void")
    else:
        table.emit(ev.HandKilled(t=action.t, actor=seat, reason="mechanical"))


def _end_game(table: Table, t: float, hand: Hand | None) -> None:
    if hand is not None and hand.live_taken:
        ends.draw_hand(table, t, "broken_off")
    if table.game.phase is not MatchPhase.OVER:
        ends.end_match(table, t, "referee")


def _penalty(table: Table, action: act.Rule) -> Payment:
    hand, match = table.playing, table.match
    now = Situation(points=match.points) if hand is None else situation(table.game, hand)
    points = match.points if hand is None else hand.points
    assert action.seat is not None
    assert action.points is not None
    return table.rules.penalty(now, points, action.seat, action.points, action.to)


def _carry_out_penalty(table: Table, payment: Payment, t: float) -> None:
    """A penalty that is a fact of the rule system is noted with it (beijing T40: it lies in the pot)."""
    off_board = payment.off_board if payment.off_board != NO_POINTS else None
    fact = payment.incident
    table.emit(
        ev.PointsPaid(
            t=t,
            reason="penalty" if fact is None else fact.kind,
            deltas=payment.deltas,
            off_board=off_board,
            actor=None if fact is None else fact.seat,
            target=None if fact is None else fact.source,
            extra={} if fact is None else dict(fact.extra),
        )
    )
    ends.break_off_if_over(table, t)
    if table.game.phase is MatchPhase.BETWEEN and table.rules.broken_off(table.match.points):
        ends.end_match(table, t, "broken_off")


def _last_draw(table: Table, seat: int | None) -> int | None:
    """The number of the draw after which ``seat`` has not moved a tile."""
    for seq, event in reversed(list(record.of_last_hand(table.state))):
        if isinstance(event, ev.TileDrawn) and event.actor == seat:
            return seq
        if isinstance(event, _MOVES) and event.actor == seat:
            return None
    return None


def _insertion(table: Table, seat: int | None) -> int | None:
    """The number of the event that noted where the winning tile of ``seat`` was put."""
    for seq, event in record.of_last_hand(table.state):
        if isinstance(event, ev.IncidentNoted) and event.kind == FACTS["inserted"] and event.actor == seat:
            return seq
    return None


def _correct(table: Table, action: act.Rule) -> None:
    """Put the right event in place of one of the hand's record, and the account right where the hand had ended."""
    assert action.replaces is not None  # refusal has looked
    seq = record.sequence_number(table.state, action.replaces)
    if seq is not None:
        _replace(table, action.t, seq, action.event, action)


def _replace(table: Table, t: float, seq: int, event: ev.Event | None, ruling: act.Rule) -> None:
    right = ev.Corrected(t=t, replaces=seq, event=event, by=ruling.by, reason=ruling.reason)
    if winning.correct(table, t, right):
        _close_again(table, t, ruling.by)


def _close_again(table: Table, t: float, by: str) -> None:
    """After a correction in a hand that had ended: its account follows from the payments as they are now, and so does
    the result of a match that ended with it."""
    hand = table.hand
    if hand is None or hand.phase is not Phase.ENDED:
        return
    ended: tuple[int, ev.HandEnded] | None = None
    points = hand.start_points
    won: list[tuple[int, Mapping[str, int]]] = []
    for seq, event in record.of_last_hand(table.state):
        if isinstance(event, (ev.PointsPaid, ev.HandWon, ev.HandDrawn)) and ended is None:
            points = add(points, event.deltas)
            won += [(event.actor, event.fans)] if isinstance(event, ev.HandWon) else []
        elif isinstance(event, ev.HandEnded):
            ended = seq, event
    if ended is not None:
        deltas = minus(points, hand.start_points)
        carry = table.rules.carry_after(situation(table.game, hand), won, deltas, ended[1].carry)
        right = replace(ended[1], scores=points, deltas=deltas, carry=dict(carry))
        if right != ended[1]:
            table.emit(ev.Corrected(t=t, replaces=ended[0], event=right, by=by))
    _end_again(table, t, by)


def _end_again(table: Table, t: float, by: str) -> None:
    """The result of a match that is over, as the points are now."""
    if table.game.phase is not MatchPhase.OVER:
        return
    over = next(((n, event) for n, event in record.of_last_hand(table.state) if isinstance(event, ev.MatchEnded)), None)
    if over is not None and (now := ends.match_ended(table, over[1].t, over[1].reason)) != over[1]:
        table.emit(ev.Corrected(t=t, replaces=over[0], event=now, by=by))
