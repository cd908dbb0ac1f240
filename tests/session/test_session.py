"""What is said of groups: nothing is lost, everything can be taken back, nobody is overruled."""

from __future__ import annotations

import json
import os
import random
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from comraf.errors import InputError, ReadError, WriteError
from comraf.results.groups import Groups
from comraf.session import Session, StaleError
from comraf.session.log import Log
from comraf.session.replay import log_lines, replay

N = 12


def begin(path: Path, of=None, **more) -> Session:
    """A session about twelve items in four groups."""
    of = np.arange(N) % 4 if of is None else of
    more.setdefault("ids", [f"item {i}" for i in range(len(of))])
    return Session.begin(path, of, sides=lambda now, side: np.arange(6) % 3, **more)


def random_edit(session: Session, choice: random.Random):
    """Say something that is possible now."""
    groups = session.groups
    n, ids = len(groups.of), list(groups.order)
    items = choice.sample(range(n), choice.randint(1, 4))
    verbs = [
        lambda: session.move(items, choice.choice([None, *ids])),
        lambda: session.rename(choice.choice(ids), choice.choice(["", "tea", "ships"])),
        lambda: session.pin(items, choice.random() < 0.7),
        lambda: session.doubt(items, choice.random() < 0.7),
        lambda: session.label(items, choice.choice(["", "a", "b"])),
        lambda: session.answer(*choice.sample(range(n), 2), choice.choice(["same", "different"])),
        lambda: session.regroup([choice.randint(0, 3) for _ in range(n)]),
        lambda: session.adopt(
            choice.choice([None, [choice.randint(0, 3) for _ in range(n)]]),
            names={choice.randint(0, 3): choice.choice(["", "law"])},
            labels={"b": items},
            pinned=items[:1],
        ),
    ]
    people = people_in(session)
    circles = list(people.order)
    them = choice.sample(range(6), 2)
    verbs += [
        lambda: session.move(them, choice.choice([None, *circles]), side="people"),
        lambda: session.rename(choice.choice(circles), "band", side="people"),
    ]
    if len(circles) > 1:
        verbs.append(lambda: session.merge(*choice.sample(circles, 2), side="people"))
    if (n_inside := people.size(circles[0])) > 1:
        verbs.append(lambda: session.split(circles[0], np.arange(n_inside) % 2, side="people"))
    if len(ids) > 1:
        verbs.append(lambda: session.merge(*choice.sample(ids, 2), name=choice.choice([None, "x"])))
    if wide := [group for group in ids if groups.size(group) > 1]:
        group = choice.choice(wide)
        parts = [0, 1] + [choice.randint(0, 2) for _ in range(groups.size(group) - 2)]
        verbs.append(lambda: session.split(group, parts))
    return choice.choice(verbs)()


def people_in(session: Session) -> Groups:
    """The groups of another side, edited or not."""
    return session.said.sides.get("people", Groups.start(np.arange(6) % 3))


def facts(session: Session, version=None):
    """Everything that holds, as it can be compared."""
    said = session.said if version is None else session.at(version)
    groups = said.groups
    return (
        groups.of.tolist(), groups.order, dict(groups.names), groups.next_id,
        said.pinned, said.doubted, dict(said.labels), dict(said.answers),
        {side: (one.of.tolist(), dict(one.names)) for side, one in said.sides.items()},
    )  # fmt: skip


@given(seed=st.integers(0, 2**32), n_edits=st.integers(1, 15))
@settings(max_examples=40, deadline=None)
def test_versions_are_the_log_up_to_there(tmp_path_factory, seed, n_edits):
    """Undo and redo lead through the same versions, and so does the file read afresh."""
    path = tmp_path_factory.mktemp("s") / "session.db"
    choice = random.Random(seed)
    with begin(path) as session:
        seen = [facts(session)]
        ever = set(session.groups.order), set(people_in(session).order)
        for _ in range(n_edits):
            both = session.groups, people_in(session)
            step = random_edit(session, choice)
            seen.append(facts(session))
            kind = session.log.entry(step.entry).kind
            which = int(kind.startswith("side "))
            before, now, ids = both[which], (session.groups, people_in(session))[which], ever[which]
            if kind == "run":  # another search has other groups of all sides
                ever[1].clear()
            assert not set(step.change.added) & ids, "an id was used twice"
            ids |= set(step.change.added)
            assert set(now.order) == (set(before.order) - set(step.change.deleted)) | set(
                step.change.added
            )
            moved = np.flatnonzero(before.of != now.of)
            assert step.change.n_moved == len(moved)
            for item in moved:
                assert before.of[item] in step.change.descends[now.of[item]]
            assert sorted(now.sizes().values()) == sorted(
                np.unique(now.of, return_counts=True)[1].tolist()
            )
        for wanted in reversed(seen[:-1]):
            assert session.undo()
            assert facts(session) == wanted
        assert not session.undo()
        for wanted in seen[1:]:
            assert session.redo()
            assert facts(session) == wanted
        assert not session.redo()
    with Session(path) as again:
        assert facts(again) == seen[-1]
        assert [entry.kind for entry in again.history()][-1] == "run"
        assert again.log.check() == "ok"


