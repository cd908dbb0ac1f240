"""The panels of a report, one a file, in the order in which they stand on the page."""

from comraf.report.panels import (
    classes,
    found,
    glance,
    groups,
    map,  # noqa: A004 - what it is called on the page
    notes,
    people,
    sides,
    tables,
    timeline,
)
from comraf.report.panels.panel import GroupPanel, Panel

__all__ = ["PANELS", "GroupPanel", "Panel"]

#: Sections of the page. Parts of each group are in `comraf.report.panels.groups`.
PANELS: tuple[Panel, ...] = (
    glance.PANEL,
    map.PANEL,
    timeline.PANEL,
    groups.PANEL,
    people.PANEL,
    tables.PANEL,
    sides.PANEL,
    classes.PANEL,
    found.PANEL,
    notes.PANEL,
)
