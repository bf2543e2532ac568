"""Draws the pictures of the displays for the documentation.

python docs/make_images.py            the few that the README shows, to docs/images/
python docs/make_images.py --all DIR  every screen in every language, each page, to DIR
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from pathlib import Path

from PIL import Image

from tablectl.announce.fonts import Fonts
from tablectl.announce.render import HEADER, paginate, render
from tablectl.announce.samples import KINDS, sample
from tablectl.announce.texts import LANGUAGES, Texts, load_texts

IMAGES = Path(__file__).parent / "images"
SHOWN = ("shuffling", "walls_ready", "dice", "turn", "claim", "payment", "win", "totals", "fault")
SCALE = 4
GAP = 8


def framed(image: Image.Image) -> Image.Image:
    """The picture as the display shows it: enlarged, light blue on black, with a dark frame."""
    big = image.convert("L").resize((image.width * SCALE, image.height * SCALE), Image.Resampling.NEAREST)
    lit = Image.merge("RGB", [big.point(lambda v, high=high: v * high // 255) for high in (150, 215, 255)])
    frame = Image.new("RGB", (lit.width + 2 * GAP, lit.height + 2 * GAP), "#101418")
    frame.paste(lit, (GAP, GAP))
    return frame


def sheet(images: Iterable[Image.Image], columns: int) -> Image.Image:
    """Several framed pictures side by side."""
    frames = [framed(image) for image in images]
    width, height = frames[0].size
    rows = -(-len(frames) // columns)
    whole = Image.new("RGB", (width * columns, height * rows), "#101418")
    for index, frame in enumerate(frames):
        whole.paste(frame, (index % columns * width, index // columns * height))
    return whole


def pictures(kind: str, texts: Texts, fonts: Fonts, simulated: bool = False) -> Iterator[Image.Image]:
    """Every page of a sample."""
    first = sample(kind, texts, simulated=simulated)
    for page in range(len(paginate(first, (128, 64 - HEADER), fonts))):
        yield render(sample(kind, texts, page, simulated), fonts=fonts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--all", metavar="DIR", type=Path, help="every screen, to DIR")
    folder = parser.parse_args().all
    fonts = Fonts()
    if fonts.ascii_only:
        raise SystemExit(fonts.warning)
    (folder or IMAGES).mkdir(parents=True, exist_ok=True)
    for language in LANGUAGES:
        texts = load_texts(language)
        if folder:
            for kind in KINDS:
                sheet(pictures(kind, texts, fonts, simulated=True), 2).save(folder / f"{language}-{kind}.png")
        else:
            shown = (next(pictures(kind, texts, fonts)) for kind in SHOWN)
            sheet(shown, 3).save(IMAGES / f"display-{language}.png", optimize=True)


if __name__ == "__main__":
    main()
