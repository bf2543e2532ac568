"""Kill the program thousands of times and count what came of it: ``python -m benchmarks.kill [LANE …] [--kills N]``.

Lanes:

``boundary``  a hand of each of the seven systems: the core is dropped at every write of its journal in turn, with
              nothing on disk, with it on disk and not shown, or shown
``random``    the same at random moments of the table's clock, whatever the core does just then
``power``     both, and what the machine remembers in ``/run`` is gone too; the table stays dark for a while
``torn``      as ``boundary``, and each kill leaves half a page and nonsense in the journal's log
``sigkill``   real processes, SIGKILL at random moments
``calls``     … around presses of keys, twice in a row often: what is called in the dark, and about what
``full``      nobody is killed; the disk is full again and again, for up to a minute
``readonly``  … from some moment of the hand on it takes nothing any more
``clock``     … the time of day jumps by a day, forth or back, again and again
``page``      the page's process gets SIGKILL while somebody follows the table; what he was told is counted
``both``      … and the core loses everything but its journal at the same moment

The next program must have everything that anybody saw, and the hand must end with the scores it had. A hand that the
antennas lead astray without any kill is left out, and counted. Every seed is its own process's: see ``--seed``.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "web"))

from killed_pages import follow_through
from killed_process import Killed, record
from killed_table import KilledTable, Kind, Moment, Outcome
from troubled_table import Trouble, TroubledTable

from tablectl.base.clock import cpu_seconds, run_virtual
from tablectl.rules.registry import RULE_SETS

MOMENTS: tuple[Moment, ...] = ("before", "after", "shown")
#: of the writes of one hand every so manieth is a kill; as many hands as that, and every write had its turn
STRIDE = 13
#: seconds between two kills at random
PAUSE_S = (3.0, 45.0)
#: times that one recorded hand is played through kills by real processes
KILLED_OFTEN = 3
#: virtual seconds after which a hand hangs
LIMIT_S = 20_000.0


@dataclass
class Total:
    """What was counted. ``lines``: everything that was not as it should be, to look at."""

    counted: Counter[str] = field(default_factory=Counter)
    ready_s: list[float] = field(default_factory=list)
    looked_s: list[float] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)

    def take(self, name: str, outcome: Outcome) -> None:
        self.ready_s += outcome.ready_s
        self.looked_s += outcome.looked_s
        self.counted["kills"] += outcome.kills
        self.counted["events lost that were seen"] += len(outcome.lost)
        self.counted["outputs on while nobody drives them"] += len(outcome.moved)
        self.counted["questions to a person"] += outcome.questions
        self.judge(name, outcome.wrong, outcome.questions)
        self.lines += [f"{name}: {line}" for line in outcome.lost + outcome.moved]

    def judge(self, name: str, wrong: list[str], questions: int = 0) -> None:
        self.counted["hands"] += 1
        if any(line.startswith("scores") or "hands in the record" in line for line in wrong):
            asked = "after a question to a person" if questions else "and nobody was asked"
            self.counted[f"hands with other scores, {asked}"] += 1
        elif wrong:
            self.counted["hands with the same scores, another order or alert"] += 1
        else:
            self.counted["hands exactly as played"] += 1
        self.lines += [f"{name}: {line}" for line in wrong[:3]]


def play(total: Total, name: str, **how: object) -> None:
    """One hand through its kills."""
    with tempfile.TemporaryDirectory(prefix="tablectl-kill-") as folder:
        table = KilledTable(Path(folder), **how)  # type: ignore[arg-type]
        try:
            outcome = run_virtual(table.play(), limit_s=LIMIT_S)
        except Exception as error:
            total.counted["hands that did not end"] += 1
            total.lines.append(f"{name}: {type(error).__name__}: {str(error).splitlines()[0]}")
        else:
            total.take(name, outcome)


def sound_seeds(total: Total, rules: str, noise: str, first: int) -> Iterator[int]:
    """Seeds whose hand is followed exactly when nobody kills anything."""
    for seed in range(first, first + 10_000):
        with tempfile.TemporaryDirectory(prefix="tablectl-kill-") as folder:
            plain = KilledTable(Path(folder), rules=rules, seed=seed, noise=noise)
            outcome = run_virtual(plain.play(), limit_s=LIMIT_S)
        if outcome.wrong:
            total.counted["hands left out: followed wrongly without a kill"] += 1
        else:
            yield seed


def at_boundaries(
    total: Total, rules: str, kind: Kind, seed: int, phases: range, noise: str, *, torn: bool = False
) -> None:
    for phase in phases:
        moments = {n: MOMENTS[(n // STRIDE + phase) % 3] for n in range(1 + phase, 600, STRIDE)}
        name = f"{kind}, {rules}, {noise}, seed {seed}, write {1 + phase} and every {STRIDE}th"
        play(total, name, rules=rules, seed=seed, noise=noise, kind=kind, when=moments.get, torn=torn)


def at_random(total: Total, rules: str, kind: Kind, seed: int, noise: str) -> None:
    rng = random.Random(f"{rules}/{seed}")
    timers = iter([rng.uniform(*PAUSE_S) for _ in range(60)])
    name = f"{kind}, {rules}, {noise}, seed {seed}, random moments"
    play(total, name, rules=rules, seed=seed, noise=noise, kind=kind, timers=timers)


def boundary(total: Total, rules: str, kills: int, first: int) -> None:
    """Every write of one hand; ``kills`` does not matter."""
    seed = next(sound_seeds(total, rules, "clean", first))
    at_boundaries(total, rules, "crash", seed, range(STRIDE), "clean")


def torn_pages(total: Total, rules: str, kills: int, first: int) -> None:
    seed = next(sound_seeds(total, rules, "clean", first))
    for phase in range(STRIDE):
        at_boundaries(total, rules, "crash", seed, range(phase, phase + 1), "clean", torn=True)
        if total.counted["kills"] >= kills:
            break


def random_moments(total: Total, rules: str, kills: int, first: int) -> None:
    for noise, part in (("clean", 0.5), ("normal", 1.0)):
        for seed in sound_seeds(total, rules, noise, first):
            at_random(total, rules, "crash", seed, noise)
            if total.counted["kills"] >= part * kills:
                break


def power(total: Total, rules: str, kills: int, first: int) -> None:
    for n, seed in enumerate(sound_seeds(total, rules, "clean", first)):
        if n % 2:
            at_random(total, rules, "power", seed, "clean")
        else:
            at_boundaries(total, rules, "power", seed, range(n % STRIDE, n % STRIDE + 1), "clean")
        if total.counted["kills"] >= kills:
            break


def sigkill(calls: bool, total: Total, rules: str, kills: int, first: int) -> None:
    """Real processes that take in recorded hands; ``calls``: killed around presses of keys."""
    for seed in count(first):
        recorded = record(rules, seed)
        with tempfile.TemporaryDirectory(prefix="tablectl-kill-") as name:
            for number in range(KILLED_OFTEN):
                match = Killed(recorded, Path(name) / str(number))
                rng = random.Random(f"{rules}/{seed}/{number}")
                wrong = match.around_calls(rng) if calls else match.match(rng, 400)
                total.counted["kills"] += match.kills
                total.counted["events lost that were seen"] += len(match.lost)
                total.counted["questions to a person"] += match.questions
                total.judge(f"SIGKILL, {rules}, seed {seed}, {number}", wrong, match.questions)
                if total.counted["kills"] >= kills:
                    return


def trouble(which: Trouble, total: Total, rules: str, kills: int, first: int) -> None:
    """Hands through so many troubles; each a moment at which nobody may lose anything, and somebody must be told."""
    for seed in sound_seeds(total, rules, "clean", first):
        with tempfile.TemporaryDirectory(prefix="tablectl-kill-") as folder:
            table = TroubledTable(Path(folder), rules=rules, seed=seed, noise="clean", trouble=which)
            total.take(f"{which}, {rules}, seed {seed}", run_virtual(table.play(), limit_s=LIMIT_S))
        total.counted["troubles"] += table.troubles
        total.counted["troubles that nobody was told of"] += len(table.silent)
        total.lines += table.silent
        if total.counted["troubles"] >= kills:
            break


def pages(core_too: bool, total: Total, rules: str, kills: int, first: int) -> None:
    """What one who follows the table is told while its page is killed again and again; always the same hand."""
    with tempfile.TemporaryDirectory(prefix="tablectl-kill-") as folder:
        told, lost = asyncio.run(follow_through(Path(folder), kills, core_too=core_too))
    total.counted["kills"] += kills
    total.counted["events told"] += told
    total.counted["events lost that were seen"] += len(lost)
    total.lines += lost


LANES: dict[str, Callable[[Total, str, int, int], None]] = {
    "boundary": boundary,
    "random": random_moments,
    "power": power,
    "torn": torn_pages,
    "sigkill": partial(sigkill, False),
    "calls": partial(sigkill, True),
    "full": partial(trouble, "full"),
    "readonly": partial(trouble, "readonly"),
    "clock": partial(trouble, "clock"),
    "page": partial(pages, False),
    "both": partial(pages, True),
}
#: lanes of one fixed hand
ONCE = frozenset({"page", "both"})


def percentile(values: list[float], part: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * part))] if values else 0.0


def tell(name: str, total: Total, cpu: float) -> None:
    print(f"{name}: {cpu:.0f} s of processor")
    for what, number in sorted(total.counted.items()):
        print(f"  {number:6} {what}")
    if total.ready_s:
        print(
            f"  the core stands again: median {1000 * percentile(total.ready_s, 0.5):.0f} ms, 99 % within "
            f"{1000 * percentile(total.ready_s, 0.99):.0f} ms of processor"
        )
        print(
            f"  the tiles are known again: median {percentile(total.looked_s, 0.5):.2f} s, 99 % within "
            f"{percentile(total.looked_s, 0.99):.2f} s of the table's clock"
        )
    for line in total.lines:
        print(f"    {line[:300]}")
    sys.stdout.flush()


def command(given: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lanes", nargs="*", metavar="LANE", help=f"some of {', '.join(LANES)}; all if none is named")
    parser.add_argument("--rules", action="append", choices=list(RULE_SETS), help="all seven if none is named")
    parser.add_argument("--kills", type=int, default=1000, help="about so many in each lane")
    parser.add_argument("--seed", type=int, default=1, help="the first hand")
    words = parser.parse_args(given)
    logging.disable(logging.CRITICAL)
    lost = 0
    for name in words.lanes or LANES:
        systems = ["competition"] if name in ONCE else words.rules or list(RULE_SETS)
        for rules in systems:
            begun, total = cpu_seconds(), Total()
            LANES[name](total, rules, max(1, words.kills // len(systems)), words.seed)
            tell(f"{name}, {rules}", total, cpu_seconds() - begun)
            lost += total.counted["events lost that were seen"]
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(command(sys.argv[1:]))
