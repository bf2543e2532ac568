"""What a person should look at, as far as only the antennas can tell; each said once.

Tiles may lie for a moment where they do not belong: lifted, pushed over an edge, on the way of a move that is not told
yet. Every alert has a hold-off of its own, longer than the tracker takes to tell a move that explains the readings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

from tablectl.game.actions import Suspect
from tablectl.game.state import Hand, Phase
from tablectl.tiles.sets import TileSet
from tablectl.tiles.tile import Tile
from tablectl.tracking.places import APART, AWAY, MELD, RIVER
from tablectl.tracking.presence import Presence, Zone
from tablectl.tracking.wall import End, WallOrder

#: reads in a row after which a stranger is no ghost; a silent tag is lost
STRANGER_READS = 4
SILENT_READS = 40
#: reads in a row in which a tag answers in two zones at once: two tiles bear it
TWICE_READS = 20
#: read periods after which a tag that was not read again where it does not belong was a ghost there
FADING_PERIODS: Final = 3.5
#: reads in which a tag answered where it does not belong, and not where it does
SURE_READS: Final = 4
#: ... and what its readings must have said for its lying there (log-odds): some tags answer across an edge all the time
SURE: Final = 10.0
#: standing tiles of one seat that lie open: a hand that is shown
SHOWN_TILES: Final = 4
#: most standing tiles that are meant as a meld
MELD_TILES: Final = 4
#: log-weight of tiles laid open that are no meld, before the readings
FALSE_MELD: Final = -10.0
#: ... of one standing tile that lies open, of a tile of the wall
EXPOSED: Final = -8.0
WALL_EXPOSED: Final = -8.0
#: draws ahead of what was told that may be seen at each end of the wall
NEXT_DRAWS: Final = 3
#: seconds that tiles lie there before it is said
SHOWN_S: Final = 2.0
LAID_S: Final = 3.5
MOVED_S: Final = 6.0
#: ... in any case, although some play may explain it
DOUBTED_S: Final = 12.0

#: phases in which tiles lie where they were told to lie
_RESTING: Final = frozenset({Phase.TURN, Phase.CLAIMED, Phase.DISCARDED, Phase.ROBBING, Phase.REPLACING})


@dataclass(slots=True)
class Stray:
    """A tag that answers where it does not belong: since when, when last, how often, and the most that this ever said
    for its lying there (log-odds)."""

    home: str
    first: float
    last: float
    reads: int = 1
    support: float = 0.0

    def lay(self, seconds: float) -> bool:
        """Whether it lay there for so long."""
        return self.reads >= SURE_READS and self.last - self.first >= seconds


@dataclass(slots=True)
class Watch:
    """The alerts of one hand."""

    tiles: Mapping[str, Tile]
    said: set[tuple[str, object]] = field(default_factory=set)
    #: by zone and tag
    strays: dict[str, dict[str, Stray]] = field(default_factory=dict)

    def say(self, t: float, code: str, seat: int | None, detail: str, about: object = None) -> list[Suspect]:
        """The alert, unless it was raised in this hand already (about the same tag or seat)."""
        key = (code, seat if about is None else about)
        if key in self.said:
            return []
        self.said.add(key)
        return [Suspect(t=t, code=code, seat=seat, detail=detail)]

    def strangers(self, t: float, name: str, zone: Zone, presence: Presence) -> list[Suspect]:
        """Tags that belong to no set, or to the set that is not in play."""
        found: list[Suspect] = []
        for tag, run in zone.strange.items():
            if run < STRANGER_READS or presence.lies(tag) != AWAY:
                continue
            code = "wrong_set" if tag in self.tiles else "unknown_tag"
            detail = f"{self.tiles[tag].code} " if tag in self.tiles else ""
            found += self.say(t, code, _seat(name), f"{detail}tag {tag} in {name}", tag)
        return found

    def silent(self, t: float, name: str, zone: Zone, presence: Presence) -> list[Suspect]:
        """Tags that answer nowhere any more."""
        found: list[Suspect] = []
        for tag, run in zone.missing.items():
            if run >= SILENT_READS and tag in self.tiles and not presence.answers(tag):
                found += self.say(t, "tag_lost", _seat(name), f"{self.tiles[tag].code} in {name} is silent", tag)
        return found

    def twice(self, t: float, name: str, zone: Zone, presence: Presence) -> list[Suspect]:
        """Tags that answer in two zones at once, again and again."""
        found: list[Suspect] = []
        for tag, run in zone.strange.items():
            if run >= TWICE_READS and presence.answers_mostly(tag, presence.lies(tag)):
                detail = f"{self.tiles[tag].code} in {presence.lies(tag)} and in {name}"
                found += self.say(t, "duplicate_tile", _seat(name), detail, tag)
        return found

    def misplaced(
        self,
        t: float,
        name: str,
        presence: Presence,
        hand: Hand,
        wins: Callable[[int], bool | None],
        doubted: Set[str] = frozenset(),
    ) -> list[Suspect]:
        """Tiles of the hand that lie where no move explains them, after zone ``name`` was read (`follow`). ``wins``:
        whether the hand of a seat wins now; ``doubted``: tags that may have been played, which is not told yet."""
        strays = {tag: stray for tag, stray in self.strays[name].items() if stray.support >= SURE}
        seat = _seat(name)
        own = {tag for tag, stray in strays.items() if stray.home == f"hand.{seat}"}
        waiting = doubted | own if doubted & own else doubted  # tiles of one seat that lie together are one matter
        strays = {tag: stray for tag, stray in strays.items() if tag not in waiting or stray.lay(DOUBTED_S)}
        if not strays or seat is None:
            return []
        if hand.phase is Phase.DECLARED:
            return self._shown(t, name, seat, strays, hand, wins)
        if hand.phase not in _RESTING:
            return []
        if name.startswith("meld"):
            return self._laid(t, seat, strays, hand)
        return self._moved(t, name, seat, strays)

    def groups(
        self, presence: Presence, hand: Hand, last: str | None, flowers: Set[Tile], wall: WallOrder
    ) -> list[tuple[frozenset[str], float]]:
        """Tiles that lie open before a seat and are no meld and no flowers, with how much better that explains the
        readings than errors of the antennas do. ``last``: the tag of the discard that lies."""
        found = []
        for seat in range(4):
            strays = self._astray(f"meld.{seat}", presence)
            if not strays or hand.phase not in _RESTING:
                continue
            own = [tag for tag, home in strays.items() if home == f"hand.{seat}" and self.tiles[tag] not in flowers]
            tags = frozenset([*own, last] if last is not None and last in strays else own)
            if not 1 <= len(own) <= MELD_TILES or (len(tags) > 1 and self._may_be_meld(tags)):
                continue
            weight = FALSE_MELD if len(tags) > 1 else EXPOSED
            weight += sum(max(0.0, presence.way(tag, f"meld.{seat}").support) for tag in tags)
            if weight > 0.0:
                found.append((tags, weight))
        return [*found, *self._of_the_wall(presence, wall)] if wall.known else found

    def _of_the_wall(self, presence: Presence, wall: WallOrder) -> Iterator[tuple[frozenset[str], float]]:
        """Tiles of the wall that lie open before a seat, and are not about to be drawn."""
        lying = [
            (tag, name)
            for name in (*MELD, *RIVER)
            for tag, home in self._astray(name, presence).items()
            if home.startswith("wall")
        ]
        due = _due(wall) if lying else set()
        for tag, name in lying:
            weight = WALL_EXPOSED + presence.way(tag, name).support if tag not in due else 0.0
            if weight > 0.0:
                yield frozenset([tag]), weight

    def _astray(self, name: str, presence: Presence) -> dict[str, str]:
        """The strays of zone ``name`` with their homes, but those that were told to have come somewhere since."""
        strays = self.strays.get(name)
        if not strays:
            return {}
        return {tag: stray.home for tag, stray in strays.items() if presence.lies(tag) == stray.home}

    def _may_be_meld(self, tags: Iterable[str]) -> bool:
        """Whether the tiles are one kind, or can be part of one run."""
        kinds = sorted(self.tiles[tag] for tag in tags)
        if len(set(kinds)) == 1:
            return True
        low, high = kinds[0], kinds[-1]
        same_suit = low.suit == high.suit and bool(low.suit)
        return same_suit and len(set(kinds)) == len(kinds) <= 3 and high - low <= 2

    def follow(self, t: float, name: str, presence: Presence) -> None:
        """Take in the strays of a zone after a read of it."""
        before = self.strays.get(name, {})
        zone = presence.zones[name]
        now = {
            tag: stray
            for tag, stray in before.items()
            if tag not in zone.tags and t - stray.last < FADING_PERIODS * presence.period
        }
        for tag in zone.strange:
            home = presence.lies(tag)
            lying = presence.zones.get(home)
            if tag not in self.tiles or home == AWAY or (home.startswith("wall") and name.startswith("hand")):
                continue
            if lying is not None and tag in lying.last:  # a ghost here
                now.pop(tag, None)
            elif (stray := now.get(tag)) is not None and stray.home == home:
                stray.last, stray.reads = t, stray.reads + 1
                stray.support = max(stray.support, presence.way(tag, name).support)
            else:
                now[tag] = Stray(home, t, t)
        self.strays[name] = now

    def _shown(
        self,
        t: float,
        name: str,
        seat: int,
        strays: Mapping[str, Stray],
        hand: Hand,
        wins: Callable[[int], bool | None],
    ) -> list[Suspect]:
        """While a win is not confirmed, another seat lays its hand open."""
        if not any(win.legal for win in hand.declared) or any(win.actor == seat for win in hand.declared):
            return []
        own = [tag for tag, stray in strays.items() if stray.home == f"hand.{seat}" and stray.lay(SHOWN_S)]
        if len(own) < SHOWN_TILES or wins(seat):
            return []
        return self.say(t, "hand_shown_early", seat, f"{len(own)} standing tiles in {name}")

    def _laid(self, t: float, seat: int, strays: Mapping[str, Stray], hand: Hand) -> list[Suspect]:
        """Tiles lie open before a seat: several are no meld, one of its own fell over."""
        lying = {tag: stray for tag, stray in strays.items() if stray.lay(LAID_S)}
        own = [tag for tag, stray in lying.items() if stray.home == f"hand.{seat}"]
        others = [tag for tag in lying if tag not in own]
        tiles = " ".join(sorted(self.tiles[tag].code for tag in lying))
        if len(own) > MELD_TILES:  # a hand laid open
            return []
        if len(own) >= 2 or (own and others):
            told = [self.say(t, "false_meld", seat, f"bad_meld: {tiles} laid open", tag) for tag in sorted(own)]
            self.said |= {("tile_exposed", tag) for tag in own}
            return next((said for said in told if said), [])
        if own and len(own) < sum(stray.home == f"hand.{seat}" for stray in self.strays[f"meld.{seat}"].values()):
            return []  # more are coming
        if own:
            return [said for tag in own for said in self.say(t, "tile_exposed", seat, self.tiles[tag].code, tag)]
        return self._moved(t, f"meld.{seat}", seat, lying)

    def _moved(self, t: float, name: str, seat: int, strays: Mapping[str, Stray]) -> list[Suspect]:
        """Tiles went from one place to another in a way that no play explains."""
        found: list[Suspect] = []
        for tag, stray in strays.items():
            if stray.lay(MOVED_S):
                detail = f"{self.tiles[tag].code} from {stray.home} in {name}"
                found += self.say(t, _code(stray.home), seat, detail, tag)
        return found

    def composition(self, t: float, tags: Iterable[str], tile_set: TileSet) -> list[Suspect]:
        """Tiles too many of a kind among those that passed the lanes."""
        surplus = tile_set.surplus(self.tiles[tag] for tag in tags if tag in self.tiles)
        if not surplus:
            return []
        return self.say(t, "duplicate_tile", None, " ".join(f"{tile.code}+{n}" for tile, n in sorted(surplus.items())))


def _due(wall: WallOrder) -> set[str]:
    """Tags that may be drawn next, at both ends of the wall."""
    ends: tuple[End, End] = ("live", "tail")
    positions = [position for end in ends for position in islice(wall.coming(end), NEXT_DRAWS)]
    return {tag for position in positions for tag in wall.odds(position)}


def _code(home: str) -> str:
    """The alert for a tile that lay in ``home`` and was moved where no move takes it."""
    if home == APART:
        return "wrong_indicator"
    return "tile_exposed" if home.startswith("wall") else "impossible_move"


def _seat(zone: str) -> int | None:
    kind, _, seat = zone.partition(".")
    return int(seat) if kind != "wall" and seat.isdigit() else None
