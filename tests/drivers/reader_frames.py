"""The published frames (frames.yaml) of the readers that have a driver, and how their codecs read and build them."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import yaml

from tablectl.drivers.readers import (
    hf_anyid_7e55,
    hf_metratec_ascii,
    nfc_pn532_hsu,
    uhf_m100,
    uhf_reader288,
)
from tablectl.drivers.readers.frames import Scanner

#: device in frames.yaml: module of the codec
CODECS = {
    "uhf_m100": uhf_m100,
    "uhf_m100_aa_dd": uhf_m100,
    "uhf_m100_aa_8e": uhf_m100,
    "uhf_reader18_288": uhf_reader288,
    "hf_anyid_7e55": hf_anyid_7e55,
    "hf_metratec_ascii": hf_metratec_ascii,
    "nfc_pn532_hsu": nfc_pn532_hsu,
}


def _load():
    entries = yaml.safe_load((Path(__file__).parent / "frames.yaml").read_text(encoding="utf-8"))
    return [
        SimpleNamespace(**entry, bytes=bytes.fromhex(entry["hex"])) for entry in entries if entry["device"] in CODECS
    ]


ALL = _load()
BY_ID = {entry.id: entry for entry in ALL}
#: what a device sent and what is right
FROM_DEVICE = [e for e in ALL if e.direction == "device_to_host" and e.integrity_ok is not False]
TO_DEVICE = [e for e in ALL if e.direction == "host_to_device"]
#: wrong as published
WRONG = [e for e in ALL if e.integrity_ok is False]
#: six bytes that a reader sends between its frames
HEARTBEAT = BY_ID["uhf_reader18_288-025"]
#: a frame of the host that a device sends back unchanged
ECHOED = BY_ID["uhf_m100-078"]


def name(entry) -> str:
    return entry.id


def scanner(device: str) -> Scanner:
    return Scanner(CODECS[device].look)


def read(device: str, data: bytes) -> list:
    """The frames in ``data``."""
    return scanner(device).feed(data)
