"""Values of notices whose words depend on the language of the display."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from tablectl.announce.texts import Texts, Word
from tablectl.base.faults import LANGUAGES, Fault
from tablectl.tiles.tile import Tile, seat_wind


@dataclass(frozen=True)
class Seat(Word):
    """A seat by its wind, seen from the dealer of the hand (东家 = the dealer)."""

    seat: int
    dealer: int

    def words(self, texts: Texts) -> str:
        return texts(f"seat.{seat_wind(self.seat, self.dealer).code}")


@dataclass(frozen=True)
class Wind(Word):
    """The one letter of a seat's wind; ``marked`` adds the dealer's mark."""

    seat: int
    dealer: int
    marked: bool = False

    def words(self, texts: Texts) -> str:
        mark = texts("dealer_mark") if self.marked and self.seat == self.dealer else ""
        return texts(f"wind.{seat_wind(self.seat, self.dealer).code}") + mark


@dataclass(frozen=True)
class Fan(Word):
    """A fan by the name the rule system gives it (Chinese)."""

    name: str

    def words(self, texts: Texts) -> str:
        return texts.fan(self.name)


@dataclass(frozen=True)
class Phrase(Word):
    """A text by its key, with values of its own."""

    key: str
    values: tuple[tuple[str, object], ...] = ()

    def words(self, texts: Texts) -> str:
        return texts(self.key, dict(self.values))


@dataclass(frozen=True)
class Tiles(Word):
    """Kinds of tile by name. For the indicator and wild kinds; a discard only where the rules name it aloud."""

    tiles: tuple[Tile, ...]

    def words(self, texts: Texts) -> str:
        return " ".join(tile.name_zh if texts.language == "zh" else tile.name_en for tile in self.tiles)


@dataclass(frozen=True)
class Joined(Word):
    """Several values one after another; ``separator`` is used in Chinese, ", " in other languages."""

    parts: Sequence[object]
    separator: str = "，"

    def words(self, texts: Texts) -> str:
        separator = self.separator if texts.language == "zh" else ", "
        return separator.join(texts.word(part) for part in self.parts)


@dataclass(frozen=True)
class Signed(Word):
    """A change of points: with its sign."""

    points: int

    def words(self, texts: Texts) -> str:
        return f"{self.points:+d}" if self.points else "0"


@dataclass(frozen=True)
class FaultLine(Word):
    """A line of a fault as the catalogue has it (`base.faults`): in English where it does not have the language."""

    fault: Fault
    part: Literal["title", "cause", "next_step"]

    def words(self, texts: Texts) -> str:
        words = self.fault.text(texts.language if texts.language in LANGUAGES else "en")
        match self.part:
            case "title":
                return words.title
            case "cause":
                return texts("fault.cause", {"text": words.cause})
            case "next_step":
                return texts("fault.next", {"text": words.next_step})
