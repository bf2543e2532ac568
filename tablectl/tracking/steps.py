"""What could have happened next: the steps that the rules of play know, as far as some reading speaks for them.

A step's prior is how usual it is in play (natural logarithm, against nothing having happened yet); the readings are
weighed elsewhere (`hypotheses`). Offences that move tiles are steps too, unusual ones: what really lies on the table is
not explained away.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from itertools import combinations, islice
from math import log

from tablectl.game.state import Phase
from tablectl.tiles.meld import MeldKind
from tablectl.tiles.tile import Tile
from tablectl.tracking.outlook import Outlook, Step
from tablectl.tracking.places import HAND, MELD, RIVER
from tablectl.tracking.scene import Scene
from tablectl.tracking.wall import End

#: priors of steps
DUE_DRAW = -0.5
DISCARD = -2.6
FLOWER = -0.7
#: what it adds to a discard that the river does not show (yet): a tile missed in the hand is no discard; to a due draw
#: that no antenna shows
UNSEEN = -3.5
UNSEEN_DRAW = -1.5
#: ... and to a flower that is silent in the hand, and does not answer before the seat (yet)
UNSEEN_FLOWER = -3.5
#: reads of the river in which a discard may have been seen
SHOWN_READS = 8
#: what a flower that must be laid first adds to any discard
FLOWER_HELD = -4.0
#: what it adds to a discard that the tile was just drawn, where the order of two discards is not known
DRAWN_FIRST = 1.6
CHOW = -3.5
PUNG = -3.5
KONG = -4.0
WIN = -11.0
#: what it adds that neither key nor open tiles tell of it: the seat takes the discard with which its hand wins
SILENT_WIN = -4.0
#: a seat lays a flower in the opening before its turn: another one lacks replacements, or has to lay first
HURRIED = -8.5
#: what a key pressed by the seat adds to its claim, to its win
KEY = 4.0
WIN_KEY = 14.0
#: what it adds to a win that the hand is one (or is none)
LEGAL_WIN = 12.0
ILLEGAL_WIN = -8.0
#: ... that it is not known whether the hand is one after the moves supposed before it
UNSURE_WIN = -4.0
#: ... for each read of the seat's antennas since it was called that lacks the tile supposed to be drawn for it: that is
#: put down when the key is pressed
NOT_PUT_DOWN = -3.0
#: the winner takes the winning discard
TAKEN = -0.7
#: when a win is one on the tile discarded, or laid to a kong; one that was declared may be one on either
ON_DISCARD = (Phase.DISCARDED, Phase.ROBBING, Phase.DECLARED)
#: tiles laid open that are more than a meld
OPEN_TILES = 5
#: against the rules: a draw left out, one too many, another tile of the wall than the one due, a tile put back
OFFENCE = -9.0
#: a tile of the wall that the lanes put elsewhere, where the lanes are doubtful
DOUBTFUL = -4.5


def steps(look: Outlook, scene: Scene) -> Iterator[Step]:
    """Every step from ``look`` that the rules or a known offence allow and some reading or key speaks for."""
    seat, phase = look.turn, look.phase
    if phase in (Phase.TURN, Phase.CLAIMED, Phase.FLOWERS, Phase.INDICATOR, Phase.REPLACING):
        lacking = phase is Phase.REPLACING or look.owed[seat] > 0
        extra = OFFENCE if lacking else 0.0
        due = phase is not Phase.FLOWERS or seat == scene.dealer  # the opening ends with the dealer's discard
        yield from _discards(look, scene, seat, extra if due else OFFENCE)
        if phase is not Phase.FLOWERS:
            yield from _flowers(look, scene, seat)
        allowed = look.kong_allowed or scene.play.kong_after_claim
        yield from _own_kongs(look, scene, seat, extra + (0.0 if allowed else OFFENCE))
        if not lacking:
            yield from _wins(look, scene, (seat, *_on_dealt_tiles(look, scene)))
    match phase:
        case Phase.REPLACING:
            yield from _draws(look, scene, seat, "tail", 0.0)
        case Phase.ROBBING:
            yield from _draws(look, scene, seat, "tail", 0.0)
            yield from _wins(look, scene, [(seat + i) % 4 for i in (1, 2, 3)])
        case Phase.FLOWERS:
            if seat != scene.dealer and _opened(look, scene):
                yield from _discards(look, scene, scene.dealer, 0.0)
            hurried = before_their_turn(look, scene)
            for other in range(4):
                yield from _flowers(look, scene, other, hurried[other])
                if look.owed[other]:
                    yield from _draws(look, scene, other, "tail", 0.0)
        case Phase.TURN | Phase.CLAIMED:
            yield from _draws(look, scene, seat, "live", OFFENCE, seen_only=True)
        case Phase.DISCARDED:
            follower = (seat + 1) % 4
            yield from _draws(look, scene, follower, "live", 0.0)
            yield from _claims(look, scene, seat)
            yield from _discards(look, scene, follower, OFFENCE)
            yield from _shown_discards(look, scene, seat)  # a second one
            yield from _wins(look, scene, [(seat + i) % 4 for i in (1, 2, 3)])
        case Phase.LAST_ROUND:
            yield from _draws(look, scene, (seat + 1) % 4, "live", 0.0)
            yield from _shown_discards(look, scene, seat)
            yield from _wins(look, scene, (seat,))
        case Phase.DECLARED:
            yield from _wins(look, scene, [other for other in range(4) if other not in scene.declared])


def _draws(
    look: Outlook, scene: Scene, seat: int, end: End, prior: float, *, seen_only: bool = False
) -> Iterator[Step]:
    """The tile due, and any other tile of the wall that shows up at the seat."""
    wall = scene.wall
    due = wall.due(end, look.gone)
    if due is None and wall.deck is not None:
        return
    odds = wall.odds(due) if due is not None else {}
    shown = {tag for place in (HAND[seat], RIVER[seat], MELD[seat]) for tag in scene.strange(place)}
    named = False
    for tag, p in odds.items():
        if not _in_wall(look, scene, tag) or p < 1e-3 or (prior <= OFFENCE and scene.lenient):
            continue
        named = named or p > 0.5
        if not seen_only or tag in shown:
            usual = prior + DUE_DRAW + (0.0 if tag in shown else UNSEEN_DRAW) + log(p)
            yield Step("draw", seat, ((tag, HAND[seat]),), usual, scene.tiles[tag], (), end, due)
    doubtful = DOUBTFUL if due is None or not named else OFFENCE - 3.0
    for tag in sorted(shown):
        if tag in odds or not _in_wall(look, scene, tag):
            continue
        position = wall.find(tag)
        if position in wall.emptied:
            position = None  # another tile of its kind was taken for it
        if position is not None and (position in look.gone or _turned_up(look, scene, tag, position)):
            continue
        if scene.lenient and (named or prior <= OFFENCE):
            continue
        offence = "wrong_wall_end" if doubtful <= OFFENCE else ""
        moves = ((tag, HAND[seat]),)
        yield Step("draw", seat, moves, prior + doubtful, scene.tiles[tag], (), end, position or due, offence)
    if not named and not seen_only:
        yield Step("draw", seat, (), prior + DOUBTFUL, None, (), end, due)


def _turned_up(look: Outlook, scene: Scene, tag: str, position: int) -> bool:
    """Whether a flower of the wall that lies open is the indicator, put to the dealer's flowers while replacements
    before it are not told yet (fuzhou T109)."""
    play = scene.play
    if look.phase is not Phase.FLOWERS or (play.indicator, play.indicator_flower) != ("after_flowers", "dealer"):
        return False
    if scene.tiles[tag] not in play.flowers:
        return False
    return position in islice(scene.wall.coming("tail", look.gone), sum(look.owed) + 1)


def _in_wall(look: Outlook, scene: Scene, tag: str) -> bool:
    return scene.lies(look, tag).startswith("wall") and tag in scene.tiles


def _discards(look: Outlook, scene: Scene, seat: int, prior: float) -> Iterator[Step]:
    """Tiles of the hand that are in the river, in another seat's meld, or no longer in the hand."""
    place = HAND[seat]
    tags = set(scene.strange(RIVER[seat])) | set(scene.missing(place))
    tags.update(tag for tag in look.ways if scene.lies(look, tag) == place)
    for other in range(4):
        if other != seat:
            tags.update(scene.strange(MELD[other]))
    if not tags:
        return
    if scene.lenient and prior <= OFFENCE:
        return
    prior += DISCARD
    if scene.play.flowers_compulsory:
        held = [scene.tiles.get(tag) for tag in scene.tags_of(look, place)]
        prior += FLOWER_HELD * any(tile in scene.play.flowers for tile in held)
    presence, river = scene.presence, RIVER[seat]
    for tag in sorted(tags):
        if scene.lies(look, tag) == place:
            seen = tag in scene.strange(river) or presence.went(tag, place, river, SHOWN_READS) or presence.lost(tag)
            usual = prior + (0.0 if seen else UNSEEN)
            if scene.lenient and tag == look.drawn:  # of two that moved while nobody looked
                usual += DRAWN_FIRST
            yield Step("discard", seat, ((tag, river),), usual, scene.tiles[tag])


