"""The rule systems by id: one line each. Adding one: docs/adding-a-rule-system.md."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any, Final

from tablectl.rules.api import RulesError, RuleSet
from tablectl.rules.options import nearest, read

#: id → where its class is. Loaded on first use, so that a table starts with the rules it plays and no others.
RULE_SETS: Final[Mapping[str, str]] = {
    "beijing": "tablectl.rules.beijing:Beijing",
    "competition": "tablectl.rules.competition:Competition",
    "fujian": "tablectl.rules.fujian:Fujian",
    "fuzhou": "tablectl.rules.fuzhou:Fuzhou",
    "mcr": "tablectl.rules.mcr:Mcr",
    "tianjin": "tablectl.rules.tianjin:Tianjin",
    "zhenjiang": "tablectl.rules.zhenjiang:Zhenjiang",
}


def rule_class(id: str) -> type[RuleSet]:
    """The class of a rule system.

    Raises:
        RulesError: no rule system has this id; the message names the nearest one.
    """
    if id not in RULE_SETS:
        raise RulesError(f"unknown rule system {id!r}{nearest(id, RULE_SETS)}")
    module, _, name = RULE_SETS[id].partition(":")
    found: type[RuleSet] = getattr(import_module(module), name)
    return found


def load(id: str, options: Mapping[str, Any] | None = None) -> RuleSet:
    """The rule system ``id`` with these options, defaults for the others.

    Raises:
        RulesError: unknown id, unknown options, bad values: all of them at once.
    """
    rules = rule_class(id)
    return rules(read(rules.Options, options or {}))
