"""Mail folders as truth, as the papers take them: topical, of three messages or more."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable

from comraf.collection.items import Unit
from comraf.errors import InputError

__all__ = ["NON_TOPICAL", "is_topical", "topical_units"]

NON_TOPICAL = (
    "all_documents",
    "calendar",
    "contacts",
    "deleted_items",
    "discussion_threads",
    "inbox",
    "notes_inbox",
    "sent",
    "sent_items",
    "_sent_mail",
    "drafts",
    "trash",
)
"""Folders that mail programs make; they say nothing about a topic."""

SMALLEST = 3
"""Folders with fewer messages are no classes."""

# People file mail in folders below these; what lies below the others stays what it is.
_ONLY_ITSELF = frozenset(("inbox", "notesinbox"))
_PLAIN = re.compile(r"[\W_]+")


def is_topical(label: str, non_topical: Iterable[str] = NON_TOPICAL) -> bool:
    """Tell whether a folder says something about a topic.

    A folder below ``inbox`` is topical: people file there. One below ``sent`` is not.

    Examples
    --------
    >>> is_topical("Sent Items"), is_topical("inbox/pumps"), is_topical("sent/2001")
    (False, True, False)
    """
    names = {_PLAIN.sub("", name).lower() for name in non_topical}
    parts = [_PLAIN.sub("", part).lower() for part in label.split("/")]
    if parts[-1] in names:
        return False
    return not any(part in names and part not in _ONLY_ITSELF for part in parts[:-1])


def topical_units(
    units: list[Unit],
    label: Callable[[Unit], str],
    notes: list[str],
    non_topical: Iterable[str] = NON_TOPICAL,
) -> list[Unit]:
    """Leave out the units of folders that are no classes, and note how many.

    Examples
    --------
    >>> from comraf.collection.readers.files import folder_truth
    >>> units = [Unit(f"pumps/{i}") for i in range(3)] + [Unit("inbox/1"), Unit("odd/1")]
    >>> notes = []
    >>> len(topical_units(units, lambda unit: folder_truth(unit.path), notes)), notes[0]
    (3, '1 messages in 1 non-topical folders dropped: inbox')
    """
    sizes = Counter(map(label, units))
    names = tuple(non_topical)
    standard = {name for name in sizes if not is_topical(name, names)}
    small = {name for name, size in sizes.items() if size < SMALLEST} - standard
    for group, why in ((standard, "non-topical folders"), (small, f"folders under {SMALLEST}")):
        if group:
            count = sum(sizes[name] for name in group)
            shown = ", ".join(sorted(group)[:8]) + (" ..." if len(group) > 8 else "")
            notes.append(f"{count} messages in {len(group)} {why} dropped: {shown or 'the top'}")
    kept = [unit for unit in units if (name := label(unit)) not in standard and name not in small]
    if units and not kept:
        raise InputError(
            "With {given} none of the {n} messages is left: their folders are non-topical or hold "
            "fewer than {least} messages. Read without {p[truth]}, or give the folder above as "
            "the path.",
            "truth",
            "folders",
            n=len(units),
            least=SMALLEST,
        )
    return kept
