"""machine.yaml: the shipped one is whole, a wrong one says everything that is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
from simulated_table import MACHINE, ROOT
from transitions import MachineError

from tablectl.machine.description import MachineFileError, load_machine
from tablectl.machine.states import TRANSITIONS, Cycle, State
from tablectl.sim.machinery import INPUTS, OUTPUTS


@pytest.mark.parametrize("path", sorted((ROOT / "hardware").glob("*/machine.yaml")), ids=lambda path: path.parent.name)
def test_every_shipped_description_loads(path: Path) -> None:
    spec = load_machine(path)
    assert spec.model == path.parent.name
    assert all(not output.safe for _, output in spec.output_names())
    assert all(output.interlocks for name, output in spec.output_names() if "_motor" in name)


def test_the_simulated_table_has_what_the_reference_table_has() -> None:
    spec = load_machine(MACHINE)
    assert sorted(name for name, _ in spec.output_names()) == sorted(OUTPUTS)
    assert sorted(spec.input_names()) == sorted(INPUTS)


def broken(tmp_path: Path, *replacements: tuple[str, str]) -> Path:
    text = MACHINE.read_text(encoding="utf-8")
    for old, new in replacements:
        assert old in text
        text = text.replace(old, new, 1)
    path = tmp_path / "machine.yaml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("    max_on_seconds: 5\n", "", "outputs.dome_motor.max_on_seconds is missing"),
        ("{input: dome_down, is: true}", "{input: dome_dwn, is: true}", "names input 'dome_dwn', which does not exist"),
        ("{output: disc_motor, is: false}", "{is: false}", "name one output or one input"),
        ("  dome_up: {}\n", "", "inputs.dome_up is missing"),
        ("max_on_seconds: 5", "max_on_seconds: 3", "longer than outputs.dome_motor.max_on_seconds"),
        ("soft_seconds: 2.0", "soft_seconds: 9", "expected leave_seconds < soft_seconds < hard_seconds"),
        ("silent_seconds: 12", "silent_second: 12", "shuffle.silent_second"),
        ("max_on_seconds: 8", "max_on_seconds: -8", "outputs.tray_motor.max_on_seconds"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, old: str, new: str, message: str) -> None:
    path = broken(tmp_path, (old, new))
    with pytest.raises(MachineFileError) as caught:
        load_machine(path)
    assert message in str(caught.value)
    assert str(path) in str(caught.value)


def test_all_mistakes_at_once(tmp_path: Path) -> None:
    path = broken(tmp_path, ("silent_seconds: 12", "silent_seconds: 0"), ("both_seconds: 0.3", "both_second: 0.3"))
    with pytest.raises(MachineFileError) as caught:
        load_machine(path)
    assert "shuffle.silent_seconds" in str(caught.value)
    assert "keys.both_second" in str(caught.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(MachineFileError, match="No such file"):
        load_machine(tmp_path / "machine.yaml")


# --- the table of transitions


def test_every_state_has_a_way_in_and_out_and_to_the_fault() -> None:
    for state in State:
        assert any(state in sources for _, sources, _ in TRANSITIONS), state
        assert any(dest is state for _, _, dest in TRANSITIONS), state
        if state is not State.FAULT:
            assert any(trigger == "fail" and state in sources for trigger, sources, _ in TRANSITIONS)
    assert [(trigger, dest) for trigger, sources, dest in TRANSITIONS if State.FAULT in sources] == [
        ("clear", State.IDLE)
    ]


def test_an_illegal_trigger_raises_and_changes_nothing() -> None:
    entered: list[State] = []
    cycle = Cycle(lambda: entered.append(cycle.state))
    with pytest.raises(MachineError):
        cycle.step("raised")
    assert cycle.state is State.IDLE
    cycle.step("start")
    assert entered == [State.HOMING]
