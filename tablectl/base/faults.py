"""Faults: the catalogue of what can go wrong, and the latch that makes outputs safe and holds until a person clears it.

Codes follow the repair texts of the trade (L dome, W trays, D drum, C counts, H heads, K chain, Z dice, S sensors) and
add R readers, X tile sets, V displays and voice, J records, B boards, P power, O outputs, E safety. The catalogue is
``faults.yaml`` beside this file.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from importlib import resources
from typing import Any, Final

from tablectl.base.bus import Bus
from tablectl.base.clock import Clock
from tablectl.refusals import Refusal, Refused

log = logging.getLogger(__name__)

LANGUAGES: Final = ("zh", "en")
#: Who can clear a fault at all; the catalogue says for each kind who may.
ROLES: Final = ("player", "operator", "referee", "technician")
#: Who else clears, as one of them: an administrator of the page, whoever has the command line of the table.
CLEARS_AS: Final = {"admin": "operator", "ctl": "technician"}
#: Seconds after which a safe-off handler that has not finished is a fault of its own.
SAFE_OFF_LIMIT_S: Final = 1.0


class DeviceError(Exception):
    """A device does not do what it should.

    Args:
        device: its name in the configuration (``reader.east``).
        port: where it is connected (``/dev/ttyUSB0``, ``i2c 1:0x3c``, a pin); "" where it has none.
        what: what happened.
        expected: what should have happened.
        next_step: what a person does now.
    """

    def __init__(self, device: str, port: str, what: str, expected: str = "", next_step: str = "") -> None:
        self.device = device
        self.port = port
        self.what = what
        self.expected = expected
        self.next_step = next_step
        place = f"{device} on {port}" if port else device
        text = f"{place}: {what}" + (f"; expected {expected}" if expected else "")
        super().__init__(text + (f". {next_step}" if next_step else ""))


class Severity(StrEnum):
    """``warn``: play goes on. ``stop``: outputs safe, nothing moves until a person clears it."""

    WARN = "warn"
    STOP = "stop"


@dataclass(frozen=True, slots=True)
class FaultText:
    """A fault in words of one language: what a display or page shows."""

    code: str
    title: str
    causes: tuple[str, ...]
    next_step: str
    where: str = ""
    detail: str = ""

    @property
    def cause(self) -> str:
        """The usual causes in one line."""
        return "; ".join(self.causes)


@dataclass(frozen=True, slots=True)
class FaultKind:
    """An entry of the catalogue. ``recovers``: it may end by itself; never true with `Severity.STOP`."""

    code: str
    severity: Severity
    raised_as: tuple[str, ...]
    clear_by: frozenset[str]
    recovers: bool
    texts: Mapping[str, FaultText]


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault that stands. ``t``, ``wall``: when it was raised (seconds, as `Clock`)."""

    kind: FaultKind
    where: str
    detail: str
    t: float
    wall: float

    @property
    def code(self) -> str:
        return self.kind.code

    @property
    def severity(self) -> Severity:
        return self.kind.severity

    def text(self, language: str) -> FaultText:
        """In ``language`` (``zh``, ``en``)."""
        text = self.kind.texts[language]
        next_step = text.next_step.format(where=self.where, detail=self.detail)
        return replace(text, next_step=next_step, where=self.where, detail=self.detail)


@dataclass(frozen=True, slots=True)
class FaultRaised:
    """On the bus: a fault was latched; outputs are safe, or on their way."""

    fault: Fault


@dataclass(frozen=True, slots=True)
class FaultCleared:
    """On the bus: a fault does not stand any more. ``by``: who cleared it, ``""`` where it ended by itself."""

    fault: Fault
    by: str


def clearing_roles(kind: FaultKind) -> list[str]:
    """Who may clear faults of this kind, under every name that `FaultLatch.clear` knows him by."""
    roles = [role for role in ROLES if role in kind.clear_by]
    return [*roles, *(name for name, role in CLEARS_AS.items() if role in roles)]


class ClearRefused(Refused):
    """A fault cannot be cleared (by this person, or now); it says why."""


@cache
def catalogue() -> Mapping[str, FaultKind]:
    """All kinds of fault, by code."""
    import yaml  # only where faults are spoken of

    text = resources.files("tablectl.base").joinpath("faults.yaml").read_text(encoding="utf-8")
    data = yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    return {code: _kind(code, entry) for code, entry in data.items()}


