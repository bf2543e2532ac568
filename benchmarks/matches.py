"""How people's matches go under every rule system: ``python -m benchmarks matches [--rules ID] [--matches 300]``.

Four people and the game on virtual time, without machine and antennas, play whole matches; then come the hands of
``tests/sim/rare_hands.py``, whose walls are stacked for what chance seldom brings. Counted is how matches and hands
end, and what is looked at must be so: every match ends, its accounts sum to zero, nothing raises, nobody offends, every
kind of ending of `ENDINGS` is reached.

Besides, matches are followed through clean antennas, and their records held against what happened: ``--whole N`` with
everything on (machine, display, journal), ``--followed N`` by tracker and game alone, which takes half as long. Exit
code 1 where anything is not as it must be.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

from benchmarks.tracking import pipeline
from tablectl.base.clock import cpu_seconds
from tablectl.core.simulation import MANY_HANDS
from tablectl.game import events as ev
from tablectl.game.record import differences, records
from tablectl.rules.registry import RULE_SETS, load
from tablectl.sim.endings import endings
from tablectl.sim.noise import PROFILES
from tablectl.sim.observed import record
from tablectl.sim.quick import QuickTable
from tablectl.tracking.replay import replay

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "sim"))

#: seconds that a move may take until the antennas have told it
IN_FINGERS_S: Final = 2.0

_ALL: Final = "won, self_draw, drawn: exhausted, kong_replacement, ankan, kakan, daiminkan"
#: where a discard can be won
_DISCARDS: Final = f"{_ALL}, discard, robbed, robbing_kong"
#: The kinds of ending that have to be reached, by rule system: keys of `tablectl.sim.endings`.
ENDINGS: Final[Mapping[str, str]] = {
    "competition": f"{_DISCARDS}, 2 winners, 3 winners, 杠上开花, 补花和, 海底捞月, 妙手回春, heavenly, earthly, "
    "chase, flower_kong, bao, drawn: broken_off, match: circles, match: poverty, match: time",
    "mcr": f"{_DISCARDS}, overtaken, 杠上开花, flower_replacement, 妙手回春, 海底捞月, 抢杠和, 和绝张, "
    "heavenly, drawn: broken_off, match: circles, match: time",
    "tianjin": f"{_ALL}, 提溜, 捉五, 龙, 天和, 地和, 本混, 混吊, 双混吊, 素, 杠开, gold_kong, chan, wild_discard, "
    "match: circles",
    "fuzhou": f"{_DISCARDS}, overtaken, last_tile, 底分, 金雀, 三金倒, 天胡, 抢金, 平胡, 连庄, 抓庄, 四同花, human, "
    "flower_set, wild_discard, match: circles",
    "fujian": f"{_DISCARDS}, overtaken, last_tile, 屁胡, 自摸, 游金, heavenly, 光杠, 暗杠, flower_set, wild_discard, "
    "match: circles",
    "zhenjiang": f"{_DISCARDS}, overtaken, 放冲, 天胡, 跑搭脱搭, 暗杠杠开, 明杠杠开, 脱搭自摸, 跑搭, 有搭杠开, "
    "有搭自摸, 首搭, 半途打搭, 碰后打搭, 抢杠, 成搭, drawn: broken_off, match: circles, match: time, match: two_out",
    "beijing": f"{_DISCARDS}, overtaken, 门清, 对对和, 大吊车, 捉五魁, 海底捞月, 杠上开花, 一条龙, 七小对, 豪华七小对, "
    "清一色, 天和, 地和, 人和, match: goal, match: rounds, match: bust",
}


@dataclass
class Tally:
    """What was seen of one rule system."""

    rules: str
    first: int = 1
    matches: int = 0
    ended: int = 0
    wrong: list[str] = field(default_factory=list)
    played: Counter[str] = field(default_factory=Counter)
    stacked: Counter[str] = field(default_factory=Counter)
    cpu_s: float = 0.0

    @property
    def kinds(self) -> list[str]:
        return ENDINGS[self.rules].split(", ")

    @property
    def lacking(self) -> list[str]:
        return [kind for kind in self.kinds if not self.played[kind] + self.stacked[kind]]

    def match(self, seed: int) -> None:
        """One match by chance."""
        rules = load(self.rules)
        self.matches += 1
        try:
            truth = QuickTable(rules, seed).play()
        except Exception as error:  # counted, and the next match is played
            self.wrong.append(f"seed {seed}: {type(error).__name__}: {error}")
            return
        self.ended += truth.match.over is not None
        self.played += endings(truth.events)
        for event in truth.events:
            if isinstance(event, ev.Alerted):
                self.wrong.append(f"seed {seed}: alert {event.code} of seat {event.seat}: {event.detail}")
            elif isinstance(event, ev.HandEnded) and sum(event.deltas):
                self.wrong.append(f"seed {seed}: changes {event.deltas} do not sum to zero")
        if sum(rules.game_points(truth.match)) != sum(rules.first_hand().points):
            self.wrong.append(f"seed {seed}: {truth.match.points} in the end, of {rules.first_hand().points}")

    def rare(self) -> None:
        """The stacked hands."""
        from rare_hands import RARE, SEEDS, play

        for rare in RARE[self.rules]:
            for seed in SEEDS:
                found = endings(play(self.rules, rare, seed).players.truth.events)
                self.stacked += found
                if found[rare.ending]:
                    break

    def whole(self, matches: int) -> str:
        """Matches with everything on."""
        from tablectl.app import shipped
        from tablectl.commands.sim import LONGEST_MATCH_S
        from tablectl.core.simulation import play_all
        from tablectl.core.site import Site, load_site

        site = load_site(shipped("config", "sim.yaml"))
        section = site.settings.rules.model_copy(update={"id": self.rules, "options": {}, "options_file": None})
        settings = site.settings.model_copy(
            update={"rules": section, "sim": site.settings.sim.model_copy(update={"noise": "clean"})}
        )
        hands, alerts, cpu_s = 0, 0, 0.0
        seeds = range(self.first, self.first + matches)
        for match in play_all(Site(settings, load(self.rules)), seeds, limit_s=LONGEST_MATCH_S):
            hands, alerts = hands + match.hands, alerts + match.alerts
            cpu_s += match.cpu_s
            self.wrong += [f"whole, seed {match.seed}: {line}" for line in match.wrong]
        return f"everything on: {matches} matches, {hands} hands, {alerts} alerts, {cpu_s:.0f} s CPU"


@dataclass
class Followed:
    """One match that the tracker followed through clean antennas."""

    hands: int
    alerts: int
    wrong: list[str]
    cpu_s: float


def follow(rules: str, seed: int) -> Followed:
    """Play a whole match, and follow it by what lanes, antennas, keys and dice say."""
    begun = cpu_seconds()
    table = record(load(rules), seed, PROFILES["clean"], MANY_HANDS)
    line = pipeline(table)
    replay(line, table.reports)
    tracked, truth = records(line.table.events), table.truth
    found = [f"{len(tracked)} hands in the record, {len(truth)} were played"] if len(tracked) != len(truth) else []
    for number, (ours, true) in enumerate(zip(tracked, truth, strict=False), 1):
        found += [f"hand {number}: {difference}" for difference in _differences(ours, true)]
        if ours[-1]["type"] != "end_kyoku" or sum(ours[-1]["deltas"]):
            found.append(f"hand {number}: {ours[-1]} ends it")
    ours, true = line.table.match, table.players.truth.match
    if ours.over is None or (ours.over, ours.points) != (true.over, true.points):
        found.append(f"ended {ours.over} with {ours.points}; {true.over} with {true.points} is right")
    alerts = sum(event["type"] == "alert" for hand in tracked for event in hand)
    return Followed(len(truth), alerts, [f"followed, seed {seed}: {line}" for line in found], cpu_seconds() - begun)


def _differences(ours: Sequence[Any], true: Sequence[Any]) -> list[str]:
    """As `differences`; where the game's time was over, moves just before may be missing: the tile was still in the
    fingers, and the hand is not counted."""
    found = differences(ours, true)
    *_, drawn, _ = true
    while found and drawn.get("reason") == "broken_off" and drawn["t"] - true[-3]["t"] < IN_FINGERS_S:
        true = [*true[:-3], *true[-2:]]
        found = differences(ours, true)
    return found


def follow_all(rules: str, seeds: Sequence[int]) -> Followed:
    """Many of them, as many at a time as there are processors."""
    total = Followed(0, 0, [], 0.0)
    with ProcessPoolExecutor() as pool:
        for one in pool.map(partial(follow, rules), seeds):
            total.hands += one.hands
            total.alerts += one.alerts
            total.wrong += one.wrong
            total.cpu_s += one.cpu_s
    return total


def told(tally: Tally) -> str:
    """A few lines about one rule system."""
    hands = max(1, tally.played["hands"])
    lines = [
        f"{tally.rules}: {tally.matches} matches, {tally.ended} ended, {hands} hands, {tally.cpu_s:.0f} s CPU; "
        f"won {tally.played['won'] / hands:.0%}; wrong: {len(tally.wrong)}"
    ]
    counted = [(kind, tally.played[kind], tally.stacked[kind]) for kind in tally.kinds]
    lines.append("  " + ", ".join(f"{kind} {n}" if n else f"{kind} 0 (stacked {rare})" for kind, n, rare in counted))
    lines += [f"  LACKING: {kind}" for kind in tally.lacking]
    lines += [f"  WRONG: {line}" for line in tally.wrong[:20]]
    return "\n".join(lines)


def command(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks matches", description=__doc__)
    parser.add_argument("--rules", choices=sorted(RULE_SETS), help="one rule system; all without it")
    parser.add_argument("--matches", type=int, default=300, help="matches by chance of each")
    parser.add_argument("--whole", type=int, default=0, metavar="N", help="matches with everything on of each")
    parser.add_argument("--followed", type=int, default=0, metavar="N", help="matches followed by the tracker of each")
    parser.add_argument("--seed", type=int, default=1, help="the first one")
    chosen = parser.parse_args(arguments)
    failed = False
    for rules in [chosen.rules] if chosen.rules else sorted(RULE_SETS):
        tally, begun = Tally(rules, chosen.seed), cpu_seconds()
        for seed in range(chosen.seed, chosen.seed + chosen.matches):
            tally.match(seed)
        tally.cpu_s = cpu_seconds() - begun
        tally.rare()
        more = [tally.whole(chosen.whole)] if chosen.whole else []
        if chosen.followed:
            found = follow_all(rules, range(chosen.seed, chosen.seed + chosen.followed))
            tally.wrong += found.wrong
            counts = f"{found.hands} hands, {found.alerts} alerts, {found.cpu_s:.0f} s CPU"
            more.append(f"followed: {chosen.followed} matches, {counts}")
        print(told(tally), *(f"  {line}" for line in more), sep="\n", flush=True)
        failed = failed or bool(tally.wrong or tally.lacking or tally.ended < tally.matches)
    return int(failed)


if __name__ == "__main__":
    sys.exit(command(sys.argv[1:]))
