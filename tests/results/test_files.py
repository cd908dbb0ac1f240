"""Result folders: there and whole, or not there."""

from __future__ import annotations

import csv
import errno
import io
import json
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comraf.errors import WriteError
from comraf.results.files import (
    check_folder,
    csv_lines,
    csv_names,
    recover,
    safe_cell,
    write_folder,
)
from comraf.store import claimed
from tests.killing import killed_at

ROOT = getattr(os, "geteuid", lambda: 1)() == 0


def result(*names: str, text: str = "new") -> dict[str, str]:
    """Files of a result that lists them."""
    listed = ["result.json", *names]
    answer = {"format": "comraf-result", "files": listed, "text": text}
    return {"result.json": json.dumps(answer)} | dict.fromkeys(names, text)


def content(folder: Path) -> dict[str, str]:
    """Every file of a folder, hidden ones too."""
    files = [path for path in folder.iterdir() if path.is_file() and path.suffix != ".probe"]
    return {path.name: path.read_text() for path in files}


def broken() -> Iterator[str]:
    """A text in pieces, the second of which can't be written."""
    yield "half"
    raise OSError(errno.ENOSPC, "No space left on device")


def test_new_folder(tmp_path: Path) -> None:
    """A folder that is not there yet, with folders above it that aren't either."""
    made = write_folder(tmp_path / "a" / "b" / "out", result("rows.csv"))
    assert content(made) == result("rows.csv")
    assert [path.name for path in (tmp_path / "a" / "b").iterdir()] == ["out"]


@pytest.mark.parametrize("name", ["m" * 250, "\N{CAT FACE}" * 60])
def test_long_names(name: str, tmp_path: Path) -> None:
    """Hidden names are shorter than the longest that the system allows."""
    for _ in range(2):
        write_folder(tmp_path / name, result("rows.csv"), force=True)
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_text_in_pieces(tmp_path: Path) -> None:
    """Long texts come in pieces; letters and line ends stay as they are."""
    files = result("rows.csv") | {"rows.csv": iter(["é,", "日本\r\n", "x\n"])}
    write_folder(tmp_path / "out", files)
    assert (tmp_path / "out" / "rows.csv").read_bytes() == "é,日本\r\nx\n".encode()


def test_empty_folder_is_fine(tmp_path: Path) -> None:
    """An empty folder is used, and keeps its permissions."""
    out = tmp_path / "out"
    out.mkdir()
    out.chmod(0o750)
    check_folder(out)
    write_folder(out, result("rows.csv"))
    assert content(out) == result("rows.csv")
    assert os.name == "nt" or stat.S_IMODE(out.stat().st_mode) == 0o750


def test_full_folder_needs_force(tmp_path: Path) -> None:
    """A folder that holds something is left alone without force."""
    (tmp_path / "mine.txt").write_text("mine")
    for attempt in (check_folder, lambda path: write_folder(path, result())):
        with pytest.raises(WriteError, match=r"not empty.*force=True"):
            attempt(tmp_path)
    assert content(tmp_path) == {"mine.txt": "mine"}


def test_force_replaces_an_older_result(tmp_path: Path) -> None:
    """An older result is replaced as a whole, files that the new one lacks included."""
    out = tmp_path / "out"
    write_folder(out, result("rows.csv", "people.csv", text="old"))
    write_folder(out, result("rows.csv"), force=True)
    assert content(out) == result("rows.csv")
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_force_keeps_the_files_of_others(tmp_path: Path) -> None:
    """Files and folders that comraf did not write stay."""
    out = tmp_path / "out"
    write_folder(out, result("rows.csv", "people.csv", text="old"))
    (out / "thesis.txt").write_text("years of work")
    (out / "photos").mkdir()
    write_folder(out, result("rows.csv"), force=True)
    assert content(out) == result("rows.csv") | {"thesis.txt": "years of work"}
    assert (out / "photos").is_dir()


