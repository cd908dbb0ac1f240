"""``comraf organize`` on real files, and what ``assign`` and ``evaluate`` make of its answer."""

from __future__ import annotations

import csv
import json
import random
import re
import shlex
from pathlib import Path

import numpy as np
import pytest

from comraf.collection.build import build_collection
from comraf.collection.detect import open_reader
from comraf.collection.sample import messages, write_mbox
from comraf.collection.store import open_collection
from comraf.estimators.organizer import Organizer
from comraf.workflows.answer import open_answer
from tests.cli.talking import PYTHON, comraf, refused, rows


def test_who_writes_about_what(organized: Path) -> None:
    """The file of a side says in which group of documents each value is most at home."""
    group = {line["item"]: line for line in rows(organized / "clusters.csv")}
    collection = open_collection(organized / "collection")
    people = rows(organized / "people.csv")
    assert list(people[0]) == ["people", "cluster", "documents", "group", "group_name", "in_group"]
    table = collection.tables["people"].toarray() != 0
    homes = np.array([int(group[item]["cluster"]) for item in collection.ids])
    for column, line in enumerate(people):
        theirs = homes[table[:, column]]
        assert (len(theirs), (theirs == int(line["group"])).sum()) == (
            int(line["documents"]),
            int(line["in_group"]),
        )
        assert int(line["in_group"]) == np.bincount(theirs).max()
        assert line["group_name"] in {one["name"] for one in group.values()}


def test_assign_gives_old_messages_their_own_group(organized: Path, tmp_path: Path) -> None:
    """The messages of the fit, read from an mbox instead of a maildir, go where they were."""
    box = write_mbox(tmp_path / "again.mbox", 240, 1)
    answer = comraf("assign", organized, box, "--out", tmp_path / "placed.csv")
    assert answer.exit_code == 0, answer.output
    before = {line["item"]: line["cluster"] for line in rows(organized / "clusters.csv")}
    after = {line["item"]: line["cluster"] for line in rows(tmp_path / "placed.csv")}
    both = before.keys() & after.keys()
    assert len(both) > 230
    assert sum(before[i] == after[i] for i in both) > 0.95 * len(both)


def test_no_text_leaves_all_text_out(mailbox: Path, tmp_path: Path) -> None:
    """For sharing: neither the report nor the folder has a title, a snippet or the collection."""
    out = tmp_path / "out"
    asked = ("organize", mailbox, "-k", 8, "--effort", "quick", "--no-text", "--quiet")
    answer = comraf(*asked, "--out", out)
    assert (answer.exit_code, answer.stdout) == (0, "")
    assert {path.name for path in out.iterdir()} == {
        *("report.html", "graph.svg", "clusters.csv", "result.json")
    }
    everything = "".join(path.read_text() for path in out.iterdir())
    assert "@" not in everything.replace("@media", "")
    assert "Lindqvist" not in everything
    page = (out / "report.html").read_text()
    for made in messages(240, 1)[:40]:
        subject = str(made.message["Subject"])
        assert len(subject) < 12 or subject not in page


def test_python_and_a_spec_give_the_groups_of_the_terminal(mailbox: Path, tmp_path: Path) -> None:
    """With defaults alone Organizer, organize and organize --graph FILE find the same groups."""
    answer = comraf("organize", mailbox, "-k", 8, "-q", "--out", tmp_path / "out")
    assert answer.exit_code == 0, answer.output
    spec = tmp_path / "graph.yaml"
    sides = ("words", "people", "subjects")
    spec.write_text(
        "format: comraf-graph\nversion: 1\nnodes:\n  - {name: documents, clusters: 8}\n"
        + "".join(f"  - {{name: {side}, direction: top-down}}\n" for side in sides)
        + "edges:\n"
        + "".join(f"  - {{between: [documents, {side}], table: {side}}}\n" for side in sides)
    )
    answer = comraf("organize", mailbox, "--graph", spec, "-q", "--out", tmp_path / "again")
    assert answer.exit_code == 0, answer.output
    groups, again = (
        {row["item"]: int(row["cluster"]) for row in rows(tmp_path / name / "clusters.csv")}
        for name in ("out", "again")
    )
    assert again == groups
    collection = build_collection(open_reader(mailbox))
    assert "months" in collection.tables
    organizer = Organizer(8, random_state=0).fit(collection)
    assert dict(zip(collection.ids, organizer.labels_.tolist(), strict=True)) == groups


