"""What goes wrong between a reader and the table: with every driver against the emulator of its device on a pty."""

from __future__ import annotations

import asyncio
import logging
from contextlib import aclosing

import pytest
from reader_frames import BY_ID
from reader_rigs import HF, NTAG, UHF, ZONED, tcp_line, wired_lane, wired_reader

from tablectl.base.clock import LoopClock
from tablectl.base.faults import DeviceError
from tablectl.sim.wire.uhf_m100 import ENDS

pytestmark = pytest.mark.virtual_limit(600)

GHOST = "c219191919191919"
EVERY = pytest.mark.parametrize("kind", ZONED)


async def batches(device, count: int, within_s: float = 20.0) -> list:
    """The next batches."""
    found = []
    async with asyncio.timeout(within_s), aclosing(device.inventories()) as source:
        async for batch in source:
            found.append(batch)
            if len(found) == count:
                break
    return found


async def zones(device, antennas: int, rounds: int = 3) -> dict[str, frozenset[str]]:
    """What every zone holds after some rounds."""
    last = {}
    for batch in await batches(device, rounds * antennas):
        last.update({read.zone: read.tags for read in batch})
    return last


async def lost(device, within_s: float) -> DeviceError:
    """How the reader says that it is lost."""
    with pytest.raises(DeviceError) as caught:
        await batches(device, 100_000, within_s)
    return caught.value


def filled(rig, count: int = 6) -> dict[str, frozenset[str]]:
    """Tiles in all zones of a rig."""
    wanted = {}
    for number, zone in enumerate(rig.zones):
        tags = rig.tags[number * count : number * count + min(count, rig.most)]
        rig.put(zone, *tags)
        wanted[zone] = frozenset(tags)
    return wanted


# --- answers that come otherwise than they should


@EVERY
@pytest.mark.parametrize("piece", [1, 5])
async def test_answers_in_pieces(kind, piece, tmp_path):
    async with wired_reader(kind, tmp_path) as rig:
        wanted = filled(rig, 2)
        rig.emulator.line.faults.piece = piece
        assert await zones(rig.device, len(rig.zones)) == wanted


@EVERY
async def test_random_bytes_before_answers(kind, tmp_path):
    async with wired_reader(kind, tmp_path) as rig:
        wanted = filled(rig, 2)
        rig.emulator.line.faults.noisy = 12
        assert await zones(rig.device, len(rig.zones), 8) == wanted
        assert rig.emulator.line.faults.noisy == 0


@EVERY
@pytest.mark.parametrize("fault", ["mute", "corrupt", "short"])
async def test_a_lost_or_broken_answer_is_asked_for_again(kind, fault, tmp_path):
    """One answer of three is enough; nothing is invented, and the next inventories are as before."""
    async with wired_reader(kind, tmp_path) as rig:
        wanted = filled(rig, 2)
        await batches(rig.device, 1)
        setattr(rig.emulator.line.faults, fault, 2)
        everything = frozenset().union(*wanted.values())
        for batch in await batches(rig.device, 6 * len(rig.zones)):
            assert all(read.tags <= everything for read in batch)
        assert getattr(rig.emulator.line.faults, fault) == 0
        assert await zones(rig.device, len(rig.zones)) == wanted


@EVERY
async def test_answers_that_come_twice(kind, tmp_path):
    async with wired_reader(kind, tmp_path) as rig:
        wanted = filled(rig, 3)
        rig.emulator.line.faults.double = 30
        assert await zones(rig.device, len(rig.zones), 6) == wanted


@EVERY
async def test_a_late_answer_is_not_that_of_the_next_question(kind, tmp_path):
    """The answer about a zone comes after its time is up, and what lies there has changed since."""
    async with wired_reader(kind, tmp_path) as rig:
        filled(rig, 2)
        await batches(rig.device, len(rig.zones))
        faults = rig.emulator.line.faults
        faults.late, faults.late_s = 1, 1.0
        reading = asyncio.ensure_future(batches(rig.device, 3 * len(rig.zones)))
        await asyncio.sleep(0.3)
        wanted = {}
        for number, zone in enumerate(rig.zones):
            tags = rig.tags[30 + number : 31 + number] if rig.most > 2 else rig.tags[2:3]
            rig.put(zone, *tags)
            wanted[zone] = frozenset(tags)
        await reading
        assert await zones(rig.device, len(rig.zones)) == wanted


