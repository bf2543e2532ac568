"""When a table says that it is ready: its link listens, and every device was tried once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tablectl.app import Core
from tablectl.base.clock import LoopClock
from tablectl.base.faults import DeviceError
from tablectl.core.following import OPENS_SECONDS
from tablectl.core.running import assemble, run
from tablectl.core.site import Site, load_site
from tablectl.ports import Device

CONFIG = Path(__file__).parents[2] / "config" / "sim.yaml"


class Start:
    """A core that starts, and when it said that it was ready."""

    def __init__(self, folder: Path) -> None:
        site = load_site(CONFIG)
        self.socket = folder / "link.sock"
        link = site.settings.link.model_copy(update={"socket": self.socket})
        self.core: Core = assemble(Site(site.settings.model_copy(update={"link": link}), site.rules), LoopClock(), 1)
        self.ready_at: float | None = None
        #: what could be seen at that moment
        self.listening = False
        self.faults: list[tuple[str, str]] = []

    def ready(self) -> None:
        assert self.ready_at is None
        self.ready_at = self.core.clock.now()
        self.listening = self.socket.exists()
        self.faults = [(fault.code, fault.where) for fault in self.core.faults.active]

    @asynccontextmanager
    async def running(self) -> AsyncIterator[float]:
        begun = self.core.clock.now()
        working = asyncio.ensure_future(run(self.core, self.ready))
        yield begun
        self.core.stop()
        await working


def opens(device: Device, monkeypatch: pytest.MonkeyPatch, seconds: float, error: DeviceError | None = None) -> None:
    """From now on a device is opened, or fails to, after so long; the first time."""
    tried: list[float] = []

    async def open_() -> None:
        tried.append(seconds)
        if len(tried) == 1:
            await asyncio.sleep(seconds)
            if error is not None:
                raise error

    monkeypatch.setattr(device, "open", open_)


async def test_a_table_is_ready_when_its_devices_are_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    start = Start(tmp_path)
    opens(start.core.backend.readers[0], monkeypatch, 0.7)
    opens(start.core.backend.lanes[2], monkeypatch, 0.4)
    async with start.running() as begun:
        await asyncio.sleep(1.0)
        assert start.ready_at == pytest.approx(begun + 0.7, abs=0.05)
        assert start.listening
        assert start.faults == []


async def test_or_when_one_was_tried_in_vain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    start = Start(tmp_path)
    reader = start.core.backend.readers[0]
    opens(reader, monkeypatch, 0.3, DeviceError(f"reader.{reader.name}", "/dev/ttyUSB0", "no such port"))
    async with start.running() as begun:
        await asyncio.sleep(0.4)
        assert start.ready_at == pytest.approx(begun + 0.3, abs=0.05)
        assert start.faults == [("R01", f"reader.{reader.name}")]
        await asyncio.sleep(1.0)
        assert start.core.faults.active == ()  # it was found again


async def test_one_that_hangs_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    start = Start(tmp_path)
    opens(start.core.backend.lanes[1], monkeypatch, OPENS_SECONDS + 3)
    async with start.running() as begun:
        await asyncio.sleep(OPENS_SECONDS + 0.1)
        assert start.ready_at == pytest.approx(begun + OPENS_SECONDS, abs=0.05)
        (fault,) = start.core.faults.active
        assert (fault.code, fault.where, fault.detail) == ("R02", "lane.1", "it is not open after 5 s")
        await asyncio.sleep(3.0)
        assert start.core.faults.active == ()


async def test_a_start_that_is_broken_off_is_never_ready(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    start = Start(tmp_path)
    opens(start.core.backend.readers[0], monkeypatch, 60.0)
    async with start.running():
        await asyncio.sleep(1.0)
    assert start.ready_at is None


async def test_boards_that_do_not_open_end_the_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a table cannot do without is no matter of waiting."""
    start = Start(tmp_path)

    async def fails(*_: Any) -> None:
        raise DeviceError("board.relays", "/dev/ttyS1", "does not answer")

    monkeypatch.setattr(start.core.backend, "open", fails)
    with pytest.raises(DeviceError, match="does not answer"):
        await run(start.core, start.ready)
    assert start.ready_at is None
