"""What takes bytes from outside: each target is given bytes and may refuse them with its own error, with no other.

``benchmarks.fuzz`` runs them with coverage, ``test_fuzz.py`` with mutations of their seeds and with everything that
once made one of them fail.
"""

from __future__ import annotations

import contextlib
import json
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

from pydantic import ValidationError

from tablectl import documents
from tablectl.base.settings import Settings, SettingsError, load
from tablectl.base.trace import Trace, TraceError, parse_report
from tablectl.core.memory import Memory
from tablectl.core.site import CHECKS
from tablectl.documents import DocumentError
from tablectl.drivers.modbus_frames import read_inputs, read_registers, write_coils
from tablectl.game import events as ev
from tablectl.link.protocol import RpcError
from tablectl.link.server import _parse
from tablectl.machine.description import MachineFileError, load_machine
from tablectl.rules.api import RulesError
from tablectl.rules.cases import parse_cases
from tablectl.rules.registry import RULE_SETS, rule_class
from tablectl.tiles.notation import NotationError, parse_line, parse_melds, parse_tile, parse_tiles
from tablectl.tiles.tags import load_register

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "tests" / "drivers"))
from reader_frames import CODECS, FROM_DEVICE, scanner  # noqa: E402 - a helper of the tests of the drivers

#: answers that a board gives, by the request
ASKED = (read_inputs(1, 0, 16), read_registers(2, 0x10, 4), write_coils(3, 1, [True]), write_coils(1, 0, [True] * 9))


@dataclass(frozen=True)
class Target:
    """``take`` gets the bytes; ``refuses``: the errors with which it may say no."""

    name: str
    parse: Callable[[bytes], object]
    refuses: tuple[type[Exception], ...]
    seeds: Callable[[], Iterable[bytes]]

    def take(self, data: bytes) -> None:
        try:
            self.parse(data)
        except self.refuses as error:
            told = str(error).strip()
        else:
            return
        assert told, "refused without a word"


# --- readers and boards: whatever is on the line, nothing raises


def _reader(device: str) -> Callable[[bytes], object]:
    def parse(data: bytes) -> object:
        scanning = scanner(device)
        cut = data[0] if data else 0
        frames = [*scanning.feed(data[:cut]), *scanning.feed(data[cut:]), *scanning.give_up()]
        return [_everything(frame) for frame in frames]

    return parse


def _everything(frame: object) -> list[object]:
    """Every property of a frame: all of them are asked for."""
    names = [name for name, value in vars(type(frame)).items() if isinstance(value, property)]
    return [getattr(frame, name) for name in names]


def _frames(device: str) -> Callable[[], Iterable[bytes]]:
    return lambda: [entry.bytes for entry in FROM_DEVICE if entry.device == device]


def _modbus(data: bytes) -> object:
    return [request.answer.find(data) for request in ASKED]


def _answers() -> Iterator[bytes]:
    from pymodbus.framer import FramerRTU

    for body in (bytes.fromhex("01020200ff"), bytes.fromhex("0203080001000200030004"), bytes.fromhex("03050001ff00")):
        yield body + FramerRTU.compute_CRC(body).to_bytes(2, "big")


# --- files that people write


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _file(data: bytes, name: str, read: Callable[[Path], object]) -> object:
    """``data`` as a file."""
    path = Path(_FOLDER.name) / name
    path.write_bytes(data)
    return read(path)


_FOLDER = tempfile.TemporaryDirectory(prefix="tablectl-fuzz-")


def _notation(data: bytes) -> object:
    text = _text(data)
    for parse in (parse_tile, parse_tiles, parse_melds):
        with contextlib.suppress(NotationError):
            parse(text)
    return parse_line(text)


def _configuration(data: bytes) -> object:
    return _file(data, "table.yaml", lambda path: load(path, CHECKS))


def _trace(data: bytes) -> object:
    reports: list[object] = []

    def read(path: Path) -> object:
        reports.extend(Trace(path))
        return reports

    return _file(data, "a.trace.jsonl", read)


def _cases(data: bytes) -> object:
    return parse_cases(_text(data), "cases.yaml", {name: rule_class(name) for name in RULE_SETS})


def _memory(data: bytes) -> object:
    return _file(data, "link.memory", Memory)


def _shipped(*patterns: str) -> Callable[[], Iterable[bytes]]:
    return lambda: [path.read_bytes() for pattern in patterns for path in sorted(ROOT.glob(pattern))]


def _case_seeds() -> Iterator[bytes]:
    """A case of every rule system."""
    for path in sorted((ROOT / "tests" / "cases").glob("*.yaml")):
        lines = path.read_text(encoding="utf-8").split("\n")
        begins = [n for n, line in enumerate(lines) if line.startswith("- ")]
        yield "\n".join(lines[begins[1] : begins[2]]).encode()


