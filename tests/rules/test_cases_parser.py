"""Case documents: the worked cases are read whole, bad input is told whole, with its places."""

from __future__ import annotations

import json
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

import pytest
import yaml
from case_writing import to_document
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict

from tablectl.documents import DocumentError
from tablectl.rules.api import How, RuleSet
from tablectl.rules.cases import Case, parse_cases
from tablectl.tiles.meld import Meld, MeldKind
from tablectl.tiles.notation import parse_tiles
from tablectl.tiles.tile import Tile

FILES = sorted((Path(__file__).parent.parent / "cases").glob("*.yaml"))

WHOLE = """\
id: mcr-001
rules: mcr
options: {}
dealer: 2
prevalent: S
streak: 1
points: [500, 510, 490, 500]
indicator: null
stakes: {}
events:
  - {kind: exposed_kong, seat: 1, from: 2}
  - {kind: exposure, seat: 3, from: null, tiles: "45m", points: 3, count: 2}
wins:
  - seat: 0
    concealed: "123m456m789m1p"
    melds: "[777s,2]"
    flowers: "ab"
    tile: 1p
    from: null
    how: [last_tile, kong_replacement]
expect:
  legal: true
  reason: null
  fans: {平和: 2}
  score: 10
  payments: [30, -10, -10, -10]
why: "one line"
"""


def one(text: str) -> Case:
    (case,) = parse_cases(text, "hand.yaml")
    return case


def changed(**keys: Any) -> str:
    """A sound case with other keys, as JSON."""
    win = {"seat": 1, "concealed": "123456789m1123p", "tile": "4p", "from": 2}
    return json.dumps({"rules": "mcr", "points": [0, 0, 0, 0], "wins": [win], **keys})


def with_win(**keys: Any) -> str:
    return changed(wins=[{"seat": 1, "concealed": "123456789m1123p", "tile": "4p", "from": 2, **keys}])


def problems(text: str, rule_sets: dict[str, type[RuleSet]] | None = None) -> list[str]:
    with pytest.raises(DocumentError) as caught:
        parse_cases(text, "hand.yaml", rule_sets)
    assert str(caught.value) == "\n".join(map(str, caught.value.problems))
    return [str(problem) for problem in caught.value.problems]


# --- reading


