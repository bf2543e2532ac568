"""北京麻将: deal, rounds, goal, below 0, ranking; what the play brings about (T40, T42, T46, T48–T51)."""

from __future__ import annotations

import pytest
from rule_hands import HandOf, SeatOf

from tablectl.rules.api import NO_POINTS, Discard, HandResult, Incident, MatchState, Points, RuleSet
from tablectl.rules.registry import load
from tablectl.tiles.notation import parse_melds, parse_tiles
from tablectl.tiles.tile import WINDS, Tile

RULES = load("beijing")
BELOW: Points = (29_900, 25_000, 25_000, 20_100)
ABOVE: Points = (30_000, 25_000, 25_000, 20_000)


def after(rules: RuleSet, match: MatchState, *winners: int, deltas: Points = NO_POINTS, **more: object) -> MatchState:
    return rules.next_hand(match, HandResult(winners, deltas, **more), 0)  # type: ignore[arg-type]


def last_of(round_: int, points: Points) -> MatchState:
    """Before the last hand of a round."""
    return MatchState(points, dealer=3, circle=round_, prevalent=WINDS[round_ - 1], hand=4 * round_)


def played(rules: RuleSet, points: Points) -> MatchState:
    """A match of drawn hands with these points."""
    match = MatchState(points)
    while match.over is None:
        match = after(rules, match)
    return match


# --- deal and rounds


def test_the_deal_passes_after_every_hand() -> None:  # T48
    match, seen = RULES.first_hand(), []
    for winners in ((0,), (), (2,), (1,), (3,)):
        match = after(RULES, match, *winners)
        seen.append((match.dealer, match.circle, match.prevalent, match.hand))
    assert seen == [(1, 1, Tile.EAST, 2), (2, 1, Tile.EAST, 3), (3, 1, Tile.EAST, 4), (0, 2, Tile.SOUTH, 5),
                    (1, 2, Tile.SOUTH, 6)]  # fmt: skip


@pytest.mark.parametrize(("repeat", "won", "drawn"), [("never", 1, 1), ("win", 0, 1), ("win_or_draw", 0, 0)])
def test_the_dealer_may_repeat(repeat: str, won: int, drawn: int) -> None:  # T48
    rules = load("beijing", {"dealer_repeat": repeat})
    start = rules.first_hand()
    assert (after(rules, start, 0).dealer, after(rules, start, 0).streak) == (won, int(won == 0))
    assert after(rules, start).dealer == drawn
    assert after(rules, start, 2).dealer == 1
    assert after(rules, start, 2, 0).dealer == won


def test_a_void_hand_is_dealt_again() -> None:  # T44
    match = after(RULES, last_of(1, BELOW), deltas=(0, -8000, 4000, 4000), void=True, carry={"pot": 1000})
    assert (match.dealer, match.circle, match.hand, match.over) == (3, 1, 4, None)
    assert match.carry == {"pot": 1000}


# --- the end


@pytest.mark.parametrize(("points", "rounds", "over"), [(ABOVE, 2, "goal"), (BELOW, 4, "rounds")])
def test_two_rounds_or_as_many_as_the_goal_needs(points: Points, rounds: int, over: str) -> None:  # T49
    match = played(RULES, points)
    assert (match.over, match.circle, match.prevalent) == (over, rounds, WINDS[rounds - 1])
    assert match.hand == 4 * rounds + 1


def test_the_goal_is_looked_at_at_the_end_of_a_round_only() -> None:  # T49
    won = MatchState(BELOW, dealer=0, circle=3, prevalent=Tile.WEST, hand=9)
    reaching: Points = (100, -100, 0, 0)
    assert after(RULES, won, 0, deltas=reaching).over is None
    assert after(RULES, last_of(3, BELOW), 0, deltas=reaching).over == "goal"
    assert after(RULES, last_of(1, ABOVE)).over is None
    sudden = load("beijing", {"sudden_death": True})
    assert after(sudden, won, 0, deltas=reaching).over == "goal"
    assert after(sudden, won, deltas=reaching, void=True).over is None
    assert after(sudden, MatchState(ABOVE, dealer=1, circle=2), 0).over is None


