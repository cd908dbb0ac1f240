"""Panels: one file and one line each, in the order of the registry."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import comraf
from comraf.report.panels import PANELS
from tests.report.reading import Page

ROOT = Path(__file__).parents[2]

RENDER = """
import sys
from comraf.report import render, report_data
from tests.report.shelves import random_shelf

page = render(report_data(*random_shelf(60, 3)))
open(sys.argv[1], "w", encoding="utf-8").write(page)
"""


def _copy(source: Path, target: Path) -> Path:
    """The package, of which only the files of the report are copied."""
    if sys.platform == "win32":
        return shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
    target.mkdir()
    for path in source.iterdir():
        if path.name == "report":
            shutil.copytree(path, target / path.name)
        elif path.name != "__pycache__":
            (target / path.name).symlink_to(path)
    return target


def test_the_panel_of_the_guide_is_one_file_and_one_line(tmp_path: Path) -> None:
    """What CONTRIBUTING.md says, done in a copy, puts the panel on the page."""
    guide = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    part = guide.split("## Adding a panel to the report")[1].split("\n## ")[0]
    file, line = re.findall(r"```\w+\n(.*?)```", part, flags=re.DOTALL)
    name = re.search(r"one file, `report/panels/(\w+\.py)`", part)
    assert name is not None
    assert line.count("\n") == 1
    panels = _copy(Path(comraf.__file__).parent, tmp_path / "comraf") / "report" / "panels"
    (panels / name[1]).write_text(file, encoding="utf-8")
    registry = (panels / "__init__.py").read_text(encoding="utf-8")
    before = '    "timeline",\n'
    assert before in registry
    (panels / "__init__.py").write_text(registry.replace(before, before + line), encoding="utf-8")
    found = tmp_path / "page.html"
    subprocess.run(
        [sys.executable, "-c", RENDER, str(found)],
        check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT)])},
        timeout=120,
    )
    html = found.read_text(encoding="utf-8")
    page = Page(html)
    assert page.complaints == []
    assert "How many messages of each group were written on which day." in page.words
    order = re.findall(r'<section id="(\w+)"', html)
    assert order.index("weekdays") == order.index("time") + 1
    assert '<a href="#weekdays">Days of the week</a>' in html
    counts = re.findall(r'<td class="num">(\d+)</td>', html.split('id="weekdays"')[1])[:21]
    assert sum(map(int, counts)) == 60


def test_every_panel_has_an_anchor_of_its_own() -> None:
    """Names and headings in the contents differ; a file without a line would be missing here."""
    assert len({panel.name for panel in PANELS}) == len({panel.short for panel in PANELS})
    folder = Path(comraf.__file__).parent / "report" / "panels"
    files = [path for path in folder.glob("*.py") if "\nPANEL = Panel(" in path.read_text()]
    assert len(files) == len(PANELS) == len({panel.name for panel in PANELS})
