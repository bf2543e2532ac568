"""Draws the pictures of the page for the documentation: a fixed hand in a headless Chromium.

python docs/make_page_images.py             all of them, to docs/images/
python docs/make_page_images.py --dir DIR   to DIR
"""

from __future__ import annotations

import argparse
import asyncio
import io
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).parents[1]
IMAGES = ROOT / "docs" / "images"
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests" / "web")]

from browser import SHARED, Browser, launched, served  # noqa: E402 - a helper of the tests
from played import OPENING, PLAY, WIN, PlayedCore, sealed_hand  # noqa: E402

from tablectl.game import actions as act  # noqa: E402
from tablectl.web.settings import Tokens, WebSettings  # noqa: E402

SETTINGS = WebSettings(tokens=Tokens.model_validate({"referee": "referee-of-the-pictures"}))
WIDE, PHONE = (1280, 800), (390, 844)
ALERTED = "document.querySelector('.alert-card')"
ALERT = act.Suspect(t=0, code="draw_out_of_turn", seat=3, detail="before the discard")


@dataclass(frozen=True)
class Picture:
    """``play``: what has happened at the table; ``done``: what is touched before the picture is taken."""

    name: str
    play: tuple[act.Action, ...]
    size: tuple[int, int] = WIDE
    lang: str = "en"
    dark: bool = False
    path: str = "/"
    ready: str = "document.querySelectorAll('.tile').length > 40"
    touch: tuple[str, ...] = ()
    referee: bool = True


PICTURES = (
    Picture("page", (*OPENING, *PLAY)),
    Picture("page-zh", (*OPENING, *PLAY), lang="zh"),
    Picture("page-phone", (*OPENING, *PLAY), PHONE, dark=True, referee=False),
    Picture("win", (*OPENING, *PLAY, *WIN), ready="document.querySelector('#confirm')"),
    Picture("alert", (*OPENING, *PLAY, ALERT), ready=ALERTED),
    Picture("seat", (*OPENING, *PLAY, ALERT), ready=ALERTED, touch=("[data-code=draw_out_of_turn] [data-do=more]",)),
    Picture("win-zh", (*OPENING, *PLAY, *WIN), lang="zh", ready="document.querySelector('#confirm')"),
    Picture("alert-zh", (*OPENING, *PLAY, ALERT), lang="zh", ready=ALERTED),
    Picture(
        "seat-zh",
        (*OPENING, *PLAY, ALERT),
        lang="zh",
        ready=ALERTED,
        touch=("[data-code=draw_out_of_turn] [data-do=more]",),
    ),
    Picture("sheet", tuple(sealed_hand()), path="/sheet?lang=en", ready="document.querySelector('.grid')"),
    Picture("sheet-zh", tuple(sealed_hand()), path="/sheet?lang=zh", ready="document.querySelector('.grid')"),
    Picture(
        "records", tuple(sealed_hand()), path="/records#1", ready="document.querySelectorAll('.side .tile').length > 40"
    ),
)


def save(shot: bytes, path: Path) -> None:
    """With as many colours as the pages have: a quarter of the size."""
    with Image.open(io.BytesIO(shot)) as image:
        image.convert("RGB").quantize(192, dither=Image.Dither.NONE).save(path, optimize=True)


async def draw(picture: Picture, browser: Browser, folder: Path) -> None:
    with tempfile.TemporaryDirectory() as temporary:
        core = PlayedCore(Path(temporary) / "core.sock")
        await core.start()
        core.play(*picture.play)
        async with served(SETTINGS, core.path) as url:
            page = await browser.page(*picture.size, dark=picture.dark)
            await page.open(f"{url}/sheet")
            await page.evaluate(f"localStorage.setItem('lang', '{picture.lang}')")
            if picture.referee:
                await page.open(f"{url}/?token=referee-of-the-pictures")
            await page.open(f"{url}{picture.path}")
            await page.wait_for(picture.ready)
            for selector in picture.touch:
                await page.click(selector)
            await asyncio.sleep(0.7)  # what moves comes to rest
            save(await page.screenshot(), folder / f"{picture.name}.png")
            await browser.close()
        await core.stop()


async def draw_all(folder: Path, names: list[str]) -> None:
    async with launched() as browser:
        for picture in PICTURES:
            if not names or picture.name in names:
                await draw(picture, browser, folder)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dir", type=Path, default=IMAGES)
    parser.add_argument("names", nargs="*", help="only these")
    given = parser.parse_args()
    given.dir.mkdir(parents=True, exist_ok=True)
    try:
        asyncio.run(draw_all(given.dir, given.names))
    finally:
        SHARED.end()


if __name__ == "__main__":
    main()
