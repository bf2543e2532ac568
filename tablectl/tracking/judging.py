"""When a step is believed: what speaks for it, and how much has to, the longer it waits."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Final, NamedTuple

from tablectl.game.counting import drawable
from tablectl.game.state import Hand, Phase
from tablectl.tracking.beliefs import Beliefs
from tablectl.tracking.hypotheses import Gains, Judgement, Verdict, judge, to_explain
from tablectl.tracking.outages import Sight
from tablectl.tracking.outlook import Outlook, Step, Told
from tablectl.tracking.rulings import Rulings
from tablectl.tracking.scene import Scene

#: log-odds from which a step is told at once (about one error in 2,000), and from which a late one is
SURE: Final = 7.5
LATE_SURE: Final = 1.5
#: ... and from which a step is taken back that has been told
BACK_SURE: Final = 4.0
#: ... and when a person has judged the hand and nothing more is to come
HASTY_SURE: Final = 0.5
#: read periods after which less will do, and after which `LATE_SURE` is enough
PATIENT_PERIODS: Final = 3.5
LATE_PERIODS: Final = 6.0
#: seconds after which the best explanation is told in any case, where the rules set no claim window
CLAIM_SECONDS: Final = 3.0
#: read periods for which a step that was taken back once is not taken back again
RETRACT_PERIODS: Final = 12.0
#: read periods after which everything is weighed again, however little has changed
WEIGHED_PERIODS: Final = 3.0
#: read periods after a call of a win in which the tile shows up that the seat had drawn for it
PUT_DOWN_PERIODS: Final = 4.0
#: sequences of steps that take their time to be weighed
MANY: Final = 150
#: log-weight against nothing from which a play that is not told yet may explain what lies there
DOUBT: Final = 3.0


class _Case(NamedTuple):
    """What is weighed: the arguments of `hypotheses.judge`."""

    look: Outlook
    scene: Scene
    told: Sequence[Told]
    nothing: float
    gains: Gains


class Judge:
    """Weighs what may have happened in one hand, and says when that is enough."""

    def __init__(self, beliefs: Beliefs, sight: Sight, rulings: Rulings) -> None:
        self._beliefs = beliefs
        self._sight = sight
        self._rulings = rulings
        #: the last verdict
        self._verdict: Verdict | None = None
        #: the step held back, and since when
        self._favourite: tuple[tuple[object, ...], float] | None = None

    def forget(self) -> None:
        """What was weighed so far counts no more: a reader that was silent is back."""
        self._favourite = None
        self._verdict = None

    @property
    def laborious(self) -> bool:
        """Whether there was so much to weigh the last time that it is not to be done at every reading."""
        return self._verdict is not None and self._verdict.judgement.tried > MANY

    def scene(self, hand: Hand) -> Scene:
        """What the steps are read from now."""
        now = self._beliefs
        play = now.table.rules.play
        return Scene(
            now.presence,
            now.wall,
            now.tiles,
            play,
            now.pungs,
            now.keys.fresh,
            now.keys.since,
            frozenset(now.won),
            now.wins,
            play.never_discarded(hand.wild),
            lambda: drawable(hand, now.table.rules) <= 0,
            now.watch.groups(now.presence, hand, now.last, play.flowers, now.wall),
            not self._sight.blames(now.t),
            not self._sight.caught_up(now.t),
            hand.dealer,
        )

    def weigh(self, look: Outlook, scene: Scene, nothing: float) -> Judgement:
        """What speaks for what just now, weighed afresh; nothing is decided. ``nothing``: see `Offences.nothing`."""
        return judge(*self._case(look, scene, nothing))

    def judgement(self, look: Outlook, scene: Scene, nothing: float) -> Judgement:
        """What speaks for what; as before, where little has changed since."""
        case, t = self._case(look, scene, nothing), self._beliefs.t
        point = (self._beliefs.table.last_seq, len(case.told), *scene.keys.items())
        before = self._verdict
        if before is not None and before.stands(t, point, case.gains, case.nothing, self._needed(before.judgement)):
            return before.judgement
        judgement = judge(*case)
        self._verdict = Verdict(judgement, point, case.gains, case.nothing, t + WEIGHED_PERIODS * self._beliefs.period)
        return judgement

    def believes(self, judgement: Judgement) -> bool:
        """Whether the odds for its step are enough now."""
        step = judgement.step
        return step is not None and judgement.margin >= self._needed(judgement) and not self._may_be_drawn(step)

    def _may_be_drawn(self, step: Step) -> bool:
        """Whether a win called on a discard may yet come out to be one on the tile that the next seat has drawn: it is
        in the fingers, and put down when the key is pressed. Where the wall is known that is weighed (`steps`)."""
        now, hand = self._beliefs, self._beliefs.table.hand
        if step.kind != "win" or step.t is None or hand is None or now.wall.known:
            return False
        return (
            hand.phase is Phase.DISCARDED
            and step.seat == hand.next_seat
            and now.t < step.t + PUT_DOWN_PERIODS * now.period
        )

    def doubted(self) -> set[str]:
        """Tags that some play may move, by what was weighed last, though nothing is sure yet."""
        judgement = self._verdict.judgement if self._verdict is not None else None
        if judgement is None:
            return set()
        likely = [steps for weight, steps in judgement.weighed if weight > judgement.nothing - DOUBT]
        return {tag for steps in likely for step in steps for tag, _ in step.moves}

    def _case(self, look: Outlook, scene: Scene, nothing: float) -> _Case:
        nothing += sum(gain for _, gain in scene.strays)
        return _Case(look, scene, self._may_go_back(look), nothing, to_explain(look, scene))

    def _may_go_back(self, look: Outlook) -> Sequence[Told]:
        """The steps told last, as far as they may be taken back now."""
        now = self._beliefs
        if look.phase is Phase.DECLARED or self._rulings or not now.told:
            return []
        if now.t < now.retracted.get(now.told[-1].step.sense, -inf) + RETRACT_PERIODS * now.period:
            return []  # told, taken back and told again: from the same readings it would go on like that
        return now.told

    def _needed(self, judgement: Judgement) -> float:
        """The log-odds that are enough now: less, the longer the evidence has been waiting."""
        now = self._beliefs
        if self._rulings.judged:
            hand = now.table.hand
            return SURE if hand is not None and self._rulings.unsaid_win(hand) else HASTY_SURE
        if not judgement.backed or judgement.t is None or judgement.margin <= 0.0:
            self._favourite = None
            return SURE
        assert judgement.step is not None
        if self._favourite is None or self._favourite[0] != judgement.step.sense:
            self._favourite = (judgement.step.sense, max(judgement.t, self._sight.seen_since))
        waited = now.t - self._favourite[1]
        enough = BACK_SURE if judgement.step.kind == "retract" else LATE_SURE
        if waited >= (now.table.rules.play.claim_seconds or CLAIM_SECONDS):
            return 0.0 if enough == LATE_SURE else enough
        late = (waited / now.period - PATIENT_PERIODS) / (LATE_PERIODS - PATIENT_PERIODS)
        return SURE + min(max(late, 0.0), 1.0) * (enough - SURE)
