"""The rule systems: pure functions over tiles. No clock, no input or output, no asyncio."""
