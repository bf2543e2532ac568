"""镇江麻将: complete hands, 百搭, base items, add-ons, refusals, waits, the card (Z301–Z408)."""

from __future__ import annotations

from typing import Any

import pytest
from rule_hands import situation, win

from tablectl.rules.api import Incident, RulesError, Settlement, Win
from tablectl.rules.registry import load
from tablectl.tiles.notation import parse_melds, parse_tile, parse_tiles
from tablectl.tiles.tile import PLAYABLE, Tile


def settled(indicator: str | None, *wins: Win, events: tuple[Incident, ...] = (), **options: Any) -> Settlement:
    turned = None if indicator is None else parse_tile(indicator)
    here = situation(*wins, indicator=turned, incidents=events, points=(50, 50, 50, 50))
    return load("zhenjiang", options).settle(here)


def fans(hand: str, tile: str, events: tuple[Incident, ...] = (), options: Any = None, **more: Any) -> dict[str, int]:
    """With 4m as indicator: 5m is the wildcard."""
    declared = win(hand, tile, **({"seat": 1} | more))
    return dict(settled("4m", declared, events=events, **(options or {})).verdicts[0].fans)


def reason(hand: str, tile: str, events: tuple[Incident, ...] = (), options: Any = None, **more: Any) -> str | None:
    declared = win(hand, tile, **({"seat": 1} | more))
    return settled("4m", declared, events=events, **(options or {})).verdicts[0].reason


def thrown(*kinds: str, seat: int = 1) -> tuple[Incident, ...]:
    return tuple(Incident(f"wildcard_{kind}", seat) for kind in kinds)


PLAIN = ("123p456p678sEEE9m", "9m")


# --- Z301–Z307 hands


@pytest.mark.parametrize(
    ("hand", "tile", "item"),
    [
        ("123p456p789sEEE5m", "5m", "跑搭脱搭"),
        ("123p456pEEE678m5m", "8m", "跑搭脱搭"),
        ("123p456pEEE678m5m", "9m", "跑搭"),
        ("123p456pEEE46m5m5m", "3m", "跑搭"),
        ("123p456pEEE46m5m5m", "5m", "跑搭脱搭"),
    ],
)
def test_waiting_on_everything(hand: str, tile: str, item: str) -> None:  # Z306, Z307
    assert list(fans(hand, tile)) == [item]


def test_natural_goes_before_youda() -> None:  # Z304, Z305: nobody has to prove it
    assert fans("123p456p678sEE46m", "5m") == {"脱搭自摸": 6}
    assert fans("123p456p678sE5m99m", "9m") == {"有搭自摸": 3}
    assert fans("123p456p678sEEE5m", "9m") == {"跑搭": 5}


def test_no_wildcard_at_all() -> None:  # Z305
    assert fans(*PLAIN) == {"脱搭自摸": 6}
    assert fans(*PLAIN, options={"no_wildcard_self_draw": "youda"}) == {"有搭自摸": 3}
    natural = {"no_wildcard_self_draw": "youda"}
    assert fans("123p456p678sEE46m", "5m", options=natural) == {"脱搭自摸": 6}
    assert fans("123p456p678s9m", "9m", options=natural, melds="[555m,1]") == {"脱搭自摸": 6}


def test_wildcards_are_not_limited_by_four_copies() -> None:  # Z303: 111m, and a fifth 1m pairs the fourth
    assert fans("1111m456p678sEE5m", "E") == {"有搭自摸": 3}


def test_several_wildcards() -> None:  # Z303: three sets with one each; a set of three; two in a set
    assert fans("12p99s5m5m99mEEE11s", "5m") == {"有搭自摸": 3}
    assert fans("123p456p5m5m5mEEE9s", "9s") == {"跑搭脱搭": 10}
    assert fans("123p456p5m5m5mEEE9s", "1s") == {"跑搭": 5}
    assert reason("147p258s5m5m5m99mEE", "E") == "not_complete"


