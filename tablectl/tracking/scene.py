"""What steps are read from: beliefs, wall, melds and calls of one moment, and what of that asks for an explanation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass

from tablectl.rules.api import Play
from tablectl.tiles.tile import Tile
from tablectl.tracking.outlook import Outlook
from tablectl.tracking.places import HAND, MELD, RIVER
from tablectl.tracking.presence import Presence
from tablectl.tracking.wall import WallOrder


@dataclass(slots=True)
class Scene:
    """What the steps are read from: beliefs, wall, tiles, the seats' melds, the keys lately pressed."""

    presence: Presence
    wall: WallOrder
    tiles: Mapping[str, Tile]
    play: Play
    pungs: list[list[tuple[str, ...]]]  # per seat: tags of pungs that may be extended
    keys: Mapping[int, str]  # claim or win keys pressed and still fresh
    pressed: Mapping[int, float]  # when they were pressed
    declared: frozenset[int] = frozenset()  # seats whose win was told already
    #: whether a seat's hand wins now, or with a tile that it draws; None: not known
    legal: Callable[[int, Tile | None], bool | None] = lambda seat, drawn: None
    #: tiles that nobody may discard
    kept: Set[Tile] = frozenset()
    #: nothing is left to draw: the last discard can only be won on
    exhausted: Callable[[], bool] = lambda: False
    #: tags that lie together where no move takes them, with how much better that explains the readings
    strays: Sequence[tuple[frozenset[str], float]] = ()
    #: a reader was silent until a moment ago: a move that nobody saw explains more than an offence
    lenient: bool = False
    #: ... and what was played meanwhile is not told yet
    catching_up: bool = False
    dealer: int = 0

    def stirring(self) -> list[tuple[str, str, str]]:
        """What asks for an explanation: tags that answer elsewhere, tags that are silent again and again, and fresh
        calls; with the place where each answers ("": nowhere), and the one to which it probably went."""
        found = [(f"{seat} calls {key}", "", "") for seat, key in self.keys.items()]
        presence = self.presence
        for name, zone in presence.unfit.items():
            claimed = name.startswith("meld")
            for tag, run in zone.strange.items():
                if claimed or presence.lies(tag).startswith(("hand", "wall")) or (run > 1 and presence.came_from(tag)):
                    found.append((tag, name, name))
            for tag, run in zone.missing.items():
                if run > 1 and name.startswith("hand"):
                    found.append((tag, "", RIVER[int(name[-1])]))
                elif run > 1 and (before := presence.came_from(tag)):
                    found.append((tag, "", before))
        return found

    def tags_of(self, look: Outlook, place: str) -> Set[str]:
        """Tags in ``place`` as supposed."""
        if not look.ways:
            return self.presence.zone(place).tags
        tags = {tag for tag in self.presence.zone(place).tags if tag not in look.ways}
        return tags | {tag for tag in look.ways if self.lies(look, tag) == place}

    def lies(self, look: Outlook, tag: str) -> str:
        """Where ``tag`` lies as supposed."""
        way = look.ways.get(tag)
        return self.presence.lies(tag) if way is None else way[-1]

    def strange(self, place: str) -> Iterable[str]:
        zone = self.presence.unfit.get(place)
        return zone.strange if zone else ()

    def missing(self, place: str) -> Iterable[str]:
        zone = self.presence.unfit.get(place)
        return zone.missing if zone else ()

    def silent_since(self, tag: str, seat: int, t: float) -> int:
        """How many reads of the hand of ``seat`` since the time ``t`` lack ``tag``; 0 if it lies open before it."""
        if tag in self.strange(MELD[seat]) or tag in self.strange(RIVER[seat]):
            return 0
        reads = self.presence.zone(HAND[seat]).reads
        return sum(at > t and tag not in tags and not blackout for at, tags, blackout in reads)

    def of_kind(self, tags: Iterable[str], kind: Tile) -> list[str]:
        return [tag for tag in tags if self.tiles.get(tag) == kind]

    def best(self, tags: Iterable[str], place: str, count: int) -> list[str] | None:
        """The ``count`` tags whose going to ``place`` the readings support most."""
        ranked = sorted(tags, key=lambda tag: (-self.presence.way(tag, place).support, tag))
        return ranked[:count] if len(ranked) >= count else None


def goes_on(tag: str, place: str, scene: Scene) -> bool:
    """Whether a tag that is silent in a hand answers in the river before it: there it is told to go next."""
    kind, _, seat = place.partition(".")
    return kind == "hand" and tag in scene.strange(RIVER[int(seat)])
