"""北京麻将 beside a slow count written from the text: the same verdict, fans, score and payments."""

from __future__ import annotations

from random import Random

from beijing_by_hand import best_fans, payments_of, random_options, random_win, score_of
from rule_hands import situation

from tablectl.rules.registry import load


def differing(seed: int, hands: int) -> list[str]:
    """Hands on which the two disagree."""
    rng = Random(seed)
    found = []
    for _ in range(hands):
        options, win, dealer = random_options(rng), random_win(rng), rng.randrange(4)
        fans = best_fans(win, dealer, options)
        settled = load("beijing", options).settle(situation(win, dealer=dealer))
        verdict = settled.verdicts[0]
        if fans is None:
            same = verdict.reason == "not_complete"
        else:
            score = score_of(fans)
            right = (True, list(fans.items()), score, payments_of(win, score, dealer))
            same = (verdict.legal, list(verdict.fans.items()), verdict.score, settled.payments) == right
        if not same:
            found.append(f"{win} dealer {dealer} {options}: {verdict}, expected {fans}")
    return found


def test_random_hands_count_as_by_hand() -> None:  # T22–T43
    assert differing(seed=1, hands=1000) == []
