"""Helpers: hand records turned back into actions, and a table that played them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tablectl.game import actions as act
from tablectl.game.table import Table
from tablectl.rules.api import MatchState, RuleSet
from tablectl.tiles.meld import MeldKind
from tablectl.tiles.notation import parse_tile
from tablectl.tiles.tile import BY_CODE, Tile

TRACES = Path(__file__).parent.parent / "traces"


def load(name: str) -> list[dict[str, Any]]:
    """A hand record of tests/traces."""
    lines = (TRACES / f"{name}.truth.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def match_before(start: dict[str, Any]) -> MatchState:
    a, b, c, d = start["scores"]
    return MatchState(
        points=(a, b, c, d), dealer=start["dealer"], streak=start["streak"], prevalent=BY_CODE[start["bakaze"]]
    )


def tiles(codes: list[str]) -> tuple[Tile, ...]:
    return tuple(parse_tile(code) for code in codes)


def actions_of(record: list[dict[str, Any]], dice_at_once: int = 2) -> list[act.Action]:
    """What people did, as the record tells it. Draws and discards that an alert is about are not in it."""
    start = record[0]
    t = start["t"]
    found: list[act.Action] = [act.RaiseWalls(t=t - 20)]
    for n in range(0, len(start["dice"]), dice_at_once):
        found.append(act.RestDice(t=t - 15 + n, dice=tuple(start["dice"][n : n + dice_at_once])))
    rest = record[1:]
    drawn = None
    if rest[0]["type"] == "tsumo" and rest[0]["actor"] == start["dealer"]:
        drawn, rest = parse_tile(rest[0]["pai"]), rest[1:]
    found.append(act.Deal(t=t, hands=tuple(tiles(hand) for hand in start["tehais"]), drawn=drawn))
    for event in rest:
        found += _of_event(event)
    if "wall" in start:
        wall = tuple(None if code is None else parse_tile(code) for code in start["wall"])
        found.append(act.RevealWall(t=found[-1].t, wall=wall))
    return found


def _of_event(event: dict[str, Any]) -> list[act.Action]:
    kind, t, seat = event["type"], event["t"], event.get("actor", 0)
    pai = parse_tile(event["pai"]) if "pai" in event else Tile.M1
    consumed = tiles(event.get("consumed", []))
    melds = {
        "chi": MeldKind.CHOW,
        "pon": MeldKind.PUNG,
        "daiminkan": MeldKind.EXPOSED_KONG,
        "ankan": MeldKind.CONCEALED_KONG,
        "kakan": MeldKind.ADDED_KONG,
    }
    if kind in melds:
        tile = None if kind == "ankan" else pai
        return [act.LayMeld(t=t, seat=seat, kind=melds[kind], tile=tile, consumed=consumed)]
    if kind == "tsumo":
        return [act.Draw(t=t, seat=seat, tile=pai, end=event.get("from", "live"))]
    if kind == "dahai":
        return [act.DiscardTile(t=t, seat=seat, tile=pai)]
    if kind == "flower":
        return [act.LayFlower(t=t, seat=seat, tile=pai)]
    if kind == "alert":
        return [act.Suspect(t=t, code=event["code"], seat=event["seat"], detail=event["detail"])]
    if kind == "hora":
        return [act.DeclareWin(t=t, seat=seat), act.Rule(t=t + 5, do="confirm", by="referee")]
    if kind == "end_kyoku":
        return [act.ClearTable(t=t)]
    return []


def play(rules: RuleSet, record: list[dict[str, Any]], dice_at_once: int = 2) -> Table:
    """A table at which the record was played."""
    table = Table(rules, match=match_before(record[0]))
    for action in actions_of(record, dice_at_once):
        table.apply(action)
    return table
