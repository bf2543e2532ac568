"""The speaker: recorded prompts with ``aplay``, and ``espeak-ng`` for words that have no recording.

Recordings are WAV files named after the prompt: ``claim.pung.wav``, ``dice.7.wav``, ``last_hand.wav`` in the folder
``prompts``. Debian's packages: alsa-utils, espeak-ng.
"""

from __future__ import annotations

import asyncio
import contextlib
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tablectl.base.faults import DeviceError

#: espeak-ng's voices. Its own Chinese voice ``cmn`` reads the letters of the pinyin; this one reads the characters.
VOICES: Final = {"zh": "cmn-latn-pinyin", "en": "en"}
#: Nothing that is said takes longer; a player that hangs is ended after this.
LONGEST_SECONDS: Final = 30.0


class SpeakerSound:
    """Satisfies `ports.Sound`. ``device`` is ALSA's name of the output (``aplay -L``), empty for the default."""

    backend = "alsa"

    def __init__(
        self,
        name: str = "speaker",
        *,
        language: str = "zh",
        prompts: Path | None = None,
        device: str = "",
        mixer: str = "Master",
        volume_percent: int | None = None,
        words_per_minute: int = 150,
        player: str = "aplay",
        synthesizer: str = "espeak-ng",
        volume: str = "amixer",
    ) -> None:
        self.name = name
        self._language = language
        self._prompts = prompts
        self._device = device
        self._mixer = mixer
        self._volume_percent = volume_percent
        self._words_per_minute = words_per_minute
        self._programs = {"player": player, "synthesizer": synthesizer, "volume": volume}
        self._player: str | None = None
        self._synthesizer: str | None = None

    async def open(self) -> None:
        """Set the volume, where one is configured.

        Raises:
            DeviceError: the language has no voice, the programs are not installed, or the mixer has no such control.
        """
        if self._language not in VOICES:
            raise self._error(f"no voice for language {self._language!r}", f"one of {', '.join(VOICES)}")
        self._player = shutil.which(self._programs["player"])
        self._synthesizer = shutil.which(self._programs["synthesizer"])
        if self._player is None and self._synthesizer is None:
            raise self._error(
                f"neither {self._programs['player']} nor {self._programs['synthesizer']} is installed",
                next_step="Install them: sudo apt-get install alsa-utils espeak-ng. Until then the table is silent.",
            )
        if self._volume_percent is not None:
            mixer = shutil.which(self._programs["volume"])
            if mixer is None:
                raise self._error(
                    f"no volume: {self._programs['volume']} is not installed",
                    next_step="Install it: sudo apt-get install alsa-utils. Or leave volume_percent out.",
                )
            device = ["-D", self._device] if self._device else []
            # -M: percent as the ear hears it
            await self._run([mixer, "-M", "-q", *device, "sset", self._mixer, f"{self._volume_percent}%"])

    async def close(self) -> None:
        """Nothing stays open between two prompts."""

    async def say(self, prompt: str, text: str) -> None:
        """Play the recording of ``prompt``, or speak ``text``; returns when it was heard. Cancelling cuts it short.

        Raises:
            DeviceError: the program failed, or took longer than `LONGEST_SECONDS`.
        """
        recording = self._recording(prompt)
        if recording is not None and self._player is not None:
            device = ["-D", self._device] if self._device else []
            await self._run([self._player, "-q", *device, str(recording)])
        elif self._synthesizer is not None:
            speed = str(self._words_per_minute)
            # The words follow "--" so that none of them can be taken for an option.
            await self._run([self._synthesizer, "-v", VOICES[self._language], "-s", speed, "--", text])
        else:
            raise self._error(
                f"no recording of {prompt!r} and no {self._programs['synthesizer']}",
                next_step=f"Record {prompt}.wav, or: sudo apt-get install espeak-ng.",
            )

    def _recording(self, prompt: str) -> Path | None:
        if self._prompts is None:
            return None
        path = self._prompts / f"{Path(prompt).name}.wav"
        return path if path.is_file() else None

    async def _run(self, command: Sequence[str]) -> None:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            async with asyncio.timeout(LONGEST_SECONDS):
                _, complaint = await process.communicate()
        except TimeoutError:
            raise self._error(
                f"{command[0]} did not end", f"an end within {LONGEST_SECONDS:g} s", "See who holds the sound device."
            ) from None
        finally:
            if process.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    process.kill()
                await process.wait()
        if process.returncode:
            words = complaint.decode(errors="replace").strip().splitlines()
            raise self._error(
                f"{command[0]} ended with {process.returncode}: {words[-1] if words else 'no message'}",
                next_step="List the outputs with: aplay -L, the controls with: amixer scontrols.",
            )

    def _error(self, what: str, expected: str = "", next_step: str = "") -> DeviceError:
        return DeviceError(self.name, self._device, what, expected, next_step)
