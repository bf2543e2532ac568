"""Fairness statistics: right distributions, a fair generator passes, each kind of bias is found."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise, permutations
from math import sqrt
from random import Random
from statistics import fmean, pvariance

import pytest

from tablectl.game import events as ev
from tablectl.game.statistics import ALPHA, Report, Tally, chi_square_p, moments, normal_p
from tablectl.rules.registry import load
from tablectl.tiles.tile import Tile

STACKS = (18, 18, 18, 18)
TILES = load("competition").tile_set.tiles()


# --- distributions


@pytest.mark.parametrize(  # critical values of the NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.4
    ("df", "alpha", "critical"),
    [
        (1, 0.05, 3.841), (1, 0.01, 6.635), (1, 0.001, 10.828), (2, 0.05, 5.991), (5, 0.05, 11.070), (5, 0.001, 20.515),
        (10, 0.1, 15.987), (10, 0.05, 18.307), (10, 0.001, 29.588), (34, 0.05, 48.602), (68, 0.01, 98.028),
        (99, 0.05, 123.225), (100, 0.9, 82.358), (100, 0.99, 70.065), (100, 0.001, 149.449),
    ],
)  # fmt: skip
def test_chi_square_has_the_published_critical_values(df: int, alpha: float, critical: float) -> None:
    assert chi_square_p(critical, df) == pytest.approx(alpha, rel=2e-3)


def test_chi_square_at_its_ends_and_with_two_degrees() -> None:
    assert chi_square_p(0, 3) == 1
    assert chi_square_p(1e4, 3) == pytest.approx(0, abs=1e-300)
    for x in (0.1, 1.0, 2.9, 3.1, 10.0, 60.0):  # two degrees: exp(-x/2), on both sides of the switch of methods
        assert chi_square_p(x, 2) == pytest.approx(2.718281828459045 ** (-x / 2), rel=1e-12)


@pytest.mark.parametrize(("z", "p"), [(0.0, 1.0), (1.959964, 0.05), (-2.575829, 0.01), (3.290527, 0.001)])
def test_normal_deviates(z: float, p: float) -> None:
    assert normal_p(z) == pytest.approx(p, rel=1e-5)


def test_the_moments_of_neighbours_are_those_of_all_orders() -> None:
    tiles = [Tile.M1, Tile.M1, Tile.M2, Tile.P1, Tile.P1, Tile.EAST]
    weight = {Tile.M1: 1.0, Tile.M2: 3.0, Tile.P1: 2.0, Tile.EAST: 0.5}
    chains = (4, 2)

    def related(a: object, b: object) -> float:
        return weight[a] * weight[b] if a != b else 5.0  # type: ignore[index]

    sums = []
    for order in permutations(tiles):
        parts = (order[: chains[0]], order[chains[0] :])
        sums.append(sum(related(a, b) for part in parts for a, b in pairwise(part)))
    mean, variance = moments(Counter(tiles), 4, 2, related)
    assert mean == pytest.approx(fmean(sums))
    assert variance == pytest.approx(pvariance(sums))


# --- a table that plays


class Hands:
    """Hands told to a tally: walls as they were built, dice, and tiles that lie on the table at the end."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.tally = Tally()

    def wall(self, order: list[Tile]) -> None:
        """``order``: the tiles as they passed the lanes, side after side."""
        built, at = [], 0
        for stacks in STACKS:
            side = order[at : at + 2 * stacks]
            built.append(tuple(reversed(side)))
            at += 2 * stacks
        self.tally.add(ev.WallRevealed(wall=tuple(tile for side in built for tile in side)))
        self.tally.add(ev.CommitmentOpened(what="wall", digest="d", secret="s", built=tuple(built)))

    def shuffled(self) -> list[Tile]:
        order = list(TILES)
        self.random.shuffle(order)
        return order

    def throw(self, faces: tuple[int, ...] = (1, 2, 3, 4, 5, 6)) -> None:
        self.tally.add(ev.DiceThrown(actor=0, dice=(self.random.choice(faces), self.random.choice(faces))))

    def end(self, rivers: list[list[Tile]] | None = None) -> None:
        for seat, river in enumerate(rivers or []):
            for tile in river:
                self.tally.add(ev.TileDiscarded(actor=seat, pai=tile))
        self.tally.add(ev.HandEnded(scores=(0, 0, 0, 0), deltas=(0, 0, 0, 0)))

    def rivers(self) -> list[list[Tile]]:
        order = self.shuffled()
        return [order[18 * n : 18 * n + 18] for n in range(4)]