def test_the_graph_of_the_docs_joins_two_sides(mailbox: Path, tmp_path: Path) -> None:
    """As it stands, or with other numbers; tables about other values are refused before it."""
    page = Path(__file__).parents[2].joinpath("docs", "command-line.md").read_text()
    example = page.split("```yaml\n")[1].partition("```")[0]
    spec = tmp_path / "graph.yaml"
    spec.write_text(example)
    asked = ["organize", mailbox, "--graph", spec, "--effort", "quick", "--out"]
    other = "--side-clusters", "documents=7,words=20", "--weight", "people+words=.2"
    answer = comraf(*asked, tmp_path / "out", *other)
    assert answer.exit_code == 0, answer.output
    assert "in 7 groups by words" in answer.stdout
    edges = json.loads((tmp_path / "out/result.json").read_text())["edges"]
    assert [edge["weight"] for edge in edges][1:] == [0.5, 0.2]
    assert "rule of thumb" not in answer.stdout
    why = comraf("explain", tmp_path / "out", "0")
    assert why.exit_code == 0, why.output
    for right, wrong in (
        ("table: words+people", "table: people"),  # documents x people
        ("people], table: people", "people], table: words"),
        ("[documents, words]", "[words, documents]"),
    ):
        spec.write_text(example.replace(right, wrong))
        said = comraf(*asked, tmp_path / "bad")
        assert said.exit_code == 2, (wrong, said.output)
        assert "is about other values" in said.stderr
    spec.write_text(example.replace("words+people", "words+smells"))
    assert "no table 'smells'; it has words" in comraf(*asked, tmp_path / "bad").stderr


@pytest.mark.parametrize("k", [1, 2])
def test_one_and_two_documents(tmp_path: Path, k: int) -> None:
    """Hardly anything to organise is organised all the same."""
    for i in range(k):
        (tmp_path / f"{i}.txt").write_text(f"some words about topic {'ab'[i]} and more of it")
    answer = comraf("organize", tmp_path, "-k", k, "--out", tmp_path.parent / f"few-{k}")
    assert answer.exit_code == 0, answer.output
    assert len(rows(tmp_path.parent / f"few-{k}" / "clusters.csv")) == k


def test_an_answer_is_organised_from_its_own_documents(organized: Path, tmp_path: Path) -> None:
    """Naming the folder of an answer starts from its collection, not from its CSV files."""
    quick = ("--effort", "quick", "--out")
    answer = comraf("organize", organized, "-k", 3, "--json", *quick, tmp_path / "out")
    assert answer.exit_code == 0, answer.output
    assert json.loads(answer.stdout)["documents"] == len(rows(organized / "clusters.csv"))
    shared = tmp_path / "shared"
    assert comraf("organize", organized, "-k", 3, "--no-text", "-q", *quick, shared).exit_code == 0
    answer = comraf("organize", shared, "--out", tmp_path / "again")
    assert answer.exit_code == 2
    assert "without its documents" in answer.stderr


def test_guesses_and_skips_are_told(tmp_path: Path) -> None:
    """What was guessed about columns and why rows were skipped is on the terminal."""
    (tmp_path / "t.csv").write_text(
        "name,story\n"
        + "".join(f"n{i},the old ship sailed in wind {i % 3}\n" for i in range(30))
        + "x,y,z,too,many\n"
    )
    answer = comraf("organize", tmp_path / "t.csv", "-k", 2, "--out", tmp_path / "out")
    assert answer.exit_code == 0, answer.output
    assert "note: columns chosen by looking at them: --text story" in answer.stdout
    assert "skipped 1" in answer.stdout