def test_no_other_shape() -> None:  # Z301
    assert reason("1133m5577p2299sE", "E") == "not_complete"
    assert reason("19m19p19sESWNCFP", "P") == "not_complete"


# --- Z210, Z310, Z311 wins on a discard


def test_a_claimed_wildcard_is_its_own_kind() -> None:  # Z210
    assert fans("123p456p678sEEE5m", "5m", source=3) == {"放冲": 4, "成搭": 1}
    assert reason("123p456p678sEEE9m", "5m", source=3) == "not_complete"
    wild = {"claimed_wildcard": "wild"}
    assert fans("123p456p678sEEE9m", "5m", source=3, options=wild) == {"放冲": 4, "成搭": 1}


def test_a_robbed_wildcard_is_its_own_kind() -> None:  # Z207, Z210, Z311
    robbed = {"source": 3, "how": ("robbing_kong",)}
    assert fans("123p456p678sEE46m", "5m", **robbed) == {"放冲": 4, "抢杠": 1}
    assert reason("123p456p678sEEE9m", "5m", **robbed) == "not_complete"
    assert fans("123p456p678sEEE9m", "5m", **robbed, options={"claimed_wildcard": "wild"}) == {"放冲": 4, "抢杠": 1}


def test_natural_only_and_any_wait() -> None:  # Z310
    youda = ("123p456p678sE5m99m", "9m")
    assert fans(*youda, source=0) == {"放冲": 4}
    assert reason(*youda, source=0, options={"discard_win_natural_only": True}) == "natural_only"
    assert reason("123p456p678sEEE5m", "9m", source=0, options={"any_wait_discard_win": False}) == "any_wait_discard"
    both = {"any_wait_discard_win": False, "discard_win_natural_only": True}
    assert reason("123p456p678sEEE5m", "9m", source=0, options=both) == "natural_only"
    assert reason("123p456p678sEEE5m", "5m", source=0, options=both) == "any_wait_discard"
    assert fans("123p456p678sEEE5m", "9m", options=both) == {"跑搭": 5}  # self-drawn


# --- Z308, Z309, Z402–Z406 values


def test_the_kong_before_decides() -> None:  # Z308
    how = ("kong_replacement",)
    exposed, concealed = Incident("exposed_kong", 1, 0), Incident("concealed_kong", 1)
    melds = "[1111p,1][EEEE]"
    assert fans("456p678s9m", "9m", (exposed, concealed), melds=melds, how=how) == {"暗杠杠开": 9}
    assert fans("456p678s9m", "9m", (concealed, exposed), melds=melds, how=how) == {"明杠杠开": 8}
    assert fans("456p678s9m", "9m", (concealed, Incident("added_kong", 1)), melds=melds, how=how) == {"明杠杠开": 8}
    assert fans("456p678s9m", "9m", (exposed, Incident("concealed_kong", 2)), melds=melds, how=how) == {"明杠杠开": 8}
    assert fans("456p67s99m", "5m", (exposed, concealed), melds=melds, how=how) == {"有搭杠开": 5}


def test_one_base_item_counts() -> None:  # Z404
    kong = (Incident("concealed_kong", 1),)
    more = {"melds": "[EEEE]", "how": ("kong_replacement",)}
    assert fans("123p456p678s5m", "5m", kong, **more) == {"跑搭脱搭": 10}
    assert fans("123p456p678s5m", "5m", kong, options={"paoda_tuoda": 8}, **more) == {"暗杠杠开": 9}
    assert fans("123p456p678s5m", "9m", kong, **more) == {"跑搭": 5}  # of equal ones the first
    assert fans("123p456p678s5m", "9m", kong, options={"kong_youda": 6}, **more) == {"有搭杠开": 6}


def test_heavenly_is_always_heavenly() -> None:  # Z309, Z404
    how = ("heavenly",)
    assert fans("123p456p678sEEE5m", "5m", seat=0, how=how) == {"天胡": 12}
    assert fans(*PLAIN, seat=0, how=how, options={"heavenly_win": 2}) == {"天胡": 2}
    assert reason(*PLAIN, seat=0, how=how, events=(Incident("concealed_kong", 0),)) == "bad_how"
    assert reason(*PLAIN, seat=0, how=how, events=thrown("mid", seat=0)) == "bad_how"
    assert fans(*PLAIN, seat=0, how=how, events=thrown("mid", seat=2)) == {"天胡": 12}


