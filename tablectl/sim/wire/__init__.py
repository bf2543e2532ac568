"""Emulators that speak the wire protocols of real devices, byte for byte, from what happens in the simulated world."""
