"""What people do that the rules forbid, one thing a hand, with what really happened told to the truth.

Each function is asked when something is due (`players.STEPS`). It answers None where there is no occasion, True where
it was done instead of what is due, False where it was done and that is due still. It moves tiles and presses keys as a
person would, and tells the truth what happened. Where the game cannot see the offence from moves alone, the truth is
told the alert that is due. Each is named after that alert, and, where there are several, its cause.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Coroutine, Mapping
from itertools import chain
from typing import Any, Final

from tablectl.game import actions as act
from tablectl.game.claims import is_run
from tablectl.game.counting import drawable, view
from tablectl.game.opening import to_throw
from tablectl.game.state import Hand, Phase
from tablectl.sim import opening, play
from tablectl.sim.person import Person
from tablectl.sim.scene import Scene
from tablectl.tiles.meld import MeldKind
from tablectl.tiles.tile import Tile

#: discards before the offence: it comes with the first occasion after so many
EARLIEST: Final = (2, 10)
#: seconds that a tile lies where it should not, before it is put back
LIES_S: Final = (5.0, 8.0)
#: ... where the others do not notice at once
LONG_S: Final = (10.0, 14.0)

#: what the seat in turn did last, where it was no draw
AFTER_OWN: Final = ("chow", "pung", "kong", "flower")

Offence = Callable[[Scene, Hand], Coroutine[Any, Any, bool | None]]


class Once:
    """Does ``offence`` once in every hand, at a random moment from `EARLIEST` discards on."""

    def __init__(self, offence: Offence, rng: random.Random) -> None:
        self._offence = offence
        self._rng = rng
        self._hand = 0
        self._after = 0
        #: numbers of the hands in which it was done
        self.done: set[int] = set()

    async def __call__(self, scene: Scene, hand: Hand) -> bool:
        if hand.number != self._hand:
            self._hand, self._after = hand.number, self._rng.randint(*EARLIEST)
        played = len(hand.discards) >= self._after or self._offence in AT_ONCE
        if hand.number in self.done or not played:
            return False
        instead = await self._offence(scene, hand)
        if instead is not None:
            self.done.add(hand.number)
        return bool(instead)


# --- before the first discard


async def dice_wrong_seat(scene: Scene, hand: Hand) -> bool | None:
    """Another seat presses the dice key; nothing rolls."""
    thrower = to_throw(scene.truth, hand)
    if thrower is None or hand.dice_pressed or scene.rules.play.any_seat_throws:
        return None
    person = scene.people[(thrower + scene.rng.randint(1, 3)) % 4]
    await person.spend("react")
    _press(scene, person, "dice")
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
    _press(scene, person, "dice")


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


# --- draws


async def draw_out_of_turn_early(scene: Scene, hand: Hand) -> bool | None:
    """The next seat takes its tile before the discard lies, and puts it back."""
    if hand.phase is not Phase.TURN or hand.seats[hand.turn].owed or drawable(hand, scene.rules) < 2:
        return None
    await _draw_and_put_back(scene, hand, scene.people[(hand.turn + 1) % 4], "before the discard")
    return True


async def draw_out_of_turn_other(scene: Scene, hand: Hand) -> bool | None:
    """A seat that is not next takes the tile that is due, and puts it back."""
    if hand.phase is not Phase.DISCARDED or not _nobody_wants(scene, hand) or drawable(hand, scene.rules) < 2:
        return None
    await _draw_and_put_back(scene, hand, scene.people[(hand.turn + scene.rng.choice((2, 3))) % 4], "not its turn")
    return True


async def _draw_and_put_back(scene: Scene, hand: Hand, person: Person, why: str) -> None:
    place = scene.next_place(hand, scene.live)
    assert hand.deck is not None
    scene.live = chain([hand.deck.places.index(place) + 1], scene.live)
    (tag,) = await person.take([place], "reach")
    scene.tell(act.Suspect(t=scene.clock.now(), code="draw_out_of_turn", seat=person.seat, detail=why))
    await _lie(scene)
    await person.put_back(tag, place)


async def wrong_wall_end_draw(scene: Scene, hand: Hand) -> bool | None:
    """A turn draw is taken at the tail, and kept."""
    if hand.phase is not Phase.DISCARDED or not _nobody_wants(scene, hand) or drawable(hand, scene.rules) < 3:
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
    if hand.phase is not Phase.DISCARDED or not _nobody_wants(scene, hand) or drawable(hand, scene.rules) < 3:
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
    if hand.phase is not Phase.DISCARDED or not _nobody_wants(scene, hand) or drawable(hand, scene.rules) < 1:
        return None
    person = scene.people[hand.next_seat]
    await person.spend("wait")
    await play.discard_tile(scene, hand, person, _any_tile(scene, hand, person))
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
    await play.discard_tile(scene, hand, person, _any_tile(scene, hand, person))
    return True


async def draw_from_reserve(scene: Scene, hand: Hand) -> bool | None:
    """The next seat draws although the hand is over."""
    if hand.phase is not Phase.DISCARDED or drawable(hand, scene.rules) > 0 or not _nobody_wants(scene, hand):
        return None
    if not scene.world.walls or hand.last_round:
        return None
    person = scene.people[hand.next_seat]
    (tag,) = await person.take([scene.next_place(hand, scene.live)], "reach")
    scene.tell(act.Draw(t=scene.clock.now(), seat=person.seat, tile=scene.world.kinds[tag]))
    return True


# --- discards


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
    await play.discard_tile(scene, hand, person, _any_tile(scene, hand, person))
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
    await play.discard_tile(scene, hand, person, _any_tile(scene, hand, person))
    if scene.truth.playing is hand:
        await play.discard_tile(scene, hand, person, _any_tile(scene, hand, person))
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


# --- calls and melds


async def claim_not_carried_out(scene: Scene, hand: Hand) -> bool | None:
    """Somebody calls pung without the tiles for it."""
    if hand.phase is not Phase.DISCARDED or not _nobody_wants(scene, hand) or drawable(hand, scene.rules) < 1:
        return None
    assert hand.last_discard is not None
    tile, near = hand.last_discard.tile, (hand.turn, hand.next_seat)
    others = [p for p in scene.people if p.seat not in near and p.tiles().count(tile) < 2]
    if not others:
        return None
    person = scene.rng.choice(others)
    await person.spend("react")
    _press(scene, person, "pung")
    return False


async def late_claim(scene: Scene, hand: Hand) -> bool | None:
    """Somebody who could have claimed the discard calls pung when the next seat has drawn."""
    if hand.phase is not Phase.TURN or not hand.discards or hand.after in AFTER_OWN:
        return None
    last = hand.discards[-1]
    others = [p for p in scene.people if p.seat not in (hand.turn, last.seat) and p.tiles().count(last.tile) >= 2]
    if not others:
        return None
    person = scene.rng.choice(others)
    await scene.clock.sleep(max(0.0, (hand.claims_until or 0.0) - scene.clock.now()))
    await person.spend("react")
    _press(scene, person, "pung")
    await person.spend("talk")
    return False


async def wrong_call(scene: Scene, hand: Hand) -> bool | None:
    """Another meld is laid than the one called."""
    if hand.phase is not Phase.DISCARDED or play.who_wins_early(scene, hand) or drawable(hand, scene.rules) < 1:
        return None
    discard = hand.last_discard
    assert discard is not None
    others = [scene.people[(discard.seat + n) % 4] for n in (1, 2, 3)]
    if play.who_wins(scene, hand, others, discard.tile):
        return None
    claim = play.who_claims(scene, hand, others, discard.tile)
    if claim is None or claim[1].kind not in (MeldKind.CHOW, MeldKind.PUNG):
        return None
    person, meld = claim
    await person.spend("react")
    _press(scene, person, "pung" if meld.kind is MeldKind.CHOW else "kong")
    consumed = list(meld.tiles)
    consumed.remove(discard.tile)
    await person.claim(scene.last_tag, consumed)
    scene.see(*consumed)
    scene.tell(
        act.LayMeld(t=scene.clock.now(), seat=person.seat, kind=meld.kind, tile=discard.tile, consumed=tuple(consumed))
    )
    return True


async def false_meld_run(scene: Scene, hand: Hand) -> bool | None:
    """The next seat takes the discard for a chow that is none, and puts all back."""
    if hand.phase is not Phase.DISCARDED or not _nobody_wants(scene, hand) or drawable(hand, scene.rules) < 1:
        return None
    discard = hand.last_discard
    assert discard is not None
    person = scene.people[hand.next_seat]
    own = [tile for tile in person.tiles() if tile.suit]
    pairs = [(a, b) for a in own for b in own if a < b and discard.tile.suit and not is_run((a, b, discard.tile))]
    if not pairs:
        return None
    consumed = scene.rng.choice(pairs)
    await person.spend("react")
    await person.claim(scene.last_tag, consumed)
    tags = scene.world.tags(f"meld.{person.seat}")[-3:]
    scene.tell(
        act.LayMeld(
            t=scene.clock.now(), seat=person.seat, kind=MeldKind.CHOW, tile=discard.tile, consumed=tuple(consumed)
        )
    )
    await _lie(scene)
    for tag in tags:
        await person.carry(tag, f"river.{hand.turn}" if tag == scene.last_tag else f"hand.{person.seat}")
    return True


async def false_meld_kong(scene: Scene, hand: Hand) -> bool | None:
    """诈杠: four tiles that are not alike are laid as a concealed kong, and taken back."""
    if hand.phase is not Phase.TURN or hand.seats[hand.turn].owed or hand.after in AFTER_OWN:
        return None
    person = scene.people[hand.turn]
    tiles = [tile for tile in person.tiles() if tile < 34]
    triples = [tile for tile in set(tiles) if tiles.count(tile) == 3] or [t for t in set(tiles) if tiles.count(t) == 2]
    if not triples:
        return None
    tile = min(triples)
    alike = tiles.count(tile)
    others = [other for other in tiles if other is not tile][: 4 - alike]
    laid = (tile,) * alike + tuple(others)
    await person.lay(laid)
    tags = scene.world.tags(f"meld.{person.seat}")[-4:]
    scene.tell(
        act.LayMeld(t=scene.clock.now(), seat=person.seat, kind=MeldKind.CONCEALED_KONG, tile=None, consumed=laid)
    )
    await _lie(scene)
    for tag in tags:
        await person.carry(tag, f"hand.{person.seat}")
    return True


# --- wins


async def false_win(scene: Scene, hand: Hand) -> bool | None:
    """Somebody calls a win that is none."""
    if hand.phase is not Phase.TURN or hand.seats[hand.turn].owed or not hand.discards:
        return None
    person = scene.people[hand.turn]
    if play.may_win(scene, hand, person.seat):
        return None
    await person.spend("react")
    _press(scene, person, "win")
    return True


async def hand_shown_early(scene: Scene, hand: Hand) -> bool | None:
    """While a win is not confirmed yet, another seat lays its hand open."""
    if hand.phase is not Phase.DECLARED or not any(win.legal for win in hand.declared):
        return None
    said = {win.actor for win in hand.declared}
    others = [p for p in scene.people if p.seat not in said and not play.may_win(scene, hand, p.seat)]
    if not others:
        return None
    person = scene.rng.choice(others)
    await person.spend("react")
    await person.show_hand()
    scene.tell(act.Suspect(t=scene.clock.now(), code="hand_shown_early", seat=person.seat, detail="before the ruling"))
    await scene.clock.sleep(scene.rng.uniform(3.0, 5.0))
    return True


# --- tiles that should not be there


async def tile_exposed(scene: Scene, hand: Hand) -> bool | None:
    """A standing tile falls over into the meld zone, and is put back."""
    if hand.phase not in (Phase.TURN, Phase.DISCARDED):
        return None
    person = scene.people[(hand.turn + 2) % 4]
    tag = scene.rng.choice(scene.world.tags(f"hand.{person.seat}"))
    if scene.world.kinds[tag] in scene.rules.play.flowers:
        return None
    await person.carry(tag, f"meld.{person.seat}")
    _suspect(scene, "tile_exposed", person, scene.world.kinds[tag].code)
    await _lie(scene)
    await person.carry(tag, f"hand.{person.seat}")
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
    _suspect(scene, "draw_out_of_turn", person, scene.world.kinds[tag].code)
    await scene.clock.sleep(scene.rng.uniform(*LONG_S))
    await person.take([place], "reach")
    await person.put_back(tag, place)
    return True


async def impossible_move_river(scene: Scene, hand: Hand) -> bool | None:
    """An older discard is taken into a hand, and put back."""
    if hand.phase is not Phase.TURN or len(hand.discards) < 6:
        return None
    person = scene.people[(hand.turn + 2) % 4]
    lying = scene.world.tags(f"river.{person.seat}")
    if len(lying) < 2:
        return None
    tag = lying[0]
    await person.carry(tag, f"hand.{person.seat}")
    _suspect(scene, "impossible_move", person, scene.world.kinds[tag].code)
    await scene.clock.sleep(scene.rng.uniform(*LONG_S))
    await person.carry(tag, f"river.{person.seat}")
    return True


async def impossible_move_hands(scene: Scene, hand: Hand) -> bool | None:
    """One person hands another a tile, and gets it back."""
    if hand.phase is not Phase.TURN:
        return None
    giver, taker = scene.people[(hand.turn + 1) % 4], scene.people[(hand.turn + 2) % 4]
    tag = scene.rng.choice(scene.world.tags(f"hand.{giver.seat}"))
    await taker.carry(tag, f"hand.{taker.seat}")
    _suspect(scene, "impossible_move", taker, scene.world.kinds[tag].code)
    await scene.clock.sleep(scene.rng.uniform(*LONG_S))
    await giver.carry(tag, f"hand.{giver.seat}")
    return True


async def unknown_tag(scene: Scene, hand: Hand) -> bool | None:
    """A player's card lies on the table."""
    if hand.phase is not Phase.TURN:
        return None
    seat = scene.rng.randrange(4)
    part = scene.rng.choice(("meld", "river"))
    scene.world.add(f"e0ffffff{scene.rng.randrange(16**8):08x}", Tile(0), f"{part}.{seat}")
    _suspect(scene, "unknown_tag", scene.people[seat], part)
    return True


