"""The self test: every mechanism is driven one by one, within its limits and interlocks, and what it does is looked at.

It asks before something moves and where only a person can see it. It uses the outputs of the table with limits and
interlocks, so that nothing can move here that could not move in play.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from typing import Final, Literal

from tablectl.base.clock import Clock
from tablectl.base.faults import DeviceError
from tablectl.machine.description import SIDES, MachineSpec, Travel
from tablectl.machine.outputs import Outputs, Refused
from tablectl.machine.sensors import Sensors
from tablectl.ports import Dice, Input, Lane, Output, TileReader

#: seconds that a motor without stops runs
RUN_SECONDS: Final = 2.0
#: seconds to press both keys
KEY_SECONDS: Final = 30.0
#: seconds for a reader to tell of its zones
READER_SECONDS: Final = 5.0

LIFT_KEYS: Final = ("lift_key.0", "lift_key.1")
SEEN: Final = "Did it turn?"


@dataclass(frozen=True, slots=True)
class Result:
    """What came of one step. ``seconds``: how long a movement took, where that was measured."""

    name: str
    state: Literal["fine", "wrong", "skipped"]
    what: str
    seconds: float | None = None


class SelfTest:
    """``async for result in test.run()``.

    ``ask`` is asked before something moves and after it moved, and lets the event loop go on meanwhile: a real table's
    motors have no supply while it stands still. ``tell`` tells what to do now; ``press_both`` presses
    both lift keys where nobody is there to do it (a simulated table).
    """

    def __init__(
        self,
        outputs: Mapping[str, Output],
        inputs: Mapping[str, Input],
        spec: MachineSpec,
        clock: Clock,
        ask: Callable[[str], Awaitable[bool]],
        tell: Callable[[str], object],
        press_both: Callable[[], Awaitable[object]] | None = None,
    ) -> None:
        self._spec = spec
        self._clock = clock
        self._ask = ask
        self._tell = tell
        self._press_both = press_both
        self._sensors = Sensors({name: inputs[name] for name in spec.input_names()})
        self._cut: list[str] = []
        self._outputs = Outputs(outputs, spec, self._sensors, lambda code, where, why: self._cut.append(why))

    async def run(self) -> AsyncGenerator[Result, None]:
        """Every step in turn. Whatever happens, all outputs are switched off afterwards; where that failed, the last
        result says so."""
        await self._sensors.start()
        unsafe: list[str] = []
        try:
            await self._outputs.safe_off()
            yield self._levels()
            yield await self._keys_and_lamp()
            async for result in self._travels():
                yield result
            async for result in self._runners():
                yield result
        finally:
            try:
                await self._outputs.close()
            except* DeviceError as failed:
                unsafe += map(str, failed.exceptions)
            await self._sensors.stop()
        if unsafe:
            yield Result("outputs", "wrong", "; ".join(unsafe) + " Switch the table's power off.")

    # --- steps

    def _levels(self) -> Result:
        on = [name for name in self._spec.input_names() if self._sensors[name]]
        return Result("inputs", "fine", f"on: {', '.join(on) or 'none'}")

    async def _keys_and_lamp(self) -> Result:
        """The ready lamp is lit while both lift keys are held."""
        name = "keys and lamp"
        self._tell("Press and hold both lift keys: the ready lamp lights.")
        pressing = asyncio.ensure_future(self._press_both()) if self._press_both is not None else None
        held = await self._sensors.until(lambda: all(self._sensors[key] for key in LIFT_KEYS), KEY_SECONDS)
        if pressing is not None:
            await pressing
        if not held:
            silent = [key for key in LIFT_KEYS if not self._sensors[key]]
            return Result(name, "wrong", f"{' and '.join(silent)} not seen within {KEY_SECONDS:g} s")
        await self._outputs.set("ready_lamp", True)
        lit = await self._ask("Is the ready lamp lit?")
        await self._outputs.set("ready_lamp", False)
        return Result(name, "fine" if lit else "wrong", "lit" if lit else "the lamp is not lit")

    async def _travels(self) -> AsyncIterator[Result]:
        """Dome and trays go from stop to stop; their times are those to put into machine.yaml."""
        travel = self._spec.travel
        moves: list[tuple[str, str, str, str | None, Travel]] = [
            ("dome down", "dome_motor", "dome_down", "dome_up", travel.dome),
            ("dome up", "dome_motor", "dome_up", "dome_down", travel.dome),
            ("dome down again", "dome_motor", "dome_down", "dome_up", travel.dome),
            *((f"tray.{n}", f"tray_motor.{n}", f"tray_home.{n}", None, travel.tray) for n in SIDES),
        ]
        for name, motor, target, origin, limits in moves:
            if origin is not None and self._sensors[target]:
                yield Result(name, "fine", f"at {target} already")
            elif not await self._ask(f"{name}: hands away from the table. Go on?"):
                yield Result(name, "skipped", "not wanted")
            else:
                yield await self._travel(name, motor, target, origin, limits)

    async def _travel(self, name: str, motor: str, target: str, origin: str | None, limits: Travel) -> Result:
        """One movement to ``target``, from ``origin`` (None: once round, from the target itself). No sensor is done
        without here: to find the blind ones is what the test is for."""
        stands_on = target if origin is None else origin
        begin = self._clock.now()
        wrong = ""
        try:
            await self._outputs.set(motor, True)
            if not await self._sensors.until(lambda: not self._sensors[stands_on], limits.leave_seconds):
                wrong = f"{stands_on} is still on after {limits.leave_seconds:g} s: motor dead, or sensor stuck"
            elif not await self._sensors.until(lambda: self._sensors[target], limits.hard_seconds):
                wrong = f"{target} was not seen within {limits.hard_seconds:g} s: held on its way, or sensor blind"
            await self._outputs.set(motor, False)
        except (Refused, DeviceError) as error:
            wrong = str(error)
        if wrong or self._cut:
            return Result(name, "wrong", "; ".join(filter(None, [wrong, *self._taken()])))
        took = self._clock.now() - begin
        return Result(name, "fine", f"{took:.2f} s", took)

    def _taken(self) -> list[str]:
        """Why outputs were cut since the last look: an interlock, or too long on."""
        cut, self._cut = self._cut, []
        return cut

    async def _runners(self) -> AsyncIterator[Result]:
        """Disc, ring, belts and heads run for a moment; a person sees whether they turn."""
        stopping = {"dome_motor", "ready_lamp", *(f"tray_motor.{n}" for n in SIDES)}
        for name, _ in self._spec.output_names():
            if name in stopping:
                continue
            if not await self._ask(f"{name}: runs for {RUN_SECONDS:g} s. Go on?"):
                yield Result(name, "skipped", "not wanted")
                continue
            try:
                await self._outputs.set(name, True)
                await self._clock.sleep(RUN_SECONDS)
                await self._outputs.set(name, False)
            except (Refused, DeviceError) as error:
                yield Result(name, "wrong", str(error))
                continue
            if self._cut:
                yield Result(name, "wrong", "; ".join(self._taken()))
            else:
                turned = await self._ask(SEEN)
                yield Result(name, "fine" if turned else "wrong", "turns" if turned else "does not turn", None)


async def dice(dice: Dice) -> Result:
    """The dice fall; with real ones nobody has to enter them."""
    throwing = asyncio.ensure_future(dice.roll())
    try:
        while not throwing.done() and not getattr(dice, "waiting", False):
            await asyncio.wait([throwing], timeout=0.1)
        values = throwing.result() if throwing.done() else ()
    except DeviceError as error:
        return Result("dice", "wrong", str(error))
    finally:
        throwing.cancel()
        await asyncio.gather(throwing, return_exceptions=True)
    return Result("dice", "fine", " and ".join(map(str, values)) or "lie still")


async def lane(port: Lane) -> Result:
    """The reader of a lane says who it is; it is silent while nothing passes."""
    try:
        await port.open()
    except DeviceError as error:
        return Result(port.name, "wrong", str(error))
    finally:
        await port.close()
    return Result(port.name, "fine", f"answers ({port.backend})")


async def reader(port: TileReader) -> Result:
    """A reader tells of its zones within a few seconds: once round all of them."""
    name = f"reader {port.name}"
    found: dict[str, int] = {}
    try:
        await port.open()
        async with asyncio.timeout(READER_SECONDS), aclosing(port.inventories()) as inventories:  # type: ignore[type-var]
            async for reads in inventories:
                again = found.keys() & {read.zone for read in reads}
                found |= {read.zone: len(read.tags) for read in reads}
                if again or len(reads) > 1:
                    zones = ", ".join(f"{zone}: {tags}" for zone, tags in found.items())
                    return Result(name, "fine", f"tags by zone: {zones}")
    except DeviceError as error:
        return Result(name, "wrong", str(error))
    except TimeoutError:
        return Result(name, "wrong", f"nothing heard within {READER_SECONDS:g} s; check its antennas")
    finally:
        await port.close()
    return Result(name, "wrong", "stopped telling")
