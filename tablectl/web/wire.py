"""A live view's messages on the wire. What a crowd gets alike is framed and packed once, then written to each socket.

Packing is the WebSocket's own (RFC 7692), without context takeover: a packed message stands for itself, so one fits
every socket.
"""

from __future__ import annotations

from functools import cached_property
from typing import Final, Protocol

from websockets.extensions.permessage_deflate import PerMessageDeflate, ServerPerMessageDeflateFactory
from websockets.frames import Frame, Opcode

#: bits of the window: what a client must be able to unpack
WINDOW_BITS: Final = 12
#: shorter messages are not worth packing, bytes
WORTH_PACKING: Final = 256
_COMPRESS: Final = {"level": 6, "memLevel": 5}
#: what the server offers a client
PACKING: Final = ServerPerMessageDeflateFactory(
    server_no_context_takeover=True,
    server_max_window_bits=WINDOW_BITS,
    client_max_window_bits=WINDOW_BITS,
    compress_settings=_COMPRESS,
)
_PACKER: Final = PerMessageDeflate(False, True, WINDOW_BITS, WINDOW_BITS, _COMPRESS)

#: where the server puts a `LiveSocket` in the scope of a WebSocket (an extension of ASGI)
EXTENSION: Final = "tablectl.live"


class Message:
    """A message for any number of sockets."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def plain(self) -> bytes:
        """The frame."""
        return self._frame.serialize(mask=False)

    @cached_property
    def packed(self) -> bytes:
        """The frame for a client that unpacks."""
        return self._frame.serialize(mask=False, extensions=[_PACKER]) if self._long else self.plain

    @property
    def _frame(self) -> Frame:
        return Frame(Opcode.TEXT, self.text.encode())

    @property
    def _long(self) -> bool:
        return len(self.text) >= WORTH_PACKING


class LiveSocket(Protocol):
    """A client's socket as the live view needs it."""

    def tell(self, message: Message) -> bool:
        """Send without waiting. False, and nothing sent: the client takes no more now, or it is gone."""

    async def ready(self) -> None:
        """Wait until the client takes more, or is gone."""


def unpacks(extensions: object) -> bool:
    """Whether a client with these extensions can read what is packed once for all."""
    return any(
        isinstance(one, PerMessageDeflate) and one.local_max_window_bits >= WINDOW_BITS
        for one in (extensions if isinstance(extensions, list) else ())
    )
