"""Everything on, as `tablectl sim --fast` plays it: in each rule system the record is what really happened."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tablectl.app import shipped
from tablectl.core.simulation import play
from tablectl.core.site import Site, load_site
from tablectl.rules.registry import RULE_SETS, load

HANDS = 2


def site(rules: str) -> Site:
    found = load_site(shipped("config", "sim.yaml"))
    settings = found.settings
    sim = settings.sim.model_copy(update={"noise": "clean"})
    section = settings.rules.model_copy(update={"id": rules, "options": {}})
    return replace(found, settings=settings.model_copy(update={"sim": sim, "rules": section}), rules=load(rules))


@pytest.mark.parametrize("rules", sorted(RULE_SETS))
def test_the_record_is_what_happened(rules: str) -> None:
    match = play(site(rules), seed=3, hands=HANDS)
    assert (match.wrong, match.alerts, match.hands) == ([], 0, HANDS)
