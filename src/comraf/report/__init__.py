"""Reports: what was found in a collection, as HTML that can be kept and shared.

`report_data` gathers plain values (see `comraf.report.data`), `render` draws them on one page, and
`write_report` writes that page and one for each group, with all of its documents.

Examples
--------
>>> from comraf.report import render
>>> from comraf.report.data import Group, Model, ReportData
>>> data = ReportData("Letters", 1, (Group(0, "<i>sea</i>", 1, 1.0),), Model((), ()))
>>> "<i>sea</i>" in render(data)
False
"""

from comraf.report.answer import report_data
from comraf.report.data import ReportData, Score
from comraf.report.page import POLICY, render
from comraf.report.pages import group_pages, write_report

__all__ = [
    "POLICY",
    "ReportData",
    "Score",
    "group_pages",
    "render",
    "report_data",
    "write_report",
]
