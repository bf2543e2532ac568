"""How a hand's events change it, from the walls to the last discard."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, cast

from tablectl.game import events as ev
from tablectl.game.counting import drawable, flowers_left, hand_of, later, wanted_tiles
from tablectl.game.machine import OPENING, IllegalStep, step
from tablectl.game.state import Hand, Phase, RiverTile, Seat
from tablectl.rules.api import Discard
from tablectl.tiles.meld import Meld, MeldKind, source_of
from tablectl.tiles.tile import Tile

if TYPE_CHECKING:
    from tablectl.game.fold import Fold

_CLAIM_KINDS: Final[dict[type[ev.Event], MeldKind]] = {
    ev.ChowMade: MeldKind.CHOW,
    ev.PungMade: MeldKind.PUNG,
    ev.ExposedKongMade: MeldKind.EXPOSED_KONG,
}


# --- from the walls to the first discard


def stake_chosen(fold: Fold, event: ev.StakeChosen, seq: int) -> None:
    hand = hand_of(fold.game, event)
    step(hand, "choose")
    pulls = cast(dict[int, int], hand.stakes.setdefault("pull", {}))
    if event.stake == "sit":
        hand.stakes["sit"] = bool(event.n)
        hand.since = event.t
    else:
        pulls[event.actor] = event.n
    if "sit" in hand.stakes and (len(pulls) == 3 or not fold.rules.play.pull_max):
        step(hand, "close_stakes")


def dealer_thrown(fold: Fold, event: ev.DealerThrown, seq: int) -> None:
    hand, game = hand_of(fold.game, event), fold.game
    step(hand, "throw")
    hand.dealer = hand.turn = event.dealer
    game.match = replace(game.match, dealer=event.dealer, first=event.dealer)
    hand.dice_pressed = False


def dice_thrown(fold: Fold, event: ev.DiceThrown, seq: int) -> None:
    hand, rules = hand_of(fold.game, event), fold.rules
    before_deal = rules.play.throws_before_deal
    sums = [*(sum(throw) for throw in hand.throws), sum(event.dice)]
    complete = rules.thrower(hand.dealer, sums) is None
    dealt = hand.live_taken > 0
    if not dealt and (complete or len(sums) == before_deal):
        step(hand, "complete_throws")
        hand.deck = rules.deck(hand.dealer, sums)
    elif dealt and complete:
        hand.deck = rules.deck(hand.dealer, sums)
        _after_deal(fold, hand)
    else:
        step(hand, "throw")
    hand.throws.append(event.dice)
    hand.dice_pressed = False


def dealt(fold: Fold, event: ev.HandDealt, seq: int) -> None:
    hand = hand_of(fold.game, event)
    step(hand, "deal")
    for seat, tiles in zip(hand.seats, event.tehais, strict=True):
        seat.standing = list(tiles)
        hand.live_taken += len(tiles)
    hand.wall_left -= hand.live_taken
    hand.since = event.t
    hand.warned = hand.overrun = False
    hand.deadline = later(event.t, fold.rules.play.initial_flower_seconds or fold.rules.play.first_discard_seconds)


def _after_deal(fold: Fold, hand: Hand) -> None:
    """Go on to what is due before the dealer plays."""
    play = fold.rules.play
    sums = [sum(throw) for throw in hand.throws]
    if hand.phase is Phase.DEALING and play.throws_before_deal and fold.rules.thrower(hand.dealer, sums) is not None:
        step(hand, "throw_again")
    elif play.indicator == "after_deal" and hand.indicator is None:
        step(hand, "await_indicator")
    elif play.flowers and flowers_left(hand, fold.rules):
        if hand.phase is not Phase.FLOWERS:
            step(hand, "begin_flowers")
    elif play.indicator == "after_flowers" and hand.indicator is None:
        step(hand, "await_indicator")
    else:
        hand.turn = hand.dealer
        step(hand, "begin_play")
        if play.initial_flower_seconds is not None:
            hand.deadline = later(hand.since, play.first_discard_seconds)


def indicator_turned(fold: Fold, event: ev.IndicatorTurned, seq: int) -> None:
    hand = hand_of(fold.game, event)
    opening = hand.phase in OPENING
    step(hand, "turn_indicator")
    hand.wall_left -= 1
    if event.pai in fold.rules.play.flowers:  # the next one is turned (fuzhou T109)
        if fold.rules.play.indicator_flower == "dealer":
            hand.seats[hand.dealer].flowers.append(event.pai)
        return
    hand.indicator = event.pai
    hand.wild = fold.rules.wild(event.pai)
    if opening:
        _after_deal(fold, hand)


# --- play


def drawn(fold: Fold, event: ev.TileDrawn, seq: int) -> None:
    hand = hand_of(fold.game, event)
    seat, actor = hand.seats[event.actor], event.actor
    if hand.phase is Phase.DEALING:
        step(hand, "deal")
        _take(fold, hand, seat, event)
        _after_deal(fold, hand)
        return
    if seat.owed:
        _replacement(fold, hand, seat, event)
        return
    if hand.phase is Phase.LAST_ROUND or (hand.phase is Phase.DISCARDED and _last_round_due(fold, hand)):
        hand.last_round = hand.last_round - 1 if hand.phase is Phase.LAST_ROUND else drawable(hand, fold.rules) - 1
        step(hand, "draw_last_round")
    elif hand.phase is Phase.DISCARDED or (hand.phase in (Phase.TURN, Phase.CLAIMED) and actor == hand.turn):
        step(hand, "draw")
    else:
        step(hand, "move_out_of_turn")
        _take(fold, hand, seat, event)
        return
    _take(fold, hand, seat, event)
    hand.turn, hand.after, hand.chain = actor, "draw", ()


def _last_round_due(fold: Fold, hand: Hand) -> bool:
    tiles = fold.rules.play.last_round_tiles
    return tiles > 0 and 0 < drawable(hand, fold.rules) <= tiles


def _replacement(fold: Fold, hand: Hand, seat: Seat, event: ev.TileDrawn) -> None:
    in_turn = event.actor == hand.turn and hand.phase in (Phase.REPLACING, Phase.ROBBING)
    if hand.phase is Phase.FLOWERS:
        step(hand, "replace_opening_flower")
    elif in_turn:
        step(hand, "replace" if seat.owed == 1 else "replace_more")
    else:
        step(hand, "move_out_of_turn")
    seat.owed -= 1
    _take(fold, hand, seat, event)
    if fold.rules.play.replacements_from == "tail":
        hand.tail_taken += 1
        hand.live_taken -= 1
    if in_turn:
        hand.after = "kong" if hand.chain and hand.chain[-1] == "kong" else "flower"
    if hand.phase is Phase.FLOWERS and not flowers_left(hand, fold.rules):
        _after_deal(fold, hand)


def _take(fold: Fold, hand: Hand, seat: Seat, event: ev.TileDrawn) -> None:
    seat.standing.append(event.pai)
    seat.drawn = event.pai
    hand.open_discard = False
    hand.wall_left -= 1
    hand.live_taken += 1


def flower_laid(fold: Fold, event: ev.FlowerLaid, seq: int) -> None:
    hand = hand_of(fold.game, event)
    seat = hand.seats[event.actor]
    if hand.phase is Phase.FLOWERS:
        step(hand, "lay_opening_flower")
        hand.turn = event.actor
    elif event.actor == hand.turn and hand.phase in (Phase.TURN, Phase.CLAIMED, Phase.REPLACING):
        step(hand, "lay_flower")
        hand.chain = (*hand.chain, "flower")
    else:
        step(hand, "move_out_of_turn")
    _remove(fold, seat, (event.pai,), seq)
    seat.flowers.append(event.pai)
    seat.owed += 1


def discarded(fold: Fold, event: ev.TileDiscarded, seq: int) -> None:
    hand = hand_of(fold.game, event)
    seat = hand.seats[event.actor]
    step(hand, "discard")
    after = hand.after if event.actor == hand.turn else "draw"
    after_names = {"flower": "replacement", "kong": "replacement"}
    _remove(fold, seat, (event.pai,), seq)
    seat.drawn = None
    seat.owed = 0
    seat.penalty_tile = None
    if seat.hung is not None and seat.hung not in seat.standing:
        seat.hung = None
    if seat.miscount and len(seat.standing) == wanted_tiles(hand, fold.rules, event.actor):
        seat.miscount = 0
    seat.river.append(RiverTile(event.pai, event.tsumogiri))
    hand.discards.append(Discard(event.actor, event.pai, drawn=event.tsumogiri, after=after_names.get(after, after)))
    hand.turn, hand.after, hand.chain = event.actor, "draw", ()
    hand.open_discard = True
    _new_clock(fold, hand, event.t)
    hand.claims_until = later(event.t, fold.rules.play.claim_seconds)


def _new_clock(fold: Fold, hand: Hand, t: float | None) -> None:
    hand.since = t
    hand.deadline = later(t, fold.rules.play.discard_seconds)
    hand.warned = hand.overrun = False
    hand.calls.clear()
    hand.passed.clear()
    hand.raised.clear()


def claimed(fold: Fold, event: ev.ChowMade | ev.PungMade | ev.ExposedKongMade, seq: int) -> None:
    hand = hand_of(fold.game, event)
    discard = hand.last_discard
    if discard is None or (discard.seat, discard.tile) != (event.target, event.pai):
        raise IllegalStep(f"seat {event.target} has no {event.pai} lying that could be claimed")
    if event.actor == event.target:
        raise IllegalStep(f"seat {event.actor} cannot claim its own discard")
    seat = hand.seats[event.actor]
    kind = _CLAIM_KINDS[type(event)]
    step(hand, "claim_kong" if kind is MeldKind.EXPOSED_KONG else "claim")
    hand.discards[-1] = replace(discard, claimed=True)
    hand.open_discard = False
    hand.seats[event.target].river[-1].claimed_by = event.actor
    _remove(fold, seat, event.consumed, seq)
    seat.melds.append(
        Meld(
            kind,
            tuple(sorted((*event.consumed, event.pai))),
            source_of(event.actor, event.target),
            event.pai if kind is MeldKind.CHOW else None,
        )
    )
    hand.turn = event.actor
    hand.passed.clear()
    if kind is MeldKind.EXPOSED_KONG:
        seat.owed += 1
        hand.chain = ("kong",)
    else:
        hand.after = "chow" if kind is MeldKind.CHOW else "pung"


def concealed_kong(fold: Fold, event: ev.ConcealedKongMade, seq: int) -> None:
    hand = hand_of(fold.game, event)
    _kong_in_turn(fold, hand, event.actor, "conceal_kong")
    seat = hand.seats[event.actor]
    _remove(fold, seat, event.consumed, seq)
    seat.melds.append(Meld(MeldKind.CONCEALED_KONG, tuple(event.consumed)))


def added_kong(fold: Fold, event: ev.AddedKongMade, seq: int) -> None:
    hand = hand_of(fold.game, event)
    seat = hand.seats[event.actor]
    at = next(
        (n for n, m in enumerate(seat.melds) if m.kind is MeldKind.PUNG and m.tile == event.pai),
        None,
    )
    if at is None:
        raise IllegalStep(f"seat {event.actor} has no pung of {event.pai} to extend")
    _kong_in_turn(fold, hand, event.actor, "add_robbable_kong" if fold.rules.play.rob_added_kong else "add_kong")
    _remove(fold, seat, (event.pai,), seq)
    seat.melds[at] = Meld(MeldKind.ADDED_KONG, (event.pai,) * 4, seat.melds[at].source)
    hand.added = event.pai
    hand.claims_until = later(event.t, fold.rules.play.claim_seconds)
    hand.passed.clear()


def _kong_in_turn(fold: Fold, hand: Hand, actor: int, trigger: str) -> None:
    opening = hand.phase in (Phase.FLOWERS, Phase.INDICATOR)
    if opening or (actor == hand.turn and hand.phase in (Phase.TURN, Phase.CLAIMED, Phase.REPLACING)):
        step(hand, trigger)
        hand.turn = actor
        hand.chain = (*hand.chain, "kong")
    else:
        step(hand, "move_out_of_turn")
    hand.seats[actor].drawn = None
    hand.seats[actor].owed += 1


def tile_shown(fold: Fold, event: ev.TileShown, seq: int) -> None:
    hand = hand_of(fold.game, event)
    step(hand, "move_out_of_turn")
    seat = hand.seats[event.actor]
    if event.what == "hung":
        seat.hung = event.pai
    elif event.what == "discard":
        last = hand.last_discard
        if last is None or (last.seat, last.tile) != (event.actor, event.pai):
            raise IllegalStep(f"seat {event.actor} has no discarded {event.pai} to show")
        hand.discards[-1] = replace(last, shown=True)
    else:
        seat.shown.append(event.pai)


def called(fold: Fold, event: ev.ClaimCalled, seq: int) -> None:
    hand = hand_of(fold.game, event)
    if event.claim == "dice":
        hand.dice_pressed, hand.dice_presser, hand.dice_pressed_at = True, event.actor, event.t
        hand.early_dice = None
    elif event.claim == "early_dice":
        hand.early_dice = event.actor, event.t or 0.0
    elif event.claim == "pass":
        hand.passed.add(event.actor)
    elif event.claim == "ready":
        hand.seats[event.actor].ready = True
    elif event.claim == "flower":  # laid after a kong, it takes no call for the discard back
        hand.calls.setdefault(event.actor, event.claim)
    else:
        hand.calls[event.actor] = event.claim


def _remove(fold: Fold, seat: Seat, tiles: tuple[Tile, ...], seq: int) -> None:
    """Take ``tiles`` of event ``seq`` out of the standing ones: each itself, else one that is not named yet, else the
    one that it was taken for before the event was corrected, else nothing (the draw of it was never seen)."""
    taken_for = [tile for tile in _moved(fold.told(seq)) if tile not in tiles]
    for tile in tiles:
        found: list[Tile | None] = [one for one in (tile, None, *taken_for) if one in seat.standing]
        if not found:
            continue
        seat.standing.remove(found[0])
        if found[0] is not None and found[0] != tile:
            taken_for.remove(found[0])
        if seat.drawn in (tile, found[0]):
            seat.drawn = None


def _moved(event: ev.Event | None) -> tuple[Tile, ...]:
    """The tiles that an event takes out of a hand."""
    match event:
        case ev.FlowerLaid() | ev.TileDiscarded() | ev.AddedKongMade():
            return (event.pai,)
        case ev.ChowMade() | ev.PungMade() | ev.ExposedKongMade() | ev.ConcealedKongMade():
            return event.consumed
    return ()
