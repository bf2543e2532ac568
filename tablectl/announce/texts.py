"""Texts in the languages of the displays and the speaker, loaded from ``config/texts/``.

A language is one YAML file, ``zh.yaml``, ``en.yaml``, of nested keys; ``turn: {label: …}`` is the key ``turn.label``.
All languages have the same keys with the same placeholders; `load_texts` says where they do not, all places at once.
``fans.en.yaml`` holds the names of fans in English; rule systems name them in Chinese.
"""

from __future__ import annotations

import string
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Final

from tablectl import documents
from tablectl.documents import DocumentError, Node, Problem, Problems, nearest

#: The language that says which keys and placeholders exist.
REFERENCE: Final = "zh"
LANGUAGES: Final = ("zh", "en")
FOLDER: Final = Path(__file__).resolve().parent.parent.parent / "config" / "texts"


class Word(ABC):
    """A value whose words depend on the language: a seat, a fan (`announce.words`)."""

    @abstractmethod
    def words(self, texts: Texts) -> str:
        """How ``texts`` say it."""


@dataclass(frozen=True, eq=False)
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
        DocumentError: no such language, a file that is no mapping of texts, keys or placeholders other than those of
            `REFERENCE`; all of them at once, with file and line.
    """
    path = folder / f"{language}.yaml"
    if not path.is_file():
        known = sorted(file.stem for file in folder.glob("*.yaml") if "." not in file.stem)
        message = f"no texts in language {language!r}; there are {', '.join(known) or 'none'}"
        raise DocumentError([Problem(str(path), 0, 0, message)])
    entries = _read(path)
    if language != REFERENCE:
        _compare(path, entries, _read(folder / f"{REFERENCE}.yaml"))
    fans = folder / f"fans.{language}.yaml"
    return Texts(language, _plain(entries), _plain(_read(fans)) if fans.is_file() else {})


@lru_cache(maxsize=1024)
def placeholders(text: str) -> frozenset[str]:
    """The names in braces; raises ValueError for braces that do not match."""
    return frozenset(name for _, name, _, _ in string.Formatter().parse(text) if name is not None)


def _plain(entries: Mapping[str, Node]) -> dict[str, str]:
    return {key: node.text for key, node in entries.items()}


def _read(path: Path) -> dict[str, Node]:
    """Flat key → the text's node. Raises DocumentError."""
    root = documents.load(path)
    problems = Problems(str(path))
    entries: dict[str, Node] = {}
    if not isinstance(root.value, dict):
        problems.add(root, "expected a mapping of keys to texts")
    for key, node in _flatten(root):
        if isinstance(node.value, list) or node.value is None:
            problems.add(node, f"{key}: expected a text or a mapping of texts")
            continue
        try:
            placeholders(node.text)
        except ValueError as error:
            problems.add(node, f"{key}: {error}; write {{{{ and }}}} for plain braces")
        entries[key] = node
    problems.raise_if_any()
    return entries


def _flatten(node: Node, prefix: str = "") -> Iterator[tuple[str, Node]]:
    if isinstance(node.value, dict):
        for key, child in node.value.items():
            yield from _flatten(child, f"{prefix}.{key}" if prefix else str(key))
    elif prefix:
        yield prefix, node


def _compare(path: Path, entries: Mapping[str, Node], reference: Mapping[str, Node]) -> None:
    """Raises DocumentError where keys or placeholders are not those of the reference."""
    problems = Problems(str(path))
    for key, node in entries.items():
        if key not in reference:
            problems.add(node, f"{key}: not a text of {REFERENCE}.yaml{nearest(key, reference)}")
            continue
        wanted, got = placeholders(reference[key].text), placeholders(node.text)
        if wanted != got:
            problems.add(node, f"{key}: placeholders {_braces(got)}, expected {_braces(wanted)} as in {REFERENCE}.yaml")
    for key, node in reference.items():
        if key not in entries:
            problems.found.append(Problem(str(path), 0, 0, f"{key}: missing; {REFERENCE}.yaml says {node.text!r}"))
    problems.raise_if_any()


def _braces(names: frozenset[str]) -> str:
    return " ".join(f"{{{name}}}" for name in sorted(names)) or "none"
