"""What is known of some items, told in files: labels, must-links, cannot-links."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import comraf as library
from comraf.errors import InputError
from comraf.inference import METHODS
from comraf.supervision import SCHEMES
from comraf.workflows.knowledge import Known, Labels, Members
from tests.cli.talking import comraf, refused, rows

PRODUCTS = ("kettle", "shoes", "tent")


def truth(i: int) -> str:
    """What the review of this number is about."""
    return PRODUCTS[i % 3]


def written(path: Path, *lines: str) -> Path:
    """A file of these lines."""
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


@pytest.fixture
def known(tmp_path: Path) -> Path:
    """Labels of every fifth review."""
    lines = [f"r{i},{truth(i)}" for i in range(0, 90, 5)]
    return written(tmp_path / "known.csv", "id,label", *lines)


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table of 50 rows without names, in three groups that are not clear."""
    rng = np.random.default_rng(1)
    same = np.arange(50)[:, None] % 3 == np.arange(30)[None, :] % 3
    path = tmp_path_factory.mktemp("known") / "table.npz"
    sp.save_npz(path, sp.csr_matrix(rng.poisson(np.where(same, 1.0, 0.5))))
    return path


def organize(reviews: Path, out: Path, *more: object) -> list[str]:
    """The command, on the reviews."""
    asked = ["organize", reviews, "--id", "key", "--effort", "quick", "--out", out]
    return [str(part) for part in (*asked, *more)]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_groups_take_the_names_of_classes(
    reviews: Path, known: Path, tmp_path: Path, scheme: str
) -> None:
    """On the terminal, in the files, in the report, and in what is placed later."""
    out = tmp_path / "out"
    answer = comraf(*organize(reviews, out, "-k", 3, "--labels", known, "--labels-as", scheme))
    assert answer.exit_code == 0, answer.output
    assert "class " in answer.stdout
    assert f"Labels of 18 rows in 3 classes ({scheme}); 18 of them are where" in answer.stdout
    lines = rows(out / "clusters.csv")
    assert {line["name"] for line in lines} == set(PRODUCTS)
    for i, line in enumerate(lines):
        assert line["label"] == (truth(i) if i % 5 == 0 else "")
        assert line["name"] == truth(i)
    document = json.loads((out / "result.json").read_text())
    assert {group["class"] for group in document["groups"]} == set(PRODUCTS)
    entry = document["known"]["labels"][0]
    assert (entry["items"], entry["with_their_class"], entry["as"]) == (18, 18, scheme)
    support = [(group["class"], group["of_class"], group["labelled"]) for group in entry["groups"]]
    assert sorted(support) == [(name, 6, 6) for name in PRODUCTS]
    page = (out / "report.html").read_text()
    for said in (" ".join(answer.stdout.split()), page):
        assert "kettle (6 of 6 labelled)" in said
    assert all(f">{name}<" in page for name in PRODUCTS)
    assert "Labels of 18 rows" in page
    assert comraf("assign", out, reviews, "--out", tmp_path / "placed.csv").exit_code == 0
    assert {line["name"] for line in rows(tmp_path / "placed.csv")} == set(PRODUCTS)
    assert "kettle" in comraf("inspect", out).stdout
    assert "(kettle)" in comraf("explain", out, "r0").stdout


def test_a_label_that_all_else_contradicts_is_named(reviews: Path, tmp_path: Path) -> None:
    """A document may follow its wrong label; then the label is said to be doubtful."""
    lines = [f"r{i},{truth(i)}" for i in range(5, 90, 5)]
    given = written(tmp_path / "known.csv", "r0,tent", *lines)  # r0 is about a kettle
    out = tmp_path / "out"
    more = ("-k", 3, "--labels", given, "--labels-as", "constrained")
    answer = comraf(*organize(reviews, out, *more))
    entry = json.loads((out / "result.json").read_text())["known"]["labels"][0]
    assert [(one["item"], one["class"]) for one in entry["against"]] == [("r0", "tent")]
    rather = entry["against"][0]["rather"]
    said = (
        "1 label looks doubtful: all else in the row speaks for another group: "
        f"r0 (tent; rather group {rather})."
    )
    assert said in " ".join(answer.stdout.split())
    assert said in (out / "report.html").read_text()
    assert rows(out / "clusters.csv")[3]["cluster"] == str(rather)  # r3 is about a kettle, too
    shared = tmp_path / "shared"
    assert comraf(*organize(reviews, shared, *more, "--no-text")).exit_code == 0
    page = (shared / "report.html").read_text()
    assert "speaks for another group." in page
    assert "tent;" not in page