@given(seed=st.integers(0, 2**32), n_edits=st.integers(0, 15), same=st.booleans())
@settings(max_examples=25, deadline=None)
def test_a_log_that_is_said_again_leads_to_the_same(tmp_path_factory, seed, n_edits, same):
    """From other groups, with the items in another order, the log ends in the groups it had."""
    folder, choice = tmp_path_factory.mktemp("r"), random.Random(seed)
    ids = [f"item {i}" for i in range(N)]
    with begin(folder / "one.db", who="Ann") as one:
        for _ in range(n_edits):
            random_edit(one, choice)
        one.undo()
        lines = list(log_lines(one, ids, lambda side: list("abcdef")))
        wanted, one_history = one.said, list(one.history())
        n = len(one_history)
    place = list(range(N)) if same else choice.sample(range(N), N)
    start = np.arange(N) % 4 if same else [choice.randint(0, 2) for _ in range(N)]
    here = [ids[i] for i in place]
    names = list("abcdef") if same else choice.sample("abcdef", 6)
    with begin(folder / "two.db", start, ids=here) as two:
        if not same:
            random_edit(two, choice)
        before = facts(two), two.version
        step = replay(two, lines, here, lambda side: names)
        found = two.said
        now = {i: int(found.groups.of[k]) for k, i in enumerate(place)}
        alike = {(int(wanted.groups.of[i]), group) for i, group in now.items()}
        assert len(alike) == len(found.groups) == len(wanted.groups)
        for group, ours in alike:
            assert found.groups.names.get(ours) == wanted.groups.names.get(group)
        assert {place[k] for k in found.pinned} == wanted.pinned
        assert {place[k] for k in found.doubted} == wanted.doubted
        assert {place[k]: name for k, name in found.labels.items()} == wanted.labels
        assert {(*sorted((place[a], place[b])), how) for (a, b), how in found.answers.items()} == {
            (a, b, how) for (a, b), how in wanted.answers.items()
        }
        if not any(entry.kind == "run" for entry in one_history[:-1]):
            assert {
                side: {names[v]: (g, groups.names.get(g)) for v, g in enumerate(groups.of.tolist())}
                for side, groups in found.sides.items()
            } == {
                side: {"abcdef"[v]: (g, groups.names.get(g)) for v, g in enumerate(groups.of)}
                for side, groups in wanted.sides.items()
            }
        entries = [entry for entry in two.history() if entry.id > before[1]]
        assert len(entries) == (n - 1 if same else n)
        assert {entry.who for entry in entries} <= {"Ann"}
        assert step.entry == two.version
        two.go(before[1])
        assert facts(two) == before[0]
    with Session(folder / "two.db") as again:
        assert facts(again) == before[0]


