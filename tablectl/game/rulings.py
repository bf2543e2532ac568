"""The referee's acts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from tablectl.game import actions as act
from tablectl.game import ends, opening, record, winning
from tablectl.game import events as ev
from tablectl.game.carrying import corrections, mixed, named
from tablectl.game.counting import add, minus
from tablectl.game.judge import situation
from tablectl.game.state import Hand, MatchPhase, Phase
from tablectl.refusals import Refusal
from tablectl.rules.api import NO_POINTS, Incident, Payment, RulesError, Situation
from tablectl.rules.options import nearest
from tablectl.tiles.notation import format_tiles

if TYPE_CHECKING:
    from tablectl.game.table import Table

#: acts that need a seat
OF_A_SEAT = (
    *("dead_hand", "revive", "penalty", "penalty_tile", "expose", "unclear_call", "warning"),
    *("announce", "amend", "false_win", "inserted", "apart", "put_back", "seat_empty", "seat_taken", "count"),
)
#: acts that state a fact of the rule system: its incident kind (beijing T17, T24; competition J38)
FACTS = {"expose": "exposure", "unclear_call": "unclear_call", "inserted": "inserted"}
#: acts during a hand only
_IN_A_HAND = ("dead_hand", "revive", "penalty_tile", "draw_hand", "replay_hand", "put_back", *FACTS)
ACTS = (
    *(*OF_A_SEAT, "confirm", "refuse", "dismiss", "draw_hand", "replay_hand", "correct", "undo"),
    *("pause", "resume", "extra_time", "end_game"),
)
#: events that a person corrects, and what of them can be another one; all of them can be taken out
CORRECTABLE: Final[Mapping[str, tuple[str, ...]]] = {
    **dict.fromkeys(("tsumo", "flower", "dahai"), ("tile", "seat")),
    **dict.fromkeys(("chi", "pon", "daiminkan", "ankan", "kakan"), ("tile",)),
    "pay": (),
}
#: what a seat does with its tiles
_MOVES = (
    *(ev.TileDiscarded, ev.FlowerLaid, ev.ChowMade, ev.PungMade),
    *(ev.ExposedKongMade, ev.ConcealedKongMade, ev.AddedKongMade),
)


def refusal(table: Table, ruling: act.Rule) -> Refusal | None:
    """Why this ruling has no effect now; None where it has one."""
    why = not_now(table, ruling.do, ruling.seat)
    if why is not None or ruling.do not in _PARTICULARS:
        return why
    return _PARTICULARS[ruling.do](table, ruling)


def not_now(table: Table, do: str, seat: int | None = None) -> Refusal | None:
    """Why this act has no effect now (on ``seat``), whatever else a ruling says; None where it may have one. What the
    console refuses is not offered."""
    hand = table.playing
    if do not in ACTS:
        return Refusal("no_ruling", do=do, known=", ".join(sorted(ACTS)))
    if do in OF_A_SEAT and seat not in (0, 1, 2, 3):
        return Refusal("needs_seat", do=do)
    if do == "confirm" and table.unconfirmed:
        return None
    if do in ("confirm", "refuse") and (hand is None or hand.phase is not Phase.DECLARED):
        return Refusal("no_win_declared")
    if do in _IN_A_HAND and hand is None:
        return Refusal("no_hand")
    if do in FACTS and FACTS[do] not in table.rules.incident_kinds:
        return Refusal("not_of_these_rules", do=do, rules=table.rules.name_zh)
    for met, key in _NEEDS.get(do, ()):
        if not met(table, seat):
            return Refusal(key, seat=seat, rules=table.rules.name_zh)
    return None


def _win_of(table: Table, seat: int | None) -> ev.WinDeclared | None:
    hand = table.playing
    return None if hand is None else next((win for win in hand.declared if win.actor == seat), None)


def _legal_win(table: Table, seat: int | None) -> bool:
    win = _win_of(table, seat)
    return win is not None and win.legal


def _dead(table: Table, seat: int | None) -> bool:
    return table.playing is not None and seat is not None and table.playing.seats[seat].dead is not None


def _no_hand_yet(table: Table, seat: int | None) -> bool:
    return table.playing is None or table.playing.phase in (Phase.DICE, Phase.STAKES)


def _points_announced(table: Table, seat: int | None) -> bool:
    return table.rules.play.points_announced


def _counted(table: Table, seat: int | None) -> bool:
    return table.rules.play.points_in_play is not None


def _limited(table: Table, seat: int | None) -> bool:
    return table.rules.play.match_minutes is not None


_Need = tuple[Callable[["Table", int | None], bool], str]
_DECLARED: Final[_Need] = (lambda table, seat: _win_of(table, seat) is not None, "has_not_declared")
#: what must be so for a ruling, and what is said where it is not
_NEEDS: Final[dict[str, tuple[_Need, ...]]] = {
    "announce": ((_points_announced, "table_counts"), _DECLARED),
    "amend": (_DECLARED, (_legal_win, "win_refused")),
    "false_win": (_DECLARED,),
    "put_back": ((lambda table, seat: _last_draw(table, seat) is not None, "nothing_just_drawn"),),
    "inserted": ((lambda table, seat: _insertion(table, seat) is None, "put_among_already"),),
    "apart": ((lambda table, seat: _insertion(table, seat) is not None, "not_put_among"),),
    "dead_hand": ((lambda table, seat: not _dead(table, seat), "dead_already"),),
    "revive": ((_dead, "not_dead"),),
    "seat_empty": ((lambda table, seat: seat not in table.game.empty_seats, "empty_already"),),
    "seat_taken": ((lambda table, seat: seat in table.game.empty_seats, "not_empty"),),
    "penalty": ((lambda table, seat: table.game.phase is not MatchPhase.WAITING, "no_match_begun"),),
    "count": ((_counted, "nothing_counted"),),
    "pause": ((lambda table, seat: table.game.paused_at is None, "clock_stands"),),
    "resume": ((lambda table, seat: table.game.paused_at is not None, "clock_runs"),),
    "extra_time": ((_limited, "no_limit"),),
    "end_game": ((lambda table, seat: table.game.phase in (MatchPhase.BETWEEN, MatchPhase.HAND), "no_match"),),
    "undo": (
        (_no_hand_yet, "undo_while_playing"),
        (lambda table, seat: bool(table.game.before), "nothing_to_undo"),
    ),
}


def _fans_refused(table: Table, ruling: act.Rule) -> Refusal | None:
    fans, win = ruling.fans or {}, _win_of(table, ruling.seat)
    assert win is not None  # not_now has looked
    if not fans or not all(type(value) is int and value >= 0 for value in fans.values()):
        return Refusal("amend_needs_fans")
    known = {*win.fans, *(entry.name for entry in table.rules.fan_table())}
    unknown = sorted({*fans} - known)
    told = "; ".join(f"{name!r} is no fan of {table.rules.name_zh}{nearest(name, known)}" for name in unknown)
    return Refusal("no_fans", rules=table.rules.name_zh, names="、".join(unknown), told=told) if unknown else None


def _penalty_refused(table: Table, ruling: act.Rule) -> Refusal | None:
    if not ruling.points or ruling.points < 0:
        return Refusal("penalty_needs_points")
    if ruling.to not in ("each", "nobody", None) and ruling.to not in (0, 1, 2, 3):
        return Refusal("penalty_to")
    if ruling.to == ruling.seat:
        return Refusal("penalty_to_self")
    try:
        _penalty(table, ruling)
    except RulesError as error:
        amounts = "、".join(map(str, table.rules.penalties.amounts))
        return Refusal("penalty_amount", amounts=amounts, told=error)
    return None


def _correction_refused(table: Table, ruling: act.Rule) -> Refusal | None:
    if ruling.replaces is None:
        return Refusal("correct_needs_place")
    seq = record.sequence_number(table.state, ruling.replaces)
    if seq is None:
        return Refusal("correct_no_event", place=ruling.replaces)
    if foreign := [tile.code for tile in named(ruling.event) if tile not in table.rules.tile_set.counts]:
        return Refusal("without_tile", rules=table.rules.name_zh, tile=foreign[0])
    if mixed(ruling.event):
        return Refusal("of_one_kind")
    why = table.state.objection(*_corrected(table, ruling.t, seq, ruling.event, ruling))
    return None if why is None else Refusal("correct_does_not_fit", why=why)


def _wants(met: Callable[[act.Rule], bool], key: str) -> Callable[[Table, act.Rule], Refusal | None]:
    return lambda table, ruling: None if met(ruling) else Refusal(key)


#: what a ruling must say, and what of it may be refused
_PARTICULARS: Final[dict[str, Callable[[Table, act.Rule], Refusal | None]]] = {
    "announce": _wants(lambda r: r.points is not None and r.points >= 0, "announce_needs_points"),
    "amend": _fans_refused,
    "extra_time": _wants(lambda r: r.seconds is not None, "extra_time_needs"),
    "penalty": _penalty_refused,
    "count": _wants(lambda r: r.points is not None and r.points >= 0, "count_needs_points"),
    "penalty_tile": _wants(lambda r: r.pai is not None, "needs_tile"),
    "expose": _wants(lambda r: bool(r.tiles), "needs_tiles"),
    "dismiss": _wants(lambda r: r.alert is not None, "needs_alert"),
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
            if action.points != held:  # told whenever a person counts, not only once since the last discard
                told = f"counted {action.points}, expected {held}"
                table.emit(ev.Alerted(t=t, code="tickets_mismatch", seat=seat, detail=told))
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
    if winning.correct(table, t, *_corrected(table, t, seq, event, ruling)):
        _close_again(table, t, ruling.by)


def _corrected(table: Table, t: float, seq: int, event: ev.Event | None, ruling: act.Rule) -> tuple[ev.Corrected, ...]:
    right = ev.Corrected(t=t, replaces=seq, event=event, by=ruling.by, reason=ruling.reason)
    return corrections(record.of_last_hand(table.state), right)


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
