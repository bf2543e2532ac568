"""What a win of 福州麻将 is worth: the reading that counts, its fans and its score (T304, T401–T413)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from tablectl.rules.api import FanProof, How, Situation, Win
from tablectl.rules.fuzhou.forms import FORMS, Form, has_no_flower_or_kong
from tablectl.rules.fuzhou.options import Options
from tablectl.rules.gold.hand import GoldHand
from tablectl.rules.gold.reserve import flower_sets
from tablectl.rules.reading import Rest, of_meld, pair
from tablectl.tiles.meld import KONGS, MeldKind
from tablectl.tiles.notation import format_tiles
from tablectl.tiles.tile import Tile

_EXPOSED: Final = (MeldKind.EXPOSED_KONG, MeldKind.ADDED_KONG)
_PARAGRAPHS: Final = {
    "底分": "T401",
    "连庄": "T407",
    "抓庄": "T407",
    "花": "T404",
    "四同花": "T405",
    "金": "T406",
    "明杠": "T406",
    "暗杠": "T406",
}


class Reading(NamedTuple):
    """A complete hand by its pair; ``rest`` makes the sets. Readings differ in one thing only: whether both tiles of
    the pair are golds (T304)."""

    golden: bool
    pair: str
    rest: Rest


def readings(hand: GoldHand) -> Iterator[Reading]:
    """One reading of either sort, where there is one; the golden pair first (T304, T313)."""
    sorts = (_golden_pairs(hand), _other_pairs(hand))
    yield from (found for sort in sorts if (found := next((r for r in sort if r.rest.is_complete()), None)))


def _golden_pairs(hand: GoldHand) -> Iterator[Reading]:
    taken = hand.rest.take_free(pair=True)
    if taken is not None:
        yield Reading(True, taken[0].text, taken[1])
    if hand.natural[hand.gold]:  # the robbed gold stands for its own kind, another gold beside it (T309)
        taken = hand.rest.take(pair(hand.gold))
        if taken is not None:
            yield Reading(True, taken[0].text, taken[1])


def _other_pairs(hand: GoldHand) -> Iterator[Reading]:
    for tile, count in enumerate(hand.natural):
        if count and tile != hand.gold:
            taken = hand.rest.take(pair(tile))
            if taken is not None:
                yield Reading(False, taken[0].text, taken[1])


class Streak(NamedTuple):
    """n of T407 under its name, in units; ``dropped``: not counted at a special form (`streak_in_special` none)."""

    name: str
    units: int
    dropped: bool = False


@dataclass(frozen=True, slots=True)
class Count:
    """A counted hand. ``form`` None: an ordinary win; ``reading`` None: three golds that are no complete hand."""

    hand: GoldHand
    options: Options
    streak: Streak
    form: Form | None
    reading_: Reading | None
    #: units of 底分 or the form, and those of F by name, where a referee put them
    put: tuple[int, dict[str, int]] | None = None

    @property
    def golden(self) -> bool:
        return self.reading_ is not None and self.reading_.golden

    @property
    def extras(self) -> dict[str, int]:
        """The parts of F (T408)."""
        if self.put is not None:
            return self.put[1]
        options, win = self.options, self.hand.win
        sets = flower_sets(win.flowers)
        single = len(win.flowers) - sum(map(len, sets))
        return {
            "花": single * options.flower_unit,
            "四同花": len(sets) * options.flower_set_units,
            "金": self.hand.golds * options.gold_unit,
            "明杠": self.hand.kongs(*_EXPOSED) * options.exposed_kong_units,
            "暗杠": self.hand.kongs(MeldKind.CONCEALED_KONG) * options.concealed_kong_units,
        }

    @property
    def main(self) -> int:
        """Units of 底分 or the special form (T401, T402)."""
        if self.put is not None:
            return self.put[0]
        return 1 if self.form is None else self.form.units(self.options)

    @property
    def fans(self) -> dict[str, int]:
        """Undoubled units by name; none of value 0 (T408)."""
        name = "底分" if self.form is None else self.form.name
        counted = {name: self.main, self.streak.name: self.streak.units} | self.extras
        return {name: units for name, units in counted.items() if units}

    @property
    def score(self) -> int:
        """T410–T412."""
        return self.score_with(self.streak.units)

    def score_with(self, streak: int) -> int:
        """The score with so many units of the streak (T407: a payer may be spared it)."""
        options, extra = self.options, sum(self.extras.values())
        if self.form is None:
            factor = options.self_draw_factor if self.hand.self_drawn else 1
            return options.base * factor * (self.main + streak + extra)
        main = self.main
        main = main * (1 + streak) if options.streak_in_special == "multiply" else main + streak
        return options.base * (main + options.special_flower_factor * extra)

    def reading(self) -> str:
        if self.reading_ is None:
            standing = format_tiles(sorted((*self.hand.win.concealed, self.hand.win.tile)))
            return self.hand.text(None, standing)
        return self.hand.text(self.reading_.rest.first_division(), self.reading_.pair)

    def proof(self) -> tuple[FanProof, ...]:
        """Every fan with what it comes from, then the forms left out with the reason."""
        sources = self._sources()
        paragraphs = _PARAGRAPHS | {form.name: form.paragraph for form in FORMS}
        counted = [FanProof(name, units, sources.get(name, ()), paragraphs[name]) for name, units in self.fans.items()]
        return (*counted, *_left_out(self))

    def _sources(self) -> dict[str, tuple[str, ...]]:
        win, gold = self.hand.win, self.hand.gold
        sets = flower_sets(win.flowers)
        single = list(win.flowers)
        for tile in (tile for kinds in sets for tile in kinds):
            single.remove(tile)
        melds = [of_meld(meld) for meld in win.melds if meld.kind in KONGS]
        return {
            "金雀": (self.reading_.pair,) if self.reading_ is not None else (),
            "三金倒": (_several(gold, 3),),
            "抢金": (gold.code,),
            "花": (format_tiles(sorted(single)),),
            "四同花": tuple(format_tiles(kinds) for kinds in sets),
            "金": (_several(gold, self.hand.golds),),
            "明杠": tuple(group.text for group in melds if group.exposed),
            "暗杠": tuple(group.text for group in melds if not group.exposed),
        }


def _several(tile: Tile, number: int) -> str:
    return format_tiles((tile,) * number)


def count(win: Win, situation: Situation, options: Options) -> Count | None:
    """The reading with the highest score, the golden pair first among equals (T304); None where the hand is neither
    complete nor three golds by self-draw (T318.10)."""
    assert situation.indicator is not None  # `bad_indicator` comes before
    natural = options.rob_gold_as == "natural" and How.EARTHLY in win.how
    hand = GoldHand.of(win, situation.indicator, natural_indicator=natural)
    found: list[Reading | None] = list(readings(hand))
    if not found and hand.has_three_golds and How.EARTHLY not in win.how and options.mult_three_gold:
        found.append(None)  # whoever robs needs a complete hand (T307, T308)
    counted = [_counted(hand, reading, situation, options) for reading in found]
    return max(counted, key=lambda each: each.score, default=None)


def _counted(hand: GoldHand, reading: Reading | None, situation: Situation, options: Options) -> Count:
    form = best_form(hand, reading is not None and reading.golden, options)
    streak = Streak("连庄" if hand.win.seat == situation.dealer else "抓庄", situation.streak * options.streak_unit)
    if form is not None and options.streak_in_special == "none":
        streak = Streak(streak.name, 0, dropped=streak.units > 0)
    return Count(hand, options, streak, form, reading)


def amended(counted: Count, fans: Mapping[str, int]) -> Count:
    """The same with the fans that a referee put; a special form among them counts instead of 底分 (T402)."""
    form = next((form for form in FORMS if form.name in fans), None)
    main, streak = "底分" if form is None else form.name, counted.streak.name
    extras = {name: units for name, units in fans.items() if name not in (main, streak)}
    put = (fans.get(main, 0), extras)
    return replace(counted, form=form, streak=Streak(streak, fans.get(streak, 0)), put=put)


def forms(hand: GoldHand, golden: bool, options: Options) -> list[Form]:
    """The special forms that hold and are played, in the order of the table."""
    return [form for form in FORMS if form.units(options) and form.holds(hand, golden)]


def best_form(hand: GoldHand, golden: bool, options: Options) -> Form | None:
    """Special forms do not add up: the highest, the first of equals (T409)."""
    return max(forms(hand, golden, options), key=lambda form: form.units(options), default=None)


def _left_out(counted: Count) -> Iterator[FanProof]:
    """Forms a player might claim and does not get."""
    hand, win, options = counted.hand, counted.hand.win, counted.options
    held = forms(hand, counted.golden, options)
    for form in held:
        if counted.form is not None and form is not counted.form:
            yield FanProof(form.name, 0, (), "T409", f"only the highest form counts: {counted.form.name} (T409)")
    names = {form.name for form in held}
    if hand.golds >= 2 and options.mult_golden_pair and not counted.golden:
        yield FanProof("金雀", 0, (), "T313", "no reading that counts pairs two golds (T313)")
    if hand.golds >= 3 and options.mult_three_gold and "三金倒" not in names:
        reason = "the indicator is not the third" if hand.self_drawn else "by self-draw only"
        yield FanProof("三金倒", 0, (), "T312", f"{reason} (T312)")
    spoilers = len(win.flowers) + hand.kongs(*KONGS)
    if spoilers == 1 and options.mult_plain and not has_no_flower_or_kong(hand):
        what = format_tiles(win.flowers) or next(of_meld(meld).text for meld in win.melds if meld.is_kong)
        yield FanProof("平胡", 0, (), "T314", f"{what} spoils it (T314)")
    if counted.streak.dropped:
        yield FanProof(counted.streak.name, 0, (), "T412", "no streak at a special form (option streak_in_special)")
