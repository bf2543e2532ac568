"""国标麻将: shapes, readings and fans, worked out by hand (T26–T45). The counts are those without a minimum."""

from __future__ import annotations

from typing import Any

import pytest
from rule_hands import situation, win

from tablectl.rules.api import FanProof, Verdict
from tablectl.rules.registry import load
from tablectl.tiles.tile import Tile


def judged(concealed: str, tile: str, options: dict[str, Any] | None = None, **more: Any) -> Verdict:
    """A win on a discard of the previous seat, unless ``source`` says otherwise; seat 0 deals, E prevails."""
    table = {key: more.pop(key) for key in ("dealer", "prevalent") if key in more}
    declared = win(concealed, tile, **({"source": 3} | more))
    return load("mcr", {"minimum_points": 0} | (options or {})).settle(situation(declared, **table)).verdicts[0]


def fans(concealed: str, tile: str, options: dict[str, Any] | None = None, **more: Any) -> dict[str, int]:
    verdict = judged(concealed, tile, options, **more)
    assert verdict.legal, verdict
    assert verdict.score == sum(verdict.fans.values())
    return dict(verdict.fans)


def proof(verdict: Verdict, name: str) -> FanProof:
    return next(line for line in verdict.proof if line.name == name)


# --- T26 shapes


def test_seven_pairs_may_hold_four_alike() -> None:  # T26b
    assert fans("1111m3355p7799sE", "E") == {"七对": 24, "四归一": 2}


@pytest.mark.parametrize(
    ("concealed", "tile", "melds"),
    [
        ("113355779m2s", "2s", "[EEEE]"),  # seven pairs do not go with a concealed kong
        ("19m19p19sESWN", "1m", "[CCCC]"),  # nor do thirteen orphans
        ("147m147p1sESWNCF", "P", ""),  # singles of no one knitted pattern
    ],
)
def test_what_is_no_shape(concealed: str, tile: str, melds: str) -> None:  # T26
    verdict = judged(concealed, tile, melds=melds)
    assert not verdict.legal
    assert str(verdict.reason).startswith(("not_complete", "wrong_"))


def test_the_knitted_shape_with_and_without_a_meld() -> None:  # T26e, T41, decision 9
    knitted = "147m258p369s"
    assert fans(f"{knitted}5m", "5m", melds="[234p,1]") == {"组合龙": 12, "平和": 2, "单钓将": 1}
    assert fans(f"{knitted}45mEE", "3m") == {"组合龙": 12, "门前清": 2}
    assert fans(f"{knitted}5mEE5m", "5m") == {"组合龙": 12, "门前清": 2}  # 5m and E: no single wait
    assert fans(f"{knitted}2223m", "3m") == {"组合龙": 12, "门前清": 2, "无字": 1}  # 1m, 3m and 4m
    assert fans(f"{knitted}222m5p", "5p") == {"组合龙": 12, "门前清": 2, "单钓将": 1, "无字": 1}
    assert fans(f"{knitted}E", "E", melds="[FFFF]", source=None) == {
        "组合龙": 12, "五门齐": 6, "不求人": 4, "箭刻": 2, "暗杠": 2, "单钓将": 1,
    }  # fmt: skip


def test_a_tile_of_the_nine_gives_no_wait() -> None:  # T41
    assert fans("147m258p39sWW", "6s", melds="[FFF,3]") == {"组合龙": 12, "五门齐": 6, "箭刻": 2}


def test_scattered_with_the_whole_pattern() -> None:  # T26d, F34, F35
    assert fans("147m258p369sESWN", "C") == {"全不靠": 12, "组合龙": 12}
    assert fans("17m258p39sESWNCF", "P", source=None) == {"七星不靠": 24, "自摸": 1}


# --- T32 heavenly hands


def test_a_heavenly_hand_never_waited() -> None:  # T32
    gates = {"concealed": "1112345678999m", "tile": "5m", "source": None, "how": ("heavenly",)}
    assert fans(**gates) == {"清一色": 24, "不求人": 4, "双暗刻": 2, "幺九刻": 2}
    options = {"heavenly_wait_fans": True}
    assert fans(**gates, options=options) == {"九莲宝灯": 88, "双暗刻": 2, "幺九刻": 1, "自摸": 1}
    straight = {"concealed": "123456789m13pEE", "tile": "2p", "source": None, "how": ("heavenly",)}
    assert "坎张" not in fans(**straight)
    assert fans(**straight, options=options)["坎张"] == 1


@pytest.mark.parametrize("word", ["earthly", "human", "ready"])
def test_first_turn_wins_have_no_fan(word: str) -> None:  # T32
    assert fans("123456m78s55pEEE", "9s", how=(word,)) == fans("123456m78s55pEEE", "9s")


