"""The configuration: the shipped files, what they mean, and the last one that worked."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest
from pydantic import BaseModel, ConfigDict

from tablectl import documents
from tablectl.base.settings import (
    LAST_GOOD,
    Settings,
    SettingsError,
    Source,
    load,
    load_or_last_good,
    remember,
    render,
)
from tablectl.documents import Problem, Problems

CONFIG = Path(__file__).parents[2] / "config"

SMALL = """\
table: 一号桌
backend: simulated
machine: ../hardware/four
rules:
  id: mcr
journal:
  path: journal.sqlite
link:
  socket: link.sock
"""


def site(tmp_path: Path, text: str = SMALL, name: str = "table.yaml") -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


# --- the shipped files


@pytest.mark.parametrize("path", sorted(CONFIG.glob("*.yaml")), ids=lambda path: path.name)
def test_every_shipped_configuration_loads(path: Path) -> None:
    settings = load(path)
    assert settings.machine.is_absolute()
    assert settings.rules.id


def test_the_shipped_table_names_every_key() -> None:
    """Set or in a comment: whoever edits the file finds every key there is."""
    text = (CONFIG / "table.yaml").read_text(encoding="utf-8") + (CONFIG / "sim.yaml").read_text(encoding="utf-8")

    def keys(model: type[BaseModel]) -> Iterable[str]:
        for name, field in model.model_fields.items():
            yield name
            inner = documents._model_in(field.annotation)
            if inner is not None:
                yield from keys(inner)

    assert [key for key in keys(Settings) if f"{key}:" not in text] == []


def test_the_shipped_table_is_a_real_one_and_the_simulated_one_says_so() -> None:
    assert load(CONFIG / "table.yaml").backend == "hardware"
    assert load(CONFIG / "sim.yaml").backend == "simulated"


# --- what it means


def test_paths_are_relative_to_the_file(tmp_path: Path) -> None:
    (tmp_path / "etc").mkdir()
    settings = load(site(tmp_path / "etc"))
    assert settings.machine == tmp_path / "hardware" / "four"
    assert settings.journal.path == tmp_path / "etc" / "journal.sqlite"
    assert settings.traces.folder == tmp_path / "etc" / "traces"


def test_a_journal_in_memory_is_no_path(tmp_path: Path) -> None:
    settings = load(site(tmp_path, SMALL.replace("journal.sqlite", '":memory:"')))
    assert str(settings.journal.path) == ":memory:"


@pytest.mark.parametrize("mode", ["0640", "640", '"0640"', "'640'"])
def test_a_file_mode_is_octal_however_it_is_written(tmp_path: Path, mode: str) -> None:
    assert load(site(tmp_path, SMALL + f"  mode: {mode}\n")).link.mode == 0o640


@pytest.mark.parametrize(("word", "on"), [("on", True), ("off", False), ("true", True), ("no", False)])
def test_switches_are_on_and_off(tmp_path: Path, word: str, on: bool) -> None:
    assert load(site(tmp_path, SMALL + f"trace: {word}\n")).trace is on


@pytest.mark.parametrize("address", ["0x3D", "61"])
def test_an_i2c_address_in_either_form(tmp_path: Path, address: str) -> None:
    display = f"{{name: a, driver: ssd1306, width_px: 128, height_px: 64, i2c: {{address: {address}}}}}"
    settings = load(site(tmp_path, SMALL + f"displays: [{display}]\n"))
    assert settings.displays[0].i2c is not None
    assert settings.displays[0].i2c.address == 0x3D


def test_options_of_the_rules_may_stand_in_a_file_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "house.yaml").write_text("min_points: 6\n")
    settings = load(site(tmp_path, SMALL.replace("id: mcr", "id: mcr\n  options_file: house.yaml")))
    assert settings.rules.options == {"min_points": 6}


PRESET = "base: {base}\nname: {{zh: 试行规则, en: by the book}}\noptions:\n  min_points: 6\n"


def test_the_file_of_options_may_be_a_preset(tmp_path: Path) -> None:
    (tmp_path / "mcr-book.yaml").write_text(PRESET.format(base="mcr"))
    path = site(tmp_path, SMALL.replace("id: mcr", "id: mcr\n  options_file: mcr-book.yaml"))
    assert load(path).rules.options == {"min_points": 6}
    (tmp_path / "mcr-book.yaml").write_text(PRESET.format(base="tianjin"))
    with pytest.raises(SettingsError, match="options_file: a preset of tianjin; expected one of mcr, which is"):
        load(path)


def test_a_configuration_cannot_be_changed_once_loaded(tmp_path: Path) -> None:
    settings = load(site(tmp_path))
    with pytest.raises(ValueError, match="frozen"):
        settings.language = "en"


# --- checks of other parts


class Options(BaseModel):
    model_config = ConfigDict(extra="forbid")

    min_points: int = 8


def check_options(source: Source) -> list[Problem]:
    problems = Problems(str(source.options_path))
    documents.check(source.options, Options, problems, "rules.options")
    return problems.found


def test_another_part_adds_its_mistakes_at_their_places(tmp_path: Path) -> None:
    path = site(tmp_path, SMALL.replace("id: mcr", "id: mcr\n  options:\n    min_pionts: 6") + "language: cn\n")
    with pytest.raises(SettingsError) as caught:
        load(path, [check_options])
    assert str(caught.value).replace(str(path), "table.yaml") == (
        "table.yaml:7:5: rules.options: min_pionts: unknown key; did you mean 'min_points'?\n"
        "table.yaml:12:11: language: found 'cn', expected 'zh' or 'en'"
    )


def test_mistakes_in_the_file_of_options_name_that_file(tmp_path: Path) -> None:
    (tmp_path / "house.yaml").write_text("# ours\nmin_points: six\n")
    path = site(tmp_path, SMALL.replace("id: mcr", "id: mcr\n  options_file: house.yaml"))
    with pytest.raises(SettingsError) as caught:
        load(path, [check_options])
    place = f"{tmp_path / 'house.yaml'}:2:13"
    assert str(caught.value).startswith(f"{place}: rules.options: min_points: found 'six', expected a valid integer")


def test_finding_a_value_that_is_not_there(tmp_path: Path) -> None:
    found: list[object] = []

    def look(source: Source) -> list[Problem]:
        for path in (("rules", "id"), ("rules", "id", "x"), ("web",), ("table", "x")):
            node = source.find(*path)
            found.append(node.plain() if node else None)
        return []

    load(site(tmp_path), [look])
    assert found == ["mcr", None, None, None]


# --- the last configuration that worked


def test_a_table_that_was_running_keeps_running(tmp_path: Path) -> None:
    state = tmp_path / "state"
    (tmp_path / "house.yaml").write_text("min_points: 6\n")
    more = """\
  mode: 0640
