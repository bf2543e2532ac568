"""The proof of a count: which sets make each fan, and why a fan a player might claim is not counted."""

from __future__ import annotations

from itertools import combinations
from typing import Final

from tablectl.rules.api import FanProof, How, Win
from tablectl.rules.mcr.hand import Hand, completed
from tablectl.rules.mcr.options import Options
from tablectl.rules.mcr.scoring import Count, names
from tablectl.rules.mcr.sets import TWO_DRAGONS, Used, chow_fan, chow_fans, pung_fan, pung_fans
from tablectl.rules.mcr.table import BY_NUMBER, ENTRIES, FLOWERS, WITHOUT, Fan, bits
from tablectl.rules.reading import Group, GroupKind
from tablectl.tiles.notation import format_tiles
from tablectl.tiles.tile import TILES

#: Paragraphs of fans that T45 defines by another one.
_PARAGRAPHS: Final = {
    **dict.fromkeys((0, 5, 17, 53, 57, 67, 74), "T38"),
    **dict.fromkeys((12, 33, 66), "T39"),
    **dict.fromkeys((77, 78, 79), "T41"),
    **dict.fromkeys((44, 45, 46, 47), "T43"),
    **dict.fromkeys((56, 62, 80), "T44"),
    58: "T42",
    73: "T40",
}
_CIRCUMSTANCES: Final = frozenset({43, 44, 45, 46, 47, 52, 56, 62, 80})
_WAITS: Final = frozenset({58, 77, 78, 79})


def paragraph(fan: Fan) -> str:
    """Where the fan is defined."""
    return _PARAGRAPHS.get(fan.number, f"T45 F{fan.number}")


def prove(hand: Hand, win: Win, count: Count, options: Options) -> tuple[FanProof, ...]:
    """Every fan counted with its sets, then those left out with the reason."""
    sets = _Sets(hand, win, count)
    points = names(count.fans, len(win.flowers), options)
    kept = dict.fromkeys(ENTRIES[place] for place in count.fans.places)
    found = [FanProof(fan.name, points[fan.name], sets.of(fan), paragraph(fan)) for fan in kept]
    if FLOWERS.name in points:
        found.append(FanProof(FLOWERS.name, points[FLOWERS.name], (format_tiles(win.flowers),), paragraph(FLOWERS)))
    refused = {**_implied(count), **sets.not_combined(), **_circumstances(hand, win, count)}
    found += [
        FanProof(BY_NUMBER[number].name, 0, (), paragraph(BY_NUMBER[number]), reason)
        for number, reason in sorted(refused.items())
        if BY_NUMBER[number] not in kept
    ]
    return tuple(found)


