"""The serial port of an RS-485 line: one request at a time, and its answer or what was heard instead.

pymodbus opens the port (exclusively), builds the frames and reads the answers. What it is given to read went through
`modbus_frames.Answer` before.
"""

from __future__ import annotations

import logging
from collections import deque
from typing import TYPE_CHECKING, Any, Final

from tablectl.base.clock import Clock
from tablectl.base.faults import DeviceError
from tablectl.drivers.hardware_wiring import Bus

if TYPE_CHECKING:
    from tablectl.drivers.modbus_frames import Request

#: silence between two frames at least, in characters of 11 bits (the standard says 3.5)
GAP_CHARACTERS = 4
#: second answers that said something else within so many seconds, from which on two boards have one address; a single
#: one may be an answer that came late
TWIN_ANSWERS: Final = 5
TWIN_SECONDS: Final = 10.0


class NoAnswer(Exception):
    """No sound answer came in time; ``heard`` is what came."""

    def __init__(self, heard: bytes) -> None:
        super().__init__(f"{len(heard)} bytes heard")
        self.heard = heard


class PortLost(Exception):
    """The port is gone: the adapter was pulled out."""

    def __init__(self, error: DeviceError) -> None:
        super().__init__(str(error))
        self.error = error


class ModbusPort:
    """``name`` is that of the bus. ``strays`` counts what came when nobody was asked; ``echo_heard``: the adapter hears
    what it sends, and nobody said so in the wiring."""

    def __init__(self, name: str, settings: Bus, clock: Clock) -> None:
        self.name = name
        self.timeout = settings.timeout_ms / 1e3
        self.strays = 0
        self.echo_heard = False
        #: by unit, when a second answer to one request said something else
        self._contradictions: dict[int, deque[float]] = {}
        self._settings = settings
        self._clock = clock
        self._gap = GAP_CHARACTERS * 11 / settings.baudrate
        self._client: Any = None
        # the exchange that goes on
        self._request: Request | None = None
        self._sent = b""
        self._heard = b""
        #: the last one that was answered, and how
        self._answered: tuple[Request, bytes] | None = None

    @property
    def is_open(self) -> bool:
        return self._client is not None

    async def open(self) -> None:
        """Raises DeviceError: no such port, no right to open it, or another program has it."""
        from pymodbus.client import AsyncModbusSerialClient  # half of a second: only where there is a bus

        settings = self._settings
        self._client = AsyncModbusSerialClient(
            settings.port,
            baudrate=settings.baudrate,
            parity=settings.parity[0].upper(),
            stopbits=settings.stopbits,
            handle_local_echo=settings.echo,
            timeout=self.timeout,
            retries=0,
            reconnect_delay=0,
            name=self.name,
            trace_packet=self._filter,
        )
        # pymodbus speaks of every answer that does not come; here that is told once, as a fault.
        logging.getLogger("pymodbus.logging").setLevel(logging.CRITICAL)
        if not await self._client.connect():
            self.close()
            port = settings.port
            raise DeviceError(
                f"bus.{self.name}",
                port,
                "the port cannot be opened",
                "a serial port that no other program holds",
                f"Check that the adapter is plugged in (ls -l {port}), that the user is in the group dialout, "
                f"and who has it: fuser -v {port}.",
            )

    def close(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            client.close()

    async def ask(self, request: Request) -> Any:
        """Send ``request`` after the silence that the standard wants; the answer, perhaps an exception of the board.

        Raises:
            NoAnswer: nothing that answers it came in time.
            PortLost: the port is gone.
        """
        from pymodbus.exceptions import ConnectionException, ModbusException

        await self._clock.sleep(self._gap)
        self._request, self._heard = request, b""
        try:
            return await self._client.execute(False, request.pdu)
        except ConnectionException:
            raise self._lost() from None
        except ModbusException:
            if not self._client.connected:
                raise self._lost() from None
            raise NoAnswer(self._heard) from None
        finally:
            self._request = None

    def _lost(self) -> PortLost:
        self.close()
        next_step = "Plug the adapter in again, then clear B01."
        return PortLost(DeviceError(f"bus.{self.name}", self._settings.port, "the port is gone", next_step=next_step))

    def _filter(self, sending: bool, data: bytes) -> bytes:
        """Called by pymodbus with what is sent, and with all that was heard since; gives it the answer alone."""
        if sending:
            self._sent = data
            return data
        self._heard = data
        if self._request is None:
            self.strays += 1
            self._compare(data)
            return b""
        answer = self._request.answer
        if data.startswith(self._sent) and not answer.find(self._sent):
            self.echo_heard = True
        found = answer.find(data)
        if found:
            self._answered = self._request, found
            self._compare(data[data.index(found) + len(found) :])
        return found

    def _compare(self, more: bytes) -> None:
        """Bytes that came after an answer. The same once more does no harm; another one is that of a second board."""
        if self._answered is not None:
            request, answer = self._answered
            other = request.answer.find(more)
            if other and other != answer:
                times = self._contradictions.setdefault(request.pdu.dev_id, deque(maxlen=TWIN_ANSWERS))
                times.append(self._clock.now())

    def twins(self, unit: int) -> bool:
        """Whether two boards answer as this unit: lately, again and again, a second answer said something else."""
        times = self._contradictions.get(unit)
        return times is not None and len(times) == TWIN_ANSWERS and self._clock.now() - times[0] < TWIN_SECONDS

    def forget_twins(self, unit: int) -> None:
        """One of them may have been taken away."""
        self._contradictions.pop(unit, None)
