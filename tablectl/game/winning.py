"""Declared wins and their confirmation."""

from __future__ import annotations

from dataclasses import replace
from itertools import dropwhile
from typing import TYPE_CHECKING

from tablectl.game import actions as act
from tablectl.game import ends
from tablectl.game import events as ev
from tablectl.game.counting import minus
from tablectl.game.fold import FoldError
from tablectl.game.judge import candidate, declared, in_order, judge, opening_win
from tablectl.game.machine import DECLARABLE
from tablectl.game.state import Hand, Phase
from tablectl.rules.api import NO_POINTS, Incident, Points, Settlement, Win

if TYPE_CHECKING:
    from tablectl.game.table import Table

#: what may follow a discard and be overtaken by a claim of higher rank
_MOVES = (ev.TileDrawn, ev.ChowMade, ev.PungMade, ev.ExposedKongMade)
#: reasons of a win that is refused only because another seat comes first: no offence
OVERTAKEN = ("not_first", "outranked")


# --- declaring


def declare_win(table: Table, action: act.DeclareWin) -> None:
    """A seat called a win: judge it, and propose it for confirmation with its reason where it is refused."""
    hand = table.playing
    if hand is None or any(win.actor == action.seat for win in hand.declared):
        return
    on_dealt_tiles = opening_win(hand, table.rules, action.seat) is not None
    if hand.phase is Phase.DECLARED and not on_dealt_tiles and not _may_join(hand, action.seat):
        return  # the hand laid open is that of another self-draw
    if hand.phase not in (*DECLARABLE, Phase.DECLARED):
        return
    if not on_dealt_tiles:
        if _too_late(table, hand, action):
            table.alert(action.t, "late_claim", action.seat, f"win {hand.discards[-1].tile}")
            return
        _take_back_moves(table, hand, action)
        hand = table.playing or hand
    win = candidate(hand, table.rules, action.seat, action.tile)
    if win is None:
        _not_judged(table, hand, action)
        return
    _propose(table, hand, win, action.t)


def _may_join(hand: Hand, seat: int) -> bool:
    """Whether ``seat`` may still declare beside the declared wins: on the same tile; or in its own turn, where others
    have won on their dealt tiles (fuzhou T310)."""
    if hand.resume in (Phase.DISCARDED, Phase.ROBBING):
        return seat != hand.turn
    return seat == hand.turn


def moves_since_discard(table: Table) -> list[tuple[int, ev.Event]] | None:
    """What a claim of higher rank takes back: the draw or meld that followed the last discard, with what it brought
    about. What the discard itself brought about stands before it.

    None where nothing followed it, or where more happened than can be taken back.
    """
    found: list[tuple[int, ev.Event]] = []
    moves = 0
    opened = table.hand.live_taken if table.hand else 0
    if not opened:
        return None
    for seq, event in reversed(list(table.state.effective(max(table.state.first_seq, table.last_seq - 40)))):
        if isinstance(event, ev.TileDiscarded):
            moved = list(reversed(found))
            return list(dropwhile(lambda item: not isinstance(item[1], _MOVES), moved)) if moves else None
        if isinstance(event, _MOVES):
            moves += 1
            if moves > 1:
                return None
            found.append((seq, event))
        elif isinstance(event, (ev.PointsPaid, ev.IncidentNoted)):
            found.append((seq, event))
        elif not isinstance(event, (ev.Alerted, ev.ClaimCalled, ev.TimeWarned, ev.WinDeclared, ev.WinWithdrawn)):
            return None
    return None


def take_back(table: Table, moves: list[tuple[int, ev.Event]], t: float) -> None:
    """Take moves that a claim of higher rank overtook out of the record, latest first."""
    for seq, _ in reversed(moves):
        table.emit(ev.Corrected(t=t, replaces=seq, event=None, by="rules"))


def _take_back_moves(table: Table, hand: Hand, action: act.DeclareWin) -> None:
    """A win on the last discard goes before a meld made of it, and before the next draw (competition J18, J20)."""
    if not table.rules.play.win_on_discard or hand.phase not in (Phase.TURN, Phase.CLAIMED, Phase.REPLACING):
        return
    moves = moves_since_discard(table)
    if not moves or not hand.discards:
        return
    discard, own = hand.discards[-1], action.seat == hand.turn
    drew = isinstance(moves[0][1], ev.TileDrawn)
    if action.seat == discard.seat or (own and drew):
        return
    take_back(table, moves, action.t)


