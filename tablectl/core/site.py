"""A site's configuration, checked by every part that it concerns, and the parts it names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tablectl import documents
from tablectl.base.settings import Check, Settings, Source, load, load_or_last_good
from tablectl.documents import Problem, Problems

if TYPE_CHECKING:
    from tablectl.machine.description import MachineSpec
    from tablectl.rules.api import RuleSet


def _check_rules(source: Source) -> Iterator[Problem]:
    """The rule system and its options, at the lines where they stand."""
    from tablectl.rules.api import RulesError
    from tablectl.rules.registry import load, rule_class

    id_node = source.find("rules", "id")
    if id_node is None or not isinstance(id_node.value, str):
        return
    path = str(source.path)
    try:
        rule_class(id_node.value)
        load(id_node.value, source.options.plain() if isinstance(source.options.value, dict) else {})
    except RulesError as error:
        for problem in error.problems:
            name = problem.partition(":")[0].partition(".")[0]
            node = source.options.keys.get(name)
            if node is None:
                yield Problem(path, id_node.line, id_node.column, f"rules.id: {problem}")
            else:
                yield Problem(str(source.options_path), node.line, node.column, f"rules.options.{problem}")


def _check_web(source: Source) -> Iterator[Problem]:
    from tablectl.web.settings import WebSettings

    node = source.find("web")
    if node is not None:
        problems = Problems(str(source.path))
        documents.check(node, WebSettings, problems, "web")
        yield from problems.found


def _check_machine(source: Source) -> Iterator[Problem]:
    from tablectl.machine.description import MachineFileError, load_machine

    node = source.find("machine")
    if node is None or not isinstance(node.value, str):
        return
    folder = source.path.absolute().parent / node.value
    if not folder.is_dir():
        text = f"machine: {node.value!r} is no folder; expected a table model, e.g. ../hardware/reference-4port"
        yield Problem(str(source.path), node.line, node.column, text)
        return
    try:
        machine = load_machine(folder / "machine.yaml")
    except MachineFileError as error:
        yield from error.problems
        return
    backend = source.find("backend")
    if backend is not None and backend.value == "hardware":
        yield from _wiring_problems(source, folder, machine)


def _wiring_problems(source: Source, folder: Path, machine: MachineSpec) -> Iterator[Problem]:
    """What is wrong with the wiring of the table model, in its own files; displays on pins that it uses."""
    from tablectl.drivers.display_luma import header_pins
    from tablectl.drivers.hardware_files import load_wiring
    from tablectl.drivers.hardware_pins import GPIO

    try:
        wiring = load_wiring(folder, [name for name, _ in machine.output_names()], list(machine.input_names()))
    except documents.DocumentError as error:
        yield from error.problems
        return
    wired = {pin.number: name for _, _, name, pin in wiring.pins() if pin.chip == GPIO}
    displays = source.find("displays")
    for number, display in enumerate(displays.items() if displays is not None else ()):
        taken = [f"gpio.{pin} ({wired[pin]})" for pin in header_pins(display.plain()) if pin in wired]
        if taken:
            text = f"displays[{number}]: the table model has {', '.join(taken)} there; take this display out"
            yield Problem(str(source.path), display.line, display.column, text)


def _check_displays(source: Source) -> Iterator[Problem]:
    from tablectl.announce.render import check as size
    from tablectl.drivers.display_luma import check as driver

    yield from size(source)
    yield from driver(source)


def _check_sound(source: Source) -> Iterable[Problem]:
    from tablectl.announce.speech import check

    return check(source)


CHECKS: Final[tuple[Check, ...]] = (_check_rules, _check_web, _check_machine, _check_displays, _check_sound)


@dataclass(frozen=True, slots=True)
class Site:
    """A checked configuration. ``warning``: the file could not be used, so this is the last one that worked."""

    settings: Settings
    rules: RuleSet
    warning: str | None = None


def load_site(path: Path, state_dir: Path | None = None) -> Site:
    """The site of a configuration file; with ``state_dir`` the last one that worked where this one does not.

    Raises:
        SettingsError: everything that is wrong with it.
    """
    from tablectl.rules.registry import load as load_rules

    if state_dir is None:
        settings, warning = load(path, CHECKS), None
    else:
        settings, warning = load_or_last_good(path, state_dir, CHECKS)
    return Site(settings, load_rules(settings.rules.id, settings.rules.options), warning)