def test_values_are_options() -> None:  # Z402
    values = {"self_draw_tuoda": 11, "self_draw_youda": 7, "kong_exposed_tuoda": 13, "kong_concealed_tuoda": 14}
    kong = (Incident("exposed_kong", 1, 0),)
    assert fans(*PLAIN, options=values) == {"脱搭自摸": 11}
    assert fans("123p456p678sE5m99m", "9m", options=values) == {"有搭自摸": 7}
    more = {"melds": "[EEEE,1]", "how": ("kong_replacement",)}
    assert fans("123p456p678s9m", "9m", kong, options=values, **more) == {"明杠杠开": 13}
    assert fans("123p456p678sEEE5m", "9m", options={"paoda": 6}) == {"跑搭": 6}
    assert fans("123p456p678sEEE5m", "9m", options={"paoda": 0, "self_draw_youda": 0}) == {}  # Z406


def test_add_ons() -> None:  # Z403, Z405, Z408
    assert fans(*PLAIN, thrown("first")) == {"脱搭自摸": 6, "首搭": 6}
    assert fans("123p456p678sE5m99m", "9m", thrown("mid", "pung")) == {"有搭自摸": 3, "半途打搭": 4, "碰后打搭": 2}
    dealt_in = settled("4m", win("123p456p678sEEE5m", "5m", seat=1, source=0), events=thrown("first"))
    assert dealt_in.payments == (-11, 29, -9, -9)
    assert fans(*PLAIN, thrown("mid", "mid"), options={"bonus_mid": 7}) == {"脱搭自摸": 6, "半途打搭": 14}
    assert fans(*PLAIN, thrown("first", seat=2)) == {"脱搭自摸": 6}
    assert fans(*PLAIN, thrown("first", "mid"), options={"bonus_first": 0, "bonus_mid": 0}) == {"脱搭自摸": 6}


def test_only_the_dearest_throw_counts_where_a_house_says_so() -> None:  # Z405
    one = {"wildcard_bonus_sum": False}
    assert fans(*PLAIN, thrown("pung", "mid", "mid"), options=one) == {"脱搭自摸": 6, "半途打搭": 4}
    assert fans(*PLAIN, thrown("pung", "mid"), options=one | {"bonus_pung": 9}) == {"脱搭自摸": 6, "碰后打搭": 9}


def test_a_record_taken_back() -> None:  # Z213 claimed_wildcard_keeps_bonus
    claimed = (*thrown("first", "mid"), Incident("wildcard_claimed", 1), *thrown("pung"))
    assert fans(*PLAIN, claimed, options={"claimed_wildcard_keeps_bonus": False}) == {
        "脱搭自摸": 6,
        "首搭": 6,
        "碰后打搭": 2,
    }
    assert "半途打搭" in fans(*PLAIN, claimed)


def test_patterns_winds_and_the_last_tile_are_worth_nothing() -> None:  # Z309, Z312, Z407
    how = ("last_tile", "last_of_kind", "earthly", "human", "ready")
    assert fans("111222333mEEE9m", "9m", how=how) == {"脱搭自摸": 6}


def test_the_proof_names_what_holds_besides() -> None:  # Z404
    kong = (Incident("concealed_kong", 1),)
    declared = win("123p456p678s5m", "5m", seat=1, melds="[EEEE]", how=("kong_replacement",))
    verdict = settled("4m", declared, events=kong).verdicts[0]
    refused = {line.name: line.refused for line in verdict.proof if line.refused}
    assert set(refused) == {"暗杠杠开", "脱搭自摸"}
    assert all("跑搭脱搭 (Z404)" in why for why in refused.values())
    assert verdict.reading == "[EEEE] 123p 456p 678s 55m"
    youda = settled("4m", win("123p456p678sE5m99m", "9m", seat=1)).verdicts[0]
    assert "*" in youda.reading
    heavenly = settled("4m", win("123p456p678sEEE5m", "5m", seat=0, how=("heavenly",))).verdicts[0]
    assert [line.name for line in heavenly.proof if line.refused] == ["脱搭自摸"]  # Z306: no 跑搭 with 天胡


