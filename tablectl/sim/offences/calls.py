"""Calls, melds and wins that are none."""

from __future__ import annotations

from itertools import chain
from typing import Final

from tablectl.game import actions as act
from tablectl.game.claims import chows, is_run
from tablectl.game.counting import drawable
from tablectl.game.state import Hand, Phase
from tablectl.sim import play
from tablectl.sim.offences.occasions import AFTER_OWN, lie, press, unwanted
from tablectl.sim.scene import Scene
from tablectl.tiles.meld import MeldKind

#: seconds after the claim window in which nobody can take a claim for one in time
LATE_S: Final = 2.5


async def claim_not_carried_out(scene: Scene, hand: Hand) -> bool | None:
    """Somebody calls pung without the tiles for it."""
    if not unwanted(scene, hand, 1):
        return None
    assert hand.last_discard is not None
    tile, near = hand.last_discard.tile, (hand.turn, hand.next_seat)
    others = [p for p in scene.people if p.seat not in near and p.tiles().count(tile) < 2]
    if not others:
        return None
    person = scene.rng.choice(others)
    await person.spend("react")
    press(scene, person, "pung")
    return False


async def late_claim(scene: Scene, hand: Hand) -> bool | None:
    """Somebody who could have claimed the discard calls pung when the next seat has drawn. The tile drawn stands in the
    hand: while it is in the fingers nothing but eyes can tell that."""
    if hand.phase is not Phase.TURN or not hand.discards or hand.after in AFTER_OWN:
        return None
    if scene.world.tags(f"fingers.{hand.turn}"):
        return None
    last = hand.discards[-1]
    others = [p for p in scene.people if p.seat not in (hand.turn, last.seat) and p.tiles().count(last.tile) >= 2]
    if not others:
        return None
    person = scene.rng.choice(others)
    await scene.clock.sleep(max(0.0, (hand.claims_until or 0.0) - scene.clock.now()))
    await person.spend("react")
    press(scene, person, "pung")
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
    press(scene, person, "pung" if meld.kind is MeldKind.CHOW else "kong")
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
    if not unwanted(scene, hand, 1):
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
    await lie(scene)
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
    await lie(scene)
    for tag in tags:
        await person.carry(tag, f"hand.{person.seat}")
    return True


async def false_win(scene: Scene, hand: Hand) -> bool | None:
    """Somebody calls a win that is none."""
    if hand.phase is not Phase.TURN or hand.seats[hand.turn].owed or not hand.discards:
        return None
    person = scene.people[hand.turn]
    if play.may_win(scene, hand, person.seat):
        return None
    await person.spend("react")
    press(scene, person, "win")
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


async def dice_wrong_seat_in_play(scene: Scene, hand: Hand) -> bool | None:
    """Somebody presses the dice key while the hand is played."""
    if hand.phase is not Phase.TURN:
        return None
    press(scene, scene.anybody, "dice")
    return False


async def stake_key_refused_late(scene: Scene, hand: Hand) -> bool | None:
    """Somebody presses a stakes key when the choice is closed."""
    if hand.phase is not Phase.TURN or "pull" not in scene.rules.play.extra_keys:
        return None
    press(scene, scene.people[(hand.dealer + 1) % 4], "pull")
    return False


async def claim_not_carried_out_withdrawn(scene: Scene, hand: Hand) -> bool | None:
    """Somebody who could make a pung calls it, and lays nothing."""
    if not unwanted(scene, hand, 1):
        return None
    assert hand.last_discard is not None
    tile, near = hand.last_discard.tile, (hand.turn, hand.next_seat)
    others = [p for p in scene.people if p.seat not in near and p.tiles().count(tile) >= 2]
    if not others:
        return None
    await others[0].spend("react")
    press(scene, others[0], "pung")
    return False


