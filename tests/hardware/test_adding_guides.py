"""What the guides tell to do is done here: the board and the table model of their examples work."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from hardware_rig import HARDWARE
from modbus_rig import rig

from tablectl.drivers.hardware_files import load_boards, load_wiring
from tablectl.drivers.hardware_pins import Pin
from tablectl.machine.description import load_machine

DOCS = HARDWARE.parent / "docs"


async def test_the_board_of_the_guide_is_loaded_and_driven(tmp_path: Path) -> None:
    """docs/adding-a-board.md: one file, no code."""
    text = (DOCS / "adding-a-board.md").read_text("utf-8")
    example = re.search(r"```yaml\n(name: (\S+).*?)```", text, re.DOTALL)
    assert example is not None
    (tmp_path / f"{example[2]}.yaml").write_text(example[1], "utf-8")
    kind = load_boards(tmp_path)[example[2]]
    async with rig(kind, count=4) as made:
        relay = made.board.output("dome_motor", Pin("io", 0))
        eye = made.board.input("eye", Pin("io", 3))
        await made.bus.open()
        await relay.set(True)
        assert [motor.on for motor in made.motors] == [True, False, False, False]
        made.sensors[3].drive(True)
        await made.bus._clock.sleep(0.1)
        assert await eye.read() is True
        await relay.set(False)


def test_the_model_of_the_guide_is_a_copy_with_its_own_name(tmp_path: Path) -> None:
    """docs/adding-a-table-model.md, step 1."""
    shutil.copytree(HARDWARE / "boards", tmp_path / "boards")
    mine = Path(shutil.copytree(HARDWARE / "six-relay", tmp_path / "my-model"))
    for file in ("machine.yaml", "wiring.yaml"):
        text = (mine / file).read_text("utf-8")
        (mine / file).write_text(text.replace("model: six-relay", "model: my-model"), "utf-8")
    machine = load_machine(mine / "machine.yaml")
    wiring = load_wiring(mine, [name for name, _ in machine.output_names()], list(machine.input_names()))
    assert (machine.model, wiring.file.model) == ("my-model", "my-model")
