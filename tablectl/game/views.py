"""Views: what each role may see of the state and of the events.

Nobody sees a tile of the wall. Standing tiles are for the referee, and a player's own for that player. The operator
sees what a spectator sees. Whatever depends on a hidden tile (alerts about what stands in a hand, whether a discard was
the tile just drawn) is for the referee, too.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from tablectl.game import events as ev
from tablectl.game.claims import claims_until
from tablectl.game.counting import drawable
from tablectl.game.counting import view as rules_view
from tablectl.game.judge import situation
from tablectl.game.limits import deadline, to_discard
from tablectl.game.opening import stakes_due, to_throw
from tablectl.game.state import Hand, OpenAlert, Phase, Seat
from tablectl.rules.api import NO_POINTS, Play
from tablectl.tiles.meld import Meld
from tablectl.tiles.tile import Tile, seat_wind

if TYPE_CHECKING:
    from tablectl.game.table import Table

Json = dict[str, Any]


class Role(StrEnum):
    """Who looks."""

    SPECTATOR = "spectator"
    PLAYER = "player"
    REFEREE = "referee"
    OPERATOR = "operator"


#: alerts that everybody at the table may hear of; the others are for the referee's console (competition section 7)
PUBLIC_ALERTS: Final = frozenset(
    {
        "dice_wrong_seat",
        "wrong_break",
        "draw_out_of_turn",
        "wrong_wall_end",
        "draw_from_reserve",
        "flower_discarded",
        "late_claim",
        "kong_refused",
        "last_round_discard",
        "over_time",
        "penalty_tile_kept",
        "wrong_indicator",
        "wild_discarded",
        "wildcard_not_shown",
        "stake_key_refused",
        "seat_empty",
        "seat_change",
        "hand_mixed_early",
        "unknown_tag",
        "wrong_set",
        "wall_mismatch",
    }
)
#: facts that tell of tiles still standing (zhenjiang Z211, Z214)
_SECRET_FACTS: Final = frozenset({"first_wildcard_kept", "second_wildcard_hidden"})


def _sees(role: Role, own: int | None, seat: int) -> bool:
    """Whether the standing tiles of ``seat`` are for this role."""
    return role is Role.REFEREE or (role is Role.PLAYER and own == seat)


# --- the state


def view(table: Table, role: Role | str, seat: int | None = None) -> Json:
    """The match and the hand as ``role`` may see them, ready for JSON. ``seat``: that of a player.

    Raises:
        ValueError: an unknown role, or a player without a seat.
    """
    role = Role(role)
    if role is Role.PLAYER and seat not in (0, 1, 2, 3):
        raise ValueError("a player's view needs the seat, 0–3")
    game, match, hand = table.game, table.match, table.hand
    return {
        "role": role.value,
        "seat": seat if role is Role.PLAYER else None,
        "seq": table.last_seq,
        "rules": table.rules.id,
        "simulated": game.simulated or table.simulated,
        "names": list(game.names),
        "match": {
            "phase": game.phase.value,
            "hand": match.hand,
            "game": match.game,
            "circle": match.circle,
            "dealer": match.dealer,
            "prevalent": match.prevalent.code,
            "streak": match.streak,
            "points": list(match.points),
            "off_board": list(match.off_board),
            "carry": dict(match.carry),
            "over": match.over,
            "empty_seats": sorted(game.empty_seats),
            "started_at": game.started_at,
            "paused": game.paused_at is not None,
            "unconfirmed": table.unconfirmed,
            "pause_due": table.pause_due,
        },
        "hand": None if hand is None else _hand(table, hand, role, seat),
    }


def _hand(table: Table, hand: Hand, role: Role, own: int | None) -> Json:
    discard = hand.last_discard
    playing = hand.phase not in (Phase.IDLE, Phase.ENDED)
    return {
        "number": hand.number,
        "phase": hand.phase.value,
        "dealer": hand.dealer,
        "prevalent": hand.prevalent.code,
        "streak": hand.streak,
        "factor": table.rules.factor(hand.streak),
        "pot": _pot(table, hand),
        "turn": hand.turn,
        "to_act": _to_act(table, hand),
        "points": list(hand.points),
        "start_points": list(hand.start_points),
        "off_board": list(hand.off_board),
        "dice": [list(throw) for throw in hand.throws],
        "commitments": dict(hand.commitments),
        "wall_left": hand.wall_left,
        "drawable": drawable(hand, table.rules) if playing else 0,
        "last_round": hand.last_round if hand.phase is Phase.LAST_ROUND else None,
        "indicator": hand.indicator.code if hand.indicator is not None else None,
        "wild": sorted(tile.code for tile in hand.wild),
        "stakes": _stakes(hand, role, own),
        "to_choose": list(stakes_due(hand)),
        "since": hand.since,
        "deadline": deadline(table, hand),
        "claims_until": claims_until(table, hand) if hand.phase in (Phase.DISCARDED, Phase.ROBBING) else None,
        "overrun": hand.overrun,
        "last_discard": None if discard is None else {"seat": discard.seat, "tile": discard.tile.code},
        "calls": {str(seat): call for seat, call in sorted(hand.calls.items())},
        "passed": sorted(hand.passed),
        "announced": {str(seat): points for seat, points in sorted(hand.announced.items())},
        "seats": [_seat(table, hand, seat, role, own) for seat in range(4)],
        "declared": [
            ev.to_json(shown) for win in hand.declared if (shown := redact(win, role, own, play=table.rules.play))
        ],
        "alerts": [told for alert in hand.alerts if (told := _alert(table, alert, role, own))],
        "winners": list(hand.winners),
        "drawn_reason": hand.drawn_reason,
    }


def _alert(table: Table, alert: OpenAlert, role: Role, own: int | None) -> Json | None:
    """An open alert; for the referee with how often the seat gave cause for it, and the ruling that the rules propose
    (mcr T63)."""
    shown = redact(alert.alert, role, own, play=table.rules.play)
    if shown is None:
        return None
    told = {"seq": alert.seq, **ev.to_json(shown)}
    if role is Role.REFEREE:
        proposal = table.rules.proposal(alert.alert.code, alert.count)
        told |= {"count": alert.count, "proposal": None if proposal is None else asdict(proposal)}
    return told


def _to_act(table: Table, hand: Hand) -> int | None:
    """The seat that everybody waits for."""
    if hand.phase is Phase.DICE:
        return to_throw(table, hand)
    if hand.phase is Phase.FLOWERS:
        return next((n for n in range(4) if hand.seats[n].owed), hand.turn)
    if hand.phase in (Phase.IDLE, Phase.ENDED, Phase.DECLARED, Phase.DEALING, Phase.STAKES):
        return None
    return hand.next_seat if hand.phase is Phase.LAST_ROUND else to_discard(hand)


def _pot(table: Table, hand: Hand) -> int:
    """What lies in the pot for the next winner (beijing T40)."""
    if not table.rules.penalties.pot:
        return 0
    carry = table.match.carry if hand.phase is Phase.ENDED else table.rules.settle(situation(table.game, hand)).carry
    return carry.get("pot", 0)


def _stakes(hand: Hand, role: Role, own: int | None) -> Json:
    """Pulls are shown when all three have been made (tianjin T204); a player sees his own before that."""
    stakes = dict(hand.stakes)
    pulls = stakes.pop("pull", None)
    if isinstance(pulls, dict):
        open_ = hand.phase is not Phase.STAKES
        seen = {seat: n for seat, n in sorted(pulls.items()) if open_ or _sees(role, own, seat)}
        stakes |= {"pull": seen} if seen else {}
    return stakes


def _seat(table: Table, hand: Hand, number: int, role: Role, own: int | None) -> Json:
    seat, play = hand.seats[number], table.rules.play
    sees = _sees(role, own, number)
    hides_kongs = play.concealed_kong_hidden and hand.phase is not Phase.ENDED and not sees
    return {
        "wind": seat_wind(number, hand.dealer).code,
        "name": table.game.names[number],
        "points": hand.points[number],
        "count": len(seat.standing),
        "standing": _standing(seat) if sees else None,
        "drawn": seat.drawn.code if sees and seat.drawn is not None else None,
        "owed": seat.owed,
        "melds": [_meld(meld, number, hidden=hides_kongs and meld.is_concealed) for meld in seat.melds],
        "flowers": [tile.code for tile in seat.flowers],
        "river": [
            {"tile": lying.tile.code, "claimed_by": lying.claimed_by, **({"drawn": lying.drawn} if sees else {})}
            for lying in seat.river
        ],
        "dead": seat.dead if sees or (play.dead_hand_shown and seat.dead not in _SECRET_FACTS) else None,
        "ready": seat.ready,
        "hung": seat.hung.code if seat.hung is not None else None,
        "shown": [tile.code for tile in seat.shown],
        "penalty_tile": seat.penalty_tile.code if seat.penalty_tile is not None else None,
        "barred": sorted(tile.code for tile in table.rules.barred(hand.incidents, number)),
        "must_discard": sorted(tile.code for tile in _must_discard(table, hand, number)) if sees else [],
    }


def _must_discard(table: Table, hand: Hand, number: int) -> frozenset[Tile]:
    """What the seat in turn has to discard, a reminder for itself (zhenjiang Z211)."""
    in_turn = hand.phase in (Phase.TURN, Phase.CLAIMED) and number == hand.turn
    return table.rules.must_discard(rules_view(hand), number) if in_turn else frozenset()


def _standing(seat: Seat) -> list[str | None]:
    """Standing tiles sorted, the drawn one last, those not named yet at the end."""
    named = sorted(tile for tile in seat.standing if tile is not None)
    if seat.drawn in named:
        named.remove(seat.drawn)
        named.append(seat.drawn)
    return [*(tile.code for tile in named), *([None] * seat.standing.count(None))]


def _meld(meld: Meld, owner: int, *, hidden: bool) -> Json:
    """``sideways``: which of the tiles, counted from the left, points to the seat it came from (competition J26)."""
    size = len(meld.tiles)
    tiles: list[str | None] = [None] * size if hidden else [tile.code for tile in meld.tiles]
    if meld.taken is not None:
        tiles.remove(meld.taken.code)
        tiles.insert(0, meld.taken.code)
    return {
        "kind": meld.kind.value,
        "tiles": tiles,
        "source": meld.source,
        "source_seat": meld.source_seat(owner),
        "taken": meld.taken.code if meld.taken is not None else None,
        "sideways": {1: 0, 2: 1, 3: min(size, 3) - 1 if meld.kind != "exposed_kong" else 3}.get(meld.source),
    }


# --- events


def redact(event: ev.Event, role: Role | str, seat: int | None = None, *, play: Play | None = None) -> ev.Event | None:
    """The event as ``role`` may see it; None where it may not see it at all. ``play``: of the rule system in force."""
    role = Role(role)
    if role is Role.REFEREE:
        return event
    play = play or Play()
    if isinstance(event, ev.HandDealt):
        hands = enumerate(event.tehais)
        return replace(event, tehais=tuple(h if _sees(role, seat, n) else (None,) * len(h) for n, h in hands))
    if isinstance(event, ev.TileDrawn):
        return event if _sees(role, seat, event.actor) else replace(event, pai=None)
    if isinstance(event, ev.TileDiscarded):
        return event if _sees(role, seat, event.actor) else replace(event, tsumogiri=False)
    if isinstance(event, ev.ConcealedKongMade):
        hidden = play.concealed_kong_hidden and not _sees(role, seat, event.actor)
        return replace(event, consumed=()) if hidden else event
    if isinstance(event, ev.Alerted):
        return replace(event, detail="") if event.code in PUBLIC_ALERTS else None
    if isinstance(event, ev.WinDeclared):
        return _unjudged(event) if play.referee_confirms else event
    if isinstance(event, ev.StakeChosen):
        return event if event.stake == "sit" or (role is Role.PLAYER and event.actor == seat) else None
    if isinstance(event, ev.IncidentNoted):
        return None if event.kind in _SECRET_FACTS and not _sees(role, seat, event.actor) else event
    if isinstance(event, ev.HandKilled):
        shown = play.dead_hand_shown and event.reason not in _SECRET_FACTS
        return event if shown or _sees(role, seat, event.actor) else None
    if isinstance(event, ev.WinWithdrawn):
        return replace(event, reason="refused") if play.referee_confirms else event
    if isinstance(event, ev.Corrected):
        return replace(event, event=None if event.event is None else redact(event.event, role, seat, play=play))
    return event


def _unjudged(event: ev.WinDeclared) -> ev.WinDeclared:
    """The hand lies open, but what it is worth stands on the referee's console only until he confirms (J107)."""
    return replace(event, legal=True, reason=None, fans={}, score=0, payments=NO_POINTS, how=(), proof=())