async def test_an_answer_about_another_antenna_is_ignored(tmp_path):
    """Late frames of antenna 1 while antenna 2 is asked: tags never change their zone by it."""
    async with wired_reader("uhf_reader288", tmp_path) as rig:
        wanted = filled(rig, 20)
        faults = rig.emulator.line.faults
        for _ in range(6):
            faults.late, faults.late_s = 1, 0.65
            for batch in await batches(rig.device, 3):
                for read in batch:
                    assert read.tags <= wanted[read.zone]
        assert rig.device.family._link.strays > 0


async def test_an_answer_to_another_command_is_ignored(tmp_path):
    """A whole, right answer to command 02 while 01 is asked: the question runs out once, and is asked again."""
    async with wired_reader("uhf_reader288", tmp_path, antennas={1: "hand.0"}) as rig:
        rig.put("hand.0", UHF[0])
        line, understand = rig.emulator.line, rig.emulator.line.received
        asked = []

        def received(data: bytes) -> None:
            asked.append(LoopClock().now())
            if len(asked) == 1:
                line.write(BY_ID["uhf_reader18_288-012"].bytes)
            else:
                understand(data)

        line.received = received
        ((read,),) = await batches(rig.device, 1)
        assert read.tags == {UHF[0]}
        assert len(asked) == 2
        assert 0.5 < asked[1] - asked[0] < 0.8


# --- many and few tags


@EVERY
@pytest.mark.parametrize("count", [14, 40])
async def test_many_tags_at_once(kind, count, tmp_path):
    if ZONED[kind][2] < count:
        count = ZONED[kind][2]
    async with wired_reader(kind, tmp_path, period_seconds=0.5) as rig:
        zone = rig.zones[0]
        rig.put(zone, *rig.tags[:count])
        assert (await zones(rig.device, len(rig.zones)))[zone] == frozenset(rig.tags[:count])


async def test_an_inventory_that_counts_more_tags_than_it_names_is_repeated(tmp_path):
    """metraTec's lines have no checksum, but the answer ends with the number of tags."""
    async with wired_reader("hf_metratec_ascii", tmp_path, antennas={0: "hand.0"}) as rig:
        rig.put("hand.0", *HF[:5])
        say = rig.emulator._say

        def say_less(*lines: str, after_s: float = 0.0) -> None:
            rig.emulator._say = say
            say(*lines[1:], after_s=after_s)

        rig.emulator._say = say_less
        ((read,),) = await batches(rig.device, 1)
        assert read.tags == frozenset(HF[:5])


async def test_a_burst_of_notifications_is_taken_whole(tmp_path):
    """40 notifications glued into one piece of a thousand bytes."""
    async with wired_reader("uhf_m100", tmp_path, period_seconds=1.0) as rig:
        rig.put("hand.0", *UHF[:40])
        rig.emulator.line.faults.hold = 39
        assert (await zones(rig.device, 1))["hand.0"] == frozenset(UHF[:40])


async def test_empty_rounds_are_no_fault(tmp_path):
    """A module without tags answers each round with error 15; the zone is empty only after its rule of absence."""
    async with wired_reader("uhf_m100", tmp_path, absence={"reads": 3, "seconds": 0.5}) as rig:
        rig.put("hand.0", UHF[0])
        assert (await zones(rig.device, 1))["hand.0"] == {UHF[0]}
        rig.put("hand.0")
        held = [read.tags for (read,) in await batches(rig.device, 40)]
        gone = held.index(frozenset())
        assert 2 <= gone <= 4
        assert set(held[gone:]) == {frozenset()}


async def test_a_module_that_stops_reading_is_started_again(tmp_path):
    """After its 65535 rounds, or a reset of its own."""
    async with wired_reader("uhf_m100", tmp_path) as rig:
        rig.put("hand.0", UHF[0])
        await batches(rig.device, 2)
        rig.emulator.rounds_left = 0
        assert (await batches(rig.device, 8))[-1][0].tags == {UHF[0]}
        assert [command for command, _ in rig.emulator.heard].count(0x27) == 2


async def test_a_module_left_reading_by_a_killed_program_obeys(tmp_path):
    """Notifications come before any answer."""
    async with wired_reader("uhf_m100", tmp_path) as rig:
        rig.put("hand.0", *UHF[:14])
        await batches(rig.device, 2)
        await rig.device.close()
        assert rig.emulator.rounds_left > 0
        await rig.device.open()
        assert (await batches(rig.device, 2))[-1][0].tags == frozenset(UHF[:14])


