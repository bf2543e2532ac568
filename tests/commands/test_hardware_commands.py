"""``doctor``, ``selftest``, ``safe-off``: what they find, what they say, how they end."""

from __future__ import annotations

import asyncio
import json
import os
import pty
import shutil
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import typer
from fake_gpio import FakeGPIO, Header
from hardware_rig import HARDWARE, hardware, load_model
from typer.testing import CliRunner

from tablectl.base.clock import HandClock, LoopClock
from tablectl.base.faults import DeviceError
from tablectl.base.reports import LanePassed, ZoneRead
from tablectl.base.settings import SettingsError
from tablectl.commands import hardware as commands
from tablectl.commands.terminal import confirm
from tablectl.core import selftest
from tablectl.core.site import load_site
from tablectl.drivers import gpio_check, hardware_doctor
from tablectl.drivers.dice import ChamberDice
from tablectl.drivers.hardware import HardwareTable
from tablectl.drivers.hardware_wiring import ChamberDice as ChamberWires
from tablectl.sim.devices import SimInput, SimOutput
from tablectl.sim.display import MemorySound
from tablectl.sim.wire.modbus_board import Trouble

app = typer.Typer()
app.command()(commands.doctor)
app.command()(commands.selftest)
app.command(name="safe-off")(commands.safe_off)
clock = LoopClock()


def run(*args: object) -> Any:
    return CliRunner().invoke(app, [str(arg) for arg in args])


def config(tmp_path: Path, backend: str, model: str = "six-relay") -> Path:
    path = tmp_path / "table.yaml"
    tiles = "tiles: tiles.yaml\n" if backend == "hardware" else ""
    path.write_text(
        f"table: test\nbackend: {backend}\nmachine: {HARDWARE / model}\n{tiles}"
        "rules: {id: competition}\njournal: {path: journal.sqlite}\nlink: {socket: link.sock}\n",
        encoding="utf-8",
    )
    return path


# --- doctor


def test_doctor_names_what_is_wrong_and_the_command_that_mends_it(tmp_path: Path) -> None:
    done = run("doctor", config(tmp_path, "hardware"))
    assert done.exit_code == 1
    assert "WRONG   board: this machine is no Raspberry Pi" in done.output
    assert "WRONG   devices: /dev/tablectl/lane-0 (reader lane.0) is not there" in done.output
    assert "mend it with: sudo cp" in done.output
    found = json.loads(run("doctor", "--json", config(tmp_path, "hardware")).output)
    assert {entry["name"] for entry in found} >= {
        "configuration",
        "board",
        "groups",
        "devices",
        "disk",
        "clock",
        "Python",
    }
    assert all(entry["mend"] for entry in found if entry["state"] == "wrong")


def test_doctor_gives_no_advice_about_records_that_are_kept_in_memory() -> None:
    """The simulated tables write nothing: no folder is to be closed, no copy to be made."""
    said = run("doctor", HARDWARE.parent / "config" / "sim.yaml").output
    assert "records" not in said
    assert "chmod" not in said


def test_doctor_speaks_of_a_configuration_that_cannot_be_used(tmp_path: Path) -> None:
    done = run("doctor", tmp_path / "nowhere.yaml")
    assert done.exit_code == 1
    assert "WRONG   configuration: " in done.output
    assert f"mend it with: tablectl check {tmp_path}/nowhere.yaml" in done.output


def root_of_a_pi(tmp_path: Path, throttled: str = "0", cmdline: str = "root=/dev/mmcblk0p2") -> Path:
    for name, text in (
        ("proc/device-tree/model", "Raspberry Pi 5 Model B Rev 1.0\0"),
        ("proc/sys/kernel/osrelease", "6.12.47+rpt-rpi-2712\n"),
        ("proc/cmdline", cmdline),
        ("sys/devices/platform/soc/soc:firmware/get_throttled", f"{throttled}\n"),
        ("run/systemd/timesync/synchronized", ""),
        ("dev/i2c-1", ""),
    ):
        path = tmp_path / "root" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "root"


def test_a_pi_on_which_everything_is_fine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = root_of_a_pi(tmp_path)
    _, wiring = load_model("six-relay")
    for name in wiring.file.usb:
        (root / "dev/tablectl").mkdir(exist_ok=True)
        (root / "dev/tablectl" / name).write_text("")
    monkeypatch.setattr(gpio_check, "_has", lambda name: name == gpio_check.NEW)
    monkeypatch.setattr(hardware_doctor.shutil, "which", lambda program: f"/usr/bin/{program}")
    found = hardware_doctor.examine(wiring, tmp_path, HandClock(), root)
    assert [finding for finding in found if finding.state == "wrong"] == []
    assert {finding.name for finding in found if finding.state == "warning"} <= {"packages", "disk"}


