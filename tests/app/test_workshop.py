"""Faults of the simulated table, programme and details of the machine, over the link of a whole core."""

from __future__ import annotations

from pathlib import Path

import pytest
from linked_core import running

from tablectl.app import Core
from tablectl.link.protocol import RpcError
from tablectl.machine.states import State
from tablectl.sim.faults import FAULTS

BY = {"by": "technician:Zhou"}


async def until(core: Core, state: State) -> None:
    while core.machine.state is not state:
        await core.clock.sleep(0.2)


async def test_a_fault_is_brought_about_cleared_and_in_the_record(tmp_path: Path) -> None:
    async with running(tmp_path) as (core, client):
        await until(core, State.SHUFFLING)
        done = await client.call("sim.fault", {"fault": "jam_head", "side": 2, **BY})
        assert done == {"done": "a pair will stick in head 2"}
        await until(core, State.FAULT)
        (fault,) = await client.call("faults.list", {})
        assert (fault["id"], fault["zh"]["title"]) == ("H02@head.2", "机头卡牌")
        await client.call("sim.fault", {"fault": "mend_head", "side": 2, **BY})
        await client.call("faults.clear", {"id": "H02@head.2", **BY})
        await client.call("machine.resume", BY)
        await until(core, State.READY)
        facts = {fact.type: fact.data for fact in core.journal.facts()}
        assert facts["sim_fault"]["fault"] == "mend_head"
        assert facts["machine_retried"]["where"] == "head.2"


async def test_a_fault_that_cannot_be_is_refused_in_words(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        for params, why in (
            ({}, "expected one of jam_head"),
            ({"fault": "jam_haed", "side": 1}, "did you mean 'jam_head'"),
            ({"fault": "jam_head", "side": 9}, "there is no such part"),
            ({"fault": "jam_head"}, "jam_head takes side"),
        ):
            with pytest.raises(RpcError, match=why):
                await client.call("sim.fault", {**params, **BY})


async def test_the_page_gets_a_button_for_every_fault_and_each_can_be_pressed(tmp_path: Path) -> None:
    async with running(tmp_path) as (core, client):
        await until(core, State.SHUFFLING)
        state = await client.call("state.get", {"role": "referee"})
        offered = state["state"]["sim"]["faults"] if "state" in state else state["sim"]["faults"]
        assert [fault["name"] for fault in offered] == list(FAULTS)
        for fault in offered:
            assert fault["help"]
            if fault["name"] not in ("return_tile", "mix_tile"):  # nothing lies on the floor or the table yet
                assert await client.call("sim.fault", {"fault": fault["name"], **fault["params"], **BY})


async def test_programme_and_details(tmp_path: Path) -> None:
    async with running(tmp_path) as (core, client):
        await until(core, State.SHUFFLING)
        told = await client.call("machine.programme", {"tiles": 136, **BY})
        assert (told["programme"], told["next_programme"], told["degraded"]) == (144, 136, [])
        with pytest.raises(RpcError, match="no programme for 7 tiles"):
            await client.call("machine.programme", {"tiles": 7, **BY})
        with pytest.raises(RpcError, match="expected a number of tiles"):
            await client.call("machine.programme", {"tiles": "many", **BY})
        details = await client.call("machine.details", {})
        assert [task["task"] for task in details["maintenance"]] == ["eyes", "drum", "heads", "lifts"]
        assert len(details["counts"]) == 4


async def test_stop_over_the_link_stops(tmp_path: Path) -> None:
    async with running(tmp_path) as (core, client):
        await until(core, State.SHUFFLING)
        assert await client.call("machine.stop", BY) == {"state": "idle"}
        assert not any(output.on for output in core.backend.outputs.values())
