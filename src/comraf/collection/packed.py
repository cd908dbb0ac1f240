"""Files that no reader opens as they are: packed ones, and those of office programs."""

from __future__ import annotations

from pathlib import Path

from comraf.errors import Message

HEAD = 16384
"""So many bytes tell what a file is."""

_UNPACK = {
    "zip": "unzip {path} -d some-folder",
    "gzip": "gunzip -k {path}",
    "tar": "tar xf {path}",
    "bzip2": "bunzip2 -k {path}",
    "xz": "unxz -k {path}",
    "7z": "7z x {path}",
    "rar": "unrar x {path}",
    "zstd": "unzstd {path}",
}
_MAGIC = (
    (b"PK\x03\x04", "zip"),
    (b"PK\x05\x06", "zip"),
    (b"\x1f\x8b", "gzip"),
    (b"BZh", "bzip2"),
    (b"\xfd7zXZ\x00", "xz"),
    (b"7z\xbc\xaf\x27\x1c", "7z"),
    (b"Rar!", "rar"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
)
_COUNTS = Message(
    "a table of counts: read it with comraf.collection.read_table", code="count_table"
)
OFFICE: dict[str, str | Message] = {
    **dict.fromkeys((".xlsx", ".xls", ".ods"), "a spreadsheet: save it as CSV"),
    **dict.fromkeys((".docx", ".odt", ".doc"), "a text document: save it as plain text or HTML"),
    ".pdf": "a damaged PDF: get a whole copy, or turn it into text, for example with pdftotext",
    **dict.fromkeys(
        (".pst", ".ost"),
        "an Outlook archive: turn it into mbox first, for example with readpst",
    ),
    ".msg": "an Outlook message: export the mail as .eml or mbox",
    **dict.fromkeys((".npz", ".npy", ".mtx"), _COUNTS),
}
"""What files of some endings are, and what to do with them."""


def file_head(path: str) -> bytes:
    """Return the beginning of a file; nothing where it can't be read.

    Examples
    --------
    >>> file_head("no such file")
    b''
    """
    try:
        with open(path, "rb") as file:
            return file.read(HEAD)
    except OSError:
        return b""


def packing_of(head: bytes) -> str | None:
    r"""Name the packing of a file, None when it is not packed.

    Examples
    --------
    >>> packing_of(b"\x1f\x8b\x08"), packing_of(b"Dear Ann,")
    ('gzip', None)
    """
    for magic, name in _MAGIC:
        if head.startswith(magic):
            return name
    return "tar" if head[257:262] == b"ustar" else None


def how_to_unpack(path: Path, packing: str) -> str:
    """Return the command that unpacks a file.

    Examples
    --------
    >>> how_to_unpack(Path("mail.tar.gz"), "gzip"), how_to_unpack(Path("a.gz"), "gzip")
    ('tar xf mail.tar.gz', 'gunzip -k a.gz')
    """
    how = "tar xf {path}" if _is_tarball(path) else _UNPACK[packing]
    return how.format(path=path.name)


def _is_tarball(path: Path) -> bool:
    return ".tar" in [ending.lower() for ending in path.suffixes] or path.suffix.lower() == ".tgz"
