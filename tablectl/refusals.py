"""Why something that a person asked for is not done, in every language of the page. The words are data, in
``refusals.yaml`` beside this file, by key."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Final

LANGUAGES: Final = ("zh", "en")


class Refusal:
    """One reason: its key, and the values that its words name. A value with words of its own is a `Refusal`, or a list
    of them."""

    def __init__(self, key: str, /, **values: object) -> None:
        self.key = key
        self.values = values

    def text(self, language: str) -> str:
        """In ``language`` (``zh``, ``en``). Raises KeyError: the words are lacking, a mistake in the program."""
        told = {name: _told(value, language) for name, value in self.values.items()}
        return words()[self.key][language].format_map(told)

    def __str__(self) -> str:
        return self.text("en")


def _told(value: object, language: str) -> str:
    if isinstance(value, list):
        return ("、" if language == "zh" else ", ").join(_told(part, language) for part in value)
    return value.text(language) if isinstance(value, Refusal) else str(value)


class Refused(Exception):
    """What was asked for is not done; ``refusal`` says why."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(str(refusal))
        self.refusal = refusal


@cache
def words() -> Mapping[str, Mapping[str, str]]:
    """By key and language; a key has the same values in every language."""
    import yaml  # only where something is refused

    text = resources.files("tablectl").joinpath("refusals.yaml").read_text(encoding="utf-8")
    found: Mapping[str, Mapping[str, str]] = yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    return found
