"""天津麻将: readings, patterns, refusals, names, the card (T301–T414, T604)."""

from __future__ import annotations

from typing import Any

import pytest
from rule_hands import situation, win

from tablectl.rules.api import RulesError, Situation, Verdict, Win
from tablectl.rules.registry import load
from tablectl.tiles.meld import Meld, MeldKind
from tablectl.tiles.notation import parse_melds, parse_tile, parse_tiles
from tablectl.tiles.tile import Tile


def judged(indicator: str, declared: Win, **options: Any) -> Verdict:
    here = situation(declared, indicator=parse_tile(indicator))
    return load("tianjin", options).settle(here).verdicts[0]


def fans(
    indicator: str, concealed: str, tile: str, options: dict[str, Any] | None = None, **more: Any
) -> dict[str, int]:
    return dict(judged(indicator, win(concealed, tile, **({"seat": 1} | more)), **(options or {})).fans)


def refused(indicator: str, concealed: str, tile: str, **more: Any) -> str | None:
    return judged(indicator, win(concealed, tile, **({"seat": 1} | more))).reason


# --- T304–T306 readings


@pytest.mark.parametrize(
    ("indicator", "hand", "tile", "expected"),
    [
        ("E", "123m456p789s444pE", "7m", {"混吊": 2}),  # T414.1
        ("E", "123m456p789s444pE", "S", {"混吊": 2}),
        ("E", "123m456p789s444p7m", "7m", {"提溜": 1, "素": 2}),  # T414.2
        ("E", "123m456p777s99pES", "2s", {"双混吊": 2}),  # T414.3
        ("E", "123m456p777s99pES", "5m", {"捉五": 3, "双混吊": 2}),
        ("E", "46m123p777s99p123s", "5m", {"捉五": 3, "素": 2}),  # T414.4
        ("E", "46m123p777s99p123s", "E", {"捉五": 3}),
        ("E", "456m123p777s99pES", "E", {"捉五": 3, "双混吊": 2}),  # T414.5
        ("4m", "46m123p777s99p123s", "5m", {"捉五": 3}),  # T414.6
        ("8s", "123789m8s9s22p333s", "5m", {"捉五": 3, "龙": 4}),  # T414.7
        ("8s", "123456789m22p8s9s", "5m", {"捉五": 3, "龙": 4, "双混吊": 2}),  # T414.8
        ("8s", "123456789m22p8s9s", "E", {"龙": 4, "双混吊": 2}),
        ("8s", "123456789m22p8s9s", "9s", {"捉五": 3, "龙": 4, "双混吊": 2}),
        ("8m", "123456789m22p33s", "3s", {"龙": 4, "本混": 2}),  # T414.9
        ("8m", "123456789m22p33s", "9m", {"龙": 4, "本混": 2}),
    ],
)
def test_readings_worked_out(indicator: str, hand: str, tile: str, expected: dict[str, int]) -> None:  # T414
    assert fans(indicator, hand, tile) == expected


@pytest.mark.parametrize(
    ("name", "indicator", "hand", "tile", "score"),
    [
        ("素提溜", "E", "123m456p789s444p7m", "7m", 2),
        ("混吊", "E", "123m456p789s444pE", "7m", 2),
        ("双混吊", "E", "123m456p777s99pES", "2s", 2),
        ("捉五", "E", "46m123p777s99p123s", "E", 3),
        ("龙", "E", "12345678mE45p99s", "3p", 4),
        ("素捉五", "E", "46m123p777s99p123s", "5m", 6),
        ("双混捉五", "E", "456p777s99p123sES", "5m", 6),
        ("捉五龙", "C", "12346789m22pCNN", "5m", 7),
        ("素龙", "E", "123456789m45p99s", "3p", 8),
        ("混吊龙", "E", "123456789p123sE", "N", 8),
        ("双混吊龙", "N", "123456789s66pNE", "2p", 8),
        ("本混龙", "3p", "123456789p67m88s", "5m", 8),
        ("素捉五龙", "C", "12346789m678p55s", "5m", 14),
        ("双混捉五龙", "8s", "123456789m22p8s9s", "5m", 14),
        ("捉五本混龙", "3p", "123456789p46m88s", "5m", 14),
        ("混吊本混龙", "3p", "123456789p777s3p", "E", 16),
        ("双混吊本混龙", "3p", "123456789p22s3p4p", "E", 16),
        ("双混捉五本混龙", "3p", "123456789p22s3p4p", "5m", 28),
    ],
)
def test_combinations_and_their_names(
    name: str, indicator: str, hand: str, tile: str, score: int
) -> None:  # T413, T604
    verdict = judged(indicator, win(hand, tile, seat=1))
    assert verdict.score == score
    assert load("tianjin").win_name(verdict.fans) == name


