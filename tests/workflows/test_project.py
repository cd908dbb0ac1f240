"""An answer that is edited: the session in its folder, splits by the engine, and what is saved."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

import comraf
from comraf.collection.sample import write_mbox
from comraf.errors import InputError
from comraf.session import Session
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
