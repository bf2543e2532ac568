"""The support bundle: enough to help, and not one word, tag, tile, seal or name of the table that made it."""

from __future__ import annotations

import asyncio
import json
import re
import tarfile
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tablectl.base.clock import HandClock, LoopClock, run_virtual
from tablectl.base.journal import Journal
from tablectl.cli import app
from tablectl.core import bundle as bundles
from tablectl.core.logbook import Logbook
from tablectl.core.redact import HIDDEN, Redactor
from tablectl.core.running import assemble
from tablectl.core.site import load_site

ROOT = Path(__file__).parents[2]
WORDS = ("word-of-the-referee", "word-of-the-operator", "word-for-metrics")
NAMES = ("张三丰", "李时珍", "Zhao Yun", "Qian Qi")


async def _play(config: Path) -> dict[str, Any]:
    """A hand at a simulated table with everything that it keeps; what it knew."""
    site = load_site(config)
    core = assemble(site, LoopClock(), 1)
    Logbook(core)
    running = asyncio.create_task(core.run())
    await core.backend.finished.wait()  # type: ignore[attr-defined]
    await asyncio.sleep(20)  # what is still weighed
    core.faults.raise_fault("reader_lost", "reader.east", f"tag {min(core.backend.tags)} on 192.168.1.77")
    core.stop()
    await running
    return {"tags": dict(core.backend.tags)}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    folder = tmp_path_factory.mktemp("site")
    text = (ROOT / "config" / "sim.yaml").read_text(encoding="utf-8")
    for old, new in (
        ("../hardware", str(ROOT / "hardware")),
        ('":memory:"', str(folder / "journal.sqlite")),
        ("/tmp/tablectl-sim.sock", str(folder / "link.sock")),
        ("trace: off", f"trace: on\ntraces: {{folder: {folder}/traces}}"),
        ("simulated-referee", WORDS[0]),
        ("simulated-operator", WORDS[1]),
        ("  port: 8080", f"  port: 8080\n  metrics_token: {WORDS[2]}"),
        ("[林, 陈, 王, 赵]", f"[{', '.join(NAMES)}]"),
        ("noise: normal", "noise: clean"),
        ("  tempo: 1", "  tempo: 1\n  hands: 1"),
    ):
        assert old in text, old
        text = text.replace(old, new)
    (folder / "table.yaml").write_text(text, encoding="utf-8")
    return folder, run_virtual(_play(folder / "table.yaml"), limit_s=4 * 3600)


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch, site: tuple[Path, dict[str, Any]]) -> str:
    """What the log says at its most careless."""
    tag = min(site[1]["tags"])
    said = (
        f"tablectl[1]: tag {tag} in hand.0; token {WORDS[0]}; from 192.168.1.77; {tag.upper()}; {NAMES[2]} logged in\n"
    )
    monkeypatch.setattr(bundles, "_log", lambda: said)
    return said


def made(site: tuple[Path, dict[str, Any]], file: Path) -> dict[str, str]:
    done = CliRunner().invoke(app, ["bundle", str(file), "--config", str(site[0] / "table.yaml"), "--json"])
    assert done.exit_code == 0, done.output
    with tarfile.open(file) as tar:
        texts = {m.name.partition("/")[2]: tar.extractfile(m).read().decode() for m in tar.getmembers()}  # type: ignore[union-attr]
    assert list(texts) == json.loads(done.output)["parts"]
    return texts


