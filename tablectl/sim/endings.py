"""How the hands of a match ended, counted: wins by way, circumstance and fan, drawn hands, payments, ends of match."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from tablectl.game import events as ev


def endings(events: Iterable[ev.Event]) -> Counter[str]:
    """What happened how often.

    ``hands``, ``won``; of wins the way (``self_draw``, ``discard``, ``robbed``, and ``2 winners`` of one tile …), the
    circumstances (`rules.api.How`) and fans; ``overtaken``: a good win that came second; ``drawn: …`` and ``match: …``
    with the reason; payments and facts by kind (``chase``, ``wild_discard`` …); melds by type (``ankan`` …).
    """
    found: Counter[str] = Counter()
    declared: dict[int, ev.WinDeclared] = {}
    kong = False
    winners = 0
    for event in events:
        if isinstance(event, (ev.TileDiscarded, ev.AddedKongMade)):
            kong = isinstance(event, ev.AddedKongMade)
        if isinstance(event, ev.WinDeclared):
            declared[event.actor] = event
        elif isinstance(event, ev.WinWithdrawn) and event.reason in ("not_first", "outranked"):
            found["overtaken"] += 1
        elif isinstance(event, ev.HandWon):
            winners += 1
            drawn = event.actor == event.target
            found["won"] += winners == 1
            found["self_draw" if drawn else "robbed" if kong else "discard"] += 1
            found.update(declared[event.actor].how)
            found.update(event.fans.keys())
        elif isinstance(event, ev.HandDrawn):
            found[f"drawn: {event.reason}"] += 1
        elif isinstance(event, ev.HandEnded):
            found["hands"] += 1
            if winners > 1:
                found[f"{winners} winners"] += 1
            declared, winners = {}, 0
        elif isinstance(event, ev.MatchEnded):
            found[f"match: {event.reason}"] += 1
        elif isinstance(event, ev.PointsPaid):
            found[event.reason] += 1
        elif isinstance(event, ev.IncidentNoted):
            found[event.kind] += 1
        elif isinstance(event, (ev.ConcealedKongMade, ev.AddedKongMade, ev.ExposedKongMade)):
            found[event.type] += 1
    return found