def test_names_with_kongs_and_heavenly() -> None:  # T604
    name = load("tianjin").win_name
    assert name({"捉五": 3, "龙": 4, "素": 2, "杠开": 2}) == "杠开素捉五龙"
    assert name({"提溜": 1, "杠开": 2}) == "杠开提溜"
    assert name({"天和": 4, "素": 2}) == "天和素"
    assert name({"地和": 4, "双混吊": 2}) == "地和双混吊"
    assert name({"龙": 4, "本混": 2, "素本": 2}) == "素本混龙"


@pytest.mark.parametrize(
    ("hand", "tile"),
    [("123m789p78s99p", "9s"), ("456p789p7m78sE", "9s"), ("123m46m789p2p2p", "5m"), ("123456789m1p", "1p")],
)
def test_a_kong_doubles_every_combination(hand: str, tile: str) -> None:  # T409, T413
    plain = judged("E", win(hand, tile, seat=1, melds="[NNNN]"), minimum=1)
    with_kong = judged("E", win(hand, tile, seat=1, melds="[NNNN]", how=("kong_replacement",)), minimum=1)
    assert plain.legal
    assert with_kong.score == 2 * plain.score
    assert {"杠开": 2}.items() <= with_kong.fans.items()


def test_several_kongs_double_once() -> None:  # T409, D18
    assert fans("E", "1p", "1p", melds="[NNNN][1111m,2][222s,1][9999s,6]", how=("kong_replacement",)) == {
        "提溜": 1,
        "素": 2,
        "杠开": 2,
    }


def test_one_reading_for_all_patterns() -> None:  # T305: 混吊 in one reading, 捉五 in another
    verdict = judged("E", win("456m123p678sNNNE", "5m", seat=1))
    assert dict(verdict.fans) == {"捉五": 3}
    assert verdict.reading.endswith("55*m, 5m in 456m")


def test_like_tiles_may_change_places() -> None:  # T304: any of two 5m is the drawn one, the run needs only one
    assert fans("E", "4556m123p777s123s", "5m") == {"捉五": 3, "素": 2}


def test_equal_scores_prefer_the_double() -> None:  # T306, T414.3
    assert fans("E", "123m456p777s99pES", "9s") == {"双混吊": 2}


def test_greater_sum_goes_before_factors() -> None:  # T306: 4 alone before 1 × 2 × 2, both score 4
    options = {"hundiao_factor": 4}
    assert fans("E", "123456789m11pE2s", "S", options) == {"龙": 4}


def test_wilds_are_not_limited_by_four_copies() -> None:  # T303: 555m, and the drawn wild is a fifth 5m
    assert fans("E", "5555m46m123p777sS", "E") == {"捉五": 3}


# --- T401–T412 patterns


def test_zhuowu_needs_the_five_of_characters() -> None:  # T404
    assert fans("E", "46p123m777s99p123s", "5p") == {"提溜": 1, "素": 2}
    assert fans("E", "46s123m777s99p123s", "5s") == {"提溜": 1, "素": 2}
    assert fans("E", "46m44m123p777s123s", "5m", {"minimum": 1}) == {"捉五": 3, "素": 2}


