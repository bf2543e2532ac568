"""How worn and dirty the simulated mechanics are. Zero everywhere: they work like new."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Wear:
    """Probabilities and times of what goes wrong by chance. No measurement is published; first guesses of the trade are
    a double and a missed count in 5,000 tiles each, a jam in 300 cycles, half of the tiles face up.

    Args:
        double_count, missed_count: a tile; the counting eye sees it twice, or not at all.
        jam: a pair; it sticks in the head until the head was stopped and started again.
        face_up: a tile that enters the drum lies with its face up, and is not picked until it is turned …
        turns_per_second: … which happens so often.
        friction: a run of a lift; how much slower the next one is (0.001 = a thousandth).
        bounce_s: contacts and eyes flicker so long at every change. What a driver debounces is seen on wires alone.
    """

    double_count: float = 0.0
    missed_count: float = 0.0
    jam: float = 0.0
    face_up: float = 0.0
    turns_per_second: float = 0.2
    friction: float = 0.0
    bounce_s: float = 0.0