async def test_more_than_one_frame_of_uids(tmp_path):
    """25 UIDs fit into an answer to a query; the rest is asked for."""
    async with wired_reader("hf_anyid_7e55", tmp_path, antennas={1: "wall.0"}) as rig:
        rig.emulator.field.lie[1] = HF[:34]
        assert (await zones(rig.device, 1))["wall.0"] == frozenset(HF[:34])
        assert rig.emulator.unheard == 0, "50 ms lie between two requests"


@pytest.mark.parametrize("layout", ["repeated_index", "leading_list"])
async def test_all_antennas_in_one_exchange(layout, tmp_path):
    async with wired_reader("hf_anyid_7e55", tmp_path, options={"scan": layout}) as rig:
        rig.emulator.layout = layout
        wanted = filled(rig, 20)
        (batch,) = await batches(rig.device, 1)
        assert {read.zone: read.tags for read in batch} == wanted
        assert len(rig.emulator.heard) == 2, "the version and one scan"


# --- who is there


@EVERY
async def test_it_knows_who_answers(kind, tmp_path):
    async with wired_reader(kind, tmp_path) as rig:
        assert (
            rig.device.identity
            == {
                "uhf_m100": "M100 26dBm V1.0",
                "uhf_reader288": "UHFReader288M 0.22",
                "hf_anyid_7e55": "R321G 21042100 150503",
                "hf_metratec_ascii": "QUASAR_MX       0100",
                "nfc_pn532_hsu": "PN532 1.6",
            }[kind]
        )


@EVERY
async def test_another_of_its_kind_on_the_port_is_told(kind, tmp_path):
    async with wired_reader(kind, tmp_path) as rig:
        await rig.device.close()
        rig.device.family.setup = type(rig.device.family.setup)(
            "east", rig.device.family.setup.line, rig.device.family.setup.antennas, {}, identity="SN 4711"
        )
        with pytest.raises(DeviceError) as caught:
            await rig.device.open()
        said = str(caught.value)
        assert f"another reader is here: it calls itself {rig.device.identity!r}; expected 'SN 4711'" in said
        assert "port and identity" in said


@pytest.mark.parametrize(
    ("kind", "chatter"),
    [
        ("uhf_m100", b"login: "),
        ("uhf_reader288", b"\xbb\x01\xff\x00\x01\x17\x18\x7e"),
        ("hf_anyid_7e55", b"UCO\r\n"),
        ("hf_metratec_ascii", b"\x00\xff\x00\xff"),
        ("nfc_pn532_hsu", b"\x15\x00\x01\x03"),
    ],
)
async def test_something_else_on_the_port_is_told_with_what_it_said(kind, chatter, tmp_path):
    async with wired_reader(kind, tmp_path) as rig:
        await rig.device.close()
        rig.emulator.line.received = lambda data: rig.emulator.line.write(chatter)
        with pytest.raises(DeviceError) as caught:
            await rig.device.open()
        assert "something else is there, or at another baud rate; it said:" in str(caught.value)
        assert chatter.hex(" ")[-8:] in str(caught.value)
        assert "port, baud, driver and identity" in caught.value.next_step


@EVERY
async def test_endless_chatter_ends_in_time(kind, tmp_path):
    """Another device talks without a pause: the question still runs out."""
    async with wired_reader(kind, tmp_path) as rig:
        await rig.device.close()
        line = rig.emulator.line
        line.received = lambda data: None

        def chatter() -> None:
            line.write(b"$GPGGA,123519,4807.038,N\r\n")
            line.later(0.01, chatter)

        chatter()
        began = LoopClock().now()
        with pytest.raises(DeviceError, match="something else is there"):
            await rig.device.open()
        assert LoopClock().now() - began < 10


@EVERY
async def test_nobody_on_the_port_is_told(kind, tmp_path):
    async with wired_reader(kind, tmp_path) as rig:
        await rig.device.close()
        rig.emulator.power_off()
        with pytest.raises(DeviceError, match="nobody answers; expected a"):
            await rig.device.open()
        rig.emulator.power_on()
        await rig.device.open()


