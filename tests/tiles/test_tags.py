"""The tag register: files, trace headers, and what is told about sets."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablectl.documents import DocumentError
from tablectl.tiles.sets import TILE_SETS
from tablectl.tiles.tags import Fault, Tag, TagRegister, load_register, normal_uid, register_of, save_register
from tablectl.tiles.tile import TILES, Tile


def made(name: str = "green", start: int = 0xE004015000A10000, composition: str = "144") -> TagRegister:
    return TagRegister({name: {f"{start + i:016x}": tile for i, tile in enumerate(TILE_SETS[composition].tiles())}})


def both() -> TagRegister:
    return TagRegister({**made().sets, **made("orange", 0xE004015000B20000).sets})


# --- UIDs


@pytest.mark.parametrize(
    "text", ["E004015000A1B201", "e0:04:01:50:00:a1:b2:01", "E0 04 01 50 00 A1 B2 01", "e004-0150-00a1-b201"]
)
def test_uids_have_one_normal_form(text: str) -> None:
    assert normal_uid(text) == "e004015000a1b201"


@pytest.mark.parametrize("text", ["", "e004", "e004015000a1b20", "e004015000a1b20g", "e0" * 33])
def test_what_is_no_uid_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="expected a UID: 4 to 32 bytes in hexadecimal"):
        normal_uid(text)


# --- looking up


def test_a_tag_knows_its_tile_and_set() -> None:
    register = both()
    assert register.tag("e004015000a10000") == Tag("e004015000a10000", Tile.M1, "green")
    assert register.tag("e004015000b20000") == Tag("e004015000b20000", Tile.M1, "orange")
    assert register.tag("c219191919191919") is None


def test_a_tag_in_two_sets_is_refused() -> None:
    with pytest.raises(ValueError, match="two sets"):
        TagRegister({**made().sets, **made("orange").sets})


def test_the_set_in_play_is_that_of_most_tags() -> None:
    register = both()
    seen = ["c219191919191919", "e004015000b20000", "e004015000b20001", "e004015000a10000"]
    assert register.set_in_play(seen) == "orange"
    assert register.set_in_play(["c219191919191919"]) is None


# --- what is wrong


@pytest.mark.parametrize("composition", TILE_SETS)
def test_a_complete_set_seen_whole_has_nothing_wrong(composition: str) -> None:
    register = made(composition=composition)
    assert register.check_set("green", TILE_SETS[composition]) == []
    assert register.check_seen(list(register.sets["green"]), "green") == []


def test_a_wrong_composition_is_told_by_kind() -> None:
    register = TagRegister({"green": {**made().sets["green"], "e004015000a10000": Tile.EAST}})
    found = register.check_set("green", TILE_SETS["144"])
    assert [(f.fault, f.tile) for f in found] == [(Fault.COMPOSITION, Tile.M1), (Fault.COMPOSITION, Tile.EAST)]
    assert str(found[0]) == "set green: tags of 1m 一万: 3, expected 4"
    assert str(found[1]) == "set green: tags of E 东风: 5, expected 4"


def test_a_set_with_flowers_is_no_set_without() -> None:
    found = made().check_set("green", TILE_SETS["136"])
    assert found[0].text == "set green: tags of a 梅: 1, expected 0"
    assert len(found) == 8


def test_missing_double_foreign_and_other_set() -> None:
    register = both()
    seen = [*list(register.sets["green"])[1:], "e004015000a10001", "c219191919191919", "e004015000b20005"]
    found = {f.fault: f for f in register.check_seen(seen, "green")}
    assert len(found) == 4
    assert found[Fault.MISSING].text == "missing: 1m 一万 (e004015000a10000) was not seen"
    assert found[Fault.DOUBLE].text == "double: 1m 一万 (e004015000a10001) was seen 2 times"
    assert found[Fault.FOREIGN].text == "foreign tag c219191919191919: it belongs to no tile set"
    assert found[Fault.OTHER_SET].text == "2m 二万 (e004015000b20005) belongs to set orange, not to set green"


@given(st.sets(st.integers(0, 143)), st.sets(st.integers(0, 143)))
def test_every_missing_and_double_tag_is_told_once(lost: set[int], twice: set[int]) -> None:
    register = made()
    uids = list(register.sets["green"])
    seen = [uid for i, uid in enumerate(uids) if i not in lost] + [uids[i] for i in twice - lost]
    told = {(f.fault, f.uid) for f in register.check_seen(seen, "green")}
    assert told == {(Fault.MISSING, uids[i]) for i in lost} | {(Fault.DOUBLE, uids[i]) for i in twice - lost}


# --- files


def test_a_register_survives_its_file(tmp_path: Path) -> None:
    path = tmp_path / "tags.yaml"
    one = {"0042015000000001": Tile.PLUM}
    register = TagRegister({**both().sets, "1": one})  # digits only, and a set named by a number
    save_register(register, path)
    assert load_register(path) == register
    assert path.read_text(encoding="utf-8").count("\n") == 2 + 2 * (1 + 42) + 2
    save_register(TagRegister({"green": {}}), path)
    assert load_register(path) == TagRegister({"green": {}})
    save_register(TagRegister({}), path)
    assert load_register(path) == TagRegister({})
    assert [p.name for p in tmp_path.iterdir()] == ["tags.yaml"]


@given(st.dictionaries(st.binary(min_size=8, max_size=8).map(bytes.hex), st.sampled_from(TILES), max_size=30))
def test_any_set_survives_its_file(tmp_path_factory: pytest.TempPathFactory, tags: dict[str, Tile]) -> None:
    path = tmp_path_factory.mktemp("tags") / "tags.yaml"
    register = TagRegister({"neues Spiel: 绿": tags})
    save_register(register, path)
    assert load_register(path) == register


def test_uids_need_no_quotes(tmp_path: Path) -> None:
    path = tmp_path / "tags.yaml"
    path.write_text("sets:\n  green:\n    1m: [0042015000000001, 0012e01500000000, E0:04:01:50]\n", encoding="utf-8")
    assert list(load_register(path).sets["green"]) == ["0042015000000001", "0012e01500000000", "e0040150"]


def test_every_error_of_a_file_is_told_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "tags.yaml"
    path.write_text(
        """\
