"""How much of what is played the tracker understands: ``python -m benchmarks tracking --hands 1000 --profile hard``.

People play matches of all seven systems on virtual time at a table whose antennas, lanes and keys err like a profile
(`tablectl.sim.noise`). The reports are recorded once; tracker and game run on them, and their record is held against
the truth event by event. A table plays `HANDS_A_TABLE` hands; where the account of one comes out wrong it ends there
(a referee would put it right), so that one error is not counted for the hands after it.

Seeds from `HELD_OUT` on are for the figures alone: nobody looks into them, nothing is tuned by them.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch

from rich.console import Console
from rich.table import Table as Printed

from tablectl.base.clock import cpu_seconds
from tablectl.base.reports import KeyPressed, LanePassed, Report
from tablectl.game import actions as act
from tablectl.game import events as ev
from tablectl.game.alerts import ALERTS
from tablectl.game.record import differences, effective, records
from tablectl.game.table import Table
from tablectl.rules.registry import RULE_SETS, load
from tablectl.sim.noise import PROFILES
from tablectl.sim.observed import ObservedTable, record
from tablectl.sim.oddities import ODDITIES
from tablectl.sim.offences import OFFENCES
from tablectl.sim.slips import CALLS
from tablectl.tracking import offences as draws
from tablectl.tracking import steps
from tablectl.tracking.noise import Noise
from tablectl.tracking.replay import Pipeline, replay
from tablectl.tracking.tracker import Tracker

HANDS_A_TABLE = 4
HELD_OUT = 1_000_000
#: what may be done besides play: offences, and what honest people do
DEEDS = {**OFFENCES, **ODDITIES}
#: what `without` knows
PARTS = ("wall", "rules", "rates", "keys")
#: moves whose delay is measured
MOVES = (
    ev.TileDrawn,
    ev.TileDiscarded,
    ev.ChowMade,
    ev.PungMade,
    ev.ExposedKongMade,
    ev.ConcealedKongMade,
    ev.AddedKongMade,
)


@dataclass
class Result:
    """What came of one hand. ``wrong``: where the record differs from the truth, alerts aside."""

    rules: str
    seed: int
    hand: int
    wrong: list[str]
    score_right: bool
    false_alerts: list[str]
    missed_alerts: list[str]
    #: in read periods
    delays: list[float] = field(default_factory=list)


@dataclass
class Tally:
    """The hands of one profile, and the processor seconds of tracker and game, and of all."""

    profile: str
    results: list[Result] = field(default_factory=list)
    tracking_s: float = 0.0
    total_s: float = 0.0

    def share(self, right: Iterable[bool]) -> float:
        return 100 * sum(right) / max(1, len(self.results))

    def figures(self) -> dict[str, float]:
        count = max(1, len(self.results))
        delays = sorted(delay for result in self.results for delay in result.delays) or [0.0]
        return {
            "hands": len(self.results),
            "exact %": self.share(not r.wrong for r in self.results),
            "score right %": self.share(r.score_right for r in self.results),
            "false alerts / 500": 500 * sum(len(r.false_alerts) for r in self.results) / count,
            "delay p50": delays[len(delays) // 2],
            "p99": delays[int(len(delays) * 0.99)],
            "max": delays[-1],
            "CPU s / hand": self.tracking_s / count,
            "hands / min": 60 * len(self.results) / self.total_s if self.total_s else 0.0,
        }


class Timed:
    """Feeds reports to a pipeline and notes when (on the table's clock) each event was told."""

    def __init__(self, line: Pipeline) -> None:
        self.line = line
        #: by index of the event
        self.told: list[float] = []

    def run(self, reports: Sequence[Report]) -> None:
        replay(self.line, self._watch(reports))
        self._note(reports[-1].t)

    def _watch(self, reports: Iterable[Report]) -> Iterator[Report]:
        before = 0.0
        for report in reports:
            self._note(before)
            before = max(before, report.t)
            yield report

    def _note(self, t: float) -> None:
        while len(self.told) < len(self.line.table.events):
            self.told.append(t)


def pipeline(table: ObservedTable) -> Pipeline:
    """A table and its tracker at the beginning of the match that was played at ``table``."""
    game = Table(table.rules)
    started = table.players.truth.events[0]
    assert isinstance(started, ev.MatchStarted)
    game.apply(act.StartMatch(t=0.0, dealer=started.dealer))
    follower = Tracker(
        game,
        {tag: tile for tag, tile in table.world.kinds.items() if table.world.set_of[tag]},
        first_left=table.first_left,
        lower_first=table.lower_first,
        period_s=table.period_s,
    )
    return Pipeline(game, follower)


#: priors that tell what the rules of play expect from what they do not
EXPECTATIONS = ("OFFENCE", "FLOWER_HELD", "EARLY_DRAW", "EARLY_NOT_DUE", "LEGAL_WIN", "ILLEGAL_WIN", "HURRIED")


class Unlearned(Noise):
    """Miss and ghost rates that stay what they were assumed to be."""

    def looked(self, zone: str, tags: int) -> None:
        pass

    def missed(self, zone: str, tag: str, run: int) -> None:
        pass

    def ghosted(self, home: str, zone: str, tag: str, run: int) -> None:
        pass


@contextmanager
def without(part: str | None, table: ObservedTable, line: Pipeline) -> Iterator[list[Report]]:
    """The reports of ``table`` for a tracker that does without one kind of evidence: ``wall`` (no lane reports),
    ``keys`` (no calls), ``rates`` (nothing is learned), ``rules`` (an offence is as likely as a move)."""
    reports: list[Report] = table.reports
    if part == "wall":
        reports = [report for report in reports if not isinstance(report, LanePassed)]
    elif part == "keys":
        reports = [r for r in reports if not isinstance(r, KeyPressed) or r.key not in CALLS]
    elif part == "rates":
        line.tracker.presence.noise = Unlearned()
    with ExitStack() as stack:
        for name in EXPECTATIONS if part == "rules" else ():
            places = [module for module in (steps, draws) if hasattr(module, name)]
            if not places:
                raise LookupError(f"{name}: no module of the tracker has it any more; look where it went")
            for module in places:
                stack.enter_context(patch.object(module, name, 0.0))
        yield reports


def observe(table: ObservedTable, line: Pipeline, left_out: str | None = None) -> list[Result]:
    """Run the reports of ``table`` through ``line`` and compare, up to the first hand whose account is wrong.
    ``left_out``: see `without`."""
    timed = Timed(line)
    with without(left_out, table, line) as reports:
        timed.run(reports)
    tracked, truth = records(line.table.events), table.truth
    times = zip(_moves(line.table.events, timed.told), _moves(table.players.truth.events, None), strict=False)
    results = []
    for number, true in enumerate(truth, 1):
        ours = tracked[number - 1] if number <= len(tracked) else []
        found = [*differences(ours, true), *_other_indicator(ours, true)]
        said, due = _alerts(ours), _alerts(true)
        told, played = next(times, ([], []))
        result = Result(
            rules=table.rules.id,
            seed=0,
            hand=number,
            wrong=[line for line in found if not line.startswith("alert ")],
            score_right=_outcome(ours) == _outcome(true),
            false_alerts=[_said(alert) for alert in (said - due).elements() if alert not in table.may_alert],
            missed_alerts=[_said(alert) for alert in (due - said).elements()],
        )
        if [move for move, _ in told] == [move for move, _ in played]:
            result.delays = [(a - b) / table.period_s for (_, a), (_, b) in zip(told, played, strict=True)]
        results.append(result)
        if not result.score_right:
            break
    return results


def _other_indicator(ours: Sequence[dict[str, Any]], true: Sequence[dict[str, Any]]) -> list[str]:
    """Where another tile was taken for the indicator: wildcards, though no event names them."""
    found, right = (hand[0].get("indicator") if hand else None for hand in (ours, true))
    return [] if found == right else [f"indicator: expected {right}, found {found}"]


def _moves(events: Sequence[ev.Event], told: Sequence[float] | None) -> list[list[tuple[Any, float]]]:
    """The moves of each hand, with the time when they were told, or were made."""
    hands: list[list[tuple[Any, float]]] = []
    for seq, event in effective(events, 1):
        if isinstance(event, ev.HandOpened):
            hands.append([])
        elif isinstance(event, MOVES) and hands:
            tile = getattr(event, "pai", None)
            hands[-1].append(((type(event), event.actor, tile), event.t if told is None else told[seq - 1]))
    return hands


def _outcome(hand: Sequence[dict[str, Any]]) -> Any:
    """Who won on what for how much, and the account."""
    wins = [(e["actor"], e["target"], e.get("score"), tuple(e["deltas"])) for e in hand if e["type"] == "hora"]
    ends = [(tuple(e["scores"]), tuple(e["deltas"])) for e in hand if e["type"] == "end_kyoku"]
    return wins, [e.get("reason") for e in hand if e["type"] == "ryukyoku"], ends


def _alerts(hand: Sequence[dict[str, Any]]) -> Counter[tuple[str, int | None]]:
    return Counter((event["code"], event.get("seat")) for event in hand if event["type"] == "alert")


def _said(alert: tuple[str, int | None]) -> str:
    return f"{alert[0]}, seat {alert[1]}"


def measure(
    profile: str,
    hands: int,
    rules: Sequence[str],
    first_seed: int,
    *,
    tell: bool = False,
    left_out: str | None = None,
) -> Tally:
    """So many hands of ``profile``, system after system; ``tell``: print what fails as it comes. Ctrl-C
    ends it with what was measured so far."""
    tally = Tally(profile)
    begun = cpu_seconds()
    try:
        _measure(tally, hands, rules, first_seed, tell, left_out)
    except KeyboardInterrupt:
        print(f"{profile}: interrupted after {len(tally.results)} of {hands} hands", file=sys.stderr)
    tally.total_s = cpu_seconds() - begun
    return tally


def _measure(tally: Tally, hands: int, rules: Sequence[str], first_seed: int, tell: bool, left_out: str | None) -> None:
    seed = first_seed
    while len(tally.results) < hands:
        system = load(rules[seed % len(rules)])
        count = min(HANDS_A_TABLE, hands - len(tally.results))
        table = record(system, seed, PROFILES[tally.profile], count, walls=seed % 3 == 0)
        line = pipeline(table)
        start = cpu_seconds()
        found = observe(table, line, left_out)
        tally.tracking_s += cpu_seconds() - start
        for result in found:
            result.seed = seed
            if tell and (result.wrong or result.false_alerts or result.missed_alerts):
                print(failure(tally.profile, result), flush=True)
        tally.results += found
        seed += 1


def failure(profile: str, result: Result) -> str:
    """A hand that was not understood, in a line."""
    what = result.wrong[:1]
    what += [f"false alert {alert}" for alert in result.false_alerts]
    what += [f"missed alert {alert}" for alert in result.missed_alerts]
    score = "" if result.score_right else " SCORE"
    return f"{profile} {result.rules} seed {result.seed} hand {result.hand}{score}: {'; '.join(what)}"


def table_of(title: str, rows: Iterable[tuple[str, Tally]]) -> Printed:
    printed = Printed("", *Tally("").figures(), title=title)
    for name, tally in rows:
        figures = tally.figures()
        printed.add_row(name, *(f"{value:.4g}" if value < 1000 else f"{value:.0f}" for value in figures.values()))
    return printed


def by_rules(tally: Tally) -> list[tuple[str, Tally]]:
    """The hands of each system (their processor time is not known)."""
    systems = dict.fromkeys(result.rules for result in tally.results)
    return [(name, Tally(name, [r for r in tally.results if r.rules == name])) for name in systems]


def table_of_offences(
    profile: str, names: Sequence[str], hands: int, rules: Sequence[str], seed: int, tell: bool
) -> Printed:
    printed = Printed("offence", "hands", "raised %", "record exact %", "other alerts", title=f"offences, {profile}")
    for name in names:
        trials = offences(profile, name, hands, rules, seed)
        others = ", ".join(f"{code} {count}" for code, count in trials.others.items())
        shares = (f"{100 * part / max(1, trials.tried):.1f}" for part in (trials.raised, trials.exact))
        printed.add_row(name, str(trials.tried), *shares, others)
        if tell:
            print(*(f"{profile} {name} {line}\n" for line in trials.failed), sep="", end="", flush=True)
    return printed


@dataclass
class Trials:
    """How often an offence was committed, raised with the right code and seat, how often the rest of the record was
    right, and what else was raised."""

    tried: int = 0
    raised: int = 0
    exact: int = 0
    others: Counter[str] = field(default_factory=Counter)
    failed: list[str] = field(default_factory=list)


def offences(profile: str, name: str, hands: int, rules: Sequence[str], first_seed: int) -> Trials:
    """So many hands in which an offence is committed, as far as there is occasion for it."""
    trials = Trials()
    code = next((code for code in ALERTS if name.startswith(code)), "dice_wrong_seat") if name in OFFENCES else ""
    for seed in range(first_seed, first_seed + 6 * hands):
        if trials.tried >= hands:
            break
        system = load(rules[seed % len(rules)])
        table = record(system, seed, PROFILES[profile], walls=seed % 3 == 0, offence=DEEDS[name])
        if not table.offended:
            continue
        line = pipeline(table)
        replay(line, table.reports)
        tracked, truth = records(line.table.events), table.truth
        due, said = _alerts(truth[0]), _alerts(tracked[0] if tracked else [])
        if code and code not in [alert[0] for alert in due]:  # the hand was over before it showed
            continue
        trials.tried += 1
        lacking = [f"missed {_said(alert)}" for alert in due - said if alert[0] == code]
        others = [alert for alert in (said - due).elements() if alert not in table.may_alert]
        wrong = [each for each in differences(tracked[0], truth[0]) if not each.startswith("alert ")] if tracked else []
        trials.raised += not lacking
        trials.exact += bool(tracked) and not wrong
        trials.others.update(code for code, _ in others)
        failed = [*lacking, *(f"false {_said(alert)}" for alert in others), *wrong[:1]]
        if failed:
            trials.failed.append(f"{table.rules.id} seed {seed}: {'; '.join(failed)}")
    return trials


def command(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks tracking", description=__doc__)
    parser.add_argument("--hands", type=int, default=100)
    parser.add_argument("--profile", choices=list(PROFILES), action="append")
    parser.add_argument("--rules", choices=list(RULE_SETS), action="append")
    parser.add_argument("--seed", type=int, default=1, help="the first one")
    parser.add_argument("--held-out", action="store_true", help="the seeds that nobody looks into: figures only")
    parser.add_argument("--without", choices=PARTS, help="a kind of evidence that the tracker does without")
    parser.add_argument("--json", action="store_true")
    kinds = ["all", "odd", *DEEDS]
    parser.add_argument("--offence", choices=kinds, action="append", help="hands in which it is committed, or looks so")
    asked = parser.parse_args(arguments)
    rules, seed = asked.rules or list(RULE_SETS), asked.seed + HELD_OUT * asked.held_out
    if asked.offence:
        for profile in asked.profile or ["normal", "hard"]:
            groups = {"all": list(OFFENCES), "odd": list(ODDITIES)}
            names = [name for asked_for in asked.offence for name in groups.get(asked_for, [asked_for])]
            Console(width=160).print(table_of_offences(profile, names, asked.hands, rules, seed, not asked.held_out))
        return 0
    tallies = []
    for profile in asked.profile or list(PROFILES):
        tell = not asked.held_out and not asked.json
        tally = measure(profile, asked.hands, rules, seed, tell=tell, left_out=asked.without)
        tallies.append((profile, tally))
        if asked.json:
            print(json.dumps({"profile": profile, **tally.figures()}))
        elif len(rules) > 1:
            Console().print(table_of(f"{profile}: systems", by_rules(tally)))
    if not asked.json:
        Console(width=160).print(table_of("held-out seeds" if asked.held_out else "tuning seeds", tallies))
    return 0


if __name__ == "__main__":
    sys.exit(command(sys.argv[1:]))
