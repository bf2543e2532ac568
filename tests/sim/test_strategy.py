"""Plans and decisions of the simulated players."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablectl.sim.plans import PLAYED_FOR, Standing, plans
from tablectl.sim.strategy import Mind
from tablectl.tiles.meld import Meld, MeldKind
from tablectl.tiles.notation import parse_tiles
from tablectl.tiles.tile import PLAYABLE, Tile

EVERYTHING = frozenset({"none in particular"})


def standing(text: str, seen: str = "") -> Standing:
    tiles, lying = parse_tiles(text), parse_tiles(seen) if seen else ()
    counts = [list(tiles).count(tile) for tile in PLAYABLE]
    return Standing(counts, [4 - n - list(lying).count(tile) for tile, n in zip(PLAYABLE, counts, strict=True)])


def distances(hand: Standing, *melds: Meld) -> dict[str, int]:
    found: dict[str, int] = {}
    for plan in plans("competition", 4, melds, EVERYTHING):
        found[plan.name] = min(found.get(plan.name, 99), plan.distance(hand))
    return found


@pytest.mark.parametrize(
    ("hand", "plan"),
    [
        ("123456789m11223p", "pure straight"),
        ("123m456p789s234m5p", "mixed straight"),
        ("147m258p369s234m5p", "knitted"),
        ("1122334455667m", "pairs"),
        ("111222333m444p5s", "pungs"),
        ("123456789mEESS", "flush"),
        ("147m147p17sESWNC", "scattered"),
        ("789m789p789s11m55p", "three alike"),
        ("CCCFFFPPP12m55s", "dragons"),
    ],
)
def test_a_ready_hand_lacks_one_tile_of_its_plan(hand: str, plan: str) -> None:
    assert distances(standing(hand))[plan] == 1


def test_a_plan_whose_tile_is_gone_is_impossible() -> None:
    """清龙 without the last 9m: all four lie open."""
    hand = standing("12345678m11223p", seen="9999m")
    assert min(p.distance(hand) for p in plans("competition", 4, (), frozenset({"pure straight"}))) > 1


def test_melds_bind() -> None:
    pung = Meld(MeldKind.PUNG, (Tile.P1,) * 3, 1)
    chow = Meld(MeldKind.CHOW, (Tile.M1, Tile.M2, Tile.M3), 1, Tile.M2)
    names = {plan.name for plan in plans("competition", 4, (pung, chow), EVERYTHING)}
    assert names.isdisjoint({"pairs", "scattered", "pungs", "knitted"})
    after = distances(standing("456789m22p"), pung, chow)
    assert after["pure straight"] == 0
    assert "flush" not in after


hands = st.permutations([tile for tile in PLAYABLE for _ in range(4)]).map(lambda tiles: tiles[:14])


@given(hands)
def test_what_a_plan_says_of_a_tile_is_true(tiles: list[Tile]) -> None:
    """A wanted tile shortens the distance, a loose one does not lengthen it, and the quick bound is one."""
    counts = [tiles.count(tile) for tile in PLAYABLE]
    hand = Standing(counts, [4 - n for n in counts])
    for plan in plans("competition", 4, (), EVERYTHING):
        now = plan.distance(hand)
        assert plan.at_least(hand) <= now
        assert all(plan.distance(hand.more(kind)) < now for kind in plan.wanted(hand))
        loose = plan.loose(hand)
        assert all(plan.distance(hand.more(kind, -1)) <= now for kind in loose)
        assert loose or now <= 0


@pytest.mark.parametrize("rules", sorted(PLAYED_FOR))
@given(tiles=hands, seed=st.integers(0, 9))
def test_a_discard_comes_from_the_hand_and_never_makes_a_ready_hand_worse(
    rules: str, tiles: list[Tile], seed: int
) -> None:
    counts = [tiles.count(tile) for tile in PLAYABLE]
    hand = Standing(counts, [4 - n for n in counts])
    mind = Mind(rules, 4, random.Random(seed))
    mind.begin()
    mind.look(hand, ())
    kind = mind.discard(hand, hand.kinds(), tiles_left=80)
    assert counts[kind] > 0
    assert mind.distance >= 1


def test_the_same_view_is_the_same_decision() -> None:
    """Nothing but the own hand and what lies open comes into a decision."""
    hand = standing("1134679m28p5sEEFC", seen="EE99m")
    choices = set()
    for _ in range(3):
        mind = Mind("competition", 4, random.Random(5))
        mind.begin()
        mind.look(hand, ())
        choices.add(mind.discard(hand, hand.kinds(), tiles_left=60))
    assert len(choices) == 1


def test_a_claim_has_to_bring_the_hand_nearer() -> None:
    mind = Mind("competition", 4, random.Random(1), notices=1.0)
    hand = standing("12345678m1122p3s")
    mind.rest(hand, ())
    chow = Meld(MeldKind.CHOW, (Tile.M7, Tile.M8, Tile.M9), 1, Tile.M9)
    assert mind.claim(hand, (), [chow], Tile.M9) == chow
    useless = Meld(MeldKind.CHOW, (Tile.M1, Tile.M2, Tile.M3), 1, Tile.M3)
    assert mind.claim(hand, (), [useless], Tile.M3) is None


def test_late_and_far_away_a_player_plays_safe() -> None:
    """The tile of which most lie open goes first."""
    mind = Mind("competition", 4, random.Random(1))
    hand = standing("159m2479p368sENCP", seen="EEE")
    mind.look(hand, ())
    assert mind.discard(hand, hand.kinds(), tiles_left=10) == Tile.EAST
