"""Who may speak to the studio, and what its pages may do in a browser.

The page is for one person at this machine. A token in the printed address becomes a cookie that no
script can read; requests with a foreign Host or Origin are refused, since other pages in the same
browser can send them; every change needs a second token that only the page itself has.
"""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import secrets
import time
from collections.abc import Awaitable, Callable, MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs, urlsplit

from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response

__all__ = ["FILE", "POLICY", "Guard", "is_local"]

#: What a browser may do with the page: its own files, nothing from elsewhere, no inline code.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
_HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    # not "no-referrer": with it browsers send forms without an Origin, and the password is refused
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
#: The header that every change has.
SECRET_HEADER = "x-comraf-page"  # noqa: S105 - its name
_MOST_BODY = 8_000_000
#: What a file is sent as; whoever is let in may send larger ones.
FILE = "application/octet-stream"
_MOST_FILE = 200_000_000
_LONGEST_URL = 4_000
# For each wrong password, one after the other: guessing takes for ever, by many at once, too.
_PENALTY = 1.0

Message = MutableMapping[str, Any]
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


class Guard:
    """Stands before the app: refuses strangers, limits sizes, adds headers to all answers.

    Parameters
    ----------
    app : callable
        The ASGI app.
    host : str
        The address that is listened on.
    port : int
    password : str, optional
        Lets people in who have no token; needed where the address is not this machine's own.

    Attributes
    ----------
    token, secret : str
        What lets a browser in, and what a change must have.
    """

    def __init__(self, app: Any, host: str, port: int, password: str = "") -> None:
        self.app, self.host, self.port, self._password = app, host, port, password
        self.token, self.secret = secrets.token_urlsafe(24), secrets.token_urlsafe(24)
        self._cookie_value = secrets.token_urlsafe(24)
        self._guessing = asyncio.Lock()
        self.cookie = f"comraf_{port}"  # cookies don't know ports: two studios, two names

    @property
    def address(self) -> str:
        """What a browser has to open."""
        host = self.host if self.host not in ("0.0.0.0", "::") else "localhost"  # noqa: S104 - compared
        return f"http://{_bracketed(host)}:{self.port}/?token={self.token}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse a request, or pass it on."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = {name.lower() for name, _ in message["headers"]}
                more = [
                    (name.encode(), value.encode())
                    for name, value in _HEADERS.items()
                    if name.encode() not in given
                ]
                message = {**message, "headers": [*message["headers"], *more]}
            await send(message)

        answer = await self._answer(scope, receive)
        if isinstance(answer, Response):
            await answer(scope, receive, with_headers)
            return
        await self.app(scope, answer, with_headers)

    async def _answer(self, scope: Scope, receive: Receive) -> Response | Receive:
        """A refusal, or how the app receives the body."""
        headers = {name.decode("latin-1").lower(): value for name, value in scope["headers"]}
        texts = {name: value.decode("latin-1") for name, value in headers.items()}
        if len(scope["path"]) + len(scope["query_string"]) > _LONGEST_URL:
            return PlainTextResponse("this address is too long", 414)
        if not self._is_ours(texts.get("host", "")):
            return PlainTextResponse("this page is asked for by another name", 421)
        origin = texts.get("origin")
        if origin is not None and not self._is_ours(urlsplit(origin).netloc):
            return PlainTextResponse("another page asked for this", 403)
        if texts.get("sec-fetch-site") == "cross-site" and scope["path"] != "/":
            return PlainTextResponse("another page asked for this", 403)
        known = self._knows(texts.get("cookie", ""))
        most = _MOST_FILE if known and texts.get("content-type") == FILE else _MOST_BODY
        body = await _body(receive, most) if scope["method"] not in ("GET", "HEAD") else b""
        if body is None:
            return PlainTextResponse("this is too much at once", 413)
        if scope["path"] == "/login" and self._password:
            return await self._login(scope, body)
        query = parse_qs(scope["query_string"].decode("latin-1"))
        if scope["path"] == "/" and "token" in query:
            if not _same(query["token"][0], self.token):
                return self._stranger(scope)
            return self._let_in()
        if scope["path"].startswith("/static/"):
            return _again(body, receive)  # the same for everybody
        if not known:
            return self._stranger(scope)
        if scope["method"] not in ("GET", "HEAD") and not _same(
            texts.get(SECRET_HEADER, ""), self.secret
        ):
            return JSONResponse({"error": "reload the page: it is of an earlier studio"}, 403)
        return _again(body, receive)

    def _is_ours(self, host: str) -> bool:
        name, port = _split(host)
        if port != self.port:
            return False
        if is_local(self.host):
            return is_local(name)
        return is_local(name) or name == self.host or _is_address(name)

    def _knows(self, header: str) -> bool:
        try:
            cookie = SimpleCookie(header).get(self.cookie)
        except CookieError:
            return False
        return cookie is not None and _same(cookie.value, self._cookie_value)

    def _let_in(self) -> Response:
        answer = RedirectResponse("/", 303)
        answer.set_cookie(self.cookie, self._cookie_value, httponly=True, samesite="strict")
        return answer

    def _stranger(self, scope: Scope) -> Response:
        if self._password and scope["path"] == "/":
            return RedirectResponse("/login", 303)
        return PlainTextResponse(
            "Open the address that comraf studio printed: it has the token that lets you in.", 401
        )

    async def _login(self, scope: Scope, body: bytes) -> Response:
        from starlette.responses import HTMLResponse

        if scope["method"] == "POST":
            given = parse_qs(body.decode("utf-8", "replace")).get("password", [""])[0]
            async with self._guessing:
                if _same(given, self._password):
                    return self._let_in()
                await asyncio.sleep(_PENALTY)
        from comraf.studio.page import drawn

        return HTMLResponse(drawn("login.html", wrong=scope["method"] == "POST"))


def is_local(host: str) -> bool:
    """Whether an address is this machine's own.

    Examples
    --------
    >>> is_local("localhost"), is_local("127.0.0.1"), is_local("::1"), is_local("0.0.0.0")
    (True, True, True, False)
    """
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _is_address(host: str) -> bool:
    """Whether a host is a number: names may be bent to this machine by strangers, numbers not."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _split(host: str) -> tuple[str, int]:
    """A host and its port, 80 where none is said; -1 for nonsense."""
    try:
        parts = urlsplit(f"//{host}")
        return parts.hostname or "", parts.port or 80
    except ValueError:
        return "", -1


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _same(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode(), other.encode())


async def _body(receive: Receive, most: int) -> bytes | None:
    """All that was sent; None if it is too much."""
    parts: list[bytes] = []
    size, start = 0, time.monotonic()
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return b""
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > most or time.monotonic() - start > 60:
            return None
        if not message.get("more_body"):
            return b"".join(parts)


def _again(body: bytes, receive: Receive) -> Receive:
    """Give a body that was read already, then what comes after it."""
    told = False

    async def again() -> Message:
        nonlocal told
        if told:
            return await receive()
        told = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again
