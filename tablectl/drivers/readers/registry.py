"""The families of readers by the name in the configuration: a new one is one more line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tablectl.drivers.readers.family import Family
from tablectl.drivers.readers.hf_anyid_7e55 import AnyID
from tablectl.drivers.readers.hf_metratec_ascii import Metratec
from tablectl.drivers.readers.nfc_pn532_hsu import PN532
from tablectl.drivers.readers.uhf_m100 import M100
from tablectl.drivers.readers.uhf_reader288 import Reader288

FAMILIES: Final[Mapping[str, type[Family]]] = {
    "uhf_m100": M100,
    "uhf_reader288": Reader288,
    "hf_anyid_7e55": AnyID,
    "hf_metratec_ascii": Metratec,
    "nfc_pn532_hsu": PN532,
}
