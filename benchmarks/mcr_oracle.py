"""国标麻将 against PyMahjongGB on many hands: ``python -m benchmarks.mcr_oracle [HANDS] [SEED]`` (100,000, 1).

Prints how often every fan was counted, how many hands had the same names, and every difference. Exit code 1 where
totals differ, names are not those of an equally valued reading, or a fan came up fewer than 100 times in 100,000 hands.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "rules"))

from mcr_hands import won_hand
from mcr_oracle import compare

from tablectl.rules.mcr.table import FANS, FLOWERS

PER_FAN = 100 / 100_000


def main(hands: int, seed: int) -> int:
    rng = Random(seed)
    verdicts: Counter[str] = Counter()
    fans: Counter[str] = Counter()
    shapes: Counter[str] = Counter()
    for _ in range(hands):
        win, situation = won_hand(rng)
        compared = compare(win, situation)
        verdicts[compared.verdict] += 1
        fans.update(compared.ours.keys())
        kongs = sum(meld.is_kong for meld in win.melds)
        shapes[f"{len(win.melds)} melds, {kongs} of them kongs"] += 1
        if compared.verdict != "same":
            print(f"{compared.verdict}: {win}\n  ours:   {compared.ours}\n  theirs: {compared.theirs}")
    for fan in (*FANS, FLOWERS):
        print(f"F{fan.number:<3}{fan.name:<8}{fans[fan.name]:>8}")
    for shape, count in sorted(shapes.items()):
        print(f"{shape:<28}{count:>8}")
    print(f"{hands} hands, seed {seed}: {dict(verdicts)}")
    rare = [fan.name for fan in (*FANS, FLOWERS) if fans[fan.name] < PER_FAN * hands]
    if rare:
        print(f"too rare: {', '.join(rare)}")
    return int(bool(rare or verdicts["different"]))


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000, int(sys.argv[2]) if len(sys.argv) > 2 else 1))
