"""`/metrics` in the text format of Prometheus (version 0.0.4): figures of the core, told over the link, and our own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from fastapi import APIRouter, Depends
from fastapi.responses import PlainTextResponse

from tablectl.link.protocol import RpcError
from tablectl.web.doors import TheHub, may_read_figures
from tablectl.web.hub import Hub

router = APIRouter()
CONTENT_TYPE: Final = "text/plain; version=0.0.4"

#: name of the core's figure: (kind, what it is); the name gets the prefix ``tablectl_``
CORE: Final[Mapping[str, tuple[str, str]]] = {
    "hands_total": ("counter", "Hands that are over since the core was started."),
    "events_total": ("counter", "Number of the last event in the journal."),
    "cycles_total": ("counter", "Shuffles of the machine over its life."),
    "faults_total": ("counter", "Faults that were raised since the core was started, by code."),
    "faults_standing": ("gauge", "Faults that stand now, by severity."),
    "read_tags_total": ("counter", "Tiles that lay in an antenna zone when it was read, one for each tile and read."),
    "read_misses_total": ("counter", "… that did not answer."),
    "read_ghosts_total": ("counter", "Answers in a zone of tiles that lie in another one, its home."),
    "loop_lag_seconds": ("gauge", "How late timers of the core are now."),
    "link_clients": ("gauge", "Programs connected to the core."),
    "uptime_seconds": ("gauge", "Seconds since the core was started."),
}


@router.get("/metrics", include_in_schema=False, dependencies=[Depends(may_read_figures)])
async def metrics(hub: TheHub) -> PlainTextResponse:
    """Figures for Prometheus. Without a core its own are still told."""
    lines = list(_own(hub))
    try:
        figures: Mapping[str, Any] = await hub.staff.call("core.figures")
    except RpcError:
        figures = {}
    for name, (kind, help_) in CORE.items():
        if name in figures:
            lines += _metric(name, kind, help_, figures[name])
    return PlainTextResponse("\n".join(lines) + "\n", media_type=CONTENT_TYPE)


def _own(hub: Hub) -> Iterable[str]:
    yield from _metric("core_up", "gauge", "Whether the core answers.", int(hub.staff.connected))
    pages = [({"role": role}, count) for role, count in sorted(hub.pages_by_role.items())]
    yield from _metric("web_pages", "gauge", "Live views open, by role.", pages)
    yield from _metric("web_delay_seconds", "gauge", "How far spectators are behind.", hub.spectators.delay)


def _metric(name: str, kind: str, help_: str, value: Any) -> Iterable[str]:
    """``value``: a number, or a list of (labels, number)."""
    yield f"# HELP tablectl_{name} {help_}"
    yield f"# TYPE tablectl_{name} {kind}"
    for labels, number in value if isinstance(value, list) else [({}, value)]:
        text = ",".join(f'{key}="{_escaped(str(word))}"' for key, word in labels.items())
        yield f"tablectl_{name}{'{' + text + '}' if text else ''} {number:g}"


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
