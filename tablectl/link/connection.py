"""One client of the link: what it may cost the core, and how it is written to."""

from __future__ import annotations

import asyncio
import logging
import socket
import struct
from dataclasses import dataclass
from typing import Any

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Limits:
    """What a client may cost the core."""

    clients: int = 32
    line_bytes: int = 64 * 1024
    #: requests a second, on average and in one burst
    requests_per_second: float = 100
    burst: int = 200
    #: requests refused for their rate, those that were granted taken off, after which a client is sent away
    refusals: int = 500
    #: requests of one client that wait for their answer at a time
    in_flight: int = 16
    #: bytes a client may leave unread before it is dropped
    unread_bytes: int = 1024 * 1024


class Client:
    """One connection, as handlers see it. ``peer`` names the process at the other end, e.g. ``pid 812 uid 1000``."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, limits: Limits) -> None:
        self.reader = reader
        self._writer = writer
        self._limits = limits
        self.peer = _peer(writer.get_extra_info("socket"))
        self.calls: set[asyncio.Task[None]] = set()
        self._tokens: float = limits.burst
        self._refused = 0
        self._refilled = asyncio.get_running_loop().time()

    def send(self, line: bytes) -> None:
        """Hand ``line`` to the kernel without waiting; a client that does not read is dropped."""
        transport = self._writer.transport
        if transport.is_closing():
            return
        self._writer.write(line)
        if transport.get_write_buffer_size() > self._limits.unread_bytes:
            log.warning("link client %s does not read what it asked for: dropped", self.peer)
            transport.abort()

    def take_token(self) -> bool:
        """Whether one more request is within the rate. Who goes on and on beyond it is sent away."""
        now = asyncio.get_running_loop().time()
        gained = (now - self._refilled) * self._limits.requests_per_second
        self._tokens, self._refilled = min(self._limits.burst, self._tokens + gained), now
        if self._tokens < 1:
            self._refused += 1
            if self._refused > self._limits.refusals:
                log.warning("link client %s asks without end: dropped", self.peer)
                self._writer.transport.abort()
            return False
        self._tokens -= 1
        self._refused = max(0, self._refused - 1)
        return True

    def abort(self) -> None:
        self._writer.transport.abort()

    async def close(self) -> None:
        """End the calls in flight and close once what was sent has left."""
        for call in tuple(self.calls):
            call.cancel()
        self._writer.close()
        try:
            await self._writer.wait_closed()
        except OSError:
            log.debug("link client %s was already gone", self.peer)


def _peer(sock: Any) -> str:
    if sock is None or not hasattr(socket, "SO_PEERCRED"):
        return "unknown process"
    pid, uid, _gid = struct.unpack("3i", sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
    return f"pid {pid} uid {uid}"
