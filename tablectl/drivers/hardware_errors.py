"""Several devices that do not work, told at once."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence

from tablectl.base.faults import DeviceError


class HardwareError(DeviceError):
    """Devices that a table cannot do without do not work: all of them, one a line."""

    def __init__(self, errors: Sequence[DeviceError]) -> None:
        super().__init__("table", "", "\n".join(map(str, errors)))
        self.errors = tuple(errors)

    def __str__(self) -> str:
        return self.what


async def each(calls: Iterable[Callable[[], Awaitable[object]]]) -> list[DeviceError]:
    """Call all of them, whatever one of them raises; what they raised."""
    errors: list[DeviceError] = []
    for call in calls:
        try:
            await call()
        except HardwareError as several:
            errors += several.errors
        except DeviceError as error:
            errors.append(error)
    return errors