def test_a_five_in_another_set_is_no_zhuowu() -> None:  # T404
    assert fans("E", "34m123p777s99p123s", "5m") == {"提溜": 1, "素": 2}
    assert fans("E", "55m123p777s99p123s", "5m") == {"提溜": 1, "素": 2}
    assert fans("E", "34m666m123p789sCC", "5m") == {"提溜": 1, "素": 2}


def test_the_dragon_must_be_concealed_and_of_one_suit() -> None:  # T405
    assert fans("E", "123m456p789s99p12s", "3s") == {"提溜": 1, "素": 2}
    assert fans("E", "123456789m1p", "1p", melds="[222s,1]") == {"龙": 4, "素": 2}


def test_no_benhun_with_honours_as_wilds() -> None:  # T406
    assert fans("E", "12345678mE45p99s", "3p") == {"龙": 4}


def test_benhun_without_a_wild_in_the_dragon() -> None:  # T406: the wild stands elsewhere, 3m is in no hand
    assert fans("1m", "123456789m99p3p1m", "4p") == {"龙": 4, "本混": 2}


def test_gold_kong_breaks_su() -> None:  # T308
    assert refused("5s", "123m456p789s9p", "9p", melds="[6666s]") == "below_minimum"
    assert fans("5s", "123m456p789s9p", "9p", {"gold_kong_breaks_su": False}, melds="[6666s]") == {"提溜": 1, "素": 2}
    assert fans("5s", "123m456p789s9p", "9p", {"minimum": 1}, melds="[6666s]") == {"提溜": 1}


def test_su_ben_needs_every_wild_at_its_place() -> None:  # T412
    options = {"su_ben_factor": 2}
    assert fans("3p", "123456789p67m88s", "5m", options) == {"龙": 4, "本混": 2, "素本": 2}
    assert fans("3p", "12356789p4p67m8s3p", "8s", options) == {"龙": 4, "本混": 2}  # the second 3p stands for a 5m
    assert fans("3p", "12456789p67m88s5m", "3p", options) == {"龙": 4, "本混": 2, "素本": 2}  # drawn at its place
    assert fans("3p", "123456789p88s3p5m", "4p", options) == {"龙": 4, "本混": 2}
    assert fans("E", "123456789p67m88s", "5m", options) == {"龙": 4, "素": 2}


def test_double_hundiao_inside_the_dragon_is_an_option() -> None:  # T407
    hand = ("123789m8s9s22p333s", "6m")
    assert fans("8s", *hand) == {"龙": 4}
    assert fans("8s", *hand, {"hundiao_inside_dragon": True}) == {"龙": 4, "双混吊": 2}
    assert fans("8s", *hand, {"double_hundiao_factor": 5}) == {"双混吊": 5}  # the dearer of the two


def test_double_hundiao_beside_a_run_that_is_there_twice() -> None:  # T407: the 龙 does not need this 789m
    assert fans("E", "123456789m22pES", "8m") == {"龙": 4, "双混吊": 2}


def test_dear_diliu_is_still_one_reading() -> None:  # T402, T306: a reading without the 龙 may be dearer
    options = {"diliu": 5}
    assert fans("E", "46m123p777s99p123s", "5m", options) == {"捉五": 3, "素": 2}
    assert fans("3s", "22m2345567789p3s", "6p", options) == {"提溜": 5}
    assert fans("3s", "22m2345567789p3s", "6p") == {"龙": 4}


def test_score_cap_leaves_the_fans() -> None:  # T402
    verdict = judged("C", win("12346789m678p55s", "5m", seat=1), score_cap=8)
    assert (verdict.score, dict(verdict.fans)) == (8, {"捉五": 3, "龙": 4, "素": 2})


# --- T310 refusals


