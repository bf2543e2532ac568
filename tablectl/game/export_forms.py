"""One finished hand in the forms of other programs, by name."""

from __future__ import annotations

from datetime import date
from json import dumps
from typing import Literal

from tablectl.game.exports import botzone, hand_lines, pmn
from tablectl.game.playback import PlayedHand
from tablectl.game.record import records
from tablectl.rules.registry import load

Form = Literal["jsonl", "lines", "botzone", "pmn"]


def exported(hand: PlayedHand, form: Form, day: date, *, event: str = "", site: str = "") -> str:
    """``jsonl``: the hand record; ``lines``: its wins in one line each; ``botzone``, ``pmn``: hands of 国标麻将.

    Raises:
        ExportError: the hand has no such form.
    """
    if form == "lines":
        return "".join(f"{line}\n" for line in hand_lines(hand.events))
    record = records(hand.events)[0]
    if form == "jsonl":
        return "".join(f"{dumps(one, ensure_ascii=False)}\n" for one in record)
    rules = load(hand.start.rules, hand.start.options)
    if form == "botzone":
        return f"{botzone(record, rules, f'{day:%Y%m%d}-{hand.number}')}\n"
    return f"{pmn(record, rules, hand.names, event=event, site=site, day=day)}\n"
