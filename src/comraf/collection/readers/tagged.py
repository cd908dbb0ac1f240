"""Corpora with a part of speech on every word: the Brown corpus and its like.

A folder, or a zip file as it was downloaded, of files whose words are ``word/TAG`` or
``word_TAG``, a sentence a line. A file ``cats.txt`` beside them, ``name genre`` a line, says
which files belong to the corpus, and what they are.
"""

from __future__ import annotations

import os
import re
import zipfile
import zlib
from collections.abc import Iterator
from functools import lru_cache
from pathlib import PurePosixPath

from comraf.collection.items import Item, Skip, Unit, digest_of
from comraf.collection.kinds import Kind, Look
from comraf.collection.readers.charsets import clean, clean_line, decode
from comraf.collection.readers.files import (
    FileReader,
    by_folders,
    portable,
    read_file,
    stamp,
    walk,
)
from comraf.collection.readers.folder import looks_binary, why_no_text
from comraf.collection.text.pos import split_tagged
from comraf.errors import InputError, ReadError

CATS = "cats.txt"
MAX_BYTES = 8 << 20

_MOST_CATS = 16 << 20
_FEW = 8
_ENOUGH = 0.9
_SEVERAL = 0.75
_ADDRESS = re.compile(r"https?://|www\.")
_GLUED = re.compile(r" (?=[,.;:?!)\]%\"]+(?:\s|$))|(?<=[(\[$]) ")
_TWICE = re.compile(r"([?!;:])(?: \1)+(?= |$)")
_QUOTED = (("`` ", '"'), (" ''", '"'))
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, KeyError)


def tag_mark(text: str) -> str:
    r"""The sign between words and tags, "/" or "_"; empty if most words have no tag.

    Examples
    --------
    >>> tag_mark("The/at jury/nn said/vbd the/at pump/nn leaks/vbz and/cc the/at hose/nn does/doz")
    '/'
    >>> tag_mark("Either/or is what the pump and/or the hose wants on Friday.")
    ''
    """
    tokens = text.split()[:2000]
    if len(tokens) < _FEW or _ADDRESS.search(text[:2000]):
        return ""
    for mark in "/_":
        found = split_tagged(" ".join(tokens), mark)
        # in dates and paths every token may have a slash, and few of the ends come again
        kinds = {tag for _, tag in found}
        if len(found) >= _ENOUGH * len(tokens) and len(kinds) <= _SEVERAL * len(found):
            return mark
    return ""


def is_tagged(head: bytes) -> bool:
    """Tell whether the beginning of a file is tagged text.

    Examples
    --------
    >>> is_tagged(b"I/PRP see/VBP the/DT pump/NN and/CC the/DT old/JJ hose/NN and/CC the/DT cat/NN")
    True
    """
    if looks_binary(head[:4096]):
        return False
    # the last word may be cut
    return bool(tag_mark(head.decode("utf-8", "replace").rpartition(" ")[0] or ""))


def tagged_zip(path: str | os.PathLike[str]) -> bool:
    """Tell whether a zip file holds a tagged corpus, by its list of genres and its first files."""
    try:
        with zipfile.ZipFile(path) as archive:
            files = [info for info in archive.infolist() if not info.is_dir()]
            if not any(PurePosixPath(info.filename).name == CATS for info in files):
                return False
            looked = (info for info in files[:20] if info.file_size)
            return any(is_tagged(_head(archive, info)) for info in looked)
    except (*_BROKEN, OSError, ValueError):
        return False


def _head(archive: zipfile.ZipFile, info: zipfile.ZipInfo, most: int = 4096) -> bytes:
    with archive.open(info) as file:
        return file.read(most)


@lru_cache(maxsize=1)
def _opened(path: str, mark: str) -> zipfile.ZipFile:
    """A zip file, opened once for all of its texts: to read its list takes longer than a text."""
    return zipfile.ZipFile(path)


