"""Telling steps and taking them back: the tags move, the wall and the calls follow, the step becomes actions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tablectl.game import actions as act
from tablectl.game import events as ev
from tablectl.game.alerts import OUT_OF_TURN
from tablectl.game.state import Hand, Phase
from tablectl.tiles.meld import MeldKind
from tablectl.tracking.beliefs import Beliefs
from tablectl.tracking.hypotheses import CLAIMS
from tablectl.tracking.outlook import EVENT_OF, Outlook, Step, Told
from tablectl.tracking.places import HAND, MELD, RIVER
from tablectl.tracking.presence import SURE_READS

#: steps that can be taken back again
MOST_TOLD: Final = 5
#: alerts that a discard, flower or meld brings about in the game; they go with it
BROUGHT_ABOUT: Final = frozenset(
    {
        *("flower_discarded", "flower_kept", "wild_discarded", "mechanical_discard", "penalty_tile_kept"),
        *("first_wildcard_kept", "wildcard_not_shown", "second_wildcard_hidden", "wrong_tile_count"),
        *("false_meld", "kong_refused", "late_claim", "wrong_call"),
    }
)


class Teller:
    """Tells the steps of one hand."""

    def __init__(self, beliefs: Beliefs) -> None:
        self._beliefs = beliefs
        #: when a tile was drawn that went back to the wall just now
        self._overtaken: float | None = None

    def tell(self, step: Step, times: Mapping[str, float], look: Outlook, t: float) -> list[act.Action]:
        """``step`` from ``look`` is believed, made at the time ``t``; ``times``: when its tags came to their places."""
        if step.kind == "retract":
            return self.take_back(t)
        now = self._beliefs
        homes = tuple((tag, now.presence.lies(tag)) for tag, _ in step.moves)
        for tag, place in step.moves:
            now.presence.follow(tag, place, times[tag])
        now.event_t = t
        if step.kind == "win":
            for tag, _ in step.moves:
                now.presence.settle(tag)
        elif step.moves and (look.phase is not Phase.LAST_ROUND or step.kind == "draw"):  # a discard becomes no event
            now.told.append(Told(step, look, homes, t))
            if len(now.told) > MOST_TOLD:
                self._settle(now.told.pop(0))
        hand = now.table.hand
        assert hand is not None  # a step of play
        calls = now.keys.used(step, t, hand)
        late = self._late_claim(step, calls, hand, t)
        self._overtaken = None
        return [*calls, *self._action(step, t), *late]

    def settle_sure(self) -> None:
        """Tags that answer again and again where they were told to be do lie there."""
        presence = self._beliefs.presence
        for told in self._beliefs.told:
            for tag, place in told.step.moves:
                if presence.came_from(tag) and presence.lies(tag) == place and presence.sure(tag):
                    presence.settle(tag)

    def _settle(self, told: Told) -> None:
        """A step is old enough to be sure."""
        open_tags = {tag for later in self._beliefs.told for tag, _ in later.step.moves}
        for tag, _ in told.step.moves:
            if tag not in open_tags:
                self._beliefs.presence.settle(tag)

    def _late_claim(self, step: Step, calls: list[act.Action], hand: Hand, t: float) -> list[act.Action]:
        """A claim for which a tile went back to the wall that had been drawn: too late, unless it was called before."""
        now = self._beliefs
        if self._overtaken is None or step.kind not in CLAIMS or now.table.rules.play.claim_seconds is not None:
            return []
        if hand.calls.get(step.seat) in ("pung", "kong") or any(call.t < self._overtaken for call in calls):
            return []
        about = (step.seat, len(hand.discards))
        return [*now.watch.say(t, "late_claim", step.seat, "after the next draw", about)]

    def _action(self, step: Step, t: float) -> list[act.Action]:
        now = self._beliefs
        seat, tags = step.seat, [tag for tag, _ in step.moves]
        match step.kind:
            case "draw":
                return self._draw(step, tags[0] if tags else None, t)
            case "flower":
                assert step.tile is not None
                return [act.LayFlower(t=t, seat=seat, tile=step.tile)]
            case "discard":
                assert step.tile is not None
                now.last, now.drawn = tags[0], None
                now.won.clear()
                return [act.DiscardTile(t=t, seat=seat, tile=step.tile)]
            case "win":
                now.won.add(seat)
                return [act.DeclareWin(t=now.t, seat=seat)]
            case "pung":
                now.pungs[seat].append(tuple(tags))
            case "added_kong":
                now.last = tags[0]
        kind = MeldKind(step.kind)
        return [act.LayMeld(t=t, seat=seat, kind=kind, tile=step.tile, consumed=step.consumed)]

    def _draw(self, step: Step, tag: str | None, t: float) -> list[act.Action]:
        now = self._beliefs
        zones = (HAND[step.seat], MELD[step.seat], RIVER[step.seat])
        seen = tag is not None and any(now.presence.answered(tag, zone) for zone in zones)
        now.wall.took(tag, step.position, seen=seen)
        if tag is not None:
            now.early.pop(tag, None)
            if tag not in now.presence.zone(HAND[step.seat]).last:
                now.unseen[tag] = step.seat
        if step.end == "live":
            now.drawn = tag
        actions: list[act.Action] = [act.Draw(t=t, seat=step.seat, tile=step.tile, end=step.end)]
        if step.offence and tag not in now.unwatched:
            detail = f"{step.tile} is not the tile due"
            actions += now.watch.say(t, step.offence, step.seat, detail, (tag, step.seat))
        return actions

    def take_back(self, t: float) -> list[act.Action]:
        """The last step told was none: its event goes out of the record, with what it brought about. Alerts about a
        draw stay: the tile may have been drawn, and put back."""
        now = self._beliefs
        told = now.told.pop()
        step = told.step
        now.retracted[step.sense] = now.t
        for tag, home in told.homes:
            if step.kind == "draw":  # put back: what was read of it says nothing about its being drawn again
                now.presence.place(tag, home, now.t)
            else:
                now.presence.back(tag, home, now.t)
        now.last, now.drawn = told.before.last or now.last, told.before.drawn
        if step.kind == "draw":
            for tag, _ in step.moves:
                now.wall.put_back(tag)
                lay = sum(tag in read for _, read, _ in now.presence.zone(HAND[step.seat]).reads)
                self._overtaken = told.t if lay >= SURE_READS else None
        if step.kind == "pung":
            now.pungs[step.seat].pop()
        actions: list[act.Action] = []
        for seq, event in reversed(now.standing()):
            if isinstance(event, EVENT_OF[step.kind]) and getattr(event, "actor", None) == step.seat:
                return [*actions, act.Amend(t=t, replaces=seq, event=None)]
            alerted = isinstance(event, ev.Alerted) and event.seat == step.seat and _brought_about(event)
            called = step.kind == "discard" and now.keys.again(event)
            if isinstance(event, (ev.PointsPaid, ev.IncidentNoted, ev.HandKilled)) or alerted or called:
                actions.append(act.Amend(t=t, replaces=seq, event=None))
        return []


def _brought_about(alert: ev.Alerted) -> bool:
    """Whether the game itself raised an alert, about a step that it was told."""
    return alert.code in BROUGHT_ABOUT or alert.detail == OUT_OF_TURN
