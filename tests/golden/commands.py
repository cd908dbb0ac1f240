"""Golden cases of the command line: chapters of commands, each in a folder of its own."""

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import EnumType
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import typer.main
from typer.testing import CliRunner

import comraf
from comraf.cli import app
from comraf.results import merge, rename
from tests.golden import inputs

_ENVIRONMENT = {"COLUMNS": "100", "NO_COLOR": "1", "COMRAF_DEBUG": ""}


@dataclass(frozen=True)
class Step:
    """A command as it is typed, the files of its answer that are held, and what is typed then."""

    line: str
    files: tuple[str, ...] = ()
    typed: str | None = None
    python: Callable[[Path], None] | None = None


def _edit(root: Path) -> None:
    """Two groups merged and one renamed, written as an answer of its own."""
    answer = comraf.open_answer(root / "mail")
    edited = merge(answer.graph, answer.result, "documents", [2, 5], name="both together")
    edited = rename(edited, "documents", 6, "the last one")
    comraf.write_answer(
        answer.collection, answer.graph, edited, root / "edited", like=root / "mail"
    )


def _known_mail(root: Path) -> None:
    """Files of what is known about some messages."""
    with (root / "mail" / "clusters.csv").open(encoding="utf-8", newline="") as stream:
        items = [row["item"] for row in csv.DictReader(stream)]
    pairs = {"labels.csv": "id,label\n" + "".join(f"{items[i]},{'ab'[i % 2]}\n" for i in range(8))}
    pairs["must.csv"] = f"{items[10]},{items[11]}\n{items[12]},{items[30]}\n"
    pairs["cannot.csv"] = f"{items[10]},{items[12]}\n"
    for name, text in pairs.items():
        (root / name).write_text(text, encoding="utf-8")


# Columns that say again what others say, held in the first lines of a file only.
_LONG = {"name", "title", "date", "source", "url", "group_name", "name_before", "name_after"}
_WHOLE = 8
_MAIL = ("clusters.csv", "people.csv", "subjects.csv", "words.csv", "result.json")
_TALK = "?\nwhat\ns\nd\nd\nu\nd\ns\nr\nd\nq\n"
_STEERED = (
    "find ar\nadd 0 anchor, mast\nadd 1 yeast bake\nadd 2 jury\nname 2 court\nadd court trail\n"
    "step\ndelete time\nmove 1 salt\nundo\nredo\nuncovered\nstep\ndone\n"
)