def _kind(code: str, entry: Mapping[str, Any]) -> FaultKind:
    return FaultKind(
        code=code,
        severity=Severity(entry["severity"]),
        raised_as=tuple(entry["raised_as"]),
        clear_by=frozenset(entry["clear_by"]),
        recovers=entry.get("recovers", False),
        texts={
            language: FaultText(code, text["title"], tuple(text["causes"]), text["next"])
            for language, text in ((language, entry[language]) for language in LANGUAGES)
        },
    )


@cache
def _by_cause() -> Mapping[str, FaultKind]:
    return {name: kind for kind in catalogue().values() for name in kind.raised_as}


def kind_of(cause: str, where: str = "") -> FaultKind:
    """The kind of fault that ``cause`` is at ``where``: a code (``H02``), or a cause in words whose code depends on the
    part it happens to (``jam`` at ``head.2``).

    Raises:
        KeyError: the catalogue has no such fault. That is a mistake in the program, not at the table.
    """
    part = where.partition(".")[0]
    kind = catalogue().get(cause) or _by_cause().get(f"{cause}@{part}") or _by_cause().get(cause)
    if kind is None:
        raise KeyError(f"fault {cause!r} at {where!r} is not in tablectl/base/faults.yaml")
    return kind


SafeOff = Callable[[], Awaitable[None] | None]
Running = tuple[SafeOff, "asyncio.Future[None]"]


