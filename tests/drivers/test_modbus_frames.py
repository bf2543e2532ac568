"""Published Modbus frames byte for byte, and independent programs at the other end of the line: minimalmodbus asks our
emulated board, pymodbus's own server answers our driver.
"""

from __future__ import annotations

import asyncio
import os
import tty
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import minimalmodbus
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from modbus_rig import IO
from pymodbus.framer import FramerRTU
from pymodbus.pdu import DecodePDU
from pymodbus.server import ModbusSerialServer
from pymodbus.simulator import DataType, SimData, SimDevice

from tablectl.base.clock import LoopClock
from tablectl.drivers import modbus_frames as frames
from tablectl.drivers.hardware_pins import Pin
from tablectl.drivers.hardware_wiring import Bus
from tablectl.drivers.modbus import ModbusBus
from tablectl.sim.devices import SimInput, SimOutput
from tablectl.sim.wire.modbus_board import EmulatedBoard, ModbusLine, crc, unpack

clock = LoopClock()
PUBLISHED = {
    entry["id"]: entry
    for entry in yaml.safe_load((Path(__file__).parent / "frames.yaml").read_text(encoding="utf-8"))
    if entry["device"].startswith("modbus")
}


def published(id_: str) -> bytes:
    return bytes.fromhex(PUBLISHED[id_]["hex"])


#: what the driver sends, and the published frame it must be
REQUESTS: dict[str, frames.Request] = {
    "modbus_rtu-001": frames.read_coils(0x11, 0x13, 37),
    "modbus_rtu-005": frames.read_registers(0x11, 0x6B, 3),
    "modbus_rtu-013": frames.write_coils(0x11, 0x13, unpack(b"\xcd\x01", 10)),
    "modbus_rtu-018": frames.read_registers(1, 0, 2),
    "modbus_waveshare_io-001": frames.read_coils(1, 0, 8),
    "modbus_waveshare_io-003": frames.read_inputs(1, 0, 8),
    "modbus_waveshare_io-005": frames.read_registers(1, 0x1000, 8),
    "modbus_waveshare_io-007": frames.write_coils(1, 0, [False]),
    "modbus_waveshare_io-009": frames.write_coils(1, 0xFF, [True]),
    "modbus_waveshare_io-010": frames.pulse_coil(1, 0x0200, 7),
    "modbus_waveshare_io-011": frames.pulse_coil(1, 0x0201, 8),
    "modbus_relay_chinalctech-001": frames.read_inputs(0xFF, 0, 8),
}
#: an answer, and the request it answers
ANSWERS: dict[str, frames.Request] = {
    "modbus_rtu-002": frames.read_coils(0x11, 0x13, 37),
    "modbus_rtu-004": frames.read_inputs(0x11, 0xC4, 22),
    "modbus_rtu-014": frames.write_coils(0x11, 0x13, [True] * 10),
    "modbus_waveshare_io-004": frames.read_inputs(1, 0, 8),
    "modbus_waveshare_io-007": frames.write_coils(1, 0, [False]),
    "modbus_waveshare_io-010": frames.pulse_coil(1, 0x0200, 7),
    "modbus_relay_chinalctech-002": frames.read_inputs(0xFF, 0, 8),
}


@pytest.mark.parametrize("id_", REQUESTS)
def test_what_we_send_is_what_is_published(id_: str) -> None:
    framer = FramerRTU(DecodePDU(False))
    assert framer.buildFrame(REQUESTS[id_].pdu) == published(id_)


@pytest.mark.parametrize("id_", ANSWERS)
def test_a_published_answer_is_found_whole_and_in_noise_but_not_in_pieces(id_: str) -> None:
    frame, answer = published(id_), ANSWERS[id_].answer
    assert answer.find(frame) == frame
    assert answer.find(b"\0" + frame) == answer.find(b"\xff\xff" + frame + b"login:") == frame
    assert answer.find(frame + frame) == frame
    for end in range(len(frame)):
        assert answer.find(frame[:end]) == b""