def state(findings: Any) -> tuple[str, str, str]:
    (finding,) = findings
    return finding.state, finding.what, finding.mend


def test_groups() -> None:
    assert state(hardware_doctor.groups({"gpio", "dialout", "i2c", "spi"}))[0] == "fine"
    bad, what, mend = state(hardware_doctor.groups({"gpio", "i2c"}))
    assert (bad, what) == ("wrong", "this user is not in the groups dialout (serial adapters), spi (displays)")
    assert mend == "sudo usermod -aG dialout,spi $USER, then log in again"


def test_supply(tmp_path: Path) -> None:
    assert state(hardware_doctor.supply(root_of_a_pi(tmp_path)))[0] == "fine"
    assert state(hardware_doctor.supply(root_of_a_pi(tmp_path, "50005")))[:2] == (
        "wrong",
        "the voltage is too low now (0x50005)",
    )
    assert state(hardware_doctor.supply(root_of_a_pi(tmp_path, "50000")))[0] == "warning"
    assert list(hardware_doctor.supply(tmp_path / "no pi")) == []


def test_time_of_day(tmp_path: Path) -> None:
    root = root_of_a_pi(tmp_path)
    assert state(hardware_doctor.time_of_day(HandClock(), root))[0] == "fine"
    assert state(hardware_doctor.time_of_day(HandClock(), tmp_path))[0] == "warning"
    bad, what, mend = state(hardware_doctor.time_of_day(HandClock(start=0.0), root))
    assert (bad, what) == ("wrong", "the time of day was never set")
    assert "set-ntp true" in mend


def test_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def free(megabytes: int) -> None:
        monkeypatch.setattr(hardware_doctor.shutil, "disk_usage", lambda _: SimpleNamespace(free=megabytes * 1_000_000))

    for megabytes, expected in ((5000, "fine"), (500, "fine"), (499, "warning"), (50, "warning"), (49, "wrong")):
        free(megabytes)
        assert state(hardware_doctor.disk(tmp_path / "not" / "there" / "yet"))[0] == expected


def test_a_serial_console_on_wired_pins(tmp_path: Path) -> None:
    root = root_of_a_pi(tmp_path, cmdline="console=serial0,115200 console=tty1")
    _, six = load_model("six-relay")
    assert state(hardware_doctor.serial_console(six, root))[0] == "wrong"
    _, reference = load_model("reference-4port")  # does not use GPIO 14 and 15
    assert list(hardware_doctor.serial_console(reference, root)) == []
    assert list(hardware_doctor.serial_console(six, root_of_a_pi(tmp_path))) == []


# --- the wiring as a part of the configuration


def test_mistakes_in_the_wiring_are_mistakes_of_the_configuration(tmp_path: Path) -> None:
    shutil.copytree(HARDWARE, tmp_path / "hardware")
    model = tmp_path / "hardware" / "six-relay"
    path = config(tmp_path, "hardware")
    path.write_text(path.read_text().replace(str(HARDWARE), str(tmp_path / "hardware")), encoding="utf-8")
    assert load_site(path).settings.machine == model
    wiring = (model / "wiring.yaml").read_text(encoding="utf-8")
    (model / "wiring.yaml").write_text(wiring.replace("ready_lamp: gpio.21", "ready_lamp: gpio.20"), encoding="utf-8")
    with pytest.raises(SettingsError) as caught:
        load_site(path)
    (problem,) = caught.value.problems
    assert problem.source == f"{model}/wiring.yaml"
    assert problem.line > 1
    assert "outputs.ready_lamp: gpio.20 is wired to head_motor already" in problem.message


# --- selftest


async def yes(_question: str) -> bool:
    return True


async def results(rig: Any, answers: Any = yes, press: bool = True) -> dict[str, selftest.Result]:
    async def both() -> None:
        await rig.sim.press_lift(both=True)

    table = rig.table
    test = selftest.SelfTest(
        table.outputs, table.inputs, rig.spec, clock, answers, lambda text: None, both if press else None
    )
    return {result.name: result async for result in test.run()}


async def test_every_mechanism_of_a_table_in_good_order() -> None:
    async with hardware() as rig:
        await rig.table.open()
        asked: list[str] = []

        async def answers(question: str) -> bool:
            """A person thinks: the event loop goes on, or K1 would drop for good with the next motor."""
            await clock.sleep(5)
            asked.append(question)
            return True

        found = await results(rig, answers)
        assert rig.table.deadman.stopped == ""
        assert {result.state for result in found.values()} == {"fine"}
        travelling = ("dome_motor", "tray_motor", "ready_lamp")
        runners = [name for name, _ in rig.spec.output_names() if name.partition(".")[0] not in travelling]
        assert list(found) == [
            *("inputs", "keys and lamp", "dome down", "dome up", "dome down again"),
            *(f"tray.{n}" for n in range(4)),
            *runners,
        ]
        assert {"disc_motor", "ring_motor", "belt_motor.3", "head_motor.0"} <= set(runners)
        assert 1.0 < (found["dome up"].seconds or 0) < 2.5
        assert 2.0 < (found["tray.2"].seconds or 0) < 4.0
        assert asked[0] == "Is the ready lamp lit?"
        assert "dome up: hands away from the table. Go on?" in asked
        assert not any(output.on for output in rig.sim.outputs.values())


