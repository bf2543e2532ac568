"""Dice that can be checked: the published sum, fairness, and the chamber whose dice a person reads."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablectl.base.clock import LoopClock
from tablectl.base.faults import DeviceError
from tablectl.drivers.dice import ChamberDice, ElectronicDice, Throw, commit, roll, verify, written
from tablectl.sim.devices import SimInput, SimOutput

clock = LoopClock()
SECRET = bytes(range(32))


def counting(n: int) -> bytes:
    """A source that is no source of chance."""
    return bytes(range(n))


# --- the sum


def test_the_published_example() -> None:
    assert commit(SECRET) == "630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd"
    assert roll(SECRET, "EAST:seat0", 1) == (4, 5)


def test_bytes_that_six_does_not_divide_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    class Digest:
        def __init__(self, key: bytes, message: bytes, kind: object) -> None:
            self.message = message

        def digest(self) -> bytes:
            return {b"m:1:0": bytes([252, 253, 255, 254]), b"m:1:1": bytes([251, 0])}[self.message]

    monkeypatch.setattr("tablectl.drivers.dice.hmac.new", Digest)
    assert roll(SECRET, "m", 1) == (6, 1)


def test_presses_are_written_to_the_nanosecond() -> None:
    assert written([(0, 81_234_567_890), (2, 81_300_000_001)]) == "0@81234567890,2@81300000001"
    assert written([]) == ""


PRESSES = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 10**15)))


@given(st.binary(min_size=32, max_size=32), PRESSES, st.integers(1, 9))
def test_every_throw_proves_itself_and_no_other(secret: bytes, presses: list[tuple[int, int]], counter: int) -> None:
    message = written(presses)
    dice = roll(secret, message, counter)
    assert all(1 <= face <= 6 for face in dice)
    throw = Throw(commit(secret), message, counter, dice)
    assert verify(throw, secret) == ""
    other = (dice[0] % 6 + 1, dice[1])
    assert "secret and presses make" in verify(replace(throw, dice=other), secret)
    assert "not the one that was committed to" in verify(throw, bytes(32) if secret != bytes(32) else SECRET)


def chi_square(seen: Counter[object], expected: dict[object, float]) -> float:
    assert set(seen) <= set(expected)
    return sum((seen[k] - e) ** 2 / e for k, e in expected.items())


def test_sixty_thousand_throws_are_fair() -> None:
    """Limits are those of one in a thousand: faces (5 degrees of freedom), sums (10), pairs of throws (35)."""
    throws = [roll(SECRET, "0@1", n) for n in range(60_000)]
    faces = Counter(face for throw in throws for face in throw)
    assert chi_square(faces, dict.fromkeys(range(1, 7), 20000)) < 20.5
    sums = Counter(map(sum, throws))
    assert chi_square(sums, {n: 60_000 * (6 - abs(n - 7)) / 36 for n in range(2, 13)}) < 29.6
    serial = Counter((a[0], b[0]) for a, b in pairwise(throws))
    assert chi_square(serial, {(a, b): 59_999 / 36 for a in range(1, 7) for b in range(1, 7)}) < 66.6


# --- electronic dice


async def test_a_hand_with_two_throws_can_be_checked_afterwards() -> None:
    shown: list[Sequence[int]] = []

    async def show(dice: Sequence[int]) -> None:
        shown.append(dice)

    dice = ElectronicDice(clock, show, entropy=counting)
    await dice.open()
    commitment = dice.commitment
    await clock.sleep(81.25)
    dice.pressed(0, clock.now())
    first = await dice.roll()
    dice.pressed(2, clock.now())
    second = await dice.roll()
    assert shown == [first, second]
    revealed = dice.reveal()
    assert revealed.secret == SECRET
    assert [throw.message for throw in revealed.throws] == ["0@81250000000", "2@82450000000"]
    assert [throw.counter for throw in revealed.throws] == [1, 2]
    for throw, values in zip(revealed.throws, (first, second), strict=True):
        assert throw.commitment == commitment
        assert throw.dice == values
        assert verify(throw, revealed.secret) == ""
    await dice.close()


async def test_a_secret_is_used_for_one_hand_only() -> None:
    dice = ElectronicDice(clock)
    commitment = dice.commitment
    await dice.roll()
    assert commit(dice.reveal().secret) == commitment
    assert dice.commitment != commitment
    assert dice.reveal().throws == ()


async def test_the_commitment_stands_before_anybody_presses_and_does_not_depend_on_it() -> None:
    """Two tables with one secret: what the players do decides, and only that."""
    one, other = ElectronicDice(clock, entropy=counting), ElectronicDice(clock, entropy=counting)
    assert one.commitment == other.commitment
    results = set()
    for n in range(40):
        one.pressed(0, n / 1e9)
        results.add(await one.roll())
        one.reveal()
    assert len(results) > 15


async def test_a_reveal_is_one_json_form() -> None:
    dice = ElectronicDice(clock, entropy=counting)
    dice.pressed(3, 0.5)
    values = await dice.roll()
    assert dice.reveal().to_json() == {
        "secret": SECRET.hex(),
        "throws": [{"commitment": commit(SECRET), "message": "3@500000000", "counter": 1, "dice": list(values)}],
    }


async def test_digits_that_do_not_answer_do_not_stop_the_dice(caplog: pytest.LogCaptureFixture) -> None:
    async def show(dice: Sequence[int]) -> None:
        raise DeviceError("digits", "/dev/spidev0.1", "does not answer")

    dice = ElectronicDice(clock, show, entropy=counting)
    assert await dice.roll() == roll(SECRET, "", 1)
    assert caplog.messages == ["digits on /dev/spidev0.1: does not answer"]


# --- the chamber


class Chamber:
    """A pan under glass: the eye flickers while the motor runs and for ``tumble_s`` after."""

    def __init__(self, tumble_s: float = 1.0, blind: bool = False) -> None:
        self.motor = SimOutput("dice.motor")
        self.eye = SimInput("dice.eye", clock)
        self.tumble_s = tumble_s
        self.blind = blind
        self.wanted: list[float] = []
        self.dice = ChamberDice(self.motor, self.eye, clock, wanted=lambda: self.wanted.append(clock.now()))
        self.motor.connect(self._switched)
        self.task: asyncio.Task[None] | None = None
        self.stops_at = 0.0

    async def over(self) -> None:
        """The pan stands still."""
        assert self.task is not None
        self.task.cancel()
        await asyncio.gather(self.task, return_exceptions=True)

    def _switched(self, on: bool) -> None:
        if on:
            self.stops_at = float("inf")
            self.task = asyncio.create_task(self._tumble())
        else:
            self.stops_at = clock.now() + self.tumble_s

    async def _tumble(self) -> None:
        while clock.now() < self.stops_at:
            await clock.sleep(0.07)
            if not self.blind:
                self.eye.drive(not self.eye.level)


async def test_real_dice_are_entered_when_they_lie() -> None:
    chamber = Chamber()
    await chamber.dice.open()
    throwing = asyncio.create_task(chamber.dice.roll())
    await clock.sleep(1.0)
    assert chamber.motor.on
    assert not chamber.dice.waiting
    with pytest.raises(ValueError, match="no throw waits"):
        chamber.dice.enter((1, 2))
    await clock.sleep(3.0)
    assert not chamber.motor.on
    assert chamber.dice.waiting
    (asked,) = chamber.wanted
    assert 1.5 + 1.0 + 0.7 < asked < 1.5 + 1.0 + 0.9
    for wrong in ((1, 7), (0, 1), (3,), (1, 2, 3)):
        with pytest.raises(ValueError, match="expected 2 numbers from 1 to 6"):
            chamber.dice.enter(wrong)
    chamber.dice.enter((3, 4))
    assert await throwing == (3, 4)
    assert not chamber.dice.waiting
    await chamber.dice.close()


async def test_dice_that_do_not_move() -> None:
    chamber = Chamber(blind=True)
    with pytest.raises(DeviceError, match="dice: did not move: the eye saw nothing while the motor ran"):
        await chamber.dice.roll()
    assert not chamber.motor.on
    await chamber.over()


async def test_dice_that_do_not_come_to_rest() -> None:
    chamber = Chamber(tumble_s=60)
    begin = clock.now()
    with pytest.raises(DeviceError, match="still move after 10 s"):
        await chamber.dice.roll()
    assert clock.now() - begin == pytest.approx(10)
    assert not chamber.motor.on
    await chamber.over()


async def test_a_throw_that_is_cancelled_stops_the_motor() -> None:
    chamber = Chamber()
    throwing = asyncio.create_task(chamber.dice.roll())
    await clock.sleep(0.5)
    throwing.cancel()
    await asyncio.gather(throwing, return_exceptions=True)
    assert not chamber.motor.on
    await chamber.over()