def test_force_does_not_trust_an_older_list(tmp_path: Path) -> None:
    """A result.json that lists files outside its folder can't have them removed."""
    out = tmp_path / "out"
    out.mkdir()
    (tmp_path / "precious").write_text("kept")
    listed = ["../precious", str(tmp_path / "precious"), "..", ".", "", 5, None, "result.json"]
    answer = {"format": "comraf-result", "files": listed}
    (out / "result.json").write_text(json.dumps(answer))
    write_folder(out, result(), force=True)
    assert (tmp_path / "precious").read_text() == "kept"
    assert content(out) == result()


@pytest.mark.parametrize("text", ["", "{", "[]", '{"files": 3}', "[" * 100_000, "\xff"])
def test_force_over_a_damaged_result(text: str, tmp_path: Path) -> None:
    """A result.json that can't be read may be anybody's: it is kept under another name."""
    (tmp_path / "result.json").write_text(text, encoding="latin-1")
    with pytest.warns(UserWarning, match="was not comraf's; it is kept as result.json.before"):
        write_folder(tmp_path, result("rows.csv"), force=True)
    kept = tmp_path / "result.json.before-comraf"
    assert kept.read_text(encoding="latin-1") == text
    kept.unlink()
    assert content(tmp_path) == result("rows.csv")


@pytest.mark.filterwarnings("ignore:.*was not comraf's")
@pytest.mark.parametrize("program", [{}, {"format": "pytest-result"}, {"format": "comraf-result"}])
def test_force_removes_only_what_comraf_writes(program: dict[str, str], tmp_path: Path) -> None:
    """Not what another program's result.json lists, and of comraf's not what it never writes."""
    out = tmp_path / "out"
    (out / "model").mkdir(parents=True)
    (out / "data").mkdir()
    words = {name: name for name in ("thesis.tex", "model/notes.txt", "data/1.json", "b.csv")}
    for name, text in words.items():
        (out / name).write_text(text)
    (out / "old.csv").write_text("old")
    listed = {"files": ["thesis.tex", "old.csv", "result.json"], "folders": ["model", "data", ".."]}
    (out / "result.json").write_text(json.dumps(program | listed))
    answer = result("a.csv", "b.csv")
    answer["result.json"] = answer["result.json"].replace(
        '"files"', '"folders": ["model"], "files"'
    )
    write_folder(out, answer, folders={"model": Path.mkdir}, force=True)
    assert list((out / "model").iterdir()) == []
    assert content(out).items() >= answer.items()
    there = {path.read_text() for path in out.rglob("*") if path.is_file()}
    assert set(words.values()) <= there
    # of what bears a name of comraf's, only what comraf lists
    assert (out / "old.csv").exists() == (program != {"format": "comraf-result"})
    # what it wrote itself it replaces
    (out / "model" / "model.json").touch()
    write_folder(out, answer, folders={"model": Path.mkdir}, force=True)
    assert list((out / "model").iterdir()) == []


@pytest.mark.filterwarnings("ignore:.*was not comraf's")
def test_a_plan_from_anybody_removes_nothing_of_others(tmp_path: Path) -> None:
    """What a killed writer left may have been made by somebody else."""
    ready = tmp_path / ".comraf.0123456789abcdef.ready"
    ready.mkdir()
    for name, text in result("thesis.tex").items():
        (ready / name).write_text(text)
    claims = ["thesis.tex", "notes", "../x", 5]
    (ready / "plan.json").write_text(json.dumps({"own": claims, "stale": claims}))
    (tmp_path / "thesis.tex").write_text("mine")
    (tmp_path / "notes").mkdir()
    recover(tmp_path)
    assert (tmp_path / "thesis.tex.before-comraf").read_text() == "mine"
    assert (tmp_path / "notes").is_dir()
    assert (tmp_path / "thesis.tex").read_text() == "new"


