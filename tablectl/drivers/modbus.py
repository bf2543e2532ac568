"""I/O boards on an RS-485 bus, Modbus RTU: outputs, inputs that are polled, pulses that the board ends by itself.

One bus is one task: requests go out one after another in the order they were asked for, and between them all inputs of
a board are read at once. Every value of an output is sent; those for neighbours that wait together go in one request.

Modbus RTU cannot tell whose answer an answer is. After one that did not come in time the line is left quiet until a
late one has passed; an answer must have the right unit, function, length and checksum (`modbus_frames`).

A board that does not answer is lost, which is a fault. It is asked again and again; when it is back, its outputs are
made safe before anything else. It never goes on by itself with what it was told before.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from tablectl.base.clock import Clock
from tablectl.base.faults import DeviceError
from tablectl.drivers.hardware_wiring import BoardType, Bus
from tablectl.drivers.modbus_devices import Job, ModbusBoard

log = logging.getLogger(__name__)

#: how often a request is sent before the board counts as lost
TRIES: Final = 3
#: seconds between two attempts to reach a lost board: the first, and at most
RETRY_SECONDS: Final = (1.0, 10.0)
#: the relays are read back so often, in seconds: a board that lost its supply for a moment forgets them
VERIFY_SECONDS: Final = 1.0
#: silence between two frames at least, in characters of 11 bits (the standard says 3.5)
GAP_CHARACTERS: Final = 4

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
        self._timeout = settings.timeout_ms / 1e3
        self._gap = GAP_CHARACTERS * 11 / settings.baudrate
        self._client: Any = None
        self._task: asyncio.Task[None] | None = None
        self._jobs: deque[Job] = deque()
        self._wake = asyncio.Event()
        self._next_poll = 0.0
        # the exchange that goes on
        self._answer: Any = None
        self._asked = b""
        self._heard = b""
        self._stray = False
        self._echo_heard = False
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
            DeviceError: no port, another program has it, or a board does not answer (the first of them).
        """
        if self._task is not None:
            return
        await self._connect()
        try:
            for board in self.boards:
                await self._greet(board)
        except DeviceError:
            self._disconnect()
            raise
        self.alive_at = self._clock.now()
        self._task = asyncio.create_task(self._work(), name=f"bus {self.name}")

    async def close(self) -> None:
        """Outputs safe as far as boards answer, then close the port."""
        task, self._task = self._task, None
        if task is None:
            return
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
        for board in self.boards:
            if board.lost is None:
                with contextlib.suppress(DeviceError):  # whoever waits for an output was told already
                    await self._make_safe(board)
        self._disconnect()
        self._refuse(lambda job: True, DeviceError(self.name, self.port, "the bus was closed"))

    async def _connect(self) -> None:
        from pymodbus.client import AsyncModbusSerialClient

        settings = self._settings
        self._client = AsyncModbusSerialClient(
            settings.port,
            baudrate=settings.baudrate,
            parity=settings.parity[0].upper(),
            stopbits=settings.stopbits,
            handle_local_echo=settings.echo,
            timeout=self._timeout,
            retries=0,
            reconnect_delay=0,
            name=self.name,
            trace_packet=self._filter,
        )
        # pymodbus speaks of every answer that does not come; here that is told once, as a fault.
        logging.getLogger("pymodbus.logging").setLevel(logging.CRITICAL)
        if not await self._client.connect():
            self._disconnect()
            raise DeviceError(
                self.name,
                self.port,
                "the port cannot be opened",
                "a serial port that no other program holds",
                f"Check that the adapter is plugged in (ls -l {self.port}), that the user is in the group dialout, "
                f"and who has it: fuser -v {self.port}.",
            )

    def _disconnect(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            client.close()

    # --- the task

    async def _work(self) -> None:
        retry = RETRY_SECONDS[0]
        retry_at = 0.0
        while True:
            try:
                if any(board.lost for board in self.boards) and self._clock.now() >= retry_at:
                    back = await self._find_lost()
                    retry = RETRY_SECONDS[0] if back else min(2 * retry, RETRY_SECONDS[1])
                    retry_at = self._clock.now() + retry
                await self._do_next()
            except _PortLost as gone:
                self._disconnect()
                for board in self.boards:
                    self._lose(board, gone.error)

    async def _do_next(self) -> None:
        """One batch of jobs, or one round of polls, or wait for either."""
        if self._jobs:
            await self._do(self._take())
            return
        wait = self._next_poll - self._clock.now()
        if wait > 0:
            self._wake.clear()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(wait):
                    await self._wake.wait()
            return
        self._next_poll = self._clock.now() + self._settings.poll_ms / 1e3
        for board in self.boards:
            if board.lost is None:
                await self._guarded(board, self._poll(board))
            while self._jobs:  # what is to be switched does not wait for the other boards
                await self._do(self._take())

    async def _guarded(self, board: ModbusBoard, exchange: Any) -> DeviceError | None:
        """Do what concerns one board; an error that it is lost is kept and told, and returned."""
        try:
            await exchange
        except DeviceError as error:
            self._lose(board, error)
            return error
        return None

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

    async def _find_lost(self) -> bool:
        """Ask lost boards again; True where one is back."""
        if self._client is None:
            try:
                await self._connect()
            except DeviceError:
                return False
        back = False
        for board in self.boards:
            if board.lost is None:
                continue
            with contextlib.suppress(DeviceError):
                await self._greet(board)
                board.lost = None
                back = True
                self._report(board.name, None)
        return back

    async def _greet(self, board: ModbusBoard) -> None:
        """Who is there, are its outputs ours alone; then outputs safe, inputs read."""
        kind = board.kind
        self._stray = True  # nobody knows what is on its way on this line
        if kind.identity is not None:
            await self._exchange(board, _frames().read_registers(board.unit, kind.identity, 1))
        if self._echo_heard:  # an echoed write looks like its answer: a dead board would seem to obey
            raise self._silent(board)
        if kind.modes is not None and kind.outputs is not None:
            count = kind.outputs.count
            answer = await self._exchange(board, _frames().read_registers(board.unit, kind.modes.holding, count))
            odd = [n for n, mode in enumerate(answer.registers) if mode != kind.modes.normal]
            if odd:
                raise board.error(
                    f"output {odd[0]} is in mode {answer.registers[odd[0]]}: the board switches it by itself",
                    f"mode {kind.modes.normal} for all outputs",
                    f"Write {kind.modes.normal} to holding register 0x{kind.modes.holding + odd[0]:04x}.",
                )
        await self._make_safe(board)
        await self._read_inputs(board)

    async def _make_safe(self, board: ModbusBoard) -> None:
        await self._write(board, dict(board.safe))

    async def _poll(self, board: ModbusBoard) -> None:
        await self._read_inputs(board)
        if board.kind.outputs is not None and self._clock.now() >= board.verify_at:
            await self._verify(board)

    async def _read_inputs(self, board: ModbusBoard) -> None:
        side = board.kind.inputs
        if side is None or not board.feeds:
            return
        answer = await self._exchange(board, _frames().read_inputs(board.unit, side.discrete, side.count))
        t = self._clock.now()
        for number, feed in board.feeds.items():
            feed.seen(t, answer.bits[number])

    async def _verify(self, board: ModbusBoard) -> None:
        """The relays must be as they were told: one that lost its supply comes back with all of them off."""
        side = board.kind.outputs
        assert side is not None
        board.verify_at = self._clock.now() + VERIFY_SECONDS
        answer = await self._exchange(board, _frames().read_coils(board.unit, side.coil, side.count))
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
            error = await self._guarded(board, work)
        except _PortLost as gone:
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

    async def _exchange(self, board: ModbusBoard, request: Any) -> Any:
        """Send ``request`` and give the answer.

        Raises:
            DeviceError: none came, it was damaged, or the board refused.
            _PortLost: the port is gone.
        """
        from pymodbus.exceptions import ConnectionException, ModbusException

        for _ in range(TRIES if request.again else 1):
            await self._quiet()
            self._answer, self._heard = request.answer, b""
            try:
                answer = await self._client.execute(False, request.pdu)
            except ConnectionException:
                raise self._port_lost() from None
            except ModbusException:
                if not self._client.connected:
                    raise self._port_lost() from None
                self._stray = True
                continue
            finally:
                self._answer = None
            if answer.isError():
                raise board.error(
                    f"refused {_called(request.pdu)} (Modbus exception {answer.exception_code})",
                    next_step=f"Is it really a {board.kind.name}? Check its kind and address in wiring.yaml.",
                )
            self.alive_at = self._clock.now()
            return answer
        raise self._silent(board)

    async def _quiet(self) -> None:
        """The silence between two frames. After a failure longer: until an answer that is late has passed by."""
        await self._clock.sleep(self._gap)
        if self._stray:
            await self._clock.sleep(2 * self._timeout)
            self._stray = False

    def _filter(self, sending: bool, data: bytes) -> bytes:
        """Called by pymodbus with what is sent, and with all that was heard since; gives it only the answer."""
        if sending:
            self._asked = data
            return data
        self._heard = data
        if self._answer is None:
            self._stray = True  # nobody was asked
            return b""
        if data.startswith(self._asked) and not self._answer.find(self._asked):
            self._echo_heard = True
        return bytes(self._answer.find(data))

    def _silent(self, board: ModbusBoard) -> DeviceError:
        within = f"an answer within {self._settings.timeout_ms} ms"
        if self._echo_heard:
            return board.error(
                "the adapter echoes what is sent", within, f"Set echo: on for bus {self.name} in wiring.yaml."
            )
        if self._heard:
            return board.error(
                f"its answers are damaged ({len(self._heard)} bytes heard: {self._heard[:12].hex(' ')})",
                within,
                "Check speed and parity, shield and termination (120 ohm at both ends), and that no two boards "
                "have the same address.",
            )
        return board.error(
            "does not answer", within, "Check its power, wires A and B (swapped?), address and speed, then clear B01."
        )

    def _port_lost(self) -> _PortLost:
        return _PortLost(
            DeviceError(
                self.name, self.port, "the port is gone", next_step="Plug the adapter in again, then clear B01."
            )
        )


class _PortLost(Exception):
    """The port of a bus is gone."""

    def __init__(self, error: DeviceError) -> None:
        super().__init__(str(error))
        self.error = error


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


def _called(pdu: Any) -> str:
    return f"function {pdu.function_code:02x} at 0x{pdu.address:04x}"


def _word(level: bool) -> str:
    return "on" if level else "off"