async def wrong_set(scene: Scene, hand: Hand) -> bool | None:
    """A tile of the other set lies on the table."""
    others = [tag for tag, name in scene.world.set_of.items() if name == "B"]
    if hand.phase is not Phase.TURN or not others:
        return None
    person = scene.anybody
    scene.world.move(scene.rng.choice(others), f"river.{person.seat}")
    _suspect(scene, "wrong_set", person, "")
    return True


def _suspect(scene: Scene, code: str, person: Person, detail: str) -> None:
    scene.tell(act.Suspect(t=scene.clock.now(), code=code, seat=person.seat, detail=detail))


# --- helpers


def _press(scene: Scene, person: Person, key: str) -> None:
    person.press_surely(key)
    scene.tell(act.Press(t=scene.clock.now(), seat=person.seat, key=key))


async def _lie(scene: Scene) -> None:
    await scene.clock.sleep(scene.rng.uniform(*LIES_S))


def _nobody_wants(scene: Scene, hand: Hand) -> bool:
    """Whether nobody wins on or claims the discard that lies."""
    discard = hand.last_discard
    assert discard is not None
    others = [scene.people[(discard.seat + n) % 4] for n in (1, 2, 3)]
    if play.who_wins_early(scene, hand) or play.who_wins(scene, hand, others, discard.tile):
        return False
    return play.who_claims(scene, hand, others, discard.tile) is None


