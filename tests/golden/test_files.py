"""Files that earlier versions wrote can be read, and hold what they held."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy

from comraf.errors import ComrafError
from tests.golden.comparing import expected, hold
from tests.golden.files import READ, read, resumed


@pytest.mark.parametrize("name", READ)
def test_old_files_are_read(name: str, tmp_path: Path) -> None:
    """Models, collections, answers, graphs, journals and caches, by Python and by commands."""
    if "photo" in name:
        pytest.importorskip("PIL", reason="photos need the extra images (Pillow)")
    hold(read(name, tmp_path), expected("files.json").get(name), name)


def test_every_file_is_held() -> None:
    """What was written is still read."""
    assert set(READ) == set(expected("files.json"))


def test_a_checkpoint_of_another_format_is_refused(tmp_path: Path) -> None:
    """In one sentence that says what to do."""
    with pytest.raises(ComrafError, match=r"version 99.*begin") as told:
        resumed(tmp_path, version=99)
    assert "\n" not in str(told.value)


def test_a_checkpoint_of_another_engine_is_refused_or_gives_the_same(tmp_path: Path) -> None:
    """It names the version that wrote it; whatever can take it up finds the same labels."""
    try:
        found = resumed(tmp_path)
    except ComrafError as error:
        found = str(error)
    wanted = expected("files.json")["a result"]["labels"]["rows"]
    versions = ("0.1.0", np.__version__, scipy.__version__)
    refused = "begin" in found and any(version in found for version in versions)
    assert found == wanted or refused, found
