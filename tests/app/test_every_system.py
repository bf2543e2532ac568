"""Everything on, as `tablectl sim --fast` plays it: in each rule system the record is what really happened."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tablectl.app import shipped
from tablectl.core.simulation import play, play_all
from tablectl.core.site import Site, load_site
from tablectl.rules.registry import RULE_SETS, load

HANDS = 2


def site(rules: str, noise: str = "clean") -> Site:
    found = load_site(shipped("config", "sim.yaml"))
    settings = found.settings
    sim = settings.sim.model_copy(update={"noise": noise})
    section = settings.rules.model_copy(update={"id": rules, "options": {}})
    return replace(found, settings=settings.model_copy(update={"sim": sim, "rules": section}), rules=load(rules))


@pytest.mark.parametrize("rules", sorted(RULE_SETS))
def test_the_record_is_what_happened(rules: str) -> None:
    match = play(site(rules), seed=3, hands=HANDS)
    assert (match.wrong, match.alerts, match.hands) == ([], 0, HANDS)


def test_a_person_says_which_tile_the_indicator_is_where_the_table_asks() -> None:
    """A lane missed a tile, and the table took the wrong one of two for the indicator: and the win would be none."""
    match = play(site("tianjin", "hard"), seed=1, hands=1)
    assert match.wrong == ["hand 1: alert too many: wall_mismatch, seat None"]
    assert match.scores == (-4, 24, -4, -16)


def test_a_match_whose_time_runs_out_between_two_hands_is_over() -> None:
    """The walls of the next hand stand already: they are those of another match (Z603)."""
    rules = load("zhenjiang", {"match_minutes": 2, "warn_minutes_left": None})
    match = play(replace(site("zhenjiang"), rules=rules), seed=2)
    assert (match.hands, match.over, match.wrong) == (1, "time", [])
    assert sum(match.scores) == 200


def test_matches_side_by_side_are_those_played_alone() -> None:
    together = list(play_all(site("zhenjiang"), (3, 4), hands=1, limit_s=1e6))
    alone = play(site("zhenjiang"), seed=3, hands=1)
    assert [match.seed for match in together] == [3, 4]
    assert replace(together[0], cpu_s=0.0) == replace(alone, cpu_s=0.0)


def test_a_match_that_does_not_end_is_told_among_the_others() -> None:
    [match] = play_all(site("beijing"), (1,), limit_s=5.0)
    assert (match.seed, match.hands) == (1, 0)
    assert match.wrong[0].startswith("the match does not end: ")
