"""A hand played by people who draw lots: a shuffled wall, legal moves only, each move an action."""

from __future__ import annotations

from random import Random

from tablectl.game import actions as act
from tablectl.game.options import Options
from tablectl.game.state import Phase
from tablectl.game.table import Table
from tablectl.tiles.meld import MeldKind
from tablectl.tiles.tile import Tile


class Players:
    """Plays hands at ``table`` and keeps the actions. ``wall``: the tiles by drawing position, position 1 first."""

    def __init__(self, table: Table, random: Random, *, claim: float = 0.5, win: bool = True) -> None:
        self.table = table
        self.random = random
        self.claim = claim
        self.win = win
        self.t = 0.0
        self.actions: list[act.Action] = []
        self.wall: list[Tile] = []
        self.taken: list[int] = []

    def do(self, action: act.Action) -> None:
        self.actions.append(action)
        self.table.apply(action)

    def tick(self) -> float:
        self.t = round(self.t + self.random.uniform(0.2, 1.2), 3)
        return self.t

    def play_hand(self) -> None:
        """One hand from the raised walls to its end."""
        self.wall = self.table.rules.tile_set.tiles()
        self.random.shuffle(self.wall)
        self.taken = []
        self.do(act.RaiseWalls(t=self.tick()))
        self._dice_and_deal()
        for _ in range(2000):
            hand = self.table.hand
            if hand is None or hand.phase is Phase.ENDED or self.table.playing is None:
                break
            self._step()
        else:
            raise AssertionError("the hand does not end")
        self.do(act.RevealWall(t=self.tick(), wall=tuple(self.wall)))

    def _dice_and_deal(self) -> None:
        hand = self.table.hand
        assert hand is not None
        while (choosing := [(s, key) for s in range(4) for key in self.table.legal(s).keys]) and not hand.throws:
            seat, key = self.random.choice(choosing)
            most = 1 if key == "sit" else self.table.rules.play.pull_max
            self.do(act.Press(t=self.tick(), seat=seat, key=key, n=self.random.randint(0, most)))
        self._throw()
        if self.table.playing is None:
            return
        assert hand.deck is not None
        hands: list[list[Tile]] = [[], [], [], []]
        for block in hand.deck.deal:
            hands[block.seat] += [self._take(p) for p in block.positions]
        drawn = hands[hand.dealer].pop()
        self.do(act.Deal(t=self.tick(), hands=tuple(tuple(h) for h in hands), drawn=drawn))

    def _throw(self) -> None:
        while throwing := [s for s in range(4) if self.table.legal(s).throw]:
            self.do(act.Press(t=self.tick(), seat=self.random.choice(throwing), key="dice"))
            self.do(act.RestDice(t=self.tick(), dice=(self.random.randint(1, 6), self.random.randint(1, 6))))

    def _turn_indicator(self) -> None:
        hand = self.table.hand
        assert hand is not None
        assert hand.deck is not None
        position = hand.deck.indicator
        if position is None:
            position = next(p for p in hand.deck.tail if p not in self.taken)
        self.do(act.TurnIndicator(t=self.tick(), tile=self._take(position), seat=hand.dealer))

    def _take(self, position: int) -> Tile:
        self.taken.append(position)
        return self.wall[position - 1]

    def _draw(self, seat: int, end: str) -> None:
        hand = self.table.hand
        assert hand is not None
        assert hand.deck is not None
        order = hand.deck.live if end == "live" else hand.deck.tail
        tile = self._take(next(p for p in order if p not in self.taken))
        self.do(act.Draw(t=self.tick(), seat=seat, tile=tile, end="live" if end == "live" else "tail"))

    def _step(self) -> None:
        hand, table = self.table.hand, self.table
        assert hand is not None
        if hand.phase is Phase.DICE:
            self._throw()
            return
        if hand.phase is Phase.INDICATOR:
            self._turn_indicator()
            return
        if hand.phase is Phase.DECLARED and not any(table.legal(seat).win for seat in range(4)):
            self.do(act.Rule(t=self.tick(), do="confirm", by="referee"))
            return
        options = [table.legal(seat) for seat in range(4)]
        if self.win and (winners := [s for s in range(4) if options[s].win]):
            for seat in winners:
                self.do(act.Press(t=self.tick(), seat=seat, key="win"))
            return
        shows = [s for s in range(4) if "show" in options[s].keys]
        if shows:
            self.do(act.Press(t=self.tick(), seat=shows[0], key="show"))
            return
        for seat in self.random.sample(range(4), 4):
            if options[seat].flowers or options[seat].discards or options[seat].concealed_kongs:
                self._own_move(seat, options[seat])
                return
            if options[seat].claims and self.random.random() < self.claim and self._claim(seat, options[seat]):
                return
        drawing = [s for s in range(4) if options[s].draw]
        if drawing:
            seat = drawing[0]
            self._draw(seat, options[seat].draw or "live")
        else:
            due = table.next_deadline()
            assert due is not None, f"no way on from {hand.phase}"
            self.t = max(self.t, due)
            self.do(act.PassTime(t=self.t))

    def _own_move(self, seat: int, options: Options) -> None:
        t = self.tick()
        if options.flowers:
            self.do(act.LayFlower(t=t, seat=seat, tile=options.flowers[0]))
        elif options.concealed_kongs:
            tile = options.concealed_kongs[0]
            self.do(act.LayMeld(t=t, seat=seat, kind=MeldKind.CONCEALED_KONG, tile=None, consumed=(tile,) * 4))
        elif options.added_kongs:
            tile = options.added_kongs[0]
            self.do(act.LayMeld(t=t, seat=seat, kind=MeldKind.ADDED_KONG, tile=tile, consumed=(tile,) * 3))
        else:
            self.do(act.DiscardTile(t=t, seat=seat, tile=self.random.choice(options.discards)))

    def _claim(self, seat: int, options: Options) -> bool:
        hand = self.table.hand
        assert hand is not None
        discard = hand.last_discard
        if discard is None or not (options.kong or options.pung or options.chows):
            return False
        tile = discard.tile
        if options.kong:
            kind, consumed = MeldKind.EXPOSED_KONG, (tile,) * 3
        elif options.pung:
            kind, consumed = MeldKind.PUNG, (tile,) * 2
        else:
            kind, consumed = MeldKind.CHOW, self.random.choice(options.chows)
        self.do(act.LayMeld(t=self.tick(), seat=seat, kind=kind, tile=tile, consumed=consumed))
        return True
