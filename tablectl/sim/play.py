"""A hand from the first turn to its end, as people play it: one function for each thing that can be due.

Each looks at the hand as everybody at the table sees it, lets somebody act, and returns; `players` asks again what is
due then.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from tablectl.game import actions as act
from tablectl.game.claims import chows
from tablectl.game.counting import drawable, view
from tablectl.game.judge import candidate, judge, opening_win, situation
from tablectl.game.state import Hand, Phase
from tablectl.rules.api import Win
from tablectl.sim.person import Person
from tablectl.sim.plans import Standing
from tablectl.sim.scene import Scene
from tablectl.tiles.meld import Meld, MeldKind, source_of
from tablectl.tiles.tile import Tile

#: seconds the simulated referee looks at a declared win
REFEREE_S: Final = (3.0, 6.0)
#: how often somebody who could win a tile calls although another does
CALLS_TOO: Final = 0.5


async def replace_tiles(scene: Scene, hand: Hand) -> None:
    """A flower or kong lies: its replacement."""
    await scene.take_replacements(hand, scene.people[hand.turn])


async def take_turn(scene: Scene, hand: Hand) -> None:
    """The seat in turn holds a tile to spare: flower, win, kong or discard."""
    if early := who_wins_early(scene, hand):
        await call_win(scene, early, scene.indicator_tag)
        return
    if not hand.discards:
        say_ready(scene, hand)
    person = scene.people[hand.turn]
    seat = hand.seats[person.seat]
    flowers = scene.flowers_of(person)
    play, left = scene.rules.play, drawable(hand, scene.rules)
    if flowers and (play.flowers_compulsory or (left > 0 and hand.phase is not Phase.CLAIMED)):  # mcr T15, T21
        await scene.lay_flowers(person, flowers)
        return
    if seat.dead is not None and seat.drawn is not None:
        await discard_tile(scene, hand, person, seat.drawn)
        return
    standing, melds = person.standing(scene.lying, hand.wild), tuple(seat.melds)
    own_draw = hand.phase is Phase.TURN and hand.after not in ("chow", "pung")
    complete = own_draw and person.mind.sees_complete(standing, melds) and may_win(scene, hand, person.seat)
    if complete and not person.mind.plays_on(standing, melds, left):
        await person.spend("react")
        await call_win(scene, [person], None)
        return
    due = scene.rules.must_discard(view(hand), person.seat)
    drawn = seat.drawn
    free = not due and drawn not in hand.wild
    if own_draw and free and drawn is not None and _of_no_use(person, standing, melds, drawn):
        await person.spend("think", 0.6)
        await discard_tile(scene, hand, person, drawn)
        return
    person.mind.look(standing, melds)
    if own_draw and left > 0:
        kong = person.mind.kong(standing, melds, possible_kongs(scene, hand, person))
        if kong is not None:
            await lay_kong(scene, hand, person, kong)
            return
    await person.spend("think")
    if person.habits.lifted and person.happens(person.habits.lifted):
        await person.lift()
    if person.happens(person.habits.sorted):
        scene.meanwhile(person.sort())
    allowed = [int(tile) for tile in due] or standing.kinds() or [int(tile) for tile in person.tiles()]
    worth = _worth_without(scene, hand, person, standing) if person.mind.counts_points else None
    bound = bool(due) or play.wild_discard_forbidden
    wilds = [] if bound else [int(tile) for tile in person.tiles() if tile in hand.wild]
    kind = person.mind.discard(standing, allowed, left, worth, wilds)
    await discard_tile(scene, hand, person, Tile(kind))


def say_ready(scene: Scene, hand: Hand) -> None:
    """听牌 (competition J29): who waits for a tile before the first discard says so."""
    if "ready" not in scene.rules.play.extra_keys:
        return
    for person in scene.people:
        if person.mind.is_ready and not hand.seats[person.seat].ready:
            person.press("ready")
            scene.tell(act.Press(t=scene.clock.now(), seat=person.seat, key="ready"))


def _worth_without(scene: Scene, hand: Hand, person: Person, standing: Standing) -> Callable[[int], float]:
    """What a person who knows the rules expects of the hand when a kind is discarded: tiles not seen yet that win,
    those that win on a discard twice."""
    now = situation(scene.truth.game, hand)
    seat = hand.seats[person.seat]

    def worth(kind: int) -> float:
        concealed = person.tiles()
        concealed.remove(Tile(kind))
        win = Win(person.seat, tuple(sorted(concealed)), tuple(seat.melds), tuple(seat.flowers), concealed[0])
        return sum(
            standing.unseen[wait.tile] * (wait.self_draw.legal + 2 * (wait.discard is not None and wait.discard.legal))
            for wait in scene.rules.waits(now, win)
            if wait.self_draw is not None
        )

    return worth


def _of_no_use(person: Person, standing: Standing, melds: Sequence[Meld], drawn: Tile) -> bool:
    """The tile drawn goes without a second thought: it helps no plan and makes no kong."""
    kong = drawn < 34 and (standing.counts[drawn] == 4 or any(m.tile is drawn for m in melds))
    return drawn < 34 and not kong and person.mind.settled_without(int(drawn))


async def discard_tile(scene: Scene, hand: Hand, person: Person, tile: Tile) -> None:
    """A tile goes to the river, and everybody sees it."""
    scene.last_tag = await person.discard(tile)
    scene.see(tile)
    scene.tell(act.DiscardTile(t=scene.clock.now(), seat=person.seat, tile=tile))
    if scene.truth.playing is hand and scene.rules.must_show(view(hand), person.seat):
        await person.spend("react", 0.3)
        person.press("show")
        scene.tell(act.Press(t=scene.clock.now(), seat=person.seat, key="show"))


def possible_kongs(scene: Scene, hand: Hand, person: Person) -> list[Meld]:
    """Concealed and added kongs that the hand would allow."""
    tiles = person.tiles()
    found = [Meld(MeldKind.CONCEALED_KONG, (tile,) * 4) for tile in sorted(set(tiles)) if tiles.count(tile) == 4]
    for meld in hand.seats[person.seat].melds:
        if meld.kind is MeldKind.PUNG and meld.tile in tiles:
            found.append(Meld(MeldKind.ADDED_KONG, (meld.tile,) * 4, meld.source))
    return [kong for kong in found if scene.rules.refuse_claim(view(hand), person.seat, kong) is None]


async def lay_kong(scene: Scene, hand: Hand, person: Person, kong: Meld) -> None:
    """A concealed or added kong is laid."""
    if person.presses():
        person.press("kong")
        scene.tell(act.Press(t=scene.clock.now(), seat=person.seat, key="kong"))
    added = kong.kind is MeldKind.ADDED_KONG
    laid = kong.tiles[:1] if added else kong.tiles
    await person.lay(laid)
    scene.see(*laid)
    scene.tell(
        act.LayMeld(
            t=scene.clock.now(),
            seat=person.seat,
            kind=kong.kind,
            tile=kong.tile if added else None,
            consumed=kong.tiles[:3] if added else kong.tiles,
        )
    )
    scene.look_over(hand, person)


# --- on dealt tiles


def who_wins_early(scene: Scene, hand: Hand) -> list[Person]:
    """Who wins now on dealt tiles without a turn (抢金, 三金倒), the dealer first."""
    if hand.indicator is None:
        return []
    order = [scene.people[(hand.dealer + n) % 4] for n in range(4)]
    said = {win.actor for win in hand.declared}
    return [p for p in order if p.seat not in said and opening_win(hand, scene.rules, p.seat) is not None]


# --- on another's discard


async def after_discard(scene: Scene, hand: Hand) -> None:
    """A discard lies: wins, then pung and kong, then chow, else the next seat draws."""
    discard = hand.last_discard
    assert discard is not None
    if early := who_wins_early(scene, hand):
        await call_win(scene, early, scene.indicator_tag)
        return
    others = [scene.people[(discard.seat + n) % 4] for n in (1, 2, 3)]
    winners = who_wins(scene, hand, others, discard.tile)
    if winners:
        await call_win(scene, winners, scene.last_tag)
    elif drawable(hand, scene.rules) <= 0:
        await see_the_end(scene)
    elif (claim := who_claims(scene, hand, others, discard.tile)) is not None:
        await make_claim(scene, hand, *claim, discard.tile)
    else:
        await others[0].spend("wait")
        await draw_tile(scene, hand, others[0])


async def draw_tile(scene: Scene, hand: Hand, person: Person) -> None:
    """A turn draw."""
    tag = await person.draw(scene.next_place(hand, scene.live))
    scene.tell(act.Draw(t=scene.clock.now(), seat=person.seat, tile=scene.world.kinds[tag]))
    if hand.phase is not Phase.TURN:  # the last round: nothing is discarded any more
        person.keep()
        await open_if_won(hand, person)


async def see_the_end(scene: Scene) -> None:
    """The wall is empty: everybody sees that nobody wins on the last discard."""
    deadline = scene.truth.next_deadline()
    now = scene.clock.now()
    await scene.clock.sleep((deadline if deadline is not None else now) - now + 0.01)
    scene.tell(act.PassTime(t=scene.clock.now()))


def who_wins(scene: Scene, hand: Hand, others: Sequence[Person], tile: Tile) -> list[Person]:
    """Who calls a win on a tile of another, in order of play. Where only one can win, a later one calls too if he did
    not hear the first."""
    if not scene.rules.play.win_on_discard or tile >= 34:
        return []
    left = drawable(hand, scene.rules)
    found = [
        p
        for p in others
        if p.mind.hopes_for(int(tile))
        and not p.mind.would_swim(p.standing(scene.lying, hand.wild), left)
        and may_win(scene, hand, p.seat)
    ]
    return [p for n, p in enumerate(found) if n == 0 or scene.rules.play.multiple_winners or p.happens(CALLS_TOO)]


def may_win(scene: Scene, hand: Hand, seat: int) -> bool:
    """Whether the person, who knows the rules, sees a legal win."""
    if hand.seats[seat].dead is not None:
        return False
    win = candidate(hand, scene.rules, seat)
    return win is not None and judge(scene.truth.game, hand, scene.rules, (win,)).verdicts[0].legal


def who_claims(scene: Scene, hand: Hand, others: Sequence[Person], tile: Tile) -> tuple[Person, Meld] | None:
    """Who claims the discard, for what: pung and kong before chow."""
    if tile >= 34 or tile in hand.wild:
        return None
    play = scene.rules.play
    for n, person in enumerate(others):
        count = person.tiles().count(tile)
        if count < 3 and not person.mind.cares_for(int(tile)):
            continue
        options = []
        if count >= 2:
            options.append(Meld(MeldKind.PUNG, (tile,) * 3, source_of(person.seat, hand.turn)))
        if count == 3 and (n > 0 or play.next_seat_may_kong):
            options.append(Meld(MeldKind.EXPOSED_KONG, (tile,) * 4, source_of(person.seat, hand.turn)))
        meld = choose_meld(scene, hand, person, options, tile)
        if meld is not None:
            return person, meld
    person = others[0]
    if not play.chow_allowed or not person.mind.cares_for(int(tile)):
        return None
    runs = [tuple(sorted((*pair, tile))) for pair in chows(list(person.tiles()), tile)]
    meld = choose_meld(scene, hand, person, [Meld(MeldKind.CHOW, run, 1, tile) for run in runs], tile)
    return None if meld is None else (person, meld)


def choose_meld(scene: Scene, hand: Hand, person: Person, options: Sequence[Meld], tile: Tile) -> Meld | None:
    """The meld the person wants, of those the rules allow."""
    seat = hand.seats[person.seat]
    if not options or seat.dead is not None:
        return None
    standing = person.standing(scene.lying, hand.wild)
    allowed = [o for o in options if scene.rules.refuse_claim(view(hand), person.seat, o) is None]
    return person.mind.claim(standing, tuple(seat.melds), allowed, int(tile))


async def make_claim(scene: Scene, hand: Hand, person: Person, meld: Meld, tile: Tile) -> None:
    """Call, then move the tiles."""
    play = scene.rules.play
    snatches = person.habits.snatches and person.happens(person.habits.snatches)
    await person.spend("react", 0.2 if snatches else 1.0)
    if meld.kind is MeldKind.CHOW and play.chow_waits and hand.claims_until is not None:
        await scene.clock.sleep(max(0.0, hand.claims_until - scene.clock.now()))
    if person.presses():
        key = {MeldKind.CHOW: "chow", MeldKind.PUNG: "pung"}.get(meld.kind, "kong")
        person.press(key)
        scene.tell(act.Press(t=scene.clock.now(), seat=person.seat, key=key))
        if person.habits.dawdles and person.happens(person.habits.dawdles):
            await person.spend("dawdle")
    consumed = list(meld.tiles)
    consumed.remove(tile)
    await person.claim(scene.last_tag, consumed)
    scene.see(*consumed)
    scene.tell(act.LayMeld(t=scene.clock.now(), seat=person.seat, kind=meld.kind, tile=tile, consumed=tuple(consumed)))


async def robbing(scene: Scene, hand: Hand) -> None:
    """A tile was added to a pung: it is won on, or its replacement is drawn."""
    konger = scene.people[hand.turn]
    assert hand.added is not None
    winners = who_wins(scene, hand, [scene.people[(hand.turn + n) % 4] for n in (1, 2, 3)], hand.added)
    if winners:
        await call_win(scene, winners, None)
    else:
        await konger.spend("wait")
        await scene.take_replacements(hand, konger)


async def last_round(scene: Scene, hand: Hand) -> None:
    """One tile each, nothing is discarded; the table itself sees a win."""
    person = scene.people[(hand.turn + 1) % 4]
    (tag,) = await person.take([scene.next_place(hand, scene.live)], "reach")
    scene.tell(act.Draw(t=scene.clock.now(), seat=person.seat, tile=scene.world.kinds[tag]))
    await open_if_won(hand, person)


async def open_if_won(hand: Hand, person: Person) -> None:
    """The table has said that the tile just drawn wins."""
    if hand.phase is Phase.DECLARED:
        await person.open_hand(None)


# --- a win


async def call_win(scene: Scene, winners: Sequence[Person], winning: str | None) -> None:
    """Press the key, one after the other, and lay the hands open; not so who hears that another comes first."""
    for person in winners:
        await person.spend("react", 0.7)
        person.press("win")
        scene.tell(act.Press(t=scene.clock.now(), seat=person.seat, key="win"))
    hand = scene.truth.hand
    legal = {win.actor for win in hand.declared if win.legal} if hand is not None else set()
    for n, person in enumerate(person for person in winners if person.seat in legal):
        await person.open_hand(winning if n == 0 else None)


async def confirm(scene: Scene) -> bool:
    """The simulated referee, if there is one, confirms a win or the result of the match."""
    if scene.referee is None:
        return False
    await scene.clock.sleep(scene.rng.uniform(*REFEREE_S))
    scene.referee.act(do="confirm")
    scene.tell(act.Rule(t=scene.clock.now(), do="confirm", by="referee"))
    return True


async def agree(scene: Scene, hand: Hand) -> None:
    """Who comes before the declared win says so; then the referee, or the other players, agree to the proposal."""
    joining = who_wins_early(scene, hand)
    turn = scene.people[hand.turn]
    if hand.resume is Phase.TURN and all(win.actor != turn.seat for win in hand.declared):
        joining += [turn] if may_win(scene, hand, turn.seat) and turn not in joining else []
    if joining:
        await call_win(scene, joining, None)
        return
    if not scene.rules.play.referee_confirms:
        said = {win.actor for win in hand.declared}
        for person in [person for person in scene.people if person.seat not in said]:
            if scene.truth.playing is hand and hand.phase is Phase.DECLARED:
                await person.spend("react")
                person.press("pass")
                scene.tell(act.Press(t=scene.clock.now(), seat=person.seat, key="pass"))
    elif not await confirm(scene):
        scene.ruled.clear()
        await scene.ruled.wait()
