"""Whether tiles laid open are a meld, and whether it may be made now."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablectl.game import actions as act
from tablectl.game.counting import drawable, view
from tablectl.game.machine import OPENING
from tablectl.game.state import Hand, Phase
from tablectl.tiles.meld import KONGS, Meld, MeldKind, source_of
from tablectl.tiles.tile import Tile

if TYPE_CHECKING:
    from tablectl.game.table import Table


def is_run(tiles: tuple[Tile, ...]) -> bool:
    """Three tiles of one suit in sequence."""
    low = min(tiles)
    return len(tiles) == 3 and bool(low.suit) and low.rank <= 7 and sorted(tiles) == [low, low + 1, low + 2]


def meld_of(action: act.LayMeld) -> tuple[MeldKind, str | None]:
    """The kind of the tiles laid open, and why they are no meld (None: they are one)."""
    kind, consumed = action.kind, action.consumed
    tiles = consumed if action.tile is None else (*consumed, action.tile)
    shown = " ".join(tile.code for tile in sorted(tiles))
    if kind is not MeldKind.CONCEALED_KONG and action.tile is None:
        return kind, "bad_meld: no claimed tile"
    if kind is MeldKind.CHOW:
        return kind, None if is_run(tiles) else f"bad_meld: no run: {shown}"
    size = 3 if kind is MeldKind.PUNG else 4
    if len(tiles) == size and len(set(tiles)) == 1 and not tiles[0].is_flower:
        return kind, None
    return kind, f"false_kong: {shown}" if kind is MeldKind.CONCEALED_KONG else f"bad_meld: not {size} alike: {shown}"


def claims_until(table: Table, hand: Hand) -> float | None:
    """Until when a discard may be claimed (monotonic seconds; None: until the next draw). As for a discard that is due,
    everybody has all the time from when the table is seen."""
    seconds = table.rules.play.claim_seconds
    if hand.claims_until is None or seconds is None:
        return hand.claims_until
    return max(hand.claims_until, table.seen_since + seconds)


def offences(table: Table, hand: Hand, action: act.LayMeld, discarder: int | None) -> list[tuple[str, str]]:
    """Alerts that making this meld now raises: code and detail, which begins with the reason in the rules' own word
    where they have one (fuzhou T702: ``bad_meld``, ``gold_in_meld``, ``dead_hand``).

    ``discarder``: whose discard is claimed; None for a concealed or added kong.
    """
    rules, seat, kind = table.rules, action.seat, action.kind
    play, holder = rules.play, hand.seats[seat]
    found: list[tuple[str, str]] = []
    if holder.dead is not None and not play.dead_hand_claims and discarder is not None:
        found.append(("false_meld", "dead_hand"))
    tiles = (*action.consumed, *(() if action.tile is None else (action.tile,)))
    source = 0 if discarder is None else source_of(seat, discarder)
    extended = [meld.source for meld in holder.melds if meld.kind is MeldKind.PUNG and meld.tile == action.tile]
    if kind is MeldKind.ADDED_KONG and extended:
        source = extended[0]
    if kind is MeldKind.CHOW and (not play.chow_allowed or source != 1):
        why = "there is no chow" if not play.chow_allowed else "a chow of another than the previous seat's tile"
        found.append(("false_meld", f"bad_meld: {why}"))
    if kind is MeldKind.EXPOSED_KONG and source == 1 and not play.next_seat_may_kong:
        found.append(("false_meld", "bad_meld: the next seat may not kong"))
    left = drawable(hand, rules)
    if kind in KONGS:
        after_claim = hand.phase is Phase.CLAIMED and not play.kong_after_claim
        in_turn = discarder is not None or seat == hand.turn or (hand.phase in OPENING and seat == hand.dealer)
        if left < 1:
            found.append(("kong_refused", f"no replacement left: {left}"))
        elif after_claim or not in_turn or (hand.phase is Phase.LAST_ROUND):
            found.append(("kong_refused", "right after a claim" if after_claim else "not in turn"))
    elif left <= 0:
        found.append(("false_meld", "the last discard can only be won on"))
    taken = action.tile if kind is MeldKind.CHOW else None
    refusal = rules.refuse_claim(view(hand), seat, Meld(kind, tuple(sorted(tiles)), source, taken))
    if refusal is not None:
        code, _, detail = refusal.partition(": ")
        found.append((code, detail) if code == "kong_refused" else ("false_meld", refusal))
    return found


def chows(standing: list[Tile | None], tile: Tile) -> list[tuple[Tile, Tile]]:
    """The pairs of standing tiles that make a run with ``tile``."""
    if not tile.suit:
        return []
    pairs = []
    for low in range(max(1, tile.rank - 2), min(7, tile.rank) + 1):
        first = Tile(tile - tile.rank + low)
        rest = [t for t in (first, Tile(first + 1), Tile(first + 2)) if t != tile]
        if rest[0] in standing and rest[1] in standing:
            pairs.append((rest[0], rest[1]))
    return pairs
