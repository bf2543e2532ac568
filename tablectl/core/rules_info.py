"""The rule system in force, as far as a page needs to know it."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from tablectl.announce.texts import load_texts
from tablectl.game import rulings
from tablectl.rules.api import RuleSet


@lru_cache(maxsize=1)
def rules_json(rules: RuleSet) -> dict[str, Any]:
    """Its names, its fans with their English names, what a referee may rule and in what units, who agrees to a win."""
    english, penalties = load_texts("en").fans, rules.penalties
    values = {entry.name: entry.value for entry in rules.fan_table()}
    return {
        "id": rules.id,
        "zh": rules.name_zh,
        "en": rules.name_en,
        "fans": {"values": values, "en": {name: english[name] for name in values if name in english}},
        "rulings": [do for do in rulings.ACTS if _known(do, rules)],
        "penalties": {"amounts": list(penalties.amounts), "to": penalties.to, "pot": penalties.pot},
        "referee_confirms": rules.play.referee_confirms,
        "points_announced": rules.play.points_announced,
        "score_queries": rules.play.score_queries is not None,
        "dice": rules.play.dice_count,
        "indicator": rules.play.indicator != "none",
        "extra_keys": sorted(rules.play.extra_keys),
    }


def _known(do: str, rules: RuleSet) -> bool:
    """Whether the rule system has this ruling at all."""
    if do == "announce":
        return rules.play.points_announced
    if do == "extra_time":
        return rules.play.match_minutes is not None
    if do == "count":
        return rules.play.points_in_play is not None
    if do == "apart":
        return "inserted" in rules.incident_kinds
    return rulings.FACTS.get(do) in (None, *rules.incident_kinds)
