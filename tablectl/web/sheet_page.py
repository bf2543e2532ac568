"""The result sheet as a page to print: A4, landscape, as many columns to a part as fit. Plain HTML without scripts.

The data are those of `game.sheet_model.Sheet.to_json`; all text is escaped here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, tzinfo
from html import escape
from pathlib import Path
from typing import Any, Final

from tablectl.web.sheet_words import LANGUAGES, word

Json = Mapping[str, Any]

STYLE: Final = Path(__file__).parent / "static" / "sheet.css"
#: columns that fit on a page; English names of fans need more room
COLUMNS_A_PART: Final = {"zh": 16, "en": 12}
#: so many columns or more share the whole width of the page
FEW: Final = 7


def page(
    sheets: Sequence[Json],
    lang: str,
    *,
    style: str | None = None,
    fans: Mapping[str, str] | None = None,
    zone: tzinfo | None = None,
    links: str = "",
) -> str:
    """A document of these sheets.

    ``style``: what stands in the head for the style sheet (default: the style sheet itself, so that the file needs
    nothing else); ``fans``: names of fans in this language; ``zone``: of the times (default: this machine's);
    ``links``: HTML above the sheets that is not printed.
    """
    if lang not in LANGUAGES:
        raise ValueError(f"language {lang!r}; expected one of {', '.join(LANGUAGES)}")
    style = style if style is not None else f"<style>\n{STYLE.read_text(encoding='utf-8')}</style>"
    body = "".join(_Page(sheet, lang, fans or {}, zone).html() for sheet in sheets)
    body = body or f"<p>{word('no_sheet', lang)}</p>"
    html_lang = "zh-CN" if lang == "zh" else "en"
    return (
        f'<!doctype html>\n<html lang="{html_lang}">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{word('title', lang)}</title>\n{style}\n</head>\n<body>\n{links}{body}</body>\n</html>\n"
    )


def signed(points: int) -> str:
    return f"+{points}" if points > 0 else f"−{-points}" if points < 0 else "0"


def _even(columns: int, most: int) -> int:
    """Columns to a part, so that all parts have as many (the last may lack some)."""
    parts = max(1, -(-columns // most))
    return max(1, -(-columns // parts))


class _Page:
    def __init__(self, sheet: Json, lang: str, fans: Mapping[str, str], zone: tzinfo | None) -> None:
        self.sheet, self.lang, self.fans, self.zone = sheet, lang, fans, zone
        self.off_board = any(any(column["off_board"]) for column in sheet["columns"])

    def w(self, key: str, **values: object) -> str:
        return escape(word(key, self.lang).format(**values))

    # --- the whole

    def html(self) -> str:
        columns = self.sheet["columns"]
        size = _even(len(columns), COLUMNS_A_PART[self.lang])
        parts = [columns[n : n + size] for n in range(0, len(columns), size)] or [[]]
        tables = "".join(
            f'<section class="part">{self._head(n, len(parts))}'
            f"{self._table(part, last=n == len(parts))}{self._foot() if n == len(parts) else ''}</section>"
            for n, part in enumerate(parts, 1)
        )
        return f'<article class="sheet">{tables}{self._particulars()}</article>'

    def _head(self, part: int, parts: int) -> str:
        sheet, head = self.sheet, self.sheet["head"]
        begun, ended = self._time(sheet["begun"]), self._time(sheet["ended"])
        rules = sheet["rules_zh"] if self.lang == "zh" else sheet["rules_en"]
        fields = [
            ("event", head["event"]),
            ("round", head["round"]),
            ("game", str(sheet["game"])),
            ("table", head["table"]),
            ("date", begun[:10]),
            ("begun", begun[11:]),
            ("ended", ended[11:]),
            ("rules", rules),
        ]
        cells = "".join(f"<div><dt>{self.w(key)}</dt><dd>{escape(value)}</dd></div>" for key, value in fields)
        mark = f'<strong class="simulated">{self.w("simulated")}</strong>' if sheet["simulated"] else ""
        number = f" <small>{part}/{parts}</small>" if parts > 1 else ""
        return f"<header><h1>{self.w('title')}{number}</h1>{mark}<dl>{cells}</dl></header>"

    def _time(self, seconds: float | None) -> str:
        if seconds is None:
            return ""
        utc = datetime.fromtimestamp(seconds, UTC)
        return utc.astimezone(self.zone).strftime("%Y-%m-%d %H:%M")

    # --- the table

    def _table(self, part: Sequence[Json], *, last: bool) -> str:
        heads = "".join(self._column_head(column) for column in part)
        ends = "".join(f'<th class="end">{self.w(key)}</th>' for key in ("sum", "rank", "signature")) if last else ""
        rows = "".join(self._player(row, part, last=last) for row in range(4))
        few = " few" if len(part) < FEW else ""
        return (
            f'<table class="grid{few}"><thead><tr><th class="who">{self.w("player")}</th><th class="line"></th>'
            f"{heads}{ends}</tr></thead>{rows}<tbody>{self._checks(part, last=last)}</tbody></table>"
        )

    def _column_head(self, column: Json) -> str:
        if column["hand"] is None:
            return f'<th class="hand between"><small>{self.w("between")}</small></th>'
        wind = self.w(f"wind.{column['prevalent']}")
        double = f'<em title="{self.w("doubled")}">{self.w("doubled")}</em>' if column["doubled"] else ""
        return f'<th class="hand"><small>{wind}</small>{column["hand"]}{double}</th>'

    def _player(self, row: int, part: Sequence[Json], *, last: bool) -> str:
        player = self.sheet["players"][row]
        lines = ["signs", "win", "won", "lost", *(["off_board"] if self.off_board else []), "points"]
        team = " · ".join(escape(text) for text in (player["team"], player["number"]) if text)
        who = (
            f'<th class="who" rowspan="{len(lines)}" scope="rowgroup"><b>{escape(player["name"] or "—")}</b>'
            f"<span>{team}</span><small>{self.w('seat', n=player['seat'] + 1)}</small></th>"
        )
        ends = ""
        if last:
            total = f"<b>{player['total']}</b>"
            if player["off_board"]:
                total += f"<small>{player['points']} {signed(player['off_board'])}</small>"
            standard = f"<small>{self.w('standard')} {player['standard']}</small>" if player["standard"] else ""
            standard += f"<small>{self.w('advances')}</small>" if player["advances"] else ""
            cells = (total, f"<b>{player['rank']}</b>{standard}", "")
            ends = "".join(f'<td class="end" rowspan="{len(lines)}">{cell}</td>' for cell in cells)
        html = ""
        for n, line in enumerate(lines):
            cells_of_line = "".join(self._cell(line, row, column) for column in part)
            html += (
                f'<tr class="{line}">{who if n == 0 else ""}<th class="line" scope="row">{self.w(f"line.{line}")}</th>'
                f"{cells_of_line}{ends if n == 0 else ''}</tr>"
            )
        return f"<tbody>{html}</tbody>"

    def _cell(self, line: str, row: int, column: Json) -> str:
        cell = column["cells"][row]
        between = " between" if column["hand"] is None else ""
        if line == "signs":
            return f'<td class="signs{between}">{escape(cell["signs"])}</td>'
        if line == "win":
            return f'<td class="win{between}">{self._win(cell)}</td>'
        if line == "points":
            return f'<td class="points{between}">{column["points"][row]}</td>'
        if line == "off_board":
            return f'<td class="off{between}">{signed(cell["off_board"]) if cell["off_board"] else ""}</td>'
        value = cell[line]
        return f'<td class="{line}{between}">{value or ""}</td>'

    def _win(self, cell: Json) -> str:
        if cell["score"] is None:
            return ""
        names = [self.fans.get(name, name) for name in cell["fans"]]
        text = cell["name"] if cell["name"] and self.lang == "zh" else (" · " if self.lang == "en" else "·").join(names)
        return f"{escape(text or self.w('plain'))} <b>{cell['score']}</b>"

    def _checks(self, part: Sequence[Json], *, last: bool) -> str:
        """The sum of each column of points on the table: 0 with what went into the pot."""
        cells = ""
        for column in part:
            wrong = column["wrong"]
            mark = f'<td class="wrong" title="{escape("; ".join(wrong))}">✗</td>'
            cells += mark if wrong else f"<td>{sum(column['deltas'])}</td>"
        ends = ""
        if last:
            totals = [player["total"] for player in self.sheet["players"]]
            ends = f'<td class="end">{sum(totals)}</td><td class="end"></td><td class="end"></td>'
        return f'<tr class="check"><th class="who"></th><th class="line">{self.w("check")}</th>{cells}{ends}</tr>'

    def _foot(self) -> str:
        sheet = self.sheet
        named = ", ".join(sheet["referee"])
        over = f"<p>{self.w('over')}: {self.w('reason.' + sheet['over'])}</p>" if sheet["over"] else ""
        signs = "".join(
            f"<div><span>{self.w(key)}</span><i></i><small>{escape(text)}</small></div>"
            for key, text in (("referee", named), ("chief_referee", ""))
        )
        over += f"<p>{self.w('unconfirmed')}</p>" if sheet["confirmed"] is False else ""
        legend = f"<p>{self.w('legend')}</p>"
        wrong = "".join(f'<p class="wrong">{escape(line)}</p>' for line in sheet["wrong"])
        return f'<footer>{over}{legend}{wrong}<div class="signatures">{signs}</div></footer>'

    # --- what was paid, and what the referee ruled

    def _particulars(self) -> str:
        lines = [
            (column, line) for column in self.sheet["columns"] for line in column["lines"] if line["kind"] != "win"
        ]
        notes = self.sheet["notes"]
        if not lines and not notes:
            return ""
        payments = f"<div><h2>{self.w('payments')}</h2>{self._payments(lines)}</div>" if lines else ""
        rulings = f"<div><h2>{self.w('rulings')}</h2>{self._rulings(notes)}</div>" if notes else ""
        return f'<section class="particulars">{payments}{rulings}</section>'

    def _payments(self, lines: Sequence[tuple[Json, Json]]) -> str:
        names = "".join(f"<th>{escape(player['name'] or '—')}</th>" for player in self.sheet["players"])
        rows = "".join(
            f"<tr><td>{self._hand(column['hand'])}</td><td>{self.w('reason.' + line['reason'])}</td>"
            f"{''.join(self._moved(line, row) for row in range(4))}</tr>"
            for column, line in lines
        )
        head = f"<tr><th>{self.w('hand')}</th><th>{self.w('what')}</th>{names}</tr>"
        return f"<table><thead>{head}</thead><tbody>{rows}</tbody></table>"

    def _moved(self, line: Json, row: int) -> str:
        moved, off = line["deltas"][row], line["off_board"][row]
        text = signed(moved) if moved else ""
        off_text = f" ({self.w('line.off_board')} {signed(off)})" if off else ""
        return f"<td>{text}{off_text}</td>"

    def _rulings(self, notes: Sequence[Json]) -> str:
        return f"<ol>{''.join(f'<li>{text}</li>' for text in self._ruled(notes))}</ol>"

    def _ruled(self, notes: Sequence[Json]) -> Iterator[str]:
        for note in notes:
            row = note["row"]
            who = "" if row is None else escape(self.sheet["players"][row]["name"] or self.w("seat", n=row + 1))
            points = "" if note["points"] is None else f" {note['points']}"
            parts = [f"{self.w('do.' + note['do'])}{points}", who, escape(note["reason"]), f"({escape(note['by'])})"]
            yield f"{self._hand(note['hand'])}: {' '.join(part for part in parts if part)}"

    def _hand(self, number: int | None) -> str:
        return self.w("between") if number is None else self.w("hand_n", n=number)