def test_nothing_secret_is_in_it(site: tuple[Path, dict[str, Any]], log: str, tmp_path: Path) -> None:
    texts = made(site, tmp_path / "bundle.tar.gz")
    whole = "\n".join(texts.values())
    low = whole.lower()
    assert (tmp_path / "bundle.tar.gz").stat().st_mode & 0o777 == 0o600
    assert [word for word in (*WORDS, *NAMES, "192.168.1.77") if word.lower() in low] == []
    tags = site[1]["tags"]
    assert len(tags) > 250
    assert [tag for tag in tags if tag.lower() in low] == []
    assert re.findall(r"\b[0-9a-f]{8,}\b", re.sub(r"\b\d+\b", "", low)) == []  # nor a digest, nor a salt
    with Journal(site[0] / "journal.sqlite", HandClock(), read_only=True) as journal:
        events = list(journal.read())
        digests = {entry.data["digest"] for entry in events if entry.type == "commitment"}
    assert digests
    assert [digest for digest in digests if digest in low] == []
    # of the hands themselves not one event went in, so no order of tiles
    assert {entry.type for entry in events} >= {"dahai", "tsumo", "end_kyoku"}
    types = {json.loads(line).get("type") for line in texts["facts.jsonl"].splitlines()}
    assert types <= {None, *bundles.FACTS}
    for field in ("tehais", "pai", "built", "hand", "wall_tiles", "throws", "secret"):
        assert f'"{field}":' not in whole, field


def test_what_helps_is_in_it(site: tuple[Path, dict[str, Any]], log: str, tmp_path: Path) -> None:
    texts = made(site, tmp_path / "bundle.tar.gz")
    assert json.loads(texts["about.json"])["tablectl"]
    configuration = json.loads(texts["configuration.json"])
    assert configuration["backend"] == "simulated"
    assert configuration["players"] == HIDDEN
    assert configuration["web"]["tokens"] == HIDDEN
    facts = [json.loads(line) for line in texts["facts.jsonl"].splitlines()]
    assert facts[0]["events"]["end_kyoku"] == 1
    assert {fact["type"] for fact in facts[1:]} >= {"begun", "ended", "fault", "reading", "upkeep"}
    (lost,) = (fact for fact in facts if fact.get("code") == "R01")
    assert lost["detail"].startswith("tag id-")
    assert json.loads(texts["report.json"])["hands"] in (0, 1)  # a virtual table played in another year
    assert json.loads(texts["status.json"])["running"] is False
    assert {entry["name"] for entry in json.loads(texts["doctor.json"])} >= {"configuration", "disk", "Python"}
    assert "journal.sqlite" in texts["files.txt"]
    assert "max_on_seconds" in texts["machine/machine.yaml"]
    assert re.match(
        r"tablectl\[1\]: tag (id-\w+) in hand\.0; token \(taken out\); from \(taken out\); \1; \(taken out\) logged",
        texts["log.txt"],
    )


def test_it_goes_over_nothing_and_is_made_without_a_configuration(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("mine")
    done = CliRunner().invoke(app, ["bundle", str(tmp_path / "taken"), "--config", str(tmp_path / "none.yaml")])
    assert (done.exit_code, (tmp_path / "taken").read_text()) == (1, "mine")
    done = CliRunner().invoke(app, ["bundle", str(tmp_path / "b.tar.gz"), "--config", str(tmp_path / "none.yaml")])
    assert done.exit_code == 0
    with tarfile.open(tmp_path / "b.tar.gz") as tar:
        assert "tablectl-bundle/doctor.json" in tar.getnames()


def test_what_is_taken_out() -> None:
    clean = Redactor(["hush-hush"])
    assert clean.text("E0:04:01:50:00:a1 and e00401500a1 and hush-hush!").count("id-") == 2
    assert "hush" not in clean.text("x=hush-hush!")
    assert (
        clean.text("zone hand.0: 1300 of 1313, 0.99 s, 2026-01-02") == "zone hand.0: 1300 of 1313, 0.99 s, 2026-01-02"
    )
    assert clean.text("e004015000a1b201") == clean.text("E004015000A1B201") != Redactor().text("e004015000a1b201")
    assert clean.data({"web": {"api_token": "x", "port": 80, "Password": 5, "key": ""}, "l": ["hush-hush"]}) == {
        "web": {"api_token": HIDDEN, "port": 80, "Password": HIDDEN, "key": ""},
        "l": [HIDDEN],
    }
