"""The proof of a count: which sets make each fan, and why a fan a player might claim is not counted."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from operator import attrgetter
from typing import Final

from tablectl.rules.api import FanProof, How, Win
from tablectl.rules.mcr.hand import Form, Hand, completed
from tablectl.rules.mcr.options import Options
from tablectl.rules.mcr.scoring import Count, names
from tablectl.rules.mcr.sets import TWO_DRAGONS, Combined, chow_fans, pung_fans
from tablectl.rules.mcr.table import BY_NUMBER, ENTRIES, FLOWERS, WITHOUT, bits
from tablectl.rules.reading import Group, GroupKind, Shape
from tablectl.tiles.notation import format_tiles
from tablectl.tiles.tile import TILES

#: Paragraphs of fans that T45 defines by another one.
_OTHER_PARAGRAPHS: Final = {
    **dict.fromkeys((0, 5, 17, 53, 57, 67, 74), "T38"),
    **dict.fromkeys((12, 33, 66), "T39"),
    **dict.fromkeys((77, 78, 79), "T41"),
    **dict.fromkeys((44, 45, 46, 47), "T43"),
    **dict.fromkeys((56, 62, 80), "T44"),
    58: "T42",
    73: "T40",
}
#: Where each fan is defined.
PARAGRAPHS: Final = {
    fan: _OTHER_PARAGRAPHS.get(fan.number, f"T45 F{fan.number}") for fan in (*BY_NUMBER.values(), FLOWERS)
}
_CIRCUMSTANCES: Final = frozenset({43, 44, 45, 46, 47, 52, 56, 62, 80})
_WAITS: Final = frozenset({58, 77, 78, 79})


def prove(hand: Hand, win: Win, count: Count, options: Options) -> tuple[FanProof, ...]:
    """Every fan counted with its sets, then those left out with the reason."""
    sets = _Sets(hand, win, count)
    points = names(count.fans, len(win.flowers), options)
    kept = dict.fromkeys([ENTRIES[place] for place in count.fans.places])
    found = [FanProof(fan.name, points[fan.name], sets.of(fan.number), PARAGRAPHS[fan]) for fan in kept]
    if FLOWERS.name in points:
        found.append(FanProof(FLOWERS.name, points[FLOWERS.name], (format_tiles(win.flowers),), PARAGRAPHS[FLOWERS]))
    refused = {**dict(_implied(count.mask, count.fans.kept)), **sets.not_combined(), **_circumstances(hand, win, count)}
    for number, reason in sorted(refused.items()):
        fan = BY_NUMBER[number]
        if fan not in kept:
            found.append(FanProof(fan.name, 0, (), PARAGRAPHS[fan], reason))
    return tuple(found)


_LOWEST: Final = attrgetter("tile")


class _Sets:
    """The sets of a counted reading, by fan."""

    def __init__(self, hand: Hand, win: Win, count: Count) -> None:
        form = count.form
        self.hand = hand
        self.win = win
        self.count = count
        self.groups = form.groups
        self.chows = sorted([group for group in form.groups if group.is_chow], key=_LOWEST)
        self.pungs = sorted([group for group in form.groups if group.is_pung], key=_LOWEST)
        self.chosen = _chosen(form)
        #: the sets of every fan of chows or of pungs that was chosen (T37)
        self.used: dict[int, list[Group]] = {}
        for sets, combined in zip((self.chows, self.pungs), self.chosen, strict=True):
            for number, places in combined.used:
                self.used.setdefault(number, []).extend([sets[place] for place in places])

    def of(self, number: int) -> tuple[str, ...]:
        """The groups that make a fan, in notation; none for a way of winning."""
        return tuple([group.text for group in self._groups_of(number)])

    def _groups_of(self, number: int) -> Sequence[Group]:
        if number in self.used:
            return self.used[number]
        if number in _CIRCUMSTANCES:
            return ()
        if number in _WAITS:
            return (self.groups[self.count.place.group],)
        if number in _PICKED:
            return [group for group in self.groups if _PICKED[number](self, group)]
        return self.groups

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
        for combined in self.chosen:
            for number in combined.spare:
                chosen = "、".join(dict.fromkeys(BY_NUMBER[other].name for other, _ in combined.used))
                found[number] = f"its sets are combined already, in {chosen} (T37)"
        return found


_NONE: Final = Combined(0, (), ())


def _chosen(form: Form) -> tuple[Combined, Combined]:
    """The choice of set fans among the chows and among the pungs of a reading."""
    whole = TWO_DRAGONS.get((form.chows, form.pair.tile)) if len(form.chows) == 4 and form.pair else None
    pungs = pung_fans(form.pungs) if form.pungs else _NONE
    chows = chow_fans(form.chows) if form.chows else _NONE
    if whole is None:
        return chows, pungs
    return Combined(0, ((whole, (0, 1, 2, 3)),), tuple(sorted({number for number, _ in chows.used}))), pungs


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


@lru_cache(maxsize=1 << 14)
def _implied(mask: int, kept: int) -> tuple[tuple[int, str], ...]:
    """What the fans counted of a set of entries strike out (T37a)."""
    found = []
    for place in bits(mask & ~kept):
        other = next((other for other in bits(kept) if WITHOUT[other] >> place & 1), None)
        if other is not None:
            found.append((ENTRIES[place].number, f"implied by {ENTRIES[other].name} (T45)"))
    return tuple(found)


def _circumstances(hand: Hand, win: Win, count: Count) -> dict[int, str]:
    """Waits, the last of a kind, the kong's replacement."""
    found = {}
    group = count.form.groups[count.place.group]
    _, wait = completed(group, win.tile)
    if wait and not count.place.wait and hand.waits and count.form.shape is Shape.STANDARD:
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