def test_there_are_cases_for_all_seven_rule_systems() -> None:
    assert [path.stem for path in FILES] == [
        "beijing",
        "competition",
        "fujian",
        "fuzhou",
        "mcr",
        "tianjin",
        "zhenjiang",
    ]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_worked_case_is_read_with_all_it_says(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    cases = parse_cases(text, path.name)
    written = yaml.safe_load(text)
    assert len(cases) == len(written) > 50
    for case, original in zip(cases, written, strict=True):
        document = to_document(case)
        for win, original_win in zip(document["wins"], original["wins"], strict=True):
            assert parse_tiles(win.pop("concealed")) == parse_tiles(original_win.pop("concealed"))
            assert win.pop("melds") == original_win.pop("melds").replace(" ", "")
            assert win.pop("how") == sorted(original_win.pop("how"))
        assert document == original


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_written_case_is_read_again_as_the_same(path: Path) -> None:
    cases = parse_cases(path.read_text(encoding="utf-8"), path.name)
    documents = [to_document(case) for case in cases]
    assert parse_cases(json.dumps(documents), "cases.json") == cases
    assert parse_cases(yaml.safe_dump(documents, allow_unicode=True, sort_keys=False), "cases.yaml") == cases


def test_a_whole_case() -> None:
    case = one(WHOLE)
    assert (case.id, case.rules, case.options, case.why) == ("mcr-001", "mcr", {}, "one line")
    situation = case.situation
    assert (situation.dealer, situation.prevalent, situation.streak) == (2, Tile.SOUTH, 1)
    assert (situation.points, situation.indicator, situation.stakes) == ((500, 510, 490, 500), None, {})
    kong, exposure = situation.incidents
    assert (kong.kind, kong.seat, kong.source, kong.extra) == ("exposed_kong", 1, 2, {})
    assert (exposure.source, exposure.extra) == (None, {"tiles": (Tile.M4, Tile.M5), "points": 3, "count": 2})
    (win,) = situation.wins
    assert (win.seat, win.tile, win.source) == (0, Tile.P1, None)
    assert win.concealed == parse_tiles("123456789m1p")
    assert win.melds == (Meld(MeldKind.PUNG, (Tile.S7,) * 3, 2),)
    assert win.flowers == (Tile.PLUM, Tile.ORCHID)
    assert win.how == {How.LAST_TILE, How.KONG_REPLACEMENT}
    assert case.expect is not None
    assert (case.expect.legal, case.expect.reason, case.expect.score) == ((True,), (None,), (10,))
    assert (case.expect.fans, case.expect.payments) == (({"平和": 2},), (30, -10, -10, -10))


def test_what_may_be_left_out() -> None:
    case = one(changed())
    assert (case.id, case.expect, case.options, case.why) == ("1", None, {}, "")
    assert (case.situation.dealer, case.situation.prevalent, case.situation.incidents) == (0, Tile.EAST, ())
    assert (case.situation.wins[0].melds, case.situation.wins[0].how) == ((), frozenset())


def test_json_indented_with_tabs_is_read() -> None:
    text = json.dumps(json.loads(changed()), indent="\t")
    assert one(text) == one(changed())


def test_seats_of_pull_may_be_text_as_json_needs() -> None:
    stakes = {"sit": True, "pull": {"1": 0, "3": 2}}
    assert one(changed(stakes=stakes)).situation.stakes == {"sit": True, "pull": {1: 0, 3: 2}}


def test_what_earlier_hands_left_open_is_kept() -> None:
    case = one(changed(carry={"pot": 2000}))
    assert case.situation.carry == {"pot": 2000}
    assert one(json.dumps(to_document(case))) == case


def test_a_drawn_hand_and_several_winners() -> None:
    expect = {"legal": True, "reason": None, "fans": {}, "score": 0, "payments": [0, 0, 0, 0]}
    drawn = one(changed(wins=[], expect=expect))
    assert drawn.situation.wins == ()
    assert drawn.expect is not None
    assert drawn.expect.legal == (True,)

    win = {"seat": 1, "concealed": "123456789m1123p", "tile": "4p", "from": 2}
    both = {"legal": [True, False], "reason": [None, "not_first"], "fans": [{"花龙": 8}, {}], "score": [8, 0]}
    two = one(changed(wins=[win, {**win, "seat": 3}], expect={**both, "payments": [0, 24, -24, 0]}))
    assert two.expect is not None
    assert two.expect.reason == (None, "not_first")
    assert to_document(two)["expect"]["score"] == [8, 0]


def test_no_and_on_are_text() -> None:
    assert one("{rules: no, points: [0, 0, 0, 0], wins: [], why: on}").rules == "no"


def test_an_empty_list_has_no_cases() -> None:
    assert parse_cases("[]", "none.yaml") == ()


# --- bad input


def test_all_errors_at_once_each_with_its_place() -> None:
    text = WHOLE.replace("dealer: 2", "dealre: 2").replace("seat: 0\n", "seat: 4\n")
    text = text.replace("points: [500, 510, 490, 500]", "points: [500, 510, 490]")
    text = text.replace("[777s,2]", "[777s2").replace("last_tile,", "lost_tile,")
    assert problems(text) == [
        "hand.yaml:4:1: mcr-001: dealre: unknown key; did you mean 'dealer'?",
        "hand.yaml:7:9: mcr-001: points: found 3 values, expected four whole numbers, for seats 0, 1, 2 and 3",
        "hand.yaml:14:11: mcr-001: wins[0].seat: found 4, expected a seat: 0, 1, 2 or 3",
        "hand.yaml:16:12: mcr-001: wins[0].melds: '[777s2', character 7: found the end, expected ] for the [ at "
        "character 1",
        "hand.yaml:20:11: mcr-001: wins[0].how[0]: found 'lost_tile', expected 'kong_replacement', "
        "'flower_replacement', 'robbing_kong', 'last_tile', 'last_of_kind', 'heavenly', 'earthly', 'human' or 'ready'; "
        "did you mean 'last_tile'?",
    ]


def test_errors_of_every_case_of_a_list() -> None:
    text = "- {rules: mcr, points: [1, 2, 3, x], wins: []}\n- {rules: mcr, wins: []}\n- 5\n"
    assert problems(text) == [
        "hand.yaml:1:24: 1: points: found a list, expected four whole numbers, for seats 0, 1, 2 and 3",
        "hand.yaml:2:3: 2: points: this key is missing",
        "hand.yaml:3:3: 3: found 5, expected a mapping (key: value)",
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (changed(rules=5), "rules: found 5, expected text"),
        (changed(id=[1]), "id: found a list, expected text"),
        (changed(dealer=True), "dealer: found true, expected a seat: 0, 1, 2 or 3"),
        (changed(dealer="1"), "dealer: found '1', expected a seat: 0, 1, 2 or 3"),
        (changed(streak=-1), "streak: found -1, expected greater than or equal to 0"),
        (changed(streak=1.5), "streak: found 1.5, expected a whole number"),
        (changed(prevalent="C"), "prevalent: found 'C', expected a wind: E, S, W or N"),
        (changed(prevalent=3), "prevalent: found 3, expected a wind: E, S, W or N"),
        (changed(points={}), "points: found a mapping, expected four whole numbers"),
        (changed(points=[0, 0, 0, False]), "points: found a list, expected four whole numbers"),
        (changed(indicator="10m"), "indicator: '10m', character 2: found '0', expected m, p or s after 1"),
        (changed(stakes={"sits": True}), "stakes.sits: unknown key; did you mean 'sit'?"),
        (changed(stakes={"pull": {"1": 3}}), "stakes.pull[1]: found 3, expected times pulled: 0, 1 or 2"),
        (changed(stakes={"pull": {"7": 1}}), "found '7', expected a seat: 0, 1, 2 or 3"),
        (changed(events=[{"kind": "chase"}]), "events[0].seat: this key is missing"),
        (changed(events=[{"knid": "chase", "seat": 1}]), "events[0].knid: unknown key; did you mean 'kind'?"),
        (changed(events=[{"kind": "e", "seat": 1, "tiles": "5"}]), "events[0].tiles: '5', character 2: found the end"),
        (changed(events=[{"kind": "e", "seat": 1, "count": "2"}]), "events[0].count: found '2', expected a whole num"),
        (changed(events={"kind": "e"}), "events: found a mapping, expected a list"),
        (changed(wins={}), "wins: found a mapping, expected a list"),
        (with_win(form=3), "wins[0].form: unknown key; did you mean 'from'?"),
        (with_win(**{"from": 4}), "wins[0].from: found 4, expected a seat: 0, 1, 2 or 3"),
        (with_win(**{"from": 1}), "wins[0].from: seat 1 is the winner; expected another seat, or null if self-drawn"),
        (with_win(tile=None), "wins[0].tile: '', character 1: found the end, expected a tile"),
        (with_win(tile="45p"), "wins[0].tile: '45p', character 4: found the end, expected one tile only, not 2"),
        (with_win(concealed=123), "wins[0].concealed: found 123, expected tiles, e.g."),
        (with_win(concealed="123x"), "wins[0].concealed: '123x', character 4: found 'x', expected m, p or s after 123"),
        (with_win(concealed="1114p", melds="[444p,1]"), "wins[0].concealed: 4p stands 5 times in this hand"),
        (with_win(flowers="aa"), "wins[0].concealed: a stands 2 times in this hand; a set has 1"),
        (with_win(flowers="5m"), "wins[0].flowers: found 5m, expected flowers a–h only"),
        (with_win(melds="[222s,5]"), "wins[0].melds: '[222s,5]', character 7: found '5', expected one of 1 2 3"),
        (with_win(melds="[22s,1]"), "wins[0].melds: '[22s,1]', character 2: found '2', expected three tiles, or four"),
        (with_win(how="ready"), "wins[0].how: found 'ready', expected a list"),
        (changed(expect={"legal": True}), "expect.payments: this key is missing"),
        (changed(expect={"legal": 1}), "expect.legal[0]: found 1, "),
        (changed(carry={"pot": "much"}), "carry.pot: found 'much', expected a whole number"),
    ],
)
def test_bad_values_are_told_with_key_and_expectation(text: str, said: str) -> None:
    found = problems(text)
    assert any(said in line for line in found), found
    assert all(line.startswith("hand.yaml:1:") for line in found)


