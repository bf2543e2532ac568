"""One example of every screen: for the pictures in the documentation and for trying a display (`tablectl selftest`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from tablectl.announce.announcer import fault_values
from tablectl.announce.screens import LAYOUTS, Screen, screen
from tablectl.announce.texts import Texts
from tablectl.announce.words import Fan, Phrase, Seat, Signed, Tiles, Wind
from tablectl.base.faults import Fault, kind_of
from tablectl.tiles.tile import Tile

_DEALER: Final = 0
_CONTEXT: Final = Phrase("header.hand", (("wind", Phrase("wind.E")), ("hand", 3), ("double", "")))
_DOUBLED: Final = Phrase("header.hand", (("wind", Phrase("wind.E")), ("hand", 4), ("double", Phrase("header.double"))))


def _seat(seat: int) -> Seat:
    return Seat(seat, _DEALER)


def _amounts(*points: int) -> list[tuple[object, object]]:
    return [(Wind(seat, _DEALER), Signed(amount)) for seat, amount in enumerate(points)]


def _totals(*rows: tuple[int, str, int, int]) -> list[tuple[object, ...]]:
    return [(Wind(seat, _DEALER, marked=True), name, points, Signed(change)) for seat, name, points, change in rows]


def _fault(code: str, where: str) -> dict[str, Any]:
    return fault_values(Fault(kind_of(code), where, "", t=0.0, wall=0.0))


VALUES: Final[Mapping[str, Mapping[str, Any]]] = {
    "idle": {},
    "waiting": {"ready": 2, "seats": [(Wind(seat, _DEALER), seat in (0, 2)) for seat in range(4)]},
    "homing": {},
    "machine": {"title": Phrase("machine.collecting"), "note": Phrase("machine_note.collecting")},
    "shuffling": {"sides": [(Wind(0, 0), 36, 36), (Wind(1, 0), 21, 36), (Wind(2, 0), 30, 36), (Wind(3, 0), 8, 36)]},
    "fault": _fault("H02", "head.1"),
    "warning": _fault("D04", ""),
    "paused": {},
    "walls_ready": {"seat": _seat(0), "hash": "3f9a 07c2"},
    "dice_again": {"seat": _seat(2), "total": 7},
    "stakes": {
        "stakes": [
            (Phrase("stakes.sit", (("seat", _seat(0)),)),),
            (Phrase("stakes.pull", (("seat", _seat(1)), ("n", 2))),),
        ]
    },
    "dice": {"dice": (3, 5), "seat": _seat(3), "stack": 8},
    "double": {"seat": _seat(0), "streak": 1, "context": _DOUBLED},
    "dealing": {"seat": _seat(3), "stack": 8},
    "turning": {},
    "wild": {"tiles": Tiles((Tile.M5,))},
    "flowers": {"seat": _seat(2)},
    "turn": {"seat": _seat(1), "seconds": 7, "limit": 10},
    "last_round": {"seat": _seat(2)},
    "hurry": {"seat": _seat(2), "seconds": 3, "limit": 10},
    "claim": {"seat": _seat(1), "word": Phrase("call.pung")},
    "payment": {"seat": _seat(1), "what": Phrase("pays.exposed_kong"), "amounts": _amounts(0, 12, -12, 0)},
    "common_payment": {"what": Phrase("pays.chase"), "amounts": _amounts(-12, 4, 4, 4)},
    "handover": {"what": Phrase("pays.penalty"), "cards": [(Wind(1, 0), "1×10 2×1"), (Wind(3, 0), "2×1")]},
    "proposed": {"seat": _seat(1), "word": Phrase("call.self_draw"), "wait": Phrase("proposed.referee")},
    "win": {
        "seat": _seat(1),
        "word": Phrase("call.self_draw"),
        "fans": [(Fan("清一色"), 30), (Fan("清龙"), 10), (Fan("门清"), 8), (Fan("妙手回春"), 8), (Fan("花牌"), 4)],
        "score": 60,
        "unit": Phrase("unit.competition"),
        "amounts": _amounts(-60, 180, -60, -60),
    },
    "drawn": {},
    "broken_off": {"reason": ""},
    "totals": {
        "wind": Phrase("wind.E"),
        "hand": 3,
        "totals": _totals((0, "张伟", 40, -60), (1, "王芳", 280, 180), (2, "李娜", 52, -60), (3, "刘洋", 28, -60)),
    },
    "time_left": {"minutes": 5},
    "last_hand": {},
    "game_over": {},
    "game_end": {
        "totals": [
            (Phrase("game_end.rank", (("rank", rank),)), Wind(seat, _DEALER), name, points)
            for rank, seat, name, points in (
                (1, 1, "王芳", 188),
                (2, 2, "李娜", 112),
                (3, 0, "张伟", 96),
                (4, 3, "刘洋", 4),
            )
        ]
    },
    "next_seats": {"seats": [(Wind(seat, 0), name, "") for seat, name in enumerate(("王芳", "张伟", "刘洋", "李娜"))]},
    "offence": {"text": Phrase("alert.wall_mismatch")},
    "offence_seat": {"seat": _seat(2), "text": Phrase("alert.draw_out_of_turn")},
    "dead": {"seat": _seat(3), "text": Phrase("dead.mechanical")},
    "pairing": {"codes": [(_seat(2), "402817")]},
}


def sample(kind: str, texts: Texts, page: int = 0, simulated: bool = False) -> Screen:
    """The example of ``kind``, one of `KINDS`."""
    return screen(kind, {"context": _CONTEXT, "simulated": simulated, **VALUES[kind]}, texts, page)


KINDS: Final = tuple(LAYOUTS)