def test_the_last_round_ends_the_match_in_any_case() -> None:  # T49
    assert after(RULES, last_of(4, BELOW), 1).over == "rounds"
    assert after(load("beijing", {"max_rounds": 2}), last_of(2, BELOW), 1).over == "rounds"
    assert after(load("beijing", {"rounds": 1}), last_of(1, ABOVE), 1).over == "goal"
    assert after(load("beijing", {"goal_points": 29_000}), last_of(2, BELOW), 1).over == "goal"
    assert after(load("beijing", {"goal_points": 40_000}), last_of(2, ABOVE), 1).over is None


def test_a_dealer_who_repeats_keeps_the_round_going() -> None:  # T48, T49
    rules = load("beijing", {"dealer_repeat": "win"})
    assert after(rules, last_of(2, ABOVE), 3).over is None


def test_below_nothing_ends_the_match() -> None:  # T50
    match = MatchState((1000, 33_000, 33_000, 33_000))
    assert after(RULES, match, 1, deltas=(-1000, 1000, 0, 0)).over is None
    assert after(RULES, match, 1, deltas=(-1100, 1100, 0, 0)).over == "bust"
    assert after(RULES, match, deltas=(-8000, 4000, 2000, 2000), void=True).over == "bust"
    west = MatchState((1000, 33_000, 33_000, 33_000), circle=3)
    assert after(RULES, west, 1, deltas=(-1100, 1100, 0, 0)).over == "bust"
    endless = load("beijing", {"bust_ends": False})
    assert after(endless, match, 1, deltas=(-1100, 1100, 0, 0)).over is None


def test_a_penalty_that_leaves_less_than_nothing_ends_the_match_at_once() -> None:  # T50
    assert RULES.broken_off((-100, 40_000, 40_000, 20_100))
    assert not RULES.broken_off((0, 40_000, 40_000, 20_000))
    assert not load("beijing", {"bust_ends": False}).broken_off((-100, 40_000, 40_000, 20_100))


def test_the_referee_may_break_the_match_off() -> None:
    assert after(RULES, RULES.first_hand(), broken_off=True).over == "referee"


# --- pot and ranking


def test_a_pot_left_goes_to_the_first() -> None:  # T40
    ended = after(RULES, last_of(4, BELOW), carry={"pot": 2000})
    assert (ended.points, ended.carry) == ((31_900, 25_000, 25_000, 20_100), {})
    going_on = after(RULES, last_of(3, BELOW), carry={"pot": 2000})
    assert (going_on.points, going_on.carry) == (BELOW, {"pot": 2000})
    nobody = load("beijing", {"pot_leftover": "nobody"})
    assert after(nobody, last_of(4, BELOW), carry={"pot": 2000}).points == BELOW


def test_a_pot_does_not_bring_the_goal() -> None:  # T40, T49
    assert after(RULES, last_of(2, BELOW), carry={"pot": 1000}).over is None


def test_equal_firsts_share_a_pot_where_ranks_are_shared() -> None:  # T40, T51
    even: Points = (25_000,) * 4
    assert after(RULES, last_of(4, even), carry={"pot": 1000}).points == (26_000, 25_000, 25_000, 25_000)
    share = load("beijing", {"rank_tie": "share"})
    assert after(share, last_of(4, even), carry={"pot": 1000}).points == (25_250,) * 4
    three: Points = (26_000, 26_000, 26_000, 22_000)
    assert after(share, last_of(4, three), carry={"pot": 1000}).points == (26_334, 26_333, 26_333, 22_000)


def test_equal_points_rank_by_seat_or_alike() -> None:  # T51
    points: Points = (25_000, 30_000, 25_000, 30_000)
    assert RULES.ranks(points) == (3, 1, 4, 2)
    assert load("beijing", {"rank_tie": "share"}).ranks(points) == (3, 1, 3, 1)


