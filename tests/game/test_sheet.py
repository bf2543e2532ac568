"""The result sheet (J107, J108; mcr T54): signs, what was won and lost, sums, seats that change, rulings."""

from __future__ import annotations

from dataclasses import replace

import pytest
from game_script import Script
from game_truths import load as load_truth
from game_truths import play
from whole_match import NAMES, play_match

from tablectl.game import actions as act
from tablectl.game import events as ev
from tablectl.game.sheet import sheets
from tablectl.game.sheet_model import Head, Sheet
from tablectl.game.table import Table
from tablectl.rules.api import NO_POINTS, Points, RuleSet
from tablectl.rules.registry import RULE_SETS, load
from tablectl.tiles.tile import Tile

RULES = load("competition")


def started(names: tuple[str, str, str, str] = NAMES, scores: Points = (100, 100, 100, 100)) -> ev.MatchStarted:
    return ev.MatchStarted(rules="competition", names=names, scores=scores)


def hand(
    number: int, before: Points, *events: ev.Event, dealer: int = 0, streak: int = 0, carry: int = 0
) -> list[ev.Event]:
    """A hand by its account: what is paid in ``events`` makes its change."""
    deltas, off = list(NO_POINTS), list(NO_POINTS)
    for event in events:
        if isinstance(event, (ev.HandWon, ev.HandDrawn, ev.PointsPaid)):
            deltas = [a + b for a, b in zip(deltas, event.deltas, strict=True)]
            if isinstance(event, ev.PointsPaid) and event.off_board:
                off = [a + b for a, b in zip(off, event.off_board, strict=True)]
    a, b, c, d = (x + y for x, y in zip(before, deltas, strict=True))
    opened = ev.HandOpened(
        hand=number, rules="competition", dealer=dealer, bakaze=Tile.EAST, streak=streak, scores=before
    )
    end = ev.HandEnded(
        scores=(a, b, c, d),
        deltas=(deltas[0], deltas[1], deltas[2], deltas[3]),
        off_board=(off[0], off[1], off[2], off[3]) if any(off) else None,
        carry={"pot": carry} if carry else {},
    )
    return [opened, *events, end]


def won(actor: int, target: int, deltas: Points, **fans: int) -> ev.HandWon:
    return ev.HandWon(actor=actor, target=target, pai=Tile.M9, fans=fans or {"清龙": 10}, score=10, deltas=deltas)


def one(events: list[ev.Event], rules: RuleSet = RULES) -> Sheet:
    (sheet,) = sheets(events, rules)
    return sheet


EVEN = (100, 100, 100, 100)
DRAWN = ev.HandDrawn(reason="exhausted", deltas=NO_POINTS)


# --- signs (J108)


def test_signs_of_a_win_on_a_discard() -> None:
    sheet = one([started(), *hand(1, EVEN, won(1, 2, (0, 20, -20, 0)))])
    assert [cell.signs for cell in sheet.columns[0].cells] == ["▲", "", "−", ""]
    assert [(cell.won, cell.lost) for cell in sheet.columns[0].cells] == [(0, 0), (20, 0), (0, 20), (0, 0)]
    assert sheet.columns[0].cells[1].fans == {"清龙": 10}
    assert sheet.columns[0].cells[0].score is None


def test_signs_of_a_self_draw_by_the_dealer_and_of_a_draw() -> None:
    sheet = one(
        [started(), *hand(1, EVEN, won(0, 0, (30, -10, -10, -10))), *hand(2, (130, 90, 90, 90), DRAWN, streak=1)]
    )
    assert sheet.columns[0].cells[0].signs == "▲+"
    assert [cell.signs for cell in sheet.columns[1].cells] == ["▲○", "○", "○", "○"]
    assert (sheet.columns[0].doubled, sheet.columns[1].doubled) == (False, True)  # 倍打, J60
    assert sheet.columns[1].lines == ()


def test_no_double_play_where_the_rules_know_none() -> None:
    sheet = one([started(), *hand(1, EVEN, DRAWN, streak=2)], load("fuzhou"))
    assert not sheet.columns[0].doubled


