"""What a seat may do now: for simulated players, the lamps of its keys, and hints."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from tablectl.game import actions as act
from tablectl.game.claims import chows, offences
from tablectl.game.counting import drawable
from tablectl.game.judge import candidate, judge
from tablectl.game.machine import OPENING
from tablectl.game.opening import to_throw
from tablectl.game.state import Hand, Phase
from tablectl.tiles.meld import MeldKind
from tablectl.tiles.tile import Tile

if TYPE_CHECKING:
    from tablectl.game.table import Table


@dataclass(frozen=True, slots=True)
class Options:
    """What one seat may do now without breaking a rule. Empty where it can only wait."""

    #: kinds it may discard, ascending
    discards: tuple[Tile, ...] = ()
    #: flowers it may lay open
    flowers: tuple[Tile, ...] = ()
    #: from which end of the wall it may draw
    draw: Literal["live", "tail"] | None = None
    #: the pairs with which it may chow the discard
    chows: tuple[tuple[Tile, Tile], ...] = ()
    pung: bool = False
    #: it may kong the discard
    kong: bool = False
    concealed_kongs: tuple[Tile, ...] = ()
    added_kongs: tuple[Tile, ...] = ()
    #: a win it declares now is legal
    win: bool = False
    #: it may press ``dice``
    throw: bool = False
    #: keys of the rule system that do something now (``sit``, ``pull``)
    keys: frozenset[str] = field(default_factory=frozenset)

    @property
    def claims(self) -> bool:
        """Whether it may claim the discard or rob the kong."""
        return bool(self.win or self.kong or self.pung or self.chows)


def legal(table: Table, seat: int) -> Options:
    """What ``seat`` may do now."""
    hand = table.playing
    if hand is None or table.game.paused_at is not None:
        return Options()
    if hand.phase is Phase.DICE:
        thrower = to_throw(table, hand)
        may = thrower == seat or table.rules.play.any_seat_throws
        return Options(throw=may and not hand.dice_pressed)
    if hand.phase is Phase.STAKES:
        return Options(keys=_stake_keys(hand, seat))
    if hand.seats[seat].owed:
        return Options(draw="tail") if drawable(hand, table.rules) > 0 else Options()
    if hand.phase in (Phase.DISCARDED, Phase.ROBBING) or (hand.phase is Phase.DECLARED and hand.declared):
        return _on_discard(table, hand, seat)
    if hand.phase is Phase.FLOWERS and (flowers := _flowers(table, hand, seat)):
        return Options(flowers=flowers)
    if hand.phase is Phase.LAST_ROUND:
        return Options(draw="live" if seat == hand.next_seat and hand.last_round > 0 else None)
    in_turn = seat == hand.turn if hand.phase not in OPENING else seat == hand.dealer and not _others_lay(table, hand)
    return _in_turn(table, hand, seat) if in_turn else Options()


def _stake_keys(hand: Hand, seat: int) -> frozenset[str]:
    if seat == hand.dealer:
        return frozenset() if "sit" in hand.stakes else frozenset({"sit"})
    pulls = hand.stakes.get("pull", {})
    waiting = "sit" in hand.stakes and not (isinstance(pulls, dict) and seat in pulls)
    return frozenset({"pull"}) if waiting else frozenset()


def _flowers(table: Table, hand: Hand, seat: int) -> tuple[Tile, ...]:
    return tuple(sorted(t for t in hand.seats[seat].standing if t is not None and t in table.rules.play.flowers))


def _others_lay(table: Table, hand: Hand) -> bool:
    """Whether the opening is still going on at another seat, so that the dealer waits."""
    if hand.phase is not Phase.FLOWERS:
        return hand.phase is Phase.INDICATOR
    return any(s.owed or _flowers(table, hand, n) for n, s in enumerate(hand.seats) if n != hand.dealer)


def may_win(table: Table, hand: Hand, seat: int) -> bool:
    """Whether a win that ``seat`` declares now is legal."""
    if hand.seats[seat].dead is not None:
        return False
    win = candidate(hand, table.rules, seat)
    return win is not None and judge(table.game, hand, table.rules, (win,)).verdicts[0].legal


def _on_discard(table: Table, hand: Hand, seat: int) -> Options:
    phase = hand.resume if hand.phase is Phase.DECLARED else hand.phase
    if phase not in (Phase.DISCARDED, Phase.ROBBING) or seat == hand.turn:
        return Options()
    win = not any(w.actor == seat for w in hand.declared) and may_win(table, hand, seat)
    if hand.phase is not Phase.DISCARDED or hand.last_discard is None:
        return Options(win=win)
    tile = hand.last_discard.tile
    draws = seat == hand.next_seat and drawable(hand, table.rules) > 0
    holds = hand.seats[seat].standing.count(tile)
    runs = tuple(p for p in chows(hand.seats[seat].standing, tile) if _may(table, hand, seat, MeldKind.CHOW, tile, p))
    return Options(
        draw="live" if draws else None,
        chows=runs,
        pung=holds >= 2 and _may(table, hand, seat, MeldKind.PUNG, tile, (tile,) * 2),
        kong=holds >= 3 and _may(table, hand, seat, MeldKind.EXPOSED_KONG, tile, (tile,) * 3),
        win=win,
    )


def _may(table: Table, hand: Hand, seat: int, kind: MeldKind, tile: Tile | None, consumed: tuple[Tile, ...]) -> bool:
    source = None if kind in (MeldKind.ADDED_KONG, MeldKind.CONCEALED_KONG) else hand.turn
    meld = act.LayMeld(t=0, seat=seat, kind=kind, tile=tile, consumed=consumed)
    return not offences(table, hand, meld, source)


def _in_turn(table: Table, hand: Hand, seat: int) -> Options:
    holder, play = hand.seats[seat], table.rules.play
    named = [t for t in holder.standing if t is not None]
    flowers = _flowers(table, hand, seat) if hand.phase is not Phase.CLAIMED else ()
    if flowers and play.flowers_compulsory:
        return Options(flowers=flowers)
    mechanical = holder.dead == "mechanical" or (holder.dead is not None and play.dead_hand_mechanical)
    discards = {holder.drawn} if mechanical and holder.drawn in named else set(named)
    if holder.penalty_tile in named:
        discards = {holder.penalty_tile}
    if play.wild_discard_forbidden:
        discards -= hand.wild
    concealed: tuple[Tile, ...] = ()
    added: tuple[Tile, ...] = ()
    if not mechanical:
        concealed = tuple(
            t
            for t in sorted(set(named))
            if named.count(t) == 4 and _may(table, hand, seat, MeldKind.CONCEALED_KONG, None, (t,) * 4)
        )
        added = tuple(
            m.tile
            for m in holder.melds
            if m.kind is MeldKind.PUNG
            and m.tile in named
            and _may(table, hand, seat, MeldKind.ADDED_KONG, m.tile, (m.tile,) * 3)
        )
    return Options(
        discards=tuple(sorted(t for t in discards if t is not None)),
        flowers=flowers,
        concealed_kongs=concealed,
        added_kongs=added,
        win=hand.phase is not Phase.CLAIMED and may_win(table, hand, seat),
    )
