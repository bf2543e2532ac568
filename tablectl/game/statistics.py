"""Are walls and dice what chance makes? Tests over everything in a journal, each with its sample, its p value and the
threshold below which it is suspicious.

- *Dice*: how often each face came, how often each sum, and whether high and low follow each other freely (runs).
- *Where tiles lie*: kinds against the four sides, against upper and lower tiles, against the thirds of a side (as the
  lanes told them when the walls were raised), and against the quarters of the drawing order.
- *What lies beside what* in the order of building: tiles of one kind, tiles of one suit, and tiles that lay beside each
  other on the table at the end of the last hand, or of the one before it (where two sets are used in turn).

A shuffle is a draw without replacement: the counts of one wall depend on each other. With fixed margins Pearson's
statistic is N/(N−1) times a chi-square of (r−1)(c−1) degrees in the limit of many walls, so it is taken times (N−1)/N.
Neighbours are judged by the mean and variance over all permutations (Mantel, Cancer Research 27, 1967, 209–220), summed
over the walls. Runs: Wald and Wolfowitz, Annals of Mathematical Statistics 11, 1940, 147–162.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from math import erfc, exp, lgamma, log, sqrt
from typing import Any, Final

from tablectl.game import events as ev
from tablectl.tiles.tile import Tile

#: how often a fair table may be called suspicious, over all tests together
ALPHA: Final = 0.01
#: expected count of the rarest cell below which a chi-square says nothing
LEAST_EXPECTED: Final = 5.0
#: walls below which nothing is said of neighbours, throws below which nothing is said of runs
LEAST_WALLS: Final = 5
LEAST_THROWS: Final = 20
#: a wall of which the lanes missed more is not counted
MOST_UNKNOWN: Final = 8

_FLOWERS: Final = "flowers"
Kind = Tile | str
Pair = tuple[Kind, Kind]


# --- distributions


def chi_square_p(statistic: float, df: int) -> float:
    """The probability that a chi-square of ``df`` degrees of freedom is at least ``statistic``: the regularized upper
    incomplete gamma function Q(df/2, statistic/2), by its series or its continued fraction (Abramowitz and Stegun
    6.5.29, 6.5.31)."""
    if statistic <= 0:
        return 1.0
    a, x = df / 2, statistic / 2
    scale = exp(a * log(x) - x - lgamma(a))
    if x < a + 1:
        term = total = 1 / a
        n = a
        while term > total * 1e-15:
            n += 1
            term *= x / n
            total += term
        return max(0.0, 1 - scale * total)
    tiny = 1e-300
    b = x + 1 - a
    c, d = 1 / tiny, 1 / b
    fraction = d
    for i in range(1, 10_000):
        an = -i * (i - a)
        b += 2
        d = 1 / (an * d + b or tiny)
        c = b + an / c or tiny
        fraction *= d * c
        if abs(d * c - 1) < 1e-15:
            break
    return scale * fraction


def normal_p(z: float) -> float:
    """The probability that a standard normal value lies at least as far from 0 as ``z``."""
    return erfc(abs(z) / sqrt(2))


# --- what a test says


@dataclass(frozen=True, slots=True)
class Finding:
    """One test. ``n``: its sample (dice, walls); ``df`` None where ``statistic`` is a normal deviate; ``threshold``: p
    below it is suspicious; ``verdict``: ``fine``, ``suspicious`` or ``too_few``."""

    name: str
    n: int
    statistic: float | None
    df: int | None
    p: float | None
    threshold: float
    verdict: str


@dataclass(frozen=True, slots=True)
class Report:
    """All tests. ``walls``: those whose sides the lanes told; ``throws``: of all dice."""

    walls: int
    throws: int
    alpha: float
    tests: tuple[Finding, ...]

    @property
    def suspicious(self) -> list[Finding]:
        return [test for test in self.tests if test.verdict == "suspicious"]

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


class _Counts:
    """A table of kinds by classes, with what chance would make of it."""

    def __init__(self) -> None:
        self.walls = 0
        self._seen: Counter[tuple[Kind, int]] = Counter()
        self._expected: Counter[tuple[Kind, int]] = Counter()
        self._scale = 0.0

    def add(self, placed: Sequence[tuple[Kind, int]]) -> None:
        """One wall: every known tile with the class of its place."""
        size = len(placed)
        if size < 2:
            return
        kinds = Counter(kind for kind, _ in placed)
        classes = Counter(place for _, place in placed)
        self._seen.update(placed)
        for kind, many in kinds.items():
            for place, room in classes.items():
                self._expected[kind, place] += many * room / size  # type: ignore[assignment]
        self._scale += (size - 1) / size
        self.walls += 1

    def test(self) -> tuple[float, int] | None:
        """The statistic and its degrees of freedom; None where the sample is too small."""
        if not self._expected or min(self._expected.values()) < LEAST_EXPECTED:
            return None
        statistic = sum((self._seen[cell] - due) ** 2 / due for cell, due in self._expected.items())
        kinds, places = {kind for kind, _ in self._expected}, {place for _, place in self._expected}
        return statistic * self._scale / self.walls, (len(kinds) - 1) * (len(places) - 1)


class _Neighbours:
    """How often neighbours are related, against all orders of the same tiles."""

    def __init__(self) -> None:
        self.walls = 0
        self._seen = self._expected = self._variance = 0.0

    def add(self, chains: Sequence[Sequence[Kind]], related: Callable[[Kind, Kind], float]) -> None:
        """One wall as chains of neighbours; ``related`` is symmetric."""
        tiles = Counter(kind for chain in chains for kind in chain)
        pairs = sum(len(chain) - 1 for chain in chains)
        touching = sum(max(0, len(chain) - 2) for chain in chains)
        mean, variance = moments(tiles, pairs, touching, related)
        if variance > 0:
            self._seen += sum(related(a, b) for chain in chains for a, b in pairwise(chain))
            self._expected += mean
            self._variance += variance
            self.walls += 1

    def deviate(self) -> float | None:
        """The normal deviate of what was seen; None where the sample is too small."""
        return None if self.walls < LEAST_WALLS else (self._seen - self._expected) / sqrt(self._variance)


def moments(
    tiles: Mapping[Kind, int], pairs: int, touching: int, related: Callable[[Kind, Kind], float]
) -> tuple[float, float]:
    """Mean and variance, over all orders of ``tiles``, of the sum of ``related`` over ``pairs`` pairs of neighbours, of
    which ``touching`` share a tile with the next pair."""
    n = sum(tiles.values())
    if n < 4 or not pairs:
        return 0.0, 0.0
    a1 = a2 = a3 = 0.0
    for a, of_a in tiles.items():
        others = [(related(a, b), many - (a == b)) for b, many in tiles.items()]
        row = sum([many * value for value, many in others])
        a1 += of_a * row
        a2 += of_a * row**2
        a3 += of_a * sum([many * value**2 for value, many in others])
    mean = a1 / (n * (n - 1))
    sharing = (a2 - a3) / (n * (n - 1) * (n - 2))
    apart = (a1 * a1 - 4 * a2 + 2 * a3) / (n * (n - 1) * (n - 2) * (n - 3))
    second = pairs * a3 / (n * (n - 1)) + 2 * touching * sharing + (pairs * (pairs - 1) - 2 * touching) * apart
    return pairs * mean, second - (pairs * mean) ** 2


# --- the table at the end of a hand


class _LastHand:
    """What lies beside what when the tiles are pushed in: rivers and melds."""

    def __init__(self) -> None:
        self._rivers: list[list[Tile]] = [[], [], [], []]
        self._pairs: Counter[Pair] = Counter()

    def add(self, event: ev.Event) -> None:
        if isinstance(event, ev.TileDiscarded):
            self._rivers[event.actor].append(event.pai)
        elif isinstance(event, (ev.ChowMade, ev.PungMade, ev.ExposedKongMade)):
            if self._rivers[event.target]:
                self._rivers[event.target].pop()
            self._lie(sorted([event.pai, *event.consumed]))
        elif isinstance(event, ev.ConcealedKongMade):
            self._lie(event.consumed)
        elif isinstance(event, ev.AddedKongMade):
            self._lie([event.pai, event.pai])

    def _lie(self, tiles: Sequence[Tile]) -> None:
        for a, b in pairwise(map(_kind, tiles)):
            self._pairs[_pair(a, b)] += 1

    def pairs(self) -> Counter[Pair]:
        for river in self._rivers:
            self._lie(river)
        return self._pairs


_OF_A_HAND: Final = (
    ev.TileDiscarded,
    ev.ChowMade,
    ev.PungMade,
    ev.ExposedKongMade,
    ev.ConcealedKongMade,
    ev.AddedKongMade,
)


def _kind(tile: Tile) -> Kind:
    """Flowers are one kind: there is one tile of each."""
    return _FLOWERS if tile.is_flower else tile


def _pair(a: Kind, b: Kind) -> Pair:
    return (a, b) if str(a) <= str(b) else (b, a)


def _same_kind(a: Kind, b: Kind) -> float:
    return float(a == b)


def _suit(kind: Kind) -> str:
    return kind.suit or "honours" if isinstance(kind, Tile) else _FLOWERS


def _same_suit(a: Kind, b: Kind) -> float:
    return float(_suit(a) == _suit(b))


# --- the tally


class Tally:
    """Counts walls and dice as the events of a journal come by. Cheap, but for the end of a hand (a millisecond)."""

    #: types of events that matter here
    TYPES: Final = frozenset({"dice", "first_dealer", "wall", "opened", "end_kyoku", *(e.type for e in _OF_A_HAND)})

    def __init__(self) -> None:
        self._throws: list[tuple[int, ...]] = []
        self._places = {name: _Counts() for name in ("sides", "levels", "thirds", "quarters")}
        self._beside = {name: _Neighbours() for name in ("same_kind", "same_suit", "last_hand", "hand_before_last")}
        self._hand = _LastHand()
        self._before: list[Counter[Pair]] = []
        self.walls = 0

    def add(self, event: ev.Event) -> None:
        """An event of the journal, in order."""
        if isinstance(event, (ev.DiceThrown, ev.DealerThrown)):
            self._throws.append(event.dice)
        elif isinstance(event, ev.WallRevealed):
            self._drawn(event.wall)
        elif isinstance(event, ev.CommitmentOpened) and event.what == "wall":
            self._built(event.built)
        elif isinstance(event, ev.HandEnded):
            self._before = [self._hand.pairs(), *self._before[:2]]
            self._hand = _LastHand()
        else:
            self._hand.add(event)

    def _drawn(self, wall: Sequence[Tile | None]) -> None:
        if wall and wall.count(None) <= MOST_UNKNOWN:
            quarter = len(wall) / 4
            self._places["quarters"].add([(_kind(t), int(n // quarter)) for n, t in enumerate(wall) if t is not None])

    def _built(self, built: Sequence[Sequence[Tile | None]]) -> None:
        if sum(side.count(None) for side in built) > MOST_UNKNOWN:
            return
        self.walls += 1
        placed = [
            (_kind(tile), n, index, len(side))
            for n, side in enumerate(built)
            for index, tile in enumerate(side)
            if tile is not None
        ]
        self._places["sides"].add([(kind, n) for kind, n, _, _ in placed])
        self._places["levels"].add([(kind, index % 2) for kind, _, index, _ in placed])
        self._places["thirds"].add([(kind, 3 * index // length) for kind, _, index, length in placed])
        chains = [chain for side in built for chain in _chains(side)]
        self._beside["same_kind"].add(chains, _same_kind)
        self._beside["same_suit"].add(chains, _same_suit)
        # This seal was opened after its own hand: what came before it is the hand before that.
        for name, back in (("last_hand", 1), ("hand_before_last", 2)):
            if len(self._before) > back:
                lay = self._before[back]
                self._beside[name].add(chains, lambda a, b, lay=lay: float(lay[_pair(a, b)]))  # type: ignore[misc]

    # --- what it says

    def report(self, alpha: float = ALPHA) -> Report:
        """All tests; ``alpha`` is shared among them."""
        found: list[tuple[str, int, float | None, int | None]] = []
        faces = [face for throw in self._throws for face in throw]
        sums = [sum(throw) for throw in self._throws if len(throw) == 2]
        found.append(("dice_faces", len(faces), *_fit(faces, dict.fromkeys(range(1, 7), 1 / 6))))
        ways = {total: (6 - abs(total - 7)) / 36 for total in range(2, 13)}
        found.append(("dice_sums", len(sums), *_fit(sums, ways)))
        found.append(("dice_runs", len(faces), _runs([face > 3 for face in faces]), None))
        for name, counts in self._places.items():
            statistic, df = counts.test() or (None, None)
            found.append((f"wall_{name}", counts.walls, statistic, df))
        for name, beside in self._beside.items():
            found.append((f"beside_{name}", beside.walls, beside.deviate(), None))
        threshold = alpha / len(found)
        return Report(self.walls, len(self._throws), alpha, tuple(_judged(*one, threshold) for one in found))


def _chains(side: Sequence[Tile | None]) -> Iterable[list[Kind]]:
    """The tiles of a side in the order in which they passed the lane (the last stack first, the lower tile before the
    upper one), broken where the lane missed one."""
    chain: list[Kind] = []
    for tile in reversed(side):
        if tile is None:
            if len(chain) > 1:
                yield chain
            chain = []
        else:
            chain.append(_kind(tile))
    if len(chain) > 1:
        yield chain


def _fit(values: Sequence[int], shares: Mapping[int, float]) -> tuple[float | None, int | None]:
    """Chi-square of how often each value came."""
    n = len(values)
    if n * min(shares.values()) < LEAST_EXPECTED:
        return None, None
    seen = Counter(values)
    return sum((seen[value] - n * share) ** 2 / (n * share) for value, share in shares.items()), len(shares) - 1


def _runs(highs: Sequence[bool]) -> float | None:
    """The normal deviate of the number of runs."""
    n, high = len(highs), sum(highs)
    low = n - high
    if n < LEAST_THROWS or not high or not low:
        return None
    runs = 1 + sum(a != b for a, b in pairwise(highs))
    mean = 1 + 2 * high * low / n
    variance = 2 * high * low * (2 * high * low - n) / (n * n * (n - 1))
    return (runs - mean) / sqrt(variance)


def _judged(name: str, n: int, statistic: float | None, df: int | None, threshold: float) -> Finding:
    if statistic is None:
        return Finding(name, n, None, None, None, threshold, "too_few")
    p = normal_p(statistic) if df is None else chi_square_p(statistic, df)
    return Finding(name, n, statistic, df, p, threshold, "suspicious" if p < threshold else "fine")