def _shown_discards(look: Outlook, scene: Scene, seat: int) -> Iterator[Step]:
    """Discards where none is due, as far as the river shows them."""
    for step in _discards(look, scene, seat, OFFENCE):
        if step.moves[0][0] in scene.strange(RIVER[seat]):
            yield step


def before_their_turn(look: Outlook, scene: Scene) -> list[Set[str]]:
    """The flowers of each seat that it would lay before its turn in the opening: another seat lacks replacements, or
    holds flowers that come first (`Play.opening_flowers`)."""
    mode, last = scene.play.opening_flowers, look.turn if look.laying is None else look.laying
    held = []
    for seat in range(4):
        tags = scene.tags_of(look, HAND[seat])
        held.append({tag for tag in tags if scene.tiles.get(tag) in scene.play.flowers})
    if mode == "one_each":
        rest: Set[str] = frozenset()
    elif mode == "rounds":  # those just drawn wait for the next round
        rest = _without(held[last] - look.replaced, look.fresh, scene)
    else:
        rest = held[last]
    found: list[Set[str]] = [frozenset()] * 4
    before = bool(rest)
    for seat in [(last + n) % 4 for n in (1, 2, 3)]:
        found[seat] = held[seat] if before else frozenset()
        before = before or bool(held[seat])
    if any(held[seat] for seat in range(4) if seat != last):
        found[last] = held[last] - rest
    for seat in range(4):
        if any(owed for other, owed in enumerate(look.owed) if other != seat):
            found[seat] = held[seat]
    return found