# --- Z314 refusals


@pytest.mark.parametrize(
    ("code", "declared"),
    [
        ("bad_meld", {"concealed": "456p678sEEE9m", "tile": "9m", "melds": "[123p,1]"}),
        ("impossible_tiles", {"concealed": "123p456p678sEEEa", "tile": "9m"}),
        ("impossible_tiles", {"concealed": "123p456p678sEEE9m", "tile": "9m", "flowers": "b"}),
        ("impossible_tiles", {"concealed": "99999m456p678sEE", "tile": "E"}),
        ("impossible_tiles", {"concealed": "4444m123p456p78s", "tile": "9s"}),
        ("impossible_tiles", {"concealed": "123p456p678s99m9s9s", "tile": "9s", "source": 0, "how": ("robbing_kong",)}),
        ("impossible_tiles", {"concealed": "123p456p678sEE35m", "tile": "4m", "source": 0, "how": ("robbing_kong",)}),
        ("bad_how", {"concealed": "123p456p678sEEE9m", "tile": "9m", "source": 1}),
        ("bad_how", {"concealed": "123p456p678sEEE9m", "tile": "9m", "how": ("heavenly",)}),
        ("bad_how", {"concealed": "123p456p678sEEE9m", "tile": "9m", "how": ("heavenly",), "seat": 0, "source": 2}),
        ("bad_how", {"concealed": "123p456p678s9m", "tile": "9m", "how": ("heavenly",), "seat": 0, "melds": "[EEE,1]"}),
        ("bad_how", {"concealed": "123p456p78sEEE99m", "tile": "9s", "how": ("robbing_kong",)}),
        ("bad_how", {"concealed": "123p456p678s9m", "tile": "9m", "how": ("kong_replacement",), "melds": "[EEEE]"}),
        ("bad_how", {"concealed": "123p456p678sEEE9m", "tile": "9m", "how": ("flower_replacement",)}),
        ("wrong_tile_count", {"concealed": "123p456p678sEE9m", "tile": "9m"}),
        ("not_complete", {"concealed": "123p456p678sEEE9m", "tile": "8m"}),
    ],
)
def test_why_a_win_is_refused(code: str, declared: dict[str, Any]) -> None:  # Z314
    verdict = settled("4m", win(**({"seat": 1} | declared))).verdicts[0]
    assert (verdict.legal, verdict.reason, dict(verdict.fans), verdict.score) == (False, code, {}, 0)


def test_kong_replacement_needs_self_draw_a_kong_and_its_event() -> None:  # Z314.4
    more = {"melds": "[EEEE]", "how": ("kong_replacement",)}
    kong = (Incident("concealed_kong", 1),)
    assert reason("123p456p678s9m", "9m", kong, **more) is None
    assert reason("123p456p678s9m", "9m", kong, source=0, **more) == "bad_how"
    assert reason("123p456p678sEEE9m", "9m", kong, how=("kong_replacement",)) == "bad_how"
    robbing = {"how": ("kong_replacement", "robbing_kong"), "melds": "[EEEE]", "source": 0}
    assert reason("123p456p78s99m", "9s", kong, **robbing) == "bad_how"


@pytest.mark.parametrize("text", ["[777s,4]", "[777s]", "[7777s,4]", "[7777s,8]", "[77s]", "[778s,1]"])
def test_melds_that_are_none(text: str) -> None:  # Z314.2
    declared = Win(1, parse_tiles("123p456p789p9m"), parse_melds(text, strict=False), (), Tile.M9)
    assert settled("4m", declared).verdicts[0].reason == "bad_meld"


