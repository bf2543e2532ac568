"""Bytes from outside: every parser takes them or refuses them with its own error.

A sample; ``python -m benchmarks.fuzz`` gives each target hundreds of thousands, guided by coverage.
"""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
import yaml
from fuzz_targets import TARGETS, mutated

#: inputs that made a parser fail once: the target, the bytes in hexadecimal, and what was wrong
CRASHES = yaml.safe_load((Path(__file__).parent / "crashes.yaml").read_text(encoding="utf-8")) or []
INPUTS = 100


@pytest.mark.parametrize("name", TARGETS)
def test_seeds_and_what_becomes_of_them(name: str) -> None:
    target, rng = TARGETS[name], Random(name)
    seeds = list(target.seeds())
    assert seeds
    for seed in seeds:
        target.take(seed)
    for _ in range(INPUTS):
        target.take(mutated(rng.choice(seeds), rng))


def test_what_made_a_parser_fail_once() -> None:
    for crash in CRASHES:
        TARGETS[crash["target"]].take(bytes.fromhex(crash["hex"]))
