"""Panels: one file and one line each, in the order of the registry."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from comraf.report import ReportData, answer, page, panels, render, report_data
from comraf.report.panels import PANELS
from tests.guide import GUIDE
from tests.report.reading import Page
from tests.report.shelves import random_shelf


def test_the_panel_of_the_guide_is_one_file_and_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What CONTRIBUTING.md says puts the panel on the page: a file, and a line of the registry."""
    part = GUIDE.read_text(encoding="utf-8").split("## Adding a panel to the report")[1]
    file, line = re.findall(r"```\w+\n(.*?)```", part.split("\n## ")[0], flags=re.DOTALL)
    name = re.search(r"one file, `report/panels/(\w+)\.py`", part)
    assert name is not None
    assert line.count("\n") == 1
    (tmp_path / f"{name[1]}.py").write_text(file, encoding="utf-8")
    monkeypatch.setattr(panels, "__path__", [*panels.__path__, str(tmp_path)])
    registry = Path(str(panels.__file__)).read_text(encoding="utf-8")
    before = '    "timeline",\n'
    assert before in registry
    longer = {"__name__": panels.__name__}
    exec(registry.replace(before, before + line), longer)  # noqa: S102 - our own text
    del sys.modules[f"{panels.__name__}.{name[1]}"]
    for module in (answer, page):
        monkeypatch.setattr(module, "PANELS", longer["PANELS"])
    html = render(report_data(*random_shelf(60, 3)))
    read = Page(html)
    assert read.complaints == []
    assert "How many messages of each group were written on which day." in read.words
    order = re.findall(r'<section id="(\w+)"', html)
    assert order.index("weekdays") == order.index("time") + 1
    assert '<a href="#weekdays">Days of the week</a>' in html
    counts = re.findall(r'<td class="num">(\d+)</td>', html.split('id="weekdays"')[1])[:21]
    assert sum(map(int, counts)) == 60


def test_every_panel_has_an_anchor_of_its_own() -> None:
    """Names and headings in the contents differ; a file without a line would be missing here."""
    assert len({panel.name for panel in PANELS}) == len({panel.short for panel in PANELS})
    folder = Path(str(panels.__file__)).parent
    files = [path for path in folder.glob("*.py") if "\nPANEL = Panel(" in path.read_text()]
    assert len(files) == len(PANELS) == len({panel.name for panel in PANELS})


def test_sides_and_numbers_that_were_asked_about_are_drawn(sample_data: ReportData) -> None:
    """A bar to the left for a side that harms; numbers by their ratio, the good ones marked."""
    html = render(sample_data)
    audit = html.partition('<section id="audit"')[2].partition("</section>")[0]
    assert re.search(r'<rect x="54" y="3" width="36"', audit)
    assert audit.count("<rect") == 1  # the main side is not asked about
    numbers = html.partition('<section id="numbers"')[2].partition("</section>")[0]
    marks = [float(x) for x in re.findall(r'<circle cx="([\d.]+)"', numbers)]
    path = [float(x) for x in re.findall(r"[ML]([\d.]+) ", numbers)]
    assert marks == [path[0], path[-1]]
    assert path[1] - path[0] > path[2] - path[1]
