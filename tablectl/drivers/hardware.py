"""A real table: every device of its wiring behind the ports of the program.

`HardwareTable` satisfies `core.backend.Backend`. What can go wrong at any time (a board that is lost, an input that
chatters, the emergency stop, a low supply) is told to the fault latch that it was given with `watch`.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import Any, Final, Generic, TypeVar

from tablectl.base.bus import Bus
from tablectl.base.clock import Clock
from tablectl.base.faults import DeviceError, Fault, FaultCleared, FaultLatch, FaultRaised
from tablectl.base.reports import KeyPressed, RefereeActed
from tablectl.drivers.dice import ChamberDice, ElectronicDice
from tablectl.drivers.display_hd44780 import Backpack, TextDisplay
from tablectl.drivers.display_max7219 import DigitDisplay, PlainSPI
from tablectl.drivers.gpio import Gpio, GpioInput, GpioOutput
from tablectl.drivers.hardware_deadman import Deadman, Pulse, ThreadPulse
from tablectl.drivers.hardware_errors import HardwareError, each
from tablectl.drivers.hardware_files import Wiring
from tablectl.drivers.hardware_guard import Gang, Noted, PowerWatch, Watched
from tablectl.drivers.hardware_panel import PanelWorker
from tablectl.drivers.hardware_pins import GPIO, Pin
from tablectl.drivers.hardware_wiring import ChamberDice as ChamberWires
from tablectl.drivers.hardware_wiring import KeyWire, Wire
from tablectl.drivers.modbus import ModbusBus
from tablectl.drivers.modbus_devices import ModbusBoard, ModbusPulse
from tablectl.drivers.readers.config import make as make_readers
from tablectl.ports import Dice, Display, Input, Lane, Output, Sound, TileReader
from tablectl.refusals import Refusal

log = logging.getLogger(__name__)

#: A bus without a good answer for so many seconds does not live.
BUS_SECONDS: Final = 3.0
#: where a fault stands that the program as a whole has
PROGRAM: Final = "program"

Tile = TypeVar("Tile")


class Keys:
    """The key pads of the seats: ``async for pressed in keys``."""

    def __init__(self) -> None:
        self._pressed: asyncio.Queue[KeyPressed] = asyncio.Queue()

    def put(self, pressed: KeyPressed) -> None:
        self._pressed.put_nowait(pressed)

    async def __aiter__(self) -> AsyncIterator[KeyPressed]:
        while True:
            yield await self._pressed.get()


class NoReferee:
    """At a real table the referee's console is the page."""

    async def __aiter__(self) -> AsyncIterator[RefereeActed]:
        await asyncio.Event().wait()
        yield RefereeActed(0.0, {})