@pytest.mark.parametrize(
    ("reason", "declared"),
    [
        ("bad_tile", {"concealed": "123m456p789s444p7m", "tile": "7m", "flowers": "a"}),
        ("bad_tile", {"concealed": "123m456p789s444pa", "tile": "7m"}),
        ("bad_tile", {"concealed": "123m456p789s444p7m", "tile": "h"}),
        ("bad_meld", {"concealed": "456p789s44p7m4p", "tile": "7m", "melds": "[123m,1]"}),
        ("wild_in_meld", {"concealed": "123m456p789s9p", "tile": "9p", "melds": "[SSS,1]"}),
        ("wild_in_meld", {"concealed": "123m456p789s9p", "tile": "9p", "melds": "[SSSS,1]"}),
        ("wild_in_meld", {"concealed": "123m456p789s9p", "tile": "9p", "melds": "[SSSS,5]"}),
        ("impossible_tiles", {"concealed": "777m789m7m123p99s2p", "tile": "7m"}),
        ("impossible_tiles", {"concealed": "123m456p789s9p", "tile": "9p", "melds": "[EEEE]"}),
        ("wrong_tile_count", {"concealed": "123m456p789s44p7m", "tile": "7m"}),
        ("wrong_tile_count", {"concealed": "7m", "tile": "7m", "melds": "[111m,1][222m,1][333m,1][444m,1][555m,1]"}),
        ("bad_how", {"concealed": "123m456p789s444p7m", "tile": "7m", "how": ("heavenly",)}),
        ("bad_how", {"concealed": "123m456p789s444p7m", "tile": "7m", "how": ("kong_replacement",)}),
        ("bad_how", {"concealed": "123m456p789s444p7m", "tile": "7m", "how": ("flower_replacement",)}),
        ("bad_how", {"concealed": "123m456p789s7m", "tile": "7m", "melds": "[444p,1]", "how": ("earthly",)}),
        ("discard_win", {"concealed": "123m456p789s444p7m", "tile": "7m", "source": 0}),
        ("discard_win", {"concealed": "123m456p789s444p7m", "tile": "7m", "how": ("robbing_kong",)}),
        ("not_complete", {"concealed": "123m456p789s444p7m", "tile": "8m"}),
        ("not_complete", {"concealed": "1122m3344p5566sN", "tile": "N"}),  # T302
        ("below_minimum", {"concealed": "123m456p789s444p7m", "tile": "E"}),
    ],
)
def test_why_a_win_is_refused(reason: str, declared: dict[str, Any]) -> None:  # T310
    verdict = judged("E", win(**({"seat": 1} | declared)))
    assert (verdict.legal, verdict.reason, dict(verdict.fans), verdict.score) == (False, reason, {}, 0)


def test_heavenly_only_without_melds() -> None:  # T310.7
    assert refused("E", "123m456p789s7m", "7m", seat=0, melds="[8888p]", how=("heavenly",)) == "bad_how"
    both = ("heavenly", "kong_replacement")
    assert refused("E", "123m456p789s444p7m", "7m", seat=0, how=both) == "bad_how"


def test_no_indicator_no_win() -> None:  # T310.1
    declared = win("123m456p789s444p7m", "7m", flowers="a")
    for indicator in (None, Tile.PLUM):
        verdict = load("tianjin").settle(situation(declared, indicator=indicator)).verdicts[0]
        assert verdict.reason == "bad_indicator"


@pytest.mark.parametrize("text", ["[777s,4]", "[777s]", "[7777s,4]", "[7777s,8]", "[77s]", "[77777s]", "[778s,1]"])
def test_melds_that_are_none(text: str) -> None:  # T310.3
    melds = parse_melds(text, strict=False)
    declared = Win(1, parse_tiles("123m456p789s9p"), melds, (), Tile.P9)
    assert judged("E", declared).reason == "bad_meld"


def test_a_concealed_kong_has_no_number() -> None:  # T310.3
    assert judged(
        "E", Win(1, parse_tiles("123m456p789s9p"), (Meld(MeldKind.CONCEALED_KONG, (Tile.M7,) * 4),), (), Tile.P9)
    ).legal


