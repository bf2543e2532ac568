"""镇江麻将 by the letter, slowly: every kind for every 百搭, one after the other (Z301–Z308, Z401–Z405).

Written from the paragraphs alone, for comparison: nothing of the engine or the rule system is used here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from itertools import combinations_with_replacement

from taking import without

from tablectl.tiles.tile import PLAYABLE, Tile

_RUNS = {tile: (tile, Tile(tile + 1), Tile(tile + 2)) for tile in PLAYABLE[:27] if tile.rank <= 7}


def is_sets(tiles: Counter[Tile]) -> bool:
    """The tiles divide into triplets and runs."""
    return _divide(tuple(sorted(tiles.elements())))


@lru_cache(maxsize=1 << 16)
def _divide(tiles: tuple[Tile, ...]) -> bool:
    """The tiles, lowest first, divide into triplets and runs."""
    if not tiles:
        return True
    first = tiles[0]
    groups = [(first,) * 3, *([_RUNS[first]] if first in _RUNS else [])]
    return any((left := without(tiles, group)) is not None and _divide(tuple(left)) for group in groups)


def is_hand(tiles: Iterable[Tile]) -> bool:
    """The tiles divide into sets and one pair."""
    counts = Counter(tiles)
    return any(n >= 2 and is_sets(counts - Counter((tile, tile))) for tile, n in counts.items())


def is_hand_with(tiles: list[Tile], wilds: int) -> bool:
    """Some kinds for the wildcards make a hand."""
    return any(is_hand([*tiles, *kinds]) for kinds in combinations_with_replacement(PLAYABLE, wilds))


def is_sets_with(tiles: list[Tile], wilds: int) -> bool:
    return any(is_sets(Counter([*tiles, *kinds])) for kinds in combinations_with_replacement(PLAYABLE, wilds))


def any_wait(concealed: list[Tile], wildcard: Tile) -> bool:
    """One 百搭 is over, the rest are sets (Z306)."""
    natural = [tile for tile in concealed if tile != wildcard]
    wilds = len(concealed) - len(natural)
    return wilds > 0 and is_sets_with(natural, wilds - 1)


def self_drawn(
    concealed: list[Tile],
    tile: Tile,
    melds: list[Tile],
    wildcard: Tile,
    kong: str | None,
    heavenly: bool,
    options: dict[str, object],
) -> tuple[str, int] | None:
    """The base item and its value, None where the hand is not complete. ``kong``: the kind of the kong before."""
    tiles = [*concealed, tile]
    others = [each for each in tiles if each != wildcard]
    if not is_hand_with(others, len(tiles) - len(others)):
        return None
    natural = is_hand(tiles)
    if natural and wildcard not in [*tiles, *melds] and options["no_wildcard_self_draw"] == "youda":
        natural = False
    if heavenly:
        return "天胡", int(str(options["heavenly_win"]))
    items = {"脱搭自摸": "self_draw_tuoda"} if natural else {"有搭自摸": "self_draw_youda"}
    if any_wait(concealed, wildcard):
        items |= {"跑搭脱搭": "paoda_tuoda"} if natural else {"跑搭": "paoda"}
    if kong and not natural:
        items["有搭杠开"] = "kong_youda"
    elif kong:
        items |= (
            {"暗杠杠开": "kong_concealed_tuoda"} if kong == "concealed_kong" else {"明杠杠开": "kong_exposed_tuoda"}
        )
    order = ["跑搭脱搭", "暗杠杠开", "明杠杠开", "脱搭自摸", "跑搭", "有搭杠开", "有搭自摸"]
    values = {name: int(str(options[option])) for name, option in items.items()}
    best = max(values.values())
    return next((name, best) for name in order if values.get(name) == best)
