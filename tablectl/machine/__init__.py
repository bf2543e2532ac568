"""The table's cycle: mechanisms within limits, outputs with interlocks, counting heads, keys."""
