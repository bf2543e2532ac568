"""Every shipped file in hardware/ loads; what is made from them is up to date; mistakes are told with their place."""

from __future__ import annotations

import importlib.util
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from tablectl.documents import DocumentError
from tablectl.drivers.hardware_files import load_boards, load_wiring
from tablectl.drivers.hardware_pins import parse_pin
from tablectl.machine.description import load_machine
from tablectl.rules.registry import load as load_rules

ROOT = Path(__file__).parents[2]
HARDWARE = ROOT / "hardware"
MODELS = sorted(path.parent.name for path in HARDWARE.glob("*/machine.yaml"))


def make_wiring() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_wiring", ROOT / "docs" / "make_wiring.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_there_are_two_models_and_they_differ() -> None:
    assert {"reference-4port", "six-relay"} <= set(MODELS)


@pytest.mark.parametrize("model", MODELS)
def test_a_shipped_model_is_complete(model: str) -> None:
    """Every output and input of the machine has a wire, every zone of the table an antenna, every side a lane."""
    wiring = make_wiring().load(HARDWARE / model)
    machine = load_machine(HARDWARE / model / "machine.yaml")
    assert wiring.file.model == machine.model == model
    assert set(wiring.outputs) == {name for name, _ in machine.output_names()}
    assert set(wiring.inputs) == set(machine.input_names())
    zones = [zone for reader in wiring.readers for zone in reader.antennas.values()]
    assert sorted(zones) == sorted(f"{part}.{n}" for part in ("hand", "meld", "river") for n in range(4))
    assert sorted(reader.lane for reader in wiring.readers if reader.lane is not None) == [0, 1, 2, 3]
    assert any(supply.behind_deadman for supply in wiring.file.power)
    for supply in wiring.file.power:
        assert supply.fuse_amperes <= supply.amperes


@pytest.mark.parametrize("model", MODELS)
def test_pictures_rules_and_tables_are_those_of_the_files(model: str) -> None:
    for path, text in make_wiring().made(HARDWARE / model).items():
        assert path.read_text(encoding="utf-8") == text, f"{path.name}: run python docs/make_wiring.py"


@pytest.mark.parametrize("model", MODELS)
def test_the_drawing_is_a_picture_with_every_name(model: str) -> None:
    module = make_wiring()
    wiring = module.load(HARDWARE / model)
    text = (HARDWARE / model / "wiring.svg").read_text(encoding="utf-8")
    words = " ".join(element.text or "" for element in ET.fromstring(text).iter())
    for _, _, name, _ in wiring.pins():
        assert name in words


@pytest.mark.parametrize("model", MODELS)
def test_every_adapter_has_its_name_from_udev(model: str) -> None:
    wiring = make_wiring().load(HARDWARE / model)
    rules = (HARDWARE / model / "99-tablectl.rules").read_text(encoding="utf-8")
    named = dict(re.findall(r'KERNELS=="\*-([0-9.]+)", SYMLINK\+="(tablectl/[a-z0-9-]+)"', rules))
    ports = {bus.port for bus in wiring.file.buses.values()} | {reader.port for reader in wiring.readers}
    assert {f"/dev/{name}" for name in named.values()} == ports
    for line in rules.splitlines():
        assert not line or line.startswith("#") or re.fullmatch(r'(\S+(==|\+=|=)"[^"]*"(, )?)+', line), line


def test_every_board_is_named_after_its_file_and_of_use() -> None:
    boards = load_boards(HARDWARE / "boards")
    assert {path.stem for path in (HARDWARE / "boards").iterdir()} == set(boards)
    used = set()
    for model in MODELS:
        used |= {board.type for board in make_wiring().load(HARDWARE / model).file.boards.values()}
    assert used <= set(boards)


@pytest.mark.parametrize("rules", ["competition", "mcr", "tianjin"])
def test_keys_of_the_reference_table_that_a_rule_system_adds_can_be_wired(rules: str) -> None:
    known = {"dice", "chow", "pung", "kong", "win", "flower", "pass", "call", "ready"} | load_rules(
        rules
    ).play.extra_keys
    wiring = make_wiring().load(HARDWARE / "reference-4port")
    assert {key.key for key in wiring.file.keys} <= known | {"ready"}
    assert {(key.seat) for key in wiring.file.keys} == {0, 1, 2, 3}


