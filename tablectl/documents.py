"""Documents that people write, YAML or JSON: read with the place of every value, checked against a pydantic model, and
every error told at once with file, line, column and key.

Scalars are those of YAML 1.2 (so `no` and `on` are text). Anchors, aliases and tags are refused: nothing here needs
them, and a few lines with aliases can stand for gigabytes.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeVar, get_args

import yaml
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

#: in characters; a case takes about 600
MAX_LENGTH: Final = 4_000_000
MAX_DEPTH: Final = 32

#: a value inside a document: keys and indices from the top
Path_ = Sequence[str | int]
Key = str | int
Scalar = str | int | float | bool | None
Model = TypeVar("Model", bound=BaseModel)

_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_WORDS: Final[Mapping[str, Scalar]] = {
    "": None,
    "~": None,
    **{spelling: value for word, value in (("null", None), ("true", True), ("false", False))
       for spelling in (word, word.capitalize(), word.upper())},
}  # fmt: skip
_INTEGER: Final = re.compile(r"[-+]?[0-9]{1,4000}")
_FLOAT: Final = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong in a document. ``line`` and ``column`` count from 1; 0 where there is no place."""

    source: str
    line: int
    column: int
    message: str

    def __str__(self) -> str:
        place = f":{self.line}:{self.column}" if self.line else ""
        return f"{self.source}{place}: {self.message}"


class DocumentError(ValueError):
    """A document that cannot be used: ``problems`` are all that is wrong with it, in the order of the text."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems: Final = tuple(sorted(problems, key=lambda found: (found.source, found.line, found.column)))
        super().__init__("\n".join(map(str, self.problems)))


@dataclass(frozen=True, slots=True)
class Node:
    """A value of a document and where it stands (from 1). A mapping also knows where its keys stand, a scalar how it
    was written (``0042`` is the number 42)."""

    value: Scalar | list[Node] | dict[Key, Node]
    line: int
    column: int
    keys: Mapping[Key, Node] = field(default_factory=dict)
    text: str = ""

    def plain(self) -> Any:
        """The value without places."""
        if isinstance(self.value, dict):
            return {key: node.plain() for key, node in self.value.items()}
        if isinstance(self.value, list):
            return [node.plain() for node in self.value]
        return self.value

    def at(self, path: Path_) -> Node:
        """The value at ``path``, or the innermost one around it that is there."""
        node = self
        for step in path:
            if isinstance(node.value, list):
                children: dict[Key, Node] = dict(enumerate(node.value))
            else:
                children = node.value if isinstance(node.value, dict) else {}
            if step not in children:
                break
            node = children[step]
        return node

    def items(self) -> list[Node]:
        """The elements of a list, or the value itself as the only one."""
        return self.value if isinstance(self.value, list) else [self]


class Problems:
    """What is wrong in one document, gathered until all of it has been looked at."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.found: list[Problem] = []

    def add(self, node: Node, message: str) -> None:
        self.found.append(Problem(self.source, node.line, node.column, message))

    def raise_if_any(self) -> None:
        """Raises `DocumentError` with everything found."""
        if self.found:
            raise DocumentError(self.found)


def nearest(word: object, words: Iterable[str]) -> str:
    """``; did you mean 'x'?`` with the nearest of ``words``, or nothing where none is near."""
    close = difflib.get_close_matches(str(word), list(words), n=1, cutoff=0.6)
    return f"; did you mean {close[0]!r}?" if close else ""


def named(path: Path_) -> str:
    """``wins[0].seat``."""
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return text.removeprefix(".")


# --- reading


def load(path: Path) -> Node:
    """The document in the file ``path``. Raises `DocumentError`."""
    return parse(read_text(path), str(path))