# --- T34–T37 readings and combinations


def test_the_dearest_reading_counts() -> None:  # T34
    assert fans("22233344m567s99p", "4m") == {"一色三节高": 24, "双暗刻": 2, "门前清": 2, "无字": 1}
    assert fans("11122233m55p", "3m", melds="[789s,1]", source=None)["一色三节高"] == 24
    assert fans("1122334455667m", "7m")["连七对"] == 88


def test_of_equal_readings_the_first_numbers_are_reported() -> None:  # T34
    # as sets it is 全中 24, 全带五 16 and more, 52 too; 19 comes before 26
    found = fans("44555566m44556s", "6s", source=None)
    assert found == {"七对": 24, "全中": 24, "四归一": 2, "缺一门": 1, "自摸": 1}


def test_a_kong_is_a_pung_and_no_four_of_a_kind() -> None:  # T35
    kong = fans("345m77p88p", "8p", melds="[5555s,1][666m,2]")
    assert "四归一" not in kong
    assert fans("345p78999s22m", "9s", melds="[789m,2]") == {
        "四归一": 2, "喜相逢": 1, "幺九刻": 1, "无字": 1,
    }  # fmt: skip


def test_a_discard_completes_a_chow_rather_than_a_concealed_pung() -> None:  # T36
    assert fans("33345m777p888s99p", "3m") == {"三暗刻": 16, "门前清": 2, "四归一": 2, "无字": 1}
    assert fans("33m777p888s99p456m", "3m")["双暗刻"] == 2  # here it can only make the pung
    assert fans("33m777p888s99p456m", "3m", source=None)["三暗刻"] == 16


def test_no_set_twice_in_one_fan_and_no_cycle() -> None:  # T37
    assert fans("23p234pEE", "4p", melds="[234m,1][888s,2]") == {"一般高": 1, "喜相逢": 1}
    # two and two equal ones, of equal numbers: three edges at most join four chows
    assert fans("23p234pEE", "4p", melds="[234m,1][234m,1]") == {"一般高": 2, "喜相逢": 1, "缺一门": 1}


def test_the_fourth_set_combines_once_with_a_fan_of_three() -> None:  # T37d
    assert fans("789s1m", "1m", melds="[123s,1][456s,1][456m,1]") == {
        "清龙": 16, "平和": 2, "喜相逢": 1, "单钓将": 1, "缺一门": 1,
    }  # fmt: skip
    assert fans("222s3s", "3s", melds="[2222m,1][3333m,2][4444m,3]")["双同刻"] == 2


def test_a_fan_that_can_be_counted_is_counted() -> None:  # T37, F43
    assert fans("33789sEE", "3s", melds="[456p,1][456m,1]") == {"喜相逢": 1}
    assert fans("34p888pNN", "5p", melds="[123m,1][567s,2]", flowers="abc") == {"无番和": 8, "花牌": 3}


# --- T38, T39 kongs and concealed pungs


def test_the_kong_series_has_one_entry() -> None:  # T38
    hand = {"concealed": "345m77p88p", "tile": "8p", "source": None}
    one, two = {"melds": "[EEEE][3333p,2]"}, {"melds": "[EEEE,1][3333p,2]"}
    assert {"暗杠", "明杠"} <= set(fans(**hand, **one))
    for points in (5, 6):
        found = fans(**hand, **one, options={"mixed_kongs_points": points})
        assert found["明暗杠"] == points
        assert not {"暗杠", "明杠"} & set(found)
    assert fans(**hand, **two)["双明杠"] == 4
    assert fans("345m7p", "7p", melds="[EEEE,1][3333p,2][8888p]")["三杠"] == 32


def test_two_concealed_kongs() -> None:  # T38, T39, F53
    hand = {"concealed": "345m6789p", "tile": "9p", "melds": "[PPPP][1111s]"}
    assert fans(**hand) == {"双暗杠": 6, "箭刻": 2, "门前清": 2, "幺九刻": 1}
    assert fans(**hand, options={"two_concealed_kongs_points": 8})["双暗杠"] == 8
    assert fans("999p345m6s", "6s", melds="[PPPP][1111s]") == {
        "三暗刻": 16, "双暗杠": 6, "箭刻": 2, "门前清": 2, "幺九刻": 2, "单钓将": 1,
    }  # fmt: skip


def test_concealed_kongs_count_as_concealed_pungs_beside_three_kongs() -> None:  # T39, decision 6
    assert fans("345m7p", "7p", melds="[EEEE][3333p][8888p]") == {
        "三杠": 32, "三暗刻": 16, "圈风刻": 2, "门风刻": 2, "门前清": 2, "单钓将": 1, "缺一门": 1,
    }  # fmt: skip


