"""Whatever bytes come: no parser raises, none depends on how they are cut, each finds the next good frame."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reader_frames import BY_ID, CODECS, scanner

from tablectl.drivers.readers import hf_anyid_7e55 as anyid
from tablectl.drivers.readers import hf_metratec_ascii as metratec
from tablectl.drivers.readers import nfc_pn532_hsu as pn532
from tablectl.drivers.readers import uhf_m100 as m100
from tablectl.drivers.readers import uhf_reader288 as reader288

GOOD = {
    "uhf_m100": "uhf_m100-006",
    "uhf_reader18_288": "uhf_reader18_288-010",
    "hf_anyid_7e55": "hf_anyid_7e55-004",
    "hf_metratec_ascii": "hf_metratec_ascii-001",
    "nfc_pn532_hsu": "nfc_pn532_hsu-014",
}
#: bytes that look like the beginning of something
HEADERS = st.sampled_from(
    [b"\xbb\x02\x22\x00", b"\xaa\x01", b"\x15\x00\x01", b"\x7e\x55", b"\x00\x00\xff", b"\r\n", b"\xff"]
)
GARBAGE = st.lists(st.binary(max_size=20) | HEADERS, max_size=12).map(b"".join)


def everything(frame) -> None:
    """Ask a frame for all it can say."""
    match frame:
        case m100.Frame():
            assert all(value is None or value for value in (frame.tag, frame.memory))
            assert frame.error is None or 0 <= frame.error <= 255
        case reader288.Frame():
            for generation in (18, 288):
                assert frame.tags(generation) is None or frame.command == reader288.INVENTORY
            assert frame.info is None or frame.command == reader288.INFO
        case anyid.Frame():
            said = (
                frame.version,
                frame.query,
                frame.pushed,
                frame.outcome,
                frame.blocks,
                frame.scan(),
                frame.scan(True),
            )
            assert len(said) == 7
        case pn532.Frame():
            assert frame.targets is None or frame.answers(pn532.LIST)
            assert frame.version is None or frame.answers(pn532.VERSION)
        case metratec.Line():
            assert metratec.tags([frame.text]) is None or frame.text.startswith("IVF")
            assert metratec.tag_data([frame.text]) is None


@pytest.mark.parametrize("device", GOOD)
@given(data=GARBAGE, cuts=st.lists(st.integers(0, 200), max_size=6))
def test_cut_anyhow_the_frames_are_the_same(device, data, cuts):
    whole = scanner(device).feed(data)
    source, found, before = scanner(device), [], 0
    for cut in [*sorted(min(cut, len(data)) for cut in cuts), len(data)]:
        found += source.feed(data[before:cut])
        before = cut
    assert found == whole
    for frame in found:
        everything(frame)


@pytest.mark.parametrize("device", [device for device in GOOD if device != "hf_metratec_ascii"])
@given(garbage=GARBAGE)
def test_after_any_garbage_the_next_good_frame_is_found(device, garbage):
    good = BY_ID[GOOD[device]].bytes
    (wanted,) = scanner(device).feed(good)
    source = scanner(device)
    found = source.feed(garbage + good)
    while source.pending:
        found += source.give_up()
    assert wanted in found


@given(garbage=st.binary(max_size=60))
def test_after_any_garbage_the_next_whole_answer_of_lines_is_found(garbage):
    """A line feed ends whatever was there before."""
    good = BY_ID[GOOD["hf_metratec_ascii"]].bytes
    texts = [line.text for line in scanner("hf_metratec_ascii").feed(garbage + b"\r\n" + good)]
    assert texts[-4:] == ["E0040150954F02B1", "E200600311753E33", "ARP 12", "IVF 02"]


@pytest.mark.parametrize("device", CODECS)
@given(data=st.binary(max_size=400))
@settings(max_examples=60)
def test_memory_is_bounded(device, data):
    """However long a stream without a frame is, only the beginning of one frame is kept."""
    source = scanner(device)
    for _ in range(20):
        source.feed(data)
    assert source.pending <= 4096 + 400


@given(payload=st.binary(min_size=8, max_size=120), command=st.integers(1, 15))
def test_built_and_read_again(payload, command):
    for variant in m100.VARIANTS:
        (frame,) = scanner("uhf_m100").feed(m100.build(command, payload, variant))
        assert (frame.variant, frame.command, frame.data) == (variant, command, payload)
    (frame,) = scanner("hf_anyid_7e55").feed(anyid.build(command, payload))
    assert (frame.command, frame.data, frame.answer) == (command, payload, False)
    (frame,) = scanner("nfc_pn532_hsu").feed(pn532.build(payload))
    assert (frame.tfi, frame.data) == (pn532.TO_CHIP, payload)


@given(st.binary(max_size=80))
def test_frames_of_any_content_say_nothing_wrong(data):
    for command in (m100.INVENTORY, m100.READ, m100.ERROR, m100.INFO):
        for kind in (m100.ANSWER, m100.NOTICE):
            everything(m100.Frame("bb7e", kind, command, data))
    for command in (reader288.INVENTORY, reader288.INFO):
        for status in (reader288.MORE, reader288.DONE, reader288.STATISTICS):
            everything(reader288.Frame(0, command, status, data))
    for command in (anyid.PUSH, anyid.QUERY, anyid.SMART, anyid.READ_BLOCKS, anyid.VERSION):
        for answer in (True, False):
            everything(anyid.Frame(1, 0, answer, command, data))
    for answer in (pn532.LIST + 1, pn532.VERSION + 1, pn532.EXCHANGE + 1):
        everything(pn532.Frame(pn532.Kind.DATA, pn532.FROM_CHIP, bytes((answer,)) + data))