def test_several_winners_and_the_discarder() -> None:
    wins = (won(1, 0, (-20, 20, 0, 0)), won(3, 0, (-12, 0, 0, 12)))
    sheet = one([started(), *hand(1, EVEN, *wins)])
    assert [cell.signs for cell in sheet.columns[0].cells] == ["▲−", "", "", ""]
    assert sheet.columns[0].cells[0].lost == 32
    assert [(line.actor, line.target) for line in sheet.columns[0].lines] == [(1, 0), (3, 0)]


def declared(actor: int, *, legal: bool, reason: str | None) -> ev.WinDeclared:
    return ev.WinDeclared(
        actor=actor,
        target=actor,
        pai=Tile.M9,
        hand="",
        melds="",
        flowers="",
        how=(),
        legal=legal,
        reason=reason,
        fans={},
        score=0,
        payments=NO_POINTS,
    )


@pytest.mark.parametrize(
    ("legal", "reason", "sign"),
    [(False, "not_a_hand", "✓"), (False, "losing_finish", ""), (False, "not_first", ""), (True, None, "")],
)
def test_a_false_win_is_marked_and_a_harmless_one_is_not(legal: bool, reason: str | None, sign: str) -> None:
    fell = (declared(2, legal=legal, reason=reason), ev.WinWithdrawn(actor=2, reason=reason or "refused"))
    sheet = one([started(), *hand(1, EVEN, *fell, DRAWN)])
    assert sheet.columns[0].cells[2].signs == "○" + sign


def test_a_warning_and_a_penalty() -> None:
    warning = ev.Ruled(do="warning", by="referee Wu", seat=3, reason="late")
    penalty = ev.Ruled(do="penalty", by="referee Wu", seat=1, points=5, to="nobody", reason="wrong count")
    paid = ev.PointsPaid(reason="penalty", deltas=NO_POINTS, off_board=(0, -5, 0, 0))
    sheet = one([started(), *hand(1, EVEN, warning, penalty, paid, DRAWN)])
    column = sheet.columns[0]
    assert column.cells[3].signs == "○×"
    assert (column.cells[1].off_board, column.off_board) == (-5, (0, -5, 0, 0))
    assert [(line.kind, line.off_board) for line in column.lines] == [("penalty", (0, -5, 0, 0))]
    assert [(note.do, note.row, note.points) for note in sheet.notes] == [("warning", 3, None), ("penalty", 1, 5)]
    assert [player.total for player in sheet.players] == [100, 95, 100, 100]
    assert [player.rank for player in sheet.players] == [1, 4, 1, 1]


# --- accounts


def test_event_payments_have_a_line_each() -> None:
    kong = ev.PointsPaid(reason="exposed_kong", deltas=(4, -4, 0, 0), actor=0, target=1)
    sheet = one([started(), *hand(1, EVEN, kong, won(1, 0, (-20, 20, 0, 0)))])
    column = sheet.columns[0]
    assert [(line.kind, line.reason) for line in column.lines] == [("event", "exposed_kong"), ("win", "win")]
    assert (column.cells[0].won, column.cells[0].lost) == (4, 20)
    assert column.deltas == (-16, 16, 0, 0)
    assert sheet.wrong == []


def test_a_sum_that_is_not_right_is_found() -> None:
    events = [started(), *hand(1, EVEN, won(1, 2, (0, 20, -19, 0)))]
    assert one(events).wrong == ["hand 1: the changes sum to 1, to the pot 0"]
    events = [started(), *hand(1, EVEN, won(1, 2, (0, 20, -20, 0)))]
    end = events[-1]
    assert isinstance(end, ev.HandEnded)
    events[-1] = replace(end, scores=(100, 121, 80, 99))
    assert "do not make" in one(events).wrong[0]
    events[-1] = replace(end, deltas=(0, 20, -20, 0), scores=(100, 120, 80, 100))
    events.insert(2, ev.PointsPaid(reason="chase", deltas=(3, -1, -1, -1)))
    assert "its payments make" in one(events).wrong[0]


