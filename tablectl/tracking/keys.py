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
from tablectl.game.events import ClaimCalled, Event, TileShown
from tablectl.game.opening import shows_discard
from tablectl.game.state import Hand, Phase
from tablectl.tiles.tile import Tile
from tablectl.tracking.outlook import Step

#: seconds for which a call speaks for a claim that follows
FRESH_S = 6.0
#: keys about moves of tiles, with the seconds for which they are held back until the moves before them are told;
#: ``win`` is told as a declared win, ``pass`` to a win called before it after it, ``show`` with its discard
PATIENCE_S: Final[Mapping[str, float]] = {
    **{"chow": 3.0, "pung": 3.0, "kong": 3.0},
    **{"win": FRESH_S, "pass": FRESH_S, "show": FRESH_S},
}
CALLS: Final = frozenset(PATIENCE_S) - {"pass", "show"}

#: ... and a call that fits the discard before the tile in play is about that one, and late
LATE_S: Final = 1.5

#: a call that is pressed once more, or only when its meld lies, comes within so many seconds of it
SAID_AFTER_S: Final = 2.5

#: the call that a claim answers
CALL_OF: Final[Mapping[str, str]] = {"chow": "chow", "pung": "pung", "exposed_kong": "kong"}

#: ... and those that go with kongs of one's own
KEY_OF: Final[Mapping[str, str]] = {**CALL_OF, "concealed_kong": "kong", "added_kong": "kong"}

#: equal tiles standing that a claim needs
NEEDED: Final[Mapping[str, int]] = {"pung": 2, "kong": 3}


