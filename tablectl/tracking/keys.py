"""Keys as evidence: a call says what a seat means to do; the tiles say what it did."""

from __future__ import annotations

from dataclasses import dataclass, field

from tablectl.base.reports import KeyPressed
from tablectl.game import actions as act
from tablectl.tracking.steps import Step

#: seconds for which a call speaks for a claim that follows
FRESH_S = 6.0
#: keys that announce moves of tiles
CALLS = frozenset({"chow", "pung", "kong", "win"})


@dataclass(slots=True)
class Keys:
    """The calls still to be carried out, by seat."""

    fresh: dict[int, str] = field(default_factory=dict)
    _since: dict[int, float] = field(default_factory=dict)

    def pressed(self, report: KeyPressed) -> list[act.Action]:
        """Remember a call. Every key is passed on but ``win``: that is told when the tiles before it are."""
        if report.key in CALLS:
            self.fresh[report.seat] = report.key
            self._since[report.seat] = report.t
        if report.key == "win":
            return []
        return [act.Press(t=report.t, seat=report.seat, key=report.key, n=report.n)]

    def fade(self, t: float) -> None:
        """Forget calls that were not carried out."""
        for seat in [seat for seat, since in self._since.items() if t - since > FRESH_S]:
            del self.fresh[seat], self._since[seat]

    def used(self, step: Step) -> None:
        """A step that carries out the call of its seat, or a discard that makes all calls before it idle."""
        if step.kind == "discard" or step.seat in self.fresh:
            self.fresh.pop(step.seat, None)
            self._since.pop(step.seat, None)
