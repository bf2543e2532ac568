"""竞技麻将: forms, fans, waits and add-ons (J35–J58)."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rule_hands import situation, win

from tablectl.rules.api import FanProof, Incident, Verdict, Win
from tablectl.rules.competition.fans import FANS
from tablectl.rules.registry import load
from tablectl.tiles.meld import Meld, MeldKind
from tablectl.tiles.tile import PLAYABLE, Tile

NUMBERS = {fan.name: fan.number for fan in FANS}
LAST = ("last_of_kind",)


def judged(declared: Win, *incidents: Incident, **options: Any) -> Verdict:
    return load("competition", options).settle(situation(declared, incidents=incidents)).verdicts[0]


def fans(concealed: str, tile: str, options: dict[str, Any] | None = None, **more: Any) -> dict[str, int]:
    """The fans of a win on a discard, unless ``source`` says otherwise."""
    return dict(judged(win(concealed, tile, **({"source": 3} | more)), **(options or {})).fans)


def proof(verdict: Verdict, name: str) -> FanProof:
    return next(line for line in verdict.proof if line.name == name)


# --- J36 forms


def test_seven_pairs_need_fourteen_standing_tiles() -> None:  # J36.2
    assert fans("113355m7799p22sE", "E") == {"七对": 30}
    assert judged(win("113355779m2s", "2s", melds="[EEEE]", source=3)).reason == "not_a_hand"


def test_four_equal_tiles_as_two_pairs_are_an_option() -> None:  # J36.2, D17
    assert fans("1111m3355p7799sE", "E") == {"七对": 30}
    assert judged(win("1111m3355p7799sE", "E", source=3), seven_pairs_quads=False).reason == "not_a_hand"


def test_scattered_needs_three_ranks_of_difference() -> None:  # J36.3
    assert fans("147m147p1sESWNCF", "P") == {"大乱": 20}
    assert fans("147m147p1sESWNCF", "4s") == {"大乱": 20}
    assert judged(win("147m147p1sESWNCF", "2s", source=3)).reason == "not_a_hand"
    assert judged(win("147m147p1sESWNCF", "3s", source=3)).reason == "not_a_hand"
    assert judged(win("147m147p1sESWNCF", "E", source=3)).reason == "not_a_hand"


def test_scattered_dragon_needs_the_whole_pattern() -> None:  # J40 no 3, D15
    assert fans("147m147p147sESWN", "C") == {"大乱": 20}
    assert fans("147m258p369sESWN", "C") == {"组合龙": 10, "大乱": 20}
    assert fans("147m258p369sESWN", "C", {"scattered_knitted": False}) == {"大乱": 20}


def test_knitted_with_a_melded_chow_or_a_kong() -> None:  # J36.4
    assert fans("147m258p369s5m", "5m", melds="[234p,1]") == {"组合龙": 10, "单张和牌": 4}
    assert fans("147m258p369sE", "E", melds="[CCCC]") == {"组合龙": 10, "单张和牌": 4, "门清": 8}


def test_what_no_wall_gives_is_no_hand() -> None:  # J36
    assert judged(win("11123m456p99p", "9p", melds="[111m,1]", source=3)).reason == "not_a_hand"
    broken = Meld(MeldKind.CHOW, (Tile.EAST, Tile.SOUTH, Tile.WEST), 1, Tile.EAST)
    assert judged(Win(0, win("123456789m1p", "1p").concealed, (broken,), (), Tile.P1, 3)).reason == "not_a_hand"
    assert judged(win("123456789m1122s", "a", source=3)).reason == "not_a_hand"


def test_a_flower_is_no_standing_tile() -> None:  # J15, J90
    assert judged(win("123456789m112sa", "3s", source=3)).reason == "wrong_tile_count"


# --- J40–J42 fans

PAIRS: dict[tuple[int, int], dict[str, Any]] = {
    (1, 7): {"concealed": "5m", "tile": "5m", "melds": "[123m,1][456p,1][789s,1][EEE,2]"},
    (1, 8): {"concealed": "13m456p789s55mEEE", "tile": "2m", "how": LAST},
    (2, 4): {"concealed": "123456789mEEEN", "tile": "N"},
    (2, 7): {"concealed": "5p", "tile": "5p", "melds": "[123m,1][456m,1][789m,1][EEE,2]"},
    (2, 8): {"concealed": "12456789m55pEEE", "tile": "3m", "how": LAST},
    (2, 10): {"concealed": "1234567892255m", "tile": "5m"},
    (3, 6): {"concealed": "147m258p36sESWNC", "tile": "9s"},
    (3, 8): {"concealed": "147m258p369sEE12p", "tile": "3p", "how": LAST},
    (4, 5): {"concealed": "222555mEECCC99m", "tile": "E"},
    (4, 7): {"concealed": "5m", "tile": "5m", "melds": "[123m,1][234m,1][EEE,2][CCC,3]"},
    (4, 8): {"concealed": "1245667855mCCC", "tile": "3m", "how": LAST},
    (4, 9): {"concealed": "78978mEECCC", "tile": "9m", "melds": "[789m,1]"},
    (4, 11): {"concealed": "1133557799mEEC", "tile": "C"},
    (4, 12): {"concealed": "CCCFFFPP12399m", "tile": "P"},
    (5, 7): {"concealed": "5m", "tile": "5m", "melds": "[222p,1][333s,2][EEE,2][CCC,3]"},
    (5, 10): {"concealed": "1112224446669m", "tile": "9m"},
    (5, 12): {"concealed": "CCCFFFPP22299p", "tile": "P"},
    (7, 9): {"concealed": "5m", "tile": "5m", "melds": "[789m,1][789p,1][789s,1][CCC,3]"},
    (7, 10): {"concealed": "5m", "tile": "5m", "melds": "[123m,1][234m,1][999m,2][678m,1]"},
    (7, 12): {"concealed": "5m", "tile": "5m", "melds": "[123p,1][FFF,1][PPP,2][CCC,3]"},
    (8, 9): {"concealed": "79m789p789s55mEEE", "tile": "8m", "how": LAST},
    (8, 10): {"concealed": "1245677788899m", "tile": "3m", "how": LAST},
    (8, 12): {"concealed": "12m55pCCCFFFPPP", "tile": "3m", "how": LAST},
    (9, 10): {"concealed": "4445556661288m", "tile": "3m"},
    (10, 11): {"concealed": "1122335577889m", "tile": "9m"},
}  # fmt: skip


@pytest.mark.parametrize("numbers", PAIRS)
def test_pairs_of_fans_that_go_together(numbers: tuple[int, int]) -> None:  # J42
    found = {NUMBERS[name] for name in fans(**PAIRS[numbers]) if name in NUMBERS}
    assert found >= set(numbers)
    assert set(combinations(sorted(found), 2)) <= set(PAIRS)


CHOWS = [(tile, tile + 1, tile + 2) for tile in PLAYABLE[:27] if tile.rank <= 7]


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_no_other_pair_ever_occurs(data: st.DataObject) -> None:  # J42, J56
    suits = data.draw(st.sampled_from([PLAYABLE, PLAYABLE[:9] + PLAYABLE[27:], PLAYABLE[:9]]))
    sets = [chow for chow in CHOWS if chow[0] in suits] + [(tile,) * 3 for tile in suits]
    chosen = data.draw(st.lists(st.sampled_from(sets), min_size=4, max_size=4))
    tiles = [Tile(tile) for group in chosen for tile in group] + [data.draw(st.sampled_from(suits))] * 2
    if max(map(tiles.count, tiles)) > 4:
        return
    last = tiles.pop(data.draw(st.integers(0, 13)))
    verdict = judged(Win(0, tuple(tiles), (), (), last, 3, win("1m", "1m", how=LAST).how))
    found = sorted({NUMBERS[name] for name in verdict.fans if name in NUMBERS})
    assert set(combinations(found, 2)) <= set(PAIRS)
    assert verdict.score == sum(verdict.fans.values())
    assert not verdict.legal or (verdict.score >= 10 and verdict.score % 2 == 0)


@pytest.mark.parametrize(
    "order", ["123 456 789", "123 789 456", "456 123 789", "456 789 123", "789 123 456", "789 456 123"]
)
def test_mixed_dragon_takes_any_assignment(order: str) -> None:  # J40 no 1
    m, p, s = order.split()
    assert fans(f"{m}m{p}p{s}sEEEN", "N") == {"花龙": 10, "单张和牌": 4, "门清": 8}


def test_each_fan_counts_once() -> None:  # J41
    assert fans("789789m78s55p", "9s", melds="[789m,1]") == {"全大": 20}


def test_three_equal_pungs_may_be_read_as_chows() -> None:  # J40 no 9
    assert fans("777888999m23pEE", "1p") == {"全大": 20, "门清": 8}


def test_all_claimed_needs_claims_from_others() -> None:  # J40 no 7
    assert fans("5m", "5m", melds="[123m,1][456p,1][789s,1][EEEE]") == {"花龙": 10, "单张和牌": 4}
    assert fans("5m", "5m", melds="[123m,1][456p,1][789s,1][EEEE,6]") == {"花龙": 10, "全求独钓": 20}


def test_all_claimed_by_self_draw_is_an_option() -> None:  # D18
    melds = "[123m,1][456p,1][789s,1][EEE,2]"
    assert fans("5m", "5m", melds=melds, source=None) == {"花龙": 10, "全求独钓": 20}
    drawn = fans("5m", "5m", {"full_claim_self_draw": False}, melds=melds, source=None)
    assert drawn == {"花龙": 10, "单张和牌": 4}


def test_honours_only_have_no_fan_of_their_own() -> None:  # J40
    assert fans("EEESSSWWWNNNC", "C") == {"对对和": 20, "单张和牌": 4, "门清": 8}
    assert fans("EESSWWNNCCFFP", "P") == {"七对": 30}


def test_no_fan_no_win() -> None:  # J35c, J56
    plain = win("234m567p34567s88m", "8s", source=3)
    refused = judged(plain)
    assert (refused.legal, refused.reason, dict(refused.fans), refused.score) == (False, "no_fan", {}, 0)
    assert dict(judged(plain, require_fan=False).fans) == {"门清": 8}


def test_a_fan_of_value_nothing_is_not_played() -> None:
    assert judged(win("113355m7799p22sE", "E", source=3), fan_values={"七对": 0}).reason == "no_fan"
    assert fans("113355m7799p22sE", "E", {"fan_values": {"七对": 44}}) == {"七对": 44}


# --- J43–J46 waits


@pytest.mark.parametrize(
    ("concealed", "tile", "single"),
    [
        ("13m456p789sEEECC", "2m", True),  # 夹
        ("12m456p789sEEECC", "3m", True),  # 边
        ("123m456p89sEEECC", "7s", True),  # 边
        ("123m456p789sEEEC", "C", True),  # 单吊
        ("23m456p789sEEECC", "1m", False),  # an open run
        ("123m456p789sEECC", "E", False),  # two pairs: a pung
        ("1112m456p789sEEE", "3m", False),  # an edge in this reading, but 2m would do too (J45)
    ],
)
def test_single_wait(concealed: str, tile: str, single: bool) -> None:  # J43, J45, J46
    expected = {"花龙": 10, "单张和牌": 4, "门清": 8} if single else {"花龙": 10, "门清": 8}
    assert fans(concealed, tile) == expected


def test_why_there_is_no_single_wait_is_told() -> None:  # J45
    verdict = judged(win("1112m456p789sEEE", "3m", source=3, how=LAST))
    assert "2m 3m" in proof(verdict, "单张和牌").refused
    assert "2m 3m" in proof(verdict, "夹绝张").refused


def test_the_shape_alone_is_an_option() -> None:  # single_wait_unique
    shape_only = {"single_wait_unique": False}
    assert "单张和牌" in fans("1112m456p789sEEE", "3m", shape_only)
    assert "夹绝张" in fans("1112m456p789sEEE", "3m", shape_only, how=LAST)
    assert "单张和牌" not in fans("23m456p789sEEECC", "1m", shape_only)


def test_a_kind_held_four_times_is_no_wait() -> None:  # J43, D11
    hand = {"concealed": "789m3456s", "tile": "3s", "melds": "[666s,2][123p,1]"}
    assert fans(**hand) == {"花龙": 10, "单张和牌": 4}
    assert fans(**hand, options={"own_four_waits": "counted"}) == {"花龙": 10}


def test_a_knitted_tile_is_a_gap_only_by_option() -> None:  # J43, D12
    assert fans("147m258p36s456mFF", "9s") == {"组合龙": 10, "门清": 8}
    assert fans("147m258p36s456mFF", "9s", {"knitted_wait_counts": True}) == {"组合龙": 10, "单张和牌": 4, "门清": 8}


def test_last_in_the_gap_by_an_own_pung() -> None:  # J44c
    assert fans("13m456p789s55p", "2m", melds="[222m,1]") == {"花龙": 10, "夹绝张": 20}
    assert fans("13m456p789s55p", "2m", melds="[222p,1]") == {"花龙": 10, "单张和牌": 4}


def test_last_in_the_gap_needs_gap_or_edge() -> None:  # J44b
    assert fans("123m456p789sEEEC", "C", how=LAST) == {"花龙": 10, "单张和牌": 4, "门清": 8}


def test_last_in_the_gap_by_robbing() -> None:  # J44c, D13
    robbed = ["robbing_kong"]
    assert fans("12m456p789s55mEEE", "3m", how=robbed) == {"花龙": 10, "夹绝张": 20, "门清": 8}
    off = {"last_of_kind_robbed": False}
    assert fans("12m456p789s55mEEE", "3m", off, how=robbed) == {"花龙": 10, "单张和牌": 4, "门清": 8}


def test_single_wait_with_fans_that_imply_it_is_an_option() -> None:  # J46, D10
    both = {"single_wait_with_implied": True}
    melds = "[123m,1][456p,1][789s,1][EEE,2]"
    assert fans("5m", "5m", both, melds=melds) == {"花龙": 10, "全求独钓": 20, "单张和牌": 4}
    assert fans("13m456p789s55mEEE", "2m", both, how=LAST) == {"花龙": 10, "夹绝张": 20, "单张和牌": 4, "门清": 8}
    assert fans("113355m7799p22sE", "E", both) == {"七对": 30}


# --- J52–J58 add-ons


def test_flowers_but_those_of_a_flower_kong() -> None:  # J52, J64
    hand = {"concealed": "113355m7799p22sE", "tile": "E"}
    assert fans(**hand, flowers="aceg") == {"七对": 30, "花牌": 8}
    assert fans(**hand, flowers="abcdef") == {"七对": 30, "花牌": 4}
    assert fans(**hand, flowers="abcdefgh") == {"七对": 30}
    assert fans(**hand, flowers="abcdefgh", options={"flower_kong_flowers_count": True}) == {"七对": 30, "花牌": 16}


def test_the_last_replacement_counts() -> None:  # J53, D21
    hand = {"concealed": "113355m7799p22sE", "tile": "E", "source": None}
    assert fans(**hand, how=["flower_replacement"]) == {"七对": 30, "补花和": 6}
    assert fans(**hand, how=["kong_replacement"]) == {"七对": 30, "杠上开花": 8}
    assert fans(**hand, how=["kong_replacement", "flower_replacement"]) == {"七对": 30, "补花和": 6}
    assert fans(**hand, how=["flower_replacement", "last_tile"]) == {"七对": 30, "补花和": 6, "妙手回春": 8}


def test_last_lap() -> None:  # J32
    assert fans("113355m7799p22sE", "E", how=["last_tile"]) == {"七对": 30, "海底捞月": 8}
    assert fans("113355m7799p22sE", "E", how=["last_tile"], source=None) == {"七对": 30, "妙手回春": 8}
    robbed = ["last_tile", "robbing_kong"]
    assert fans("13m456p789sEEECC", "2m", how=robbed)["海底捞月"] == 8  # D23


def test_concealed() -> None:  # J52, D8, D9
    assert fans("23m456p789sCC", "1m", melds="[EEEE]") == {"花龙": 10, "门清": 8}
    assert fans("23m456p789sCC", "1m", melds="[EEEE,6]") == {"花龙": 10}
    drawn_only = {"concealed_bonus": "self_draw"}
    assert fans("23m456p789sEEECC", "1m", drawn_only, how=["robbing_kong"]) == {"花龙": 10}
    assert fans("23m456p789sEEECC", "1m", drawn_only, source=None) == {"花龙": 10, "门清": 8}
    with_implied = {"concealed_bonus_with_implied": True}
    assert fans("113355m7799p22sE", "E", with_implied) == {"七对": 30, "门清": 8}
    assert fans("147m147p1sESWNCF", "P", with_implied) == {"大乱": 20, "门清": 8}


def test_a_tile_put_into_the_hand_loses_the_single_wait_only() -> None:  # J38, J54
    mixed_in = Incident("inserted", 0)
    drawn = judged(win("13m456p789sEEECC", "2m"), mixed_in)
    assert dict(drawn.fans) == {"花龙": 10, "门清": 8}
    assert "J54" in proof(drawn, "单张和牌").refused
    assert dict(judged(win("13m456p789sEEECC", "2m", how=LAST), mixed_in).fans) == {"花龙": 10, "夹绝张": 20, "门清": 8}
    assert "单张和牌" in judged(win("13m456p789sEEECC", "2m", source=1), mixed_in).fans
    assert "单张和牌" in judged(win("13m456p789sEEECC", "2m"), Incident("inserted", 1)).fans


def test_winning_on_the_initial_tiles() -> None:  # J58
    dealt = {"concealed": "13m456p789s55mEEE", "tile": "2m", "source": None}
    assert fans(**dealt, how=["heavenly", "last_of_kind", "flower_replacement"]) == {"花龙": 10, "门清": 8}
    assert judged(win("234m567p34567s88m", "8s", how=["heavenly"])).reason == "no_fan"


def test_first_turn_wins_have_a_value_only_by_option() -> None:  # J57
    values = {"heavenly_bonus": 16, "earthly_bonus": 12}
    assert fans("113355m7799p22sE", "E", values, how=["heavenly"], source=None) == {"七对": 30, "天和": 16}
    assert fans("113355m7799p22sE", "E", values, how=["earthly"]) == {"七对": 30, "地和": 12}
    assert fans("113355m7799p22sE", "E", how=["heavenly", "earthly"], source=None) == {"七对": 30}


# --- J39 readings and what the verdict tells


def test_the_reading_worth_most_counts() -> None:  # J39
    assert fans("1122334455667m", "7m") == {"清一色": 30, "七对": 30}
    assert fans("1122334455667m", "7m", {"reading": "lowest"}) == {"清一色": 30, "门清": 8}


def test_of_equal_readings_the_lower_numbers_are_told() -> None:  # J39, D41
    verdict = judged(win("777888999mEEEC", "C", source=3))
    assert list(verdict.fans) == ["混一色", "对对和", "单张和牌", "门清"]
    assert "777m 888m 999m EEE CC" in verdict.reading


def test_proof_names_sets_and_paragraphs() -> None:
    verdict = judged(win("13m456p789sEEECC", "2m", source=1))
    assert verdict.reading == "123m 456p 789s EEE CC, 2m in 123m"
    assert proof(verdict, "花龙") == FanProof("花龙", 10, ("123m", "456p", "789s"), "J40")
    assert proof(verdict, "单张和牌").sets == ("123m",)
    assert "pung" in proof(verdict, "夹绝张").refused


def test_proof_tells_what_is_implied() -> None:
    pairs = judged(win("113355m7799p22sE", "E", source=3))
    assert proof(pairs, "单张和牌").refused.startswith("implied by 七对")
    assert proof(pairs, "门清").refused.startswith("implied by 七对")
    kong = judged(win("113355m7799p22sE", "E", how=["kong_replacement", "flower_replacement"], flowers="abcd"))
    assert "补花和" in proof(kong, "杠上开花").refused
    assert "J64" in proof(kong, "花牌").refused


def test_the_rule_card_has_every_fan_and_add_on() -> None:  # J40, J52
    card = {entry.name: entry for entry in load("competition", {"fan_values": {"花龙": 12}}).fan_table()}
    assert len(card) == 21
    assert (card["花龙"].value, card["花龙"].number, card["清一色"].value) == (12, 1, 30)
    assert (card["门清"].value, card["门清"].number, card["门清"].paragraph) == (8, 0, "J52")


# --- waits


def test_waits_with_what_each_brings() -> None:  # J43
    found = load("competition").waits(situation(), win("1112m456p789sEEE", "1m"))
    assert [wait.tile.code for wait in found] == ["2m", "3m"]
    two, three = found
    assert two.discard is not None
    assert three.self_draw is not None
    assert (two.discard.legal, two.discard.reason) == (False, "no_fan")
    assert dict(three.self_draw.fans) == {"花龙": 10, "门清": 8}


def test_no_waits_where_the_count_is_wrong_or_a_kind_is_used_up() -> None:
    rules = load("competition")
    assert rules.waits(situation(), win("111m456p789sEEE", "1m")) == ()
    assert rules.waits(situation(), win("123456789m111pa", "1m")) == ()
    assert rules.waits(situation(), win("5m", "5m", melds="[555m,1][123p,1][456s,1][EEE,1]")) == ()
    assert rules.waits(situation(), win("5555m", "5m", melds="[123p,1][456s,1][EEE,1]")) == ()
