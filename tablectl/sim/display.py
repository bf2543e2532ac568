"""A display and a speaker without hardware: they keep what was shown and said."""

from __future__ import annotations

import io
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL import Image


class MemoryDisplay:
    """Satisfies `ports.Display`: keeps the last picture. While ``broken`` holds a reason, showing raises OSError."""

    backend = "simulated"

    def __init__(self, name: str = "display", size: tuple[int, int] = (128, 64), mode: str = "1") -> None:
        self.name = name
        self.size = size
        self.mode = mode
        self.image: Image.Image | None = None
        #: pictures shown since the start
        self.shown = 0
        self.broken = ""
        self.is_open = False
        #: called after each picture
        self.changed: Callable[[], object] = lambda: None

    async def open(self) -> None:
        self._check()
        self.is_open = True

    async def close(self) -> None:
        self.is_open = False

    async def show(self, image: Image.Image) -> None:
        """Raises ValueError for a picture of another size or mode, OSError while broken or not open."""
        self._check()
        if not self.is_open:
            raise OSError(f"display {self.name} is not open")
        if image.size != self.size or image.mode != self.mode:
            raise ValueError(
                f"display {self.name}: picture {image.size} of mode {image.mode}; expected {self.size} of {self.mode}"
            )
        self.image = image
        self.shown += 1
        self.changed()

    def _check(self) -> None:
        if self.broken:
            raise OSError(f"display {self.name}: {self.broken}")

    def png(self, scale: int = 1) -> bytes:
        """The last picture as a PNG file, each pixel ``scale`` wide; an empty one before the first."""
        from PIL import Image

        image = self.image or Image.new(self.mode, self.size)
        if scale > 1:
            image = image.resize((image.width * scale, image.height * scale), Image.Resampling.NEAREST)
        buffer = io.BytesIO()
        image.save(buffer, "PNG")
        return buffer.getvalue()


class MemorySound:
    """Satisfies `ports.Sound`: silent, keeps the last prompts with their words. ``broken`` as for `MemoryDisplay`."""

    backend = "simulated"

    def __init__(self, name: str = "sound", keep: int = 200) -> None:
        self.name = name
        self.said: deque[tuple[str, str]] = deque(maxlen=keep)
        self.broken = ""
        self.is_open = False

    async def open(self) -> None:
        self._check()
        self.is_open = True

    async def close(self) -> None:
        self.is_open = False

    async def say(self, prompt: str, text: str) -> None:
        """Raises OSError while broken or not open."""
        self._check()
        if not self.is_open:
            raise OSError(f"sound {self.name} is not open")
        self.said.append((prompt, text))

    def _check(self) -> None:
        if self.broken:
            raise OSError(f"sound {self.name}: {self.broken}")
