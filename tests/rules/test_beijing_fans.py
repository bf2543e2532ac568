"""北京麻将: shapes, fans, readings and their proof (T22–T38)."""

from __future__ import annotations

import pytest
from rule_hands import situation, win

from tablectl.rules.api import FanProof, Incident, Verdict, Win
from tablectl.rules.beijing.fans import FANS
from tablectl.rules.beijing.options import FAN_VALUES
from tablectl.rules.registry import load


def judged(hand: Win, dealer: int = 0, **options: object) -> Verdict:
    return load("beijing", options).settle(situation(hand, dealer=dealer)).verdicts[0]


def fan_of(verdict: Verdict, name: str) -> FanProof:
    return next(fan for fan in verdict.proof if fan.name == name)


PURE_STRAIGHT = win("1112345556789s", "5s", source=2)


@pytest.mark.parametrize(("fans", "value"), [(0, 500), (1, 1000), (2, 2000), (3, 4000), (4, 8000), (6, 8000)])
def test_each_fan_doubles_up_to_the_limit(fans: int, value: int) -> None:  # T30, T31
    found = judged(win("345m111p56789sEE", "7s", source=2), fan_values={"门清": fans})
    assert found.score == value
    assert dict(found.fans) == ({"门清": fans} if fans else {})


def test_opening_the_hand_halves_it() -> None:  # T31
    concealed = judged(win("678m99m345s234p78p", "6p", source=2))
    open_hand = judged(win("678m99m345s78p", "6p", melds="[234p,1]", source=2))
    assert (concealed.score, open_hand.score) == (1000, 500)


def test_no_minimum() -> None:  # T23
    found = judged(win("678m99m345s78p", "6p", melds="[234p,1]", source=2))
    assert (found.legal, dict(found.fans), found.score) == (True, {}, 500)


def test_the_proof_names_the_sets_and_what_is_beyond_the_limit() -> None:  # T30, T32
    found = judged(PURE_STRAIGHT)
    assert list(found.fans) == ["门清", "一条龙", "清一色"]
    assert fan_of(found, "一条龙").sets == ("123s", "456s", "789s")
    assert fan_of(found, "一条龙").paragraph == "T29"
    assert fan_of(found, "满贯").refused == "2 of 6 fans are beyond 4 (T30)"
    assert "123s" in found.reading


def test_the_proof_says_why_the_hand_is_not_counted_as_concealed() -> None:  # T29, T34
    pairs = judged(win("1133m5588p2277sE", "E", source=2))
    assert fan_of(pairs, "门清").refused == "part of 七小对 (T34)"
    heavenly = judged(win("345m678p23499sPP", "P", how=["heavenly"]))
    assert fan_of(heavenly, "门清").refused == "part of 天和 (T29)"


def test_the_proof_says_why_there_is_no_middle_five() -> None:  # T33
    found = judged(win("34m11123p789sEEE", "5m", source=2))
    assert fan_of(found, "捉五魁").refused == "5m lies in 345m, not in the middle of 456m (T33)"


@pytest.mark.parametrize(
    ("hand", "name", "paragraph"),
    [
        (win("345m111p56789sEE", "7s", seat=1, how=["heavenly"]), "天和", "T27"),
        (win("345m678p23499sPP", "P", how=["earthly"]), "地和", "T27"),
        (win("123567m7899p345s", "6p", seat=3, source=1, how=["human"]), "人和", "T27"),
        (win("123567m7899p345s", "6p", seat=3, how=["human"]), "人和", "T27"),
        (win("345m111p56789sEE", "7s", how=["kong_replacement"]), "杠上开花", "T35"),
        (win("123456m88s34p", "5p", melds="[7777s]", source=1, how=["kong_replacement"]), "杠上开花", "T35"),
    ],
)
def test_words_that_do_not_fit_mean_nothing(hand: Win, name: str, paragraph: str) -> None:  # T27, T35
    found = judged(hand)
    assert found.legal
    assert name not in found.fans
    assert paragraph in fan_of(found, name).refused


def test_first_turn_wins_need_that_nobody_declared_a_kong() -> None:  # T27
    hand = win("888m234567p1145s", "6s", seat=2, how=["earthly"])
    assert "地和" in judged(hand).fans
    kong = Incident("exposed_kong", 3, 1)
    assert "地和" not in load("beijing").settle(situation(hand, incidents=[kong])).verdicts[0].fans


def test_words_of_other_rule_systems_mean_nothing() -> None:  # T35
    plain = judged(win("345m111p56789sEE", "7s"))
    for word in ("flower_replacement", "last_of_kind", "ready"):
        assert judged(win("345m111p56789sEE", "7s", how=[word])).fans == plain.fans


