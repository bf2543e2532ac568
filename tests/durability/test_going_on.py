"""What a table does when its disk fails, and how quickly it is safe when it ends."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from killed_table import KilledTable

from tablectl.app import Core
from tablectl.base.faults import FaultRaised
from tablectl.base.journal import Journal, JournalError
from tablectl.base.keeper import RETRY_S
from tablectl.game import actions as act
from tablectl.machine.states import State
from tablectl.sim.display import MemoryDisplay

pytestmark = pytest.mark.virtual_limit(20_000)

#: seconds until every output is safe
SAFE_S = 0.05


@dataclass
class Playing:
    """A table at play: ``async with Playing(folder) as table``."""

    folder: Path
    rules: str = "competition"
    off_at: dict[str, float] = field(default_factory=dict)

    async def __aenter__(self) -> Playing:
        self.table = KilledTable(self.folder, rules=self.rules, seed=2)
        self.core: Core = self.table._start()
        self.clock = self.table.clock
        for name, output in self.table.sim.outputs.items():
            output.connect(lambda on, name=name: None if on else self.off_at.update({name: self.clock.now()}))
        self.task = asyncio.ensure_future(self.core.run())
        return self

    async def __aexit__(self, *_: object) -> None:
        self.core.stop()
        await self.table.sim.stop()
        with contextlib.suppress(Exception, BaseExceptionGroup):
            await self.task

    async def until(self, true: Callable[[], bool]) -> None:
        while not true():
            await self.clock.sleep(0.1)

    @property
    def on(self) -> list[str]:
        return [name for name, output in self.table.sim.outputs.items() if output.on]


async def test_a_disk_that_fails_does_not_stop_play_and_says_so_loudly(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put = Journal.put

    def full(self: Journal, *args: object) -> int:
        raise JournalError(self.path, "the disk is full", "Free space on the card.")

    async with Playing(tmp_path) as playing:
        core = playing.core
        shown: list[int] = []
        core.listeners.append(lambda last, events: shown.append(last))
        await playing.until(lambda: core.table.hand is not None and len(core.table.hand.discards) >= 3)
        before = core.table.last_seq
        with monkeypatch.context() as broken:
            broken.setattr(Journal, "put", full)
            await playing.until(lambda: core.table.last_seq > before + 20)
            (fault,) = [fault for fault in core.faults.active if fault.code == "J01"]
            assert fault.detail == "the disk is full. Free space on the card."
            assert not core.faults.stopped
            assert core.journal.waiting >= 20
            assert shown[-1] == core.table.last_seq
            (display,) = [d for d in playing.table.sim.displays.values() if isinstance(d, MemoryDisplay)]
            assert display.png()
        await asyncio.sleep(RETRY_S + 1)
        assert core.journal.waiting == 0
        assert [fault for fault in core.faults.active if fault.code == "J01"] == []
        assert [entry.seq for entry in core.journal.read()] == list(range(1, core.table.last_seq + 1))
    assert Journal.put is put


async def test_a_standing_fault_of_the_disk_cannot_be_cleared_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tablectl.base.faults import ClearRefused

    def full(self: Journal, *args: object) -> int:
        raise JournalError(self.path, "the disk is full", "Free space on the card.")

    async with Playing(tmp_path) as playing:
        await playing.until(lambda: playing.core.table.hand is not None)
        with monkeypatch.context() as broken:
            broken.setattr(Journal, "put", full)
            playing.core.journal.note("looked", by="Wang")
            with pytest.raises(ClearRefused, match="J01 cannot be cleared yet: the disk is full"):
                playing.core.faults.clear("J01", "operator:Li")


async def shuffling(playing: Playing) -> None:
    await playing.until(lambda: playing.core.machine.state is State.SHUFFLING and len(playing.on) > 4)


async def test_outputs_are_safe_at_once_when_the_program_is_told_to_end(tmp_path: Path) -> None:
    async with Playing(tmp_path) as playing:
        await shuffling(playing)
        on, begun = playing.on, playing.clock.now()
        playing.core.stop()
        await playing.task
        assert playing.on == []
        assert max(playing.off_at[name] for name in on) - begun <= SAFE_S


async def test_outputs_are_safe_at_once_after_an_exception(tmp_path: Path) -> None:
    async with Playing(tmp_path) as playing:
        await shuffling(playing)
        on, begun = playing.on, playing.clock.now()
        raised: list[str] = []
        playing.core.bus.subscribe(FaultRaised, lambda told: raised.append(told.fault.code))

        def broken(report: object) -> list[object]:
            raise ZeroDivisionError("a mistake in the program")

        playing.core.pipeline.feed = broken  # type: ignore[method-assign,assignment]
        with pytest.raises(ExceptionGroup):
            await playing.task
        assert playing.on == []
        assert raised
        failed_at = next(f.t for f in playing.core.faults.active if "ZeroDivisionError" in f.detail)
        assert failed_at >= begun
        assert max(playing.off_at[name] for name in on) - failed_at <= SAFE_S


async def test_a_task_that_ended_is_not_alive(tmp_path: Path) -> None:
    async with Playing(tmp_path) as playing:
        await playing.until(lambda: playing.core.table.hand is not None)
        assert playing.core.silent() == []
        playing.core._tasks["lane.2"].cancel()
        await asyncio.sleep(0.1)
        assert playing.core.silent() == ["lane.2 ended"]


async def test_a_reader_that_hangs_is_not_alive_one_that_is_lost_is(tmp_path: Path) -> None:
    async with Playing(tmp_path) as playing:
        (reader,) = playing.table.sim.readers
        await playing.until(lambda: playing.core.table.hand is not None)
        reader.plugged = False  # it answers no more, and says nothing of it
        await asyncio.sleep(60)
        assert playing.core.silent() == ["zones silent for 60 s"]


async def test_a_result_still_waits_for_the_referee_after_a_start(tmp_path: Path) -> None:  # zhenjiang Z611
    async with Playing(tmp_path, rules="zhenjiang") as table:
        await table.until(lambda: table.core.table.playing is not None)
        table.core.rule(act.Rule(t=table.clock.now(), do="end_game", by="referee:Wu"))
        assert table.core.table.unconfirmed
        table.core.stop()
        await table.task
        core = table.table._start()
        going_on = asyncio.ensure_future(core.run())
        await table.clock.sleep(1.0)
        assert core.table.unconfirmed
        core.rule(act.Rule(t=table.clock.now(), do="confirm", by="referee:Wu"))
        assert core.table.game.confirmed
        core.stop()
        await going_on
