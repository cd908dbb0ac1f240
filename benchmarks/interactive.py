"""Clustering reviews by how much they like a film, with an oracle (thesis, table 5.1).

::

    python -m benchmarks.interactive --data DIR                    # five draws of every row
    python -m benchmarks.interactive --data DIR --half train       # those that rules are chosen on

2,000 reviews of IMDB, 500 of each of four classes (ratings 1-2, 3-4, 7-8, 9-10), drawn anew with
each seed, are read by comraf's own reader. The oracle has 25 words of a lexicon of opinions for
each class: those in most reviews of all that are in most reviews of this class. It names them and
corrects nothing. Documents that are never covered count as wrong. Classifiers learn from 20,000
reviews, 5,000 of each class, of the archive's other half, which is about other films.

Accuracy is micro-averaged, ± the standard error over draws; *balanced* says in how many of them
each class prevails in exactly one group (thesis 5.3.5), which makes it comparable with that of a
classifier.
"""

from __future__ import annotations

import argparse
import sys
import tarfile
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix

from benchmarks.harness import data_folder, markdown, parser_of, percent, run, say, stored
from benchmarks.methods import METHODS
from benchmarks.store import Record, ResultStore
from comraf.collection.build import build_collection
from comraf.collection.detect import open_reader
from comraf.collection.options import SideOptions
from comraf.errors import InputError
from comraf.metrics import micro_accuracy, nmi, well_balanced
from comraf.workflows.interactive import Interactive, interactive

__all__ = ["ROWS", "main", "oracle_words", "table"]

ARCHIVE, LEXICON = "reviews/aclImdb_labelled.tar.gz", "brown/opinion_lexicon.zip"
HALVES = ("train", "test")
#: The class of each rating; 5 and 6 are not in the archive.
CLASSES = {1: 0, 2: 0, 3: 1, 4: 1, 7: 2, 8: 2, 9: 3, 10: 3}
NAMES = ("strongly disliked", "somewhat disliked", "somewhat liked", "strongly liked")
WORDS_EACH = 25
_PENALTIES = [0.01, 0.03, 0.1, 0.3]
_LDA_PASSES = 50

Labels = npt.NDArray[np.int64]


def oracle_words(
    counts: csr_matrix, truth: Labels, words: Sequence[str], lexicon: Iterable[str], most: int
) -> dict[str, list[str]]:
    """Words of the lexicon by the class whose reviews have them most often, those in most first.

    Examples
    --------
    >>> counts = csr_matrix([[1, 0, 1], [1, 0, 1], [1, 1, 0]])
    >>> words, lexicon = ["bad", "good", "sea"], {"bad", "good"}
    >>> found = oracle_words(counts, np.array([0, 0, 1]), words, lexicon, 9)
    >>> found["strongly disliked"], found["somewhat disliked"]
    (['bad'], ['good'])
    """
    present = csr_matrix(counts) > 0
    each = np.array([present[truth == c].sum(axis=0) for c in range(len(NAMES))]).squeeze(1).T
    known = set(lexicon)
    found: dict[str, list[str]] = {name: [] for name in NAMES}
    for j in np.argsort(-each.sum(axis=1), kind="stable"):
        best = int(each[j].argmax())
        alone = np.count_nonzero(each[j] == each[j, best]) == 1
        if alone and words[j] in known and len(found[NAMES[best]]) < most:
            found[NAMES[best]].append(words[j])
    return found


@dataclass
class Archive:
    """All reviews by half: their class, a name and their text."""

    reviews: dict[str, list[tuple[int, str, str]]]

    @classmethod
    def open(cls, data: Path) -> Archive:
        """Read it once."""
        path = data / ARCHIVE
        if not path.is_file():
            raise InputError(f"{path} is not there; see --data")
        found: dict[str, list[tuple[int, str, str]]] = {half: [] for half in HALVES}
        with tarfile.open(path) as packed:
            for member in packed:
                parts = PurePosixPath(member.name).parts
                stream = packed.extractfile(member) if len(parts) == 4 else None
                if stream is not None:
                    rating = int(PurePosixPath(parts[3]).stem.partition("_")[2])
                    text = stream.read().decode("utf-8", "replace").replace("<br />", "\n")
                    found[parts[1]].append((CLASSES[rating], f"{parts[2]}{parts[3]}", text))
        return cls({half: sorted(reviews) for half, reviews in found.items()})

    def draw(self, half: str, each: int, seed: int) -> list[tuple[int, str, str]]:
        """So many reviews of each class."""
        rng, reviews = np.random.default_rng(seed), self.reviews[half]
        classes = np.array([review[0] for review in reviews])
        rows = []
        for c in range(len(NAMES)):
            there = np.flatnonzero(classes == c)
            rows += rng.choice(there, min(each, len(there)), replace=False).tolist()
        return [reviews[row] for row in sorted(rows)]