def test_what_is_saved_meanwhile_stays(tmp_path: Path) -> None:
    """A folder that was empty when it was claimed: a file that came later is kept, and told of."""
    out = tmp_path / "out"
    out.mkdir()
    with claimed(out):
        check_folder(out)

        def while_writing() -> Iterator[str]:
            (out / "rows.csv").write_text("mine")
            (out / "thesis.txt").write_text("years of work")
            yield "new"

        with pytest.warns(UserWarning, match=r"rows\.csv was not comraf's"):
            write_folder(out, result("rows.csv") | {"rows.csv": while_writing()})
    mine = {"rows.csv.before-comraf": "mine", "thesis.txt": "years of work"}
    assert content(out) == result("rows.csv") | mine
    with pytest.raises(WriteError, match="not empty"):
        write_folder(out, result("rows.csv"))


def write_newer(out: Path) -> None:
    """The newer answer in place of what is there."""
    files = result("rows.csv", "new.csv")
    write_folder(out, files, folders={"model": lambda path: path.mkdir()}, force=True)


@pytest.mark.skipif(os.name != "posix", reason="needs locks that go with the process")
@pytest.mark.parametrize("before", ["nothing", "empty", "older", "mixed"])
def test_killed_anywhere_an_answer_is_there(before: str, tmp_path: Path) -> None:
    """Between any two changes of the disk: the older answer or the new one, whole; never none."""
    steps = 0
    for at in range(1, 100):
        steps, out = at, tmp_path / str(at) / "out"
        out.parent.mkdir()
        old = result("rows.csv", "old.csv", text="old")
        if before != "nothing":
            out.mkdir()
        if before in ("older", "mixed"):
            write_folder(out, old)
        if before == "mixed":
            (out / "thesis.txt").write_text("years of work")
        changes = ("rename", "replace", "unlink", "rmdir", "mkdir")
        killed = killed_at(at, partial(write_newer, out), changes)
        recover(out)
        found = content(out) if out.is_dir() else {}
        if before == "mixed":
            assert found.pop("thesis.txt") == "years of work"
        allowed = [result("rows.csv", "new.csv"), old if before in ("older", "mixed") else {}]
        assert found in allowed, (at, found)
        write_folder(out, result("last.csv"), force=True)
        assert content(out).items() >= result("last.csv").items()
        left = [p.name for p in out.rglob(".comraf*") if p.suffix not in (".partial", ".probe")]
        assert left == []
        if not killed:
            break
    assert steps > (8 if before in ("older", "mixed") else 2)


def test_an_answer_that_an_earlier_version_hid_comes_back(tmp_path: Path) -> None:
    """Killed between two renames, it had the older answer under a hidden name for ever."""
    write_folder(tmp_path / ".out.0123456789abcdef.older", result("rows.csv", text="old"))
    recover(tmp_path / "out")
    assert content(tmp_path / "out") == result("rows.csv", text="old")


@pytest.mark.skipif(os.name != "posix", reason="needs locks")
def test_two_at_a_time_are_refused(tmp_path: Path) -> None:
    """Another process that writes to the same place is told so, and the first one's is there."""
    second = "import sys; from comraf.results.files import write_folder as w; "
    second += "w(sys.argv[1], {'result.json': '{}'}, force=True)"

    def meanwhile() -> Iterator[str]:
        done = subprocess.run(
            [sys.executable, "-c", second, str(tmp_path / "out")], capture_output=True, text=True
        )
        assert "another run of comraf is writing to it" in done.stderr
        yield "first"

    write_folder(tmp_path / "out", result("rows.csv") | {"rows.csv": meanwhile()})
    assert content(tmp_path / "out")["rows.csv"] == "first"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.skipif(os.name != "posix", reason="needs locks")
def test_another_thread_is_refused_too(tmp_path: Path) -> None:
    """Who holds a place is one thread, not all of its process."""

    def second() -> bool:
        with claimed(tmp_path / "out") as before:
            return before

    with claimed(tmp_path / "out"), ThreadPoolExecutor(1) as pool:
        assert second() is True
        with pytest.raises(WriteError, match="another run of comraf"):
            pool.submit(second).result()


