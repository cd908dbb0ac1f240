"""An answer that is edited: the session in its folder, splits by the engine, and what is saved."""

from __future__ import annotations

import random
import shutil

import numpy as np
import pytest

import comraf
from comraf.active import Answers
from comraf.collection.sample import sample_tables, write_mbox
from comraf.errors import ConflictError, InputError
from comraf.metrics import micro_accuracy
from comraf.progress import Stop
from comraf.session import Session, StaleError
from comraf.workflows.project import SESSION, Project, open_project


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """What comraf organize writes."""
    folder = tmp_path_factory.mktemp("project")
    box = write_mbox(folder / "box.mbox", 80)
    comraf.organize(box, 5, effort="quick", random_state=0).save(folder / "groups")
    return folder / "groups"


@pytest.fixture
def folder(written, tmp_path):
    """A copy of it."""
    return shutil.copytree(written, tmp_path / "groups")


def test_edits_are_there_when_the_folder_is_opened_again(folder, tmp_path):
    """The answer never changes, its session goes on, and a version is saved as a whole answer."""
    with open_project(folder, who="Ann") as project:
        before = project.answer.labels_.copy()
        step = project.split(1, 3)
        assert len(step.change.added) == 2
        assert step.change.changed == (1,)
        project.session.rename(step.change.added[0], "lunch")
        project.session.merge(0, 2)
    with open_project(folder) as project:
        groups = project.session.groups
        assert np.array_equal(project.answer.labels_, before)
        assert groups.names[step.change.added[0]] == "lunch"
        assert [entry.who for entry in project.session.history()] == ["Ann"] * 4
        edited = project.edited()
        same = np.equal.outer(edited.labels_, edited.labels_)
        assert np.array_equal(same, np.equal.outer(groups.of, groups.of))
        assert edited.names[groups.order.index(step.change.added[0])] == "lunch"
        project.save(tmp_path / "edited")
        assert project.edited(1).labels_.tolist() == before.tolist()
    again = comraf.open_answer(tmp_path / "edited")
    assert again.labels_.tolist() == edited.labels_.tolist()
    assert again.names == edited.names


def test_split_is_that_of_the_tree(folder):
    """A group is divided as `Answer.split` divides it."""
    with open_project(folder) as project:
        wanted = project.answer.split(1, 2).labels_
        project.split(1, 2)
        of = project.session.groups.of
        assert np.array_equal(np.equal.outer(of, of), np.equal.outer(wanted, wanted))
        for parts, said in ((1, "2 or more"), (2.0, "2 or more"), (10_000, "items only")):
            with pytest.raises(InputError, match=said):
                project.split(1, parts)
        with pytest.raises(InputError, match="is not there"):
            project.split(99, 2)


def test_a_session_of_another_answer_is_refused(folder, written, tmp_path):
    """A session file that was copied to another answer is not taken for its own."""
    other = tmp_path / "other.mbox"
    comraf.organize(write_mbox(other, 60), 3, effort="quick").save(tmp_path / "other")
    open_project(folder).close()
    shutil.copy(folder / SESSION, tmp_path / "other" / SESSION)
    with pytest.raises(InputError, match="about other items"):
        open_project(tmp_path / "other")
    fresh = comraf.organize(other, 3, effort="quick")
    with pytest.raises(InputError, match="lies in no folder"):
        Project(fresh)


def test_the_file_can_be_edited_without_the_project(folder):
    """A session opened by itself, with the groups of its run, is the same one."""
    with open_project(folder) as project:
        of = project.session.groups.of
        version = project.session.rename(0, "tea").entry
    with Session(folder / SESSION, {".": of}) as session:
        assert session.version == version
        session.undo()
    with open_project(folder) as project:
        assert project.session.groups.name(0) != "tea"


def truth_of(project) -> list[str]:
    """The topic of each message."""
    tables = sample_tables(80)
    topics = dict(zip(tables.message_ids, tables.truth.tolist(), strict=True))
    return [topics[f"<{item}>"] for item in project.answer.items]