@pytest.mark.parametrize("variant", ["bb7e", "aadd", "aa8e"])
async def test_the_dress_of_an_m100_is_found_out(variant, tmp_path):
    async with wired_reader("uhf_m100", tmp_path) as rig:
        await rig.device.close()
        rig.emulator.first, rig.emulator.last = ENDS[variant]
        await rig.device.open()
        rig.put("hand.0", UHF[3])
        assert (await zones(rig.device, 1))["hand.0"] == {UHF[3]}


# --- lost and found again


@EVERY
async def test_without_power_behind_its_adapter_it_is_lost(kind, tmp_path):
    """The port is still there; nothing answers any more."""
    async with wired_reader(kind, tmp_path) as rig:
        wanted = filled(rig, 2)
        await batches(rig.device, 1)
        rig.emulator.power_off()
        error = await lost(rig.device, 15)
        assert error.device == "east"
        assert "does not answer" in str(error)
        await rig.device.close()
        rig.emulator.power_on()
        await rig.device.open()
        assert await zones(rig.device, len(rig.zones)) == wanted


@EVERY
async def test_the_settings_are_sent_again_after_every_opening(kind, tmp_path):
    keys = {"power_dbm": 20} if kind.startswith("uhf") else {}
    async with wired_reader(kind, tmp_path, **keys) as rig:
        first = list(rig.emulator.heard)
        rig.emulator.unplug()
        with pytest.raises(DeviceError):
            await batches(rig.device, 100)
        await rig.emulator.plug()
        rig.emulator.heard.clear()
        if kind == "uhf_reader288":
            rig.emulator.power_dbm = 30
        await rig.device.open()
        assert rig.emulator.heard == first
        if keys:
            assert (0xB6, (2000).to_bytes(2, "big")) in first or (0x2F, b"\x14") in first


async def test_the_power_of_a_288_is_kept_and_not_written_again(tmp_path):
    """It is kept in a memory that wears."""
    async with wired_reader("uhf_reader288", tmp_path, power_dbm=22) as rig:
        assert rig.emulator.power_dbm == 22
        rig.emulator.heard.clear()
        await rig.device.close()
        await rig.device.open()
        assert [command for command, _ in rig.emulator.heard] == [0x21]


async def test_a_reader_that_restarts_is_set_up_again(tmp_path):
    """metraTec: SRT, and RNW where the radio is off."""
    async with wired_reader("hf_metratec_ascii", tmp_path) as rig:
        wanted = filled(rig, 3)
        assert await zones(rig.device, 3) == wanted
        rig.emulator.restart()
        assert await zones(rig.device, 3) == wanted
        rig.emulator.radio = False
        assert await zones(rig.device, 3, 5) == wanted
        assert rig.emulator.line_feeds


async def test_heartbeats_between_answers(tmp_path):
    async with wired_reader("hf_metratec_ascii", tmp_path) as rig:
        wanted = filled(rig, 3)

        def beat() -> None:
            rig.emulator.heartbeat()
            rig.emulator.line.later(0.05, beat)

        beat()
        assert await zones(rig.device, 3) == wanted
    async with wired_reader("uhf_reader288", tmp_path) as rig:
        wanted = filled(rig, 3)
        rig.emulator.heartbeat_s = 0.013
        rig.emulator.reset()
        assert await zones(rig.device, 3) == wanted


async def test_an_older_metratec_is_asked_in_the_old_way(tmp_path):
    async with wired_reader("hf_metratec_ascii", tmp_path) as rig:
        await rig.device.close()
        rig.emulator.old = True
        await rig.device.open()
        assert rig.device.identity == "DESKID_ISO     01000218"


async def test_a_setting_that_is_refused_is_told(tmp_path):
    async with wired_reader("hf_metratec_ascii", tmp_path) as rig:
        rig.emulator.antennas = 8
        error = await lost(rig.device, 5)
        assert "refuses SAP MAN 12: wrong parameter; expected OK!" in str(error)


async def test_a_faulty_antenna_does_not_cost_the_others(tmp_path, caplog):
    """It is told once, and its zone is not called empty."""
    async with wired_reader("uhf_reader288", tmp_path) as rig:
        wanted = filled(rig, 3)
        rig.emulator.broken.add(2)
        found = await zones(rig.device, 2, 10)
        assert found == {zone: wanted[zone] for zone in ("hand.0", "river.0")}
        assert caplog.text.count("calls antenna 2 faulty") == 1
        rig.emulator.broken.clear()
        assert await zones(rig.device, 3) == wanted
        rig.emulator.broken.update((1, 2, 4))
        assert "calls all antennas faulty" in str(await lost(rig.device, 5))