def _trace_seeds() -> Iterator[bytes]:
    import gzip

    for path in sorted((ROOT / "tests" / "traces").glob("*.trace.jsonl.gz"))[:2]:
        lines = gzip.decompress(path.read_bytes()).split(b"\n")
        header = json.loads(lines[0])
        header["tags"] = dict(list(header["tags"].items())[:4])
        short = [json.dumps(header).encode(), *(line for line in lines[1:40] if len(line) < 200)]
        yield b"\n".join(short)
        yield from (line for line in lines[1:400:40])
    yield b'{"stacked":[17,17,0,3]}\n{"salt":"00ff"}\n{"t":1.5,"machine":"raised"}\n{"t":2,"dice":[3,4]}'
    yield b'{"t":1,"referee":{"do":"penalty","seat":1,"points":10,"to":"each"}}'


# --- messages


def _event(data: bytes) -> object:
    found = json.loads(_text(data))
    return ev.to_json(ev.from_json(found)) if isinstance(found, dict) else None


def _events() -> Iterator[bytes]:
    path = ROOT / "tests" / "game" / "mcr-won.record.jsonl"
    yield from path.read_bytes().split(b"\n")[:30]
    yield b'{"type":"win_declared","t":1.0,"actor":2,"target":0,"pai":"8s","hand":"33789m34579s","melds":"[234p,1]"}'


def _bodies(data: bytes) -> object:
    from tablectl.web import admin_api, api, session_api

    refused: list[str] = []
    for body in (
        api.MachineAct,
        api.MatchAct,
        api.FaultId,
        admin_api.NewAccount,
        admin_api.Password,
        session_api.Login,
        session_api.NewPassword,
        session_api.Seat,
    ):
        try:
            body.model_validate_json(data)
        except ValidationError as error:
            refused.append(str(error))
    return refused


def _requests() -> list[bytes]:
    return [
        b'{"jsonrpc":"2.0","id":1,"method":"state.get","params":{"role":"referee"}}',
        b'{"jsonrpc":"2.0","id":"a","method":"events.since","params":{"seq":41}}',
        b'{"jsonrpc":"2.0","method":"referee.penalty","params":{"seat":1,"points":-10,"to":"each","reason":"\\u8bf4"}}',
    ]


TARGETS = {
    target.name: target
    for target in (
        *(Target(device, _reader(device), (), _frames(device)) for device in CODECS if _frames(device)()),
        Target("modbus", _modbus, (), _answers),
        Target("notation", _notation, (NotationError,), lambda: [b"123m456p11s", b"[123m][EEEE]44s", b"E E 0000 abc"]),
        Target("document", lambda d: documents.parse(_text(d), "x"), (DocumentError,), _shipped("config/*.yaml")),
        Target("settings", _configuration, (SettingsError,), _shipped("config/*.yaml")),
        Target(
            "machine",
            lambda data: _file(data, "machine.yaml", load_machine),
            (MachineFileError,),
            _shipped("hardware/*/machine.yaml"),
        ),
        Target(
            "tags",
            lambda data: _file(data, "tiles.yaml", load_register),
            (DocumentError,),
            lambda: [b"sets:\n  green:\n    1m: [E280, E281]\n    C: E1\n"],
        ),
        Target("cases", _cases, (DocumentError, RulesError), _case_seeds),
        Target("trace", _trace, (TraceError,), _trace_seeds),
        Target("report", lambda data: parse_report(_text(data)), (ValueError,), _trace_seeds),
        Target("memory", _memory, (), _trace_seeds),
        Target("event", _event, (ev.EventError, ValueError), _events),
        Target("link", _parse, (RpcError,), _requests),
        Target("body", _bodies, (), lambda: [b'{"name":"W","password":"a secret","role":"referee"}', b'{"seat":1}']),
    )
}


def mutated(seed: bytes, rng: Random) -> bytes:
    """``seed`` with a few things done to it: bytes changed, lost, doubled, cut, put in from a list of what hurts."""
    data = bytearray(seed)
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(data) + 1)
        match rng.randrange(6):
            case 0:
                data[at:at] = rng.choice(HURTS)
            case 1:
                del data[at : at + rng.randint(1, 8)]
            case 2:
                data[at:at] = data[at : at + rng.randint(1, 30)]
            case 3:
                del data[at:]
            case 4:
                data[at : at + 1] = bytes([rng.randrange(256)])
            case 5:
                data[at:at] = rng.randbytes(rng.randint(1, 5))
    return bytes(data)


HURTS = (
    b"\0",
    b"\xff\xfe",
    b"-1",
    b"1e999",
    b"NaN",
    b"null",
    b"[]",
    b"{}",
    b'"',
    b"[" * 40,
    b"99999999999999999999",
    b"\xed\xa0\x80",
    b"\\ud800",
    b"\n",
    b": ",
    b"true",
)

__all__ = ["HURTS", "TARGETS", "Settings", "mutated"]
