"""Weigh what may have happened since: short sequences of steps against the readings, and against nothing at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import exp, inf, log

from tablectl.game.state import Phase
from tablectl.tracking.outlook import Outlook, Step, Told, after, retraction
from tablectl.tracking.places import HAND, MELD, RIVER
from tablectl.tracking.scene import Scene, goes_on
from tablectl.tracking.steps import steps, takers

#: what the readings must say in all before a search is worth while: less than any step's prior takes away
SILENT_GAIN = 0.4
#: ... and what is left to explain before one more step is worth supposing; what a claim that was called may explain
WORTH_A_STEP = 2.0
CALLED = 10.0
#: longest sequence looked at: draw, discard, draw, discard within one look round the table, and the flowers and
#: replacements that come between, up to so many in all; more while flowers are laid by the handful, and where a reader
#: was silent for a while
DEPTH = 4
DEPTH_IN_ALL = 8
DEEPER = {Phase.FLOWERS: 12, Phase.REPLACING: 8}
CATCHING_UP = 10
#: priors of a step's being taken back, and of each one before it
RETRACT = -6.0
RETRACT_MORE = -2.0
#: ... where it is a pung to which the fourth tile is laid within so many seconds: it was a kong from the beginning
RETRACT_GROWING = -1.0
GROWING_S = 2.0
#: steps that may be taken back at once
MOST_BACK = 4
#: sequences this much worse than nothing at all are not followed
HOPELESS = -12.0
#: sequences that can only come out this much worse than the best are not followed either
NEGLIGIBLE = 9.0
#: log-odds of the most usual step while no reading speaks for it or against it
USUAL = 0.0
#: log-odds of a step that nothing speaks against
SURE_OF_ALL = 27.0
CLAIMS = frozenset({"chow", "pung", "exposed_kong"})
#: sequences of one length that are continued: the best, and the best of each beginning, but not more than
WIDTH = 8
EACH = 2
WIDEST = 20

#: what asks for an explanation: tag and where it answers, with the most that its move can explain
Gains = Mapping[tuple[str, str], float]
#: a sequence of steps with its log-weight
Found = tuple[float, tuple[Step, ...]]


@dataclass(slots=True)
class Judgement:
    """The first step that explains the readings best, its log-odds against all that begins otherwise (or not at all),
    and when it happened (None: it moved no tile), tag by tag in ``times``."""

    step: Step | None
    margin: float
    t: float | None
    times: Mapping[str, float] = field(default_factory=dict)
    #: a tag was read where it went, or later steps follow from it: more than a tile that was lifted
    backed: bool = False
    #: the best sequence of every beginning with its log-weight, the likeliest first, and the log-weight of nothing
    weighed: tuple[Found, ...] = ()
    nothing: float = 0.0
    #: sequences that were looked at
    tried: int = 0


@dataclass(frozen=True, slots=True)
class Verdict:
    """A judgement, with what it was made of."""

    judgement: Judgement
    #: the point of play: what it is judged by besides the readings
    point: tuple[object, ...]
    gains: Gains
    nothing: float
    #: until when it may stand, however little changes
    until: float

    def stands(self, t: float, point: tuple[object, ...], gains: Gains, nothing: float, needed: float) -> bool:
        """Whether so little is to explain, and has changed since, that no step can have come to the log-odds
        ``needed``: the weight of a step changes no more than all that is to explain."""
        if t >= self.until or point != self.point:
            return False
        before = self.gains
        weighed = self.judgement.weighed  # what speaks against the best of them may come to nothing
        odds = max(weighed[0][0] - self.nothing, USUAL) if weighed else USUAL
        changed = abs(nothing - self.nothing)
        changed += sum([abs(gain - before.get(what, 0.0)) for what, gain in gains.items()])
        changed += sum([gain for what, gain in before.items() if what not in gains])
        return odds + changed < needed


def judge(look: Outlook, scene: Scene, told: Sequence[Told], nothing: float, gains: Gains) -> Judgement:
    """Weigh every sequence from ``look``; ``nothing`` is the log-weight of no step having happened. ``told``: the last
    steps that were told, which may be taken back. ``gains``: see `to_explain`."""
    if sum(gains.values()) < SILENT_GAIN:
        return Judgement(None, inf, None)  # no more than what antennas miss all the time
    found = _search(look, scene, told, gains, nothing)
    if not found:
        return Judgement(None, inf, None)
    peak = max(nothing, max(total for total, _ in found))
    groups: dict[tuple[object, ...], float] = {}
    tops: dict[tuple[object, ...], tuple[float, tuple[Step, ...]]] = {}
    everything = exp(nothing - peak)
    for total, taken in found:
        weight = exp(total - peak)
        everything += weight
        for sense in _heads(taken, look.owed[taken[0].seat]):
            groups[sense] = groups.get(sense, 0.0) + weight
        sense = taken[0].sense
        if sense not in tops or total > tops[sense][0]:
            tops[sense] = (total, taken)
    winner = max(tops, key=lambda sense: groups[sense])
    rest = everything - groups[winner]
    margin = log(groups[winner]) - log(rest) if rest > 1e-12 * everything else SURE_OF_ALL
    taken = tops[winner][1]
    times = _times(taken, scene)
    moment = min if taken[0].kind in CLAIMS else max  # a claim counts from its call, a move from its end
    backed = len(taken) > 1 or any(tag in scene.strange(place) for tag, place in taken[0].moves)
    weighed = tuple(sorted(tops.values(), key=lambda found: -found[0]))
    t = moment(times.values(), default=taken[0].t)
    return Judgement(taken[0], margin, t, times, backed, weighed, nothing, len(found))


def to_explain(look: Outlook, scene: Scene) -> Gains:
    """What asks for an explanation, with the most that a step can explain of it."""
    gains = {}
    laying = look.phase is Phase.FLOWERS  # then a tile that is silent, and no flower, is no move of its seat
    for tag, place, goal in scene.stirring():
        known = tag in scene.tiles
        silent = laying and known and not place and scene.tiles[tag] not in scene.play.flowers
        if silent and scene.presence.lies(tag) != HAND[look.turn]:
            continue
        gains[tag, place] = max(0.0, scene.presence.way(tag, goal).support) if known else CALLED if not goal else 0.0
    for seat in takers(look, scene):
        assert look.last is not None  # it was taken
        gains[look.last, HAND[seat]] = max(0.0, scene.presence.way(look.last, HAND[seat]).support)
    return gains


def _dubious(told: Sequence[Told], scene: Scene, gains: Gains) -> int:
    """How many of the steps told last may have to be taken back: up to the first whose tags are not where it brought
    them."""
    stirs = [what for what, gain in gains.items() if gain >= WORTH_A_STEP]
    tags = {tag for tag, _ in stirs}
    for back in range(min(len(told), MOST_BACK), 0, -1):
        if any(tag in tags and not goes_on(tag, place, scene) for tag, place in told[-back].step.moves):
            return back
    return 1 if told and any(place.startswith("meld") for _, place in stirs) else 0


def _grows(told: Told, scene: Scene, gains: Gains) -> bool:
    """Whether the step told was a pung to which the fourth tile is laid at once."""
    step = told.step
    return step.kind == "pung" and any(
        scene.tiles.get(tag) is step.tile
        and place == MELD[step.seat]
        and scene.presence.way(tag, place).arrivals[-1] <= told.t + GROWING_S
        for tag, place in gains
    )


def _search(look: Outlook, scene: Scene, told: Sequence[Told], gains: Gains, nothing: float) -> list[Found]:
    """Sequences of steps with their log-weights. The likelier ones of each length are continued, and of every possible
    beginning the likeliest: what came first is the question."""
    found: list[Found] = []
    level: list[tuple[Found, Outlook]] = [((0.0, ()), look)]
    best = nothing
    path: tuple[Step, ...] = ()
    here = look
    opening = look.phase is Phase.FLOWERS and not scene.catching_up
    for back in range(1, _dubious(told, scene, gains) + 1):
        prior = RETRACT_MORE if path else RETRACT_GROWING if _grows(told[-1], scene, gains) else RETRACT
        step, here = retraction(told[-back], here, prior)
        path = (*path, step)
        total = _explains(path, scene)
        if total >= HOPELESS:
            found.append((total, path))
        level.append(((total, path), here))
    depth = max(DEEPER.get(look.phase, DEPTH), CATCHING_UP if scene.catching_up else 0)
    for length in range(max(depth, DEPTH_IN_ALL)):
        longer: list[tuple[Found, Outlook]] = []
        for (total, path), here in level:
            if length >= depth and length >= depth + sum(map(_between, path)):
                continue
            left = _unexplained(gains, here)
            if (path and left < WORTH_A_STEP) or total + left < max(best - NEGLIGIBLE, HOPELESS):
                continue  # more steps would be guesses
            for step in steps(here, scene):
                if path and path[-1].kind == "retract" and step.sense == told[-len(path)].step.sense:
                    continue  # told again what was taken back: nothing new
                taken = (*path, step)
                if not _in_order(taken, scene) or (opening and _guesses(taken, scene)):
                    continue
                total = _explains(taken, scene)
                best = max(best, total)
                if total >= HOPELESS:
                    found.append((total, taken))
                if step.kind != "win":
                    longer.append(((total, taken), after(here, step)))
        level = _likelier(longer)
    return found


def _between(step: Step) -> bool:
    """Whether a step is a flower or a replacement: no turn of play passes with it."""
    return step.kind == "flower" or (step.kind == "draw" and step.end == "tail")


def _in_order(taken: tuple[Step, ...], scene: Scene) -> bool:
    """Flowers of one seat are supposed in the order in which they came to lie: any other order says no more."""
    before, step = taken[-2:] if len(taken) > 1 else (taken[-1], taken[-1])
    if step is before or step.kind != "flower" or before.kind != "flower" or step.seat != before.seat:
        return True
    ways = _ways(taken)
    one, other = (scene.presence.way(tag, *ways[tag]) for tag in (before.moves[0][0], step.moves[0][0]))
    return (one.arrivals, before.moves) <= (other.arrivals, step.moves)


def _guesses(taken: tuple[Step, ...], scene: Scene) -> bool:
    """Whether two replacements of one seat in a row are supposed that no antenna shows: there is time to see one."""
    if len(taken) < 2 or taken[-1].kind != "draw" or taken[-2].kind != "draw" or taken[-1].seat != taken[-2].seat:
        return False
    seat = taken[-1].seat
    tags = [tag for step in taken[-2:] for tag, _ in step.moves]
    return not any(tag in scene.strange(place) for tag in tags for place in (HAND[seat], RIVER[seat], MELD[seat]))


def _unexplained(gains: Gains, look: Outlook) -> float:
    """The most that more steps can explain: of tags that were not supposed to move, or not to where they answer."""
    ways = look.ways
    left: dict[str, float] = {}
    for (tag, place), gain in gains.items():
        if (tag not in ways or (place and place != ways[tag][-1])) and gain > left.get(tag, 0.0):
            left[tag] = gain  # a tag went to one place only
    return sum(left.values())


def _likelier(level: list[tuple[Found, Outlook]]) -> list[tuple[Found, Outlook]]:
    level.sort(key=_total, reverse=True)
    kept: list[tuple[Found, Outlook]] = []
    begun: dict[tuple[object, ...], int] = {}
    for entry in level:
        head = entry[0][1][0].sense
        begun[head] = begun.get(head, 0) + 1
        if len(kept) < WIDTH or (begun[head] <= EACH and len(kept) < WIDEST):
            kept.append(entry)
    return kept


def _total(entry: tuple[Found, Outlook]) -> float:
    return entry[0][0]


def _heads(taken: tuple[Step, ...], owed: int) -> set[tuple[object, ...]]:
    """What a sequence may begin with: the order of the flowers and replacements of one seat does not matter. ``owed``
    are the replacements due to the seat of the first step."""
    heads = {taken[0].sense}
    drawn: set[str] = set()
    for step in taken:
        if (
            step.seat != taken[0].seat
            or step.kind not in ("flower", "draw")
            or (step.kind == "draw" and step.end == "live")
        ):
            break
        if step.kind == "draw":
            if not drawn and owed:
                heads.add(step.sense)
            drawn.update(tag for tag, _ in step.moves)
        elif not any(tag in drawn for tag, _ in step.moves):
            heads.add(step.sense)
    return heads


def _times(taken: tuple[Step, ...], scene: Scene) -> dict[str, float]:
    """When the tags of the first step of a sequence came to where it brings them."""
    ways = _ways(taken)
    times: dict[str, float] = {}
    until = inf
    for step in reversed(taken):
        begun = until
        for tag, _ in step.moves:
            places = ways.pop(tag, None)
            if places is not None:
                arrivals = scene.presence.way(tag, *places, until=until).arrivals
                times[tag] = arrivals[0]
                begun = min(begun, arrivals[-1])
        until = begun
    return {tag: times[tag] for tag, _ in taken[0].moves}


def _ways(taken: tuple[Step, ...]) -> dict[str, tuple[str, ...]]:
    """The whole way of every tag that a sequence moves."""
    ways: dict[str, tuple[str, ...]] = {}
    for step in taken:
        for tag, place in step.moves:
            ways[tag] = (*ways.get(tag, ()), place)
    return ways


def _explains(taken: tuple[Step, ...], scene: Scene) -> float:
    """How well a sequence explains the readings: priors and ways. No step may come after the one that follows it: a
    tile still read in the hand when the next seat held its new one was not discarded before."""
    ways = _ways(taken)
    total, until = 0.0, inf
    for tags, gain in scene.strays:
        if tags.isdisjoint(ways):
            total += gain
    for step in reversed(taken):
        total += step.prior
        begun = until
        for tag, _ in step.moves:
            places = ways.pop(tag, None)
            if places is not None:
                way = scene.presence.way(tag, *places, until=until)
                total += way.support
                begun = min(begun, way.arrivals[-1])
        until = begun
    return total