def _too_late(table: Table, hand: Hand, action: act.DeclareWin) -> bool:
    """A seat that drew wins on what it drew only; calling the discard it passed is too late (competition J129). So is a
    call after the next seat has played on."""
    if hand.phase is not Phase.TURN:
        return False
    if action.seat != hand.turn:
        return table.rules.play.win_on_discard and bool(hand.discards) and moves_since_discard(table) is None
    drawn = hand.seats[action.seat].drawn
    moves = moves_since_discard(table)
    if not moves or not isinstance(moves[0][1], ev.TileDrawn) or drawn is None or not table.rules.play.win_on_discard:
        return False
    own = candidate(hand, table.rules, action.seat, action.tile)
    if own is None or judge(table.game, hand, table.rules, (own,)).verdicts[0].legal:
        return False
    concealed = [*own.concealed, own.tile]
    concealed.remove(drawn)
    passed = Win(
        seat=action.seat,
        concealed=tuple(sorted(concealed)),
        melds=own.melds,
        flowers=own.flowers,
        tile=hand.discards[-1].tile,
        source=hand.discards[-1].seat,
    )
    return judge(table.game, hand, table.rules, (passed,)).verdicts[0].legal


def _not_judged(table: Table, hand: Hand, action: act.DeclareWin) -> None:
    """The seat cannot win here, or its tiles are not all named yet: then the call stands until they are."""
    holder = hand.seats[action.seat]
    if None in holder.standing:
        if hand.calls.get(action.seat) != "win":
            table.emit(ev.ClaimCalled(t=action.t, actor=action.seat, claim="win"))
        return
    table.alert(action.t, "false_win", action.seat, "out_of_turn")


def _propose(table: Table, hand: Hand, win: Win, t: float) -> None:
    wins = in_order([win, *_declared_wins(table, hand)])
    settlement = judge(table.game, hand, table.rules, wins)
    standing = {event.actor: event for event in hand.declared}
    for n, each in enumerate(wins):
        event = declared(each, settlement.verdicts[n], _payments_of(table, hand, settlement, wins, n), t)
        old = standing.get(each.seat)
        if old is None or (old.legal, old.score, old.payments) != (event.legal, event.score, event.payments):
            table.emit(event)
        if each is win and not event.legal and event.reason not in OVERTAKEN:
            table.alert(t, "false_win", win.seat, event.reason or "")


def _declared_wins(table: Table, hand: Hand) -> list[Win]:
    found = (candidate(hand, table.rules, event.actor, event.pai) for event in hand.declared)
    return [win for win in found if win is not None]


def _payments_of(table: Table, hand: Hand, settlement: Settlement, wins: tuple[Win, ...], n: int) -> Points:
    """What win ``n`` alone pays. A refused one may pay too (competition J74)."""
    if settlement.verdicts[n].legal:
        legal = [k for k in range(len(wins)) if settlement.verdicts[k].legal]
        if len(settlement.win_payments) == len(wins):
            return settlement.win_payments[n]
        if len(settlement.win_payments) == len(legal):
            return settlement.win_payments[legal.index(n)]
    alone = settlement if len(wins) == 1 else judge(table.game, hand, table.rules, (wins[n],))
    if alone.verdicts[0].legal:
        return NO_POINTS  # refused only because of the others
    return minus(alone.payments, ends.paid_for_incidents(hand))


def correct(table: Table, t: float, *right: ev.Corrected) -> bool:
    """Earlier events were read wrongly: the declared wins are judged again. False where what followed cannot follow the
    right ones; then a person has to look."""
    if len(right) > 1 and (why := table.state.objection(*right)) is not None:
        table.alert(t, "impossible_move", None, why)
        return False
    try:
        for corrected in right:
            table.emit(corrected)
    except FoldError as error:
        table.alert(t, "impossible_move", None, str(error))
        return False
    rejudge(table, t)
    return True


def rejudge(table: Table, t: float) -> None:
    """Tiles were named anew: judge the declared wins again, and those that waited for names."""
    hand = table.playing
    if hand is None:
        return
    if hand.phase is Phase.DECLARED:
        wins = in_order(_declared_wins(table, hand))
        if not wins:
            return
        settlement = judge(table.game, hand, table.rules, wins)
        for n, win in enumerate(wins):
            event = declared(win, settlement.verdicts[n], _payments_of(table, hand, settlement, wins, n), t)
            old = next(o for o in hand.declared if o.actor == win.seat)
            if _worth(old) != _worth(event):
                table.emit(event)
    for seat, call in list(hand.calls.items()):
        if call == "win" and None not in hand.seats[seat].standing:
            declare_win(table, act.DeclareWin(t=t, seat=seat))


def _worth(win: ev.WinDeclared) -> tuple[object, ...]:
    return win.pai, win.hand, win.legal, dict(win.fans), win.score, win.payments


# --- confirming


