"""Workers that bring what the announcer says to the devices: one for each display, one for the speaker.

A picture takes a display on a slow I²C bus up to a second. So each display has a worker of its own with a slot for one
picture: a newer one takes the place of one that still waits. A display that fails is reported and tried again; the
others, the speaker and the table do not notice.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tablectl.announce.announcer import Announcer, View
from tablectl.announce.fonts import Fonts
from tablectl.announce.render import check_size, render
from tablectl.announce.screens import Screen
from tablectl.announce.speech import QuietHours, Speech
from tablectl.announce.texts import Texts
from tablectl.base.clock import Alarm, Clock
from tablectl.ports import Device, Display, Sound

if TYPE_CHECKING:
    from PIL import Image

#: Seconds before a device that failed is tried again: the first time, and at most.
RETRY_SECONDS: Final = (1.0, 30.0)
#: Things to say that may wait; the oldest gives way.
SPEECH_QUEUE: Final = 12

#: Told that a device failed (with the error), or works again (None).
Report = Callable[[Device, Exception | None], object]


class Backoff:
    """Waits longer after each failure in a row, and reports the first failure and the recovery."""

    def __init__(self, device: Device, clock: Clock, report: Report) -> None:
        self._device = device
        self._clock = clock
        self._report = report
        self._seconds = 0.0

    async def failed(self, error: Exception) -> None:
        """Close the device and wait."""
        if not self._seconds:
            self._report(self._device, error)
        with contextlib.suppress(Exception):  # it is broken: only the first error matters
            await self._device.close()
        self._seconds = min(max(RETRY_SECONDS[0], self._seconds * 2), RETRY_SECONDS[1])
        await self._clock.sleep(self._seconds)

    def worked(self) -> None:
        if self._seconds:
            self._seconds = 0.0
            self._report(self._device, None)


class DisplayWorker:
    """Shows the latest picture on one display. ``refresh_seconds``: draw it again after so long even if nothing changed
    (a controller may lose its memory to the noise of a motor); None = never."""

    def __init__(self, display: Display, clock: Clock, report: Report, refresh_seconds: float | None = None) -> None:
        self.display = display
        self._backoff = Backoff(display, clock, report)
        self._refresh_seconds = refresh_seconds
        self._slot: Image.Image | None = None
        self._wanted = asyncio.Event()

    def show(self, image: Image.Image) -> None:
        """Put a picture in the slot, in place of one that was not shown yet. Returns at once."""
        self._slot = image
        self._wanted.set()

    async def run(self) -> None:
        """Show pictures until cancelled, then close the display."""
        opened = False
        shown: Image.Image | None = None
        try:
            while True:
                await self._due(self._refresh_seconds if opened else None)
                if self._wanted.is_set() and shown is self._slot:
                    self._wanted.clear()
                    continue
                self._wanted.clear()
                image = self._slot
                if image is None:
                    continue
                try:
                    if not opened:
                        await self.display.open()
                        opened = True
                    await self.display.show(image)
                except Exception as error:  # whatever a device raises must not stop the table
                    opened, shown = False, None
                    await self._backoff.failed(error)
                    self._wanted.set()
                else:
                    shown = image
                    self._backoff.worked()
        finally:
            if opened:
                with contextlib.suppress(Exception):  # nobody needs it any more
                    await self.display.close()

    async def _due(self, seconds: float | None) -> None:
        """Wait for a picture, ``seconds`` at most (None: for ever)."""
        if seconds is None:
            await self._wanted.wait()
            return
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._wanted.wait()


class SpeechWorker:
    """Says one thing after another; what waited too long is left out, and all in quiet hours."""

    def __init__(
        self, sound: Sound, texts: Texts, clock: Clock, report: Report, quiet: QuietHours | None = None
    ) -> None:
        self.sound = sound
        self._quiet = quiet
        self._texts = texts
        self._clock = clock
        self._backoff = Backoff(sound, clock, report)
        self._queue: deque[Speech] = deque(maxlen=SPEECH_QUEUE)
        self._wanted = asyncio.Event()

    def say(self, speech: Speech) -> None:
        """Queue a thing to say. Returns at once."""
        self._queue.append(speech)
        self._wanted.set()

    async def run(self) -> None:
        """Speak until cancelled, then close the device."""
        opened = False
        try:
            while True:
                await self._wanted.wait()
                if not self._queue:
                    self._wanted.clear()
                    continue
                speech = self._queue.popleft()
                if self._clock.now() > speech.until or (self._quiet and self._quiet.now(self._clock)):
                    continue
                try:
                    if not opened:
                        await self.sound.open()
                        opened = True
                    await self.sound.say(speech.prompt, speech.text(self._texts))
                except Exception as error:  # whatever a device raises must not stop the table
                    opened = False
                    await self._backoff.failed(error)
                else:
                    self._backoff.worked()
        finally:
            if opened:
                with contextlib.suppress(Exception):
                    await self.sound.close()


@dataclass
class _Shown:
    view: View
    worker: DisplayWorker
    screen: Screen | None = None


class Presenter:
    """Brings one announcer to all displays and the speaker of a table.

    ``texts`` by language. Where the Chinese fonts are missing (`Fonts.warning`), every display speaks English.
    """

    def __init__(
        self, announcer: Announcer, texts: Mapping[str, Texts], fonts: Fonts, clock: Clock, report: Report
    ) -> None:
        self._announcer = announcer
        self._texts = texts
        self._fonts = fonts
        self._clock = clock
        self._report = report
        self._displays: list[_Shown] = []
        self._speakers: list[SpeechWorker] = []
        self._changed = asyncio.Event()
        self._changed.set()
        announcer.changed = self._changed.set

    def add_display(
        self, display: Display, language: str = "zh", *, seat: int | None = None, refresh_seconds: float | None = None
    ) -> None:
        """Show on this display; ``seat``: whose own it is, None where it stands for all.

        Raises:
            ValueError: the display is too small. KeyError: there are no texts in this language.
        """
        check_size(display.size)
        texts = self._texts["en" if self._fonts.ascii_only else language]
        worker = DisplayWorker(display, self._clock, self._report, refresh_seconds)
        self._displays.append(_Shown(View(texts, seat), worker))

    def add_sound(self, sound: Sound, language: str = "zh", quiet: QuietHours | None = None) -> None:
        """Speak through this device. Raises KeyError: there are no texts in this language."""
        self._speakers.append(SpeechWorker(sound, self._texts[language], self._clock, self._report, quiet))

    async def run(self) -> None:
        """Show and speak until cancelled."""
        async with asyncio.TaskGroup() as group:
            for shown in self._displays:
                group.create_task(shown.worker.run(), name=f"display {shown.worker.display.name}")
            for speaker in self._speakers:
                group.create_task(speaker.run(), name=f"sound {speaker.sound.name}")
            tick = Alarm(self._changed.set)
            try:
                while True:
                    self.present()
                    self._set(tick)
                    await self._changed.wait()
            finally:
                tick.off()

    def present(self) -> None:
        """Put what is to be seen and heard now before the workers."""
        self._changed.clear()
        now = self._clock.now()
        for shown in self._displays:
            screen = self._announcer.current(shown.view, now)
            if screen != shown.screen:
                shown.screen = screen
                display = shown.worker.display
                shown.worker.show(render(screen, display.size, display.mode, self._fonts))
        for speech in self._announcer.take_speech():
            for speaker in self._speakers:
                speaker.say(speech)

    def _set(self, tick: Alarm) -> None:
        """Ring when a countdown, a page or a notice is due."""
        change = self._announcer.next_change(self._clock.now()) if self._displays else None
        if change is None:
            tick.off()
        else:
            tick.set(change)
