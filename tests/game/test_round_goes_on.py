"""A program that is killed in the second game of a round goes on with the whole round: totals and sheets of both."""

from __future__ import annotations

import asyncio
from pathlib import Path
from random import Random
from typing import Any

from game_driver import Players
from killed_table import ROOT, Survivor

from tablectl.app import Core
from tablectl.base.clock import HandClock
from tablectl.base.settings import load
from tablectl.core.backends import simulated
from tablectl.core.site import CHECKS
from tablectl.game import actions as act
from tablectl.game import events as ev
from tablectl.game.sheet import sheets
from tablectl.rules.registry import load as load_rules

NAMES = ("林", "陈", "王", "赵")


class Program(Core):
    """A table of two games a round, on what the last program left in ``folder``."""

    def __init__(self, folder: Path) -> None:
        settings = load(ROOT / "config" / "sim.yaml", CHECKS)
        journal = settings.journal.model_copy(update={"path": folder / "journal.sqlite"})
        link = settings.link.model_copy(update={"socket": folder / "link.sock"})
        settings = settings.model_copy(update={"journal": journal, "link": link, "displays": []})
        rules, self.folder, clock = load_rules("competition", {"games": 2}), folder, HandClock()
        super().__init__(settings, rules, Survivor(simulated(settings, rules, 1, clock)), clock)
        self.people = Players(_Journaled(self), Random(1))  # type: ignore[arg-type]

    async def _roll(self) -> None:
        """The people throw the dice themselves."""

    def again(self) -> Program:
        self.journal.close()
        return Program(self.folder)

    def begin(self) -> None:
        self.people.do(act.StartMatch(t=self.people.tick(), names=NAMES))

    def play(self, hands: int = 2) -> None:
        """A game that the referee ends after some hands."""
        self.begin()
        for _ in range(hands):
            self.people.play_hand()
        self.people.do(act.Rule(t=self.people.tick(), do="end_game", by="referee"))


class _Journaled:
    """The table whose actions go through the program."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def apply(self, action: act.Action) -> list[ev.Event]:
        return self._core.apply(action)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._core.table, name)


async def over(core: Core) -> None:
    core.journal.close()
    await asyncio.sleep(0)


def games(core: Core) -> int:
    return sum(isinstance(event, ev.MatchStarted) for event in core.table.events)


async def test_the_first_game_is_there_after_a_kill_in_the_second(tmp_path: Path) -> None:
    core = Program(tmp_path)
    core.play()
    core.begin()
    core.people.play_hand()
    second = core.again()
    assert (second.table.match.game, games(second)) == (2, 2)
    assert second.table.game == core.table.game
    both = [sheets(each.table.events, each.rules) for each in (core, second)]
    assert both[0] == both[1]
    assert len(both[1]) == 2
    await over(second)


async def test_killed_between_two_games_the_second_still_follows(tmp_path: Path) -> None:
    core = Program(tmp_path)
    core.play()
    second = core.again()
    second.play()
    third = second.again()
    assert (third.table.match.game, games(third)) == (2, 2)
    assert third.table.match.over is not None
    await over(third)


async def test_a_new_round_begins_without_the_one_before(tmp_path: Path) -> None:
    core = Program(tmp_path)
    core.play()
    core.play()
    core.begin()
    second = core.again()
    assert second.table.state.first_seq == core.table.last_seq
    await over(second)
