"""北京麻将 counted once more, slowly, straight from the text (T22–T43), without the reading engine; hands for it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from random import Random
from typing import Any

from tablectl.rules.api import How, Points, Win
from tablectl.rules.beijing.options import FAN_VALUES
from tablectl.tiles.meld import Meld, MeldKind
from tablectl.tiles.tile import PLAYABLE, Tile

#: A set, a pair: its tiles; whether it is melded; whether the winning tile lies in it.
Part = tuple[tuple[Tile, ...], bool, bool]
Parts = tuple[Part, ...]

ORPHANS = [tile for tile in PLAYABLE if tile.rank in (0, 1, 9)]


def run_from(tile: Tile) -> tuple[Tile, ...]:
    return (tile, Tile(tile + 1), Tile(tile + 2)) if tile.suit and tile.rank <= 7 else ()


def sets_and_pair(tiles: Sequence[Tile]) -> set[tuple[tuple[Tile, ...], ...]]:
    """Every way to lay the tiles into sets and one pair: the least tile goes somewhere, then the rest."""
    if not tiles:
        return {()}
    least, found = min(tiles), set()
    for group in ((least,) * 2, (least,) * 3, run_from(least)):
        if not group or Counter(group) - Counter(tiles):
            continue
        rest = list((Counter(tiles) - Counter(group)).elements())
        found |= {tuple(sorted((group, *others))) for others in sets_and_pair(rest)}
    return {way for way in found if sum(len(group) == 2 for group in way) <= 1}


def readings_of(win: Win, orphans: bool) -> Iterator[tuple[str, Parts]]:
    """Shape and parts of every reading, with every place of the winning tile (T22, T32)."""
    standing = [*win.concealed, win.tile]
    melded: Parts = tuple((meld.tiles, True, False) for meld in win.melds)
    for way in sets_and_pair(standing):
        if sum(len(group) == 2 for group in way) == 1:
            for place, group in enumerate(way):
                if win.tile in group:
                    yield "sets", melded + tuple((g, False, n == place) for n, g in enumerate(way))
    if win.melds:
        return
    many = Counter(standing)
    if all(count % 2 == 0 for count in many.values()):
        yield "pairs", tuple(((tile, tile), False, tile == win.tile) for tile in many.elements())[::2]
    if orphans and set(standing) == set(ORPHANS):
        yield "orphans", ()


def fans_of(win: Win, shape: str, parts: Parts, dealer: int, options: Mapping[str, Any]) -> dict[str, int]:
    """The fans of one reading in the order of T29."""
    tiles = [*win.concealed, win.tile, *(tile for meld in win.melds for tile in meld.tiles)]
    suits, honours = {t.suit for t in tiles if t.suit}, any(t.is_honour for t in tiles)
    kinds = [meld.kind for meld in win.melds]
    drawn, lowest = win.source is None, options["lowest_reading"]
    sets = [tiles for tiles, _, _ in parts if len(tiles) > 2]
    runs = {group[0] for group in sets if len(set(group)) > 1}
    said = win.how

    def keeps(kind: MeldKind) -> bool:
        return kind is MeldKind.CONCEALED_KONG and bool(options["concealed_kong_keeps"])

    kongs = {MeldKind.CONCEALED_KONG, MeldKind.ADDED_KONG, MeldKind.EXPOSED_KONG}
    four = len(kinds) == 4 and MeldKind.CONCEALED_KONG not in kinds
    middle = any(
        lies and not melded and group == (Tile.M4, Tile.M5, Tile.M6) and win.tile is Tile.M5
        for group, melded, lies in parts
    )
    quads = shape == "pairs" and 4 in Counter(tiles).values()
    has = {
        "门清": all(map(keeps, kinds)),
        "对对和": shape == "sets" and not runs,
        "大吊车": four and not (drawn and options["big_hook_discard_only"]),
        "捉五魁": middle and not lowest,
        "海底捞月": drawn and How.LAST_TILE in said and not lowest,
        "杠上开花": drawn and How.KONG_REPLACEMENT in said and bool(kongs & set(kinds)) and not lowest,
        "一条龙": any({one, one + 3, one + 6} <= runs for one in (Tile.M1, Tile.P1, Tile.S1)),
        "七小对": shape == "pairs" and not quads,
        "豪华七小对": quads,
        "清一色": len(suits) == 1 and not honours,
        "天和": How.HEAVENLY in said and drawn and win.seat == dealer and not kinds and not lowest,
        "地和": How.EARTHLY in said and drawn and win.seat != dealer and not kinds and not lowest,
        "人和": How.HUMAN in said and win.source == dealer and not kinds,
        "自摸": drawn,
        "抢杠和": not drawn and How.ROBBING_KONG in said,
        "海底炮": not drawn and How.LAST_TILE in said,
        "十三幺": shape == "orphans",
        "混一色": len(suits) == 1 and honours,
        "字一色": not suits,
    }
    values = {**FAN_VALUES, **options["fan_values"]}
    found = {name: values[name] for name in FAN_VALUES if has[name] and values[name]}
    if {"七小对", "豪华七小对", "十三幺", "天和", "地和", "人和"} & set(found):
        found.pop("门清", None)
    return found


def best_fans(win: Win, dealer: int, options: Mapping[str, Any]) -> dict[str, int] | None:
    """The fans of the reading that counts (T32, T38); None where the hand is not complete."""
    order = list(FAN_VALUES)
    counted = [fans_of(win, *reading, dealer, options) for reading in readings_of(win, options["thirteen_orphans"])]
    sign = 1 if options["lowest_reading"] else -1
    ranked = sorted(counted, key=lambda fans: (sign * sum(fans.values()), [order.index(name) for name in fans]))
    return ranked[0] if ranked else None


def score_of(fans: Mapping[str, int]) -> int:
    """T31."""
    return [500, 1000, 2000, 4000, 8000][min(4, sum(fans.values()))]


def payments_of(win: Win, score: int, dealer: int) -> Points:
    """T39, T41."""

    def up(amount: Fraction) -> int:
        return math.ceil(amount / 100) * 100

    change = [0, 0, 0, 0]
    for payer in range(4):
        if payer == win.seat or (win.source is not None and payer != win.source):
            continue
        if win.source is not None:
            part = Fraction(3, 2) if win.seat == dealer else Fraction(1)
        else:
            part = Fraction(1, 2) if dealer in (win.seat, payer) else Fraction(1, 4)
        change[payer] -= up(score * part)
    change[win.seat] = -sum(change)
    return (change[0], change[1], change[2], change[3])


# --- hands


def random_options(rng: Random) -> dict[str, Any]:
    extra = {name: rng.choice([0, 1, 2, 4]) for name in rng.sample(list(FAN_VALUES), rng.choice([0, 0, 1, 3]))}
    return {
        "fan_values": extra,
        "thirteen_orphans": rng.random() < 0.3,
        "big_hook_discard_only": rng.random() < 0.3,
        "concealed_kong_keeps": rng.random() < 0.7,
        "lowest_reading": rng.random() < 0.25,
    }


def random_win(rng: Random) -> Win:
    """A hand of the set of 136 tiles, complete more often than not, of any shape."""
    while True:
        tiles, melds = _special(rng) if rng.random() < 0.2 else _standard(rng)
        if rng.random() < 0.1:
            tiles[rng.randrange(len(tiles))] = rng.choice(PLAYABLE)
        held = Counter([*tiles, *(tile for meld in melds for tile in meld.tiles)])
        if max(held.values()) <= 4:
            break
    fives = [n for n, tile in enumerate(tiles) if tile is Tile.M5]
    last = tiles.pop(rng.choice(fives) if fives and rng.random() < 0.7 else rng.randrange(len(tiles)))
    rng.shuffle(tiles)
    seat = rng.randrange(4)
    source = rng.choice([None, *(other for other in range(4) if other != seat)])
    how = frozenset(rng.sample(list(How), rng.choice([0, 0, 1, 2])))
    return Win(seat, tuple(tiles), tuple(melds), (), last, source, how)


def _standard(rng: Random) -> tuple[list[Tile], list[Meld]]:
    kinds = rng.choice([PLAYABLE, PLAYABLE[:9], PLAYABLE[9:18], PLAYABLE[18:], PLAYABLE[27:], PLAYABLE[:27]])
    groups = [rng.choice([(tile,) * 3, run_from(tile) or (tile,) * 3]) for tile in rng.choices(kinds, k=4)]
    if rng.random() < 0.3:
        first = rng.choice([Tile.M1, Tile.P1, Tile.S1])
        groups[:3] = [run_from(Tile(first + step)) for step in (0, 3, 6)]
    melds = []
    for _ in range(rng.choice([0, 0, 1, 2, 3, 4, 4])):
        group = groups.pop(rng.randrange(len(groups)))
        if group[0] is not group[1]:
            melds.append(Meld(MeldKind.CHOW, group, 1, rng.choice(group)))
            continue
        kind = rng.choice([MeldKind.PUNG, MeldKind.EXPOSED_KONG, MeldKind.ADDED_KONG, MeldKind.CONCEALED_KONG])
        source = 0 if kind is MeldKind.CONCEALED_KONG else rng.choice([1, 2, 3])
        melds.append(Meld(kind, group if kind is MeldKind.PUNG else (*group, group[0]), source))
    return [tile for group in groups for tile in group] + [rng.choice(kinds)] * 2, melds


def _special(rng: Random) -> tuple[list[Tile], list[Meld]]:
    if rng.random() < 0.2:
        return [*ORPHANS, rng.choice(ORPHANS)], []
    kinds = rng.choice([PLAYABLE, PLAYABLE[:9], PLAYABLE[2:9], PLAYABLE[27:]])
    return [tile for tile in rng.choices(kinds, k=7) for _ in range(2)], []