def test_no_indicator_no_win() -> None:  # Z314.1
    assert settled(None, win(*PLAIN, seat=1)).verdicts[0].reason == "bad_indicator"
    assert settled("c", win(*PLAIN, seat=1)).verdicts[0].reason == "bad_indicator"


def test_melds_of_the_wildcard_kind() -> None:  # Z209
    assert fans("123p456p678s9m", "9m", melds="[555m,1]") == {"脱搭自摸": 6}
    assert reason("123p456p678s9m", "9m", melds="[555m,1]", options={"wildcard_meld": "forbidden"}) == "bad_meld"


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("first_wildcard_kept", {"first_wildcard_rule": "free"}),
        ("wildcard_not_shown", {"second_wildcard_rule": "none"}),
        ("wrong_count", {"wrong_count_dead_hand": False}),
    ],
)
def test_dead_hands(kind: str, options: dict[str, Any]) -> None:  # Z211, Z214, Z215
    assert reason(*PLAIN, (Incident(kind, 1),)) == "dead_hand"
    assert reason(*PLAIN, (Incident(kind, 2),)) is None
    assert reason(*PLAIN, (Incident(kind, 1),), options) is None


def test_dead_by_a_false_win_or_by_a_ruling() -> None:  # Z215, Z508, Z511
    assert reason(*PLAIN, (Incident("false_win", 1),)) == "dead_hand"
    assert reason(*PLAIN, (Incident("dead_hand", 1),)) == "dead_hand"
    assert reason(*PLAIN, (Incident("second_wildcard_hidden", 1),)) is None
    hidden = {"second_wildcard_rule": "show_held"}
    assert reason(*PLAIN, (Incident("second_wildcard_hidden", 1),), hidden) == "dead_hand"


# --- waits, card, options


def test_waits() -> None:
    rules = load("zhenjiang")
    here = situation(indicator=Tile.M4, incidents=(*thrown("mid"), Incident("wrong_count", 1)))
    waits = {wait.tile: wait for wait in rules.waits(here, win("123p456p67sEE99m5m", "1m", seat=1))}
    assert {Tile.S5, Tile.S8, Tile.EAST, Tile.M9, Tile.M5} <= set(waits)
    assert waits[Tile.S5].discard is not None
    assert dict(waits[Tile.S5].discard.fans) == {"放冲": 4, "半途打搭": 4}
    assert waits[Tile.S5].self_draw is not None
    assert dict(waits[Tile.S5].self_draw.fans) == {"有搭自摸": 3, "半途打搭": 4}
    assert waits[Tile.M5].discard is not None
    assert waits[Tile.M5].discard.reason == "not_complete"  # Z210: on a discard it is its own kind
    everything = rules.waits(situation(indicator=Tile.M4), win("123p456p678sEEE5m", "1m"))
    assert [wait.tile for wait in everything] == list(PLAYABLE)  # Z306
    assert rules.waits(situation(indicator=Tile.M4), win("1111p9m", "1m", melds="[222p,1][333p,1][444p,1]")) == ()
    assert rules.waits(situation(), win("123p456p678sEEE5m", "1m")) == ()


def test_the_card() -> None:  # Z401–Z403
    card = {entry.name: entry for entry in load("zhenjiang", {"bonus_chengda": 0, "ron_other": 3}).fan_table()}
    assert list(card)[:3] == ["放冲", "天胡", "跑搭脱搭"]
    assert "成搭" not in card
    assert "3" in card["放冲"].definition
    assert "3" in card["放冲"].definition_zh
    assert all(entry.definition and entry.definition_zh and entry.paragraph for entry in card.values())


def test_nonsense_in_options_is_told_at_once() -> None:
    with pytest.raises(RulesError) as told:
        load("zhenjiang", {"basis": 1, "base": 0, "stage": "final", "first_dealer": 4, "advance_second": "2"})
    problems = {problem.split(":")[0]: problem for problem in told.value.problems}
    assert set(problems) == {"basis", "base", "stage", "first_dealer", "advance_second"}
    assert "did you mean 'base'" in problems["basis"]
    assert "Z103" in problems["first_dealer"]