# --- mistakes


OUTPUTS, INPUTS = ("dome_motor", "tray_motor.0", "tray_motor.1"), ("dome_down", "lift_key.0")
GOOD = """\
model: test
buses:
  motion: {port: /dev/tablectl/bus, baudrate: 9600}
boards:
  relays: {type: two, bus: motion, unit: 1}
usb: {bus: "1.1"}
outputs:
  dome_motor: relays.0
  tray_motor: gpio.17
inputs:
  dome_down: ^!gpio.4
  lift_key.0: {pin: relays.0, debounce_ms: 20}
deadman: {pin: gpio.21, drops_after_ms: 300}
dice: {kind: electronic}
power: []
parts: []
"""
BOARD = """\
name: two
source: a test
factory: unit 1
baudrates: [9600]
outputs: {count: 2}
inputs: {count: 2}
"""


@pytest.fixture
def told(tmp_path: Path) -> Callable[..., list[str]]:
    """Load a model with a wiring in which texts are replaced; what is told, without the folder."""

    def load(*changes: tuple[str, str], board: str = BOARD, readers: str = "readers: []\n") -> list[str]:
        text = GOOD
        for old, new in changes:
            assert old in text
            text = text.replace(old, new)
        (tmp_path / "boards").mkdir(exist_ok=True)
        (tmp_path / "model").mkdir(exist_ok=True)
        (tmp_path / "boards" / "two.yaml").write_text(board, encoding="utf-8")
        (tmp_path / "model" / "wiring.yaml").write_text(text, encoding="utf-8")
        (tmp_path / "model" / "readers.yaml").write_text(readers, encoding="utf-8")
        try:
            load_wiring(tmp_path / "model", OUTPUTS, INPUTS)
        except DocumentError as error:
            return [str(problem).replace(f"{tmp_path}/", "") for problem in error.problems]
        return []

    return load


def test_the_wiring_that_the_others_change_is_good(told: Callable[..., list[str]]) -> None:
    assert told() == []


