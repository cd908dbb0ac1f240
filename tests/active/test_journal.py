"""No answer is lost, whatever happens to the process, and no file of others is touched."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_iris

from comraf.active import ExploreConsolidate, Journal, LabelOracle, MinMax, NoisyOracle, RandomPairs
from comraf.active.space import fingerprint
from comraf.errors import ConflictError, InputError, ReadError, WriteError

X, CLASSES = load_iris(return_X_y=True)
ORACLE = NoisyOracle(LabelOracle(CLASSES), wrong=0.0, unsure=0.1)

# Answers are told on the standard output only after answer() returned.
PROGRAM = """
import sys, time
from sklearn.datasets import load_iris
from comraf.active import ExploreConsolidate, LabelOracle, NoisyOracle
X, classes = load_iris(return_X_y=True)
oracle = NoisyOracle(LabelOracle(classes), wrong=0.0, unsure=0.1)
learner = ExploreConsolidate(60, k=3)
learner.start(X, journal=sys.argv[1])
while (pair := learner.query()) is not None:
    said = oracle.same(*pair)
    learner.answer(said)
    print(*pair, said, flush=True)
    time.sleep(0.005)
"""


def facts(path: Path) -> list[tuple[int, int, bool | None]]:
    """All answers in a file."""
    lines = path.read_text().splitlines()[1:]
    return [(e["a"], e["b"], e["same"]) for e in map(json.loads, lines)]


@pytest.mark.skipif(os.name == "nt", reason="SIGKILL is not there")
def test_a_killed_process_loses_nothing_and_resumes_to_the_same_result(tmp_path: Path) -> None:
    """Killed again and again, a session ends where one that was left alone ends."""
    path = tmp_path / "answers.jsonl"
    told: list[str] = []
    for target in (5, 23):
        process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, str(path)], stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        try:
            while len(told) < target:
                told.append(process.stdout.readline().strip())
        finally:
            process.send_signal(signal.SIGKILL)
            rest = process.stdout.read()
            process.wait()
            process.stdout.close()
        told.extend(line.strip() for line in rest.splitlines())
        assert process.returncode == -signal.SIGKILL
        kept = [f"{a} {b} {same}" for a, b, same in facts(path)]
        said = [line.split() for line in told]
        said_sorted = [f"{min(int(a), int(b))} {max(int(a), int(b))} {s}" for a, b, s in said]
        # At most the answer that was being told is in the file and not on the output.
        assert kept[: len(told)] == said_sorted
        assert len(kept) - len(told) in (0, 1)
        told = [" ".join(each.split()) for each in kept]
    asked: list[tuple[int, int]] = []

    class Counting:
        def same(self, i: int, j: int) -> bool | None:
            asked.append((min(i, j), max(i, j)))
            return ORACLE.same(i, j)

    before = {entry[:2] for entry in facts(path)}
    resumed = ExploreConsolidate(60, k=3).run(X, Counting(), journal=path)
    assert not before & set(asked)
    assert len(asked) == 60 - len(before)
    seed = json.loads(path.read_text().splitlines()[0])["seed"]
    whole = ExploreConsolidate(60, k=3, random_state=seed).run(X, ORACLE)
    assert resumed.must_link.tolist() == whole.must_link.tolist()
    assert resumed.cannot_link.tolist() == whole.cannot_link.tolist()
    assert resumed.unsure.tolist() == whole.unsure.tolist()
    assert resumed.labels.tolist() == whole.labels.tolist()


def test_every_torn_end_is_mended(tmp_path: Path) -> None:
    """Cut anywhere, a journal keeps all whole lines and goes on to the same result."""
    path = tmp_path / "answers.jsonl"
    small, classes = X[::10], CLASSES[::10]
    oracle = LabelOracle(classes)
    whole = ExploreConsolidate(6, k=3, random_state=3).run(small, oracle, journal=path)
    content = path.read_bytes()
    head = content.index(b"\n")
    for cut in [*range(0, head, 15), head, head + 1, *range(len(content) - 36, len(content))]:
        path.write_bytes(content[:cut])
        again = ExploreConsolidate(6, k=3, random_state=3).run(small, oracle, journal=path)
        assert path.read_bytes() == content
        assert again.labels.tolist() == whole.labels.tolist()


def test_other_items_are_refused(tmp_path: Path) -> None:
    """One changed value, another order, other names or another number: no answer is mixed up."""
    path = tmp_path / "answers.jsonl"
    ids = [f"flower {i}" for i in range(150)]
    ExploreConsolidate(5, k=3, random_state=0).run(X, ORACLE, journal=path, ids=ids)
    content = path.read_bytes()
    changed = X.copy()
    changed[7, 2] += 1e-9
    for rows, names in (
        (changed, ids),
        (X[::-1], ids),
        (X, ids[::-1]),
        (X, None),
        (X[1:], ids[1:]),
    ):
        with pytest.raises(InputError, match="other items"):
            ExploreConsolidate(9, k=3).start(rows, journal=path, ids=names)
    assert path.read_bytes() == content
    ExploreConsolidate(9, k=3).start(X.copy(), journal=path, ids=ids)


@pytest.mark.parametrize("content", [b"my notes", b"my notes\n", b'{"format": "other"}\n', b"[]\n"])
def test_files_of_others_are_left_alone(tmp_path: Path, content: bytes) -> None:
    """A file that is no journal is refused, and not a byte of it changes."""
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    with pytest.raises(ReadError, match="no journal"):
        ExploreConsolidate(5).start(X, journal=path)
    assert path.read_bytes() == content


@pytest.mark.parametrize(
    ("line", "error", "words"),
    [
        ('{"a": 0, "b": 1, "sa', ReadError, "line 3 .* damaged"),
        ('{"a": 0, "b": 1}', ReadError, "line 3 .* damaged"),
        ('{"a": 0, "b": 1, "same": 1}', ReadError, "line 3 .* damaged"),
        ('{"a": 0, "b": 3, "same": true}', ReadError, "line 3 .* damaged"),
        ('{"a": 1, "b": 1, "same": true}', ReadError, "line 3 .* damaged"),
        ('{"a": 1, "b": 0, "same": false}', ConflictError, "line 3 .* apart"),
    ],
)
def test_damage_is_named_by_its_line(
    tmp_path: Path, line: str, error: type[Exception], words: str
) -> None:
    """A whole line that makes no sense is no torn end: it is shown, not dropped."""
    path = tmp_path / "answers.jsonl"
    Journal(path, n=3, items="x", seed=0).append(0, 1, True)
    with path.open("a") as stream:
        stream.write(line + "\n")
    with pytest.raises(error, match=words):
        Journal(path, n=3, items="x", seed=0)


def test_two_writers_are_told_apart(tmp_path: Path) -> None:
    """The second writer's answer is refused, not mixed in; starting again goes on from both."""
    path = tmp_path / "answers.jsonl"
    one, two = (Journal(path, n=4, items="x", seed=0) for _ in range(2))
    one.append(0, 1, True)
    with pytest.raises(WriteError, match="changed by someone else"):
        two.append(2, 3, True)
    assert (len(two), two.find(2, 3)) == (0, None)
    assert list(Journal(path, n=4, items="x", seed=0)) == [(0, 1, True)]


