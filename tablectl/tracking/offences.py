"""Draws that the rules forbid: a tile taken out of turn, or too early; a draw that was left out.

Other offences are steps (`steps`), or tiles that lie where they do not belong (`alerts`).
"""

from __future__ import annotations

from math import exp, log
from typing import Final

from tablectl.game import actions as act
from tablectl.game import events as ev
from tablectl.game.state import Phase
from tablectl.tracking.beliefs import Beliefs
from tablectl.tracking.hypotheses import Judgement
from tablectl.tracking.outages import Sight
from tablectl.tracking.outlook import Outlook
from tablectl.tracking.places import HAND, MELD, RIVER, WALL

#: priors: a tile taken before the discard
EARLY_DRAW: Final = -4.0
#: ... that is not the next one: rather the tile before it has a damaged tag
EARLY_NOT_DUE: Final = -11.0
#: log-weight from which a tile may lie there
WEIGHED_FROM: Final = -6.0
#: log-odds and reads from which an offence is told
OFFENCE_SURE: Final = 5.0
OFFENCE_READS: Final = 3
#: ... while the discard may lie there unseen
HIDDEN_READS: Final = 9
#: ... of a tile on which the seat would win, had the next seat discarded it
WON_READS: Final = 60
#: ... of a tile that went back to the wall, where nothing was sure while it lay there
PUT_BACK_READS: Final = 6
#: reads at another seat after which a draw that nobody saw is taken back
PHANTOM_READS: Final = 3