def test_without_labels_nothing_is_added(reviewed: Path) -> None:
    """Files of an answer that knew nothing have no columns of classes."""
    with (reviewed / "clusters.csv").open() as stream:
        assert "label" not in next(csv.reader(stream))
    document = json.loads((reviewed / "result.json").read_text())
    assert "known" not in document
    assert "class" not in document["groups"][0]


def test_groups_of_one_class_have_words_too(reviews: Path, tmp_path: Path) -> None:
    """Two groups of one class are told apart by their words."""
    lines = [f"r{i},{'thing' if i % 3 else 'kettle'}" for i in range(0, 90, 5)]
    given = written(tmp_path / "known.csv", *lines)
    answer = comraf(*organize(reviews, tmp_path / "out", "-k", 3, "--labels", given, "--json"))
    names = [group["name"] for group in json.loads(answer.stdout)["groups"]]
    assert sum(name.startswith("thing (") for name in names) == 2
    assert len(set(names)) == 3
    assert "kettle" in names


def test_one_label_does_not_name_a_large_group(reviews: Path, tmp_path: Path) -> None:
    """Where many are labelled, a group with one label keeps its words for a name."""
    lines = [f"r{i},{truth(i)}" for i in range(90) if i % 3 or i == 0]
    given = written(tmp_path / "known.csv", *lines)
    out = tmp_path / "out"
    answer = comraf(*organize(reviews, out, "-k", 3, "--labels", given))
    assert "1 group with labelled rows has too few of one class" in answer.stdout
    assert {line["name"] for line in rows(out / "clusters.csv")} & set(PRODUCTS) == {
        "shoes",
        "tent",
    }


def test_the_rule_of_thumb_gives_way_to_the_classes(reviews: Path, tmp_path: Path) -> None:
    """Without -k there are at least as many groups as classes."""
    given = written(tmp_path / "known.tsv", *(f"r{i}\tclass {i}" for i in range(12)))
    answer = comraf(*organize(reviews, tmp_path / "out", "--labels", given, "--json"))
    assert len(json.loads(answer.stdout)["groups"]) == 12


def test_labels_of_words(reviews: Path, tmp_path: Path) -> None:
    """A label on another side: its clusters have the names, the documents their words."""
    given = written(tmp_path / "words.txt", "water hot", "laces foot", "rain wet")
    out = tmp_path / "out"
    answer = comraf(*organize(reviews, out, "-k", 3, "--labels", f"words={given}"))
    assert answer.exit_code == 0, answer.output
    assert "Labels of 3 words in 3 classes" in answer.stdout
    classes = {line["words"]: line["class"] for line in rows(out / "words.csv")}
    assert (classes["water"], classes["laces"], classes["rain"]) == ("hot", "foot", "wet")
    assert "label" not in rows(out / "clusters.csv")[0]


def test_links_hold(reviews: Path, tmp_path: Path) -> None:
    """What must be together is, against all words; so is what must be apart."""
    together = written(tmp_path / "together.csv", "id1,id2", "r0,r1", "r1,r2")
    apart = written(tmp_path / "apart.txt", "r3 r6", "r3 r9 inf")
    out = tmp_path / "out"
    more = ("-k", 3, "--must-link", together, "--cannot-link", apart)
    answer = comraf(*organize(reviews, out, *more))
    assert answer.exit_code == 0, answer.output
    assert "2 must-links between rows are kept." in answer.stdout
    assert "2 cannot-links between rows are kept." in answer.stdout
    cluster = {line["item"]: line["cluster"] for line in rows(out / "clusters.csv")}
    assert cluster["r0"] == cluster["r1"] == cluster["r2"]
    assert cluster["r3"] not in (cluster["r6"], cluster["r9"])
    for command in (("explain", out, "r3"), ("taxonomy", out, "--sizes", "2,3")):
        assert comraf(*command).exit_code == 0