async def test_what_does_not_move_is_wrong_and_what_nobody_wants_is_left_out() -> None:
    async with hardware() as rig:
        await rig.table.open()
        rig.sim.inputs["tray_home.1"].stuck_at = True
        refused = {"disc_motor: runs for 2 s. Go on?", "Is the ready lamp lit?"}

        async def answers(question: str) -> bool:
            return question not in refused

        found = await results(rig, answers)
        assert found["keys and lamp"].what == "the lamp is not lit"
        assert found["tray.1"].what == "tray_home.1 is still on after 0.8 s: motor dead, or sensor stuck"
        assert found["disc_motor"].state == "skipped"
        assert "disc_motor" not in [name for name, result in found.items() if result.state == "fine"]


async def test_a_sensor_that_is_blind_is_named() -> None:
    async with hardware() as rig:
        await rig.table.open()
        rig.sim.inputs["dome_up"].stuck_at = False
        found = await results(rig)
        assert found["dome down"].what == "at dome_down already"
        assert "dome_up was not seen within 3.6 s: held on its way, or sensor blind" in found["dome up"].what
        assert not rig.sim.outputs["dome_motor"].on


async def test_keys_that_nobody_presses_are_named() -> None:
    async with hardware() as rig:
        await rig.table.open()
        rig.sim.inputs["lift_key.1"].drive(True)
        found = await results(rig, press=False)
        assert found["keys and lamp"].what == "lift_key.0 not seen within 30 s"


async def test_a_board_that_goes_silent_in_the_middle_is_told_not_raised() -> None:
    async with hardware() as rig:
        await rig.table.open()

        async def answers(question: str) -> bool:
            if question.startswith("belt_motor.2"):
                rig.board("relays").trouble = Trouble(silent=True)
            return True

        found = await results(rig, answers)
        assert found["belt_motor.1"].state == "fine"
        wrong = [name for name, result in found.items() if result.state == "wrong"]
        assert wrong == ["belt_motor.2", "belt_motor.3", *(f"head_motor.{n}" for n in range(4)), "outputs"]
        assert all("does not answer" in found[name].what for name in wrong)
        assert found["outputs"].what.endswith("Switch the table's power off.")


async def test_dice_in_the_self_test() -> None:
    async with hardware() as rig:
        assert (await selftest.dice(rig.table.dice)).state == "fine"
    motor, eye = SimOutput("motor"), SimInput("eye", clock)
    dead = await selftest.dice(ChamberDice(motor, eye, clock))
    assert (dead.state, motor.on) == ("wrong", False)
    motor.connect(lambda on: eye.drive(on))
    assert (await selftest.dice(ChamberDice(motor, eye, clock))).what == "lie still"


async def test_readers_in_the_self_test() -> None:
    async with hardware() as rig:
        (reader,) = rig.sim.readers
        found = await selftest.reader(reader)
        assert found.state == "fine"
        assert "hand.0: 0" in found.what


def test_the_command_drives_a_simulated_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tablectl.base import clock as clocks

    monkeypatch.setattr(asyncio, "run", clocks.run_virtual)
    done = run("selftest", config(tmp_path, "simulated", "reference-4port"), "--yes", "--json")
    found = json.loads(done.stdout)
    assert done.exit_code == 0
    assert {result["name"]: result["state"] for result in found}["dome up"] == "fine"
    assert [result["name"] for result in found[-5:]] == ["reader zones", *(f"lane.{n}" for n in range(4))]


async def test_nothing_moves_in_the_self_test_while_the_emergency_stop_is_pressed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = load_site(config(tmp_path, "hardware", "reference-4port")).settings
    async with hardware() as rig:
        monkeypatch.setattr("tablectl.core.backends.backend", lambda *_, **__: rig.table)
        rig.sim.emergency.drive(True)
        found: list[selftest.Result] = []
        await commands._selftest(settings, True, True, found)
        assert [(result.name, result.state) for result in found] == [("inputs", "fine"), ("faults", "wrong")]
        assert not any(output.on for output in rig.sim.outputs.values())


