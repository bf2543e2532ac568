"""A conversation with a reader: a line, the frames on it, questions with answers, time limits and retries."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from tablectl.base.clock import Clock, at
from tablectl.base.faults import DeviceError
from tablectl.drivers.readers.frames import Look, Scanner
from tablectl.drivers.serial_line import Chunk, LineSettings, SerialLine

log = logging.getLogger(__name__)

F = TypeVar("F")

#: After a question without answer the line must be silent for so long before the next: an answer that comes late is
#: never taken for that of the next question.
QUIET_SECONDS: Final = 0.06
#: … but it is not waited for longer than this (another device may chatter without end).
LONGEST_QUIET_SECONDS: Final = 0.5
#: Silence in the middle of a frame after which its rest is given up. USB adapters pause for up to 16 ms; what begins
#: in garbage may wait for bytes that never come.
BROKEN_SECONDS: Final = 0.05
#: Times a question is asked.
TRIES: Final = 3
#: Bytes kept to tell what came instead of an answer.
HEARD_BYTES: Final = 24


@dataclass(frozen=True, slots=True)
class Heard(Generic[F]):
    """A frame, and when its last byte came (seconds, as `Clock`)."""

    t: float
    frame: F


class NoAnswer(Exception):
    """Nothing fitting came in time."""


class Link(Generic[F]):
    """A line with the frames of one codec.

    Args:
        look: the codec, see `frames.Scanner`.
        unasked: which frames a reader sends by itself; they are kept for `heard` while an answer is waited for. All
            others that do not fit are dropped.
        gap_s: seconds that must lie between the last answer and the next question.
    """

    def __init__(
        self,
        device: str,
        settings: LineSettings,
        look: Look[F],
        clock: Clock,
        *,
        unasked: Callable[[F], bool] = lambda frame: False,
        gap_s: float = 0.0,
    ) -> None:
        self.device = device
        self.line = SerialLine(device, settings, clock)
        self.scanner = Scanner(look)
        #: frames that were no answer to what was asked
        self.strays = 0
        self._clock = clock
        self._unasked = unasked
        self._gap = gap_s
        self._frames: deque[Heard[F]] = deque()
        self._heard = bytearray()
        self._free_at = 0.0
        self._last_byte = 0.0

    async def open(self) -> None:
        """Raises DeviceError."""
        await self.line.open()
        self.scanner.clear()
        self._frames.clear()
        self._heard.clear()
        self._free_at = self._clock.now()

    async def close(self) -> None:
        await self.line.close()

    def write(self, data: bytes) -> None:
        """Send without waiting for anything. Raises DeviceError."""
        self.line.write(data)

    # --- frames as they come

    async def heard(self, within_s: float) -> Heard[F]:
        """The next frame. Raises NoAnswer after ``within_s`` seconds, DeviceError where the line is lost."""
        end = self._clock.now() + within_s
        while not self._frames:
            left = end - self._clock.now()
            broken = self._last_byte + BROKEN_SECONDS - self._clock.now() if self.scanner.pending else left
            try:
                async with asyncio.timeout(max(0.0, min(left, broken))):
                    self._take(*self._split(await self.line.read()))
            except TimeoutError:
                if broken < left:
                    self._take(self._clock.now(), self.scanner.give_up())
                elif not self._frames:
                    raise NoAnswer from None
        return self._frames.popleft()

    def _split(self, chunk: Chunk) -> tuple[float, list[F]]:
        self._heard += chunk.data
        del self._heard[:-HEARD_BYTES]
        self._last_byte = chunk.t
        return chunk.t, self.scanner.feed(chunk.data)

    def _take(self, t: float, frames: list[F]) -> None:
        self._frames += [Heard(t, frame) for frame in frames]

    # --- questions

    async def ask(self, question: bytes, fits: Callable[[F], bool], within_s: float, *, tries: int = TRIES) -> Heard[F]:
        """Ask, and give the first frame that fits.

        Raises:
            NoAnswer: nothing that fits came within ``within_s`` seconds, ``tries`` times over.
            DeviceError: the line is lost.
        """
        for number in range(tries):
            if number:
                await self.settle()
            await self._ready()
            self.write(question)
            try:
                return await self._answer(fits, within_s)
            except NoAnswer:
                log.debug("%s: no answer to %s", self.device, question.hex(" "))
        await self.settle()
        raise NoAnswer

    async def answer(self, fits: Callable[[F], bool], within_s: float) -> Heard[F]:
        """A further answer to what was asked last. Raises as `ask`."""
        return await self._answer(fits, within_s)

    async def _answer(self, fits: Callable[[F], bool], within_s: float) -> Heard[F]:
        end = self._clock.now() + within_s
        kept: list[Heard[F]] = []
        try:
            while True:
                heard = await self.heard(max(0.0, end - self._clock.now()))
                if fits(heard.frame):
                    self._free_at = self._clock.now() + self._gap
                    return heard
                if self._unasked(heard.frame):
                    kept.append(heard)
                else:
                    self.strays += 1
        finally:
            self._frames.extendleft(reversed(kept))

    async def settle(self) -> None:
        """Wait until the line is silent: what comes late is no answer to the next question. Raises DeviceError."""
        end = self._clock.now() + LONGEST_QUIET_SECONDS
        while self._clock.now() < end:
            try:
                async with asyncio.timeout(QUIET_SECONDS):
                    self._take(*self._split(await self.line.read()))
            except TimeoutError:
                break
        self._take(self._clock.now(), self.scanner.give_up())

    async def _ready(self) -> None:
        """Wait until a question may be asked; what came before is no answer to it."""
        await at(self._free_at)
        for chunk in self.line.waiting():
            self._take(*self._split(chunk))
        before = len(self._frames)
        self._frames = deque(heard for heard in self._frames if self._unasked(heard.frame))
        self.strays += before - len(self._frames)

    # --- words

    @property
    def noise(self) -> str:
        """The last bytes that came, for messages; "" where none came."""
        return self._heard.hex(" ")

    def error(self, what: str, expected: str = "", next_step: str = "") -> DeviceError:
        return DeviceError(self.device, self.line.settings.port, what, expected, next_step)

    def unanswered(self, question: str) -> DeviceError:
        """The error of a reader that does not answer ``question`` (in words)."""
        what = f"does not answer {question}"
        if self._heard:
            what += f"; the last bytes that came: {self.noise}"
        return self.error(what, "an answer", "Check power and cable of the reader; it is tried again by itself.")

    def stranger(self, family: str, answered: str = "") -> DeviceError:
        """The error of a device that is not the reader of the configuration. ``answered``: what it said, in words."""
        if answered:
            what = f"answered {answered}"
        elif self._heard:
            what = f"something else is there, or at another baud rate; it said: {self.noise}"
        else:
            what = "nobody answers"
        return self.error(
            what,
            family,
            "Check which device is on this port (port, baud, driver and identity in the configuration), and its power.",
        )
