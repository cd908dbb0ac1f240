"""What is said of values: it stands whatever is found, and survives in the log."""

from __future__ import annotations

import gc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comraf.errors import InputError, ReadError
from comraf.session import StaleError
from comraf.session.criterion import Criterion, CriterionLog
from comraf.session.log import Log

VALUES = [("words", name) for name in "abcdef"]
GROUPS = st.integers(0, 2)
SOME = st.lists(st.sampled_from(VALUES), min_size=1, max_size=3)
SAID = st.one_of(
    st.tuples(st.just("put"), SOME, GROUPS),
    st.tuples(st.just("delete"), SOME),
    st.tuples(st.just("rename"), GROUPS, st.sampled_from(["liked", ""])),
    st.tuples(st.just("found"), st.dictionaries(st.sampled_from(VALUES), GROUPS)),
    st.tuples(st.sampled_from(["undo", "redo"])),
)


def facts(told: Criterion):
    """Everything that holds, as it can be compared."""
    return dict(told.group_of), told.said, told.deleted, dict(told.names)


@given(st.lists(SAID, max_size=12))
def test_what_a_person_said_stands(tmp_path_factory, said):
    """Against a plain book of the last word on each value; undo and redo walk along."""
    path = tmp_path_factory.mktemp("log") / "criterion.db"
    last: list[dict] = [{}]  # of each value: the group it was put into, or None where deleted
    undone: list[dict] = []
    with CriterionLog(path, "items", 3) as log:
        for verb, *about in said:
            if verb in ("undo", "redo"):
                gone = verb == "undo"
                assert getattr(log, verb)() is bool(last[1:] if gone else undone)
                if gone and last[1:]:
                    undone.append(last.pop())
                elif not gone and undone:
                    last.append(undone.pop())
            else:
                getattr(log, verb)(*about)
                book = dict(last[-1])
                if verb in ("put", "delete"):
                    book |= dict.fromkeys(about[0], about[1] if verb == "put" else None)
                last.append(book)
                undone = []
            now = log.now
            for value, group in last[-1].items():
                assert now.group_of.get(value) == group
            assert now.said == {value for value, group in last[-1].items() if group is not None}
            if verb == "found":
                new = {v: g for v, g in about[0].items() if v not in last[-1]}
                assert new.items() <= now.group_of.items()
        whole = facts(log.now)
    with CriterionLog(path, "items") as again:
        assert facts(again.now) == whole


def test_only_what_is_new_is_written_down(tmp_path):
    """A step that finds a thousand values again adds none of them to the log."""
    with CriterionLog(tmp_path / "criterion.db", "items", 2) as log:
        log.put([VALUES[0]], 0)
        log.found({VALUES[0]: 1, VALUES[1]: 1})
        log.found({VALUES[1]: 1, VALUES[2]: 0})
        assert log.log.entry(log.version).said == {"values": [[*VALUES[2], 0]]}
        assert log.before is not None
        assert VALUES[2] not in log.before.group_of
        log.rename(1, "b")
        assert log.before is None


def test_old_versions_are_not_kept_in_memory(tmp_path):
    """A long log takes no more memory than a short one, and undo still reaches its beginning."""
    with CriterionLog(tmp_path / "criterion.db", "abc", 2) as log:
        for number in range(150):
            log.put([("words", f"w{number}")], 0)
        assert sum(type(one) is Criterion for one in gc.get_objects()) < 100
        assert len(log.at(3).group_of) == 2


def test_what_is_refused(tmp_path):
    """Other documents, another number of groups, a log of something else, a group too many."""
    path = tmp_path / "criterion.db"
    with pytest.raises(InputError, match="how many groups"):
        CriterionLog(path, "items")
    with CriterionLog(path, "items", 2) as log:
        with pytest.raises(InputError, match="no group 2; groups are numbered from 0 to 1"):
            log.put(VALUES, 2)
        with pytest.raises(InputError, match="no values"):
            log.delete([])
        assert log.now.group_of == {}
    with pytest.raises(InputError, match="about other documents"):
        CriterionLog(path, "others", 2)
    with pytest.raises(InputError, match=r"n_clusters=3, but .* was begun with 2"):
        CriterionLog(path, "items", 3)
    with Log(tmp_path / "session.db") as other:
        other.append("run", {"names": {}}, None, branch="main")
    with pytest.raises(ReadError, match="session of another kind"):
        CriterionLog(tmp_path / "session.db", "items", 2)


def test_nobody_is_overruled(tmp_path, monkeypatch):
    """Who looked at an older version is refused, and what the other said stands."""
    path = tmp_path / "criterion.db"
    with CriterionLog(path, "items", 2) as one, CriterionLog(path, "items") as other:
        head = one.version
        other.put([VALUES[0]], 0)
        monkeypatch.setattr(CriterionLog, "version", property(lambda _: head))
        with pytest.raises(StaleError):
            one.put([VALUES[0]], 1)
        monkeypatch.undo()
        assert one.now.group_of == {VALUES[0]: 0}
