"""Which GPIO package fits which Raspberry Pi: the right words for every combination."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from fake_gpio import FakeGPIO, Header, rpi_lgpio

from tablectl.base.clock import LoopClock
from tablectl.base.faults import DeviceError
from tablectl.drivers import gpio_check
from tablectl.drivers.gpio import Gpio
from tablectl.drivers.gpio_check import NEW, OLD, GpioFacts, findings, gather, module_finding
from tablectl.drivers.hardware_pins import parse_pin

PI4, PI5 = "Raspberry Pi 4 Model B Rev 1.4", "Raspberry Pi 5 Model B Rev 1.0"


def facts(*installed: str, model: str = PI4, kernel: tuple[int, int] = (6, 12), lg_writable: bool = True) -> GpioFacts:
    return GpioFacts(model, kernel, frozenset(installed), Path("/run/tablectl"), lg_writable)


@pytest.mark.parametrize(
    ("these", "state", "what", "mend"),
    [
        (facts(NEW), "fine", "rpi-lgpio fits", ""),
        (facts(NEW, model=PI5), "fine", "rpi-lgpio fits", ""),
        (facts(OLD, kernel=(6, 1)), "fine", "RPi.GPIO fits", ""),
        (facts(OLD, kernel=(6, 6)), "warning", "RPi.GPIO has no edges on kernel 6.6", gpio_check.USE_NEW),
        (facts(OLD, model=PI5, kernel=(6, 1)), "wrong", "RPi.GPIO cannot work on a Raspberry Pi 5", gpio_check.USE_NEW),
        (facts(OLD, NEW), "wrong", "both installed; they own the same files", gpio_check.USE_NEW),
        (facts(), "wrong", "rpi-lgpio is not installed", "pip install 'tablectl[pi5]'"),
        (facts(kernel=(6, 1)), "wrong", "RPi.GPIO is not installed", "pip install 'tablectl[pi]'"),
    ],
)
def test_packages(these: GpioFacts, state: str, what: str, mend: str) -> None:
    board, package, *rest = findings(these)
    assert (board.state, package.name, package.state, rest) == ("fine", "GPIO package", state, [])
    assert what in package.what
    assert package.mend == mend


def test_a_machine_that_is_no_raspberry_pi() -> None:
    board, *_ = findings(facts(NEW, model=""))
    assert (board.state, board.what, board.mend) == (
        "wrong",
        "this machine is no Raspberry Pi",
        "set backend: simulated here",
    )


def test_a_folder_where_lgpio_cannot_make_its_pipe() -> None:
    *_, folder = findings(facts(NEW, lg_writable=False))
    assert (folder.name, folder.state) == ("LG_WD", "wrong")
    assert "/run/tablectl, which is not writable" in folder.what
    assert len(findings(facts(OLD, kernel=(6, 1), lg_writable=False))) == 2  # RPi.GPIO has no pipe


def test_the_module_that_was_loaded_is_of_the_installed_package() -> None:
    old = FakeGPIO(Header())
    assert module_finding(old, facts(OLD)).what == "RPi.GPIO 0.7.1 of RPi.GPIO"
    with rpi_lgpio(Header()) as new:
        assert module_finding(new, facts(NEW)).what == "RPi.GPIO 0.7.2 of rpi-lgpio"
    stale = module_finding(old, facts(NEW))
    assert (stale.state, stale.mend) == ("wrong", gpio_check.USE_NEW)


def test_the_facts_of_a_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "proc/device-tree").mkdir(parents=True)
    (tmp_path / "proc/device-tree/model").write_bytes(PI5.encode() + b"\0")
    (tmp_path / "proc/sys/kernel").mkdir(parents=True)
    (tmp_path / "proc/sys/kernel/osrelease").write_text("6.12.47+rpt-rpi-2712\n")
    monkeypatch.setenv("LG_WD", str(tmp_path))
    monkeypatch.setattr(gpio_check, "_has", lambda name: name == NEW)
    assert gather(tmp_path) == GpioFacts(PI5, (6, 12), frozenset({NEW}), tmp_path, True)
    empty = gather(tmp_path / "nothing")
    assert (empty.model, empty.kernel) == ("", (0, 0))


async def test_a_machine_without_gpio_is_told_all_that_is_wrong(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(gpio_check, "gather", lambda: facts(OLD, NEW, model="", lg_writable=False))
    with pytest.raises(DeviceError) as caught:
        await Gpio(LoopClock()).output("lamp", parse_pin("gpio.4")).open()
    assert "this machine is no Raspberry Pi; RPi.GPIO and rpi-lgpio are both installed" in str(caught.value)
    assert "Mend it with: set backend: simulated here; pip uninstall -y" in caught.value.next_step
    assert "LG_WD=/run/tablectl" in caught.value.next_step


async def test_the_installed_module_is_loaded_at_first_use(monkeypatch: pytest.MonkeyPatch) -> None:
    header = Header()
    monkeypatch.setattr(gpio_check, "gather", lambda: facts(NEW, model=PI5))
    with rpi_lgpio(header):
        output = Gpio(LoopClock()).output("lamp", parse_pin("gpio.4"))
        await output.open()
        await output.set(True)
        assert header.driven == {4: True}
        await output.close()


async def test_a_module_that_does_not_load_is_a_device_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpio_check, "gather", lambda: facts(NEW))

    def broken(name: str) -> None:
        raise RuntimeError("This module can only be run on a Raspberry Pi!")

    monkeypatch.setattr("tablectl.drivers.gpio.importlib", SimpleNamespace(import_module=broken))
    with pytest.raises(DeviceError, match=r"RPi\.GPIO does not load: This module can only be run"):
        Gpio(LoopClock()).module()


def test_a_chip_that_cannot_be_opened_is_a_device_error() -> None:
    class Closed(FakeGPIO):
        def setmode(self, mode: int) -> None:
            raise OSError("can not open gpiochip")

    with pytest.raises(DeviceError, match=r"gpio on /dev/gpiochip\*: cannot be opened: .*group gpio"):
        Gpio(LoopClock(), Closed(Header())).module()
