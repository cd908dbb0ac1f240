"""``comraf assign``: what is a model, what are new documents, and who is unknown."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from comraf.collection.sample import write_mbox
from tests.cli.talking import comraf, refused, rows


def test_a_model_that_is_none(mailbox: Path, organized: Path, tmp_path: Path) -> None:
    """A missing path, a file, a folder of something else: each is told with the way out."""
    assert "nothing of this name; MODEL must be the folder" in refused(
        "assign", tmp_path / "nowhere", mailbox
    )
    assert "is a file; MODEL must be the folder" in refused("assign", mailbox, mailbox)
    assert f"did you mean: comraf assign {organized} {mailbox}" in refused(
        "assign", mailbox, organized
    )
    assert "holds no model" in refused("assign", tmp_path, mailbox)


def test_an_answer_without_a_model(mailbox: Path, tmp_path: Path) -> None:
    """--no-text writes no model; that is the reason that is given."""
    out = tmp_path / "out"
    assert comraf("organize", mailbox, "-k", 3, "--no-text", "-q", "--out", out).exit_code == 0
    assert "--no-text keeps none" in refused("assign", out, mailbox)


@pytest.mark.parametrize("file", ["model.json", "arrays.safetensors"])
@pytest.mark.parametrize("content", [b'{"format": ', b"\xff\xfe junk", None])
def test_a_damaged_model(
    file: str, content: bytes | None, reviewed: Path, reviews: Path, tmp_path: Path
) -> None:
    """A file of the model that is broken or missing is named, without a parser's words."""
    shutil.copytree(reviewed / "model", tmp_path / "model")
    if content is None:
        (tmp_path / "model" / file).unlink()
    else:
        (tmp_path / "model" / file).write_bytes(content)
    sentence = refused("assign", tmp_path / "model", reviews)
    assert file in sentence
    assert "comraf organize" in sentence


def test_another_kind_of_documents(
    reviewed: Path, reviews: Path, organized: Path, mailbox: Path, tmp_path: Path
) -> None:
    """A CSV for groups of mail, and mail for groups of a CSV: --kind is what to add."""
    sentence = refused("assign", organized, reviews)
    assert "looks like csv, but the groups were made from maildir" in sentence
    assert "--kind maildir if it is maildir too, or --kind csv" in sentence
    assert "--kind csv if it is csv too, or --kind mbox" in refused("assign", reviewed, mailbox)
    # Said, it is done: words and titles are the sides that both have.
    answer = comraf("assign", reviewed, mailbox, "--kind", "mbox", "--out", tmp_path / "out.csv")
    assert answer.exit_code == 0, answer.output
    # A table in another format is the same kind of thing.
    table = tmp_path / "new.tsv"
    table.write_text(reviews.read_text().replace(",", "\t"))
    answer = comraf("assign", reviewed, table)
    assert answer.exit_code == 0, answer.output
    assert "90 new rows placed into 3 of 3 groups." in answer.stdout


def test_kinds_with_the_same_sides(tmp_path: Path) -> None:
    """References for references of another format; a table stays one though it has papers."""
    topics = ("pump valve water leak", "sail mast wind boat")
    entries = [f"{topics[i % 2]} number{i}" for i in range(12)]
    bib, ris = tmp_path / "a.bib", tmp_path / "a.ris"
    bib.write_text("".join(f"@misc{{k{i}, title = {{{t}}}}}\n" for i, t in enumerate(entries)))
    ris.write_text("".join(f"TY  - JOUR\nTI  - {t}\nER  - \n\n" for t in entries))
    run = tmp_path / "run"
    assert comraf("organize", bib, "-k", 2, "-q", "--out", run).exit_code == 0
    answer = comraf("assign", run, ris)
    assert answer.exit_code == 0, answer.output
    assert "12 new records placed into 2 of 2 groups." in answer.stdout
    lines = [
        {"title": t, "authors": [{"name": "Ann Li"}], "citations": ["x", "y"]} for t in entries
    ]
    table = tmp_path / "a.jsonl"
    table.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert "looks like bibtex, but the groups were made from jsonl" in refused(
        "assign", _jsonl_run(table, tmp_path / "rows"), bib
    )
    answer = comraf("assign", tmp_path / "rows", table)
    assert answer.exit_code == 0, answer.output


