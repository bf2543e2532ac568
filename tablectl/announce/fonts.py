"""Fonts of the displays: two bitmap sizes from Debian, enlarged by whole pixels, and what to do where they are missing.

A 128×64 display shows Chinese clearly in two sizes only: 12 px and 16 px, drawn without grey. Every bigger size is one
of the two enlarged 2, 3 or 4 times, so that no other font file is needed and every edge stays on a pixel.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from PIL import Image, ImageFont

#: Where Debian (and Raspberry Pi OS) puts the fonts, best first; the package's name is what a person has to install.
FONT_FILES: Final[Mapping[int, tuple[tuple[str, str], ...]]] = {
    12: (
        ("/usr/share/fonts/X11/misc/wenquanyi_9pt.pcf", "xfonts-wqy"),
        ("/usr/share/fonts/X11/misc/wenquanyi_9pt.pcf.gz", "xfonts-wqy"),
        ("/usr/share/fonts/truetype/wqy/wqy-zenhei.ttc", "fonts-wqy-zenhei"),
    ),
    16: (
        ("/usr/share/fonts/X11/misc/wenquanyi_12pt.pcf", "xfonts-wqy"),
        ("/usr/share/fonts/X11/misc/wenquanyi_12pt.pcf.gz", "xfonts-wqy"),
        ("/usr/share/fonts/opentype/unifont/unifont.otf", "fonts-unifont"),
        ("/usr/share/fonts/truetype/wqy/wqy-zenhei.ttc", "fonts-wqy-zenhei"),
    ),
}
SIZES: Final = (12, 16, 24, 32, 48, 64)


@dataclass(frozen=True)
class Face:
    """A font at one of `SIZES`. ``height`` is the height of a Chinese character in pixels, rows 0 … ``height`` − 1."""

    font: ImageFont.ImageFont | ImageFont.FreeTypeFont
    height: int
    scale: int
    #: row of the top of a Chinese character in what the font draws
    top: int
    ascii_only: bool

    def clean(self, text: str) -> str:
        return text.encode("ascii", "replace").decode() if self.ascii_only else text

    @lru_cache(maxsize=2048)  # noqa: B019 - faces live as long as the program
    def width(self, text: str) -> int:
        """Pixels from the left of the first character to the right of the last, its own spacing included."""
        return round(self.font.getlength(self.clean(text))) * self.scale

    @lru_cache(maxsize=512)  # noqa: B019
    def mask(self, text: str) -> Image.Image:
        """The text as an image of mode ``1``; the descent of Latin letters may reach 2 px (scaled) below ``height``."""
        from PIL import Image, ImageDraw

        size = (max(1, round(self.font.getlength(self.clean(text)))), self.height // self.scale + 2)
        mask = Image.new("1", size)
        draw = ImageDraw.Draw(mask)
        draw.fontmode = "1"
        draw.text((0, -self.top), self.clean(text), font=self.font, fill=1)
        if self.scale == 1:
            return mask
        return mask.resize((size[0] * self.scale, size[1] * self.scale), Image.Resampling.NEAREST)

    @lru_cache(maxsize=512)  # noqa: B019
    def depth(self, text: str) -> int:
        """Rows from the top of the face to the lowest pixel of ``text``; more than ``height`` where letters descend."""
        box = self.mask(text).getbbox()
        return box[3] if box else 0


class Fonts:
    """The two base fonts and all sizes made of them.

    ``warning`` is empty where both were found. Otherwise it names the missing files and the Debian package, and the
    fonts are Pillow's own: Latin only, so the displays have to speak English (`ascii_only`).
    """

    def __init__(self, files: Mapping[int, Sequence[str | Path]] | None = None) -> None:
        """``files``: a search list for 12 and for 16 px instead of `FONT_FILES`."""
        self._lists: dict[int, tuple[str, ...]] = {
            size: tuple(map(str, (files or {}).get(size) or (path for path, _ in FONT_FILES[size])))
            for size in (12, 16)
        }
        self._files = {
            size: next((path for path in paths if Path(path).is_file()), None) for size, paths in self._lists.items()
        }
        missing = [size for size, path in self._files.items() if path is None]
        self.ascii_only = bool(missing)
        self.warning = "; ".join(self._missing(size) for size in missing)
        self._faces: dict[int, Face] = {}

    def _missing(self, size: int) -> str:
        return (
            f"no {size} px Chinese font: none of {', '.join(self._lists[size])} exists; the displays show English in a"
            " plain font. Install it with: sudo apt-get install xfonts-wqy (or fonts-wqy-zenhei)"
        )

    def __getitem__(self, size: int) -> Face:
        """The face of one of `SIZES`; raises KeyError for another size."""
        if size not in SIZES:
            raise KeyError(f"font size {size}; expected one of {', '.join(map(str, SIZES))}")
        if size not in self._faces:
            base = 12 if size in (12, 24) else 16
            self._faces[size] = self._face(base, size // base)
        return self._faces[size]

    def _face(self, base: int, scale: int) -> Face:
        if scale > 1:  # one font file in memory serves all sizes made of it
            return replace(self[base], height=base * scale, scale=scale)
        from PIL import ImageFont

        if self.ascii_only:
            return Face(ImageFont.load_default(base - 2), base, 1, top=0, ascii_only=True)
        # Nothing here needs shaping, and its library takes a megabyte.
        font = ImageFont.truetype(str(self._files[base]), base, layout_engine=ImageFont.Layout.BASIC)
        # The pixel fonts leave a row or two above a Chinese character; the bracket is the tallest of them.
        return Face(font, base, 1, top=max(0, int(font.getbbox("（国")[1])), ascii_only=False)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The files in use, for the log."""
        return tuple(path for path in self._files.values() if path)
