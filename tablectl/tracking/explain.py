"""A readable account of the evidence: what was told last and why, what each zone says, what is weighed now."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import exp

from tablectl.game.state import Hand
from tablectl.tiles.tile import Tile
from tablectl.tracking.hypotheses import Found, Judgement
from tablectl.tracking.outlook import Step
from tablectl.tracking.presence import Presence, Zone
from tablectl.tracking.tracker import Tracker

#: sequences that are shown beside the one believed
RIVALS = 3


def explain(tracker: Tracker) -> Iterator[str]:
    """The evidence as it stands, line by line; a weight is a logarithm of odds, higher is likelier."""
    hand = tracker.table.hand
    if hand is None:
        yield "no hand is being played"
        return
    yield f"hand {hand.number}, {hand.phase.value}, turn of seat {hand.turn}"
    yield from _standing(hand)
    yield ""
    yield "told last:"
    for t, judgement in tracker.decided:
        yield f"  {t:9.2f}  {_step(judgement.step)}{_odds(judgement.margin)}"
        yield from (f"             {line}" for line in _weighed(judgement))
    yield ""
    yield "zones:"
    for name, zone in sorted(tracker.presence.zones.items()):
        yield from (f"  {line}" for line in _zone(name, zone, tracker.presence, tracker.tiles))
    yield ""
    now = tracker.weigh()
    if now is None or not now.weighed:
        yield "weighed now: nothing stirs"
        return
    yield f"weighed now: {_step(now.step)}{_odds(now.margin)}"
    yield from (f"  {line}" for line in _weighed(now))


def _standing(hand: Hand) -> Iterator[str]:
    for number, seat in enumerate(hand.seats):
        tiles = " ".join(
            "?" if tile is None else tile.code
            for tile in sorted(seat.standing, key=lambda tile: 99 if tile is None else tile)
        )
        melds = "  ".join(" ".join(tile.code for tile in meld.tiles) for meld in seat.melds)
        yield f"  seat {number}: {tiles}{f' | {melds}' if melds else ''}"


def _odds(margin: float) -> str:
    if margin >= 27:
        return ", nothing against it"
    return f", odds {exp(margin):,.0f} : 1" if margin >= 0 else f", odds 1 : {exp(-margin):,.0f}"


def _weighed(judgement: Judgement) -> Iterator[str]:
    """The sequence believed, those next to it, and that nothing happened."""
    for number, found in enumerate(judgement.weighed[: RIVALS + 1]):
        yield f"{'believed' if number == 0 else 'or      '} {found[0]:7.1f}  {_sequence(found)}"
    if judgement.weighed:
        yield f"or       {judgement.nothing:7.1f}  nothing happened"


def _sequence(found: Found) -> str:
    return ", then ".join(map(_step, found[1]))


def _step(step: Step | None) -> str:
    if step is None:
        return "nothing"
    tile = f" {step.tile.code}" if step.tile is not None else ""
    consumed = f" with {' '.join(tile.code for tile in step.consumed)}" if step.consumed else ""
    offence = f" ({step.offence})" if step.offence else ""
    return f"seat {step.seat} {step.kind.replace('_', ' ')}{tile}{consumed}{offence}"


def _zone(name: str, zone: Zone, presence: Presence, tiles: Mapping[str, Tile]) -> Iterator[str]:
    """How many tags lie there, and what the reads say beyond that."""
    last = f"last read {zone.reads[-1][0]:.2f} s" if zone.reads else "not read yet"
    yield f"{name}: {len(zone.tags)} tiles, {last}"
    for tag, run in sorted(zone.missing.items(), key=lambda item: -item[1]):
        yield f"    {_tag(tag, tiles)} silent for {run} reads"
    for tag, run in sorted(zone.strange.items(), key=lambda item: -item[1]):
        support = presence.way(tag, name).support if tag in tiles else 0.0
        yield f"    {_tag(tag, tiles)} of {presence.lies(tag)} answers here, {run} reads, weight {support:.1f}"


def _tag(tag: str, tiles: Mapping[str, Tile]) -> str:
    return f"{tiles[tag].code} ({tag})" if tag in tiles else f"strange tag {tag}"
