"""The speaker: which program is run with what, and what happens when it fails or hangs. The programs are scripts."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from tablectl.base.faults import DeviceError
from tablectl.drivers import sound
from tablectl.drivers.sound import SpeakerSound

pytestmark = pytest.mark.real_time


def program(folder: Path, name: str, body: str) -> str:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
    path.chmod(0o755)
    return str(path)


def speaker(tmp_path: Path, player: str = "", synthesizer: str = "", **options: object) -> SpeakerSound:
    """A speaker whose programs note their arguments, one a line."""
    note = f'printf "%s\\n" "$(basename "$0")" "$@" >> {tmp_path}/log'
    return SpeakerSound(
        prompts=tmp_path,
        player=program(tmp_path, "play", player or note),
        synthesizer=program(tmp_path, "speak", synthesizer or note),
        **options,  # type: ignore[arg-type]
    )


def log(tmp_path: Path) -> list[str]:
    return (tmp_path / "log").read_text(encoding="utf-8").splitlines()


async def test_a_recording_is_played_on_the_configured_output(tmp_path: Path) -> None:
    (tmp_path / "claim.pung.wav").write_bytes(b"RIFF")
    device = speaker(tmp_path, device="hw:1")
    await device.open()
    await device.say("claim.pung", "碰")
    assert log(tmp_path) == ["play", "-q", "-D", "hw:1", str(tmp_path / "claim.pung.wav")]


async def test_words_without_a_recording_are_spoken_with_the_voice_that_reads_characters(tmp_path: Path) -> None:
    device = speaker(tmp_path)
    await device.open()
    await device.say("result", "南家自摸")
    assert log(tmp_path) == ["speak", "-v", "cmn-latn-pinyin", "-s", "150", "--", "南家自摸"]


async def test_words_are_never_taken_for_options_or_commands(tmp_path: Path) -> None:
    device = speaker(tmp_path)
    await device.open()
    for words in ("-w /tmp/x", "$(touch hacked); `id`", "--version"):
        await device.say("x", words)
    assert [line for line in log(tmp_path) if line in ("-w /tmp/x", "$(touch hacked); `id`", "--version")] != []
    assert log(tmp_path)[5::7] == ["--"] * 3
    assert not (tmp_path / "hacked").exists()


async def test_a_prompt_is_looked_for_in_its_folder_only(tmp_path: Path) -> None:
    (tmp_path.parent / "secret.wav").write_bytes(b"RIFF")
    device = speaker(tmp_path)
    await device.open()
    await device.say("../secret", "words")
    assert log(tmp_path)[0] == "speak"


async def test_the_volume_is_set_on_the_mixer(tmp_path: Path) -> None:
    note = f'printf "%s\\n" "$@" >> {tmp_path}/log'
    device = speaker(tmp_path, device="hw:1", volume_percent=70, volume=program(tmp_path, "mix", note))
    await device.open()
    assert log(tmp_path) == ["-M", "-q", "-D", "hw:1", "sset", "Master", "70%"]


async def test_a_missing_mixer_is_told(tmp_path: Path) -> None:
    device = speaker(tmp_path, volume_percent=70, volume="no-such-mixer")
    with pytest.raises(DeviceError, match=r"no volume: no-such-mixer is not installed"):
        await device.open()


async def test_a_program_that_fails_is_told_with_its_last_line(tmp_path: Path) -> None:
    device = speaker(tmp_path, synthesizer="echo first >&2; echo no such card >&2; exit 3", name="voice")
    await device.open()
    with pytest.raises(DeviceError, match=r"voice: .*speak ended with 3: no such card"):
        await device.say("x", "words")


async def test_a_program_that_hangs_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sound, "LONGEST_SECONDS", 0.05)
    device = speaker(tmp_path, synthesizer="exec sleep 60")
    await device.open()
    with pytest.raises(DeviceError, match=r"did not end; expected an end within 0.05 s"):
        await device.say("x", "words")


async def test_speech_can_be_cut_short(tmp_path: Path) -> None:
    started = tmp_path / "started"
    os.mkfifo(started)
    device = speaker(tmp_path, synthesizer=f"echo $$ > {started}; exec sleep 60")
    await device.open()
    task = asyncio.create_task(device.say("x", "words"))
    process = int(await asyncio.to_thread(started.read_text))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


async def test_without_any_program_the_packages_are_named() -> None:
    device = SpeakerSound(player="no-such-player", synthesizer="no-such-voice")
    with pytest.raises(DeviceError, match="apt-get install alsa-utils espeak-ng"):
        await device.open()


async def test_without_a_synthesizer_only_recordings_are_heard(tmp_path: Path) -> None:
    device = SpeakerSound(prompts=tmp_path, player=program(tmp_path, "play", "exit 0"), synthesizer="no-such-voice")
    await device.open()
    (tmp_path / "drawn.wav").write_bytes(b"RIFF")
    await device.say("drawn", "荒牌")
    with pytest.raises(DeviceError, match=r"no recording of 'dice\.7' and no no-such-voice"):
        await device.say("dice.7", "7点")


async def test_a_language_without_a_voice_is_refused() -> None:
    with pytest.raises(DeviceError, match="no voice for language 'fr'; expected one of zh, en"):
        await SpeakerSound(language="fr").open()