#: Every chapter: what makes its files, and its steps.
CHAPTERS: dict[str, tuple[Callable[[Path], None] | None, tuple[Step, ...]]] = {
    "mail": (
        None,
        (
            Step("sample mail box.mbox -n 100 --seed 3"),
            Step("sample mail more.mbox -n 20 --seed 4"),
            Step("inspect box.mbox"),
            Step("organize box.mbox -k 7 --effort quick --out mail", _MAIL),
            Step("inspect mail"),
            Step("inspect mail/model"),
            Step("inspect mail/collection"),
            Step("explain mail 3"),
            Step("explain mail 5 --side people --top 3"),
            Step("taxonomy mail --sizes 2,4,7 --out tree.csv", ("tree.csv",)),
            Step("assign mail more.mbox --out placed.csv", ("placed.csv",)),
            Step("assign mail more.mbox --side people --out people.csv", ("people.csv",)),
            Step("assign mail more.mbox"),
            Step("", python=_known_mail),
            Step(
                "organize box.mbox --by words,people --labels labels.csv --must-link must.csv "
                "--cannot-link cannot.csv --out known",
                ("clusters.csv", "result.json"),
            ),
            Step("compare mail known --out moved.csv", ("moved.csv",)),
            Step("evaluate known --truth labels.csv --labelled"),
            Step("organize box.mbox -k 5 --graph loopy --effort quick --no-text --json --out l"),
            Step(
                "organize more.mbox -k 3 --effort quick --transfer-from mail --out moved",
                ("clusters.csv",),
            ),
            Step("", python=_edit),
            Step("inspect edited"),
            Step("compare mail edited"),
            Step("organize box.mbox -k 7 --out mail"),
            Step("organize box.mbox -k 7 --by colours"),
            Step("organize nowhere.mbox"),
            Step("select box.mbox -k 7 --labels labels.csv --tries 3"),
        ),
    ),
    "folders": (
        None,
        (
            Step("sample mail Mail -n 80 --seed 2 --folders"),
            Step("organize Mail -k 8 --truth folders --effort quick --out out", ("clusters.csv",)),
            Step("evaluate out --out table.csv", ("table.csv",)),
            Step("evaluate out --json"),
        ),
    ),
    "table": (
        inputs.reviews,
        (
            Step("inspect reviews.csv"),
            Step(
                "organize reviews.csv -k 3 --id key --text body --title title --people author "
                "--lists tags --date day --out out",
                ("clusters.csv", "people.csv", "tags.csv", "words.csv", "result.json"),
            ),
            Step("organize reviews.csv -k 3 --id key --labels known.csv -q --out known",
                 ("clusters.csv",)),
            Step("organize reviews.csv -k 3 --id key --labels known.csv --labels-as seeds "
                 "--must-link together.csv --cannot-link apart.csv --out links",
                 ("clusters.csv", "result.json")),
            Step("organize reviews.csv -k 3 --id key --embeddings vectors.npy --by "
                 "words,neighbours --effort quick --out near", ("clusters.csv",)),
            Step("evaluate out --truth truth.csv"),
            Step("evaluate known --truth truth.csv"),
            Step("assign out later.csv --out placed.csv", ("placed.csv",)),
            Step("explain out r7"),
            Step("organize reviews.csv -k 999"),
            Step("organize reviews.csv -k 3 --text bodies"),
        ),
    ),
    "texts": (
        inputs.notes,
        (
            Step("inspect notes"),
            Step("organize notes -k 3 --out out", ("clusters.csv", "words.csv")),
            Step("taxonomy out --sizes 2,3"),
            Step("outliers notes -n 2 --background usual.csv --out strays.csv", ("strays.csv",)),
            Step("outliers notes --share 0.1 --method occc --background flat --json"),
        ),
    ),
    "papers": (
        inputs.papers,
        (
            Step("inspect refs.bib"),
            Step("organize refs.bib -k 3 --out out", ("clusters.csv", "people.csv", "result.json")),
            Step("assign out refs.ris --kind ris"),
            Step("organize refs.ris -k 2 --effort paper --out ris", ("clusters.csv",)),
        ),
    ),
    "photos": (
        None,
        (
            Step("sample photos Photos -n 27 --folders"),
            Step("inspect Photos"),
            Step(
                "organize Photos -k 9 --truth folders --effort quick --colours 64 --blobs 16 "
                "--photo-cache cache --out out",
                ("clusters.csv",),
            ),
            Step("assign out Photos"),
            Step("organize Photos -k 3 --graph regions --colours 64 --blobs 16 --effort quick "
                 "--photo-cache cache --out regions", ("clusters.csv",)),
        ),
    ),
    "asking": (
        inputs.reviews,
        (
            Step("ask reviews.csv --id key -k 3 --effort quick --out asked", ("answers.jsonl",
                 "clusters.csv", "must-link.csv", "cannot-link.csv"), _TALK),
            Step("ask reviews.csv --id key -k 3 --method hmrf --learner minmax --answers-from "
                 "truth.csv --questions 12 --out told", ("answers.jsonl", "clusters.csv")),
            Step("ask reviews.csv --id key -k 3 --learner npu --answers-from truth.csv "
                 "--questions 8 --effort quick -q --out npu", ("answers.jsonl",)),
            Step("interactive reviews.csv -k 3 --id key --text body --effort quick "
                 "--value-clusters 12 --out mine", ("criterion.csv", "clusters.csv"), _STEERED),
            Step("interactive reviews.csv -k 3 --id key --text body --effort quick --values-from "
                 "mine/criterion.csv --out again", ("clusters.csv",)),
        ),
    ),
    "one class": (
        inputs.ranked,
        (
            Step("rerank hits.csv -n 14 --background usual.csv --out new.csv", ("new.csv",)),
            Step("rerank hits.csv -n 14 --method occc --background flat --json"),
            Step(
                "topics news.csv --date published --title headline --text body --id key -n 10 "
                "--background flat --out topics",
                ("topics.csv", "articles.csv"),
            ),
            Step("topics news.csv --date published --text body --id key --method occc --by 48 "
                 "--background flat --json --out again"),
            Step("appearances circle -n 15 --truth circle.csv --background usual.csv --out found",
                 ("pages.csv", "names.csv", "links.csv")),
            Step("appearances circle -n 15 --method links+comraf --background flat --out both",
                 ("pages.csv", "merges.csv")),
        ),
    ),
    "counts": (
        inputs.tables,
        (
            Step("cluster counts.csv -k 3 --out out", ("rows.csv", "columns.csv", "result.json")),
            Step("cluster counts.npy -k 3 --method itcc --columns-k 3 --json"),
            Step("cluster counts.csv -k 3 --method sequential"),
            Step("cluster counts.csv -k 3 --method agglomerative"),
            Step("cluster counts.csv -k 3 --method cliquewise"),
            Step("cluster counts.csv -k 3 --method ib --direction top-down"),
            Step("cluster counts.csv -k 3 --labels classes.csv --effort quick"),
            Step("cluster model.yaml --effort quick --out spec", ("rows.csv",)),
            Step("inspect counts.csv"),
            Step("cluster counts.csv"),
            Step("demo"),
            Step("demo --seed 7 --out demo", ("messages.csv",)),
        ),
    ),
}  # fmt: skip


