"""Kill a session at random moments amid 1,000 random edits and answers, and read what is left.

::

    python -m benchmarks.edits_killed                    # 50 kills
    python -m benchmarks.edits_killed --kills 5 --edits 100

Each trial is a process of its own with a session of its own, which says after every edit what
holds by then. It ends by SIGKILL at a moment after the first edit, drawn uniformly from the time
that all of them take. Then the file must pass SQLite's check, every edit that was acknowledged must
be there, the groups and all that was said must be those that were told after it, and at most one
edit more may be there: the one whose acknowledgement was cut off.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.harness import parser_of, run

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Kill, read, and say how often all was there."""
    parser = parser_of("edits_killed", __doc__, seed=0)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--edits", type=int, default=1000)
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    return run(parser, arguments, _work)


def _digest(text: object) -> str:
    return hashlib.blake2b(repr(text).encode(), digest_size=12).hexdigest()


def _work(given: argparse.Namespace) -> int:
    if given.child is not None:
        for line in _edits(given.child, given.edits, given.seed):
            print(line, flush=True)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        return _measure(given, Path(folder))


def _edits(path: Path, n: int, seed: int) -> Iterator[str]:
    """Say things at random; after each, its version and a fingerprint of what holds."""
    from tests.session.test_session import begin, facts, random_edit

    choice = random.Random(seed)
    with begin(path) as session:
        for _ in range(n):
            step = random_edit(session, choice)
            yield f"{step.entry} {_digest(facts(session))}"


def _child(path: Path, edits: int, seed: int) -> list[str]:
    told = ["--child", str(path), "--edits", str(edits), "--seed", str(seed)]
    return [sys.executable, "-m", "benchmarks.edits_killed", *told]


def _begun(path: Path, edits: int, seed: int) -> tuple[subprocess.Popen[str], str]:
    """A process that has said its first edit, and what it said."""
    process = subprocess.Popen(_child(path, edits, seed), stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    return process, process.stdout.readline()


def _measure(given: argparse.Namespace, folder: Path) -> int:
    from comraf.session import Session
    from tests.session.test_session import facts

    process, _ = _begun(folder / "whole.db", given.edits, given.seed)
    start = time.perf_counter()
    process.communicate()
    length = time.perf_counter() - start
    choice, good, amid, said, cut_off = random.Random(given.seed), 0, 0, 0, 0
    for number in range(given.kills):
        path = folder / f"{number}.db"
        process, first = _begun(path, given.edits, number)
        time.sleep(choice.uniform(0.0, length))
        os.kill(process.pid, signal.SIGKILL)
        lines = [first, *process.communicate()[0].splitlines(keepends=True)]
        lines = [line for line in lines if line.endswith("\n")]
        amid += len(lines) < given.edits
        entry, _, wanted = lines[-1].strip().partition(" ")
        with Session(path) as session:
            more = session.version - int(entry)
            there = {one.id for one in session.history()}
            acknowledged = {int(line.split()[0]) for line in lines}
            whole_file = session.log.check() == "ok"
            same = _digest(facts(session, int(entry))) == wanted
            fine = whole_file and same and acknowledged <= there and more in (0, 1)
        good, said, cut_off = good + fine, said + len(lines), cut_off + more
        if not fine:
            print(f"kill {number}: check {whole_file}, same {same}, more {more}")
    print(
        f"{good} of {given.kills} kills lost nothing, {amid} of them amid {given.edits:,} edits; "
        f"{said:,} edits were acknowledged, {cut_off} more were there; all of them take "
        f"{length:.1f} s"
    )
    return 0 if good == given.kills else 1


if __name__ == "__main__":
    sys.exit(main())
