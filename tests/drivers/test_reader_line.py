"""The serial line on the loop: what a person hears when a port cannot be opened, unplugging, order of bytes."""

from __future__ import annotations

import asyncio
import os
import sys

import pytest

from tablectl.base.clock import LoopClock
from tablectl.base.faults import DeviceError
from tablectl.drivers.serial_line import LineSettings, SerialLine
from tablectl.sim.wire.line import PtyLine, TcpLine

pytestmark = pytest.mark.virtual_limit(60)


def line_at(port: str, **settings) -> SerialLine:
    return SerialLine("east", LineSettings(port, **settings), LoopClock())


@pytest.fixture(params=[PtyLine, TcpLine], ids=["pty", "tcp"])
def far(request, tmp_path):
    return PtyLine(tmp_path / "port") if request.param is PtyLine else TcpLine()


async def refused(port: str, **settings) -> str:
    line = line_at(port, **settings)
    with pytest.raises(DeviceError) as caught:
        await line.open()
    assert (caught.value.device, caught.value.port) == ("east", port)
    return str(caught.value)


async def read(line: SerialLine, size: int) -> bytes:
    data = b""
    while len(data) < size:
        data += (await line.read()).data
    return data


# --- in and out


async def test_bytes_there_and_back_with_their_time(far):
    await far.plug()
    far.received = lambda data: far.write(data[::-1])
    line = line_at(far.port)
    await line.open()
    await asyncio.sleep(5)
    line.write(b"abc")
    chunk = await line.read()
    assert (chunk.t, chunk.data) == (5.0, b"cba")
    await line.close()
    far.unplug()


async def test_many_bytes_leave_in_their_order(far):
    """More than any buffer of the system holds: what cannot be sent at once waits, and nothing overtakes it."""
    await far.plug()
    sent = b"".join(number.to_bytes(4, "big") for number in range(100_000))
    got, all_there = bytearray(), asyncio.Event()

    def received(data: bytes) -> None:
        got.extend(data)
        if len(got) == len(sent):
            all_there.set()

    far.received = received
    line = line_at(far.port)
    await line.open()
    for at in range(0, len(sent), 10_000):
        line.write(sent[at : at + 10_000])
    with asyncio.get_running_loop().hold():
        await all_there.wait()
    assert got == sent
    await line.close()
    far.unplug()


async def test_nobody_reads_for_long_and_only_the_newest_is_kept(far):
    await far.plug()
    line = line_at(far.port)
    await line.open()
    for number in range(5000):
        far.write(number.to_bytes(2, "big"))
        await asyncio.sleep(0.001)
    newest = list(line.waiting())[-1]
    assert newest.data == (4999).to_bytes(2, "big")
    await line.close()
    far.unplug()


# --- what goes wrong


async def test_unplugged_while_it_is_awaited(far):
    await far.plug()
    line = line_at(far.port)
    await line.open()
    reading = asyncio.ensure_future(line.read())
    await asyncio.sleep(0.1)
    far.unplug()
    with pytest.raises(DeviceError, match=r"input/output error|returned no data|reset by peer"):
        await reading
    with pytest.raises(DeviceError, match="opened again by itself"):
        line.write(b"x")
    with pytest.raises(DeviceError):
        await line.read()
    await line.close()


async def test_plugged_in_again_the_same_name_opens(far):
    await far.plug()
    line = line_at(far.port)
    for _ in range(3):
        await line.open()
        far.unplug()
        with pytest.raises(DeviceError):
            await line.read()
        await far.plug()
    await line.open()
    far.received = far.write
    line.write(b"here again")
    assert await read(line, 10) == b"here again"
    await line.close()
    far.unplug()


async def test_closed_it_says_so():
    line = line_at("/dev/nowhere")
    await line.close()
    with pytest.raises(DeviceError, match="is not open"):
        await line.read()
    with pytest.raises(DeviceError, match="is not open"):
        line.write(b"x")


async def test_a_port_that_is_not_there(tmp_path):
    said = await refused(str(tmp_path / "reader-east"))
    assert "is not there; expected the port of a reader" in said
    assert "Plug it in" in said


async def test_a_busy_port_names_who_holds_it(tmp_path):
    """Exclusive access, and another program named: two readers of one port steal each other's bytes."""
    far = PtyLine(tmp_path / "port")
    await far.plug()
    code = (
        "import fcntl, os, sys; port = os.open(sys.argv[1], os.O_RDWR | os.O_NOCTTY); "
        "fcntl.flock(port, fcntl.LOCK_EX); print('held', flush=True); sys.stdin.read()"
    )
    with asyncio.get_running_loop().hold():
        other = await asyncio.create_subprocess_exec(
            sys.executable, "-c", code, far.port, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
        )
        await other.stdout.readline()
        said = await refused(far.port)
        assert "is busy" in said
        assert f"(process {other.pid}), which holds it" in said
        other.stdin.close()
        await other.wait()
    far.unplug()


async def test_a_port_that_is_open_already_is_busy(tmp_path):
    far = PtyLine(tmp_path / "port")
    await far.plug()
    line = line_at(far.port)
    await line.open()
    assert "is busy" in await refused(far.port)
    await line.close()
    await line.open()
    await line.close()
    far.unplug()


async def test_no_permission_names_the_group(tmp_path, monkeypatch):
    port = tmp_path / "ttyUSB7"
    port.touch()
    os_open = os.open

    def denied(path, *arguments, **keywords):
        if str(path) == str(port):
            raise PermissionError(13, "Permission denied", str(port))
        return os_open(path, *arguments, **keywords)

    monkeypatch.setattr(os, "open", denied)
    said = await refused(str(port))
    assert "may not be opened" in said
    assert "usermod -aG" in said


async def test_a_file_is_no_serial_port(tmp_path):
    port = tmp_path / "notes.txt"
    port.write_text("no port")
    assert "is no serial port" in await refused(str(port))


async def test_a_baud_rate_that_the_port_has_not(tmp_path):
    far = PtyLine(tmp_path / "port")
    await far.plug()
    assert "does not take -5 baud" in await refused(far.port, baud=-5)
    far.unplug()


@pytest.mark.parametrize("port", ["socket://", "socket://10.0.0.1", "socket://host:no", "socket://host:99999"])
async def test_an_address_that_is_none(port):
    assert "is no address; expected socket://host:port" in await refused(port)


async def test_nobody_listens():
    far = TcpLine()
    await far.plug()
    port = far.port
    far.unplug()
    said = await refused(port)
    assert "connection refused" in said
    assert "Check network cable, address and power" in said


@pytest.mark.real_time
async def test_a_full_buffer_does_not_block_the_loop(tmp_path):
    """The far side does not read at all: the loop goes on, in real time."""
    far = PtyLine(tmp_path / "port")
    await far.plug()
    loop = asyncio.get_running_loop()
    loop.remove_reader(far._ends[0])
    line = line_at(far.port)
    await line.open()
    began = loop.time()
    line.write(bytes(1_000_000))
    await asyncio.sleep(0)
    assert loop.time() - began < 0.2
    await line.close()
    far.unplug()