def fair(seed: int, hands: int = 45) -> Report:
    table = Hands(seed)
    for _ in range(hands):
        for _ in range(4):
            table.throw()
        table.end(table.rivers())
        table.wall(table.shuffled())
    return table.tally.report()


def verdicts(report: Report) -> dict[str, str]:
    return {test.name: test.verdict for test in report.tests}


def test_a_fair_table_passes() -> None:
    reports = [fair(seed) for seed in range(6)]
    for report in reports:
        assert report.suspicious == []
        assert (report.walls, report.throws) == (45, 180)
        assert {test.verdict for test in report.tests} == {"fine"}
    values = [test.p for report in reports for test in report.tests if test.p is not None]
    assert 0.35 < fmean(values) < 0.65  # p values of a fair table are spread evenly
    assert min(values) > ALPHA / len(values)


def test_the_statistics_of_places_have_the_scale_of_their_distribution() -> None:
    """Without the factor (N−1)/N, and with margins that are fixed, the mean would not be the degrees of freedom."""
    deviations = []
    for seed in range(100, 124):
        table = Hands(seed)
        for _ in range(20):
            table.wall(table.shuffled())
        for test in table.tally.report().tests:
            if test.name in ("wall_sides", "wall_levels", "wall_thirds") and test.statistic is not None and test.df:
                deviations.append((test.statistic - test.df) / sqrt(2 * test.df))
    assert abs(fmean(deviations)) < 0.35
    assert 0.55 < pvariance(deviations) < 1.6


@pytest.mark.parametrize(
    ("name", "faces"),
    [("dice_faces", (1, 2, 3, 4, 5, 6, 6)), ("dice_sums", (1, 2, 2, 3, 4, 5, 5, 6))],
)
def test_loaded_dice_are_found(name: str, faces: tuple[int, ...]) -> None:
    table = Hands(4)
    for _ in range(3000):
        table.throw(faces)
    assert verdicts(table.tally.report())[name] == "suspicious"


def test_dice_that_alternate_are_found() -> None:
    table = Hands(4)
    for n in range(100):
        low, high = table.random.randint(1, 3), table.random.randint(4, 6)
        table.tally.add(ev.DiceThrown(actor=0, dice=(low, high) if n % 5 else (high, low)))
    report = verdicts(table.tally.report())
    assert report["dice_runs"] == "suspicious"
    assert report["dice_faces"] == "fine"


def test_a_side_that_gets_more_of_a_suit_is_found() -> None:
    table = Hands(5)
    for _ in range(60):
        order = table.shuffled()
        order.sort(key=lambda tile: table.random.random() - 0.15 * (tile.suit == "m"))
        table.wall(order)
    report = verdicts(table.tally.report())
    assert report["wall_sides"] == report["wall_quarters"] == "suspicious"
    assert report["wall_levels"] == "fine"


def test_honours_that_lie_on_top_are_found() -> None:
    table = Hands(6)
    for _ in range(60):
        order = table.shuffled()
        for n in range(0, len(order), 2):  # the lower tile passes first
            if order[n].is_honour and not order[n + 1].is_honour and table.random.random() < 0.4:
                order[n], order[n + 1] = order[n + 1], order[n]
        table.wall(order)
    report = verdicts(table.tally.report())
    assert report["wall_levels"] == "suspicious"
    assert report["wall_sides"] == "fine"


def test_a_side_that_begins_with_dragons_is_found() -> None:
    table = Hands(7)
    for _ in range(60):
        order: list[Tile] = []
        rest = table.shuffled()
        for _ in STACKS:
            side, rest = rest[:36], rest[36:]
            side.sort(key=lambda tile: table.random.random() - 0.4 * tile.is_dragon)
            order += side
        table.wall(order)
    report = verdicts(table.tally.report())
    assert report["wall_thirds"] == "suspicious"
    assert report["wall_sides"] == "fine"


