"""The result sheet 《比赛成绩记录表》 of a game, from its events (competition J107, J108; mcr T54).

A column is a hand, or what was paid between two hands; a row is a player. Every column is checked: what its lines move
makes its change, the change makes the points, and the points on the table sum to what they were (with the pot).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import reduce
from typing import Any, Final

from tablectl.game import events as ev
from tablectl.game.counting import add, minus
from tablectl.game.record import effective, hands_of, matches_of
from tablectl.game.sheet_model import (
    DEALER,
    DISCARDER,
    DRAWN,
    FALSE_WIN,
    SELF_DRAW,
    WARNING,
    Cell,
    Column,
    Head,
    Line,
    Note,
    Player,
    Sheet,
)
from tablectl.rules.api import NO_POINTS, Points, RulesError, RuleSet
from tablectl.rules.standings import games_of_round

#: rulings that stand in the sheet's log; those of others change no account and no status
_LOGGED: Final = frozenset(
    {"penalty", "warning", "dead_hand", "revive", "penalty_tile", "expose", "draw_hand", "undo", "refuse", "end_game"}
)

Numbered = Sequence[tuple[int, ev.Event]]
#: sequence number of an event → seconds since 1970, None where that is not known
When = Callable[[int], float | None]


def sheets(
    events: Sequence[ev.Event],
    rules: RuleSet,
    *,
    first_seq: int = 1,
    head: Head | None = None,
    when: When = lambda seq: None,
) -> list[Sheet]:
    """The sheets of a match, one a game; a hand that was undone is left out, the undoing is noted.

    ``events``: of matches under ``rules``; the first has number ``first_seq``.
    """
    head = head or Head()
    found = []
    for begin, told in matches_of(events):
        match = effective(told, first_seq + begin)
        games = {hand[0][1].game for hand in hands_of(match) if isinstance(hand[0][1], ev.HandOpened)}
        for game in sorted(games) or [1]:
            sheet = _Writer(match, rules, game, head, when).write()
            found.append(replace(sheet, **_log(told, game), confirmed=_confirmed(told, rules)))
    return found


class _Rows:
    """Who sits where: ``seats[row]`` is the seat of the player of a row, ``names[row]`` his name."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = list(names)
        self.seats = [0, 1, 2, 3]

    def of(self, seat: int | None) -> int | None:
        return None if seat is None else self.seats.index(seat)

    def named(self, names: Sequence[str]) -> None:
        """Players changed seats, or another one took a seat."""
        if len(set(names)) == 4 and set(names) == set(self.names):
            self.seats = [names.index(name) for name in self.names]
        else:
            for row, seat in enumerate(self.seats):
                self.names[row] = names[seat]


def _signer(by: str) -> str:
    """Whose signature stands for a ruling by ``by``: of ``referee:Wu Li@10.0.0.7`` the name; empty where no person with
    a name ruled (a word of the site's, the players)."""
    if by == "players":
        return ""
    return by.rpartition("@")[0].partition(":")[2] if "@" in by else by


def _confirmed(told: Sequence[ev.Event], rules: RuleSet) -> bool | None:
    """Whether the referee confirmed the result of a match that is over; undoing its last hand takes the end back."""
    confirmed = None
    for event in told if rules.play.result_confirmed else ():
        if isinstance(event, ev.MatchEnded):
            confirmed = False
        elif isinstance(event, ev.Ruled) and event.do == "undo":
            confirmed = None
        elif isinstance(event, ev.Ruled) and event.do == "confirm" and confirmed is not None:
            confirmed = True
    return confirmed


def _log(told: Sequence[ev.Event], game: int) -> dict[str, Any]:
    """The rulings of a game in the order in which they were made (those of an undone hand stay, J107), and who
    confirmed results."""
    rows, hand, playing = _Rows(("", "", "", "")), 0, False
    notes: list[Note] = []
    referees: dict[str, None] = {}
    for event in told:
        if isinstance(event, (ev.MatchStarted, ev.SeatsNamed)):
            rows.named(event.names)
        elif isinstance(event, ev.HandOpened):
            if event.game == game and not playing:
                rows = _Rows(rows.names)
            playing = event.game == game
            hand = event.hand if playing else hand
        elif playing and isinstance(event, ev.Ruled):
            if event.do == "confirm":
                referees[_signer(event.by)] = None
            if event.do in _LOGGED:
                notes.append(Note(hand, event.do, event.by, rows.of(event.seat), event.points, event.reason))
        elif playing and isinstance(event, ev.Corrected) and event.by not in ("tracker", "rules"):
            referees[_signer(event.by)] = None
            if not isinstance(event.event, ev.HandEnded | ev.MatchEnded):  # those follow from the others
                notes.append(Note(hand, "correct", event.by, reason=event.reason))
    return {"notes": tuple(notes), "referee": tuple(name for name in referees if name)}


