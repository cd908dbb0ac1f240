"""Many photos: made as they should be, and organised in a process that is measured."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("PIL", reason="photos need the extra images (Pillow)")
pytest.importorskip("resource", reason="the memory of a process is told on Unix alone")

from benchmarks.many_photos import make_photos, make_seen, organized
from comraf.images import FeatureCache


def test_photos_differ(tmp_path: Path) -> None:
    """No two files are alike, and a second call makes none anew."""
    make_photos(tmp_path / "p", 12)
    files = sorted((tmp_path / "p").rglob("*.jpg"))
    assert len({path.read_bytes() for path in files}) == 12
    before = [path.stat().st_mtime_ns for path in files]
    make_photos(tmp_path / "p", 12)
    assert [path.stat().st_mtime_ns for path in files] == before


def test_what_was_seen_is_used(tmp_path: Path) -> None:
    """Organising photos that were seen adds nothing to the cache, and tells what it took."""
    make_seen(tmp_path / "p", tmp_path / "c", 18)
    assert len(list(FeatureCache(tmp_path / "c").digests())) == 18
    row = organized(tmp_path / "p", 3, "quick", 1, tmp_path / "c")
    assert len(list(FeatureCache(tmp_path / "c").digests())) == 18
    assert row["megabytes"] > 50
    assert 0 < row["clustering"] < row["wall"]
