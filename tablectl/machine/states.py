"""The states of the table's cycle and the table of transitions, as data."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Final

from transitions import Machine


class State(Enum):
    """Where the table's cycle stands."""

    IDLE = "idle"  # everything off; positions may be unknown
    HOMING = "homing"  # trays up, dome down
    SHUFFLING = "shuffling"  # the set in the drum is stacked, while the other may be played
    READY = "ready"  # 满: a set waits in the slots, the lamp is lit
    OPENING = "opening"  # the dome rises
    COLLECTING = "collecting"  # the opening is free, people push the tiles in
    CLOSING = "closing"  # the dome comes down
    RAISING = "raising"  # lids drop, trays lift the walls
    PAUSING = "pausing"  # 补牌: motors off, the dome rises in the middle of a shuffle
    PAUSED = "paused"
    RESUMING = "resuming"  # the dome comes down again
    FAULT = "fault"


Row = tuple[str, tuple[State, ...], State]

_S = State
#: Trigger, the states it may come from, the state it leads to.
TRANSITIONS: Final[tuple[Row, ...]] = (
    ("start", (_S.IDLE,), _S.HOMING),
    ("homed_raising", (_S.HOMING,), _S.RAISING),
    ("homed_empty", (_S.HOMING,), _S.SHUFFLING),
    ("homed_full", (_S.HOMING,), _S.READY),
    ("filled", (_S.SHUFFLING,), _S.READY),
    ("open", (_S.READY,), _S.OPENING),
    ("opened", (_S.OPENING,), _S.COLLECTING),
    ("close", (_S.COLLECTING,), _S.CLOSING),
    ("closed", (_S.CLOSING,), _S.RAISING),
    ("raised", (_S.RAISING,), _S.SHUFFLING),
    ("pause", (_S.SHUFFLING,), _S.PAUSING),
    ("paused", (_S.PAUSING,), _S.PAUSED),
    ("resume", (_S.PAUSED,), _S.RESUMING),
    ("resumed", (_S.RESUMING,), _S.SHUFFLING),
    ("stop", tuple(state for state in State if state not in (_S.IDLE, _S.FAULT)), _S.IDLE),
    ("fail", tuple(state for state in State if state is not _S.FAULT), _S.FAULT),
    ("clear", (_S.FAULT,), _S.IDLE),
)


class Cycle:
    """Keeps the state. ``entered`` is told after each change and only records."""

    state: State

    def __init__(self, entered: Callable[[], None]) -> None:
        self._machine = Machine(
            model=self, states=State, initial=State.IDLE, auto_transitions=False, after_state_change=lambda: entered()
        )
        for trigger, sources, dest in TRANSITIONS:
            self._machine.add_transition(trigger, list(sources), dest)

    def step(self, trigger: str) -> None:
        """Go on by ``trigger``. Raises `transitions.MachineError` where the state does not allow it."""
        self._machine.events[trigger].trigger(self)
