"""The hand record: the events of one hand in the manner of mjai (docs/trace-format.md, section 2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any, Final

from tablectl.game import events as ev
from tablectl.game.fold import Fold

Json = dict[str, Any]

#: events of the record, and the keys each has there
_KEYS: Final[dict[str, tuple[str, ...]]] = {
    "tsumo": ("actor", "pai", "from"),
    "flower": ("actor", "pai"),
    "dahai": ("actor", "pai", "tsumogiri"),
    "chi": ("actor", "target", "pai", "consumed"),
    "pon": ("actor", "target", "pai", "consumed"),
    "daiminkan": ("actor", "target", "pai", "consumed"),
    "ankan": ("actor", "consumed"),
    "kakan": ("actor", "pai", "consumed"),
    "pay": ("reason", "deltas", "off_board"),
    "alert": ("code", "seat", "detail"),
    "hora": ("actor", "target", "pai", "fans", "score", "deltas"),
    "ryukyoku": ("reason", "deltas"),
    "end_kyoku": ("scores", "deltas", "off_board", "carry"),
}


def effective(events: Sequence[ev.Event], first_seq: int = 1) -> list[tuple[int, ev.Event]]:
    """Events with their sequence numbers, corrections carried out."""
    replaced: dict[int, ev.Event | None] = {}
    for event in events:
        if isinstance(event, ev.Corrected):
            replaced[event.replaces] = event.event
    found = []
    for seq, event in enumerate(events, first_seq):
        right = replaced.get(seq, event)
        if right is not None and not isinstance(right, ev.Corrected):
            found.append((seq, right))
    return found


def records(events: Sequence[ev.Event], first_seq: int = 1) -> list[list[Json]]:
    """The records of all hands that were dealt, in order; a hand that was undone is left out.

    The last one lacks ``end_kyoku`` while its hand is being played.
    """
    hands = hands_of(effective(events, first_seq))
    return [[item for _, item in _record(hand)] for hand in hands if any(isinstance(e, ev.HandDealt) for _, e in hand)]


def matches_of(events: Sequence[ev.Event]) -> Iterator[tuple[int, Sequence[ev.Event]]]:
    """The events of each match, from its start to before the next one's, with the place of its first event."""
    starts = [place for place, event in enumerate(events) if isinstance(event, ev.MatchStarted)]
    for begin, end in zip(starts, [*starts[1:], len(events)], strict=False):
        yield begin, events[begin:end]


def hands_of(numbered: Sequence[tuple[int, ev.Event]]) -> list[list[tuple[int, ev.Event]]]:
    """The events of each hand, from its `HandOpened` to before the next one; a hand that was undone is left out."""
    hands: list[list[tuple[int, ev.Event]]] = []
    for seq, event in numbered:
        if isinstance(event, ev.Ruled) and event.do == "undo":
            while hands and not any(isinstance(e, ev.HandEnded) for _, e in hands[-1]):
                hands.pop()
            if hands:
                hands.pop()
        elif isinstance(event, ev.HandOpened):
            hands.append([(seq, event)])
        elif isinstance(event, ev.CommitmentOpened):
            for hand in hands:  # that of a hand which was given up comes after the next one was opened
                if any(isinstance(e, ev.Committed) and e.digest == event.digest for _, e in hand):
                    hand.append((seq, event))
        elif hands:
            hands[-1].append((seq, event))
    return hands


def _record(hand: Sequence[tuple[int, ev.Event]]) -> list[tuple[int, Json]]:
    """The record of one hand, each event with its sequence number."""
    out: list[tuple[int, Json]] = []
    end: tuple[int, Json] | None = None
    start: tuple[int, Json] | None = None
    head: Json = {"type": "start_kyoku"}
    for seq, event in hand:
        if isinstance(event, ev.HandOpened):
            opened = ev.to_json(event)
            head |= {key: opened[key] for key in ("hand", "rules", "dealer", "bakaze", "streak", "scores")}
            head["dice"] = []
        elif isinstance(event, ev.DealerThrown):
            head["dealer"] = event.dealer
        elif isinstance(event, ev.DiceThrown):
            head["dice"] += event.dice
        elif isinstance(event, ev.StakeChosen):
            head.setdefault("stakes", []).append([event.actor, event.stake, event.n])
        elif isinstance(event, ev.IndicatorTurned):
            head["indicator"] = event.pai.code
        elif isinstance(event, ev.HandDealt):
            dealt = ev.to_json(event)
            head |= {key: dealt[key] for key in ("tehais", "t") if key in dealt}
            start = seq, head
        elif isinstance(event, ev.WallRevealed):
            head["wall"] = ev.to_json(event)["wall"]
        elif isinstance(event, ev.Committed):
            head.setdefault("commitments", []).append(_without_type(event))
        elif isinstance(event, ev.CommitmentOpened):
            head.setdefault("opened", []).append(_without_type(event))
        elif event.type == "end_kyoku":
            end = seq, _entry(event)
        elif event.type in _KEYS:
            out.append((seq, _entry(event)))
    return [*([start] if start else []), *out, *([end] if end else [])]


def _entry(event: ev.Event) -> Json:
    data = ev.to_json(event)
    keys = ("type", *_KEYS[event.type], "t")
    return {key: data[key] for key in keys if key in data}


def _without_type(event: ev.Event) -> Json:
    return {key: value for key, value in ev.to_json(event).items() if key not in ("type", "t")}


def of_last_hand(fold: Fold) -> Iterator[tuple[int, ev.Event]]:
    """The events of the hand in progress or just ended, as corrected, with their sequence numbers."""
    yield from fold.effective(fold.hand_seq)