# --- tags that are none of the table's


@pytest.mark.parametrize("kind", ["hf_anyid_7e55", "hf_metratec_ascii"])
async def test_a_ghost_uid_is_told_and_never_reported(kind, tmp_path, caplog):
    """C219191919191919: a valid frame with a UID that no chip of ISO 15693 has."""
    async with wired_reader(kind, tmp_path) as rig:
        rig.put("hand.0", HF[0], GHOST)
        assert (await zones(rig.device, 3))["hand.0"] == {HF[0]}
        assert caplog.text.count(f"foreign tag {GHOST}") == 1


async def test_a_foreign_tag_that_could_be_one_is_reported(tmp_path):
    """Whether it is in a tile set is the table's to say."""
    async with wired_reader("hf_anyid_7e55", tmp_path) as rig:
        rig.put("hand.0", "e007000000000001")
        assert (await zones(rig.device, 3))["hand.0"] == {"e007000000000001"}


async def test_one_tile_above_two_antennas_is_in_one_zone(tmp_path, caplog):
    """The stronger one; the table never sees a fifth tile of a kind."""
    caplog.set_level(logging.INFO)
    async with wired_reader("uhf_reader288", tmp_path) as rig:
        rig.put("hand.0", UHF[0])
        rig.put("meld.0", UHF[0])
        rig.emulator.field.strengths = {(1, UHF[0]): -40, (2, UHF[0]): -66}
        assert await zones(rig.device, 3, 6) == {"hand.0": {UHF[0]}, "meld.0": frozenset(), "river.0": frozenset()}
        rig.emulator.field.strengths = {(1, UHF[0]): -70, (2, UHF[0]): -66}
        assert (await zones(rig.device, 3, 6))["meld.0"] == {UHF[0]}
        assert "counted in meld.0" in caplog.text


# --- codes in the memory of tags


@pytest.mark.parametrize("kind", [kind for kind in ZONED if kind != "uhf_reader288"])
async def test_the_code_of_a_tile_is_read_out_of_its_tag(kind, tmp_path):
    """A tile set that comes with codes: known before the tag is reported for the first time."""
    async with wired_reader(kind, tmp_path, code={"block": 4, "byte": 1}, period_seconds=1.0) as rig:
        size = {"uhf_m100": 2}.get(kind, 4)
        tags = rig.tags[:2]
        for number, tag in enumerate(tags):
            memory = bytearray(64)
            memory[4 * size + 1] = 11 + number
            rig.emulator.field.memories[tag] = bytes(memory)
        rig.put("hand.0", *tags)
        found = (await zones(rig.device, len(rig.zones)))["hand.0"]
        assert found == frozenset(tags)
        assert rig.device.codes == {tags[0]: 11, tags[1]: 12}


@pytest.mark.parametrize("kind", ["uhf_m100", "hf_anyid_7e55", "hf_metratec_ascii"])
async def test_a_tag_whose_memory_cannot_be_read_is_reported_in_the_end(kind, tmp_path):
    async with wired_reader(kind, tmp_path, code={"block": 4}) as rig:
        rig.emulator.field.memories[rig.tags[0]] = b""
        rig.put("hand.0", rig.tags[0])
        assert (await batches(rig.device, 1))[0][0].tags == frozenset()
        assert (await zones(rig.device, len(rig.zones), 8))["hand.0"] == {rig.tags[0]}
        assert rig.device.codes == {}


# --- lanes

LANE = pytest.mark.parametrize("kind", [kind for kind in ZONED if kind != "nfc_pn532_hsu"])


async def listen(rig, seconds: float) -> list[str]:
    found = []

    async def take() -> None:
        async with aclosing(rig.device.passages()) as passages:
            async for passage in passages:
                found.append(passage.tag)

    taking = asyncio.ensure_future(take())
    await asyncio.wait([taking], timeout=seconds)
    taking.cancel()
    await asyncio.gather(taking, return_exceptions=True)
    return found


@LANE
async def test_a_tile_that_stands_before_the_antenna_passed_once(kind, tmp_path):
    async with wired_lane(kind, tmp_path) as rig:
        rig.put(rig.tags[0])
        assert await listen(rig, 30.0) == [rig.tags[0]]


