"""Displays and voice of a table, as its site has set them up."""

from __future__ import annotations

from collections.abc import Mapping
from zoneinfo import ZoneInfo

from tablectl.announce.announcer import Announcer
from tablectl.announce.fonts import Fonts
from tablectl.announce.speech import QuietHours
from tablectl.announce.texts import Texts
from tablectl.announce.worker import Presenter
from tablectl.base.clock import Clock
from tablectl.base.faults import FaultLatch
from tablectl.base.settings import Settings
from tablectl.core.backend import Backend
from tablectl.ports import Device


def presenter(
    announcer: Announcer,
    texts: Mapping[str, Texts],
    settings: Settings,
    backend: Backend,
    clock: Clock,
    faults: FaultLatch,
) -> Presenter:
    """Who brings what ``announcer`` says to every display and the speaker, in the languages of ``texts``; one that
    fails is a fault of its own."""

    def reported(device: Device, error: Exception | None) -> None:
        cause = "sound_lost" if hasattr(device, "say") else "display_lost"
        if error is None:
            faults.recover(cause, device.name)
        else:
            faults.raise_fault(cause, device.name, str(error))

    found = Presenter(announcer, texts, Fonts(), clock, reported)
    for section in settings.displays:
        language = section.language or settings.language
        found.add_display(
            backend.displays[section.name], language, seat=section.seat, refresh_seconds=section.refresh_seconds
        )
    sound = settings.sound
    if sound.enabled:
        hours = sound.quiet_hours
        quiet = QuietHours(*hours, ZoneInfo(settings.time_zone)) if hours else None
        found.add_sound(backend.sound, sound.language or settings.language, quiet)
    return found
