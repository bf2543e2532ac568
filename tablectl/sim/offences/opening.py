"""Before the first discard: dice, stakes, the deal."""

from __future__ import annotations

from typing import Final

from tablectl.game import actions as act
from tablectl.game.opening import to_throw
from tablectl.game.state import Hand, Phase
from tablectl.sim import opening
from tablectl.sim.offences.occasions import press
from tablectl.sim.person import Person
from tablectl.sim.scene import Scene


async def dice_wrong_seat(scene: Scene, hand: Hand) -> bool | None:
    """Another seat presses the dice key; nothing rolls."""
    thrower = to_throw(scene.truth, hand)
    if thrower is None or hand.dice_pressed or scene.rules.play.any_seat_throws:
        return None
    person = scene.people[(thrower + scene.rng.randint(1, 3)) % 4]
    await person.spend("react")
    press(scene, person, "dice")
    return True


async def dice_twice(scene: Scene, hand: Hand) -> bool | None:
    """The dice key is pressed again while they roll."""
    thrower = to_throw(scene.truth, hand)
    if thrower is None:
        return None
    scene.meanwhile(_press_again(scene, scene.people[thrower]))
    await opening.throw_dice(scene, hand)
    return True


async def _press_again(scene: Scene, person: Person) -> None:
    while not scene.truth.playing or not scene.truth.playing.dice_pressed:
        await scene.clock.sleep(0.05)
    await scene.clock.sleep(scene.rng.uniform(0.3, 0.8))
    press(scene, person, "dice")


async def wrong_break(scene: Scene, hand: Hand) -> bool | None:
    """Two seats take each other's blocks of the deal."""
    if hand.phase is not Phase.DEALING or hand.deck is None:
        return None
    blocks = list(hand.deck.deal)
    first = scene.rng.randrange(len(blocks) - 6)
    second = first + scene.rng.randint(1, 3)
    if len(blocks[first].positions) != len(blocks[second].positions):
        return None
    seats = blocks[first].seat, blocks[second].seat
    await opening.deal_tiles(scene, hand, swapped=(first, second))
    scene.tell(act.Suspect(t=scene.clock.now(), code="wrong_break", seat=seats[0], detail="another's block"))
    return True


async def stake_key_refused(scene: Scene, hand: Hand) -> bool | None:
    """Somebody who is not the dealer presses the dealer's stakes key."""
    if hand.phase is not Phase.STAKES:
        return None
    person = scene.people[(hand.dealer + scene.rng.randint(1, 3)) % 4]
    person.press("sit", 1)
    scene.tell(act.Press(t=scene.clock.now(), seat=person.seat, key="sit", n=1))
    return True


OFFENCES: Final = (
    dice_wrong_seat,
    dice_twice,
    wrong_break,
    stake_key_refused,
)
