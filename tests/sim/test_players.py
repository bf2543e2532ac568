"""Four people play: the truth is a legal game, the world agrees with it, and what devices report follows from it."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest
from simulated_table import Rig

from tablectl.base.clock import run_virtual
from tablectl.game import actions as act
from tablectl.game.events import MatchEnded, to_json
from tablectl.game.state import Phase
from tablectl.game.table import Table
from tablectl.machine.states import State
from tablectl.rules.registry import RULE_SETS, load
from tablectl.sim.person import Habits
from tablectl.tiles.wall import lane_places


async def played(seed: int, hands: int | None = 16, *, read: bool = False, **settings: Any) -> Rig:
    async with Rig(seed, hands=hands, **settings) as rig:
        if read:
            rig.read_zones()
        await rig.play()
        rig.sim.world.check()
    return rig


def spots(rig: Rig) -> Mapping[str, Counter[Any]]:
    world = rig.sim.world
    return {name: Counter(world.kinds[tag] for tag in spot.tags) for name, spot in world.spots.items()}


async def test_a_hand_leaves_the_tiles_where_the_truth_says() -> None:
    rig = await played(3, hands=1)
    hand = rig.sim.players.truth.hand
    assert hand is not None
    assert hand.phase is Phase.ENDED
    lying = spots(rig)
    winners = {event["actor"] for event in rig.sim.truth[-1] if event["type"] == "hora"}
    for n, seat in enumerate(hand.seats):
        laid = Counter(tile for meld in seat.melds for tile in meld.tiles) + Counter(seat.flowers)
        own = lying[f"hand.{n}"] + lying[f"meld.{n}"] + lying[f"fingers.{n}"]
        extra = own - laid - Counter(seat.standing)
        assert laid + Counter(seat.standing) <= own
        assert extra.total() <= (n in winners)  # a winner may have taken the winning tile
    river = sum((lying[f"river.{n}"] for n in range(4)), Counter())
    unclaimed = Counter(r.tile for seat in hand.seats for r in seat.river if r.claimed_by is None)
    assert (unclaimed - river).total() <= len(winners)
    assert sum(lying[f"wall.{n}"].total() for n in range(4)) == hand.wall_left


def test_the_same_seed_is_the_same_match_and_another_is_not() -> None:
    first, again, other = [run_virtual(played(seed, hands=4, noise="normal")) for seed in (11, 11, 12)]

    def told(rig: Rig) -> list[dict[str, Any]]:
        return [to_json(event) for event in rig.sim.players.truth.events]

    assert told(first) == told(again)
    assert first.passages == again.passages
    assert told(first) != told(other)


def test_noise_of_the_readers_does_not_change_the_game() -> None:
    """Every part has its own stream of chance."""
    clean = run_virtual(played(5, hands=2, read=True))
    noisy = run_virtual(played(5, hands=2, read=True, noise="normal", walls=True))
    assert len(clean.rounds) == len(noisy.rounds)
    assert clean.rounds != noisy.rounds
    assert clean.sim.truth == noisy.sim.truth


async def test_the_record_replays_to_the_same_state() -> None:
    rig = await played(6, hands=3)
    truth = rig.sim.players.truth
    again = Table.replay(load("competition"), truth.events)
    assert again.hand == truth.hand
    assert again.match == truth.match


async def test_people_play_by_the_rules() -> None:
    """Nothing the four do is an offence; what the record says was seen by nobody but at its place in the wall."""
    rig = await played(8, hands=8)
    assert [event for record in rig.sim.truth for event in record if event["type"] == "alert"] == []
    for record in rig.sim.truth:
        start = record[0]
        deck = rig.rules.deck(start["dealer"], [sum(start["dice"])])
        assert len([tile for tile in start["wall"] if tile is not None]) == 144
        drawn = {
            end: [event["pai"] for event in record if event["type"] == "tsumo" and event["from"] == end]
            for end in ("live", "tail")
        }
        tail = deck.tail[: len(drawn["tail"])]
        live = [p for p in deck.live if p not in tail]
        assert drawn["tail"] == [start["wall"][p - 1] for p in tail]
        # the dealer's fourteenth tile is its first draw
        assert drawn["live"][1:] == [start["wall"][p - 1] for p in live[: len(drawn["live"]) - 1]]
        for seat, tiles in enumerate(start["tehais"]):
            dealt = [start["wall"][p - 1] for p in deck.dealt(seat)][:13]
            assert sorted(dealt) == sorted(tiles)


@pytest.mark.parametrize("rules", sorted(RULE_SETS))
async def test_every_rule_system_is_played_without_an_offence(rules: str) -> None:
    """Stakes, indicators, wildcards to be shown, other wall ends, sixteen tiles: people know their rules."""
    rig = await played(2, hands=4, rules=rules)
    assert rig.sim.players.hands_played == 4
    truth = rig.sim.players.truth
    assert [event for event in truth.events if event.type == "alert"] == []
    assert any(event.type == "hora" for event in truth.events)
    assert Table.replay(load(rules), truth.events).hand == truth.hand
    assert rig.raised == []


async def test_lanes_tell_the_walls_in_the_order_of_building() -> None:
    rig = await played(9, hands=1, first_left=False, lower_first=True)
    record = rig.sim.truth[0]
    deck = rig.rules.deck(record[0]["dealer"], [sum(record[0]["dice"])])
    built: dict[Any, str] = {}
    for side in range(4):
        passed = [passage.tag for passage in rig.passages if passage.lane == side][:36]
        built |= dict(zip(lane_places(rig.rules.stacks, side, first_left=False, lower_first=True), passed, strict=True))
    told = [rig.sim.tags[built[place]].code for place in deck.places]
    assert told == record[0]["wall"]


async def test_key_forgotten_is_not_reported() -> None:
    async with Rig(4, hands=2, habits=Habits(forgotten=1.0)) as rig:
        keys: list[str] = []

        async def listen() -> None:
            async for pressed in rig.sim.keys:
                keys.append(pressed.key)

        listening = asyncio.create_task(listen())
        await rig.play()
        listening.cancel()
        await asyncio.gather(listening, return_exceptions=True)
        assert set(keys) <= {"dice", "win"}
        melds = [e for record in rig.sim.truth for e in record if e["type"] in ("chi", "pon", "flower")]
        assert melds


async def test_somebody_else_confirms() -> None:
    """With ``auto_referee`` off a declared win waits for a ruling from outside, however long."""
    async with Rig(1, hands=1, auto_referee=False) as rig:
        await rig.sim.start()
        truth = rig.sim.players.truth
        while truth.hand is None or truth.hand.phase is not Phase.DECLARED:
            assert rig.clock.now() < 600
            await rig.advance(1)
        await rig.advance(500)
        assert truth.hand.phase is Phase.DECLARED
        rig.sim.players.rule(act.Rule(t=rig.clock.now(), do="confirm", by="referee"))
        await rig.advance(1)
        assert rig.sim.players.hands_played == 1
        assert rig.sim.truth[0][-1]["type"] == "end_kyoku"


async def test_people_try_again_after_a_lift_was_mended() -> None:
    async with Rig(2, hands=1) as rig:
        await rig.sim.start()
        await rig.until(State.OPENING)
        await rig.advance(0.5)
        rig.sim.dome.cam.block()
        await rig.until(State.FAULT, 10)
        rig.sim.dome.cam.block(False)
        await rig.advance(30)
        await rig.mend()
        while rig.sim.players.hands_played < 1:
            assert rig.clock.now() < 900
            await rig.advance(5)


async def test_only_reports_leave_the_table() -> None:
    """A round of the antennas holds tags of the zones and nothing of the walls, unless there are antennas for them."""
    async with Rig(7, hands=1) as rig:
        rig.read_zones()
        await rig.play()
        assert {read.zone.split(".")[0] for batch in rig.rounds for read in batch} == {"hand", "meld", "river"}
        assert all(len(batch) == 12 for batch in rig.rounds)
        last = {read.zone: read.tags for read in rig.rounds[-1]}
        assert all(tags == rig.sim.world.spots[zone].at(rig.clock.now()) for zone, tags in last.items())


@pytest.mark.slow
@pytest.mark.virtual_limit(1_000_000)
async def test_whole_matches_end_and_sum_to_zero() -> None:
    """Every match ends by its rules, points are conserved, and about half of the hands are won."""
    ends: Counter[str] = Counter()
    hands: Counter[str] = Counter()
    for seed in range(3):
        rig = await played(seed, hands=100)
        (end,) = [event for event in rig.sim.players.truth.events if isinstance(event, MatchEnded)]
        ends[end.reason] += 1
        for record in rig.sim.truth:
            assert sum(record[-1]["deltas"]) == 0
            assert sum(record[-1]["scores"]) == 400
            (kind,) = {event.get("reason", "won") for event in record if event["type"] in ("hora", "ryukyoku")}
            hands[kind] += 1
    assert set(ends) <= {"circles", "poverty", "time"}
    assert 0.4 < hands["won"] / hands.total() < 0.85, hands
