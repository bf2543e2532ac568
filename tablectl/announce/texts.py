"""Texts in the languages of the displays and the speaker, loaded from ``config/texts/``.

A language is one YAML file, ``zh.yaml``, ``en.yaml``, of nested keys; ``turn: {label: …}`` is the key ``turn.label``.
All languages have the same keys with the same placeholders; `load_texts` says where they do not, all places at once.
``fans.en.yaml`` holds the names of fans in English; rule systems name them in Chinese.
"""

from __future__ import annotations

import difflib
import string
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, Protocol, runtime_checkable

import yaml

#: The language that says which keys and placeholders exist.
REFERENCE: Final = "zh"
LANGUAGES: Final = ("zh", "en")
FOLDER: Final = Path(__file__).resolve().parent.parent.parent / "config" / "texts"


class TextsError(ValueError):
    """Text files that do not fit; the message has one line a problem: file, line, key, what was expected."""


@runtime_checkable
class Word(Protocol):
    """A value whose words depend on the language: a seat, a fan."""

    def words(self, texts: Texts) -> str: ...


@dataclass(frozen=True)
class Texts:
    """The texts of one language."""

    language: str
    entries: Mapping[str, str]
    fans: Mapping[str, str] = field(default_factory=dict)

    def __contains__(self, key: str) -> bool:
        return key in self.entries

    def template(self, key: str) -> str:
        """The text of ``key`` with its placeholders. A key with braces is a template itself (``{seat} {word}``)."""
        if "{" in key:
            return key
        if key not in self.entries:
            raise KeyError(f"no text {key!r} in language {self.language}")
        return self.entries[key]

    def __call__(self, key: str, values: Mapping[str, object] | None = None) -> str:
        """The text of ``key`` with ``values`` in its placeholders; values that are not named by it are ignored.

        Raises:
            KeyError: no such key, or a placeholder without a value.
        """
        text = self.template(key)
        if "{" not in text:
            return text
        values = values or {}
        try:
            return text.format_map({name: self.word(values[name]) for name in placeholders(text)})
        except KeyError as error:
            raise KeyError(f"text {key!r} needs a value for {error}") from None

    def word(self, value: object) -> str:
        return value.words(self) if isinstance(value, Word) else str(value)

    def fan(self, name: str) -> str:
        """The name of a fan; the Chinese one where the language has none."""
        return self.fans.get(name, name)


def load_texts(language: str, folder: Path = FOLDER) -> Texts:
    """The texts of ``language``.

    Raises:
        TextsError: unknown language, a file that is missing or no YAML, keys or placeholders other than in `REFERENCE`.
    """
    path = folder / f"{language}.yaml"
    if not path.is_file():
        known = sorted(file.stem for file in folder.glob("*.yaml") if "." not in file.stem)
        raise TextsError(
            f"{path}: no texts in language {language!r}; there are {', '.join(known) or 'none'} in {folder}"
        )
    entries = _read(path)
    if language != REFERENCE:
        _compare(path, entries, _read(folder / f"{REFERENCE}.yaml"))
    fans = folder / f"fans.{language}.yaml"
    return Texts(
        language,
        {key: text for key, (text, _) in entries.items()},
        {key: text for key, (text, _) in _read(fans).items()} if fans.is_file() else {},
    )


@lru_cache(maxsize=1024)
def placeholders(text: str) -> frozenset[str]:
    """The names in braces; raises ValueError for braces that do not match."""
    return frozenset(name for _, name, _, _ in string.Formatter().parse(text) if name is not None)


def _read(path: Path) -> dict[str, tuple[str, int]]:
    """Flat key → text and its line. Raises TextsError."""
    try:
        node = yaml.compose(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise TextsError(f"{path}: cannot be read as YAML: {error}") from None
    problems: list[str] = []
    entries: dict[str, tuple[str, int]] = {}
    for key, text, line in _flatten(node):
        if text is None:
            problems.append(f"{path}:{line}: {key or 'the file'}: expected a text or a mapping of texts")
        elif key in entries:
            problems.append(f"{path}:{line}: {key}: stands twice, first in line {entries[key][1]}")
        else:
            try:
                placeholders(text)
            except ValueError as error:
                problems.append(f"{path}:{line}: {key}: {error}; write {{{{ and }}}} for plain braces")
            entries[key] = (text, line)
    if problems:
        raise TextsError("\n".join(problems))
    return entries


def _flatten(node: Any, prefix: str = "") -> Iterator[tuple[str, str | None, int]]:
    line = node.start_mark.line + 1 if node is not None else 1
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            yield from _flatten(value, f"{prefix}.{key.value}" if prefix else str(key.value))
    elif isinstance(node, yaml.ScalarNode) and prefix:
        yield prefix, node.value, line
    else:
        yield prefix, None, line


def _compare(path: Path, entries: Mapping[str, tuple[str, int]], reference: Mapping[str, tuple[str, int]]) -> None:
    problems = []
    for key, (text, line) in entries.items():
        if key not in reference:
            near = difflib.get_close_matches(key, reference, 1)
            hint = f"; did you mean {near[0]}?" if near else ""
            problems.append(f"{path}:{line}: {key}: not a text of {REFERENCE}.yaml{hint}")
            continue
        wanted, got = placeholders(reference[key][0]), placeholders(text)
        if wanted != got:
            problems.append(
                f"{path}:{line}: {key}: placeholders {_braces(got)}, expected {_braces(wanted)} as in {REFERENCE}.yaml"
            )
    problems += [
        f"{path}: {key}: missing; {REFERENCE}.yaml says {text!r}"
        for key, (text, _) in reference.items()
        if key not in entries
    ]
    if problems:
        raise TextsError("\n".join(problems))


def _braces(names: frozenset[str]) -> str:
    return " ".join(f"{{{name}}}" for name in sorted(names)) or "none"