def _jsonl_run(table: Path, out: Path) -> Path:
    answer = comraf("organize", table, "--text", "title", "-k", 2, "-q", "--out", out)
    assert answer.exit_code == 0, answer.output
    return out


def test_links_of_new_pages(tmp_path: Path) -> None:
    """Pages told apart by links alone: new ones go where they link to."""
    old, new = tmp_path / "old", tmp_path / "new"
    for place, n in ((old, 24), (new, 2)):
        place.mkdir()
        for i in range(n):
            host = ("sails.example", "soups.example")[i % 2]
            (place / f"{i:02}.html").write_text(
                f"<p>Our page</p><a href='http://{host}/{i % 3}/a'>a</a> <a href='http://{host}'>"
            )
    run = tmp_path / "run"
    # without --by the words make the groups: links are there to be asked for
    answer = comraf("organize", old, "-k", 2, "--out", tmp_path / "words")
    assert answer.exit_code == 0, answer.output
    assert "by words" in answer.stdout
    assert "links (" not in answer.stdout
    answer = comraf("organize", old, "-k", 2, "--by", "links", "--out", run)
    assert answer.exit_code == 0, answer.output
    answer = comraf("assign", run, new, "--out", tmp_path / "placed.csv")
    assert answer.exit_code == 0, answer.output
    groups = {row["item"]: row["cluster"] for row in rows(run / "clusters.csv")}
    placed = {row["item"]: row["cluster"] for row in rows(tmp_path / "placed.csv")}
    titles = {row["item"]: row["title"] for row in rows(run / "clusters.csv")}
    called = {row["cluster"]: row["name"] for row in rows(run / "clusters.csv")}
    for row in rows(tmp_path / "placed.csv"):
        assert row["title"] == titles.get(row["item"], row["title"]) != ""
        assert row["runner_up_name"] == called[row["runner_up"]]
    assert placed == {name: groups[name] for name in placed}
    assert len(set(placed.values())) == 2


def test_documents_that_are_none(organized: Path, tmp_path: Path) -> None:
    """An empty folder, nothing at all, and an older answer are not new documents."""
    (tmp_path / "empty").mkdir()
    assert "is empty" in refused("assign", organized, tmp_path / "empty")
    assert "There is nothing at" in refused("assign", organized, tmp_path / "nowhere")
    assert "PATH must be the new documents" in refused("assign", organized, organized)


def test_the_owner_is_not_unknown(tmp_path: Path) -> None:
    """The owner was left out of the model on purpose, and is not counted as somebody new."""
    box = write_mbox(tmp_path / "box.mbox", 240, 1)
    assert comraf("organize", box, "-k", 6, "-q", "--out", tmp_path / "out").exit_code == 0
    about = json.loads((tmp_path / "out" / "model" / "model.json").read_text())["about"]
    assert about["owner"]["people"] == "Nora Lindqvist"
    answer = comraf("assign", tmp_path / "out", box)
    assert answer.exit_code == 0, answer.output
    # Of the same mail only those are unknown who were in a single message: a few in a hundred.
    # The owner alone is in nearly every message.
    lines = [line for line in answer.stdout.splitlines() if line.startswith("people: ")]
    assert not lines or int(lines[0].split()[1].strip("<%")) <= 3


def test_lists_that_were_dropped_are_not_unknown(tmp_path: Path) -> None:
    """A model made without mailing lists does not count them as unknown people."""
    from comraf.collection.collection import Person
    from comraf.results.model import Model
    from comraf.workflows.place import _left_out

    everybody = Person("all@x.org", "list", "x.org", ("all@x.org",), (), 0, 9)
    somebody = Person("Bo", "person", "x.org", ("bo@x.org",), ("Bo",), 1, 0)
    for lists in ("drop", "keep"):
        about = {"sides": {"people": {"owner": "drop", "lists": lists}}}
        model = Model("documents", ("a",), {}, about)
        assert _left_out(model, "people", everybody) == (lists == "drop")
        assert not _left_out(model, "people", somebody)