def test_links_of_little_weight_are_broken(reviews: Path, tmp_path: Path) -> None:
    """A weight of their own, or that of --link-weight: words win, and that is told."""
    together = written(tmp_path / "together.csv", "r0,r1,0.0001")
    more = ("-k", 3, "--must-link", together)
    answer = comraf(*organize(reviews, tmp_path / "a", *more))
    assert "0 of 1 must-link between rows are kept." in answer.stdout
    together.write_text("r0,r1\n")
    answer = comraf(*organize(reviews, tmp_path / "b", *more, "--link-weight", 0.0001))
    assert "0 of 1 must-link between rows are kept." in answer.stdout
    answer = comraf(*organize(reviews, tmp_path / "c", *more, "--link-weight", 1000))
    assert "1 must-link between rows is kept." in answer.stdout


def test_scores_are_of_the_others(reviews: Path, known: Path, tmp_path: Path) -> None:
    """Documents whose label was given are not counted, unless that is asked for."""
    wrong = [f"r{i},{truth(i // 3)}" for i in range(15)]
    given = written(tmp_path / "wrong.csv", *wrong)
    out = tmp_path / "out"
    more = ("-k", 3, "--labels", given, "--labels-as", "constrained", "--truth", "product")
    answer = comraf(*organize(reviews, out, *more))
    assert "on the 75 rows without a label." in answer.stdout
    assert "on the 75 rows without a label" in (out / "report.html").read_text()
    scores = comraf("evaluate", out, "--json")
    assert "15 items whose label the search was given are left out" in scores.stderr
    rest = json.loads(scores.stdout)
    assert (rest["items"], rest["items_labelled"], rest["items_without_class"]) == (75, 15, 0)
    every = json.loads(comraf("evaluate", out, "--labelled", "--json").stdout)
    assert every["items"] == 90
    assert every["micro_accuracy"] < rest["micro_accuracy"]
    # classes of a part, from a file as --labels has it
    part = json.loads(comraf("evaluate", out, "--truth", known, "--json").stdout)
    assert (part["items"], part["items_labelled"], part["items_without_class"]) == (15, 3, 72)
    sentence = refused("evaluate", out, "--truth", given)
    assert "all 15 items with a known class were given to the search" in sentence
    assert "--labelled" in sentence


@pytest.mark.parametrize(
    ("files", "more", "said"),
    [
        (
            {"l": "id,label\nr1,a\nr2,b\nx9,a\nx10,\n"},
            ["--labels", "l"],
            "l names 2 items that are not there: 'x9' (line 4), 'x10' (line 5); use ids that one "
            "item has, such as 'r0'\n",
        ),
        ({"l": "r1,a\nr2,b\nr4,c\nr5,d\n"}, ["--labels", "l"], "l has 4 classes, more than the 3"),
        ({"l": "id,label\nr1,\n"}, ["--labels", "l"], "l: has no labels"),
        ({}, ["--labels", "nowhere.csv"], "can't read nowhere.csv: No such file"),
        ({}, ["--labels", ""], "--labels names no file"),
        ({}, ["--must-link", "words="], "write --must-link words=FILE"),
        (
            {"l": "r1,a\n"},
            ["--labels", "smell=l"],
            "'smell' is not clustered here; sides that are: documents, words",
        ),
        ({"l": "r1,a\n"}, ["--labels", "l", "--labels", "documents=l"], "twice for documents"),
        (
            {"l": "r0,r1\nr1,r2\n", "m": "r2,r0\n"},
            ["--must-link", "l", "--cannot-link", "m"],
            "l, m: what is given contradicts itself: r0 = r1, r1 = r2, but r0 ≠ r2",
        ),
        ({}, ["--labels-as", "seeds"], "name it with --labels"),
        ({}, ["--link-weight", "2"], "--must-link or --cannot-link"),
        ({"l": "r1,a\n"}, ["--labels", "l", "--label-weight", "0"], "a number above 0"),
        ({"l": "r1,r2\n"}, ["--must-link", "l", "--link-weight", "-1"], "0 or more, or inf"),
        (
            {"l": "r1,a\n"},
            ["--labels", "l", "--labels-as", "seeds", "--label-weight", "2"],
            "it is for intrinsic",
        ),
    ],
)
def test_what_cannot_be_is_refused(
    reviews: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    files: dict[str, str],
    more: list[str],
    said: str,
) -> None:
    """Exit code 2 and one sentence with the first offenders and the file; nothing is written."""
    monkeypatch.chdir(tmp_path)
    for name, content in files.items():
        (tmp_path / name).write_text(content)
    checkpoint = ("--checkpoint", tmp_path / "half")
    assert said in refused(*organize(reviews, tmp_path / "out", "-k", 3, *more), *checkpoint)
    assert {path.name for path in tmp_path.iterdir()} == set(files)


