"""Cases written down again: what `parse_cases` takes back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tablectl.rules.api import Incident, Win
from tablectl.rules.cases import _EXTRA, Case
from tablectl.tiles.notation import format_melds, format_tiles


def to_document(case: Case) -> dict[str, Any]:
    """The case as plain lists, mappings, text and numbers, in the order of the form; `parse_cases` takes it back."""
    situation, expect = case.situation, case.expect
    document: dict[str, Any] = {
        "id": case.id,
        "rules": case.rules,
        "options": dict(case.options),
        "dealer": situation.dealer,
        "prevalent": situation.prevalent.code,
        "streak": situation.streak,
        "points": list(situation.points),
        "indicator": None if situation.indicator is None else situation.indicator.code,
        "stakes": dict(situation.stakes),
        "events": [_event_document(incident) for incident in situation.incidents],
        "wins": [_win_document(win) for win in situation.wins],
    }
    if situation.carry:
        document["carry"] = dict(situation.carry)
    if expect is not None:
        document["expect"] = {
            "legal": _one_or_list(expect.legal),
            "reason": _one_or_list(expect.reason),
            "fans": _one_or_list([dict(fans) for fans in expect.fans]),
            "score": _one_or_list(expect.score),
            "payments": list(expect.payments),
        }
    if case.why:
        document["why"] = case.why
    return document


def _win_document(win: Win) -> dict[str, Any]:
    return {
        "seat": win.seat,
        "concealed": format_tiles(win.concealed),
        "melds": format_melds(win.melds),
        "flowers": format_tiles(win.flowers),
        "tile": win.tile.code,
        "from": win.source,
        "how": sorted(how.value for how in win.how),
    }


def _event_document(incident: Incident) -> dict[str, Any]:
    extra = {key: incident.extra[key] for key in _EXTRA if key in incident.extra}
    if "tiles" in extra:
        extra["tiles"] = format_tiles(extra["tiles"])
    return {"kind": incident.kind, "seat": incident.seat, "from": incident.source, **extra}


def _one_or_list(values: Sequence[Any]) -> Any:
    return values[0] if len(values) == 1 else list(values)
