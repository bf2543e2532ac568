"""A power cut or a kill at any moment loses nothing that anybody saw, and the match goes on where it was.

A sample; ``python -m benchmarks.kill`` does a thousand.
"""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import pytest
from killed_process import Killed, record
from killed_table import KilledTable, Kind, Moment, Outcome

from tablectl.base.reports import KeyPressed, MachineReported
from tablectl.game.record import records

pytestmark = pytest.mark.virtual_limit(20_000)

MOMENTS: tuple[Moment, Moment, Moment] = ("before", "after", "shown")


def at_write(number: int, moment: Moment) -> dict[str, object]:
    return {"when": lambda n: moment if n == number else None}


def assert_as_played(outcome: Outcome) -> None:
    assert outcome.kills > 0
    assert outcome.lost == []
    assert outcome.moved == []
    assert outcome.wrong == []


@pytest.mark.parametrize(
    ("number", "moment"),
    [(2, "before"), (2, "after"), (5, "before"), (9, "shown"), (20, "before"), (41, "after"), (64, "before")],
)
async def test_killed_while_an_event_is_written(tmp_path: Path, number: int, moment: Moment) -> None:
    table = KilledTable(tmp_path, seed=2, **at_write(number, moment))  # type: ignore[arg-type]
    assert_as_played(await table.play())


async def test_killed_between_the_deal_and_the_throw_for_the_indicator(tmp_path: Path) -> None:
    """T104: the dealer's opposite throws once the tiles are dealt."""
    table = KilledTable(tmp_path, rules="tianjin", seed=8, **at_write(10, "shown"))  # type: ignore[arg-type]
    assert_as_played(await table.play())


@pytest.mark.parametrize(("number", "moment"), [(3, "before"), (30, "after"), (55, "before")])
async def test_a_power_cut_takes_the_short_memory_too(tmp_path: Path, number: int, moment: Moment) -> None:
    table = KilledTable(tmp_path, seed=2, kind="power", **at_write(number, moment))  # type: ignore[arg-type]
    assert_as_played(await table.play())


async def test_flowers_replaced_in_the_dark_are_in_the_record(tmp_path: Path) -> None:
    """Power fails while the deal is written: nobody knows the wall any more, and the dealer laid a flower meanwhile.
    Which tile came for it cannot be known; the hand that results is known."""
    table = KilledTable(tmp_path, seed=1, kind="power", **at_write(6, "before"))  # type: ignore[arg-type]
    outcome = await table.play()
    assert (outcome.kills, outcome.lost, outcome.questions) == (1, [], 0)
    assert [line for line in outcome.wrong if line.startswith("scores")] == []
    (record,), (truth,) = records(table._core.table.events), table.sim.truth
    assert flowers(record) == flowers(truth)
    assert tiles_of_dealer(record) == tiles_of_dealer(truth)


async def test_after_a_power_cut_the_indicator_is_asked_for_and_entered(tmp_path: Path) -> None:
    """Z107: no antenna sees it, and the order of the wall is gone: one question, and the hand is scored as it was."""
    table = KilledTable(tmp_path, rules="zhenjiang", seed=3, kind="power", **at_write(3, "before"))  # type: ignore[arg-type]
    outcome = await table.play()
    assert (outcome.kills, outcome.lost, outcome.questions) == (1, [], 1)
    assert [line for line in outcome.wrong if line.startswith("scores")] == []


def flowers(record: list[dict[str, Any]]) -> list[tuple[int, str]]:
    return sorted((event["actor"], event["pai"]) for event in record if event["type"] == "flower")


def tiles_of_dealer(record: list[dict[str, Any]]) -> list[str]:
    """Dealt to the dealer and drawn by him before his first discard, flowers apart."""
    tiles = list(record[0]["tehais"][0])
    for event in record:
        if event["type"] == "dahai":
            break
        tiles += [event["pai"]] if event["type"] == "tsumo" and event["actor"] == 0 else []
    return sorted(tiles)


@pytest.mark.parametrize("kind", ["crash", "power"])
async def test_killed_again_and_again(tmp_path: Path, kind: Kind) -> None:
    rng = random.Random(5)
    timers = iter([rng.uniform(15, 60) for _ in range(8)])
    outcome = await KilledTable(tmp_path, seed=3, kind=kind, timers=timers).play()
    assert outcome.kills >= 6
    assert outcome.starts == outcome.kills + 1
    assert outcome.lost == []
    assert [line for line in outcome.wrong if line.startswith("scores")] == []
    assert outcome.moved == []


async def test_a_page_torn_by_the_kill_costs_nothing_that_was_shown(tmp_path: Path) -> None:
    moments = {n: MOMENTS[n % 3] for n in range(4, 200, 19)}
    table = KilledTable(tmp_path, seed=2, when=moments.get, torn=True)
    outcome = await table.play()
    assert_as_played(outcome)
    assert outcome.kills >= 8
    assert "J04" not in outcome.faults  # nothing of the file had to be moved aside


async def test_the_wall_is_remembered_after_a_crash_and_its_seal_opened(tmp_path: Path) -> None:
    table = KilledTable(tmp_path, seed=2, **at_write(30, "after"))  # type: ignore[arg-type]
    await table.play()
    kinds = [event["type"] for event in table.shown.values()]
    assert "opened" in kinds
    assert "wall" in kinds
    assert any(isinstance(report, MachineReported) for report in table._core.memory.reports)


