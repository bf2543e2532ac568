"""The units of `systemd/`, read."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[2]
SYSTEMD = ROOT / "systemd"
SERVICES = ("tablectl", "tablectl-web", "tablectl-report", "tablectl-backup")


class Unit:
    """A service and its settings."""

    def __init__(self, name: str) -> None:
        text = (SYSTEMD / f"{name}.service").read_text(encoding="utf-8")
        pairs = [line.partition("=") for line in text.splitlines() if line and line[0] not in "#["]
        self._settings = [(key, value) for key, _, value in pairs]

    def all(self, key: str) -> list[str]:
        return [value for name, value in self._settings if name == key]

    def last(self, key: str) -> str:
        """The setting; KeyError where the unit has none."""
        found = self.all(key)
        if not found:
            raise KeyError(key)
        return found[-1]
