"""Tasks that work beside everything else: none of them ends unnoticed."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any


def beside(work: Coroutine[Any, Any, None], name: str) -> asyncio.Task[None]:
    """Begin ``work``. What it fails of reaches the exception handler of the loop at once (the core makes a fault of it
    and ends the program), not when somebody happens to await the task."""
    task = asyncio.get_running_loop().create_task(work, name=name)
    task.add_done_callback(_tell)
    return task


def _tell(task: asyncio.Task[None]) -> None:
    error = None if task.cancelled() else task.exception()
    if error is not None:
        raise error
