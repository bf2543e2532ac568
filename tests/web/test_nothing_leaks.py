"""No message, answer, log or file that a spectator or a player can reach tells a tile that stands, or one of the wall.

`benchmarks/leaks.py` plays the same with many seeds.
"""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from watched_match import CODES, names_in, watched

from tablectl.rules import registry


@pytest.mark.slow
@pytest.mark.parametrize("rules", sorted(registry.RULE_SETS))
async def test_a_match_tells_only_what_lies_open(rules: str, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, logger="tablectl")
    core, audience = await watched(rules, seed=5, folder=tmp_path, hands=1)
    wrong = [f"{watcher.name}: {line}" for watcher in audience.watchers for line in watcher.wrong]
    assert wrong == []
    assert all(watcher.heard > 60 for watcher in audience.watchers)
    assert [socket.closed for socket in audience.sockets] == [None] * 7
    kept = caplog.text + files(tmp_path)
    assert not [tag for tag in core.backend.tags if tag in kept]


def files(folder: Path) -> str:
    """All that the page's process keeps."""
    return "".join(path.read_bytes().decode("latin-1") for path in folder.glob("*.sqlite*"))


def test_the_search_finds_tiles_wherever_they_are_named() -> None:
    told = {"a": [{"tile": "5m"}, None], "detail": "holds 123m45p E, not 7s", "wind": "E", "b": {"c": "P"}}
    assert sorted(set(names_in(told))) == ["1m", "2m", "3m", "4p", "5m", "5p", "7s", "P"]
    assert len(CODES) == 42
