"""The texts: both languages say the same things, every text that is used exists, mistakes are told with their place."""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from tablectl.announce.notices import LIFETIME, PRIORITY
from tablectl.announce.screens import LAYOUTS
from tablectl.announce.speech import KINDS, QuietHours, Speech, check
from tablectl.announce.texts import FOLDER, LANGUAGES, load_texts, placeholders
from tablectl.announce.words import Fan, Joined, Phrase, Seat, Signed, Tiles, Wind
from tablectl.base.clock import HandClock
from tablectl.base.settings import Source
from tablectl.documents import DocumentError
from tablectl.documents import load as load_document
from tablectl.game.alerts import ALERTS
from tablectl.rules.registry import RULE_SETS, load
from tablectl.tiles.tile import Tile

PACKAGE = Path(__file__).parents[2] / "tablectl" / "announce"
ZH, EN = (load_texts(language) for language in LANGUAGES)
#: Keys that are put together from a code; the test below checks each family.
FAMILIES = (
    *("alert.", "pays.", "unit.", "machine.", "machine_note.", "seat.", "wind.", "call.", "proposed.", "fact."),
    *("note.", "over."),
)


def used_keys() -> set[str]:
    """Every text key that stands in the sources as it is."""
    source = "\n".join(path.read_text(encoding="utf-8") for path in PACKAGE.glob("*.py"))
    return {key for key in re.findall(r'"([a-z_]+\.[a-z_]+)"', source) if key.split(".")[0] in SECTIONS}


SECTIONS = {key.split(".")[0] for key in ZH.entries}


def test_both_languages_have_the_same_keys_and_placeholders() -> None:
    assert ZH.entries.keys() == EN.entries.keys()
    for key in ZH.entries:
        assert placeholders(ZH.entries[key]) == placeholders(EN.entries[key]), key


def test_every_key_that_is_used_exists_and_every_key_is_used() -> None:
    used = used_keys() | {"dealer_mark"}
    assert {key for key in used if key not in ZH} == set()
    assert {key for key in ZH.entries if key not in used and not key.startswith(FAMILIES)} == set()


def test_families_of_keys_are_complete() -> None:
    for id in RULE_SETS:
        assert f"unit.{id}" in ZH
        for kind in load(id).incident_kinds & {"exposed_kong", "added_kong", "concealed_kong", "flower_kong", "chase"}:
            assert f"pays.{kind}" in ZH
    for key in ZH.entries:
        if key.startswith("alert."):
            assert key.removeprefix("alert.") in ALERTS


@pytest.mark.parametrize(
    "code", ["wrong_tile_count", "flower_kept", "false_win", "claim_not_carried_out", "wrong_call"]
)
def test_alerts_for_the_console_only_have_no_words_for_the_table(code: str) -> None:
    assert f"alert.{code}" not in ZH  # J122, J124, J126, J138, J142


@pytest.mark.parametrize(
    "code",
    [
        "dice_wrong_seat",  # J120
        "draw_out_of_turn",  # J121
        "flower_discarded",  # J123
        "wrong_wall_end",  # J125
        "late_claim",  # J128, J129
        "over_time",  # J130
        "mechanical_discard",  # J131
        "wrong_break",  # J136
        "false_meld",  # J137
        "kong_refused",  # J139
        "seat_empty",  # J141
        "seat_change",  # J143
    ],
)
def test_offences_that_the_table_shows_have_neutral_words(code: str) -> None:
    assert f"alert.{code}" in ZH


def test_no_text_of_an_alert_accuses() -> None:
    for key, text in ZH.entries.items():
        if key.startswith("alert."):
            assert not re.search("犯规|违规|罚|诈|作弊", text), key


def test_fans_of_every_rule_system_have_an_english_name() -> None:
    for id in RULE_SETS:
        for fan in load(id).fan_table():
            assert EN.fan(fan.name) != fan.name, fan.name


def test_kinds_of_notices_and_speech_agree_with_their_tables() -> None:
    assert LAYOUTS.keys() | {"rest"} == PRIORITY.keys()
    assert LIFETIME.keys() <= LAYOUTS.keys()