def test_logs_of_other_items_newer_ones_and_damaged_ones_change_nothing(tmp_path):
    """Each is refused in a sentence, before anything is written."""
    ids = [f"item {i}" for i in range(N)]
    with begin(tmp_path / "one.db") as one:
        one.rename(0, "tea")
        one.merge(0, 1)
        lines = list(log_lines(one, ids, dict))
    head, root, last = json.loads(lines[0]), json.loads(lines[1]), json.loads(lines[-1])

    def with_said(**said):
        return [*lines[:-1], json.dumps({**last, "said": {**last["said"], **said}})]

    with begin(tmp_path / "two.db") as two:
        for given, error, said in (
            (
                [json.dumps({**head, "items": ["x", *ids[1:]]}), *lines[1:]],
                InputError,
                "lacks: 'x'",
            ),
            ([json.dumps({**head, "items": ["x", "y"]}), *lines[1:]], InputError, "another coll"),
            ([json.dumps({**head, "items": ids[1:]}), *lines[1:]], InputError, "know 'item 0'"),
            ([json.dumps({**head, "format": 2}), *lines[1:]], ReadError, "newer comraf .format 2"),
            ([json.dumps({**head, "head": 9}), *lines[1:]], ReadError, "version 9 is not there"),
            (lines[:1], ReadError, "version 3 is not there"),
            ([json.dumps({**head, "head": None}), *lines[1:]], ReadError, "None is not there"),
            ([json.dumps({**head, "items": [[]]}), *lines[1:]], ReadError, "TypeError"),
            ([*lines, '{"version": []}'], ReadError, "TypeError"),
            ([*lines[:-1], json.dumps({**last, "after": "x"})], ReadError, "TypeError"),
            (lines[1:], ReadError, "no log"),
            ([], ReadError, "damaged"),
            ([*lines[:2], "{", *lines[2:]], ReadError, "line 3: is damaged"),
            ([*lines[:2], lines[3]], ReadError, "version 2 is not there"),
            ([*lines[:-1], json.dumps({**last, "kind": "dance"})], ReadError, "'dance', which"),
            (with_said(groups=[0, 99]), InputError, "version 3: group 99 is not there"),
            (with_said(groups=["0", 1]), InputError, "no whole number"),
            (with_said(name="x" * 300), InputError, "at most 200"),
            (with_said(groups=None), ReadError, "version 3 can't be read"),
            (
                [lines[0], json.dumps({**root, "said": {"names": {}, "of": [5]}}), *lines[2:]],
                ReadError,
                "version 1 can't be read",
            ),
        ):
            with pytest.raises(error, match=said):
                replay(two, given, ids, dict)
            assert two.version == 1
        replay(two, lines, ids, dict)
        assert (two.groups.name(0), len(two.groups)) == ("tea", 3)


def test_groups_know_what_made_them_and_of_which(tmp_path):
    """The last merger, split, move or search that made a group; undo and replay know it, too."""
    with begin(tmp_path / "s.db") as session:
        assert not session.said.origins
        session.merge(0, 3)
        session.split(1, [0, 1, 1])
        session.move([2], to=None)
        assert session.said.origins == {0: ("merge", (0, 3)), 4: ("split", (1,)), 5: ("move", (2,))}
        session.rename(0, "tea")
        session.merge(0, 4)
        assert session.said.origins == {0: ("merge", (0, 4)), 5: ("move", (2,))}
        session.undo()
        assert session.said.origins[0] == ("merge", (0, 3))
        session.regroup(np.arange(N) % 2)
        assert {how for how, _ in session.said.origins.values()} == {"run"}
        wanted = session.said.origins
    with Session(tmp_path / "s.db") as again:
        assert again.said.origins == wanted


def test_what_follows_an_undo_is_a_branch_of_the_log(tmp_path):
    """An edit after an undo leaves what was undone where it can be gone to."""
    with begin(tmp_path / "s.db") as session:
        first = session.rename(0, "tea").entry
        session.undo()
        session.rename(0, "ships")
        assert session.groups.name(0) == "ships"
        assert not session.redo()
        session.go(first)
        assert session.groups.name(0) == "tea"


def test_branches_and_names(tmp_path):
    """Branches go their own ways; names lead back; both are compared."""
    path = tmp_path / "s.db"
    with begin(path) as session:
        session.name_version("start")
        session.branch("bold")
        session.merge(0, 1)
        session.branch("main")
        assert len(session.groups) == 4
        found = session.compare("main", "bold")
        assert found.change.deleted == (1,)
        assert found.flows == ((1, 0, 3),)
        assert found.change.descends == {0: (0, 1)}
    with Session(path, branch="bold") as again:
        assert len(again.groups) == 3
        assert again.versions() == {"start": 1}
        assert set(again.branches()) == {"main", "bold"}
        with pytest.raises(InputError, match="branch='mian'"):
            Session(path, branch="mian")
        for call, said in [
            (lambda: again.branch("main", 1), "already"),
            (lambda: again.name_version("main"), "name of a branch"),
            (lambda: again.name_version("  "), "can be seen"),
            (lambda: again.branch("start"), "name of a version"),
            (lambda: again.go("nowhere"), "nowhere"),
            (lambda: again.go(99), "no version 99"),
        ]:
            with pytest.raises(InputError, match=said):
                call()


