"""福州麻将 and 福建麻将 once more, slowly and from the text alone: every set is tried, golds tile by tile.

Nothing here knows the reading engine. `fuzhou` and `fujian` give the reason, the fans and the score of a win whose form
is right (T318.1–9, T310.1–8 are not looked at); `random_win` makes wins that are complete, nearly so, or not at all.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Any

from taking import without

from tablectl.rules.api import How, Situation, Win
from tablectl.tiles.meld import Meld, MeldKind
from tablectl.tiles.tile import FLOWERS, HONOURS, SUIT_TILES, Tile

Outcome = tuple[tuple[int, ...], bool]
"""One reading: the kinds of its natural triplets, ascending, and whether its pair is two golds."""


@lru_cache(maxsize=1 << 17)
def divide(tiles: tuple[int, ...], golds: int, sets: int, pair: bool, own: int | None = None) -> frozenset[Outcome]:
    """Every way to make ``sets`` sets (and a pair) of natural tiles and golds. ``own``: a gold that stands for its own
    kind lies among the natural ones."""
    if not tiles:
        return frozenset({((), pair)}) if golds == 3 * sets + 2 * pair else frozenset()
    first, rest = tiles[0], tiles[1:]
    found: set[Outcome] = set()
    if pair:
        for partner, gold in _with(rest, golds, (first,)):
            golden = gold == golds - 1 and first == own
            found |= {(triplets, two or golden) for triplets, two in divide(partner, gold, sets, False, own)}
    if sets:
        for left, gold in _with(rest, golds, (first, first)):
            natural = (first,) if gold == golds and own != first else ()
            more = divide(left, gold, sets - 1, pair, own)
            found |= {(tuple(sorted(natural + triplets)), two) for triplets, two in more}
        for start in range(first - 2, first + 1):
            run = (start, start + 1, start + 2)
            if start < 0 or start + 2 > 26 or start // 9 != (start + 2) // 9:
                continue
            for left, gold in _with(rest, golds, tuple(tile for tile in run if tile != first)):
                found |= divide(left, gold, sets - 1, pair, own)
    return frozenset(found)


def _with(tiles: tuple[int, ...], golds: int, wanted: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], int]]:
    """What is left after taking the wanted tiles, each as itself or as a gold."""
    for as_gold in product((False, True), repeat=len(wanted)):
        gold = golds - sum(as_gold)
        left = without(tiles, [tile for tile, is_gold in zip(wanted, as_gold, strict=True) if not is_gold])
        if gold < 0 or left is None:
            continue
        yield tuple(left), gold


@dataclass(frozen=True)
class Found:
    reason: str | None
    fans: Mapping[str, int]
    score: int


def _refused(reason: str) -> Found:
    return Found(reason, {}, 0)


def _listed(fans: Mapping[str, int]) -> dict[str, int]:
    return {name: value for name, value in fans.items() if value}


def _waited(win: Win, gold: Tile) -> frozenset[Outcome]:
    """The readings before the winning tile, one gold put aside as half of the pair; none where it did not wait so."""
    naturals = tuple(sorted(int(tile) for tile in win.concealed if tile != gold))
    golds = win.concealed.count(gold)
    return divide(naturals, golds - 1, 5 - len(win.melds), False) if golds else frozenset()


# --- fuzhou


def fuzhou(win: Win, situation: Situation, options: Mapping[str, Any]) -> Found:
    """T301–T316, T401–T413."""
    gold = situation.indicator
    assert gold is not None
    robs = How.EARTHLY in win.how
    standing = [*win.concealed, win.tile]
    golds = standing.count(gold)
    own = int(gold) if robs and options["rob_gold_as"] == "natural" else None
    naturals = [int(tile) for tile in standing if tile != gold] + ([own] if own is not None else [])
    outcomes = divide(tuple(sorted(naturals)), golds - (own is not None), 5 - len(win.melds), True, own)
    three = win.source is None and golds - robs == 3
    if not outcomes and (robs or not three):
        return _refused("not_complete")
    if options["any_wait_self_draw_only"] and win.source is not None and _waited(win, gold):
        return _refused("any_wait_discard")
    best: Found | None = None
    pairs = sorted({two for _, two in outcomes}, reverse=True) or [False]
    for golden in pairs:
        found = _fuzhou_count(win, situation, options, golds, golden, three, bool(outcomes))
        if best is None or found.score > best.score:
            best = found
    assert best is not None
    return best


def _fuzhou_count(
    win: Win, situation: Situation, options: Mapping[str, Any], golds: int, golden: bool, three: bool, complete: bool
) -> Found:
    extra = {"花": 0, "四同花": 0, "金": golds * options["gold_unit"], "明杠": 0, "暗杠": 0}
    left = Counter(win.flowers)
    for kinds in [*([tile] * 4 for tile in HONOURS), FLOWERS[:4], FLOWERS[4:]]:
        if not Counter(kinds) - left:
            left -= Counter(kinds)
            extra["四同花"] += options["flower_set_units"]
    extra["花"] = left.total() * options["flower_unit"]
    for meld in win.melds:
        if meld.kind is MeldKind.CONCEALED_KONG:
            extra["暗杠"] += options["concealed_kong_units"]
        elif len(meld.tiles) == 4:
            extra["明杠"] += options["exposed_kong_units"]
    special = []
    if golden:
        special.append(("金雀", options["mult_golden_pair"]))
    if three:
        special.append(("三金倒", options["mult_three_gold"]))
    if How.HEAVENLY in win.how and complete:
        special.append(("天胡", options["mult_heavenly"]))
    if How.EARTHLY in win.how and complete:
        special.append(("抢金", options["mult_rob_gold"]))
    if not win.flowers and all(len(meld.tiles) == 3 for meld in win.melds):
        special.append(("平胡", options["mult_plain"]))
    streak = situation.streak * options["streak_unit"]
    name = "连庄" if win.seat == situation.dealer else "抓庄"
    total = sum(extra.values())
    if not special:
        factor = options["self_draw_factor"] if win.source is None else 1
        fans = {"底分": 1, name: streak, **extra}
        return Found(None, _listed(fans), options["base"] * factor * (1 + streak + total))
    form, units = special[0]
    for other, more in special:
        if more > units:
            form, units = other, more
    if options["streak_in_special"] == "none":
        streak = 0
    main = units * (1 + streak) if options["streak_in_special"] == "multiply" else units + streak
    fans = {form: units, name: streak, **extra}
    return Found(None, _listed(fans), options["base"] * (main + options["special_flower_factor"] * total))


# --- fujian

_ORDER = ("花", "金", "光杠", "暗杠", "大字碰", "数牌暗刻", "大字暗刻")
_FULL_KONGS = {
    (MeldKind.ADDED_KONG, False): ("数牌补杠", "full_suit_added_kong"),
    (MeldKind.EXPOSED_KONG, False): ("数牌光杠", "full_suit_exposed_kong"),
    (MeldKind.ADDED_KONG, True): ("大字补杠", "full_honour_added_kong"),
    (MeldKind.EXPOSED_KONG, True): ("大字光杠", "full_honour_exposed_kong"),
    (MeldKind.CONCEALED_KONG, False): ("数牌暗杠", "full_suit_concealed_kong"),
    (MeldKind.CONCEALED_KONG, True): ("大字暗杠", "full_honour_concealed_kong"),
}


def fujian(win: Win, situation: Situation, options: Mapping[str, Any]) -> Found:
    """T301–T308, T401–T411."""
    gold = situation.indicator
    assert gold is not None
    standing = [*win.concealed, win.tile]
    golds = standing.count(gold)
    naturals = tuple(sorted(int(tile) for tile in standing if tile != gold))
    outcomes = divide(naturals, golds, 5 - len(win.melds), True)
    three = options["three_gold_win"] and win.source is None and golds == 3
    if not outcomes and not three:
        return _refused("not_complete")
    waited = _waited(win, gold)
    if win.source is not None and options["any_wait_self_draw_only"] and waited:
        return _refused("any_wait_discard")
    drawn = win.source is None
    counted = [("zimo" if drawn else "pi", triplets) for triplets, _ in outcomes] or [("zimo", ())]
    if drawn and How.HEAVENLY not in win.how:
        counted += [("youjin", triplets) for triplets, _ in waited]
    found = [_fujian_count(win, situation, options, golds, kind, triplets) for kind, triplets in counted]
    return max(found, key=lambda each: (each.score, "游金" in each.fans, [each.fans.get(fan, 0) for fan in _ORDER]))


def _fujian_count(
    win: Win, situation: Situation, options: Mapping[str, Any], golds: int, kind: str, triplets: tuple[int, ...]
) -> Found:
    full, dealer = options["count"] == "full", win.seat == situation.dealer
    count = "full" if full else "simple"
    fans: Counter[str] = Counter()
    fans["花"] = (
        len(win.flowers) * options["full_flower"] if full else len(win.flowers) // options["simple_flowers_per_fan"]
    )
    fans["金"] = golds * options[f"{count}_gold"]
    for meld in win.melds:
        honour = meld.tile.is_honour
        if len(meld.tiles) == 4 and full:
            name, option = _FULL_KONGS[meld.kind, honour]
            fans[name] += options[option]
        elif len(meld.tiles) == 4:
            concealed = meld.kind is MeldKind.CONCEALED_KONG
            fans["暗杠" if concealed else "光杠"] += options[
                "simple_concealed_kong" if concealed else "simple_exposed_kong"
            ]
        elif full and honour:
            fans["大字碰"] += options["full_honour_pung"]
    for tile in triplets if full else ():
        in_hand = win.source is None or win.concealed.count(Tile(tile)) >= 3
        if Tile(tile).is_honour and in_hand:
            fans["大字暗刻"] += options["full_honour_triplet"]
        elif Tile(tile).is_honour:
            fans["大字碰"] += options["full_honour_pung"]
        elif in_hand:
            fans["数牌暗刻"] += options["full_suit_triplet"]
    value = options[f"{count}_{kind}"] * (options["dealer_factor"] if dealer else 1)
    weight = options[f"full_weight_{kind}"] if full or options["simple_weights"] else 1
    steps = 0
    if dealer and full:
        history = options["streak_history"] or ["pi"] * situation.streak
        steps = sum(options[f"full_step_{kept}"] for kept in history if kept != "draw")
    elif dealer:
        steps = options["simple_streak_step"] * situation.streak
    score = options["unit"] * (value + steps + weight * sum(fans.values()))
    main = {"pi": "屁胡", "zimo": "自摸", "youjin": "游金"}[kind]
    return Found(None, _listed({main: value, "连庄": steps, **fans}), score)


# --- wins


def random_win(chance: random.Random, *, honours: bool) -> tuple[Win, Tile]:
    """A win of right form, and its gold: complete before one or two tiles were exchanged, now and then. ``honours``:
    they are playable."""
    kinds = [*SUIT_TILES, *(HONOURS if honours else ())]
    while True:
        some = chance.choice([kinds, kinds[:9], kinds[:12], kinds[15:], kinds[-11:]])
        gold = chance.choice(some if chance.random() < 0.8 else kinds)
        made = _made(chance, some, gold)
        if made is not None:
            return made, gold


def _made(chance: random.Random, some: list[Tile], gold: Tile) -> Win | None:
    groups = [_group(chance, some) for _ in range(5)]
    melds = []
    for _ in range(chance.choice([0, 0, 0, 1, 1, 2, 3, 5])):
        meld = _meld(chance, groups.pop())
        if gold in meld.tiles:
            return None
        melds.append(meld)
    standing = [tile for group in groups for tile in group] + [chance.choice(some)] * 2
    for place in chance.sample(range(len(standing)), min(len(standing), chance.choice([0, 1, 1, 2, 2, 3, 3]))):
        standing[place] = gold
    if chance.random() < 0.3:
        standing[chance.randrange(len(standing))] = chance.choice(some)
    chance.shuffle(standing)
    tile = standing.pop()
    source = chance.choice([None, None, 1, 2, 3])
    how: set[How] = set()
    robs = source is None and not melds and tile == gold and chance.random() < 0.5
    if robs:
        how.add(How.EARTHLY)
    held = Counter([*standing, tile, *(tile for meld in melds for tile in meld.tiles)])
    if held[gold] > 3 + robs or max(held.values()) > 4 or (source is not None and tile == gold):
        return None
    seat = chance.choice([0, 0, 1, 2, 3])
    if source is None and not melds and not robs and seat == 0 and chance.random() < 0.3:
        how.add(How.HEAVENLY)
    flowers = chance.sample(FLOWERS, chance.choice([0, 0, 0, 1, 3, 5, 8]))
    return Win(
        seat,
        tuple(standing),
        tuple(melds),
        tuple(flowers),
        tile,
        None if source is None else (seat + source) % 4,
        frozenset(how),
    )


def _group(chance: random.Random, some: list[Tile]) -> list[Tile]:
    tile = chance.choice(some)
    if tile.suit and tile.rank <= 7 and chance.random() < 0.6:
        return [tile, Tile(tile + 1), Tile(tile + 2)]
    return [tile] * 3


def _meld(chance: random.Random, tiles: list[Tile]) -> Meld:
    if tiles[0] != tiles[1]:
        return Meld(MeldKind.CHOW, tuple(tiles), 1, tiles[0])
    kind = chance.choice([MeldKind.PUNG, MeldKind.EXPOSED_KONG, MeldKind.ADDED_KONG, MeldKind.CONCEALED_KONG])
    source = 0 if kind is MeldKind.CONCEALED_KONG else chance.choice([2, 3])
    return Meld(kind, tuple(tiles[:1]) * (3 if kind is MeldKind.PUNG else 4), source)