async def test_the_order_of_the_wall_never_comes_to_rest_on_the_disk(tmp_path: Path) -> None:
    """What is on the card after a power cut in the middle of a hand tells nothing of the wall, nor the salt."""
    table = KilledTable(tmp_path, seed=2, kind="power", **at_write(30, "after"))  # type: ignore[arg-type]
    salts: list[str] = []
    seal = table.kill

    def kill() -> None:
        salts.append(str(table._core.memory.salt))
        held = b"".join(file.read_bytes() for file in (tmp_path / "0").glob("journal.sqlite*"))
        in_wall = [tag for tag in table.sim.world.on_table() if tag in table.sim.world.walls.values()]
        assert in_wall
        assert not any(tag.encode() in held for tag in in_wall)
        assert salts[0].encode() not in held
        seal()

    table.kill = kill  # type: ignore[method-assign]
    outcome = await table.play()
    assert len(salts) == outcome.kills == 1
    assert outcome.lost == []
    assert "opened" not in [event["type"] for event in table.shown.values() if event.get("secret") == salts[0]]


async def test_after_a_kill_nothing_moves_before_a_person_asks(tmp_path: Path) -> None:
    table = KilledTable(tmp_path, seed=2, **at_write(12, "after"))  # type: ignore[arg-type]
    moved: list[str] = []
    pressed = table.sim.press_lift

    async def press(**keys: bool) -> None:
        if table._life == 1 and not moved:
            moved.extend(name for name, output in table.sim.outputs.items() if output.on)
            moved.append("pressed")
        await pressed(**keys)

    table.sim.press_lift = press  # type: ignore[method-assign]
    outcome = await table.play()
    assert moved[:1] == ["pressed"]
    assert "P02" in outcome.faults


def test_sigkill_of_a_process(tmp_path: Path) -> None:
    """Where the kill falls is up to the machine: two discards of one seat in the dark may have changed places, and then
    a person is asked."""
    recorded = record("competition", 1)
    killed = Killed(recorded, tmp_path / "killed")
    wrong = killed.match(random.Random(1), 1200)
    assert killed.kills >= 4
    assert killed.lost == []
    assert wrong == [] or killed.questions > 0
    assert [line for line in wrong if not re.search(r"expected dahai (\d) / \w+; found dahai \1 / \w+$", line)] == []


def test_killed_twice_around_a_win(tmp_path: Path) -> None:
    """The winner's draw, his call and the confirmation all fall in the dark, and only the second start sees the hand
    that was shown: the call waits for that, the confirmation for the call, and nobody's time runs out meanwhile."""
    recorded = record("competition", 1)
    [won] = [n for n, report in enumerate(recorded.reports) if isinstance(report, KeyPressed) and report.key == "win"]
    killed = Killed(recorded, tmp_path / "killed")
    for number in (won - 50, won + 100, won + 250, won + 420):
        killed.killed_at(number)
    assert not killed.run()
    assert (killed.wrong(), killed.lost, killed.kills, killed.questions) == ([], [], 4, 0)


@pytest.mark.parametrize(
    ("rules", "seed", "moments"),
    [
        ("competition", 1, [(7331, 7530), (5108, 5294), (12722, 12909, 13096, 13280)]),
        ("fujian", 11, [(3793,), (6400,), (2903, 4632, 4868, 4951)]),
        ("competition", 11, [(6073, 12114, 12293, 12351), (4539, 4655, 12333, 12829)]),
        ("beijing", 13, [(9675, 13304), (13151, 13205, 13382)]),
        ("beijing", 901, [(4956, 5141, 5223), (4867, 4988, 5117, 5303), (4873, 5018, 5136)]),
        ("tianjin", 11, [(4529, 4643, 11065, 11091, 11876, 11929)]),
        ("mcr", 11, [(664, 2337, 2947, 3141, 3435)]),
        ("fuzhou", 9100, [(2617, 2820, 2907), (2440, 2642, 2797)]),
        ("fujian", 7102, [(2984, 3104, 3274)]),
        ("competition", 8102, [(5043,)]),
        ("zhenjiang", 13102, [(3862,), (3852, 3926, 4135)]),
    ],
)
def test_what_was_told_just_before_and_called_in_the_dark(
    tmp_path: Path, rules: str, seed: int, moments: list[tuple[int, ...]]
) -> None:
    """A discard told too soon, a flower told as one, a flower on its way over a river, a flower called after a kong, a
    call before the discard that it is about, a tile at an edge, a win on a discard that nobody saw, the last discard of
    the wall, nothing seen of a win but the open hand, which was drawn to and discarded from in the dark, a deal with
    flowers laid and replaced, flowers of the round before, a call pressed once its meld lay, a wildcard shown
    before its discard was told."""
    recorded = record(rules, seed)
    for number, reports in enumerate(moments):
        killed = Killed(recorded, tmp_path / str(number))
        for report in reports:
            killed.killed_at(report)
        assert not killed.run()
        assert (killed.wrong(), killed.lost, killed.kills) == ([], [], len(reports))
        assert killed.questions == 0