@pytest.mark.parametrize("id_", ANSWERS)
def test_a_wrong_bit_anywhere_is_no_answer(id_: str) -> None:
    frame, answer = published(id_), ANSWERS[id_].answer
    for bit in range(8 * len(frame)):
        damaged = bytearray(frame)
        damaged[bit // 8] ^= 1 << bit % 8
        assert answer.find(bytes(damaged)) == b""


@pytest.mark.parametrize("id_", ANSWERS)
def test_an_answer_to_something_else_is_no_answer(id_: str) -> None:
    for other, request in ANSWERS.items():
        if request.answer != ANSWERS[id_].answer:
            assert request.answer.find(published(id_)) == b"", other


def test_bits_of_a_published_answer() -> None:
    pdu = FramerRTU(DecodePDU(False)).handleFrame(published("modbus_rtu-002"), 0x11, 0)[1]
    assert pdu is not None
    assert pdu.bits[:8] == [True, False, True, True, False, False, True, True]  # CD


def test_an_exception_of_the_board_is_an_answer() -> None:
    exception = b"\x11\x81\x02" + crc(b"\x11\x81\x02")
    assert frames.read_coils(0x11, 0, 8).answer.find(b"\0" + exception) == exception
    assert frames.read_inputs(0x11, 0, 8).answer.find(exception) == b""  # of another request


@given(st.binary(max_size=40))
def test_our_checksum_is_that_of_pymodbus(data: bytes) -> None:
    assert crc(data) == FramerRTU.compute_CRC(data).to_bytes(2, "big")


@pytest.mark.parametrize("id_", [i for i, e in PUBLISHED.items() if e["integrity_ok"]])
def test_every_published_frame_has_our_checksum(id_: str) -> None:
    assert crc(published(id_)[:-2]) == published(id_)[-2:]


#: values of a coil that the standard does not know; the emulated board takes them (below)
NOT_STANDARD = {f"modbus_waveshare_io-{n}" for n in ("008", "010", "011")}


@pytest.mark.parametrize("id_", sorted(PUBLISHED.keys() - NOT_STANDARD))
def test_every_published_frame_is_read_and_built_again(id_: str) -> None:
    framer = FramerRTU(DecodePDU(PUBLISHED[id_]["direction"] == "host_to_device"))
    used, pdu = framer.handleFrame(published(id_), 0, 0)[:2]
    assert pdu is not None
    assert used == len(published(id_))
    assert framer.buildFrame(pdu) == published(id_)


def test_all_published_frames_of_the_boards_are_here() -> None:
    assert len(PUBLISHED) == 27
    assert all(entry["integrity_ok"] for entry in PUBLISHED.values())


# --- the emulated board answers as the manual says


@asynccontextmanager
async def board() -> AsyncIterator[tuple[ModbusLine, EmulatedBoard, Callable[[bytes], Any]]]:
    """A board, and a way to send it bytes and get what it answers."""
    emulated = EmulatedBoard([SimOutput(str(n)) for n in range(8)], [SimInput(str(n), clock) for n in range(8)])
    line = ModbusLine({1: emulated}, clock)
    port = os.open(await line.open(), os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)

    async def ask(request: bytes) -> bytes:
        os.write(port, request)
        await clock.sleep(0.05)
        try:
            return os.read(port, 300)
        except BlockingIOError:
            return b""

    try:
        yield line, emulated, ask
    finally:
        os.close(port)
        await line.close()


async def test_the_emulated_board_answers_published_requests() -> None:
    async with board() as (_, emulated, ask):
        assert await ask(published("modbus_waveshare_io-003")) == published("modbus_waveshare_io-004")
        emulated.inputs[0].drive(True)  # type: ignore[union-attr]
        assert await ask(published("modbus_waveshare_io-003")) == bytes.fromhex("01 02 01 01 60 48")
        for id_, coils in (("009", [True] * 8), ("007", [False, *[True] * 7]), ("008", [True] * 8), ("008", None)):
            request = published(f"modbus_waveshare_io-{id_}")
            assert await ask(request) == request
            assert emulated.coils == (coils or [False, *[True] * 7])
        assert (await ask(published("modbus_waveshare_io-005")))[:19] == bytes([1, 3, 16, *bytes(16)])
        assert await ask(published("modbus_waveshare_io-010")) == published("modbus_waveshare_io-010")
        assert emulated.coils[0]
        await clock.sleep(0.7)
        assert not emulated.coils[0]


async def test_the_emulated_board_is_silent_where_a_real_one_is() -> None:
    async with board() as (line, emulated, ask):
        good = published("modbus_waveshare_io-009")
        assert await ask(good[:-1] + b"\x00") == b""
        assert await ask(good[:5]) == b""
        assert emulated.coils == [False] * 8
        assert await ask(published("modbus_rtu-001")) == b""  # another unit
        to_all = bytes([0]) + good[1:-2]
        assert await ask(to_all + crc(to_all)) == b""
        assert emulated.coils == [True] * 8
        assert len(line.requests) == 1


@pytest.mark.parametrize(
    ("request_", "code"),
    [
        ("01 04 0b b8 00 08", 1),
        ("01 01 00 00 00 09", 2),
        ("01 05 00 08 ff 00", 2),
        ("01 05 00 00 12 34", 3),
        ("01 05 02 00 00 00", 3),
        ("01 03 20 00 00 01", 2),
        ("01 06 10 00 00 07", 3),
        ("01 0f 00 04 00 08 01 ff", 2),
    ],
)
async def test_the_emulated_board_refuses_what_a_real_one_refuses(request_: str, code: int) -> None:
    async with board() as (_, emulated, ask):
        body = bytes.fromhex(request_)
        answer = await ask(body + crc(body))
        assert answer == bytes([1, body[1] | 0x80, code]) + crc(bytes([1, body[1] | 0x80, code]))
        assert emulated.coils == [False] * 8


# --- independent programs


#: a refusal is shorter than the answer that minimalmodbus waits for: it looks at it after so many real seconds
REFUSAL_S = 0.2


def asked_until_answered(ask: Callable[[], object]) -> None:
    """Again where nothing came in time, as on a busy machine."""
    for _ in range(150):
        try:
            ask()
        except minimalmodbus.NoResponseError:
            continue
        return


@pytest.mark.real_time
async def test_minimalmodbus_gets_along_with_the_emulated_board() -> None:
    emulated = EmulatedBoard(
        [SimOutput(str(n)) for n in range(8)], [SimInput(str(n), clock) for n in range(8)], turnround_s=0.001
    )
    line = ModbusLine({3: emulated}, clock)
    port = await line.open()
    emulated.inputs[5].drive(True)  # type: ignore[union-attr]

    def use() -> None:
        client = minimalmodbus.Instrument(port, 3)
        client.serial.timeout = 30.0  # real seconds: a busy machine is no fault
        client.write_bit(2, 1)
        assert client.read_bits(0, 8, functioncode=1) == [0, 0, 1, 0, 0, 0, 0, 0]
        assert client.read_bits(0, 8, functioncode=2) == [0, 0, 0, 0, 0, 1, 0, 0]
        client.write_bits(0, [1] * 8)
        client.write_bit(0, 0)
        assert client.read_bits(0, 8, functioncode=1) == [0, 1, 1, 1, 1, 1, 1, 1]
        assert client.read_register(0x8000) == 200
        client.write_register(0x1003, 2, functioncode=6)
        assert client.read_registers(0x1000, 8) == [0, 0, 0, 2, 0, 0, 0, 0]
        client.serial.timeout = REFUSAL_S
        with pytest.raises(minimalmodbus.IllegalRequestError):
            asked_until_answered(lambda: client.read_bit(9, functioncode=1))
        client.serial.close()

    await asyncio.get_running_loop().run_in_executor(None, use)
    assert [output.on for output in emulated.outputs] == [False, *[True] * 7]  # type: ignore[union-attr]
    await line.close()


@asynccontextmanager
async def cable() -> AsyncIterator[tuple[str, str]]:
    """Two serial ports whose wires cross."""
    ends = [os.openpty() for _ in range(2)]
    loop = asyncio.get_running_loop()

    def cross(source: int, target: int) -> None:
        loop.add_reader(source, lambda: os.write(target, os.read(source, 4096)))

    for descriptor in (*ends[0], *ends[1]):
        tty.setraw(descriptor)
    cross(ends[0][0], ends[1][0])
    cross(ends[1][0], ends[0][0])
    try:
        yield os.ttyname(ends[0][1]), os.ttyname(ends[1][1])
    finally:
        for master, slave in ends:
            loop.remove_reader(master)
            os.close(master)
            os.close(slave)


async def test_the_driver_gets_along_with_the_server_of_pymodbus() -> None:
    """It knows nothing of this maker's registers, so the board is a plain one. Both ends are on one virtual clock."""
    bits = {n: SimData(0, count=16, values=False, datatype=DataType.BITS) for n in range(2)}
    registers = [SimData(0, count=4, values=0, datatype=DataType.UINT16)]
    sent: list[bytes] = []

    def trace(sending: bool, data: bytes) -> bytes:
        if not sending:
            sent.append(data)
        return data

    async with cable() as (near, far):
        device = SimDevice(id=1, simdata=([bits[0]], [bits[1]], registers, registers))
        server = ModbusSerialServer(device, port=far, baudrate=115200, trace_packet=trace)
        await server.serve_forever(background=True)
        kind = IO.model_copy(update={"identity": None, "modes": None, "pulses": None})
        bus = ModbusBus("motion", Bus(port=near, timeout_ms=500), clock)
        io = bus.board("io", 1, kind)
        motors = [io.output(f"motor {n}", Pin("io", n)) for n in range(8)]
        eye = io.input("eye", Pin("io", 0))
        await bus.open()
        await asyncio.gather(*(motor.set(n % 2 == 0) for n, motor in enumerate(motors)))
        await motors[1].set(True)
        assert await eye.read() is False
        await io.bus._verify(io)  # the server has what we wrote
        assert io.written == {n: n % 2 == 0 or n == 1 for n in range(8)}
        assert bytes.fromhex("01 0f 00 00 00 08 01 55") + crc(bytes.fromhex("01 0f 00 00 00 08 01 55")) in sent
        await bus.close()
        await server.shutdown()
