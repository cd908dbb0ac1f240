"""The cache of compiled kernels: what is wrong with it is told, and costs time only."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from comraf.kernels.jit import jit, jit_part

SCRIPT = """
import resource, signal, sys
if sys.argv[2:]:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.RLIM_INFINITY))
sys.path.insert(0, sys.argv[1])
import kernel
print(kernel.double(21), kernel.triple(14), sum(kernel.double.stats.cache_hits.values()))
"""
KERNELS = """
from comraf.kernels.jit import jit

@jit
def double(x):
    return 2 * x

@jit
def triple(x):
    return 3 * x
"""
pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs limits on files")


@pytest.fixture
def run(tmp_path: Path):
    """Call two kernels in a new process; what was printed, and what was told."""
    (tmp_path / "kernel.py").write_text(KERNELS)

    def call(*limit: str) -> tuple[str, str]:
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT, str(tmp_path), *limit],
            capture_output=True,
            text=True,
            env=os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache")},
            timeout=120,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout, done.stderr

    return call


def flipped(content: bytes) -> bytes:
    """One bit of the machine code is another one."""
    at = content.index(b"\x7fELF") + 700
    return content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :]


def test_a_damaged_cache_is_told_of_and_made_anew(run, tmp_path):
    """Cut off, other bytes, or machine code that would still be run."""
    assert run() == ("42 42 0\n", "")
    for kind, damage in [
        ("nbi", lambda content: b"\x80\x04K\xff" + content[4:]),
        ("nbc", lambda content: content[:200]),
        ("nbc", flipped),
    ]:
        for file in (tmp_path / "cache").rglob(f"*.{kind}"):
            file.write_bytes(damage(file.read_bytes()))
        answer, told = run()
        assert answer == "42 42 0\n"
        assert told.count("the cache of compiled code in") == 1
        assert "is damaged" in told
    assert run() == ("42 42 1\n", "")


def test_a_full_disk_under_the_cache(run, tmp_path):
    """The kernel works, the disk is named, and nothing half-written is left."""
    answer, told = run("100")
    assert answer == "42 42 0\n"
    assert told.count("can't be written (File too large)") == 1
    assert not list((tmp_path / "cache").rglob("*.nb*"))


def test_a_place_that_takes_no_files(run, tmp_path):
    """Where the cache can't be, it is elsewhere or nowhere; that is no matter for a sentence."""
    (tmp_path / "cache").write_text("a file where the folder should be")
    assert run() == ("42 42 0\n", "")


def test_python_cannot_call_a_part():
    """It is refused with a sentence; without that the process would crash."""
    part = jit_part(lambda x: x + 1)
    assert jit(lambda x: 2 * part(x))(3) == 8
    with pytest.raises(TypeError, match="kernels alone"):
        part(3)
