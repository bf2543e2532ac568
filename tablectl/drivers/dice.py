"""Dice: electronic ones that everybody can check afterwards, and a chamber whose dice a person reads.

Electronic dice commit and reveal. Before the key works the table holds a secret of 32 random bytes and publishes its
SHA-256 (`commit`). The throw is made of the secret and of the times, to the nanosecond, at which the players pressed
their keys until then (`roll`): the table cannot choose, for it committed before it knew the times; the players cannot,
for they do not know the secret. After the hand the secret is published, and anybody can do the sum again (`verify`).

The sum: HMAC-SHA256 with the secret as key over ``<presses>:<counter>:<cursor>``; bytes below 252 modulo 6, plus 1,
are dice; other bytes are left out, so that all six faces are equally likely; after 32 bytes the cursor counts on.
``presses`` are ``<seat>@<nanoseconds>`` joined by commas, ``counter`` is the number of the throw with this secret.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import logging
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from tablectl.base.clock import Clock
from tablectl.base.faults import DeviceError
from tablectl.ports import Input, Output

log = logging.getLogger(__name__)

FACES: Final = 6
DICE: Final = 2
SECRET_BYTES: Final = 32
#: the largest number of byte values that six divides
FAIR_BELOW: Final = 252
#: presses of keys that go into a throw, at most: the last ones
KEPT_PRESSES: Final = 200

#: Told of a throw as it falls: the digits of the display.
Show = Callable[[Sequence[int]], Awaitable[None]]
#: (seat, time in nanoseconds on the table's clock)
Presses = Sequence[tuple[int, int]]


# --- the sum, for everybody who wants to check it


def commit(secret: bytes) -> str:
    """What is published before the throw: the SHA-256 of the secret, in hexadecimal."""
    return hashlib.sha256(secret).hexdigest()


def written(presses: Presses) -> str:
    """Presses as they stand in the message: ``0@81234567890,2@81300000001``."""
    return ",".join(f"{seat}@{ns}" for seat, ns in presses)


def roll(secret: bytes, message: str, counter: int, count: int = DICE) -> tuple[int, ...]:
    """``count`` dice of ``secret`` and ``message`` (see `written`) for throw number ``counter``."""
    faces = _faces(secret, message, counter)
    return tuple(next(faces) for _ in range(count))


def _faces(secret: bytes, message: str, counter: int) -> Iterator[int]:
    cursor = 0
    while True:
        digest = hmac.new(secret, f"{message}:{counter}:{cursor}".encode(), hashlib.sha256).digest()
        yield from (byte % FACES + 1 for byte in digest if byte < FAIR_BELOW)
        cursor += 1


@dataclass(frozen=True, slots=True)
class Throw:
    """One throw as it is published after the hand. ``commitment`` was published before it."""

    commitment: str
    message: str
    counter: int
    dice: tuple[int, ...]

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "dice": list(self.dice)}


def verify(throw: Throw, secret: bytes) -> str:
    """Whether ``throw`` is what ``secret`` and the presses make; the empty text, or what is wrong."""
    if not hmac.compare_digest(commit(secret), throw.commitment):
        return "the secret is not the one that was committed to"
    made = roll(secret, throw.message, throw.counter, len(throw.dice))
    if made != throw.dice:
        return f"the dice showed {throw.dice}, secret and presses make {made}"
    return ""


# --- electronic dice


@dataclass(frozen=True, slots=True)
class Revealed:
    """What is published after a hand: the secret, and every throw that was made with it."""

    secret: bytes
    throws: tuple[Throw, ...]

    def to_json(self) -> dict[str, Any]:
        return {"secret": self.secret.hex(), "throws": [throw.to_json() for throw in self.throws]}


class ElectronicDice:
    """Satisfies `ports.Dice`. `pressed` is told of the players' keys, `reveal` ends a secret and begins the next.

    ``tumble_seconds``: how long the display rolls before the dice lie.
    """

    backend = "electronic"

    def __init__(
        self,
        clock: Clock,
        show: Show | None = None,
        *,
        name: str = "dice",
        tumble_seconds: float = 1.2,
        entropy: Callable[[int], bytes] = secrets.token_bytes,
    ) -> None:
        self.name = name
        self._clock = clock
        self._show = show
        self._tumble = tumble_seconds
        self._entropy = entropy
        self._presses: list[tuple[int, int]] = []
        self._begin()

    def _begin(self) -> None:
        self._secret = self._entropy(SECRET_BYTES)
        self._throws: list[Throw] = []

    @property
    def commitment(self) -> str:
        """What is published before the key works."""
        return commit(self._secret)

    async def open(self) -> None:
        """There is nothing to open."""

    async def close(self) -> None:
        """There is nothing to close."""

    def pressed(self, seat: int, t: float) -> None:
        """A player pressed a key at ``t`` (seconds, as `Clock.now`)."""
        self._presses.append((seat, round(t * 1e9)))
        del self._presses[:-KEPT_PRESSES]

    async def roll(self) -> tuple[int, ...]:
        """Throw: what was pressed until now decides. Digits that do not answer are logged; the dice count."""
        message, counter = written(self._presses), len(self._throws) + 1
        self._presses.clear()
        dice = roll(self._secret, message, counter)
        self._throws.append(Throw(self.commitment, message, counter, dice))
        await self._clock.sleep(self._tumble)
        if self._show is not None:
            try:
                await self._show(dice)
            except DeviceError as error:
                log.warning("%s", error)
        return dice

    def reveal(self) -> Revealed:
        """The secret with its throws, to publish; the next throw has a new secret."""
        revealed = Revealed(self._secret, tuple(self._throws))
        self._begin()
        return revealed


# --- dice under glass


class ChamberDice:
    """Satisfies `ports.Dice` with real dice on a pan under glass: a motor spins it, an eye sees them move, and a person
    reads them and enters what they show (`enter`).

    ``spin_seconds``: how long the motor runs; ``rest_seconds``: so long the eye must see no motion; ``limit_seconds``:
    until when they must lie; ``wanted`` is told that a value is waited for.
    """

    backend = "chamber"

    def __init__(
        self,
        motor: Output,
        eye: Input,
        clock: Clock,
        *,
        name: str = "dice",
        spin_seconds: float = 1.5,
        rest_seconds: float = 0.8,
        limit_seconds: float = 10.0,
        wanted: Callable[[], object] = lambda: None,
    ) -> None:
        self.name = name
        self._motor = motor
        self._eye = eye
        self._clock = clock
        self._spin = spin_seconds
        self._rest = rest_seconds
        self._limit = limit_seconds
        self._wanted = wanted
        self._entry: asyncio.Future[tuple[int, ...]] | None = None

    async def open(self) -> None:
        """Raises DeviceError: motor or eye cannot be opened."""
        await self._motor.open()
        await self._eye.open()

    async def close(self) -> None:
        await self._eye.close()
        await self._motor.close()

    @property
    def waiting(self) -> bool:
        """The dice lie, and nobody has entered yet what they show."""
        return self._entry is not None

    def enter(self, dice: Sequence[int]) -> None:
        """What a person reads through the glass.

        Raises:
            ValueError: nothing is waited for, or these are not two dice.
        """
        if self._entry is None or self._entry.done():
            raise ValueError("no throw waits for its value; press the dice key first")
        if len(dice) != DICE or not all(1 <= face <= FACES for face in dice):
            raise ValueError(f"found {list(dice)}, expected {DICE} numbers from 1 to {FACES}")
        self._entry.set_result(tuple(dice))

    async def roll(self) -> tuple[int, ...]:
        """Spin, wait until the dice lie, wait until somebody has entered them.

        Raises:
            DeviceError: the eye saw no motion at all, or motion without end.
        """
        await self._throw()
        self._entry = asyncio.get_running_loop().create_future()
        self._wanted()
        try:
            return await self._entry
        finally:
            self._entry = None

    async def _throw(self) -> None:
        edges = self._eye.edges()
        moved: list[float] = []
        watching = asyncio.create_task(_times(edges, moved, self._clock), name=f"{self.name} eye")
        begin = self._clock.now()
        try:
            try:
                await self._motor.set(True)
                await self._clock.sleep(self._spin)
            finally:
                await self._motor.set(False)
            stopped = self._clock.now()
            while (rests_at := max([stopped, *moved[-1:]]) + self._rest) > self._clock.now():
                if self._clock.now() >= begin + self._limit:
                    raise self._error(f"still move after {self._limit:g} s")
                await self._clock.sleep(min(rests_at, begin + self._limit) - self._clock.now())
        finally:
            watching.cancel()
            await asyncio.gather(watching, return_exceptions=True)
        if not moved:
            raise self._error("did not move: the eye saw nothing while the motor ran")

    def _error(self, what: str) -> DeviceError:
        return DeviceError(
            self.name,
            "",
            what,
            "dice that roll and come to rest",
            "Look under the pan and at its eye; or throw by hand, and let the referee enter the dice.",
        )


async def _times(edges: AsyncIterator[tuple[float, bool]], times: list[float], clock: Clock) -> None:
    async for _ in edges:
        times.append(clock.now())
