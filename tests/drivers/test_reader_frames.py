"""Published frames of every reader with a driver: decoded to their fields, built byte for byte, refused where wrong."""

from __future__ import annotations

import random

import pytest
from reader_frames import ALL, BY_ID, CODECS, ECHOED, FROM_DEVICE, HEARTBEAT, TO_DEVICE, WRONG, name, read, scanner

from tablectl.drivers.readers import hf_anyid_7e55 as anyid
from tablectl.drivers.readers import hf_metratec_ascii as metratec
from tablectl.drivers.readers import nfc_pn532_hsu as pn532
from tablectl.drivers.readers import uhf_m100 as m100
from tablectl.drivers.readers import uhf_reader288 as reader288
from tablectl.drivers.readers.frames import crc16


def test_all_published_frames_of_the_families_are_here():
    assert {device: sum(entry.device == device for entry in ALL) for device in CODECS} == {
        "uhf_m100": 53,
        "uhf_m100_aa_dd": 6,
        "uhf_m100_aa_8e": 3,
        "uhf_reader18_288": 17,
        "hf_anyid_7e55": 10,
        "hf_metratec_ascii": 9,
        "nfc_pn532_hsu": 13,
    }


def test_crc_of_the_standard_check_string():
    assert crc16(b"123456789") == 0x6F91  # CRC-16/MCRF4XX
    assert crc16(b"123456789") ^ 0xFFFF == 0x906E  # CRC-16/X-25


# --- decode

VARIANT = {"uhf_m100": "bb7e", "uhf_m100_aa_dd": "aadd", "uhf_m100_aa_8e": "aa8e"}


def m100_fields(frame: m100.Frame) -> dict:
    """What the bytes say, under the names of frames.yaml."""
    d = frame.data
    fields: dict = {"cmd": frame.command}
    if frame.tag is not None:
        tag = frame.tag
        fields |= {"rssi_dbm": tag.rssi_dbm, "pc": f"{tag.pc:04X}", "epc": tag.epc.hex().upper()}
        fields |= {"tag_crc": f"{tag.crc:04X}"}
    elif frame.error is not None:
        fields["error"] = frame.error
        if len(d) > 4:
            fields["epc"] = d[4 : 2 + d[1]].hex().upper()
    elif frame.memory is not None:
        memory = frame.memory
        fields |= {"ul": d[0], "pc": f"{memory.pc:04X}", "epc": memory.epc.hex().upper()}
        fields |= {"data": memory.data.hex().upper()}
    elif frame.command == m100.INFO:
        fields["text"] = d[1:].decode()
    elif frame.command == 0xE0:
        fields["config_word"] = d[1 + d[0] :].hex().upper()
    elif frame.command == 0xF1:
        mixer, amplifier = (0, 3, 6, 9, 12, 15, 16), (12, 18, 21, 24, 27, 30, 36, 40)
        fields |= {"mixer_gain_db": mixer[d[0]], "if_gain_db": amplifier[d[1]], "threshold": d[2] * 256 + d[3]}
    elif frame.command in (0xF2, 0xF3):
        levels = {level - 256 for level in d[2:]}
        fields |= {"all_dbm": levels.pop()} if len(levels) == 1 else {}
    elif frame.command == 0xB7:
        fields["power_dbm"] = int.from_bytes(d, "big") / 100
    else:
        fields |= {"status": d[0], "region": d[0], "channel": d[0], "code": d.hex().upper()}
    return fields


def reader288_fields(frame: reader288.Frame, generation: int) -> dict:
    fields: dict = {"adr": frame.address, "cmd": frame.command, "status": frame.status}
    if (info := frame.info) is not None:
        fields |= {"firmware": info.firmware, "type": info.type, "max_freq_byte": info.max_freq}
        fields |= {"min_freq_byte": info.min_freq, "power_dbm": info.power_dbm, "scan_time_100ms": info.scan_time_100ms}
    if (tags := frame.tags(generation)) is not None:
        fields |= {"antenna": tags.antenna, "antenna_mask": frame.data[0] if frame.data else 0}
        fields["tags"] = [
            {"epc": epc.hex().upper()} | ({"rssi": strength} if strength is not None else {})
            for epc, strength in tags.tags
        ]
    return fields


