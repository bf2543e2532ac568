"""Tiles and tags that lie where they should not."""

from __future__ import annotations

from typing import Final

from tablectl.game.counting import drawable
from tablectl.game.state import Hand, Phase
from tablectl.sim.offences.occasions import LONG_S, lie, suspect
from tablectl.sim.person import Person
from tablectl.sim.scene import Scene
from tablectl.tiles.tile import Tile


async def tile_exposed(scene: Scene, hand: Hand) -> bool | None:
    """A standing tile falls over into the meld zone, and is put back."""
    if hand.phase not in (Phase.TURN, Phase.DISCARDED):
        return None
    person = scene.people[(hand.turn + 2) % 4]
    tag = scene.rng.choice(scene.world.tags(f"hand.{person.seat}"))
    if scene.world.kinds[tag] in scene.rules.play.flowers:
        return None
    await person.carry(tag, f"meld.{person.seat}")
    suspect(scene, "tile_exposed", person, scene.world.kinds[tag].code)
    await lie(scene)
    await person.carry(tag, f"hand.{person.seat}")
    return True


async def impossible_move_river(scene: Scene, hand: Hand) -> bool | None:
    """An older discard is taken into a hand, and put back."""
    if hand.phase is not Phase.TURN or len(hand.discards) < 6:
        return None
    person = scene.people[(hand.turn + 2) % 4]
    lying = scene.world.tags(f"river.{person.seat}")
    if len(lying) < 2:
        return None
    await _there_and_back(scene, lying[0], person, person, f"river.{person.seat}")
    return True


async def impossible_move_hands(scene: Scene, hand: Hand) -> bool | None:
    """One person hands another a tile, and gets it back."""
    if hand.phase is not Phase.TURN:
        return None
    giver, taker = scene.people[(hand.turn + 1) % 4], scene.people[(hand.turn + 2) % 4]
    tag = scene.rng.choice(scene.world.tags(f"hand.{giver.seat}"))
    await _there_and_back(scene, tag, taker, giver, f"hand.{giver.seat}")
    return True


async def _there_and_back(scene: Scene, tag: str, taker: Person, giver: Person, home: str) -> None:
    """A tile comes into the hand of ``taker``, and ``giver`` puts it back."""
    await taker.carry(tag, f"hand.{taker.seat}")
    suspect(scene, "impossible_move", taker, scene.world.kinds[tag].code)
    await scene.clock.sleep(scene.rng.uniform(*LONG_S))
    await giver.carry(tag, home)


async def unknown_tag(scene: Scene, hand: Hand) -> bool | None:
    """A player's card lies on the table."""
    if hand.phase is not Phase.TURN:
        return None
    seat = scene.rng.randrange(4)
    part = scene.rng.choice(("meld", "river"))
    scene.world.add(f"e0ffffff{scene.rng.randrange(16**8):08x}", Tile(0), f"{part}.{seat}")
    suspect(scene, "unknown_tag", scene.people[seat], part)
    return True


async def wrong_set(scene: Scene, hand: Hand) -> bool | None:
    """A tile of the other set lies on the table."""
    others = [tag for tag, name in scene.world.set_of.items() if name == "B"]
    if hand.phase is not Phase.TURN or not others:
        return None
    person = scene.anybody
    scene.world.move(scene.rng.choice(others), f"river.{person.seat}")
    suspect(scene, "wrong_set", person, "")
    return True


async def tile_exposed_wall(scene: Scene, hand: Hand) -> bool | None:
    """A tile of the wall lies open before a seat for a while, and is put back."""
    if hand.phase is not Phase.TURN or hand.deck is None or drawable(hand, scene.rules) < 16:
        return None
    place = next(p for n in hand.deck.live[-9::-1] if (p := hand.deck.places[n - 1]) in scene.world.walls)
    tag, person = scene.world.walls[place], scene.people[place.side]
    scene.world.move(tag, f"{scene.rng.choice(('meld', 'river'))}.{person.seat}")
    suspect(scene, "tile_exposed", person, scene.world.kinds[tag].code)
    await scene.clock.sleep(scene.rng.uniform(*LONG_S))
    await person.put_back(tag, place)
    return True


async def wrong_indicator_taken(scene: Scene, hand: Hand) -> bool | None:
    """Somebody takes the indicator into the hand, and lays it back."""
    tag = scene.indicator_tag
    if hand.phase is not Phase.TURN or tag is None or scene.world.where(tag) != "felt":
        return None
    person = scene.people[(hand.turn + 2) % 4]
    await person.carry(tag, f"hand.{person.seat}")
    suspect(scene, "wrong_indicator", person, scene.world.kinds[tag].code)
    await scene.clock.sleep(scene.rng.uniform(*LONG_S))
    await person.carry(tag, "felt")
    return True


async def tag_lost(scene: Scene, hand: Hand) -> bool | None:
    """The chip of a standing tile breaks."""
    if hand.phase is not Phase.TURN or drawable(hand, scene.rules) < 30:
        return None
    person = scene.people[(hand.turn + 2) % 4]
    tag = scene.rng.choice(scene.world.tags(f"hand.{person.seat}"))
    scene.world.damaged.add(tag)
    suspect(scene, "tag_lost", person, scene.world.kinds[tag].code)
    return False


OFFENCES: Final = (
    tile_exposed,
    tile_exposed_wall,
    wrong_indicator_taken,
    tag_lost,
    impossible_move_river,
    impossible_move_hands,
    unknown_tag,
    wrong_set,
)