@pytest.fixture(scope="module")
def topics(tmp_path_factory):
    """Texts of three classes that share most of their words, in three groups."""
    folder, choice = tmp_path_factory.mktemp("topics"), random.Random(5)
    words = [[f"{topic}word{n}" for n in range(25)] for topic in ("sea", "tea", "law", "any")]
    lines = []
    for number in range(120):
        mixed = [choice.choice(words[number % 3 if choice.random() < 0.4 else 3]) for _ in "x" * 14]
        mixed += choice.choices(words[choice.randrange(3)], k=3)
        lines.append(f"{number},{' '.join(mixed)}\n")
    (folder / "texts.csv").write_text("key,text\n" + "".join(lines))
    found = comraf.organize(
        folder / "texts.csv", 3, id="key", text="text", effort="quick", random_state=0
    )
    found.save(folder / "groups")
    return folder / "groups"


@pytest.mark.parametrize("by", ["unsure", "explore", "npu"])
def test_twenty_answers_of_somebody_who_knows_make_groups_no_worse(topics, tmp_path, by):
    """Nothing is asked twice or that follows; the search keeps to the answers and the names."""
    folder, heard = shutil.copytree(topics, tmp_path / "groups"), []
    with open_project(folder) as project:
        known = Answers(len(project.answer))
        project.session.rename(2, "of mine")
        truth = [int(item) % 3 for item in project.answer.items]
        before = micro_accuracy(truth, project.session.groups.of)
        for n in range(20):
            assert project.n_answered == n
            one, other = project.question(by, most=20)
            assert project.question(by) == (one, other)
            assert known.follows(one, other) is None
            same = None if n == 3 else truth[one] == truth[other]
            known.tell(one, other, same)
            project.reply(one, other, same)
            assert project.question(by) != (one, other)
        assert project.question(by, most=20) is None
        assert sum(len(pairs) for pairs in project.links().values()) == 19
        step = project.regroup(listener=heard.append)
        assert project.n_answered == 0
        assert heard[-1].done > 0.9
    with open_project(folder) as project:
        assert project.session.version == step.entry
        of = project.session.groups.of
        for what, pairs in project.links().items():
            together = of[pairs[:, 0]] == of[pairs[:, 1]]
            assert (together if what == "must_link" else ~together).all()
        assert micro_accuracy(truth, of) >= before
        assert "of mine" in project.session.groups.names.values()
        assert project.question(by) is not None
        # sides other than documents are those of this search, too
        found = project.result()
        run = project._result_of("runs/1")
        assert np.array_equal(found.labels["words"], run.labels["words"])
        assert project.edited().labels_.tolist() == found.labels["documents"].tolist()
        assert project.split(int(of[0]), 2).change.added


def test_what_clashes_is_refused_and_named(folder):
    """The chain of answers that contradict is named, nothing is written, and a way out works."""
    with open_project(folder) as project:
        ids, session = project.answer.items, project.session
        project.reply(3, 5, True)
        project.reply(5, 9, "same")
        at = session.version
        with pytest.raises(ConflictError) as error:
            project.reply(9, 3, False)
        for text in (f"{ids[3]} = {ids[5]}", f"{ids[5]} = {ids[9]}", "take one of these answers"):
            assert text in str(error.value)
        assert session.version == at
        chain = [(3, 5, "same"), (5, 9, "same"), (3, 9, "different")]
        assert project.clash((9, 3, "different")) == chain
        session.answer(3, 9, "different")  # the session alone takes what it is given
        with pytest.raises(ConflictError):
            project.question()
        with pytest.raises(ConflictError):
            project.regroup()
        assert project.clash() == chain
        project.reply(5, 9, "")
        assert project.clash() == []
        assert project.n_answered == 2
        assert session.said.answers == {(3, 5): "same", (3, 9): "different"}


