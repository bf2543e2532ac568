"""Reads how a table model is wired: ``wiring.yaml`` and ``readers.yaml`` in its folder, boards in ``hardware/boards/``.

Every mistake of all files is told at once with its place: pins named twice, boards and names that do not exist, inputs
and outputs that the machine needs and nobody wired.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tablectl import documents
from tablectl.documents import DocumentError, Node, Problem, Problems, nearest
from tablectl.drivers.hardware_pins import GPIO, HEADER, Pin, PinRegistry, PinTaken
from tablectl.drivers.hardware_wiring import BoardType, ChamberDice, PulseWire, SensorWire, Wire, WiringFile
from tablectl.drivers.readers.config import ReaderSection
from tablectl.drivers.readers.config import load as load_readers

BOARDS: Final = "boards"
#: where udev puts the adapters, by the names of ``usb``
USB_NAMES: Final = "/dev/tablectl/"


@dataclass(frozen=True)
class Wiring:
    """A checked wiring: ``file`` as it is written, ``types`` of its boards, ``outputs`` and ``inputs`` with the wire of
    every single name of the machine, and the antenna plan (``readers.yaml`` beside it)."""

    folder: Path
    file: WiringFile
    types: Mapping[str, BoardType]
    outputs: Mapping[str, Wire]
    inputs: Mapping[str, SensorWire]
    readers: Sequence[ReaderSection]

    def type_of(self, board: str) -> BoardType:
        return self.types[self.file.boards[board].type]

    def pins(self) -> Iterator[tuple[tuple[str | int, ...], str, str, Pin]]:
        """Every wire once: the keys under which it stands, whether it is an ``output`` or an ``input``, what it is
        for, and its pin."""
        yield from _pins(self.file)


def load_boards(folder: Path) -> dict[str, BoardType]:
    """Every kind of board in ``folder``, by name. Raises `DocumentError` with all mistakes of all files."""
    found: dict[str, BoardType] = {}
    wrong: list[Problem] = []
    for path in sorted(folder.glob("*.yaml")):
        problems = Problems(str(path))
        try:
            node = documents.load(path)
        except DocumentError as error:
            wrong += error.problems
            continue
        board = documents.check(node, BoardType, problems)
        if board is not None and board.name != path.stem:
            problems.add(
                node.at(("name",)), f"name: found {board.name!r}, expected {path.stem!r} as in the file's name"
            )
        wrong += problems.found
        if board is not None:
            found[board.name] = board
    if wrong:
        raise DocumentError(wrong)
    return found


def load_wiring(folder: Path, outputs: Collection[str], inputs: Collection[str]) -> Wiring:
    """The wiring of the table model in ``folder``; ``outputs`` and ``inputs`` are the single names its machine needs.

    Raises:
        DocumentError: everything that is wrong, in this file and in those of the boards.
    """
    path = folder / "wiring.yaml"
    node = documents.load(path)
    problems = Problems(str(path))
    file = documents.check(node, WiringFile, problems)
    try:
        types = load_boards(folder.parent / BOARDS)
    except DocumentError as error:
        raise DocumentError([*problems.found, *error.problems]) from None
    if file is None:
        raise DocumentError(problems.found)
    check = _Check(file, types, node, problems)
    check.boards()
    check.pins()
    found_outputs = check.names("outputs", outputs, file.outputs)
    found_inputs = check.names("inputs", inputs, file.inputs)
    check.people()
    try:
        readers = load_readers(folder / "readers.yaml")
    except DocumentError as error:
        raise DocumentError([*problems.found, *error.problems]) from None
    check.ports([section.port for section in readers])
    problems.raise_if_any()
    return Wiring(folder, file, types, found_outputs, found_inputs, readers)


def _pins(file: WiringFile) -> Iterator[tuple[tuple[str | int, ...], str, str, Pin]]:
    for name, wire in file.outputs.items():
        yield ("outputs", name), "output", name, wire.pin
    for name, sensor in file.inputs.items():
        yield ("inputs", name), "input", name, sensor.pin
    for name, pulse in file.pulses.items():
        yield ("pulses", name), "output", name, pulse.pin
    for number, key in enumerate(file.keys):
        yield ("keys", number), "input", f"key {key.key} of seat {key.seat}", key.pin
    yield ("deadman", "pin"), "output", "deadman", file.deadman.pin
    if file.emergency_stop is not None:
        yield ("emergency_stop", "pin"), "input", "emergency_stop", file.emergency_stop.pin
    if isinstance(file.dice, ChamberDice):
        yield ("dice", "motor"), "output", "dice.motor", file.dice.motor
        yield ("dice", "eye"), "input", "dice.eye", file.dice.eye


class _Check:
    """What no single value shows."""

    def __init__(self, file: WiringFile, types: Mapping[str, BoardType], node: Node, problems: Problems) -> None:
        self._file = file
        self._types = types
        self._node = node
        self._problems = problems

    def _wrong(self, path: tuple[str | int, ...], text: str) -> None:
        parent = self._node.at(path[:-1])
        place = parent.keys.get(path[-1]) or self._node.at(path)
        self._problems.add(place, f"{documents.named(path)}: {text}")

    def boards(self) -> None:
        """Kinds, buses and addresses of the boards."""
        taken: dict[tuple[str, int], str] = {}
        for name, board in self._file.boards.items():
            if name == GPIO:
                self._wrong(("boards", name), f"{GPIO} is the header; a board needs another name")
            type_ = self._types.get(board.type)
            if type_ is None:
                known = ", ".join(sorted(self._types))
                hint = nearest(board.type, self._types)
                self._wrong(("boards", name, "type"), f"no board {board.type!r} in hardware/boards ({known}){hint}")
            if board.bus not in self._file.buses:
                known, hint = ", ".join(self._file.buses), nearest(board.bus, self._file.buses)
                self._wrong(("boards", name, "bus"), f"no bus {board.bus!r}; expected one of {known}{hint}")
            elif type_ is not None and self._file.buses[board.bus].baudrate not in type_.baudrates:
                speed = self._file.buses[board.bus].baudrate
                self._wrong(("boards", name, "bus"), f"{board.type} does not know {speed} baud, but {type_.baudrates}")
            holder = taken.setdefault((board.bus, board.unit), name)
            if holder != name:
                self._wrong(("boards", name, "unit"), f"{holder} has address {board.unit} on {board.bus} already")
        ports: dict[str, str] = {}
        for name, bus in self._file.buses.items():
            if ports.setdefault(bus.port, name) != name:
                self._wrong(("buses", name, "port"), f"{bus.port} is the port of {ports[bus.port]} already")

    def pins(self) -> None:
        """Every pin there is, and none twice."""
        registry = PinRegistry()
        for number, use in self._file.reserved.items():
            if number not in HEADER:
                self._wrong(("reserved", number), f"expected {HEADER[0]} to {HEADER[-1]} (BCM numbers of the header)")
            registry.claim(Pin(GPIO, number), use)
        chips = {pin.chip for _, _, _, pin in _pins(self._file)}
        for name in self._file.boards:
            if name not in chips:
                self._wrong(("boards", name), "nothing is wired to this board; leave it out, or check its name")
        for path, kind, holder, pin in _pins(self._file):
            if pin.chip != GPIO and not self._on_board(path, kind, pin):
                continue
            try:
                registry.claim(pin, holder, kind)
            except PinTaken as error:
                self._wrong(path, str(error))
        self._pwm()
        for name, pulse in self._file.pulses.items():
            self._pulse(name, pulse)
        if self._file.deadman.pin.chip != GPIO:
            self._wrong(("deadman", "pin"), "expected a pin of the header: a board would go on by itself")

    def _pwm(self) -> None:
        for name, wire in self._file.outputs.items():
            if wire.pwm is not None and wire.pin.chip != GPIO:
                self._wrong(("outputs", name, "pwm"), f"{wire.pin.place} is a relay; expected a pin of the header")
            elif wire.pwm is not None and wire.pin.invert:
                self._wrong(("outputs", name, "pwm"), f"{wire.pin} would be on when the PWM stops; expected no !")

    def _on_board(self, path: tuple[str | int, ...], kind: str, pin: Pin) -> bool:
        board = self._file.boards.get(pin.chip)
        if board is None:
            chips = [GPIO, *self._file.boards]
            self._wrong(path, f"no board {pin.chip!r}; expected one of {', '.join(chips)}{nearest(pin.chip, chips)}")
            return False
        type_ = self._types.get(board.type)
        if type_ is None:
            return False
        side = type_.outputs if kind == "output" else type_.inputs
        if side is None or pin.number >= side.count:
            has = f"{side.count} (0 to {side.count - 1})" if side else "none"
            self._wrong(path, f"{pin.place}: {board.type} has {kind}s: {has}")
            return False
        return True

    def _pulse(self, name: str, pulse: PulseWire) -> None:
        board = self._file.boards.get(pulse.pin.chip)
        type_ = self._types.get(board.type) if board else None
        if pulse.pin.chip == GPIO:
            self._wrong(("pulses", name), "the header cannot end a pulse by itself; expected an output of a board")
        elif type_ is not None and type_.pulses is None:
            self._wrong(("pulses", name), f"{type_.name} cannot end a pulse by itself")
        elif type_ is not None and type_.pulses is not None:
            longest = type_.pulses.longest * type_.pulses.unit_ms
            if pulse.longest_ms > longest or pulse.longest_ms < type_.pulses.unit_ms:
                text = f"{pulse.longest_ms} ms; {type_.name} can do {type_.pulses.unit_ms} to {longest} ms"
                self._wrong(("pulses", name, "longest_ms"), text)

    def names(self, section: str, needed: Collection[str], wires: Mapping[str, Any]) -> dict[str, Any]:
        """The wire of every single name; the name of a group stands for its members without a wire of their own."""
        groups = {name.partition(".")[0] for name in needed}
        for name in wires:
            if name not in needed and name not in groups:
                hint = nearest(name, [*needed, *groups])
                self._wrong((section, name), f"machine.yaml has no such {section.removesuffix('s')}{hint}")
            elif name in groups and name not in needed and all(n in wires for n in needed if n.startswith(f"{name}.")):
                self._wrong((section, name), "all of its members have a wire of their own")
        found = {name: wires.get(name) or wires.get(name.partition(".")[0]) for name in needed}
        missing = [name for name, wire in found.items() if wire is None]
        if missing:
            self._wrong((section,), f"no wire for {', '.join(missing)}, which machine.yaml needs")
        return found

    def ports(self, readers: Collection[str]) -> None:
        """Every adapter has its own socket, and every name that is used an adapter."""
        sockets: dict[str, str] = {}
        used = {bus.port for bus in self._file.buses.values()} | set(readers)
        for name, socket in self._file.usb.items():
            if sockets.setdefault(socket, name) != name:
                self._wrong(("usb", name), f"{sockets[socket]} is in socket {socket} already")
            if f"{USB_NAMES}{name}" not in used:
                self._wrong(("usb", name), f"no bus and no reader is on {USB_NAMES}{name}; leave it out")
        for port in sorted(used):
            if port.startswith(USB_NAMES) and port.removeprefix(USB_NAMES) not in self._file.usb:
                self._wrong(("usb",), f"no socket for {port}")

    def people(self) -> None:
        """Keys of the seats."""
        seen: set[tuple[int, str, int | None]] = set()
        for number, key in enumerate(self._file.keys):
            if (key.seat, key.key, key.n) in seen:
                self._wrong(("keys", number, "key"), f"seat {key.seat} has a key {key.key!r} already")
            seen.add((key.seat, key.key, key.n))
