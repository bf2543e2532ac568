"""Independent programs as partners: the emulators of readers against client libraries that others wrote for the real
devices, and our questions and answers against the bytes of those libraries."""

from __future__ import annotations

import asyncio
import warnings

import pytest
from reader_frames import FROM_DEVICE

from tablectl.drivers.readers import uhf_reader288 as reader288
from tablectl.drivers.readers.frames import Scanner
from tablectl.sim.wire.field import Bench
from tablectl.sim.wire.hf_metratec_ascii import MetratecEmulator
from tablectl.sim.wire.line import PtyLine, TcpLine
from tablectl.sim.wire.nfc_pn532_hsu import PN532Emulator
from tablectl.sim.wire.uhf_reader288 import Reader288Emulator

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # what these libraries still do in their old ways is not ours to mend
    import nfc.clf
    import nfc.clf.pn532
    import nfc.clf.transport
    from chafon_rfid.base import CommandRunner, ReaderCommand, ReaderInfoFrame
    from chafon_rfid.command import CF_GET_READER_INFO
    from chafon_rfid.transport import TcpTransport
    from chafon_rfid.uhfreader18 import G2InventoryResponse as Response18
    from chafon_rfid.uhfreader288m import G2InventoryCommand, G2InventoryResponse
    from metratec_rfid import QuasarMX

pytestmark = pytest.mark.real_time

HF = [f"e004015000a1b2{n:02x}" for n in range(30)]
UHF = [f"e280689400005000a1b2c3{n:02x}" for n in range(20)]


# --- nfcpy and the PN532


async def test_nfcpy_finds_a_tag_above_our_pn532(tmp_path):
    field = Bench({1: ["04a1b2c3d4e5f6"]})
    emulator = PN532Emulator(PtyLine(tmp_path / "pn532"), field, answer_s=(0.002, 0.01))

    def client() -> tuple[str, str, bytes, object]:
        transport = nfc.clf.transport.TTY(emulator.line.port)
        device = nfc.clf.pn532.init(transport)
        try:
            found = device.sense_tta(nfc.clf.RemoteTarget("106A"))
            page = device.chipset.in_data_exchange(b"\x30\x04", 1.0)[0]
            field.lie[1] = []
            nothing = device.sense_tta(nfc.clf.RemoteTarget("106A"))
            return str(device.chipset_name), found.sdd_res.hex(), bytes(page), nothing
        finally:
            device.close()

    field.memories["04a1b2c3d4e5f6"] = bytes(range(64))
    async with emulator:
        name, uid, page, nothing = await asyncio.to_thread(client)
    assert name.startswith("PN532")
    assert uid == "04a1b2c3d4e5f6"
    assert page == bytes(range(16, 32))
    assert nothing is None


# --- metraTec's own SDK and our QuasarMX


async def test_the_makers_sdk_reads_tags_of_our_quasar():
    field = Bench({0: HF[:3], 1: [], 2: HF[3:28]})
    # the SDK cuts off the last character of these two, whatever it is
    texts = {"hardware": "QUASAR_MX       0100 ", "firmware": "QUASAR_MX       0320 "}
    emulator = MetratecEmulator(TcpLine(), field, **texts)
    async with emulator:
        _, _, port = emulator.line.port.rpartition(":")
        reader = QuasarMX("peer", "127.0.0.1", int(port))
        await reader.connect(timeout=5)
        try:
            tags = await reader.get_inventory()
            assert [tag.get_id().lower() for tag in tags] == HF[:3]
            await reader.enable_antenna_report(True)
            await reader.set_antenna(2)
            tags = await reader.get_inventory()
            assert {(tag.get_id().lower(), tag.get_antenna()) for tag in tags} == {(tag, 2) for tag in HF[3:28]}
            await reader.set_antenna_multiplex(3)
            tags = await reader.get_inventory_multi()
            assert [(tag.get_id().lower(), tag.get_antenna()) for tag in tags] == [
                *((tag, 0) for tag in HF[:3]),
                *((tag, 2) for tag in HF[3:28]),
            ]
        finally:
            await reader.disconnect()
            await asyncio.sleep(0)
        said = [command for command, _ in emulator.heard]
        assert said[:3] == ["BRK", "EOF", "HWR"]
        assert "SRI" in said


# --- wabson's chafon-rfid and the UHFReader288


def both(data: bytes, generation: int):
    """The tags of an answer as they read it, and as we do."""
    response = (G2InventoryResponse if generation == 288 else Response18)(data)
    theirs = [(bytes(tag.epc), tag.antenna_num if generation == 288 else None, tag.rssi) for tag in response.get_tag()]
    frames = [frame.tags(generation) for frame in Scanner(reader288.look).feed(data)]
    return theirs, [(epc, tags.antenna, strength) for tags in frames for epc, strength in tags.tags]


@pytest.mark.parametrize(
    "entry",
    [e for e in FROM_DEVICE if e.device == "uhf_reader18_288" and "tags" in e.fields and e.fields["tags"]],
    ids=lambda entry: entry.id,
)
def test_they_and_we_read_the_same_in_published_answers(entry):
    theirs, ours = both(entry.bytes, 18 if "UHFReader18" in entry.meaning else 288)
    assert theirs == ours != []


@pytest.mark.parametrize("generation", [18, 288])
@pytest.mark.parametrize("antenna", [1, 2, 3, 4])
async def test_they_and_we_read_the_same_of_our_emulator(generation, antenna):
    """All frames of answers with 20 tags; both ask, over TCP, and in the same bytes."""
    line = TcpLine()
    emulator = Reader288Emulator(line, Bench({antenna if generation == 288 else 1: UHF}), generation=generation)
    command = G2InventoryCommand(q_value=4, antenna=0x80 + antenna - 1)
    if generation == 288:
        ours = reader288.build(reader288.INVENTORY, reader288.inventory(4, 0, antenna, 20))
        assert bytes(command.serialize()) == ours
    else:
        command = ReaderCommand(reader288.INVENTORY)
        assert bytes(command.serialize()) == reader288.build(reader288.INVENTORY)

    def client() -> bytes:
        transport = TcpTransport("127.0.0.1", int(line.port.rpartition(":")[2]), auto_connect=True)
        try:
            data = CommandRunner(transport).run(command)
            while not emulator_done(data):
                data += transport.read_frame()
            return bytes(data)
        finally:
            transport.close()

    async with emulator:
        data = await asyncio.to_thread(client)
    theirs, we = both(data, generation)
    assert theirs == we
    assert [epc.hex() for epc, _, _ in we] == UHF


def emulator_done(data: bytes) -> bool:
    """The last frame has status 01."""
    at = 0
    while at + data[at] + 1 < len(data):
        at += data[at] + 1
    return data[at + 3] == reader288.DONE


async def test_they_read_what_our_emulator_says_of_itself():
    line = TcpLine()
    emulator = Reader288Emulator(line, Bench())

    def client() -> ReaderInfoFrame:
        transport = TcpTransport("127.0.0.1", int(line.port.rpartition(":")[2]), auto_connect=True)
        try:
            return ReaderInfoFrame(CommandRunner(transport).run(ReaderCommand(CF_GET_READER_INFO)))
        finally:
            transport.close()

    async with emulator:
        info = await asyncio.to_thread(client)
    assert (info.type.name, info.power, bytes(info.firmware_version)) == ("UHFReader288M", 30, b"\x00\x16")
