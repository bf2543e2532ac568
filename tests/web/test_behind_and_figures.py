"""Spectators who are behind, tables that show results only, and the figures for Prometheus."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from console_table import OPERATOR, REFEREE, client, play, table
from played import OPENING, PLAY
from test_accounts import heard
from websockets.asyncio.client import connect

from tablectl.game import actions as act

pytestmark = pytest.mark.real_time

DELAY_S = 1.5
DRAW = act.Rule(t=0, do="draw_hand", by="r", reason="fire")
#: whatever tells something of the match
PATHS = (*(f"/api/{name}" for name in ("hands", "faults", "sheet", "events", "hands/1", "state")), "/sheet")


def ws(url: str) -> Any:
    return connect(url.replace("http", "ws") + "/ws")


async def until(ask: Any, wanted: Any) -> None:
    async with asyncio.timeout(30):
        while await ask() != wanted:  # noqa: ASYNC110 - asked as a client asks
            await asyncio.sleep(0.05)


async def test_spectators_are_behind_in_everything_and_staff_is_not(tmp_path: Path) -> None:
    async with (
        table(tmp_path, spectator_delay_seconds=DELAY_S) as (core, url),
        client(url) as spectator,
        client(url, token=OPERATOR) as operator,
    ):
        loop = asyncio.get_running_loop()
        assert (await spectator.get("/api/session")).json()["delay_seconds"] == DELAY_S
        assert (await operator.get("/api/session")).json()["delay_seconds"] == 0
        early = await spectator.get("/api/state")
        assert (early.status_code, "behind" in early.text) == (503, True)
        async with ws(url) as socket:
            tick = await heard(socket, "tick")
            assert tick["delay"] == DELAY_S
            assert 0 <= tick["held"] <= DELAY_S  # until there is something so old to show
            first = await heard(socket, "state")
            assert (first["delay"], first["seq"]) == (DELAY_S, 0)
            begun = loop.time()
            play(core, [*OPENING, *PLAY, DRAW])
            assert len((await operator.get("/api/hands")).json()["result"]) == 1
            asked = dict(zip(PATHS, await asyncio.gather(*map(spectator.get, PATHS)), strict=True))
            told = {path: answer.json() for path, answer in asked.items() if path.startswith("/api/")}
            assert told["/api/hands"]["result"] == told["/api/faults"]["result"] == []
            assert told["/api/sheet"]["result"]["sheets"] == told["/api/events"]["events"] == []
            assert asked["/api/hands/1"].status_code == 422
            assert told["/api/state"]["seq"] == 0
            assert "fire" not in asked["/sheet"].text
            assert core.table.last_seq > 0
            update = await heard(socket, "update")
            assert loop.time() - begun >= DELAY_S - 0.05
            assert update["events"][0]["seq"] == 1

        async def hands() -> int:
            return len((await spectator.get("/api/hands")).json()["result"])

        await until(hands, 1)
        assert (await spectator.get("/api/hands/1")).status_code == 200


async def test_results_only_keeps_hands_and_wall_for_the_referee(tmp_path: Path) -> None:
    async with (
        table(tmp_path, records="results") as (core, url),
        client(url) as spectator,
        client(url, token=OPERATOR) as operator,
        client(url, token=REFEREE) as referee,
    ):
        play(core, [*OPENING, *PLAY, DRAW, act.RevealWall(t=0, wall=(None,) * 144)])
        assert core.table.events[-1].type == "wall"
        for one in (spectator, operator):
            assert (await one.get("/api/session")).json()["records"] == "results"
            assert len((await one.get("/api/hands")).json()["result"]) == 1
            assert (await one.get("/api/sheet")).status_code == 200
            for path in ("", "/playback", "/page", "/export?form=record"):
                assert (await one.get(f"/api/hands/1{path}")).status_code == 403
            kinds = {event["type"] for event in (await one.get("/api/events")).json()["events"]}
            assert "end_kyoku" in kinds or one is spectator
            assert not kinds & {"wall", "opened"}
        assert (await referee.get("/api/hands/1")).status_code == 200
        assert "wall" in {event["type"] for event in (await referee.get("/api/events")).json()["events"]}


async def test_figures_are_for_owners_and_for_who_has_the_word(tmp_path: Path) -> None:
    async with table(tmp_path, metrics_token="prometheus-word") as (core, url):
        play(core, [*OPENING, *PLAY, DRAW])
        for login in ({}, {"token": REFEREE}):
            async with client(url, **login) as one:
                assert (await one.get("/metrics")).status_code == 401
                wrong = {"Authorization": "Bearer prometheus-wort"}
                assert (await one.get("/metrics", headers=wrong)).status_code == 401
        async with client(url, token=OPERATOR) as operator:
            assert (await operator.get("/metrics")).status_code == 200
        async with client(url) as program, ws(url) as socket:
            await heard(socket, "state")
            answer = await program.get("/metrics", headers={"Authorization": "Bearer prometheus-word"})
            assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
            figures = {
                line.rpartition(" ")[0]: float(line.rpartition(" ")[2])
                for line in answer.text.splitlines()
                if not line.startswith("#")
            }
            assert figures["tablectl_hands_total"] == 1
            assert figures["tablectl_events_total"] == core.table.last_seq
            assert figures["tablectl_core_up"] == 1
            assert figures['tablectl_web_pages{role="spectator"}'] == 1
            assert figures["tablectl_link_clients"] == 2
            assert figures['tablectl_faults_standing{severity="stop"}'] == 0
            assert 0 <= figures["tablectl_loop_lag_seconds"] < 60
            described = {line.split()[2] for line in answer.text.splitlines() if line.startswith("# TYPE")}
            assert {name.partition("{")[0] for name in figures} <= described
            state = json.dumps((await program.get("/api/health")).json())
            assert json.loads(state)["core"] is True
