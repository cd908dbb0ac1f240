"""A real studio in a process of its own, and a real browser to look at it."""

from __future__ import annotations

import csv
import os
import re
import shutil
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
        lines.writerow(["key", "title", "text", "author"])
        for topic, words in _TOPICS.items():
            for number in range(22):
                said = " ".join(choice.choices(words.split(), k=14))
                who = f"{topic} author {number % 3}"
                lines.writerow([f"{topic}{number}", f"{topic} note {number}", said, who])
        for name, text in HOSTILE.items():
            lines.writerow([f"<b>{name}</b>", f"<i>{name}</i> title", text, "<u>Mallory</u>"])
    comraf.organize(
        folder / "notes.csv", 4, id="key", title="title", text="text", people=["author"],
        effort="quick", random_state=0,
    ).save(folder / "groups")  # fmt: skip
    return folder / "groups"


@pytest.fixture
def folder(written: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return shutil.copytree(written, tmp_path / "groups")


class Running:
    """A studio in a process."""

    def __init__(self, folder: Path, *more: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "comraf", "studio", str(folder), "--no-open", *more],
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
        import signal

        self.process.send_signal(signal.SIGINT)
        self.process.wait(20)


@contextmanager
def studio(folder: Path, *more: str) -> Iterator[Running]:
    """Run a studio."""
    running = Running(folder, *more)
    try:
        yield running
    finally:
        if running.process.poll() is None:
            running.process.kill()
        running.process.wait()


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
def page_of(browser, url: str, *, width: int = 1280, scheme: str = "light", fine: bool = True):
    """A page in a fresh profile; errors and requests to elsewhere fail the test."""
    context = browser.new_context(viewport={"width": width, "height": 840}, color_scheme=scheme)
    page = context.new_page()
    page.set_default_timeout(30_000)
    wrong: list[str] = []
    page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else 0)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("dialog", lambda dialog: (wrong.append(f"dialog {dialog.message}"), dialog.dismiss()))
    page.on(
        "request",
        lambda request: (
            wrong.append(f"asked for {request.url}")
            if not request.url.startswith("http://127.0.0.1:")
            else None
        ),
    )
    page.goto(url)
    page.locator("#group-list li").first.wait_for()
    page.locator("#document-list li").first.wait_for(state="attached")
    page.wrong = wrong
    yield page
    context.close()
    assert not (fine and wrong), wrong


def until(happens, seconds: float = 20.0) -> None:
    """Wait until something holds."""
    end = time.monotonic() + seconds
    while not happens():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.03)