def anyid_fields(frame: anyid.Frame) -> dict:
    fields: dict = {"src": frame.source, "dst": frame.destination, "response": frame.answer, "cmd": frame.command}
    if frame.version is not None:
        fields["text"] = frame.version
    if frame.query is not None:
        uids, remaining = frame.query
        fields |= {"uids": [uid.upper() for uid in uids], "remaining": remaining}
    if frame.outcome is not None:
        fields |= dict(zip(("flag", "error"), frame.outcome, strict=True))
    if frame.blocks is not None:
        fields["blocks"] = [block.hex().upper() for block in frame.blocks]
    return fields


def metratec_fields(lines: list[metratec.Line]) -> dict:
    texts = [line.text for line in lines]
    fields: dict = {"text": "".join(f"{text}<CR>" for text in texts)}
    if (tags := metratec.tags(texts)) is not None:
        assert tags.complete
        fields |= {"uids": list(tags.uids), "antenna": tags.antenna, "count": tags.count}
    if (data := metratec.tag_data(texts)) is not None:
        fields["data"] = data.hex().upper()
    return fields


def pn532_fields(frame: pn532.Frame) -> dict:
    fields: dict = {"tfi": frame.tfi, "cmd": frame.data[0] if frame.data else None}
    if (version := frame.version) is not None:
        fields |= {"ic": version.ic, "ver": version.ver, "rev": version.rev, "support": version.support}
    if frame.targets:
        target = frame.targets[0]
        fields |= {"uid": target.uid.hex().upper(), "sak": target.sak, "atqa": target.atqa.hex().upper()}
    return fields


def fields_of(entry, frames: list) -> dict:
    match CODECS[entry.device]:
        case mod if mod is metratec:
            return metratec_fields(frames)
        case mod if mod is reader288:
            return reader288_fields(frames[-1], 18 if "UHFReader18" in entry.meaning else 288)
        case mod if mod is anyid:
            return anyid_fields(frames[-1])
        case mod if mod is pn532:
            return pn532_fields(frames[-1])
    return m100_fields(frames[-1])


@pytest.mark.parametrize("entry", [e for e in FROM_DEVICE if e is not HEARTBEAT], ids=name)
def test_decoded_to_its_fields(entry):
    frames = read(entry.device, entry.bytes)
    decoded = fields_of(entry, frames)
    for key, value in entry.fields.items():
        assert decoded.get(key) == value, key
    if entry.device in VARIANT:
        assert [frame.variant for frame in frames] == [VARIANT[entry.device]]
    if entry.device == "nfc_pn532_hsu" and entry.meaning.startswith("ACK followed"):
        assert [frame.kind for frame in frames] == [pn532.Kind.ACK, pn532.Kind.DATA]


def test_an_echo_of_the_host_is_a_frame_but_no_answer():
    (frame,) = read(ECHOED.device, ECHOED.bytes)
    assert (frame.type, frame.command, frame.data) == (m100.ANSWER, 0xC1, b"\x00")


def test_the_heartbeat_between_frames_is_stepped_over():
    good = BY_ID["uhf_reader18_288-005"]
    assert read(HEARTBEAT.device, HEARTBEAT.bytes) == []
    both = read(HEARTBEAT.device, HEARTBEAT.bytes + good.bytes + HEARTBEAT.bytes * 3 + good.bytes)
    assert len(both) == 2


# --- encode

