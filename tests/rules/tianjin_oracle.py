"""天津麻将 by the letter, slowly: every way to place every tile, every part of the drawn one (T303–T413).

Written from the paragraphs alone, for comparison: nothing of the engine or the rule system is used here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import combinations_with_replacement, product

from taking import without

from tablectl.tiles.tile import PLAYABLE, Tile

Place = tuple[Tile, bool]
"""A tile of a group, and whether a wild stands for it."""

Group = tuple[Place, ...]

_RUNS = [(t, Tile(t + 1), Tile(t + 2)) for t in PLAYABLE[:27] if t.rank <= 7]
_FIRSTS = {tile: [run for run in _RUNS if tile in run] for tile in PLAYABLE}
_DRAGONS = [[tuple(Tile(base + step + i) for i in range(3)) for step in (0, 3, 6)] for base in (0, 9, 18)]


@cache
def _with(tile: Tile, sets: bool, pair: bool) -> frozenset[Group]:
    """Every group in which the natural ``tile`` lies."""
    found: set[Group] = set()
    if pair:
        found |= {((tile, False), (tile, True)), ((tile, False), (tile, False))}
    if sets:
        found |= {tuple((tile, place >= natural) for place in range(3)) for natural in (1, 2, 3)}
        for run in _FIRSTS[tile]:
            for wild in product((False, True), repeat=3):
                if not wild[run.index(tile)]:
                    found.add(tuple(zip(run, wild, strict=True)))
    return frozenset(found)


def _arrangements(
    natural: list[Tile], wilds: int, sets: int, pairs: int, kinds: frozenset[Tile]
) -> Iterator[list[Group]]:
    """Every way to lay ``natural``, lowest first, and so many wilds."""
    if not natural:
        yield from _of_wilds(wilds, sets, pairs, kinds)
        return
    for group in _with(natural[0], sets > 0, pairs > 0):
        needed = sum(wild for _, wild in group)
        left = without(natural, [tile for tile, wild in group if not wild])
        if needed > wilds or left is None:
            continue
        is_set = len(group) == 3
        for rest in _arrangements(left, wilds - needed, sets - is_set, pairs - (not is_set), kinds):
            yield [group, *rest]


def _of_wilds(wilds: int, sets: int, pairs: int, kinds: frozenset[Tile]) -> Iterator[list[Group]]:
    """Groups of wilds alone. Kinds that no paragraph names are all the same: one pung stands for them."""
    if wilds != 3 * sets + 2 * pairs:
        return
    runs = [run for dragon in _DRAGONS for run in dragon]
    own = [run for run in _RUNS if kinds & {*run}]
    some = sorted({*runs, *own, (Tile.EAST,) * 3, *((kind,) * 3 for kind in kinds)})
    for chosen in combinations_with_replacement(some, sets):
        groups: list[Group] = [tuple((tile, True) for tile in group) for group in chosen]
        for eyes in sorted({Tile.EAST, *kinds}) if pairs else [None]:
            yield groups if eyes is None else [*groups, ((eyes, True), (eyes, True))]


def best(
    concealed: list[Tile],
    drawn: Tile,
    melds: list[Tile],
    kinds: frozenset[Tile],
    always: set[str],
    options: dict[str, int],
) -> tuple[int, dict[str, int]] | None:
    """Score before the cap and fans of the dearest reading, None where there is none.

    ``melds``: a tile of each meld; ``always``: patterns that no reading changes, 素 excluded; ``options`` as the rule
    system's.
    """
    tiles = [*concealed, drawn]
    always = set(always)
    if not any(tile in kinds for tile in tiles) and not (
        options["gold_kong_breaks_su"] and any(tile in kinds for tile in melds)
    ):
        always.add("素")
    found = []
    candidates = set(tiles) if "天和" in always and options["heavenly"] and options["heavenly_free_tile"] else {drawn}
    wilds = [tile for tile in tiles if tile in kinds]
    natural = sorted(tile for tile in tiles if tile not in kinds)
    seen = set()
    for groups in _arrangements(natural, len(wilds), 4 - len(melds), 1, kinds):
        in_order = tuple(sorted(groups))
        if in_order in seen:
            continue
        seen.add(in_order)
        dragons = _dragons(groups) if options["long"] else []
        for tile in candidates:
            for index, group in enumerate(groups):
                for at, (kind, wild) in enumerate(group):
                    if wild if tile in kinds else (kind == tile and not wild):
                        found += _counted(groups, dragons, index, at, tile, wilds, kinds, always, options)
    return max(found, key=lambda each: each[0])[1:] if found else None


def _dragons(groups: list[Group]) -> list[tuple[str, tuple[int, ...]]]:
    """Every way to see a 龙 in the groups: its suit, and which groups are its runs."""
    kinds = [tuple(kind for kind, _ in group) for group in groups]
    return [
        (dragon[0][0].suit, triple)
        for dragon in _DRAGONS
        for triple in product(*([i for i, kind in enumerate(kinds) if kind == run] for run in dragon))
    ]


def _counted(
    groups: list[Group],
    dragons: list[tuple[str, tuple[int, ...]]],
    index: int,
    at: int,
    drawn: Tile,
    wilds: list[Tile],
    kinds: frozenset[Tile],
    always: set[str],
    options: dict[str, int],
) -> list[tuple[tuple[int, ...], int, dict[str, int]]]:
    """The reading with the drawn tile at one place; twice where 双混吊 and 龙 exclude each other."""
    names, drawn_in = set(always), groups[index]
    if tuple(kind for kind, _ in drawn_in) == (Tile.M4, Tile.M5, Tile.M6) and at == 1:
        names.add("捉五")
    if all(wild for place, (_, wild) in enumerate(drawn_in) if place != at):
        names.add("混吊" if len(drawn_in) == 2 else "双混吊")
    ways: list[set[str]] = []
    for suit, _ in dragons:
        with_dragon = names | {"龙"}
        if any(kind.suit == suit for kind in kinds) and options["benhun_factor"] > 1:
            with_dragon.add("本混")
            stand = Counter(kind for group in groups for kind, wild in group if wild)
            if wilds and stand == Counter(wilds) and (drawn not in kinds or drawn_in[at][0] == drawn):
                with_dragon.add("素本")
        needed = all(index in other for other_suit, other in dragons if other_suit == suit)
        if "双混吊" in names and needed and not options["hundiao_inside_dragon"]:
            with_dragon.discard("双混吊")
            ways.append(names)
        ways.append(with_dragon)
    return [_score(way, options) for way in ways or [names]]


def _score(names: set[str], options: dict[str, int]) -> tuple[tuple[int, ...], int, dict[str, int]]:
    adds = {"捉五": options["zhuowu"], "龙": options["long"], "天和": options["heavenly"], "地和": options["earthly"]}
    doubles = {
        "本混": options["benhun_factor"],
        "混吊": options["hundiao_factor"],
        "双混吊": options["double_hundiao_factor"],
        "素": options["su_factor"],
        "杠开": options["kong_win_factor"],
        "素本": options["su_ben_factor"],
    }
    fans = {name: value for name, value in adds.items() if name in names and value}
    a = sum(fans.values()) or options["diliu"]
    b = 1
    for name, factor in doubles.items():
        if name in names and factor > 1:
            fans[name] = factor
            b *= factor
    if not {"捉五", "龙", "天和", "地和", "混吊", "双混吊"} & set(fans):
        fans["提溜"] = options["diliu"]
    rank = (a * b, a, *(name in fans for name in ("龙", "捉五", "本混", "素本", "双混吊")))
    return rank, a * b, fans
