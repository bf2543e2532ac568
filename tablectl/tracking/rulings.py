"""What a person said about the hand, and what of it waits until the moves before it are told."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tablectl.base.reports import RefereeActed
from tablectl.game import actions as act
from tablectl.game import events as ev
from tablectl.game.state import Hand, Phase
from tablectl.tiles.notation import NotationError, parse_tile
from tablectl.tiles.tile import Tile
from tablectl.tracking.beliefs import Beliefs
from tablectl.tracking.places import HAND, MELD
from tablectl.tracking.presence import MEMORY

#: rulings on a hand that is over; others are made while it is played
JUDGING: Final = frozenset(
    {"confirm", "refuse", "false_win", "announce", "amend", "draw_hand", "replay_hand", "end_game"}
)


class Rulings:
    """What waits, of one hand."""

    def __init__(self, beliefs: Beliefs) -> None:
        self._beliefs = beliefs
        self._waiting: list[act.Action] = []

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def take(self, action: act.Action) -> None:
        """It is told once nothing more is held back: a person has judged the hand, or takes it in."""
        self._waiting.append(action)

    def give(self) -> list[act.Action]:
        """All that waits, to be told now."""
        given, self._waiting = self._waiting, []
        return given

    @property
    def judged(self) -> bool:
        """Whether a person has seen the hand to its end: it is judged, or its tiles go in."""
        return any(not isinstance(action, act.Rule) or action.do in JUDGING for action in self._waiting)

    def unsaid_win(self, hand: Hand) -> list[act.Action]:
        """A confirmation without a declared win: nobody pressed the key and the hand was shown where it stood. It is
        that of the only seat whose hand wins now, or that has taken a discard for it."""
        if not self._confirmed(hand):
            return []
        seats = [seat for seat in range(4) if self._beliefs.wins(seat)]
        if not seats:
            return self._taken_unseen(hand)
        return [act.DeclareWin(t=self._beliefs.t, seat=seats[0])] if len(seats) == 1 else []

    def _taken_unseen(self, hand: Hand) -> list[act.Action]:
        """A discard that no antenna saw where it was made: it lies with the seat that took it for its win."""
        now = self._beliefs
        moves: list[act.Action] = []
        if hand.phase is Phase.DISCARDED:  # drawn unseen too
            other, due = hand.next_seat, now.wall.due("live")
            tag = now.wall.likely(due) if due is not None else None
            tags = [tag] if tag is not None else []
            moves = [act.Draw(t=now.t, seat=other, tile=now.tiles[tag], end="live") for tag in tags]
        elif hand.phase in (Phase.TURN, Phase.CLAIMED):
            other, tags = hand.turn, sorted(now.presence.zone(HAND[hand.turn]).tags)
        else:
            return []
        takers = [
            (tag, seat)
            for tag in tags
            for seat in range(4)
            if seat != other and self._shows(tag, seat) and now.wins(seat, now.tiles[tag], other)
        ]
        if len(takers) != 1:
            return []
        [(tag, seat)] = takers
        discard = act.DiscardTile(t=now.t, seat=other, tile=now.tiles[tag])
        return [*moves, discard, act.DeclareWin(t=now.t, seat=seat)]

    def not_discarded(self, hand: Hand) -> bool:
        """Whether a person confirms a win, nobody's hand wins, and that of the seat did which discarded last: where the
        tile was read in the hand again, and not in the river since, it was won with and not discarded."""
        now = self._beliefs
        if not self._confirmed(hand) or hand.phase is not Phase.DISCARDED or not now.told:
            return False
        step = now.told[-1].step
        if step.kind != "discard" or any(now.wins(seat) for seat in range(4)):
            return False
        [(tag, river)] = step.moves
        back = now.presence.went(tag, river, HAND[step.seat], MEMORY)
        return back and bool(now.wins(step.seat, step.tile))

    def _confirmed(self, hand: Hand) -> bool:
        """Whether a win is confirmed that nobody has declared."""
        return any(isinstance(w, act.Rule) and w.do == "confirm" for w in self._waiting) and not hand.declared

    def won(self, hand: Hand, name: str) -> set[str]:
        """Tags of the seat in turn that lie in zone ``name``, of another seat which would win on them: it may have
        taken a discard that nobody saw, and a person is about to judge that."""
        now, seat = self._beliefs, int(name[-1])
        if hand.phase not in (Phase.TURN, Phase.CLAIMED) or seat == hand.turn or name not in (HAND[seat], MELD[seat]):
            return set()
        tags = now.presence.zones[name].strange.keys() & now.presence.zone(HAND[hand.turn]).tags
        return {tag for tag in tags if now.wins(seat, now.tiles[tag], hand.turn)}

    def _shows(self, tag: str, seat: int) -> bool:
        """Whether ``tag`` answers from the tiles of ``seat``, where it was not told to be."""
        zones = self._beliefs.presence.unfit
        return any(tag in zones[name].strange for name in (HAND[seat], MELD[seat]) if name in zones)


def ruling(report: RefereeActed) -> act.Rule:
    """What a referee entered, as an action."""
    data = report.act
    event = data.get("event")
    return act.Rule(
        t=report.t,
        do=str(data.get("do", "")),
        by=str(data.get("by", "referee")),
        seat=data.get("seat"),
        points=data.get("points"),
        to=data.get("to"),
        reason=str(data.get("reason", "")),
        replaces=data.get("replaces"),
        event=ev.from_json(event) if isinstance(event, Mapping) else None,
        pai=_named(data.get("pai")),
    )


def _named(code: object) -> Tile | None:
    """The tile of a ruling; None where it names none (the table says then what it needs)."""
    try:
        return parse_tile(str(code)) if code is not None else None
    except NotationError:
        return None