def test_words_can_be_left_out_and_joined(reviews: Path, tmp_path: Path) -> None:
    """--stopwords, --language and --ngrams reach the words, and the model for new documents."""
    stops = tmp_path / "stops.txt"
    stops.write_text("Kettle  water\nheel\n")
    asked = ["organize", reviews, "-k", 3, "--effort", "quick", "-q", "--out"]
    more = ["--stopwords", stops, "--ngrams", 2, "--language", "en"]
    assert comraf(*asked, tmp_path / "out", *more).exit_code == 0
    words = {row["words"] for row in rows(tmp_path / "out" / "words.csv")}
    assert "boil" in words
    assert "boil spout" in words
    assert not {"kettle", "water", "heel"} & {part for word in words for part in word.split()}
    kept = json.loads((tmp_path / "out" / "model" / "model.json").read_text())["about"]["sides"]
    assert kept["words"]["stop_words"] == ["heel", "kettle", "water"]
    assert kept["words"]["languages"] == ["en"]
    every = ["--language", "none", "--max-share", 1]
    assert comraf(*asked, tmp_path / "all", *every).exit_code == 0
    assert "about" in {row["words"] for row in rows(tmp_path / "all" / "words.csv")}
    for wrong, said in (
        (["--stopwords", tmp_path / "nowhere"], "nowhere: can't be read"),
        (["--stopwords", tmp_path / "empty"], "there is no word in it"),
        (["--language", "klingon"], "--language klingon is unknown"),
        (["--language", ","], "names no language"),
    ):
        (tmp_path / "empty").write_text("\n")
        assert said in refused(*asked, tmp_path / "no", *wrong)


def test_rare_and_common_values_can_be_left_out(reviews: Path, tmp_path: Path) -> None:
    """--min-documents and --max-share reach every side, and are kept with the model."""
    answer = comraf(
        *("organize", reviews, "-k", 2, "--min-documents", 25, "--max-share", 0.4, "--quiet"),
        *("--out", tmp_path / "out"),
    )
    assert answer.exit_code == 0, answer.output
    assert "Buyer 1" not in (tmp_path / "out" / "result.json").read_text()  # in 18 of 90
    options = json.loads((tmp_path / "out" / "model" / "model.json").read_text())["about"]["sides"]
    own = {"pos", "style", "photos"}  # what has cuts of its own, or none
    sides = [v for name, v in options.items() if isinstance(v, dict) and name not in own]
    assert {side["min_documents"] for side in sides} == {25}
    assert options["words"]["max_share"] == options["values"]["max_share"] == 0.4


def test_one_group_or_one_class_is_said_to_be_one(mailbox: Path, tmp_path: Path) -> None:
    """-k 1 and folders of a single mbox are no error, but nothing can come of them."""
    quick = ("--effort", "quick", "--out")
    answer = comraf("organize", mailbox, "-k", 1, *quick, tmp_path / "one")
    assert answer.exit_code == 0, answer.output
    assert "in 1 group by" in answer.stdout
    assert "ask for 2 or more (-k)" in answer.stderr
    answer = comraf("organize", mailbox, "-k", 3, "--truth", "folders", *quick, tmp_path / "two")
    assert answer.exit_code == 0, answer.output
    assert "only one known class" in answer.stdout
    assert "accuracy" not in answer.stdout
    (tmp_path / "one.csv").write_text("title,body\nA,a single text to read\n")
    answer = comraf("organize", tmp_path / "one.csv", "--out", tmp_path / "three")
    assert answer.exit_code == 0, answer.output
    assert "only one row was read" in answer.stderr


def test_a_folder_of_several_kinds(mailbox: Path, tmp_path: Path) -> None:
    """Only one kind is read; the note says what was left, and how to choose."""
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.mbox").write_bytes(mailbox.read_bytes())
    (tmp_path / "in" / "b.csv").write_text("title,body\nA,a single text to read\n")
    said = comraf("inspect", tmp_path / "in").stdout
    assert "the others: 1 " in said
    assert "--kind chooses what to read" in said


def test_an_answer_is_organised_again_under_its_own_name(reviewed: Path, tmp_path: Path) -> None:
    """The report is about what was read first; how that was read can't be changed any more."""
    for path in (reviewed, reviewed / "collection"):
        out = tmp_path / path.name
        assert comraf("organize", path, "-k", 2, "-q", "--out", out).exit_code == 0
        assert "<h1>reviews.csv</h1>" in re.sub(
            r" dir=\"\w+\"", "", (out / "report.html").read_text()
        )
    sentence = refused("organize", reviewed, "--truth", "product", "--out", tmp_path / "again")
    assert "was read before, and --truth can't change that" in sentence


