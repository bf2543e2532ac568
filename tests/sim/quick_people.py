"""Matches of the people alone, what is always true of them, and walls stacked by hand for what chance seldom brings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from tablectl.game import events as ev
from tablectl.game.counting import drawable
from tablectl.game.state import Hand, Phase
from tablectl.game.table import Table
from tablectl.rules.api import RuleSet
from tablectl.rules.registry import load
from tablectl.sim import opening, players
from tablectl.sim.quick import QuickTable
from tablectl.sim.scene import Scene
from tablectl.sim.strategy import LATE_TILES
from tablectl.tiles.notation import parse_tiles
from tablectl.tiles.tile import Tile


def played(rules: str | RuleSet, seed: int, hands: int | None = 8, notices: float = 0.3) -> QuickTable:
    """A match, or so many hands of it, after which everything is looked at that must be true of any."""
    table = QuickTable(load(rules) if isinstance(rules, str) else rules, seed, notices=notices)
    truth = table.play(hands)
    table.world.check()
    assert [event for event in truth.events if isinstance(event, ev.Alerted)] == []
    for record in table.truth:
        assert record[-1]["type"] == "end_kyoku"
        assert sum(record[-1]["deltas"]) == 0
    again = Table.replay(table.rules, truth.events)
    assert (again.match, again.hand) == (truth.match, truth.hand)
    return table


def discards(truth: Table) -> Iterator[tuple[Hand, ev.TileDiscarded]]:
    """Every discard with the hand as it was before it."""
    again = Table(truth.rules)
    for event in truth.events:
        if isinstance(event, ev.TileDiscarded) and again.hand is not None:
            yield again.hand, event
        again.fold(event)


def needless_wilds(truth: Table) -> list[ev.TileDiscarded]:
    """Wildcards discarded early although nothing demanded it and another tile stood there."""
    return [
        event
        for hand, event in discards(truth)
        if event.pai in hand.wild
        and drawable(hand, truth.rules) > LATE_TILES
        and event.pai not in truth.rules.must_discard(hand, event.actor)  # type: ignore[arg-type]
        and any(tile not in hand.wild for tile in hand.seats[event.actor].standing)
    ]


# --- stacked walls

#: kinds in an order in which a hand filled with them goes nowhere
LOOSE = tuple(parse_tiles("".join(f"{a}{suit}" for step in ["147", "258", "369"] for suit in "mps" for a in step)))


@contextmanager
def stacked(
    hands: Mapping[int, str],
    *,
    live: str = "",
    tail: str = "",
    indicator: str | None = None,
) -> Iterator[None]:
    """In every hand inside, these tiles are dealt and come next at both ends of the wall. ``hands``: by seat counted
    from the dealer, the dealer's drawn tile last; seats without one get tiles that go nowhere, and no flowers."""

    async def deal(scene: Scene, hand: Hand) -> None:
        arrange(scene, hand, hands, live, tail, indicator)
        await opening.deal_tiles(scene, hand)

    async def turn(scene: Scene, hand: Hand) -> None:
        if indicator is not None and scene.rules.play.throws_before_deal:  # its place was not known before (tianjin)
            _turn_up(scene, hand, indicator)
        await opening.turn_indicator(scene, hand)

    with patch.dict(players.STEPS, {Phase.DEALING: deal, Phase.INDICATOR: turn}):
        yield


def _turn_up(scene: Scene, hand: Hand, indicator: str) -> None:
    """Exchange the tile that will be turned up."""
    assert hand.deck is not None
    assert hand.deck.indicator is not None
    world, (tile,) = scene.world, parse_tiles(indicator)
    own = world.walls[hand.deck.places[hand.deck.indicator - 1]]
    world.swap(own, next(t for t in world.walls.values() if world.kinds[t] is tile))


def arrange(scene: Scene, hand: Hand, hands: Mapping[int, str], live: str, tail: str, indicator: str | None) -> None:
    """Exchange tiles of the standing walls until those wanted lie where they are to be taken."""
    deck, world = hand.deck, scene.world
    assert deck is not None
    wanted: dict[int, Tile] = {}
    for n, text in hands.items():
        positions = deck.dealt((hand.dealer + n) % 4)
        tiles = parse_tiles(text)
        first = len(positions) - len(tiles)
        wanted |= dict(zip(positions[first:], tiles, strict=False))
    wanted |= dict(zip(deck.live, parse_tiles(live), strict=False))
    ends = list(deck.tail)
    if indicator is not None and not scene.rules.play.throws_before_deal:
        (tile,) = parse_tiles(indicator)
        wanted[deck.indicator if deck.indicator is not None else ends.pop(0)] = tile
    wanted |= dict(zip(ends, parse_tiles(tail), strict=False))
    spare = list(LOOSE * 4)
    for tile in wanted.values():
        if tile in spare:
            spare.remove(tile)
    for n in range(4):
        lacking = [position for position in deck.dealt((hand.dealer + n) % 4) if position not in wanted]
        wanted |= {position: spare.pop(0) for position in lacking}
    settled: set[str] = set()
    for position, tile in wanted.items():
        place = deck.places[position - 1]
        own = world.walls[place]
        if world.kinds[own] is not tile:
            other = next(t for t in world.walls.values() if world.kinds[t] is tile and t not in settled)
            world.swap(own, other)
        settled.add(world.walls[place])


def first_win(table: QuickTable) -> dict[str, Any]:
    """The win of the first hand, with its circumstances."""
    declared = [event for event in table.players.truth.events if isinstance(event, ev.WinDeclared)]
    won = next(event for event in table.players.truth.events if isinstance(event, ev.HandWon))
    hand = next(event for event in reversed(declared) if event.actor == won.actor)
    return {"actor": won.actor, "target": won.target, "how": set(hand.how), "fans": set(won.fans)}
