"""What a table has for devices, real or simulated: the core knows no more of them."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterable, Mapping, Sequence
from typing import Protocol

from tablectl.base.bus import Bus
from tablectl.base.faults import FaultLatch
from tablectl.base.reports import KeyPressed, RefereeActed
from tablectl.ports import Dice, Display, Input, Lane, Output, Sound, TileReader
from tablectl.tiles.tile import Tile


class Backend(Protocol):
    """The devices of a table. ``name``: ``simulated`` or ``hardware``; ``tags``: every enrolled tag and its tile;
    ``sets``: the same by tile set; ``referee``: a console that is a device of its own (that of the simulated referee);
    ``resumes``: the tiles lie where they lay when the program last ended."""

    @property
    def name(self) -> str: ...
    @property
    def resumes(self) -> bool: ...
    @property
    def tags(self) -> Mapping[str, Tile]: ...
    @property
    def sets(self) -> Mapping[str, Mapping[str, Tile]]: ...
    @property
    def readers(self) -> Sequence[TileReader]: ...
    @property
    def lanes(self) -> Sequence[Lane]: ...
    @property
    def outputs(self) -> Mapping[str, Output]: ...
    @property
    def inputs(self) -> Mapping[str, Input]: ...
    @property
    def dice(self) -> Dice: ...
    @property
    def keys(self) -> AsyncIterable[KeyPressed]: ...
    @property
    def referee(self) -> AsyncIterable[RefereeActed]: ...
    @property
    def displays(self) -> Mapping[str, Display]: ...
    @property
    def sound(self) -> Sound: ...

    def watch(self, bus: Bus, faults: FaultLatch) -> None:
        """Tell ``faults`` what goes wrong with the devices by themselves: boards, supply, emergency stop."""

    def pausing(self) -> contextlib.AbstractContextManager[object]:
        """Meanwhile the event loop stands still because it waits for a disk: that is no hang."""

    async def open(self) -> None:
        """Open outputs, at their safe values, and inputs. Raises DeviceError with everything that does not work."""

    async def close(self) -> None:
        """Outputs safe, everything let go."""

    async def start(self) -> None: ...

    async def stop(self) -> None: ...
