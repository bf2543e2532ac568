"""What stands on a display, as data: a `Screen` of pages of blocks, made from a notice's kind and values by `LAYOUTS`.

Nothing here knows pixels, fonts or the time; `announce.render` draws a screen. The blocks of a layout name text keys,
templates and values (``Line("turn.label")``, ``Line("{seat}")``, ``Rows("fans")``); `screen` puts words in their place.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from tablectl.announce.texts import Texts, placeholders

Align = Literal["left", "center", "right"]
Tone = Literal["plain", "notice", "fault"]
Values = Mapping[str, Any]

#: Heights of text in pixels, biggest first: the first that fits is drawn.
BIG: Final = (32, 24, 16, 12)
MEDIUM: Final = (16, 12)
SMALL: Final = (12,)


@dataclass(frozen=True)
class Line:
    """One line of text at the biggest of ``sizes`` that fits; ``optional``: left out where the text has no value."""

    text: str
    sizes: tuple[int, ...] = MEDIUM
    align: Align = "center"
    optional: bool = False

    def filled(self, values: Values, texts: Texts) -> Line | None:
        if self.optional and any(values.get(name) in (None, "") for name in placeholders(texts.template(self.text))):
            return None
        return replace(self, text=texts(self.text, values))


@dataclass(frozen=True)
class Paragraph:
    """Text over several lines; what does not fit goes to further pages."""

    text: str
    sizes: tuple[int, ...] = MEDIUM
    align: Align = "center"

    def filled(self, values: Values, texts: Texts) -> Paragraph | None:
        text = texts(self.text, values)
        return replace(self, text=text) if text else None


@dataclass(frozen=True)
class Rows:
    """A table; rows that do not fit go to further pages. The first ``left`` columns are aligned left, the others right.
    ``source`` is the value with the rows; ``total`` (label, amount) stands below a rule on every page; ``optional``:
    left out where there are no rows."""

    source: str
    left: int = 1
    total: tuple[str, ...] = ()
    optional: bool = False
    rows: tuple[tuple[str, ...], ...] = ()

    def filled(self, values: Values, texts: Texts) -> Rows | None:
        if self.optional and not values.get(self.source):
            return None
        rows = tuple(tuple(texts.word(cell) for cell in row) for row in values[self.source])
        return replace(self, rows=rows, total=tuple(texts(cell, values) for cell in self.total))


@dataclass(frozen=True)
class Grid:
    """Four cells in two columns, in playing order: who, how much."""

    source: str
    cells: tuple[tuple[str, str], ...] = ()

    def filled(self, values: Values, texts: Texts) -> Grid | None:
        return replace(self, cells=tuple((texts.word(who), texts.word(what)) for who, what in values[self.source]))


@dataclass(frozen=True)
class Countdown:
    """Whose turn, and the seconds left in big digits over a bar. Values ``seat``, ``seconds`` and ``limit`` (None: no
    limit, no digits)."""

    label: str
    free: str
    seat: str = ""
    seconds: int | None = None
    share: float = 0.0

    def filled(self, values: Values, texts: Texts) -> Countdown | None:
        seconds, limit = values.get("seconds"), values.get("limit")
        return Countdown(
            texts(self.label, values),
            texts(self.free, values),
            texts.word(values["seat"]),
            seconds,
            min(1.0, seconds / limit) if seconds is not None and limit else 0.0,
        )


@dataclass(frozen=True)
class Dice:
    """Dice as they lie, and their sum. Value ``dice``."""

    dice: tuple[int, ...] = ()

    def filled(self, values: Values, texts: Texts) -> Dice | None:
        return Dice(tuple(values["dice"]))


@dataclass(frozen=True)
class Bars:
    """Progress: label, count, share 0–1. Value ``sides`` = (label, done, total) a side; total 0 = unknown."""

    bars: tuple[tuple[str, str, float], ...] = ()

    def filled(self, values: Values, texts: Texts) -> Bars | None:
        return Bars(
            tuple(
                (
                    texts.word(label),
                    texts("shuffling.count", {"done": done, "total": total}) if total else str(done),
                    min(1.0, done / total) if total else 0.0,
                )
                for label, done, total in values["sides"]
            )
        )


@dataclass(frozen=True)
class Flags:
    """A box for each seat, filled where it is ready. Value ``seats`` = (label, ready) a seat."""

    flags: tuple[tuple[str, bool], ...] = ()

    def filled(self, values: Values, texts: Texts) -> Flags | None:
        return Flags(tuple((texts.word(label), bool(on)) for label, on in values["seats"]))


Block = Line | Paragraph | Rows | Grid | Countdown | Dice | Bars | Flags
Page = tuple[Block, ...]


@dataclass(frozen=True)
class Layout:
    """How a kind of notice looks. ``header`` "" = the hand in progress; a notice or fault has it inverted."""

    pages: tuple[Page, ...]
    header: str = ""
    tone: Tone = "plain"

    @property
    def turns_pages(self) -> bool:
        return len(self.pages) > 1 or any(isinstance(block, (Rows, Paragraph)) for page in self.pages for block in page)


@dataclass(frozen=True)
class Screen:
    """A filled layout. ``page`` counts up with time; the display shows ``page`` modulo its number of pages."""

    kind: str
    header: str
    #: the mark of a simulated table, and a short form where the header needs the room
    badges: tuple[str, ...]
    tone: Tone
    pages: tuple[Page, ...]
    page: int = 0


def _one(*blocks: Block, header: str = "", tone: Tone = "plain") -> Layout:
    return Layout((blocks,), header, tone)


#: Every kind of notice. Text keys stand in config/texts; the values each needs are those of its texts and blocks.
LAYOUTS: Final[Mapping[str, Layout]] = {
    # the table between hands
    "idle": _one(Line("idle.title"), Line("idle.detail", SMALL), header="header.table"),
    "waiting": _one(Line("waiting.title"), Flags(), Line("waiting.detail", SMALL), header="header.table"),
    "homing": _one(Line("homing.title"), Paragraph("homing.detail", SMALL), header="header.table"),
    "machine": _one(Line("{title}"), Paragraph("{note}", SMALL), header="header.table"),
    "shuffling": _one(Bars(), header="shuffling.header"),
    "fault": Layout(
        (
            (Paragraph("{title}"), Line("{where}", SMALL, optional=True)),
            (Paragraph("{next}"),),
            (Paragraph("{cause}"),),
        ),
        header="fault.header",
        tone="fault",
    ),
    "warning": _one(Paragraph("{title}"), header="fault.warning", tone="notice"),
    "paused": _one(Line("paused.title", BIG), Line("paused.detail", SMALL), tone="notice"),
    # the hand
    "walls_ready": _one(
        Line("walls_ready.label", SMALL), Line("walls_ready.who"), Line("walls_ready.hash", SMALL, optional=True)
    ),
    "dice_again": _one(Line("dice.thrown", SMALL), Line("walls_ready.again")),
    "stakes": _one(Line("stakes.title"), Rows("stakes")),
    "dice": _one(Dice(), Line("dice.break", SMALL, optional=True)),
    "double": _one(Line("double.title", BIG), Line("double.detail", SMALL), tone="notice"),
    "dealing": _one(Line("dealing.title", BIG), Line("dealing.detail", SMALL, optional=True)),
    "turning": _one(Line("indicator.title", BIG), Line("indicator.sums", SMALL)),
    "wild": _one(Line("indicator.label", SMALL), Line("{tiles}", BIG)),
    "flowers": _one(Line("flowers.title", BIG), Line("flowers.detail", SMALL)),
    "turn": _one(Countdown("turn.label", "turn.free")),
    "last_round": _one(Line("last_round.title", BIG), Line("last_round.next", SMALL)),
    "hurry": _one(Countdown("turn.label", "turn.free"), tone="notice"),
    "claim": _one(Line("{seat}"), Line("{word}", BIG)),
    "payment": _one(Grid("amounts"), Line("{cards}", SMALL, optional=True), header="{seat} {what}"),
    "common_payment": _one(Grid("amounts"), Line("{cards}", SMALL, optional=True), header="{what}"),
    "handover": _one(Rows("cards"), header="{what}"),
    # the end of the hand
    "proposed": _one(Line("{seat} {word}", BIG), Line("{wait}"), tone="notice"),
    "win": Layout(
        (
            (Rows("fans", total=("win.total", "{score} {unit}")),),
            (Grid("amounts"),),
            (Rows("cards", optional=True),),
        ),
        header="{seat} {word}",
    ),
    "drawn": _one(Line("drawn.title", BIG), Line("drawn.detail")),
    "broken_off": _one(Line("drawn.broken_off"), Line("{reason}", SMALL, optional=True)),
    "totals": _one(Rows("totals", left=2), header="totals.header"),
    # the match
    "time_left": _one(Line("time_left.title"), Line("time_left.detail", SMALL), tone="notice"),
    "last_hand": _one(Line("last_hand.title", BIG), Line("last_hand.detail", SMALL), tone="notice"),
    "game_over": _one(Line("game_over.title", BIG), Line("game_over.detail", SMALL), tone="notice"),
    "game_end": _one(Rows("totals", left=3), header="game_end.header"),
    "next_seats": _one(Rows("seats", left=2), header="next_seats.header"),
    # what a person should do otherwise, in neutral words
    "offence": _one(Paragraph("{text}"), header="offence.header", tone="notice"),
    "offence_seat": _one(Line("{seat}"), Paragraph("{text}"), header="offence.header", tone="notice"),
    "dead": _one(Line("{seat}"), Paragraph("{text}"), header="offence.header", tone="notice"),
    # a player's phone
    "pairing": _one(Rows("codes"), Line("pairing.detail", SMALL), header="pairing.header", tone="notice"),
}


def screen(kind: str, values: Values, texts: Texts, page: int = 0) -> Screen:
    """The screen of a notice; ``values`` also holds ``context`` (the header: the hand in progress) and ``simulated``.

    Raises:
        KeyError: unknown kind, or a value that its layout needs is missing.
    """
    layout = LAYOUTS[kind]
    header = texts(layout.header, values) if layout.header else texts.word(values.get("context", ""))
    badges = (texts("badge.simulated"), texts("badge.short")) if values.get("simulated") else ()
    pages = tuple(
        tuple(block for block in (item.filled(values, texts) for item in items) if block is not None)
        for items in layout.pages
    )
    return Screen(kind, header, badges, layout.tone, tuple(filter(None, pages)), page)