# --- T40 幺九刻


def test_winds_that_count_otherwise_are_no_terminal_pungs() -> None:  # T40
    hand = {"concealed": "WWW99s55p", "tile": "9s", "melds": "[EEE,2][NNN,1]"}
    south = {"dealer": 3, "prevalent": Tile.SOUTH}
    assert fans(**hand, **south) == {"三风刻": 12, "碰碰和": 6, "幺九刻": 1, "缺一门": 1}
    assert fans(**hand) == {"三风刻": 12, "碰碰和": 6, "圈风刻": 2, "门风刻": 2, "幺九刻": 1, "缺一门": 1}
    assert fans("345m7788p", "8p", melds="[WWW,1][999s,2]")["幺九刻"] == 2
    assert "幺九刻" not in fans("345m7788p", "8p", melds="[CCC,1][666s,2]")


# --- T41 waits


@pytest.mark.parametrize(
    ("concealed", "tile", "wait"),
    [
        ("12m", "3m", "边张"),
        ("89m", "7m", "边张"),
        ("46m", "5m", "坎张"),
        ("23m", "1m", None),
        ("78m", "9m", None),
    ],
)
def test_edge_and_gap(concealed: str, tile: str, wait: str | None) -> None:  # T41
    found = fans(f"{concealed}EE", tile, melds="[456p,1][222s,2][678s,1]")
    assert {"边张", "坎张", "单钓将"} & set(found) == ({wait} if wait else set())


def test_only_a_single_wait_counts() -> None:  # T41, decision 8
    assert fans("12345mEE", "3m", melds="[789p,1][555s,2]") == {"无番和": 8}
    assert "坎张" not in fans("45567mEE", "6m", melds="[789p,1][222s,2]")
    # 5m and 8m are all in the winner's own kongs, and still make it three kinds
    assert fans("6777m", "6m", melds="[5555m,1][8888m,2][WWW,1]") == {
        "碰碰和": 6, "混一色": 6, "双明杠": 4, "幺九刻": 1,
    }  # fmt: skip


def test_a_wait_of_seven_pairs_spoils_the_single_one() -> None:  # T41
    # as sets it waits for 2p in the gap alone, as seven pairs for 5p
    assert fans("1111334444555p", "2p") == {
        "清一色": 24, "推不倒": 8, "四归一": 4, "双暗刻": 2, "门前清": 2, "幺九刻": 1,
    }  # fmt: skip


def test_one_wait_fan_at_most_and_none_beside_all_claimed() -> None:  # T41, F52
    assert fans("1m", "1m", melds="[234m,1][345p,1][CCCC,2][999s,3]") == {
        "全求人": 6, "箭刻": 2, "幺九刻": 1, "明杠": 1,
    }  # fmt: skip
    drawn = fans("1m", "1m", melds="[234m,1][345p,1][CCCC,2][999s,3]", source=None)
    assert drawn == {"箭刻": 2, "幺九刻": 1, "明杠": 1, "单钓将": 1, "自摸": 1}


# --- T42 和绝张


def test_last_of_kind() -> None:  # T42
    hand = {"concealed": "678s67m88p", "tile": "8m"}
    assert fans(**hand, melds="[888m,2][123p,1]")["和绝张"] == 4  # the own pung shows three
    assert fans(**hand, melds="[999m,2][123p,1]", how=("last_of_kind",))["和绝张"] == 4
    assert "和绝张" not in fans(**hand, melds="[999m,2][123p,1]")
    assert "和绝张" not in fans("678s6788m", "8m", melds="[123p,1][EEE,1]", how=("last_of_kind",))
    robbed = fans(**hand, melds="[999m,2][123p,1]", how=("robbing_kong", "last_of_kind"))
    assert robbed["抢杠和"] == 8
    assert "和绝张" not in robbed


# --- T43, T44 ways of winning

HAND = {"concealed": "345678m56p22s", "tile": "7p"}


def test_the_last_tile_and_the_replacement_of_a_kong() -> None:  # T43
    kong = {**HAND, "melds": "[7777s,1]", "source": None}
    assert {"杠上开花", "妙手回春"} <= set(fans(**kong, how=("kong_replacement", "last_tile")))
    assert "自摸" not in fans(**kong, how=("kong_replacement",))
    assert "自摸" not in fans(**kong, how=("last_tile",))
    assert fans(**(kong | {"source": 3}), how=("last_tile",))["海底捞月"] == 8
    assert "杠上开花" not in fans(**(kong | {"source": 3}), how=("kong_replacement",))
    flower = fans(**kong, how=("kong_replacement", "flower_replacement"))
    assert flower["自摸"] == 1
    assert "杠上开花" not in flower
    assert "杠上开花" not in fans(**HAND, melds="[777s,1]", source=None, how=("kong_replacement",))


