"""A real studio in a process of its own, and a real browser to look at it.

A start costs a second of a processor, and so does a new page: tests share one studio and one tab
where they can. `running` gives it with the groups as they were at first; `restart` kills it.
"""

from __future__ import annotations

import csv
import http.client
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import comraf
from tests.report.browser import find_browser

HOSTILE = {
    "script": "<script>document.title='owned';alert(1)</script> sea ship",
    "image": "<img src=x onerror=alert(1)> <svg onload=alert(1)></svg> sea ship",
    "links": "javascript:alert(1) data:text/html,<script>alert(1)</script> sea boat",
    "override": "annual report \u202egnp.exe\u202c and \u2066hidden\u2069 sea boat",
    "style": "<style>body{display:none}</style><base href=//evil.example> ship harbour",
    "line": "ship " + "A" * 2_000_000 + " <iframe src=//evil.example></iframe>",
}
TAG = "<img src=x onerror=alert(1)>"
_TOPICS = {
    "sea": "ship boat harbour sail wave anchor crew deck captain storm tide",
    "tea": "tea cup kettle sugar leaf milk biscuit spoon saucer brew lemon",
    "law": "court judge lawyer claim appeal verdict clause witness jury oath fine",
}


@pytest.fixture(scope="session")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three topics and some hostile documents in four groups, as comraf organize writes them."""
    import random

    choice = random.Random(0)
    folder = tmp_path_factory.mktemp("studio")
    with open(folder / "notes.csv", "w", newline="", encoding="utf-8") as file:
        lines = csv.writer(file)
        lines.writerow(["key", "title", "text", "author", "tags"])
        for topic, words in _TOPICS.items():
            for number in range(22):
                said = " ".join(choice.choices(words.split(), k=14))
                who = f"{topic} author {number % 3}"
                lines.writerow([f"{topic}{number}", f"{topic} note {number}", said, who, topic])
        for name, text in HOSTILE.items():
            lines.writerow([f"<b>{name}</b>", f"<i>{name}</i> title", text, "<u>Mallory</u>", TAG])
    comraf.organize(
        folder / "notes.csv", 4, id="key", title="title", text="text", people=["author"],
        lists=["tags"], by=["words", "people", "subjects"], effort="quick", random_state=0,
    ).save(folder / "groups")  # fmt: skip
    return folder / "groups"


@pytest.fixture
def folder(written: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return shutil.copytree(written, tmp_path / "groups")


class Running:
    """A studio in a process."""

    def __init__(self, folder: Path, *more: str) -> None:
        self.folder, self._more = folder, more
        self._start()

    def _start(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "comraf", "studio", str(self.folder), "--no-open", *self._more],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, "COLUMNS": "200"},
        )
        assert self.process.stdout is not None
        said = []
        for line in self.process.stdout:
            said.append(line)
            if found := re.match(r"(http://[\w.]+):(\d+)/\?token=(\S+)", line):
                self.url, self.port, self.token = line.strip(), int(found[2]), found[3]
                break
        else:
            raise AssertionError("".join(said))

    def stop(self) -> None:
        """End it as Ctrl-C does."""
        self.process.send_signal(signal.SIGINT)
        self.process.wait(20)

    def kill(self) -> None:
        """End it without a chance to write anything more."""
        self.process.kill()
        self.process.wait()

    def restart(self) -> None:
        """Kill it, and start another one on the same folder."""
        self.kill()
        self._start()


@contextmanager
def studio(folder: Path, *more: str) -> Iterator[Running]:
    """Run a studio."""
    running = Running(folder, *more)
    try:
        yield running
    finally:
        running.kill()


class Client:
    """Speaks to a studio as a browser does, or as a stranger."""

    def __init__(self, running: Running, *, enter: bool = True) -> None:
        self.port, self.cookie, self.secret = running.port, "", ""
        if enter:
            status, headers, _ = self.ask(f"/?token={running.token}")
            assert status == 303
            assert "HttpOnly" in headers["set-cookie"]
            assert "SameSite=strict" in headers["set-cookie"]
            self.cookie = headers["set-cookie"].split(";")[0]
            page = self.ask("/")[2].decode()
            self.secret = page.split('name="page-secret" content="')[1].split('"')[0]

    def ask(self, path: str, body=None, method: str | None = None, **headers: str):
        """Status, headers and body of an answer."""
        to = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        given = {"Host": f"127.0.0.1:{self.port}", "Cookie": self.cookie} | headers
        if body is not None:
            given.setdefault("X-Comraf-Page", self.secret)
            body = body if isinstance(body, bytes) else json.dumps(body).encode()
        to.request(method or ("GET" if body is None else "POST"), path, body, given)
        answer = to.getresponse()
        out = answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read()
        to.close()
        return out

    def get(self, path: str):
        """What a route gives."""
        status, _, body = self.ask(path)
        assert status == 200, body
        return json.loads(body)

    def say(self, verb: str, **given):
        """Say something about the groups of now."""
        at = self.get("/api/state")["version"]
        status, _, body = self.ask(f"/api/{verb}", {"at": at, **given})
        return status, json.loads(body)


@pytest.fixture(scope="session")
def _shared(written: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = shutil.copytree(written, tmp_path_factory.mktemp("shared") / "groups")
    with studio(folder, "--who", "Ann") as one:
        yield one


@pytest.fixture
def running(_shared: Running) -> Running:
    """The studio that tests share, on its first version, and ready to search texts."""
    client = Client(_shared)
    assert client.ask("/api/branch", {"name": "main"})[0] == 200
    assert client.say("go", version=1)[0] == 200
    until(lambda: client.get("/api/state")["search"])
    return _shared


@pytest.fixture(scope="session")
def chromium() -> Iterator:
    """An installed Chromium, driven by Playwright."""
    program = find_browser()
    if program is None:
        if os.environ.get("CI"):
            pytest.fail("under CI the tests of the studio need Chromium")
        pytest.skip("no Chromium or Chrome is installed")
    playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    flags = ["--disable-gpu", "--disable-background-networking", "--disable-quic", "--no-first-run"]
    if hasattr(os, "getuid") and os.getuid() == 0:
        flags.append("--no-sandbox")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=flags)
        yield browser
        browser.close()


@contextmanager
def page_of(browser, url: str, *, fine: bool = True):
    """A page in a fresh profile; errors and requests to elsewhere fail the test."""
    context = browser.new_context(viewport={"width": 1280, "height": 840})
    page = context.new_page()
    page.set_default_timeout(30_000)
    page.wrong = wrong = []
    page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else 0)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("dialog", lambda dialog: (wrong.append(f"dialog {dialog.message}"), dialog.dismiss()))
    page.on(
        "request",
        lambda request: (
            wrong.append(f"asked for {request.url}")
            if not request.url.startswith(("http://127.0.0.1:", "about:"))
            else None
        ),
    )
    if url:
        look(page, url)
    yield page
    context.close()
    assert not (fine and wrong), wrong


def look(page, url: str, *, width: int = 1280, scheme: str = "light") -> None:
    """Open the studio, in a window so wide and in light or dark."""
    page.set_viewport_size({"width": width, "height": 840})
    page.emulate_media(color_scheme=scheme)
    page.goto(url)
    page.locator("#group-list li").first.wait_for()
    page.locator("#document-list li").first.wait_for(state="attached")


def restart(page, running: Running) -> None:
    """Kill the studio, start it anew and look at it again."""
    page.goto("about:blank")  # it would say that nobody answers
    running.restart()
    look(page, running.url)


@pytest.fixture(scope="session")
def _tab(chromium) -> Iterator:
    with page_of(chromium, "", fine=False) as page:
        yield page


@pytest.fixture
def page(_tab, running: Running) -> Iterator:
    """The tab that tests share, where the shared studio was just opened."""
    _tab.goto("about:blank")
    _tab.wrong.clear()
    look(_tab, running.url)
    yield _tab
    assert not _tab.wrong, _tab.wrong


def accessible(page, within: str = "body") -> None:
    """No serious findings of axe in a part of the page, which is no wider than its place."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page, within, {"resultTypes": ["violations"]}).response["violations"]
    serious = [one for one in found if one["impact"] in ("serious", "critical")]
    assert not serious, [(one["id"], one["nodes"][0]["html"]) for one in serious]
    # a table of two groupings and the row of tools are moved sideways; nothing else has to be
    beyond = page.locator(within).evaluate("""(at) => [at, ...at.querySelectorAll("*")].filter(
        (one) => one.clientWidth && one.scrollWidth > one.clientWidth + 1
            && getComputedStyle(one).overflowX !== "visible"
            && !one.matches(".beside, .tools, input, select")).map((one) => one.outerHTML)""")
    assert not beyond, beyond[0][:200]


def until(happens, seconds: float = 20.0) -> None:
    """Wait until something holds."""
    end = time.monotonic() + seconds
    while not happens():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.03)