def read_text(path: Path) -> str:
    """The text in the file ``path``. Raises `DocumentError`."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise DocumentError([Problem(str(path), 0, 0, f"not UTF-8 text at byte {error.start}")]) from error
    except OSError as error:
        raise DocumentError([Problem(str(path), 0, 0, f"cannot be read: {error.strerror}")]) from error


def parse(text: str, source: str) -> Node:
    """The one document in ``text``; ``source`` names it in errors. Raises `DocumentError`."""
    text = text.removeprefix("\ufeff")
    if len(text) > MAX_LENGTH:
        raise DocumentError([Problem(source, 0, 0, f"{len(text)} characters long; at most {MAX_LENGTH} are read")])
    if text.lstrip()[:1] in ("{", "["):
        text = text.replace("\t", " ")  # JSON may be indented with tabs, YAML may not
    problems = Problems(source)
    try:
        node = _document(yaml.parse(text, Loader=_LOADER), problems)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
        line, column = (mark.line + 1, mark.column + 1) if mark else (0, 0)
        what = ", ".join(filter(None, (getattr(error, "context", None), getattr(error, "problem", None))))
        message = f"neither YAML nor JSON: {what or str(error).splitlines()[0]}"
        lines = text.split("\n")
        if mark and mark.line < len(lines) and lines[mark.line][mark.column : mark.column + 1] == "\t":
            message = "a tab; expected spaces: YAML is indented with spaces only"
        raise DocumentError([*problems.found, Problem(source, line, column, message)]) from error
    except UnicodeError as error:
        raise DocumentError([Problem(source, 0, 0, "holds half a character (a lone surrogate)")]) from error
    problems.raise_if_any()
    return node


def _document(events: Iterator[yaml.Event], problems: Problems) -> Node:
    """The first document of the stream; a second one is a problem."""
    node: Node | None = None
    for event in events:
        if isinstance(event, yaml.DocumentStartEvent):
            if node is not None:
                problems.add(_here(event), "a second document begins here; expected only one")
                break
            node = _compose(next(events), events, problems, depth=1)
    return node or Node(None, 1, 1)


def _compose(event: yaml.Event, events: Iterator[yaml.Event], problems: Problems, depth: int) -> Node:
    here = _here(event)
    if isinstance(event, yaml.AliasEvent):
        problems.add(here, f"alias *{event.anchor}: aliases are not read; write the value itself")
        return here
    assert isinstance(event, yaml.NodeEvent)
    if event.anchor is not None:
        problems.add(here, f"anchor &{event.anchor}: anchors are not read")
    if getattr(event, "tag", None) is not None:
        problems.add(here, f"tag {event.tag}: tags are not read")  # type: ignore[attr-defined]
    if isinstance(event, yaml.ScalarEvent):
        return Node(_scalar(event), here.line, here.column, text=event.value)
    if depth > MAX_DEPTH:
        problems.add(here, f"nested more than {MAX_DEPTH} deep")
        raise DocumentError(problems.found)
    if isinstance(event, yaml.SequenceStartEvent):
        elements = []
        while not isinstance(event := next(events), yaml.SequenceEndEvent):
            elements.append(_compose(event, events, problems, depth + 1))
        return Node(elements, here.line, here.column)
    values: dict[Key, Node] = {}
    keys: dict[Key, Node] = {}
    while not isinstance(event := next(events), yaml.MappingEndEvent):
        key_node = _compose(event, events, problems, depth + 1)
        value = _compose(next(events), events, problems, depth + 1)
        key = key_node.value
        if isinstance(key, bool) or not isinstance(key, str | int):
            problems.add(key_node, f"found {shown(key_node.plain())} as a key, expected a word or a number")
        elif key in values:
            problems.add(key_node, f"key {key!r} stands twice, first in line {keys[key].line}")
        else:
            values[key], keys[key] = value, key_node
    return Node(values, here.line, here.column, keys)


def _here(event: yaml.Event) -> Node:
    mark = event.start_mark
    assert mark is not None
    return Node(None, mark.line + 1, mark.column + 1)


def _scalar(event: yaml.ScalarEvent) -> Scalar:
    text: str = event.value
    if not event.implicit[0]:  # quoted
        return text
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.fullmatch(text):
        return int(text)
    return float(text) if _FLOAT.fullmatch(text) else text


# --- checking


def check(node: Node, model: type[Model], problems: Problems, name: str = "") -> Model | None:
    """``node`` as a ``model``, or None with everything wrong in it added to ``problems``; ``name`` stands before the
    keys in messages."""
    try:
        return model.model_validate(node.plain())
    except ValidationError as error:
        for detail in error.errors(include_url=False):
            path = detail["loc"]
            place = node.at(path)
            if detail["type"] == "extra_forbidden":
                place = node.at(path[:-1]).keys.get(path[-1], place)
            text = f"{named(path)}: {_said(detail, model)}" if path else _said(detail, model)
            problems.add(place, f"{name}: {text}" if name else text)
    return None


def shown(value: object) -> str:
    """A value as messages show it: short, as it is written."""
    if value is None or isinstance(value, bool):
        return str(value).lower().replace("none", "null")
    if isinstance(value, Mapping | list | tuple):
        return "a list" if isinstance(value, list | tuple) else "a mapping"
    text = repr(value)
    return text if len(text) <= 40 else text[:39] + "…"


def _said(detail: ErrorDetails, model: type[BaseModel]) -> str:
    found = shown(detail["input"])
    match detail["type"]:
        case "missing":
            return "this key is missing"
        case "extra_forbidden":
            return f"unknown key{nearest(detail['loc'][-1], _keys(model, detail['loc'][:-1]))}"
        case "value_error":
            return str(detail["ctx"]["error"])
        case "enum" | "literal_error":
            words = re.findall(r"'([^']*)'", detail["ctx"]["expected"])
            return f"found {found}, expected {detail['ctx']['expected']}{nearest(detail['input'], words)}"
        case "model_type" | "dict_type":
            return f"found {found}, expected a mapping (key: value)"
        case "list_type" | "tuple_type":
            return f"found {found}, expected a list"
        case "string_type":
            return f"found {found}, expected text"
        case "int_type":
            return f"found {found}, expected a whole number"
        case "float_type":
            return f"found {found}, expected a number"
        case "bool_type" | "bool_parsing":
            return f"found {found}, expected on or off"
        case _:
            message = detail["msg"].replace("Input should be ", "expected ")
            return f"found {found}, {message[0].lower()}{message[1:]}"


def _keys(model: type[BaseModel], path: Path_) -> list[str]:
    """The keys that ``model`` takes at ``path``."""
    for step in path:
        info = next((f for n, f in model.model_fields.items() if step in (n, f.alias)), None)
        inner = _model_in(info.annotation) if info else model if isinstance(step, int) else None
        if inner is None:
            return []
        model = inner
    return [info.alias or name for name, info in model.model_fields.items()]


def _model_in(annotation: Any) -> type[BaseModel] | None:
    """The model that an annotation such as ``list[Model] | None`` speaks of."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next(filter(None, map(_model_in, get_args(annotation))), None)
