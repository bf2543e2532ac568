"""Plans and decisions of the simulated players."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablectl.sim.form import is_complete, ready_for
from tablectl.sim.plans import FAR, AnyTile, Middle, Standing
from tablectl.sim.repertoire import REPERTOIRES, plans
from tablectl.sim.strategy import Mind
from tablectl.tiles.meld import Meld, MeldKind
from tablectl.tiles.notation import parse_tiles
from tablectl.tiles.tile import PLAYABLE, Tile

EVERYTHING = frozenset({"none in particular"})


def standing(text: str, seen: str = "", wilds: int = 0) -> Standing:
    tiles, lying = parse_tiles(text), parse_tiles(seen) if seen else ()
    counts = [list(tiles).count(tile) for tile in PLAYABLE]
    unseen = [4 - n - list(lying).count(tile) for tile, n in zip(PLAYABLE, counts, strict=True)]
    return Standing(counts, unseen, wilds)


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


@pytest.mark.parametrize("rules", sorted(REPERTOIRES))
@given(tiles=hands, wilds=st.integers(0, 3))
def test_what_a_plan_says_of_a_tile_is_true(rules: str, tiles: list[Tile], wilds: int) -> None:
    """A wanted tile shortens the distance, a loose one does not lengthen it, and the quick bound is one."""
    natural = tiles[wilds:]
    counts = [natural.count(tile) for tile in PLAYABLE]
    hand = Standing(counts, [4 - n for n in counts], wilds)
    for plan in plans(rules, 4, (), EVERYTHING):
        now = plan.distance(hand)
        if now in (0, FAR):
            continue
        assert plan.at_least(hand) <= now
        assert all(plan.distance(hand.more(kind)) < now for kind in plan.wanted(hand))
        assert all(plan.distance(hand.more(kind, -1)) <= now for kind in plan.loose(hand))


@pytest.mark.parametrize("rules", sorted(REPERTOIRES))
@given(tiles=hands, seed=st.integers(0, 9), wilds=st.integers(0, 4))
def test_a_discard_comes_from_the_hand(rules: str, tiles: list[Tile], seed: int, wilds: int) -> None:
    natural = tiles[wilds:]
    counts = [natural.count(tile) for tile in PLAYABLE]
    hand = Standing(counts, [4 - n for n in counts], wilds)
    mind = Mind(rules, 4, random.Random(seed))
    mind.begin()
    mind.look(hand, ())
    kind = mind.discard(hand, hand.kinds(), tiles_left=80)
    assert counts[kind] > 0
    assert mind.distance >= 0  # 0: ready


def test_the_form_of_a_hand() -> None:
    assert ready_for(standing("123456789m12p55s"), 4) == {Tile.P3}
    assert ready_for(standing("123456789m12p5s", wilds=1), 4) == {Tile.P3, Tile.S5}
    assert ready_for(standing("1122334455667m"), 4) >= {Tile.M7}
    assert ready_for(standing("147m258p369sESWN"), 4) == {Tile.RED, Tile.GREEN, Tile.WHITE}
    assert ready_for(standing("147m258p369s12p55s"), 4) == {Tile.P3}
    assert ready_for(standing("13m9s5p"), 1) == frozenset()
    assert is_complete(standing("19m19p19sESWNCFPP"), 4)
    assert not is_complete(standing("19m19p19sESWNCF22p"), 4)
    assert is_complete(standing("123456789m123p77s999s"), 5)


def test_any_tile_wins_beside_a_wildcard() -> None:
    """混吊: four sets and a wildcard; 双混吊: three sets, a pair and two (tianjin T407)."""
    assert AnyTile(4).distance(standing("123m456p777s444p", wilds=1)) == 1
    assert AnyTile(4).distance(standing("123m456p777s99p", wilds=2)) == 1
    assert AnyTile(4).distance(standing("123m456p77s445p", wilds=1)) == 3
    assert AnyTile(4).distance(standing("123m456p777s444p9s")) == FAR


def test_the_tile_in_the_middle_comes_last() -> None:
    """捉五: 4 and 6 万 wait for the 5 (tianjin T404)."""
    hand = standing("46m123p777s99p123s")
    assert Middle(3).distance(hand) == 1
    assert Middle(3).wanted(hand) == {Tile.M5}
    assert Middle(3).distance(standing("46m123p777s99p123s", seen="5555m")) == FAR


def test_what_can_be_won_decides_where_a_hand_may_be_ready() -> None:
    """Of the discards that leave a ready hand the one worth most, where one is worth anything."""
    mind = Mind("mcr", 4, random.Random(1))
    mind.begin()
    hand = standing("123456789m125p55s")
    mind.look(hand, ())
    assert mind.discard(hand, hand.kinds(), 60, lambda kind: 3.0 if kind == Tile.P5 else 0.0) == Tile.P5


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
