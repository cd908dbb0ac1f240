"""Messages of the library in the words of the command line."""

from __future__ import annotations

import pytest
import typer.main

from comraf.cli import app
from comraf.cli.wording import OPTIONS, counted, in_options, names_in, note_in_options
from comraf.collection.detect import open_reader
from comraf.collection.kinds import KINDS
from comraf.errors import ComrafError
from comraf.graph import Edge, Graph, Node
from tests.cli.talking import PYTHON


def test_every_option_named_exists() -> None:
    """No message may name an option that nobody can type."""
    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    known = {name for command in commands.values() for p in command.params for name in p.opts}
    assert set(OPTIONS.values()) <= known


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("n_jobs=0 is not allowed", "--jobs 0 is not allowed"),
        ("use n_jobs=1", "use --jobs 1"),
        ("truth='x' is not known; it can be None or 'folders'.", "--truth x is not known"),
        ("say which it is: format='csv' (--format csv)", "say which it is: --format csv"),
        ('With truth="folders" none is left. Read without truth, or', "Read without --truth, or"),
        (
            "n_clusters=9 for node 'documents', but only 3 of its 5 values have any counts; ask "
            "for 3 clusters or fewer",
            "-k 9 is too many: only 3 of the 5 documents have any counts; ask for 3 or fewer",
        ),
        ("can't read a/arrays.safetensors: HeaderTooLarge", "a/arrays.safetensors is damaged"),
    ],
)
def test_keywords_become_options(message: str, said: str) -> None:
    """The keyword goes, the option comes, the rest of the sentence stays."""
    assert said in in_options(message)


@pytest.mark.parametrize(
    "message",
    [
        "'/data/kind=mail/x.csv' can't be read",
        "/data/text=1/x: is a file",
        "There is no column 'kind=mail' for text.",
        "x.csv: the count of row 'a', column 'b' is '-1'",
        "nothing to say",
        "",
    ],
)
def test_names_of_files_and_columns_stay(message: str) -> None:
    """What the user wrote is told as it was written."""
    assert in_options(message) == message


def test_real_errors_speak_no_python(tmp_path: object) -> None:
    """Errors as the library raises them today; a new wording there must be looked at here."""
    table = [[1, 0], [0, 1]]
    nodes = [Node("rows", n_clusters=5), Node("columns", direction="top-down")]
    said = []
    for act in (
        lambda: Graph(nodes, [Edge("rows", "columns", table)]).check(),
        lambda: open_reader(str(tmp_path), kind="poem"),
        lambda: open_reader(__file__, kind="mbox"),
        lambda: open_reader(__file__, kind="text", people="x"),
    ):
        with pytest.raises(ComrafError) as caught:
            act().scan()  # type: ignore[union-attr]
        said.append(in_options(str(caught.value)))
    assert said[0] == "-k 5 is more than the 2 rows; ask for 2 or fewer"
    assert f"it can be {', '.join(kind for kind in sorted(KINDS) if kind != 'frame')}." in said[1]
    assert said[3].startswith("--people can't be given for what is read as text")
    assert not [sentence for sentence in said if PYTHON.search(sentence)]


def test_notes_about_columns_can_be_typed() -> None:
    """Columns of one role are put together, and quoted where a shell needs it."""
    note = "columns chosen by looking at them: text='the text', lists='tags', lists=\"it's\""
    assert note_in_options(note) == (
        "columns chosen by looking at them: --text 'the text' --lists 'tags,it'\"'\"'s'"
    )
    assert note_in_options("language by its stop words: en") == "language by its stop words: en"


def test_counting() -> None:
    """One is one."""
    assert [counted(n, "row") for n in (0, 1, 2)] == ["0 rows", "1 row", "2 rows"]


def test_suggested_columns_can_be_given_back() -> None:
    """A column with a comma in its name is quoted in the note, and read so."""
    note = "columns chosen by looking at them: values='Cat', values='Price, £', values='B'"
    told = note_in_options(note)
    assert told.endswith("""--values 'Cat,"Price, £",B'""")
    assert names_in('Cat, "Price, £",B') == ["Cat", "Price, £", "B"]
