"""Headless Chromium, driven over the DevTools protocol from the test's own event loop.

async with served(settings, link_path) as url, launched() as browser:
    page = await browser.page(390, 844, dark=True)
    await page.open(url)
    await page.wait_for("document.querySelectorAll('.tile').length > 50")
    assert "2p" not in page.received  # every WebSocket frame the page got, as text
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import itertools
import json
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection, connect

from tablectl.commands.printing import BROWSERS
from tablectl.web.app import server
from tablectl.web.settings import WebSettings

CHROMIUM = next(filter(None, map(shutil.which, BROWSERS)), None)
needs_chromium = pytest.mark.skipif(
    CHROMIUM is None, reason="Chromium is not here: apt-get install chromium-headless-shell"
)

#: a page must be there within this, on a machine that does other work too
PATIENCE_SECONDS = 60.0
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--hide-scrollbars",
    "--force-color-profile=srgb",
    "--remote-debugging-port=0",
    "--log-level=3",
)


#: the middle of an element, scrolled to, once it is in the same place for two pictures
STANDING = """async (selector) => {
  const picture = () => new Promise(requestAnimationFrame);
  const place = () => {
    const element = document.querySelector(selector);
    element?.scrollIntoView({ block: "center", behavior: "instant" });
    const box = element?.getBoundingClientRect();
    return box && { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  };
  for (let before = place(); ;) {
    await picture();
    const now = place();
    if (now && before && now.x === before.x && now.y === before.y) return now;
    before = now;
  }
}"""


@asynccontextmanager
async def served(settings: WebSettings, link_path: Path) -> AsyncIterator[str]:
    """The web server on a free port in this event loop; gives its address."""
    web = server(settings.model_copy(update={"port": 0}), link_path)
    serving = asyncio.ensure_future(web.serve())
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            while not web.started:
                if serving.done():
                    await serving
                await asyncio.sleep(0.01)
        host, port = web.servers[0].sockets[0].getsockname()[:2]
        yield f"http://{host}:{port}"
    finally:
        web.should_exit = True
        await serving


class Page:
    """One page (tab) with a session of its own: cookies and storage are not shared."""

    def __init__(self, browser: Browser, session: str) -> None:
        self._browser = browser
        self._session = session
        #: where the mouse was pressed last
        self._pointer: dict[str, float] = {}
        #: WebSocket frames that came, as text, and what the console complained of
        self.frames: list[str] = []
        self.complaints: list[str] = []

    @property
    def received(self) -> str:
        return "\n".join(self.frames)

    async def command(self, method: str, **params: Any) -> dict[str, Any]:
        return await self._browser.command(method, params, self._session)

    async def open(self, url: str) -> None:
        await self.command("Page.navigate", url=url)
        await self.wait_for(f"location.href !== 'about:blank' && document.readyState === 'complete' && {url!r} !== ''")

    async def evaluate(self, script: str) -> Any:
        """The value of a JavaScript expression; a promise is awaited."""
        answer = await self.command("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise AssertionError(f"{script}: {answer['exceptionDetails'].get('exception', {}).get('description')}")
        return answer["result"].get("value")

    async def wait_for(self, condition: str, seconds: float = PATIENCE_SECONDS) -> None:
        """Wait until a JavaScript expression is true."""
        try:
            async with asyncio.timeout(seconds):
                while not await self._true(condition):  # noqa: ASYNC110 - any condition of the page
                    await asyncio.sleep(0.03)
        except TimeoutError:
            shown = await self.evaluate("document.body.innerText.slice(0, 2000)")
            raise AssertionError(f"never became true: {condition}\n{self.complaints}\n{shown}") from None

    async def until(self, condition: Callable[[], bool], seconds: float = PATIENCE_SECONDS) -> None:
        """Wait until something outside the page is true."""
        async with asyncio.timeout(seconds):
            while not condition():  # noqa: ASYNC110 - any condition of the test
                await asyncio.sleep(0.01)

    async def _true(self, condition: str) -> bool:
        try:
            return bool(await self.evaluate(f"!!({condition})"))
        except (AssertionError, DevToolsError):  # the page is being replaced by the next one
            return False

    async def click(self, selector: str) -> None:
        """Click in the middle of an element, as a mouse does: what covers it gets the click."""
        await self.press_down(selector)
        await self.let_go()

    async def press_down(self, selector: str) -> None:
        """Press the mouse's button in the middle of an element, once that stands still."""
        await self.wait_for(f"document.querySelector({selector!r})?.checkVisibility()")
        self._pointer = await self.evaluate(f"({STANDING})({selector!r})")
        await self.command(
            "Input.dispatchMouseEvent", type="mousePressed", button="left", clickCount=1, **self._pointer
        )

    async def let_go(self) -> None:
        """Let the mouse's button go where it was pressed."""
        await self.command(
            "Input.dispatchMouseEvent", type="mouseReleased", button="left", clickCount=1, **self._pointer
        )

    async def press(self, key: str) -> None:
        """A key, e.g. ``Tab``, ``Enter``, ``ArrowRight``."""
        codes = {"Tab": 9, "Enter": 13, "Escape": 27, "ArrowLeft": 37, "ArrowRight": 39}
        more = {"text": "\r"} if key == "Enter" else {}
        for kind in ("keyDown", "keyUp"):
            await self.command("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=codes[key], **more)

    async def type(self, text: str) -> None:
        await self.command("Input.insertText", text=text)

    async def text(self, selector: str) -> str:
        return str(await self.evaluate(f"document.querySelector({selector!r})?.innerText ?? ''"))

    async def tiles(self, selector: str) -> list[str]:
        """The codes of the tiles inside an element, in order; ``back`` for one face down."""
        script = f"[...document.querySelectorAll({selector + ' .tile'!r})].map(t => t.dataset.tile)"
        return list(await self.evaluate(script))

    async def screenshot(self) -> bytes:
        """What the page looks like: a PNG."""
        shot = await self.command("Page.captureScreenshot", format="png")
        return base64.b64decode(shot["data"])

    def take(self, method: str, params: dict[str, Any]) -> None:
        """An event of the DevTools protocol."""
        if method == "Network.webSocketFrameReceived":
            self.frames.append(params["response"]["payloadData"])
        elif method == "Runtime.exceptionThrown":
            self.complaints.append(params["exceptionDetails"].get("exception", {}).get("description", "exception"))
        elif method == "Log.entryAdded" and params["entry"]["level"] == "error":
            self.complaints.append(params["entry"]["text"])


class DevToolsError(Exception):
    """Chromium refused a command."""


class Browser:
    """A running Chromium."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._ids = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._pages: dict[str, Page] = {}
        self._contexts: list[dict[str, Any]] = []

    async def close(self) -> None:
        """Close the pages, with their cookies and storage."""
        for context in self._contexts:
            await self.command("Target.disposeBrowserContext", context)
        self._contexts.clear()

    async def page(self, width: int = 1280, height: int = 800, *, dark: bool = False) -> Page:
        """A new page of this size that prefers the light or the dark theme; a narrow one is a phone."""
        context = await self.command("Target.createBrowserContext", {})
        self._contexts.append(context)
        target = await self.command("Target.createTarget", {"url": "about:blank", **context})
        session = (await self.command("Target.attachToTarget", {**target, "flatten": True}))["sessionId"]
        page = self._pages[session] = Page(self, session)
        for domain in ("Page", "Runtime", "Network", "Log"):
            await page.command(f"{domain}.enable")
        phone = width < 600
        await page.command(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=2 if phone else 1,
            mobile=phone,
        )
        theme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        await page.command("Emulation.setEmulatedMedia", features=theme)
        return page

    async def command(self, method: str, params: dict[str, Any], session: str | None = None) -> dict[str, Any]:
        call_id = next(self._ids)
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._waiting[call_id] = answer
        message = {"id": call_id, "method": method, "params": params}
        await self._socket.send(json.dumps(message if session is None else {**message, "sessionId": session}))
        async with asyncio.timeout(PATIENCE_SECONDS):
            reply = await answer
        if "error" in reply:
            raise DevToolsError(f"{method}: {reply['error']['message']}")
        return dict(reply["result"])

    async def listen(self) -> None:
        async for message in self._socket:
            data = json.loads(message)
            if "id" in data:
                waiting = self._waiting.pop(data["id"])
                if not waiting.done():
                    waiting.set_result(data)
            elif data.get("sessionId") in self._pages:
                self._pages[data["sessionId"]].take(data["method"], data["params"])


class Chromium:
    """The browser of this test process: started when first wanted, ended with `end`."""

    def __init__(self) -> None:
        self._profile: tempfile.TemporaryDirectory[str] | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._address = ""

    def address(self) -> str:
        """Where it listens for DevTools."""
        if self._process is None or self._process.poll() is not None:
            self.end()
            self._start()
        return self._address

    def _start(self) -> None:
        assert CHROMIUM is not None
        self._profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        # It writes nothing into the home of whoever runs the tests.
        env = {**os.environ, "HOME": self._profile.name}
        command = (CHROMIUM, *FLAGS, f"--user-data-dir={self._profile.name}")
        self._process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True, env=env
        )
        assert self._process.stderr is not None
        said = []
        for line in self._process.stderr:
            said.append(line.decode(errors="replace"))
            if "DevTools listening on " in said[-1]:
                self._address = said[-1].split("DevTools listening on ")[1].strip()
                return
        raise AssertionError("Chromium ended before it listened:\n" + "".join(said))

    def end(self) -> None:
        """Everything it started is ended with it."""
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.communicate()
            self._process = None
        if self._profile is not None:
            self._profile.cleanup()
            self._profile = None


SHARED = Chromium()


@asynccontextmanager
async def launched() -> AsyncIterator[Browser]:
    """A connection to the browser; the pages opened through it are closed with it."""
    async with connect(SHARED.address(), max_size=None) as socket:
        browser = Browser(socket)
        listening = asyncio.ensure_future(browser.listen())
        try:
            yield browser
            await browser.close()
        finally:
            listening.cancel()
            await asyncio.gather(listening, return_exceptions=True)
