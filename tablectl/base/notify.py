"""Telling systemd how the program is: `sd_notify` in a few lines (sd_notify(3), ``WatchdogSec=`` of a unit)."""

from __future__ import annotations

import os
import socket
from typing import Final

#: so many signs of life in the time after which systemd gives up
SIGNS: Final = 3


def notify(**fields: object) -> bool:
    """Send ``READY=1``, ``STATUS=…``, ``WATCHDOG=1`` …; False where nobody listens (started by hand), or where who does
    has fallen behind: a table never waits for that."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if not address:
        return False
    text = "\n".join(f"{name}={value}" for name, value in fields.items())
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC | socket.SOCK_NONBLOCK) as line:
            line.connect("\0" + address[1:] if address[0] == "@" else address)
            line.send(text.encode())
    except OSError:
        return False
    return True


def sign_seconds() -> float | None:
    """How often a sign of life is due; None where nobody waits for it."""
    microseconds, pid = os.environ.get("WATCHDOG_USEC", ""), os.environ.get("WATCHDOG_PID", "")
    if not microseconds.isdecimal() or (pid and pid != str(os.getpid())):
        return None
    return int(microseconds) / 1e6 / SIGNS
