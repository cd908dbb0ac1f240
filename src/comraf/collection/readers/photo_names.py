"""Which photo a name in a file of captions means."""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterable

from comraf.collection.readers.files import portable
from comraf.collection.text.normal import normalized

# /home/ann/a.jpg, C:/Photos/a.jpg, https://example.org/a.jpg
_ABSOLUTE = re.compile(r"/|[A-Za-z]:/|[A-Za-z][A-Za-z0-9+.-]*://")
# a path of more parts is none that a system would open
_MOST_PARTS = 200

_Index = dict[str, tuple[str, ...]]


def name_key(name: str) -> str:
    r"""Return what is left of a name without what systems and programs change in it.

    Examples
    --------
    >>> name_key("Sea\\A  B.JPG") == name_key("sea/a b.jpg")
    True
    """
    name = " ".join(name.replace("\\", "/").split())
    return normalized("NFC", normalized("NFC", name).casefold())


class PhotoNames:
    """Photos of a folder, to be found by the names that a file of captions gives them.

    A name is taken as it is written if there is such a photo, and else without regard to case,
    blanks, slashes and the form of accents. One without a folder may be that of a photo in any
    folder; of one with a folder the folder must be that of the photo, for another photo of the
    same name is another photo. The ending may be left out.

    Parameters
    ----------
    paths : iterable of str
        Relative paths of the photos, with forward slashes.
    prefix : str, default ""
        The folder of the captions below that of the photos, with a slash at its end.
    root : path-like, default "."
        The folder of the photos.
    home : path-like, optional
        The folder of the captions, if it is not the one that the prefix tells.

    Examples
    --------
    >>> names = PhotoNames(["city/1.png", "city/2.png", "sea/2.png"])
    >>> names.find("1.png"), names.find("CITY/1"), names.find("sea/1.png"), names.find("2.png")
    (('city/1.png',), ('city/1.png',), (), ('city/2.png', 'sea/2.png'))
    """

    def __init__(
        self,
        paths: Iterable[str],
        prefix: str = "",
        root: str | os.PathLike[str] = ".",
        home: str | os.PathLike[str] | None = None,
    ) -> None:
        self.paths = list(paths)
        self.prefix = prefix
        self._known = set(self.paths)
        self._indices: dict[str, _Index] = {}
        self._root = portable(os.path.realpath(root))
        # a link to the folder is another way to write where its photos are
        self._roots = tuple({self._root, portable(os.path.abspath(root))})
        self._home = (
            posixpath.join(self._root, prefix) if home is None else portable(os.path.realpath(home))
        )

    def find_all(self, names: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """Return for each name what `find` does, but two paths elsewhere never one photo.

        Parameters
        ----------
        names : iterable of str

        Examples
        --------
        >>> PhotoNames(["1.png"]).find_all(["/old/sea/1.png", "/old/city/1.png"])["/old/sea/1.png"]
        ('/old/sea/1.png', '/old/city/1.png')
        """
        found: dict[str, tuple[str, ...]] = {}
        strangers: dict[str, list[str]] = {}
        for name in names:
            if name in found:
                continue
            found[name] = self.find(name)
            plain = name.replace("\\", "/")
            if (
                len(found[name]) == 1
                and _ABSOLUTE.match(plain)
                and self._below(posixpath.normpath(plain)) is None
            ):
                strangers.setdefault(found[name][0], []).append(name)
        for several in strangers.values():
            if len(several) > 1:
                found.update(dict.fromkeys(several, tuple(several[:2])))
        return found

    def find(self, name: str) -> tuple[str, ...]:
        """Return the photo that a name means; nothing if there is none, two if there are several.

        Parameters
        ----------
        name : str
            As it stands in the file of captions.
        """
        for spelled in (name, name.removeprefix("./")):
            if self.prefix + spelled in self._known:
                return (self.prefix + spelled,)
        plain = name.replace("\\", "/")
        if _ABSOLUTE.match(plain):
            return self._absolute(plain)
        parts = [part for part in plain.split("/") if part not in ("", ".")]
        if not parts or len(parts) > _MOST_PARTS:
            return ()
        if ".." in parts:
            return self._below(posixpath.normpath(posixpath.join(self._home, plain))) or ()
        plain = "/".join(parts)
        return self._ending_in(plain) or self._around(parts)

    def _whole(self, path: str) -> tuple[str, ...]:
        """The photo of this path."""
        if path in self._known:
            return (path,)
        key = name_key(path)
        return self._photos("key", key) or self._photos("key stem", key)

    def _ending_in(self, plain: str) -> tuple[str, ...]:
        """The photo whose path ends so; as it is written first, and near to the captions."""
        key, whole = name_key(plain), self.prefix + plain
        return (
            ((whole,) if whole in self._known else ())
            or self._photos("stem", whole)
            or self._photos("tails", plain)
            or self._photos("stem tails", plain)
            or self._whole(whole)
            or self._photos("key tails", key)
            or self._photos("key stem tails", key)
        )

    def _around(self, parts: list[str]) -> tuple[str, ...]:
        """The photo of a path that starts above the folder of photos, or beside the captions."""
        found = self._below(posixpath.normpath(posixpath.join(self._home, *parts)))
        if found:
            return found
        root = name_key(self._root)
        for start in range(1, len(parts)):
            above = name_key("/".join(parts[:start]))
            if root.endswith(f"/{above}") and (found := self._whole("/".join(parts[start:]))):
                return found
        return ()

    def _below(self, path: str) -> tuple[str, ...] | None:
        """The photo of an absolute path below the folder of photos; None for other paths."""
        for root in self._roots:
            start = root.rstrip("/") + "/"
            if path.startswith(start):
                return self._whole(path.removeprefix(start))
        return None

    def _absolute(self, plain: str) -> tuple[str, ...]:
        if (found := self._below(posixpath.normpath(plain))) is not None:
            return found
        # photos were moved since: all that is known of where one lies must be in the name
        parts = plain.split("/")
        for start in range(max(1, len(parts) - _MOST_PARTS), len(parts)):
            if found := self._whole("/".join(parts[start:])):
                return found
        return ()

    def _photos(self, form: str, name: str) -> tuple[str, ...]:
        """The photos of a name in some form; of those that share one, two, which tell that much."""
        if form not in self._indices:
            self._indices[form] = self._index(form)
        return self._indices[form].get(name, ())

    def _index(self, form: str) -> _Index:
        """Photos by their paths: as keys, without endings, or by the ends ("tails") of them."""
        found: _Index = {}
        for path in self.paths:
            text = os.path.splitext(path)[0] if "stem" in form else path
            text = name_key(text) if "key" in form else text
            parts = text.split("/") if "tails" in form else [text]
            for start in range(len(parts)):
                name = "/".join(parts[start:])
                there = found.get(name, ())
                if len(there) < 2:
                    found[name] = (*there, path)
        return found