def test_a_pot_takes_part_in_the_sum() -> None:  # beijing T40
    paid = ev.PointsPaid(reason="pot_penalty", deltas=(-100, 0, 0, 0), actor=0)
    events = [started(), *hand(1, EVEN, paid, DRAWN, carry=100)]
    sheet = one(events, load("beijing"))
    assert sheet.wrong == []
    assert (sheet.columns[0].pot, sheet.columns[0].lines[0].kind) == (100, "penalty")


def test_what_was_paid_between_two_hands_is_a_column_of_its_own() -> None:
    between = ev.PointsPaid(reason="penalty", deltas=(-10, 10, 0, 0))
    events = [started(), *hand(1, EVEN, DRAWN), between, *hand(2, (90, 110, 100, 100), DRAWN)]
    sheet = one(events)
    assert [column.hand for column in sheet.columns] == [1, None, 2]
    assert sheet.columns[1].points == (90, 110, 100, 100)
    assert sheet.wrong == []


def test_points_that_the_rules_settle_between_hands_are_shown() -> None:
    events = [started(), *hand(1, EVEN, DRAWN), *hand(2, (103, 99, 99, 99), DRAWN)]
    sheet = one(events)
    assert [(c.hand, [line.kind for line in c.lines]) for c in sheet.columns] == [(1, []), (None, ["settled"]), (2, [])]


def test_the_end_of_the_match_gives_the_ranks() -> None:
    end = ev.MatchEnded(reason="circles", scores=(80, 120, 100, 100), ranks=(4, 1, 2, 3))
    sheet = one([started(), *hand(1, EVEN, won(1, 0, (-20, 20, 0, 0))), end])
    assert (sheet.over, [player.rank for player in sheet.players]) == ("circles", [4, 1, 2, 3])


def test_a_session_earns_standard_points() -> None:  # mcr T61
    end = ev.MatchEnded(reason="circles", scores=(524, 524, 492, 460), ranks=(1, 1, 3, 4))
    start = ev.MatchStarted(rules="mcr", names=NAMES, scores=(500,) * 4)
    played = [start, *hand(1, (500,) * 4, won(0, 3, (24, 24, -8, -40))), end]
    assert [player.standard for player in one(played, load("mcr")).players] == ["3", "3", "1", "0"]
    assert [player.standard for player in one(played[:-1], load("mcr")).players] == [""] * 4


# --- players who change seats (mcr T60), undone hands (J107)


def test_a_row_follows_its_player_to_another_seat() -> None:
    moved = ev.SeatsNamed(names=("李四", "王小明", "Zhao Yun", "陈大文"))
    first = hand(1, EVEN, won(0, 1, (30, -30, 0, 0)))
    second = hand(2, (70, 130, 100, 100), won(1, 2, (0, 8, -8, 0)), dealer=1)
    sheet = one([started(), *first, moved, *second])
    assert [column.hand for column in sheet.columns] == [1, 2]
    assert [player.name for player in sheet.players] == list(NAMES)
    assert sheet.columns[1].points == (138, 70, 100, 92)
    assert sheet.columns[1].cells[0].seat == 1
    assert sheet.columns[1].cells[0].signs == "▲"
    assert sheet.columns[1].dealer == 0
    assert sheet.wrong == []


def test_a_substitute_takes_the_row() -> None:
    sheet = one([started(), *hand(1, EVEN, DRAWN), ev.SeatsNamed(names=("王小明", "李四", "陈大文", "Sun Li"))])
    assert [player.name for player in sheet.players] == ["王小明", "李四", "陈大文", "Sun Li"]


def test_an_undone_hand_leaves_the_sheet_and_stays_in_its_log() -> None:
    wrong = hand(1, EVEN, won(1, 2, (0, 20, -20, 0)))
    undo = ev.Ruled(do="undo", by="referee Wu", reason="wrong winner")
    sheet = one([started(), *wrong, undo, *hand(1, EVEN, DRAWN)])
    assert [(column.hand, column.ended) for column in sheet.columns] == [(1, "exhausted")]
    assert [(note.do, note.hand, note.reason) for note in sheet.notes] == [("undo", 1, "wrong winner")]


