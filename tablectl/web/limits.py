"""How much one address may ask, and what slows guessing down. Times are seconds of the event loop."""

from __future__ import annotations

import asyncio
import ipaddress
from collections import OrderedDict
from typing import Final

#: addresses remembered; the one unheard of for longest is forgotten first
MAX_ADDRESSES: Final = 4096
#: wrong words from one address before it has to wait, and how long
MAX_WRONG: Final = 5
WRONG_SECONDS: Final = 60.0


class Rates:
    """A bucket of tokens for each address: ``burst`` at once, ``per_second`` on average."""

    def __init__(self, per_second: float, burst: float) -> None:
        self._per_second = per_second
        self._burst = burst
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, address: str) -> bool:
        """Whether one more is within the rate."""
        now = _now()
        left, at = self._left.pop(address, (self._burst, now))
        left = min(self._burst, left + (now - at) * self._per_second)
        allowed = left >= 1
        self._left[address] = (left - 1 if allowed else left, now)
        while len(self._left) > MAX_ADDRESSES:
            self._left.popitem(last=False)
        return allowed


class Guesses:
    """Wrong words by address."""

    def __init__(self) -> None:
        self._wrong: OrderedDict[str, list[float]] = OrderedDict()

    def too_many(self, address: str) -> bool:
        """Whether too many wrong words came from ``address`` lately."""
        return len(self._lately(address)) >= MAX_WRONG

    def note(self, address: str) -> None:
        """One more wrong word."""
        self._wrong[address] = [*self._lately(address), _now()]
        self._wrong.move_to_end(address)
        while len(self._wrong) > MAX_ADDRESSES:
            self._wrong.popitem(last=False)

    def _lately(self, address: str) -> list[float]:
        return [at for at in self._wrong.get(address, ()) if _now() - at < WRONG_SECONDS]


def network(address: str) -> str:
    """Who counts as one: an IPv4 address; of IPv6 the first 64 bits, which one machine has as a whole."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv4Address):
        return address
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(ipaddress.ip_network((found, 64), strict=False))


def _now() -> float:
    return asyncio.get_running_loop().time()