ANOTHER = "unit: 1}\n  more: {type: two, bus: motion, unit: 1}"
PWM = "{pin: PIN, pwm: {hertz: 100, duty_percent: 50}}"
KICK = "power: []\npulses: {kick: {pin: PIN, longest_ms: 100}}"
KEYS = "power: []\nkeys:\n  - {seat: 0, key: win, pin: gpio.5}\n  - {seat: 0, key: win, pin: gpio.6}"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("gpio.17", "gpio.4", "11:3: inputs.dome_down: gpio.4 is wired to tray_motor already; a pin has"),
        ("tray_motor: gpio.17", "tray_motor: relays.0", "9:3: outputs.tray_motor: relays.0 is wired to dome_motor"),
        ("gpio.21", "gpio.17", "13:11: deadman.pin: gpio.17 is wired to tray_motor already"),
        ("gpio.17", "gpio.40", "9:15: outputs.tray_motor.pin: found 'gpio.40', expected gpio.2 to gpio.27"),
        ("gpio.17", "pin 17", "found 'pin 17', expected a pin: gpio.17 or relays.3"),
        (
            "dome_motor: relays.0",
            "dome_motor: relay.0",
            "8:3: outputs.dome_motor: no board 'relay'; expected one",
        ),
        ("dome_motor: relays.0", "dome_motor: relays.2", "relays.2: two has outputs: 2 (0 to 1)"),
        ("dome_motor: relays.0", "dome_motor: ^relays.0", "only pins of the header can be pulled; leave ^ out"),
        ("dome_motor:", "dom_motor:", "8:3: outputs.dom_motor: machine.yaml has no such output; did you mean"),
        ("dome_motor:", "dom_motor:", "7:1: outputs: no wire for dome_motor, which machine.yaml needs"),
        ("  dome_down: ^!gpio.4\n", "", "inputs: no wire for dome_down, which machine.yaml needs"),
        ("type: two", "type: tow", "5:12: boards.relays.type: no board 'tow' in hardware/boards (two); did"),
        ("bus: motion", "bus: motoin", "no bus 'motoin'; expected one of motion; did you mean 'motion'?"),
        ("baudrate: 9600", "baudrate: 19200", "boards.relays.bus: two does not know 19200 baud, but (9600,)"),
        ("unit: 1}", ANOTHER, "boards.more.unit: relays has address 1 on motion already"),
        ("unit: 1}", ANOTHER, "boards.more: nothing is wired to this board"),
        ("unit: 1}", "unit: 248}", "expected less than or equal to 247"),
        ("gpio.17", PWM.replace("PIN", "relays.1"), "outputs.tray_motor.pwm: relays.1 is a relay; expected a pin"),
        ("gpio.17", PWM.replace("PIN", "'!gpio.17'"), "!gpio.17 would be on when the PWM stops; expected no !"),
        ("gpio.21", "relays.1", "deadman.pin: expected a pin of the header: a board would go on by itself"),
        ("drops_after_ms: 300", "drops_after_ms: 10", "drops_after_ms must be at least three times toggle_ms (12)"),
        ('bus: "1.1"', 'bis: "1.1"', "usb.bis: no bus and no reader is on /dev/tablectl/bis"),
        ('bus: "1.1"', 'bis: "1.1"', "usb: no socket for /dev/tablectl/bus"),
        ("debounce_ms: 20", "debounce: 20", "inputs.lift_key.0.debounce: unknown key"),
        ("power: []", KEYS, "keys[1].key: seat 0 has a key 'win' already"),
        ("power: []", KICK.replace("PIN", "gpio.5"), "the header cannot end a pulse by itself"),
        ("power: []", KICK.replace("PIN", "relays.1"), "two cannot end a pulse by itself"),
        ("power: []", "power: []\nreserved: {17: a display}", "tray_motor: gpio.17 is wired to a display already"),
        ("power: []", "power: []\nreserved: {1: nothing}", "reserved[1]: expected 2 to 27"),
        ("kind: electronic", "kind: loaded", "dice"),
    ],
)
def test_a_mistake_is_told_with_its_place(told: Callable[..., list[str]], old: str, new: str, message: str) -> None:
    found = told((old, new))
    assert any(message in text for text in found), found
    assert all(re.match(r"model/wiring\.yaml:\d+:\d+: ", text) for text in found)


def test_all_mistakes_of_all_files_are_told_at_once(told: Callable[..., list[str]]) -> None:
    found = told(("unit: 1}", "unit: 1, colour: red}"), board=BOARD + "pulses: {coil: 0x0200}\n")
    assert sorted(found) == [
        "boards/two.yaml:7:9: pulses.longest: this key is missing",
        "boards/two.yaml:7:9: pulses.unit_ms: this key is missing",
        "model/wiring.yaml:5:45: boards.relays.colour: unknown key",
    ]


def test_mistakes_in_the_antenna_plan_are_told_too(told: Callable[..., list[str]]) -> None:
    readers = "readers:\n  - {name: a, driver: uhf_m1, port: /dev/tablectl/a, antennas: {1: hand.0}}\n"
    assert any("did you mean 'uhf_m100'?" in text for text in told(readers=readers))


def test_a_board_is_named_as_its_file_and_has_terminals(told: Callable[..., list[str]]) -> None:
    assert "name: found 'too', expected 'two' as in the file's name" in told(board=BOARD.replace("two", "too"))[0]
    without = BOARD.replace("outputs: {count: 2}\n", "").replace("inputs: {count: 2}\n", "")
    assert "a board has outputs, inputs or both" in told(board=without)[0]


def test_groups_stand_for_their_members(tmp_path: Path, told: Callable[..., list[str]]) -> None:
    assert told() == []
    wiring = load_wiring(tmp_path / "model", OUTPUTS, INPUTS)
    assert wiring.outputs["tray_motor.0"] is wiring.outputs["tray_motor.1"]
    assert wiring.outputs["tray_motor.0"].pin == parse_pin("gpio.17")
    both = ("tray_motor: gpio.17", "tray_motor: gpio.17\n  tray_motor.0: gpio.18\n  tray_motor.1: gpio.19")
    assert "outputs.tray_motor: all of its members have a wire of their own" in told(both)[0]
