"""The indicator that is turned up after the deal: only the order of the wall says which tile it is.

Where a lane missed a tile, the indicator may be one of several: the likeliest kind is told, and a person is asked. What
is seen later corrects it: tiles drawn from the wall weigh its orders, and a tile that turns up in a hand was not it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tablectl.game import actions as act
from tablectl.game.state import Hand
from tablectl.tiles.tile import Tile
from tablectl.tiles.wall import Deck
from tablectl.tracking.alerts import SURE_READS
from tablectl.tracking.beliefs import Beliefs
from tablectl.tracking.places import APART, AWAY, MELD, WALL

#: probabilities by the wall above which a tile may be the indicator, and from which it is
DOUBTFUL_SHARE: Final = 0.05
SURE_SHARE: Final = 0.98
#: seconds that the dealer needs to turn up the indicator
TURN_SECONDS: Final = 1.0
#: read periods after that in which a flower is read that was put before the dealer
SHOWN_PERIODS: Final = 4
#: where a tile lies that was not drawn
UNDRAWN: Final = ("wall", AWAY)


class Indicator:
    """Tells the indicators of one hand."""

    def __init__(self, beliefs: Beliefs) -> None:
        self._beliefs = beliefs
        #: the position of one that may be another tile, and the tag that was taken for it
        self._doubtful: tuple[int, str] | None = None

    def turned(self, hand: Hand, deck: Deck) -> list[act.Action]:
        """The indicator, where the dice or the tail of the wall say which tile it is."""
        now = self._beliefs
        position = deck.indicator if deck.indicator is not None else now.wall.due("tail")
        if position is None or position in now.wall.emptied:
            return []
        now.restless = True
        waited = now.t - max(now.event_t, hand.since or 0.0) - TURN_SECONDS
        if deck.indicator is None and waited < 0:
            return []
        odds = {tag: p for tag, p in now.wall.odds(position).items() if now.presence.lies(tag).startswith(UNDRAWN)}
        if not odds:
            detail = "the order of the wall is not known: which tile is the indicator? Enter it (match.indicator)"
            return [*now.watch.say(now.t, "wall_mismatch", None, detail, "indicator")]
        if self._may_show(odds):
            shown = {tag for tag in odds if now.presence.answered(tag, MELD[hand.dealer])}
            if not shown and waited < SHOWN_PERIODS * now.period:
                return []
            odds = {tag: p for tag, p in odds.items() if (tag in shown if shown else not self._goes_to_dealer(tag))}
        tag = self._likeliest(odds)
        self._take(hand, position, tag)
        now.event_t = now.t
        told = act.TurnIndicator(t=now.t, tile=now.tiles[tag], seat=hand.dealer)
        kinds = sorted(kind for kind, p in self._kinds(odds).items() if p > DOUBTFUL_SHARE * sum(odds.values()))
        if len(kinds) < 2:
            return [told]
        self._doubtful = position, tag
        detail = f"the indicator may be {' or '.join(kind.code for kind in kinds)}: which lies there? (match.indicator)"
        return [told, *now.watch.say(now.t, "wall_mismatch", None, detail, "indicator")]

    def corrected(self) -> list[act.Action]:
        """The indicator, where the lanes left open which tile it is, once what is seen of the others tells it."""
        if self._doubtful is None:
            return []
        now, (position, taken) = self._beliefs, self._doubtful
        hand = now.table.hand
        if hand is None or hand.indicator is not now.tiles[taken]:  # a person has said
            self._doubtful = None
            return []
        odds = now.wall.odds(position)
        refuted = any(zone.strange.get(taken, 0) >= SURE_READS for zone in now.presence.unfit.values())
        if refuted:  # it was drawn
            odds = {tag: p for tag, p in odds.items() if tag != taken}
        if not odds:
            return []
        tag = self._likeliest(odds)
        sure = self._kinds(odds)[now.tiles[tag]] >= SURE_SHARE
        self._doubtful = None if sure and not refuted else (position, tag if refuted else taken)
        if tag == taken or not (sure or refuted):
            return []
        now.wall.put_back(taken)
        now.presence.place(taken, WALL[now.wall.side_of(taken) or 0], now.t)
        self._take(hand, position, tag)
        if now.tiles[tag] is now.tiles[taken]:
            return []
        return [act.TurnIndicator(t=now.t, tile=now.tiles[tag], seat=hand.dealer)]

    def _take(self, hand: Hand, position: int, tag: str) -> None:
        """``tag`` lies where the indicator lies."""
        now = self._beliefs
        now.wall.took(tag, position, seen=False)
        if now.table.rules.play.indicator_lies == "apart":
            now.presence.place(tag, MELD[hand.dealer] if self._goes_to_dealer(tag) else APART, now.t)

    def _goes_to_dealer(self, tag: str) -> bool:
        """Whether a tile turned up as the indicator would be a flower of the dealer, and lie where antennas read it."""
        play = self._beliefs.table.rules.play
        flower = self._beliefs.tiles[tag] in play.flowers
        return flower and play.indicator_lies == "apart" and play.indicator_flower == "dealer"

    def _may_show(self, odds: Mapping[str, float]) -> bool:
        """Whether the antennas may tell what the wall leaves open."""
        flowers = sum(p for tag, p in odds.items() if self._goes_to_dealer(tag))
        return min(flowers, sum(odds.values()) - flowers) > DOUBTFUL_SHARE

    def _kinds(self, odds: Mapping[str, float]) -> dict[Tile, float]:
        kinds: dict[Tile, float] = {}
        for tag, p in odds.items():
            kind = self._beliefs.tiles[tag]
            kinds[kind] = kinds.get(kind, 0.0) + p
        return kinds

    def _likeliest(self, odds: Mapping[str, float]) -> str:
        """A tag of the likeliest kind."""
        kinds = self._kinds(odds)
        return max(odds, key=lambda tag: (kinds[self._beliefs.tiles[tag]], odds[tag]))
