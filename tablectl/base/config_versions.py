"""Versions of the site's configuration: older files are read as they are, and `tablectl config migrate` rewrites them.

A file says its version by the key ``version``; one without that key is of version 1. A step changes names of keys;
what a key means never changes under the same name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from tablectl import documents
from tablectl.documents import DocumentError, Key, Node, Problem

KEY: Final = "version"

_COMMENT: Final = "# The version of this file's format; `tablectl config migrate` brings it up to date."


@dataclass(frozen=True, slots=True)
class Step:
    """From one version to the next. ``renames``: keys as ``a.b.c`` and the new name of the last part; ``why``: what a
    person is told."""

    why: str
    renames: Mapping[str, str]


#: ``STEPS[n]`` brings a file of version n + 1 to version n + 2
STEPS: Final[Sequence[Step]] = ()


def newest(steps: Sequence[Step] = STEPS) -> int:
    """The version that this program writes."""
    return len(steps) + 1


def version_of(root: Node, source: str, steps: Sequence[Step] = STEPS) -> int:
    """The version of a configuration.

    Raises:
        DocumentError: it is no version, or one of a newer program.
    """
    found = root.value.get(KEY) if isinstance(root.value, dict) else None
    if found is None:
        return 1
    value, known = found.value, newest(steps)
    if type(value) is not int or value < 1:
        text = f"{KEY}: found {documents.shown(value)}, expected a whole number from 1 to {known}"
        raise DocumentError([Problem(source, found.line, found.column, text)])
    if value > known:
        text = f"{KEY}: {value} is of a newer tablectl; this one knows up to {known}. Install the newer one again"
        raise DocumentError([Problem(source, found.line, found.column, text)])
    return value


def upgraded(root: Node, source: str, steps: Sequence[Step] = STEPS) -> Node:
    """A configuration of any version as one of the newest, every key still at its own line.

    Raises:
        DocumentError: see `version_of`.
    """
    for step in steps[version_of(root, source, steps) - 1 :]:
        for old, new in step.renames.items():
            root = _renamed(root, old.split("."), new)
    if isinstance(root.value, dict) and KEY in root.value:
        return replace(root, value=root.value | {KEY: replace(root.value[KEY], value=newest(steps))})
    return root


def _renamed(node: Node, path: Sequence[str], new: str) -> Node:
    if not isinstance(node.value, dict) or path[0] not in node.value:
        return node
    if len(path) > 1:
        return replace(node, value=node.value | {path[0]: _renamed(node.value[path[0]], path[1:], new)})
    value: dict[Key, Node] = {new if key == path[0] else key: child for key, child in node.value.items()}
    return replace(node, value=value, keys={new if key == path[0] else key: at for key, at in node.keys.items()})


def migrated(text: str, source: str, steps: Sequence[Step] = STEPS) -> tuple[str, list[str]]:
    """A configuration as one of the newest version, comments and order as they were; and what was changed.

    Raises:
        DocumentError: it cannot be read, or is of a newer program.
    """
    version = version_of(documents.parse(text, source), source, steps)
    done = []
    for number, step in enumerate(steps[version - 1 :], version + 1):
        for old, new in step.renames.items():
            text, found = _rewritten(text, source, old, new)
            done += [f"version {number}: {old} is called {new} now"] if found else []
        done.append(f"version {number}: {step.why}")
    text, changed = _with_version(text, source, newest(steps))
    return text, done or (["the version stands in the file now"] if changed else [])


def _rewritten(text: str, source: str, old: str, new: str) -> tuple[str, bool]:
    *parents, last = old.split(".")
    mapping = documents.parse(text, source).at(parents)
    at = mapping.keys.get(last)
    if at is None:
        return text, False
    lines = text.splitlines(keepends=True)
    line, column = lines[at.line - 1], at.column - 1
    lines[at.line - 1] = line[:column] + line[column:].replace(last, new, 1)
    return "".join(lines), True


def _with_version(text: str, source: str, version: int) -> tuple[str, bool]:
    root = documents.parse(text, source)
    lines = text.splitlines(keepends=True)
    if KEY in root.keys:
        found = root.at([KEY])
        line, column = lines[found.line - 1], found.column - 1
        fresh = line[:column] + line[column:].replace(found.text, str(version), 1)
        changed = fresh != line
        lines[found.line - 1] = fresh
        return "".join(lines), changed
    first = min((at.line for at in root.keys.values()), default=1)
    while first > 1 and lines[first - 2].lstrip().startswith("#"):  # its own comment belongs to it
        first -= 1
    head = f"{_COMMENT}\n{KEY}: {version}\n\n"
    if first == 1 and lines and lines[0].startswith("#"):  # the comment at the top is the file's
        first = next(number for number, line in enumerate(lines, 1) if not line.startswith("#"))
        head = f"\n{head}"
    lines.insert(first - 1, head)
    return "".join(lines), True