def test_an_answer_takes_the_options_it_was_read_with(
    organized: Path, reviews: Path, tmp_path: Path
) -> None:
    """The same command with the answer in place of the source runs; other options are named."""
    quick = ["-k", 3, "--effort", "quick", "-q", "--out"]
    same = ["--truth", "folders", "--kind", "maildir"]
    assert comraf("organize", organized, *same, *quick, tmp_path / "a").exit_code == 0
    other = ["--truth", "folders:1", "--kind", "mail", "--min-documents", 7]
    sentence = refused("organize", organized, *other, *quick, tmp_path / "b")
    assert "was read before, and --kind and --truth and --min-documents can't" in sentence
    columns = ["--text", "review,title", "--id", "key", "--truth", "product", "--max-share", 0.7]
    assert comraf("organize", reviews, *columns, *quick, tmp_path / "c").exit_code == 0
    assert comraf("organize", tmp_path / "c", *columns, *quick, tmp_path / "d").exit_code == 0
    columns[1] = "review"
    assert "--text can't change" in refused("organize", tmp_path / "c", *columns, *quick, "x")


def test_the_largest_group_comes_first(tmp_path: Path) -> None:
    """Groups stand by the number of their documents, not by how much was counted in them."""
    texts = ["the old pump leaks and drips water again " * 40] * 4 + ["green tea in a cup"] * 9
    for i, text in enumerate(texts):
        (tmp_path / f"{i}.txt").write_text(f"{text} {i}")
    out = tmp_path.parent / f"{tmp_path.name}-out"
    answer = comraf("organize", tmp_path, "-k", 2, "--effort", "quick", "--json", "--out", out)
    assert [group["size"] for group in json.loads(answer.stdout)["groups"]] == [9, 4]
    assert json.loads(answer.stdout)["groups"][0]["cluster"] == 1
    assert re.findall(r'id="g(\d)"', (out / "report.html").read_text()) == ["1", "0"]
    again = comraf("organize", tmp_path, "-k", 2, "--effort", "quick", "--out", out, "--force")
    for shown in (comraf("inspect", out).stdout, again.stdout):
        assert shown.index("green") < shown.index("pump")


