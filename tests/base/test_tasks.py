"""No task that works beside the others ends unnoticed."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tablectl.base.tasks import beside


async def test_what_a_task_fails_of_is_told_at_once() -> None:
    told: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda loop, context: told.append(context))

    async def fails() -> None:
        raise ZeroDivisionError("nobody expected this")

    task = beside(fails(), "inputs")
    await asyncio.wait([task])
    await asyncio.sleep(0)
    (context,) = told
    assert isinstance(context["exception"], ZeroDivisionError)
    assert "handle" in context  # as an exception in a callback: the core ends


async def test_an_end_and_a_cancelled_task_are_nothing_to_tell() -> None:
    told: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda loop, context: told.append(context))

    async def ends() -> None: ...

    await beside(ends(), "short")
    task = beside(asyncio.Event().wait(), "long")  # type: ignore[arg-type]
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await asyncio.sleep(0)
    assert told == []