def test_no_text_has_no_classes(reviews: Path, tmp_path: Path) -> None:
    """For sharing: that labels were given is told, what they are called is not."""
    given = written(tmp_path / "l", *(f"r{i},secret{i % 3}" for i in range(0, 90, 5)))
    out = tmp_path / "out"
    assert comraf(*organize(reviews, out, "-k", 3, "--labels", given, "--no-text")).exit_code == 0
    everything = "".join(path.read_text() for path in out.iterdir())
    assert "Labels of 18 rows in 3 classes" in everything
    assert "secret" not in everything


def test_an_answer_is_organised_anew_with_labels(
    reviewed: Path, known: Path, tmp_path: Path
) -> None:
    """From the documents that an earlier answer kept; the files go on to fit them."""
    out = tmp_path / "out"
    more = ("-k", 3, "--labels", known, "--effort", "quick", "-q")
    assert comraf("organize", reviewed, "--out", out, *more).exit_code == 0
    assert {line["name"] for line in rows(out / "clusters.csv")} == set(PRODUCTS)
    # a file that organize wrote has labels in a column of its own
    again = tmp_path / "again"
    more = ("-k", 3, "--labels", out / "clusters.csv", "--effort", "quick", "-q")
    assert comraf("organize", out, "--out", again, *more).exit_code == 0
    assert (again / "clusters.csv").read_text() == (out / "clusters.csv").read_text()


def test_a_chain_on_a_terminal_of_ascii(reviews: Path, tmp_path: Path) -> None:
    """The sign between what must be apart has a plain spelling."""
    from comraf.cli.program import _nearly

    error = UnicodeEncodeError("ascii", "a ≠ b", 2, 3, "")
    assert _nearly(error) == ("!=", 3)


def test_a_file_with_an_equals_sign(tmp_path: Path) -> None:
    """A name that could be a side and a file is a file if there is one."""
    path = written(tmp_path / "a=b.csv", "r1,x")
    told = Known.read(Labels(labels=[str(path)]))
    assert told.about({"rows": Members(2, ["r0", "r1"])}, "rows").labels == {"rows": {1: "x"}}


def test_items_as_the_files_of_an_answer_write_them(tmp_path: Path) -> None:
    """An id that a spreadsheet would run has an apostrophe there, and means the same item."""
    (tmp_path / "in.csv").write_text(
        "key,body\n"
        + "".join(f"={i},{'tea cup pot' if i % 2 else 'sea sail'}\n" for i in range(20))
    )
    out = tmp_path / "out"
    asked = ["organize", tmp_path / "in.csv", "--id", "key", "-k", 2, "--effort", "quick", "-q"]
    assert comraf(*asked, "--out", out).exit_code == 0
    items = [row["item"] for row in rows(out / "clusters.csv")]
    assert items[3] == "'=3"
    known = written(tmp_path / "l.csv", f"{items[3]},tea", f"{items[4]},sea")
    links = written(tmp_path / "links.csv", f"{items[5]},=7")
    told = comraf(*asked, "--out", tmp_path / "o2", "--labels", known, "--must-link", links)
    assert told.exit_code == 0, told.output
    truth = written(tmp_path / "t.csv", *(f"={i},{i % 2}x" for i in range(20)))
    assert comraf("evaluate", out, "--truth", truth).exit_code == 0
    assert comraf("explain", out, "'=3").exit_code == 0


