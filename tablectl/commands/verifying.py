"""What `tablectl hands verify` looks at: that a match replays, that its accounts sum, that its seals were kept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from tablectl.base.journal import Entry
    from tablectl.rules.api import RuleSet

#: the share of tiles that must lie where the seal and the dice say: where the lanes told every tile, and where they
#: missed one (then those between the gap and where it was believed to be are off by one)
MUST_AGREE: Final = 0.9
MUST_AGREE_WITH_GAPS: Final = 0.5


@dataclass
class Checked:
    """What was found in one match. ``unopened``: seals that were never opened; ``agreeing`` of ``compared`` tiles that
    players got lay where the sealed wall and the dice say."""

    wrong: list[str] = field(default_factory=list)
    hands: int = 0
    sealed: int = 0
    unopened: list[str] = field(default_factory=list)
    agreeing: int = 0
    compared: int = 0


def check_match(entries: list[Entry]) -> Checked:
    """Look at a match, from its start to before the next one."""
    from tablectl.game.events import EventError, from_json
    from tablectl.game.fold import FoldError
    from tablectl.game.record import records
    from tablectl.game.sheet import sheets
    from tablectl.game.table import Table
    from tablectl.rules.api import RulesError
    from tablectl.rules.registry import load

    start, checked = entries[0], Checked()
    where = f"match of event {start.seq}"
    try:
        rules = load(start.data["rules"], start.data.get("options", {}))
        replayed = Table.replay(rules, (from_json(entry.data) for entry in entries), first_seq=start.seq)
    except (EventError, FoldError, RulesError) as error:
        checked.wrong.append(f"{where}: {error}")
        return checked
    for sheet in sheets(replayed.events, rules, first_seq=start.seq):
        checked.wrong += [f"{where}, game {sheet.game}, {problem}" for problem in sheet.wrong]
    for hand in records(replayed.events, start.seq):
        if hand[-1]["type"] == "end_kyoku":
            checked.hands += 1
            _check_seals(hand, rules, f"{where}, hand {hand[0]['hand']}", checked)
    promised = {entry.data["digest"] for entry in entries if entry.type == "commitment"}
    for entry in entries:
        if entry.type == "opened" and entry.data["digest"] not in promised:
            checked.wrong.append(f"event {entry.seq}: a seal was opened that was never made: {entry.data['digest']}")
    return checked


def _check_seals(hand: list[dict[str, Any]], rules: RuleSet, where: str, checked: Checked) -> None:
    start = hand[0]
    opened = {entry["digest"]: entry for entry in start.get("opened", [])}
    for promise in start.get("commitments", []):
        shown = opened.get(promise["digest"])
        if shown is None:
            checked.unopened.append(f"{where}: the seal of the {promise['what']} was never opened")
        elif promise["what"] == "wall":
            checked.wrong += [f"{where}: {problem}" for problem in _wall(promise, shown, hand, rules, checked)]
        else:
            checked.wrong += [f"{where}: {problem}" for problem in _dice(promise, shown, start["dice"])]
        checked.sealed += 1


def _wall(
    promise: Mapping[str, Any], shown: Mapping[str, Any], hand: list[dict[str, Any]], rules: RuleSet, checked: Checked
) -> Iterator[str]:
    from tablectl.game.fairness import agreement, built_of, verify

    built = built_of(shown["built"])
    problem = verify(promise["digest"], built, shown["secret"])
    if problem:
        yield f"wall: {problem}"
        return
    found = agreement(built, hand, rules)
    if found is None:
        return
    checked.agreeing += found.agreeing
    checked.compared += found.compared
    least = MUST_AGREE_WITH_GAPS if promise.get("unknown") else MUST_AGREE
    if found.agreeing < least * found.compared:
        yield f"wall: only {found.agreeing} of {found.compared} tiles lay where the sealed wall and the dice say"


def _dice(promise: Mapping[str, Any], shown: Mapping[str, Any], dice: list[int]) -> Iterator[str]:
    from tablectl.drivers.dice import Throw, verify

    thrown: list[int] = []
    for throw in shown.get("throws", []):
        told = Throw(promise["digest"], throw["message"], throw["counter"], tuple(throw["dice"]))
        problem = verify(told, bytes.fromhex(shown["secret"]))
        if problem:
            yield f"dice, throw {throw['counter']}: {problem}"
        thrown += throw["dice"]
    if not _within(dice, thrown):
        yield f"dice: {dice} counted, {thrown} were thrown with the sealed secret"


def _within(counted: list[int], thrown: list[int]) -> bool:
    """Whether the dice that counted were thrown, in this order. More may have been: for the first dealer, or again."""
    left = iter(thrown)
    return all(face in left for face in counted)