@LANE
async def test_a_lane_with_a_broken_line_loses_no_tile(kind, tmp_path):
    """Answers cut, doubled and with garbage between them: each tile once."""
    async with wired_lane(kind, tmp_path) as rig:
        faults = rig.emulator.line.faults
        faults.piece, faults.double, faults.noisy = 7, 50, 50
        listening = asyncio.ensure_future(listen(rig, 12.0))
        await asyncio.sleep(0.5)
        for tag in rig.tags[:12]:
            rig.see(tag)
            await asyncio.sleep(0.8)
        assert await listening == rig.tags[:12]


async def test_pushes_are_acknowledged(tmp_path):
    """The reader pushes a tag again until the host has said that it has it."""
    async with wired_lane("hf_anyid_7e55", tmp_path) as rig:
        rig.emulator.quiet = True
        rig.put(HF[0])
        assert await listen(rig, 3.0) == [HF[0]]
        assert rig.emulator.acknowledged == 1
        rig.put(HF[1], HF[2])
        rig.emulator.line.faults.mute = 1
        assert sorted(await listen(rig, 3.0)) == [HF[1], HF[2]]
        assert rig.emulator.acknowledged == 3


async def test_a_silent_lane_is_asked_whether_it_lives(tmp_path):
    async with wired_lane("hf_anyid_7e55", tmp_path) as rig:
        assert await listen(rig, 21.0) == []
        assert [command for command, _ in rig.emulator.heard].count(0xF7) == 5
        rig.emulator.power_off()
        with pytest.raises(DeviceError, match=r"nobody answers|something else"):
            async with aclosing(rig.device.passages()) as passages, asyncio.timeout(10):
                await anext(passages)


async def test_a_push_while_it_is_asked_is_not_lost(tmp_path):
    """The answer to the question whether it lives, and pushes, in one piece."""
    async with wired_lane("hf_anyid_7e55", tmp_path) as rig:
        rig.emulator.quiet = True
        listening = asyncio.ensure_future(listen(rig, 12.0))
        await asyncio.sleep(4.99)
        rig.see(HF[0])
        rig.emulator.line.faults.hold = 1
        await asyncio.sleep(2)
        rig.see(HF[1])
        assert await listening == HF[:2]


async def test_a_polled_lane_of_a_reader_that_does_not_push(tmp_path):
    async with wired_lane("hf_anyid_7e55", tmp_path, options={"lane": "poll"}) as rig:
        rig.emulator.pushes = False
        rig.emulator.reset()
        rig.put(HF[5])
        assert await listen(rig, 2.0) == [HF[5]]


async def test_a_lane_that_restarts_goes_on(tmp_path):
    async with wired_lane("hf_metratec_ascii", tmp_path) as rig:
        rig.put(HF[0])
        assert await listen(rig, 1.0) == [HF[0]]
        listening = asyncio.ensure_future(listen(rig, 4.0))
        await asyncio.sleep(0.5)
        rig.emulator.restart()
        rig.put(HF[1])
        assert (await listening)[-1] == HF[1]


# --- in the network, and in real time


@pytest.mark.parametrize("kind", ["hf_metratec_ascii", "uhf_reader288"])
async def test_a_reader_in_the_network(kind, tmp_path):
    line = tcp_line()
    async with wired_reader(kind, tmp_path, line) as rig:
        wanted = filled(rig, 5)
        assert await zones(rig.device, 3) == wanted
        rig.emulator.unplug()
        await lost(rig.device, 1.0)
        await rig.device.close()
        await rig.emulator.plug()
        await rig.device.open()
        assert await zones(rig.device, 3) == wanted


@EVERY
@pytest.mark.real_time
async def test_in_real_time(kind, tmp_path):
    """The same on an ordinary loop, whose selector sees a pty otherwise."""
    async with wired_reader(kind, tmp_path, period_seconds=0.1) as rig:
        wanted = filled(rig, 2)
        last: dict[str, frozenset[str]] = {}
        async with asyncio.timeout(30), aclosing(rig.device.inventories()) as source:
            async for batch in source:
                last.update({read.zone: read.tags for read in batch})
                if last == wanted:
                    break
        rig.emulator.unplug()
        await lost(rig.device, 30.0)  # how soon is told on virtual time: a busy machine is no fault


def test_tags_of_an_nfc_chip_have_seven_bytes():
    assert {len(tag) for tag in NTAG} == {14}