def test_who_signs_is_a_person_with_a_name() -> None:
    def signers(by: str) -> tuple[str, ...]:
        confirm = ev.Ruled(do="confirm", by=by)
        opened, *rest = hand(1, EVEN, won(1, 2, (0, 20, -20, 0)))
        return one([started(), opened, confirm, *rest]).referee

    assert signers("referee:Wu Li@10.0.0.7") == ("Wu Li",)
    assert signers("referee Wu") == ("referee Wu",)
    for nobody in ("referee@10.0.0.7", "players"):
        assert signers(nobody) == ()


def test_a_correction_by_the_referee_is_a_separate_entry() -> None:
    events = [started(), *hand(1, EVEN, won(1, 2, (0, 20, -20, 0)))]
    right = won(1, 3, (0, 20, 0, -20))
    end = events[3]
    assert isinstance(end, ev.HandEnded)
    corrections = [
        ev.Corrected(replaces=3, event=right, by="referee Wu", reason="the other seat"),
        ev.Corrected(
            replaces=4, event=replace(end, scores=(100, 120, 100, 80), deltas=(0, 20, 0, -20)), by="referee Wu"
        ),
        ev.Corrected(replaces=2, event=events[1], by="tracker"),
    ]
    sheet = one([*events, *corrections])
    assert sheet.columns[0].cells[3].signs == "−"
    # what the hand ended with follows from it
    assert [(note.do, note.reason) for note in sheet.notes] == [("correct", "the other seat")]
    assert sheet.wrong == []


def test_a_sheet_a_game_and_a_match() -> None:
    second = hand(1, EVEN, DRAWN)
    opened = second[0]
    assert isinstance(opened, ev.HandOpened)
    second[0] = replace(opened, game=2)
    found = sheets([started(), *hand(1, EVEN, DRAWN), *second, started(), *hand(1, EVEN, DRAWN)], RULES)
    assert [(sheet.game, len(sheet.columns)) for sheet in found] == [(1, 1), (2, 1), (1, 1)]


def test_a_hand_in_progress_is_not_on_the_sheet() -> None:
    sheet = one([started(), *hand(1, EVEN, DRAWN), *hand(2, EVEN, DRAWN)[:1]])
    assert [column.hand for column in sheet.columns] == [1]
    assert one([started()]).columns == ()


def test_times_and_head_are_given_from_outside() -> None:
    head = Head("Open", "2", "A3", teams=("N", "E", "W", "S"), numbers=("1", "2", "3", "4"))
    end = ev.MatchEnded(reason="circles", scores=EVEN, ranks=(1, 1, 1, 1))
    events = [started(), *hand(1, EVEN, DRAWN), end]
    (sheet,) = sheets(events, RULES, first_seq=10, head=head, when={11: 1000.0, 14: 4600.0}.get)
    assert (sheet.begun, sheet.ended) == (1000.0, 4600.0)
    assert (sheet.players[2].team, sheet.players[2].number) == ("W", "3")
    assert sheet.to_json()["head"]["table"] == "A3"


# --- of real matches


@pytest.mark.parametrize("rules_id", RULE_SETS)
def test_every_match_of_every_rule_system_sums(rules_id: str) -> None:
    table = play_match(rules_id, seed=7, hands=3)
    (sheet,) = sheets(table.events, table.rules)
    assert len(sheet.columns) >= 3
    assert sheet.wrong == []
    held = tuple(player.points for player in sheet.players)
    assert held == table.match.points


@pytest.mark.parametrize("name", ["competition-clean", "competition-normal", "mcr-clean"])
def test_the_sheet_of_a_recorded_hand(name: str) -> None:
    record = load_truth(name)
    rules = load(record[0]["rules"])
    table = play(rules, record)
    (sheet,) = sheets([started(scores=tuple(record[0]["scores"])), *table.events[1:]], rules)
    column = sheet.columns[0]
    assert list(column.deltas) == record[-1]["deltas"]
    for win in (event for event in record if event["type"] == "hora"):
        assert dict(column.cells[win["actor"]].fans) == win["fans"]
        assert ("+" in column.cells[win["actor"]].signs) == (win["target"] == win["actor"])
    assert column.cells[record[0]["dealer"]].signs.startswith("▲")
    assert sheet.wrong == []


