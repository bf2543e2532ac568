"""A serial line on the event loop: pyserial opens and sets it up, the loop reads and writes the descriptor.

A port is a device file (``/dev/tablectl/reader-east``, a pty) or ``socket://host:port`` for a reader in the network.
There is no thread, nothing blocks, and bytes leave in the order in which they were written.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import fcntl
import grp
import os
import socket
import termios
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import serial

from tablectl.base.clock import Clock
from tablectl.base.faults import DeviceError
from tablectl.documents import nearest

#: Seconds in which a reader in the network must take the connection.
CONNECT_SECONDS: Final = 3.0
#: Pieces that are kept while nobody reads; of more, the oldest are given up.
MOST_CHUNKS: Final = 4096
SCHEME: Final = "socket://"

_PIECE: Final = 4096
_PLUG: Final = "Check cable, plug and power; it is opened again by itself."


@dataclass(frozen=True, slots=True)
class LineSettings:
    """How a line is opened. ``dtr``, ``rts``: level of these two wires from the moment it is open (on some boards they
    are wired to reset); ``baud`` does not matter for ``socket://``."""

    port: str
    baud: int = 115_200
    dtr: bool = True
    rts: bool = True


@dataclass(frozen=True, slots=True)
class Chunk:
    """Bytes that came in one piece, and when (seconds, as `Clock`)."""

    t: float
    data: bytes