class Offences:
    """Watches the draws of one hand."""

    def __init__(self, beliefs: Beliefs, sight: Sight) -> None:
        self._beliefs = beliefs
        self._sight = sight
        #: tags of the wall that answered in the hand of a seat whose turn it is not, and in which reads of it
        self._taken: dict[tuple[str, int], set[int]] = {}

    def nothing(self, look: Outlook) -> float:
        """The log-weight of no step having happened: a tile drawn too early lies in a hand without a step."""
        return log(1.0 + sum(exp(min(weight, 60.0)) for _, _, weight in self._early_draws(look)))

    def out_of_turn(self, look: Outlook, judgement: Judgement) -> list[act.Action]:
        """A tile drawn by a seat whose turn it is not, once nothing else explains it."""
        if look.phase is Phase.DECLARED or not self._sight.blames(self._beliefs.t):
            return []
        told = [*self._drawn_early(look, judgement), *self._put_back()]
        self._forget_gone()
        return told

    def left_out(self) -> list[act.Action]:
        """A draw was told that no antenna saw, because the turn had passed; now the tile turns up at another seat: the
        seat had not drawn at all (少张)."""
        now = self._beliefs
        for tag, seat in list(now.unseen.items()):
            if now.presence.lies(tag) != HAND[seat] or tag in now.presence.zone(HAND[seat]).last:
                del now.unseen[tag]
            elif self._lies_elsewhere(tag, seat):
                del now.unseen[tag]
                now.told.clear()
                now.wall.put_back(tag)
                side = WALL[now.wall.side_of(tag) or 0]
                now.presence.place(tag, side, now.t - PHANTOM_READS * now.period)
                for seq, event in reversed(now.standing()):
                    if isinstance(event, ev.TileDrawn) and (event.actor, event.pai) == (seat, now.tiles[tag]):
                        suspect = now.watch.say(now.t, "wrong_tile_count", seat, "discarded without having drawn")
                        return [act.Amend(t=now.t, replaces=seq, event=None), *suspect]
        return []

    def _early_draws(self, look: Outlook) -> list[tuple[str, int, float]]:
        """Tiles of the wall that lie at a seat which may not draw now: tag, seat, log-weight."""
        now, presence = self._beliefs, self._beliefs.presence
        taken = [
            (tag, seat)
            for seat in range(4)
            if (zone := presence.zones.get(HAND[seat])) is not None and zone.strange and not _may_draw(look, seat)
            for tag in zone.strange
            if presence.lies(tag).startswith("wall")
        ]
        if not taken:
            return []
        found = []
        due = now.wall.due("live")
        odds = now.wall.odds(due) if due is not None else {}
        for tag, seat in taken:
            prior = EARLY_DRAW if tag in odds or not odds else EARLY_NOT_DUE
            if now.early.get(tag) == seat:
                prior = 0.0
            weight = prior + presence.way(tag, HAND[seat]).support
            if weight > WEIGHED_FROM:
                found.append((tag, seat, weight))
        return found

    def _drawn_early(self, look: Outlook, judgement: Judgement) -> list[act.Action]:
        now = self._beliefs
        told: list[act.Action] = []
        for tag, seat, weight in self._early_draws(look):
            zone = now.presence.zone(HAND[seat])
            sure = weight > OFFENCE_SURE and (judgement.step is None or judgement.margin < -OFFENCE_SURE)
            enough = zone.strange[tag] >= (HIDDEN_READS if self._hidden_discard(look) else OFFENCE_READS)
            if tag not in now.early and enough and sure and not self._won(tag, seat, look, zone.strange[tag]):
                now.early[tag] = seat
                detail = f"{now.tiles[tag].code} drawn before the discard"
                told += now.watch.say(now.t, "draw_out_of_turn", seat, detail, (tag, seat))
            self._taken.setdefault((tag, seat), set()).add(zone.count)
        return told

    def _put_back(self) -> list[act.Action]:
        """Tiles that went back to the wall before anything was sure."""
        now = self._beliefs
        told: list[act.Action] = []
        for (tag, seat), reads in list(self._taken.items()):
            in_wall = now.presence.lies(tag).startswith("wall")
            if in_wall and now.presence.answered(tag, HAND[seat]):
                continue
            del self._taken[tag, seat]
            if in_wall and len(reads) >= PUT_BACK_READS:
                detail = f"{now.tiles[tag].code} taken and put back"
                told += now.watch.say(now.t, "draw_out_of_turn", seat, detail, (tag, seat))
        return told

    def _forget_gone(self) -> None:
        """Tiles drawn out of turn that do not lie there any more."""
        now, presence = self._beliefs, self._beliefs.presence
        for tag, seat in list(now.early.items()):
            if tag not in presence.zone(HAND[seat]).last and not presence.way(tag, HAND[seat]).support > 0:
                del now.early[tag]
                presence.place(tag, presence.lies(tag), now.t)

    def _won(self, tag: str, seat: int, look: Outlook, reads: int) -> bool:
        """Whether ``seat`` may have taken the tile for its win, from the river where nothing read it: a person is about
        to judge that."""
        if look.phase is not Phase.DISCARDED or reads >= WON_READS:
            return False
        return bool(self._beliefs.wins(seat, self._beliefs.tiles[tag], (look.turn + 1) % 4))

    def _hidden_discard(self, look: Outlook) -> bool:
        """Whether a tile of the seat in turn may lie in the river, by some reading of it there or by its silence in the
        hand."""
        presence = self._beliefs.presence
        hand = presence.zone(HAND[look.turn])
        if any(presence.answered(tag, RIVER[look.turn]) for tag in hand.tags):
            return True
        return any(run >= OFFENCE_READS for run in hand.missing.values())  # on an edge it answers across it

    def _lies_elsewhere(self, tag: str, seat: int) -> bool:
        """Whether a tile told as drawn by ``seat`` answers at another one."""
        now = self._beliefs
        hand = now.table.hand
        if hand is not None and hand.phase is Phase.TURN and hand.turn == seat:
            return False  # it may be on its way
        places = (*HAND, *RIVER, *(MELD if now.tiles[tag] in now.table.rules.play.flowers else ()))
        winners = [n for n, key in now.keys.fresh.items() if key == "win"]  # they may take it as a discard
        others = [name for name in places if not name.endswith(str(seat)) and int(name[-1]) not in winners]
        return max((now.presence.zone(name).strange.get(tag, 0) for name in others), default=0) >= PHANTOM_READS


def _may_draw(look: Outlook, seat: int) -> bool:
    """Whether a draw of ``seat`` is due, or may be once what is going on is finished."""
    if look.phase in (Phase.DISCARDED, Phase.LAST_ROUND):
        return seat == (look.turn + 1) % 4
    if look.phase is Phase.FLOWERS:
        return look.owed[seat] > 0
    return seat == look.turn
