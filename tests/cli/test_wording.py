"""Messages of the library in the words of the command line."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import pytest
import typer.main

import comraf
from comraf.cli import app
from comraf.cli.wording import OPTIONS, SENTENCES, in_options
from comraf.collection.detect import open_reader
from comraf.collection.kinds import KINDS
from comraf.errors import ComrafError, InputError, Note, ReadError, Setting
from comraf.graph import Edge, Graph, Node
from comraf.workflows.options import names_from
from tests.cli.talking import PYTHON

_ROOT = Path(comraf.__file__).parent
# What the commands call; pages are no messages, and no command uses K-means or the checks.
LIBRARY = [
    path
    for path in sorted(_ROOT.rglob("*.py"))
    if path.relative_to(_ROOT).parts[0] not in ("checks", "cli", "kmeans", "report")
]


def test_every_option_named_exists() -> None:
    """No message may name an option that nobody can type."""
    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    known = {name for command in commands.values() for p in command.params for name in p.opts}
    assert set(OPTIONS.values()) <= known


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (InputError("{given} is not allowed", "n_jobs", 0), "--jobs 0 is not allowed"),
        (InputError("use {one}", one=Setting("n_jobs", 1)), "use --jobs 1"),
        (InputError("say {it}", it=Setting("kind")), "say --kind KIND"),
        (InputError("{given} it is", "title", "the title"), "--title 'the title' it is"),
        (InputError("{given}", "by", ["words", "a, b"]), "--by 'words,\"a, b\"'"),
        (InputError("add {it}", it=Setting("force", True)), "add --force"),
        (InputError("{given} is little", "max_bytes", 4), "--set max_bytes=4 is little"),
        (
            InputError(parameter="moves", given="x", allowed=["sweep", "exchange"]),
            "--moves x is unknown; choose one of sweep, exchange",
        ),
        (InputError("{allowed:or}", allowed=["a", "b", "c"]), "a, b or c"),
        (InputError("lower {p[min_documents]}", code="any"), "lower --min-documents"),
        (
            ReadError("can't read {path}: {error}", code="bad_arrays", path="a/b", error="no"),
            "a/b is damaged; get a whole copy of it, or make it anew with comraf organize",
        ),
    ],
)
def test_parameters_become_options(error: ComrafError, said: str) -> None:
    """The parameter goes, the option comes, the rest of the sentence stays."""
    assert in_options(error) == said


@pytest.mark.parametrize(
    "name", ["/data/kind=mail/x.csv", "{given}", "{0}", "{p[n_jobs]}", "n_jobs=0", "{", "a}b"]
)
def test_names_of_files_and_columns_stay(name: str) -> None:
    """What the user wrote is told as it was written, and never looked at."""
    assert in_options(InputError(name)) == in_options(name) == str(InputError(name)) == name
    error = InputError("{name}: {given}", "truth", name, name=name)
    assert in_options(error) == f"{name}: --truth {name}"
    around = error.about("{path}: {error}", path=name)
    assert str(around) == f"{name}: {name}: truth={name!r}"
    assert in_options(around) == f"{name}: {name}: --truth {name}"


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
        said.append(in_options(caught.value))
    assert said[0] == "-k 5 is more than the 2 rows; ask for 2 or fewer"
    kinds = ", ".join(kind for kind in sorted(KINDS) if kind != "frame")
    assert f"choose one of {kinds}." in said[1]
    assert said[3].startswith("--people can't be given for what is read as text")
    assert not [sentence for sentence in said if PYTHON.search(sentence)]


def test_notes_about_columns_can_be_typed() -> None:
    """Columns of one role are put together, quoted where a shell or a comma needs it."""
    text = ["Cat", "Price, £", "it's"]
    columns = [Setting("title", "a name"), *(Setting("values", name) for name in text)]
    note = Note("columns chosen by looking at them: {columns}", "columns_chosen", columns=columns)
    told = """--title 'a name' --values 'Cat,"Price, £",it'"'"'s'"""
    for one in (note, Note.read(json.loads(json.dumps(note.record())))):
        assert in_options(one) == f"columns chosen by looking at them: {told}"
    assert note.startswith("columns chosen by looking at them: title='a name', values='Cat', ")
    assert list(names_from('Cat, "Price, £",it\'s')) == text


def test_every_sentence_is_said() -> None:
    """No sentence waits for a code that nobody gives."""
    library = "".join(path.read_text(encoding="utf-8") for path in LIBRARY)
    assert not [code for code in SENTENCES if f'"{code}"' not in library]


def _said(node: ast.AST) -> str:
    """The fixed text of a string or an f-string, values as a dot."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(_said(part) or "." for part in node.values)
    return ""


def test_no_library_sentence_spells_out_a_parameter() -> None:
    """A parameter that is an option is given as data; as text a terminal would show Python."""
    named = re.compile(rf"(?<![\w.{{-])(?:{'|'.join(OPTIONS)})=(?!=)")
    wrong = []
    for path in LIBRARY:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        docs = {id(n.value) for n in ast.walk(tree) if isinstance(n, ast.Expr)}
        texts = [_said(node) for node in ast.walk(tree) if id(node) not in docs]
        wrong += [f"{path.name}: {said}" for said in texts if " " in said and named.search(said)]
    # calls of Python's that no command makes
    calls = (
        "Palette(",
        "colours.py: , space=",
        "photo_tables(new, ",
        "values=.; give numbers of values of ",
        "(in Python gather(popular=...))",
        "popular=. must be several hosts",
        "updates='batch' moves all rows",
        "use updates='sequential'",
        "direction=",
        "Node({largest!r}, direction=",
        "background",
        "such as OCCC(n_core=10)",
        "simulation.py",
        "sizes.py: sizes=",
        "hierarchy.py: sizes=",
    )
    assert not [text for text in wrong if not any(call in text for call in calls)]
