"""``tablectl doctor``, ``selftest`` and ``safe-off``: for the technician, on the machine inside the table."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tablectl.commands.running import DEFAULT_CONFIG, STATE_DIR
from tablectl.commands.terminal import FOUND_WRONG, JsonOption, confirm, fail, print_json, say, tells_errors, warn

if TYPE_CHECKING:
    from tablectl.base.settings import Settings
    from tablectl.core.selftest import Result

Config = Annotated[Path, typer.Argument(help="The site's configuration (config/table.yaml shows every key).")]

_MARKS = {"fine": "ok     ", "warning": "warning", "wrong": "WRONG  ", "skipped": "skipped"}


# --- doctor


@tells_errors
def doctor(config: Config = DEFAULT_CONFIG, json: JsonOption = False) -> None:
    """What is wrong on this machine, and the command that mends it. Nothing is opened or changed."""
    from tablectl.base.clock import LoopClock
    from tablectl.core.doctor import examine, told

    found = list(examine(config, LoopClock()))
    if json:
        print_json([told(finding) for finding in found])
    else:
        for finding in found:
            say(f"{_MARKS[finding.state]} {finding.name}: {finding.what}")
            if finding.mend:
                say(f"          mend it with: {finding.mend}")
        wrong = sum(finding.state == "wrong" for finding in found)
        warnings = sum(finding.state == "warning" for finding in found)
        say(f"{wrong} wrong, {warnings} warnings")
    if any(finding.state == "wrong" for finding in found):
        raise typer.Exit(FOUND_WRONG)


# --- selftest


@tells_errors
def selftest(
    config: Config = DEFAULT_CONFIG,
    yes: Annotated[
        bool, typer.Option("--yes", help="Answer every question with yes: on the bench, nobody near.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Drive every mechanism one by one and look at what it does. Stop the table first: it holds the devices."""
    import asyncio

    from tablectl.base.faults import DeviceError
    from tablectl.core.backends import BackendError
    from tablectl.core.site import load_site

    settings = load_site(config).settings
    results: list[Result] = []
    try:
        asyncio.run(_selftest(settings, yes, json, results))
    except (BackendError, DeviceError) as error:
        fail(f"tablectl selftest: {error}", code=FOUND_WRONG)
    if json:
        print_json([asdict(result) for result in results])
    if any(result.state == "wrong" for result in results):
        raise typer.Exit(FOUND_WRONG)


async def _selftest(settings: Settings, yes: bool, json: bool, results: list[Result]) -> None:
    from contextlib import aclosing

    from tablectl.base.bus import Bus
    from tablectl.base.clock import LoopClock
    from tablectl.base.faults import FaultLatch
    from tablectl.core import selftest as test
    from tablectl.core.backends import backend
    from tablectl.machine.description import load_machine
    from tablectl.rules.registry import load as load_rules
    from tablectl.sim.backend import SimTable

    clock = LoopClock()
    rules = load_rules(settings.rules.id, settings.rules.options)
    devices = backend(settings, rules, 1, clock, sets={})  # no tile is named here
    press = (lambda: devices.press_lift(both=True)) if isinstance(devices, SimTable) else None

    async def ask(question: str) -> bool:
        return yes or await confirm(question)

    def took(result: Result) -> None:
        results.append(result)
        if not json:
            say(f"{_MARKS[result.state]} {result.name}: {result.what}")

    # As in play: an emergency stop, a lost board or a hang keeps the motors without supply for good.
    bus = Bus()
    faults = FaultLatch(bus, clock)
    devices.watch(bus, faults)
    await devices.open()
    try:
        spec = load_machine(settings.machine / "machine.yaml")
        steps = test.SelfTest(devices.outputs, devices.inputs, spec, clock, ask, warn, press)
        async with aclosing(steps.run()) as taken:
            async for result in taken:
                took(result)
                if faults.stopped:
                    took(test.Result("faults", "wrong", "motors have no supply: mend the fault above, and start again"))
                    return
        took(await test.dice(devices.dice))
        for port in devices.readers:
            took(await test.reader(port))
        for lane in devices.lanes:
            took(await test.lane(lane))
    finally:
        await devices.close()
        await faults.settled()


# --- safe-off


@tells_errors
def safe_off(
    config: Config = DEFAULT_CONFIG,
    state: Annotated[Path, typer.Option(help="Where the last configuration that worked is kept.")] = STATE_DIR,
    json: JsonOption = False,
) -> None:
    """Bring every output to its safe value, without the table's program: for systemd when that has ended."""
    import asyncio

    from tablectl.base.clock import LoopClock
    from tablectl.base.settings import load_or_last_good
    from tablectl.core.backends import BackendError, hardware

    settings, _ = load_or_last_good(config, state)
    if settings.backend != "hardware":
        _told(json, [], f"{config}: backend {settings.backend}, there is nothing to switch off")
        return
    try:
        table = hardware(settings, LoopClock(), sets={})
        errors = [str(error) for error in asyncio.run(table.safe_off())]
    except BackendError as error:
        fail(f"tablectl safe-off: {error}", code=FOUND_WRONG)
    _told(json, errors, f"{len(table.outputs)} outputs are safe")
    if errors:
        raise typer.Exit(FOUND_WRONG)


def _told(json: bool, errors: list[str], fine: str) -> None:
    if json:
        found: dict[str, Any] = {"safe": not errors, "errors": errors}
        print_json(found)
    elif errors:
        warn(*errors, "Outputs that could not be reached keep their state: switch the table's power off.")
    else:
        say(fine)
