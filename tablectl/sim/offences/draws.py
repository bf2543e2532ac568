"""Tiles of the wall: too early, by the wrong seat, from the wrong place, too many or too few."""

from __future__ import annotations

from itertools import chain
from typing import Final

from tablectl.game import actions as act
from tablectl.game.counting import drawable
from tablectl.game.state import Hand, Phase
from tablectl.sim import play
from tablectl.sim.offences.occasions import AFTER_OWN, LONG_S, any_tile, lie, nobody_wants, suspect, unwanted
from tablectl.sim.person import Person
from tablectl.sim.scene import Scene


async def draw_out_of_turn_early(scene: Scene, hand: Hand) -> bool | None:
    """The next seat takes its tile before the discard lies, and puts it back."""
    if hand.phase is not Phase.TURN or hand.seats[hand.turn].owed or drawable(hand, scene.rules) < 2:
        return None
    await _draw_and_put_back(scene, hand, scene.people[(hand.turn + 1) % 4], "before the discard")
    return True


async def draw_out_of_turn_other(scene: Scene, hand: Hand) -> bool | None:
    """A seat that is not next takes the tile that is due, and puts it back."""
    if not unwanted(scene, hand, 2):
        return None
    await _draw_and_put_back(scene, hand, scene.people[(hand.turn + scene.rng.choice((2, 3))) % 4], "not its turn")
    return True


async def _draw_and_put_back(scene: Scene, hand: Hand, person: Person, why: str) -> None:
    place = scene.next_place(hand, scene.live)
    assert hand.deck is not None
    scene.live = chain([hand.deck.places.index(place) + 1], scene.live)
    (tag,) = await person.take([place], "reach")
    scene.tell(act.Suspect(t=scene.clock.now(), code="draw_out_of_turn", seat=person.seat, detail=why))
    await lie(scene)
    await person.put_back(tag, place)


async def wrong_wall_end_draw(scene: Scene, hand: Hand) -> bool | None:
    """A turn draw is taken at the tail, and kept."""
    if not unwanted(scene, hand, 3):
        return None
    if scene.rules.play.replacements_from != "tail":
        return None
    person = scene.people[hand.next_seat]
    await person.spend("wait")
    tag = await person.draw(scene.next_place(hand, scene.tail))
    scene.tell(act.Draw(t=scene.clock.now(), seat=person.seat, tile=scene.world.kinds[tag], end="tail"))
    return True


async def wrong_wall_end_replacement(scene: Scene, hand: Hand) -> bool | None:
    """A replacement is taken at the head."""
    if hand.phase is not Phase.REPLACING or scene.rules.play.replacements_from != "tail":
        return None
    person = scene.people[hand.turn]
    (tag,) = await person.take([scene.next_place(hand, scene.live)], "reach")
    scene.tell(act.Draw(t=scene.clock.now(), seat=person.seat, tile=scene.world.kinds[tag], end="live"))
    return True


async def wrong_wall_end_skipped(scene: Scene, hand: Hand) -> bool | None:
    """The tile after the one that is due is drawn, and kept."""
    if not unwanted(scene, hand, 3):
        return None
    assert hand.deck is not None
    person = scene.people[hand.next_seat]
    await person.spend("wait")
    due = scene.next_place(hand, scene.live)
    tag = await person.draw(scene.next_place(hand, scene.live))
    scene.live = chain([hand.deck.places.index(due) + 1], scene.live)
    scene.tell(act.Draw(t=scene.clock.now(), seat=person.seat, tile=scene.world.kinds[tag]))
    scene.tell(act.Suspect(t=scene.clock.now(), code="wrong_wall_end", seat=person.seat, detail="not the tile due"))
    return True


async def wrong_tile_count_no_draw(scene: Scene, hand: Hand) -> bool | None:
    """Somebody discards without having drawn (少张)."""
    if not unwanted(scene, hand, 1):
        return None
    person = scene.people[hand.next_seat]
    await person.spend("wait")
    await play.discard_tile(scene, hand, person, any_tile(scene, hand, person))
    return True


async def wrong_tile_count_double_draw(scene: Scene, hand: Hand) -> bool | None:
    """Somebody draws twice (多张)."""
    if hand.phase is not Phase.TURN or hand.after in AFTER_OWN or hand.seats[hand.turn].owed:
        return None
    if drawable(hand, scene.rules) < 3 or not hand.discards:
        return None
    person = scene.people[hand.turn]
    await play.draw_tile(scene, hand, person)
    await person.spend("think")
    await play.discard_tile(scene, hand, person, any_tile(scene, hand, person))
    return True


async def draw_from_reserve(scene: Scene, hand: Hand) -> bool | None:
    """The next seat draws although the hand is over."""
    if hand.phase is not Phase.DISCARDED or drawable(hand, scene.rules) > 0 or not nobody_wants(scene, hand):
        return None
    if not scene.world.walls or hand.last_round:
        return None
    person = scene.people[hand.next_seat]
    (tag,) = await person.take([scene.next_place(hand, scene.live)], "reach")
    scene.tell(act.Draw(t=scene.clock.now(), seat=person.seat, tile=scene.world.kinds[tag]))
    return True


async def draw_out_of_turn_exchange(scene: Scene, hand: Hand) -> bool | None:
    """Somebody exchanges a standing tile for one of the wall (换牌)."""
    if hand.phase is not Phase.TURN or hand.deck is None or drawable(hand, scene.rules) < 12:
        return None
    person = scene.people[(hand.turn + 2) % 4]
    place = next(p for p in reversed([hand.deck.places[n - 1] for n in hand.deck.live[:-8]]) if p in scene.world.walls)
    own = scene.rng.choice(scene.world.tags(f"hand.{person.seat}"))
    (tag,) = await person.take([place], "reach")
    await person.put_back(own, place)
    suspect(scene, "draw_out_of_turn", person, scene.world.kinds[tag].code)
    await scene.clock.sleep(scene.rng.uniform(*LONG_S))
    await person.take([place], "reach")
    await person.put_back(tag, place)
    return True


OFFENCES: Final = (
    draw_out_of_turn_early,
    draw_out_of_turn_other,
    wrong_wall_end_draw,
    wrong_wall_end_replacement,
    wrong_wall_end_skipped,
    wrong_tile_count_no_draw,
    wrong_tile_count_double_draw,
    draw_from_reserve,
    draw_out_of_turn_exchange,
)
