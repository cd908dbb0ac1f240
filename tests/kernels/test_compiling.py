"""What waits for kernels to be compiled is told so, and only when they are."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from comraf.kernels.jit import jit
from comraf.progress import told_of_compiling

SCRIPT = """
import sys
import numpy as np
from comraf import SequentialIB
SequentialIB(2, random_state=0, verbose=int(sys.argv[1])).fit(np.eye(9, dtype=int) + 1)
"""


def fit(cache: Path, verbose: int) -> str:
    """What a fit in a process of its own tells."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(verbose)],
        capture_output=True,
        text=True,
        env=os.environ | {"NUMBA_CACHE_DIR": str(cache)},
        check=True,
    )
    return done.stdout + done.stderr


def test_a_first_fit_says_what_it_waits_for_and_a_second_does_not(tmp_path):
    """With verbose alone, and only while the cache lacks kernels."""
    first = fit(tmp_path, 1)
    assert first.startswith("compiling: the first search on a machine takes some seconds longer\n")
    assert first.count("compiling") == 1
    assert "compiling" not in fit(tmp_path, 1)
    next(tmp_path.rglob("compiled.tally*.nbc")).unlink()  # which is compiled anew
    assert fit(tmp_path, 0) == ""


def test_the_first_to_listen_hears_it_once():
    """Of nested listeners the outer one does; after they are gone nobody does."""
    heard = []
    with told_of_compiling(lambda event: heard.append("outer")):
        with told_of_compiling(lambda event: heard.append("inner")):
            assert jit(lambda x: x + 1)(1) == 2
        assert jit(lambda x: x + 2)(1) == 3
    assert jit(lambda x: x + 3)(1) == 4
    assert heard == ["outer"]