@pytest.mark.parametrize("name", ["0", "01", "-1", "2", "1.0", "r1", "9" * 5000])
def test_rows_without_names_go_by_number(tmp_path: Path, name: str) -> None:
    """Numbers from 0, spelled as numbers are; where there are names a number is nobody."""
    told = Known.read(Labels(labels=[str(written(tmp_path / "l", f"{name},x"))]))
    if name == "0":
        assert told.about({"rows": Members(2)}, "rows").labels == {"rows": {0: "x"}}
    else:
        with pytest.raises(InputError, match="row numbers from 0 to 1"):
            told.about({"rows": Members(2)}, "rows")
    if name != "r1":
        with pytest.raises(InputError, match="not there"):
            told.about({"rows": Members(2, ["r0", "r1"])}, "rows")


@pytest.mark.parametrize("method", [name for name in METHODS if METHODS[name].estimator])
def test_clusters_of_a_table(table: Path, tmp_path: Path, method: str) -> None:
    """Methods take labels and must-links, and finds what its estimator finds with them."""
    labels = written(tmp_path / "l", *(f"{i} c{i % 3}" for i in range(0, 50, 4)))
    together = written(tmp_path / "m", "0,1", "2,5")
    out = tmp_path / "out"
    answer = comraf(
        *("cluster", table, "-k", 3, "--method", method, "--seed", 3, "--out", out),
        *("--labels", labels, "--must-link", together, "--label-weight", 2),
    )
    assert answer.exit_code == 0, answer.output
    assert "Labels of 13 rows in 3 classes (intrinsic)" in answer.stdout
    assert "2 must-links between rows are kept." in answer.stdout
    title = METHODS[method].title
    options = {"effort": "default"} if method == "mdc" else {}
    model = getattr(library, title)(
        3, weighting="root_rows", random_state=3, label_weight=2.0, **options
    ).fit(
        sp.load_npz(table),
        labels={i: f"c{i % 3}" for i in range(0, 50, 4)},
        must_link=[(0, 1), (2, 5)],
    )
    lines = rows(out / "rows.csv")
    assert [int(line["cluster"]) for line in lines] == model.labels_.tolist()
    classes = [line["class"] or None for line in lines]
    assert classes == [model.cluster_classes_[label] for label in model.labels_]
    document = json.loads((out / "result.json").read_text())
    assert document["known"]["must_link"][0]["kept"] == 2


def test_methods_that_cannot_say_so(table: Path, tmp_path: Path) -> None:
    """What a method can't look at is refused in the words of its options."""
    apart = written(tmp_path / "apart.csv", "0,1")
    labels = written(tmp_path / "l.csv", "0,a", "1,b")
    asked = ("cluster", table, "-k", 3, "--out", tmp_path / "out", "--method")
    sentence = refused(*asked, "agglomerative", "--cannot-link", apart)
    assert "--method agglomerative merges and never moves" in sentence
    refused(*asked, "agglomerative", "--labels", labels, "--labels-as", "seeds")
    assert "--updates sequential can" in refused(*asked, "itcc", "--cannot-link", apart)
    sentence = refused(*asked, "ib", "--labels", f"columns={labels}")
    assert "'columns' is not clustered here; sides that are: rows" in sentence
    assert not (tmp_path / "out").exists()
    answer = comraf(*asked, "itcc", "--cannot-link", apart, "--updates", "sequential")
    assert "1 cannot-link between rows is kept." in answer.stdout