async def late_claim_laid(scene: Scene, hand: Hand) -> bool | None:
    """Without a word somebody makes a pung of the discard when the next seat has drawn, and that tile goes back."""
    if not unwanted(scene, hand, 2):
        return None
    discard = hand.last_discard
    assert discard is not None
    assert hand.deck is not None
    drawer, tile = scene.people[hand.next_seat], discard.tile
    others = [p for p in scene.people if p.seat not in (hand.turn, drawer.seat) and p.tiles().count(tile) >= 2]
    place = scene.next_place(hand, scene.live)
    scene.live = chain([hand.deck.places.index(place) + 1], scene.live)
    if not others or tile in hand.wild or scene.world.kinds[scene.world.walls[place]] in scene.rules.play.flowers:
        return None
    await drawer.spend("wait")
    tag = await drawer.draw(place)
    drawer.keep()
    scene.tell(act.Draw(t=scene.clock.now(), seat=drawer.seat, tile=scene.world.kinds[tag]))
    await scene.clock.sleep(max(0.0, (hand.claims_until or 0.0) - scene.clock.now()) + LATE_S)
    await drawer.put_back(tag, place)
    claimant = scene.rng.choice(others)
    await claimant.claim(scene.last_tag, (tile, tile))
    scene.see(tile, tile)
    meld = act.LayMeld(t=scene.clock.now(), seat=claimant.seat, kind=MeldKind.PUNG, tile=tile, consumed=(tile, tile))
    scene.tell(meld)
    return True


async def false_meld_seat(scene: Scene, hand: Hand) -> bool | None:
    """Somebody makes a chow who may not: it is not the tile of the previous seat, or there is no chow."""
    if not unwanted(scene, hand, 1):
        return None
    discard = hand.last_discard
    assert discard is not None
    allowed = hand.next_seat if scene.rules.play.chow_allowed else None
    others = [p for p in scene.people if p.seat not in (hand.turn, allowed) and chows([*p.tiles()], discard.tile)]
    if not others or discard.tile in hand.wild:
        return None
    person = scene.rng.choice(others)
    consumed = scene.rng.choice(chows([*person.tiles()], discard.tile))
    await person.spend("react")
    await person.claim(scene.last_tag, consumed)
    scene.see(*consumed)
    scene.tell(
        act.LayMeld(t=scene.clock.now(), seat=person.seat, kind=MeldKind.CHOW, tile=discard.tile, consumed=consumed)
    )
    return True


async def false_win_discard(scene: Scene, hand: Hand) -> bool | None:
    """Somebody calls a win on a discard that is none."""
    if not unwanted(scene, hand, 1):
        return None
    person = scene.people[(hand.turn + scene.rng.randint(1, 3)) % 4]
    await person.spend("react", 0.7)
    press(scene, person, "win")
    return True


async def false_win_shown(scene: Scene, hand: Hand) -> bool | None:
    """Somebody lays a hand open that does not win, without a word; the referee refuses it."""
    if hand.phase is not Phase.TURN or hand.seats[hand.turn].owed or hand.after in AFTER_OWN or not hand.discards:
        return None
    person = scene.people[hand.turn]
    if scene.referee is None or not scene.rules.play.referee_confirms or play.may_win(scene, hand, person.seat):
        return None
    person.keep()
    await person.show_hand()
    tags = scene.world.tags(f"meld.{person.seat}")[-len(hand.seats[person.seat].standing) :]
    scene.tell(act.DeclareWin(t=scene.clock.now(), seat=person.seat))
    await scene.clock.sleep(scene.rng.uniform(*play.REFEREE_S))
    scene.referee.act(do="confirm")
    scene.tell(act.Rule(t=scene.clock.now(), do="confirm", by="referee"))
    for tag in tags if scene.truth.playing is hand else ():
        scene.world.move(tag, f"hand.{person.seat}")
    return True


OFFENCES: Final = (
    dice_wrong_seat_in_play,
    stake_key_refused_late,
    claim_not_carried_out,
    claim_not_carried_out_withdrawn,
    late_claim_laid,
    false_meld_seat,
    false_win_discard,
    false_win_shown,
    late_claim,
    wrong_call,
    false_meld_run,
    false_meld_kong,
    false_win,
    hand_shown_early,
)
