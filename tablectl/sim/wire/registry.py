"""The emulated readers by the name of their driver."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from tablectl.sim.wire.emulator import Emulator
from tablectl.sim.wire.field import Field
from tablectl.sim.wire.hf_anyid_7e55 import AnyIDEmulator
from tablectl.sim.wire.hf_metratec_ascii import MetratecEmulator
from tablectl.sim.wire.line import Line
from tablectl.sim.wire.nfc_pn532_hsu import PN532Emulator
from tablectl.sim.wire.uhf_m100 import M100Emulator
from tablectl.sim.wire.uhf_reader288 import Reader288Emulator

#: by driver: what makes the emulator of a line and a field; True: it stands beside a lane
EMULATORS: Final[Mapping[str, Callable[[Line, Field, bool], Emulator]]] = {
    "uhf_m100": lambda line, field, lane: M100Emulator(line, field),
    "uhf_reader288": lambda line, field, lane: Reader288Emulator(line, field),
    "hf_anyid_7e55": lambda line, field, lane: AnyIDEmulator(line, field, antennas=4, pushes=lane),
    "hf_metratec_ascii": lambda line, field, lane: MetratecEmulator(line, field),
    "nfc_pn532_hsu": lambda line, field, lane: PN532Emulator(line, field),
}