def test_rows_by_name_and_a_spec(tmp_path: Path) -> None:
    """Names of a triplet file; in a model spec the first hidden node is meant."""
    lines = [f"d{i},w{(i % 2) * 5 + j},{1 + (i * j) % 3}" for i in range(12) for j in range(5)]
    data = written(tmp_path / "counts.csv", "row,column,count", *lines)
    labels = written(tmp_path / "l.csv", "d0,even", "d1,odd")
    words = written(tmp_path / "w.csv", "w0,first", "w9,second")
    asked = ("--labels", labels, "--labels", f"columns={words}", "--json")
    answer = comraf("cluster", data, "-k", 2, "--columns-k", 2, *asked)
    document = json.loads(answer.stdout)
    for side, first, second in (("rows", "even", "odd"), ("columns", "first", "second")):
        found = {cluster["class"] for cluster in document["sides"][side]["clusters"]}
        assert found == {first, second}
    spec = written(
        tmp_path / "model.yaml",
        "format: comraf-graph",
        "version: 1",
        "nodes:",
        "  - {name: letters, clusters: 2}",
        "  - {name: signs, observed: singletons}",
        "edges:",
        "  - {between: [letters, signs], table: counts.csv}",
    )
    answer = comraf("cluster", spec, "--labels", labels, "--json")
    assert answer.exit_code == 0, answer.output
    document = json.loads(answer.stdout)
    assert {c["class"] for c in document["sides"]["letters"]["clusters"]} == {"even", "odd"}
    assert "'d77' (line 1)" in refused("cluster", spec, "--labels", written(labels, "d77 a"))


@pytest.fixture(scope="module")
def slow(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table that takes a second, so that a search of it can be stopped."""
    rng = np.random.default_rng(0)
    topic = np.arange(500)[:, None] % 5 == np.arange(120)[None, :] % 5
    path = tmp_path_factory.mktemp("slow") / "table.npz"
    sp.save_npz(path, sp.csr_matrix(rng.poisson(np.where(topic, 0.9, 0.4))))
    return path


@pytest.mark.parametrize(
    ("option", "then", "now", "said"),
    [
        ("--labels", "0,a\n1,b\n", "0,a\n2,b\n", "--labels had other labels of rows then"),
        ("--labels", "0,a\n1,b\n", "0,a\n", "--labels had 2 classes of rows then and has 1 now"),
        ("--labels", "0,a\n", None, "intrinsic labels were given for rows then and not now"),
        ("--must-link", "0,5\n", "0,10\n", "or --must-link or --labels joined other values"),
        ("--must-link", "0,5\n", None, "had 499 values then and has 500 now (those that"),
        ("--cannot-link", "0,1\n", "0,2\n", "--must-link, --cannot-link or --labels, or weights"),
    ],
)
def test_resuming_with_other_files_is_refused(
    slow: Path, tmp_path: Path, option: str, then: str, now: str | None, said: str
) -> None:
    """They are told by option; with the first of them the search goes on and ends as it would."""
    file, half = tmp_path / "known.csv", tmp_path / "half"
    file.write_text(then)
    asked = ["cluster", slow, "-k", 5, "-q", "--checkpoint", half, "--out", tmp_path / "out"]
    stopped = comraf(*asked, "--time-limit", 0.05, option, file)
    assert "time limit" in stopped.stderr
    if now is not None:
        file.write_text(now)
    sentence = refused(*asked, "--resume", "--force", *([] if now is None else [option, file]))
    assert "is the checkpoint of another search: " in sentence
    assert said in sentence
    if now is not None:  # one way for each option is enough
        return
    file.write_text(then)
    assert comraf(*asked, "--resume", "--force", option, file).exit_code == 0
    assert not half.exists()
    comraf("cluster", slow, "-k", 5, "-q", "--out", tmp_path / "alone", option, file)
    names = ("rows.csv", "columns.csv")
    assert [(tmp_path / "out" / name).read_text() for name in names] == [
        (tmp_path / "alone" / name).read_text() for name in names
    ]


def test_bad_transfers(reviews: Path, tmp_path: Path) -> None:
    """No model there, a file, no words wanted: said before anything is written."""
    out = tmp_path / "out"
    wrong = refused(*organize(reviews, out, "--transfer-from", tmp_path / "nothing"))
    assert "there is nothing of this name" in wrong
    assert "MODEL must be the folder" in refused(
        *organize(reviews, out, "--transfer-from", written(tmp_path / "file", "x"))
    )
    assert not out.exists()