def test_places_that_cant_be_written(organized: Path, mailbox: Path, tmp_path: Path) -> None:
    """A folder as the file, a folder that is not there, --force about nothing."""
    assert "is a folder" in refused("assign", organized, mailbox, "--out", tmp_path)
    assert "is not there" in refused("assign", organized, mailbox, "--out", tmp_path / "a" / "b")
    assert "--out" in refused("assign", organized, mailbox, "--force")


def test_a_model_of_an_older_comraf(reviewed: Path, reviews: Path, tmp_path: Path) -> None:
    """A model of version 1 still places documents."""
    from safetensors.numpy import save_file

    from comraf.results.model import load_model

    model = load_model(reviewed / "model")
    document = json.loads((reviewed / "model" / "model.json").read_text())
    document["version"] = 1
    del document["arrays"]
    arrays = {}
    for i, (name, side) in enumerate(model.sides.items()):
        # clusters of values were all that it knew
        turned = side.counts.turned(np.zeros(0, np.int32))
        clusters = side.counts.labels if side.counts.clusters is None else side.counts.clusters
        arrays[f"{i}.labels"] = clusters
        arrays[f"{i}.joint"] = np.ascontiguousarray(turned.joint.T)
        for key in ("single", "columns"):
            assert document["sides"][i]["name"] == name
            del document["sides"][i][key]
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "model.json").write_text(json.dumps(document))
    save_file(arrays, tmp_path / "model" / "arrays.safetensors")
    answer = comraf("assign", tmp_path, reviews)
    assert answer.exit_code == 0, answer.output
    assert "90 new rows placed into 3 of 3 groups." in answer.stdout


def test_new_people_are_placed_by_their_documents(tmp_path: Path) -> None:
    """--side places those that the model has not seen, and writes them; others are named."""
    lines = ["key,buyer,review"]
    topics = ["water boil spout lid kettle", "heel sole laces run shoe", "rain pole tent peg"]
    lines += [f"r{i},Buyer {i % 3} {i % 4},{topics[i % 3]} {topics[i % 3]}" for i in range(90)]
    old, new = tmp_path / "old.csv", tmp_path / "new.csv"
    old.write_text("\n".join(lines) + "\n")
    more = [f"s{i},New {i % 3},{topics[i % 3]} {topics[i % 3]}" for i in range(30)]
    new.write_text("\n".join([lines[0], *more, "t,Buyer 0 0,water kettle"]) + "\n")
    out = tmp_path / "out"
    arguments = ("organize", old, "-k", 3, "--text", "review", "--values", "buyer", "--id", "key")
    assert comraf(*arguments, "-q", "--out", out).exit_code == 0
    answer = comraf("assign", out, new, "--side", "buyer", "--out", tmp_path / "buyers.csv")
    assert answer.exit_code == 0, answer.output
    assert "3 buyer that the model has not seen" in answer.stdout
    found = {row["value"]: row["cluster"] for row in rows(tmp_path / "buyers.csv")}
    assert set(found) == {"New 0", "New 1", "New 2"}
    clusters = {row["buyer"]: row["cluster"] for row in rows(out / "buyer.csv")}
    for topic in range(3):
        old_ones = {clusters[f"Buyer {topic} {j}"] for j in range(4)}
        assert found[f"New {topic}"] in old_ones
    assert "it has words, buyer" in refused("assign", out, new, "--side", "people")