def test_a_place_of_our_own_choice_that_cant_be_written(
    reviews: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without --out the folder is named after the documents; where that fails, --out is told."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "reviews-groups").write_text("mine")
    assert "is free: --out reviews-csv-groups" in refused("organize", reviews)


def test_noise_is_called_noise(tmp_path: Path) -> None:
    """Texts of random words get a warning that there may be nothing to find."""
    import random

    draw = random.Random(0)
    words = [f"w{a}{b}" for a in "abcdefghij" for b in "klmnopqrst"]
    for i in range(150):
        text = " ".join(draw.choice(words) for _ in range(30))
        (tmp_path / f"{i}.txt").write_text(text)
    answer = comraf("organize", tmp_path, "-k", 5, "--out", tmp_path.parent / "noise-out")
    assert answer.exit_code == 0, answer.output
    assert "nothing to find" in answer.stderr


def test_a_collection_can_be_organised_again(organized: Path, tmp_path: Path) -> None:
    """The collection of an earlier answer is taken as it is; same seed, same groups."""
    answer = comraf("organize", organized / "collection", "-k", 8, "--out", tmp_path / "out")
    assert answer.exit_code == 0, answer.output
    first, second = (
        {line["item"]: line["cluster"] for line in rows(folder / "clusters.csv")}
        for folder in (organized, tmp_path / "out")
    )
    assert first == second


def test_force_replaces_an_older_answer_and_keeps_other_files(
    reviews: Path, tmp_path: Path
) -> None:
    """A full folder is refused; with --force the old answer goes, a stranger's file stays."""
    out = tmp_path / "out"
    asked = ["organize", reviews, "--effort", "quick", "--out", out, "-k"]
    assert comraf(*asked, 4, "--quiet").exit_code == 0
    assert "not empty; name another one with --out, or add --force" in refused(*asked, 4)
    (out / "mine.txt").write_text("mine")
    answer = comraf(*asked, 3, "--quiet", "--force")
    assert answer.exit_code == 0, answer.output
    assert (out / "mine.txt").read_text() == "mine"
    assert len({line["cluster"] for line in rows(out / "clusters.csv")}) == 3
    assert (out / "collection").is_dir()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere"], "nowhere"),
        (["{empty}"], "empty"),
        (["{zip}"], "unzip"),
        (["{csv}", "--text", "smell"], "smell"),
        (["{csv}", "--text", "body", "--min-documents", "9"], "lower --min-documents"),
        (["{csv}", "--text", "body", "--min-documents", "9" * 30], "lower --min-documents"),
        (["{csv}", "--stopwords", "{long}"], "no list of stop words"),
        (["{mbox}", "--by", "smell"], "no side 'smell'"),
        (["{mbox}", "--by", "Peple"], "did you mean 'people'?"),
        (["{mbox}", "--by", ","], "--by names no side"),
        (["{mbox}", "--text", "body"], "--text can't be given for what is read as mbox"),
        (
            ["{mbox}", "--set", "colour=red"],
            "--set colour can't be given for what is read as mbox",
        ),
        (["{mbox}", "--set", "red"], "--set red is not possible; write NAME=VALUE"),
        (["{csv}", "--separator", ";"], "--separator is about the cells of --people and --lists"),
        (["{mbox}", "--graph", "nowhere.yaml"], "nowhere.yaml"),
        (["{mbox}", "--max-share", "0"], "--max-share 0"),
        (["{binary}"], "--kind KIND, one of bibtex, csr, csv"),
        (["{damaged}"], "collection.json is damaged at line 1"),
        (["{mbox}", "--graph", "star"], "--graph star is unknown"),
        (["{mbox}", "-k", "100000"], "-k 100000 is more than the"),
        (["{mbox}", "--kind", "poem"], "poem"),
        (["{mbox}", "--jobs", "0"], "--jobs 0"),
        (["{mbox}", "--out", "{mbox}"], "is a file"),
    ],
)
def test_bad_input_is_one_sentence(
    arguments: list[str], message: str, mailbox: Path, tmp_path: Path
) -> None:
    """Exit code 2, one line on stderr, nothing written."""
    import zipfile

    (tmp_path / "empty").mkdir()
    with zipfile.ZipFile(tmp_path / "box.zip", "w") as packed:
        packed.writestr("a", "b")
    (tmp_path / "t.csv").write_text("title,body\nA,some words here\nB,other words there\n")
    (tmp_path / "binary.dat").write_bytes(bytes(range(256)) * 20)
    (tmp_path / "long").write_text("a" * 5_000_000)
    (tmp_path / "damaged").mkdir()
    (tmp_path / "damaged" / "collection.json").write_text('{"format": ')
    places = {
        "binary": tmp_path / "binary.dat",
        "damaged": tmp_path / "damaged",
        "empty": tmp_path / "empty",
        "long": tmp_path / "long",
        "zip": tmp_path / "box.zip",
        "csv": tmp_path / "t.csv",
        "mbox": mailbox,
    }
    filled = [str(argument).format(**places) for argument in arguments]
    if "--out" not in filled:
        filled += ["--out", str(tmp_path / "out")]
    answer = comraf("organize", *filled)
    assert answer.exit_code == 2, answer.output
    assert message in answer.stderr
    assert answer.stderr.count("\n") == 1
    assert not PYTHON.search(answer.stderr)
    assert not (tmp_path / "out").exists()
    assert not list(tmp_path.glob(".comraf-*"))


