"""The whole core on virtual time, and everything that people, devices and disks do to it, in any order.

Hypothesis draws the order. Whatever happens: the core goes on, what was shown is in the journal with its number, the
journal replays to the same state, and nothing moves while a fault stands that stops the table.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
import tempfile
from collections.abc import Coroutine, Iterator
from pathlib import Path
from typing import Any, TypeVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from killed_table import DOWN_S, Killed, KilledTable, Kind
from random_faults import draw

from tablectl.base.clock import VirtualLoop
from tablectl.base.faults import ClearRefused, DeviceError
from tablectl.base.journal import Journal, JournalError
from tablectl.base.reports import DiceRested, KeyPressed, LanePassed, ZoneRead
from tablectl.base.trace import KEYS, ZONES
from tablectl.game import actions as act
from tablectl.game import events as ev
from tablectl.game.record import records
from tablectl.game.table import Table
from tablectl.rules.registry import RULE_SETS
from tablectl.sim.faults import UnknownFault, inject

T = TypeVar("T")

SEATS = st.integers(0, 3)
NOISES = st.sampled_from(["clean", "normal"])
RULINGS = ("confirm", "refuse", "penalty", "dead_hand", "draw_hand", "undo", "pause", "resume", "end_game", "correct")
#: seconds after a fault in which everything must be off
SAFE_S = 0.05


class WholeCore(RuleBasedStateMachine):
    """One table, from its start on."""

    def __init__(self) -> None:
        super().__init__()
        logging.disable(logging.CRITICAL)
        self.folder = tempfile.TemporaryDirectory(prefix="tablectl-core-")
        self.runner = asyncio.Runner(loop_factory=VirtualLoop)
        self.put = Journal.put

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return self.runner.run(work)

    @initialize(rules=st.sampled_from(sorted(RULE_SETS)), seed=st.integers(0, 99), noise=NOISES)
    def begin(self, rules: str, seed: int, noise: str) -> None:
        async def start() -> None:
            self.table = KilledTable(Path(self.folder.name), rules=rules, seed=seed, hands=1000, noise=noise)
            self.start()

        self.run(start())

    def start(self) -> None:
        self.core = self.table._start()
        self.running = asyncio.ensure_future(self.core.run())

    # --- what happens

    @rule(seconds=st.sampled_from([0.2, 3.0, 15.0, 60.0]))
    def time_passes(self, seconds: float) -> None:
        self.run(asyncio.sleep(seconds))

    @rule(seat=SEATS, key=st.sampled_from(sorted(KEYS)), n=st.sampled_from([None, 0, 1, 2]))
    def somebody_presses(self, seat: int, key: str, n: int | None) -> None:
        self.run(self._report(lambda t: KeyPressed(t, key, seat, n)))

    @rule(where=st.sampled_from(sorted(ZONES)), rng=st.randoms(use_true_random=False))
    def an_antenna_says_anything(self, where: str, rng: random.Random) -> None:
        tags = frozenset(rng.sample(sorted(self.table.sim.tags), rng.randint(0, 8))) | {"e0040999"}
        self.run(self._report(lambda t: ZoneRead(t, where, tags)))

    @rule(lane=SEATS, rng=st.randoms(use_true_random=False))
    def a_lane_says_anything(self, lane: int, rng: random.Random) -> None:
        tag = rng.choice(sorted(self.table.sim.tags))
        self.run(self._report(lambda t: LanePassed(t, lane, tag)))

    @rule(dice=st.lists(st.integers(1, 6), min_size=1, max_size=4))
    def dice_rest(self, dice: list[int]) -> None:
        self.run(self._report(lambda t: DiceRested(t, tuple(dice))))

    async def _report(self, make: Any) -> None:
        self.core.report(make(self.table.clock.now()))
        await asyncio.sleep(0)

    @rule(do=st.sampled_from(RULINGS), seat=SEATS | st.none(), points=st.integers(-100, 100), back=st.integers(0, 30))
    def the_referee_rules(self, do: str, seat: int | None, points: int, back: int) -> None:
        async def rules() -> None:
            last = self.core.table.last_seq
            self.core.rule(
                act.Rule(
                    t=self.table.clock.now(),
                    do=do,
                    by="referee",
                    seat=seat,
                    points=points,
                    to="each",
                    reason="fuzz",
                    replaces=max(1, last - back) if do == "correct" else None,
                    event=None,
                )
            )

        self.run(rules())

    @rule()
    def a_match_begins(self) -> None:
        async def begins() -> None:
            if self.core.table.playing is None:
                self.core.start_match(("a", "b", "c", "d"))

        self.run(begins())

    @rule(seed=st.integers(0, 10_000))
    def something_breaks(self, seed: int) -> None:
        name, arguments = draw(random.Random(seed))

        async def breaks() -> None:
            with contextlib.suppress(UnknownFault):
                inject(self.table.sim, name, **arguments)
            await asyncio.sleep(SAFE_S)

        self.run(breaks())

    @rule()
    def the_technician_clears(self) -> None:
        async def clears() -> None:
            for fault in list(self.core.faults.active):
                with contextlib.suppress(ClearRefused):
                    self.core.faults.clear(fault.code, "technician", fault.where)

        self.run(clears())

    @rule()
    def somebody_presses_the_lift_key(self) -> None:
        self.run(self.table.sim.press_lift())

    @precondition(lambda self: Journal.put is self.put)
    @rule()
    def the_disk_fails(self) -> None:
        def full(journal: Journal, *args: object) -> int:
            raise JournalError(journal.path, "the disk is full", "Free space on the card.")

        Journal.put = full  # type: ignore[method-assign,assignment]

    @rule()
    def the_disk_works_again(self) -> None:
        self._mend_disk()

    def _mend_disk(self) -> None:
        async def write() -> None:
            self.core.journal.write()

        Journal.put = self.put  # type: ignore[method-assign]
        self.run(write())

    @precondition(lambda self: Journal.put is self.put)
    @rule(kind=st.sampled_from(["crash", "power"]))
    def the_program_is_killed(self, kind: Kind) -> None:
        async def killed() -> None:
            self.table.kind = kind
            self.table.kill()
            await self._stop()
            for output in self.table.sim.outputs.values():
                with contextlib.suppress(DeviceError):  # its board is dead
                    await output.set(False)
            await asyncio.sleep(DOWN_S[kind])
            self.start()

        self._mend_disk()
        self.run(killed())

    async def _stop(self) -> None:
        left = [task for task in asyncio.all_tasks() if task.get_name().startswith("input ")]
        for task in (self.running, *left):
            task.cancel()
        for task in (self.running, *left):
            with contextlib.suppress(asyncio.CancelledError, Killed, BaseExceptionGroup):
                await task

    # --- what must hold

    @invariant()
    def the_core_goes_on(self) -> None:
        if self.running.done():
            self.running.result()
            raise AssertionError("the core has ended")

    @invariant()
    def what_was_shown_is_kept(self) -> None:
        assert self.table.outcome.lost == []
        last = self.core.journal.last
        kept = {entry.seq: entry.data for entry in self.core.journal.read(since=max(0, last - 50))}
        for seq, event in self.table.shown.items():
            assert seq <= last - 50 or kept.get(seq) == event

    @invariant()
    def nothing_moves_while_a_fault_stops_the_table(self) -> None:
        faults = [fault for fault in self.core.faults.active if self.core.faults.stopped]
        now = self.runner.get_loop().time()
        if faults and all(now - fault.t > SAFE_S for fault in faults):
            on = [name for name, out in self.table.sim.outputs.items() if out.on and self._moves(name)]
            assert on == [], f"{on} while {[fault.code for fault in faults]} stand"

    @staticmethod
    def _moves(name: str) -> bool:
        return "motor" in name or "reverse" in name

    def teardown(self) -> None:
        Journal.put = self.put  # type: ignore[method-assign]
        if hasattr(self, "core"):
            table = self.core.table
            self.run(self._end())
            again = Table.replay(table.rules, self._told(), first_seq=table.state.first_seq)
            assert again.game == table.game
            assert records(again.events, table.state.first_seq) == records(table.events, table.state.first_seq)
        self.runner.close()
        self.folder.cleanup()
        logging.disable(logging.NOTSET)

    def _told(self) -> Iterator[ev.Event]:
        for event in self.core.table.events:
            yield ev.from_json(ev.to_json(event))

    async def _end(self) -> None:
        self.core.stop()
        await self.table.sim.stop()
        await self._stop()
