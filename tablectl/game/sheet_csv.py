"""The result sheet as rows for a spreadsheet: one for each player and hand."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

HEADS: Final = (
    *("game", "hand", "circle", "wind", "ended", "doubled", "row", "name", "team", "number", "seat"),
    *("signs", "win", "score", "won", "lost", "change", "off_board", "points", "off_board_total", "rank", "advances"),
)


def sheet_csv(sheets: Sequence[Mapping[str, Any]], end: str = "\r\n") -> str:
    """CSV of sheets as `sheet_model.Sheet.to_json` gives them; lines end with ``end``."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator=end)
    writer.writerow(HEADS)
    writer.writerows(_rows(sheets))
    return text.getvalue()


def _rows(sheets: Sequence[Mapping[str, Any]]) -> Iterator[list[object]]:
    for sheet in sheets:
        for column in sheet["columns"]:
            for row, (cell, player) in enumerate(zip(column["cells"], sheet["players"], strict=True)):
                yield [
                    *(sheet["game"], column["hand"] or "", column["circle"], column["prevalent"], column["ended"]),
                    *("yes" if column["doubled"] else "", row + 1, player["name"], player["team"], player["number"]),
                    *(cell["seat"], cell["signs"], " ".join(f"{fan} {value}" for fan, value in cell["fans"].items())),
                    *("" if cell["score"] is None else cell["score"], cell["won"], cell["lost"], column["deltas"][row]),
                    *(cell["off_board"], column["points"][row], column["off_board"][row], player["rank"]),
                    "yes" if player["advances"] else "",
                ]
