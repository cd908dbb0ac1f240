"""Pages that were retrieved for several names: a folder with a subfolder for each name."""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from comraf.collection.readers.charsets import clean, clean_line, decode
from comraf.collection.readers.files import check_path, leads_out, portable, read_file, walk
from comraf.collection.readers.folder import HTML_ENDINGS, TEXT_ENDINGS, looks_binary
from comraf.collection.readers.html import html_charset, html_text, looks_html
from comraf.collection.text.addresses import page_addresses, read_hosts, written_addresses
from comraf.errors import ComrafError, InputError, ReadError

__all__ = [
    "MANIFEST",
    "Page",
    "Reading",
    "read_hosts_file",
    "read_names",
    "read_pages",
    "read_truth",
]

#: The file that says where pages came from, in the folder of the names' folders.
MANIFEST = "pages.csv"

_MOST_BYTES = 8 << 20
_TITLE = 300
_YES = frozenset(("1", "1.0", "yes", "y", "true", "t", "core", "relevant"))
_NO = frozenset(("0", "0.0", "no", "n", "false", "f", "rest", "irrelevant", "other"))


@dataclass(frozen=True)
class Page:
    """One page.

    Attributes
    ----------
    id : str
        Folder and file, ``ann-lee/07.html``.
    name : str
        The name that it was retrieved for.
    text : str
    title : str
    url : str
        Its own address, "" if it is not known.
    links : tuple of str
        Addresses in it.
    truth : bool or None
        Whether it is about the person of the circle, where that is known.

    Examples
    --------
    >>> Page("ann-lee/07.html", "Ann Lee", "She sails.").truth is None
    True
    """

    id: str
    name: str
    text: str
    title: str = ""
    url: str = ""
    links: tuple[str, ...] = ()
    truth: bool | None = None


@dataclass(frozen=True)
class Reading:
    """What a folder holds.

    Attributes
    ----------
    pages : tuple of Page
    skipped : tuple of (str, str)
        Files that are no pages, and why.
    notes : tuple of str
    """

    pages: tuple[Page, ...]
    skipped: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()


def read_pages(
    folder: str | os.PathLike[str],
    *,
    names: Iterable[str] | None = None,
    truth: Mapping[str, bool] | None = None,
) -> Reading:
    """Read the pages of several names of one social circle.

    Parameters
    ----------
    folder : path-like
        Has a subfolder for each name with the pages found for it (``.html``, ``.htm``,
        ``.xhtml``, ``.txt``), and perhaps ``pages.csv`` with the columns name, file, url and
        truth, of which the last two may be missing.
    names : iterable of str, optional
        The names to read; a subfolder belongs to the name that is spelled like it, whatever
        the capitals, blanks and signs. Without it every subfolder is a name.
    truth : mapping of str to bool, optional
        Page -> whether it is about the circle; goes before the manifest's.

    Raises
    ------
    ReadError, InputError
        There is no such folder, it has no subfolders with pages, or a name has no subfolder.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Path(folder, "ann-lee").mkdir()
    ...     _ = Path(folder, "ann-lee", "1.html").write_text("<title>Ann</title>She sails.")
    ...     page = read_pages(folder).pages[0]
    >>> page.id, page.name, page.title, page.text
    ('ann-lee/1.html', 'ann lee', 'Ann', 'She sails.')
    """
    root = check_path(folder)
    if not root.is_dir():
        raise ReadError(
            f"{str(folder)!r} is a file; give the folder with a subfolder for each name"
        )
    notes: list[str] = []
    listed = [entry for entry in root.iterdir() if not entry.name.startswith(".")]
    inside = [entry for entry in listed if not leads_out(str(entry), str(root))]
    folders = sorted(entry.name for entry in inside if entry.is_dir())
    if len(inside) < len(listed):
        linked = f"{len(listed) - len(inside):,} symbolic links lead out of the folder"
        notes.append(f"{linked}: not followed without --follow-links")
    wanted = _matched(root, folders, names)
    urls, judged = _manifest(root, notes)
    truth = {**judged, **(truth or {})}
    pages: list[Page] = []
    skipped: list[tuple[str, str]] = []
    for sub, name in wanted.items():
        before = len(pages)
        for path, _, readable in walk(str(root / sub), notes):
            if path.lower().endswith(HTML_ENDINGS + TEXT_ENDINGS):
                key = portable(f"{sub}/{path}")
                found = _page(str(root / sub), path, key, name, urls) if readable else None
                if isinstance(found, Page):
                    pages.append(found)
                else:
                    skipped.append((key, found or "can't be read"))
        if len(pages) == before:
            notes.append(f"no pages in {portable(sub)!r}")
    if not pages:
        raise ReadError(
            f"{str(folder)!r} holds no pages; it needs a subfolder for each name with the .html, "
            ".htm or .txt files that were found for that name"
        )
    known = {page.id for page in pages} | {key for key, _ in skipped}
    strangers = [key for key in {**urls, **truth} if key not in known]
    if strangers:
        notes.append(
            f"{len(strangers)} pages of the list are not in the folder, {strangers[0]!r} among them"
        )
    known_truth = tuple(replace(page, truth=truth.get(page.id)) for page in pages)
    return Reading(known_truth, tuple(skipped), tuple(notes))


def _key(name: str) -> str:
    return re.sub(r"[\W_]+", " ", name.casefold()).strip()