def _opened(look: Outlook, scene: Scene) -> bool:
    """Whether the opening has come to its end: nobody lacks a replacement, and nobody holds a flower."""
    if look.phase is not Phase.FLOWERS or any(look.owed):
        return False
    held = (tag for seat in range(4) for tag in scene.tags_of(look, HAND[seat]))
    return not any(scene.tiles.get(tag) in scene.play.flowers for tag in held)


def _without(tags: Set[str], kinds: Iterable[Tile], scene: Scene) -> Set[str]:
    """``tags`` without one of each of ``kinds``."""
    left = sorted(tags)
    for kind in kinds:
        found = next((tag for tag in left if scene.tiles[tag] == kind), None)
        if found is not None:
            left.remove(found)
    return set(left)


def _flowers(look: Outlook, scene: Scene, seat: int, hurried: Set[str] = frozenset()) -> Iterator[Step]:
    shown = set(scene.strange(MELD[seat]))
    tags = shown | set(scene.missing(HAND[seat]))
    tags.update(tag for tag in look.ways if scene.lies(look, tag) == HAND[seat])
    for tag in sorted(tags):
        tile = scene.tiles.get(tag)
        if tile in scene.play.flowers and tile is not None and scene.lies(look, tag) == HAND[seat]:
            doubt = (0.0 if tag in shown else UNSEEN_FLOWER) + (HURRIED if tag in hurried else 0.0)
            yield Step("flower", seat, ((tag, MELD[seat]),), FLOWER + doubt, tile)


