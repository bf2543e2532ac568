"""A register in which a tile set is not whole: the table tells, and does not shuffle."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tablectl.announce.announcer import fault_values
from tablectl.announce.screens import screen
from tablectl.announce.texts import load_texts
from tablectl.app import Core
from tablectl.base.bus import Bus
from tablectl.base.clock import HandClock, LoopClock
from tablectl.base.faults import ClearRefused, FaultLatch
from tablectl.cli import app
from tablectl.core.console import fault_json
from tablectl.core.register import tell
from tablectl.core.running import assemble
from tablectl.core.site import load_site
from tablectl.machine.states import State
from tablectl.machine.status import CommandRefused
from tablectl.rules.registry import load
from tablectl.tiles.sets import TILE_SETS
from tablectl.tiles.tags import TagRegister, lacking, save_register
from tablectl.tiles.tile import Tile

ROOT = Path(__file__).parents[2]


def started(lost: int) -> Core:
    """A simulated table in whose register set A lacks so many tiles, from 5m on."""
    core = assemble(load_site(ROOT / "config" / "sim.yaml"), LoopClock(), seed=1)
    tags = core.backend.sets["A"]
    assert isinstance(tags, dict)
    for tag in sorted(tags, key=lambda tag: (tags[tag] < Tile.M5, tags[tag]))[:lost]:
        del tags[tag]
    return core


async def test_a_table_starts_into_a_fault_that_names_the_tiles_and_the_command() -> None:
    core = started(5)
    switched: list[str] = []
    for name, output in core.backend.outputs.items():
        output.connect(lambda on, name=name: switched.append(name) if on else None)  # type: ignore[attr-defined]
    working = asyncio.ensure_future(core.run())
    await asyncio.sleep(30)
    assert core.machine.state is State.FAULT
    assert switched == []
    (fault,) = core.faults.active
    assert (fault.code, fault.where, fault.detail) == ("X04", "A", "5m 五万 ×4, 6m 六万 ×1")
    page = fault_json(fault)
    for language, seen in (("zh", "未登记：5m 五万 ×4"), ("en", "Not enrolled: 5m 五万 ×4")):
        assert seen in page[language]["next"]
        assert "tablectl tags enroll A" in page[language]["next"]
    with pytest.raises(ClearRefused, match="tags enroll A, with the table stopped"):
        core.faults.clear("X04", "technician:Zhou")
    for command in (core.machine.resume, core.machine.lift, core.machine.shuffle):
        with pytest.raises(CommandRefused):
            command()
    core.stop()
    await working


@pytest.mark.parametrize("language", ["zh", "en"])
async def test_the_display_says_what_to_do(language: str) -> None:
    core = started(1)
    working = asyncio.ensure_future(core.run())
    await asyncio.sleep(1)
    (fault,) = core.faults.active
    shown = str(screen("fault", {"context": "", **fault_values(fault)}, load_texts(language), page=1))
    assert "5m 五万 ×1" in shown
    assert "tablectl tags enroll A" in shown
    core.stop()
    await working


async def test_a_whole_register_is_no_fault() -> None:
    core = started(0)
    working = asyncio.ensure_future(core.run())
    await asyncio.sleep(10)
    assert core.machine.state is State.SHUFFLING
    assert core.faults.active == ()
    core.stop()
    await working


def test_what_lacks() -> None:
    whole = {f"e004{n:012x}": tile for n, tile in enumerate(TILE_SETS["144"].tiles())}
    assert lacking({"green": whole}, TILE_SETS["144"]) == {}
    assert lacking({"green": whole}, TILE_SETS["136"]) == {}  # these rules leave the flowers out
    named = lacking({"green": {}, "blue": whole}, TILE_SETS["144"])
    assert list(named) == ["green"]
    assert named["green"].startswith("1m 一万 ×4, 2m 二万 ×4")
    assert named["green"].endswith("… +34")


# --- commands


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "table.yaml"
    path.write_text(
        f"table: new\nbackend: hardware\nmachine: {ROOT}/hardware/six-relay\ntiles: tiles.yaml\n"
        "rules: {id: competition}\njournal: {path: journal.sqlite}\nlink: {socket: link.sock}\n",
        encoding="utf-8",
    )
    return path


def enrol(config: Path, lost: int) -> None:
    tiles = load("competition").tile_set.tiles()
    tags = {f"e004{n:012x}": tile for n, tile in enumerate(tiles[lost:])}
    save_register(TagRegister({"green": tags}), config.with_name("tiles.yaml"))


def test_check_tells_what_a_register_lacks(config: Path) -> None:
    said = CliRunner().invoke(app, ["check", str(config)])
    assert said.exit_code == 0, said.output  # a new table has none yet
    enrol(config, lost=0)
    assert CliRunner().invoke(app, ["check", str(config)]).exit_code == 0
    enrol(config, lost=3)
    said = CliRunner().invoke(app, ["check", str(config)])
    assert said.exit_code == 2
    assert "tiles.yaml: sets.green: lacks 1m 一万 ×3 for competition" in said.output
    assert "tablectl tags enroll green, with the table stopped" in said.output


def test_an_empty_register_lacks_everything(config: Path) -> None:
    save_register(TagRegister({}), config.with_name("tiles.yaml"))
    said = CliRunner().invoke(app, ["check", str(config)])
    assert said.exit_code == 2
    assert "lacks 1m 一万 ×4, 2m 二万 ×4" in said.output
    faults = FaultLatch(Bus(), HandClock())
    tell({}, TILE_SETS["136"], faults)
    assert "tablectl tags enroll NAME" in faults.active[0].text("zh").next_step