@pytest.mark.parametrize("tile", ["1m", "9s", "E", "F"])
def test_thirteen_orphans_are_an_option(tile: str) -> None:  # T22, T29
    hand = win("19m19p19sESWNCFP", tile, source=2)
    assert judged(hand).reason == "not_complete"
    found = judged(hand, thirteen_orphans=True)
    assert dict(found.fans) == {"十三幺": 4}
    assert fan_of(found, "门清").refused == "part of 十三幺 (T34)"


def test_shapes_of_other_rule_systems_are_no_hand() -> None:  # T22
    assert judged(win("147m258p369sESWN", "C", source=2)).reason == "not_complete"  # scattered
    assert judged(win("147m258p36s11123s", "9s", source=2)).reason == "not_complete"  # knitted


@pytest.mark.parametrize(
    ("hand", "reason"),
    [
        (win("678m99m345s7p", "6p", melds="[234p,1]", source=2), "wrong_count"),
        (win("345m111p56789sEEE", "7s"), "wrong_count"),
        (win("345m111p56789sEa", "7s"), "not_complete"),
        (win("345m111p56789sEE", "a"), "not_complete"),
        (win("345m111p56789sEE", "7s", flowers="b"), "not_complete"),  # T1
        (win("55p678m345s22s", "5p", melds="[555p,1]", source=2), "not_complete"),
    ],
)
def test_impossible_hands_are_refused(hand: Win, reason: str) -> None:  # T28
    found = judged(hand)
    assert (found.legal, found.reason, dict(found.fans), found.score) == (False, reason, {}, 0)


def test_the_smallest_count_takes_any_tile_as_the_winning_one() -> None:  # T38
    hand = win("46m111p789s234sNN", "5m")
    found = judged(hand, lowest_reading=True)
    assert dict(found.fans) == {"门清": 1}
    assert "in 456m" not in found.reading  # no tile is the winning one
    lost = judged(
        win("123456m88s34p", "5p", melds="[7777s]", how=["kong_replacement", "last_tile"]), lowest_reading=True
    )
    assert dict(lost.fans) == {"门清": 1}
    assert fan_of(lost, "海底捞月").refused == "the winning tile is not known in the smallest count (T38)"
    assert fan_of(lost, "杠上开花").refused == fan_of(lost, "海底捞月").refused


def test_the_smallest_count_after_the_table_saw_the_tile_mixed_in() -> None:  # T25, T38
    rules = load("beijing")
    mixed_in = [Incident("inserted", 0)]
    drawn = rules.settle(situation(win("46m111p789s234sNN", "5m"), incidents=mixed_in)).verdicts[0]
    taken = rules.settle(situation(win("46m111p789s234sNN", "5m", source=2), incidents=mixed_in)).verdicts[0]
    assert "捉五魁" not in drawn.fans
    assert "捉五魁" in taken.fans  # a tile taken from the table is known


@pytest.mark.parametrize(
    ("standing", "tiles"), [("4556m123p789sEEE", ["5m"]), ("23456m123p99sEEE", ["1m", "4m", "7m"])]
)
def test_waits_with_what_they_bring(standing: str, tiles: list[str]) -> None:  # T29, T41
    rules = load("beijing")
    found = rules.waits(situation(dealer=0), win(standing, "E", seat=1))
    assert [wait.tile.code for wait in found] == tiles
    for wait in found:
        for verdict, source in ((wait.discard, 0), (wait.self_draw, None)):
            settled = rules.settle(situation(win(standing, wait.tile.code, seat=1, source=source))).verdicts[0]
            assert verdict is not None
            assert (verdict.fans, verdict.score) == (settled.fans, settled.score)


def test_a_kind_held_four_times_is_no_wait() -> None:  # T28
    rules = load("beijing")
    assert rules.waits(situation(), win("5m", "E", melds="[555m,1][123s,1][EEE,1][789p,1]")) == ()


def test_no_waits_where_the_hand_has_not_thirteen_tiles() -> None:
    rules = load("beijing")
    assert rules.waits(situation(), win("12m", "E")) == ()
    assert rules.waits(situation(), win("12m5555p789sEE2sa", "E")) == ()


def test_the_card_holds_what_counts_in_both_languages() -> None:  # T29, T37
    card = load("beijing").fan_table()
    assert [entry.name for entry in card] == [name for name, value in FAN_VALUES.items() if value and name != "十三幺"]
    assert all(entry.definition and entry.definition_zh and entry.paragraph == "T29" for entry in card)
    more = load("beijing", {"fan_values": {"自摸": 1, "人和": 0}, "thirteen_orphans": True}).fan_table()
    assert {entry.name: entry.value for entry in more}["自摸"] == 1
    assert "十三幺" in [entry.name for entry in more]
    assert "人和" not in [entry.name for entry in more]


def test_the_table_of_fans_and_that_of_values_are_in_one_order() -> None:  # T32
    assert [fan.name for fan in FANS] == list(FAN_VALUES)