def test_an_answer_is_waited_for_while_the_loop_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    here, there = pty.openpty()
    typed = os.fdopen(there)
    monkeypatch.setattr("sys.stdin", typed)

    async def ask() -> tuple[bool, bool]:
        asked = asyncio.ensure_future(confirm("Did it turn?"))
        await asyncio.sleep(0.2)
        early = asked.done()
        os.write(here, b"n\n")
        return early, await asked

    try:
        assert asyncio.run(ask()) == (False, False)
    finally:
        typed.close()
        os.close(here)


class ShyReader:
    """A reader of three zones, told one by one, and a lane that is not plugged in."""

    name, backend = "seat0", "fake"

    async def open(self) -> None: ...

    async def close(self) -> None: ...

    async def inventories(self) -> AsyncIterator[tuple[ZoneRead, ...]]:
        while True:
            for zone in ("hand.0", "meld.0", "river.0"):
                await asyncio.sleep(0)
                yield (ZoneRead(0.0, zone, frozenset()),)


class LostLane:
    name, backend, side = "lane.2", "fake", 2

    async def open(self) -> None:
        raise DeviceError("lane.2", "/dev/tablectl/lane-2", "is not there")

    async def close(self) -> None: ...

    async def passages(self) -> AsyncIterator[LanePassed]:
        yield LanePassed(0.0, 2, "aa")


async def test_every_zone_and_every_lane_is_in_the_self_test() -> None:
    found = await selftest.reader(ShyReader())
    assert found.what == "tags by zone: hand.0: 0, meld.0: 0, river.0: 0"
    lost = await selftest.lane(LostLane())
    assert (lost.name, lost.state) == ("lane.2", "wrong")
    assert "is not there" in lost.what


def test_the_command_on_a_machine_without_the_hardware(tmp_path: Path) -> None:
    path = config(tmp_path, "hardware")
    (tmp_path / "tiles.yaml").write_text("sets: {}\n", encoding="utf-8")
    done = run("selftest", path, "--yes")
    assert done.exit_code == 1
    assert "tablectl selftest: " in done.output
    assert "this machine is no Raspberry Pi" in done.output


# --- safe-off


async def test_safe_off_reaches_the_motor_of_the_dice() -> None:
    machine, wiring = load_model("six-relay")
    pan = {"kind": "chamber", "motor": "!gpio.2", "eye": "gpio.3", "spin_seconds": 1.0}
    wiring = replace(wiring, file=wiring.file.model_copy(update={"dice": ChamberWires.model_validate(pan)}))
    header = Header()
    safe = {name: output.safe for name, output in machine.output_names()}
    table: HardwareTable[Any] = HardwareTable(wiring, safe, {}, {}, MemorySound(), clock, FakeGPIO(header))
    assert await table.safe_off() == []
    assert header.history[2] == [True, True]


def test_safe_off_reaches_every_output(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    header = Header()
    monkeypatch.setattr("tablectl.drivers.gpio._load", lambda: FakeGPIO(header))
    done = run("safe-off", config(tmp_path, "hardware"), "--state", tmp_path)
    assert (done.exit_code, done.output) == (0, "16 outputs are safe\n")
    relays = (5, 6, 13, 16, 19, 20)  # on at low level
    assert all(header.history[pin] and all(header.history[pin]) for pin in relays)
    assert header.history[21] == [False, False]


def test_safe_off_says_what_it_could_not_reach(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    header = Header()
    header.held.add(16)  # the table still runs
    monkeypatch.setattr("tablectl.drivers.gpio._load", lambda: FakeGPIO(header))
    done = run("safe-off", config(tmp_path, "hardware"), "--state", tmp_path, "--json")
    assert done.exit_code == 1
    told = json.loads(done.output)
    assert told["safe"] is False
    (error,) = told["errors"]
    assert error.startswith("ring_motor on !gpio.16: GPIO busy")
    assert header.history[20]  # the others were reached


def test_safe_off_of_boards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tablectl.drivers.gpio._load", lambda: FakeGPIO(Header()))
    done = run("safe-off", config(tmp_path, "hardware", "reference-4port"), "--state", tmp_path)
    assert done.exit_code == 1
    assert "bus.motion on /dev/tablectl/bus-motion: the port cannot be opened" in done.output
    assert "switch the table's power off" in done.output


def test_safe_off_has_nothing_to_do_at_a_simulated_table(tmp_path: Path) -> None:
    done = run("safe-off", config(tmp_path, "simulated"))
    assert done.exit_code == 0
    assert "nothing to switch off" in done.output


async def test_safe_off_reaches_the_boards_that_answer() -> None:
    async with hardware() as rig:
        rig.sim.outputs["dome_motor"].on = rig.sim.outputs["ready_lamp"].on = True
        rig.board("rows").trouble = Trouble(silent=True)
        (error,) = await rig.table.safe_off()
        assert "board.rows" in str(error)
        assert not rig.sim.outputs["dome_motor"].on
        assert not rig.sim.outputs["ready_lamp"].on
