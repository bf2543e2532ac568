"""What can be done at the table now. The console refuses by it, and as the section ``can`` it tells pages what to
offer; so no page has to know when a thing may be done."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from tablectl.game import rulings
from tablectl.game.opening import indicator_awaited, may_throw, stakes_due
from tablectl.game.state import Phase
from tablectl.game.table import Table
from tablectl.game.views import Role
from tablectl.refusals import Refusal

Json = dict[str, Any]

#: keys that every table has, and those that only some rule systems have (`rules.api.Play.extra_keys`)
USUAL_KEYS: Final = ("dice", "chow", "pung", "kong", "win", "flower", "pass", "call")
STAKES: Final = ("sit", "pull")
#: the numbers that some keys carry; ``sit`` may leave it out
NUMBERS: Final[Mapping[str, tuple[int | None, ...]]] = {"sit": (None, 0, 1), "pull": (0, 1, 2)}
SEATS: Final = range(4)


def _start(table: Table) -> Refusal | None:
    return Refusal("hand_played_first") if table.playing is not None else None


def _dice(table: Table) -> Refusal | None:
    hand = table.playing
    return None if hand is not None and hand.phase is Phase.DICE else Refusal("no_throw_awaited")


def _indicator(table: Table) -> Refusal | None:
    hand = table.playing
    wanted = hand is not None and (hand.indicator is not None or indicator_awaited(table, hand))
    return None if wanted else Refusal("no_indicator_awaited")


#: the commands ``match.<do>``, and why one has no effect now
MATCH: Final[Mapping[str, Callable[[Table], Refusal | None]]] = {
    "start": _start,
    "end": lambda table: rulings.not_now(table, "end_game"),
    "seats": lambda table: None,
    "dice": _dice,
    "indicator": _indicator,
}


def keys(table: Table, seat: int) -> list[Json]:
    """The keys, each with its number where it carries one, that do something for ``seat`` now."""
    hand = table.playing
    if hand is None:
        return []
    if hand.phase is Phase.STAKES:
        if seat not in stakes_due(hand):
            return []
        if seat == hand.dealer:
            return [{"key": "sit", "n": n} for n in (0, 1)]
        return [{"key": "pull", "n": n} for n in range(table.rules.play.pull_max + 1)]
    if hand.phase in (Phase.DICE, Phase.DEALING):
        return [{"key": "dice"}] if may_throw(table, hand, seat) else []
    usual = [key for key in USUAL_KEYS if key != "dice"]
    return [{"key": key} for key in (*usual, *sorted(table.rules.play.extra_keys - {*STAKES}))]


def score_queries_open(table: Table) -> bool:
    """Whether the scores may be asked for in the game that is played (competition J102)."""
    queries = table.rules.play.score_queries
    return queries is not None and table.match.game == queries.game


def agreement_refused(table: Table, seat: int) -> Refusal | None:
    """Why ``seat`` has no declared win to agree to."""
    hand = table.playing
    if hand is None or hand.phase is not Phase.DECLARED:
        return Refusal("no_win_declared")
    if any(win.actor == seat for win in hand.declared):
        return Refusal("own_win")
    return Refusal("agreed_already") if seat in hand.passed else None


def offered(table: Table, role: Role, seat: int | None = None) -> Json:
    """The section ``can``: what somebody of this role can do now.

    ``match``: commands of `MATCH`. ``rulings``: a referee's acts on the table as a whole. ``seats``: for each seat
    the acts that can be ruled on it, and its keys. ``player``: a player's own acts.
    """
    if role is Role.PLAYER and seat is not None:
        asks = ["score_query"] if score_queries_open(table) else []
        return {"player": [*([] if agreement_refused(table, seat) else ["agree"]), *asks, "call"]}
    if role not in (Role.REFEREE, Role.OPERATOR):
        return {}
    rules = rulings.ACTS if role is Role.REFEREE else ()
    asks = ["score_query"] if role is Role.REFEREE and score_queries_open(table) else []
    return {
        "match": [do for do, refused in MATCH.items() if refused(table) is None],
        "rulings": [do for do in rules if do not in rulings.OF_A_SEAT and rulings.not_now(table, do) is None],
        "seats": [
            {
                "rulings": [
                    *(do for do in rules if do in rulings.OF_A_SEAT and rulings.not_now(table, do, n) is None),
                    *asks,
                ],
                "keys": keys(table, n),
            }
            for n in SEATS
        ],
    }