@dataclass(slots=True)
class Keys:
    """The calls still to be carried out, by seat, and the presses that the table does not know of yet."""

    fresh: dict[int, str] = field(default_factory=dict)
    since: dict[int, float] = field(default_factory=dict)
    held: list[act.Press] = field(default_factory=list)
    #: the last claim that each seat carried out, and when
    made: dict[int, tuple[str, float]] = field(default_factory=dict)

    def pressed(self, report: KeyPressed) -> list[act.Action]:
        """Take a key: the press to tell at once, unless it is a call."""
        press = act.Press(t=report.t, seat=report.seat, key=report.key, n=report.n)
        agrees = report.key == "pass" and any(called.key == "win" for called in self.held)
        if agrees or report.key == "show":  # about a win, or a discard, that the table may not know of yet
            self.held.append(press)
            return []
        if report.key not in CALLS:
            return [press]
        called, made_at = self.made.get(report.seat, ("", 0.0))
        if called == report.key and report.t - made_at <= SAID_AFTER_S:
            return []  # the meld lies already
        self.fresh[report.seat] = report.key
        self.since[report.seat] = report.t
        self.held.append(press)
        return []

    def set_aside(self, step: Step, t: float) -> Keys:
        """Take out what is not about ``step``, told for the time ``t`` without anybody having seen when it was made:
        what was pressed after that, and every other call."""
        about = [
            press
            for press in self.held
            if press.key == "show" or (press.t <= t and (press.seat, press.key) == (step.seat, KEY_OF.get(step.kind)))
        ]
        aside = Keys(held=[press for press in self.held if press not in about])
        self.held = about
        for seat in [seat for seat, since in self.since.items() if since > t]:
            aside.fresh[seat], aside.since[seat] = self.fresh.pop(seat), self.since.pop(seat)
        return aside

    def take_back(self, aside: Keys) -> None:
        """What was set aside counts again."""
        self.held += aside.held
        self.fresh |= aside.fresh
        self.since |= aside.since

    def due(self, t: float, hand: Hand, seen_since: float) -> list[act.Action]:
        """Calls to tell now that nothing is on the way: those that fit what the table knows, and those that nothing
        came of since the antennas saw all of it (``seen_since``). A win that no hand bears out is told last."""
        told = [p for p in self.held if _fits(p, hand) or t - max(p.t, seen_since) >= _patience(p, hand)]
        self.held = [press for press in self.held if press not in told]
        return list(told)

    def fade(self, t: float) -> None:
        """Forget calls that were not carried out."""
        for seat in [seat for seat, since in self.since.items() if t - since > FRESH_S]:
            del self.fresh[seat], self.since[seat]

    def again(self, told: Event) -> bool:
        """A key was told about a discard that was none: it waits for another one. Whether ``told`` was such a key."""
        if isinstance(told, TileShown) and told.what == "discard":
            key = "show"
        elif isinstance(told, ClaimCalled) and (told.claim in NEEDED or told.claim == "chow"):
            key = told.claim
        else:
            return False
        self.held.append(act.Press(t=told.t or 0.0, seat=told.actor, key=key))
        return True

    def wins(self) -> list[act.Action]:
        """Wins called that no hand bears out, to tell before a person rules on them."""
        told = [press for press in self.held if press.key == "win"]
        self.held = [press for press in self.held if press.key != "win"]
        return list(told)

    def used(self, step: Step, t: float, hand: Hand) -> list[act.Action]:
        """The keys that ``step``, made at the time ``t``, answers or passes over, to tell before it; the discard that
        lies is shown before anything follows it. A draw answers no call: that may be about the new tile. What was
        pressed later is about what came later, however late the step is told."""
        shown = [press for press in self.held if press.key == "show" and _fits(press, hand)]
        self.held = [press for press in self.held if press not in shown]
        if step.kind in ("draw", "flower"):
            return list(shown)
        if step.kind in CALL_OF:
            self.made[step.seat] = (CALL_OF[step.kind], t)
        others = ("pass",) if step.kind == "discard" and step.tile in hand.wild else ("pass", "show")
        own = [p for p in self.held if p.seat == step.seat and p.t <= _until(p.key, step, t) and p.key not in others]
        told = shown + own
        if step.kind == "discard":
            told += [
                press for press in self.held if press.seat != step.seat and _passed_over(press, step.tile, t, hand)
            ]
        played_on = step.kind == "discard" and hand.phase is Phase.TURN and hand.turn == step.seat
        if not played_on:  # a hand that wins is told as a step
            told = [press for press in told if press.key != "win"]
        elif any(press.key == "win" for press in told):
            told += [press for press in self.held if press.key == "pass"]
        self.held = [press for press in self.held if press not in told and press not in own]
        if self.since.get(step.seat, 0.0) <= _until(self.fresh.get(step.seat), step, t):
            self.fresh.pop(step.seat, None)
            self.since.pop(step.seat, None)
        return list(told)


def _until(key: str | None, step: Step, t: float) -> float:
    """Until when a key of the seat that made ``step`` at the time ``t`` belongs to it: hands are full, and it may be
    pressed afterwards. But a win called after a discard is none on what the seat held before it."""
    return t if step.kind == "discard" and key == "win" else t + LATE_S


def _passed_over(press: act.Press, tile: Tile | None, t: float, hand: Hand) -> bool:
    """Whether a call was about the discard before the one of ``tile`` at the time ``t``: that one the seat could have
    claimed, and this one not; or it could claim neither, and the call came sooner after that one than before this."""
    if press.key not in NEEDED or hand.phase is not Phase.TURN or not hand.discards:
        return False
    if hand.since is None or not hand.since <= press.t < t:
        return False
    standing, needed = hand.seats[press.seat].standing, NEEDED[press.key]
    if standing.count(tile) >= needed:
        return t - press.t > PATIENCE_S[press.key]
    return standing.count(hand.discards[-1].tile) >= needed or press.t - hand.since < t - press.t


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
    if press.key == "show":
        return shows_discard(hand, press.seat)
    if press.key == "kong" and hand.phase is Phase.TURN:
        return hand.turn == press.seat
    last = hand.last_discard
    if hand.phase is not Phase.DISCARDED or last is None or hand.since is None or hand.since > press.t:
        return False
    if press.key == "chow":
        return hand.next_seat == press.seat
    return press.key in NEEDED and hand.turn != press.seat and standing.count(last.tile) >= NEEDED[press.key]
