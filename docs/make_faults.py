"""Writes the pages of the faults from the catalogue, with the display as it looks: docs/faults.md, docs/faults.zh.md.

python docs/make_faults.py
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Final

from PIL import Image

from tablectl.announce.announcer import fault_values
from tablectl.announce.fonts import Fonts
from tablectl.announce.render import render
from tablectl.announce.screens import screen
from tablectl.announce.texts import load_texts
from tablectl.base.faults import ROLES, Fault, FaultKind, Severity, catalogue

DOCS: Final = Path(__file__).parent
IMAGES: Final = DOCS / "images" / "faults"
LANGUAGES: Final = ("en", "zh")
SCALE: Final = 2

PARTS: Final = {
    "L": ("dome", "中心升降"),
    "W": ("trays", "升牌台"),
    "D": ("drum", "大盘"),
    "C": ("counts", "牌数"),
    "H": ("heads", "机头"),
    "K": ("chain and belts", "链条、皮带"),
    "Z": ("dice", "骰子"),
    "S": ("sensors", "传感器"),
    "R": ("readers", "读卡器"),
    "X": ("tile sets", "牌"),
    "V": ("displays and voice", "显示与语音"),
    "J": ("records", "记录"),
    "B": ("boards", "控制板"),
    "P": ("power", "电源"),
    "O": ("outputs", "输出"),
    "E": ("safety", "安全"),
    "M": ("maintenance", "保养"),
}
WORDS: Final = {
    "en": {
        "title": "Faults by their code",
        "intro": [
            "The display shows the code at its top and the part below; its next pages say what to do and what "
            "usually causes it. A fault that **stops** the table holds everything where it is until a person has "
            'looked and cleared it at the page (or with `tablectl ctl faults.clear \'{"id": "H02"}\'`). '
            "With a **warning** people play on.",
            "Made by `docs/make_faults.py` from the catalogue of the program. What an operator does day by day: "
            "[operation.md](operation.md).",
        ],
        "stop": "stops the table",
        "warn": "warning",
        "recovers": "ends by itself when its cause is gone",
        "clear": "cleared by",
        "causes": "Usual causes",
        "next": "What to do",
    },
    "zh": {
        "title": "故障代码",
        "intro": [
            "屏幕顶部显示代码，下面是部位；后面几页说怎么办、常见原因。**停机**故障会让一切停在原处，直到有人看过，并在页面上"
            '（或用 `tablectl ctl faults.clear \'{"id": "H02"}\'`）解除。**提醒**不影响继续打牌。',
            "由 `docs/make_faults.py` 从程序的故障目录生成。日常操作见[操作手册](operation.zh.md)。",
        ],
        "stop": "停机",
        "warn": "提醒",
        "recovers": "原因消除后自动结束",
        "clear": "可由以下人员解除：",
        "causes": "常见原因",
        "next": "怎么办",
    },
}
ROLE_WORDS: Final = {
    "en": {role: role for role in ROLES},
    "zh": {"player": "牌手", "operator": "机主", "referee": "裁判", "technician": "技术员"},
}


def main() -> None:
    fonts = Fonts()
    if fonts.ascii_only:
        raise SystemExit(fonts.warning)
    IMAGES.mkdir(parents=True, exist_ok=True)
    for language in LANGUAGES:
        for kind in catalogue().values():
            picture(kind, language, fonts).save(IMAGES / f"{kind.code}-{language}.png", optimize=True)
        suffix = "" if language == "en" else f".{language}"
        (DOCS / f"faults{suffix}.md").write_text(page(language), encoding="utf-8")


def picture(kind: FaultKind, language: str, fonts: Fonts) -> Image.Image:
    """The first page that the middle display shows of a fault."""
    texts = load_texts(language)
    part = next((cause.partition("@")[2] for cause in kind.raised_as if "@" in cause), "")
    fault = Fault(kind, part, "", 0.0, 0.0)
    name = "fault" if kind.severity is Severity.STOP else "warning"
    shown = render(screen(name, {"context": "", **fault_values(fault)}, texts), fonts=fonts)
    return shown.convert("1").resize((shown.width * SCALE, shown.height * SCALE), Image.Resampling.NEAREST)


def page(language: str) -> str:
    """The page of all faults, part by part."""
    return "\n".join(_lines(language)) + "\n"


def _lines(language: str) -> Iterator[str]:
    words = WORDS[language]
    yield f"# {words['title']}"
    for paragraph in words["intro"]:
        yield ""
        yield str(paragraph)
    for letter, kinds in groupby(sorted(catalogue().values(), key=_order), key=lambda kind: kind.code[0]):
        english, chinese = PARTS[letter]
        yield ""
        yield f"## {letter}: {english if language == 'en' else chinese}"
        for kind in kinds:
            yield ""
            yield from _entry(kind, language)


def _order(kind: FaultKind) -> tuple[int, str]:
    return list(PARTS).index(kind.code[0]), kind.code


def _entry(kind: FaultKind, language: str) -> Iterator[str]:
    words, text = WORDS[language], Fault(kind, "…", "…", t=0.0, wall=0.0).text(language)
    roles = [ROLE_WORDS[language][role] for role in ROLES if role in kind.clear_by]
    who = f"{words['clear']} {', '.join(roles)}" if language == "en" else f"{words['clear']}{'、'.join(roles)}"
    facts = [words["stop"] if kind.severity is Severity.STOP else words["warn"], who]
    facts += [words["recovers"]] if kind.recovers else []
    colon, stop = (": ", "; ") if language == "en" else ("：", "；")
    yield f"### {kind.code} {text.title}"
    yield ""
    yield f"![{kind.code}](images/faults/{kind.code}-{language}.png)"
    yield ""
    yield stop.join(map(str, facts)) + ("." if language == "en" else "。")
    yield ""
    yield f"- **{words['causes']}**{colon}{stop.join(text.causes)}"
    yield f"- **{words['next']}**{colon}{text.next_step}"


if __name__ == "__main__":
    main()
