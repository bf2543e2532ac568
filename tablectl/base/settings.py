"""The configuration of a site: one YAML file (``config/table.yaml`` shows every key), checked as a whole.

Every mistake is told at once with file, line, column and key. A table that was running keeps running: `remember` keeps
the last configuration that worked, `load_or_last_good` falls back to it and says so.

Options of the rules and the page's settings belong to other parts; those add their mistakes through ``checks``.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeVar

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer, Strict

from tablectl import documents
from tablectl.base.config_versions import newest, upgraded
from tablectl.documents import DocumentError, Node, Problem, Problems

Language = Literal["zh", "en"]

#: A configuration is a few kilobytes; what is larger is something else.
MAX_BYTES: Final = 256 * 1024
#: ``sun_path`` of a Unix socket address holds 108 bytes with its closing zero.
SOCKET_PATH_BYTES: Final = 107
LAST_GOOD: Final = "last-good.yaml"
MEMORY: Final = Path(":memory:")
#: Keys of a preset of ``config/rules``: its rule system, what people call it, the options that differ.
PRESET: Final = frozenset({"base", "name", "options"})


def _octal(value: object) -> object:
    """A file mode as people write it: ``0660``, ``660``, with quotes or without."""
    if not re.fullmatch(r"0?[0-7]{3}", str(value)) or isinstance(value, bool):
        raise ValueError(f"found {documents.shown(value)}, expected a file mode of three octal digits, e.g. 0660")
    return int(str(value), 8)


def _zone_name(value: object) -> object:
    from zoneinfo import ZoneInfo, available_timezones  # only while a configuration is read

    try:
        ZoneInfo(str(value))
    except (KeyError, ValueError, OSError) as error:
        hint = documents.nearest(value, available_timezones())
        raise ValueError(f"found {documents.shown(value)}, expected a time zone, e.g. Asia/Shanghai{hint}") from error
    return value


def _address(value: object) -> object:
    """An I²C address: ``0x3c`` or ``60``."""
    number = int(value, 16) if isinstance(value, str) and re.fullmatch(r"0x[0-9a-fA-F]{1,2}", value) else value
    if type(number) is not int or not 0x03 <= number <= 0x77:
        raise ValueError(f"found {documents.shown(value)}, expected an I²C address from 0x03 to 0x77")
    return number


def _hour(value: object) -> object:
    """A time of day: ``22:30``."""
    if not re.fullmatch(r"([01]?[0-9]|2[0-3]):[0-5][0-9]", str(value)):
        raise ValueError(f"found {documents.shown(value)}, expected a time of day from 00:00 to 23:59, e.g. 22:30")
    return str(value).zfill(5)


#: ``on`` and ``off``, as people write them
Switch = Annotated[bool, Strict(False)]
#: relative to the folder of the file it stands in
SitePath = Annotated[Path, Strict(False)]
FileMode = Annotated[int, BeforeValidator(_octal), PlainSerializer(lambda mode: f"{mode:04o}", str)]
Address = Annotated[int, BeforeValidator(_address)]
Hour = Annotated[str, BeforeValidator(_hour)]
TimeZone = Annotated[str, BeforeValidator(_zone_name)]


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


Section = TypeVar("Section", bound=BaseModel)


class RulesSection(_Section):
    """The rule system, and its options that differ from the defaults: here, or in a file, which may be a preset."""

    id: str = Field(min_length=1)
    options: dict[str, Any] = {}
    options_file: SitePath | None = None


class ZonesSection(_Section):
    """``period_s``: seconds between two reads of the same zone; ``walls``: there are antennas below the walls too."""

    period_s: float = Field(default=0.25, gt=0, le=10)
    walls: Switch = False


class LanesSection(_Section):
    """In which order tiles pass the lanes: at which end of a side, seen by its player, the ``first`` stack lies; of
    each stack the lower tile first (``lower_first``), or the upper."""

    first: Literal["left", "right"] = "left"
    lower_first: Switch = True


class JournalSection(_Section):
    """``path``: the file, or ``:memory:`` to keep nothing."""

    path: SitePath


class LinkSection(_Section):
    """The Unix socket by which the page and the commands speak to the core."""

    socket: SitePath
    mode: FileMode = 0o660


class TracesSection(_Section):
    """Where traces are kept and how many; see `base.trace_log.TraceLog`."""

    folder: SitePath = Path("traces")
    file_megabytes: float = Field(default=8, gt=0, le=1024)
    files: int = Field(default=20, ge=1, le=10_000)


class I2CSection(_Section):
    """A display on I²C: ``port`` n is ``/dev/i2c-n``."""

    port: int = Field(default=1, ge=0, le=255)
    address: Address = 0x3C


class SPISection(_Section):
    """A display on SPI: ``/dev/spidev<port>.<device>``, and the BCM numbers of its two pins."""

    port: int = Field(default=0, ge=0, le=255)
    device: int = Field(default=0, ge=0, le=255)
    speed_hz: int = Field(default=8_000_000, ge=100_000, le=100_000_000)
    dc_pin: int = Field(default=24, ge=0, le=27)
    reset_pin: int = Field(default=25, ge=0, le=27)


class DisplaySection(_Section):
    """One display. ``driver``: its controller; ``seat``: the player it belongs to, left out, it stands for all."""

    name: str = Field(min_length=1, max_length=40)
    driver: str = Field(min_length=1)
    width_px: int = Field(ge=32, le=4096)
    height_px: int = Field(ge=16, le=4096)
    i2c: I2CSection | None = None
    spi: SPISection | None = None
    rotate_degrees: Literal[0, 90, 180, 270] = 0
    contrast: int | None = Field(default=None, ge=0, le=255)
    language: Language | None = None
    seat: int | None = Field(default=None, ge=0, le=3)
    refresh_seconds: float | None = Field(default=None, ge=1, le=3600)


class SoundSection(_Section):
    """The voice. ``quiet``: kinds of speech that are left out (`announce.speech.KINDS`); ``quiet_hours``: from, until,
    in the site's time zone; ``device``: ALSA's name of the output; ``volume_percent`` is set on ``mixer`` at start."""

    enabled: Switch = True
    language: Language | None = None
    prompts: SitePath | None = None
    device: str = Field(default="", max_length=80, pattern=r"^[^-]|^$")
    mixer: str = Field(default="Master", max_length=40, pattern=r"^[^-]")
    volume_percent: int | None = Field(default=None, ge=0, le=100)
    words_per_minute: int = Field(default=150, ge=80, le=450)
    quiet: list[str] = []
    quiet_hours: Annotated[tuple[Hour, Hour], Strict(False)] | None = None


class WearSection(_Section):
    """How worn the simulated mechanics are: probabilities and times, see `sim.wear.Wear`."""

    double_count: float = Field(default=0, ge=0, le=1)
    missed_count: float = Field(default=0, ge=0, le=1)
    jam: float = Field(default=0, ge=0, le=1)
    face_up: float = Field(default=0, ge=0, le=1)
    turns_per_second: float = Field(default=0.2, gt=0, le=10)
    friction: float = Field(default=0, ge=0, le=0.1)
    bounce_s: float = Field(default=0, ge=0, le=0.05)


class SimSection(_Section):
    """The simulated table. ``tempo``: 1 = people at ease, 0.5 = twice as fast; ``noise``: how well antennas read;
    ``hands``: how many are played, left out, they play on; ``referee``: a simulated one confirms what is declared;
    ``seed`` left out: another match every time; ``wires``: behind the drivers of a real table, wired as the table model
    has it, with emulated boards and readers at the other end."""

    seed: int | None = Field(default=None, ge=0)
    tempo: float = Field(default=1.0, gt=0, le=100)
    noise: Literal["clean", "normal", "hard", "brutal"] = "normal"
    hands: int | None = Field(default=None, ge=1)
    referee: Switch = True
    wires: Switch = False
    wear: WearSection = WearSection()


class Settings(_Section):
    """A site's configuration. Paths are absolute once it is loaded. ``version``: of the file (`base.config_versions`).

    ``rules.options`` holds the options in force, those of ``rules.options_file`` too. ``web`` is checked by the page's
    own model. ``machine``: the folder of the table model; ``degraded``: it may go on without a sensor where
    something else stands in for it; ``tiles``: the register of the tags.
    """

    version: int = Field(default=newest(), ge=1)
    table: str = Field(min_length=1, max_length=40)
    backend: Literal["simulated", "hardware"]
    language: Language = "zh"
    time_zone: TimeZone = "Asia/Shanghai"
    machine: SitePath
    degraded: Switch = True
    tiles: SitePath | None = None
    rules: RulesSection
    players: Annotated[tuple[str, str, str, str], Strict(False)] = ("", "", "", "")
    zones: ZonesSection = ZonesSection()
    lanes: LanesSection = LanesSection()
    journal: JournalSection
    link: LinkSection
    web: dict[str, Any] = {}
    trace: Switch = False
    traces: TracesSection = TracesSection()
    displays: list[DisplaySection] = []
    sound: SoundSection = SoundSection()
    sim: SimSection = SimSection()


@dataclass(frozen=True, slots=True)
class Source:
    """What a configuration says and where, for checks that other parts add.

    ``options``: the options of the rules, which may stand in a file of their own: ``options_path``.
    """

    path: Path
    root: Node
    options: Node
    options_path: Path

    def find(self, *path: str) -> Node | None:
        """The value of these keys, or None where it is not there."""
        node: Node | None = self.root
        for key in path:
            node = node.value.get(key) if node is not None and isinstance(node.value, dict) else None
        return node


#: What another part finds wrong; it runs also where other things are wrong. `documents.check` gives places.
Check = Callable[[Source], Iterable[Problem]]


class SettingsError(DocumentError):
    """A configuration cannot be used; ``problems`` are all that is wrong. `render` shows them to a person."""


# --- loading


def load(path: Path, checks: Sequence[Check] = ()) -> Settings:
    """The configuration in ``path``.

    Raises:
        SettingsError: everything that is wrong with it.
    """
    root = _of_today(path)
    problems = Problems(str(path))
    settings = documents.check(root, Settings, problems)
    found = problems.found
    source = _source(path, root, found)
    if settings is not None:
        settings = _anchored(settings, path.absolute().parent)
        _check(settings, root, problems)
    for check in checks:
        found += check(source)
    if found or settings is None:
        raise SettingsError(found)
    if source.options_path == path:
        return settings
    rules = settings.rules.model_copy(update={"options": source.options.plain()})
    return settings.model_copy(update={"rules": rules})


def _source(path: Path, root: Node, found: list[Problem]) -> Source:
    """``root`` with the options of the rules, from the file they stand in; what is wrong with that one is added to
    ``found``."""
    source = Source(path, root, Node({}, 0, 0), path)
    file = source.find("rules", "options_file")
    if file is None or not isinstance(file.value, str):
        return replace(source, options=source.find("rules", "options") or source.options)
    options_path = path.parent / file.value
    try:
        options = _read(options_path)
    except SettingsError as error:
        found += [
            one if one.line else Problem(str(path), file.line, file.column, f"rules.options_file: {one}")
            for one in error.problems
        ]
        return replace(source, options_path=options_path)
    if isinstance(options.value, dict) and options.value.keys() == PRESET:
        base, rules = options.value["base"], source.find("rules", "id")
        if rules is not None and base.value != rules.value:
            text = f"a preset of {base.value}; expected one of {rules.value}, which is the rules.id here"
            found.append(Problem(str(path), file.line, file.column, f"rules.options_file: {text}"))
            return replace(source, options_path=options_path)
        options = options.value["options"]
    if not isinstance(options.value, dict):
        text = f"found {documents.shown(options.plain())}, expected a mapping (option: value)"
        found.append(Problem(str(options_path), options.line, options.column, text))
    return Source(path, root, options, options_path)


def _read(path: Path) -> Node:
    size = 0
    with contextlib.suppress(OSError):  # whoever reads it says why that is not possible
        size = path.stat().st_size if path.is_file() else 0
    try:
        if size > MAX_BYTES:
            raise SettingsError(
                [Problem(str(path), 0, 0, f"{size} bytes; expected a configuration, at most {MAX_BYTES} bytes")]
            )
        return documents.load(path)
    except SettingsError:
        raise
    except DocumentError as error:
        raise SettingsError(error.problems) from error


def _of_today(path: Path) -> Node:
    """A configuration of any version as one of the newest."""
    try:
        return upgraded(_read(path), str(path))
    except DocumentError as error:
        raise SettingsError(error.problems) from error


def _anchored(section: Section, folder: Path) -> Section:
    """``section`` with its paths relative to ``folder`` made absolute."""
    changes: dict[str, Any] = {}
    for name in type(section).model_fields:
        value = getattr(section, name)
        if isinstance(value, BaseModel):
            changes[name] = _anchored(value, folder)
        elif isinstance(value, Path) and value != MEMORY:
            changes[name] = Path(os.path.normpath(folder / value))
    return section.model_copy(update=changes)


def _check(settings: Settings, root: Node, problems: Problems) -> None:
    """What concerns several keys at once."""

    def wrong(path: Sequence[str | int], text: str) -> None:
        parent = root.at(path[:-1])
        problems.add(parent.keys.get(path[-1], root.at(path)), f"{documents.named(path)}: {text}")

    if settings.backend == "hardware" and settings.tiles is None:
        wrong(("backend",), "hardware needs the register of the tile sets; add the key tiles")
    if settings.backend == "hardware" and "sim" in root.keys:
        wrong(("sim",), "only for a simulated table; expected backend: simulated, or no key sim")
    if settings.rules.options and settings.rules.options_file:
        wrong(("rules", "options_file"), "options stand here and in a file; expected one of them")
    length = len(os.fsencode(settings.link.socket))
    if length > SOCKET_PATH_BYTES:
        wrong(("link", "socket"), f"{length} bytes long; a socket's path has at most {SOCKET_PATH_BYTES}")
    if settings.link.mode & 0o007:
        wrong(("link", "mode"), "every program on this machine could command the table; expected 0600 or 0660")
    for number, display in enumerate(settings.displays):
        if settings.backend == "hardware" and (display.i2c is None) == (display.spi is None):
            wrong(("displays", number, "driver"), "how is it connected? expected one of the keys i2c and spi")
    named = [display.name for display in settings.displays]
    for number, name in enumerate(named):
        if name in named[:number]:
            wrong(("displays", number, "name"), f"{name!r} is the name of another display too; each needs its own")


# --- the last configuration that worked


def remember(settings: Settings, state_dir: Path) -> None:
    """Keep ``settings`` as those with which the table started. Raises OSError where that is not possible."""
    text = "# The last configuration with which the table started. Written by tablectl; changes here are lost.\n"
    rules: dict[str, Any] = {"options_file": None}
    frozen = settings.model_copy(update={"rules": settings.rules.model_copy(update=rules)})
    data = {"version": newest(), **frozen.model_dump(mode="json", exclude_defaults=True)}
    text += yaml.safe_dump(data, allow_unicode=True, sort_keys=False)
    state_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    path, fresh = state_dir / LAST_GOOD, state_dir / f"{LAST_GOOD}.new"
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)
    folder = os.open(state_dir, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def load_or_last_good(path: Path, state_dir: Path, checks: Sequence[Check] = ()) -> tuple[Settings, str | None]:
    """The configuration in ``path``; where that is wrong, the last one that worked, with a warning to show everywhere.

    Raises:
        SettingsError: it is wrong, and none that worked is kept (or that one is wrong by now).
    """
    try:
        return load(path, checks), None
    except SettingsError as error:
        last_good = state_dir / LAST_GOOD
        try:
            settings = load(last_good, checks)
        except SettingsError:
            raise error from None
        when = datetime.fromtimestamp(last_good.stat().st_mtime).strftime("%Y-%m-%d %H:%M")
        in_force = f"In force is the last configuration that worked, of {when} ({last_good})."
        return settings, f"{render(error.problems)}\n{in_force}"


# --- words


def render(problems: Iterable[Problem]) -> str:
    """All mistakes for a person, one a line."""
    lines = [str(problem) for problem in problems]
    count = "1 mistake" if len(lines) == 1 else f"{len(lines)} mistakes"
    return "\n".join([f"{count} in the configuration:", *(f"  {line}" for line in lines)])