class TaggedReader(FileReader):
    r"""A corpus of tagged texts, one document a file.

    The text of a document is its words without their tags; the tags become its sides of
    parts of speech. The id is the path below the folder of ``cats.txt``.

    Parameters
    ----------
    path : path-like
        A folder, a zip file, or one file.
    truth : {None, "genres", "folders"}
        What is the class of a document: the genre of ``cats.txt``, or its folder.
    max_bytes : int
        How much of a file is read at most.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     text = pathlib.Path(folder, "a")
    ...     _ = text.write_text("The/DT pump/NN leaks/VBZ ,/, you/PRP know/VBP")
    ...     _ = pathlib.Path(folder, "cats.txt").write_text("a repairs\n")
    ...     reader = TaggedReader(folder, truth="genres")
    ...     item, = reader.read(reader.scan()[0])
    >>> item.text, item.tags, item.truth
    ('The pump leaks, you know', (('DT', 'NN', 'VBZ', ',', 'PRP', 'VBP'),), 'repairs')
    """

    kind = "tagged"
    tagged = True
    damage = (OSError, *_BROKEN)

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        truth: str | None = None,
        max_bytes: int = MAX_BYTES,
    ) -> None:
        if truth not in (None, "genres") and not by_folders(truth):
            raise InputError(
                "{given} is not known; it can be {allowed:or} (genres are those of {file}).",
                "truth",
                truth,
                allowed=["genres", "folders"],
                file=CATS,
            )
        super().__init__(path)
        self.truth = truth
        self.max_bytes = max_bytes
        self._packed = self.path.is_file() and zipfile.is_zipfile(self.path)
        self._genres: dict[str, str] | None = None

    def scan(self) -> list[Unit]:
        """List the files that ``cats.txt`` names; without one, all files."""
        self.renew()
        if self.path.is_file() and not self._packed:
            if self.truth == "genres":
                text = "{given} needs a folder or zip file with {file} in it."
                raise InputError(text, "truth", self.truth, file=CATS)
            return self.whole()
        found = self._zipped() if self._packed else self._files()
        lists = sorted((p for p in found if PurePosixPath(p).name == CATS), key=len)
        genres = self._genres = self._read_genres(lists[0]) if lists else {}
        if self.truth == "genres" and not genres:
            text = "{given} needs a list {file} in {path!r}; there is none."
            raise InputError(text, "truth", self.truth, file=CATS, path=self.root)
        if not genres:
            units = [unit for path, unit in found.items() if path not in lists]
        else:
            units = [found[path] for path in genres if path in found]
            if gone := len(genres) - len(units):
                self.notes.append(f"{gone} files that {CATS} names are not there")
            if others := len(found) - len(units) - len(lists):
                self.notes.append(f"{others} files that {CATS} does not name left out")
        if not units:
            raise ReadError(f"There are no tagged texts in {self.root!r}.")
        return units

    def _files(self) -> dict[str, Unit]:
        return {
            portable(path): Unit(portable(path), fingerprint=mark)
            for path, mark, _ in walk(self.root, self.notes)
        }

    def _zipped(self) -> dict[str, Unit]:
        try:
            with zipfile.ZipFile(self.path) as archive:
                return {
                    info.filename: Unit(
                        info.filename, fingerprint=f"{info.file_size:x}-{info.CRC:08x}"
                    )
                    for info in archive.infolist()
                    if not info.is_dir()
                }
        except (*_BROKEN, OSError, ValueError) as error:
            raise ReadError(f"{self.root!r} can't be unpacked: {error}") from error

    def _read_genres(self, path: str) -> dict[str, str]:
        """Paths and their genres; a file of several genres has the first."""
        try:
            text, _ = decode(self._bytes(path, _MOST_CATS))
        except (*_BROKEN, OSError) as error:
            raise ReadError(f"{path} in {self.root!r} can't be read: {error}") from error
        base = str(PurePosixPath(path).parent)
        out: dict[str, str] = {}
        several = 0
        for line in clean(text).splitlines():
            name, *genres = line.split()[:3] or [""]
            if name and genres:
                several += len(genres) > 1
                out.setdefault(name if base == "." else f"{base}/{name}", genres[0])
        if several:
            self.notes.append(f"{several} texts have several genres in {CATS}: the first is taken")
        return out

    def _bytes(self, path: str, most: int) -> bytes:
        if not self._packed:
            return read_file(self.root, path, most)
        archive = _opened(self.root, stamp(os.stat(self.path)))
        return _head(archive, archive.getinfo(path), most)

    def source(self, unit: Unit) -> str:
        """Return the path of a text in the corpus."""
        return clean_line(unit.path) or super().source(unit)

    def items(self, unit: Unit) -> Iterator[Item | Skip]:
        """Yield the document of a unit, as an item or as a skip."""
        data = self._bytes(unit.path, self.max_bytes + 1)
        why, source = why_no_text(data), self.source(unit)
        yield Skip(source, why) if why else self._item(data, source, unit.path)

    def _item(self, data: bytes, source: str, path: str) -> Item | Skip:
        notes: list[str] = []
        if len(data) > self.max_bytes:
            # not in the middle of a word
            data = data[: self.max_bytes].rpartition(b"\n")[0] or data[: self.max_bytes]
            notes.append(f"cut at {self.max_bytes:,} bytes")
        text, note = decode(data)
        if note:
            notes.append(note)
        text = clean(text)
        mark = tag_mark(text) or ("/" if "/" in text else "_")
        given = len(text.split())
        lines = [split_tagged(line, mark) for line in text.splitlines()]
        lines = [line for line in lines if line]
        taken = sum(map(len, lines))
        if taken < given / 2:
            return Skip(source, f"no tagged text: {taken} of {given} words have a tag")
        if taken < given:
            notes.append(f"{given - taken} words without a tag left out")
        words = "\n".join(_prose([word for word, _ in line]) for line in lines)
        tags = tuple(tuple(tag for _, tag in line) for line in lines)
        truth = self.folder_class(path)
        if self.truth == "genres":
            if self._genres is None:  # read before any scan
                self.scan()
            truth = (self._genres or {}).get(path)
        return Item(
            id=source,
            text=words,
            source=source,
            truth=truth,
            digest=digest_of(words, *(" ".join(sentence) for sentence in tags)),
            notes=tuple(notes),
            tags=tags,
        )


def _prose(words: list[str]) -> str:
    """Words and signs as people write them.

    Examples
    --------
    >>> _prose(["``", "No", "!", "!", "''", ",", "he", "said", "(", "twice", ")", "."])
    '"No!", he said (twice).'
    """
    text = _TWICE.sub(r"\1", " ".join(words))
    for given, put in _QUOTED:
        text = text.replace(given, put)
    return _GLUED.sub("", text)


def _recognise(look: Look) -> bool:
    if look.packing is not None:
        return look.packing == "zip" and tagged_zip(look.path)
    return look.is_text and not look.claim and not look.is_page and is_tagged(look.head)


TAGGED = Kind(
    "tagged",
    "texts with parts of speech",
    TaggedReader,
    noun="text",
    recognise=_recognise,
    binary=True,
    family="text",
    many=True,
    zipped=True,
)
