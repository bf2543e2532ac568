"""The readers of a table as data: which device is on which port, and which zone lies above which antenna.

A file ``readers.yaml`` (docs/readers.md shows every key) is loaded as a whole, all mistakes are told at once, and
becomes the readers and lanes of `ports`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Final, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, Strict

from tablectl import documents
from tablectl.base.clock import Clock
from tablectl.documents import Node, Problems, nearest
from tablectl.drivers.readers.family import Family, LaneReader, Options, Reader, Setup, TagCode
from tablectl.drivers.readers.registry import FAMILIES
from tablectl.drivers.readers.sightings import Absence
from tablectl.drivers.serial_line import SCHEME, LineSettings

#: the zones of a table
ZONES: Final = tuple(f"{part}.{n}" for part in ("hand", "meld", "river", "wall") for n in range(4))

#: seconds for a round over all zones of a reader; a lane is read without pause
ZONES_PERIOD_S: Final = 0.25

Switch: TypeAlias = Annotated[bool, Strict(False)]


def _zone(value: object) -> object:
    if value not in ZONES:
        raise ValueError(f"found {documents.shown(value)}, expected a zone: hand.0 … wall.3{nearest(value, ZONES)}")
    return value


def _port(value: object) -> object:
    if not isinstance(value, str) or not value.startswith(("/", SCHEME)):
        raise ValueError(
            f"found {documents.shown(value)}, expected a device file (/dev/tablectl/…) or socket://host:port"
        )
    return value


Zone = Annotated[str, BeforeValidator(_zone)]
Port = Annotated[str, BeforeValidator(_port)]


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class AbsenceSection(_Section):
    """See `sightings.Absence`."""

    reads: int = Field(default=1, ge=1, le=20)
    seconds: float = Field(default=0.0, ge=0, le=10)


class CodeSection(_Section):
    """See `family.TagCode`."""

    block: int = Field(ge=0, le=255)
    byte: int = Field(default=0, ge=0, le=15)
    bank: int = Field(default=3, ge=0, le=3)


class ReaderSection(_Section):
    """One reader. For zones: ``name`` and ``antennas`` (antenna to zone); for a lane: ``lane`` (the side, 0 to 3) and
    perhaps ``antenna``."""

    driver: str
    port: Port
    baud: int | None = Field(default=None, ge=1200, le=4_000_000)
    dtr: Switch = True
    rts: Switch = True
    identity: str = ""
    name: str | None = Field(default=None, pattern=r"^[a-z][a-z0-9_.-]{0,30}$")
    antennas: dict[int, Zone] = {}
    lane: int | None = Field(default=None, ge=0, le=3)
    antenna: int | None = None
    power_dbm: float | dict[int, float] | None = None
    period_seconds: float | None = Field(default=None, gt=0, le=10)
    absence: dict[Zone, AbsenceSection] | AbsenceSection = AbsenceSection()
    same_tile_seconds: float = Field(default=0.3, ge=0, le=5)
    rearm_seconds: float = Field(default=2.0, gt=0, le=60)
    tag_prefixes: tuple[str, ...] | None = Field(default=None, strict=False)
    code: CodeSection | None = None
    options: dict[str, Any] = {}

    @property
    def used(self) -> tuple[int, ...]:
        """The antennas that are read."""
        if self.lane is None:
            return tuple(self.antennas)
        return (self.antenna if self.antenna is not None else FAMILIES[self.driver].antennas[0],)

    @property
    def powers(self) -> dict[int, float]:
        """Power by antenna, in dBm."""
        if isinstance(self.power_dbm, dict):
            return self.power_dbm
        return dict.fromkeys(self.used, self.power_dbm) if self.power_dbm is not None else {}


class ReadersFile(_Section):
    """The whole file."""

    readers: list[ReaderSection]


def load(path: Path) -> list[ReaderSection]:
    """The readers in the file ``path``. Raises `DocumentError` with everything that is wrong."""
    root = documents.load(path)
    problems = Problems(str(path))
    file = documents.check(root, ReadersFile, problems)
    for number, section in enumerate(file.readers if file is not None else ()):
        _check(section, root, number, problems)
    if file is not None:
        _check_together(file.readers, root, problems)
    problems.raise_if_any()
    assert file is not None
    return file.readers


def make(sections: Sequence[ReaderSection], clock: Clock) -> tuple[list[Reader], list[LaneReader]]:
    """The readers of zones, and the lanes by side, of sections that `load` has checked."""
    readers, lanes = [], []
    for section in sections:
        family = _family(section, clock)
        kind = type(family)
        prefixes = section.tag_prefixes if section.tag_prefixes is not None else kind.tag_prefixes
        code = TagCode(**section.code.model_dump()) if section.code is not None else None
        if section.lane is not None:
            lanes.append(LaneReader(section.lane, family, section.rearm_seconds, prefixes, code))
        else:
            absence = _absence(section)
            readers.append(Reader(family, section.antennas, absence, section.same_tile_seconds, prefixes, code))
    return readers, sorted(lanes, key=lambda lane: lane.side)


def _family(section: ReaderSection, clock: Clock) -> Family:
    kind = FAMILIES[section.driver]
    line = LineSettings(section.port, section.baud or kind.baud, section.dtr, section.rts)
    setup = Setup(
        name=section.name if section.lane is None and section.name else f"lane.{section.lane}",
        line=line,
        antennas=section.used,
        power_dbm=section.powers,
        identity=section.identity,
        period_s=section.period_seconds or (ZONES_PERIOD_S if section.lane is None else 0.0),
    )
    return kind(setup, kind.options.model_validate(section.options), clock)


def _absence(section: ReaderSection) -> Mapping[str, Absence]:
    by_zone = section.absence
    if isinstance(by_zone, AbsenceSection):
        by_zone = dict.fromkeys(section.antennas.values(), by_zone)
    return {zone: Absence(rule.reads, rule.seconds) for zone, rule in by_zone.items()}


# --- what is wrong


def _check(section: ReaderSection, root: Node, number: int, problems: Problems) -> None:
    """What of one reader does not fit together."""

    def wrong(key: str, text: str) -> None:
        problems.add(
            root.at(("readers", number)).keys.get(key, root.at(("readers", number))), f"readers[{number}].{key}: {text}"
        )

    kind = FAMILIES.get(section.driver)
    if kind is None:
        wrong(
            "driver",
            f"found {section.driver!r}, expected one of {', '.join(FAMILIES)}{nearest(section.driver, FAMILIES)}",
        )
        return
    if (section.lane is None) == (not section.antennas):
        wrong("antennas", "expected antennas (for zones) or lane (for a lane), one of the two")
    if section.lane is None and section.name is None:
        wrong("name", "this key is missing; a reader of zones needs a name, e.g. east")
    for antenna in section.used:
        if antenna not in kind.antennas:
            wrong(
                "antennas" if section.lane is None else "antenna",
                f"{section.driver} has no antenna {antenna}; expected {_range(kind.antennas)}",
            )
    for text in _wrong_power(section, kind):
        wrong("power_dbm", text)
    if section.code is not None and not kind.reads_memory:
        wrong("code", f"{section.driver} does not read the memory of tags; use a list of UIDs (the key tiles)")
    if isinstance(section.absence, dict):
        for zone in section.absence.keys() - set(section.antennas.values()):
            wrong("absence", f"this reader has no zone {zone}")
    options = root.at(("readers", number, "options"))
    documents.check(
        options if "options" in root.at(("readers", number)).keys else Node({}, 0, 0),
        _model(kind),
        problems,
        f"readers[{number}].options",
    )


def _model(kind: type[Family]) -> type[Options]:
    return kind.options


def _range(antennas: range) -> str:
    return str(antennas[0]) if len(antennas) == 1 else f"{antennas[0]} to {antennas[-1]}"


def _wrong_power(section: ReaderSection, kind: type[Family]) -> Iterator[str]:
    if section.power_dbm is None:
        return
    if kind.power_dbm is None:
        yield f"{section.driver} takes no power from here; set it with the maker's program"
        return
    low, high = kind.power_dbm
    for antenna, power in section.powers.items():
        if antenna not in section.used:
            yield f"antenna {antenna} is not used"
        if not low <= power <= high:
            yield f"found {power:g}, expected {low:g} to {high:g} dBm"
    if not kind.power_each and len(set(section.powers.values())) > 1:
        yield f"{section.driver} has one power for all antennas"


def _check_together(sections: Sequence[ReaderSection], root: Node, problems: Problems) -> None:
    """What several readers may not share."""
    first: dict[tuple[str, object], int] = {}
    for number, section in enumerate(sections):
        claims: list[tuple[str, object]] = [("port", section.port)]
        claims += [("name", section.name)] if section.name and section.lane is None else []
        claims += [("lane", section.lane)] if section.lane is not None else []
        claims += [("antennas", zone) for zone in sorted(set(section.antennas.values()))]
        for claim in claims:
            other = first.setdefault(claim, number)
            if other != number:
                key, value = claim
                node = root.at(("readers", number)).keys.get(key, root)
                problems.add(node, f"readers[{number}].{key}: {value} belongs to readers[{other}] already")
