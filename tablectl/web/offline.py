"""One hand as a single file that any browser opens and plays, without a network and without this program.

The page's own modules stand in it as they are: each becomes a ``data:`` address in the page's import map, and what a
module imports from ``./x.js`` it imports from that entry.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Any, Final

STATIC: Final = Path(__file__).parent / "static"
ENTRY: Final = "play.js"
STYLES: Final = ("base.css", "tiles.css", "board.css", "panel.css", "replay.css")

_IMPORT: Final = re.compile(r'(?<=from )"\./([\w-]+\.js)"')


def modules(entry: str = ENTRY) -> dict[str, str]:
    """The text of a module and of all that it imports, by file name; imports name other modules without ``./``."""
    found: dict[str, str] = {}
    waiting = [entry]
    while waiting:
        name = waiting.pop()
        if name not in found:
            text = (STATIC / name).read_text(encoding="utf-8")
            waiting += _IMPORT.findall(text)
            found[name] = _IMPORT.sub(r'"\1"', text)
    return found


def _address(text: str) -> str:
    return f"data:text/javascript;base64,{base64.b64encode(text.encode()).decode()}"


def in_script(value: Any) -> str:
    """JSON that can stand in a ``<script>``: nothing in it ends the element."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


def replay_page(played: Mapping[str, Any], lang: str) -> str:
    """The page of a hand, as `game.playback.playback` gives it, opening in ``zh`` or ``en``."""
    imports = in_script({"imports": {name: _address(text) for name, text in modules().items()}})
    style = "\n".join((STATIC / name).read_text(encoding="utf-8") for name in STYLES)
    title = escape(f"{played['rules']['zh']} · {played['record'][0]['hand']}")
    return f"""<!doctype html>
<html lang="{"zh-CN" if lang == "zh" else "en"}" data-lang="{escape(lang)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>
{style}
</style>
<script type="importmap">{imports}</script>
</head>
<body>
<div id="simulated" class="simulated" hidden><strong data-text="simulated"></strong></div>
<header class="bar">
  <h1 id="heading"></h1>
  <p id="names" class="hand-line"></p>
  <pre id="lines" class="line"></pre>
  <button id="save" class="quiet" type="button"></button>
  <button id="language" class="quiet" type="button">EN</button>
</header>
<main></main>
<noscript>This page needs JavaScript. 本页面需要 JavaScript。</noscript>
<script id="hand" type="application/json">{in_script(played)}</script>
<script type="module">import "{ENTRY}";</script>
</body>
</html>
"""
