"""How tests run: ``async def`` tests on the virtual loop, and no test leaves anything behind.

- An ``async def`` test runs in virtual time (`base.clock.VirtualLoop`) and fails when it leaks a task or a timer, when
  the loop reports an exception nobody caught, or when it takes more than a virtual day.
  ``@pytest.mark.virtual_limit(seconds)`` sets another limit; ``@pytest.mark.real_time`` runs it on an ordinary loop
  (a partner in another process).
- Every test fails when it leaks a thread or a socket.
- ``time.sleep`` called from the package or from a test raises.
"""

from __future__ import annotations

import asyncio
import functools
import gc
import inspect
import os
import sys
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest

from tablectl.base.clock import VirtualLoop, describe

# the same examples in every run, however busy the machine
hypothesis.settings.register_profile("table", derandomize=True, deadline=None, print_blob=True)
hypothesis.settings.load_profile("table")

TESTS = Path(__file__).parent
DAY_S = 86_400.0
#: Real seconds a thread may take to end after its test.
THREAD_GRACE_S = 1.0


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "virtual_limit(seconds): virtual seconds that an async test may take")
    config.addinivalue_line("markers", "real_time: an async test that runs on an ordinary event loop")
    _ban_sleep()


def pytest_collection() -> None:
    gc.disable()  # thousands of tests are made, none goes: looking for garbage took a third of the time


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files with tests that wait for other processes come first: at the end no worker is left alone with one."""
    waiting = {item.path for item in items if item.get_closest_marker("real_time")}
    items.sort(key=lambda item: item.path not in waiting)


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


def pytest_unconfigure(config: pytest.Config) -> None:
    browser = sys.modules.get("browser")
    if browser is not None:
        browser.SHARED.end()


def _ban_sleep() -> None:
    real_sleep = time.sleep

    def sleep(seconds: float) -> None:
        caller = sys._getframe(1)
        name = str(caller.f_globals.get("__name__", ""))
        if name.split(".")[0] == "tablectl" or caller.f_code.co_filename.startswith(str(TESTS)):
            raise AssertionError(
                f"{caller.f_code.co_filename}:{caller.f_lineno}: time.sleep; wait on the clock instead"
            )
        real_sleep(seconds)

    time.sleep = sleep


# --- async tests


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    run = functools.partial(_run, pyfuncitem)
    inner = getattr(getattr(pyfuncitem.obj, "hypothesis", None), "inner_test", None)
    if inspect.iscoroutinefunction(inner):
        pyfuncitem.obj.hypothesis.inner_test = _synchronous(inner, run)
        return None
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    names = pyfuncitem._fixtureinfo.argnames
    run(pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in names}))
    return True


def _synchronous(
    test: Callable[..., Coroutine[Any, Any, None]], run: Callable[[Coroutine[Any, Any, None]], None]
) -> Callable[..., None]:
    @functools.wraps(test)
    def call(*args: Any, **kwargs: Any) -> None:
        run(test(*args, **kwargs))

    return call


def _run(item: pytest.Function, test: Coroutine[Any, Any, None]) -> None:
    limit = item.get_closest_marker("virtual_limit")
    limit_s = float(limit.args[0]) if limit else DAY_S
    factory: Callable[[], asyncio.AbstractEventLoop] = functools.partial(VirtualLoop, limit_s=limit_s)
    if item.get_closest_marker("real_time"):
        factory = asyncio.new_event_loop
    with asyncio.Runner(loop_factory=factory) as runner:
        runner.run(_checked(test))


async def _checked(test: Coroutine[Any, Any, None]) -> None:
    """Run a test; then look for tasks, timers and exceptions that it left in the loop."""
    loop = asyncio.get_running_loop()
    uncaught: list[dict[str, Any]] = []
    loop.set_exception_handler(lambda _loop, context: uncaught.append(context))
    await test
    await asyncio.sleep(0)  # what was cancelled at the very end ends here
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    timers = [timer for timer in loop._scheduled if not timer.cancelled()]  # type: ignore[attr-defined]
    leaks = [f"task {describe(task)}" for task in tasks] + [f"timer {timer!r}" for timer in timers]
    for context in uncaught:
        leaks.append(f"exception nobody caught: {context.get('message')}: {context.get('exception')!r}")
    if leaks:
        pytest.fail("the test left behind:\n  " + "\n  ".join(leaks), pytrace=False)


# --- threads and sockets


@pytest.fixture(autouse=True)
def nothing_left_behind() -> Iterator[None]:
    """Fails a test after which threads or sockets remain that were not there before."""
    threads, sockets = set(threading.enumerate()), _open_sockets()
    yield
    left = [f"thread {thread.name}" for thread in _living(set(threading.enumerate()) - threads)]
    left += [f"{link} (descriptor {number})" for number, link in (_open_sockets() - sockets)]
    if left:
        pytest.fail("the test left behind:\n  " + "\n  ".join(left), pytrace=False)


def _living(threads: set[threading.Thread]) -> list[threading.Thread]:
    for thread in threads:
        thread.join(THREAD_GRACE_S)
    return [thread for thread in threads if thread.is_alive()]


def _open_sockets() -> set[tuple[str, str]]:
    found = set()
    for number in os.listdir("/proc/self/fd"):  # noqa: PTH208 - called twice a test: the cheap way
        try:
            link = os.readlink(f"/proc/self/fd/{number}")  # noqa: PTH115
        except OSError:
            continue
        if link.startswith("socket:"):
            found.add((number, link))
    return found
