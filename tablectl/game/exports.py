"""Hands in the formats of others: one line a win, the text of Botzone's match data, Portable Majiang Notation.

Both long formats are of 国标麻将 (`mcr`) and name players by their wind: 0 is East, the dealer.

- Botzone, as its match data are published (`Chinese-Standard-Mahjong`_; tiles ``W`` 万 ``B`` 饼 ``T`` 条 ``F`` winds
  ``J`` dragons). It knows no flowers in play, so a flower that was replaced at once is left out with its draw.
- PMN, as python-majiang 0.0.1 describes it (https://pypi.org/project/python-majiang/). Its own reader knows no
  replacements and no drawn hands; the notation does.

.. _Chinese-Standard-Mahjong: https://wiki.botzone.org.cn/index.php?title=Chinese-Standard-Mahjong
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any, Final

from tablectl.game import events as ev
from tablectl.rules.api import RuleSet
from tablectl.tiles.notation import HandLine, format_line, parse_melds, parse_tile, parse_tiles
from tablectl.tiles.tile import Tile, seat_wind

Record = Sequence[Mapping[str, Any]]
Names = Sequence[str]

_WINDS: Final = "ESWN"


class ExportError(ValueError):
    """A hand has no form in the format; the message says why."""


# --- one line a win


def hand_lines(events: Sequence[ev.Event]) -> list[str]:
    """The wins of one hand, each as ``[melds]standing tiles|EE1000|ab`` (`tiles.notation`), in the order of the
    winners."""
    opened = next(event for event in events if isinstance(event, ev.HandOpened))
    dealer = next((event.dealer for event in events if isinstance(event, ev.DealerThrown)), opened.dealer)
    shown = {event.actor: event for event in events if isinstance(event, ev.WinDeclared)}
    wins = [shown[event.actor] for event in events if isinstance(event, ev.HandWon) and event.actor in shown]
    return [format_line(_line(win, opened.bakaze, seat_wind(win.actor, dealer))) for win in wins]


def _line(win: ev.WinDeclared, prevalent: Tile, wind: Tile) -> HandLine:
    return HandLine(
        concealed=parse_tiles(win.hand),
        melds=parse_melds(win.melds),
        tile=win.pai,
        prevalent=prevalent,
        seat_wind=wind,
        self_drawn=win.actor == win.target,
        last_of_kind="last_of_kind" in win.how,
        last_tile="last_tile" in win.how,
        kong="kong_replacement" in win.how or "robbing_kong" in win.how,
        flowers=parse_tiles(win.flowers),
    )


# --- what both long formats share


class _Hand:
    """A record with its players named by their wind."""

    def __init__(self, record: Record, rules: RuleSet) -> None:
        if rules.id != "mcr":
            raise ExportError(f"the format is of 国标麻将 (mcr); this hand is of {rules.name_zh} ({rules.id})")
        self.start, self.moves, self.end = record[0], record[1:], record[-1]
        self.rules = rules
        self.dealer: int = self.start["dealer"]
        self.prevalent = _WINDS.index(self.start["bakaze"])

    def player(self, seat: int) -> int:
        return (seat - self.dealer) % 4

    def by_player(self, values: Sequence[Any]) -> list[Any]:
        return [values[(player + self.dealer) % 4] for player in range(4)]

    def wins(self) -> list[Mapping[str, Any]]:
        return [event for event in self.moves if event["type"] == "hora"]

    def counted(self, fans: Mapping[str, int]) -> Iterator[tuple[int, str, int]]:
        """The number, name and count of each fan of a win."""
        entries = {entry.name: entry for entry in self.rules.fan_table()}
        for name, value in fans.items():
            entry = entries[name]
            yield entry.number, name, max(1, value // entry.value) if entry.value else 1


def _known(code: Any) -> str:
    if code is None:
        raise ExportError("a tile of this hand was never named by the antennas")
    return str(code)


def _middle(event: Mapping[str, Any]) -> str:
    """The middle tile of a chow."""
    return str(sorted([event["pai"], *event["consumed"]])[1])


# --- Botzone


def _botzone_tile(code: str) -> str:
    tile = parse_tile(code)
    if tile.suit:
        return f"{'WBT'['mps'.index(tile.suit)]}{tile.rank}"
    if tile.is_wind:
        return f"F{_WINDS.index(code) + 1}"
    if tile.is_dragon:
        return f"J{'CFP'.index(code) + 1}"
    return f"H{'abcdefgh'.index(code) + 1}"


def botzone(record: Record, rules: RuleSet, match: str) -> str:
    """The hand as one match of Botzone's data; ``match`` is its name there.

    Raises:
        ExportError: another rule system, a flower that was kept or discarded, or play that the format cannot tell.
    """
    hand = _Hand(record, rules)
    hands, moves = _without_opening_flowers(hand)
    lines = [f"Match {match}", f"Wind {hand.prevalent}"]
    for player, tiles in enumerate(hand.by_player(hands)):
        lines.append(f"Player {player} Deal {' '.join(map(_botzone_tile, sorted(tiles, key=parse_tile)))}")
    lines += _botzone_moves(hand, moves)
    return "\n".join(lines) + "\n"


def _without_opening_flowers(hand: _Hand) -> tuple[list[list[str]], list[Mapping[str, Any]]]:
    """The tiles of each seat after its flowers were replaced, and the moves from the dealer's first draw on."""
    hands = [[_known(code) for code in tiles] for tiles in hand.start["tehais"]]
    moves = list(hand.moves)
    drawn: str | None = None
    while moves and moves[0]["type"] in ("tsumo", "flower", "alert", "pay"):
        event = moves.pop(0)
        if event["type"] == "flower":
            own = hands[event["actor"]]
            if event["actor"] == hand.dealer and event["pai"] == drawn:
                drawn = None
            elif event["pai"] in own:
                own.remove(event["pai"])
            else:
                raise ExportError(f"seat {event['actor']} laid a flower it does not hold")
        elif event["type"] == "tsumo":
            if event["actor"] == hand.dealer and (event.get("from") == "live" or len(hands[hand.dealer]) == 13):
                drawn = _known(event["pai"])
            else:
                hands[event["actor"]].append(_known(event["pai"]))
    first = {"type": "tsumo", "actor": hand.dealer, "pai": drawn, "from": "live"}
    for seat, tiles in enumerate(hands):
        kept = [code for code in tiles if parse_tile(code).is_flower]
        if len(tiles) != hand.rules.play.hand_tiles or kept or drawn is None or parse_tile(drawn).is_flower:
            raise ExportError(f"seat {seat} kept a flower, or did not hold {hand.rules.play.hand_tiles} tiles at first")
    return hands, [first, *moves]


