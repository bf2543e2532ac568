"""What others hear of the machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from tablectl.machine.states import State
from tablectl.machine.upkeep import Task
from tablectl.refusals import Refused

_LIFTED: Final = (State.READY, State.COLLECTING, State.PAUSED, State.IDLE)
#: the states in which a command does something
COMMANDS: Final[Mapping[str, tuple[State, ...]]] = {
    "lift": _LIFTED,
    "pause": (State.SHUFFLING,),
    "resume": (State.PAUSED, State.IDLE),
    "shuffle": (State.SHUFFLING, *_LIFTED),
    "stop": tuple(state for state in State if state not in (State.IDLE, State.FAULT)),
}


@dataclass(frozen=True, slots=True)
class SideProgress:
    """Tiles stacked at one side, of how many; what the eye and the lane's tag reader counted."""

    tiles: int
    target: int
    eye: int
    passages: int


@dataclass(frozen=True, slots=True)
class MachineStatus:
    """Published on the bus whenever something of it changes. ``cycles``: walls raised in the table's life."""

    t: float
    state: State
    ready: bool
    sides: tuple[SideProgress, ...]
    cycles: int
    #: tiles of a set as it is stacked now, and from the next shuffle on
    programme: int
    next_programme: int
    #: sensors that are not believed: the table goes on by time and by the other counts
    degraded: tuple[str, ...]
    #: learned travel times in seconds, by mechanism and stop
    learned: Mapping[str, float]
    maintenance: tuple[Task, ...]
    #: tiles of the sets that this table can stack
    programmes: tuple[int, ...]

    @property
    def commands(self) -> tuple[str, ...]:
        """The commands that do something in this state."""
        return tuple(name for name, states in COMMANDS.items() if self.state in states)


@dataclass(frozen=True, slots=True)
class KeyIgnored:
    """Published when a lift key was pressed that does nothing now; ``why`` says what to do instead."""

    t: float
    why: str


class CommandRefused(Refused):
    """A command does not fit the present state; it says why and what would."""
