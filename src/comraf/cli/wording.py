"""Messages in the words of the command line.

The library speaks to people who write Python: ``kind='mail'``, ``force=True``. Whoever typed
a command knows ``--kind mail`` and ``--force``. Errors, warnings and notes are data, see
`comraf.errors`: here their parameters get the names of options, and those of which Python's
sentence would say nothing at a terminal another sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from shlex import quote
from typing import Any

from comraf.cli.options import METAVARS, OPTIONS
from comraf.collection.kinds import KINDS
from comraf.errors import Message, Setting, Words, in_words
from comraf.workflows.options import names_to

__all__ = ["OPTIONS", "SENTENCES", "in_options"]

# What stands for a value that is left open, where it is not as help has it.
_PLACEHOLDERS = {"text": "COLUMN"}
# What is told by its place.
_ARGUMENTS = {"path": "PATH", "model": "MODEL"}
_FOR_PHOTOS = ("captions", "caption", "cache")
_FOR_READING = (
    *("text", "title", "id", "date", "people", "lists", "values", "truth", "encoding"),
    *_FOR_PHOTOS,
)
# Characters of a message that are shown: a name in it may be as long as a file.
_MOST = 4000
_ANEW = "get a whole copy of it, or make it anew with comraf organize"
# The option that asks for the clusters of a node, where there is one.
_ASKING = {"documents": "-k", "rows": "-k", "columns": "--columns-k"}
# What an effort is made of has no options of its own.
_EFFORT = {"n_runs": "--effort or --runs"} | dict.fromkeys(
    ("coarse", "polish", "polished", "spare"), "--effort"
)


def _clusters(sentence: str) -> Callable[[Message], Message]:
    """Too many clusters: the option that asked for them, and of what."""

    def said(message: Message) -> Message:
        values = message.values or {}
        option = _ASKING.get(values["node"])
        asked = f"{option} {{k}}" if option else "clusters: {k} of {node!r}"
        what = values["node"] if option else "values there"
        return Message(f"{asked} {sentence}", {**values, "what": what})

    return said


def _typed(option: str) -> str:
    """How an option of a reader is typed: some have options of commands, all others --set."""
    return OPTIONS[option] if option in _FOR_READING else f"--set {option}"


def _reader_option(message: Message) -> Message:
    values = message.values or {}
    given, option = values["option"], _typed(values["option"])
    if given in _FOR_PHOTOS:
        text = (
            "{option} is about photos, and this is read as {kind}; leave it out, or add --kind "
            "images if it has photos"
        )
    else:
        text = "{option} can't be given for what is read as {kind}"
    known = [name for name in values["allowed"] if name in _FOR_READING or given not in OPTIONS]
    known = [_typed(name) for name in known]
    if known and given not in _FOR_PHOTOS:
        text += "; there it can be {known:,}"
    return Message(text, {"option": option, "kind": values["kind"], "known": known})


def _labelled(message: Message, name: str) -> str | None:
    """The side whose labels a side of a search is; nobody asked for it by that name."""
    from comraf.supervision.graphs import class_node

    return next((s for s in (message.values or {})["sides"] if class_node(s) == name), None)


def _about_labels(sentence: str, otherwise: str) -> Callable[[Message], Message]:
    """What differs from an earlier search, where it may be one of labels."""

    def said(message: Message) -> Message:
        values = message.values or {}
        side = _labelled(message, values["name"])
        return Message(sentence if side else otherwise, {**values, "side": side})

    return said


def _other_sides(message: Message) -> Message:
    values = message.values or {}
    then, now = values["then"], values["now"]
    for had, has, when in ((then, now, "then and not now"), (now, then, "now and not then")):
        extra = [_labelled(message, side) for side in had if side not in has]
        if extra and all(extra):
            text = "intrinsic labels were given for {side} {when} (--labels, --labels-as)"
            return Message(text, {"side": extra[0], "when": when})
    return replace(message, code="")


def _other_option(message: Message) -> Message:
    option = _EFFORT.get((message.values or {})["name"])
    return Message(f"{option} was another one") if option else replace(message, code="")


def _numbers(message: Message) -> Message:
    """Which numbers of groups are good, with an option for another where there is one."""
    values = message.values or {}
    return Message("{said} {k}" if "k" in values else "{said}", values)


_TABLE = "the table of {a} and {name}"
#: What is said at a terminal instead of what Python says, by code.
SENTENCES: Mapping[str, str | Callable[[Message], Message]] = {
    "not_empty": "{path}: the folder is not empty; name another one with --out, or add {force} to "
    "write into it",
    "collection_there": "{path}: the folder is not empty; name another one",
    # the checkpoint of another search
    "other_option": _other_option,
    "other_seed": "--seed was another one",
    "other_terms": "--must-link, --cannot-link or --labels, or weights of links, were others",
    "other_sides": _other_sides,
    "other_size": _about_labels(
        "--labels had {then:,} classes of {side} then and has {now:,} now",
        "{name!r} had {then:,} values then and has {now:,} now (those that --must-link or --labels "
        "join count as one)",
    ),
    "other_table": _about_labels(
        "--labels had other labels of {side} then",
        f"{_TABLE} is another one, or weighted otherwise, or --must-link or --labels joined other "
        "values",
    ),
    "other_weight": _about_labels(
        "--label-weight was another one",
        f"the weight of {_TABLE} was {{then:g}} then and is {{now:g}} now",
    ),
    # the graph and its numbers
    "few_values": _clusters("is more than the {size:,} {what}; ask for {size:,} or fewer"),
    "few_counts": _clusters(
        "is too many: only {filled:,} of the {size:,} {what} have any counts; ask for {filled:,} "
        "or fewer"
    ),
    "graph_number": "{given} was given, but the file of --graph says the number itself; leave out "
    "one",
    "unknown_graph": "{given} is unknown; choose tree, loopy or regions, or name a model spec "
    "(.yaml)",
    "no_number": "node {name!r} is bottom-up and has no number of clusters; without a number its "
    "merging has no end. Give it one (clusters: N), or make it top-down",
    "all_top_down": "the nodes {nodes} are all hidden and all top-down: the first split would be "
    "random and all others would follow it. Make one bottom-up, for example direction: bottom-up "
    "for {largest}, or observe one",
    # what is read
    "unknown_kind": "{given} is unknown; choose one of {files:,}.",
    "reader_option": _reader_option,
    "no_text_column": "No column looks like text. The columns are: {columns}. Say which one holds "
    'the text with {text_column}; if it is a table of counts, it is for "comraf cluster".',
    "count_table": 'a table of counts: cluster it with "comraf cluster"',
    "delimiter": "save it with commas between the cells, or say with --kind what it is",
    # Files name items by what they are called; only those that have no names by number.
    "item_names": "use ids that one item has, such as {example}",
    # what is damaged
    "no_json": f"{{path}} is damaged at line {{line}}; {_ANEW}",
    "no_text": f"{{path}} is damaged: it is no text; {_ANEW}",
    "bad_arrays": f"{{path}} is damaged; {_ANEW}",
    "no_arrays": f"{{path}} is missing or can't be read; {_ANEW}",
    "background_ways": "name a file of words and counts, a folder that comraf made of other "
    "documents, or flat (--background)",
    # answers and models, and how they are called for
    "answer_folder": "name the folder that comraf organize wrote",
    "model_folder": "MODEL must be the folder that comraf organize wrote",
    "swapped": "; did you mean: comraf assign {path} {model}",
    "asked_before": ", or go on with those that were there then: comraf ask {folder} -k N --out "
    "{folder}",
    "call": "command",
    "folder_made": "of --out",
    "groups_kept": "only comraf organize keeps them, without --no-text",
    "no_text_kept": "--no-text keeps none",
    "with_text": "organize the documents without --no-text",
    "known_classes": "known classes come from {file} (a CSV file with the columns item and truth), "
    "or from the start: comraf organize PATH {folders} (mail), {column} (tables)",
    # notes
    "few_known": "{given} knows only {known:,} of the {n:,} words, so it says little about what is "
    "usual; is it another language? --background chooses another one",
    "many_neighbours": "--neighbours {n:,} is more than there are: each {noun} has {most:,}, all "
    "the others, which tells none apart; ask for fewer",
    "more_sides": "{said} {by}",
    "left_out": "{said} {by}",
    "numbers": _numbers,
    "one_group": "{said} (-k)",
    "columns_chosen": "columns chosen by looking at them: {columns}",
    "one_document": "the whole file is one document; if every line is one, choose --kind lines",
    "mixed_folder": "{text}; --kind chooses what to read",
}


class _Terminal(Words):
    """Options instead of parameters, and no quotes where none are typed."""

    sentences = SENTENCES

    def __getitem__(self, parameter: str) -> str:
        return (_ARGUMENTS | OPTIONS).get(parameter, parameter)

    def name(self, name: Any) -> str:
        return str(name)

    def names(self, names: Sequence[Any]) -> str:
        return ", ".join(map(self.name, names))

    def setting(self, setting: Setting) -> str:
        option, value = OPTIONS.get(setting.parameter), setting.given
        if option is None and any(setting.parameter in kind.options for kind in KINDS.values()):
            return f"--set {setting.parameter}={'VALUE' if value is ... else value}"
        if option is None:
            return super().setting(setting)
        if value is True:
            return option
        if value is ...:
            return f"{option} {(METAVARS | _PLACEHOLDERS).get(setting.parameter) or 'VALUE'}"
        if isinstance(value, Mapping):
            numbers = {n: f"{v:g}" if isinstance(v, int | float) else v for n, v in value.items()}
            value = [f"{name}={number}" for name, number in numbers.items()]
        if isinstance(value, (list, tuple)):
            return f"{option} {quote(names_to(map(str, value)))}"
        shown = str(value).removesuffix(".0") if isinstance(value, float) else str(value)
        return f"{option} {shown if shown and ' ' not in shown else repr(value)}"

    def settings(self, settings: Sequence[Setting]) -> str:
        """Those of one option together, as they can be typed."""
        together: dict[str, list[str]] = {}
        for setting in settings:
            together.setdefault(self[setting.parameter], []).append(str(setting.given))
        return " ".join(f"{option} {quote(names_to(v))}" for option, v in together.items())


_TERMINAL = _Terminal()


def in_options(said: object) -> str:
    """An error, a warning or a note in the words of the command line; other text as it is.

    Examples
    --------
    >>> from comraf.errors import InputError
    >>> in_options(InputError("{given} is not known; use {p[n_jobs]}", "kind", "poem"))
    '--kind poem is not known; use --jobs'
    >>> in_options("n_jobs=1 in the name of a file")
    'n_jobs=1 in the name of a file'
    """
    from comraf.cli import commands  # noqa: F401 - they bring the names of their options

    text = in_words(said, _TERMINAL)
    return f"{text[: _MOST - 1]}…" if len(text) > _MOST else text.strip()
