"""``tablectl diagram``: the state machines as Mermaid pictures, from the tables they run on."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Annotated

import typer

from tablectl.commands.terminal import say


class Which(StrEnum):
    """The state machines there are."""

    HAND = "hand"
    MATCH = "match"
    MACHINE = "machine"


def diagram(which: Annotated[Which, typer.Argument(help="Which state machine.")]) -> None:
    """Print a state machine as a Mermaid diagram (paste it into any Mermaid viewer)."""
    from tablectl.game.machine import diagram as draw
    from tablectl.game.machine import hand_diagram, match_diagram
    from tablectl.machine.states import TRANSITIONS, State

    pictures: dict[Which, Callable[[], str]] = {
        Which.HAND: hand_diagram,
        Which.MATCH: match_diagram,
        Which.MACHINE: lambda: draw(TRANSITIONS, State.IDLE),
    }
    say(pictures[which]())
