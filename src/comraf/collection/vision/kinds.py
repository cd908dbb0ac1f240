"""Which files are photos, told by their first bytes; nothing else is loaded for that."""

from __future__ import annotations

__all__ = ["PHOTO_ENDINGS", "UNREAD_ENDINGS", "photo_format", "unread_format"]

PHOTO_ENDINGS = (".jpg", ".jpeg", ".jpe", ".png", ".webp", ".gif", ".bmp", ".tif", ".tiff")
"""Endings that a photo's name has; what is inside is recognised by its bytes."""

UNREAD_ENDINGS = {".heic": "HEIC", ".heif": "HEIC", ".hif": "HEIC", ".avif": "AVIF"}
"""Endings of photos that are not read, and what people call them."""

_MAGIC = (
    (b"\xff\xd8\xff", "jpeg"),
    (b"\x89PNG\r\n\x1a\n", "png"),
    (b"GIF87a", "gif"),
    (b"GIF89a", "gif"),
    (b"II*\x00", "tiff"),
    (b"MM\x00*", "tiff"),
)


def photo_format(head: bytes) -> str:
    r"""Name the format of a photo by its first bytes; empty when they are of no photo.

    Parameters
    ----------
    head : bytes
        The first 16 bytes of a file, or more.

    Returns
    -------
    str
        "jpeg", "png", "webp", "gif", "bmp", "tiff" or "".

    Examples
    --------
    >>> photo_format(b"\xff\xd8\xff\xe0\x00\x10JFIF"), photo_format(b"Dear Ann,")
    ('jpeg', '')
    """
    for magic, name in _MAGIC:
        if head.startswith(magic):
            return name
    if head.startswith(b"RIFF") and head[8:12] == b"WEBP":
        return "webp"
    # two letters are too few to tell a photo by: the reserved bytes of the header are zero
    if head.startswith(b"BM") and head[6:10] == b"\x00\x00\x00\x00":
        return "bmp"
    return ""


_HEIC = (b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1")


def unread_format(head: bytes) -> str:
    r"""Name the format of a photo that is known but not read, by its first bytes.

    Phones write these: whoever gives a folder of them should hear what to do.

    Examples
    --------
    >>> unread_format(b"\x00\x00\x00\x18ftypheic\x00\x00\x00\x00mif1heic")
    'HEIC'
    >>> unread_format(b"\x00\x00\x00\x18ftypisom\x00\x00\x02\x00isommp41")
    ''
    """
    if head[4:8] != b"ftyp":
        return ""
    size = min(int.from_bytes(head[:4], "big"), 256)
    brands = {head[8:12], *(head[at : at + 4] for at in range(16, size, 4))}
    if brands & {b"avif", b"avis"}:
        return "AVIF"
    return "HEIC" if brands & set(_HEIC) else ""