UID = "e0040150cabd51b9"
EPC = bytes.fromhex("30751FEB705C5904E3D50D70")
#: how each question is built
QUESTIONS = {
    "uhf_m100-001": m100.build(m100.INFO, b"\x00"),
    "uhf_m100-002": m100.build(m100.INFO, b"\x01"),
    "uhf_m100-003": m100.build(m100.INFO, b"\x02"),
    "uhf_m100-005": m100.build(m100.INVENTORY),
    "uhf_m100-008": m100.build(m100.MULTI, b"\x22" + (10_000).to_bytes(2, "big")),
    "uhf_m100-009": m100.build(m100.STOP),
    "uhf_m100-011": m100.build(m100.SELECT, m100.select(EPC)),
    "uhf_m100-015": m100.build(m100.SELECT_MODE, b"\x01"),
    "uhf_m100-016": m100.build(m100.READ, m100.read(3, 0, 2, bytes.fromhex("0000FFFF"))),
    "uhf_m100-019": m100.build(0x49, m100.read(3, 0, 2, bytes.fromhex("0000FFFF")) + bytes.fromhex("12345678")),
    "uhf_m100-021": m100.build(0x82, bytes.fromhex("0000FFFF 020080")),
    "uhf_m100-025": m100.build(0x11, (19_200 // 100).to_bytes(2, "big")),
    "uhf_m100-026": m100.build(0x0D),
    "uhf_m100-028": m100.build(m100.QUERY, (0x1000 | 4 << 3).to_bytes(2, "big")),
    "uhf_m100-032": m100.build(0x08),
    "uhf_m100-036": m100.build(0xAA),
    "uhf_m100-038": m100.build(0xAD, b"\xff"),
    "uhf_m100-040": m100.build(0xA9, bytes((5, 1, 2, 3, 4, 5))),
    "uhf_m100-044": m100.build(m100.POWER, (2000).to_bytes(2, "big")),
    "uhf_m100-046": m100.build(0xB0, b"\xff"),
    "uhf_m100-050": m100.build(0xF0, bytes.fromhex("0306 01B0")),
    "uhf_m100-056": m100.build(0x17),
    "uhf_m100-058": m100.build(0x1D, b"\x02"),
    "uhf_m100-060": m100.build(0x04, b"\x01\x01\x03"),
    "uhf_m100-062": m100.build(0xE4),
    "uhf_m100-072": m100.build(m100.REGION, bytes((m100.REGIONS["eu"],))),
    "uhf_m100-078": m100.build(0xC1, b"\x00", type_=m100.ANSWER),
    "uhf_m100_aa_8e-001": m100.build(m100.INFO, b"\x00", "aa8e"),
    "uhf_m100_aa_dd-005": m100.build(
        0x49, m100.read(3, 0, 2, bytes.fromhex("0000FFFF")) + bytes.fromhex("12345678"), "aadd"
    ),
    "uhf_reader18_288-024": reader288.build(reader288.INVENTORY, reader288.inventory(4, 0, 1, 20)),
    "hf_anyid_7e55-001": anyid.build(anyid.VERSION, destination=anyid.EVERYBODY),
    "hf_anyid_7e55-003": anyid.build(anyid.QUERY, b"\x00"),
    "hf_anyid_7e55-005": anyid.build(
        anyid.WRITE_BLOCKS, anyid.raw_uid(UID) + bytes((0, 3)) + bytes.fromhex("01020304 01020304 F1F1F1F1")
    ),
    "hf_anyid_7e55-007": anyid.build(anyid.READ_BLOCKS, anyid.raw_uid(UID) + bytes((0, 3))),
    "hf_anyid_7e55-009": anyid.build(0x40, b"\x00"),
    "hf_anyid_7e55-010": anyid.build(0x41),
    "hf_metratec_ascii-005": metratec.build("EOF"),
    "hf_metratec_ascii-007": metratec.build("RFW"),
    "hf_metratec_ascii-008": metratec.build("SRI", "SS", 100),
    "hf_metratec_ascii-010": metratec.build("INV"),
    "hf_metratec_ascii-011": metratec.build("SAP", "ARP", "ON"),
    "hf_metratec_ascii-012": metratec.build("SAP", "AUT", 3, 0),
    "hf_metratec_ascii-013": metratec.build("REQ", "022000", "CRC"),
    "nfc_pn532_hsu-001": pn532.ACK_BYTES,
    "nfc_pn532_hsu-009": pn532.build(bytes((pn532.VERSION,))),
    "nfc_pn532_hsu-011": pn532.build(bytes((pn532.LIST, 1, 0))),
}


@pytest.mark.parametrize("entry", TO_DEVICE, ids=name)
def test_built_byte_for_byte(entry):
    assert QUESTIONS[entry.id].hex(" ").upper() == entry.hex


def test_extended_frames_of_the_pn532():
    frame = pn532.build(bytes(range(256)) + b"\x01\x02", pn532.FROM_CHIP)
    assert frame[3:5] == b"\xff\xff"
    (back,) = read("nfc_pn532_hsu", frame)
    assert back.data == bytes(range(256)) + b"\x01\x02"
    with pytest.raises(ValueError, match="the chip takes 264"):
        pn532.build(bytes(300))


def test_a_short_frame_of_anyid_has_its_limit():
    with pytest.raises(ValueError, match="do not fit"):
        anyid.build(anyid.WRITE_BLOCKS, bytes(250))


# --- refuse


def good_after(entry):
    return next(
        e for e in FROM_DEVICE if e.device == entry.device and e.integrity_ok and e is not HEARTBEAT and e.length > 8
    )


@pytest.mark.parametrize("entry", WRONG, ids=name)
def test_a_wrong_frame_is_refused_and_the_next_good_one_found(entry):
    good = BY_ID["uhf_m100_aa_dd-002"] if entry.device.startswith("uhf_m100_aa") else good_after(entry)
    (wanted,) = read(good.device, good.bytes)
    source = scanner(entry.device)
    assert source.feed(entry.bytes) == []
    found = source.feed(good.bytes)
    while source.pending:  # a frame without header may seem to begin in the wrong one: silence ends it
        found += source.give_up()
    assert found == [wanted]
    assert source.refused >= 1
    assert source.noise == len(entry.bytes)


def test_a_truncated_frame_in_silence_is_given_up():
    """uhf_reader18_288-023 promises 22 bytes and has 21: without a next frame only time tells."""
    source = scanner("uhf_reader18_288")
    assert source.feed(BY_ID["uhf_reader18_288-023"].bytes) == []
    assert source.pending == 21
    assert source.give_up() == []
    while source.pending:
        assert source.give_up() == []
    assert source.refused >= 1


@pytest.mark.parametrize("entry", [e for e in FROM_DEVICE if e.integrity_ok], ids=name)
def test_one_wrong_bit_is_noticed(entry):
    """Every bit is under the checksum, or breaks the frame; none gives another frame of the same length."""
    right = read(entry.device, entry.bytes)
    for bit in range(8 * len(entry.bytes)):
        broken = bytearray(entry.bytes)
        broken[bit // 8] ^= 1 << bit % 8
        found = read(entry.device, bytes(broken))
        if entry.device == "nfc_pn532_hsu":  # a bit of an acknowledgement or of padding may be lost without harm
            assert [f for f in found if f.kind is pn532.Kind.DATA and f not in right] == []
        else:
            assert found == []


# --- split and glued

SPLIT = [e for e in FROM_DEVICE if e is not HEARTBEAT]


@pytest.mark.parametrize("entry", SPLIT, ids=name)
def test_cut_anywhere_it_is_the_same(entry):
    whole = read(entry.device, entry.bytes)
    for at in range(1, len(entry.bytes)):
        source = scanner(entry.device)
        assert source.feed(entry.bytes[:at]) + source.feed(entry.bytes[at:]) == whole, at
    source = scanner(entry.device)
    assert [frame for byte in entry.bytes for frame in source.feed(bytes((byte,)))] == whole


def glued(device: str):
    return [e for e in SPLIT if e.device == device]


@pytest.mark.parametrize("device", CODECS)
def test_glued_together_all_are_found(device):
    entries = glued(device)
    wanted = [frame for entry in entries for frame in read(device, entry.bytes)]
    assert read(device, b"".join(entry.bytes for entry in entries)) == wanted


@pytest.mark.parametrize("device", [device for device in CODECS if device != "hf_metratec_ascii"])
def test_between_garbage_all_are_found_and_hardly_any_invented(device):
    """1 to 16 random bytes between frames. A sum of one byte lets one of 256 false headers through."""
    rng = random.Random(device)
    entries, invented, lost, noise = glued(device), 0, 0, 0
    for _ in range(300):
        entry = rng.choice(entries)
        wanted = read(device, entry.bytes)
        source = scanner(device)
        stream = rng.randbytes(rng.randint(1, 16)) + entry.bytes
        found = source.feed(stream)
        while source.pending:  # what is still awaited was garbage
            found += source.give_up()
        noise += source.noise
        lost += sum(frame not in found for frame in wanted)
        invented += sum(frame not in wanted for frame in found)
    assert lost <= invented  # only a false frame that reaches into a good one hides it
    assert noise > 2000
    assert invented <= (3 if CODECS[device] is m100 else 1)


def test_lines_of_the_metratec_after_garbage():
    """Without checksums a line that begins in garbage is lost; all others are found."""
    good = BY_ID["hf_metratec_ascii-001"].bytes
    texts = [line.text for line in read("hf_metratec_ascii", b"\x00\xff\x80" + good + b"\x9a\n" + good)]
    assert texts.count("E0040150954F02B1") == texts.count("IVF 02") == 2
    assert metratec.tags(texts[:4]).complete


def test_the_length_decides_and_not_the_tail():
    """uhf_m100-066: the sum is 7E, and so is the tail behind it."""
    (frame,) = read("uhf_m100", BY_ID["uhf_m100-066"].bytes)
    assert frame.data[-2:] == b"\x00\x41"


@pytest.mark.parametrize("epc", ["BB7EBB7EAADDAA8E7E55A000", "BB01FF000115167E00000000", "7E557E557E557E557E557E55"])
def test_headers_and_whole_frames_inside_an_epc(epc):
    raw = bytes.fromhex(epc)
    notice = m100.build(m100.INVENTORY, bytes.fromhex("C93000") + raw + b"\x12\x34", type_=m100.NOTICE)
    for at in range(len(notice) + 1):
        source = scanner("uhf_m100")
        (frame,) = source.feed(notice[:at]) + source.feed(notice[at:])
        assert frame.tag.epc == raw
    tag = bytes((len(raw),)) + raw + b"\x60"
    answer = reader288.Frame(0, reader288.INVENTORY, reader288.MORE, b"\x01\x01" + tag)
    body = bytes((len(answer.data) + 5, 0, 1, 3)) + answer.data
    (frame,) = read("uhf_reader18_288", body + crc16(body).to_bytes(2, "little"))
    assert frame.tags() == reader288.Tags(1, ((raw, 0x60),))


# --- malformed inside a good frame


@pytest.mark.parametrize(
    "data", ["01", "0101", "0102 04 01020304 60", "01FF", "0101 0C 0102 60", "0100 00", "0101 04 01020304"]
)
def test_counts_that_lie_make_no_tags(data):
    assert reader288.Frame(0, reader288.INVENTORY, 3, bytes.fromhex(data)).tags() is None


@pytest.mark.parametrize(
    ("data", "leading", "wanted"),
    [
        ("01 05 00", False, {5: ()}),
        ("01 05 00", True, {5: ()}),
        ("01 05 01 0102030405060708", False, {5: ("0807060504030201",)}),
        ("02 00 00 03 01 0102030405060708", False, {0: (), 3: ("0807060504030201",)}),
        ("02 00 03 00 01 0102030405060708", True, {0: (), 3: ("0807060504030201",)}),
        ("02 00 00 03 01 0102030405060708 00", False, {0: (), 3: ("0807060504030201",)}),
        ("01 05 02 0102030405060708", False, None),
        ("02 05 00", False, None),
        ("01", False, None),
        ("02 00", True, None),
        ("01 05 00 00 00", False, None),
        ("", False, None),
    ],
)
def test_scan_of_several_antennas(data, leading, wanted):
    frame = anyid.Frame(1, 0, True, anyid.SMART, bytes.fromhex(data))
    assert frame.scan(leading) == wanted


def test_uids_of_the_long_form():
    """25 UIDs are 225 bytes; the scan of several antennas has room for more."""
    tags = [f"e0040150{n:08x}" for n in range(60)]
    content = bytes((1, 2, len(tags))) + b"".join(map(anyid.raw_uid, tags))
    body = bytes.fromhex("00 0100 0000 1F 3F 00") + len(content).to_bytes(2, "little") + content
    (frame,) = read("hf_anyid_7e55", b"\x7e\x55" + body + (crc16(body) ^ 0xFFFF).to_bytes(2, "little"))
    assert frame.scan() == {2: tuple(tags)}