@pytest.mark.skipif(os.name != "posix", reason="needs locks")
def test_a_lock_that_goes_in_the_moment_it_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its holder has just left and removed it: another one is made, which others can see."""
    import fcntl

    real, left = fcntl.flock, []

    def flock(handle: int, how: int) -> None:
        if not left:
            left.append([path.unlink() for path in tmp_path.iterdir()])
        real(handle, how)

    monkeypatch.setattr(fcntl, "flock", flock)
    with claimed(tmp_path / "out"):
        assert len(os.listdir(tmp_path)) == 1


@pytest.mark.parametrize("before", ["nothing", "empty", "older", "mixed", "deep"])
def test_failure_changes_nothing(before: str, tmp_path: Path) -> None:
    """A disk that fills up while writing leaves everything as it was."""
    out = tmp_path / "deep" / "er" / "out" if before == "deep" else tmp_path / "out"
    if before in ("empty", "older", "mixed"):
        out.mkdir()
    if before in ("older", "mixed"):
        write_folder(out, result("rows.csv", text="old"))
    if before == "mixed":
        (out / "mine.txt").write_text("mine")
    was = sorted(tmp_path.rglob("*"))
    texts = content(out) if out.exists() else {}
    with pytest.raises(WriteError, match=r"can't be written: No space left"):
        write_folder(out, result("rows.csv") | {"rows.csv": broken()}, force=True)
    assert sorted(tmp_path.rglob("*")) == was
    assert (content(out) if out.exists() else {}) == texts


def test_interrupt_changes_nothing(tmp_path: Path) -> None:
    """So does Ctrl-C."""

    def stopped() -> Iterator[str]:
        yield "half"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_folder(tmp_path / "a" / "out", result() | {"rows.csv": stopped()})
    assert not list(tmp_path.iterdir())


def test_working_folder_is_filled_in_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder one stands in is not pulled away from under one's feet."""
    monkeypatch.chdir(tmp_path)
    inode = tmp_path.stat().st_ino
    check_folder(".")
    write_folder(".", result("rows.csv"))
    assert tmp_path.stat().st_ino == inode
    assert content(Path.cwd()) == result("rows.csv")


@pytest.mark.skipif(os.name == "nt", reason="links need rights on Windows")
def test_links_are_followed(tmp_path: Path) -> None:
    """A link to a folder stays a link."""
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    write_folder(tmp_path / "link", result())
    assert (tmp_path / "link").is_symlink()
    assert content(tmp_path / "real") == result()


def test_file_in_place_of_a_folder(tmp_path: Path) -> None:
    """A file can't be the folder, nor the folder above it."""
    (tmp_path / "file").write_text("x")
    with pytest.raises(WriteError, match="is a file"):
        check_folder(tmp_path / "file", force=True)
    with pytest.raises(WriteError, match="not a folder"):
        check_folder(tmp_path / "file" / "out")
    with pytest.raises(WriteError, match="not the name of a folder"):
        check_folder("a\0b")


@pytest.mark.skipif(ROOT or os.name == "nt", reason="permissions don't bind here")
def test_read_only_place(tmp_path: Path) -> None:
    """A place without the right to write is found out before the work."""
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(WriteError, match="Permission denied"):
            check_folder(tmp_path / "out")
    finally:
        tmp_path.chmod(0o700)


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="no /proc here")
def test_place_that_takes_no_files() -> None:
    """Even where rights don't bind, a place that takes no files is found out."""
    with pytest.raises(WriteError, match="can't be written"):
        check_folder("/proc/out")


def test_disk_with_too_little_room(tmp_path: Path) -> None:
    """The room is compared with what will be needed."""
    with pytest.raises(WriteError, match="bytes are needed, but the disk has"):
        check_folder(tmp_path / "out", needed=10**18)
    assert not list(tmp_path.iterdir())


def test_check_leaves_nothing_behind(tmp_path: Path) -> None:
    """Looking whether a folder can be written does not make it."""
    check_folder(tmp_path / "a" / "out")
    assert not list(tmp_path.iterdir())


