"""Readers and lanes under test, with hands to put tiles above their antennas: the simulated ones, and every driver with
the emulator of its device at the other end of a pty."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from contextlib import asynccontextmanager
from pathlib import Path

from tablectl.base.clock import LoopClock
from tablectl.drivers.readers.config import ReaderSection, make
from tablectl.sim.antennas import SimReader
from tablectl.sim.devices import SimLane
from tablectl.sim.wire.field import Bench, LaneField
from tablectl.sim.wire.hf_anyid_7e55 import AnyIDEmulator
from tablectl.sim.wire.hf_metratec_ascii import MetratecEmulator
from tablectl.sim.wire.line import Line, PtyLine, TcpLine
from tablectl.sim.wire.nfc_pn532_hsu import PN532Emulator
from tablectl.sim.wire.uhf_m100 import M100Emulator
from tablectl.sim.wire.uhf_reader288 import Reader288Emulator
from tablectl.sim.world import World, make_sets
from tablectl.tiles.sets import TILE_SETS

HF = [f"e004015000a1b2{n:02x}" for n in range(60)]
UHF = [f"e280689400005000a1b2c3{n:02x}" for n in range(60)]
NTAG = [f"04a1b2c3d4e5{n:02x}" for n in range(4)]

_numbers = itertools.count()


class Rig:
    """A device of a port and what is in front of it. ``zones``: one for each antenna; ``tags``: tags it can read;
    ``most``: so many at once."""

    def __init__(self, device, zones, tags, put, unplug, plug, most=60, emulator=None):
        self.device = device
        self.zones = zones
        self.tags = tags
        self.put = put
        self.unplug = unplug
        self.plug = plug
        self.most = most
        self.emulator = emulator


def _wired(kind: str, line: Line, bench: Bench, **keys):
    """A driver and its emulator: the section of the configuration, what the emulator is made of."""
    emulators: dict[str, Callable[[], object]] = {
        "uhf_m100": lambda: M100Emulator(line, bench),
        "uhf_reader288": lambda: Reader288Emulator(line, bench),
        "hf_anyid_7e55": lambda: AnyIDEmulator(line, bench, antennas=4, pushes="lane" in keys),
        "hf_metratec_ascii": lambda: MetratecEmulator(line, bench),
        "nfc_pn532_hsu": lambda: PN532Emulator(line, bench),
    }
    section = ReaderSection.model_validate({"driver": kind, "port": line.port, **keys})
    readers, lanes = make([section], LoopClock())
    return (readers or lanes)[0], emulators[kind]()


#: driver: antennas of the reader, tags, most at once
ZONED = {
    "uhf_m100": ((1,), UHF, 60),
    "uhf_reader288": ((1, 2, 4), UHF, 60),
    "hf_anyid_7e55": ((1, 3, 4), HF, 60),
    "hf_metratec_ascii": ((0, 3, 12), HF, 60),
    "nfc_pn532_hsu": ((1,), NTAG, 2),
}
TAGS = {kind: tags for kind, (_, tags, _) in ZONED.items()}
NAMES = ("hand.0", "meld.0", "river.0")


@asynccontextmanager
async def wired_reader(kind: str, folder: Path, line: Line | None = None, **keys):
    """A driver of zones on a pty, open."""
    antennas, tags, most = ZONED[kind]
    line = line or PtyLine(folder / f"reader-{next(_numbers)}")
    await line.plug()
    bench = Bench()
    zones = dict(zip(antennas, NAMES, strict=False))
    device, emulator = _wired(kind, line, bench, **{"name": "east", "antennas": zones, **keys})
    numbers = {zone: antenna for antenna, zone in zones.items()}

    def put(zone: str, *tags: str) -> None:
        bench.lie[numbers[zone]] = list(tags)

    async with emulator:
        await device.open()
        try:
            yield Rig(device, tuple(zones.values()), tags, put, emulator.unplug, emulator.plug, most, emulator)
        finally:
            await device.close()


@asynccontextmanager
async def wired_lane(kind: str, folder: Path, line: Line | None = None, **keys):
    """A driver of a lane on a pty, open."""
    line = line or PtyLine(folder / f"lane-{next(_numbers)}")
    await line.plug()
    field = LaneField(2, LoopClock())
    device, emulator = _wired(kind, line, field, **{"lane": 2, **keys})
    # antennas of readers begin with 0 or 1; a lane has only the first
    tags = field.tags
    field.tags = lambda antenna: tags(antenna)  # type: ignore[method-assign]

    def put(*tags: str) -> None:
        field.lie = {n: list(tags) for n in (0, 1)}

    async with emulator:
        await device.open()
        try:
            rig = Rig(device, (), TAGS[kind], put, emulator.unplug, emulator.plug, emulator=emulator)
            rig.see = field.see
            yield rig
        finally:
            await device.close()


@asynccontextmanager
async def simulated_reader(folder: Path):
    """The simulated reader of the whole table, over the truth of a world."""
    world = World(LoopClock(), make_sets("A", TILE_SETS["144"].tiles()))
    world.opening_free = True
    device = SimReader("zones", world, LoopClock(), random.Random(1), zones=NAMES)
    tags = sorted(world.kinds)

    def put(zone: str, *tags: str) -> None:
        for tag in world.tags(zone):
            world.move(tag, "felt")
        for tag in tags:
            world.move(tag, zone)

    def plugged(on: bool):
        device.plugged = on

    async def plug() -> None:
        plugged(True)

    await device.open()
    yield Rig(device, NAMES, tags, put, lambda: plugged(False), plug)
    await device.close()


@asynccontextmanager
async def simulated_lane(folder: Path):
    device = SimLane(2, LoopClock())

    def plugged(on: bool):
        device.plugged = on

    async def plug() -> None:
        plugged(True)

    await device.open()
    rig = Rig(device, (), HF, lambda *tags: None, lambda: plugged(False), plug)
    rig.see = device.see
    yield rig
    await device.close()


def tcp_line() -> TcpLine:
    return TcpLine()
