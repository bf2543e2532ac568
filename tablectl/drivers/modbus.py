"""I/O boards on an RS-485 bus, Modbus RTU: outputs, inputs that are polled, pulses that the board ends by itself.

One bus is one task: requests go out one after another in the order they were asked for, and between them all inputs of
a board are read at once. Every value of an output is sent; those for neighbours that wait together go in one request.

Modbus RTU cannot tell which request an answer is to. It must have the right unit, function, length and checksum
(`modbus_frames`), and a board whose answer did not come in time is not read again until a late one has passed by.

A board that does not answer is lost, which is a fault. It is asked again and again; when it is back, its outputs are
made safe before anything else. It never goes on by itself with what it was told before.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Awaitable, Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from tablectl.base.clock import Clock
from tablectl.base.faults import DeviceError
from tablectl.base.tasks import beside
from tablectl.drivers.hardware_errors import HardwareError, each
from tablectl.drivers.hardware_wiring import BoardType, Bus
from tablectl.drivers.modbus_devices import Job, ModbusBoard
from tablectl.drivers.modbus_port import ModbusPort, NoAnswer, PortLost

if TYPE_CHECKING:
    from tablectl.drivers.modbus_frames import Request


#: how often a request is sent before the board counts as lost
TRIES: Final = 3
#: seconds between two attempts to reach a lost board: the first, and at most
RETRY_SECONDS: Final = (1.0, 10.0)
#: a wait that is shorter is over: a loop's timers may ring that early
RESOLUTION_SECONDS: Final = 1e-6
#: the relays are read back so often, in seconds: a board that lost its supply for a moment forgets them
VERIFY_SECONDS: Final = 1.0

#: told that a board is lost (with the error), or answers again (None)
BoardReport = Callable[[str, DeviceError | None], object]


class ModbusBus:
    """One RS-485 line with its boards. ``await open()`` before anything on it is used, ``await close()`` after."""

    def __init__(self, name: str, settings: Bus, clock: Clock, report: BoardReport = lambda name, error: None) -> None:
        self.name = name
        self.boards: list[ModbusBoard] = []
        self._settings = settings
        self._clock = clock
        self._report = report
        self._port = ModbusPort(name, settings, clock)
        self._strays = 0
        self._task: asyncio.Task[None] | None = None
        self._jobs: deque[Job] = deque()
        self._wake = asyncio.Event()
        self._next_poll = 0.0
        #: when the last exchange ended well (seconds, as `Clock`): whether this bus lives
        self.alive_at = clock.now()

    @property
    def port(self) -> str:
        return self._settings.port

    def board(self, name: str, unit: int, kind: BoardType) -> ModbusBoard:
        """Add a board to the bus."""
        board = ModbusBoard(self, name, unit, kind)
        self.boards.append(board)
        return board

    # --- life

    async def open(self) -> None:
        """Open the port, find every board, make its outputs safe and read its inputs.

        Raises:
            DeviceError: no port, or another program has it. HardwareError: boards that do not answer; the outputs of
                the others are safe.
        """
        if self._task is not None:
            return
        await self._port.open()
        try:
            await self._clock.sleep(self._port.timeout)  # an answer to a program before this one may be on its way
            errors = await each([partial(self._greet, board, TRIES) for board in self.boards])
        except PortLost as gone:
            raise gone.error from None
        if errors:
            self._port.close()
            raise HardwareError(errors)
        self.alive_at = self._clock.now()
        self._task = beside(self._work(), f"bus {self.name}")

    async def close(self) -> None:
        """Outputs safe as far as boards answer, then close the port."""
        task, self._task = self._task, None
        if task is None:
            return
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        for board in self.boards:
            if board.lost is None:
                with contextlib.suppress(DeviceError, PortLost):  # whoever waits for an output was told already
                    await self._make_safe(board)
        self._port.close()
        self._refuse(lambda job: True, DeviceError(f"bus.{self.name}", self.port, "the bus was closed"))

    # --- the task

    async def _work(self) -> None:
        wait, retry_at = RETRY_SECONDS[0], float("inf")
        while True:
            try:
                lost = [board for board in self.boards if board.lost is not None]
                if not lost:
                    wait, retry_at = RETRY_SECONDS[0], float("inf")
                elif retry_at == float("inf"):
                    retry_at = self._clock.now() + wait
                elif self._clock.now() >= retry_at:
                    wait = min(2 * wait, RETRY_SECONDS[1])
                    retry_at = self._clock.now() + wait
                    await self._find(lost)
                await self._do_next()
            except PortLost as gone:
                for board in self.boards:
                    self._lose(board, gone.error)

    async def _do_next(self) -> None:
        """One batch of jobs, or one round of polls, or wait for either."""
        if self._jobs:
            await self._do_jobs()
            return
        wait = self._next_poll - self._clock.now()
        if wait > RESOLUTION_SECONDS:
            self._wake.clear()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(wait):
                    await self._wake.wait()
            return
        self._next_poll = self._clock.now() + self._settings.poll_ms / 1e3
        for board in self.boards:
            if board.lost is None and self._clock.now() >= board.quiet_until:
                await self._poll(board)
            await self._do_jobs()  # what is to be switched does not wait for the other boards

    async def _do_jobs(self) -> None:
        while self._jobs:
            await self._do(self._take())

    async def _find(self, lost: Sequence[ModbusBoard]) -> None:
        """Ask lost boards again; one that answers is made safe."""
        if not self._port.is_open:
            try:
                await self._port.open()
            except DeviceError:
                return
        for board in lost:
            with contextlib.suppress(DeviceError):
                await self._greet(board, 1)
                board.lost, board.failures = None, 0
                self._report(board.name, None)
            await self._do_jobs()

    def _lose(self, board: ModbusBoard, error: DeviceError) -> None:
        if board.lost is None:
            board.lost = error
            self._refuse(lambda job: job.board is board, error)
            self._report(board.name, error)

    def _refuse(self, which: Callable[[Job], bool], error: DeviceError) -> None:
        for job in list(self._jobs):
            if which(job):
                self._jobs.remove(job)
                job.end(error)

    # --- boards

    async def _greet(self, board: ModbusBoard, tries: int) -> None:
        """Who is there, are its outputs ours alone; then outputs safe, inputs read."""
        kind = board.kind
        if kind.identity is not None:
            await self._exchange(board, _frames().read_registers(board.unit, kind.identity, 1), tries)
        if self._port.echo_heard:  # an echoed write looks like its answer: a dead board would seem to obey
            raise self._silent(board, b"")
        if kind.modes is not None and kind.outputs is not None:
            request = _frames().read_registers(board.unit, kind.modes.holding, kind.outputs.count)
            modes = (await self._exchange(board, request)).registers
            odd = [n for n, mode in enumerate(modes) if mode != kind.modes.normal]
            if odd:
                raise board.error(
                    f"output {odd[0]} is in mode {modes[odd[0]]}: the board switches it by itself",
                    f"mode {kind.modes.normal} for all outputs",
                    f"Write {kind.modes.normal} to holding register 0x{kind.modes.holding + odd[0]:04x}.",
                )
        await self._make_safe(board)
        await self._read_inputs(board, self._exchange)
        self._port.forget_twins(board.unit)

    async def _poll(self, board: ModbusBoard) -> None:
        """Read its inputs and, now and then, its outputs. A board may fail to answer once or twice."""
        try:
            await self._read_inputs(board, self._ask)
            if board.kind.outputs is not None and self._clock.now() >= board.verify_at:
                await self._verify(board)
            if self._port.twins(board.unit):
                raise board.error(
                    f"two boards answer as unit {board.unit}, and not the same",
                    "one board at each address of the bus",
                    "Disconnect one of them and give it the address that wiring.yaml has for it, then clear B01.",
                )
            board.failures = 0
        except NoAnswer as nothing:
            board.failures += 1
            if board.failures >= TRIES:
                self._lose(board, self._silent(board, nothing.heard))
            self._be_quiet([board])
        except DeviceError as error:
            self._lose(board, error)

    def _be_quiet(self, boards: Sequence[ModbusBoard]) -> None:
        """Do not read from these until an answer that is late has passed by: it would be taken for the next one."""
        now = self._clock.now()
        for board in boards:
            if now >= board.quiet_until:
                board.quiet_until = now + 2 * self._port.timeout

    async def _make_safe(self, board: ModbusBoard) -> None:
        await self._write(board, dict(board.safe))

    async def _read_inputs(self, board: ModbusBoard, ask: Callable[[ModbusBoard, Request], Awaitable[Any]]) -> None:
        side = board.kind.inputs
        if side is None or not board.feeds:
            return
        answer = await ask(board, _frames().read_inputs(board.unit, side.discrete, side.count))
        t = self._clock.now()
        for number, feed in board.feeds.items():
            feed.seen(t, answer.bits[number])

    async def _verify(self, board: ModbusBoard) -> None:
        """The relays must be as they were told: one that lost its supply comes back with all of them off."""
        side = board.kind.outputs
        assert side is not None
        board.verify_at = self._clock.now() + VERIFY_SECONDS
        answer = await self._ask(board, _frames().read_coils(board.unit, side.coil, side.count))
        wrong = [n for n, level in board.written.items() if answer.bits[n] is not level]
        if wrong:
            n = wrong[0]
            raise board.error(
                f"output {n} is {_word(answer.bits[n])}",
                f"{_word(board.written[n])}, as it was switched",
                "The board lost its supply for a moment, or something else switches it: check its power and fuse.",
            )

    # --- switching

    def submit(self, job: Job) -> asyncio.Future[None]:
        """Queue ``job``; the future is done when the board said so. Raises DeviceError: not open, or the board lost."""
        if self._task is None:
            raise job.board.error("is not open")
        if job.board.lost is not None:
            raise job.board.lost
        self._jobs.append(job)
        self._wake.set()
        return job.done

    def _take(self) -> list[Job]:
        """The jobs at the head of the queue that can go together: outputs of one board, none of them twice."""
        batch = [self._jobs.popleft()]
        numbers = {batch[0].number}
        while batch[0].units is None and self._jobs:
            job = self._jobs[0]
            if job.board is not batch[0].board or job.units is not None or job.number in numbers:
                break
            numbers.add(job.number)
            batch.append(self._jobs.popleft())
        return batch

    async def _do(self, batch: list[Job]) -> None:
        board = batch[0].board
        if batch[0].units is not None:
            assert board.kind.pulses is not None
            coil = board.kind.pulses.coil + batch[0].number
            work: Any = self._exchange(board, _frames().pulse_coil(board.unit, coil, batch[0].units))
        else:
            work = self._write(board, {job.number: job.level for job in batch})
        error: DeviceError | None = board.error("the bus was closed")
        try:
            await work
            error = None
        except DeviceError as failed:
            error = failed
            self._lose(board, failed)
        except PortLost as gone:
            error = gone.error
            raise
        finally:
            for job in batch:
                job.end(error)

    async def _write(self, board: ModbusBoard, levels: dict[int, bool]) -> None:
        """Write outputs, neighbours together where the board takes several."""
        side = board.kind.outputs
        if side is None or not levels:
            return
        for first, run in _runs(levels, side.many):
            await self._exchange(board, _frames().write_coils(board.unit, side.coil + first, run))
            levels_now = {first + n: level for n, level in enumerate(run)}
            board.written.update({n: level for n, level in levels_now.items() if n not in board.pulsed})
        board.verify_at = self._clock.now() + VERIFY_SECONDS

    # --- one exchange

    async def _exchange(self, board: ModbusBoard, request: Request, tries: int = TRIES) -> Any:
        """The answer to ``request``, which is sent again where that does no harm.

        Raises:
            DeviceError: none came, or the board refused. PortLost: the port is gone.
        """
        heard = b""
        for _ in range(tries if request.again else 1):
            try:
                return await self._ask(board, request)
            except NoAnswer as nothing:
                heard = nothing.heard
        raise self._silent(board, heard)

    async def _ask(self, board: ModbusBoard, request: Request) -> Any:
        """Raises NoAnswer, PortLost, and DeviceError where the board refused."""
        try:
            answer = await self._port.ask(request)
        finally:
            if self._port.strays != self._strays:
                self._strays = self._port.strays
                self._be_quiet(self.boards)
        if answer.isError():
            pdu = request.pdu
            raise board.error(
                f"refused function {pdu.function_code:02x} at 0x{pdu.address:04x} "
                f"(Modbus exception {answer.exception_code})",
                next_step=f"Is it really a {board.kind.name}? Check its kind and address in wiring.yaml.",
            )
        self.alive_at = self._clock.now()
        return answer

    def _silent(self, board: ModbusBoard, heard: bytes) -> DeviceError:
        within = f"an answer within {self._settings.timeout_ms} ms"
        if self._port.echo_heard:
            next_step = f"Set echo: on for bus {self.name} in wiring.yaml."
            return board.error("the adapter echoes what is sent", within, next_step)
        if heard:
            return board.error(
                f"its answers are damaged ({len(heard)} bytes heard: {heard[:12].hex(' ')})",
                within,
                "Check speed and parity, shield and termination (120 ohm at both ends), and that no two boards "
                "have the same address.",
            )
        next_step = "Check its power, wires A and B (swapped?), address and speed, then clear B01."
        return board.error("does not answer", within, next_step)


def _runs(levels: dict[int, bool], many: bool) -> Iterator[tuple[int, Sequence[bool]]]:
    """Neighbouring outputs together: the first number and the levels from there on."""
    run: list[bool] = []
    first = 0
    for number in sorted(levels):
        if run and (not many or number != first + len(run)):
            yield first, run
            run = []
        if not run:
            first = number
        run.append(levels[number])
    if run:
        yield first, run


def _frames() -> Any:
    """pymodbus is imported when a bus is opened."""
    from tablectl.drivers import modbus_frames

    return modbus_frames


def _word(level: bool) -> str:
    return "on" if level else "off"
