"""From the events of a match to notices and speech: what is told of each, and what of it never is.

The name of a discard is never shown, nor said unless the rules want it (`Play.announce_discards`; competition J19 does
not), and a win's value is told only after it is confirmed (J107).
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import singledispatchmethod
from typing import Any, Final, Protocol

from tablectl.announce.cards import Rows, handed_over, in_a_line
from tablectl.announce.notices import LIFETIME, Stack
from tablectl.announce.speech import Speech
from tablectl.announce.texts import Texts
from tablectl.announce.waiting import broken_at, waiting_for
from tablectl.announce.words import Fan, Joined, Phrase, Seat, Signed, Tiles, Wind
from tablectl.game import events as ev
from tablectl.game.judge import situation
from tablectl.game.state import Game, Hand, MatchPhase, Paid, Phase
from tablectl.game.views import Role, redact
from tablectl.rules.api import Points, RuleSet
from tablectl.tiles.tile import WINDS

#: Seconds that the first of several winners' results is shown before the next one's.
WIN_SECONDS: Final = 12.0
#: Players by their seats of game 1, where they have no names (competition J97).
PLAYERS: Final = "ABCD"
#: words of the table's own for a hand that was broken off, which say nothing to players
WORDLESS: Final = frozenset({"broken_off", "void", "referee", "false_win"})


class Table(Protocol):
    """What is read: the match as events have built it."""

    @property
    def game(self) -> Game: ...
    @property
    def rules(self) -> RuleSet: ...
    @property
    def unconfirmed(self) -> bool: ...


class Narrator:
    """Puts notices on a `Stack` and gathers what is to be said.

    ``texts``: those of any language; they say which alerts are for the table at all. ``quiet``: kinds of speech
    (`speech.KINDS`) that are switched off. Raises ValueError for an unknown kind.
    """

    def __init__(self, table: Table, texts: Texts, quiet: Iterable[str] = ()) -> None:
        self.stack = Stack()
        self.spoken: list[Speech] = []
        #: a commitment to the built wall, shown until the dice are thrown
        self.commitment: str | None = None
        self._table = table
        self._texts = texts
        self._quiet = frozenset(quiet)
        #: calls already echoed since the last draw or discard, so that call and meld are one announcement
        self._echoed: set[tuple[int, str]] = set()
        self._now = 0.0

    def tell(self, event: ev.Event, now: float) -> None:
        """An event, after the state was folded from it; ``now`` in seconds on the table's clock."""
        self._now = now
        self._on(event)
        self.await_people(now)

    def await_people(self, now: float) -> None:
        """What the hand waits for, from its state."""
        game, hand = self._table.game, self._hand
        if game.phase is MatchPhase.WAITING:
            seats = [(Wind(seat, 0), bool(name)) for seat, name in enumerate(game.names)]
            self.stack.put("waiting", now, seats=seats, ready=sum(ready for _, ready in seats))
        else:
            self.stack.drop("waiting")
        if self._table.unconfirmed:
            self.stack.put("game_over", now)
        else:
            self.stack.drop("game_over")
        waiting = waiting_for(hand, self._table.rules) if hand and game.phase is MatchPhase.HAND else None
        if hand is None or waiting is None:
            self.stack.drop("phase", "hurry")
            return
        kind, values = waiting
        if kind == "walls_ready":
            values["hash"] = self.commitment
        self.stack.put(kind, now, key="phase", **values)
        if kind == "turn" and hand.warned and not hand.overrun:
            self.stack.put("hurry", now, **values)
        else:
            self.stack.drop("hurry")

    @property
    def _hand(self) -> Hand | None:
        return self._table.game.hand

    @property
    def dealer(self) -> int:
        game = self._table.game
        return game.hand.dealer if game.hand and game.phase is MatchPhase.HAND else game.match.dealer

    def _seat(self, seat: int) -> Seat:
        return Seat(seat, self.dealer)

    @property
    def doubled(self) -> bool:
        """Whether the hand counts double because the dealer kept the deal (competition J60)."""
        hand = self._hand
        return bool(hand and hand.streak and getattr(self._table.rules.options, "double_play_factor", 1) > 1)

    # --- events

    def say(self, kind: str, key: str, variant: str = "", *, now: float | None = None, **values: Any) -> None:
        """Say a text, unless its kind is switched off."""
        if kind not in self._quiet:
            self.spoken.append(Speech(kind, key, variant, values, self._now if now is None else now))

    def _echo(self, seat: int, word: str) -> None:
        """Show and say a call once, after it was made (J19, J113)."""
        if (seat, word) in self._echoed:
            return
        self._echoed.add((seat, word))
        self._notice("claim", seat=self._seat(seat), word=Phrase(f"call.{word}"))
        self.say("claim", f"call.{word}", word)

    def _known(self, key: str, other: str) -> str:
        return key if key in self._texts else other

    def _notice(self, kind: str, **values: Any) -> None:
        self.stack.put(kind, self._now, **values)

    @singledispatchmethod
    def _on(self, event: ev.Event) -> None:
        """Events that change nothing but what the hand waits for."""

    @_on.register
    def _match_started(self, event: ev.MatchStarted) -> None:
        self.stack.keep("fault", "machine", "shuffling")

    @_on.register
    def _hand_opened(self, event: ev.HandOpened) -> None:
        self.stack.keep("fault", "machine", "shuffling", "time_left", "last_hand")
        self._echoed.clear()
        if self.doubled:
            self._notice("double", seat=self._seat(event.dealer), streak=event.streak)
            self.say("double", "say.double")
        self._say_hand(event)
        thrower = self._table.rules.thrower(event.dealer, ())
        if thrower is not None and "sit" not in self._table.rules.play.extra_keys:
            self.say("press_dice", "say.press_dice", WINDS[(thrower - event.dealer) % 4].code, seat=self._seat(thrower))

    def _say_hand(self, event: ev.HandOpened) -> None:
        """Round, hand and dealer, and what is special about the hand (mcr T59, beijing T52)."""
        game, rules = self._table.game, self._table.rules
        if rules.play.announce_hands:
            dealer = game.names[event.dealer] or PLAYERS[event.dealer]
            self.say("hand", "say.hand", wind=Phrase(f"wind.{event.bakaze.code}"), hand=event.hand, dealer=dealer)
        note = rules.note(game.match)
        if note is not None:
            self.say("hand", f"note.{note}", note, goal=getattr(rules.options, "goal_points", ""))

    @_on.register
    def _dice_thrown(self, event: ev.DiceThrown) -> None:
        hand = self._hand
        self.commitment = None
        known = hand is not None and hand.phase is not Phase.DICE
        place = broken_at(hand) if hand is not None and known else {"seat": None, "stack": None}
        self._notice("dice", dice=event.dice, **place)
        self.say("dice", "say.dice", str(sum(event.dice)), total=sum(event.dice))

    @_on.register
    def _dealt(self, event: ev.HandDealt) -> None:
        self.stack.drop("dice")

    @_on.register
    def _indicator_turned(self, event: ev.IndicatorTurned) -> None:
        hand = self._hand
        tiles = Tiles(tuple(sorted(hand.wild)) if hand and hand.wild else (event.pai,))
        self._notice("wild", tiles=tiles)
        self.say("indicator", "say.indicator", tiles=tiles)

    @_on.register
    def _drawn(self, event: ev.TileDrawn) -> None:
        self._echoed.clear()
        self.stack.drop("dice")

    @_on.register
    def _discarded(self, event: ev.TileDiscarded) -> None:
        self._echoed.clear()
        if self._table.rules.play.announce_discards:
            self.say("discard", "{tile}", event.pai.code, tile=Tiles((event.pai,)))

    @_on.register
    def _flower_laid(self, event: ev.FlowerLaid) -> None:
        self._echoed.discard((event.actor, "flower"))
        self._echo(event.actor, "flower")

    @_on.register
    def _called(self, event: ev.ClaimCalled) -> None:
        if event.claim in ("chow", "pung", "kong", "ready", "flower"):
            self._echo(event.actor, event.claim)
        elif event.claim == "win":
            hand = self._hand
            own = hand is not None and hand.phase in (Phase.TURN, Phase.LAST_ROUND) and hand.turn == event.actor
            self._echo(event.actor, "self_draw" if own else "win")

    @_on.register
    def _chow(self, event: ev.ChowMade) -> None:
        self._echo(event.actor, "chow")

    @_on.register
    def _pung(self, event: ev.PungMade) -> None:
        self._echo(event.actor, "pung")

    @_on.register
    def _kong(self, event: ev.ExposedKongMade | ev.ConcealedKongMade | ev.AddedKongMade) -> None:
        self._echo(event.actor, "kong")

    @_on.register
    def _paid(self, event: ev.PointsPaid) -> None:
        points = event.deltas if any(event.deltas) else event.off_board
        if points is None or not any(points):
            return
        what = Phrase(self._known(f"pays.{event.reason}", "pays.other"))
        amounts = [(Wind(seat, self.dealer), Signed(amount)) for seat, amount in enumerate(points)]
        rows = self._cards(event, points)
        cards = in_a_line(rows)
        if event.actor is None or event.reason == "chase":
            self._notice("common_payment", key="payment", what=what, amounts=amounts, cards=cards)
        else:
            self._notice("payment", seat=self._seat(event.actor), what=what, amounts=amounts, cards=cards)
        self.stack.drop("handover")
        if rows and cards is None:
            self._notice("handover", delay=LIFETIME["payment"], what=what, cards=rows)
        if event.reason != "penalty":
            self.say("payment", "say.payment", what=what, amounts=self._amounts(points))
        if event.reason == "pot_penalty":
            self.say("fact", "fact.pot", points=self._pot())

    def _cards(self, event: Paid, points: Points) -> Rows:
        return handed_over(self._table.game, self._table.rules, event, points, self.dealer)

    def _pot(self) -> int:
        """What lies in the pot for the next winner (beijing T40)."""
        game, hand = self._table.game, self._hand
        if hand is None or hand.phase is Phase.ENDED:
            return game.match.carry.get("pot", 0)
        return self._table.rules.settle(situation(game, hand)).carry.get("pot", 0)

    @_on.register
    def _noted(self, event: ev.IncidentNoted) -> None:
        """Facts that everybody has to know; of a wildcard that has to be shown, once it is (zhenjiang Z612)."""
        if event.kind not in ("wildcard_mid", "wildcard_pung"):
            self._fact(event)

    @_on.register
    def _shown(self, event: ev.TileShown) -> None:
        facts = self._hand.incidents if self._hand and event.what == "discard" else ()
        thrown = [fact.kind for fact in facts if fact.kind.startswith("wildcard_") and fact.seat == event.actor]
        if thrown:
            self._fact(ev.IncidentNoted(t=event.t, kind=thrown[-1], actor=event.actor))

    def _fact(self, event: ev.IncidentNoted) -> None:
        rules, hand = self._table.rules, self._hand
        key = self._known(f"fact.{event.kind}_{rules.id}", f"fact.{event.kind}")
        if hand is None or key not in self._texts or redact(event, Role.SPECTATOR, play=rules.play) is None:
            return
        barred = Tiles(tuple(sorted(rules.barred(hand.incidents, event.actor))))
        what = Phrase(key, (("reserve", event.extra.get("reserve", "")), ("tiles", barred)))
        self._notice("claim", seat=self._seat(event.actor), word=what)
        self.say("fact", "say.fact", event.kind, seat=self._seat(event.actor), what=what)

    def _amounts(self, points: Points) -> Joined:
        return Joined(
            [
                Phrase(
                    "say.amount_gains" if amount > 0 else "say.amount_pays",
                    (("seat", self._seat(seat)), ("points", abs(amount))),
                )
                for seat, amount in enumerate(points)
                if amount
            ]
        )

    @_on.register
    def _killed(self, event: ev.HandKilled) -> None:
        play = self._table.rules.play
        if redact(event, Role.SPECTATOR, play=play) is None:
            return  # for the referee and the seat itself (zhenjiang Z716)
        mechanical = play.dead_hand_mechanical or event.reason == "mechanical"
        text = Phrase("dead.mechanical" if mechanical else "dead.barred")
        self._notice("dead", key=f"dead.{event.actor}", seat=self._seat(event.actor), text=text)

    @_on.register
    def _warned(self, event: ev.TimeWarned) -> None:
        seconds = round(event.seconds)
        if event.what != "match":
            self.say("time_warning", "say.time_warning", str(seconds), seconds=seconds)
        elif seconds > 0:
            self._notice("time_left", minutes=round(seconds / 60))
            self.say("time_left", "say.time_left", str(round(seconds / 60)), minutes=round(seconds / 60))
        else:
            self._notice("last_hand")
            self.say("last_hand", "say.last_hand")

    @_on.register
    def _alerted(self, event: ev.Alerted) -> None:
        text = Phrase(f"alert.{event.code}")
        if text.key not in self._texts:
            return  # for the referee's console only
        key = f"offence.{event.code}.{event.seat}"
        if event.seat is None:
            self._notice("offence", key=key, text=text)
        else:
            self._notice("offence_seat", key=key, seat=self._seat(event.seat), text=text)
        self.say("offence", f"alert.{event.code}", event.code)

    @_on.register
    def _declared(self, event: ev.WinDeclared) -> None:
        word = "self_draw" if event.actor == event.target else "win"
        self._echo(event.actor, word)
        self.stack.drop("claim")
        wait = "referee" if self._table.rules.play.referee_confirms else "others"
        self._notice(
            "proposed",
            key=f"proposed.{event.actor}",
            seat=self._seat(event.actor),
            word=Phrase(f"call.{word}"),
            wait=Phrase(f"proposed.{wait}"),
        )

    @_on.register
    def _withdrawn(self, event: ev.WinWithdrawn) -> None:
        self.stack.drop(f"proposed.{event.actor}")

    @_on.register
    def _won(self, event: ev.HandWon) -> None:
        self.stack.drop(*(f"proposed.{seat}" for seat in range(4)), "claim")
        hand, rules = self._hand, self._table.rules
        before = hand.winners.index(event.actor) if hand and event.actor in hand.winners else 0
        word = Phrase("call.self_draw" if event.actor == event.target else "call.win")
        unit = Phrase(self._known(f"unit.{rules.id}", "unit.other"))
        self._notice(
            "win",
            key=f"win.{event.actor}",
            delay=before * WIN_SECONDS,
            seat=self._seat(event.actor),
            word=word,
            fans=[(Fan(name), value) for name, value in event.fans.items()],
            score=event.score,
            unit=unit,
            amounts=[(Wind(seat, self.dealer), Signed(amount)) for seat, amount in enumerate(event.deltas)],
            cards=self._cards(event, event.deltas),
        )
        fans = Joined(
            [Phrase("say.fan", (("fan", Fan(f)), ("value", v), ("unit", unit))) for f, v in event.fans.items()]
        )
        self.say(
            "result",
            "say.result",
            seat=self._seat(event.actor),
            word=word,
            fans=fans,
            score=event.score,
            unit=unit,
            amounts=self._amounts(event.deltas),
        )

    @_on.register
    def _hand_drawn(self, event: ev.HandDrawn) -> None:
        self.stack.drop(*(f"proposed.{seat}" for seat in range(4)))
        if event.reason == "exhausted":
            self._notice("drawn")
            self.say("drawn", "say.drawn")
        else:
            reason = "" if event.reason in WORDLESS else event.reason  # what a person wrote, no word of the table's own
            self._notice("broken_off", reason=reason)

    @_on.register
    def _ended(self, event: ev.HandEnded) -> None:
        hand = self._hand
        self._notice(
            "totals",
            changes=event.deltas,
            wind=Phrase(f"wind.{hand.prevalent.code}" if hand else "wind.E"),
            hand=hand.number if hand else 0,
        )

    @_on.register
    def _match_ended(self, event: ev.MatchEnded) -> None:
        if self._table.unconfirmed:
            why = Phrase(self._known(f"over.{event.reason}", "over.referee"))
            self.say("game_end", "say.game_over", why=why)
        else:
            self._ranking(event.reason)

    def _ranking(self, over: str) -> None:
        game, rules = self._table.game, self._table.rules
        points = rules.game_points(game.match)
        ranks = rules.ranks(points)
        order = sorted(range(4), key=lambda seat: (ranks[seat], seat))
        rows = [(Phrase("game_end.rank", (("rank", ranks[s]),)), Wind(s, 0), game.names[s], points[s]) for s in order]
        self._notice("game_end", totals=rows)
        standings = [Phrase("say.standing", (("seat", Seat(s, 0)), ("points", points[s]))) for s in range(4)]
        why = Phrase(self._known(f"over.{over}", "over.referee"))
        self.say("game_end", "say.game_end", why=why, points=Joined(standings))
        if rules.next_game(game.match) is not None:
            self._next_seats(game, rules)

    def _next_seats(self, game: Game, rules: RuleSet) -> None:
        """Who sits where in the next game of the round (competition J97)."""
        now, then = rules.seating(game.match.game), rules.seating(game.match.game + 1)
        if now == then:
            return
        player = {now[seat]: game.names[seat] or PLAYERS[now[seat]] for seat in range(4)}
        names = [player[then[seat]] for seat in range(4)]
        self._notice("next_seats", seats=[(Wind(seat, 0), name, "") for seat, name in enumerate(names)])
        seats = [Phrase("say.seat", (("seat", Seat(seat, 0)), ("name", name))) for seat, name in enumerate(names)]
        self.say("seats", "say.seats", seats=Joined(seats))

    @_on.register
    def _ruled(self, event: ev.Ruled) -> None:
        if event.do == "pause":
            self._notice("paused")
        elif event.do == "resume":
            self.stack.drop("paused")
        elif event.do == "confirm" and self._table.game.confirmed:
            self._ranking(self._table.game.match.over or "")
        elif event.do == "undo":
            self.stack.keep("fault", "machine", "shuffling", "paused")
        elif event.do in ("dismiss", "warning", "penalty", "revive"):
            self.stack.drop_where(lambda notice: notice.kind in ("offence", "offence_seat", "dead"))
