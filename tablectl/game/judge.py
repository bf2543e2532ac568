"""A declared win as rules judge it: which tile it is won on, under which circumstances, what it pays."""

from __future__ import annotations

from dataclasses import dataclass

from tablectl.game import events as ev
from tablectl.game.counting import add, drawable, view
from tablectl.game.state import Game, Hand, Phase
from tablectl.rules.api import How, Points, RuleSet, Settlement, Situation, Verdict, Win
from tablectl.tiles.meld import MeldKind
from tablectl.tiles.notation import format_melds, format_tiles
from tablectl.tiles.tile import Tile


@dataclass(frozen=True, slots=True)
class WonOn:
    """The tile a seat may now win on; ``source`` None for a self-draw."""

    tile: Tile
    source: int | None
    how: How | None = None


def situation(game: Game, hand: Hand, wins: tuple[Win, ...] = ()) -> Situation:
    """The hand as settlement sees it. Penalties of the hand count as if paid before it."""
    return Situation(
        dealer=hand.dealer,
        prevalent=hand.prevalent,
        streak=hand.streak,
        points=add(hand.start_points, hand.penalties),
        indicator=hand.indicator,
        stakes=hand.stakes,
        incidents=tuple(hand.incidents),
        wins=wins,
        carry=hand.carry,
        announced=hand.announced,
        amended=hand.amended,
    )


def won_on(hand: Hand, seat: int, tile: Tile | None = None) -> WonOn | None:
    """What ``seat`` would win on now; None where it cannot declare, or a tile it needs has not been named.

    ``tile``: the winning tile of a self-draw, where it is known to be another than the tile last drawn.
    """
    phase = hand.resume if hand.phase is Phase.DECLARED else hand.phase
    holder = hand.seats[seat]
    if phase is Phase.ROBBING and seat != hand.turn and hand.added is not None:
        return WonOn(hand.added, hand.turn, How.ROBBING_KONG)
    if phase is Phase.DISCARDED and seat != hand.turn:
        discard = hand.last_discard
        return WonOn(discard.tile, discard.seat) if discard is not None else None
    opening = phase in (Phase.FLOWERS, Phase.INDICATOR) and seat == hand.dealer
    if opening or (
        phase in (Phase.TURN, Phase.LAST_ROUND) and seat == hand.turn and hand.after not in ("chow", "pung")
    ):
        own = tile if tile is not None and tile in holder.standing else holder.drawn
        if own is None and None not in holder.standing:
            own = holder.standing[-1] if holder.standing else None
        return WonOn(own, None) if own is not None else None
    return None


def opening_win(hand: Hand, rules: RuleSet, seat: int) -> Win | None:
    """A win on dealt tiles that needs no turn: 抢金, 三金倒 (fuzhou T307–T312)."""
    if hand.indicator is None or hand.seats[seat].melds or (seat == hand.turn != hand.dealer):
        return None
    robbing = any(win.actor == hand.dealer and How.EARTHLY in win.how for win in hand.declared)
    return rules.opening_win(view(hand), seat, dealer_robs=robbing)


def candidate(hand: Hand, rules: RuleSet, seat: int, tile: Tile | None = None) -> Win | None:
    """The win ``seat`` would declare now; None as `won_on`, or where a standing tile has not been named."""
    opening = opening_win(hand, rules, seat)
    if opening is not None:
        return opening
    on = won_on(hand, seat, tile)
    holder = hand.seats[seat]
    concealed = [t for t in holder.standing if t is not None]
    if on is None or len(concealed) < len(holder.standing):
        return None
    if on.source is None:
        concealed.remove(on.tile)
    return Win(
        seat=seat,
        concealed=tuple(sorted(concealed)),
        melds=tuple(holder.melds),
        flowers=tuple(holder.flowers),
        tile=on.tile,
        source=on.source,
        how=circumstances(hand, rules, seat, on),
    )


def circumstances(hand: Hand, rules: RuleSet, seat: int, on: WonOn) -> frozenset[How]:
    """``how`` of a win: what the table saw of it."""
    how: set[How] = set()
    holder, play = hand.seats[seat], rules.play
    self_drawn = on.source is None
    phase = hand.resume if hand.phase is Phase.DECLARED else hand.phase
    if on.how is not None:
        how.add(on.how)
    no_melds = not any(s.melds for s in hand.seats)
    if self_drawn:
        if "kong" in hand.chain and hand.after in ("kong", "flower"):
            how.add(How.KONG_REPLACEMENT)
        if hand.after == "flower":
            how.add(How.FLOWER_REPLACEMENT)
        if seat == hand.dealer and not hand.discards and not holder.melds:
            how.add(How.HEAVENLY)
        first_draw = seat != hand.dealer and not any(d.seat == seat for d in hand.discards) and no_melds
        if play.earthly == "first_draw" and first_draw:
            how.add(How.EARTHLY)
    elif on.how is None and len(hand.discards) == 1 and no_melds:
        how.add(How.HUMAN)
    if holder.ready:
        how.add(How.READY)
        if play.earthly == "announced":
            how.add(How.EARTHLY)
    if play.last_round_tiles:
        last = self_drawn and phase is Phase.LAST_ROUND
    else:
        last = How.HEAVENLY not in how and drawable(hand, rules) < play.last_tiles
    if last:
        how.add(How.LAST_TILE)
    if _last_of_kind(hand, rules, on):
        how.add(How.LAST_OF_KIND)
    return frozenset(how)


def _last_of_kind(hand: Hand, rules: RuleSet, on: WonOn) -> bool:
    """Whether the three others of the winning kind lie open."""
    if rules.play.last_of_kind == "pung":
        return any(
            m.kind in (MeldKind.PUNG, MeldKind.ADDED_KONG) and m.tile == on.tile for s in hand.seats for m in s.melds
        )
    lying = sum(r.tile == on.tile and r.claimed_by is None for s in hand.seats for r in s.river)
    lying += sum(m.tiles.count(on.tile) for s in hand.seats for m in s.melds if not m.is_concealed)
    return lying - (on.source is not None) == 3


def judge(game: Game, hand: Hand, rules: RuleSet, wins: tuple[Win, ...]) -> Settlement:
    """The verdicts and payments of these wins together."""
    return rules.settle(situation(game, hand, wins))


def in_order(wins: list[Win]) -> tuple[Win, ...]:
    """Wins on one tile, anticlockwise from the discarder."""
    return tuple(sorted(wins, key=lambda win: win.after_discarder))


def declared(win: Win, verdict: Verdict, payments: Points, t: float) -> ev.WinDeclared:
    """The event that proposes ``win`` for confirmation."""
    return ev.WinDeclared(
        t=t,
        actor=win.seat,
        target=win.seat if win.source is None else win.source,
        pai=win.tile,
        hand=format_tiles(win.concealed),
        melds=format_melds(win.melds),
        flowers=format_tiles(win.flowers),
        how=tuple(sorted(how.value for how in win.how)),
        legal=verdict.legal,
        reason=verdict.reason,
        fans=dict(verdict.fans),
        score=verdict.score,
        payments=payments,
        proof=tuple(
            {"name": p.name, "value": p.value, "sets": list(p.sets), "paragraph": p.paragraph, "refused": p.refused}
            for p in verdict.proof
        ),
    )