def test_another_run_keeps_ids_of_groups_that_live_on(tmp_path):
    """A group that is mostly the same keeps id and name, others are new; pinned items stay."""
    of = np.repeat([0, 1, 2], 4)
    with begin(tmp_path / "s.db", of, names={0: "tea", 2: "ships"}) as session:
        session.pin([0])
        new = np.array([9, 7, 7, 7, 5, 5, 6, 6, 9, 9, 9, 9])
        step = session.regroup(new, names={9: "boats"})
        groups = session.groups
        # 7 is mostly group 0, 9 mostly group 2; 5 and 6 are halves of group 1
        assert groups.of.tolist() == [0, 0, 0, 0, 3, 3, 4, 4, 2, 2, 2, 2]
        assert step.change.added == (3, 4)
        assert step.change.deleted == (1,)
        assert step.change.descends == {3: (1,), 4: (1,)}
        assert groups.names == {0: "tea", 2: "boats"}


def test_what_cannot_be_done_is_refused_before_it_is_written(tmp_path):
    """A wrong edit raises a sentence and leaves no entry."""
    with begin(tmp_path / "s.db") as session:
        before = session.version
        for call, said in [
            (lambda: session.merge(0), "two or more"),
            (lambda: session.merge(0, 17), "group 17 is not there"),
            (lambda: session.split(0, [1, 1, 1]), "same part"),
            (lambda: session.split(0, [1, 2]), "each of the 3"),
            (lambda: session.move([N]), "from 0 to 11"),
            (lambda: session.move([-1]), "from 0 to 11"),
            (lambda: session.move([]), "no list of values"),
            (lambda: session.rename(0, 3), "name"),
            (lambda: session.rename(0, "x" * 201), "at most 200"),
            (lambda: session.pin([N]), "no item 12"),
            (lambda: session.label([-1], "a"), "no item -1"),
            (lambda: session.doubt([True]), "no whole number"),
            (lambda: session.move([1], 1.0), "no whole number"),
            (lambda: session.rename(True, "x"), "no whole number"),
            (lambda: session.answer(1, 1, "same"), "given twice"),
            (lambda: session.answer(1, 2, "alike"), "relation='alike'"),
            (lambda: session.regroup([0, 1]), "2 items are given"),
        ]:
            with pytest.raises(InputError, match=said):
                call()
        assert session.version == before
        session.merge(0, 1)
        session.move(np.array([1]), np.int64(2))  # numbers of NumPy are whole numbers, too
        with pytest.raises(InputError, match="group 1 is gone"):
            session.rename(1, "x")


def test_second_of_two_people_sees_the_conflict(tmp_path):
    """Who looked at an older version is told what happened since, and changes nothing."""
    path = tmp_path / "s.db"
    with begin(path, who="Ann") as ann, Session(path, who="Bob") as bob:
        at = bob.version
        ann.rename(0, "tea", at=at)
        for call in (
            lambda: bob.merge(0, 1, at=at),
            lambda: bob.undo(at=at),
            lambda: bob.go(1, at=at),
        ):
            with pytest.raises(StaleError, match="rename") as caught:
                call()
            assert [entry.who for entry in caught.value.since] == ["Ann"]
            assert caught.value.head == bob.version
        assert len(bob.groups) == 4
        bob.merge(0, 1, at=bob.version)
        assert ann.groups.names == {0: "tea"}
        assert len(ann.groups) == 3


def interrupted(session: Session, statement: str, meanwhile) -> None:
    """Have something happen just before the session's next statement of a kind."""

    def traced(sql: str) -> None:
        if statement in sql:
            session.log._db.set_trace_callback(None)
            meanwhile()

    session.log._db.set_trace_callback(traced)


def test_an_edit_between_look_and_undo_is_not_undone(tmp_path):
    """Undo takes back what was last when it was asked for, or nothing at all."""
    path = tmp_path / "s.db"
    with begin(path) as ann, Session(path, who="Bob") as bob:
        ann.rename(0, "tea")
        for verb in (ann.undo, ann.redo):
            interrupted(ann, "log", lambda: bob.rename(1, "ships"))
            with pytest.raises(StaleError, match="rename"):
                verb()
            assert bob.groups.name(1) == "ships"
            bob.undo()
            ann.undo()


