"""Fans that a referee puts in place of those counted: score and payments follow from them by the formula of the rule
system, in all seven."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from test_rule_cases import all_cases

from tablectl.rules.api import Points, RuleSet, Settlement
from tablectl.rules.cases import Case
from tablectl.rules.registry import RULE_SETS, load

WON = [case for case in all_cases() if case.expect is not None and any(case.expect.legal) and case.situation.wins]


def amended(case: Case, fans: Mapping[int, Mapping[str, int]]) -> Settlement:
    return load(case.rules, case.options).settle(replace(case.situation, amended=fans))


@pytest.mark.parametrize("case", WON, ids=lambda case: case.id)
def test_the_same_fans_change_nothing(case: Case) -> None:
    rules = load(case.rules, case.options)
    found = rules.settle(case.situation)
    fans = {win.seat: verdict.fans for win, verdict in zip(case.situation.wins, found.verdicts, strict=True)}
    legal = {win.seat for win, verdict in zip(case.situation.wins, found.verdicts, strict=True) if verdict.legal}
    again = amended(case, {seat: fans[seat] for seat in legal})
    assert [(v.legal, v.reason, v.fans, v.score) for v in again.verdicts] == [
        (v.legal, v.reason, v.fans, v.score) for v in found.verdicts
    ]
    assert (again.payments, again.carry, again.off_board) == (found.payments, found.carry, found.off_board)


def test_every_system_is_there() -> None:
    assert {case.rules for case in WON} == RULE_SETS.keys()


def alone(rules: str, self_drawn: bool = True) -> tuple[RuleSet, Case]:
    """A case with one win and nothing else, and its rules; the dealer does not win."""
    for case in WON:
        here = case.situation
        plain = len(here.wins) == 1 and not (here.incidents or here.streak or here.stakes or case.options)
        if case.rules != rules or not plain or here.wins[0].seat == here.dealer:
            continue
        if (here.wins[0].source is None) == self_drawn:
            return load(rules), case
    raise LookupError(rules)


def self_drawn(rules: str, fans: Mapping[str, int]) -> tuple[Any, int, Points, int, int]:
    """The options; score and payments of a self-draw with these fans; who won, who deals."""
    rule_set, case = alone(rules)
    (win,) = case.situation.wins
    found = amended(case, {win.seat: fans})
    (verdict,) = found.verdicts
    assert (verdict.legal, dict(verdict.fans)) == (True, dict(fans))
    assert sum(found.payments) == 0
    return rule_set.options, verdict.score, found.payments, win.seat, case.situation.dealer


def test_competition_adds() -> None:  # J60
    _, score, paid, seat, _ = self_drawn("competition", {"清龙": 10, "花牌": 2})
    assert (score, paid[seat]) == (12, 36)


def test_mcr_adds_and_takes_the_base_from_each() -> None:  # T48
    options, score, paid, seat, _ = self_drawn("mcr", {"清一色": 24, "花牌": 3})
    assert (score, paid[seat]) == (27, 3 * (27 + options.base_points))


def test_tianjin_multiplies() -> None:  # T402: A × B
    options, score, paid, seat, dealer = self_drawn("tianjin", {"捉五": 3, "龙": 4, "素": 2, "杠开": 2})
    assert score == (3 + 4) * 2 * 2
    assert paid[next(other for other in range(4) if other not in (seat, dealer))] == -options.unit * score
    _, score, _, _, _ = self_drawn("tianjin", {"素": 2})
    assert score == options.diliu * 2  # T403: without an adding pattern 提溜 counts


def test_fuzhou_doubles_what_is_drawn() -> None:  # T410–T412
    options, score, paid, seat, _ = self_drawn("fuzhou", {"底分": 1, "花": 3, "金": 1})
    assert score == options.base * options.self_draw_factor * (1 + 3 + 1)
    assert paid[seat] == 3 * score
    _, score, _, _, _ = self_drawn("fuzhou", {"三金倒": 40, "花": 3})
    assert score == options.base * (40 + options.special_flower_factor * 3)


def test_fujian_weighs_by_the_kind_of_win() -> None:  # T403, T406
    options, score, paid, seat, dealer = self_drawn("fujian", {"自摸": 2, "花": 3, "金": 1})
    weight = options.full_weight_zimo if options.count == "full" or options.simple_weights else 1
    assert score == options.unit * (2 + weight * 4)
    assert paid[next(other for other in range(4) if other not in (seat, dealer))] == -score
    _, swims, _, _, _ = self_drawn("fujian", {"游金": 8, "花": 3, "金": 1})
    weight = options.full_weight_youjin if options.count == "full" or options.simple_weights else 1
    assert swims == options.unit * (8 + weight * 4)


def test_zhenjiang_adds_units() -> None:  # Z402, Z403
    options, score, paid, seat, _ = self_drawn("zhenjiang", {"脱搭自摸": 3, "首搭": 2})
    assert score == options.base * 5
    assert paid[seat] == 3 * score


def test_zhenjiang_others_pay_their_own_base_item_on_a_discard() -> None:  # Z401
    rules, case = alone("zhenjiang", self_drawn=False)
    options: Any = rules.options
    (win,) = case.situation.wins
    found = amended(case, {win.seat: {"放冲": 4, "首搭": 2}})
    assert found.verdicts[0].score == options.base * 6
    others = [seat for seat in range(4) if seat not in (win.seat, win.source)]
    assert [found.payments[seat] for seat in others] == [-options.base * (options.ron_other + 2)] * 2


def test_beijing_doubles_by_fans() -> None:  # T30, T31
    options, score, _, _, _ = self_drawn("beijing", {"清一色": 2, "门清": 1})
    assert score == options.base_value * 2**3
    _, score, _, _, _ = self_drawn("beijing", {"清一色": 9})
    assert score == options.base_value * 2**options.limit_fan


@pytest.mark.parametrize("rules", sorted(RULE_SETS))
def test_what_the_referee_put_stands(rules: str) -> None:
    for case in (case for case in WON if case.rules == rules):
        verdicts = load(rules, case.options).settle(case.situation).verdicts
        for win, verdict in zip(case.situation.wins, verdicts, strict=True):
            if verdict.legal and verdict.fans:
                fans = {name: value + 1 for name, value in verdict.fans.items()}
                again = dict(zip(case.situation.wins, amended(case, {win.seat: fans}).verdicts, strict=True))[win]
                assert (again.legal, again.fans) == (True, fans), case.id
