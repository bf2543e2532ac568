"""What a seat may do now: for simulated players, the lamps of its keys, and hints."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from tablectl.game import actions as act
from tablectl.game.claims import chows, offences
from tablectl.game.counting import drawable, view
from tablectl.game.judge import candidate, judge, opening_win
from tablectl.game.machine import DECLARABLE, OPENING
from tablectl.game.opening import may_throw, stakes_due
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
    #: keys of the rule system that do something now (``sit``, ``pull``; ``show`` where the discard must be shown)
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
        return Options(throw=may_throw(table, hand, seat) and not hand.dice_pressed)
    if hand.phase is Phase.STAKES:
        key = "sit" if seat == hand.dealer else "pull"
        return Options(keys=frozenset({key}) if seat in stakes_due(hand) else frozenset())
    options = _in_play(table, hand, seat)
    if not options.win and opening_win(hand, table.rules, seat) is not None:
        declared = any(win.actor == seat for win in hand.declared)
        options = replace(options, win=hand.phase in (*DECLARABLE, Phase.DECLARED) and not declared)
    return options


def _in_play(table: Table, hand: Hand, seat: int) -> Options:
    if hand.seats[seat].owed:
        end: Literal["live", "tail"] = "tail" if table.rules.play.replacements_from == "tail" else "live"
        return Options(draw=end) if drawable(hand, table.rules) > 0 else Options()
    if hand.phase in (Phase.DISCARDED, Phase.ROBBING) or (hand.phase is Phase.DECLARED and hand.declared):
        return _on_discard(table, hand, seat)
    if hand.phase is Phase.FLOWERS and (flowers := _flowers(table, hand, seat)):
        return Options(flowers=flowers)
    if hand.phase is Phase.LAST_ROUND:
        return Options(draw="live" if seat == hand.next_seat and hand.last_round > 0 else None)
    in_turn = seat == hand.turn if hand.phase not in OPENING else seat == hand.dealer and not _others_lay(table, hand)
    return _in_turn(table, hand, seat) if in_turn else Options()


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
    if phase in (Phase.TURN, *OPENING) and seat == hand.turn:  # others have won on their dealt tiles (fuzhou T310)
        return Options(win=not any(w.actor == seat for w in hand.declared) and may_win(table, hand, seat))
    if phase not in (Phase.DISCARDED, Phase.ROBBING) or seat == hand.turn:
        shows = hand.open_discard and seat == hand.turn and table.rules.must_show(view(hand), seat)
        return Options(keys=frozenset({"show"})) if shows else Options()
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
    if not play.flowers_compulsory and drawable(hand, table.rules) < 1:
        flowers = ()  # none could be replaced (mcr T21)
    if flowers and play.flowers_compulsory:
        return Options(flowers=flowers)
    mechanical = holder.dead == "mechanical" or (holder.dead is not None and play.dead_hand_mechanical)
    discards = {holder.drawn} if mechanical and holder.drawn in named else set(named)
    if holder.penalty_tile in named:
        discards = {holder.penalty_tile}
    if play.wild_discard_forbidden:
        discards -= hand.wild
    due = table.rules.must_discard(view(hand), seat)
    if due.intersection(named):
        discards = set(due)
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
