"""What ``comraf inspect`` tells about photos that are not yet read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from comraf.cli.seen import Seen
    from comraf.collection.items import Unit

__all__ = ["photo_lines"]

_MOST_FOLDERS = 6


def photo_lines(units: Sequence[Unit], seen: Seen, captions: Sequence[str]) -> list[str]:
    """Lines about captions, dates, places and folders, with the options that use them.

    Parameters
    ----------
    units : sequence of Unit
        The photos.
    seen : Seen
        What was found in those that were read.
    captions : sequence of str
        Where captions are, from the reader.

    Examples
    --------
    >>> from comraf.cli.seen import Seen
    >>> from comraf.collection.items import Unit
    >>> for line in photo_lines([Unit("a/1.jpg"), Unit("b/2.jpg")], Seen(), []):
    ...     print(line)
    captions: none
    folders: 2 (a 1, b 1); if they are classes, --truth folders scores by them
    """
    from comraf.collection.sides import photo_sides
    from comraf.workflows.neighbours import FEWEST_PHOTOS, MOST_PHOTOS

    lines = [f"captions: {line}" for line in captions] or ["captions: none"]
    by = ",".join([*(["words"] if captions else []), *photo_sides()])
    if FEWEST_PHOTOS <= len(units) <= MOST_PHOTOS:
        by += ",neighbours"
    sides = {"date": "months", "places": "places"}
    found = {side: seen.side(side) for side in sides}
    lines += [line for line in found.values() if line]
    if used := [sides[side] for side, line in found.items() if line]:
        them = "these" if len(used) > 1 or used == ["places"] else "them"
        lines.append(f"to group by {them} too: --by {','.join([by, *used])}")
    from comraf.collection.readers.files import escaped

    folders = Counter(unit.path.rpartition("/")[0] for unit in units)
    if len(folders) > 1:
        told = ", ".join(
            f"{escaped(folder) or 'the folder itself'} {count:,}"
            for folder, count in folders.most_common(_MOST_FOLDERS)
        )
        more = ", ..." if len(folders) > _MOST_FOLDERS else ""
        lines.append(
            f"folders: {len(folders):,} ({told}{more}); if they are classes, --truth folders "
            "scores by them"
        )
    return lines
