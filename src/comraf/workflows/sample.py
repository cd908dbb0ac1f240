"""``sample``: made-up photos or mail to try comraf on."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from comraf.errors import InputError
from comraf.workflows.options import Option, takes
from comraf.workflows.search import SEED

__all__ = ["Sample", "SampleKind", "SampleOptions", "sample"]

SampleKind = Literal["photos", "mail"]


@dataclass(frozen=True, kw_only=True)
class SampleOptions:
    """Options of `sample`.

    Parameters
    ----------
    number : int
        How many. Default: 360 photos, 400 messages.
    random_state : int
        Another seed, other ones.
    folders : bool
        A folder for each class, for organize --truth folders.
    """

    number: Annotated[
        int | None, Option("--number", "-n", metavar="N", least=1, most=1_000_000)
    ] = None
    random_state: Annotated[int, SEED] = 0
    folders: bool = False


@dataclass(frozen=True)
class Sample:
    """Photos or mail that were made up.

    Attributes
    ----------
    path : Path
        Where they are.
    noun : str
        What one of them is called.
    number, n_classes : int
        How many there are, and of how many classes.
    """

    path: Path
    noun: str
    number: int
    n_classes: int


@takes(SampleOptions)
def sample(kind: SampleKind, path: str | os.PathLike[str], *, options: SampleOptions) -> Sample:
    """Write made-up photos or mail to try comraf on.

    Parameters
    ----------
    kind : {"photos", "mail"}
        Photos need the extra images.
    path : path-like
        What to write: a folder of photos, an mbox file or, with ``folders``, a maildir. It must not
        exist yet, or be empty.
    options
        As for ``comraf sample``; see `SampleOptions`.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     made = sample("mail", Path(folder, "box.mbox"), number=12)
    >>> made.path.name, made.noun, made.number, made.n_classes
    ('box.mbox', 'message', 12, 8)
    """
    seed, folders = options.random_state, options.folders
    if kind == "photos":
        from comraf.images.sample import SCENE_NAMES, write_photos

        n = options.number or 360
        return Sample(write_photos(path, n, seed, folders=folders), "photo", n, len(SCENE_NAMES))
    if kind != "mail":
        raise InputError(parameter="kind", given=kind, allowed=["photos", "mail"])
    from comraf.collection.sample import TOPICS, write_maildir, write_mbox

    n = options.number or 400
    write = write_maildir if folders else write_mbox
    return Sample(write(path, n, seed), "message", n, len(TOPICS))