class Draw:
    """The reviews of one seed, and what the methods make of them.

    Parameters
    ----------
    archive : Archive
    half : str
        Whose reviews are clustered; classifiers learn from the other one.
    seed, each, others : int
        Of the draw; reviews of each class that are clustered; and that classifiers learn from.
    lexicon : set of str
    how : mapping
        Options of `comraf.workflows.interactive`.
    """

    def __init__(
        self,
        archive: Archive,
        half: str,
        seed: int,
        each: int,
        others: int,
        lexicon: set[str],
        how: Mapping[str, Any],
    ) -> None:
        self.seed, self.lexicon, self.how = seed, lexicon, how
        drawn = archive.draw(half, each, seed)
        other = HALVES[1 - HALVES.index(half)]
        self.learned = archive.draw(other, others, seed)
        with tempfile.TemporaryDirectory() as folder:
            for c, name, text in drawn:
                place = Path(folder, str(c), name)
                place.parent.mkdir(exist_ok=True)
                place.write_text(text, encoding="utf-8")
            reader = open_reader(folder, kind="text", truth="folders")
            options = SideOptions(duplicates="keep")
            self.collection = build_collection(reader, options=options)
            self.texts = list(self.collection.texts(range(len(self.collection))))
        self.truth: Labels = np.array([int(c or 0) for c in self.collection.truth or ()])
        self.words = self.collection.sides["words"].values
        self.counts = csr_matrix(self.collection.tables["words"])

    def counted(self, lexicon: bool) -> csr_matrix:
        """The table of all words, or of those of the lexicon."""
        if not lexicon:
            return self.counts
        return self.counts[:, [j for j, word in enumerate(self.words) if word in self.lexicon]]

    @cached_property
    def oracle(self) -> dict[str, list[str]]:
        """The thesis's oracle: it knows the classes of these very reviews."""
        return oracle_words(self.counts, self.truth, self.words, self.lexicon, WORDS_EACH)

    @cached_property
    def distant(self) -> dict[str, list[str]]:
        """One that knows only those of the other half."""
        from sklearn.feature_extraction.text import CountVectorizer

        counter = CountVectorizer(vocabulary=list(self.words))
        counts = csr_matrix(counter.fit_transform([text for *_, text in self.learned]))
        truth = np.array([c for c, *_ in self.learned])
        return oracle_words(counts, truth, self.words, self.lexicon, WORDS_EACH)

    def begin(self) -> Interactive:
        """The loop, without any values."""
        return interactive(
            self.collection, n_clusters=len(NAMES), random_state=self.seed, **self.how
        )

    def classified(self, lexicon: bool) -> Labels:
        """What a linear SVM of the other half says; its penalty by cross-validation there."""
        from sklearn.feature_extraction.text import TfidfVectorizer
        from sklearn.model_selection import GridSearchCV
        from sklearn.svm import LinearSVC

        words = sorted(self.lexicon) if lexicon else None
        texts = TfidfVectorizer(sublinear_tf=True, min_df=1 if lexicon else 3, vocabulary=words)
        learned = texts.fit_transform([text for *_, text in self.learned])
        model = GridSearchCV(LinearSVC(random_state=0), {"C": _PENALTIES}, cv=3)
        model.fit(learned, [c for c, *_ in self.learned])
        return np.asarray(model.predict(texts.transform(self.texts)))


def _peer(name: str, weighting: str, lexicon: bool) -> Callable[[Draw], Record]:
    def fit(draw: Draw) -> Record:
        method = METHODS[name]
        labels = method.fit(draw.counted(lexicon), len(NAMES), draw.seed, weighting)
        return _scores(draw, labels)

    return fit


def _lda(lexicon: bool) -> Callable[[Draw], Record]:
    def fit(draw: Draw) -> Record:
        from sklearn.decomposition import LatentDirichletAllocation

        model = LatentDirichletAllocation(len(NAMES), max_iter=_LDA_PASSES, random_state=draw.seed)
        return _scores(draw, model.fit_transform(draw.counted(lexicon)).argmax(axis=1))

    return fit