def _lies_open(scene: Scene, seat: int, standing: Set[str]) -> bool:
    """Whether the standing tiles of a seat lie open all together: no meld can be told from them."""
    return sum(tag in standing for tag in scene.strange(MELD[seat])) >= OPEN_TILES


def _own_kongs(look: Outlook, scene: Scene, seat: int, prior: float) -> Iterator[Step]:
    shown = set(scene.strange(MELD[seat]))
    stirring = shown | set(scene.missing(HAND[seat]))
    if not stirring:
        return
    tags = scene.tags_of(look, HAND[seat])
    if _lies_open(scene, seat, tags):
        return
    key = KEY if scene.keys.get(seat) == "kong" else 0.0
    kinds = {scene.tiles[tag] for tag in tags & stirring}.difference(scene.play.flowers)
    for kind in sorted(kinds):
        four = scene.of_kind(tags, kind)
        if len(four) == 4 and len(stirring.intersection(four)) >= 2:
            moves = tuple((tag, MELD[seat]) for tag in four)
            yield Step("concealed_kong", seat, moves, KONG + key + prior, None, (kind,) * 4)
    for pung in scene.pungs[seat]:
        kind = scene.tiles[pung[0]]
        for tag in scene.of_kind(sorted(tags & stirring), kind):
            yield Step("added_kong", seat, ((tag, MELD[seat]),), KONG + key + prior, kind, (kind,) * 3)


def _claims(look: Outlook, scene: Scene, discarder: int) -> Iterator[Step]:
    last = look.last
    if last is None:
        return
    tile = scene.tiles[last]
    stirred = [seat for seat in range(4) if seat in scene.keys or scene.strange(MELD[seat])]
    late = OFFENCE if stirred and scene.exhausted() else 0.0
    for seat in [(discarder + i) % 4 for i in (1, 2, 3)]:
        if seat not in stirred:
            continue
        key = scene.keys.get(seat)
        tags = scene.tags_of(look, HAND[seat])
        if _lies_open(scene, seat, tags):
            continue
        same = scene.of_kind(tags, tile)
        for kind, count, usual in ((MeldKind.PUNG, 2, PUNG), (MeldKind.EXPOSED_KONG, 3, KONG)):
            called = "pung" if kind is MeldKind.PUNG else "kong"
            for equal in combinations(sorted(same), count):
                laid = kind is MeldKind.PUNG or all(scene.presence.answered(tag, MELD[seat]) for tag in equal)
                prior = usual + late + KEY * (key == called) + (0.0 if laid else UNSEEN)
                yield _claim(scene, kind, seat, last, [*equal], prior)
        due = seat == (discarder + 1) % 4 and scene.play.chow_allowed and not late
        usual = CHOW if due else CHOW + OFFENCE
        shown = scene.strange(MELD[seat])
        if tile.suit and (usual == CHOW or last in shown):
            for offsets in ((-2, -1), (-1, 1), (1, 2)):
                ranks = [tile.rank + offset for offset in offsets]
                if min(ranks) < 1 or max(ranks) > 9:
                    continue
                own: list[str] = []
                for offset in offsets:
                    own += scene.best(scene.of_kind(tags, Tile(tile + offset)), MELD[seat], 1) or ()
                if len(own) == 2 and (usual == CHOW or all(tag in shown for tag in own)):
                    yield _claim(scene, MeldKind.CHOW, seat, last, own, usual + KEY * (key == "chow"))


