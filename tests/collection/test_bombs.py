"""Small files that would take all memory: each is read in a process that may take 3 GB."""

from __future__ import annotations

import gzip
import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

resource = pytest.importorskip("resource", reason="memory can be limited on Unix alone")
pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="only Linux holds a process to a limit of addresses"
)

# Runs a line of code under the limit, and tells what it raised and the most memory it had.
_CODE = """
import json, resource, sys
resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
from pathlib import Path
path = Path(sys.argv[1])
try:
    told = str(eval(sys.argv[2]))
except BaseException as error:
    told = f"{type(error).__name__}: {error}"
own = next(int(l.split()[1]) for l in open("/proc/self/status") if l.startswith("VmHWM"))
from comraf.collection import guard
guard._end_idle()
peak = max(own, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
print(json.dumps([told, peak >> 10]))
"""
_BUILD = (
    "__import__('comraf.collection.build', fromlist=['x']).build_collection("
    "__import__('comraf.collection.detect', fromlist=['x']).open_reader(path))"
)


def tried(path: Path, code: str) -> tuple[str, int]:
    """What the code tells, and the most memory in MB that it or its helper had."""
    command = [sys.executable, "-c", _CODE, str(path), code]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    told, peak = json.loads(done.stdout.splitlines()[-1])
    return told, peak


def html_mail(folder: Path) -> Path:
    """Letters made bold in ever other ways and never closed: made anew in every dialog."""
    opened = "".join(f"<b id={i}>" for i in range(900))
    page = f"<dialog>{opened}</dialog>" + "<dialog>pump</dialog>" * 12_000
    path = folder / "mail.eml"
    path.write_text(f"From: a@b.c\nSubject: x\nContent-Type: text/html\n\n{page}\n")
    return path


def parquet(folder: Path) -> Path:
    """One long text that every row means."""
    numbers = pa.array([0] * 20_000, pa.int32())
    column = pa.DictionaryArray.from_arrays(numbers, pa.array(["pump " * 400_000]))
    path = folder / "a.parquet"
    pq.write_table(pa.table({"text": column}), path, compression="zstd", store_schema=False)
    return path


def listed_parquet(folder: Path) -> Path:
    """One row whose list has hundreds of millions of entries that are the same."""
    values = pa.array(np.zeros(30_000_000, np.int8))
    column = pa.ListArray.from_arrays(pa.array([0, len(values)], pa.int32()), values)
    path = folder / "a.parquet"
    table = pa.table({"text": ["pump"], "tags": column})
    pq.write_table(table, path, compression="zstd")
    return path


def archive(folder: Path) -> Path:
    """30 million counts of one cell."""
    n = 30_000_000
    path = folder / "a.npz"
    np.savez_compressed(
        path,
        attr_data=np.ones(n, np.int8),
        attr_indices=np.zeros(n, np.int8),
        attr_indptr=np.array([0, n]),
        attr_shape=np.array([1, 1]),
    )
    return path


def loud_archive(folder: Path) -> Path:
    """Few counts, each of which says a long word a hundred times."""
    n = 2_000
    ones = np.ones(n * n // 8, np.int16)
    path = folder / "a.npz"
    np.savez_compressed(
        path,
        attr_data=ones * 1000,
        attr_indices=np.tile(np.arange(n), n // 8),
        attr_indptr=np.arange(0, len(ones) + 1, n),
        attr_shape=np.array([n // 8, n]),
        attr_names=np.array([f"{'x' * 290}{i}" for i in range(n)]),
    )
    return path


def background(folder: Path) -> Path:
    """A list of words that packs a thousand times."""
    path = folder / "a.csv.gz"
    with gzip.open(path, "wb") as file:
        file.write(b"the,1\n")
        for _ in range(120):
            file.write(b"the,1\n" * 100_000)
    return path


def picture(folder: Path, side: int, kind: str, **how: object) -> Path:
    """A photo of one colour."""
    Image = pytest.importorskip("PIL.Image", reason="photos need Pillow")
    data = io.BytesIO()
    Image.new("RGB", (side, side)).save(data, kind, **how)
    place = folder / "album"
    place.mkdir()
    for name in ("a", "b"):
        Image.new("RGB", (60, 60), "red").save(place / f"{name}.png")
    (place / f"c.{kind.lower()}").write_bytes(data.getvalue())
    return place


def webp(folder: Path) -> Path:
    """A WebP photo, whose decoder takes 16 bytes a pixel."""
    return picture(folder, 5_800, "WEBP", lossless=True, method=0)


def progressive(folder: Path) -> Path:
    """A JPEG that comes in several scans, all of them held at full size."""
    return picture(folder, 8_100, "JPEG", progressive=True, quality=10)


def market(folder: Path) -> Path:
    """A table of 30 million rows and one entry."""
    path = folder / "a.mtx"
    path.write_text(
        "%%MatrixMarket matrix coordinate integer general\n30000000 30000000 1\n1 1 1\n"
    )
    return path


@pytest.mark.parametrize(
    ("make", "code", "answer", "most"),
    [
        (html_mail, _BUILD, "<Collection of 1 items", 500),
        (parquet, _BUILD, "its texts are far longer than it is", 400),
        (listed_parquet, _BUILD, "claim to unpack", 300),
        (archive, _BUILD, "TooLargeError", 300),
        (loud_archive, _BUILD, "<Collection of ", 900),
        (webp, _BUILD, "<Collection of 2 items", 400),
        (progressive, _BUILD, "<Collection of 2 items", 400),
        (
            background,
            "__import__('comraf.oneclass', fromlist=['x']).FrequencyFile(path)",
            "which no table does",
            600,
        ),
        (
            market,
            "__import__('comraf.collection', fromlist=['x']).read_table(path)",
            "TooLargeError",
            300,
        ),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_a_small_file_does_not_take_the_memory(
    make: Callable[[Path], Path], code: str, answer: str, most: int, tmp_path: Path
) -> None:
    """It is refused or skipped with a reason, and what is good beside it is read."""
    path = make(tmp_path)
    told, peak = tried(path, code)
    assert answer in told
    assert peak < most
