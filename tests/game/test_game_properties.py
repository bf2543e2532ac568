"""Whatever people do: tiles and points are kept, the events are the state, nobody sees hidden tiles."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from random import Random

import pytest
from game_driver import Players
from game_fakes import FakeRules
from hypothesis import Phase as HypothesisPhase
from hypothesis import given, settings
from hypothesis import strategies as st

from tablectl.game import actions as act
from tablectl.game import events as ev
from tablectl.game.fold import FoldError
from tablectl.game.record import records
from tablectl.game.state import Hand, Phase
from tablectl.game.table import Table
from tablectl.game.views import redact, view
from tablectl.rules import registry
from tablectl.rules.api import Play
from tablectl.tiles.meld import MeldKind
from tablectl.tiles.tile import FLOWERS, Tile

RULES = registry.load("competition")
SEEDS = st.integers(0, 10**6)
#: a seed does not shrink to anything simpler
FEW = settings(max_examples=15, deadline=None, derandomize=True, phases=[HypothesisPhase.generate])


def tiles_of(hand: Hand, wall: list[Tile], taken: list[int]) -> Counter[Tile | None]:
    """Every tile of the set where it lies."""
    found: Counter[Tile | None] = Counter(t for p, t in enumerate(wall, 1) if p not in taken)
    for seat in hand.seats:
        found.update(seat.standing)
        found.update(seat.flowers)
        found.update(lying.tile for lying in seat.river if lying.claimed_by is None)
        found.update(tile for meld in seat.melds for tile in meld.tiles)
    return found


class Watched(Players):
    """Players who look after every action that no tile and no point was lost."""

    def do(self, action: act.Action) -> None:
        super().do(action)
        hand = self.table.hand
        if hand is None or not hand.live_taken or hand.winners:
            return
        assert tiles_of(hand, self.wall, self.taken) == Counter(self.table.rules.tile_set.tiles())
        assert hand.wall_left == len(self.wall) - len(self.taken)
        assert hand.live_taken + hand.tail_taken == len(self.taken)
        assert sum(hand.points) == 400
        assert min(hand.points) >= 0


@FEW
@given(SEEDS, st.sampled_from([0.0, 0.4, 1.0]))
def test_tiles_and_points_are_kept(seed, claim):  # J69: sums to 0, nobody below 0
    table = Table(RULES)
    players = Watched(table, Random(seed), claim=claim)
    players.play_hand()
    players.play_hand()
    assert table.hand is not None
    assert table.hand.phase is Phase.ENDED
    assert sum(table.match.points) == 400
    assert not [e for e in table.events if isinstance(e, ev.Alerted)]  # legal play raises no alert
    for record in records(table.events):
        assert record[-1]["type"] == "end_kyoku"
        assert sum(record[-1]["deltas"]) == 0


@pytest.mark.parametrize("name", [name for name in registry.RULE_SETS if name != "competition"])
@settings(max_examples=4, deadline=None, derandomize=True, phases=[HypothesisPhase.generate])
@given(seed=SEEDS, claim=st.sampled_from([0.3, 1.0]))
def test_every_system_is_played_by_what_is_legal(name, seed, claim):
    """Whoever does only what `Table.legal` offers breaks no rule; every hand ends, points are kept, and the state is
    the fold of the events."""
    rules = registry.load(name)
    table = Table(rules)
    players = Players(table, Random(seed), claim=claim)
    for _ in range(2):
        players.play_hand()
    assert not [e for e in table.events if isinstance(e, ev.Alerted)]
    ends = [record[-1] for record in records(table.events)]
    assert len(ends) == 2
    assert all(end["type"] == "end_kyoku" and sum(end["deltas"]) == 0 for end in ends)
    assert Table.replay(rules, table.events).game == table.game
    hand = table.hand
    assert hand is not None
    if not hand.winners:
        found = tiles_of(hand, players.wall, players.taken)
        found.update([hand.indicator] if hand.indicator is not None else [])
        assert found == Counter(rules.tile_set.tiles())


@FEW
@given(SEEDS)
def test_the_state_is_the_fold_of_the_events(seed):
    table = Table(RULES)
    Players(table, Random(seed)).play_hand()
    lines = [json.dumps(ev.to_json(event), ensure_ascii=False) for event in table.events]
    events = [ev.from_json(json.loads(line)) for line in lines]
    assert events == table.events
    again = Table.replay(RULES, events)
    assert again.game == table.game
    assert [json.dumps(ev.to_json(event), ensure_ascii=False) for event in again.events] == lines
    assert view(again, "referee") == view(table, "referee")


@FEW
@given(SEEDS)
def test_any_prefix_replays_and_goes_on_alike(seed):
    """A restart in the middle of a hand changes nothing of what follows."""
    table = Table(RULES)
    players = Players(table, Random(seed), win=False)
    players.play_hand()
    cut = Random(seed).randrange(3, len(players.actions) - 1)
    first = Table(RULES)
    for action in players.actions[:cut]:
        first.apply(action)
    second = Table.replay(RULES, first.events)
    for action in players.actions[cut:]:
        second.apply(action)
    assert second.events == table.events


@FEW
@given(SEEDS, st.booleans())
def test_other_systems_end_every_hand(seed, flowers):
    kinds = frozenset(FLOWERS) if flowers else frozenset()
    play = Play(hand_tiles=16, flowers=kinds, opening_flowers="rounds", last_round_tiles=4, multiple_winners=False)
    table = Table(
        FakeRules(play, tiles="144" if flowers else "136", undrawn=18, winning=frozenset({Tile.RED, Tile.M5}))
    )
    players = Players(table, Random(seed))
    for _ in range(3):
        players.play_hand()
    assert sum(table.match.points) == 400
    assert len(records(table.events)) == 3
    assert not [e for e in table.events if isinstance(e, ev.Alerted) and e.code != "false_win"]


@FEW
@given(SEEDS, st.data())
def test_nothing_people_do_raises(seed, data):
    """Actions of a whole hand in a wrong order, doubled, left out, by wrong seats: alerts, but no exception, and the
    journal of it replays."""
    table = Table(RULES)
    players = Players(table, Random(seed))
    players.play_hand()
    random = Random(data.draw(SEEDS))
    mixed = Table(RULES)
    t = 0.0
    for action in players.actions:
        t = max(t, action.t)
        for chosen in random.choices([[action], [], [action, action], [random.choice(players.actions)]], [8, 1, 1, 1])[
            0
        ]:
            wrong = replace(chosen, t=t)
            if hasattr(wrong, "seat") and random.random() < 0.1:
                wrong = replace(wrong, seat=random.randrange(4))
            mixed.apply(wrong)
    assert Table.replay(RULES, mixed.events).game == mixed.game
    mixed.apply(act.RaiseWalls(t=t + 1))
    assert mixed.hand is not None
    assert mixed.hand.phase is Phase.DICE or mixed.match.over is not None


# --- hidden tiles


#: where a tile came to a hand: number of the action, seat and place in the deal (None: a draw)
Arrival = tuple[int, tuple[int, int] | None]


def arrivals(actions: list[act.Action], dealer: int) -> dict[int, list[tuple[Arrival, Tile]]]:
    """The tiles that came to each seat, in order."""
    found: dict[int, list[tuple[Arrival, Tile]]] = {seat: [] for seat in range(4)}
    for n, action in enumerate(actions):
        if isinstance(action, act.Deal):
            for seat, hand in enumerate(action.hands):
                found[seat] += [((n, (seat, place)), t) for place, t in enumerate(hand) if t is not None]
            if action.drawn is not None:
                found[dealer].append(((n, None), action.drawn))
        elif isinstance(action, act.Draw) and action.tile is not None:
            found[action.seat].append(((n, None), action.tile))
    return found


def shown_by(actions: list[act.Action], seat: int) -> Counter[Tile]:
    """The tiles that ``seat`` showed out of its hand."""
    shown: Counter[Tile] = Counter()
    for action in actions:
        if getattr(action, "seat", None) != seat:
            continue
        if isinstance(action, (act.DiscardTile, act.LayFlower)):
            shown[action.tile] += 1
        elif isinstance(action, act.LayMeld):
            added = action.kind is MeldKind.ADDED_KONG and action.tile is not None
            shown.update([action.tile] if added else action.consumed)
    return shown


def hidden_arrivals(actions: list[act.Action], dealer: int, own: int | None) -> list[tuple[Arrival, Tile]]:
    """Tiles that nobody but their owner ever saw. Of equal tiles in one hand the first to come are the first shown."""
    hidden = []
    for seat, tiles in arrivals(actions, dealer).items():
        shown = shown_by(actions, seat)
        for arrival, tile in tiles:
            if shown[tile]:
                shown[tile] -= 1
            elif seat != own and not tile.is_flower:
                hidden.append((arrival, tile))
    return hidden


def with_other_tiles(actions: list[act.Action], other: dict[Arrival, Tile]) -> list[act.Action]:
    """The same moves with other tiles at these arrivals."""
    twin = []
    for n, action in enumerate(actions):
        if isinstance(action, act.Deal):
            hands = tuple(
                tuple(other.get((n, (seat, place)), t) for place, t in enumerate(hand))
                for seat, hand in enumerate(action.hands)
            )
            twin.append(replace(action, hands=hands, drawn=other.get((n, None), action.drawn)))
        elif isinstance(action, act.Draw):
            twin.append(replace(action, tile=other.get((n, None), action.tile)))
        else:
            twin.append(action)
    return twin


def everything_seen(table: Table, actions: list[act.Action], role: str, seat: int | None) -> list[str]:
    """What the role sees after each action: its view, and the new events."""
    seen = []
    for action in actions:
        events = [redact(event, role, seat, play=table.rules.play) for event in table.apply(action)]
        seen.append(json.dumps([view(table, role, seat), [ev.to_json(e) for e in events if e is not None]]))
    return seen


@FEW
@given(SEEDS, st.sampled_from([("spectator", None), ("operator", None), ("player", 1)]), st.sampled_from([0.0, 0.5]))
def test_nobody_sees_hidden_tiles(seed, who, claim):
    """A twin hand in which tiles that were never shown are others: what is seen is the same to the letter."""
    role, own = who
    random = Random(seed)
    table = Table(RULES)
    players = Players(table, random, claim=claim, win=False)
    players.play_hand()
    actions = players.actions[: random.randrange(5, len(players.actions))]  # at most to before the wall is revealed
    assert table.hand is not None
    hidden = hidden_arrivals(actions, table.hand.dealer, own)
    assert len(hidden) >= 13
    tiles = [tile for _, tile in hidden]
    random.shuffle(tiles)
    unseen = [t for t in players.wall if not t.is_flower and t not in tiles]
    tiles[: len(tiles) // 3] = random.sample(unseen, min(len(unseen), len(tiles) // 3)) or tiles[: len(tiles) // 3]
    twin = with_other_tiles(actions, dict(zip((arrival for arrival, _ in hidden), tiles, strict=False)))
    assert everything_seen(Table(RULES), actions, role, own) == everything_seen(Table(RULES), twin, role, own)
    referee = [everything_seen(Table(RULES), moves, "referee", None) for moves in (actions, twin)]
    assert referee[0] != referee[1]


# --- broken journals


def test_a_broken_journal_names_the_event():
    table = Table(RULES)
    Players(table, Random(1)).play_hand()
    dealt = next(n for n, e in enumerate(table.events) if e.type == "dealt")
    with pytest.raises(FoldError, match=rf"event {dealt} \(tsumo\): .*dice"):
        Table.replay(RULES, [*table.events[: dealt - 1], *table.events[dealt + 1 :]])
    with pytest.raises(FoldError, match=r"event 101 \(tsumo\): .* needs a hand"):
        Table.replay(RULES, [ev.TileDrawn(t=1, actor=0, pai=None)], first_seq=101)
    with pytest.raises(FoldError, match="no event 7 to correct"):
        Table.replay(RULES, [ev.Corrected(t=1, replaces=7, event=None)])


def test_sequence_numbers_go_on_from_where_they_are_told():
    table = Table(RULES, first_seq=501)
    Players(table, Random(2)).play_hand()
    assert table.last_seq == 500 + len(table.events)
    assert view(table, "spectator")["seq"] == table.last_seq


def test_views_of_unknown_roles():
    table = Table(RULES)
    with pytest.raises(ValueError, match="admin"):
        view(table, "admin")
    with pytest.raises(ValueError, match="seat"):
        view(table, "player")