class HardwareTable(Generic[Tile]):
    """The devices of one table.

    ``wiring``: checked by `hardware_files.load_wiring`; ``safe``: the safe value of every output by name; ``sets``: the
    tile sets by name, tag to tile; ``gpio``: a module in the place of RPi.GPIO; ``pulse``: what drives the dead-man
    line.
    """

    name = "hardware"
    #: the tiles lie where they lay when the program last ended
    resumes = True

    def __init__(
        self,
        wiring: Wiring,
        safe: Mapping[str, bool],
        sets: Mapping[str, Mapping[str, Tile]],
        displays: Mapping[str, Display],
        sound: Sound,
        clock: Clock,
        gpio: Any = None,
        pulse: type[Pulse] = ThreadPulse,
    ) -> None:
        self.wiring = wiring
        self.sets = sets
        self.tags = {tag: tile for tags in sets.values() for tag, tile in tags.items()}
        self.displays = displays
        self.sound = sound
        self.keys = Keys()
        self.referee = NoReferee()
        self._clock = clock
        self._faults: FaultLatch | None = None
        file = wiring.file
        self.gpio = Gpio(
            clock, gpio, noisy=partial(self._fault, "input_noisy"), lost=partial(self._fault, "board_lost")
        )
        self.buses = {name: ModbusBus(name, bus, clock, self._board_reported) for name, bus in file.buses.items()}
        self.boards: dict[str, ModbusBoard] = {
            name: self.buses[board.bus].board(name, board.unit, wiring.type_of(name))
            for name, board in file.boards.items()
        }
        self.outputs: dict[str, Output] = {}
        #: what stands behind the outputs, each once
        self._switched: list[Output] = []
        #: names of those that are on, or may be
        self._on: set[str] = set()
        self._make_outputs(safe)
        self.inputs: dict[str, Input] = {}
        self._sensed: list[Input] = []
        self._make_inputs()
        self.pulses: dict[str, ModbusPulse] = {
            name: self.boards[wire.pin.chip].pulse(name, wire.pin, wire.longest_ms)
            for name, wire in file.pulses.items()
        }
        self.digits = self._make_digits()
        self.dice: Dice = self._make_dice()
        self._key_pads = [self._key(wire) for wire in file.keys]
        line = self.gpio.output("deadman", file.deadman.pin)
        self.deadman = Deadman(line, pulse(line, file.deadman.toggle_ms / 1e3), self.trouble, self._hung, clock)
        self.emergency: Watched | None = None
        if (stop := file.emergency_stop) is not None:
            port = self._input("emergency_stop", stop.pin, stop.debounce_ms / 1e3)
            self.emergency = Watched(port, lambda t, pressed: self._emergency(pressed))
        self.power = PowerWatch(self._power, clock)
        self.panel = self._make_panel()
        readers, lanes = make_readers(wiring.readers, clock)
        self.readers: Sequence[TileReader] = readers
        self.lanes: Sequence[Lane] = lanes

    # --- assembly

    def _output(self, name: str, wire: Wire, safe: bool) -> Output:
        if wire.pin.chip != GPIO:
            return self.boards[wire.pin.chip].output(name, wire.pin, safe)
        if wire.pwm is not None:
            return self.gpio.pwm(name, wire.pin, wire.pwm.hertz, wire.pwm.duty_percent)
        return self.gpio.output(name, wire.pin, safe)

    def _input(self, name: str, pin: Pin, debounce_seconds: float) -> Input:
        if pin.chip != GPIO:
            return self.boards[pin.chip].input(name, pin, debounce_seconds)
        return self.gpio.input(name, pin, debounce_seconds)

    def _make_outputs(self, safe: Mapping[str, bool]) -> None:
        gangs: dict[str, Gang] = {}
        for name, wire in self.wiring.outputs.items():
            if name in self.wiring.file.outputs:
                output = self._output(name, wire, safe[name])
                self._switched.append(output)
                self.outputs[name] = Noted(name, output, safe[name], self._on)
                continue
            group = name.partition(".")[0]
            if group not in gangs:
                gangs[group] = Gang(self._output(group, wire, safe[name]), safe[name])
                self._switched.append(gangs[group].output)
            self.outputs[name] = Noted(name, gangs[group].member(name), safe[name], self._on)

    def _make_inputs(self) -> None:
        made: dict[str, Input] = {}
        for name, wire in self.wiring.inputs.items():
            wired = name if name in self.wiring.file.inputs else name.partition(".")[0]
            if wired not in made:
                made[wired] = self._input(wired, wire.pin, wire.debounce_ms / 1e3)
            self.inputs[name] = made[wired]
        self._sensed = list(made.values())

    def _make_digits(self) -> DigitDisplay | None:
        digits = self.wiring.file.digits
        if digits is None:
            return None
        return DigitDisplay("digits", PlainSPI(digits.port, digits.device), digits.count)

    def _make_dice(self) -> Dice:
        wires = self.wiring.file.dice
        if not isinstance(wires, ChamberWires):
            return ElectronicDice(self._clock, self.digits.dice if self.digits is not None else None)
        motor = self._output("dice.motor", Wire(pin=wires.motor), False)
        self._switched.append(motor)
        return ChamberDice(
            motor,
            self._input("dice.eye", wires.eye, 0.005),
            self._clock,
            spin_seconds=wires.spin_seconds,
            rest_seconds=wires.rest_seconds,
            limit_seconds=wires.limit_seconds,
        )

    def _make_panel(self) -> PanelWorker | None:
        panel = self.wiring.file.panel
        if panel is None:
            return None
        display = TextDisplay("panel", Backpack(panel.port, panel.address), panel.columns, panel.rows)
        return PanelWorker(display, self._clock)

    def _key(self, wire: KeyWire) -> Watched:
        port = self._input(f"key.{wire.seat}.{wire.key}", wire.pin, wire.debounce_ms / 1e3)
        return Watched(port, partial(self._pressed, wire))

    # --- life

    def watch(self, bus: Bus, faults: FaultLatch) -> None:
        """Tell ``faults`` what goes wrong. A fault whose cause is still there cannot be cleared."""
        self._faults = faults
        faults.add_obstacle(self._obstacle)
        bus.subscribe(FaultCleared, lambda cleared: self._cleared(cleared.fault))
        if self.panel is not None:
            panel = self.panel
            for kind in (FaultRaised, FaultCleared):
                bus.subscribe(kind, lambda _: panel.show(faults.active))

    def pausing(self) -> AbstractContextManager[None]:
        """Meanwhile the event loop stands still because it waits for a disk: the dead-man line bears that."""
        return self.deadman.pausing()

    async def open(self) -> None:
        """Open what the table cannot do without: outputs to their safe values, inputs, and last the dead-man line.

        Raises:
            HardwareError: all that does not work. Everything is closed again.
        """
        for devices in (self._outputs(), self._guards()):
            errors = await each(device.open for device in devices)
            if errors:
                await self.close()
                raise HardwareError(errors)
        if self.emergency is not None:
            self._emergency(self.emergency.level)
        if self.digits is not None:
            for error in await each([self.digits.open]):
                log.warning("%s", error)  # the dice can be read on the display
        if self.panel is not None:
            self.panel.start()
        self.power.start()

    async def close(self) -> None:
        """Drop the motors' supply, then all outputs to their safe values, then let go of everything."""
        await self.power.stop()
        if self.panel is not None:
            await self.panel.stop()
        extras = [self.digits.close] if self.digits is not None else []
        devices = reversed([*self._outputs(), *self._guards()])
        for error in await each([*(device.close for device in devices), *extras]):
            log.error("%s", error)

    async def safe_off(self) -> list[DeviceError]:
        """Bring all outputs to their safe values without running a table; what could not be reached."""
        errors = await each(device.open for device in self._outputs())
        return errors + await each(device.close for device in reversed(self._outputs()))

    def _outputs(self) -> list[Any]:
        """What must be safe before anything else: pins of the header, and whole buses."""
        pins = [output for output in self._switched if isinstance(output, GpioOutput)]
        return [*pins, *self.buses.values()]

    def _guards(self) -> list[Any]:
        emergency = [self.emergency] if self.emergency is not None else []
        return [*self._sensed, self.dice, *self._key_pads, *emergency, self.deadman]

    async def start(self) -> None:
        """Nothing begins by itself at a real table: people sit down."""

    async def stop(self) -> None:
        """Nobody has to leave."""

    # --- what happens

    def trouble(self) -> str:
        """Why motors must have no supply now; empty where nothing is wrong."""
        if self._faults is not None and self._faults.stopped:
            return "a fault stands"
        now = self._clock.now()
        for bus in self.buses.values():
            if any(board.lost for board in bus.boards):
                return f"bus {bus.name}: a board is lost"
            if now - bus.alive_at > BUS_SECONDS:
                self._fault("heartbeat_lost", f"bus.{bus.name}", f"no answer for {now - bus.alive_at:.0f} s")
                return f"bus {bus.name} hangs"
        return ""

    def _pressed(self, wire: KeyWire, t: float, pressed: bool) -> None:
        if not pressed:
            return
        if isinstance(self.dice, ElectronicDice):
            self.dice.pressed(wire.seat, t)
        self.keys.put(KeyPressed(t, wire.key, wire.seat, wire.n))

    def _board_reported(self, name: str, error: DeviceError | None) -> None:
        if error is not None:
            self._fault("board_lost", f"board.{name}", str(error))
        else:
            log.warning("board %s answers again; its outputs are safe", name)

    def _emergency(self, pressed: bool) -> None:
        if pressed:
            self._fault("emergency_stop", "table", "the emergency stop is pressed")

    def _hung(self, seconds: float) -> bool:
        """The program stood still so long that the motors' supply dropped. Whether motors would go on now."""
        what = f"the program stood still for {seconds:.1f} s, and the motors' supply dropped"
        moving = any(name.partition(".")[0].endswith("motor") for name in self._on)
        if moving:
            self._fault("heartbeat_lost", PROGRAM, what)
        else:
            log.warning("%s; nothing moved", what)
        return moving

    def _power(self, low: bool) -> None:
        if low:
            self._fault("undervoltage", "power", "the firmware reports less than 4.63 V")
        elif self._faults is not None:
            self._faults.recover("undervoltage", "power")

    def _fault(self, cause: str, where: str, detail: str) -> None:
        """Raise a fault, not from within a driver: what subscribers do must not stop a bus."""
        if self._faults is None:
            log.error("%s at %s: %s", cause, where, detail)
        else:
            asyncio.get_running_loop().call_soon(self._faults.raise_fault, cause, where, detail)

    def _obstacle(self, fault: Fault) -> Refusal | None:
        if fault.code == "E01" and self.emergency is not None and self.emergency.level:
            return Refusal("emergency_pressed")
        board = self.boards.get(fault.where.removeprefix("board."))
        if fault.code == "B01" and board is not None and board.lost is not None:
            return Refusal("board_silent", lost=board.lost)
        return None

    def _cleared(self, fault: Fault) -> None:
        """An input that was switched off because it chattered is listened to again; motors get their supply again."""
        if fault.where == PROGRAM:
            self.deadman.release()
        if fault.code == "S01":
            for port in (*self._sensed, *(pad.port for pad in self._key_pads)):
                if port.name == fault.where and isinstance(port, GpioInput):
                    port.reset()
