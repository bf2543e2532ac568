"""Before the first discard: stakes, dice, deal, flowers, indicator, as people do it."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from tablectl.game import actions as act
from tablectl.game.opening import stakes_due, to_throw
from tablectl.game.state import Hand, Phase
from tablectl.sim.scene import Scene
from tablectl.sim.world import SEATS
from tablectl.tiles.tile import Tile

#: seconds after which the dice key is pressed again when nothing rolls
DICE_PATIENCE_S: Final = 15.0


async def stakes(scene: Scene, hand: Hand) -> None:
    """坐庄 by the dealer, then 拉庄 by the others, each by temperament (tianjin T203, T204)."""
    for seat in stakes_due(hand):
        person, key = scene.people[seat], "sit" if seat == hand.dealer else "pull"
        await person.spend("react")
        n = person.mind.stake(1 if key == "sit" else scene.rules.play.pull_max)
        person.press(key, n)
        scene.tell(act.Press(t=scene.clock.now(), seat=seat, key=key, n=n))


async def throw_dice(scene: Scene, hand: Hand) -> None:
    """The key, and what the dice show when they rest."""
    thrower = to_throw(scene.truth, hand)
    person = scene.anybody if thrower is None else scene.people[thrower]
    await person.spend("react")
    while scene.dice_rested.empty():
        person.press("dice")
        scene.tell(act.Press(t=scene.clock.now(), seat=person.seat, key="dice"))
        if scene.truth.playing is not hand:  # the game's time was over before this hand began
            return
        await scene.wait_for_dice(DICE_PATIENCE_S)
    scene.tell(act.RestDice(t=scene.clock.now(), dice=scene.dice_rested.get_nowait()))


async def deal_tiles(scene: Scene, hand: Hand, swapped: tuple[int, int] | None = None) -> None:
    """Blocks in the order of the rules; then the deal is complete. The seats of two blocks may be ``swapped``."""
    deck = hand.deck
    assert deck is not None
    lying = scene.world.walls
    scene.wall = tuple(scene.world.kinds[lying[place]] if place in lying else None for place in deck.places)
    scene.live, scene.tail, scene.indicator_tag = iter(deck.live), iter(deck.tail), None
    if scene.rules.play.lay_down_last_tile:  # it goes beside the one below it, still above its wall (beijing T7)
        await scene.people[deck.places[-1].side].spend("put", 2)
    dealt: list[list[Tile]] = [[], [], [], []]
    blocks = list(deck.deal)
    if swapped is not None:
        one, other = (blocks[n] for n in swapped)
        blocks[swapped[0]] = replace(one, positions=other.positions)
        blocks[swapped[1]] = replace(other, positions=one.positions)
    dealer = scene.people[hand.dealer]
    if dealer.habits.block_early and dealer.happens(dealer.habits.block_early):  # somebody does not wait
        early = scene.rng.randrange(1, len(blocks) - 5)
        blocks[early], blocks[early + 1] = blocks[early + 1], blocks[early]
    for block in blocks:
        places = [deck.places[p - 1] for p in block.positions]
        tags = await scene.people[block.seat].take(places, "block")
        dealt[block.seat] += [scene.world.kinds[tag] for tag in tags]
    drawn = dealt[hand.dealer].pop()
    scene.tell(act.Deal(t=scene.clock.now(), hands=tuple(map(tuple, dealt)), drawn=drawn))
    for person in scene.people:
        if person.seat != hand.dealer:
            scene.look_over(hand, person)
        scene.meanwhile(person.sort())


async def open_flowers(scene: Scene, hand: Hand) -> None:
    """Opening replacement, in the order of the rules, until nobody holds a flower."""
    mode = scene.rules.play.opening_flowers
    order = [scene.people[(hand.dealer + n) % 4] for n in SEATS]
    for person in order:
        again = True
        while again and (flowers := scene.flowers_of(person)) and hand.phase is Phase.FLOWERS:
            await scene.lay_flowers(person, flowers[:1] if mode == "one_each" else flowers)
            await scene.take_replacements(hand, person)
            again = mode == "complete"
        if hand.phase is not Phase.FLOWERS:
            break


async def turn_indicator(scene: Scene, hand: Hand) -> None:
    """It comes from its place, or from the tail where the dice do not name one; it stays there or lies apart."""
    deck, person = hand.deck, scene.people[hand.dealer]
    assert deck is not None
    await person.spend("reach")
    place = deck.places[deck.indicator - 1] if deck.indicator is not None else scene.next_place(hand, scene.tail)
    tag = scene.world.walls[place]
    tile = scene.world.kinds[tag]
    if scene.rules.play.indicator_lies == "apart":
        scene.world.take(place, person.seat)
        await person.spend("put")
        to_dealer = tile in scene.rules.play.flowers and scene.rules.play.indicator_flower == "dealer"
        scene.world.move(tag, f"meld.{person.seat}" if to_dealer else "felt")
        scene.indicator_tag = tag
    scene.see(tile)
    scene.tell(act.TurnIndicator(t=scene.clock.now(), tile=tile, seat=person.seat))
