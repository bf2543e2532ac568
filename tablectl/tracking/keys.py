"""Keys as evidence: a call says what a seat means to do; the tiles say what it did.

A call is told to the table only when the moves before it are: a player is quicker than the antennas, and the table must
not take a call on a discard that it does not know of yet for one on the discard before.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tablectl.base.reports import KeyPressed
from tablectl.game import actions as act
from tablectl.tracking.steps import Step

#: seconds for which a call speaks for a claim that follows
FRESH_S = 6.0
#: keys that announce moves of tiles; ``win`` is told as a declared win when the tiles before it are told
CALLS = frozenset({"chow", "pung", "kong", "win"})
#: read periods for which a call is held back, so that a discard just made can be read
HOLD_PERIODS = 2.0


@dataclass(slots=True)
class Keys:
    """The calls still to be carried out, by seat, and the presses that the table does not know of yet."""

    fresh: dict[int, str] = field(default_factory=dict)
    since: dict[int, float] = field(default_factory=dict)
    held: list[act.Press] = field(default_factory=list)

    def pressed(self, report: KeyPressed) -> list[act.Action]:
        """Take a key: the press to tell at once, unless it is a call."""
        press = act.Press(t=report.t, seat=report.seat, key=report.key, n=report.n)
        if report.key not in CALLS:
            return [press]
        self.fresh[report.seat] = report.key
        self.since[report.seat] = report.t
        self.held.append(press)
        return []

    def due(self, t: float, period: float) -> list[act.Action]:
        """Calls to tell now that nothing is on the way; a win that no hand bears out is told last."""
        told = [
            press for press in self.held if t - press.t >= (FRESH_S if press.key == "win" else HOLD_PERIODS * period)
        ]
        self.held = [press for press in self.held if press not in told]
        return list(told)

    def fade(self, t: float) -> None:
        """Forget calls that were not carried out."""
        for seat in [seat for seat, since in self.since.items() if t - since > FRESH_S]:
            del self.fresh[seat], self.since[seat]

    def used(self, step: Step) -> list[act.Action]:
        """The calls that ``step`` answers, to tell before it. A draw answers none: the call may be about the new tile."""
        if step.kind in ("draw", "flower"):
            return []
        told = [press for press in self.held if press.seat == step.seat]
        self.held = [press for press in self.held if press.seat != step.seat]
        self.fresh.pop(step.seat, None)
        self.since.pop(step.seat, None)
        return [press for press in told if press.key != "win"]
