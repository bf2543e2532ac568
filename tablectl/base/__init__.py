"""What every part stands on: clock, bus, faults, journal, settings. Knows nothing of tiles or games."""