def test_values_are_put_in_words_in_both_languages() -> None:
    seat = Seat(1, 0)
    assert (seat.words(ZH), seat.words(EN)) == ("南家", "South")
    assert Seat(1, 1).words(ZH) == "东家"  # the dealer is East
    assert Wind(2, 2, marked=True).words(ZH) == "东庄"
    assert (Fan("清一色").words(ZH), Fan("清一色").words(EN)) == ("清一色", "full flush")
    assert Fan("没有的番").words(EN) == "没有的番"
    assert Tiles((Tile.M5, Tile.RED)).words(ZH) == "五万 红中"
    assert Joined(["a", Signed(3), Signed(0), Signed(-2)]).words(ZH) == "a，+3，0，-2"
    assert Joined(["a", "b"]).words(EN) == "a, b"
    assert Phrase("say.press_dice", (("seat", seat),)).words(ZH) == "请南家掷骰子"


def test_a_value_that_is_missing_is_named() -> None:
    with pytest.raises(KeyError, match=r"say\.press_dice.*needs a value for 'seat'"):
        ZH("say.press_dice")
    with pytest.raises(KeyError, match=r"no text 'say\.nothing' in language zh"):
        ZH("say.nothing")


def test_speech_names_its_recording_and_its_words() -> None:
    speech = Speech("dice", "say.dice", "7", {"total": 7}, since=100.0)
    assert (speech.prompt, speech.text(ZH), speech.until) == ("dice.7", "7点", 100.0 + KINDS["dice"])
    assert Speech("drawn", "say.drawn").prompt == "drawn"


def test_unknown_kinds_of_speech_are_all_named_with_their_places(tmp_path: Path) -> None:
    path = tmp_path / "table.yaml"
    path.write_text("sound:\n  quiet: [claim, claims, xyz]\n", encoding="utf-8")
    root = load_document(path)
    found = [str(problem) for problem in check(Source(path, root, root, path))]
    assert len(found) == 2
    assert re.search(r":2:18: sound\.quiet\[1\]: unknown .*'claims'; .*mean 'claim'", found[0])
    assert "sound.quiet[2]: unknown kind of speech 'xyz'" in found[1]


@pytest.mark.parametrize(
    ("begin", "end", "quiet"),
    [("22:30", "08:00", "22:30 23:59 00:00 07:59"), ("12:00", "13:30", "12:00 13:29"), ("08:00", "08:00", "")],
)
def test_quiet_hours_may_go_over_midnight(begin: str, end: str, quiet: str) -> None:
    times = ["22:29", "22:30", "23:59", "00:00", "07:59", "08:00", "11:59", "12:00", "13:29", "13:30"]
    zone = ZoneInfo("Asia/Shanghai")
    hours = QuietHours(begin, end, zone)
    moments = {time: datetime.fromisoformat(f"2026-05-01T{time}").replace(tzinfo=zone).timestamp() for time in times}
    assert [t for t, at in moments.items() if hours.now(HandClock(start=at))] == [t for t in times if t in quiet]


def folder_with(tmp_path: Path, **files: str) -> Path:
    for name, text in files.items():
        (tmp_path / f"{name}.yaml").write_text(text, encoding="utf-8")
    return tmp_path


def test_all_problems_of_a_language_are_told_at_once_with_their_lines(tmp_path: Path) -> None:
    folder = folder_with(
        tmp_path,
        zh='a:\n  title: "{seat}"\n  detail: 好\nb: 行\n',
        en='a:\n  title: "{seta}"\n  detial: ok\nb: fine\n',
    )
    with pytest.raises(DocumentError) as caught:
        load_texts("en", folder)
    told = str(caught.value)
    assert "en.yaml:2:10: a.title: placeholders {seta}, expected {seat} as in zh.yaml" in told
    assert "en.yaml:3:11: a.detial: not a text of zh.yaml; did you mean 'a.detail'?" in told
    assert "a.detail: missing; zh.yaml says '好'" in told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("- a\n- b\n", "expected a mapping of keys to texts"),
        ("a: [1, 2]\n", "1:4: a: expected a text or a mapping of texts"),
        ("a: '{x'\n", "1:4: a: expected '}' before end of string; write {{ and }} for plain braces"),
        ("a:\n", "a: expected a text or a mapping of texts"),
    ],
)
def test_files_that_are_no_texts_are_refused(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(DocumentError) as caught:
        load_texts("zh", folder_with(tmp_path, zh=text))
    assert told in str(caught.value)


def test_an_unknown_language_names_those_that_exist() -> None:
    with pytest.raises(DocumentError, match=r"fr\.yaml: no texts in language 'fr'; there are en, zh"):
        load_texts("fr", FOLDER)
