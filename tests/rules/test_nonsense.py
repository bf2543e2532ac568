"""What cannot be is refused with the reason, in every rule system: tiles that do not exist, wrong numbers of tiles,
wildcards without an indicator, options and rule systems that nobody knows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import pytest
from rule_hands import situation, win

from tablectl.documents import DocumentError
from tablectl.rules.api import RulesError, Settlement
from tablectl.rules.cases import parse_cases
from tablectl.rules.options import describe
from tablectl.rules.registry import RULE_SETS, load, rule_class
from tablectl.tiles.notation import parse_tile

#: a complete hand with 清龙, and what was turned up
CONCEALED: Final = "123456789m123p1s"
LONG: Final = "123456789m123p456p1s"
INDICATORS: Final = {"tianjin": "E", "zhenjiang": "E", "fuzhou": "9s", "fujian": "9s"}
#: why a win is refused: five tiles alike, too few or too many tiles, a flower in hand, no indicator
REASONS: Final[Mapping[str, tuple[str, str, str, str | None]]] = {
    "competition": ("not_a_hand", "wrong_tile_count", "wrong_tile_count", None),  # J90
    "mcr": ("not_complete_near", "wrong_count", "wrong_count", None),  # T33
    "tianjin": ("impossible_tiles", "wrong_tile_count", "bad_tile", "bad_indicator"),  # T310
    "fuzhou": ("impossible_tiles", "wrong_tile_count", "flower_in_hand", "bad_indicator"),  # T318
    "fujian": ("impossible_tiles", "wrong_tile_count", "flower_in_hand", "bad_indicator"),  # T310
    "zhenjiang": ("impossible_tiles", "wrong_tile_count", "impossible_tiles", "bad_indicator"),  # Z314
    "beijing": ("not_complete", "wrong_count", "not_complete", None),  # T28
}
SYSTEMS: Final = sorted(RULE_SETS)


def hand(system: str) -> str:
    return LONG if load(system).play.hand_tiles == 16 else CONCEALED


def settled(system: str, concealed: str, tile: str = "1s", *, indicator: bool = True, **more: Any) -> Settlement:
    shown = INDICATORS.get(system) if indicator else None
    here = situation(
        win(concealed, tile, **more),
        indicator=None if shown is None else parse_tile(shown),
        points=(500,) * 4,
        dealer=1,
    )
    return load(system).settle(here)


def reason(system: str, concealed: str, tile: str = "1s", **more: Any) -> str | None:
    (verdict,) = settled(system, concealed, tile, **more).verdicts
    assert verdict.legal == (verdict.reason is None)
    assert verdict.legal or (verdict.score, verdict.fans) == (0, {})
    return verdict.reason


def test_all_systems_are_here() -> None:
    assert REASONS.keys() == RULE_SETS.keys()


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_sound_hand_wins(system: str) -> None:
    assert reason(system, hand(system)) is None


@pytest.mark.parametrize("system", SYSTEMS)
def test_five_tiles_alike(system: str) -> None:
    more = "345p" if load(system).play.hand_tiles == 16 else ""
    assert reason(system, f"1111m234m567m{more}99p1p", "1m") == REASONS[system][0]


@pytest.mark.parametrize("system", SYSTEMS)
def test_wrong_numbers_of_tiles(system: str) -> None:
    whole = hand(system)
    assert reason(system, whole.replace("1s", "")) == REASONS[system][1]
    assert reason(system, f"{whole}5s") == REASONS[system][1]


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_flower_among_the_standing_tiles(system: str) -> None:
    assert reason(system, hand(system).replace("1s", "a")) == REASONS[system][2]


@pytest.mark.parametrize("system", sorted(INDICATORS))
def test_no_wildcard_without_an_indicator(system: str) -> None:
    assert reason(system, hand(system), indicator=False) == REASONS[system][3]


def flowered(system: str) -> str:
    """A case in which one flower lies twice."""
    hand_of = f"seat: 0, concealed: {hand(system)}, tile: 1s, from: null, flowers: aa"
    indicator = INDICATORS.get(system, "null")
    return f"{{rules: {system}, points: [500, 500, 500, 500], indicator: {indicator}, wins: [{{{hand_of}}}]}}"


@pytest.mark.parametrize("system", ["competition", "mcr"])
def test_the_same_flower_twice_is_no_hand(system: str) -> None:
    with pytest.raises(DocumentError, match="a stands 2 times"):
        parse_cases(flowered(system), "hand.yaml", {system: rule_class(system)})


@pytest.mark.parametrize(
    ("system", "reason"),
    [
        *((system, "impossible_tiles") for system in ("fuzhou", "fujian", "zhenjiang")),
        ("tianjin", "bad_tile"),
        ("beijing", "not_complete"),
    ],
)
def test_the_same_flower_twice_is_refused_where_the_rules_have_a_reason(system: str, reason: str) -> None:
    (case,) = parse_cases(flowered(system), "hand.yaml", {system: rule_class(system)})
    (verdict,) = load(system).settle(case.situation).verdicts
    assert verdict.reason == reason


@pytest.mark.parametrize("system", ["competition", "mcr", "beijing"])
def test_a_wildcard_or_a_stake_where_there_are_none(system: str) -> None:
    with pytest.raises(RulesError) as refused:
        load(system).settle(situation(win(hand(system), "1s"), indicator=parse_tile("5p"), stakes={"sit": 1}))
    (paragraph,) = {line.rpartition("(")[2] for line in refused.value.problems}
    assert paragraph in ("J1)", "T11)")
    assert [line.partition(" (")[0] for line in refused.value.problems] == [
        "indicator 5p: expected none, there are no wildcards",
        "stakes: expected none",
    ]


@pytest.mark.parametrize("system", SYSTEMS)
def test_options_nobody_knows_or_out_of_range_are_told_with_the_nearest(system: str) -> None:
    lines = {line.name: line for line in describe(rule_class(system).Options)}
    name = next(name for name in lines if name.endswith("_seconds"))
    with pytest.raises(RulesError) as unknown:
        load(system, {name[:-1]: 1})
    assert f"did you mean '{name}'" in str(unknown.value)
    with pytest.raises(RulesError) as beyond:
        load(system, {name: -1})
    assert name in str(beyond.value)
    assert "-1" in str(beyond.value)


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_rule_system_nobody_knows_is_told_with_the_nearest(system: str) -> None:
    with pytest.raises(RulesError, match=f"did you mean '{system}'"):
        load(f"{system}x")
