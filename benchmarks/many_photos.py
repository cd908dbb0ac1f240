"""Time and memory of ``comraf organize`` on many photos.

::

    python -m benchmarks.many_photos                             # 2,000 and 10,000 photos
    python -m benchmarks.many_photos --photos 50000 --folder DIR --jobs 2

Photos are made from a few hundred sample photos (`comraf.images.sample`), each cut, mirrored
and lit differently, so that no two files are alike; one in three has a caption. Those that lie
in ``--folder`` from an earlier run are taken as they are. Each size is organised in a process
of its own, by the command that users run; its memory is the most that it or one of its readers
had at any moment. The last lines tell what a photo costs beyond the smallest number of them.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np

__all__ = ["main", "make_photos", "organized"]

BASES = 270
A_FOLDER = 1000
_COMMAND = "from comraf.cli import main; main()"


def make_photos(folder: Path, n: int, seed: int = 0) -> None:
    """Fill a folder with photos, as far as they are not there yet.

    Examples
    --------
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     make_photos(Path(folder), 3)
    ...     sorted(path.name for path in Path(folder).rglob("*.*"))
    ['0000000.jpg', '0000001.jpg', '0000002.jpg', 'captions.tsv']
    """
    from PIL import Image

    from comraf.images.sample import iter_photos

    bases = list(iter_photos(min(n, BASES), seed))
    captions = []
    for number in range(n):
        base = bases[number % len(bases)]
        rng = np.random.default_rng([seed, number])
        name = f"{number // A_FOLDER:04d}/{number:07d}.jpg"
        if base.captions and number % 3 == 0:
            captions.append(f"{name}\t{base.captions[0]}\n")
        path = folder / name
        if path.exists():
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        pixels = base.pixels.astype(np.float32)
        high, wide = (int(size * rng.uniform(0.8, 1.0)) for size in pixels.shape[:2])
        top, left = (
            rng.integers(pixels.shape[0] - high + 1),
            rng.integers(pixels.shape[1] - wide + 1),
        )
        pixels = pixels[top : top + high, left : left + wide]
        if rng.random() < 0.5:
            pixels = pixels[:, ::-1]
        lit = np.clip(pixels * rng.normal(1.0, 0.06, 3) + rng.normal(0, 5), 0, 255)
        Image.fromarray(lit.astype(np.uint8)).save(path, "JPEG", quality=85)
    (folder / "captions.tsv").write_text("".join(captions), encoding="utf-8")


def organized(folder: Path, k: int, effort: str, jobs: int) -> dict[str, float]:
    """Organise a folder by the command line; return seconds, of them clustering, and megabytes."""
    with tempfile.TemporaryDirectory(dir=folder.parent) as out:
        words = ["organize", str(folder), "-k", str(k), "--effort", effort, "--jobs", str(jobs)]
        words += ["--out", str(Path(out, "answer")), "--quiet", "--seed", "0"]
        start = time.perf_counter()
        child = subprocess.Popen([sys.executable, "-c", _COMMAND, *words])
        # the usage of this one child, and of nothing that ran before it
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.perf_counter() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            raise RuntimeError(f"comraf organize ended with exit code {child.returncode}")
        told = json.loads(Path(out, "answer", "result.json").read_text(encoding="utf-8"))
        kept = Path(out, "answer", "collection")
        size = sum(path.stat().st_size for path in kept.rglob("*") if path.is_file())
    return {
        "wall": seconds,
        "cpu": usage.ru_utime + usage.ru_stime,
        "clustering": float(told["seconds"]),
        "megabytes": usage.ru_maxrss / 1024,
        "kept": size / 2**20,
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.many_photos",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--photos", type=int, nargs="+", default=[2000, 10_000], metavar="N")
    add("--folder", type=Path, metavar="DIR", help="Where photos are made and kept.")
    add("-k", type=int, default=9, metavar="K")
    add("--effort", default="quick", choices=["quick", "default", "thorough"])
    add("--jobs", type=int, default=1, metavar="N")
    options = parser.parse_args(arguments)
    rows = []
    print("| photos | wall s | CPU s | clustering s | peak MB | collection MB |")
    print("|---|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory() as passing:
        for n in options.photos:
            folder = (options.folder or Path(passing)) / f"photos-{n}"
            make_photos(folder, n)
            row = organized(folder, options.k, options.effort, options.jobs)
            rows.append((n, row))
            print(
                f"| {n:,} | {row['wall']:.0f} | {row['cpu']:.0f} | {row['clustering']:.0f} | "
                f"{row['megabytes']:,.0f} | {row['kept']:,.0f} |",
                flush=True,
            )
    for (n, less), (m, more) in pairwise(rows):
        each = (more["megabytes"] - less["megabytes"]) * 1024 / max(1, m - n)
        print(f"\nfrom {n:,} to {m:,}: {each:.1f} kB of memory a photo")
    return 0


if __name__ == "__main__":
    sys.exit(main())
