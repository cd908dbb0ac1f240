"""Photos that can't or must not be read, and runs that were killed among them."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
import time
import zlib
from pathlib import Path

import pytest

pytest.importorskip("PIL", reason="photos need the extra images (Pillow)")

from tests.cli.albums import QUICK, SHADES, comraf, shot


def header_of(wide: int, high: int) -> bytes:
    """The beginning of a JPEG that announces a size, and some zeros."""
    size = high.to_bytes(2, "big") + wide.to_bytes(2, "big")
    frame = b"\xff\xc0\x00\x11\x08" + size + b"\x03\x01\x11\x00\x02\x11\x01\x03\x11\x01"
    return (
        b"\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00"
        + frame
        + b"\x00" * 99
    )


def zeros_png(wide: int, high: int) -> bytes:
    """A whole PNG of zeros, one bit a pixel, without ever holding its pixels."""

    def block(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    packer = zlib.compressobj(9)
    row = b"\x00" * (1 + wide // 8)
    packed = b"".join([*(packer.compress(row) for _ in range(high)), packer.flush()])
    head = struct.pack(">IIBBBBB", wide, high, 1, 0, 0, 0, 0)
    parts = (block(b"IHDR", head), block(b"IDAT", packed), block(b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def run(*words: object) -> tuple[int, str, int]:
    """Run a process of its own: exit code, what it said, and its largest memory in MB."""
    # not ru_maxrss of the process itself: it begins with the memory of whoever started it
    code = (
        "import pathlib, re, resource\nfrom comraf.cli import main\ntry:\n    main()\nfinally:\n"
        "    status = pathlib.Path('/proc/self/status').read_text()\n"
        "    own = int(re.search(r'VmHWM:\\s+(\\d+)', status)[1])\n"
        "    readers = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss\n"
        "    print('peak', max(own, readers))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, words)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, "COLUMNS": "150"},
    )
    peak = int(done.stdout.rpartition("peak ")[2])
    return done.returncode, done.stdout + done.stderr, peak // 1024


@pytest.mark.skipif(sys.platform != "linux", reason="memory is told in other units elsewhere")
def test_bombs_are_skipped(tmp_path: Path) -> None:
    """Photos of 30,000 x 30,000 pixels are named and skipped, and cost no memory."""
    for i in range(6):
        shot(tmp_path / "p" / f"{i}.jpg", SHADES["sea" if i % 2 else "wood"], i)
    (tmp_path / "p" / "bomb.png").write_bytes(zeros_png(30_000, 30_000))
    (tmp_path / "p" / "bomb.jpg").write_bytes(header_of(30_000, 30_000))
    code, said, peak = run("organize", tmp_path / "p", "-k", 2, *QUICK, "--out", tmp_path / "o")
    assert code == 0, said
    assert "skipped bomb.png: 30,000 x 30,000 pixels: more than the 64 million" in said
    assert "skipped bomb.jpg: 30,000 x 30,000 pixels: more than the 64 million" in said
    assert peak < 600  # a pixel of either would be a byte at least, 858 MB


def test_nothing_but_bad_photos(tmp_path: Path) -> None:
    """Where no photo can be read the error tells how many, and the first with its reason."""
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "bomb.jpg").write_bytes(header_of(30_000, 30_000))
    (tmp_path / "p" / "cut.jpg").write_bytes(header_of(300, 300))
    (tmp_path / "p" / "text.jpg").write_text("Dear Ann")
    found = comraf("organize", tmp_path / "p", "--out", tmp_path / "o")
    assert found.exit_code == 2
    assert "none of 3" in found.output
    assert "bomb.jpg: 30,000 x 30,000 pixels" in found.output
    assert not (tmp_path / "o").exists()
    (tmp_path / "none").mkdir()
    assert comraf("organize", tmp_path / "none", "--out", tmp_path / "o").exit_code == 2


def test_killed_while_photos_are_kept(tmp_path: Path) -> None:
    """After a kill what is whole in the cache is used, and the rest is made again."""
    for i in range(150):
        shot(tmp_path / "p" / f"{i:03}.jpg", SHADES["sea" if i % 2 else "wood"], i)
    cache = tmp_path / "cache"
    words = ("organize", tmp_path / "p", "-k", 2, *QUICK, "--photo-cache", cache, "--out")
    first = [sys.executable, "-c", "from comraf.cli import main; main()", *map(str, words)]
    with subprocess.Popen([*first, tmp_path / "a"], stdout=subprocess.DEVNULL) as process:
        deadline = time.monotonic() + 60
        while len(list(cache.rglob("*.npz"))) < 10 and time.monotonic() < deadline:
            time.sleep(0.005)
        process.kill()
    kept = {path: path.stat().st_mtime_ns for path in cache.rglob("*.npz")}
    assert 10 <= len(kept) < 150
    assert not (tmp_path / "a").exists()
    # as if the power had gone before the disk had everything
    torn = min(kept)
    torn.write_bytes(torn.read_bytes()[:100])
    del kept[torn]
    found = comraf(*words, tmp_path / "b")
    assert found.exit_code == 0, found.output
    assert "150 photos (images) in 2 groups" in found.output
    assert {path: path.stat().st_mtime_ns for path in kept} == kept
    assert torn.stat().st_size > 500
    assert len(list(cache.rglob("*.npz"))) == 150


def test_photos_are_read_where_the_cache_takes_nothing(tmp_path: Path) -> None:
    """A cache that can't be written, as on a full disk, costs no photo, and is told of."""
    for i in range(6):
        shot(tmp_path / "p" / f"{i}.jpg", SHADES["sea" if i % 2 else "wood"], i)
    (tmp_path / "cache").mkdir()
    for i in range(256):  # in the way of every folder that would be made
        (tmp_path / "cache" / f"{i:02x}").touch()
    found = comraf(
        *("organize", tmp_path / "p", "-k", 2, "--effort", "quick"),
        *("--photo-cache", tmp_path / "cache", "--out", tmp_path / "out"),
    )
    assert found.exit_code == 0, found.output
    assert "6 photos (images) in 2 groups" in found.output
    assert "not kept in the photo cache" in found.output