def sequence_number(fold: Fold, place: int) -> int | None:
    """The sequence number of event ``place`` (from 0) of the record of the hand in progress or just ended; None where
    there is none, and for ``start_kyoku``, which is made of several events."""
    entries = _record(list(of_last_hand(fold)))
    return entries[place][0] if 0 < place < len(entries) else None


def place_of(fold: Fold, seq: int) -> int | None:
    """The place of the event with a sequence number in the record of the hand in progress or just ended: the inverse of
    `sequence_number`."""
    entries = enumerate(_record(list(of_last_hand(fold))))
    return next((place for place, (number, _) in entries if place and number == seq), None)


# --- comparing


def differences(record: Sequence[Mapping[str, Any]], truth: Sequence[Mapping[str, Any]]) -> list[str]:
    """What differs between two records of one hand, in words; empty where they agree.

    Not compared: ``t``, where an alert stands and its detail, ``tsumogiri``, ``from``, names of fans, keys that are not
    in the trace format, tiles of the wall that are unknown (null). Within one seat's run of flowers and draws the
    order is free.
    """
    found = _head_differences(_first(record, "start_kyoku"), _first(truth, "start_kyoku"))
    ours, theirs = _moves(record), _moves(truth)
    for tag, a, b, c, d in SequenceMatcher(None, theirs, ours, autojunk=False).get_opcodes():
        if tag != "equal":
            wanted = ", ".join(map(_words, theirs[a:b])) or "nothing"
            got = ", ".join(map(_words, ours[c:d])) or "nothing"
            found.append(f"event {a + 1}: expected {wanted}; found {got}")
    alerts, true_alerts = _alerts(record), _alerts(truth)
    found += [f"alert missing: {code}, seat {seat}" for code, seat in (true_alerts - alerts).elements()]
    found += [f"alert too many: {code}, seat {seat}" for code, seat in (alerts - true_alerts).elements()]
    return found


def _first(record: Sequence[Mapping[str, Any]], kind: str) -> Mapping[str, Any]:
    return next((event for event in record if event.get("type") == kind), {})


def _head_differences(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> list[str]:
    found = []
    for key in ("hand", "rules", "dealer", "bakaze", "streak", "scores", "dice"):
        if ours.get(key) != theirs.get(key):
            found.append(f"start_kyoku.{key}: expected {theirs.get(key)}, found {ours.get(key)}")
    for seat in range(4):
        mine, true = (sorted(map(str, side.get("tehais", [[]] * 4)[seat])) for side in (ours, theirs))
        if mine != true:
            lack, surplus = Counter(true) - Counter(mine), Counter(mine) - Counter(true)
            lacking, more = " ".join(lack.elements()) or "nothing", " ".join(surplus.elements()) or "nothing"
            found.append(f"tehais of seat {seat}: {lacking} missing, {more} too many")
    wall, true_wall = ours.get("wall") or [], theirs.get("wall") or []
    if true_wall and len(wall) != len(true_wall):
        found.append(f"wall: expected {len(true_wall)} tiles, found {len(wall)}")
    else:
        pairs = enumerate(zip(wall, true_wall, strict=False), 1)
        found += [
            f"wall, position {n}: expected {b}, found {a}" for n, (a, b) in pairs if None not in (a, b) and a != b
        ]
    return found


_COMPARED: Final = {
    "tsumo": ("actor", "pai"),
    "flower": ("actor", "pai"),
    "dahai": ("actor", "pai"),
    "pay": ("reason", "deltas"),
    "end_kyoku": ("scores", "deltas"),
}


def _moves(record: Sequence[Mapping[str, Any]]) -> list[tuple[Any, ...]]:
    """Events as comparable tuples; every seat's run of flowers and draws sorted, what was paid in it after it."""
    out: list[tuple[Any, ...]] = []
    run: list[tuple[Any, ...]] = []
    paid: list[tuple[Any, ...]] = []

    def close() -> None:
        out.extend(sorted(run, key=str))
        out.extend(paid)
        run.clear()
        paid.clear()

    for event in record:
        kind = str(event.get("type"))
        if kind in ("start_kyoku", "alert") or kind not in _KEYS:
            continue
        item = _comparable(kind, event)
        if kind in ("tsumo", "flower"):
            if run and run[-1][1] != item[1]:
                close()
            run.append(item)
        elif kind == "pay" and run and event.get("reason") == "flower_kong":
            paid.append(item)
        else:
            close()
            out.append(item)
    close()
    return out


def _comparable(kind: str, event: Mapping[str, Any]) -> tuple[Any, ...]:
    keys = _COMPARED.get(kind, tuple(key for key in _KEYS[kind] if key != "fans"))
    values: list[Any] = []
    for key in keys:
        value = event.get(key)
        if key == "consumed" and value is not None:
            value = sorted(value)
        values.append(tuple(value) if isinstance(value, (list, tuple)) else value)
    if kind == "hora":
        values.append(tuple(sorted(dict(event.get("fans") or {}).values())))
    return (kind, *values)


def _words(item: tuple[Any, ...]) -> str:
    kind, *values = item
    shown = (" ".join(map(str, v)) if isinstance(v, tuple) else str(v) for v in values)
    return f"{kind} " + " / ".join(shown)


def _alerts(record: Sequence[Mapping[str, Any]]) -> Counter[tuple[Any, Any]]:
    return Counter((event.get("code"), event.get("seat")) for event in record if event.get("type") == "alert")