def test_two_who_begin_a_branch_at_once_share_it(tmp_path):
    """The second goes on where the first one is, and takes nothing back."""
    path = tmp_path / "s.db"

    def first() -> None:
        bob.branch("bold")
        bob.rename(0, "tea")

    with begin(path) as ann, Session(path) as bob:
        interrupted(ann, "BEGIN", first)
        ann.branch("bold")
        assert ann.branch_name == "bold"
        assert ann.groups.names == {0: "tea"}


def test_a_long_log_is_read_only_as_far_as_is_needed(tmp_path):
    """An edit, undo and redo are as much work for SQLite after many edits as after few."""
    work = []
    with begin(tmp_path / "s.db") as session:
        for n_edits in (10, 90):
            for number in range(n_edits):
                session.rename(0, f"name {number}")
            steps: list[int] = []
            session.log._db.set_progress_handler(lambda steps=steps: steps.append(1), 1)
            session.rename(0, "one more")
            session.undo()
            session.redo()
            assert session.groups.name(0) == "one more"
            session.log._db.set_progress_handler(None, 1)
            work.append(len(steps))
    assert work[1] < 1.5 * work[0]


def test_no_update_is_lost_between_threads(tmp_path):
    """Of edits said at once from the same version exactly one is taken each time."""
    path = tmp_path / "s.db"
    begin(path).close()
    taken, refused = [], []

    def say(who: str) -> None:
        with Session(path, who=who) as session:
            for number in range(15):
                try:
                    taken.append(session.rename(0, f"{who} {number}", at=session.version).entry)
                except StaleError:
                    refused.append(who)

    threads = [threading.Thread(target=say, args=(who,)) for who in ("Ann", "Bob", "Eve")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(taken) + len(refused) == 45
    with Session(path) as session:
        entries = [entry.id for entry in session.history()]
        assert sorted(entries[:-1]) == sorted(taken)


_CHILD = """
import random, sys
sys.path.insert(0, sys.argv[2])
from test_session import begin, random_edit, facts
from pathlib import Path
session, choice = begin(Path(sys.argv[1])), random.Random(int(sys.argv[3]))
while True:
    step = random_edit(session, choice)
    print(step.entry, facts(session), file=sys.stdout, flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
@pytest.mark.parametrize("seed", range(4))
def test_nothing_said_is_lost_when_the_process_is_killed(tmp_path, seed):
    """After kill -9 amid edits, each one that was acknowledged is there, and the file is whole."""
    path = tmp_path / "s.db"
    for life in range(3):
        child = subprocess.Popen(
            [sys.executable, "-c", _CHILD, path, Path(__file__).parent, str(seed * 10 + life)],
            stdout=subprocess.PIPE,
            text=True,
        )
        said = [child.stdout.readline()]
        time.sleep(random.Random(seed * 10 + life).uniform(0.0, 0.15))
        os.kill(child.pid, signal.SIGKILL)
        said += child.stdout.read().splitlines(keepends=True)
        child.wait()
        whole = [line.rstrip("\n") for line in said if line.endswith("\n")]
        assert whole
        number, _, wanted = whole[-1].partition(" ")
        with Session(path) as session:
            assert session.log.check() == "ok"
            assert str(facts(session, int(number))) == wanted
            # nothing but the one that was not acknowledged any more may have come after it
            assert session.version - int(number) <= 1


def test_full_disk_loses_nothing(tmp_path):
    """What does not fit is refused with a sentence; what was said before is there."""
    path = tmp_path / "s.db"
    code = (
        "import resource, sys; sys.path.insert(0, sys.argv[2])\n"
        "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "from test_session import begin\nfrom comraf.errors import WriteError\n"
        "from pathlib import Path\n"
        "session = begin(Path(sys.argv[1]))\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, 150_000))\n"
        "for number in range(5000):\n"
        "    try:\n        session.rename(0, f'name {number} ' + 'x' * 150)\n"
        "    except WriteError as error:\n"
        "        print(number, session.groups.name(0)[:10], error); break\n"
    )
    assert resource.RLIMIT_FSIZE
    done = subprocess.run(
        [sys.executable, "-c", code, path, Path(__file__).parent],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    number, said = done.stdout.split(" ", 1)
    assert "What was said before is there" in said or "can't be" in said
    with Session(path) as session:
        assert session.groups.name(0).startswith(f"name {int(number) - 1} ")
        session.rename(0, "there is room again")
        assert session.log.check() == "ok"


def test_files_that_are_not_ours_are_left_alone(tmp_path):
    """Damaged, newer and foreign files are named with a way out, and not changed."""
    good = tmp_path / "good.db"
    with begin(good) as session:
        for number in range(200):
            session.rename(0, f"name {number}")
    assert not good.with_name("good.db-wal").exists()
    damaged = tmp_path / "damaged.db"
    raw = bytearray(good.read_bytes())
    raw[4096 : 4096 * 3] = b"\x5a" * (4096 * 2)
    damaged.write_bytes(raw)
    newer = tmp_path / "newer.db"
    shutil.copy(good, newer)
    with sqlite3.connect(newer) as db:
        db.execute("PRAGMA user_version = 99")
    foreign = tmp_path / "foreign.db"
    with sqlite3.connect(foreign) as db:
        db.execute("CREATE TABLE mine (x)")
    text = tmp_path / "text.db"
    text.write_text("no database at all, but long enough to be taken for one" * 50)
    for path, said in (
        (damaged, "is damaged"),
        (newer, "newer comraf"),
        (foreign, "something else"),
        (text, "is damaged"),
    ):
        before = path.read_bytes()
        with pytest.raises(ReadError, match=said):
            begin(path)
        assert path.read_bytes() == before
    with pytest.raises(WriteError, match="can't be opened"):
        begin(tmp_path / "no such folder" / "s.db")
    with pytest.raises(InputError, match="nothing was said there yet"):
        Session(tmp_path / "new.db")
    assert not (tmp_path / "new.db").exists()


def test_nothing_can_be_changed_or_removed_in_the_file(tmp_path):
    """The database itself refuses to change or remove what was said."""
    path = tmp_path / "s.db"
    begin(path).close()
    with sqlite3.connect(path) as db:
        for statement in ("UPDATE log SET said = ''", "DELETE FROM marks", "DELETE FROM runs"):
            with pytest.raises(sqlite3.IntegrityError, match="nothing is changed or removed"):
                db.execute(statement)


def test_runs_and_collections_that_moved_or_changed(tmp_path):
    """A session knows its items and its run again, and says which of them is another."""
    path = tmp_path / "s.db"
    of = np.arange(N) % 3
    begin(path, of, place="runs/1").close()
    with pytest.raises(InputError, match="about other items"):
        Session.begin(path, of, ids=[str(i) for i in range(N)])
    with Session(path) as session, pytest.raises(ReadError, match="'runs/1' is not given"):
        session.groups  # noqa: B018
    with (
        Session(path, {"runs/1": of[::-1]}) as session,
        pytest.raises(ReadError, match="not those that this session"),
    ):
        session.groups  # noqa: B018
    with Session(path, lambda place: {"runs/1": of}[place]) as session:
        assert session.groups.of.tolist() == of.tolist()


def test_somebody_who_keeps_the_file_is_waited_for_and_then_named(tmp_path, monkeypatch):
    """A writer that never ends is an error with a way out, not an endless wait."""
    monkeypatch.setattr("comraf.session.log._SECONDS_TO_WAIT", 0.2)
    path = tmp_path / "s.db"
    with begin(path) as session, sqlite3.connect(path, isolation_level=None) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(WriteError, match="another program"):
            session.rename(0, "tea")
        other.execute("ROLLBACK")
        session.rename(0, "tea")


def test_a_log_of_thousands_of_entries_opens_quickly(tmp_path):
    """Replaying 3,000 edits of 20,000 items takes seconds, and each edit milliseconds."""
    path = tmp_path / "s.db"
    of = np.arange(20_000) % 50
    with Session.begin(path, of, ids=[str(i) for i in range(len(of))]) as session:
        start = time.process_time()
        for number in range(300):
            session.move([number], number % 50)
        each = (time.process_time() - start) / 300
    start = time.process_time()
    with Session(path) as session:
        assert session.groups.of[299] == 299 % 50
    assert each < 0.05
    assert time.process_time() - start < 5.0


def test_the_log_tells_who_and_when(tmp_path):
    """Entries name the person and the moment, the latest first."""
    with begin(tmp_path / "s.db", who="Ann") as session:
        session.rename(0, "tea")
        last, first = session.history()
        assert (last.kind, last.who, last.said["name"]) == ("rename", "Ann", "tea")
        assert first.at <= last.at
        assert session.change(last.id).changed == (0,)
        with Log(session.log.path) as log:
            assert [entry.id for entry in log.entries()] == [first.id, last.id]