class _Sets:
    """The sets of a counted reading, by fan."""

    def __init__(self, hand: Hand, win: Win, count: Count) -> None:
        form = count.form
        self.hand = hand
        self.win = win
        self.count = count
        self.groups = form.groups
        self.chows = sorted((group for group in form.groups if group.is_chow), key=lambda group: group.tile)
        self.pungs = sorted((group for group in form.groups if group.is_pung), key=lambda group: group.tile)
        self.used = self._used()

    def _used(self) -> dict[int, list[Group]]:
        """The sets of every fan of chows or of pungs that was chosen (T37)."""
        form = self.count.form
        whole = TWO_DRAGONS.get((form.chows, form.pair.tile)) if form.pair else None
        chosen: tuple[Used, ...] = ((whole, (0, 1, 2, 3)),) if whole else ()
        if form.chows and not whole:
            chosen = chow_fans(form.chows).used
        found: dict[int, list[Group]] = {}
        for sets, used in ((self.chows, chosen), (self.pungs, pung_fans(form.pungs).used if form.pungs else ())):
            for number, places in used:
                found.setdefault(number, []).extend(sets[place] for place in places)
        return found

    def of(self, fan: Fan) -> tuple[str, ...]:
        """The groups that make a fan, in notation; none for a way of winning."""
        return tuple([group.text for group in self._groups_of(fan.number)])

    def _groups_of(self, number: int) -> list[Group]:
        if number in self.used:
            return self.used[number]
        if number in _CIRCUMSTANCES:
            return []
        if number in _WAITS:
            return [self.groups[self.count.place.group]]
        if number in _PICKED:
            return [group for group in self.groups if _PICKED[number](self, group)]
        return list(self.groups)

    def is_hidden(self, group: Group) -> bool:
        """A concealed pung or kong (T36)."""
        own = group is self.groups[self.count.place.group] and self.count.place.in_pung
        return group.is_pung and not group.exposed and not (own and self.win.source is not None)

    def is_four(self, group: Group) -> bool:
        """Holds a tile of which all four are there (F64)."""
        held = self.hand.held
        return not group.is_kong and any(held[tile] + (tile is self.win.tile) == 4 for tile in group.tiles)

    def is_orphan_pung(self, group: Group) -> bool:
        """Counts as 幺九刻 (T40)."""
        own = group.tile in (self.hand.prevalent, self.hand.seat_wind)
        winds = sum(1 for pung in self.pungs if pung.tile.is_wind)
        return group.is_pung and (group.tile.is_terminal or (group.tile.is_wind and not own and winds < 3))

    def not_combined(self) -> dict[int, str]:
        """Fans of two or three sets that are there but not chosen (T37)."""
        found = {}
        for sets, fan_of in ((self.count.form.chows, chow_fan), (self.count.form.pungs, pung_fan)):
            for size in (2, 3) if len(sets) > 2 else ():
                for some in combinations(sets, size):
                    number = fan_of(some)
                    if number is not None and number not in self.used:
                        chosen = "、".join(BY_NUMBER[other].name for other in sorted(self.used))
                        found[number] = f"its sets are combined already, in {chosen} (T37)"
        return found


_PICKED: Final = {
    **dict.fromkeys((0, 5, 17), lambda sets, group: group.is_kong),
    **dict.fromkeys((57, 74), lambda sets, group: group.is_kong and group.exposed),
    **dict.fromkeys((53, 67), lambda sets, group: group.is_kong and not group.exposed),
    **dict.fromkeys((12, 33, 66), _Sets.is_hidden),
    **dict.fromkeys((2, 54, 59), lambda sets, group: group.is_pung and group.tile.is_dragon),
    **dict.fromkeys((1, 38), lambda sets, group: group.is_pung and group.tile.is_wind),
    9: lambda sets, group: group.tile.is_wind,
    10: lambda sets, group: group.tile.is_dragon,
    35: lambda sets, group: group.kind in (GroupKind.KNITTED, GroupKind.SINGLES),
    60: lambda sets, group: group.is_pung and group.tile is sets.hand.prevalent,
    61: lambda sets, group: group.is_pung and group.tile is sets.hand.seat_wind,
    64: _Sets.is_four,
    73: _Sets.is_orphan_pung,
}


def _implied(count: Count) -> dict[int, str]:
    """What a counted fan strikes out (T37a)."""
    found = {}
    for place in bits(count.mask & ~count.fans.kept):
        for other in count.fans.places:
            if WITHOUT[other] >> place & 1:
                found[ENTRIES[place].number] = f"implied by {ENTRIES[other].name} (T45)"
                break
    return found


def _circumstances(hand: Hand, win: Win, count: Count) -> dict[int, str]:
    """Waits, the last of a kind, the kong's replacement."""
    found = {}
    group = count.form.groups[count.place.group]
    _, wait = completed(group, win.tile)
    if wait and not count.place.wait and count.form.chows + count.form.pungs:
        number = ENTRIES[wait.bit_length() - 1].number
        kinds = " ".join(TILES[kind].code for kind in hand.waits)
        found[number] = (
            f"the hand waits for {kinds} (T41)" if hand.was_waiting else "a heavenly hand never waited (T32)"
        )
    if How.LAST_OF_KIND in win.how and hand.standing[win.tile]:
        found[58] = "a tile of that kind stood in the hand (T42)"
    if {How.KONG_REPLACEMENT, How.FLOWER_REPLACEMENT} <= win.how and win.source is None:
        found[46] = "the last replacement was for a flower (T43)"
    return found
