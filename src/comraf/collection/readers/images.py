"""Folders of photos, with captions where there are any (the extra ``images``)."""

from __future__ import annotations

import os
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from comraf.collection.items import Item, Skip, Unit, digest_of
from comraf.collection.kinds import Kind
from comraf.collection.readers.captions import CAPTION_FILES, read_captions, read_sidecar
from comraf.collection.readers.charsets import clean_line
from comraf.collection.readers.files import (
    SPECIAL,
    FileReader,
    check_folders,
    check_path,
    escaped,
    is_classes_file,
    leads_out,
    left_out,
    os_path,
    portable,
    read_file,
    stamp,
    walk,
)
from comraf.collection.readers.photo_names import PhotoNames
from comraf.collection.vision.kinds import PHOTO_ENDINGS, UNREAD_ENDINGS, photo_format
from comraf.errors import InputError, ReadError, WriteError
from comraf.parameters import check_int

_SIDECAR = ".txt"
_SIDECARS = (_SIDECAR, ".TXT", ".Txt")
_TITLE_LIMIT = 300


class PhotoReader(FileReader):
    r"""A folder tree of photos, or one.

    The text of a photo is its captions, from ``captions.tsv``, ``.csv`` or ``.json`` in its
    folder or the nearest one above, or from a file beside it (``photo.jpg.txt`` or
    ``photo.txt``); its title is the first of them, else its path. Date and place are
    those that the camera wrote. What is seen in it is computed while it is read, and kept with
    the collection.

    Parameters
    ----------
    path : path-like
        The folder or the file.
    truth : {None, "folders"}
        "folders" takes the folder of a photo as its class.
    captions : path-like, optional
        A file of captions; by default those in the folders. False reads none at all.
    caption : int, optional
        Only this one of a photo's captions, counted from 1; all of them by default.
    need_caption : bool, default True
        Whether it is an error that no photo has the caption of that number; photos that are
        read as earlier ones were may well have none.
    side : int, default 192
        The longest side that photos are looked at with.
    cache : path-like, optional
        A folder in which features are kept, so that another reading of the same photos is fast.

    Raises
    ------
    MissingExtraError
        Pillow is not installed.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from PIL import Image
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Image.new("RGB", (60, 40), (200, 10, 10)).save(Path(folder, "a.png"))
    ...     _ = Path(folder, "captions.tsv").write_text("a.png\tA red wall.")
    ...     reader = PhotoReader(folder)
    ...     item = next(reader.read(reader.scan()[0]))
    >>> item.id, item.text, len(item.features) > 500
    ('a.png', 'A red wall.', True)
    """

    kind = "images"

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        truth: str | None = None,
        captions: str | os.PathLike[str] | bool | None = None,
        caption: int | None = None,
        need_caption: bool = True,
        side: int = 192,
        cache: str | os.PathLike[str] | None = None,
    ) -> None:
        check_folders(truth)
        if caption is not None:
            check_int("caption", caption, 1)
        check_int("side", side, 24, 2048)
        from comraf.collection.vision.decode import need_pillow

        need_pillow()
        super().__init__(path)
        self.truth = truth
        self.caption = caption
        self.side = side
        # where things lie says nothing about what is read: these are no options of it
        self._cache = None if cache is None else os.fspath(cache)
        if self._cache is not None and Path(self._cache).resolve().is_relative_to(
            self.path.resolve()
        ):
            raise InputError(
                "{given} lies among the photos, and would be taken for a part of them; "
                "give a folder elsewhere.",
                "cache",
                self._cache,
            )
        self._wants_captions = captions is not False
        self._need_caption = need_caption
        self._given = (
            None if captions is None or isinstance(captions, bool) else check_path(captions)
        )
        if self._given is not None and self._given.is_dir():
            raise InputError(
                "{given} is a folder; give the file of captions in it. {file} and the like beside "
                "the photos are found without this option.",
                "captions",
                str(self._given),
                file=CAPTION_FILES[0],
            )
        self._is_one = not self.path.is_dir()
        # where the photo or the photos are, and with them what is said of them
        self._folder = str(self.path.parent) if self._is_one else self.root
        self._beside: dict[str, str] = {}
        self._special: set[str] = set()
        self._captions: dict[str, tuple[str, ...]] = {}
        self._tables: dict[str, str] = {}
        self._n_beside = 0
        self._n_photos = 0

    def scan(self) -> list[Unit]:
        """List the photos, and find their captions."""
        self.renew()
        self._special = set()
        found, texts, others, tables = self._files()
        if not found:
            raise ReadError(
                f"There are no photos in {self.root!r} or below it: no file ends in "
                f"{', '.join(PHOTO_ENDINGS)}."
            )
        self._tables = {}
        self._n_photos = len(found)
        if self._cache is not None:
            from comraf.collection.vision.cache import FeatureCache

            FeatureCache(self._cache, self.side).sweep()
        self._captions = (
            self._find_captions([path for path, _ in found], tables) if self._wants_captions else {}
        )
        units = []
        self._beside = {}
        self._n_beside = 0
        for path, mark in found:
            # other captions make another item of the same photo
            said = digest_of(*self._captions[path]) if path in self._captions else ""
            text = _sidecar(self._path_of(path), texts) if self._wants_captions else ""
            if text:
                self._beside[path] = text
                said += texts[text]
                self._n_beside += path not in self._captions
            units.append(Unit(path, fingerprint=f"{mark}-{said}" if said else mark))
        if not self._is_one:
            others.update(_SIDECAR for _ in texts.keys() - set(self._beside.values()))
        for called in dict.fromkeys(UNREAD_ENDINGS.values()):
            endings = [end for end in others if UNREAD_ENDINGS.get(end) == called]
            if count := sum(others.pop(end) for end in endings):
                them = ("photo is", "it") if count == 1 else ("photos are", "them")
                self.notes.append(
                    f"{count:,} {called} {them[0]} not read; export {them[1]} as JPEG"
                )
        if others:
            self.notes.append(left_out(others))
        if self.caption is not None and self._need_caption:
            self._check_caption([path for path, _ in found], self.caption)
        return units

    def captions_found(self) -> list[str]:
        r"""Return where captions were found and how many, for people; after a scan.

        Examples
        --------
        >>> import tempfile
        >>> from pathlib import Path
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     _ = Path(folder, "a.png").write_bytes(b"")
        ...     _ = Path(folder, "captions.csv").write_text("a.png,A wall.\na.png,Red.")
        ...     reader = PhotoReader(folder)
        ...     _ = reader.scan()
        >>> reader.captions_found()
        ['1 of 1 photo, 2 each, in captions.csv']
        """
        counts: dict[str, list[int]] = {}
        for path, said in self._captions.items():
            counts.setdefault(self._tables[path], []).append(len(said))
        lines = []
        whole = _photos(self._n_photos)
        for table, each in counts.items():
            few, many = min(each), max(each)
            number = f"{few}" if few == many else f"{few} to {many}"
            lines.append(f"{len(each):,} of {whole}, {number} each, in {table}")
        if self._n_beside:
            lines.append(f"{self._n_beside:,} of {whole}, in texts beside them")
        return lines

    def _check_caption(self, paths: list[str], wanted: int) -> None:
        """A number that no photo has a caption for is a mistake, not a collection without words."""
        most, owner = 0, ""
        for path in paths:
            number = len(self._captions_of(path)[0]) if self._wants_captions else 0
            if number > most:
                most, owner = number, path
            if most >= wanted:
                return
        if not most:
            raise InputError(
                "{given}: none of the {photos} has a caption.",
                "caption",
                wanted,
                photos=_photos(len(paths)),
            )
        raise InputError(
            "{given}: no photo has so many captions. The most are {most}, of {owner}; choose a "
            "number up to that.",
            "caption",
            wanted,
            most=most,
            owner=_short(owner or self.path.name),
        )

    def _files(self) -> tuple[list[tuple[str, str]], dict[str, str], Counter[str], list[str]]:
        """Photos and texts with their fingerprints, endings of others, files of captions."""
        found: list[tuple[str, str]] = []
        texts: dict[str, str] = {}
        others: Counter[str] = Counter()
        tables: list[str] = []
        for raw, mark, readable in self._listed():
            path = portable(raw)
            ending = os.path.splitext(path)[1].lower()
            if mark == SPECIAL:
                if ending in PHOTO_ENDINGS:
                    self._special.add(path)
                    found.append((path, ""))
            elif not (path and readable) or ending in PHOTO_ENDINGS or self._is_photo(path):
                found.append((path, mark))
            elif path.rpartition("/")[2].lower() in CAPTION_FILES:
                tables.append(path)
            elif self._is_given(path) or is_classes_file(os_path(self.root, path)):
                continue
            elif ending == _SIDECAR:
                texts[path] = mark
            else:
                others[ending or "none"] += 1
        return found, texts, others, tables

    def _listed(self) -> Iterator[tuple[str, str, bool]]:
        """All files, as `walk` lists them; of one photo itself and what may be said of it."""
        if not self._is_one:
            yield from walk(self.root, self.notes, special=True)
            return
        yield "", stamp(os.stat(self.path)), True
        with suppress(OSError), os.scandir(self._folder) as entries:
            for entry in entries:
                name = entry.name.lower()
                may_tell = name in CAPTION_FILES or name.endswith(_SIDECAR)
                if may_tell and entry.is_file() and not leads_out(entry.path, self._folder):
                    yield entry.name, stamp(entry.stat()), True

    def _path_of(self, path: str) -> str:
        """The path of a photo in its folder, also where it is all that there is."""
        return path or portable(self.path.name)

    def _is_photo(self, path: str) -> bool:
        """Whether a file without an ending is a photo."""
        if os.path.splitext(path)[1]:
            return False
        try:
            return bool(photo_format(read_file(self.root, path, 16)))
        except OSError:
            return False

    def _is_given(self, path: str) -> bool:
        if self._given is None or os.path.basename(path) != self._given.name:
            return False
        try:
            return os.path.samefile(os_path(self.root, path), self._given)
        except OSError:
            return False

    def _find_captions(self, paths: list[str], tables: list[str]) -> dict[str, tuple[str, ...]]:
        """Captions of each photo, from the files of captions if there are any."""
        names = sorted(map(self._path_of, paths))
        if self._given is not None:
            shown = portable(self._given.name)
            captions = self._captions_in(str(self._given), shown, names, "")
        else:
            captions = {}
            folders: dict[str, list[str]] = {}
            for path in tables:
                folders.setdefault(path.rpartition("/")[0], []).append(path)
            # folders after those that they lie in: what is nearer to a photo tells more of it
            for folder in sorted(
                folders, key=lambda folder: (folder.count("/") + bool(folder), folder)
            ):
                prefix = f"{folder}/" if folder else ""
                # sorted by name what is below a folder stands together: 0 comes after /
                below = names
                if folder:
                    below = names[bisect_left(names, prefix) : bisect_left(names, f"{folder}0")]
                for path in sorted(folders[folder], key=_rank):
                    # one that says nothing must not hide the next
                    place = os_path(self._folder, path)
                    if found := self._captions_in(place, path, below, prefix):
                        captions.update(found)
                        break
        return {"" if self._is_one else path: said for path, said in captions.items()}

    def _captions_in(
        self, place: str, shown: str, paths: list[str], prefix: str
    ) -> dict[str, tuple[str, ...]]:
        try:
            pairs = read_captions(place)
        except ReadError as error:
            if self._given is not None:
                raise
            why = (error.message.values or {}).get("why", error)
            self.notes.append(f"no captions: {clean_line(shown)[:200]} {clean_line(str(why))}")
            return {}
        if not pairs:
            self.notes.append(f"{shown} is empty: there are no captions in it")
            return {}
        matched = self._matched(paths, pairs, shown, prefix)
        self._tables.update(dict.fromkeys(("",) if self._is_one else matched, shown))
        return matched

    def _matched(
        self, paths: list[str], pairs: list[tuple[str, str]], shown: str, prefix: str
    ) -> dict[str, tuple[str, ...]]:
        home = None if self._given is None else self._given.parent
        names = PhotoNames(paths, prefix, self._folder, home)
        found = names.find_all(name for name, _ in pairs)
        captions: dict[str, list[str]] = {}
        missing: Counter[str] = Counter()
        unclear: Counter[str] = Counter()
        for name, caption in pairs:
            if len(found[name]) == 1:
                captions.setdefault(found[name][0], []).append(caption)
            else:
                (unclear if found[name] else missing)[name] += 1
        if not captions and self._given is not None:
            raise InputError(
                "{given} has captions for none of the {photos}. Names in it ({n:,}) are like "
                "{name}, those of the photos like {photo}; name each photo so, with or without "
                "its folder.",
                "captions",
                str(self._given),
                photos=_photos(len(paths)),
                n=len(missing) + len(unclear),
                name=_short(pairs[0][0]),
                photo=_short(paths[0]),
            )
        if self._is_one:
            # captions beside a photo are for those beside it, too
            missing.clear()
        for lost, why in ((missing, "not there"), (unclear, "of which there are several")):
            if lost:
                said = f"{lost.total():,} caption{'' if lost.total() == 1 else 's'}"
                self.notes.append(
                    f"{shown}: {said} for {_photos(len(lost))} {why}, the first "
                    f"{_short(next(iter(lost)))}"
                )
        if not captions and not self._is_one:
            self.notes.append(f"{shown} has no caption for any of the {len(paths)} photos")
        return {path: tuple(said) for path, said in captions.items()}

    def source(self, unit: Unit) -> str:
        """Return where a photo lies, so that it can be printed."""
        return escaped(super().source(unit))

    def items(self, unit: Unit) -> Iterator[Item | Skip]:
        """Yield the photo of a unit, as an item or as a skip."""
        from comraf.collection.vision.decode import MOST_BYTES

        source = self.source(unit)
        if unit.path in self._special:
            yield Skip(source, "no file: a pipe or a device")
            return
        data, cut = self.beginning(unit, MOST_BYTES)
        if cut:
            yield Skip(source, f"larger than {MOST_BYTES >> 20} MB")
            return
        try:
            yield self._item(data, source, unit)
        except ReadError as error:
            yield Skip(source, str(error))

    def _item(self, data: bytes, source: str, unit: Unit) -> Item:
        from comraf.collection.vision.cache import FeatureCache, photo_digest
        from comraf.collection.vision.decode import open_photo
        from comraf.collection.vision.features import photo_features

        features, notes = None, []
        if self._cache is not None:
            try:
                features = FeatureCache(self._cache, self.side).of(data)
            except WriteError as error:  # a full disk: it is read all the same
                notes = [f"not kept in the photo cache: {error.__cause__ or error}"]
        if features is None:
            features = photo_features(open_photo(data, self.side))
        notes = [*features.notes, *notes]
        captions, problem = self._captions_of(unit.path) if self._wants_captions else ((), "")
        if problem:
            notes.append(problem)
        if self.caption is not None:
            if captions and len(captions) < self.caption:
                notes.append(f"it has no caption {self.caption}")
            captions = captions[self.caption - 1 : self.caption]
        text = "\n".join(captions)
        folder = self.folder_class(unit.path)
        return Item(
            id=source,
            text=text,
            title=(captions[0] if captions else clean_line(source))[:_TITLE_LIMIT],
            date=features.date,
            source=source,
            values={"places": (features.place,)} if features.place else {},
            truth=None if folder is None else escaped(folder),
            digest=digest_of(photo_digest(data), text),
            notes=tuple(notes),
            features=features.to_bytes(),
        )

    def _captions_of(self, path: str) -> tuple[tuple[str, ...], str]:
        """Captions of a photo, of the file of captions or else beside it; what is wrong there."""
        if path in self._captions:
            return self._captions[path], ""
        if path in self._beside:
            with suppress(OSError):
                return read_sidecar(self._folder, self._beside[path])
        return (), ""


def _photos(number: int) -> str:
    return f"{number:,} photo{'' if number == 1 else 's'}"


def _short(name: str) -> str:
    return f"'{escaped(name)[:80]}'"


def _rank(path: str) -> int:
    return CAPTION_FILES.index(path.rpartition("/")[2].lower())


def _sidecar(path: str, texts: dict[str, str]) -> str:
    """The text that lies beside a photo; empty when there is none."""
    for name in (path, os.path.splitext(path)[0]):
        for ending in _SIDECARS:
            if name + ending in texts:
                return name + ending
    return ""


IMAGES = Kind(
    "images",
    "photos",
    PhotoReader,
    noun="photo",
    recognise=lambda look: bool(photo_format(look.head)),
    binary=True,
    photos=True,
    words={"stem": True, "titles": False},  # captions are short; names of files are no words
)
