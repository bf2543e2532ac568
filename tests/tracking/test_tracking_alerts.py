"""What only the antennas see: tiles that lie where no play takes them, raised once, and not in honest play."""

from __future__ import annotations

import pytest
from followed import pipeline_of

from tablectl.game.events import Alerted, Corrected
from tablectl.game.record import records
from tablectl.game.state import Hand, Phase
from tablectl.rules.registry import load
from tablectl.sim.noise import PROFILES
from tablectl.sim.observed import ObservedTable, record
from tablectl.sim.oddities import ODDITIES
from tablectl.sim.offences import OFFENCES
from tablectl.sim.scene import Scene
from tablectl.tiles.tile import Tile
from tablectl.tracking.alerts import DOUBTED_S, EXPOSED, MOVED_S, SURE, Stray, Watch
from tablectl.tracking.building import unknown_wall
from tablectl.tracking.noise import Noise
from tablectl.tracking.presence import Presence
from tablectl.tracking.replay import replay


def told(table: ObservedTable) -> list[tuple[str, int | None]]:
    """The alerts that the reports of a table bring about."""
    events = replay(pipeline_of(table), table.reports)
    return [(event.code, event.seat) for event in events if isinstance(event, Alerted)]


def due(table: ObservedTable) -> list[tuple[str, int | None]]:
    return [(event.code, event.seat) for event in table.players.truth.events if isinstance(event, Alerted)]


@pytest.mark.parametrize(
    ("name", "rules", "seed"),
    [
        ("hand_shown_early", "competition", 1),
        ("false_meld_kong", "mcr", 4),
        ("tile_exposed", "competition", 1),
        ("impossible_move_river", "mcr", 4),
        ("claim_not_carried_out", "fujian", 2),  # no claim window: the call is heard of after the next draw
        ("false_win", "tianjin", 5),  # the others agree, and its seat plays on
        ("false_win_shown", "competition", 1),
        ("false_win_shown", "fujian", 604),  # a chow could be made of the hand that lies open
        ("false_meld_seat", "competition", 1),
        ("late_claim_laid", "fujian", 2),
        ("last_round_discard", "fujian", 9),
        ("penalty_tile_kept", "mcr", 4),
        ("tile_exposed", "mcr", 200),  # a pung of a tile that nobody saw drawn would explain it
        ("tile_exposed_wall", "mcr", 4),
        ("wrong_indicator_taken", "fujian", 2),
        ("tag_lost", "mcr", 4),
    ],
)
def test_an_offence_is_raised_with_its_seat(name: str, rules: str, seed: int) -> None:
    table = record(load(rules), seed, PROFILES["normal"], offence=OFFENCES[name])
    assert due(table)
    assert sorted(told(table), key=str) == sorted(due(table), key=str)


def test_honest_play_raises_nothing() -> None:
    assert told(record(load("competition"), 1, PROFILES["normal"])) == []


@pytest.mark.parametrize(
    ("name", "rules", "seed"),
    [
        ("false_win_shown", "mcr", 501),  # on which tile, after what, is not clear: that a hand lies open is
        ("claim_not_carried_out", "tianjin", 502),  # called before a draw that nobody saw
        ("last_round_discard", "fuzhou", 500),
        ("mechanical_discard", "competition", 617),  # the ruling comes while the tile just drawn is in the air
        ("wrong_tile_count_no_draw", "tianjin", 600),  # the tile due goes from the next fingers to the river
    ],
)
def test_an_offence_is_raised_through_hard_noise(name: str, rules: str, seed: int) -> None:
    table = record(load(rules), seed, PROFILES["hard"], offence=OFFENCES[name])
    assert due(table)
    assert set(due(table)) <= set(told(table))


@pytest.mark.parametrize("name", ["tiles_sorted_slowly", "tile_knocked_over", "tile_to_neighbour", "hand_pushed"])
def test_what_honest_people_do_with_tiles_raises_nothing(name: str) -> None:
    table = record(load("competition"), 3, PROFILES["normal"], offence=ODDITIES[name])
    assert table.offended
    assert told(table) == []


async def tile_tried_in_the_river(scene: Scene, hand: Hand) -> bool | None:
    """A tile is put into the river, and taken back at once."""
    if hand.phase is not Phase.TURN or hand.seats[hand.turn].owed or not hand.discards:
        return None
    person = scene.people[hand.turn]
    tag = scene.rng.sample(scene.world.tags(f"hand.{person.seat}"), 1)[0]
    scene.world.move(tag, f"river.{person.seat}")
    await scene.clock.sleep(scene.rng.uniform(0.4, 1.0))
    await person.carry(tag, f"hand.{person.seat}")
    return True


def test_a_discard_that_was_none_takes_with_it_what_it_brought_about() -> None:
    table = record(load("zhenjiang"), 8, PROFILES["normal"], offence=tile_tried_in_the_river)
    line = pipeline_of(table)
    replay(line, table.reports)
    codes = {code for hand in records(line.table.events) for event in hand if (code := event.get("code"))}
    assert any(isinstance(event, Corrected) for event in line.table.events)  # it was told, with its alert
    assert any(isinstance(event, Alerted) for event in line.table.events)
    assert codes == set()


def hand_in(phase: Phase) -> Hand:
    zero = (0, 0, 0, 0)
    return Hand(number=1, dealer=0, prevalent=Tile.EAST, streak=0, start_points=zero, points=zero, phase=phase)


def test_a_tile_that_some_play_may_have_moved_is_no_impossible_move_yet() -> None:
    presence, hand = Presence(Noise(), 0.5), hand_in(Phase.TURN)

    def said(lay_s: float, doubted: set[str]) -> list[str]:
        watch = Watch({"a": Tile.EAST})
        watch.strays["river.3"] = {"a": Stray("hand.3", 0.0, lay_s, 14, SURE)}
        found = watch.misplaced(lay_s, "river.3", presence, hand, lambda seat: None, doubted)
        return [suspect.code for suspect in found]

    assert said(MOVED_S + 1, set()) == ["impossible_move"]
    assert said(MOVED_S + 1, {"a"}) == []
    assert said(DOUBTED_S + 1, {"a"}) == ["impossible_move"]


def test_a_tile_that_was_told_to_have_come_there_is_no_stray() -> None:
    """Two tiles answer before seat 0 and are told as its pung; a third one falls over: one tile, and no false meld."""
    presence, hand = Presence(Noise(), 0.5), hand_in(Phase.TURN)
    tiles = {"a": Tile.EAST, "b": Tile.EAST, "c": Tile.WEST}
    watch = Watch(tiles)
    for tag in tiles:
        presence.place(tag, "hand.0", 0.0)
    for n in range(6):
        presence.read("hand.0", 0.5 * n, frozenset("c" if n < 3 else ""))
        presence.read("meld.0", 0.5 * n + 0.1, frozenset("ab" if n < 3 else "abc"))
        watch.follow(0.5 * n + 0.1, "meld.0", presence)

    def astray() -> list[set[str]]:
        groups = watch.groups(presence, hand, None, frozenset(), unknown_wall(load("competition")))
        return [set(tags) for tags, _ in groups]

    assert astray() == [{"a", "b", "c"}]
    for tag in "ab":
        presence.follow(tag, "meld.0", 3.0)
    assert set(watch.strays["meld.0"]) == set(tiles)  # nothing was read there since
    [(tags, weight)] = watch.groups(presence, hand, None, frozenset(), unknown_wall(load("competition")))
    assert tags == {"c"}
    assert weight == EXPOSED + presence.way("c", "meld.0").support