def _botzone_moves(hand: _Hand, moves: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    flower_of: int | None = None
    for event in moves:
        kind, seat = event["type"], event.get("actor")
        if kind in ("alert", "pay", "end_kyoku"):
            continue
        if flower_of is not None and kind not in ("flower", "tsumo"):
            raise ExportError(f"seat {flower_of} kept a flower; the format has no line for that")
        if kind == "tsumo" and parse_tile(_known(event["pai"])).is_flower:
            flower_of = seat
        elif kind == "flower":
            flower_of = None
        elif kind == "hora":
            yield from _botzone_win(hand)
            return
        elif kind == "ryukyoku":
            yield "Huang"
            yield f"Score {' '.join(map(str, hand.by_player(hand.end['deltas'])))}"
            return
        else:
            yield f"Player {hand.player(event['actor'])} {_botzone_act(event)}"


def _botzone_act(event: Mapping[str, Any]) -> str:
    kind = event["type"]
    if kind == "chi":
        return f"Chi {_botzone_tile(_middle(event))}"
    if kind == "ankan":
        return f"AnGang {_botzone_tile(event['consumed'][0])}"
    words = {"tsumo": "Draw", "dahai": "Play", "pon": "Peng", "daiminkan": "Gang", "kakan": "BuGang"}
    if parse_tile(_known(event["pai"])).is_flower:
        raise ExportError(f"seat {event['actor']} discarded a flower; the format has no line for that")
    return f"{words[kind]} {_botzone_tile(event['pai'])}"


def _botzone_win(hand: _Hand) -> Iterator[str]:
    """The first win; further ones are those it took precedence of."""
    first, *others = hand.wins()
    tile = _botzone_tile(first["pai"])
    ignored = "".join(f" Ignore Player {hand.player(win['actor'])} Hu {tile}" for win in others)
    yield f"Player {hand.player(first['actor'])} Hu {tile}{ignored}"
    fans = "+".join(f"{name}*{count}" for _, name, count in hand.counted(first["fans"]))
    yield f"Fan {first['score']} {fans}"
    yield f"Score {' '.join(map(str, hand.by_player(hand.end['deltas'])))}"


# --- Portable Majiang Notation

#: numbers of fans that are not those of the rulebook there
_PMN_NUMBER: Final = {48: 49, 49: 50, 50: 51, 51: 52, 52: 53, 53: 48}
_PMN_ACTS: Final = {
    "tsumo": "T",
    "dahai": "D",
    "chi": "C",
    "pon": "P",
    "ankan": "A",
    "kakan": "B",
    "daiminkan": "Z",
    "flower": "R",
    "hora": "H",
}
#: the tile just taken, in a discard
_PMN_TAKEN: Final = "z1"


def _pmn_tile(code: str) -> str:
    tile = parse_tile(code)
    if tile.suit:
        return f"{'cdb'['mps'.index(tile.suit)]}{tile.rank}"
    if tile.is_wind:
        return f"w{_WINDS.index(code) + 1}"
    if tile.is_dragon:
        return f"r{'CFP'.index(code) + 1}"
    return f"f{'abcdefgh'.index(code) + 1}"


def pmn(
    record: Record, rules: RuleSet, names: Names, *, event: str = "", site: str = "", day: date | None = None
) -> str:
    """The hand as a PMN game. ``names`` of the players by seat; ``day``: when the event began.

    Raises:
        ExportError: another rule system, or a tile that nobody could name.
    """
    hand = _Hand(record, rules)
    penalties = [0, 0, 0, 0]
    for paid in hand.moves:
        if paid["type"] == "pay" and paid["reason"] == "penalty":
            penalties = [a + b for a, b in zip(penalties, paid["deltas"], strict=True)]
    result = [a - b for a, b in zip(hand.end["deltas"], penalties, strict=True)]
    won = {hand.player(win["actor"]): win for win in hand.wins()}
    tags = {
        "Event": event,
        "Site": site,
        "Date": (day or date(1970, 1, 1)).strftime("%Y.%m.%d"),
        "Board": str(hand.start["hand"]),
        "PWind": hand.start["bakaze"],
        **dict(zip(("East", "South", "West", "North"), hand.by_player(names), strict=True)),
        "Deal": " ".join(map(_pmn_hand, hand.by_player(hand.start["tehais"]))),
        "Scoring": "Normal",
        "Starting": _spaced(hand.by_player(hand.start["scores"])),
        "Result": _spaced(hand.by_player(result)),
        "Penalty": _spaced(hand.by_player(penalties)),
        "Play": "".join(_pmn_moves(hand)),
        "Fan": " ".join(_pmn_fans(hand, won.get(player)) for player in range(4)),
    }
    return "".join(f'[{tag} "{_quoted(value)}"]\n' for tag, value in tags.items())


def _spaced(values: Sequence[int]) -> str:
    return " ".join(map(str, values))


def _quoted(text: str) -> str:
    """A value cannot hold the mark that ends it, nor a new line."""
    return text.replace('"', "'").replace("\n", " ")


def _pmn_hand(tiles: Sequence[Any]) -> str:
    written = [_pmn_tile(_known(code)) for code in tiles]
    return "".join(suit + "".join(sorted(tile[1] for tile in written if tile[0] == suit)) for suit in "cdbwrf")


def _pmn_moves(hand: _Hand) -> Iterator[str]:
    for move in hand.moves:
        kind = move["type"]
        if kind not in _PMN_ACTS:
            continue
        code = _middle(move) if kind == "chi" else move["consumed"][0] if kind == "ankan" else _known(move["pai"])
        tile = _PMN_TAKEN if kind == "dahai" and move.get("tsumogiri") else _pmn_tile(code)
        yield f"{_PMN_ACTS[kind]}{hand.player(move['actor'])}{tile}"


def _pmn_fans(hand: _Hand, win: Mapping[str, Any] | None) -> str:
    if win is None:
        return "None"
    return ".".join(f"{_PMN_NUMBER.get(number, number)}/{count}" for number, _, count in hand.counted(win["fans"]))
