"""The seals of a hand in the running program: made before the dice, opened after the hand, journaled, shown."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tablectl.base.clock import LoopClock
from tablectl.core.running import assemble, run
from tablectl.core.seals import Seals
from tablectl.core.site import Site, load_site
from tablectl.game import actions as act
from tablectl.game import events as ev
from tablectl.game.fairness import agreement, built_of, digest_of, verify
from tablectl.game.record import records
from tablectl.ports import CommittedDice
from tablectl.rules.registry import load
from tablectl.sim.backend import SimTable
from tablectl.tiles.tile import Tile

ROOT = Path(__file__).parents[1]
WALL = ((Tile.M1, None), (Tile.EAST,), (), ())


def opened_hand(n: int = 1) -> ev.HandOpened:
    return ev.HandOpened(hand=n, rules="mcr", dealer=0, bakaze=Tile.EAST, streak=0, scores=(0, 0, 0, 0))


ENDED = ev.HandEnded(scores=(0, 0, 0, 0), deltas=(0, 0, 0, 0))


class PlainDice:
    name = "dice"
    backend = "test"

    async def open(self) -> None: ...

    async def close(self) -> None: ...

    async def roll(self) -> tuple[int, ...]:
        return (1, 2)


class Told:
    def to_json(self) -> dict[str, object]:
        return {"secret": "5e", "throws": [{"message": "m", "counter": 1, "dice": [1, 2]}]}


class SealedDice(PlainDice):
    def __init__(self) -> None:
        self.number = 1

    @property
    def commitment(self) -> str:
        return f"digest {self.number}"

    def reveal(self) -> Told:
        self.number += 1
        return Told()


def test_a_wall_is_sealed_when_it_is_raised_and_opened_when_the_hand_is_over() -> None:
    seals = Seals(PlainDice(), lambda: WALL, entropy=lambda n: bytes(range(n)))
    (made,) = seals.follow(opened_hand(), 5.0)
    salt = bytes(range(32)).hex()
    assert made == act.Commit(t=5.0, what="wall", digest=digest_of(WALL, salt), unknown=1)
    assert seals.follow(ev.TileDiscarded(actor=0, pai=Tile.M1), 6.0) == []
    (shown,) = seals.follow(ENDED, 9.0)
    assert isinstance(shown, act.OpenCommitment)
    assert (shown.t, shown.secret, shown.built) == (9.0, salt, WALL)
    assert verify(shown.digest, shown.built, shown.secret) == ""
    assert seals.follow(ENDED, 10.0) == []  # once


def test_two_walls_that_are_alike_have_different_seals() -> None:
    seals = Seals(PlainDice(), lambda: WALL)
    first = seals.follow(opened_hand(), 1.0)
    seals.follow(ENDED, 2.0)
    second = seals.follow(opened_hand(2), 3.0)
    assert isinstance(first[0], act.Commit)
    assert isinstance(second[0], act.Commit)
    assert first[0].digest != second[0].digest


def test_a_wall_of_which_the_lanes_told_nothing_is_not_sealed() -> None:
    assert Seals(PlainDice(), lambda: ((None,), (None,), (), ())).follow(opened_hand(), 1.0) == []


def test_dice_that_commit_are_sealed_too() -> None:
    dice = SealedDice()
    assert isinstance(dice, CommittedDice)
    assert not isinstance(PlainDice(), CommittedDice)
    seals = Seals(dice, lambda: WALL)
    made = seals.follow(opened_hand(), 1.0)
    assert made[1] == act.Commit(t=1.0, what="dice", digest="digest 1")
    shown = seals.follow(ENDED, 2.0)[1]
    assert isinstance(shown, act.OpenCommitment)
    assert (shown.digest, shown.secret, shown.throws[0]["dice"]) == ("digest 1", "5e", [1, 2])


def test_a_hand_that_was_given_up_is_opened_before_the_next_is_sealed() -> None:
    seals = Seals(PlainDice(), lambda: WALL)
    (first,) = seals.follow(opened_hand(), 1.0)
    shown, second = seals.follow(opened_hand(2), 2.0)
    assert isinstance(first, act.Commit)
    assert isinstance(shown, act.OpenCommitment)
    assert isinstance(second, act.Commit)
    assert shown.digest == first.digest


def test_walls_that_were_raised_for_no_hand_are_opened_at_the_end_of_the_match() -> None:
    seals = Seals(PlainDice(), lambda: WALL)
    seals.follow(opened_hand(), 1.0)
    end = ev.MatchEnded(reason="time", scores=(0, 0, 0, 0), ranks=(1, 1, 1, 1))
    assert [type(one) for one in seals.follow(end, 2.0)] == [act.OpenCommitment]


async def test_a_whole_table_keeps_its_seals(tmp_path: Path) -> None:
    site = load_site(ROOT / "config" / "sim.yaml")
    sim = site.settings.sim.model_copy(update={"hands": 1, "noise": "clean"})
    link = site.settings.link.model_copy(update={"socket": tmp_path / "core.sock"})
    settings = site.settings.model_copy(update={"sim": sim, "link": link})
    core = assemble(Site(settings, site.rules), LoopClock(), 3)
    shown: list[str] = []
    core.bus.subscribe(ev.Committed, lambda _: shown.append(str(core.announcer._narrator.commitment)))
    assert isinstance(core.backend, SimTable)
    working = asyncio.ensure_future(run(core))
    await core.backend.finished.wait()
    await core.clock.sleep(10)
    events = list(core.table.events)
    core.stop()
    await working
    kinds = [event.type for event in events]
    assert kinds.index("hand_opened") + 1 == kinds.index("commitment") < kinds.index("dice")
    assert kinds.index("end_kyoku") < kinds.index("opened")
    (record,) = records(events)
    (seal,), (opened,) = record[0]["commitments"], record[0]["opened"]
    built = built_of(opened["built"])
    assert verify(seal["digest"], built, opened["secret"]) == ""
    found = agreement(built, record, load("competition"))
    assert found is not None
    assert found.compared > 60
    assert found.agreeing >= found.compared - 2
    # nobody was told the order before the hand was over, and the display showed what it was bound to
    early = events[: kinds.index("end_kyoku")]
    assert not any(isinstance(event, (ev.WallRevealed, ev.CommitmentOpened)) for event in early)
    assert shown
