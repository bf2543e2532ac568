"""What a hand in progress waits for, from its state: the kind of notice and its values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from tablectl.announce.words import Phrase, Seat
from tablectl.game.state import Hand, Phase
from tablectl.rules.api import RuleSet

Waiting = tuple[str, dict[str, Any]]


def waiting_for(hand: Hand, rules: RuleSet) -> Waiting | None:
    """Kind and values of the notice, None where the hand waits for nobody."""
    find = _WAITING_FOR.get(hand.phase)
    return find(hand, rules) if find else None


def broken_at(hand: Hand) -> dict[str, Any]:
    """Wall and stack where the deal begins (values ``seat`` and ``stack``, None while the dice have not said it)."""
    if hand.deck is None:
        return {"seat": None, "stack": None}
    first = hand.deck.places[0]
    return {"seat": Seat(first.side, hand.dealer), "stack": first.stack}


def _dice(hand: Hand, rules: RuleSet) -> Waiting:
    sums = [sum(throw) for throw in hand.throws]
    thrower = rules.thrower(hand.dealer, sums)
    seat = Seat(hand.dealer if thrower is None else thrower, hand.dealer)
    if sums:
        return "dice_again", {"seat": seat, "total": sums[-1]}
    return "walls_ready", {"seat": seat}


def _stakes(hand: Hand, rules: RuleSet) -> Waiting:
    """tianjin: whether the dealer sits (坐庄), and who pulled how much (拉庄)."""
    rows: list[tuple[object, ...]] = []
    if "sit" in hand.stakes:
        key = "stakes.sit" if hand.stakes["sit"] else "stakes.stand"
        rows.append((Phrase(key, (("seat", Seat(hand.dealer, hand.dealer)),)),))
    pulls = hand.stakes.get("pull")
    if isinstance(pulls, Mapping):
        rows += [(Phrase("stakes.pull", (("seat", Seat(s, hand.dealer)), ("n", n))),) for s, n in pulls.items()]
    return "stakes", {"stakes": rows}


def _discard(hand: Hand, rules: RuleSet) -> Waiting:
    seat = hand.next_seat if hand.phase is Phase.DISCARDED else hand.turn
    limit = None if hand.deadline is None or hand.since is None else hand.deadline - hand.since
    return "turn", {"seat": Seat(seat, hand.dealer), "deadline": hand.deadline, "limit": limit}


_WAITING_FOR: Final[Mapping[Phase, Callable[[Hand, RuleSet], Waiting]]] = {
    Phase.STAKES: _stakes,
    Phase.DICE: _dice,
    Phase.DEALING: lambda hand, rules: ("dealing", broken_at(hand)),
    Phase.INDICATOR: lambda hand, rules: ("turning", {}),
    Phase.FLOWERS: lambda hand, rules: ("flowers", {"seat": Seat(hand.turn, hand.dealer)}),
    Phase.TURN: _discard,
    Phase.REPLACING: _discard,
    Phase.CLAIMED: _discard,
    Phase.DISCARDED: _discard,
    Phase.ROBBING: _discard,
    Phase.LAST_ROUND: lambda hand, rules: ("last_round", {"seat": Seat(hand.next_seat, hand.dealer)}),
}
