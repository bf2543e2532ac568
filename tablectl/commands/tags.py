"""``tablectl tags``: the register of the tiles' tags, and how well they read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tablectl.commands.journals import DEFAULT_CONFIG, Config, JournalPath, journal_path
from tablectl.commands.terminal import FOUND_WRONG, JsonOption, fail, print_json, say, table, tells_errors, warn

if TYPE_CHECKING:
    from tablectl.base.settings import Settings
    from tablectl.core.backend import Backend
    from tablectl.ports import TileReader
    from tablectl.tiles.enrol import Enrolment
    from tablectl.tiles.sets import TileSet
    from tablectl.tiles.tags import TagRegister
    from tablectl.tracking.quality import Quality

app = typer.Typer(no_args_is_help=True, help="The tags of the tiles 牌的标签: the register, and how well they read.")

Register = Annotated[Path | None, typer.Option("--tiles", help="The register; left out: the configuration's.")]
SetName = Annotated[str | None, typer.Option("--set", help="The tile set; left out: the only one, or that in play.")]

#: what a technician should look at: zones and tags that are missed so often, zones with so many ghosts a round, tags
#: that answer elsewhere so often
ZONE_MISSES = 0.08
TAG_MISSES = 0.15
ZONE_GHOSTS = 0.2
TAG_GHOSTS = 0.05
#: reads from which a rate says something
ENOUGH = 60


# --- list


@app.command("list")
@tells_errors
def list_(tiles: Register = None, config: Config = DEFAULT_CONFIG, json: JsonOption = False) -> None:
    """The tile sets of the register, with their tags."""
    register = _load(_path(tiles, config))
    if json:
        print_json({name: {uid: tile.code for uid, tile in tags.items()} for name, tags in register.sets.items()})
        return
    for name, tags in register.sets.items():
        rows = []
        for tile in sorted(set(tags.values())):
            uids = sorted(uid for uid, kind in tags.items() if kind is tile)
            rows.append((tile.code, tile.name_zh, tile.name_en, len(uids), " ".join(uids)))
        table(f"set {name} 牌组: {len(tags)} tags", ("tile", "牌", "name", "tags", "UIDs"), rows)
    if not register.sets:
        say("no tile set is registered yet: tablectl tags enroll NAME")


# --- check


@app.command("check")
@tells_errors
def check(
    trace: Annotated[Path | None, typer.Argument(help="A trace: the tags seen in it are checked too.")] = None,
    name: SetName = None,
    tiles: Register = None,
    config: Config = DEFAULT_CONFIG,
    json: JsonOption = False,
) -> None:
    """Which tile is missing, double or foreign: in the register, and among the tags seen in a trace.

    Exit code 1 where something is wrong."""
    tile_set = _tile_set(trace, config)
    seen = _seen(trace) if trace is not None else None
    register = _register_of(trace, tile_set) if trace is not None and tiles is None else _load(_path(tiles, config))
    if name is not None and name not in register.sets:
        fail(f"--set {name!r}: expected one of {', '.join(register.sets) or 'none, the register is empty'}")
    in_play = register.set_in_play(seen) if seen else None
    names = [name] if name is not None else [in_play] if in_play is not None else list(register.sets)
    findings = [finding for each in names for finding in register.check_set(each, tile_set)]
    if seen is not None and names:
        findings += register.check_seen(seen, names[0])
    if json:
        print_json(
            [{"fault": f.fault.value, "tile": f.tile and f.tile.code, "uid": f.uid, "text": f.text} for f in findings]
        )
    else:
        say(*findings)
        if not findings:
            say(f"set {', '.join(map(str, names))}: every tile is there once ({tile_set.total} tiles)")
    if findings or not names:
        if not names:
            warn("no tile set is registered: tablectl tags enroll NAME")
        raise typer.Exit(FOUND_WRONG)


def _seen(trace: Path) -> list[str]:
    """The tags that passed the lanes before the first hand, or else those that any zone read."""
    from tablectl.base.reports import LanePassed, MachineReported, ZoneRead
    from tablectl.base.trace import Trace
    from tablectl.tiles.tags import normal_uid

    passed: list[str] = []
    read: dict[str, None] = {}
    for report in Trace(trace):
        if isinstance(report, LanePassed):
            passed.append(normal_uid(report.tag))
        elif isinstance(report, ZoneRead):
            read |= dict.fromkeys(map(normal_uid, report.tags))
        elif isinstance(report, MachineReported) and report.machine == "raised" and passed:
            break
    return list(dict.fromkeys(passed)) if passed else list(read)


# --- quality


@app.command()
@tells_errors
def quality(
    trace: Annotated[
        Path | None, typer.Argument(help="A trace; left out: what the journal kept of every hand.")
    ] = None,
    journal: JournalPath = None,
    config: Config = DEFAULT_CONFIG,
    json: JsonOption = False,
) -> None:
    """How often each zone and tag is missed, and answers where it does not lie (漏读, 串读).

    Exit code 1 where an antenna or a tile should be looked at."""
    if trace is None:
        _quality_of_journal(journal_path(journal, config), json)
        return
    from tablectl.base.trace import Trace
    from tablectl.tracking.quality import measure

    log = Trace(trace)
    found = measure(log)
    _tell_quality(found, dict(log.header.tags), json)


def _tell_quality(found: Quality, names: dict[str, str], json: bool) -> None:
    zones = sorted(found.zones.items())
    tags = [(uid, counts) for uid, counts in found.tags.items() if counts.reads >= ENOUGH]
    tags.sort(key=lambda item: -(item[1].miss_rate + item[1].ghost_rate))
    look_at = [
        name
        for name, counts in zones
        if counts.miss_rate > ZONE_MISSES or counts.ghosts > ZONE_GHOSTS * found.rounds[name]
    ]
    look_at += [uid for uid, counts in tags if counts.miss_rate > TAG_MISSES or counts.ghost_rate > TAG_GHOSTS]
    if json:
        told = {
            part: {
                name: {"reads": c.reads, "miss": round(c.miss_rate, 4), "ghost": round(c.ghost_rate, 5)}
                for name, c in rows
            }
            for part, rows in (("zones", zones), ("tags", tags))
        }
        print_json({**told, "look_at": look_at})
    else:
        rows = [(name, found.rounds[name], c.reads, _share(c.miss_rate), _share(c.ghost_rate)) for name, c in zones]
        table("zones 天线区", ("zone", "rounds 轮", "reads 读", "missed 漏读", "ghosts 串读"), rows)
        worst = [(uid, names.get(uid, "?"), c.reads, _share(c.miss_rate), _share(c.ghost_rate)) for uid, c in tags[:12]]
        table("worst tags 最差的标签", ("tag", "tile 牌", "reads 读", "missed 漏读", "ghosts 串读"), worst)
        for name in look_at:
            what = "tune the antenna, look at its plug" if name in found.zones else "change this tile"
            say(f"LOOK AT 请检查: {name} {names.get(name, '')}: {what}")
    if look_at:
        raise typer.Exit(FOUND_WRONG)


def _share(value: float) -> str:
    return f"{value:.2%}"


def _quality_of_journal(path: Path, json: bool) -> None:
    from tablectl.base.clock import LoopClock
    from tablectl.base.journal import Journal, JournalError
    from tablectl.core.report import report

    try:
        with Journal(path, LoopClock(), read_only=True) as kept:
            made = report((), kept.facts(), 0.0, float("inf"), {})
    except JournalError as error:
        fail(error, code=FOUND_WRONG)
    look_at = [zone.name for zone in made.zones if zone.missed > ZONE_MISSES] + list(made.bad_tags)
    if json:
        zones = {zone.name: {"rounds": zone.rounds, "miss": zone.missed} for zone in made.zones}
        print_json(
            {"zones": zones, "tags": {tag: {"hands": n} for tag, n in made.bad_tags.items()}, "look_at": look_at}
        )
    else:
        rows = [(zone.name, zone.rounds, _share(zone.missed)) for zone in made.zones]
        table("zones 天线区", ("zone", "rounds 轮", "missed 漏读"), rows)
        table("bad tags 差的标签", ("tag", "hands 局"), made.bad_tags.items())
        for name in look_at:
            say(f"LOOK AT 请检查: {name}")
    if look_at:
        raise typer.Exit(FOUND_WRONG)


# --- enroll


@app.command()
@tells_errors
def enroll(
    name: Annotated[str, typer.Argument(help="The tile set, e.g. green.")],
    zone: Annotated[str, typer.Option(help="The zone on which the tiles are laid.")] = "hand.0",
    again: Annotated[bool, typer.Option("--again", help="Forget what is registered of this set.")] = False,
    tiles: Register = None,
    config: Config = DEFAULT_CONFIG,
) -> None:
    """Write down the tags of a tile set: kind by kind its tiles are laid on a zone, as this command asks for them.

    Stop the table first: it holds the readers. Every kind is saved at once; after Ctrl-C it goes on there the next
    time."""
    import asyncio

    from tablectl.base.faults import DeviceError
    from tablectl.base.settings import load
    from tablectl.base.trace import ZONES
    from tablectl.core.backends import BackendError
    from tablectl.documents import nearest
    from tablectl.tiles.enrol import Enrolment

    if zone not in ZONES:
        fail(f"--zone {zone}: no zone; expected hand.0 … wall.3{nearest(zone, ZONES)}")
    settings = load(config)
    path = _path(tiles, config)
    enrolment = Enrolment(_load(path) if path.exists() else _empty(), name, _tile_set(None, config), again)
    try:
        asyncio.run(_enroll(settings, enrolment, zone, path))
    except (BackendError, DeviceError) as error:
        fail(f"tablectl tags enroll: {error}", code=FOUND_WRONG)
    except KeyboardInterrupt:
        pass
    if enrolment.due is not None:
        tile, count = enrolment.due
        fail(f"set {name}: {enrolment.enrolled} tags; {count} × {tile.code} {tile.name_zh} are next", code=FOUND_WRONG)
    say(f"set {name}: complete, {enrolment.enrolled} tags in {path}")


async def _enroll(settings: Settings, enrolment: Enrolment, zone: str, path: Path) -> None:
    """Until every kind is enrolled. Only the reader is used to which the zone belongs: what the others have, a fault or
    no power, does not matter here."""
    from contextlib import aclosing

    from tablectl.base.clock import LoopClock
    from tablectl.core.backends import backend
    from tablectl.rules.registry import load as load_rules
    from tablectl.tiles.tags import save_register

    rules = load_rules(settings.rules.id, settings.rules.options)
    devices = backend(settings, rules, 1, LoopClock(), sets={})  # a new table has no register yet
    reader = _reader_of(devices, zone)
    await devices.open()
    try:
        _ask(enrolment)
        await reader.open()
        async with aclosing(reader.inventories()) as inventories:  # type: ignore[type-var]
            async for batch in inventories:
                for read in batch:
                    said = enrolment.take(read.tags) if read.zone == zone else None
                    if said is not None:
                        say(said)
                        save_register(enrolment.result(), path)
                        _ask(enrolment)
                if enrolment.due is None:
                    return
    finally:
        await reader.close()
        await devices.close()


def _reader_of(devices: Backend, zone: str) -> TileReader:
    """The reader whose antenna lies below ``zone``; one reader has all zones of a simulated table."""
    from tablectl.core.backends import BackendError

    wiring = getattr(devices, "wiring", None)
    if wiring is None:
        return devices.readers[0]
    owners = {name: section.name for section in wiring.readers for name in section.antennas.values()}
    if zone not in owners:
        raise BackendError(f"--zone {zone}: no reader of readers.yaml has it; expected one of {', '.join(owners)}")
    return next(reader for reader in devices.readers if reader.name == owners[zone])


def _ask(enrolment: Enrolment) -> None:
    if enrolment.due is not None:
        tile, count = enrolment.due
        say(f"lay {count} × {tile.code} {tile.name_zh} ({tile.name_en}) on the zone 请放牌")


# --- shared


def _path(tiles: Path | None, config: Path) -> Path:
    from tablectl.base.settings import load

    path = tiles or load(config).tiles
    if path is None:
        fail(f"{config}: tiles: names no register; expected a file, or --tiles FILE")
    return path


def _load(path: Path) -> TagRegister:
    from tablectl.tiles.tags import load_register

    return load_register(path)


def _empty() -> TagRegister:
    from tablectl.tiles.tags import TagRegister

    return TagRegister({})


def _register_of(trace: Path, tile_set: TileSet) -> TagRegister:
    """The register in the header of a trace. It names no sets: where there are two, that of the first hand is told from
    the tags that passed the lanes, and all other tags are those of the other one."""
    from tablectl.base.trace import Trace
    from tablectl.tiles.tags import TagRegister, register_of

    tags = register_of(Trace(trace).header.tags, str(trace)).sets["trace"]
    if len(tags) <= tile_set.total:
        return TagRegister({"trace": tags})
    passed = set(_seen(trace))
    lacking = tile_set.missing(tile for uid, tile in tags.items() if uid in passed)
    first = {uid: tile for uid, tile in tags.items() if uid in passed}
    for uid, tile in tags.items():  # tiles that the lanes missed
        if uid not in first and lacking[tile] > 0:
            first[uid] = tile
            lacking[tile] -= 1
    return TagRegister({"in play": first, "other": {uid: t for uid, t in tags.items() if uid not in first}})


def _tile_set(trace: Path | None, config: Path) -> TileSet:
    """The composition that the rules of the trace, or of the site, play with."""
    from tablectl.base.settings import load
    from tablectl.base.trace import Trace
    from tablectl.rules.registry import load as load_rules

    if trace is not None:
        header = Trace(trace).header
        return load_rules(header.rules, header.options).tile_set
    section = load(config).rules
    return load_rules(section.id, section.options).tile_set
