"""A client of a table's web API, for scripts: requests by ``urllib``, the live view by a WebSocket.

    from tablectl.client import Table

    table = Table("http://localhost:8080", token="…")
    print(table.state()["state"]["table"]["match"]["points"])
    for message in table.live():
        for event in message["events"]:
            print(event["seq"], event["type"])

The API is described in docs/api.md and by ``/openapi.json``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from http.cookiejar import CookieJar
from threading import Event
from typing import Any, Final
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode, urlsplit, urlunsplit
from urllib.request import HTTPCookieProcessor, OpenerDirector, Request, build_opener

from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.sync.client import connect

#: seconds to wait for an answer
TIMEOUT: Final = 30.0
#: the server sends something at least every two seconds
SILENCE: Final = 15.0

#: seconds until a broken connection is tried again: the first time, and at most
RETRY: Final = (0.2, 5.0)
#: what may be over after a while: no connection, too many pages or requests
AGAIN: Final = frozenset({0, 429, 502, 503, 4429})

Json = dict[str, Any]


class ApiError(Exception):
    """The table did not do what was asked: the message is for a person. ``status``: that of HTTP, the close code of a
    WebSocket, or 0 where the table could not be reached."""

    def __init__(self, status: int, message: str) -> None:
        self.status = status
        super().__init__(message)


class Table:
    """A table at ``url`` (``http://host:8080``). ``token`` opens the role of a referee, operator or spectator, ``name``
    and ``password`` that of an account.

    Raises:
        ApiError: the token or the password opens nothing, or the table cannot be reached.
    """

    def __init__(
        self, url: str, token: str = "", *, name: str = "", password: str = "", timeout: float = TIMEOUT
    ) -> None:
        self.url = url.rstrip("/")
        self._timeout = timeout
        self._pause = Event()
        self._cookies = CookieJar()
        self._opener: OpenerDirector = build_opener(HTTPCookieProcessor(self._cookies))
        if token:
            self.post("login", token=token)
        elif name:
            self.post("login", name=name, password=password)

    # --- reading

    def session(self) -> Json:
        """The role of this client, and whether watching is open to everybody."""
        return self._json("session")

    def state(self) -> Json:
        """The whole state as this role sees it."""
        return self._json("state")

    def events(self, since: int = 0) -> Json:
        """The events after a number: ``seq``, ``events``, ``complete``."""
        return self._json("events", since=since)

    def hands(self) -> list[Json]:
        """One line a hand that is over."""
        return list(self._result("hands"))

    def hand(self, number: int) -> list[Json]:
        """The record of a hand that is over (docs/trace-format.md, section 2)."""
        return list(self._result(f"hands/{number}"))

    def hand_page(self, number: int, lang: str = "zh") -> str:
        """A page that plays a hand: one file of HTML."""
        return self._ask("GET", f"hands/{number}/page", None, {"lang": lang})

    def sheets(self) -> list[Json]:
        """The result sheets of the match, one a game."""
        return list(self._result("sheet")["sheets"])

    def stats(self) -> Json:
        """Fairness statistics over the table's journal."""
        return dict(self._result("stats"))

    def faults(self) -> list[Json]:
        """The faults that stand."""
        return list(self._result("faults"))

    def looks(self, before: int | None = None, limit: int = 100) -> list[Json]:
        """Who looked at standing tiles, the latest first (admin)."""
        query = {"limit": limit} | ({} if before is None else {"before": before})
        return list(self._json("access", **query)["result"])

    def metrics(self) -> str:
        """The figures for Prometheus (operator, admin)."""
        return self._fetch("GET", "metrics", None, {})

    # --- doing

    def referee(self, do: str, **particulars: Any) -> Any:
        """A referee's act: ``table.referee("penalty", seat=2, points=10, to="nobody", reason="…")``."""
        return self.post(f"referee/{do}", **particulars).get("result")

    def machine(self, do: str) -> Any:
        """Tell the machine: ``lift``, ``pause``, ``resume``, ``shuffle``, ``stop``."""
        return self.post(f"machine/{do}").get("result")

    def match(self, do: str, **particulars: Any) -> Any:
        """``start``, ``end`` or ``seats`` (``names`` of the four players)."""
        return self.post(f"match/{do}", **particulars).get("result")

    def player(self, do: str) -> Any:
        """A player's act for his own seat: ``agree``, ``score_query``, ``call``."""
        return self.post(f"player/{do}").get("result")

    def post(self, path: str, **body: Any) -> Json:
        """Any writing request below ``/api/``; what the table answered."""
        return dict(json.loads(self._ask("POST", path, body, {})))

    # --- live

    def live(self, since: int | None = None) -> Iterator[Json]:
        """The live view: first a message of type ``state``, then ``update`` as things happen and ``tick`` while nothing
        does (docs/api.md). Ends when the table closes the connection; give ``since`` the last ``seq`` to go on.

        Raises:
            ApiError: the table cannot be reached, or this role may not watch.
        """
        parts = urlsplit(self.url)
        scheme = "wss" if parts.scheme == "https" else "ws"
        query = urlencode({"since": since}) if since is not None else ""
        address = urlunsplit((scheme, parts.netloc, f"{parts.path}/ws", query, ""))
        cookies = "; ".join(f"{cookie.name}={cookie.value}" for cookie in self._cookies)
        headers = {"Cookie": cookies} if cookies else {}
        try:
            with connect(address, additional_headers=headers, open_timeout=self._timeout, max_size=None) as socket:
                while True:
                    yield json.loads(socket.recv(timeout=SILENCE))
        except ConnectionClosed as closed:
            if closed.rcvd is not None and closed.rcvd.code >= 4000:
                raise ApiError(closed.rcvd.code, closed.rcvd.reason) from None
        except TimeoutError:
            raise ApiError(0, f"{self.url}: no word for {SILENCE:g} s; the connection is dead") from None
        except (OSError, InvalidHandshake) as error:
            raise ApiError(0, f"{self.url}: {error}") from None

    def follow(self, since: int | None = None) -> Iterator[Json]:
        """`live` that comes back by itself when the connection breaks, and goes on where it ended. While the table
        cannot be reached it yields a ``tick`` with ``connected`` false and the ``trouble`` after each try.

        Raises:
            ApiError: this role may not watch (any more).
        """
        wait = RETRY[0]
        while True:
            try:
                for message in self.live(since):
                    since, wait = message.get("seq", since), RETRY[0]
                    yield message
                trouble = f"{self.url}: the connection was closed"
            except ApiError as error:
                if error.status not in AGAIN:
                    raise
                trouble = str(error)
            yield {"type": "tick", "age": None, "connected": False, "trouble": trouble}
            self._pause.wait(wait)
            wait = min(wait * 2, RETRY[1])

    # ---

    def _json(self, path: str, **query: Any) -> Json:
        return dict(json.loads(self._ask("GET", path, None, query)))

    def _result(self, path: str) -> Any:
        return self._json(path)["result"]

    def _ask(self, method: str, path: str, body: Mapping[str, Any] | None, query: Mapping[str, Any]) -> str:
        return self._fetch(method, f"api/{path}", body, query)

    def _fetch(self, method: str, path: str, body: Mapping[str, Any] | None, query: Mapping[str, Any]) -> str:
        address = f"{self.url}/{path}" + (f"?{urlencode(query)}" if query else "")
        data = None if body is None else json.dumps(body).encode()
        request = Request(address, data, {"Content-Type": "application/json"}, method=method)
        try:
            with self._opener.open(request, timeout=self._timeout) as answer:
                return str(answer.read().decode())
        except HTTPError as error:
            with error:
                raise ApiError(error.code, _message(error.read().decode(errors="replace"), error.reason)) from None
        except (URLError, OSError) as error:
            reason = error.reason if isinstance(error, URLError) else error
            raise ApiError(0, f"{self.url}: cannot be reached: {reason}") from None


def _message(text: str, otherwise: str) -> str:
    """What the table says of the error, in its own words."""
    try:
        return str(json.loads(text)["error"]["message"])
    except (ValueError, KeyError, TypeError):
        return otherwise