class FaultLatch:
    """Latches faults, makes outputs safe, and keeps what stands until a person clears it."""

    def __init__(self, bus: Bus, clock: Clock) -> None:
        self._bus = bus
        self._clock = clock
        self._active: dict[tuple[str, str], Fault] = {}
        self._safe_off: list[SafeOff] = []
        self._obstacles: list[Callable[[Fault], Refusal | None]] = []
        self._finishing: set[asyncio.Task[None]] = set()

    # --- who takes part

    def add_safe_off(self, handler: SafeOff) -> None:
        """Call ``handler`` at every fault that stops. It brings outputs to their safe value, as often as it is called;
        it may be a coroutine function, then all of them run at once."""
        self._safe_off.append(handler)

    def add_obstacle(self, obstacle: Callable[[Fault], Refusal | None]) -> None:
        """Ask ``obstacle`` before a fault is cleared: why that is not possible yet (the emergency stop is still
        pressed), or None."""
        self._obstacles.append(obstacle)

    # --- what stands

    @property
    def active(self) -> tuple[Fault, ...]:
        """The faults that stand, oldest first."""
        return tuple(self._active.values())

    @property
    def stopped(self) -> bool:
        """True while a fault stands that stops the table: nothing may move."""
        return any(fault.severity is Severity.STOP for fault in self._active.values())

    # --- raising

    def raise_fault(self, code: str, where: str = "", detail: str = "") -> Fault:
        """Latch a fault; where it stops the table, make outputs safe first. Where it stands already, nothing happens.

        Args:
            code: a code of the catalogue, or a cause (see `kind_of`).
            where: the part (``dome``, ``head.2``); the same fault may stand at several.
            detail: what was seen, in words.

        Raises:
            KeyError: the catalogue has no such fault.
            ExceptionGroup: subscribers of the bus failed; the fault is latched and outputs were made safe all the same.
        """
        kind = kind_of(code, where)
        standing = self._active.get((kind.code, where))
        if standing is not None:
            return standing
        fault = self._latch(kind, where, detail)
        running, failed = self._make_safe() if kind.severity is Severity.STOP else ([], [])
        if running:
            finishing = asyncio.get_running_loop().create_task(self._finish(running), name=f"fault {kind.code}")
            self._finishing.add(finishing)
            finishing.add_done_callback(self._finishing.discard)
        self._tell([FaultRaised(fault), *failed])
        return fault

    async def settled(self) -> None:
        """Wait until all safe-off handlers that were started have ended (or were given up)."""
        while self._finishing:
            await asyncio.wait(self._finishing)

    def _latch(self, kind: FaultKind, where: str, detail: str) -> Fault:
        fault = Fault(kind, where, detail, self._clock.now(), self._clock.wall())
        self._active[kind.code, where] = fault
        log.log(logging.ERROR if kind.severity is Severity.STOP else logging.WARNING, "%s", in_words(fault))
        return fault

    def _make_safe(self) -> tuple[list[Running], list[FaultRaised]]:
        """Call every handler, whatever the others do; those that are coroutines go on in tasks."""
        running: list[Running] = []
        failed: list[FaultRaised] = []
        for handler in self._safe_off:
            try:
                rest = handler()
                if rest is not None:
                    running.append((handler, asyncio.ensure_future(_awaited(rest))))
            except Exception as error:  # the next handler must run
                failed += self._failed(handler, repr(error))
        return running, failed

    async def _finish(self, running: list[Running]) -> None:
        failed: list[FaultRaised] = []
        await asyncio.wait([task for _, task in running], timeout=SAFE_OFF_LIMIT_S)
        for handler, task in running:
            if not task.done():
                task.cancel()
                failed += self._failed(handler, f"not finished within {SAFE_OFF_LIMIT_S:g} s")
            elif not task.cancelled() and task.exception() is not None:
                failed += self._failed(handler, repr(task.exception()))
        self._tell(failed)

    def _failed(self, handler: SafeOff, why: str) -> list[FaultRaised]:
        """A safe-off handler failed: a fault of its own, without calling the handlers again."""
        name = getattr(handler, "__qualname__", repr(handler))
        if ("E04", name) in self._active:
            return []
        return [FaultRaised(self._latch(kind_of("E04"), name, why))]

    def _tell(self, news: Sequence[object]) -> None:
        """Publish everything, also where a subscriber fails; then raise what subscribers raised."""
        errors: list[Exception] = []
        for item in news:
            try:
                self._bus.publish(item)
            except ExceptionGroup as error:
                errors.append(error)
        if errors:
            raise ExceptionGroup("subscribers failed while faults were published", errors)

    # --- clearing

    def clear(self, code: str, by: str, where: str | None = None) -> tuple[Fault, ...]:
        """End a fault (at ``where``, or wherever it stands). ``by``: who: ``role``, ``role:name``, ``role@address``.

        Raises:
            ClearRefused: it does not stand, this role may not clear it, or its cause is still there.
        """
        found = [f for f in self._active.values() if f.code == code and where in (None, f.where)]
        if not found:
            standing = ", ".join(sorted({f.code for f in self._active.values()})) or Refusal("fault_none")
            raise ClearRefused(Refusal("fault_does_not_stand", code=code, standing=standing))
        role = re.split("[:@]", by, maxsplit=1)[0]
        for fault in found:
            if role not in clearing_roles(fault.kind):
                allowed = [_named(r) for r in ROLES if r in fault.kind.clear_by]
                raise ClearRefused(Refusal("fault_not_by", code=code, allowed=allowed, role=_named(role)))
            for obstacle in self._obstacles:
                if (why := obstacle(fault)) is not None:
                    raise ClearRefused(Refusal("fault_not_yet", code=code, why=why))
        for fault in found:
            self._end(fault, by)
        return tuple(found)

    def recover(self, code: str, where: str = "") -> None:
        """The cause of a warning is gone (a reader answers again): the fault ends by itself, if it stands.

        Raises:
            ValueError: this kind never ends by itself.
        """
        kind = kind_of(code, where)
        if not kind.recovers:
            raise ValueError(f"{kind.code} never ends by itself: a person has to clear it")
        if (fault := self._active.get((kind.code, where))) is not None:
            self._end(fault, "")

    def _end(self, fault: Fault, by: str) -> None:
        del self._active[fault.code, fault.where]
        log.info("%s at %s ended, cleared by %s", fault.code, fault.where or "the table", by or "nobody: it recovered")
        self._bus.publish(FaultCleared(fault, by))


def _named(role: str) -> Refusal:
    return Refusal(f"role.{role or 'nobody'}") if role in ("", *ROLES) else Refusal("words", text=role)


async def _awaited(rest: Awaitable[None]) -> None:
    await rest


def in_words(fault: Fault, language: str = "en") -> str:
    """A fault in one line for a log or a terminal."""
    text = fault.text(language)
    place = f" at {text.where}" if text.where else ""
    seen = f": {text.detail}" if text.detail else ""
    return f"{text.code}{place}: {text.title}{seen}. Usual causes: {text.cause}. Next: {text.next_step}"