def test_a_refused_win_at_the_table_gets_its_sign() -> None:  # J89
    script = Script(RULES, {0: "123m456m789m11p23p"}, drawn="9s")
    script.win(0)
    script.rule("confirm")
    script.rule("draw_hand", reason="exhausted")
    (sheet,) = sheets(script.table.events, RULES)
    assert "✓" in sheet.columns[0].cells[0].signs
    assert sheet.referee == ("referee",)


def test_the_table_moves_the_points_with_the_players() -> None:  # mcr T60
    table = Table(load("mcr"), names=NAMES)
    table.apply(act.StartMatch(t=0, names=NAMES))
    for n in range(5):
        table.apply(act.RaiseWalls(t=10.0 * n + 1))
        table.apply(act.RestDice(t=10.0 * n + 2, dice=(3, 4)))
        table.apply(act.Rule(t=10.0 * n + 3, do="penalty", by="referee", seat=0, points=10, to=1))
        table.apply(act.Rule(t=10.0 * n + 4, do="draw_hand", by="referee", reason="fire"))
    (sheet,) = sheets(table.events, table.rules)
    assert sheet.wrong == []
    assert sorted(player.points for player in sheet.players) == sorted(table.match.points)
    named = dict(zip(table.game.names, table.match.points, strict=True))
    assert {player.name: player.points for player in sheet.players} == named


# --- who goes on, and whether the result stands


def test_the_confirmed_result_of_a_table() -> None:  # zhenjiang Z608, Z611
    rules = load("zhenjiang", {"stage": "second"})
    table = Table(rules)
    table.apply(act.StartMatch(t=1.0, names=NAMES))
    for t, (seat, to) in enumerate(((0, 1), (2, 1), (3, 2)), 2):
        table.apply(act.Rule(t=float(t), do="penalty", by="referee", seat=seat, points=20, to=to))
    table.apply(act.RaiseWalls(t=8.0))
    table.apply(act.Rule(t=9.0, do="draw_hand", by="referee"))
    assert one(table.events, rules).confirmed is None
    table.apply(act.Rule(t=10.0, do="end_game", by="referee"))
    over = one(table.events, rules)
    assert over.confirmed is False
    table.apply(act.Rule(t=11.0, do="confirm", by="referee:吴@10.0.0.7"))
    sheet = one(table.events, rules)
    assert (sheet.confirmed, sheet.referee) == (True, ("吴",))
    assert [(p.name, p.total, p.rank, p.advances) for p in sheet.players] == [
        (NAMES[0], 30, 3, False),
        (NAMES[1], 90, 1, True),
        (NAMES[2], 50, 2, True),
        (NAMES[3], 30, 3, False),
    ]
    assert sheet.to_json()["players"][1]["advances"]
    table.apply(act.Rule(t=12.0, do="undo", by="referee"))
    assert one(table.events, rules).confirmed is None
    table.apply(act.RaiseWalls(t=13.0))
    table.apply(act.Rule(t=14.0, do="draw_hand", by="referee"))
    table.apply(act.Rule(t=15.0, do="end_game", by="referee"))
    assert one(table.events, rules).confirmed is False


def test_who_goes_on_after_a_round_of_one_game() -> None:  # competition J103
    events = [started(), *hand(1, EVEN, won(1, 2, (0, 20, -20, 0)))]
    end = ev.MatchEnded(reason="circles", scores=(100, 120, 80, 100), ranks=(2, 1, 4, 2))
    four = load("competition", {"match_format": "four"})
    assert [p.advances for p in one([*events, end], four).players] == [False, True, False, False]
    assert not any(p.advances for p in one(events, four).players)  # it goes on
    assert not any(p.advances for p in one([*events, end]).players)  # a round has four games
    larger = load("mcr", {"group_size": 16})  # places are given in the group
    assert not any(p.advances for p in one([*events, end], larger).players)
    assert one([*events, end]).confirmed is None
