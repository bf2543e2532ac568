"""What the offences share: when there is an occasion, how long a tile lies, and what the truth is told."""

from __future__ import annotations

from typing import Final

from tablectl.game import actions as act
from tablectl.game.counting import drawable
from tablectl.game.state import Hand, Phase
from tablectl.sim import play
from tablectl.sim.person import Person
from tablectl.sim.scene import Scene
from tablectl.tiles.tile import Tile

#: seconds that a tile lies where it should not, before it is put back
LIES_S: Final = (5.0, 8.0)
#: ... where the others do not notice at once
LONG_S: Final = (10.0, 14.0)

#: what the seat in turn did last, where it was no draw
AFTER_OWN: Final = ("chow", "pung", "kong", "flower")


def suspect(scene: Scene, code: str, person: Person, detail: str) -> None:
    scene.tell(act.Suspect(t=scene.clock.now(), code=code, seat=person.seat, detail=detail))


def press(scene: Scene, person: Person, key: str) -> None:
    person.press_surely(key)
    scene.tell(act.Press(t=scene.clock.now(), seat=person.seat, key=key))


async def lie(scene: Scene) -> None:
    await scene.clock.sleep(scene.rng.uniform(*LIES_S))


def nobody_wants(scene: Scene, hand: Hand) -> bool:
    """Whether nobody wins on or claims the discard that lies."""
    discard = hand.last_discard
    assert discard is not None
    others = [scene.people[(discard.seat + n) % 4] for n in (1, 2, 3)]
    if play.who_wins_early(scene, hand) or play.who_wins(scene, hand, others, discard.tile):
        return False
    return play.who_claims(scene, hand, others, discard.tile) is None


def unwanted(scene: Scene, hand: Hand, left: int) -> bool:
    """Whether a discard lies that nobody wants, with ``left`` tiles or more to be drawn after it."""
    lies = hand.phase is Phase.DISCARDED and nobody_wants(scene, hand)
    return lies and drawable(hand, scene.rules) >= left


def any_tile(scene: Scene, hand: Hand, person: Person) -> Tile:
    """A tile that goes without an offence of its own."""
    play_ = scene.rules.play
    bad = {*play_.flowers, *hand.wild} if play_.flowers_compulsory else set(hand.wild)
    return scene.rng.choice([tile for tile in person.tiles() if tile not in bad] or list(person.tiles()))
