"""The device's end of a line: a pty under a stable name, or a TCP port, with the faults that lines and devices have.

Both work in real and in virtual time: the bytes of a pty are there when the loop polls it.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import socket
import tty
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

_PIECE = 4096


@dataclass(slots=True)
class Faults:
    """What goes wrong with the next answers; counts run down as they are used up.

    ``mute``: are not sent; ``late``: come ``late_s`` seconds later; ``corrupt``: one bit is wrong; ``short``: the last
    byte is missing; ``double``: come twice; ``noisy``: random bytes stand before them; ``hold``: are kept back and sent
    in one go with the one after them. ``piece``: all are cut into pieces of so many bytes, ``piece_s`` seconds apart
    (a byte at 115200 baud takes 0.00009 s).
    """

    mute: int = 0
    late: int = 0
    late_s: float = 1.0
    corrupt: int = 0
    short: int = 0
    double: int = 0
    noisy: int = 0
    hold: int = 0
    piece: int = 0
    piece_s: float = 0.0002

    def take(self, name: str) -> bool:
        """Whether a fault strikes now."""
        left: int = getattr(self, name)
        if left > 0:
            setattr(self, name, left - 1)
        return left > 0


class Line(ABC):
    """The end of a line at which a device sits. ``received`` is called with what the host sends."""

    def __init__(self, seed: int = 0) -> None:
        self.faults = Faults()
        self.received: Callable[[bytes], None] = lambda data: None
        self._rng = random.Random(f"line/{seed}")
        self._timers: set[asyncio.TimerHandle] = set()
        self._held = bytearray()
        self._busy_until = 0.0

    @property
    @abstractmethod
    def port(self) -> str:
        """The name under which the host opens it."""

    @property
    @abstractmethod
    def plugged(self) -> bool: ...

    @abstractmethod
    async def plug(self) -> None:
        """Connect the device."""

    @abstractmethod
    def unplug(self) -> None:
        """Pull the cable; what was not sent is lost. Pulling it twice is no fault."""

    @abstractmethod
    def write(self, data: bytes) -> None:
        """Send these bytes as they are."""

    def later(self, seconds: float, call: Callable[[], None]) -> None:
        """Call after so many seconds, unless the cable is pulled before."""

        def due() -> None:
            self._timers.discard(timer)
            call()

        timer = asyncio.get_running_loop().call_later(seconds, due)
        self._timers.add(timer)

    def silence(self) -> None:
        """Forget what was to be sent later."""
        for timer in self._timers:
            timer.cancel()
        self._timers.clear()
        self._held.clear()
        self._busy_until = 0.0

    def send(self, answer: bytes, after_s: float = 0.0) -> None:
        """Send an answer of the device, with the faults that are due."""
        if self.faults.take("mute"):
            return
        if self.faults.take("late"):
            after_s += self.faults.late_s
        self.later(after_s, lambda: self._deliver(answer))

    def _deliver(self, answer: bytes) -> None:
        faults, rng = self.faults, self._rng
        data = bytearray(answer)
        if faults.take("corrupt"):
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        if faults.take("short"):
            del data[-1]
        if faults.take("double"):
            data += answer
        if faults.take("noisy"):
            data[:0] = rng.randbytes(rng.randint(1, 16))
        if faults.take("hold"):
            self._held += data
            return
        data[:0] = self._held
        self._held.clear()
        now = asyncio.get_running_loop().time()
        if not faults.piece and self._busy_until <= now:
            self.write(bytes(data))
            return
        size = faults.piece or len(data)
        for at in range(0, len(data), size):  # one after another, also behind what is still being sent
            self._busy_until = max(self._busy_until, now) + faults.piece_s
            piece = bytes(data[at : at + size])
            self.later(self._busy_until - now, lambda piece=piece: self.write(piece))  # type: ignore[misc]


class PtyLine(Line):
    """A pty behind the symbolic link ``path``, as udev gives a serial adapter its name."""

    def __init__(self, path: Path, seed: int = 0) -> None:
        super().__init__(seed)
        self._path = path
        self._ends: tuple[int, int] | None = None

    @property
    def port(self) -> str:
        return str(self._path)

    @property
    def plugged(self) -> bool:
        return self._ends is not None

    async def plug(self) -> None:
        self.unplug()
        device, host = os.openpty()  # the host's end is kept open: between two programs the device hears no hang-up
        tty.setraw(host)
        os.set_blocking(device, False)
        self._ends = device, host
        self._path.symlink_to(os.ttyname(host))
        asyncio.get_running_loop().add_reader(device, self._readable)

    def unplug(self) -> None:
        self.silence()
        if self._ends is None:
            return
        device, host = self._ends
        self._ends = None
        asyncio.get_running_loop().remove_reader(device)
        self._path.unlink(missing_ok=True)
        os.close(device)
        os.close(host)

    def write(self, data: bytes) -> None:
        if self._ends is not None:
            with contextlib.suppress(BlockingIOError):  # nobody reads, and the buffer is full: bytes get lost
                os.write(self._ends[0], data)

    def _readable(self) -> None:
        if self._ends is None:
            return
        with contextlib.suppress(BlockingIOError):
            self.received(os.read(self._ends[0], _PIECE))


class TcpLine(Line):
    """A TCP port on this machine, for one host at a time; a new one throws the old one out."""

    def __init__(self, seed: int = 0) -> None:
        super().__init__(seed)
        self._server: socket.socket | None = None
        self._host: socket.socket | None = None
        self._number = 0

    @property
    def port(self) -> str:
        return f"socket://127.0.0.1:{self._number}"

    @property
    def plugged(self) -> bool:
        return self._server is not None

    async def plug(self) -> None:
        self.unplug()
        self._server = socket.create_server(("127.0.0.1", self._number))
        self._server.setblocking(False)
        self._number = self._server.getsockname()[1]
        asyncio.get_running_loop().add_reader(self._server, self._accept)

    def unplug(self) -> None:
        self.silence()
        self._drop()
        if self._server is not None:
            asyncio.get_running_loop().remove_reader(self._server)
            self._server.close()
            self._server = None

    def write(self, data: bytes) -> None:
        if self._host is not None:
            with contextlib.suppress(OSError):
                self._host.send(data)

    def _accept(self) -> None:
        assert self._server is not None
        self._drop()
        self._host, _ = self._server.accept()
        self._host.setblocking(False)
        self._host.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        asyncio.get_running_loop().add_reader(self._host, self._readable)

    def _readable(self) -> None:
        if self._host is None:
            return
        try:
            data = self._host.recv(_PIECE)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if data:
            self.received(data)
        else:
            self._drop()

    def _drop(self) -> None:
        if self._host is not None:
            asyncio.get_running_loop().remove_reader(self._host)
            self._host.close()
            self._host = None
