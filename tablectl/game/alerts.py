"""Alert codes: offences and doubts that a person should look at (docs/rules/README.md)."""

from __future__ import annotations

from typing import Final

#: the detail of an ``impossible_move`` that a discard is: another seat is in turn
OUT_OF_TURN: Final = "discard out of turn"
#: code → what it means
ALERTS: Final[dict[str, str]] = {
    "dice_wrong_seat": "dice key pressed by another seat than the one to throw, in the wrong phase, or twice",
    "wrong_break": "deal: a tile from the wrong stack, a wrong block, a missed or wrong jump",
    "draw_out_of_turn": "a tile taken before the previous discard lies, or by a seat whose turn it is not",
    "wrong_wall_end": "a replacement taken at the head, a turn draw at the tail, or not the tile due",
    "draw_from_reserve": "a tile taken from the part of the wall that stays undrawn",
    "wrong_tile_count": "too many or too few tiles at a rest point",
    "flower_discarded": "a flower discarded where it must be laid open",
    "flower_kept": "a flower still standing past the seat's own discard",
    "false_meld": "tiles laid open that are no meld, or a meld the rules do not allow",
    "claim_not_carried_out": "a call without the tiles for it, or not followed by its meld",
    "wrong_call": "a meld laid open that is another than the one called",
    "late_claim": "a claim after the claim window, or after the next tile has left the wall",
    "kong_refused": "a kong when the rules do not allow it at this moment",
    "last_round_discard": "a tile discarded in the last round",
    "false_win": "a win declared that is refused",
    "over_time": "a discard or choice after its time limit",
    "mechanical_discard": "a seat that must discard the drawn tile discards another one",
    "tile_exposed": "a standing tile, or a tile of the wall, seen face up",
    "hand_mixed_early": "tiles mixed before the declared win was checked and agreed",
    "hand_shown_early": "a hand laid open while another seat's win is not yet confirmed",
    "winning_tile_mixed_in": "a self-drawn winning tile put among the standing tiles",
    "penalty_tile_kept": "another tile discarded than the penalty tile",
    "wrong_indicator": "another tile than the right one turned up as the indicator, or the indicator taken",
    "wild_discarded": "a wildcard discarded where that is forbidden",
    "stake_key_refused": "stakes key after the choice is closed, or by a seat that has no such choice",
    "first_wildcard_kept": "the first wildcard was not thrown",
    "wildcard_not_shown": "a later wildcard was discarded without being shown",
    "second_wildcard_hidden": "held wildcards were not shown",
    "tickets_mismatch": "the tickets of the four seats do not add up",
    "seat_empty": "a seat absent at the start, or left during play",
    "seat_change": "a player at another seat than his own",
    "unknown_tag": "a tag that belongs to no known set",
    "tag_lost": "a tile whose tag does not answer any more",
    "duplicate_tile": "two tiles with one tag, or one tile too many of a kind",
    "wrong_set": "a tile of the other set",
    "moved_while_off": "tiles moved while the table was off, in a way or an order that cannot be made out",
    "wall_mismatch": "the wall is not what the lanes read",
    "impossible_move": "tiles moved in a way that no play explains",
}
