"""Drawing of the blocks of a screen with Pillow's `ImageDraw`; every coordinate in pixels of the unscaled picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, singledispatchmethod
from typing import TYPE_CHECKING, Final

from tablectl.announce.fonts import Face, Fonts
from tablectl.announce.screens import (
    Align,
    Bars,
    Block,
    Countdown,
    Dice,
    Flags,
    Grid,
    Line,
    Paragraph,
    Rows,
    Screen,
)

if TYPE_CHECKING:
    from PIL import ImageDraw

#: Height of a row of a table and of a line of small type.
ROW: Final = 12
#: Height of the header with its rule and the blank row below.
HEADER: Final = 14
ELLIPSIS: Final = "…"
#: Punctuation that may not begin a line.
CLOSING: Final = "，。、：；！？）」,.;:!?)"

Box = tuple[int, int, int, int]
Colour = int | str

#: The least height of each kind of block (lines: their smallest size).
LEAST: Final[dict[type[Block], int]] = {
    Line: 12,
    Paragraph: 12,
    Rows: 12,
    Grid: 34,
    Countdown: 46,
    Dice: 24,
    Bars: 48,
    Flags: 16,
}
#: Blocks that take the height that is left.
STRETCH: Final = frozenset({Grid, Countdown, Dice, Bars})

#: Where the pips of a die lie, in thirds of its side (column, row).
PIPS: Final = {
    1: ((1, 1),),
    2: ((0, 0), (2, 2)),
    3: ((0, 0), (1, 1), (2, 2)),
    4: ((0, 0), (2, 0), (0, 2), (2, 2)),
    5: ((0, 0), (2, 0), (1, 1), (0, 2), (2, 2)),
    6: ((0, 0), (2, 0), (0, 1), (2, 1), (0, 2), (2, 2)),
}


@dataclass(frozen=True)
class Palette:
    """Colours by what they mean; 0 and 1 on a display of one bit."""

    paper: Colour
    ink: Colour
    bar: Colour
    bar_ink: Colour
    accent: Colour
    dim: Colour


def wrap(text: str, face: Face, width: int) -> list[str]:
    """Break a text into the fewest lines of at most ``width`` pixels: at blanks in Latin text, anywhere between Chinese
    characters but before closing punctuation. Of all ways to do so, the one with the most even lines; clauses stay
    whole where that needs no more lines."""
    greedy = _greedy(text, face, width)
    clauses = _clauses(text)
    if 1 < len(clauses) <= len(greedy) and all(face.width(clause) <= width for clause in clauses):
        return clauses
    for narrower in range(width * (len(greedy) - 1) // max(1, len(greedy)), width, max(1, face.height // 2)):
        even = _greedy(text, face, narrower)
        if len(even) == len(greedy) and all(face.width(line) <= width for line in even):
            return even
    return greedy


def _clauses(text: str) -> list[str]:
    """The parts of a text that end with a Chinese comma or stop."""
    return [part for part in text.replace("，", "，\n").replace("。", "。\n").split("\n") if part]


def _greedy(text: str, face: Face, width: int) -> list[str]:
    """As much as fits on each line. A single word that is too long is broken."""
    lines: list[str] = []
    line, used = "", 0
    for piece in _pieces(text):
        if line and used + face.width(piece.rstrip()) > width:
            lines.append(line.rstrip())
            line, used = "", 0
        while len(piece) > 1 and face.width(piece.rstrip()) > width:
            cut = next(n for n in range(len(piece) - 1, 0, -1) if face.width(piece[:n]) <= width or n == 1)
            lines.append(piece[:cut])
            piece = piece[cut:]
        line, used = line + piece, used + face.width(piece)
    if line.strip() or not lines:
        lines.append(line.rstrip())
    return lines


def _pieces(text: str) -> list[str]:
    """What must stay together: a Latin word with its blank, a Chinese character with the punctuation after it."""
    pieces: list[str] = []
    for char in text:
        glue = pieces and (
            char in CLOSING or char == " " or (char.isascii() and pieces[-1][-1].isascii() and pieces[-1][-1] != " ")
        )
        if glue:
            pieces[-1] += char
        else:
            pieces.append(char)
    return pieces


def shorten(text: str, face: Face, width: int) -> str:
    """The text, cut with an ellipsis where it is wider than ``width`` pixels."""
    if face.width(text) <= width:
        return text
    while text and face.width(text + ELLIPSIS) > width:
        text = text[:-1]
    return text.rstrip() + ELLIPSIS


class Canvas:
    """A picture in the making."""

    def __init__(self, draw: ImageDraw.ImageDraw, fonts: Fonts, palette: Palette) -> None:
        self.draw = draw
        self.fonts = fonts
        self.palette = palette
        self.height: int = draw.im.size[1]

    @cached_property
    def small(self) -> Face:
        return self.fonts[12]

    def text(self, box: Box, text: str, face: Face, align: Align = "left", colour: Colour | None = None) -> None:
        """One line in the middle of the height of ``box``, shortened to its width; raised where the descent of Latin
        letters would leave the picture."""
        left, top, right, bottom = box
        text = shorten(text, face, right - left)
        spare = right - left - face.width(text)
        x = left + {"left": 0, "center": spare // 2, "right": spare}[align]
        y = top + (bottom - top - face.height) // 2
        y -= max(0, y + face.depth(text) - self.height)
        self.draw.bitmap((x, y), face.mask(text), fill=self.palette.ink if colour is None else colour)

    def row(self, box: Box, cells: Sequence[tuple[str, int, int, Align, Colour]]) -> None:
        """Small texts on one base line, each (text, left, right, align, colour) within the height of ``box``."""
        _, top, _, bottom = box
        lift = max((max(0, top + self.small.depth(cell[0]) - self.height) for cell in cells), default=0)
        for text, left, right, align, colour in cells:
            self.text((left, top - lift, right, bottom - lift), text, self.small, align, colour)

    def header(self, screen: Screen, width: int, page: str) -> None:
        """Left what it is about, right the page and the badge. Notices and faults stand in a filled bar."""
        filled = screen.tone != "plain"
        ink = self.palette.bar_ink if filled else self.palette.ink
        if filled:
            self.draw.rectangle((0, 0, width - 1, 12), fill=self.palette.bar)
        else:
            self.draw.line((0, 12, width - 1, 12), fill=self.palette.dim)
        top = 0 if filled else -1  # a blank row above the rule
        right = width
        for badge in screen.badges:
            left = width - self.small.width(badge) - 3
            if left - 3 - self.small.width(page) - 3 >= self.small.width(screen.header) or badge == screen.badges[-1]:
                self._badge((left, 0, width, 13), badge, filled)
                right = left - 3
                break
        if page:
            left = right - self.small.width(page)
            self.text((left, 0, right, 12), page, self.small, colour=ink)
            right = left - 3
        self.text((1 if filled else 0, top, right, top + 12), screen.header, self.small, colour=ink)

    def _badge(self, box: Box, badge: str, on_bar: bool) -> None:
        paper, ink = (self.palette.paper, self.palette.ink) if on_bar else (self.palette.ink, self.palette.paper)
        corners = (box[0], box[1], box[2] - 1, box[3] - 1)
        self.draw.rectangle(corners, fill=paper, outline=self.palette.bar if on_bar else paper)
        self.text((box[0] + 2, 0, box[2], 12), badge, self.small, colour=ink)

    def fit(self, line: Line, width: int) -> int:
        """The biggest of the line's sizes at which it fits ``width`` pixels, else the smallest."""
        return next((size for size in line.sizes if self.fonts[size].width(line.text) <= width), min(line.sizes))

    def biggest(self, texts: Sequence[str], width: int, height: int, sizes: Sequence[int]) -> Face:
        """The biggest face at which each of ``texts`` fits, else the smallest."""
        for size in sizes:
            face = self.fonts[size]
            if size <= height and all(face.width(text) <= width for text in texts):
                return face
        return self.fonts[min(sizes)]

    @singledispatchmethod
    def block(self, block: Block, box: Box) -> None:
        """Draw a block within ``box`` (left, top, right, bottom; right and bottom are outside)."""
        raise TypeError(f"no drawing for {type(block).__name__}")

    @block.register
    def _line(self, block: Line, box: Box) -> None:
        size = next((size for size in block.sizes if size <= box[3] - box[1]), min(block.sizes))
        self.text(box, block.text, self.fonts[size], block.align)

    @block.register
    def _rows(self, block: Rows, box: Box) -> None:
        left, top, right, bottom = box
        columns = max((len(row) for row in block.rows), default=0)
        widths = [max(self.small.width(row[column]) for row in block.rows) for column in range(columns)]
        if columns:  # the last of the left columns gives way: a name is shortened, a number never
            others = sum(widths) - widths[block.left - 1]
            widths[block.left - 1] = max(0, right - left - others - 4 * (columns - 1))
        ink = self.palette.ink
        for index, row in enumerate(block.rows):
            y, x = top + index * ROW, left
            cells: list[tuple[str, int, int, Align, Colour]] = []
            for column, cell in enumerate(row):
                cells.append((cell, x, x + widths[column], "left" if column < block.left else "right", ink))
                x += widths[column] + 4
            self.row((left, y, right, y + ROW), cells)
        if block.total:
            label, amount = block.total
            self.draw.line((left, bottom - ROW - 1, right - 1, bottom - ROW - 1), fill=self.palette.dim)
            total: list[tuple[str, int, int, Align, Colour]] = [
                (label, left, right, "left", ink),
                (amount, left, right, "right", self.palette.accent),
            ]
            self.row((left, bottom - ROW, right, bottom), total)

    @block.register
    def _grid(self, block: Grid, box: Box) -> None:
        left, top, right, bottom = box
        width, height = (right - left) // 2, (bottom - top) // 2
        face = self.biggest([f"{who} {what}" for who, what in block.cells], width - 8, height, (24, 16, 12))
        for index, (who, what) in enumerate(block.cells):
            column, row = index % 2, index // 2
            cell = (
                left + column * width + 3,
                top + row * height,
                left + (column + 1) * width - 3,
                top + (row + 1) * height,
            )
            self.text(cell, who, face, "left")
            self.text(cell, what, face, "right", self.palette.accent)
        self.draw.line((left + width, top + 2, left + width, bottom - 3), fill=self.palette.dim)
        self.draw.line((left, top + height, right - 1, top + height), fill=self.palette.dim)

    @block.register
    def _countdown(self, block: Countdown, box: Box) -> None:
        left, top, right, bottom = box
        if block.seconds is None:
            middle = top + (bottom - top) * 2 // 3
            face = self.biggest([block.seat], right - left, middle - top, (32, 24, 16))
            self.text((left, top, right, middle), block.seat, face, "center")
            self.text((left, middle, right, bottom), block.free, self.small, "center")
            return
        digits = self.biggest([str(block.seconds)], (right - left) // 2, bottom - top, (48, 32, 24, 16))
        edge = right - max(digits.width(str(block.seconds)), digits.width("00"))
        self.text((edge, top, right, bottom - 4), str(block.seconds), digits, "right", self.palette.accent)
        self.text((left, top - 1, edge - 2, top + ROW - 1), block.label, self.small)
        seat = self.biggest([block.seat], edge - 4 - left, bottom - top - ROW - 6, (32, 24, 16, 12))
        self.text((left, top + ROW, edge - 2, bottom - 5), block.seat, seat)
        self.draw.line((left, bottom - 1, right - 1, bottom - 1), fill=self.palette.dim)
        self.draw.rectangle(
            (left, bottom - 4, left + round((right - left - 1) * block.share), bottom - 2), fill=self.palette.accent
        )

    @block.register
    def _dice(self, block: Dice, box: Box) -> None:
        left, top, right, bottom = box
        total = str(sum(block.dice))
        face = self.biggest([f"={total}"], (right - left) // 3, bottom - top, (32, 24, 16))
        sign = self.fonts[16]
        room = right - left - face.width(total) - sign.width("=") - 8
        side = min(bottom - top - 2, room // max(1, len(block.dice)) - 5, 48)
        x = left + (right - left - len(block.dice) * (side + 5) - sign.width("=") - 4 - face.width(total)) // 2
        y = top + (bottom - top - side) // 2
        for value in block.dice:
            self._die(value, x, y, side)
            x += side + 5
        self.text((x, top, x + sign.width("="), bottom), "=", sign)
        x += sign.width("=") + 4
        self.text((x, top, right, bottom), total, face, "left", self.palette.accent)

    def _die(self, value: int, x: int, y: int, side: int) -> None:
        self.draw.rounded_rectangle(
            (x, y, x + side - 1, y + side - 1), radius=max(2, side // 7), outline=self.palette.ink
        )
        pip = max(3, side // 6)
        for column, row in PIPS[value]:
            left = x + round((1 + 2 * column) * side / 6 - pip / 2)
            top = y + round((1 + 2 * row) * side / 6 - pip / 2)
            self.draw.rectangle((left, top, left + pip - 1, top + pip - 1), fill=self.palette.ink)

    @block.register
    def _bars(self, block: Bars, box: Box) -> None:
        left, top, right, bottom = box
        pitch = (bottom - top) / max(1, len(block.bars))
        label = max((self.small.width(text) for text, _, _ in block.bars), default=0)
        count = max((self.small.width(text) for _, text, _ in block.bars), default=0)
        for index, (name, text, share) in enumerate(block.bars):
            y = top + round(index * pitch + (pitch - ROW) / 2)
            self.text((left, y, left + label, y + ROW), name, self.small)
            self.text((right - count, y, right, y + ROW), text, self.small, "right")
            start, end = left + label + 4, right - count - 5
            self.draw.rectangle((start, y + 2, end, y + 9), outline=self.palette.dim)
            if share > 0:
                self.draw.rectangle(
                    (start + 1, y + 3, start + 1 + round((end - start - 2) * share), y + 8), fill=self.palette.accent
                )

    @block.register
    def _flags(self, block: Flags, box: Box) -> None:
        left, top, right, bottom = box
        pitch = (right - left) // max(1, len(block.flags))
        width = max((self.small.width(text) for text, _ in block.flags), default=0) + 6
        for index, (text, on) in enumerate(block.flags):
            x = left + index * pitch + (pitch - width) // 2
            y = (top + bottom) // 2 - 7
            self.draw.rectangle(
                (x, y, x + width - 1, y + 14), outline=self.palette.ink, fill=self.palette.ink if on else None
            )
            self.text(
                (x, y + 1, x + width, y + 14),
                text,
                self.small,
                "center",
                self.palette.paper if on else self.palette.ink,
            )