def _claim(scene: Scene, kind: MeldKind, seat: int, last: str, own: list[str], prior: float) -> Step:
    moves = tuple((tag, MELD[seat]) for tag in (last, *own))
    consumed = tuple(sorted(scene.tiles[tag] for tag in own))
    return Step(kind.value, seat, moves, prior, scene.tiles[last], consumed)


def shown_of(scene: Scene, seat: int, standing: Set[str]) -> list[str]:
    """The ``standing`` tiles of a seat that answer before it; flowers apart, which are laid there in any case."""
    return [
        tag for tag in scene.strange(MELD[seat]) if tag in standing and scene.tiles.get(tag) not in scene.play.flowers
    ]


def _on_dealt_tiles(look: Outlook, scene: Scene) -> list[int]:
    """The seats not in turn that call or show a win which needs no turn (抢金, 三金倒)."""
    if look.ways:
        return []
    others = [seat for seat in range(4) if seat != look.turn]
    said = [seat for seat in others if scene.keys.get(seat) == "win" or scene.strange(MELD[seat])]
    return [seat for seat in said if scene.legal(seat, None)]


def takers(look: Outlook, scene: Scene) -> list[int]:
    """The seats before which the discard answers that makes their hand one that wins."""
    tag = look.last
    if tag is None or look.ways or look.phase not in ON_DISCARD or not scene.lies(look, tag).startswith("river"):
        return []
    seats = [seat for seat in range(4) if seat != look.turn and seat not in scene.declared]
    return [seat for seat in seats if tag in scene.strange(HAND[seat]) and scene.legal(seat, None)]


def _wins(look: Outlook, scene: Scene, seats: Iterable[int]) -> Iterator[Step]:
    """A hand laid open, or a win called with the key. What is laid open is evidence; the tiles stay where they are, but
    the winner may take the winning discard."""
    taking = takers(look, scene)
    for seat in seats:
        if seat in scene.declared:
            continue
        called = scene.keys.get(seat) == "win"
        if not called and seat not in taking and not scene.strange(MELD[seat]):
            continue
        standing = scene.tags_of(look, HAND[seat])
        shown = shown_of(scene, seat, standing)
        silent = not called and len(shown) < min(OPEN_TILES, max(2, len(standing)))
        if silent and seat not in taking:
            continue
        tag = look.last if look.last is not None and look.phase in ON_DISCARD else look.drawn
        prior = WIN + WIN_KEY * called + SILENT_WIN * silent
        prior += sum(max(0.0, scene.presence.way(each, MELD[seat]).support) for each in shown if each not in look.ways)
        drew = called and look.phase is Phase.TURN and tag is not None and look.ways == {tag: (HAND[seat],)}
        known = drew or not look.ways  # what the seat holds after the moves supposed
        legal = scene.legal(seat, scene.tiles.get(tag) if drew and tag else None) if known else None
        if legal is False and not called and look.phase is Phase.DECLARED:
            continue  # a hand shown while another's win is looked at
        if legal is not None:
            prior += LEGAL_WIN if legal else ILLEGAL_WIN
        elif look.ways:
            prior += UNSURE_WIN
        if drew and tag is not None:
            prior += NOT_PUT_DOWN * scene.silent_since(tag, seat, scene.pressed[seat])
        tile = scene.tiles.get(tag) if tag else None
        if not silent:
            yield Step("win", seat, (), prior, tile, t=scene.pressed.get(seat))
        for place in (HAND[seat], MELD[seat]):
            if tag is not None and tag in scene.strange(place) and scene.lies(look, tag).startswith(("river", "meld")):
                yield Step("win", seat, ((tag, place),), prior + TAKEN, tile, t=scene.pressed.get(seat))