def test_a_column_nobody_asked_for_does_not_make_groups(tmp_path: Path) -> None:
    """A column of one value a document is left out by default, said so, and used when named."""
    rng = random.Random(0)
    topics = [[f"{word}{t}" for word in ("alpha", "beta", "gamma", "delta")] for t in range(3)]
    table = tmp_path / "tickets.csv"
    with table.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["message", "channel"])
        for i in range(240):
            words = [rng.choice(topics[i % 3]) for _ in range(6)]
            writer.writerow([" ".join([*words, "common"]), rng.choice(["web", "phone", "mail"])])
    options = ("--text", "message", "-k", 3, "--effort", "quick")
    answer = comraf("organize", table, *options, "--out", tmp_path / "a")
    assert answer.exit_code == 0, answer.output
    told = " ".join(answer.stdout.split())
    assert "note: channel describes the groups but doesn't make them; add it with --by" in told
    assert "channel" not in answer.stderr
    assert json.loads((tmp_path / "a" / "result.json").read_text())["parameters"]["by"] == ["words"]
    comraf("organize", table, *options, "--values", "channel", "--out", tmp_path / "b")
    by = json.loads((tmp_path / "b" / "result.json").read_text())["parameters"]["by"]
    assert by == ["words", "channel"]
    # what was named has its place in the report, whether it makes groups or not
    named = ("--values", "channel", "--by", "words", "--out", tmp_path / "d")
    assert comraf("organize", table, *options, *named).exit_code == 0
    for place in ("b", "d"):
        page = (tmp_path / place / "report.html").read_text(encoding="utf-8")
        assert re.search(r'Groups by (clusters of )?<span dir="auto">channel</span>', page)
        assert re.search(r'<summary><h3><span dir="auto">channel</span></h3>', page)
    # a name within another column's name is not named
    renamed = table.read_text().replace("message,channel", "message,age", 1)
    table.write_text(renamed)
    comraf("organize", table, *options, "--out", tmp_path / "c")
    by = json.loads((tmp_path / "c" / "result.json").read_text())["parameters"]["by"]
    assert by == ["words"]


def test_observed_sides_have_files_and_hints_are_notes(tmp_path: Path) -> None:
    """Citations with the groups they prevail in, shown by title; venues are only mentioned."""
    rng = random.Random(1)
    topics = (["pump", "valve", "hose", "leak"], ["court", "judge", "jury", "trial"])
    entries = []
    for i in range(40):
        words = " ".join(rng.choice(topics[i % 2]) for _ in range(8))
        cited = ",".join(f"k{(i + step) % 40}" for step in (2, 4))
        entries.append(
            f"@article{{k{i}, title={{{words[:14]} number {i}}}, abstract={{{words}}}, "
            f"journal={{J{rng.randrange(3)}}}, cites={{{cited}}}}}"
        )
    path = tmp_path / "refs.bib"
    path.write_text("\n".join(entries))
    answer = comraf("organize", path, "-k", 2, "--effort", "quick", "--out", tmp_path / "out")
    assert answer.exit_code == 0, answer.output
    assert "venues describe the groups but don't make them" in " ".join(answer.stdout.split())
    assert "venues" not in answer.stderr
    found = rows(tmp_path / "out" / "citations.csv")
    assert list(found[0]) == ["citations", "documents", "cluster", "name", "in_cluster"]
    assert {row["citations"] for row in found} == {f"k{i}" for i in range(40)}
    group = {row["item"]: row["cluster"] for row in rows(tmp_path / "out" / "clusters.csv")}
    right = sum(group[row["citations"]] == row["cluster"] for row in found)
    assert right > 30
    assert all(row["documents"] == "2" for row in found)
    said = refused("explain", tmp_path / "out", "k1", "--side", "citations")
    assert "citations are observed" in said
    assert "venues had no part" in refused("explain", tmp_path / "out", "J1", "--side", "venues")
    page = (tmp_path / "out" / "report.html").read_text()
    assert ">k3<" not in page
    assert page.index("venues describe") > page.index("How it was found")
    assert "number 3" in page


