"""The table of faults: each is brought about at the simulated table, must be told as itself, make the outputs safe in
time, lose no tile, and let play go on: by itself where it is a warning, after a person's work where it is a stop.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

import pytest
from simulated_table import MACHINE, Rig

from tablectl.base.faults import ClearRefused, FaultRaised, Severity, catalogue
from tablectl.machine.description import MachineSpec, load_machine
from tablectl.machine.states import State
from tablectl.sim.faults import inject

Step = tuple[str, dict[str, Any]]

#: seconds in which outputs must be off after a fault that stops
SAFE_S: Final = 0.05


@dataclass(frozen=True)
class Row:
    """``at``: when it happens; ``faults``: what is done to the table; ``told``: what the machine says, in this order,
    and nothing else; ``mend``: what a technician does then.

    ``cycles``: whole cycles before it (two of them teach the travel times); ``degraded``: the table may go on without a
    sensor; ``retries``: new starts before it is told; ``top_up``: lost tiles are put in while both keys hold it open;
    ``spec``: changes of the table model.
    """

    name: str
    at: Literal["start", "shuffle", "late", "ready", "opening", "closing", "raising"]
    faults: tuple[Step, ...]
    told: tuple[tuple[str, str], ...]
    mend: tuple[Step, ...] = ()
    cycles: int = 0
    degraded: bool = True
    retries: int = 0
    top_up: bool = False
    spec: Mapping[str, Any] = field(default_factory=dict)


def step(name: str, /, **arguments: Any) -> tuple[Step, ...]:
    return ((name, arguments),)


def sensor(kind: str, name: str) -> tuple[Step, ...]:
    return step(f"{kind}_sensor", name=name)


def works(name: str) -> tuple[Step, ...]:
    return step("mend_sensor", name=name)


HEAD = step("mend_head", side=2)
DRUM = step("mend_drum")
DOME = step("mend_lift", part="dome")
TRAY = step("mend_lift", part="tray.1")
NO_REVERSE = {"outputs": {"disc_reverse": None}}

ROWS = [
    # --- heads, belts and drum: what moved and what did not tells them apart
    Row("a jam", "shuffle", step("jam_head", side=2), (("H02", "head.2"),), HEAD, retries=2),
    Row("a jam that a new start frees", "shuffle", step("jam_head", side=2, starts=1), (), retries=1),
    Row("a jam that the second new start frees", "shuffle", step("jam_head", side=2, starts=2), (), retries=2),
    Row("a dead head", "shuffle", step("kill_head", side=2), (("H01", "head.2"),), HEAD, retries=2),
    Row("a dead head from the start", "start", step("kill_head", side=2), (("H01", "head.2"),), HEAD, retries=2),
    Row("a dead belt", "shuffle", step("kill_belt", side=2), (("C01", "head.2"),), HEAD, retries=2),
    Row("a dead drum", "start", step("kill_drum"), (("D03", "drum"),), DRUM, retries=2),
    Row("a drum that dies", "shuffle", step("kill_drum"), (("D03", "drum"),), DRUM, retries=2),
    Row("wedged tiles that turning back frees", "shuffle", step("clog_drum"), (), retries=1),
    Row(
        *("wedged tiles, no way back", "shuffle", step("clog_drum"), (("D03", "drum"),), DRUM),
        retries=2,
        spec=NO_REVERSE,
    ),
    Row("nobody pushed them in", "start", step("empty_drum"), (("D03", "drum"),), retries=2, top_up=True),
    Row("a tile on the floor", "shuffle", step("lose_tile"), (("D02", "drum"),), retries=2, top_up=True),
    Row("a weak magnet", "shuffle", step("weaken_magnet"), (("D02", "drum"),), step("mend_magnets"), retries=2),
    Row("a tile in the machine", "shuffle", step("drop_tile", side=0), (("D05", "head.0"),), retries=2, top_up=True),
    Row(
        *("three tiles in the machine", "shuffle", step("drop_tile", side=3, tiles=3), (("D05", "head.3"),)),
        retries=2,
        top_up=True,
    ),
    Row("too long", "start", (), (("D01", "machine"),), spec={"shuffle": {"soft_seconds": 13, "hard_seconds": 14}}),
    Row("slow", "start", (), (("D04", "shuffle"),), spec={"shuffle": {"soft_seconds": 20}}),
    # --- counts that differ: play goes on
    Row("a double count", "shuffle", step("double_count", side=1), (("C05", "head.1"),)),
    Row("three double counts", "shuffle", step("double_count", side=1, tiles=3), (("C05", "head.1"),)),
    Row("a missed count", "shuffle", step("miss_count", side=1), (("C06", "head.1"),)),
    Row("a pair told twice", "shuffle", step("flicker_cam", side=3), (("C05", "head.3"),)),
    Row("two pairs told twice", "shuffle", step("flicker_cam", side=3, pairs=2), (("C05", "head.3"),)),
    Row("a pair not told", "shuffle", step("miss_cam", side=3), (("C06", "head.3"),)),
    Row("a dead chip", "shuffle", step("kill_tag"), (("R03", "lane.?"),)),
    # --- tiles that do not belong together
    Row("a tile of the other set", "shuffle", step("mix_tile"), (("X01", "drum"),), step("sort_sets")),
    Row("a foreign tile", "shuffle", step("add_foreign_tile"), (("X03", "machine"),)),
    Row("both sets in the drum", "shuffle", step("mix_sets"), (("X01", "drum"),), step("sort_sets")),
    # --- sensors: the table goes on without them, says so, and believes them again when they were mended
    Row("blind eye", "shuffle", sensor("blind", "head_eye.2"), (("S02", "sensor.head_eye.2"),), works("head_eye.2")),
    Row("stuck eye", "shuffle", sensor("stick", "head_eye.2"), (("S02", "sensor.head_eye.2"),), works("head_eye.2")),
    Row("blind cam", "shuffle", sensor("blind", "head_cam.1"), (("S02", "sensor.head_cam.1"),), works("head_cam.1")),
    Row("stuck cam", "shuffle", sensor("stick", "head_cam.1"), (("S02", "sensor.head_cam.1"),), works("head_cam.1")),
    Row(
        *("stuck belt eye", "start", sensor("stick", "belt_full.0"), (("S02", "sensor.belt_full.0"),)),
        works("belt_full.0"),
        retries=1,
    ),
    Row("blind belt eye", "start", sensor("blind", "belt_full.0"), (), works("belt_full.0")),
    Row(
        *("blind slot eye", "start", sensor("blind", "slot_loaded.0"), (("S02", "sensor.slot_loaded.0"),)),
        works("slot_loaded.0"),
    ),
    Row(
        "blind row eye",
        "shuffle",
        sensor("blind", "slot_full.3"),
        (("S02", "sensor.slot_full.3"),),
        works("slot_full.3"),
    ),
    Row(
        "stuck row eye",
        "shuffle",
        sensor("stick", "slot_full.3"),
        (("S02", "sensor.slot_full.3"),),
        works("slot_full.3"),
    ),
    Row(
        *("row eye stuck from the start", "raising", sensor("stick", "slot_full.3"), (("S02", "sensor.slot_full.3"),)),
        works("slot_full.3"),
    ),
    # --- the same, where a tournament forbids that: a person is asked
    Row(
        *("blind eye, forbidden", "shuffle", sensor("blind", "head_eye.2"), (("H03", "head.2"),), works("head_eye.2")),
        degraded=False,
    ),
    Row(
        *("blind cam, forbidden", "shuffle", sensor("stick", "head_cam.1"), (("H05", "cam.1"),), works("head_cam.1")),
        degraded=False,
    ),
    Row(
        *("blind slot eye, forbidden", "start", sensor("blind", "slot_loaded.0"), (("H06", "slot.0"),)),
        works("slot_loaded.0"),
        degraded=False,
    ),
    Row(
        *("blind dome sensor, forbidden", "ready", sensor("blind", "dome_up"), (("L04", "dome"),), works("dome_up")),
        cycles=2,
        degraded=False,
    ),
    Row(
        *("blind tray sensor, forbidden", "ready", sensor("blind", "tray_home.1"), (("W02", "tray.1"),)),
        works("tray_home.1"),
        cycles=2,
        degraded=False,
    ),
    # --- the dome
    Row("dead dome", "ready", step("kill_lift", part="dome"), (("L01", "dome"),), DOME),
    Row("dead dome when it should close", "closing", step("kill_lift", part="dome"), (("L01", "dome"),), DOME),
    Row("dome held on its way up", "opening", step("stall_lift", part="dome"), (("L03", "dome"),), DOME),
    Row(
        "dome sensor blind, its time unknown", "ready", sensor("blind", "dome_up"), (("L04", "dome"),), works("dome_up")
    ),
    Row(
        *("dome sensor blind, goes by time", "ready", sensor("blind", "dome_up"), (("S02", "sensor.dome_up"),)),
        works("dome_up"),
        cycles=2,
    ),
    Row("dome's lower sensor stuck", "ready", sensor("stick", "dome_down"), (("L01", "dome"),), works("dome_down")),
    Row("both dome sensors on", "ready", sensor("stick", "dome_up"), (("L05", "dome"),), works("dome_up")),
    Row("slow dome", "ready", step("slow_lift", part="dome", times=1.5), (("L02", "dome"),), cycles=2),
    # --- trays
    Row("dead tray", "ready", step("kill_lift", part="tray.1"), (("W01", "tray.1"),), TRAY),
    Row("tray held on its way", "raising", step("stall_lift", part="tray.1"), (("W05", "tray.1"),), TRAY),
    Row(
        *("tray sensor blind, its time unknown", "ready", sensor("blind", "tray_home.1"), (("W02", "tray.1"),)),
        works("tray_home.1"),
    ),
    Row(
        *("tray sensor blind, goes by time", "ready", sensor("blind", "tray_home.1"), (("S02", "sensor.tray_home.1"),)),
        works("tray_home.1"),
        cycles=2,
    ),
    Row("tray sensor stuck", "ready", sensor("stick", "tray_home.1"), (("W01", "tray.1"),), works("tray_home.1")),
    Row("slow tray", "ready", step("slow_lift", part="tray.1", times=1.5), (("W03", "tray.1"),), cycles=2),
    Row("stacks left", "ready", sensor("stick", "slot_loaded.1"), (("W06", "tray.1"),), works("slot_loaded.1")),
    # --- keys, outputs, current
    Row("stuck key", "shuffle", sensor("stick", "lift_key.0"), (("S03", "lift_key.0"),), works("lift_key.0")),
    Row(
        "dome sensor lost while the disc runs",
        "shuffle",
        sensor("blind", "dome_down"),
        (("O02", "*"),),
        works("dome_down"),
    ),
    Row(
        "emergency stop in a shuffle",
        "shuffle",
        step("press_emergency_stop"),
        (("E01", "table"),),
        step("release_emergency_stop"),
    ),
    Row(
        "emergency stop while walls rise",
        "raising",
        step("press_emergency_stop"),
        (("E01", "table"),),
        step("release_emergency_stop"),
    ),
    Row(
        "emergency stop while it opens",
        "opening",
        step("press_emergency_stop"),
        (("E01", "table"),),
        step("release_emergency_stop"),
    ),
    Row(
        "no current in a shuffle", "shuffle", step("cut_supply"), (("P03", "power"),), step("restore_supply"), retries=2
    ),
    Row("no current when it should open", "ready", step("cut_supply"), (("L01", "dome"),), step("restore_supply")),
    Row("no current while walls rise", "raising", step("cut_supply"), (("W05", "tray.*"),), step("restore_supply")),
    Row(
        *(
            "board lost when it should open",
            "ready",
            step("loosen_wire", name="dome_motor"),
            (("B01", "dome_motor"), ("E04", "*")),
        ),
        step("mend_wire", name="dome_motor"),
    ),
    Row(
        *("a motor on too long", "ready", (), (("O03", "tray_motor.*"),)),
        spec={"outputs": {"tray_motor": {"max_on_seconds": 1.0}}},
    ),
]


def changed(spec: MachineSpec, changes: Mapping[str, Any]) -> MachineSpec:
    """The table model with some values changed (None: taken out)."""
    data = spec.model_dump(by_alias=True)
    for part, values in changes.items():
        for key, value in values.items():
            if value is None:
                del data[part][key]
            elif isinstance(value, dict):
                data[part][key] |= value
            else:
                data[part][key] = value
    return MachineSpec.model_validate(data)


async def reach(rig: Rig, at: str) -> None:
    """Go on until the moment ``at``."""
    if at == "start":
        return
    if at == "shuffle":
        await rig.advance(8)
        return
    await rig.until(State.READY)
    if at == "ready":
        return
    await rig.press()
    if at == "opening":
        await rig.advance(0.4)
        return
    await rig.until(State.COLLECTING)
    if at == "closing":
        return
    rig.push_in()
    await rig.press()
    await rig.until(State.RAISING)
    await rig.advance(0.4)


async def people(rig: Rig, cycles: int) -> None:
    """Press and push as people do, until walls were raised so often from now on."""
    until = rig.machine.status.cycles + cycles
    while rig.machine.status.cycles < until and rig.machine.state is not State.FAULT:
        state = rig.machine.state
        if state is State.READY:
            await rig.press()
        elif state is State.COLLECTING:
            rig.push_in()
            await rig.press()
        await rig.advance(0.2)


def matches(found: tuple[str, str], expected: tuple[str, str]) -> bool:
    code, where = expected
    return found[0] == code and (
        found[1] == where or where == "*" or (where[-1] in "*?" and found[1].startswith(where[:-1]))
    )


@pytest.mark.parametrize("row", ROWS, ids=[row.name for row in ROWS])
async def test_fault(row: Row) -> None:
    spec = changed(load_machine(MACHINE), row.spec)
    async with Rig(spec=spec, degraded=row.degraded) as rig:
        tiles = len(rig.sim.world.kinds)
        still_on: list[str] = []
        rig.bus.subscribe(FaultRaised, lambda raised: watch_outputs(rig, raised, still_on))
        await people(rig, row.cycles)
        await reach(rig, row.at)
        for name, arguments in row.faults:
            assert inject(rig.sim, name, **arguments)
        await people(rig, 1)
        if rig.machine.state is not State.FAULT:
            await rig.until(State.READY)  # what is told at the end of a shuffle
        check_told(rig, row)
        assert len(rig.retried) == row.retries
        assert [r.number for r in rig.retried] == list(range(1, row.retries + 1))
        if any(catalogue()[code].severity is Severity.STOP for code, _ in row.told):
            assert rig.machine.state is State.FAULT
            await stands_still(rig)
            assert still_on == []
            await repair(rig, row)
        else:
            assert rig.machine.state is not State.FAULT
            await end_of_a_warning(rig, row)
        rig.raised.clear()
        await people(rig, 1)
        await rig.until(State.READY)
        assert [code for code, _ in rig.raised if catalogue()[code].severity is Severity.STOP] == []
        rig.sim.world.check()
        assert len(rig.sim.world.kinds) >= tiles
        lost = [tag for tag in rig.sim.tags if rig.sim.world.where(tag) in ("floor", "inside")]
        assert len(lost) == (1 if row.name == "a foreign tile" else 0)


def check_told(rig: Rig, row: Row) -> None:
    """Exactly what the row says (a fault of several trays may be told at each)."""
    told = [found for n, found in enumerate(rig.raised) if found not in rig.raised[:n]]
    for found in told:
        assert any(matches(found, expected) for expected in row.told), f"{found} was told: {rig.faults.active}"
    for expected in row.told:
        assert any(matches(found, expected) for found in told), f"{expected} was not told, but {told}"


def watch_outputs(rig: Rig, raised: FaultRaised, still_on: list[str]) -> None:
    if raised.fault.severity is Severity.STOP:
        loop = asyncio.get_running_loop()
        loop.call_later(SAFE_S, lambda: still_on.extend(n for n, output in rig.sim.outputs.items() if output.on))


async def stands_still(rig: Rig) -> None:
    """Nothing moves, whatever people press, until somebody cleared it and asked for it."""
    await rig.faults.settled()
    await rig.advance(SAFE_S)
    runs = len(rig.runs)
    ignored = len(rig.ignored)
    rig.assert_all_off()
    await rig.press()
    await rig.sim.press_lift(both=True)
    await rig.advance(30)
    rig.assert_all_off()
    assert len(rig.runs) == runs
    assert len(rig.ignored) > ignored or rig.sim.inputs["lift_key.0"].stuck_at is not None
    assert rig.machine.state is State.FAULT


async def repair(rig: Rig, row: Row) -> None:
    """A technician mends, clears, and lets it go on."""
    if row.name.startswith("emergency stop"):
        with pytest.raises(ClearRefused, match="still pressed"):
            rig.faults.clear("E01", by="technician")
    if row.name == "too long":
        rig.machine._procedure.shuffling._spec = load_machine(MACHINE)
    if row.name == "a motor on too long":
        await rig.machine.close()
        rig.spec = load_machine(MACHINE)
        for code in {fault.code for fault in rig.faults.active}:
            rig.faults.clear(code, by="technician")
        rig.machine = rig.new_machine()
        await rig.machine.start(lifting=True)
        return
    for name, arguments in row.mend:
        inject(rig.sim, name, **arguments)
    await rig.mend()
    if row.top_up:
        await rig.until(State.SHUFFLING, 5)
        await rig.sim.press_lift(both=True)
        await rig.until(State.PAUSED, 5)
        world = rig.sim.world
        for tag in (*world.tags("floor"), *world.tags("inside")):
            world.move(tag, "drum")
        if row.name == "nobody pushed them in":
            for tag in world.on_table():
                if world.set_of[tag] == "A":
                    world.move(tag, "drum")
        await rig.press()
    await rig.until(State.READY)


async def end_of_a_warning(rig: Rig, row: Row) -> None:
    """It ends by itself when its cause is gone; a sensor that was mended is believed again when a person says so."""
    for name, arguments in row.mend:
        inject(rig.sim, name, **arguments)
    if rig.machine.status.degraded:
        assert [f"sensor.{name}" for name in rig.machine.status.degraded] == [where for _, where in row.told]
        await rig.advance(1)
        for fault in rig.faults.active:
            rig.faults.clear(fault.code, by="technician")
        assert rig.machine.status.degraded == ()


def test_the_table_is_long_enough_and_has_every_fault_of_the_mechanics() -> None:
    told = {code for row in ROWS for code, _ in row.told}
    assert len(ROWS) >= 40
    mechanics = {code for code in catalogue() if code[0] in "LWDCHXOES" or code in ("R03", "B01", "P03")}
    # told elsewhere: programmes, restarts, sets over two shuffles, the register, drivers, the program itself
    elsewhere = {"C02", "C03", "C04", "C07", "X02", "X04", "O01", "E02", "E03", "S01"}
    assert mechanics - elsewhere <= told
