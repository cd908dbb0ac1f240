"""Where an answer goes when nothing is said."""

from __future__ import annotations

from pathlib import Path

__all__ = ["free_place", "usual_place"]


def usual_place(path: Path) -> Path:
    """A folder here, named after what is read.

    Examples
    --------
    >>> usual_place(Path("refs.bib")).name, usual_place(Path("cooking/Posts.xml")).name
    ('refs-groups', 'cooking-groups')
    """
    whole = path.resolve()
    # every dump of Stack Exchange has this name
    name = whole.parent.name if whole.name.lower().startswith("posts.xml") else whole.stem
    return Path(f"{name or whole.stem or 'collection'}-groups")


def free_place(place: Path, path: Path) -> Path:
    """A folder like the usual one that is not there yet."""
    ending = path.suffix.lstrip(".").lower()
    tried = [place.with_name(f"{path.stem}-{ending}-groups")] if ending and path.stem else []
    tried += [place.with_name(f"{place.name}-{number}") for number in range(2, 1000)]
    return next((other for other in tried if not other.exists()), Path("another-folder"))