set: {}
sets:
  green:
    1m: [e004015000a1b201, e004015000a1b2]
    5x: [e004015000a1b202]
    E: e004015000a1b203
    S: [[], e004015000a1b204x]
  orange:
    2m: [E004015000A1B201]
  blue: 5
""",
        encoding="utf-8",
    )
    with pytest.raises(DocumentError) as caught:
        load_register(path)
    uid = "expected a UID: 4 to 32 bytes in hexadecimal, e.g. e004015000a1b201"
    assert str(caught.value).replace(f"{path}:", "").splitlines() == [
        "1:1: unknown key 'set', expected sets only; did you mean 'sets'?",
        "5:5: sets.green: '5x', character 2: found 'x', expected m, p or s after 5",
        "6:8: sets.green.E: found 'e004015000a1b203', expected a list of UIDs",
        f"7:9: sets.green.S: found '', {uid}",
        f"7:13: sets.green.S: found 'e004015000a1b204x', {uid}",
        "9:10: sets.orange.2m: e004015000a1b201 stands twice, first in line 4",
        "10:9: sets.blue: found 5, expected kinds of tile, each with the UIDs of its tags",
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "1:1: found null, expected sets: the tile sets by name"),
        ("a: 1", "1:1: sets: this key is missing"),
        ("sets: []", "1:7: found a list, expected tile sets by name"),
        ("sets: {", "neither YAML nor JSON"),
    ],
)
def test_what_is_no_register(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "tags.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DocumentError) as caught:
        load_register(path)
    assert said in str(caught.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(DocumentError, match=r"tags\.yaml: cannot be read: No such file"):
        load_register(tmp_path / "tags.yaml")


# --- traces


def test_the_register_of_a_trace_header() -> None:
    register = register_of({"E004015000a1b201": "1m", "e004015000a1b202": "E"}, "hand.trace.jsonl")
    assert register.sets == {"trace": {"e004015000a1b201": Tile.M1, "e004015000a1b202": Tile.EAST}}


def test_every_error_of_a_trace_header_is_told() -> None:
    tags = {
        "e004015000a1b201": "1x",
        "nothing": "1m",
        "e004015000a1b202": 5,
        "e004015000a1b203": "E",
        "E004015000A1B203": "E",
    }
    with pytest.raises(DocumentError) as caught:
        register_of(tags, "hand.trace.jsonl")
    assert [str(problem) for problem in caught.value.problems] == [
        "hand.trace.jsonl:1:1: tags.e004015000a1b201: '1x', character 2: found 'x', expected m, p or s after 1",
        "hand.trace.jsonl:1:1: tags.nothing: found 'nothing', expected a UID: 4 to 32 bytes in hexadecimal, e.g. "
        "e004015000a1b201",
        "hand.trace.jsonl:1:1: tags.e004015000a1b202: found 5, expected the code of a tile, e.g. 5m",
        "hand.trace.jsonl:1:1: tags.E004015000A1B203: e004015000a1b203 stands twice",
    ]
