"""The panels of a report, one a file: what each needs, what it gathers, how it is drawn.

A new panel is a file in this folder with a `Panel` in it, called ``PANEL``, and a line in
`PANELS`; see "Adding a panel to the report" in CONTRIBUTING.md.
"""

from importlib import import_module

from comraf.report.panels.panel import GroupPanel, Panel

__all__ = ["PANELS", "GroupPanel", "Panel"]

# Files in the order in which their panels stand on the page. Parts of each group are in groups.py.
_FILES = (
    "glance",
    "map",
    "timeline",
    "groups",
    "people",
    "tables",
    "sides",
    "audit",
    "numbers",
    "classes",
    "found",
    "notes",
)
#: Sections of the page.
PANELS: tuple[Panel, ...] = tuple(import_module(f"{__name__}.{name}").PANEL for name in _FILES)
