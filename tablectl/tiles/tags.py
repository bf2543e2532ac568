"""The tag register: which RFID tag lies in which tile of which set, and what is wrong with a set.

File (YAML), one line a kind of tile:

    sets:
      green:
        1m: ["e004015000a1b201", "e004015000a1b202", "e004015000a1b203", "e004015000a1b204"]
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import Final

from tablectl import documents
from tablectl.documents import DocumentError, Node, Problem, Problems, shown
from tablectl.tiles.notation import NotationError, parse_tile
from tablectl.tiles.sets import TileSet
from tablectl.tiles.tile import Tile

#: 4 bytes (ISO 14443) to 32 (EPC)
_UID: Final = re.compile(r"([0-9a-f]{2}){4,32}")
#: kinds of tile that are named where many are lacking
SHOWN: Final = 8
_HEADER: Final = "# The tags of each tile set: a kind of tile, and the UIDs of its tags.\n"


@dataclass(frozen=True, slots=True)
class Tag:
    """One registered tag."""

    uid: str
    tile: Tile
    set: str


class Fault(StrEnum):
    """What can be wrong; where the table raises an alert for it, the value is the alert's code."""

    MISSING = "tag_lost"
    DOUBLE = "duplicate_tile"
    FOREIGN = "unknown_tag"
    OTHER_SET = "wrong_set"
    COMPOSITION = "wrong_composition"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing wrong with a set, in words."""

    fault: Fault
    text: str
    tile: Tile | None = None
    uid: str | None = None

    def __str__(self) -> str:
        return self.text


def normal_uid(text: str) -> str:
    """A UID in lower case without separators (``E0:04:…`` is ``e004…``). Raises ValueError."""
    uid = re.sub(r"[:\s-]", "", text).lower()
    if not _UID.fullmatch(uid):
        raise ValueError(f"found {shown(text)}, expected a UID: 4 to 32 bytes in hexadecimal, e.g. e004015000a1b201")
    return uid


@dataclass(frozen=True)
class TagRegister:
    """All registered tags: set name -> UID -> tile. UIDs are in normal form and stand in one set only."""

    sets: Mapping[str, Mapping[str, Tile]]
    _tags: Mapping[str, Tag] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        tags = {uid: Tag(uid, tile, name) for name, tiles in self.sets.items() for uid, tile in tiles.items()}
        if len(tags) != sum(map(len, self.sets.values())):
            raise ValueError("a tag stands in two sets; take it out of one first")
        object.__setattr__(self, "_tags", MappingProxyType(tags))

    def tag(self, uid: str) -> Tag | None:
        """The registered tag of a UID in normal form, or None for a foreign one."""
        return self._tags.get(uid)

    def set_in_play(self, seen: Iterable[str]) -> str | None:
        """The set to which most of the tags seen belong; None where none is known."""
        votes = Counter(tag.set for uid in seen if (tag := self.tag(uid)))
        return min(votes, key=lambda name: (-votes[name], name)) if votes else None

    # --- what is wrong

    def check_set(self, name: str, tile_set: TileSet) -> list[Finding]:
        """What the registered set ``name`` lacks of ``tile_set`` or has beyond it."""
        registered = self.sets.get(name, {}).values()
        missing, surplus = tile_set.missing(registered), tile_set.surplus(registered)
        has = Counter(registered)
        return [
            Finding(
                Fault.COMPOSITION,
                f"set {name}: tags of {_said(tile)}: {has[tile]}, expected {tile_set.counts.get(tile, 0)}",
                tile,
            )
            for tile in sorted(missing | surplus)
        ]

    def check_seen(self, seen: Sequence[str], set_name: str) -> list[Finding]:
        """What is wrong where exactly the tags of ``set_name`` should have been seen, each once."""
        findings = []
        times = Counter(seen)
        for uid, count in times.items():
            tag = self.tag(uid)
            if tag is None:
                findings.append(Finding(Fault.FOREIGN, f"foreign tag {uid}: it belongs to no tile set", uid=uid))
            elif tag.set != set_name:
                text = f"{_said(tag.tile)} ({uid}) belongs to set {tag.set}, not to set {set_name}"
                findings.append(Finding(Fault.OTHER_SET, text, tag.tile, uid))
            elif count > 1:
                text = f"double: {_said(tag.tile)} ({uid}) was seen {count} times"
                findings.append(Finding(Fault.DOUBLE, text, tag.tile, uid))
        for uid, tile in self.sets.get(set_name, {}).items():
            if uid not in times:
                findings.append(Finding(Fault.MISSING, f"missing: {_said(tile)} ({uid}) was not seen", tile, uid))
        return findings


def lacking(sets: Mapping[str, Mapping[str, Tile]], tile_set: TileSet) -> dict[str, str]:
    """By name, what sets lack of ``tile_set``, for a person: ``5m 五万 ×2, P 白板 ×1``. What they have beyond it does
    not matter: flowers that these rules leave out."""
    missing = {name: sorted(tile_set.missing(tags.values()).items()) for name, tags in sets.items()}
    return {name: _some([f"{_said(tile)} ×{n}" for tile, n in kinds]) for name, kinds in missing.items() if kinds}


def _some(words: Sequence[str]) -> str:
    """As many as fit a display."""
    return ", ".join(words[:SHOWN]) + (f" … +{len(words) - SHOWN}" if len(words) > SHOWN else "")


def _said(tile: Tile) -> str:
    return f"{tile.code} {tile.name_zh}"


# --- files and traces


def load_register(path: Path) -> TagRegister:
    """The register in a YAML file. Raises `DocumentError` with everything wrong, each with its line."""
    root = documents.load(path)
    problems = Problems(str(path))
    sets: dict[str, dict[str, Tile]] = {}
    first: dict[str, Node] = {}
    top = _mapping(root, problems, "sets: the tile sets by name")
    for key in top.keys() - {"sets"}:
        problems.add(root.keys[key], f"unknown key {key!r}, expected sets only{documents.nearest(key, ['sets'])}")
    if isinstance(root.value, dict) and "sets" not in top:
        problems.add(root, "sets: this key is missing; expected the tile sets by name")
    for name, tiles in (_mapping(top["sets"], problems, "tile sets by name") if "sets" in top else {}).items():
        tags = sets[str(name)] = {}
        for code, uids in _mapping(
            tiles, problems, "kinds of tile, each with the UIDs of its tags", f"sets.{name}: "
        ).items():
            try:
                tile = parse_tile(str(code))
            except NotationError as error:
                problems.add(tiles.keys[code], f"sets.{name}: {error}")
                continue
            if not isinstance(uids.value, list):
                problems.add(uids, f"sets.{name}.{code}: found {shown(uids.plain())}, expected a list of UIDs")
                continue
            for node in uids.value:
                try:
                    uid = normal_uid(node.text)
                except ValueError as error:
                    problems.add(node, f"sets.{name}.{code}: {error}")
                    continue
                if uid in first:
                    problems.add(node, f"sets.{name}.{code}: {uid} stands twice, first in line {first[uid].line}")
                first.setdefault(uid, node)
                tags[uid] = tile
    problems.raise_if_any()
    return TagRegister(sets)


def _mapping(node: Node, problems: Problems, expected: str, name: str = "") -> dict[documents.Key, Node]:
    if isinstance(node.value, dict):
        return node.value
    problems.add(node, f"{name}found {shown(node.plain())}, expected {expected}")
    return {}


def save_register(register: TagRegister, path: Path) -> None:
    """Writes the register so that a power cut leaves the old file or the new one. Raises OSError."""
    lines = [_HEADER, "sets:\n" if register.sets else "sets: {}\n"]
    for name, tags in register.sets.items():
        lines.append(f"  {json.dumps(name, ensure_ascii=False)}:{'' if tags else ' {}'}\n")
        for tile in sorted(set(tags.values())):
            uids = sorted(uid for uid, kind in tags.items() if kind is tile)
            lines.append(f"    {tile.code}: {json.dumps(uids)}\n")
    new = path.with_name(path.name + ".new")
    with new.open("w", encoding="utf-8") as file:
        file.writelines(lines)
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)


def register_of(tags: Mapping[str, object], source: str) -> TagRegister:
    """The register that a trace's header gives (``tags``: UID -> tile), as one set ``trace``. Raises `DocumentError`,
    naming ``source``."""
    problems = []
    tiles: dict[str, Tile] = {}
    for text, code in tags.items():
        try:
            uid = normal_uid(text)
            if not isinstance(code, str):
                raise ValueError(f"found {shown(code)}, expected the code of a tile, e.g. 5m")
            tile = parse_tile(code)
        except ValueError as error:
            problems.append(Problem(source, 1, 1, f"tags.{text}: {error}"))
            continue
        if uid in tiles:
            problems.append(Problem(source, 1, 1, f"tags.{text}: {uid} stands twice"))
        tiles[uid] = tile
    if problems:
        raise DocumentError(problems)
    return TagRegister({"trace": tiles})
