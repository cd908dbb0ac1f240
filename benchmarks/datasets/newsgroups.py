"""20 Newsgroups: subject and body of 19,997 messages, and subsets of them."""

from __future__ import annotations

import re
import tarfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from benchmarks.datasets.base import Dataset
from benchmarks.datasets.text import MIN_DOCUMENTS, count_words, drop_blobs
from comraf.errors import InputError, ReadError

__all__ = [
    "DIFFERENT",
    "SIMILAR",
    "iter_messages",
    "message_text",
    "newsgroups",
    "newsgroups_files",
    "pick_groups",
    "sample_groups",
    "whole",
]

newsgroups_files = ("newsgroups/20_newsgroups.tar.gz",)

DIFFERENT = ("alt.atheism", "rec.sport.baseball", "sci.space")
SIMILAR = ("comp.graphics", "comp.os.ms-windows.misc", "comp.windows.x")

_FOLDED = re.compile(r"\n[ \t]+")
_SUBJECT = re.compile(r"^subject:(.*)$", re.IGNORECASE | re.MULTILINE)


def message_text(raw: bytes) -> str:
    r"""Subject and body of one message; no other header, several give the group away.

    Examples
    --------
    >>> message_text(b"Newsgroups: sci.space\nSubject: Moon\n rocks\n\nHello\n")
    'Moon rocks\nHello\n'
    """
    text = raw.decode("latin-1").replace("\r\n", "\n")
    head, _, body = text.partition("\n\n")
    subject = _SUBJECT.search(_FOLDED.sub(" ", head))
    return drop_blobs(f"{subject.group(1) if subject else ''}\n{body}")


def iter_messages(data: Path) -> Iterator[tuple[str, str, bytes]]:
    """Group, name and text of every message of the archive."""
    path = data / newsgroups_files[0]
    try:
        with tarfile.open(path, "r:gz") as archive:
            for member in archive:
                stream = archive.extractfile(member)
                if stream is not None:
                    group, number = member.name.split("/")[-2:]
                    yield group, f"{group}/{number}", stream.read()
    except (OSError, EOFError, ValueError, tarfile.TarError, zlib.error) as error:
        raise ReadError(
            f"{str(path)!r} is not a whole archive of <group>/<message> files ({error})"
        ) from error


def newsgroups(
    data: Path, text_of: Callable[[bytes], str] = message_text, name: str = "20ng-all-words"
) -> Dataset:
    """Read every message of the archive; all words are kept, empty documents too."""
    messages = [(group, one, text_of(raw)) for group, one, raw in iter_messages(data)]
    groups, names, texts = zip(*messages, strict=True) if messages else ((), (), ())
    counts, words = count_words(texts)
    return Dataset.build(name, counts, groups, names, words, newsgroups_files)


def whole(messages: Dataset) -> Dataset:
    """All messages that still have words once rare words are gone."""
    rows = np.arange(len(messages.row_names))
    return messages.select("20ng", rows, min_documents=MIN_DOCUMENTS)


def pick_groups(messages: Dataset, name: str, groups: tuple[str, ...]) -> Dataset:
    """Messages of some groups; rare words are judged within them."""
    missing = sorted(set(groups) - set(messages.class_names))
    if missing:
        raise InputError(f"the archive has no group {', '.join(missing)}; {name} needs it")
    wanted = [messages.class_names.index(group) for group in groups]
    rows = np.flatnonzero(np.isin(messages.truth, wanted))
    return messages.select(name, rows, min_documents=MIN_DOCUMENTS)


def sample_groups(messages: Dataset, name: str, *, per_group: int, draw: int) -> Dataset:
    """Draw `per_group` messages of each group; `draw` is the seed of the draw."""
    rng = np.random.default_rng(draw)
    rows = []
    for group, group_name in enumerate(messages.class_names):
        members = np.flatnonzero(messages.truth == group)
        if members.size < per_group:
            raise InputError(
                f"the group {group_name} has {members.size} messages; {name} needs {per_group}"
            )
        rows.append(np.sort(rng.choice(members, size=per_group, replace=False)))
    return messages.select(name, np.concatenate(rows), min_documents=MIN_DOCUMENTS)
