"""Who asks: a role, a name, a seat; and what each role may do."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from tablectl.game.views import Role


class WebRole(StrEnum):
    """The roles of the page. The admin keeps accounts and reads the access log; he sees no standing tiles."""

    SPECTATOR = "spectator"
    PLAYER = "player"
    OPERATOR = "operator"
    REFEREE = "referee"
    ADMIN = "admin"

    @property
    def view(self) -> Role:
        """What the role sees of the table."""
        return Role.OPERATOR if self is WebRole.ADMIN else Role(self.value)


#: who may tell machine and match what to do
STAFF: Final = frozenset({WebRole.OPERATOR, WebRole.REFEREE, WebRole.ADMIN})
#: who may read the figures of `metrics`
OWNERS: Final = frozenset({WebRole.OPERATOR, WebRole.ADMIN})


@dataclass(frozen=True, slots=True)
class Who:
    """Somebody with a session, or a spectator without one.

    ``name``: of the account, or of the player who was paired. ``seat``: of a player who was paired by the code on the
    display; a player with an account sits where the match says that name sits. ``sitting``: the seating, game and name
    for which the pairing holds (`hub.sitting_of`). ``session``: the public number of the session.
    """

    role: WebRole
    name: str = ""
    seat: int | None = None
    sitting: str = ""
    session: int | None = None

    def by(self, address: str) -> str:
        """How the journal names him: ``referee@10.0.0.7``, ``referee:Wu@10.0.0.7``."""
        return f"{self.role.value}{':' if self.name else ''}{self.name}@{address}"


SPECTATOR: Final = Who(WebRole.SPECTATOR)