class SerialLine:
    """One line, opened for ``device`` (its name in errors)."""

    def __init__(self, device: str, settings: LineSettings, clock: Clock) -> None:
        self.settings = settings
        self._device = device
        self._clock = clock
        self._port: serial.Serial | socket.socket | None = None
        self._fd = -1
        self._chunks: deque[Chunk] = deque(maxlen=MOST_CHUNKS)
        self._arrived = asyncio.Event()
        self._unsent = bytearray()
        self._lost: DeviceError | None = None

    # --- life

    async def open(self) -> None:
        """Raises DeviceError: not there, busy, no permission, no serial port, nobody takes the connection."""
        await self.close()
        if self.settings.port.startswith(SCHEME):
            self._port = await self._connect()
        else:
            self._port = self._open_serial()
        self._fd = self._port.fileno()
        self._lost = None
        self._chunks.clear()
        self._arrived.clear()
        asyncio.get_running_loop().add_reader(self._fd, self._readable)

    async def close(self) -> None:
        """Give the port back; what was not sent is lost. Closing twice is no fault."""
        self._release()
        self._lost = self._error("is not open")

    def _open_serial(self) -> serial.Serial:
        settings = self.settings
        port = serial.Serial()
        port.port = settings.port
        port.timeout = port.write_timeout = 0
        port.exclusive = True
        port.dtr, port.rts = settings.dtr, settings.rts
        try:
            port.baudrate = settings.baud
            port.open()
            # The lock of pyserial binds only who asks for it; this one binds everybody.
            fcntl.ioctl(port.fileno(), termios.TIOCEXCL)
        except (OSError, termios.error, ValueError) as error:
            port.close()
            raise self._refused(error) from None
        return port

    async def _connect(self) -> socket.socket:
        parts = urlsplit(self.settings.port)
        expected = "socket://host:port, e.g. socket://192.168.1.50:10001"
        try:
            host, number = parts.hostname, parts.port
        except ValueError:
            host = number = None
        if not host or not number:
            raise self._error("is no address", expected, "Correct the key port.")
        try:
            sock = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
        except OSError as error:  # the service has no network (docs/readers.md)
            raise self._error(
                _reason(error), "a network for this program", "Give the service one: sudo systemctl edit tablectl."
            ) from None
        sock.setblocking(False)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                await asyncio.get_running_loop().sock_connect(sock, (host, number))
        except BaseException as error:
            sock.close()
            if not isinstance(error, OSError):
                raise
            what = "nobody takes the connection" if isinstance(error, TimeoutError) else _reason(error)
            raise self._error(
                what, "a reader that listens there", "Check network cable, address and power of the reader."
            ) from None
        return sock

    def _release(self) -> None:
        """Close the descriptor first: a device that was unplugged comes back under its name only then."""
        port, self._port = self._port, None
        if port is None:
            return
        loop = asyncio.get_running_loop()
        loop.remove_reader(self._fd)
        loop.remove_writer(self._fd)
        self._unsent.clear()
        if isinstance(port, serial.Serial):
            with contextlib.suppress(OSError, termios.error):
                fcntl.ioctl(self._fd, termios.TIOCNXCL)
        with contextlib.suppress(OSError, termios.error):
            port.close()

    # --- in and out

    async def read(self) -> Chunk:
        """The next bytes. Raises DeviceError: the line is lost, or not open."""
        while not self._chunks:
            if self._lost is not None:
                raise self._lost
            self._arrived.clear()
            await self._arrived.wait()
        return self._chunks.popleft()

    def waiting(self) -> Iterator[Chunk]:
        """What has come and was not read yet."""
        while self._chunks:
            yield self._chunks.popleft()

    def write(self, data: bytes) -> None:
        """Send ``data`` after everything written before. Raises DeviceError: the line is lost, or not open."""
        if self._lost is not None:
            raise self._lost
        idle = not self._unsent
        self._unsent += data
        if idle:
            self._writable()

    def _readable(self) -> None:
        try:
            data = os.read(self._fd, _PIECE)
        except (BlockingIOError, InterruptedError):
            return
        except OSError as error:
            self._lose(_reason(error))
            return
        if not data:
            self._lose("returned no data: it was unplugged, or another program reads from it")
            return
        self._chunks.append(Chunk(self._clock.now(), data))
        self._arrived.set()

    def _writable(self) -> None:
        loop = asyncio.get_running_loop()
        try:
            sent = os.write(self._fd, self._unsent)
        except (BlockingIOError, InterruptedError):
            sent = 0
        except OSError as error:
            self._lose(_reason(error))
            return
        del self._unsent[:sent]
        if self._unsent:
            loop.add_writer(self._fd, self._writable)
        else:
            loop.remove_writer(self._fd)

    def _lose(self, what: str) -> None:
        self._release()
        self._lost = self._error(what, "an open line", _PLUG)
        self._arrived.set()

    # --- words

    def _error(self, what: str, expected: str = "", next_step: str = "") -> DeviceError:
        return DeviceError(self._device, self.settings.port, what, expected, next_step)

    def _refused(self, error: Exception) -> DeviceError:
        """Why the port could not be opened, and what a person does now."""
        path = Path(self.settings.port)
        code = error.errno if isinstance(error, OSError) else error.args[0] if error.args else None
        if code == errno.ENOENT:
            return self._error("is not there", "the port of a reader", _what_is_there(path))
        if code in (errno.EAGAIN, errno.EBUSY):
            return self._error("is busy", "a port nobody else uses", _holder(path))
        if code == errno.EACCES:
            return self._error("may not be opened", "read and write permission", _group(path))
        if isinstance(error, ValueError):
            return self._error(f"does not take {self.settings.baud} baud", "a baud rate of the port", "Correct baud.")
        if code == errno.ENOTTY or "configure port" in str(error):
            return self._error("is no serial port", "a serial port", "Correct the key port.")
        return self._error(_reason(error), "an open port", _PLUG)


def _reason(error: Exception) -> str:
    code = getattr(error, "errno", None)
    return os.strerror(code).lower() if code else str(error)


def _what_is_there(path: Path) -> str:
    """The ports that are there, instead of the missing one."""
    names = [str(p) for pattern in ("tablectl/*", "ttyUSB*", "ttyACM*", "ttyAMA*") for p in Path("/dev").glob(pattern)]
    if not names:
        return "Plug it in: there is no serial port at all."
    return f"Plug it in, or correct the key port; there are {', '.join(sorted(names))}{nearest(str(path), names)}"


def _holder(path: Path) -> str:
    """Which program holds the port, as far as this user may see."""
    device = path.resolve()
    for link in Path("/proc").glob("[0-9]*/fd/*"):
        with contextlib.suppress(OSError):
            process = link.parents[1]
            if link.readlink() == device and process.name != str(os.getpid()):
                command = (process / "comm").read_text().strip()
                return f"End {command} (process {process.name}), which holds it."
    return "End the program that holds it (a second tablectl, a terminal program)."


def _group(path: Path) -> str:
    """Which group may open the port."""
    try:
        group = grp.getgrgid(path.stat().st_gid).gr_name
    except (OSError, KeyError):
        group = "dialout"
    return f"Only the group {group} may: sudo usermod -aG {group} $USER, then log in again."
