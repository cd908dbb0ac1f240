"""A real browser for tests: Chromium without a window, spoken to through a pipe."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pytest

__all__ = ["Browser", "find_browser", "open_page"]

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_TIMEOUT = 60.0
# The browser reads from descriptor 3 and writes to 4, which either end may have already.
_LAUNCH = """
import fcntl, os, sys
ends = [fcntl.fcntl(int(end), fcntl.F_DUPFD, 10) for end in sys.argv[1:3]]
for place, end in zip((3, 4), ends):
    os.dup2(end, place)
os.execv(sys.argv[3], sys.argv[3:])
"""


def find_browser() -> str | None:
    """Path of Chromium or Chrome; the variable COMRAF_BROWSER may name one."""
    return next(
        filter(None, map(shutil.which, (os.environ.get("COMRAF_BROWSER", ""), *_NAMES))), None
    )


PROGRAM = find_browser()
#: Marks of tests that look at a page.
NEEDED = [
    pytest.mark.skipif(PROGRAM is None, reason="there is no Chromium or Chrome to look with"),
    pytest.mark.skipif(sys.platform == "win32", reason="the browser is spoken to through a pipe"),
]


class Browser:
    """One page in a browser of its own, by the DevTools protocol.

    Parameters
    ----------
    program : str
    home : Path
        An empty folder for the browser's files.

    Attributes
    ----------
    events : list of dict
        What the page did since it was opened: messages, errors, requests, dialogs.
    """

    def __init__(self, program: str, home: Path) -> None:
        theirs_in, self._out = os.pipe()
        self._in, theirs_out = os.pipe()
        flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        flags += ["--no-first-run", "--disable-extensions", "--remote-debugging-pipe"]
        flags += [f"--user-data-dir={home}", "about:blank"]
        ends = [str(theirs_in), str(theirs_out)]
        self._process = subprocess.Popen(
            [sys.executable, "-c", _LAUNCH, *ends, program, *flags],
            pass_fds=(theirs_in, theirs_out),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(theirs_in)
        os.close(theirs_out)
        self._rest = b""
        self._number = 0
        self._session = ""
        self.events: list[dict[str, Any]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        try:
            self.ask("Browser.close")
            self._process.wait(10)
        except (OSError, TimeoutError, subprocess.TimeoutExpired):
            self._process.kill()
            self._process.wait()
        os.close(self._in)
        os.close(self._out)

    def ask(self, method: str, **parameters: Any) -> Any:
        """Give an order, and wait for its answer."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session and not method.startswith(("Browser.", "Target.")):
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + _TIMEOUT
        while True:
            told = self._next(end)
            if told is None:
                raise TimeoutError(f"no answer to {method} within {_TIMEOUT:.0f} s")
            if told.get("id") == self._number:
                assert "error" not in told, f"{method}: {told['error']}"
                return told["result"]
            self.events.append(told)

    def _next(self, end: float) -> dict[str, Any] | None:
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._in], [], [], max(0.0, end - time.monotonic()))
            if not ready:
                return None
            data = os.read(self._in, 1 << 16)
            if not data:
                raise TimeoutError("the browser went away")
            self._rest += data
        line, _, self._rest = self._rest.partition(b"\0")
        found: dict[str, Any] = json.loads(line)
        return found

    def open(self, path: Path) -> None:
        """Show a file, and wait until it is loaded."""
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        attached = self.ask("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(f"{domain}.enable")
        self.events.clear()
        self.ask("Page.navigate", url=path.as_uri())
        self.until("document.readyState === 'complete' && location.protocol === 'file:'")

    def run(self, code: str) -> Any:
        """Evaluate an expression in the page; a promise is waited for."""
        found = self.ask("Runtime.evaluate", expression=code, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def until(self, code: str) -> None:
        """Wait until an expression is true."""
        end = time.monotonic() + _TIMEOUT
        while not self.run(code):
            assert time.monotonic() < end, f"never true: {code}"
            time.sleep(0.05)

    def press(self, key: str, code: int, text: str = "") -> None:
        """Press a key and let it go."""
        facts = {"key": key, "code": key, "windowsVirtualKeyCode": code}
        down = {"type": "keyDown", "text": text} if text else {"type": "rawKeyDown"}
        self.ask("Input.dispatchKeyEvent", **facts, **down)
        self.ask("Input.dispatchKeyEvent", **facts, type="keyUp")

    def point(self, selector: str, *, click: bool) -> None:
        """Move the mouse over the first such element, and click it if asked to."""
        self.run(
            f"document.querySelector({selector!r})"
            ".scrollIntoView({block: 'center', behavior: 'instant'})"
        )
        x, y = self.run(
            f"(b => [b.x + b.width / 2, b.y + b.height / 2])"
            f"(document.querySelector({selector!r}).getBoundingClientRect())"
        )
        kinds = ["mouseMoved", "mousePressed", "mouseReleased"] if click else ["mouseMoved"]
        for kind in kinds:
            button = "none" if kind == "mouseMoved" else "left"
            self.ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, button=button, clickCount=1)

    def resize(self, width: int, height: int) -> None:
        """Look at the page through a window of another size."""
        self.ask(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 600,
        )

    def picture(self, **options: Any) -> bytes:
        """Return what is seen, as an image file."""
        return base64.b64decode(self.ask("Page.captureScreenshot", **options)["data"])

    def complaints(self) -> list[str]:
        """Errors and warnings in the console, dialogs, and requests for anything but the page."""
        found = []
        for event in self.events:
            facts = event.get("params", {})
            match event.get("method"):
                case "Log.entryAdded":
                    found.append(str(facts["entry"]["text"]))
                case "Runtime.consoleAPICalled" | "Runtime.exceptionThrown":
                    found.append(json.dumps(facts)[:300])
                case "Page.javascriptDialogOpening":
                    found.append(f"dialog: {facts['message']}")
                case "Network.requestWillBeSent":
                    address = str(facts["request"]["url"])
                    if not address.startswith("data:image/jpeg") and facts["type"] != "Document":
                        found.append(f"request for {address[:100]}")
        return found


@contextmanager
def open_page(program: str, path: Path) -> Iterator[Browser]:
    """Show a file in a browser that goes away afterwards."""
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home,
        Browser(program, Path(home)) as browser,
    ):
        browser.open(path)
        yield browser


#: What a policy that lets nothing in says of a script and a picture that were put into a page.
REFUSED = ["img-src", "script-src-elem"]


def refused(page: Browser) -> list[str]:
    """Put a script and a picture into a page: what its policy refuses; nothing may run."""
    found: list[str] = page.run(
        "new Promise(done => { const seen = [];"
        " document.addEventListener('securitypolicyviolation', event => {"
        "  seen.push(event.effectiveDirective); if (seen.length == 2) done(seen.sort()) });"
        " const script = document.createElement('script'); script.textContent = 'window.ran = 1';"
        " document.head.append(script); const image = new Image(); image.src = 'other.png';"
        " document.body.append(image) })"
    )
    assert page.run("window.ran") is None
    return found
