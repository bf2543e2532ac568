"""Draws the wiring of a table model and writes what else follows from it.

    python docs/make_wiring.py              # every model in hardware/

From ``wiring.yaml`` and ``readers.yaml`` come ``wiring.svg``, the udev rules ``99-tablectl.rules``, and the tables of
the README between its two marks. A test compares them with what is there.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path

from tablectl.drivers.hardware_files import USB_NAMES, Wiring, load_wiring
from tablectl.drivers.hardware_pins import GPIO
from tablectl.drivers.hardware_wiring import Board
from tablectl.machine.description import load_machine

HARDWARE = Path(__file__).resolve().parents[1] / "hardware"
BEGIN = "<!-- made by docs/make_wiring.py from wiring.yaml and readers.yaml -->"
END = "<!-- end -->"

#: the 40 pins of the header in order: BCM number, or what else is there
HEADER: Sequence[int | str] = (
    *("3.3 V", "5 V", 2, "5 V", 3, "ground", 4, 14, "ground", 15, 17, 18, 27, "ground", 22, 23, "3.3 V", 24),
    *(10, "ground", 9, 25, 11, 8, "ground", 7, 0, 1, 5, "ground", 6, 12, 13, "ground", 19, 16, 26, 20, "ground", 21),
)

#: who may open a serial adapter
SERIAL = 'GROUP="dialout", MODE="0660"'

WIDTH = 1250
ROW = 18
COLOURS = {
    "output": "#c0392b",
    "input": "#2471a3",
    "reserved": "#7d6608",
    "power": "#555",
    "free": "#aaa",
}
STYLE = """
text { font: 12px sans-serif; fill: #222 }
.head { font-weight: bold; font-size: 14px }
.title { font-weight: bold; font-size: 20px }
.small { font-size: 11px; fill: #555 }
.box { fill: #fafafa; stroke: #444; stroke-width: 1.2 }
.line { stroke: #444; stroke-width: 1.6; fill: none }
.bus { stroke: #1e8449; stroke-width: 3; fill: none }
.hot { stroke: #c0392b; stroke-width: 2.4; fill: none }
"""


def models() -> list[Path]:
    """The folders of all table models."""
    return sorted(path.parent for path in HARDWARE.glob("*/wiring.yaml"))


def load(folder: Path) -> Wiring:
    machine = load_machine(folder / "machine.yaml")
    return load_wiring(folder, [name for name, _ in machine.output_names()], list(machine.input_names()))


# --- the picture


class Drawing:
    def __init__(self) -> None:
        self.parts: list[str] = []

    def text(self, x: float, y: float, text: str, kind: str = "", anchor: str = "start", colour: str = "") -> None:
        extra = (f' class="{kind}"' if kind else "") + (f' text-anchor="{anchor}"' if anchor != "start" else "")
        extra += f' style="fill:{colour}"' if colour else ""
        self.parts.append(f'<text x="{x:g}" y="{y:g}"{extra}>{escape(text)}</text>')

    def box(self, x: float, y: float, width: float, height: float) -> None:
        self.parts.append(f'<rect class="box" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="4"/>')

    def path(self, kind: str, *points: tuple[float, float]) -> None:
        way = " L".join(f"{x:g} {y:g}" for x, y in points)
        self.parts.append(f'<path class="{kind}" d="M{way}"/>')

    def dot(self, x: float, y: float, colour: str) -> None:
        self.parts.append(f'<circle cx="{x:g}" cy="{y:g}" r="5.5" style="fill:{colour}"/>')

    def svg(self, height: float, title: str) -> str:
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:g}" width="{WIDTH}" '
            f'height="{height:g}" role="img" aria-label="{escape(title)}">'
        )
        background = f'<rect width="{WIDTH}" height="{height:g}" style="fill:#fff"/>'
        return "\n".join([head, f"<style>{STYLE}</style>", background, *self.parts, "</svg>"]) + "\n"


def draw(wiring: Wiring) -> str:
    """The drawing of a table model as SVG."""
    drawing = Drawing()
    title = f"Wiring of {wiring.file.model}"
    drawing.text(20, 34, title, "title")
    drawing.text(
        20, 54, "Made from wiring.yaml and readers.yaml; pins by BCM number, physical number beside it.", "small"
    )
    left = header(drawing, wiring, 20, 80)
    right = boards(drawing, wiring, 690, 80)
    below = power(drawing, wiring, 20, max(left, right) + 30)
    below = readers(drawing, wiring, 20, below + 30)
    return drawing.svg(below + 20, title)


def pin_uses(wiring: Wiring) -> dict[int, tuple[str, str]]:
    """Header pin to kind of use and its words."""
    uses = {number: ("reserved", use) for number, use in wiring.file.reserved.items()}
    for _, kind, name, pin in wiring.pins():
        if pin.chip == GPIO:
            marks = str(pin).removesuffix(pin.place)
            words = {"^": "pulled up", "~": "pulled down", "!": "low is on"}
            note = ", ".join(words[mark] for mark in marks)
            uses[pin.number] = (kind, f"{name} ({note})" if note else name)
    return uses


def header(drawing: Drawing, wiring: Wiring, x: float, y: float) -> float:
    """The 40 pins with what each is for."""
    uses = pin_uses(wiring)
    middle = x + 320
    drawing.box(middle - 62, y, 124, 22 * ROW)
    drawing.text(middle, y + 18, "Raspberry Pi", "head", "middle")
    for index, pin in enumerate(HEADER):
        row, right = divmod(index, 2)
        at = y + 2 * ROW + row * ROW
        kind, words = uses.get(pin, ("free", "")) if isinstance(pin, int) else ("power", pin)
        side = 1 if right else -1
        drawing.dot(middle + side * 14, at - 4, COLOURS[kind])
        name = f"GPIO {pin}" if isinstance(pin, int) else ""
        anchor = "start" if right else "end"
        drawing.text(middle + side * 24, at, str(index + 1), "small", anchor)
        if isinstance(pin, int) and kind != "free":
            drawing.path("line", (middle + side * 62, at - 4), (middle + side * 74, at - 4))
            drawing.text(
                middle + side * 80, at, f"{name}  {words}" if right else f"{words}  {name}", "", anchor, COLOURS[kind]
            )
        elif kind == "power":
            drawing.text(middle + side * 80, at, words, "small", anchor)
    return y + 22 * ROW


def board_rows(wiring: Wiring, name: str) -> Iterator[tuple[str, str, str]]:
    """What is on a board: kind, terminal, name."""
    found = [(kind, pin.number, holder) for _, kind, holder, pin in wiring.pins() if pin.chip == name]
    for kind, number, holder in sorted(found, key=lambda entry: (entry[0] == "input", entry[1])):
        yield kind, f"{'out' if kind == 'output' else 'in'} {number}", holder


def boards(drawing: Drawing, wiring: Wiring, x: float, y: float) -> float:
    """Every bus as a line with its boards beside it."""
    for bus_name, bus in wiring.file.buses.items():
        drawing.text(x, y + 14, f"RS-485 bus {bus_name}", "head")
        drawing.text(x, y + 30, f"{bus.port}, {bus.baudrate} baud, {bus.parity} parity; A, B, ground", "small")
        begin = y + 40
        y = begin
        column = 0
        lowest = y
        for name, board in wiring.file.boards.items():
            if board.bus != bus_name:
                continue
            if column == 2:
                column, y = 0, lowest + 14
            left = x + 20 + column * 268
            lowest = max(lowest, one_board(drawing, wiring, name, board, left, y))
            drawing.path("bus", (left - 12, y + 12), (left, y + 12))
            drawing.path("bus", (left - 12, begin), (left - 12, y + 12))
            column += 1
        y = lowest + 30
    if not wiring.file.buses:
        drawing.text(x, y + 14, "No I/O boards: everything is on the header.", "head")
    return y


def one_board(drawing: Drawing, wiring: Wiring, name: str, board: Board, x: float, y: float) -> float:
    rows = list(board_rows(wiring, name))
    height = (len(rows) + 2) * ROW + 6
    drawing.box(x, y, 240, height)
    drawing.text(x + 10, y + 18, f"{name}, unit {board.unit}", "head")
    drawing.text(x + 10, y + 34, board.type, "small")
    for number, (kind, terminal, holder) in enumerate(rows):
        at = y + 34 + (number + 1) * ROW
        drawing.dot(x + 14, at - 4, COLOURS[kind])
        drawing.text(x + 26, at, terminal, "small")
        drawing.text(x + 72, at, holder, "", "start", COLOURS[kind])
    return y + height


def power(drawing: Drawing, wiring: Wiring, x: float, y: float) -> float:
    """Supplies, fuses, and the contactor that the dead-man line and the emergency stop hold."""
    drawing.text(x, y + 14, "Power", "head")
    y += 28
    dead = wiring.file.deadman
    for supply in wiring.file.power:
        drawing.box(x, y, 150, 40)
        drawing.text(x + 10, y + 17, supply.name, "head")
        drawing.text(x + 10, y + 33, f"{supply.volts:g} V {supply.amperes:g} A", "small")
        kind = "hot" if supply.behind_deadman else "line"
        drawing.path(kind, (x + 150, y + 20), (x + 180, y + 20))
        drawing.box(x + 180, y + 6, 86, 28)
        drawing.text(x + 223, y + 24, f"fuse {supply.fuse_amperes:g} A", "", "middle")
        end = x + 266
        if supply.behind_deadman:
            drawing.path(kind, (end, y + 20), (end + 30, y + 20))
            drawing.box(end + 30, y + 2, 120, 36)
            drawing.text(end + 90, y + 18, "K1", "head", "middle")
            drawing.text(end + 90, y + 32, "motor contactor", "small", "middle")
            end += 150
            y = coil(drawing, dead.pin.number, dead.drops_after_ms, x, y)
            drawing.path(kind, (end, y - 32), (end + 30, y - 32))
            drawing.text(end + 38, y - 28, ", ".join(supply.feeds))
            continue
        drawing.path(kind, (end, y + 20), (end + 30, y + 20))
        drawing.text(end + 38, y + 24, ", ".join(supply.feeds))
        y += 52
    return y


def coil(drawing: Drawing, pin: int, drops_after_ms: int, x: float, y: float) -> float:
    """What must hold so that K1 is on; drawn right of it. Gives the next free line."""
    at = x + 700
    drawing.text(at, y + 10, "coil of K1:", "small")
    for number, words in enumerate(
        ("supply", "emergency stop (NC)", f"dead-man circuit: falls {drops_after_ms} ms after GPIO {pin} stands still")
    ):
        width = (70, 140, 0)[number]
        left = at + (0, 80, 0)[number]
        top = y + (16, 16, 46)[number]
        drawing.box(left, top, width or 330, 24)
        drawing.text(left + 8, top + 16, words)
    drawing.path("line", (at + 70, y + 28), (at + 80, y + 28))
    drawing.path("line", (at + 150, y + 40), (at + 150, y + 46))
    return y + 52


def readers(drawing: Drawing, wiring: Wiring, x: float, y: float) -> float:
    """The antenna plan."""
    y += 34
    drawing.text(x, y, "Antennas", "head")
    for reader in wiring.readers:
        y += ROW
        socket = wiring.file.usb.get(reader.port.removeprefix(USB_NAMES), "")
        name = reader.name if reader.lane is None else f"lane.{reader.lane}"
        drawing.text(x, y, f"{name}", "", "start", COLOURS["input"])
        drawing.text(x + 80, y, reader.driver)
        drawing.text(x + 240, y, f"{reader.port}  (USB socket {socket})", "small")
        plan = ", ".join(f"{antenna}: {zone}" for antenna, zone in reader.antennas.items())
        drawing.text(x + 560, y, plan or f"beside the stacking head of side {reader.lane}")
    return y


# --- udev rules


def rules(wiring: Wiring) -> str:
    """Stable names for adapters, and devices that the group of the table may open."""
    lines = [
        f"# Devices of the table model {wiring.file.model}. Made by docs/make_wiring.py from wiring.yaml.",
        "#   sudo cp 99-tablectl.rules /etc/udev/rules.d/ && sudo udevadm control --reload && sudo udevadm trigger",
        "",
        "# Serial adapters by the USB socket they sit in, whatever number of ttyUSB they get.",
    ]
    lines += [
        f'SUBSYSTEM=="tty", SUBSYSTEMS=="usb", KERNELS=="*-{socket}", SYMLINK+="tablectl/{name}", {SERIAL}'
        for name, socket in wiring.file.usb.items()
    ]
    lines += [
        "",
        "# FTDI adapters keep bytes back for 16 ms unless they are told not to.",
        'ACTION=="add", SUBSYSTEM=="usb-serial", DRIVER=="ftdi_sio", ATTR{latency_timer}="1"',
        "",
        "# Raspberry Pi OS has these groups and rules; plain Debian gives the header and the buses to root only.",
        'SUBSYSTEM=="gpio", KERNEL=="gpiochip*", GROUP="gpio", MODE="0660"',
        'KERNEL=="gpiomem*", GROUP="gpio", MODE="0660"',
        'SUBSYSTEM=="i2c-dev", GROUP="i2c", MODE="0660"',
        'SUBSYSTEM=="spidev", GROUP="spi", MODE="0660"',
    ]
    return "\n".join(lines) + "\n"


# --- tables of the README


def tables(wiring: Wiring) -> str:
    """Pins, boards and parts as Markdown."""
    physical = {pin: number for number, pin in enumerate(HEADER, 1)}
    lines = ["### Header", "", "| BCM | pin | use |", "| --- | --- | --- |"]
    uses = pin_uses(wiring)
    lines += [f"| {pin} | {physical[pin]} | {uses[pin][1]} |" for pin in sorted(uses)]
    for name, board in wiring.file.boards.items():
        lines += ["", f"### Board `{name}`: {board.type}, bus {board.bus}, unit {board.unit}", ""]
        lines += ["| terminal | use |", "| --- | --- |"]
        lines += [f"| {terminal} | {holder} |" for _, terminal, holder in board_rows(wiring, name)]
    lines += ["", "### Parts, by function", "", "| n | function | one that does | note |", "| --- | --- | --- | --- |"]
    lines += [f"| {part.count} | {part.function} | {part.example} | {part.note} |" for part in wiring.file.parts]
    return "\n".join(lines)


def readme(text: str, wiring: Wiring) -> str:
    """The README with its tables renewed."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{tables(wiring)}\n\n{END}{after}"


def made(folder: Path) -> dict[Path, str]:
    """Every file that is made for a model, with its text."""
    wiring = load(folder)
    text = (folder / "README.md").read_text(encoding="utf-8")
    return {
        folder / "wiring.svg": draw(wiring),
        folder / "99-tablectl.rules": rules(wiring),
        folder / "README.md": readme(text, wiring),
    }


def main() -> None:
    for folder in models():
        for path, text in made(folder).items():
            path.write_text(text, encoding="utf-8")
            sys.stdout.write(f"{path}\n")


if __name__ == "__main__":
    main()
