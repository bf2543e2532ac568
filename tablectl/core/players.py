"""What players may ask for from their phones: agree to a win, ask for the scores (competition J102), call the referee.

What waits for the referee is the section ``requests``; the scores that he told are the section ``answers``, which is
for him and for the seat that asked. How often a player may ask is counted over the match, also over a restart.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, Final

from tablectl.app import Core
from tablectl.core.offers import agreement_refused, score_queries_open
from tablectl.game import actions as act
from tablectl.game import events as ev
from tablectl.game.sheet import sheets
from tablectl.game.views import Role
from tablectl.link.connection import Client
from tablectl.link.protocol import INVALID_PARAMS, RpcError
from tablectl.link.server import Link
from tablectl.refusals import Refusal, Refused

Params = dict[str, Any]

#: the fact that counts a question about the scores
ASKED: Final = "score_query"
#: who sees all requests
CONSOLE: Final = frozenset({Role.REFEREE, Role.OPERATOR})


class Players:
    """Methods ``player.*``, ``referee.answer|decline|score_query``; sections ``requests`` and ``answers``."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._link: Link | None = None
        self._ids = itertools.count(1)
        self._requests: list[Params] = []
        self._answers: list[Params] = []
        core.listeners.append(self._heard)

    def add_to(self, link: Link) -> None:
        self._link = link
        link.method("player.agree", self._agree)
        link.method("player.score_query", self._score_query)
        link.method("player.call", self._call)
        link.method("referee.answer", self._answer)
        link.method("referee.decline", self._decline)
        link.method("referee.score_query", self._query_at_the_table)
        link.section("requests", lambda role, seat: _for(self._requests, role, seat), follows_events=False)
        link.section("answers", lambda role, seat: _for(self._answers, role, seat), follows_events=False)

    def _heard(self, seq: int, events: Sequence[ev.Event]) -> None:
        """Answers stand until the next hand; who changed seats asks anew."""
        if any(isinstance(event, ev.MatchStarted | ev.SeatsNamed) for event in events):
            self._requests.clear()
            self._answers.clear()
        elif any(isinstance(event, ev.HandOpened) for event in events):
            self._answers.clear()
        else:
            return
        self._touch()

    def _touch(self) -> None:
        if self._link is not None:
            self._link.touch("requests", "answers")

    # --- players

    def _agree(self, params: Params, client: Client) -> Params:
        """A player agrees to the declared win: {seat, name}."""
        seat, _ = self._who(params)
        refused = agreement_refused(self._core.table, seat)
        if refused is not None:
            raise Refused(refused)
        self._core.apply(act.Press(t=self._core.clock.now(), seat=seat, key="pass"))
        self._core.journal.note("agreed", seat=seat, by=params["by"])
        return {"seq": self._core.table.last_seq}

    def _score_query(self, params: Params, client: Client) -> Params:
        """A player asks for the scores of all games so far (J102): {seat, name} -> {left}, what he may ask after it."""
        seat, name = self._who(params)
        left = self._left(seat, name)
        if left <= 0:
            raise Refused(Refusal("no_more_queries", times=self._limit()))
        self._request(seat, name, ASKED, params["by"], left=left)
        return {"left": left - 1}

    def _call(self, params: Params, client: Client) -> Params:
        """A player wants the referee at the table: {seat, name}."""
        seat, name = self._who(params)
        self._request(seat, name, "call", params["by"])
        return {}

    def _request(self, seat: int, name: str, what: str, by: str, **more: Any) -> None:
        if any((waiting["seat"], waiting["what"]) == (seat, what) for waiting in self._requests):
            raise Refused(Refusal("asked_already"))
        at = self._core.clock.wall()
        self._requests.append({"id": next(self._ids), "seat": seat, "name": name, "what": what, "at": at, **more})
        self._core.journal.note("asked", what=what, seat=seat, by=by)
        self._touch()

    def _who(self, params: Params) -> tuple[int, str]:
        """Seat and name. Raises Refused where somebody else sits there by now."""
        seat, name = params.get("seat"), params.get("name")
        if type(seat) is not int or not 0 <= seat <= 3:
            raise RpcError(INVALID_PARAMS, f"seat: {seat!r}; a player sits at 0, 1, 2 or 3")
        if name != self._core.table.game.names[seat]:
            raise Refused(Refusal("somebody_else"))
        return seat, str(name)

    # --- the referee

    def _answer(self, params: Params, client: Client) -> Params:
        """Grant a player's request: {id}. For a score query the result holds names, points, off_board, totals, left."""
        request = self._taken(params)
        return self._told(request, params["by"]) if request["what"] == ASKED else {}

    def _query_at_the_table(self, params: Params, client: Client) -> Params:
        """A player asks the referee himself (J102): {seat} -> names, points, off_board, totals, left."""
        seat = params.get("seat")
        if type(seat) is not int or not 0 <= seat <= 3:
            raise RpcError(INVALID_PARAMS, f"seat: {seat!r}; a player sits at 0, 1, 2 or 3")
        name = self._core.table.game.names[seat]
        if self._left(seat, name) <= 0:
            raise Refused(Refusal("no_more_queries", times=self._limit()))
        return self._told({"seat": seat, "name": name, "what": ASKED, "at": self._core.clock.wall()}, params["by"])

    def _told(self, request: Params, by: str) -> Params:
        """Count the question, and tell the scores to who asked."""
        seat, name = request["seat"], request["name"]
        self._core.journal.note(ASKED, match=self._match(), seat=seat, player=name, by=by)
        answer = {**request, **self._scores(), "left": self._left(seat, name)}
        self._answers.append(answer)
        self._touch()
        return answer

    def _decline(self, params: Params, client: Client) -> Params:
        """Refuse a player's request: {id, reason?}. A question about the scores that is refused does not count."""
        request = self._taken(params)
        reason = str(params.get("reason") or "")
        self._core.journal.note("declined", what=request["what"], seat=request["seat"], reason=reason, by=params["by"])
        return {}

    def _taken(self, params: Params) -> Params:
        request = next((one for one in self._requests if one["id"] == params.get("id")), None)
        if request is None:
            raise Refused(Refusal("no_request", id=params.get("id")))
        self._requests.remove(request)
        self._touch()
        return request

    # --- scores

    def _limit(self) -> int:
        """How often may be asked. Raises Refused where there is nothing to ask now."""
        queries, game = self._core.rules.play.score_queries, self._core.table.match.game
        if queries is None:
            raise Refused(Refusal("points_open"))
        if not score_queries_open(self._core.table):
            raise Refused(Refusal("query_in_game", due=queries.game, game=game))
        return queries.times

    def _left(self, seat: int, name: str) -> int:
        limit, queries, match = self._limit(), self._core.rules.play.score_queries, self._match()
        assert queries is not None
        asked = [entry.data for entry in self._core.journal.facts(type=ASKED) if entry.data["match"] == match]
        own = [one for one in asked if queries.by_table or (one["player"] == name if name else one["seat"] == seat)]
        return limit - len(own)

    def _match(self) -> int:
        """The number of the event with which this match began."""
        return self._core.table.state.first_seq

    def _scores(self) -> Params:
        """By seat: names, points and off-board account of this game, and the total of all games (总局分)."""
        table = self._core.table
        found = sheets(table.events, table.rules, first_seq=table.state.first_seq)
        names, match = table.game.names, table.match
        points = [hand.points for hand in [table.playing] if hand is not None] or [match.points]
        now = [on + off for on, off in zip(points[0], match.off_board, strict=True)]
        totals = list(now)
        for sheet in found:
            if sheet.game == match.game:
                continue
            for row, player in enumerate(sheet.players):
                seat = names.index(player.name) if names.count(player.name) == 1 else row
                totals[seat] += player.total
        return {"names": list(names), "points": list(points[0]), "off_board": list(match.off_board), "totals": totals}


def _for(items: list[Params], role: Role, seat: int | None) -> list[Params]:
    """Those of ``items`` that are for this role."""
    if role in CONSOLE:
        return [dict(item) for item in items]
    return [dict(item) for item in items if role is Role.PLAYER and item["seat"] == seat]
