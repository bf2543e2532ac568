"""Before the first discard: stakes, dice, deal, flowers, indicator, as people do it."""

from __future__ import annotations

from typing import Final

from tablectl.game import actions as act
from tablectl.game.state import Hand, Phase
from tablectl.sim.scene import Scene
from tablectl.sim.world import SEATS
from tablectl.tiles.tile import Tile

#: seconds after which the dice key is pressed again when nothing rolls
DICE_PATIENCE_S: Final = 15.0


async def stakes(scene: Scene, hand: Hand) -> None:
    """坐庄, then 拉庄 seat by seat (tianjin)."""
    for seat in (hand.dealer, *((hand.dealer + n) % 4 for n in (1, 2, 3))):
        person, key = scene.people[seat], "sit" if seat == hand.dealer else "pull"
        await person.spend("react")
        n = scene.rng.randint(0, 1 if key == "sit" else 2)
        person.press(key, n)
        scene.tell(act.Press(t=scene.clock.now(), seat=seat, key=key, n=n))


async def throw_dice(scene: Scene, hand: Hand) -> None:
    """The key, and what the dice show when they rest."""
    thrower = scene.rules.thrower(hand.dealer, [sum(throw) for throw in hand.throws])
    assert thrower is not None
    person = scene.people[thrower]
    await person.spend("react")
    while scene.dice_rested.empty():
        person.press("dice")
        scene.tell(act.Press(t=scene.clock.now(), seat=thrower, key="dice"))
        if scene.truth.playing is not hand:  # the game's time was over before this hand began
            return
        await scene.wait_for_dice(DICE_PATIENCE_S)
    scene.tell(act.RestDice(t=scene.clock.now(), dice=scene.dice_rested.get_nowait()))


async def deal_tiles(scene: Scene, hand: Hand) -> None:
    """Blocks in the order of the rules; then the deal is complete."""
    deck = hand.deck
    assert deck is not None
    lying = scene.world.walls
    scene.wall = tuple(scene.world.kinds[lying[place]] if place in lying else None for place in deck.places)
    scene.live, scene.tail = iter(deck.live), iter(deck.tail)
    dealt: list[list[Tile]] = [[], [], [], []]
    for block in deck.deal:
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
    """Where the dice decide it, the indicator stays where it lies; else it comes from the tail and lies apart."""
    deck, person = hand.deck, scene.people[hand.dealer]
    assert deck is not None
    await person.spend("reach")
    if deck.indicator is not None:
        tile = scene.world.kinds[scene.world.walls[deck.places[deck.indicator - 1]]]
    else:
        tag = scene.world.take(scene.next_place(hand, scene.tail), person.seat)
        await person.spend("put")
        tile = scene.world.kinds[tag]
        scene.world.move(tag, f"meld.{person.seat}" if tile in scene.rules.play.flowers else "felt")
    scene.see(tile)
    scene.tell(act.TurnIndicator(t=scene.clock.now(), tile=tile, seat=person.seat))
