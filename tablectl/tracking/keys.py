"""Keys as evidence: a call says what a seat means to do; the tiles say what it did.

A call is told to the table only when the moves before it are: a player is quicker than the antennas, and the table must
not take a call on a discard that it does not know of yet for one on the discard before.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from tablectl.base.reports import KeyPressed
from tablectl.game import actions as act
from tablectl.game.state import Hand, Phase
from tablectl.tracking.steps import Step

#: seconds for which a call speaks for a claim that follows
FRESH_S = 6.0
#: keys that announce moves of tiles, with the seconds for which they are held back until the moves before them are
#: told; ``win`` is told as a declared win, ``pass`` to a win called before it is told after it
PATIENCE_S: Final[Mapping[str, float]] = {"chow": 3.0, "pung": 3.0, "kong": 3.0, "win": FRESH_S, "pass": FRESH_S}
CALLS: Final = frozenset(PATIENCE_S) - {"pass"}


#: ... and a call that fits the discard before the tile in play is about that one, and late
LATE_S: Final = 1.5

#: equal tiles standing that a claim needs
NEEDED: Final[Mapping[str, int]] = {"pung": 2, "kong": 3}


@dataclass(slots=True)
class Keys:
    """The calls still to be carried out, by seat, and the presses that the table does not know of yet."""

    fresh: dict[int, str] = field(default_factory=dict)
    since: dict[int, float] = field(default_factory=dict)
    held: list[act.Press] = field(default_factory=list)

    def pressed(self, report: KeyPressed) -> list[act.Action]:
        """Take a key: the press to tell at once, unless it is a call."""
        press = act.Press(t=report.t, seat=report.seat, key=report.key, n=report.n)
        if report.key == "pass" and any(called.key == "win" for called in self.held):
            self.held.append(press)  # agreed to a win that the table does not know of yet
            return []
        if report.key not in CALLS:
            return [press]
        self.fresh[report.seat] = report.key
        self.since[report.seat] = report.t
        self.held.append(press)
        return []

    def due(self, t: float, hand: Hand) -> list[act.Action]:
        """Calls to tell now that nothing is on the way: those that fit what the table knows, and those that nothing
        came of. A win that no hand bears out is told last."""
        told = [press for press in self.held if _fits(press, hand) or t - press.t >= _patience(press, hand)]
        self.held = [press for press in self.held if press not in told]
        return list(told)

    def fade(self, t: float) -> None:
        """Forget calls that were not carried out."""
        for seat in [seat for seat, since in self.since.items() if t - since > FRESH_S]:
            del self.fresh[seat], self.since[seat]

    def used(self, step: Step) -> list[act.Action]:
        """The calls that ``step`` answers, to tell before it. A draw answers none: a call may be about the new tile."""
        if step.kind in ("draw", "flower"):
            return []
        told = [press for press in self.held if press.seat == step.seat]
        self.held = [press for press in self.held if press.seat != step.seat]
        self.fresh.pop(step.seat, None)
        self.since.pop(step.seat, None)
        return [press for press in told if press.key != "win"]


def _patience(press: act.Press, hand: Hand) -> float:
    """Seconds for which a press waits for the moves before it."""
    return LATE_S if _late(press, hand) else PATIENCE_S[press.key]


def _late(press: act.Press, hand: Hand) -> bool:
    """Whether a call came after the next seat had drawn, from somebody who could have claimed the discard before."""
    if press.key not in NEEDED or hand.phase is not Phase.TURN or not hand.discards or hand.since is None:
        return False
    last = hand.discards[-1]
    holds = hand.seats[press.seat].standing.count(last.tile) >= NEEDED[press.key]
    return holds and press.seat not in (last.seat, hand.turn) and hand.since <= press.t


def _fits(press: act.Press, hand: Hand) -> bool:
    """Whether a call can be about what the table knows: the discard that lies, or the tile the seat holds."""
    standing = hand.seats[press.seat].standing
    if press.key == "pass":
        return hand.phase is Phase.DECLARED
    if press.key == "kong" and hand.phase is Phase.TURN:
        return hand.turn == press.seat
    last = hand.last_discard
    if hand.phase is not Phase.DISCARDED or last is None or hand.since is None or hand.since > press.t:
        return False
    if press.key == "chow":
        return hand.next_seat == press.seat
    return press.key in NEEDED and hand.turn != press.seat and standing.count(last.tile) >= NEEDED[press.key]