def test_a_result_for_each_declared_win() -> None:
    expect = {"legal": [True, True], "reason": None, "fans": {}, "score": 0, "payments": [0, 0, 0, 0]}
    (line,) = problems(changed(expect=expect))
    assert line.endswith("expect.legal: 2 entries, expected 1: one for each declared win, one for a draw")


def test_one_win_for_each_seat() -> None:
    win = {"seat": 1, "concealed": "123456789m1123p", "tile": "4p", "from": 2}
    (line,) = problems(changed(wins=[win, win]))
    assert line.endswith("wins[1].seat: seat 1 declares two wins; expected one for each seat")


def test_two_cases_of_one_id() -> None:
    case = "{id: a, rules: mcr, points: [0, 0, 0, 0], wins: []}"
    assert problems(f"- {case}\n- {case}\n") == ["hand.yaml:2:8: a: this id stands twice, first in line 1"]


# What a specification has a reason of refusal for is read: tianjin T310, zhenjiang Z314, beijing T28, fujian T310.
@pytest.mark.parametrize("rules", ["beijing", "fujian", "fuzhou", "tianjin", "zhenjiang"])
def test_impossible_hands_are_read_where_the_rules_refuse_them(rules: str) -> None:
    win = {
        "seat": 1,
        "concealed": "11111m",
        "melds": "[222s,5][2223p][aaa,1]",
        "tile": "1m",
        "from": 1,
        "flowers": "5m",
    }
    case = one(changed(rules=rules, wins=[win]))
    assert [meld.kind for meld in case.situation.wins[0].melds] == [MeldKind.PUNG, MeldKind.CHOW, MeldKind.PUNG]
    assert case.situation.wins[0].melds[0].source == 5
    assert one(json.dumps(to_document(case))) == case


