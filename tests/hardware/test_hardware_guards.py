"""The panel for the technician and the watch over the supply; a core that runs on the drivers."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest
from hardware_rig import HARDWARE, hardware

from tablectl.app import Core
from tablectl.base.bus import Bus
from tablectl.base.clock import LoopClock
from tablectl.base.faults import DeviceError, FaultLatch
from tablectl.base.settings import Settings
from tablectl.drivers.display_hd44780 import Backpack, TextDisplay
from tablectl.drivers.hardware_errors import HardwareError
from tablectl.drivers.hardware_guard import THROTTLED, PowerWatch
from tablectl.drivers.hardware_panel import PanelWorker, lines
from tablectl.machine.states import State
from tablectl.machine.status import MachineStatus
from tablectl.rules.registry import load as load_rules

clock = LoopClock()


# --- the panel


class Panel(TextDisplay):
    """A display that keeps what was written, and can be pulled out."""

    def __init__(self) -> None:
        super().__init__("panel", Backpack())
        self.log: list[tuple[float, str, tuple[str, ...]]] = []
        self.gone = False

    def _log(self, what: str, text: Sequence[str] = ()) -> None:
        if self.gone:
            raise DeviceError("panel", "/dev/i2c-1", "does not answer")
        self.log.append((clock.now(), what, tuple(text)))

    async def open(self) -> None:
        self._log("open")

    async def close(self) -> None:
        if not self.gone:
            self._log("close")

    async def write(self, lines: Sequence[str]) -> None:
        self._log("write", lines)

    async def refresh(self) -> None:
        self._log("refresh")


def test_what_stands_on_the_panel() -> None:
    faults = FaultLatch(Bus(), clock)
    assert lines(faults.active) == ("OK",)
    faults.raise_fault("board_lost", "board.relays")
    assert lines(faults.active) == ("B01 board.relays", "An I/O board does not answer")
    faults.raise_fault("emergency_stop", "table")
    assert lines(faults.active)[0] == "B01 +1 board.relays"


async def test_the_panel_is_written_at_once_and_begun_again_every_20_seconds() -> None:
    panel = Panel()
    worker = PanelWorker(panel, clock)
    worker.start()
    await clock.sleep(45)
    assert [what for _, what, _ in panel.log] == ["open", "write", "refresh", "refresh"]
    faults = FaultLatch(Bus(), clock)
    faults.raise_fault("emergency_stop", "table")
    begin = clock.now()
    worker.show(faults.active)
    await clock.sleep(1)
    assert panel.log[-1] == (begin, "write", ("E01 table", "Emergency stop"))
    await worker.stop()
    assert panel.log[-1][1] == "close"


async def test_a_panel_that_is_gone_is_said_once_and_written_again_when_it_is_back(
    caplog: pytest.LogCaptureFixture,
) -> None:
    panel = Panel()
    worker = PanelWorker(panel, clock)
    panel.gone = True
    worker.start()
    await clock.sleep(100)
    assert caplog.messages == ["panel on /dev/i2c-1: does not answer"]
    panel.gone = False
    await clock.sleep(25)
    assert [what for _, what, _ in panel.log][:2] == ["open", "write"]
    await worker.stop()


# --- the supply


async def test_a_low_supply_is_told_when_it_begins_and_when_it_ends(tmp_path: Path) -> None:
    flags = tmp_path / THROTTLED
    flags.parent.mkdir(parents=True)
    flags.write_text("0\n")
    told: list[bool] = []
    watch = PowerWatch(told.append, clock, tmp_path)
    watch.start()
    for text, expected in (("50005", [True]), ("50001", [True]), ("50000", [True, False]), ("0", [True, False])):
        flags.write_text(text)
        await clock.sleep(6)
        assert told == expected
    await watch.stop()


async def test_a_machine_that_does_not_tell_its_voltage_is_not_watched(tmp_path: Path) -> None:
    told: list[bool] = []
    watch = PowerWatch(told.append, clock, tmp_path)
    watch.start()
    await clock.sleep(60)
    await watch.stop()
    assert told == []


async def test_a_low_supply_is_a_warning_that_ends_by_itself() -> None:
    async with hardware() as rig:
        await rig.table.open()
        rig.table._power(True)
        await clock.sleep(0.1)
        assert [code for code, _, _ in rig.raised] == ["P01"]
        rig.table._power(False)
        assert rig.faults.active == ()


# --- the core on real drivers


def settings(tmp_path: Path) -> Settings:
    return Settings.model_validate(
        {
            "table": "test",
            "backend": "hardware",
            "machine": HARDWARE / "reference-4port",
            "tiles": tmp_path / "tiles.yaml",
            "rules": {"id": "competition"},
            "journal": {"path": Path(":memory:")},
            "link": {"socket": tmp_path / "s"},
        }
    )


async def test_the_core_runs_on_the_drivers_and_leaves_everything_safe(tmp_path: Path) -> None:
    async with hardware() as rig:
        core = Core(settings(tmp_path), load_rules("competition"), rig.table, clock)
        ready = asyncio.Event()
        core.bus.subscribe(MachineStatus, lambda status: ready.set() if status.state is State.READY else None)
        running = asyncio.create_task(core.run())
        async with asyncio.timeout(200):
            await ready.wait()
        assert rig.table.deadman.stopped == ""
        await clock.sleep(0.1)
        assert rig.sim.outputs["ready_lamp"].on
        core.stop()
        await running
        assert not any(output.on for output in rig.sim.outputs.values())
        assert rig.header.driven == {}


async def test_a_core_whose_devices_do_not_work_says_so_and_ends(tmp_path: Path) -> None:
    async with hardware() as rig:
        rig.header.held.add(18)
        core = Core(settings(tmp_path), load_rules("competition"), rig.table, clock)
        with pytest.raises(HardwareError, match=r"disc_motor on gpio\.18: GPIO busy"):
            await core.run()
        assert rig.header.driven == {}