def test_self_drawn_and_concealed() -> None:  # T19, T44
    concealed = {**HAND, "melds": "[7777s]"}
    assert {"不求人", "门前清", "自摸"} & set(fans(**concealed, source=None)) == {"不求人"}
    assert {"不求人", "门前清", "自摸"} & set(fans(**concealed)) == {"门前清"}
    rinshan = fans(**concealed, source=None, how=("kong_replacement",))
    assert (rinshan["不求人"], rinshan["杠上开花"]) == (4, 8)


@pytest.mark.parametrize(
    ("concealed", "tile"), [("19m19p19sESWNCFP", "9p"), ("445588m2299p663s", "3s"), ("17m258p39sESWNCF", "P")]
)
def test_shapes_that_are_always_concealed_count_self_drawn(concealed: str, tile: str) -> None:  # T44
    assert {"不求人", "门前清", "自摸"} & set(fans(concealed, tile, source=None)) == {"自摸"}
    assert not {"不求人", "门前清", "自摸"} & set(fans(concealed, tile))


# --- F3, F8, F11 … with seven pairs


@pytest.mark.parametrize(
    ("concealed", "tile", "expected"),
    [
        ("2233446666888s", "8s", {"绿一色": 88, "七对": 24, "清一色": 24, "四归一": 4, "断幺": 2}),
        ("223344666688sF", "F", {"绿一色": 88, "七对": 24, "四归一": 2}),
        ("1111m99m11p9999p1s", "1s", {"清幺九": 64, "七对": 24, "四归一": 4}),
        ("EESSWWNNCCFFP", "P", {"字一色": 64, "七对": 24}),
        ("1199m1199p99sEEC", "C", {"混幺九": 32, "七对": 24, "五门齐": 6}),
        ("778899m778899p7s", "7s", {"七对": 24, "全大": 24}),
        ("667788p667788s9p", "9p", {"七对": 24, "大于五": 12, "缺一门": 1}),
        ("112233p445588s9s", "9s", {"七对": 24, "推不倒": 8, "无字": 1}),
    ],
)
def test_seven_pairs_too(concealed: str, tile: str, expected: dict[str, int]) -> None:  # T45, decisions 3, 4
    assert fans(concealed, tile) == expected


# --- the proof


def test_the_proof_names_the_sets() -> None:
    verdict = judged("23456789m55s", "1m", melds="[456p,1]")
    assert proof(verdict, "清龙").sets == ("123m", "456m", "789m")
    assert proof(verdict, "喜相逢").sets == ("456m", "[456p]")
    assert verdict.reading == "[456p] 123m 456m 789m 55s, 1m in 123m"
    assert proof(verdict, "平和").paragraph == "T45 F63"


def test_the_proof_of_terminal_pungs_leaves_out_the_winds_of_three_winds() -> None:  # T40
    verdict = judged("WWW99s55p", "9s", melds="[EEE,2][NNN,1]", dealer=3, prevalent=Tile.SOUTH)
    assert proof(verdict, "三风刻").sets == ("[EEE]", "[NNN]", "WWW")
    assert proof(verdict, "幺九刻").sets == ("999s",)
    assert proof(judged("345m7788p", "8p", melds="[WWW,1][999s,2]"), "幺九刻").sets == ("[WWW]", "[999s]")


def test_the_proof_says_why_a_fan_is_left_out() -> None:
    def reason(name: str, *args: Any, **more: Any) -> str:
        return proof(judged(*args, **more), name).refused

    assert reason("无字", "12355s88899s", "5s", melds="[777s,2]") == "implied by 清一色 (T45)"
    assert "in 清龙" in reason("连六", "23456789m55s", "1m", melds="[456p,1]")
    assert reason("单钓将", "1232346668m", "8m", melds="[789m,3]").startswith("the hand waits for 7m 8m")
    assert "heavenly" in reason("坎张", "123456789m13pEE", "2p", source=None, how=("heavenly",))
    assert "T42" in reason("和绝张", "678s6788m", "8m", melds="[123p,1][EEE,1]", how=("last_of_kind",))
    both = ("kong_replacement", "flower_replacement")
    assert "T43" in reason("杠上开花", **HAND, melds="[7777s,1]", source=None, how=both)


def test_a_refused_hand_still_has_its_proof() -> None:  # T27
    verdict = judged("123m78sEE", "9s", {"minimum_points": 8}, melds="[123s,1][999p,2]", flowers="abd")
    assert (verdict.legal, verdict.reason, dict(verdict.fans)) == (False, "below_minimum", {})
    assert sum(line.value for line in verdict.proof if line.name != "花牌") == 7
