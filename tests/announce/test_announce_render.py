"""The pictures: what stands on a display, to the pixel; that everything fits and every character has a glyph.

The golden pictures hold every page of every sample screen. They are compared where the same fonts are installed
(``make setup`` installs them), and made again with ``python tests/announce/test_announce_render.py``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageChops

from tablectl import documents
from tablectl.announce import blocks
from tablectl.announce.announcer import fault_values
from tablectl.announce.fonts import FONT_FILES, SIZES, Face, Fonts
from tablectl.announce.render import HEADER, check, check_size, paginate, render
from tablectl.announce.samples import KINDS, sample
from tablectl.announce.screens import Line, Paragraph, Screen, screen
from tablectl.announce.texts import LANGUAGES, load_texts
from tablectl.base.faults import Fault, catalogue
from tablectl.base.settings import Source
from tablectl.tiles.tile import TILES

GOLDEN = Path(__file__).parent / "golden"
COLUMNS = 6
SIZE = (128, 64)
FONTS = Fonts()
TEXTS = {language: load_texts(language) for language in LANGUAGES}
#: The fonts that the golden pictures were drawn with.
REFERENCE_FONTS = tuple(FONT_FILES[size][0][0] for size in (12, 16))
#: name of the golden picture → language, size, mode, simulated
SHEETS = {
    "zh": ("zh", SIZE, "1", False),
    "en": ("en", SIZE, "1", False),
    "zh-simulated": ("zh", SIZE, "1", True),
    "en-simulated": ("en", SIZE, "1", True),
    "zh-colour": ("zh", (240, 240), "RGB", True),
}


def pages(language: str, size: tuple[int, int], mode: str, simulated: bool) -> Iterator[tuple[str, Image.Image]]:
    """Every page of every sample, with its name."""
    for kind in KINDS:
        first = sample(kind, TEXTS[language], simulated=simulated)
        scale = min(size[0] // 120, size[1] // 60)
        count = len(paginate(first, (size[0] // scale, size[1] // scale - HEADER), FONTS))
        for page in range(count):
            shown = sample(kind, TEXTS[language], page, simulated)
            yield f"{kind} {page + 1}/{count}", render(shown, size, mode, FONTS)


def sheet(name: str) -> Image.Image:
    images = [image for _, image in pages(*SHEETS[name])]
    width, height = images[0].size
    whole = Image.new(images[0].mode, (width * COLUMNS, height * -(-len(images) // COLUMNS)))
    for index, image in enumerate(images):
        whole.paste(image, (index % COLUMNS * width, index // COLUMNS * height))
    return whole


@pytest.mark.parametrize("name", SHEETS)
def test_every_screen_looks_as_the_golden_picture(name: str) -> None:
    with Image.open(GOLDEN / f"{name}.png") as file:
        golden = file.convert(SHEETS[name][2])
    width, height = SHEETS[name][1]
    drawn = list(pages(*SHEETS[name]))
    assert golden.size == (width * COLUMNS, height * -(-len(drawn) // COLUMNS))
    different = []
    for index, (page, image) in enumerate(drawn):
        x, y = index % COLUMNS * width, index // COLUMNS * height
        wanted = golden.crop((x, y, x + width, y + height))
        if ImageChops.difference(image.convert("RGB"), wanted.convert("RGB")).getbbox():
            different.append(page)
        assert image.getbbox() is not None, f"{page} is empty"
    if FONTS.names != REFERENCE_FONTS:
        pytest.skip(f"the pictures were drawn with {', '.join(REFERENCE_FONTS)}")
    assert different == []


class Pen:
    """An ImageDraw that notes letters whose ink leaves the picture."""

    def __init__(self, draw: Any) -> None:
        self.draw = draw

    def __getattr__(self, name: str) -> Any:
        return getattr(self.draw, name)

    def bitmap(self, xy: tuple[int, int], mask: Image.Image, fill: Any) -> None:
        width, height = self.draw.im.size
        box = mask.getbbox()
        if box is not None:
            left, top, right, bottom = xy[0] + box[0], xy[1] + box[1], xy[0] + box[2], xy[1] + box[3]
            if left < 0 or top < 0 or right > width or bottom > height:
                Watched.cut.append(f"ink at {left},{top},{right},{bottom}")
        self.draw.bitmap(xy, mask, fill=fill)


class Watched(blocks.Canvas):
    """Notes texts that were shortened or leave the picture."""

    cut: ClassVar[list[str]] = []

    def __init__(self, draw: Any, fonts: Fonts, palette: blocks.Palette) -> None:
        super().__init__(Pen(draw), fonts, palette)  # type: ignore[arg-type]

    def text(self, box, text, face, align="left", colour=None):  # type: ignore[no-untyped-def]
        if blocks.shorten(text, face, box[2] - box[0]) != text:
            self.cut.append(text)
        super().text(box, text, face, align, colour)


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    Watched.cut = []
    monkeypatch.setattr(blocks, "Canvas", Watched)
    return Watched.cut


@pytest.mark.parametrize("size", [(128, 64), (160, 80), (240, 135), (240, 240), (256, 64), (320, 240)])
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_text_fits_whole_on_every_size(language: str, size: tuple[int, int], watched: list[str]) -> None:
    for _ in pages(language, size, "1", False):
        pass
    assert watched == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_fault_of_the_catalogue_fits(language: str, watched: list[str]) -> None:
    for kind in catalogue().values():
        values = {**fault_values(Fault(kind, "tray.0", "", t=0, wall=0)), "simulated": True}
        for name in ("fault", "warning"):
            shown = screen(name, values, TEXTS[language])
            for page in range(len(paginate(shown, (128, 64 - HEADER), FONTS))):
                render(screen(name, values, TEXTS[language], page), fonts=FONTS)
    assert watched == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_offence_fits_on_one_page(language: str, watched: list[str]) -> None:
    texts = TEXTS[language]
    for key, text in texts.entries.items():
        if key.startswith("alert."):
            shown = screen("offence_seat", {"seat": texts("seat.N"), "text": text}, texts)
            assert len(paginate(shown, (128, 64 - HEADER), FONTS)) == 1, key
            render(shown, fonts=FONTS)
    assert watched == []


@pytest.mark.parametrize("size", [12, 16])
def test_every_character_of_the_texts_has_a_glyph(size: int) -> None:
    face = FONTS[size]
    missing = bytes(face.font.getmask("\ue0aa", mode="1"))
    written = {
        char
        for texts in TEXTS.values()
        for source in (texts.entries, texts.fans)
        for text in source.values()
        for char in text
        if char not in "{} "
    }
    written |= {char for texts in [TEXTS["zh"]] for name in texts.fans for char in name}
    written |= {char for tile in TILES for char in tile.name_zh + tile.name_en if char != " "}
    written |= {
        char
        for kind in catalogue().values()
        for language in LANGUAGES
        for char in kind.texts[language].title + kind.texts[language].next_step + kind.texts[language].cause
        if char != " "
    }
    assert len(written) > 500
    without = {char for char in written if bytes(face.font.getmask(char, mode="1")) in (missing, b"")}
    assert without == set()


def test_a_simulated_table_says_so_on_every_screen() -> None:
    for language in LANGUAGES:
        plain = dict(pages(language, SIZE, "1", False))
        for name, image in pages(language, SIZE, "1", True):
            assert ImageChops.difference(image.convert("L"), plain[name].convert("L")).getbbox() is not None, name


def test_a_long_table_is_cut_into_pages_with_its_total_on_each() -> None:
    shown = sample("win", TEXTS["zh"])
    parts = paginate(shown, (128, 64 - HEADER), FONTS)
    fans = [part[0] for part in parts[:-1]]
    assert [len(rows.rows) for rows in fans] == [3, 2]
    assert all(rows.total == ("合计", "60 番") for rows in fans)
    assert len(paginate(shown, (160, 120 - HEADER), FONTS)) == 2  # a taller display shows all of them at once


def test_pages_go_round() -> None:
    first, again = (render(sample("win", TEXTS["zh"], page), fonts=FONTS) for page in (0, 3))
    assert first.tobytes() == again.tobytes()
    assert first.tobytes() != render(sample("win", TEXTS["zh"], 1), fonts=FONTS).tobytes()


def test_a_name_that_is_too_long_is_shortened_and_its_numbers_are_not(watched: list[str]) -> None:
    values = {
        "totals": [("东", "亚历山大阿列克谢耶维奇", 1234, "+567")] * 4,
        "wind": "东",
        "hand": 1,
    }
    render(screen("totals", values, TEXTS["zh"]), fonts=FONTS)
    assert set(watched) == {"亚历山大阿列克谢耶维奇"}


@pytest.mark.parametrize("size", [(96, 64), (128, 32), (64, 128)])
def test_a_display_that_is_too_small_is_refused(size: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match=f"{size[0]}x{size[1]} pixels; expected at least 120x60"):
        check_size(size)


def test_a_display_that_is_too_small_is_told_with_its_place_in_the_configuration(tmp_path: Path) -> None:
    path = tmp_path / "table.yaml"
    path.write_text("displays:\n  - {width_px: 128, height_px: 32}\n  - {width_px: 96}\n", encoding="utf-8")
    root = documents.load(path)
    assert [str(problem) for problem in check(Source(path, root, root, path))] == [
        f"{path}:2:32: displays[0].height_px: 32; the screens need at least 60",
        f"{path}:3:16: displays[1].width_px: 96; the screens need at least 120",
    ]


def test_big_digits_stand_out_on_the_turn_screen() -> None:
    one = render(sample("turn", TEXTS["zh"]), fonts=FONTS)
    box = one.crop((80, HEADER, 128, 60)).getbbox()
    assert box is not None
    assert box[3] - box[1] >= 30  # of 50 rows


# --- fonts


def test_missing_fonts_are_named_with_their_package_and_english_is_shown(tmp_path: Path) -> None:
    fonts = Fonts({12: [tmp_path / "none.pcf"], 16: FONT_FILES_16})
    assert fonts.ascii_only
    assert "no 12 px Chinese font" in fonts.warning
    assert str(tmp_path / "none.pcf") in fonts.warning
    assert "apt-get install xfonts-wqy" in fonts.warning
    image = render(sample("turn", TEXTS["en"]), fonts=fonts)
    assert image.getbbox() is not None
    for kind in KINDS:
        render(sample(kind, TEXTS["en"]), fonts=fonts)


FONT_FILES_16 = [path for path, _ in FONT_FILES[16]]


def test_names_in_chinese_do_not_break_the_plain_font(tmp_path: Path) -> None:
    fonts = Fonts({12: [tmp_path / "none.pcf"]})
    assert fonts[12].clean("张伟 A") == "?? A"
    assert fonts[12].width("张伟") == fonts[12].width("??")


def test_both_fonts_are_found_here_and_nothing_is_warned() -> None:
    assert FONTS.warning == ""
    assert len(FONTS.names) == 2


def test_sizes_are_whole_multiples_and_others_are_refused() -> None:
    for size in SIZES:
        assert FONTS[size].height == size
        assert FONTS[size].width("中") == size
    with pytest.raises(KeyError, match="font size 14; expected one of 12, 16, 24, 32, 48, 64"):
        FONTS[14]


# --- breaking lines


def wrapped(text: str, width: int = 128, size: int = 16) -> list[str]:
    return blocks.wrap(text, FONTS[size], width)


def test_clauses_stay_whole_and_lines_are_even() -> None:
    assert wrapped("牌数不符，请重新洗牌") == ["牌数不符，", "请重新洗牌"]
    assert wrapped("本盘请打出所摸的牌") == ["本盘请打出", "所摸的牌"]
    assert wrapped("Not your turn to draw yet") == ["Not your turn", "to draw yet"]


def test_punctuation_does_not_begin_a_line() -> None:
    lines = wrapped("一二三四五六七八，九", width=128)
    assert "".join(lines) == "一二三四五六七八，九"
    assert not any(line.startswith("，") for line in lines)


def test_a_word_that_is_too_long_is_broken() -> None:
    lines = wrapped("Donaudampfschifffahrtsgesellschaft", width=80)
    assert "".join(lines) == "Donaudampfschifffahrtsgesellschaft"
    assert all(FONTS[16].width(line) <= 80 for line in lines)


@given(st.text(alphabet="东南西北，。 abcdefgh;", max_size=60), st.integers(40, 200))
def test_nothing_is_lost_and_no_line_is_too_wide(text: str, width: int) -> None:
    lines = wrapped(text, width)
    assert "".join("".join(lines).split()) == "".join(text.split())
    assert all(FONTS[16].width(line) <= width for line in lines if len(line) > 1)


@given(st.text(alphabet="东南西北 abcdefgh", max_size=30), st.integers(20, 200))
def test_a_shortened_text_fits(text: str, width: int) -> None:
    shown = blocks.shorten(text, FONTS[12], width)
    assert FONTS[12].width(shown) <= max(width, FONTS[12].width("…"))
    assert shown == text or shown.endswith("…")


def test_paragraphs_too_long_for_a_page_go_on_without_losing_a_line() -> None:
    text = "".join(f"第{n}句话在这里。" for n in range(12))
    shown = Screen("x", "", (), "plain", ((Line("标题"), Paragraph(text)),))
    parts = paginate(shown, (128, 50), FONTS)
    assert len(parts) > 1
    lines = [block.text for part in parts for block in part if isinstance(block, Line)]
    assert "".join(lines) == "标题" + text


@pytest.mark.parametrize("size", SIZES)
def test_a_chinese_character_is_drawn_whole_within_its_height(size: int) -> None:
    face: Face = FONTS[size]
    for char in "国鬱（":
        box = face.mask(char).getbbox()
        assert box is not None
        ink = face.font.getmask(char, mode="1").getbbox()
        assert box[3] <= face.height
        assert box[3] - box[1] == (ink[3] - ink[1]) * face.scale


if __name__ == "__main__":
    GOLDEN.mkdir(exist_ok=True)
    for sheet_name in SHEETS:
        sheet(sheet_name).save(GOLDEN / f"{sheet_name}.png", optimize=True)
        sys.stdout.write(f"{GOLDEN / sheet_name}.png\n")