def commands() -> dict[str, Any]:
    """Every command of the program by name."""
    return dict(typer.main.get_command(app).commands)  # type: ignore[attr-defined]


def help_of(name: str) -> str:
    """What ``--help`` knows, set by ourselves: versions of typer set it in different ways."""
    command = commands().get(name, typer.main.get_command(app))
    lines = [f"comraf {name}".replace("comraf comraf", "comraf"), "", command.help or "", ""]
    for each in command.params:
        facts = [f"shown as {each.metavar}"] if each.metavar else []
        choices, least, most = _allowed(each)
        facts += [f"one of {' '.join(choices)}"] if choices else []
        facts += [f"from {least} to {most}"] if (least, most) != (None, None) else []
        default = getattr(each.default, "value", each.default)
        facts += [f"default: {default}"] if isinstance(default, str | int | float) else []
        facts += [word for word in ("required", "multiple", "hidden") if getattr(each, word, False)]
        lines += [", ".join([*each.opts, *each.secondary_opts]), f"    {'; '.join(facts)}"]
        lines += [f"    {' '.join((getattr(each, 'help', None) or '').split())}"]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def run_command(line: str, root: Path, typed: str = "q\n") -> str:
    """What a command says in a folder."""
    with _in(root):
        answer = _run(line.split(), typed)
    return masked(f"exit {answer.exit_code}\n{answer.stdout}{answer.stderr}", root)


def _allowed(parameter: Any) -> tuple[list[str], Any, Any]:
    """Choices, least and most of an option, wherever this version of typer keeps them."""
    if hasattr(parameter, "type"):  # before 0.28
        kind = parameter.type
        least, most = getattr(kind, "min", None), getattr(kind, "max", None)
        choices = list(getattr(kind, "choices", ()))
    else:
        kind = parameter.type_descriptor.annotation
        least, most = parameter.min, parameter.max
        choices = list(kind) if isinstance(kind, EnumType) else []
        choices = list(get_args(kind)) if get_origin(kind) is Literal else choices
    return [str(getattr(choice, "value", choice)) for choice in choices], least, most


