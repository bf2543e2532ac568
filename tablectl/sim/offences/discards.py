"""Discards that the rules forbid, or that come too late."""

from __future__ import annotations

from typing import Final

from tablectl.game import actions as act
from tablectl.game.counting import view
from tablectl.game.state import Hand, Phase
from tablectl.sim import play
from tablectl.sim.offences.occasions import AFTER_OWN, any_tile
from tablectl.sim.person import Person
from tablectl.sim.scene import Scene


async def flower_discarded(scene: Scene, hand: Hand) -> bool | None:
    """A drawn flower is discarded."""
    person = _in_turn_with_flower(scene, hand)
    if person is None:
        return None
    await person.spend("think")
    await play.discard_tile(scene, hand, person, scene.flowers_of(person)[0])
    return True


async def flower_kept(scene: Scene, hand: Hand) -> bool | None:
    """Another tile is discarded while a flower stands in the hand."""
    person = _in_turn_with_flower(scene, hand)
    if person is None:
        return None
    await person.spend("think")
    await play.discard_tile(scene, hand, person, any_tile(scene, hand, person))
    return True


def _in_turn_with_flower(scene: Scene, hand: Hand) -> Person | None:
    if hand.phase is not Phase.TURN or not scene.rules.play.flowers_compulsory or hand.seats[hand.turn].owed:
        return None
    person = scene.people[hand.turn]
    return person if scene.flowers_of(person) else None


async def over_time(scene: Scene, hand: Hand) -> bool | None:
    """Somebody thinks for longer than the limit."""
    if hand.phase is not Phase.TURN or hand.deadline is None or scene.rules.play.discard_seconds is None:
        return None
    await scene.clock.sleep(max(0.0, hand.deadline - scene.clock.now()) + scene.rng.uniform(3.0, 6.0))
    scene.tell(act.PassTime(t=scene.clock.now()))
    return False


async def impossible_move_second_discard(scene: Scene, hand: Hand) -> bool | None:
    """A second tile is discarded right after the first."""
    if hand.phase is not Phase.TURN or hand.seats[hand.turn].owed or not hand.discards:
        return None
    person = scene.people[hand.turn]
    await person.spend("think")
    await play.discard_tile(scene, hand, person, any_tile(scene, hand, person))
    if scene.truth.playing is hand:
        await play.discard_tile(scene, hand, person, any_tile(scene, hand, person))
    return True


async def mechanical_discard(scene: Scene, hand: Hand) -> bool | None:
    """A seat that the referee made a dead hand discards another tile than it drew."""
    if hand.phase is not Phase.TURN or not scene.rules.play.dead_hand_mechanical or scene.referee is None:
        return None
    seat = hand.seats[hand.turn]
    if seat.owed or seat.drawn is None or hand.after in AFTER_OWN or not hand.discards:
        return None
    person = scene.people[hand.turn]
    if seat.dead is None:
        scene.referee.act(do="dead_hand", seat=person.seat)
        scene.tell(act.Rule(t=scene.clock.now(), do="dead_hand", by="referee", seat=person.seat))
    await person.spend("think", 2.0)
    others = [tile for tile in person.tiles() if tile is not seat.drawn and tile not in scene.rules.play.flowers]
    await play.discard_tile(scene, hand, person, scene.rng.choice(others))
    return True


async def first_wildcard_kept(scene: Scene, hand: Hand) -> bool | None:
    """首搭必打 is broken: another tile goes than the wildcard that has to."""
    if hand.phase is not Phase.TURN or not scene.rules.must_discard(view(hand), hand.turn):
        return None
    person = scene.people[hand.turn]
    await person.spend("think")
    others = [tile for tile in person.tiles() if tile not in hand.wild]
    await play.discard_tile(scene, hand, person, scene.rng.choice(others))
    return True


async def wildcard_not_shown(scene: Scene, hand: Hand) -> bool | None:
    """二搭必亮 is broken: a wildcard goes without the key."""
    if hand.phase is not Phase.TURN or scene.rules.id != "zhenjiang" or not hand.discards:
        return None
    person = scene.people[hand.turn]
    wilds = [tile for tile in person.tiles() if tile in hand.wild]
    if not wilds or scene.rules.must_discard(view(hand), person.seat):
        return None
    await person.spend("think")
    scene.last_tag = await person.discard(wilds[0])
    scene.see(wilds[0])
    scene.tell(act.DiscardTile(t=scene.clock.now(), seat=person.seat, tile=wilds[0]))
    return True


async def last_round_discard(scene: Scene, hand: Hand) -> bool | None:
    """Somebody discards in the last round, in which everybody only draws."""
    if hand.phase is not Phase.LAST_ROUND:
        return None
    person = scene.people[(hand.turn + 1) % 4]
    await play.last_round(scene, hand)
    if hand.phase is not Phase.LAST_ROUND or hand.last_round < 1:
        return True
    await person.spend("think")
    tile = any_tile(scene, hand, person)
    await person.discard(tile)
    scene.tell(act.DiscardTile(t=scene.clock.now(), seat=person.seat, tile=tile))
    await scene.anybody.spend("talk")  # the others stop short
    return True


async def penalty_tile_kept(scene: Scene, hand: Hand) -> bool | None:
    """The referee names a penalty tile (罚张), and another one is discarded."""
    if hand.phase is not Phase.TURN or hand.after in AFTER_OWN or not hand.discards or scene.referee is None:
        return None
    if hand.seats[hand.turn].owed or hand.seats[hand.turn].dead is not None:
        return None
    person = scene.people[hand.turn]
    tile, other = any_tile(scene, hand, person), any_tile(scene, hand, person)
    if tile is other:
        return None
    scene.referee.act(do="penalty_tile", seat=person.seat, pai=tile.code)
    scene.tell(act.Rule(t=scene.clock.now(), do="penalty_tile", by="referee", seat=person.seat, pai=tile))
    await person.spend("think", 3.0)
    await play.discard_tile(scene, hand, person, other)
    return True


OFFENCES: Final = (
    flower_discarded,
    flower_kept,
    over_time,
    impossible_move_second_discard,
    mechanical_discard,
    first_wildcard_kept,
    wildcard_not_shown,
    last_round_discard,
    penalty_tile_kept,
)
