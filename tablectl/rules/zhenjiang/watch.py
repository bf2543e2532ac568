"""What play brings about by itself in 镇江麻将: 打搭, 首搭必打, 二搭必亮, a wrong number of tiles (Z211–Z215)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tablectl.rules.api import Discard, HandView, Incident
from tablectl.rules.zhenjiang.hand import wildcard_kind
from tablectl.rules.zhenjiang.options import Options
from tablectl.rules.zhenjiang.scoring import CLAIMED
from tablectl.tiles.meld import Meld
from tablectl.tiles.tile import Tile


def observe(hand: HandView, options: Options) -> Iterator[Incident]:
    """What is new with the latest event; each incident comes once."""
    wildcard = wildcard_kind(hand.indicator)
    if wildcard is None or not hand.discards:
        return
    for incident in (*_of_discard(hand, wildcard, options), *_not_shown(hand, wildcard, options)):
        if incident not in hand.incidents:
            yield incident


def _fact(kind: str, seat: int, number: int, *, dead: bool = False, detail: str = "") -> Incident:
    """``number``: of the discard, from 1. A fact with ``dead`` makes its seat 相公 until the referee says otherwise."""
    extra: dict[str, object] = {"discard": number}
    if dead:
        extra |= {"dead": True, "detail": detail}
    return Incident(kind, seat, None, extra)


def _of_discard(hand: HandView, wildcard: Tile, options: Options) -> Iterator[Incident]:
    """What the last discard is (Z211, Z213, Z215)."""
    number, last = len(hand.discards), hand.discards[-1]
    own = [discard.tile for discard in hand.discards if discard.seat == last.seat]
    standing = hand.seats[last.seat].standing
    if last.tile is wildcard:
        yield _fact(_thrown(own, last, wildcard, options), last.seat, number)
        if last.claimed and not options.claimed_wildcard_keeps_bonus:
            yield _fact(CLAIMED, last.seat, number)
    elif len(own) == 1 and wildcard in standing and options.first_wildcard_rule == "must":
        yield _fact("first_wildcard_kept", last.seat, number, dead=True, detail="首搭必打")
    wanted = 13 - 3 * len(hand.seats[last.seat].melds)
    if len(standing) != wanted and options.wrong_count_dead_hand:
        yield _fact("wrong_count", last.seat, number, dead=True, detail=f"{len(standing)} tiles, expected {wanted}")


def _thrown(own: list[Tile], last: Discard, wildcard: Tile, options: Options) -> str:
    """首搭, 碰后打搭 or 半途打搭 (Z213)."""
    without_gap = options.first_wildcard_run and all(tile is wildcard for tile in own)
    if len(own) == 1 or without_gap:
        return "wildcard_first"
    return "wildcard_pung" if last.after == "pung" else "wildcard_mid"


def _not_shown(hand: HandView, wildcard: Tile, options: Options) -> Iterator[Incident]:
    """二搭必亮 (Z214), once a claim, a draw or the next discard has followed the discard that it is about."""
    number = len(hand.discards) - hand.open_discard
    if not number:
        return
    discard = hand.discards[number - 1]
    if options.second_wildcard_rule == "show_held":
        seat = hand.seats[discard.seat]
        held, shown = (list(tiles).count(wildcard) for tiles in (seat.standing, seat.shown))
        if held >= 2 and shown < held - 1:
            yield _fact("second_wildcard_hidden", discard.seat, number, dead=True, detail="二搭必亮")
    elif _is_to_be_shown(hand.discards[:number], wildcard, options) and not discard.shown:
        yield _fact("wildcard_not_shown", discard.seat, number, dead=True, detail="二搭必亮")


def _is_to_be_shown(discards: Sequence[Discard], wildcard: Tile, options: Options) -> bool:
    """Whether the last discard is a 百搭 that is no 首搭, with `second_wildcard_rule` show_discard."""
    last = discards[-1]
    own = [discard.tile for discard in discards if discard.seat == last.seat]
    is_later = last.tile is wildcard and _thrown(own, last, wildcard, options) != "wildcard_first"
    return is_later and options.second_wildcard_rule == "show_discard"


def must_show(hand: HandView, seat: int, options: Options) -> bool:
    """Whether ``seat`` has just discarded a 百搭 that it has to show (Z214)."""
    wildcard = wildcard_kind(hand.indicator)
    if wildcard is None or not hand.open_discard or hand.discards[-1].seat != seat:
        return False
    return _is_to_be_shown(hand.discards, wildcard, options) and not hand.discards[-1].shown


def must_discard(hand: HandView, seat: int, options: Options) -> frozenset[Tile]:
    """首搭必打: before its first discard a seat that holds a 百搭 has to throw one (Z211)."""
    wildcard = wildcard_kind(hand.indicator)
    is_first = not any(discard.seat == seat for discard in hand.discards)
    if options.first_wildcard_rule == "must" and is_first and wildcard in hand.seats[seat].standing:
        return frozenset({wildcard} if wildcard is not None else ())
    return frozenset()


def refuse_claim(hand: HandView, meld: Meld, options: Options) -> str | None:
    """With `wildcard_meld` forbidden no meld of the wildcard kind (Z209)."""
    wild = meld.tile is wildcard_kind(hand.indicator)
    return "wild_in_meld" if wild and options.wildcard_meld == "forbidden" else None
