"""The seals of a hand: what the table binds itself to before the dice, and shows after the hand (`game.fairness`).

The salt and the order of the wall are in memory only (`memory.Memory`), from the raised walls to the end of the hand. A
power cut in the middle of a hand leaves its seal closed for ever; `tablectl hands verify` says so.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import replace

from tablectl.game import actions as act
from tablectl.game import events as ev
from tablectl.game.fairness import SALT_BYTES, digest_of, unknown
from tablectl.ports import CommittedDice, Dice
from tablectl.tiles.tile import Tile

Sides = tuple[tuple[Tile | None, ...], ...]


class Seals:
    """Follows the events and says what is to be committed to or opened now.

    ``built``: the walls just raised, as the lanes told them (`Tracker.built`).
    """

    def __init__(
        self,
        dice: Dice,
        built: Callable[[], Sides],
        *,
        entropy: Callable[[int], bytes] = secrets.token_bytes,
        remember: Callable[[str], object] = lambda salt: None,
    ) -> None:
        self._dice = dice if isinstance(dice, CommittedDice) else None
        self._built = built
        self._entropy = entropy
        self._remember = remember
        self._wall: act.OpenCommitment | None = None
        self._thrown_with: str | None = None

    def follow(self, event: ev.Event, t: float) -> list[act.Action]:
        """``event`` happened; ``t``: the table's clock in seconds."""
        if isinstance(event, ev.HandOpened):
            return [*self._open(t), *self._commit(t)]
        if isinstance(event, (ev.HandEnded, ev.MatchEnded)):
            return self._open(t)
        return []

    def resume(self, digest: str | None, salt: str | None) -> None:
        """The program was started again in a hand that was sealed with ``digest``: where salt and wall are
        still remembered (after a crash, not after a power cut), it can be opened."""
        built = self._built()
        if digest is not None and salt is not None and digest_of(built, salt) == digest:
            self._wall = act.OpenCommitment(t=0.0, what="wall", digest=digest, secret=salt, built=built)

    def _commit(self, t: float) -> list[act.Action]:
        commits: list[act.Action] = []
        built = self._built()
        if any(tile is not None for side in built for tile in side):
            salt = self._entropy(SALT_BYTES).hex()
            self._remember(salt)
            digest = digest_of(built, salt)
            self._wall = act.OpenCommitment(t=t, what="wall", digest=digest, secret=salt, built=built)
            commits.append(act.Commit(t=t, what="wall", digest=digest, unknown=unknown(built)))
        if self._dice is not None:
            self._thrown_with = self._dice.commitment
            commits.append(act.Commit(t=t, what="dice", digest=self._thrown_with))
        return commits

    def _open(self, t: float) -> list[act.Action]:
        opened: list[act.Action] = []
        if self._wall is not None:
            wall, self._wall = self._wall, None
            opened.append(replace(wall, t=t))
        if self._dice is not None and self._thrown_with is not None:
            digest, self._thrown_with = self._thrown_with, None
            shown = self._dice.reveal().to_json()
            opened.append(
                act.OpenCommitment(
                    t=t, what="dice", digest=digest, secret=shown["secret"], throws=tuple(shown["throws"])
                )
            )
        return opened
