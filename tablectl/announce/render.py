"""Draws a `Screen` on an image of any display, with luma's and Pillow's means: 1 bit or colour, from 120×60 pixels up.

A display of twice that size (240×240, 320×240 …) shows the same picture in pixels twice as big, with more rows where it
is taller. The header takes the first 14 rows, the body the rest; blocks are spread over the body from top to bottom.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from tablectl.announce import blocks
from tablectl.announce.blocks import HEADER, ROW, Palette
from tablectl.announce.fonts import Fonts
from tablectl.announce.screens import Block, Line, Page, Paragraph, Rows, Screen
from tablectl.documents import Problem

if TYPE_CHECKING:
    from PIL import Image

    from tablectl.base.settings import Source

#: Pictures that are kept (the seconds of a turn come round again and again), unscaled: at most 5 MB in colour.
KEPT: Final = 64
#: The smallest display that the layouts are made for.
MIN_SIZE: Final = (120, 60)

MONO: Final = Palette(paper=0, ink=1, bar=1, bar_ink=0, accent=1, dim=1)
COLOURS: Final = {
    "plain": Palette(paper="#000000", ink="#ffffff", bar="#204060", bar_ink="#ffffff", accent="#ffd040", dim="#506070"),
    "notice": Palette(
        paper="#000000", ink="#ffffff", bar="#e0a000", bar_ink="#000000", accent="#ffd040", dim="#506070"
    ),
    "fault": Palette(paper="#000000", ink="#ffffff", bar="#c00000", bar_ink="#ffffff", accent="#ff6050", dim="#506070"),
}


def check_size(size: tuple[int, int]) -> None:
    """Raises ValueError for a display that is too small for the layouts."""
    if size[0] < MIN_SIZE[0] or size[1] < MIN_SIZE[1]:
        raise ValueError(f"display of {size[0]}x{size[1]} pixels; expected at least {MIN_SIZE[0]}x{MIN_SIZE[1]}")


def check(source: Source) -> Iterator[Problem]:
    """Displays in a configuration that are too small (a check for `base.settings.load`)."""
    displays = source.find("displays")
    for number, display in enumerate(displays.items() if displays is not None else ()):
        keys = display.value if isinstance(display.value, dict) else {}
        for key, least in zip(("width_px", "height_px"), MIN_SIZE, strict=True):
            node = keys.get(key)
            if node is not None and isinstance(node.value, int) and node.value < least:
                text = f"displays[{number}].{key}: {node.value}; the screens need at least {least}"
                yield Problem(str(source.path), node.line, node.column, text)


def render(
    screen: Screen, size: tuple[int, int] = (128, 64), mode: str = "1", fonts: Fonts | None = None
) -> Image.Image:
    """The picture of ``screen`` in pixels ``size``, to look at only; ``mode`` is ``1`` or ``RGB``.

    Raises:
        ValueError: the display is smaller than `MIN_SIZE`.
    """
    from PIL import Image

    check_size(size)
    scale = min(size[0] // MIN_SIZE[0], size[1] // MIN_SIZE[1])
    image = _small(screen, (size[0] // scale, size[1] // scale), mode, fonts or Fonts())
    if scale > 1:
        image = image.resize((image.width * scale, image.height * scale), Image.Resampling.NEAREST)
    if image.size != size:
        whole = Image.new(mode, size, _palette(screen, mode).paper)
        whole.paste(image, ((size[0] - image.width) // 2, (size[1] - image.height) // 2))
        image = whole
    return image


@lru_cache(maxsize=KEPT)
def _small(screen: Screen, size: tuple[int, int], mode: str, fonts: Fonts) -> Image.Image:
    """The picture at its natural size; nobody draws on it any more."""
    from PIL import Image, ImageDraw

    width, height = size
    palette = _palette(screen, mode)
    image = Image.new(mode, size, palette.paper)
    draw = ImageDraw.Draw(image)
    draw.fontmode = "1"
    canvas = blocks.Canvas(draw, fonts, palette)
    pages = paginate(screen, (width, height - HEADER), fonts)
    number = screen.page % len(pages)
    canvas.header(screen, width, f"{number + 1}/{len(pages)}" if len(pages) > 1 else "")
    _body(canvas, pages[number], (0, HEADER, width, height))
    return image


def _palette(screen: Screen, mode: str) -> Palette:
    return MONO if mode == "1" else COLOURS[screen.tone]


def paginate(screen: Screen, body: tuple[int, int], fonts: Fonts) -> tuple[Page, ...]:
    """The pages as they fit a body of ``body`` pixels: long tables and paragraphs are cut into several."""
    return tuple(part for page in screen.pages for part in _split(page, body, fonts))


def _split(page: Page, body: tuple[int, int], fonts: Fonts) -> list[Page]:
    """Cut the table of a page, or its paragraphs, so that every part fits; the other blocks stand on each part."""
    for index, block in enumerate(page):
        if isinstance(block, Rows):
            rest = sum(_least(other) for other in page if other is not block) + _total(block)
            count = max(1, (body[1] - rest) // ROW)
            cut = [block.rows[start : start + count] for start in range(0, len(block.rows), count)] or [()]
            return [(*page[:index], replace(block, rows=rows), *page[index + 1 :]) for rows in cut]
    if any(isinstance(block, Paragraph) for block in page):
        return _split_paragraphs(page, body, fonts)
    return [page]


def _split_paragraphs(page: Page, body: tuple[int, int], fonts: Fonts) -> list[Page]:
    """Paragraphs become lines, at the biggest size at which all stand on one page, else the smallest, over pages. A
    paragraph that has room on a page of its own is not cut."""
    parts: list[list[Block]] = []
    for pick in (max, min):
        parts = [_lines(block, pick, body[0], fonts) for block in page]
        if sum(_least(line) for part in parts for line in part) <= body[1]:
            return [tuple(line for part in parts for line in part)]
    room = body[1] // ROW
    pages: list[list[Block]] = [[]]
    for part in parts:
        if len(pages[-1]) + min(len(part), room) > room:
            pages.append([])
        for line in part:
            if len(pages[-1]) == room:
                pages.append([])
            pages[-1].append(line)
    return [tuple(lines) for lines in pages]


def _lines(block: Block, pick: Callable[[Iterable[int]], int], width: int, fonts: Fonts) -> list[Block]:
    """A paragraph, or a line beside one, as lines at the size that ``pick`` takes."""
    if isinstance(block, Paragraph):
        size = pick(block.sizes)
        return [Line(text, (size,), block.align) for text in blocks.wrap(block.text, fonts[size], width)]
    return [replace(block, sizes=(pick(block.sizes),))] if isinstance(block, Line) else [block]


def _least(block: Block) -> int:
    """The least height of a block in pixels."""
    if isinstance(block, Rows):
        return len(block.rows) * ROW + _total(block) if block.rows else ROW
    return min(block.sizes) if isinstance(block, (Line, Paragraph)) else blocks.LEAST[type(block)]


def _total(block: Rows) -> int:
    return ROW + 2 if block.total else 0


def _body(canvas: blocks.Canvas, page: Page, box: tuple[int, int, int, int]) -> None:
    left, top, right, bottom = box
    heights = _heights(canvas, page, right - left, bottom - top)
    # What is spare stands between the blocks, half as much above the first and below the last.
    gap = max(0, bottom - top - sum(heights)) / max(1, len(page))
    y = top + gap / 2
    for block, height in zip(page, heights, strict=True):
        canvas.block(block, (left, round(y), right, round(y) + height))
        y += height + gap


def _heights(canvas: blocks.Canvas, page: Page, width: int, height: int) -> list[int]:
    """Lines at their biggest size that fits the width, made smaller from the biggest down while the whole is too high;
    blocks that stretch share what is left."""
    sizes = [canvas.fit(block, width) if isinstance(block, Line) else _least(block) for block in page]
    while sum(sizes) > height:
        shrinkable = [i for i, block in enumerate(page) if isinstance(block, Line) and min(block.sizes) < sizes[i]]
        if not shrinkable:
            break
        index = max(shrinkable, key=lambda i: sizes[i])
        sizes[index] = max(size for size in _sizes(page[index]) if size < sizes[index])
    stretching = [index for index, block in enumerate(page) if type(block) in blocks.STRETCH]
    for index in stretching:
        sizes[index] += max(0, height - sum(sizes)) // len(stretching)
    return sizes


def _sizes(block: Block) -> Sequence[int]:
    return block.sizes if isinstance(block, Line) else ()