def test_points_for_ranks() -> None:  # T51
    points: Points = (25_000, 30_000, 25_000, 20_000)
    assert RULES.game_points(MatchState(points)) == points
    uma = load("beijing", {"uma": [15_000, 5000, -5000, -15_000]})
    assert uma.game_points(MatchState(points)) == (30_000, 45_000, 20_000, 5000)
    assert uma.ranks(uma.game_points(MatchState(points))) == uma.ranks(points)
    share = load("beijing", {"uma": [15_000, 5000, -5000, -15_000], "rank_tie": "share"})
    assert share.game_points(MatchState(points)) == (25_000, 45_000, 25_000, 5000)


def test_a_pot_still_open_counts_for_the_first() -> None:  # T40: the referee ends the match between two hands
    assert RULES.game_points(MatchState(BELOW, carry={"pot": 1000})) == (30_900, 25_000, 25_000, 20_100)


# --- what the play brings about


def thrown(*kinds: str, first: int = 0, claimed: int | None = None) -> list[Discard]:
    tiles = [tile for kind in kinds for tile in parse_tiles(kind)]
    return [Discard((first + n) % 4, tile, claimed=n == claimed) for n, tile in enumerate(tiles)]


def burns(discards: list[Discard], dealer: int = 0, known: tuple[Incident, ...] = ()) -> list[int]:
    rules = load("beijing", {"burn_dealer": True})
    hand = HandOf(dealer=dealer, discards=discards, incidents=list(known))
    found = rules.observe(hand)
    assert all((i.kind, i.seat) == ("burn_dealer", dealer) for i in found)
    return [i.extra["count"] for i in found]


def test_burning_the_dealer() -> None:  # T46
    assert burns(thrown("EEE")) == []
    assert burns(thrown("EEEE")) == [1]
    assert burns(thrown("EEEE"), known=(Incident("burn_dealer", 0, None, {"count": 1}),)) == []
    assert burns(thrown("EEEE", "9999s"), known=(Incident("burn_dealer", 0, None, {"count": 1}),)) == [2]
    assert burns(thrown("EEEE", "9999s", "CCCC")) == [1, 2, 3]
    assert burns(thrown("EEEE", "9998s", "CCCC")) == [1]
    assert burns(thrown("SEEEE")) == []  # from the dealer's first discard on
    assert burns(thrown("5555m", claimed=2)) == []
    assert burns(thrown("5555m", claimed=3)) == [1]
    assert burns(thrown("EEEE", first=2), dealer=2) == [1]
    assert burns(thrown("EEEE", first=3), dealer=2) == []


def test_burning_is_off_by_default() -> None:  # T46
    assert RULES.observe(HandOf(discards=thrown("EEEE"))) == ()


def drawn_hand(wall_left: int = 14, *, claimed: bool = False) -> HandOf:
    seats = [
        SeatOf(list(parse_tiles("23456m123p99sEEE"))),
        SeatOf(list(parse_tiles("147m258p369sESWN"))),
        SeatOf(list(parse_tiles("5m")), list(parse_melds("[555m,1][123s,1][EEE,1][789p,1]"))),
        SeatOf(list(parse_tiles("1133557799m22s4p"))),
    ]
    return HandOf(seats=seats, discards=[Discard(0, Tile.WHITE, claimed=claimed)], wall_left=wall_left)


def test_who_is_ready_when_the_wall_is_used_up() -> None:  # T42
    rules = load("beijing", {"draw_ready_points": 3000})
    # seat 2 waits for a fifth 5m only
    assert rules.observe(drawn_hand()) == (Incident("ready", 0), Incident("ready", 3))
    assert rules.observe(drawn_hand(wall_left=15)) == ()
    assert rules.observe(drawn_hand(claimed=True)) == ()
    known = drawn_hand()
    known.incidents.append(Incident("ready", 0))
    assert rules.observe(known) == (Incident("ready", 3),)
    assert RULES.observe(drawn_hand()) == ()