class _Writer:
    """Writes one sheet."""

    def __init__(self, match: Numbered, rules: RuleSet, game: int, head: Head, when: When) -> None:
        self.match, self.rules, self.game, self.head, self.when = match, rules, game, head, when
        start = match[0][1]
        assert isinstance(start, ev.MatchStarted)
        self.start = start
        self.rows = _Rows(start.names)
        self.points = start.scores
        self.off_board = NO_POINTS
        self.pot = 0
        self.columns: list[Column] = []
        self.over: ev.MatchEnded | None = None

    def by_row(self, values: Points | None) -> Points:
        if values is None:
            return NO_POINTS
        a, b, c, d = (values[seat] for seat in self.rows.seats)
        return (a, b, c, d)

    # --- the whole

    def write(self) -> Sheet:
        hands = [h for h in hands_of(self.match) if isinstance(h[0][1], ev.HandOpened) and h[0][1].game == self.game]
        first = hands[0][0][0] if hands else self.match[0][0]
        last = first
        for seq, event in self.match:
            if seq < first and isinstance(event, ev.SeatsNamed):
                self.rows = _Rows(event.names)
        if hands:
            opened = hands[0][0][1]
            assert isinstance(opened, ev.HandOpened)
            self.points = opened.scores
        begin = self.points
        for hand in hands:
            last = self._hand(hand)
        return self._sheet(begin, self.when(first), self.when(last) if self.over is not None else None)

    def _sheet(self, begin: Points, begun: float | None, ended: float | None) -> Sheet:
        totals = add(self.points, self.off_board)
        ranks = self.by_row(self.over.ranks) if self.over is not None else self.rules.ranks(totals)
        standard = self.rules.standard_points(totals) if self.over is not None else None
        advancing = self._advancing(totals)
        players = tuple(
            Player(
                name=self.rows.names[row],
                seat=row,
                team=self.head.teams[row],
                number=self.head.numbers[row],
                won=sum(column.cells[row].won for column in self.columns),
                lost=sum(column.cells[row].lost for column in self.columns),
                points=self.points[row],
                off_board=self.off_board[row],
                total=totals[row],
                rank=ranks[row],
                standard="" if standard is None else f"{float(standard[row]):g}",
                advances=row in advancing,
            )
            for row in range(4)
        )
        return Sheet(
            rules=self.rules.id,
            rules_zh=self.rules.name_zh,
            rules_en=self.rules.name_en,
            head=self.head,
            game=self.game,
            simulated=self.start.simulated,
            start=begin,
            columns=tuple(self.columns),
            players=players,
            begun=begun,
            ended=ended,
            over=None if self.over is None else self.over.reason,
        )

    def _advancing(self, totals: Points) -> set[int]:
        """The rows of those who go on, where a round of an event is this one game."""
        if self.over is None or games_of_round(self.rules) > 1:
            return set()
        try:
            return {row for row, placing in enumerate(self.rules.placings(totals)) if placing.advances}
        except RulesError:  # ranked in a larger group (mcr T61)
            return set()

    # --- a hand

    def _hand(self, hand: Numbered) -> int:
        """The columns of a hand and of what followed it; the number of its last event."""
        opened = hand[0][1]
        assert isinstance(opened, ev.HandOpened)
        self._settle(self.by_row(opened.scores), opened)
        self.pot = opened.carry.get("pot", 0)
        end = next((n for n, (_, event) in enumerate(hand) if isinstance(event, ev.HandEnded)), None)
        if end is None:
            return hand[-1][0]  # it is being played: no account is closed yet
        self.columns.append(self._closed(opened, [event for _, event in hand[: end + 1]]))
        after = [event for _, event in hand[end + 1 :]]
        paid = [self._line(event) for event in after if isinstance(event, ev.PointsPaid)]
        if paid:
            self._between(opened, paid)
        for event in after:
            if isinstance(event, ev.SeatsNamed):
                self.rows.named(event.names)
            elif isinstance(event, ev.MatchEnded):
                self._settle(self.by_row(event.scores), opened)
                self.off_board = self.by_row(event.off_board) if event.off_board else self.off_board
                self.over = event
        return hand[-1][0]

    def _settle(self, points: Points, opened: ev.HandOpened) -> None:
        """What the rules settled since the last hand (the rest of a pot, fines): a column of its own."""
        moved = minus(points, self.points)
        if moved != NO_POINTS:
            self._between(opened, [Line("settled", "settled", moved)])

    def _between(self, opened: ev.HandOpened, lines: Sequence[Line]) -> None:
        deltas = _total(line.deltas for line in lines)
        self.points = add(self.points, deltas)
        self.off_board = add(self.off_board, _total(line.off_board for line in lines))
        cells = tuple(self._cell(row, lines) for row in range(4))
        self.columns.append(self._column(opened, None, "between", cells, lines, deltas, ()))

    def _closed(self, opened: ev.HandOpened, events: Sequence[ev.Event]) -> Column:
        dealer = next((event.dealer for event in events if isinstance(event, ev.DealerThrown)), opened.dealer)
        opened = replace(opened, dealer=dealer)
        end = events[-1]
        assert isinstance(end, ev.HandEnded)
        lines = [self._line(e) for e in events if isinstance(e, (ev.PointsPaid, ev.HandWon, ev.HandDrawn))]
        drawn = next((event.reason for event in events if isinstance(event, ev.HandDrawn)), None)
        before, pot_before = self.points, self.pot
        self.points = self.by_row(end.scores)
        self.off_board = add(self.off_board, self.by_row(end.off_board))
        self.pot = end.carry.get("pot", 0)
        cells = [self._cell(row, lines) for row in range(4)]
        for row, cell in enumerate(cells):
            cells[row] = self._marked(cell, dealer, drawn, events)
        deltas = self.by_row(end.deltas)
        wrong = _checked(before, deltas, self.points, lines, self.pot - pot_before)
        moved = [line for line in lines if line.kind != "drawn" or line.deltas != NO_POINTS]
        return self._column(opened, opened.hand, drawn or "win", tuple(cells), moved, deltas, wrong)

    def _column(
        self,
        opened: ev.HandOpened,
        hand: int | None,
        ended: str,
        cells: tuple[Cell, ...],
        lines: Sequence[Line],
        deltas: Points,
        wrong: tuple[str, ...],
    ) -> Column:
        factor = getattr(self.rules.options, "double_play_factor", 1)
        return Column(
            hand=hand,
            circle=opened.circle,
            prevalent=opened.bakaze.code,
            dealer=self.rows.seats.index(opened.dealer),
            streak=opened.streak,
            doubled=hand is not None and opened.streak > 0 and factor > 1,
            ended=ended,
            cells=cells,
            lines=tuple(lines),
            deltas=deltas,
            points=self.points,
            off_board=self.off_board,
            pot=self.pot,
            wrong=wrong,
        )

    def _line(self, event: ev.PointsPaid | ev.HandWon | ev.HandDrawn) -> Line:
        if isinstance(event, ev.HandWon):
            actor, target = self.rows.of(event.actor), self.rows.of(event.target)
            return Line("win", "win", self.by_row(event.deltas), NO_POINTS, actor, target)
        if isinstance(event, ev.HandDrawn):
            return Line("drawn", event.reason, self.by_row(event.deltas))
        kind = "penalty" if "penalty" in event.reason else "event"
        moved, off_board = self.by_row(event.deltas), self.by_row(event.off_board)
        return Line(kind, event.reason, moved, off_board, self.rows.of(event.actor), self.rows.of(event.target))

    def _cell(self, row: int, lines: Sequence[Line]) -> Cell:
        moved = [line.deltas[row] for line in lines]
        return Cell(
            seat=self.rows.seats[row],
            won=sum(points for points in moved if points > 0),
            lost=-sum(points for points in moved if points < 0),
            off_board=sum(line.off_board[row] for line in lines),
        )

    def _marked(self, cell: Cell, dealer: int, drawn: str | None, events: Sequence[ev.Event]) -> Cell:
        """With its signs and its win."""
        seat, harmless = cell.seat, self.rules.play.harmless_refusals
        wins = [event for event in events if isinstance(event, ev.HandWon)]
        own = next((win for win in wins if win.actor == seat), None)
        false = any(
            isinstance(e, ev.WinWithdrawn) and e.actor == seat and self._false(e, events, harmless) for e in events
        )
        warned = any(isinstance(e, ev.Ruled) and e.do == "warning" and e.seat == seat for e in events)
        signs = [
            DEALER if seat == dealer else "",
            DISCARDER if any(win.target == seat != win.actor for win in wins) else "",
            SELF_DRAW if own is not None and own.target == seat else "",
            DRAWN if drawn == "exhausted" else "",
            FALSE_WIN if false else "",
            WARNING if warned else "",
        ]
        cell = replace(cell, signs="".join(signs))
        if own is None:
            return cell
        return replace(cell, fans=dict(own.fans), name=self.rules.win_name(own.fans), score=own.score)

    def _false(self, fallen: ev.WinWithdrawn, events: Sequence[ev.Event], harmless: frozenset[str]) -> bool:
        """Whether a win that fell was a false one (诈和), not one that was taken back or came too late."""
        shown = [e for e in events if isinstance(e, ev.WinDeclared) and e.actor == fallen.actor]
        return bool(shown) and not shown[-1].legal and shown[-1].reason not in (*harmless, "outranked")


def _checked(before: Points, deltas: Points, after: Points, lines: Sequence[Line], pot: int) -> tuple[str, ...]:
    """What is wrong with a hand's account; ``pot``: what went into it."""
    wrong = []
    moved = _total(line.deltas for line in lines)
    if moved != deltas:
        wrong.append(f"its payments make {list(moved)}, its change is {list(deltas)}")
    if add(before, deltas) != after:
        wrong.append(f"{list(before)} and the change {list(deltas)} do not make {list(after)}")
    if sum(deltas) + pot != 0:
        wrong.append(f"the changes sum to {sum(deltas)}, to the pot {pot}")
    return tuple(wrong)


def _total(amounts: Iterable[Points]) -> Points:
    return reduce(add, amounts, NO_POINTS)
