"""The rule system in force, as far as a page needs to know it."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from tablectl.announce.texts import load_texts
from tablectl.game import rulings
from tablectl.rules.api import RuleSet


@lru_cache(maxsize=1)
def rules_json(rules: RuleSet) -> dict[str, Any]:
    """Its names, its fans with their English names, in what units a referee rules, who agrees to a win, the kinds
    it is played with, what of an event can be corrected. What can be done now: `offers`."""
    english, penalties = load_texts("en").fans, rules.penalties
    values = {entry.name: entry.value for entry in rules.fan_table()}
    return {
        "id": rules.id,
        "zh": rules.name_zh,
        "en": rules.name_en,
        "fans": {"values": values, "en": {name: english[name] for name in values if name in english}},
        "penalties": {"amounts": list(penalties.amounts), "to": penalties.to, "pot": penalties.pot},
        "referee_confirms": rules.play.referee_confirms,
        "dice": rules.play.dice_count,
        "kinds": [tile.code for tile in sorted(rules.tile_set.counts)],
        "correctable": {kind: list(what) for kind, what in rulings.CORRECTABLE.items()},
    }