def _any_tile(scene: Scene, hand: Hand, person: Person) -> Tile:
    """A tile that goes without an offence of its own."""
    play_ = scene.rules.play
    bad = {*play_.flowers, *hand.wild} if play_.flowers_compulsory else set(hand.wild)
    return scene.rng.choice([tile for tile in person.tiles() if tile not in bad] or list(person.tiles()))


#: offences that belong to the opening
AT_ONCE: Final = frozenset(
    {dice_wrong_seat, dice_twice, wrong_break, stake_key_refused, hand_shown_early, draw_from_reserve}
)

#: by name: the alert that is due, and the cause where there are several
OFFENCES: Final[Mapping[str, Offence]] = {
    offence.__name__: offence
    for offence in (
        dice_wrong_seat,
        dice_twice,
        wrong_break,
        stake_key_refused,
        draw_out_of_turn_early,
        draw_out_of_turn_other,
        wrong_wall_end_draw,
        wrong_wall_end_replacement,
        wrong_wall_end_skipped,
        wrong_tile_count_no_draw,
        wrong_tile_count_double_draw,
        draw_from_reserve,
        flower_discarded,
        flower_kept,
        over_time,
        mechanical_discard,
        first_wildcard_kept,
        wildcard_not_shown,
        claim_not_carried_out,
        late_claim,
        wrong_call,
        false_meld_run,
        false_meld_kong,
        false_win,
        hand_shown_early,
        tile_exposed,
        impossible_move_second_discard,
        draw_out_of_turn_exchange,
        impossible_move_river,
        impossible_move_hands,
        unknown_tag,
        wrong_set,
    )
}