def confirm(table: Table, t: float, by: str) -> None:
    """Carry out the proposal: settle the legal wins, or the consequences of a refused one."""
    hand = table.playing
    if hand is None or hand.phase is not Phase.DECLARED:
        return
    table.emit(ev.Ruled(t=t, do="confirm", by=by))
    refused = [win for win in hand.declared if not win.legal]
    legal = [win for win in hand.declared if win.legal]
    carry = judge(table.game, hand, table.rules, in_order(_declared_wins(table, hand))).carry if legal else {}
    for win in refused:
        fall(table, win, t)
    if not legal:
        _after_false_win(table, t)
        return
    for win in legal:  # on the same tile: what a false win cost does not keep them from being paid
        table.emit(
            ev.HandWon(
                t=t,
                actor=win.actor,
                target=win.target,
                pai=win.pai,
                fans=dict(win.fans),
                score=win.score,
                deltas=win.payments,
            )
        )
    ends.end_hand(table, t, dict(carry))


def fall(table: Table, win: ev.WinDeclared, t: float) -> None:
    """A refused win falls, with what the rules attach to it: compensation or a fine, dead hand (competition J74, J89,
    mcr T57, zhenjiang Z508)."""
    table.emit(ev.WinWithdrawn(t=t, actor=win.actor, reason=win.reason or "refused"))
    play = table.rules.play
    offence = win.reason not in play.harmless_refusals
    if offence and "false_win" in table.rules.incident_kinds:
        extra = {"points": max(win.payments)} if win.payments != NO_POINTS else {}
        table.settle_incident(t, Incident("false_win", win.actor, None, extra))
    elif win.payments != NO_POINTS:
        table.emit(ev.PointsPaid(t=t, reason="penalty", deltas=win.payments))
    hand = table.playing
    if hand is not None and play.false_win_kills and offence and hand.seats[win.actor].dead is None:
        table.emit(ev.HandKilled(t=t, actor=win.actor, reason="false_win"))


def _after_false_win(table: Table, t: float) -> None:
    """Nobody else won: the hand goes on, is dealt again, or is drawn (beijing T44), unless what the false win cost ends
    the game (competition J72, J74)."""
    ends.break_off_if_over(table, t)
    what = table.rules.play.after_false_win
    if what != "continue":
        ends.draw_hand(table, t, "void" if what == "replay" else "false_win")


def find_false(table: Table, t: float, seat: int) -> None:
    """The referee finds the declared win of ``seat`` false, whatever the table made of it."""
    hand = table.playing
    win = None if hand is None else next((win for win in hand.declared if win.actor == seat), None)
    if hand is None or win is None:
        return
    if win.legal:
        win = replace(win, legal=False, reason="false_win", fans={}, score=0, payments=NO_POINTS)
    fall(table, win, t)
    if table.playing is not None and not hand.declared:
        _after_false_win(table, t)


def refuse(table: Table, t: float, by: str, seat: int | None, reason: str) -> None:
    """The referee refuses declared wins (all, or that of ``seat``)."""
    hand = table.playing
    if hand is None:
        return
    table.emit(ev.Ruled(t=t, do="refuse", by=by, seat=seat, reason=reason))
    refused = [win for win in hand.declared if seat in (None, win.actor)]
    for win in refused:
        if win.legal:
            table.emit(ev.WinWithdrawn(t=t, actor=win.actor, reason=reason or "refused"))
        else:
            fall(table, win, t)
    if not hand.declared and not all(win.legal for win in refused):
        _after_false_win(table, t)


def drop_refused(table: Table, t: float) -> bool:
    """Play goes on although a win is declared: where none of the declared wins is legal, they fall; or the calls were
    taken back before the hands were laid open, where that makes them none (beijing T43, tianjin T511).

    True where play may go on."""
    hand = table.playing
    if hand is None or hand.phase is not Phase.DECLARED:
        return True
    if any(win.legal for win in hand.declared):
        return False
    for win in list(hand.declared):
        if not table.rules.play.false_call_taken_back:
            fall(table, win, t)
        else:
            table.emit(ev.WinWithdrawn(t=t, actor=win.actor, reason="taken_back"))
            if win.target != win.actor:
                table.alert(t, "claim_not_carried_out", win.actor, f"win {win.pai.code}")
    ends.break_off_if_over(table, t)
    return table.playing is not None


def confirm_if_agreed(table: Table, t: float) -> None:
    """Without a referee a win counts when every other seat has pressed ``pass`` (过: no objection).

    ``win`` would not do as the sign of agreement: it declares a second winner of the same tile."""
    hand = table.playing
    if hand is None or table.rules.play.referee_confirms:
        return
    winners = {win.actor for win in hand.declared}
    if hand.passed | winners | table.game.empty_seats >= {0, 1, 2, 3}:
        confirm(table, t, by="players")
