"""Options of rule systems: how they are declared, read and explained.

A rule system declares them as a pydantic model::

    class Options(RuleOptions):
        claim_seconds: int = option(3, "a pung or kong may be called so long after the discard", "J20", ge=0, le=60)

`read` makes such a model from a mapping and tells all mistakes at once; `describe` lists it for people.
"""

from __future__ import annotations

import typing
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from types import NoneType
from typing import Any, Literal, TypeVar, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic.fields import FieldInfo

from tablectl.rules.api import RulesError


class RuleOptions(BaseModel):
    """Base of all option models: frozen, no unknown names, no silent conversion (``"3"`` is no number).

    Sequences are tuples in the model; a document's lists are taken for them.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    @model_validator(mode="before")
    @classmethod
    def _lists_are_tuples(cls, given: Any) -> Any:
        return {name: _as_tuple(value) for name, value in given.items()} if isinstance(given, dict) else given


def _as_tuple(value: Any) -> Any:
    return tuple(_as_tuple(item) for item in value) if isinstance(value, list) else value


_Model = TypeVar("_Model", bound=BaseModel)


def option(default: Any, meaning: str, paragraph: str, **limits: Any) -> Any:
    """A field of an option model. ``paragraph`` of the specification; ``limits`` as for `pydantic.Field`."""
    return Field(default, description=meaning, json_schema_extra={"paragraph": paragraph}, **limits)


def nearest(name: str, names: Iterable[str]) -> str:
    """``; did you mean 'cap'?``, or all names where none is near."""
    names = sorted(names)
    close = get_close_matches(name, names, n=1, cutoff=0.5)
    return f"; did you mean {close[0]!r}?" if close else f"; expected one of {', '.join(names)}"


def values(table: Mapping[str, int]) -> Callable[[Mapping[str, int]], dict[str, int]]:
    """For `pydantic.AfterValidator`: lay the values given over those of ``table``, refuse unknown names."""

    def merged(given: Mapping[str, int]) -> dict[str, int]:
        unknown = [f"unknown name {name!r}{nearest(name, table)}" for name in given if name not in table]
        if unknown:
            raise ValueError("; ".join(unknown))
        return {**table, **given}

    return merged


def read(model: type[_Model], given: Mapping[str, Any]) -> _Model:
    """The options of a mapping, defaults for what it leaves out.

    Raises:
        RulesError: with one problem for every unknown name and every bad value.
    """
    try:
        return model(**{str(name): value for name, value in given.items()})
    except ValidationError as error:
        raise RulesError(*(_problem(model, dict(item)) for item in error.errors())) from None


def _problem(model: type[BaseModel], error: dict[str, Any]) -> str:
    name, *inside = map(str, error["loc"])
    if error["type"] == "extra_forbidden":
        return f"{name}: unknown option{nearest(name, model.model_fields)}"
    where = ".".join([name, *inside])
    expected = str(error["msg"]).removeprefix("Value error, ")
    field = model.model_fields.get(name)
    hint = f" ({_paragraph(field)}: {field.description})" if field is not None else ""
    return f"{where}: {error['input']!r}: {expected[:1].lower()}{expected[1:]}{hint}"


@dataclass(frozen=True, slots=True)
class OptionLine:
    """One option for a person: ``type`` in words (``int 0–60``, ``all | first``)."""

    name: str
    type: str
    default: Any
    meaning: str
    paragraph: str


def describe(model: type[BaseModel]) -> tuple[OptionLine, ...]:
    """All options of a model in the order of its specification."""
    return tuple(
        OptionLine(
            name,
            _words(field),
            field.get_default(call_default_factory=True),
            field.description or "",
            _paragraph(field),
        )
        for name, field in model.model_fields.items()
    )


def _paragraph(field: FieldInfo) -> str:
    extra = field.json_schema_extra
    return str(extra.get("paragraph", "")) if isinstance(extra, dict) else ""


def _words(field: FieldInfo) -> str:
    limits = {key: getattr(item, key) for item in field.metadata for key in ("ge", "le") if hasattr(item, key)}
    text = _type_words(field.annotation)
    if "ge" in limits or "le" in limits:
        text += f" {limits.get('ge', '')}–{limits.get('le', '')}"
    return text


def _type_words(hint: Any) -> str:
    origin, args = get_origin(hint), get_args(hint)
    if origin is typing.Annotated:
        return _type_words(args[0])
    if origin is Literal:
        return " | ".join(str(arg) for arg in args)
    if origin is tuple:
        return "list"
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return "map"
    if args:
        return " | ".join("null" if arg is NoneType else _type_words(arg) for arg in args)
    return str(getattr(hint, "__name__", hint))