def test_false_runs_and_wrong_counts_are_for_the_rules() -> None:  # beijing T28, fujian T102, competition J90
    case = one(with_win(concealed="12m", melds="[235p,1][ESW,1]"))
    assert [meld.kind for meld in case.situation.wins[0].melds] == [MeldKind.CHOW, MeldKind.CHOW]


# --- against the rule systems


class Options(BaseModel):
    model_config = ConfigDict(extra="forbid")
    minimum: int = 8
    winners: Literal["all", "first"] = "all"


class Rules(RuleSet):  # type: ignore[misc]
    id = "mcr"
    Options = Options
    incident_kinds = frozenset({"false_win", "exposed_kong"})


RULES = {"mcr": Rules, "tianjin": Rules}


def test_options_events_and_rule_system_are_checked_where_known() -> None:
    text = """\
- {rules: mcr, points: [0, 0, 0, 0], wins: [], options: {minimmu: 1, winners: some}, events: [{kind: flase_win}]}
- {rules: tianjn, points: [0, 0, 0, 0], wins: []}
- {rules: mcr, points: [0, 0, 0, 0], wins: [], options: {minimum: 6}, events: [{kind: false_win, seat: 1}]}
"""
    assert problems(text, RULES) == [
        "hand.yaml:1:58: 1: options: minimmu: unknown key; did you mean 'minimum'?",
        "hand.yaml:1:79: 1: options: winners: found 'some', expected 'all' or 'first'",
        "hand.yaml:1:95: 1: events[0].seat: this key is missing",
        "hand.yaml:1:102: 1: events[0].kind: found 'flase_win', expected an event of mcr: exposed_kong, false_win; did "
        "you mean 'false_win'?",
        "hand.yaml:2:11: 2: rules: found 'tianjn', expected one of mcr, tianjin; did you mean 'tianjin'?",
    ]


def test_a_sound_case_passes_against_the_rule_systems() -> None:
    text = changed(options={"minimum": 6}, events=[{"kind": "false_win", "seat": 1, "points": 8}])
    (case,) = parse_cases(text, "hand.yaml", MappingProxyType(RULES))
    assert case.options == {"minimum": 6}


# --- any text


@settings(max_examples=150)
@given(st.text(max_size=60) | st.text(alphabet='{}[]:,-" \n\tabrules&*!|>0123', max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        parse_cases(text, "any.yaml")
    except DocumentError as error:
        assert error.problems  # noqa: PT017


KEYS = ["id", "rules", "options", "dealer", "prevalent", "streak", "points", "indicator", "stakes", "events", "wins"]
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from([*KEYS, "x"]), inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=150)
@given(st.dictionaries(st.sampled_from([*KEYS, "expect", "why", "carry"]), values))
def test_any_document_is_read_or_refused(document: dict[str, Any]) -> None:
    try:
        parse_cases(json.dumps(document), "any.json", RULES)
    except DocumentError as error:
        assert all(problem.line == 1 for problem in error.problems)  # noqa: PT017
