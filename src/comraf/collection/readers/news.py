"""Usenet posts: one in each file, as in 20 Newsgroups."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import partial
from types import MappingProxyType

from comraf.collection.kinds import Kind
from comraf.collection.readers.mail import MAX_BYTES, MailReader, looks_like
from comraf.collection.readers.mail_text import Quotes
from comraf.collection.text.stopwords import NEWS_WORDS


class NewsReader(MailReader):
    r"""A folder tree of newsgroup posts.

    The title is the subject, the text is the body without lines of more than 50
    characters that hold no white space; the sender is a person, and ``Organization``
    is the side ``organisation``. The fields that name the group (``Newsgroups``,
    ``Xref``, ``Path``) are never looked at.

    Parameters
    ----------
    path : path-like
        The folder.
    quotes, signatures : {"keep", ...}
        As for mail, but kept by default: discussions quote piece by piece.
    truth : {None, "folders"}
        "folders" takes the folder, the newsgroup, as the class. Nothing is dropped.
    max_bytes : int
        How much of a post is read at most.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> post = "From: ann@x.org (Ann)\nOrganization: X\nSubject: Hi\n\nHello"
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = pathlib.Path(folder, "1").write_text(post)
    ...     reader = NewsReader(folder)
    ...     item = next(reader.read(reader.scan()[0]))
    >>> item.people[0].name, item.values
    ('Ann', {'organisation': ('X',)})
    """

    kind = "news"
    roles = ("from",)
    sides: Mapping[str, str] = MappingProxyType({"organization": "organisation"})

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        quotes: Quotes = "keep",
        signatures: str = "keep",
        truth: str | None = None,
        max_bytes: int = MAX_BYTES,
    ) -> None:
        super().__init__(
            path, quotes=quotes, signatures=signatures, truth=truth, max_bytes=max_bytes
        )


NEWS = Kind(
    "news",
    "newsgroup posts",
    NewsReader,
    noun="post",
    recognise=partial(looks_like, "news"),
    messages=True,
    stop_words=NEWS_WORDS,
)