def test_tiles_of_a_kind_that_stay_together_are_found() -> None:
    table = Hands(8)
    for _ in range(40):
        order = table.shuffled()
        for n in range(0, 60, 6):
            other = next((k for k in range(n + 2, len(order)) if order[k] == order[n]), None)
            if other is not None and table.random.random() < 0.5:
                order[n + 1], order[other] = order[other], order[n + 1]
        table.wall(order)
    report = verdicts(table.tally.report())
    assert report["beside_same_kind"] == "suspicious"
    assert report["wall_levels"] == "fine"


def _pushed_in(table: Hands, rivers: list[list[Tile]], kept: float) -> list[Tile]:
    """A wall of a drum that mixes too briefly: some tiles stay beside those beside which they lay on the table."""
    order = table.shuffled()
    for river in rivers:
        for a, b in pairwise(river):
            at = order.index(a)
            if at + 1 < len(order) and table.random.random() < kept:
                other = order.index(b)
                order[at + 1], order[other] = order[other], order[at + 1]
    return order


@pytest.mark.parametrize(("back", "name"), [(0, "beside_last_hand"), (1, "beside_hand_before_last")])
def test_what_the_last_hand_left_together_is_found(back: int, name: str) -> None:
    table = Hands(9)
    lay: list[list[list[Tile]]] = []
    for _ in range(40):
        wall = _pushed_in(table, lay[back], 0.35) if len(lay) > back else table.shuffled()
        rivers = table.rivers()
        table.end(rivers)
        table.wall(wall)
        lay = [rivers, *lay[:1]]
    report = verdicts(table.tally.report())
    assert report[name] == "suspicious"
    assert report["wall_sides"] == "fine"


# --- small samples, unknown tiles, claims


def test_little_says_nothing() -> None:
    report = fair(1, hands=1)
    assert set(verdicts(report).values()) == {"too_few"}
    assert all(test.p is None for test in report.tests)
    empty = Tally().report()
    assert (empty.walls, empty.throws) == (0, 0)


def test_tiles_that_the_lanes_missed_are_left_out() -> None:
    table = Hands(3)
    for _ in range(60):
        order: list[Tile | None] = list(table.shuffled())
        for _ in range(3):
            order[table.random.randrange(len(order))] = None
        built = tuple(tuple(order[36 * n : 36 * n + 36]) for n in range(4))
        table.tally.add(ev.CommitmentOpened(what="wall", digest="d", secret="s", built=built))
    report = table.tally.report()
    assert report.walls == 60
    assert report.suspicious == []


def test_a_wall_that_was_hardly_read_does_not_count() -> None:
    tally = Tally()
    built = tuple((None,) * 36 for _ in range(4))
    tally.add(ev.CommitmentOpened(what="wall", digest="d", secret="s", built=built))
    tally.add(ev.CommitmentOpened(what="dice", digest="d", secret="s"))
    assert tally.report().walls == 0


def test_melds_lie_together_and_claimed_tiles_left_the_river() -> None:
    def told(seed: int) -> str:
        table = Hands(seed)
        chow = [Tile.M1, Tile.M2, Tile.M3]
        for _ in range(30):
            table.tally.add(ev.TileDiscarded(actor=0, pai=Tile.EAST))
            table.tally.add(ev.TileDiscarded(actor=0, pai=Tile.M2))
            table.tally.add(ev.ChowMade(actor=1, target=0, pai=Tile.M2, consumed=(Tile.M1, Tile.M3)))
            table.tally.add(ev.ConcealedKongMade(actor=2, consumed=(Tile.S9,) * 4))
            table.end()
            order = [tile for tile in table.shuffled() if tile not in (Tile.M1, Tile.M2, Tile.M3)]
            at = table.random.randrange(len(order))
            table.wall(order[:at] + chow * 4 + order[at:])
        return verdicts(table.tally.report())["beside_last_hand"]

    assert told(1) == "suspicious"


def test_a_report_is_plain_json() -> None:
    data = fair(2, hands=6).to_json()
    assert data["walls"] == 6
    assert {"name", "n", "statistic", "df", "p", "threshold", "verdict"} == set(data["tests"][0])
