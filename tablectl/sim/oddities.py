"""What honest people do with tiles besides playing: nothing of it is a move, and nothing of it is an offence.

Functions like those of `sim.offences`, one thing a hand, of which the truth is told nothing: a table that raises an
alert cries wolf.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tablectl.game.counting import drawable
from tablectl.game.state import Hand, Phase
from tablectl.sim.offences import Offence
from tablectl.sim.person import Person
from tablectl.sim.scene import Scene
from tablectl.tiles.tile import Tile

#: seconds for which somebody thinks of nothing, holds tiles in the fingers, sorts them with care
LONG_S: Final = (4.0, 9.0)
#: ... until somebody notices that a tile lies or stands where it does not belong, and puts it right
SOON_S: Final = (1.0, 2.5)
#: ... for which a hand with a card in its sleeve, or a tile in its fingers, passes over an antenna
PASSING_S: Final = (0.4, 1.0)

#: phases in which nobody touches the tiles of the others
_CALM: Final = (Phase.TURN, Phase.DISCARDED)


# --- hands and their own tiles


async def tiles_sorted_slowly(scene: Scene, hand: Hand) -> bool | None:
    """Somebody takes several tiles out of the hand, ponders, and puts them back, while the others go on."""
    person = _onlooker(scene, hand)
    tags = _standing(scene, person, scene.rng.randint(2, 5))
    scene.meanwhile(person.hold(tags, scene.rng.uniform(*LONG_S)))
    return False


async def tile_lifted_long(scene: Scene, hand: Hand) -> bool | None:
    """The seat in turn takes up a tile, thinks, and puts it back."""
    if hand.phase is not Phase.TURN or hand.seats[hand.turn].owed:
        return None
    person = scene.people[hand.turn]
    await person.hold(_standing(scene, person, 1), scene.rng.uniform(*LONG_S))
    return True


async def tile_knocked_over(scene: Scene, hand: Hand) -> bool | None:
    """A standing tile falls over into the meld zone, and is stood up at once."""
    if hand.phase not in _CALM:
        return None
    person = _onlooker(scene, hand)
    (tag,) = _standing(scene, person, 1)
    return await _strays(scene, person, tag, f"meld.{person.seat}")


async def tile_near_river(scene: Scene, hand: Hand) -> bool | None:
    """The seat in turn moves a tile over its river, thinks better of it before it lies, and puts it back."""
    if hand.phase is not Phase.TURN or hand.seats[hand.turn].owed or not hand.discards:
        return None
    person = scene.people[hand.turn]
    (tag,) = _standing(scene, person, 1)
    scene.world.move(tag, f"river.{person.seat}")
    await scene.clock.sleep(scene.rng.uniform(*PASSING_S))
    scene.world.move(tag, f"fingers.{person.seat}")
    person.keep()
    return True


async def tile_to_neighbour(scene: Scene, hand: Hand) -> bool | None:
    """A tile comes to stand at the end of the neighbour's hand by mistake, and is given back."""
    if hand.phase is not Phase.TURN:
        return None
    person = _onlooker(scene, hand)
    (tag,) = _standing(scene, person, 1)
    return await _strays(scene, person, tag, f"hand.{(person.seat + 1) % 4}")


async def hand_pushed(scene: Scene, hand: Hand) -> bool | None:
    """Somebody leans on the table: the standing tiles are pushed over the edge of their zone, and pulled back."""
    if hand.phase not in _CALM:
        return None
    person = _onlooker(scene, hand)
    tags = scene.world.tags(f"hand.{person.seat}")
    for tag in tags:
        scene.world.move(tag, f"meld.{person.seat}")
    await scene.clock.sleep(scene.rng.uniform(*SOON_S))
    for tag in tags:
        scene.world.move(tag, f"hand.{person.seat}")
    return True


# --- tiles that lie open


async def meld_straightened(scene: Scene, hand: Hand) -> bool | None:
    """Melds and flowers are taken up and laid down more neatly."""
    people = [person for person in scene.people if scene.world.tags(f"meld.{person.seat}")]
    if hand.phase not in _CALM or not people:
        return None
    person = scene.rng.choice(people)
    tags = scene.world.tags(f"meld.{person.seat}")[:4]
    scene.meanwhile(person.hold(list(tags), scene.rng.uniform(*SOON_S)))
    return False


async def river_straightened(scene: Scene, hand: Hand) -> bool | None:
    """Older discards are taken up and laid down in a row."""
    person = _onlooker(scene, hand)
    tags = [tag for tag in scene.world.tags(f"river.{person.seat}") if tag != scene.last_tag]
    if hand.phase is not Phase.TURN or not tags:
        return None
    scene.meanwhile(person.hold(tags[-3:], scene.rng.uniform(*SOON_S)))
    return False


async def discard_looked_at(scene: Scene, hand: Hand) -> bool | None:
    """Somebody takes up the discard that lies, does not want it, and lays it down again."""
    if hand.phase is not Phase.DISCARDED:
        return None
    person = scene.people[(hand.turn + scene.rng.choice((1, 2, 3))) % 4]
    await person.hold([scene.last_tag], scene.rng.uniform(*SOON_S))
    return True


# --- the wall, and what is no tile


async def wall_tile_knocked_down(scene: Scene, hand: Hand) -> bool | None:
    """A tile of the wall is knocked down, rolls before a seat, and is put back."""
    if hand.phase is not Phase.TURN or hand.deck is None or drawable(hand, scene.rules) < 12:
        return None
    places = [place for n in hand.deck.live[:-8] if (place := hand.deck.places[n - 1]) in scene.world.walls]
    place = scene.rng.choice([place for place in places if place.upper] or places)
    tag = scene.world.walls[place]
    person = scene.people[place.side]
    scene.world.move(tag, scene.rng.choice((f"meld.{place.side}", f"river.{place.side}", "felt")))
    await scene.clock.sleep(scene.rng.uniform(*SOON_S))
    await person.put_back(tag, place)
    return True


async def card_passes(scene: Scene, hand: Hand) -> bool | None:
    """An arm with a card in its sleeve passes over an antenna."""
    tag, seat = f"e0fffffe{scene.rng.randrange(16**8):08x}", scene.rng.randrange(4)
    scene.world.add(tag, Tile(0), f"{scene.rng.choice(('hand', 'meld', 'river'))}.{seat}")
    await scene.clock.sleep(scene.rng.uniform(*PASSING_S))
    scene.world.move(tag, "floor")
    return True


# --- helpers


def _onlooker(scene: Scene, hand: Hand) -> Person:
    """Somebody whose turn it neither is nor will be next."""
    return scene.people[(hand.turn + scene.rng.choice((2, 3))) % 4]


def _standing(scene: Scene, person: Person, count: int) -> list[str]:
    """Some of the standing tiles."""
    tags = scene.world.tags(f"hand.{person.seat}")
    return scene.rng.sample(tags, min(count, len(tags)))


async def _strays(scene: Scene, person: Person, tag: str, zone: str) -> bool:
    """A standing tile lies in a zone for a moment, and is stood up again."""
    scene.world.move(tag, zone)
    await scene.clock.sleep(scene.rng.uniform(*SOON_S))
    await person.carry(tag, f"hand.{person.seat}")
    return True


#: by name
ODDITIES: Final[Mapping[str, Offence]] = {
    oddity.__name__: oddity
    for oddity in (
        tiles_sorted_slowly,
        tile_lifted_long,
        tile_knocked_over,
        tile_near_river,
        tile_to_neighbour,
        hand_pushed,
        meld_straightened,
        river_straightened,
        discard_looked_at,
        wall_tile_knocked_down,
        card_passes,
    )
}