def test_harmless_circumstances() -> None:  # T309
    how = ("last_tile", "human", "ready", "last_of_kind", "earthly")
    assert fans("E", "123m456p789s444p7m", "7m", how=how) == {"提溜": 1, "素": 2}


# --- proof, waits, card


def test_the_proof_shows_sets_and_reasons() -> None:
    verdict = judged("8s", win("123789m8s9s22p333s", "5m", seat=1))
    lines = {line.name: line for line in verdict.proof}
    assert lines["龙"].sets == ("123m", "4*56*m", "789m")
    assert lines["捉五"].sets == ("4*56*m",)
    assert "the 龙 needs" in lines["双混吊"].refused
    assert "T308" in lines["素"].refused
    assert verdict.reading == "4*56*m 123m 789m 333s 22p, 5m in 4*56*m"


def test_a_refused_diliu_says_what_was_there() -> None:  # T307, T407
    verdict = judged("E", win("123m456p789s444p7m", "E", seat=1))
    lines = {line.name: line for line in verdict.proof}
    assert lines["提溜"].value == 1
    assert "pairs a natural tile" in lines["混吊"].refused
    five = judged("E", win("34m666m123p789sCC", "5m", seat=1))
    assert any(line.name == "捉五" and "456m" in line.refused for line in five.proof)
    honours = judged("E", win("12345678mE45p99s", "3p", seat=1))
    assert any(line.name == "本混" and "suit" in line.refused for line in honours.proof)


def test_waits_with_what_they_bring() -> None:
    rules = load("tianjin")
    here = Situation(indicator=Tile.EAST)
    waits = {wait.tile: wait for wait in rules.waits(here, win("46m123p777s99p123s", "1m"))}
    assert set(waits) == {Tile.M5, Tile.EAST, Tile.SOUTH}
    assert all(wait.discard is None for wait in waits.values())  # T301
    assert waits[Tile.M5].self_draw is not None
    assert dict(waits[Tile.M5].self_draw.fans) == {"捉五": 3, "素": 2}
    hundiao = rules.waits(here, win("123m456p789s444pE", "1m"))
    assert len(hundiao) == 33  # every kind but the 4p, of which the seat holds all four (T407)
    assert rules.waits(here, win("123m456p789s444pa", "1m")) == ()
    assert rules.waits(here, win("147m147p147sWNFC", "1m")) == ()


def test_the_card_tells_both_languages_and_the_sort() -> None:  # T401
    card = {entry.name: entry for entry in load("tianjin", {"heavenly_mode": "multiply"}).fan_table()}
    assert list(card) == ["提溜", "捉五", "龙", "天和", "本混", "混吊", "双混吊", "素", "杠开"]
    assert card["捉五"].value == 3
    assert card["捉五"].definition.endswith("adds")
    assert card["捉五"].definition_zh.endswith("相加")
    assert card["天和"].definition.endswith("times 4")
    assert card["天和"].definition_zh.endswith("乘4")
    assert all(entry.paragraph.startswith("T4") for entry in card.values())
    more = {entry.name for entry in load("tianjin", {"earthly": 4, "su_ben_factor": 2, "long": 0}).fan_table()}
    assert {"地和", "素本"} < more
    assert "龙" not in more


def test_nonsense_in_options_is_told_at_once() -> None:
    with pytest.raises(RulesError) as told:
        load("tianjin", {"zhuowo": 3, "minimum": "2", "pull_max": 9, "heavenly_mode": "both", "unit": 0})
    problems = {problem.split(":")[0]: problem for problem in told.value.problems}
    assert set(problems) == {"zhuowo", "minimum", "pull_max", "heavenly_mode", "unit"}
    assert "did you mean 'zhuowu'" in problems["zhuowo"]
    assert "T204" in problems["pull_max"]