def test_contradictions_are_not_written(tmp_path: Path) -> None:
    """An answer against earlier ones is refused before it reaches the file."""
    path = tmp_path / "answers.jsonl"
    journal = Journal(path, n=3, items="x", seed=0)
    journal.append(0, 1, True)
    journal.append(1, 2, True)
    with pytest.raises(ConflictError, match="0 and 2"):
        journal.append(2, 0, False)
    assert len(facts(path)) == len(journal) == 2


@pytest.mark.parametrize("second", [ExploreConsolidate, MinMax])
def test_another_way_of_asking_uses_all_earlier_answers(tmp_path: Path, second: type) -> None:
    """Answers to random pairs save questions, count towards the budget and stay links."""
    path = tmp_path / "answers.jsonl"
    RandomPairs(80, random_state=1).run(X, LabelOracle(CLASSES), journal=path)
    before = {(a, b) for a, b, _ in facts(path)}
    known = Journal(path, n=150, items=fingerprint(X), seed=0).facts

    class Watching(LabelOracle):
        def same(self, i: int, j: int) -> bool | None:
            assert known.follows(i, j) is None, "asked what the journal says"
            answer = super().same(i, j)
            known.tell(i, j, answer)
            return answer

    found = second(100, k=3, random_state=2).run(X, Watching(CLASSES), journal=path)
    assert found.n_asked == len(facts(path)) == 100
    links = {tuple(pair) for pair in np.vstack([found.must_link, found.cannot_link]).tolist()}
    assert before <= links
    assert all(len(set(CLASSES[rows].tolist())) == 1 for rows in found.neighbourhoods)
    less = second(10, k=3, random_state=2).run(X, LabelOracle(CLASSES), journal=path)
    assert less.n_asked == len(facts(path)) == 100  # nothing more is asked


def test_a_place_that_cant_be_written(tmp_path: Path) -> None:
    """A missing folder is said before the first question; so is a folder in place of a file."""
    with pytest.raises(WriteError, match="can't be written"):
        ExploreConsolidate(5).start(X, journal=tmp_path / "none" / "answers.jsonl")
    with pytest.raises(ReadError, match="can't be read"):
        ExploreConsolidate(5).start(X, journal=tmp_path)


def test_a_long_session_stays_quick(tmp_path: Path) -> None:
    """Choosing a question takes milliseconds, also after many."""
    rng = np.random.default_rng(0)
    rows, classes = rng.normal(size=(2000, 20)), rng.integers(10, size=2000)
    path = tmp_path / "answers.jsonl"
    learner = ExploreConsolidate(300, k=10, random_state=1)
    learner.run(rows, LabelOracle(classes), journal=path)
    began = time.perf_counter()
    learner = ExploreConsolidate(2000, k=10, random_state=1)
    learner.start(rows, journal=path)
    assert learner.n_asked == 300
    for _ in range(100):
        i, j = learner.query() or (0, 0)
        learner.answer(classes[i] == classes[j])
    assert time.perf_counter() - began < 10