def _matched(root: Path, folders: list[str], names: Iterable[str] | None) -> dict[str, str]:
    """Folder -> name."""
    if names is None:
        return {folder: clean_line(re.sub(r"[-_\s]+", " ", portable(folder))) for folder in folders}
    by_key = {_key(folder): folder for folder in folders}
    matched: dict[str, str] = {}
    for name in names:
        found = by_key.get(_key(name))
        if found is None:
            there = ", ".join(folders[:8]) or "none"
            raise InputError(f"{root} has no subfolder for the name {name!r}; it has {there}")
        if found in matched:
            raise InputError(f"the name {name!r} is there twice")
        matched[found] = name
    if not matched:
        raise InputError("the list of names is empty; write one name a line")
    return matched


def read_names(path: str | os.PathLike[str]) -> list[str]:
    """Names of a file, one a line; blank lines and lines that begin with ``#`` are left out.

    Examples
    --------
    >>> read_names("no/such/names.txt")
    Traceback (most recent call last):
    ...
    comraf.errors.ReadError: no/such/names.txt: can't be read: No such file or directory
    """
    lines = (clean_line(line) for line in _text(path).splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def read_hosts_file(path: str | os.PathLike[str]) -> frozenset[str]:
    """Hosts of a file; see `comraf.collection.text.addresses.read_hosts`.

    Examples
    --------
    >>> read_hosts_file("no/such/hosts.txt")
    Traceback (most recent call last):
    ...
    comraf.errors.ReadError: no/such/hosts.txt: can't be read: No such file or directory
    """
    return read_hosts(_text(path))


def _text(path: str | os.PathLike[str]) -> str:
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise ReadError(f"{path}: can't be read: {error.strerror or error}") from None
    return decode(data)[0]


def read_truth(path: str | os.PathLike[str]) -> dict[str, bool]:
    r"""Page -> whether it is about the circle, from a CSV file.

    Its columns are page (``ann-lee/1.html``) or name and file, and truth: yes or no, 1 or 0,
    true or false; an empty cell means that it is not known.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "truth.csv")
    ...     _ = file.write_text("page,truth\nann-lee/1.html,yes\nann-lee/2.html,\n")
    ...     read_truth(file)
    {'ann-lee/1.html': True}
    """
    found = {key: row["truth"] for key, row in _lines(path, ("truth",)) if row["truth"].strip()}
    return {key: _yes_or_no(path, key, value) for key, value in found.items()}


def _yes_or_no(path: object, key: str, value: str) -> bool:
    word = value.strip().casefold()
    if word not in _YES and word not in _NO:
        raise InputError(
            f"{path}: the truth of {key!r} is {value!r}; write yes or no, 1 or 0, true or false, "
            "or leave it empty"
        )
    return word in _YES


def _lines(
    path: str | os.PathLike[str], needed: tuple[str, ...]
) -> Iterator[tuple[str, dict[str, str]]]:
    """Lines of a CSV file about pages: the page, and all cells."""
    try:
        reader = csv.DictReader(io.StringIO(_text(path), newline=""))
        heading = [str(name).strip().lower() for name in reader.fieldnames or []]
        reader.fieldnames = heading
        rows = [{k: v or "" for k, v in row.items() if isinstance(k, str)} for row in reader]
    except csv.Error as error:
        raise ReadError(f"{path}: can't be read as CSV: {error}") from None
    whole = next((column for column in ("page", "item", "id") if column in heading), None)
    wanted = needed if whole else (*needed, "name", "file")
    for column in wanted:
        if column not in heading:
            raise InputError(
                f"{path} has no column {column!r}; it has {', '.join(heading) or 'none'}, and "
                f"needs {', '.join(('name', 'file', *needed))}"
            )
    for row in rows:
        if whole:
            yield row[whole].strip().replace("\\", "/"), row
        else:
            yield f"{row['name'].strip()}/{row['file'].strip()}".replace("\\", "/"), row


def _manifest(root: Path, notes: list[str]) -> tuple[dict[str, str], dict[str, bool]]:
    """Addresses and truth of pages, as far as a manifest has them."""
    urls: dict[str, str] = {}
    truth: dict[str, bool] = {}
    path = root / MANIFEST
    if not path.is_file() or leads_out(str(path), str(root)):
        return urls, truth
    folders = {_key(entry.name): entry.name for entry in root.iterdir() if entry.is_dir()}
    for key, row in _lines(path, ()):
        name, _, file = key.partition("/")
        # the name may be spelled out where the folder has signs for blanks, and the file may
        # begin with its folder
        folder = folders.get(_key(name), name)
        if file.startswith(f"{folder}/"):
            file = file[len(folder) + 1 :]
        key = f"{folder}/{file}"
        if row.get("url", "").strip():
            urls[key] = row["url"].strip()
        if row.get("truth", "").strip():
            truth[key] = _yes_or_no(path, key, row["truth"])
    if not urls:
        notes.append(f"{MANIFEST} has no addresses (a column url): pages must tell their own")
    return urls, truth


def _page(root: str, path: str, key: str, name: str, urls: Mapping[str, str]) -> Page | str:
    """A page, or why there is none."""
    try:
        data = read_file(root, portable(path), _MOST_BYTES)
    except (OSError, ComrafError) as error:
        return f"can't be read: {getattr(error, 'strerror', None) or error}"
    if not data.strip():
        return "empty"
    if looks_binary(data[:4096]):
        return "binary, not text"
    is_html = path.lower().endswith(HTML_ENDINGS) or looks_html(data)
    raw, _ = decode(data, html_charset(data) if is_html else None)
    url = urls.get(key, "")
    if is_html:
        title, text = html_text(raw)
        url, links = page_addresses(raw, url)
    else:
        title, text, links = "", clean(raw), []
    links = list(dict.fromkeys([*links, *written_addresses(text)]))
    if not text.strip() and not title:
        return "no visible text"
    return Page(key, name, text, title[:_TITLE], url, tuple(links))
