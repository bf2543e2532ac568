"""Every numbered paragraph of the seven specifications that a program can obey is cited by a test.

A test cites in a comment (``# J84``, ``# fuzhou T203, fujian T203``), a case in its ``why``. Where the system is not
named before the number, it is that of the file's name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tablectl.rules.registry import RULE_SETS

TESTS: Final = Path(__file__).parent
RULES: Final = TESTS.parent / "docs" / "rules"
LETTERS: Final = {system: {"competition": "J", "zhenjiang": "Z"}.get(system, "T") for system in RULE_SETS}
_WORD: Final = re.compile(rf"\b({'|'.join(RULE_SETS)})\b|\b([JTZ])(\d+)(?:–[JTZ]?(\d+))?\b")

#: What no program can obey, and why.
BEYOND: Final = {
    "competition": {
        16: "how players hold their tiles before camera and referee",
        135: "no antenna tells where in a zone a tile lies, and the paragraph wants a hint, no alert",
    },
    "zhenjiang": {
        714: "telephones, smoking, insults, cheating: nothing of it is seen",
        715: "the chief referee decides",
    },
    "beijing": {21: "places are changed with the referee's consent, not by the table"},
}


def paragraphs(system: str) -> set[int]:
    """The numbers of a specification: those that begin a paragraph, and those of rows of tables."""
    letter = LETTERS[system]
    text = (RULES / f"{system}.md").read_text(encoding="utf-8")
    found = re.finditer(rf"^(?:- )?\*\*{letter}(\d+)\b|^\| {letter}(\d+) \|", text, re.MULTILINE)
    return {int(match[1] or match[2]) for match in found}


def citing_lines() -> Iterator[tuple[str, str]]:
    """The comments of tests and the texts of cases, each with the systems its file is about."""
    for path in sorted((*TESTS.rglob("*.py"), *TESTS.rglob("*.yaml"))):
        for line in path.read_text(encoding="utf-8").splitlines():
            _, mark, comment = line.partition("#")
            if path.suffix == ".yaml":
                yield path.name, line
            elif mark:
                yield path.name, comment


def cited() -> dict[str, set[int]]:
    found: dict[str, set[int]] = {system: set() for system in RULE_SETS}
    for name, line in citing_lines():
        told = None
        for word in _WORD.finditer(line):
            if word[1]:
                told = word[1]
                continue
            first, last = int(word[3]), int(word[4] or word[3])
            own = [system for system in RULE_SETS if LETTERS[system] == word[2]]
            about = [told] if told in own else [s for s in own if len(own) == 1 or s in name]
            for system in about:
                found[system].update(range(first, last + 1))
    return found


@pytest.fixture(scope="module")
def citations() -> dict[str, set[int]]:
    return cited()


@pytest.mark.parametrize("system", sorted(RULE_SETS))
def test_every_paragraph_is_cited(system: str, citations: dict[str, set[int]]) -> None:
    told = paragraphs(system)
    assert len(told) > 50
    missing = told - citations[system] - BEYOND.get(system, {}).keys()
    assert not missing, f"{system}: no test cites {', '.join(f'{LETTERS[system]}{n}' for n in sorted(missing))}"


@pytest.mark.parametrize("system", sorted(BEYOND))
def test_what_is_beyond_a_program_is_a_paragraph(system: str, citations: dict[str, set[int]]) -> None:
    assert BEYOND[system].keys() <= paragraphs(system)
    assert not BEYOND[system].keys() & citations[system]