def _svm(lexicon: bool) -> Callable[[Draw], Record]:
    def fit(draw: Draw) -> Record:
        return {"micro": float((draw.classified(lexicon) == draw.truth).mean()), "covered": 1.0}

    return fit


def _counting(draw: Draw) -> Record:
    """The class of whose words a review has most, without any clustering."""
    column = {word: j for j, word in enumerate(draw.words)}
    sums = [
        draw.counts[:, [column[w] for w in words]].sum(axis=1) for words in draw.oracle.values()
    ]
    table = np.asarray(np.hstack(sums))
    return _scores(draw, np.where(table.sum(axis=1) > 0, table.argmax(axis=1), -1))


def _loop(draw: Draw, steps: int | None, *, distant: bool = False) -> Record:
    """So many steps, or until no document is added."""
    with draw.begin() as mine:
        lost = mine.put_all(draw.distant if distant else draw.oracle)
        assert not lost
        if steps is None:
            mine.run()
        for _ in range(steps or 0):
            mine.step()
        return _scores(draw, mine.grouped().labels) | {"values": len(mine.criterion.group_of)}


def _corrected(draw: Draw) -> Record:
    """After each step an oracle that knows the lexicon deletes and moves what was found."""
    every = oracle_words(draw.counts, draw.truth, draw.words, draw.lexicon, len(draw.words))
    group = {word: NAMES.index(name) for name, words in every.items() for word in words}
    with draw.begin() as mine:
        mine.put_all(draw.oracle)
        while not mine.finished:
            mine.step()
            found = [m for g in range(len(NAMES)) for m in mine.members(g) if not m.said]
            for number in range(-1, len(NAMES)):
                some = [m.value for m in found if group.get(m.value, -1) == number]
                if some and number < 0:
                    mine.delete(some)
                elif some:
                    mine.put(some, number)
            if not found or not (mine.covered & (mine.grouped().labels < 0)).any():
                break
        return _scores(draw, mine.grouped().labels) | {"values": len(mine.criterion.group_of)}


def _simulated(draw: Draw) -> Record:
    """The first clustering trains an SVM, which classifies the reviews that it left out."""
    from sklearn.feature_extraction.text import TfidfTransformer
    from sklearn.svm import LinearSVC

    with draw.begin() as mine:
        mine.put_all(draw.oracle)
        labels = mine.grouped().labels.astype(np.int64)
    table = TfidfTransformer(sublinear_tf=True).fit_transform(draw.counts)
    left = labels < 0
    if left.any():
        model = LinearSVC(C=0.1, random_state=0).fit(table[~left], labels[~left])
        labels[left] = model.predict(table[left])
    return _scores(draw, labels)


def _scores(draw: Draw, labels: npt.NDArray[Any]) -> Record:
    """Of all reviews; those without a group are wrong."""
    there = labels >= 0
    truth, found = draw.truth[there], labels[there]
    return {
        "micro": micro_accuracy(truth, found) * float(there.mean()),
        "nmi": nmi(truth, found),
        "covered": float(there.mean()),
        "balanced": well_balanced(truth, found),
    }


@dataclass(frozen=True)
class Row:
    """A line of the table."""

    title: str
    features: str
    fit: Callable[[Draw], Record]


#: Every row by name.
ROWS: dict[str, Row] = {
    "kmeans": Row("KMeans, tf-idf", "words", _peer("kmeans-tfidf", "raw", False)),
    "lda": Row("LDA (scikit-learn)", "words", _lda(False)),
    "mdc": Row("comraf MDC", "words", _peer("mdc", "root_rows", False)),
    "svm": Row("SVM, 20,000 other reviews", "words", _svm(False)),
    "kmeans-lexicon": Row("KMeans, tf-idf", "lexicon", _peer("kmeans-tfidf", "raw", True)),
    "lda-lexicon": Row("LDA (scikit-learn)", "lexicon", _lda(True)),
    "mdc-lexicon": Row("comraf MDC", "lexicon", _peer("mdc", "root_rows", True)),
    "svm-lexicon": Row("SVM, 20,000 other reviews", "lexicon", _svm(True)),
    "counting": Row("class with most of the oracle's words", "oracle", _counting),
    "named": Row("interactive, no step", "oracle", lambda draw: _loop(draw, 0)),
    "step": Row("interactive, one step", "oracle", lambda draw: _loop(draw, 1)),
    "interactive": Row("**interactive, to its end**", "oracle", lambda draw: _loop(draw, None)),
    "corrected": Row("interactive, found words corrected", "oracle + lexicon", _corrected),
    "simulated": Row("simulated classification", "oracle", _simulated),
    "distant": Row(
        "interactive, to its end",
        "oracle of the other reviews",
        lambda draw: _loop(draw, None, distant=True),
    ),
}
#: What is chosen for all rows of a run.
_SETTINGS = ("half", "each", "others", "effort", "weighting", "value_clusters")