trace: on
players: [王, 李, 赵, 孙]
displays:
  - {name: a, driver: st7789, width_px: 320, height_px: 240, spi: {dc_pin: 5}}
"""
    text = SMALL.replace("id: mcr", "id: mcr\n  options_file: house.yaml") + more
    path = site(tmp_path, text)
    good, warning = load_or_last_good(path, state)
    assert warning is None
    remember(good, state)

    path.write_text(text.replace("table: 一号桌", "tabel: 一号桌"))
    (tmp_path / "house.yaml").unlink()
    settings, warning = load_or_last_good(path, state)
    assert warning is not None
    assert "tabel: unknown key; did you mean 'table'?" in warning
    assert "cannot be read" in warning
    assert "In force is the last configuration that worked, of 20" in warning
    assert str(state / LAST_GOOD) in warning
    frozen = {"rules": good.rules.model_copy(update={"options_file": None})}
    assert settings == good.model_copy(update=frozen)


def test_what_is_remembered_is_secret_and_written_whole(tmp_path: Path) -> None:
    remember(load(site(tmp_path)), tmp_path / "state")
    assert [path.name for path in (tmp_path / "state").iterdir()] == [LAST_GOOD]
    assert (tmp_path / "state" / LAST_GOOD).stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("last_good", [None, "rubbish"])
def test_with_nothing_to_fall_back_to_the_mistake_is_told(tmp_path: Path, last_good: str | None) -> None:
    state = tmp_path / "state"
    state.mkdir()
    if last_good:
        (state / LAST_GOOD).write_text(last_good)
    path = site(tmp_path, SMALL + "langauge: zh\n")
    with pytest.raises(SettingsError, match=r"table\.yaml:10:1: langauge: unknown key; did you mean 'language'\?"):
        load_or_last_good(path, state)


def test_every_shipped_configuration_survives_being_remembered(tmp_path: Path) -> None:
    for path in CONFIG.glob("*.yaml"):
        settings = load(path)
        remember(settings, tmp_path)
        again = load(tmp_path / LAST_GOOD)
        frozen = {"rules": settings.rules.model_copy(update={"options_file": None})}
        assert again == settings.model_copy(update=frozen)


# --- words


def test_mistakes_in_words() -> None:
    one = Problem("table.yaml", 3, 11, "language: found 'cn', expected 'zh' or 'en'")
    two = Problem("table.yaml", 0, 0, "cannot be read: Permission denied")
    assert render([one]) == (
        "1 mistake in the configuration:\n  table.yaml:3:11: language: found 'cn', expected 'zh' or 'en'"
    )
    assert render([one, two]).splitlines()[0] == "2 mistakes in the configuration:"
    assert render([one, two]).splitlines()[2] == "  table.yaml: cannot be read: Permission denied"
