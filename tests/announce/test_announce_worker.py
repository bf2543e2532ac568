"""The workers: the latest picture wins, a broken display is reported and tried again, and nobody else notices."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from PIL import Image

from tablectl.announce.announcer import Announcer
from tablectl.announce.fonts import Fonts
from tablectl.announce.speech import QuietHours, Speech
from tablectl.announce.texts import LANGUAGES, load_texts
from tablectl.announce.worker import SPEECH_QUEUE, DisplayWorker, Presenter, SpeechWorker
from tablectl.base.clock import LoopClock
from tablectl.game import events as ev
from tablectl.game.fold import Fold
from tablectl.rules.registry import load
from tablectl.sim.display import MemoryDisplay, MemorySound
from tablectl.tiles.tile import Tile

TEXTS = {language: load_texts(language) for language in LANGUAGES}
FONTS = Fonts()


class SlowDisplay(MemoryDisplay):
    """Takes a second for a picture, as a long I²C bus does."""

    async def show(self, image: Image.Image) -> None:
        await asyncio.sleep(1)
        await super().show(image)


def picture(n: int) -> Image.Image:
    image = Image.new("1", (128, 64))
    image.putpixel((n, 0), 1)
    return image


@asynccontextmanager
async def running(run: Any) -> AsyncIterator[None]:
    task = asyncio.create_task(run)
    try:
        yield
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


Reports = list[tuple[str, str]]


def reporting(reports: Reports) -> Any:
    return lambda device, error: reports.append((device.name, "" if error is None else str(error)))


async def test_the_latest_picture_wins_over_those_that_waited() -> None:
    display, reports = SlowDisplay(), Reports()
    worker = DisplayWorker(display, LoopClock(), reporting(reports))
    async with running(worker.run()):
        for n in range(10):
            worker.show(picture(n))
            await asyncio.sleep(0.2)
        await asyncio.sleep(5)
    assert display.shown <= 4  # the first, one a second after it, the last
    assert display.image is not None
    assert display.image.tobytes() == picture(9).tobytes()
    assert not display.is_open
    assert reports == []


async def test_the_same_picture_is_sent_once() -> None:
    display = MemoryDisplay()
    worker = DisplayWorker(display, LoopClock(), reporting([]))
    async with running(worker.run()):
        first = picture(1)
        for image in (first, first, first, picture(2)):
            worker.show(image)
            await asyncio.sleep(0.1)
    assert display.shown == 2


async def test_a_picture_is_drawn_again_after_a_while_where_that_is_wanted() -> None:
    display = MemoryDisplay()
    worker = DisplayWorker(display, LoopClock(), reporting([]), refresh_seconds=20)
    async with running(worker.run()):
        worker.show(picture(1))
        await asyncio.sleep(65)
    assert display.shown == 4


async def test_a_broken_display_is_reported_once_retried_later_and_later_and_comes_back() -> None:
    display, reports = MemoryDisplay("south"), Reports()
    worker = DisplayWorker(display, LoopClock(), reporting(reports))
    async with running(worker.run()):
        worker.show(picture(1))
        await asyncio.sleep(0.1)
        display.broken = "no answer"
        worker.show(picture(2))
        await asyncio.sleep(100)
        assert reports == [("south", "display south: no answer")]
        display.broken = ""
        worker.show(picture(3))
        await asyncio.sleep(31)
        assert reports == [("south", "display south: no answer"), ("south", "")]
        assert display.image is not None
        assert display.image.tobytes() == picture(3).tobytes()


async def test_one_broken_display_does_not_keep_the_other_from_showing() -> None:
    table = Fold(load("competition"))
    announcer = Announcer(table, TEXTS["zh"])
    reports: Reports = []
    presenter = Presenter(announcer, TEXTS, FONTS, LoopClock(), reporting(reports))
    good, bad, sound = MemoryDisplay("good"), MemoryDisplay("bad"), MemorySound()
    bad.broken = "unplugged"
    presenter.add_display(good)
    presenter.add_display(bad, "en", seat=2)
    presenter.add_sound(sound)
    async with running(presenter.run()):
        await asyncio.sleep(1)
        before = good.shown
        for event in (
            ev.MatchStarted(rules="competition", names=("", "", "", ""), scores=(100,) * 4),
            ev.HandOpened(hand=1, rules="competition", dealer=0, bakaze=Tile.EAST, streak=0, scores=(100,) * 4),
        ):
            table.apply(event)
            announcer.event(event, LoopClock().now())
        await asyncio.sleep(1)
        assert good.shown == before + 1
        assert list(sound.said) == [("press_dice.E", "请东家掷骰子")]
    assert reports == [("bad", "display bad: unplugged")]


async def test_a_countdown_is_redrawn_once_a_second_and_nothing_else_wakes_the_program() -> None:
    table = Fold(load("competition"))
    announcer = Announcer(table, TEXTS["zh"])
    presenter = Presenter(announcer, TEXTS, FONTS, LoopClock(), reporting([]))
    display = MemoryDisplay()
    presenter.add_display(display)
    clock = LoopClock()
    async with running(presenter.run()):
        for event in (
            ev.MatchStarted(rules="competition", scores=(100,) * 4),
            ev.HandOpened(hand=1, rules="competition", dealer=0, bakaze=Tile.EAST, streak=0, scores=(100,) * 4),
            ev.DiceThrown(actor=0, dice=(3, 4)),
            ev.HandDealt(tehais=((Tile.M1,) * 13,) * 4, t=clock.now()),
            ev.TileDrawn(actor=0, pai=Tile.S2, t=clock.now()),
        ):
            table.apply(event)
            announcer.event(event, clock.now())
        await asyncio.sleep(0.5)
        shown = display.shown
        await asyncio.sleep(5)
        assert display.shown == shown + 5
        await asyncio.sleep(30)
        assert announcer.next_change(clock.now()) is None


async def test_without_chinese_fonts_every_display_speaks_english() -> None:
    announcer = Announcer(Fold(load("competition")), TEXTS["zh"])
    fonts = Fonts({12: ["/nowhere.pcf"]})
    presenter = Presenter(announcer, TEXTS, fonts, LoopClock(), reporting([]))
    chinese, plain = MemoryDisplay(), MemoryDisplay()
    presenter.add_display(chinese, "zh")
    presenter.add_display(plain, "en")
    async with running(presenter.run()):
        await asyncio.sleep(1)
    assert chinese.image is not None
    assert plain.image is not None
    assert chinese.image.tobytes() == plain.image.tobytes()


def test_a_display_that_is_too_small_or_a_language_without_texts_is_refused() -> None:
    announcer = Announcer(Fold(load("competition")), TEXTS["zh"])
    presenter = Presenter(announcer, TEXTS, FONTS, LoopClock(), reporting([]))
    with pytest.raises(ValueError, match="96x16"):
        presenter.add_display(MemoryDisplay(size=(96, 16)))
    with pytest.raises(KeyError, match="fr"):
        presenter.add_display(MemoryDisplay(), "fr")


# --- speech


class SlowSound(MemorySound):
    async def say(self, prompt: str, text: str) -> None:
        await super().say(prompt, text)
        await asyncio.sleep(3)


async def test_in_quiet_hours_nothing_is_said_and_nothing_later() -> None:
    sound, clock = MemorySound(), LoopClock()
    now = datetime.fromtimestamp(clock.wall(), UTC)
    until = (now + timedelta(minutes=2)).strftime("%H:%M")
    worker = SpeechWorker(sound, TEXTS["zh"], clock, reporting([]), QuietHours(now.strftime("%H:%M"), until, UTC))
    async with running(worker.run()):
        worker.say(speech("result", "at night", clock.now()))
        await asyncio.sleep(180)
        worker.say(speech("result", "in the morning", clock.now()))
        await asyncio.sleep(1)
    assert [prompt for prompt, _ in sound.said] == ["result.in the morning"]


def speech(kind: str, variant: str = "", since: float = 0.0) -> Speech:
    return Speech(kind, "say.drawn", variant, {}, since)


async def test_things_are_said_in_order_and_what_waited_too_long_is_left_out() -> None:
    sound = SlowSound()
    worker = SpeechWorker(sound, TEXTS["zh"], LoopClock(), reporting([]))
    async with running(worker.run()):
        worker.say(speech("result", "a"))
        worker.say(speech("time_warning", "b"))  # worth saying for 2 s; the first takes 3
        worker.say(speech("last_hand", "c"))
        await asyncio.sleep(20)
    assert [prompt for prompt, _ in sound.said] == ["result.a", "last_hand.c"]


async def test_a_queue_that_is_full_drops_the_oldest() -> None:
    sound = MemorySound()
    worker = SpeechWorker(sound, TEXTS["zh"], LoopClock(), reporting([]))
    for n in range(SPEECH_QUEUE + 3):
        worker.say(speech("result", str(n)))
    async with running(worker.run()):
        await asyncio.sleep(1)
    assert sound.said[0][0] == "result.3"
    assert len(sound.said) == SPEECH_QUEUE


async def test_a_broken_speaker_is_reported_and_speaks_again() -> None:
    sound, reports = MemorySound(), Reports()
    sound.broken = "busy"
    worker = SpeechWorker(sound, TEXTS["zh"], LoopClock(), reporting(reports))
    async with running(worker.run()):
        worker.say(speech("result", "lost"))
        await asyncio.sleep(5)
        sound.broken = ""
        worker.say(speech("result", "heard", since=5.0))
        await asyncio.sleep(5)
    assert reports == [("sound", "sound sound: busy"), ("sound", "")]
    assert list(sound.said) == [("result.heard", "荒牌")]


# --- the simulated devices


async def test_the_simulated_display_takes_only_its_own_kind_of_picture() -> None:
    display = MemoryDisplay()
    with pytest.raises(OSError, match="not open"):
        await display.show(picture(0))
    await display.open()
    with pytest.raises(ValueError, match=r"picture \(10, 10\) of mode 1; expected \(128, 64\) of 1"):
        await display.show(Image.new("1", (10, 10)))
    await display.show(picture(3))
    assert display.png()[:8] == b"\x89PNG\r\n\x1a\n"
    assert len(display.png(4)) > len(display.png())