def read_lexicon(data: Path) -> set[str]:
    """Positive and negative words together."""
    path = data / LEXICON
    if not path.is_file():
        raise InputError(f"{path} is not there; see --data")
    found: set[str] = set()
    with zipfile.ZipFile(path) as packed:
        for name in packed.namelist():
            if name.endswith("-words.txt"):
                lines = packed.read(name).decode("latin-1").splitlines()
                found.update(
                    x.strip().lower() for x in lines if x.strip() and not x.startswith(";")
                )
    return found


def measure(options: argparse.Namespace, store: ResultStore) -> None:
    """Fill the store with what is missing in it."""
    made = _made(options)
    known = {(r["row"], r["draw"]) for r in store.records() if _made_of(r) == made}
    wanted = range(options.draws)
    if all((row, seed) in known for row in options.rows for seed in wanted):
        return
    data = data_folder(options.data)
    archive, lexicon = Archive.open(data), read_lexicon(data)
    how = {name: made[name] for name in ("effort", "weighting", "value_clusters")}
    for seed in wanted:
        todo = [row for row in options.rows if (row, seed) not in known]
        if not todo:
            continue
        draw = Draw(archive, options.half, seed, options.each, options.others, lexicon, how)
        for row in todo:
            start = time.perf_counter()
            record: Record = {"row": row, "draw": seed, **made, **ROWS[row].fit(draw)}
            record["seconds"] = time.perf_counter() - start
            store.append(record)
            say(f"{row} draw {seed}: {record['micro']:.3f}")


def _made(options: argparse.Namespace) -> dict[str, Any]:
    return {name: getattr(options, name) for name in _SETTINGS}


def _made_of(record: Record) -> dict[str, Any]:
    return {name: record.get(name) for name in _SETTINGS}


def table(records: Sequence[Record], made: Mapping[str, Any]) -> str:
    """Markdown of the means and standard errors of what was made in one way.

    Examples
    --------
    >>> one = dict(row="svm", micro=0.5, covered=1.0, seconds=2.0)
    >>> print(table([one | {"draw": 0}, one | {"draw": 1}], {}))
    | method | words | accuracy | covered | balanced | draws | seconds |
    |---|---|---|---|---|---|---|
    | SVM, 20,000 other reviews | words | 50.0 ± 0.0 | 100.0 | – | 2 | 2 |
    """
    mine = [r for r in records if all(r.get(name) == made[name] for name in made)]
    lines = []
    for row in sorted({r["row"] for r in mine}, key=list(ROWS).index):
        group = [r for r in mine if r["row"] == row]
        balanced = [r["balanced"] for r in group if "balanced" in r]
        lines.append(
            [
                ROWS[row].title,
                ROWS[row].features,
                percent([r["micro"] for r in group]),
                f"{100 * np.mean([r['covered'] for r in group]):.1f}",
                f"{sum(balanced)} of {len(balanced)}" if balanced else "–",
                len(group),
                f"{np.mean([r['seconds'] for r in group]):.0f}",
            ]
        )
    heads = ["method", "words", "accuracy", "covered", "balanced", "draws", "seconds"]
    return markdown(heads, lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code."""
    parser = parser_of(
        *("interactive", __doc__, "data", "table_only", "fresh"),
        draws=5,
        weighting="root_rows",
        effort="default",
        out="interactive",
    )
    add = parser.add_argument
    add("--rows", nargs="+", choices=list(ROWS), default=list(ROWS), metavar="ROW")
    add("--half", choices=HALVES, default="test", help="of the archive; default: %(default)s")
    add("--each", type=int, default=500, help="reviews of each class; default: %(default)s")
    add("--others", type=int, default=5000, help="of each for classifiers; default: %(default)s")
    add("--value-clusters", type=int, default=None, help="clusters of values of interactive")

    def work(options: argparse.Namespace) -> int:
        made = _made(options)
        return stored(options, lambda s: measure(options, s), lambda found: table(found, made))

    return run(parser, arguments, work)


if __name__ == "__main__":
    sys.exit(main())