def test_places_that_are_taken_are_followed_by_one_that_is_free(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two files of one stem, and dumps that all have one name."""
    from comraf.cli.places import free_place, usual_place

    monkeypatch.chdir(tmp_path)
    assert usual_place(tmp_path / "cooking" / "Posts.xml") == Path("cooking-groups")
    place = usual_place(Path("refs.ris"))
    assert place == usual_place(Path("refs.bib")) == Path("refs-groups")
    assert free_place(place, Path("refs.ris")) == Path("refs-ris-groups")
    (tmp_path / "refs-ris-groups").mkdir()
    assert free_place(place, Path("refs.ris")) == Path("refs-groups-2")


def test_every_way_to_search_is_reachable(mailbox: Path, tmp_path: Path) -> None:
    """Schedule, merge cost, runs and balance are the estimator's."""
    from comraf import Organizer
    from comraf.collection.store import open_collection

    out = tmp_path / "out"
    options = ["--schedule", "reverse", "--merge-cost", "js", "--runs", "2", "--balance"]
    answer = comraf("organize", mailbox, "-k", 5, "--by", "words", *options, "--out", out)
    assert answer.exit_code == 0, answer.output
    parameters = {"schedule": "reverse", "merge_cost": "js", "n_runs": 2, "balance": True}
    model = Organizer(5, by=["words"], random_state=0, **parameters)
    model.fit(open_collection(out / "collection"))
    assert [node.direction for node in model.graph_.nodes] == ["top-down", "bottom-up"]
    assert [int(line["cluster"]) for line in rows(out / "clusters.csv")] == model.labels_.tolist()
    assert (
        model.labels_.tolist()
        != Organizer(5, by=["words"], random_state=0)
        .fit(open_collection(out / "collection"))
        .labels_.tolist()
    )


def test_a_side_that_weighs_next_to_nothing_is_told(tmp_path: Path) -> None:
    """By counts alone thousands of words silence a few tags: organize says so, once."""
    lines = ["key,text,tags"]
    for i in range(60):
        said = " ".join(f"{'abc'[i % 3]}word{(i * 7 + j) % 40}" for j in range(400))
        lines.append(f"k{i},{said},{f'tag{i % 3};seen' if i < 6 else ''}")
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    asked = ("organize", tmp_path / "t.csv", "-k", 3, "--lists", "tags", "--separator", ";")
    answer = comraf(*asked, "--edge-weights", "mass", "-q", "--out", tmp_path / "out")
    assert answer.exit_code == 0, answer.output
    assert answer.stderr.count("of documents and tags weighs next to nothing") == 1
    answer = comraf(*asked, "--weight", "words=30", "-q", "--out", tmp_path / "loud")
    assert answer.exit_code == 0, answer.output
    assert answer.stderr.count("of documents and words drowns the others") == 1
    assert "--weight names 'tag', which makes no groups" in refused(*asked, "--weight", "tag=1")
    assert "write SIDE=NUMBER" in refused(*asked, "--weight", "tags")
    answer = comraf(*asked, "--side-clusters", "words=5,tags=2", "-q", "--out", tmp_path / "sides")
    assert answer.exit_code == 0, answer.output
    counted = open_answer(tmp_path / "sides")
    assert counted.result.n_clusters == {"documents": 3, "words": 5, "tags": 2}
    assert counted.options.side_clusters == {"words": 5, "tags": 2}
    assert "WHOLE NUMBER" in refused(*asked, "--side-clusters", "words=5.5")


def test_one_document_and_several_groups(tmp_path: Path) -> None:
    """A file of lines that is taken for one text: how to say what it is."""
    path = tmp_path / "heads.txt"
    path.write_text("ship in the harbour\ntea in a cup\n" * 60, encoding="utf-8")
    sentence = refused("organize", path, "-k", 2, "--out", tmp_path / "out")
    assert "-k 2 is more than the 1 document read; " in sentence
    assert "if every line is one, choose --kind lines" in sentence


def test_a_suggested_option_can_be_typed(tmp_path: Path) -> None:
    """Names of sides may hold what a shell or a comma would take apart."""
    path = tmp_path / "films.csv"
    kinds = (("sea", "ship harbour sail storm"), ("court", "judge trial jury verdict"))
    lines = [f'{words} {i % 7} {words},"{kind}"' for i in range(20) for kind, words in kinds]
    path.write_text('text,"Cat > Sub, x"\n' + "\n".join(lines) + "\n", encoding="utf-8")
    options = ("-k", 2, "--effort", "quick", "--text", "text")
    answer = comraf("organize", path, *options, "--out", tmp_path / "out")
    told = " ".join(answer.stdout.split())
    by = """'words,"Cat > Sub, x"'"""
    assert f"--by {by}" in told
    more = ("--by", shlex.split(by)[0], "--out", tmp_path / "more")
    assert "Cat > Sub, x (2)" in comraf("organize", path, *options, *more).stdout
