"""Tiles that move during play: draws, flowers, discards, melds; and what the tracker doubts or corrects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablectl.game import actions as act
from tablectl.game import ends, winning
from tablectl.game import events as ev
from tablectl.game.alerts import OUT_OF_TURN
from tablectl.game.carrying import corrections
from tablectl.game.claims import claims_until, meld_of, offences
from tablectl.game.counting import drawable, view, wanted_tiles
from tablectl.game.judge import candidate, judge, situation
from tablectl.game.limits import LATENCY_SECONDS
from tablectl.game.machine import OPENING, PLAYING
from tablectl.game.opening import shows_discard
from tablectl.game.record import of_last_hand
from tablectl.game.state import Hand, Phase
from tablectl.rules.api import NO_POINTS, Incident
from tablectl.tiles.meld import Meld, MeldKind
from tablectl.tiles.tile import Tile

if TYPE_CHECKING:
    from tablectl.game.table import Table


def _in_play(table: Table, t: float) -> Hand | None:
    """The hand while tiles may move in it: refused wins fall, a legal one that waits stops play."""
    if table.playing is None or not winning.drop_refused(table, t):
        return None
    hand = table.playing
    return hand if hand is not None and hand.phase in (*OPENING, *PLAYING) else None


# --- draws


def draw(table: Table, action: act.Draw) -> None:
    hand = _in_play(table, action.t)
    if hand is None:
        return
    seat = action.seat
    if hand.seats[seat].owed:
        if hand.phase is Phase.ROBBING and seat == hand.turn:
            _settle_added_kong(table, hand, action.t)
            if table.playing is None:
                return
        if action.end == "live" and table.rules.play.replacements_from == "tail":
            table.alert(action.t, "wrong_wall_end", seat, "replacement taken at the head")
        elif action.end == "tail" and table.rules.play.replacements_from == "head":
            table.alert(action.t, "wrong_wall_end", seat, "replacement taken at the tail")
    elif hand.phase is Phase.LAST_ROUND or (hand.phase is Phase.DISCARDED and seat == hand.next_seat):
        if action.end == "tail":
            table.alert(action.t, "wrong_wall_end", seat, "turn draw taken at the tail")
    elif hand.phase in OPENING or seat != hand.turn or hand.phase is Phase.DISCARDED:
        table.alert(action.t, "draw_out_of_turn", seat, _why_not(hand, seat))
    left = drawable(hand, table.rules)
    if left <= 0:
        table.alert(action.t, "draw_from_reserve", seat, f"{left} tiles may be drawn, {hand.wall_left} lie in the wall")
    tail = hand.seats[seat].owed and table.rules.play.replacements_from == "tail"
    was_open = hand.open_discard
    table.emit(ev.TileDrawn(t=action.t, actor=seat, pai=action.tile, from_="tail" if tail else "live"))
    if was_open and hand.discards[-1].tile in hand.wild:
        table.observe(action.t)
    if hand.phase is Phase.LAST_ROUND:
        _declare_last_round(table, hand, seat, action.t)
    ends.end_if_exhausted(table, action.t)


def _why_not(hand: Hand, seat: int) -> str:
    if hand.phase is Phase.DISCARDED:
        return f"it is the turn of seat {hand.next_seat}"
    return "before the discard" if seat == hand.next_seat else f"it is the turn of seat {hand.turn}"


def _declare_last_round(table: Table, hand: Hand, seat: int, t: float) -> None:
    """In the last round the table itself declares a win that lies there (fuzhou T112)."""
    win = candidate(hand, table.rules, seat)
    if win is not None and judge(table.game, hand, table.rules, (win,)).verdicts[0].legal:
        winning.declare_win(table, act.DeclareWin(t=t, seat=seat))


# --- flowers


def lay_flower(table: Table, action: act.LayFlower) -> None:
    hand = _in_play(table, action.t)
    if hand is None:
        return
    if action.tile not in table.rules.play.flowers:
        table.alert(action.t, "false_meld", action.seat, f"{action.tile} is no flower")
        return
    if hand.phase is Phase.CLAIMED and action.seat == hand.turn and not table.rules.play.flowers_after_claim:
        table.alert(action.t, "false_meld", action.seat, "flower right after a claim")
    table.emit(ev.FlowerLaid(t=action.t, actor=action.seat, pai=action.tile))
    table.observe(action.t)
    ends.end_if_exhausted(table, action.t)


# --- discards


def discard(table: Table, action: act.DiscardTile) -> None:
    hand = _in_play(table, action.t)
    if hand is None:
        return
    seat, tile, t = action.seat, action.tile, action.t
    if hand.phase is Phase.LAST_ROUND:
        table.alert(t, "last_round_discard", seat, tile.code)
        return
    if hand.phase is Phase.ROBBING and seat == hand.turn:
        _settle_added_kong(table, hand, t)
    _unfulfilled_calls(table, hand, t)
    alerts = _discard_offences(table, hand, seat, tile)
    dead = tile in table.rules.play.flowers and _flower_kills(table, hand, seat, tile)
    if table.playing is None:
        return
    told = hand.calls.get(seat) == "show"  # the key may be quicker than the antennas
    table.emit(ev.TileDiscarded(t=t, actor=seat, pai=tile, tsumogiri=tile == hand.seats[seat].drawn))
    if told and shows_discard(hand, seat):
        table.emit(ev.TileShown(t=t, actor=seat, pai=tile, what="discard"))
    for code, detail in alerts:
        table.alert(t, code, seat, detail)
    if dead and hand.seats[seat].dead is None:
        table.emit(ev.HandKilled(t=t, actor=seat, reason="flower_discarded"))
    _count(table, hand, seat, t)
    table.observe(t)
    ends.end_if_exhausted(table, t)


def _in_turn(hand: Hand, seat: int) -> bool:
    """Whether ``seat`` may discard now; a draw that was never seen, or came early, does not matter."""
    if hand.phase in OPENING:
        return seat == hand.dealer
    if hand.phase is Phase.DISCARDED:
        return seat == hand.next_seat
    return seat == hand.turn


def _discard_offences(table: Table, hand: Hand, seat: int, tile: Tile) -> list[tuple[str, str]]:
    """Alerts that this discard raises: code and detail."""
    play, holder = table.rules.play, hand.seats[seat]
    found: list[tuple[str, str]] = []
    if not _in_turn(hand, seat):
        found.append(("impossible_move", OUT_OF_TURN))
    if tile in play.flowers and play.flowers_compulsory and not _flower_kong_off_board(table, hand, seat, tile):
        found.append(("flower_discarded", tile.code))
    if play.flowers_compulsory and (kept := [t.code for t in holder.standing if t in play.flowers and t is not tile]):
        found.append(("flower_kept", " ".join(kept)))
    mechanical = holder.dead == "mechanical" or (holder.dead is not None and play.dead_hand_mechanical)
    if mechanical and holder.drawn is not None and holder.drawn != tile:
        found.append(("mechanical_discard", tile.code))
    if tile in hand.wild and play.wild_discard_forbidden:
        found.append(("wild_discarded", tile.code))
    if holder.penalty_tile is not None and holder.penalty_tile != tile:
        found.append(("penalty_tile_kept", holder.penalty_tile.code))
    return found


def _flower_kills(table: Table, hand: Hand, seat: int, tile: Tile) -> bool:
    return table.rules.play.flower_discard_kills and not _flower_kong_off_board(table, hand, seat, tile)


def _flower_kong_off_board(table: Table, hand: Hand, seat: int, tile: Tile) -> bool:
    """The fourth flower may be discarded where its kong would not be paid on the table (competition J78)."""
    if "flower_kong" not in table.rules.incident_kinds or not tile.is_flower:
        return False
    series = range(Tile.PLUM, Tile.SPRING) if tile < Tile.SPRING else range(Tile.SPRING, Tile.WINTER + 1)
    if not all(t == tile or t in hand.seats[seat].flowers for t in series):
        return False
    return table.rules.pay(situation(table.game, hand), Incident("flower_kong", seat)).off_board != NO_POINTS


def _count(table: Table, hand: Hand, seat: int, t: float) -> None:
    """The rest point after a discard: too many or too few tiles (多张, 少张), reported once while it lasts."""
    holder = hand.seats[seat]
    wanted = wanted_tiles(hand, table.rules, seat)
    if len(holder.standing) not in (wanted, holder.miscount):
        table.alert(t, "wrong_tile_count", seat, f"{len(holder.standing)} standing tiles, expected {wanted}")


def _unfulfilled_calls(table: Table, hand: Hand, t: float) -> None:
    """Calls on the last discard that nobody carried out, although play went on. Where another seat's meld took the
    discard, the call was overtaken (or the wrong seat's key was pressed)."""
    if hand.last_discard is None or hand.phase not in (Phase.TURN, Phase.DISCARDED):
        return
    for seat, call in list(hand.calls.items()):
        if call in ("chow", "pung", "kong") and seat not in (hand.last_discard.seat, hand.turn):
            table.alert(t, "claim_not_carried_out", seat, f"{call} {hand.last_discard.tile}")


# --- melds


def lay_meld(table: Table, action: act.LayMeld) -> None:
    hand = _in_play(table, action.t)
    if hand is None:
        return
    seat, t = action.seat, action.t
    kind, detail = meld_of(action)
    if detail is not None:
        table.alert(t, "false_meld", seat, detail)
        return
    if kind in (MeldKind.CHOW, MeldKind.PUNG, MeldKind.EXPOSED_KONG):
        _claim(table, hand, action, t)
    else:
        _own_kong(table, hand, action, t)
    table.observe(t)
    ends.end_if_exhausted(table, t)


def _claim(table: Table, hand: Hand, action: act.LayMeld, t: float) -> None:
    seat, tile = action.seat, action.tile
    assert tile is not None  # meld_of has refused a claim without its tile
    until = claims_until(table, hand)
    late = until is not None and t > until + LATENCY_SECONDS
    if hand.phase is not Phase.DISCARDED:
        moves = winning.moves_since_discard(table)
        if not moves or hand.phase in OPENING or hand.discards[-1].tile != tile or hand.discards[-1].seat == seat:
            table.alert(t, "false_meld", seat, "no discard lies that could be claimed")
            return
        late = late or (until is None and isinstance(moves[0][1], ev.TileDrawn))
        winning.take_back(table, moves, t)
        hand = table.playing or hand
    discard = hand.last_discard
    if discard is None or discard.tile != tile or discard.seat == seat:
        table.alert(t, "false_meld", seat, f"{tile} is not the tile that was discarded")
        return
    call = hand.calls.get(seat)
    called = {MeldKind.CHOW: "chow", MeldKind.PUNG: "pung"}.get(action.kind, "kong")
    if late and action.kind is not MeldKind.CHOW and call not in ("pung", "kong"):
        table.alert(t, "late_claim", seat, f"{called} {tile}")
    if call in ("chow", "pung", "kong") and call != called:
        table.alert(t, "wrong_call", seat, f"called {call}, laid {called}")
    for code, why in offences(table, hand, action, discard.seat):
        table.alert(t, code, seat, why)
    made = {MeldKind.CHOW: ev.ChowMade, MeldKind.PUNG: ev.PungMade}.get(action.kind, ev.ExposedKongMade)
    table.emit(made(t=t, actor=seat, target=discard.seat, pai=tile, consumed=tuple(sorted(action.consumed))))
    if action.kind is MeldKind.EXPOSED_KONG:
        _settle_kong(table, hand, seat, hand.seats[seat].melds[-1], t)


def _own_kong(table: Table, hand: Hand, action: act.LayMeld, t: float) -> None:
    seat = action.seat
    for code, why in offences(table, hand, action, None):
        table.alert(t, code, seat, why)
    if hand.phase is Phase.ROBBING and seat == hand.turn:  # the kong before stands: its replacement was not seen yet
        table.alert(t, "kong_refused", seat, "the replacement of the kong before is due")
        return
    if action.kind is MeldKind.CONCEALED_KONG:
        table.emit(ev.ConcealedKongMade(t=t, actor=seat, consumed=tuple(sorted(action.consumed))))
        _settle_kong(table, hand, seat, hand.seats[seat].melds[-1], t)
        return
    tile = action.tile
    assert tile is not None  # meld_of has refused an added kong without its tile
    if not any(m.kind is MeldKind.PUNG and m.tile == tile for m in hand.seats[seat].melds):
        table.alert(t, "false_meld", seat, f"no pung of {tile} lies there")
        return
    table.emit(ev.AddedKongMade(t=t, actor=seat, pai=tile, consumed=tuple(sorted(action.consumed))))
    if not table.rules.play.rob_added_kong:
        _settle_kong(table, hand, seat, _added_kong(hand, seat, tile), t)


def _settle_kong(table: Table, hand: Hand, seat: int, kong: Meld, t: float) -> None:
    table.settle_incident(t, table.rules.kong(view(hand), seat, kong))


def _settle_added_kong(table: Table, hand: Hand, t: float) -> None:
    """Nobody robbed it: it is paid."""
    assert hand.added is not None
    _settle_kong(table, hand, hand.turn, _added_kong(hand, hand.turn, hand.added), t)


def _added_kong(hand: Hand, seat: int, tile: Tile) -> Meld:
    return next(m for m in hand.seats[seat].melds if m.kind is MeldKind.ADDED_KONG and m.tile is tile)


def show_tile(table: Table, action: act.ShowTile) -> None:
    hand = _in_play(table, action.t)
    if hand is not None:
        table.emit(ev.TileShown(t=action.t, actor=action.seat, pai=action.tile, what=action.what))
        table.observe(action.t)


# --- doubts and corrections of the tracker


def suspect(table: Table, action: act.Suspect) -> None:
    """What only the antennas see. A winning tile mixed in is a fact for the score, too (competition J38)."""
    table.alert(action.t, action.code, action.seat, action.detail)
    hand = table.playing
    if action.code == "winning_tile_mixed_in" and action.seat is not None and hand is not None:
        if Incident("inserted", action.seat) not in hand.incidents:
            table.settle_incident(action.t, Incident("inserted", action.seat))
        winning.rejudge(table, action.t)


def amend(table: Table, action: act.Amend) -> None:
    """An earlier event was read wrongly."""
    right = ev.Corrected(t=action.t, replaces=action.replaces, event=action.event)
    winning.correct(table, action.t, *corrections(of_last_hand(table.state), right))
