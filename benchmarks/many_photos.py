"""Time and memory of ``comraf organize`` on many photos.

::

    python -m benchmarks.many_photos                             # 2,000 and 10,000 photos
    python -m benchmarks.many_photos --photos 2000 10000 50000 --seen --folder DIR

Photos are made from a few hundred sample photos (`comraf.images.sample`), each cut, mirrored
and lit differently, so that no two files are alike; one in three has a caption. Those that lie
in ``--folder`` from an earlier run are taken as they are. Each size is organised in a process
of its own, by the command that users run; its memory is the most that it or one of its readers
had at any moment. The last lines tell what a photo costs beyond the smallest number of them.

With ``--seen`` no photo is looked at: features, varied from those of the sample photos, lie in
the cache already (``--photo-cache``). That leaves out the seconds of looking, which are the same
for each photo, and none of what memory could grow with.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np

from benchmarks.harness import parser_of, print_table, run

__all__ = ["main", "make_photos", "make_seen", "organized"]

BASES = 270
A_FOLDER = 1000
_COMMAND = "from comraf.cli import main; main()"


def _missing(folder: Path, captions: Sequence[Sequence[str]], n: int) -> Iterator[tuple[int, Path]]:
    """Photos that are not in a folder yet, by number and path; captions of all are written."""
    names = [f"{number // A_FOLDER:04d}/{number:07d}.jpg" for number in range(n)]
    folder.mkdir(parents=True, exist_ok=True)
    said = ((name, captions[i % len(captions)]) for i, name in enumerate(names) if i % 3 == 0)
    lines = [f"{name}\t{first[0]}\n" for name, first in said if first]
    (folder / "captions.tsv").write_text("".join(lines), encoding="utf-8")
    for number, name in enumerate(names):
        path = folder / name
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            yield number, path


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
    for number, path in _missing(folder, [base.captions for base in bases], n):
        base, rng = bases[number % len(bases)], np.random.default_rng([seed, number])
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


def make_seen(folder: Path, cache: Path, n: int, seed: int = 0) -> None:
    """Fill a folder with photos, and a cache with what would be seen in them.

    Examples
    --------
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     make_seen(Path(folder, "p"), Path(folder, "c"), 2)
    ...     len(list(Path(folder, "c").rglob("*.npz")))
    2
    """
    from dataclasses import replace

    from comraf.collection.vision.cache import photo_digest
    from comraf.images import FeatureCache, open_photo, photo_features
    from comraf.images.sample import iter_photos

    bases = []
    for base in iter_photos(min(n, BASES), seed):
        data = base.jpeg()
        bases.append((base, data, photo_features(open_photo(data))))
    kept = FeatureCache(cache)
    for number, path in _missing(folder, [base.captions for base, _, _ in bases], n):
        _, data, seen = bases[number % len(bases)]
        # decoders stop before it, but it makes another file
        unlike = data + f"{number:08d}".encode()
        rng = np.random.default_rng([seed, number])
        some = rng.random(len(seen.bins)) < 0.95
        varied = replace(
            seen,
            regions=seen.regions[some],
            bins=seen.bins[some],
            counts=seen.counts[some],
            texture=(seen.texture * rng.uniform(0.9, 1.1, seen.texture.shape)).astype(np.float32),
            features=(seen.features * rng.normal(1, 0.03, seen.features.shape)).astype(np.float32),
        )
        kept.put(photo_digest(unlike), varied)
        path.write_bytes(unlike)


def organized(
    folder: Path, k: int, effort: str, jobs: int, cache: Path | None = None
) -> dict[str, float]:
    """Organise a folder by the command line; return seconds, of them clustering, and megabytes."""
    with tempfile.TemporaryDirectory(dir=folder.parent) as out:
        words = ["organize", str(folder), "-k", str(k), "--effort", effort, "--jobs", str(jobs)]
        words += ["--out", str(Path(out, "answer")), "--quiet", "--seed", "0"]
        words += [] if cache is None else ["--photo-cache", str(cache)]
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
    parser = parser_of("many_photos", __doc__, jobs=1)
    add = parser.add_argument
    add("--photos", type=int, nargs="+", default=[2000, 10_000], metavar="N")
    add("--seen", action="store_true", help="Leave out the looking at photos.")
    add("--folder", type=Path, metavar="DIR", help="Where photos are made and kept.")
    add("-k", type=int, default=9, metavar="K")
    add("--effort", default="quick", choices=["quick", "default", "thorough"])
    return run(parser, arguments, _measure)


def _measure(options: argparse.Namespace) -> None:
    found = []

    def rows(passing: str) -> Iterator[list[str]]:
        for n in options.photos:
            folder = (options.folder or Path(passing)) / f"photos-{n}"
            cache = folder.with_name(f"seen-{n}") if options.seen else None
            if cache is None:
                make_photos(folder, n)
            else:
                folder = folder.with_name(f"photos-seen-{n}")
                make_seen(folder, cache, n)
            row = organized(folder, options.k, options.effort, options.jobs, cache)
            found.append((n, row))
            cells = [f"{row[what]:,.0f}" for what in ("cpu", "clustering", "megabytes", "kept")]
            yield [f"{n:,}", f"{row['wall']:.0f}", *cells]

    heads = ["photos", "wall s", "CPU s", "clustering s", "peak MB", "collection MB"]
    with tempfile.TemporaryDirectory() as passing:
        print_table(heads, rows(passing))
    for (n, less), (m, more) in pairwise(found):
        each = (more["megabytes"] - less["megabytes"]) * 1024 / max(1, m - n)
        print(f"\nfrom {n:,} to {m:,}: {each:.1f} kB of memory a photo")


if __name__ == "__main__":
    sys.exit(main())
