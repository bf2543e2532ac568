"""tablectl: the controller of an automatic mahjong table with RFID tiles."""

__version__ = "0.1.0"