def test_labels_enter_the_search_and_name_groups(folder):
    """Labelled documents draw others; a group that labels support takes their name."""
    with open_project(folder) as project:
        truth = truth_of(project)
        order = project.to_label()
        groups = project.session.groups
        assert project.to_label() == order
        assert sorted(order) == list(range(len(project.answer)))
        sizes = [groups.size(int(groups.of[item])) for item in order[: len(groups)]]
        assert sizes == sorted(groups.sizes().values(), reverse=True)
        assert len({int(groups.of[item]) for item in order[: len(groups)]}) == len(groups)
        for topic in set(truth):
            some = [i for i, name in enumerate(truth) if name == topic]
            project.session.label(some[: len(some) // 2 + 1], f"about {topic}")
        assert not set(project.to_label()) & project.session.said.labels.keys()
        before = micro_accuracy(truth, project.session.groups.of)
        project.regroup()
        groups = project.session.groups
        assert len(groups) == len(set(truth))  # more classes than groups: there are more groups
        assert micro_accuracy(truth, groups.of) > before + 0.1
        assert sum(name.startswith("about ") for name in groups.names.values()) >= 4


def test_a_search_that_ends_early_changes_nothing(folder):
    """A listener that raises ends it; a session that went on meanwhile refuses what is found."""
    with open_project(folder) as project:
        project.reply(0, 1, True)
        at, groups = project.session.version, project.session.groups.of.copy()

        def tired(event) -> None:
            raise TimeoutError

        with pytest.raises(TimeoutError):
            project.regroup(listener=tired)
        assert project.session.version == at
        assert not (folder / "runs").exists()
        search = project.regrouping()
        found = search.search()
        project.session.merge(0, 1)
        with pytest.raises(StaleError):
            project.take(found, at=search.version)
        project.session.undo()
        assert np.array_equal(project.session.groups.of, groups)


def test_groups_are_found_by_other_sides_weights_and_numbers(folder):
    """Settings hold on for later searches, are in the log, and undo takes them back."""
    with open_project(folder) as project:
        first = project.session.said
        project.regroup(
            4, by=["words", "people"], weights={"people": 2.5}, side_clusters={"words": 7}
        )
        said = project.session.said
        graph, result = project.run_of(said)
        assert [node.name for node in graph.nodes] == ["documents", "words", "people"]
        assert result.n_clusters == {"documents": 4, "words": 7} | {
            "people": result.n_clusters["people"]
        }
        weighed = {edge.b: edge.weight for edge in graph.edges}
        plain = project.regrouping(weights={}).settings.graph(project.answer, result)
        usual = {edge.b: edge.weight for edge in plain.edges}
        assert weighed["people"] / weighed["words"] == pytest.approx(
            2.5 * usual["people"] / usual["words"]
        )
        entry = project.session.log.entry(project.session.version)
        assert entry.said["settings"]["weights"] == {"people": 2.5}
        # what is worth what is asked of the new run's own sides
        assert set(project.result().labels) == {"documents", "words", "people"}
        project.session.merge(*said.groups.order[:2])
        project.regroup()
        assert project.session.said.settings["by"] == ["words", "people"]
        assert project.session.said.settings["side_clusters"] == {"words": 7}
        saved = project.edited()
        assert [node.name for node in saved.graph.nodes] == ["documents", "words", "people"]
        project.session.go(1)
        assert project.session.said.settings == first.settings == {}
        assert len(project.run_of(project.session.said)[0].nodes) == len(project.answer.graph.nodes)
    for wrong, text in (
        ({"by": ["wrods"]}, "by='wrods'"),
        ({"by": []}, "names no side"),
        ({"weights": {"words": 0}}, "the weight of words"),
        ({"weights": {"words": float("nan")}}, "the weight of words"),
        ({"side_clusters": {"words": 10**6}}, "side_clusters of words"),
        ({"effort": "heroic"}, "effort='heroic'"),
        ({"n_clusters": 0}, "n_clusters is 0"),
        ({"n_clusters": 81}, "n_clusters is 81"),
    ):
        with open_project(folder) as project, pytest.raises(InputError, match=text):
            project.regroup(**wrong)


def test_a_search_that_is_stopped_keeps_its_best_and_goes_on_to_the_same_end(folder):
    """A listener that raises Stop ends it; taken up again, it comes out as if never stopped."""
    with open_project(folder) as project:
        whole = project.regrouping(4, effort="default", fresh=True).search()
        search = project.regrouping(4, effort="default", fresh=True).begin(project.unfinished)
        told = []

        def stop(event):
            told.append(event)
            if event.done > 0.5:
                raise Stop

        found = search.search(stop)
        assert found.result.interrupted
        assert found.result.n_clusters["documents"] == 4
        step = project.take(found, search.settings)
        assert project.session.log.entry(step.entry).said["settings"]["stopped"] is True
    with open_project(folder) as project:
        again = project.resumed()
        assert again.version == search.version
        assert again.settings == search.settings
        events = []
        resumed = again.search(events.append)
        assert events[0].done > 0.2
        assert np.array_equal(resumed.labels_, whole.labels_)


def test_the_tree_is_cut_at_any_number_of_groups(folder):
    """Fewer groups are unions of those of now, more are parts; what is kept rises with them."""
    with open_project(folder) as project:
        before = project.session.groups
        told = project.tree(project.session.said).information(12)
        assert np.all(np.diff(told) >= 0)
        project.cut(3)
        coarse = project.session.groups
        assert len(coarse) == 3
        assert len({(a, b) for a, b in zip(before.of, coarse.of, strict=True)}) == len(before)
        kept = project.result().objective / project.answer.result.objective
        assert kept == pytest.approx(told[2] / told[4], abs=1e-6)
        assert set(coarse.order) & set(before.order)
        project.session.undo()
        project.cut(9)
        fine = project.session.groups
        assert len({(a, b) for a, b in zip(before.of, fine.of, strict=True)}) == len(fine) == 9
        project.session.merge(*fine.order[:2])  # and edits go on from there
        project.edited()


def test_groups_of_people_are_edited_like_those_of_documents(folder, tmp_path):
    """Merged, moved, split, named, undone; documents are explained by them; they are saved."""
    with open_project(folder) as project:
        session = project.session
        before = project.side_groups("people")
        assert before.of.tolist() == project.answer.result.labels["people"].tolist()
        sure = project.edited().organizer.placed_.confidence
        first, second, *_ = before.order
        session.merge(first, second, side="people")
        alone = int(before.items(first)[0])
        step = session.move([alone], side="people")
        assert step.change.added == (before.next_id,)
        project.split(first, 2, side="people")
        project.edited()
        session.rename(first, "us", side="people")
        groups = project.side_groups("people")
        assert len(groups) == len(before) + 1
        assert groups.name(first) == "us"
        assert session.groups is session.at(1).groups
        changed = project.edited()
        assert not np.allclose(changed.organizer.placed_.confidence, sure)
        same = np.equal.outer(changed.result.labels["people"], changed.result.labels["people"])
        assert np.array_equal(same, np.equal.outer(groups.of, groups.of))
        project.save(tmp_path / "edited")
        lines = list(project.log_lines())
        for side in ("nobody", "documents"):
            with pytest.raises(InputError, match="side="):
                session.merge(0, 1, side=side)
        for wrong in (
            lambda: session.merge(0, 99, side="people"),
            lambda: project.split(99, side="people"),
        ):
            with pytest.raises(InputError, match="99 is not there"):
                wrong()
        session.go(1)
        assert np.array_equal(project.edited().organizer.placed_.confidence, sure)
        (tmp_path / "log.jsonl").write_text("".join(lines))
        project.import_file(tmp_path / "log.jsonl")
        assert project.side_groups("people").of.tolist() == groups.of.tolist()
        project.regroup()  # a search finds groups of all sides anew
        assert not session.said.sides
    assert "us" in comraf.open_answer(tmp_path / "edited").result.names["people"]


def test_people_are_asked_about_and_their_groups_keep_to_the_answers(folder):
    """What was said of two people is a link of their side; a clash is refused with its chain."""
    with open_project(folder) as project:
        assert project.asked_sides[0] == "documents"
        names = project.answer.values("people")
        before = project.session.said
        asked = []
        for n in range(6):
            pair = project.question(side="people")
            assert pair is not None
            assert tuple(sorted(pair)) not in asked
            asked.append(tuple(sorted(pair)))
            project.reply(*pair, n % 2 == 0, side="people")
        assert project.n_answered == 6
        assert project.session.said.answers == {}
        links = project.links("people")
        assert sum(map(len, links.values())) == 6
        one, other = links["must_link"][0].tolist()
        third = next(i for i in range(len(names)) if i not in {x for pair in asked for x in pair})
        project.reply(other, third, "same", side="people")
        with pytest.raises(ConflictError, match="take one of these answers back"):
            project.reply(one, third, "different", side="people")
        assert len(project.clash((one, third, "different"), side="people")) == 3
        project.regroup()
        labels = project.run_of(project.session.said)[1].labels["people"]
        for what, pairs in project.links("people").items():
            together = labels[pairs[:, 0]] == labels[pairs[:, 1]]
            assert (together if what == "must_link" else ~together).all()
        for wrong in ({"side": "nobody"}, {"side": "organisations"}):
            with pytest.raises(InputError, match="side="):
                project.question(**wrong)
        with pytest.raises(InputError, match="numbered from 0"):
            project.reply(0, len(names), "same", side="people")
        at = project.session.version
    with open_project(folder) as project:
        assert project.session.version == at
        assert len(project.session.said.others["people"]) == 7
        project.session.go(1)
        assert project.session.said.others == before.others == {}
