"""The examples of docs/api.md do what they say."""

from __future__ import annotations

import asyncio
import re
import shutil
import subprocess
from itertools import islice
from pathlib import Path

import pytest
from browser import served
from played import PlayedCore, sealed_hand

from tablectl.client import Table
from tablectl.web.settings import Tokens, WebSettings

pytestmark = pytest.mark.real_time

TEXT = (Path(__file__).parents[2] / "docs" / "api.md").read_text(encoding="utf-8")
ADDRESS = "http://localhost:8080"
SETTINGS = WebSettings(tokens=Tokens.model_validate({"referee": "simulated-referee"}))


def examples(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", TEXT, re.DOTALL)


async def test_they_run_as_they_stand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Table, "follow", lambda table, follow=Table.follow: islice(follow(table), 2))
    core = PlayedCore(tmp_path / "core.sock")
    await core.start()
    core.play(*sealed_hand())
    async with served(SETTINGS, core.path) as url:
        names: dict[str, object] = {}
        for text in examples("python"):
            code = text.replace(ADDRESS, url).replace("hand_page(3", "hand_page(1")
            await asyncio.to_thread(exec, compile(code, "docs/api.md", "exec"), names)
        await asyncio.to_thread(names.pop("table").__class__, url)  # the client has no connection that stays
        assert [method for method, _ in core.said] == ["referee.penalty"]
        if shutil.which("curl"):
            for text in examples("sh"):
                await asyncio.to_thread(shell, text.replace(ADDRESS, url), tmp_path)
            assert [method for method, _ in core.said] == ["referee.penalty"] * 2
    assert "<!doctype html>" in await asyncio.to_thread((tmp_path / "hand-3.html").read_text, "utf-8")
    await core.stop()
    core.journal.close()
    await asyncio.get_running_loop().shutdown_default_executor()


def shell(text: str, folder: Path) -> None:
    """The commands of an example; ``jq`` is not everywhere."""
    script = re.sub(r" \| jq [^\n]*", "", text).replace("hands/3", "hands/1")
    done = subprocess.run(["sh", "-ec", script], cwd=folder, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert '"error"' not in done.stdout