def test_spellings_of_lists_and_people(tmp_path: Path) -> None:
    """A new document's journal, keyword or author counts however it is spelled."""
    kinds = [
        ("pump valve water hose", "Miller, Ann", "Journal of Pumps", "Fluid Flow"),
        ("graph node edge tree", "Stone, Bob", "Graph Letters", "Graph Theory"),
        ("flour oven yeast dough", "Baker, Cy", "Bread Today", "Slow Dough"),
        ("sail mast rope anchor", "Seaman, Di", "Wind and Sea", "Old Ships"),
    ]
    entries = [
        f"@article{{k{i}, title={{{words} {i}}}, "
        f"author={{{who}}}, journal={{{where}}}, keywords={{{term}}}}}"
        for i, (words, who, where, term) in enumerate(kinds * 9)
    ]
    (tmp_path / "refs.bib").write_text("\n".join(entries))
    out = tmp_path / "out"
    sides = ("--by", "words,people,venues,keywords")
    answer = comraf("organize", tmp_path / "refs.bib", "-k", 4, *sides, "-q", "--out", out)
    assert answer.exit_code == 0, answer.output
    (tmp_path / "new.bib").write_text(
        "@article{a, title={zzz}, journal={JOURNAL OF PUMPS}}\n"
        "@article{A, title={zzz}, journal={Journal of Pumps}}\n"
        "@article{b, title={zzz}, keywords={graph-theory}}\n"
        "@article{B, title={zzz}, keywords={Graph Theory}}\n"
        "@article{c, title={zzz}, author={SEAMAN, DI}}\n"
        "@article{C, title={zzz}, author={Seaman, Di}}\n"
        "@article{n, title={zzz}, journal={Pumps}, keywords={Graph}, author={Seaman, Eve}}\n"
    )
    answer = comraf("assign", out, tmp_path / "new.bib", "--out", tmp_path / "placed.csv")
    assert answer.exit_code == 0, answer.output
    placed = {row.pop("item"): row for row in rows(tmp_path / "placed.csv")}
    for item in "abc":
        assert placed[item] == placed[item.upper()]
        assert float(placed[item]["confidence"]) > 0
    assert float(placed["n"]["confidence"]) == 0


def test_a_model_chooses_nothing_to_load_or_write(
    reviews: Path, reviewed: Path, tmp_path: Path
) -> None:
    """Taggers of a folder or package need --tagger; its captions and caches are not used."""
    shutil.copytree(reviewed, tmp_path / "out")
    file = tmp_path / "out" / "model" / "model.json"
    document = json.loads(file.read_text())
    document["about"]["reading"] |= {"cache": str(tmp_path / "cache"), "captions": "/etc/hosts"}
    file.write_text(json.dumps(document))
    assert comraf("assign", tmp_path / "out", reviews, "-q").exit_code == 0
    assert not (tmp_path / "cache").exists()
    document["about"]["sides"]["sides"] = None
    document["about"]["sides"]["pos"]["tagger"] = "spacy:somebodys_package"
    file.write_text(json.dumps(document))
    said = refused("assign", tmp_path / "out", reviews, "-q")
    assert "made with --tagger spacy:somebodys_package; give that again if you trust it" in said


def test_a_folder_is_read_as_organize_reads_it(tmp_path: Path) -> None:
    """Files that organize leaves out by their endings are left out; naming the kind takes them."""
    for name in ("first", "more"):
        (tmp_path / name).mkdir()
        for i in range(12):
            text = ("a ship at sea", "tea in a cup")[i % 2]
            (tmp_path / name / f"{i}.txt").write_text(text, "utf-8")
        (tmp_path / name / "today.log").write_text("a ship at sea", "utf-8")
    counted = {}
    for kind in ((), ("--kind", "text")):
        groups = tmp_path / f"groups{len(kind)}"
        comraf("organize", tmp_path / "first", "-k", 2, *kind, "--out", groups, "-q")
        for again in ((), ("--kind", "text")):
            out = tmp_path / f"{len(kind)}{len(again)}.csv"
            answer = comraf("assign", groups, tmp_path / "more", *again, "--out", out)
            assert answer.exit_code == 0, answer.output
            counted[kind, again] = len(rows(out))
    assert list(counted.values()) == [12, 13, 13, 13]
