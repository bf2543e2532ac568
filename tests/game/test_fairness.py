"""The commitment to the wall: binding, opened only after its hand, and held against what was drawn."""

from __future__ import annotations

import hashlib
from random import Random

import pytest
from game_driver import Players
from hypothesis import given
from hypothesis import strategies as st

from tablectl.game import actions as act
from tablectl.game import events as ev
from tablectl.game.fairness import agreement, built_of, digest_of, unknown, verify
from tablectl.game.record import records
from tablectl.game.table import Table
from tablectl.game.views import Role, redact, view
from tablectl.rules.registry import RULE_SETS, load
from tablectl.tiles.tile import TILES, Tile

SALT = "00ff" * 16
sides = st.lists(st.lists(st.sampled_from([*TILES, None]), min_size=2, max_size=8), min_size=4, max_size=4)


def test_the_text_is_as_documented() -> None:
    built = [[Tile.M1, Tile.EAST], [None, Tile.P3], [Tile.PLUM], []]
    text = f"{SALT}|1m E/- 3p/a/"
    assert digest_of(built, SALT) == hashlib.sha256(text.encode()).hexdigest()
    assert unknown(built) == 1


@given(sides, st.randoms(use_true_random=False))
def test_another_wall_or_salt_is_found(built: list[list[Tile | None]], random: Random) -> None:
    digest = digest_of(built, SALT)
    assert verify(digest, built, SALT) == ""
    assert verify(digest, built, "11" * 32) != ""
    side = random.randrange(4)
    place = random.randrange(len(built[side]))
    changed = [list(tiles) for tiles in built]
    changed[side][place] = Tile.M1 if changed[side][place] is not Tile.M1 else None
    assert verify(digest, changed, SALT) != ""


def test_sides_read_back_from_json_are_the_same() -> None:
    built = ((Tile.M1, None), (Tile.PLUM,), (), (Tile.WHITE,))
    event = ev.CommitmentOpened(what="wall", digest="d", secret=SALT, built=built)
    data = ev.to_json(event)
    assert built_of(data["built"]) == built
    assert ev.from_json(data) == event


def played(rules_id: str, seed: int, *, lane_errors: int = 0) -> Table:
    """A hand whose wall was committed to; ``lane_errors``: neighbours told the wrong way round."""
    rules = load(rules_id)
    table = Table(rules)
    players = Players(table, Random(seed))
    commit = Sealed(table, players, lane_errors)
    commit.play()
    return table


class Sealed:
    """Puts the players' wall on the places of the table, and seals it before the dice."""

    def __init__(self, table: Table, players: Players, lane_errors: int) -> None:
        self.table, self.players, self.lane_errors = table, players, lane_errors
        self.built: list[list[Tile | None]] = []

    def play(self) -> None:
        table, players = self.table, self.players
        do = players.do
        throws: list[tuple[int, ...]] = []

        def sealing(action: act.Action) -> None:
            do(action)
            hand = table.hand
            if isinstance(action, act.RaiseWalls):
                do(act.Commit(t=action.t, what="wall", digest="0" * 64))
            if isinstance(action, act.RestDice):
                throws.append(action.dice)
            if isinstance(action, act.Deal) and hand is not None and hand.deck is not None:
                stacks = table.rules.stacks
                self.built = [[None] * (2 * n) for n in stacks]
                for position, place in enumerate(hand.deck.places):
                    self.built[place.side][2 * (place.stack - 1) + (0 if place.upper else 1)] = players.wall[position]

        players.do = sealing  # type: ignore[method-assign]
        players.play_hand()
        for n in range(self.lane_errors):
            side = self.built[n % 4]
            at = next(i for i in range(len(side) - 1) if side[i] != side[i + 1])
            side[at], side[at + 1] = side[at + 1], side[at]
        sides = tuple(tuple(side) for side in self.built)
        do(act.OpenCommitment(t=players.tick(), what="wall", digest="0" * 64, secret=SALT, built=sides))


@pytest.mark.parametrize("rules_id", ["competition", "mcr", "beijing"])
def test_what_was_drawn_agrees_with_the_committed_wall(rules_id: str) -> None:
    table = played(rules_id, 5)
    record = records(table.events)[0]
    opened = next(entry for entry in record[0]["opened"] if entry["what"] == "wall")
    found = agreement(built_of(opened["built"]), record, table.rules)
    assert found is not None
    assert found.compared > 4 * table.rules.play.hand_tiles
    assert found.agreeing == found.compared


def test_a_wall_that_was_exchanged_does_not_agree() -> None:
    table = played("competition", 5)
    record = records(table.events)[0]
    other = list(load("competition").tile_set.tiles())
    Random(9).shuffle(other)
    stacks = table.rules.stacks
    ends = [2 * sum(stacks[: n + 1]) for n in range(4)]
    built = [other[end - 2 * stacks[n] : end] for n, end in enumerate(ends)]
    found = agreement(built, record, table.rules)
    assert found is not None
    assert found.agreeing < found.compared // 2


def test_a_lane_error_costs_a_tile_or_two() -> None:
    table = played("competition", 5, lane_errors=1)
    record = records(table.events)[0]
    found = agreement(built_of(record[0]["opened"][0]["built"]), record, table.rules)
    assert found is not None
    assert found.compared - found.agreeing <= 2


def test_the_seal_is_public_and_opened_only_after_the_hand() -> None:
    table = Table(load("competition"))
    table.apply(act.RaiseWalls(t=1))
    table.apply(act.Commit(t=1, what="wall", digest="ab" * 32, unknown=2))
    for role in (Role.SPECTATOR, Role.OPERATOR, Role.REFEREE):
        assert view(table, role)["hand"]["commitments"] == {"wall": "ab" * 32}
        assert redact(table.events[-1], role) == table.events[-1]
    early = act.OpenCommitment(t=2, what="wall", digest="ab" * 32, secret=SALT, built=((Tile.M1,),))
    assert table.apply(early) == []
    table.apply(act.RestDice(t=3, dice=(3, 4)))
    table.apply(act.Rule(t=4, do="draw_hand", by="referee", reason="fire"))
    (opened,) = table.apply(early)
    assert isinstance(opened, ev.CommitmentOpened)
    assert opened.secret == SALT


def test_the_replayed_table_knows_the_seal() -> None:
    table = played("competition", 5)
    again = Table.replay(table.rules, table.events)
    assert again.hand is not None
    assert again.hand.commitments == {"wall": "0" * 64}


@pytest.mark.parametrize("rules_id", RULE_SETS)
def test_no_agreement_without_a_throw(rules_id: str) -> None:
    record = [{"type": "start_kyoku", "dealer": 0, "dice": [], "tehais": [[], [], [], []]}]
    assert agreement([[], [], [], []], record, load(rules_id)) is None