def play(chapter: str, root: Path) -> Iterator[tuple[str, str]]:
    """Run a chapter in an empty folder; name and record of each step."""
    prepare, steps = CHAPTERS[chapter]
    with _in(root):
        if prepare:
            prepare(root)
        for number, step in enumerate(steps, 1):
            if step.python:
                step.python(root)
                continue
            answer = _run(step.line.split(), step.typed)
            parts = [f"$ comraf {step.line}", f"exit {answer.exit_code}"]
            said = answer.stdout.rstrip()
            if "--json" in step.line.split():
                said = _pruned(json.loads(said))
            told = [x for x in answer.stderr.splitlines() if not x.startswith("comraf: progress:")]
            parts += ["--- stdout", said, "--- stderr", *told]
            for name in step.files:
                parts += [f"--- {name}", _file(_place(step.line, name))]
            yield f"{number:02} {step.line.split()[0]}", masked("\n".join(parts), root) + "\n"


def masked(text: str, root: Path) -> str:
    """Without times, versions and folders, and with three digits behind the point at most."""
    text = re.sub(r"\b\d+(\.\d+)? (seconds|s|minutes|min)\b", "<time>", text)
    text = text.replace(str(root), "<folder>")
    text = re.sub(r"\bcomraf \d+\.\d+\S*", "comraf <version>", text)
    number = r"(?<![\w.])(\d+\.\d{4,}(?:e-?\d+)?)(?![\w.@])"
    text = re.sub(number, lambda found: f"{float(found[0]):.3f}", text)
    return "\n".join(line.rstrip() for line in text.splitlines())


def _run(arguments: list[str], typed: str | None = None) -> Any:
    answer = CliRunner().invoke(app, arguments, input=typed, env=_ENVIRONMENT)
    if answer.exception is not None and not isinstance(answer.exception, SystemExit):
        raise answer.exception
    return answer


def _place(line: str, name: str) -> Path:
    """A file of the answer: in the folder of --out, or that file itself."""
    words = line.split()
    out = Path(words[words.index("--out") + 1])
    return out / name if out.is_dir() else out


def _file(path: Path) -> str:
    """A file of data, without what is other on every day, and the head of a long one."""
    if not path.is_file():
        return "(is not there)"
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".json":
        return _pruned(json.loads(text))
    lines = text.splitlines()
    if path.suffix == ".jsonl":
        return "\n".join(re.sub(r'"(at|when|time)": "?[^,}]*', r'"\1": <time>', x) for x in lines)
    rows = list(csv.reader(lines))
    short = [i for i, name in enumerate(rows[0]) if name not in _LONG]
    most = 30 if path.name in ("words.csv", "columns.csv") else 200
    kept = [*lines[:_WHOLE], *(",".join(row[i] for i in short) for row in rows[_WHOLE:most])]
    return "\n".join([*kept, *([f"... {len(rows)} lines"] if len(rows) > most else [])])


def _pruned(document: dict[str, Any]) -> str:
    """What an answer says about itself; of groups their names, sizes and most telling values."""
    kept = {}
    for key, value in document.items():
        if key in ("versions", "seconds", "trace", "labels"):
            continue
        if key == "sides":
            value = {name: {k: v for k, v in side.items() if k != "clusters"}
                     for name, side in value.items()}  # fmt: skip
        if key == "groups":
            value = [_group(group) for group in value]
        kept[key] = value
    lines = io.StringIO()
    for key, value in kept.items():
        many = isinstance(value, list) and len(json.dumps(value)) > 90
        for each in value if many else [value]:
            lines.write(f"{key}: {json.dumps(each, ensure_ascii=False, sort_keys=True)}\n")
    return lines.getvalue().rstrip()


def _group(group: dict[str, Any]) -> dict[str, Any]:
    telling = {
        side: [each["value"] for each in values][:5]
        for side, values in group.get("telling", {}).items()
    }
    kept = {key: group[key] for key in ("cluster", "id", "name", "size") if key in group}
    return kept | {"telling": telling}


@contextmanager
def _in(root: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(root)
    try:
        yield
    finally:
        os.chdir(before)