def test_result_file_is_needed(tmp_path: Path) -> None:
    """Without result.json nobody could tell a whole folder."""
    with pytest.raises(ValueError, match=r"result\.json"):
        write_folder(tmp_path / "out", {"rows.csv": ""})


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        *((text, f"'{text}") for text in ["=1+1", "+1", "-1", "@SUM(A1)", " =1"]),
        *((text, f"'{text}") for text in ["\u00a0=1", "＝1", "＠x"]),
        *((text, text) for text in ["", "sea", "1+1", "a=b", "<1@example.org>", "'=1", "é"]),
        ("\t=1", "'\t'=1"),
        ("\r=1", "'\n'=1"),  # a lone carriage return is not quoted
        ("a\r\nb\rc", "a\nb\nc"),
        ("a;=1+1", "a;'=1+1"),
        ("a\t @SUM(A1);-2", "a\t '@SUM(A1);'-2"),
        ("a\n=1", "a\n'=1"),
        ("=a|+1", "'=a|'+1"),
        ('a;"=1+1', "a;\"'=1+1"),
        ("a; b = c; d-e", "a; b = c; d-e"),
    ],
)
def test_formulas_are_made_harmless(text: str, safe: str) -> None:
    """What a spreadsheet would run gets an apostrophe, wherever a cell begins; all else stays."""
    assert safe_cell(text) == safe


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])), max_size=20))
def test_csv_round_trip(names: list[str]) -> None:
    """A CSV reader gets the names back, but for the apostrophes."""
    text = "".join(csv_lines([("word", "cluster"), *((n, i) for i, n in enumerate(names))]))
    rows = list(csv.reader(io.StringIO(text, newline="")))
    assert rows[0] == ["word", "cluster"]
    assert rows[1:] == [[safe_cell(name), str(i)] for i, name in enumerate(names)]


def test_long_csv_files_come_in_pieces() -> None:
    """Nothing large is ever whole in memory, and numbers are not taken for formulas."""
    pieces = list(csv_lines((i, -1) for i in range(25_000)))
    assert len(pieces) > 1
    lines = "".join(pieces).splitlines()
    assert lines[0] == "0,-1"
    assert lines[-1] == "24999,-1"


@given(st.lists(st.text(min_size=1), unique=True, max_size=10))
def test_file_names(sides: list[str]) -> None:
    """Any names of sides give different, legal file names on every system."""
    names = list(csv_names(sides).values())
    assert len({name.lower() for name in names}) == len(sides)
    for name in names:
        assert Path(name).name == name
        assert name.endswith(".csv")
        assert not set(name) & set('<>:"/\\|?*\0')
        assert len(name) < 80


@pytest.mark.parametrize("side", ["con", "NUL", "com1", "..", ".", "/etc/passwd", "-", "Skipped"])
def test_reserved_names(side: str) -> None:
    """Names that mean something else, to a system or in the folder, are changed."""
    (name,) = csv_names([side]).values()
    taken = {"con", "nul", "com1", "", ".", "..", "clusters", "skipped"}
    assert name.removesuffix(".csv").lower() not in taken
    assert "/" not in name


def test_a_link_to_itself_is_refused_before_the_work(tmp_path: Path) -> None:
    """It leads nowhere, so nothing can be written there."""
    (tmp_path / "out").symlink_to("out")
    with pytest.raises(WriteError, match="leads to itself"):
        check_folder(tmp_path / "out")


def test_a_link_in_the_place_of_a_lock_makes_no_file_elsewhere(tmp_path: Path) -> None:
    """Whoever knows where an answer will go could have an empty file made anywhere."""
    with claimed(tmp_path / "out"):
        [lock] = tmp_path.glob(".comraf-*.lock")
    lock.symlink_to(tmp_path / "elsewhere")
    with claimed(tmp_path / "out"):
        assert not (tmp_path / "elsewhere").exists()
