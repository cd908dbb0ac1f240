"""Messages in the words of the command line.

The library speaks to people who write Python: ``kind='mail'``, ``force=True``. Whoever typed
a command knows ``--kind mail`` and ``--force``. All messages pass through here on their way to
the terminal, so that the library need not know who is listening.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

__all__ = ["OPTIONS", "counted", "in_options", "names_in", "names_out", "note_in_options"]

#: What a keyword of the library is called on the command line.
OPTIONS = {
    "kind": "--kind",
    "truth": "--truth",
    "encoding": "--encoding",
    "text": "--text",
    "title": "--title",
    "id": "--id",
    "date": "--date",
    "people": "--people",
    "lists": "--lists",
    "values": "--values",
    "graph": "--graph",
    "weighting": "--weighting",
    "edge_weights": "--edge-weights",
    "observe": "--observe",
    "schedule": "--schedule",
    "moves": "--moves",
    "passes": "--passes",
    "format": "--format",
    "row_names": "--row-names",
    "column_names": "--column-names",
    "force": "--force",
    "by": "--by",
    "languages": "--language",
    "stop_words": "--stopwords",
    "ngrams": "--ngrams",
    "min_documents": "--min-documents",
    "max_share": "--max-share",
    "n_clusters": "-k",
    "column_clusters": "--columns-k",
    "n_restarts": "--restarts",
    "n_runs": "--runs",
    "merge_cost": "--merge-cost",
    "balance": "--balance",
    "effort": "--effort",
    "coarse": "--coarse",
    "random_state": "--seed",
    "time_limit": "--time-limit",
    "checkpoint": "--checkpoint",
    "n_jobs": "--jobs",
    "labels_as": "--labels-as",
    "label_weight": "--label-weight",
    "link_weight": "--link-weight",
    "captions": "--captions",
    "caption": "--caption",
    "cache": "--photo-cache",
    "colours": "--colours",
    "space": "--colour-space",
    "blobs": "--blobs",
    "blobs_by": "--blobs-by",
}
# What stands for a value where the library writes an ellipsis.
_PLACEHOLDERS = {"kind": "KIND", "text": "COLUMN"}
_FOR_PHOTOS = ("captions", "caption", "cache")
_FOR_READING = (
    *("text", "title", "id", "date", "people", "lists", "values", "truth", "encoding"),
    *_FOR_PHOTOS,
)
# Only where a word begins, and not within a name: a path may hold an equals sign too.
_START = r"(?<![\w/\\.'\"=-])"
_NAMES = "|".join(OPTIONS)
_JSON = (
    r"(?:Expecting|Unterminated|Extra data|Invalid|Illegal|Unexpected)[^:;]*: "
    r"line (?P<line>\d+) column \d+ \(char \d+\)"
)
_NO_TEXT = r"'[\w-]+' codec can't decode byte[^;]*"
_GUESS = re.compile(rf"({'|'.join(_FOR_READING)})=(?:'([^']*)'|\"([^\"]*)\")")
_MIXED = re.compile(r"read as \w+: .*\(the others: .*\)$")
# Up to where the next one begins: names may hold anything, and be long.
_TABLE = "the table of (?:(?!the table of ).)* and classes of"
# Characters of a message that are looked at: a name in it may be as long as a file.
_MOST = 4000
_ANEW = "get a whole copy of it, or make it anew with comraf organize"


def _asked(found: re.Match[str]) -> tuple[str, str]:
    """Too many clusters: the option that asked for them, and of what."""
    k, node = found["k"], found["node"]
    option = {"documents": "-k", "rows": "-k", "columns": "--columns-k"}.get(node)
    return (f"{option} {k}", node) if option else (f"clusters: {k} of {node!r}", "values there")


def _other_sides(found: re.Match[str]) -> str:
    """Another search: labels make a side of their own, which nobody asked for by that name."""
    then, now = found["then"].split(", "), found["now"].split(", ")
    for had, has, when in ((then, now, "then and not now"), (now, then, "now and not then")):
        extra = [side for side in had if side not in has]
        if extra and all(side.startswith("classes of ") for side in extra):
            side = extra[0].removeprefix("classes of ")
            return f"intrinsic labels were given for {side} {when} (--labels, --labels-as)"
    return found[0]


def _few_values(found: re.Match[str]) -> str:
    asked, what = _asked(found)
    size = f"{int(found['size']):,}"
    return f"{asked} is more than the {size} {what}; ask for {size} or fewer"


def _few_counts(found: re.Match[str]) -> str:
    asked, what = _asked(found)
    size, filled = f"{int(found['size']):,}", f"{int(found['filled']):,}"
    return (
        f"{asked} is too many: only {filled} of the {size} {what} have any counts; ask for "
        f"{filled} or fewer"
    )


def _other_reader(found: re.Match[str]) -> str:
    given, kind = found["option"], found["kind"]
    if given in _FOR_PHOTOS:
        return (
            f"{OPTIONS[given]} is about photos, and this is read as {kind}; leave it out, or add "
            "--kind images if it has photos"
        )
    known = [OPTIONS[n] for n in re.findall(r"\w+", found["known"]) if n in _FOR_READING]
    allowed = f"; there it can be {', '.join(known)}" if known else ""
    return f"{OPTIONS.get(given, given)} can't be given for what is read as {kind}{allowed}"


def _value(found: re.Match[str]) -> str:
    name, value = found["name"], found["value"]
    if value == "True":
        return OPTIONS[name]
    if value in ("...", "…"):
        return f"{OPTIONS[name]} {_PLACEHOLDERS.get(name, 'VALUE')}"
    quote = value[0]
    bare = value[1:-1] if quote in "'\"" and value.endswith(quote) and len(value) > 1 else value
    return f"{OPTIONS[name]} {value if ' ' in bare or not bare else bare}"


def _plain_list(found: re.Match[str]) -> str:
    return ", ".join(re.findall(r"'([^']*)'", found[0]))


# Sentences whose sense has to change come first, single keywords last.
_RULES: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = tuple(
    (re.compile(pattern), by)
    for pattern, by in (
        (
            r"name another one, or add --force \(force=True\)",
            "name another one with --out, or add --force",
        ),
        (r"--force \(force=True\)", "--force"),
        (r"format='\w+' \((--format \w+)\)", r"\1"),
        # A checkpoint of another search: what an effort is made of has no options of its own.
        (r"n_runs=\S+ then, n_runs=\S+ now", "--effort or --runs was another one"),
        (
            r"(coarse|polish|polished|spare)=\S+ then, \1=\S+ now",
            "--effort was another one",
        ),
        (r"its seed was another one", "--seed was another one"),
        (
            r"its sides were (?P<then>(?:(?!its sides were ).)*) then and are "
            r"(?P<now>(?:(?! then and are ).)*) now",
            _other_sides,
        ),
        (
            r"'classes of (?P<side>[^']*)' had (?P<then>[\d,]+) values then and has "
            r"(?P<now>[\d,]+) now",
            r"--labels had \g<then> classes of \g<side> then and has \g<now> now",
        ),
        (
            r"('[^']*' had [\d,]+ values then and has [\d,]+ now)",
            r"\1 (those that --must-link or --labels join count as one)",
        ),
        (
            rf"{_TABLE} (?P<side>(?:(?! and classes of ).)*) is another one, or weighted otherwise",
            r"--labels had other labels of \g<side> then",
        ),
        (
            rf"the weight of {_TABLE} (?:(?! and classes of ).)* was \S+ then and is \S+ now",
            "--label-weight was another one",
        ),
        (
            r"what is preferred about its values is another thing",
            "--must-link, --cannot-link or --labels, or weights of links, were others",
        ),
        # Files name items by what they are called; only those that have no names by number.
        (r"(?<=, such as )(?P<name>.*), or row numbers from 0 to \d+", r"\g<name>"),
        (
            r"n_clusters=(?P<k>\d+) for node '(?P<node>[^']*)', which has only (?P<size>\d+) "
            r"values \(n_samples=\d+\); ask for \d+ clusters or fewer",
            _few_values,
        ),
        (
            r"n_clusters=(?P<k>\d+) for node '(?P<node>[^']*)', but only (?P<filled>\d+) of its "
            r"(?P<size>\d+) values have any counts; ask for \d+ clusters or fewer",
            _few_counts,
        ),
        (
            r"n_clusters=(\d+) was given, but the graph says the number itself",
            r"-k \1 was given, but the file of --graph says the number itself; leave out one",
        ),
        (
            r"graph='([^']*)' is unknown; choose one of \['tree', 'loopy'\]",
            r"--graph \1 is unknown; choose tree, loopy or regions, or name a model spec (.yaml)",
        ),
        (
            r"The reader for '(?P<kind>\w+)' has no option '(?P<option>\w+)'; it has "
            r"(?P<known>[\w, ]*)",
            _other_reader,
        ),
        (
            r"; a table of counts is read by comraf\.collection\.read_table",
            '; if it is a table of counts, it is for "comraf cluster"',
        ),
        (
            r"read it with comraf\.collection\.read_table",
            'cluster it with "comraf cluster"',
        ),
        (
            r"Give delimiter=\.\.\. or another kind",
            "Save it with commas between the cells, or say with --kind what it is",
        ),
        (r"choose another kind\b", "choose another --kind"),
        (r"Read without truth\b", "Read without --truth"),
        (
            r"lower min_documents, raise max_share\b",
            "lower --min-documents, raise --max-share",
        ),
        (r"(?:, 'frame'|, frame)(?=[.;,]|$)", ""),
        (r"Node\('([^']*)', direction='bottom-up'\)", r"direction: bottom-up for \1"),
        (r"has no n_clusters\b", "has no number of clusters"),
        (r"Give n_clusters\b", "Give it one (clusters: N)"),
        (r"A collection that has grown is read anew with update_collection", ""),
        (rf"is no JSON: {_JSON}", rf"is damaged at line \g<line>; {_ANEW}"),
        (rf"can't read (?P<path>.+?): {_JSON}", rf"\g<path> is damaged at line \g<line>; {_ANEW}"),
        (rf"is damaged: {_JSON}", rf"is damaged at line \g<line>; {_ANEW}"),
        (rf"can't read (?P<path>.+?): {_NO_TEXT}", rf"\g<path> is damaged: it is no text; {_ANEW}"),
        (rf"(?:is no JSON|is damaged): {_NO_TEXT}", f"is damaged: it is no text; {_ANEW}"),
        (
            r"can't read (?P<path>.+?\.safetensors): (?!\[Errno|No such).*",
            rf"\g<path> is damaged; {_ANEW}",
        ),
        (
            r"can't read (?P<path>.+?\.safetensors): (?:\[Errno|No such).*",
            rf"\g<path> is missing or can't be read; {_ANEW}",
        ),
        (
            _START + rf"(?P<name>{_NAMES})=(?P<value>\.\.\.|…|'[^']*'|\"[^\"]*\"|[-\w.]*[-\w])",
            _value,
        ),
        # 'a', 'b' in brackets, and the quotes of a list of words that an option takes
        (r"\[(?:'[^'\[\]]*'(?:, )?)+\]", _plain_list),
        (r"(?<=it can be )(?:'[\w.]+'(?:, | or )?)+", _plain_list),
    )
)


def in_options(message: str) -> str:
    """A message of the library in the words of the command line.

    Examples
    --------
    >>> in_options("kind='poem' is not known; it can be 'mail', 'mbox', 'frame'.")
    '--kind poem is not known; it can be mail, mbox.'
    >>> in_options("out: is not empty; add --force (force=True) to write into it")
    'out: is not empty; add --force to write into it'
    >>> in_options("can't read m/model.json: Expecting value: line 1 column 1 (char 0)")
    'm/model.json is damaged at line 1; get a whole copy of it, or make it anew with comraf...'
    """
    if len(message) > _MOST:
        message = f"{message[: _MOST - 1]}…"
    for pattern, by in _RULES:
        message = pattern.sub(by, message)
    return message.strip()


def note_in_options(note: str) -> str:
    """A note about guesses as the options that would say the same.

    Examples
    --------
    >>> note_in_options("columns chosen by looking at them: text='review', values='a', values='b'")
    'columns chosen by looking at them: --text review --values a,b'
    >>> note_in_options("read as csv: 1 of 2 files looked at are csv (the others: 1 mbox)")
    'read as csv: 1 of 2 files looked at are csv (the others: 1 mbox); --kind chooses what to read'
    """
    from shlex import quote

    if _MIXED.match(note):
        return f"{note}; --kind chooses what to read"
    head, colon, rest = note.partition(": ")
    guesses = _GUESS.findall(rest)
    if not guesses or _GUESS.sub("", rest).strip(", "):
        return in_options(note)
    columns: dict[str, list[str]] = {}
    for role, single, double in guesses:
        columns.setdefault(role, []).append(single or double)
    shown = []
    for role, names in columns.items():
        shown.append(f"{OPTIONS[role]} {quote(names_out(names))}")
    return f"{head}{colon}{' '.join(shown)}"


def names_in(given: str) -> list[str]:
    """Names of columns or sides, as an option has them; one with a comma stands in quotes.

    Examples
    --------
    >>> names_in('title, "Price, £"')
    ['title', 'Price, £']
    """
    found = re.findall(r'\s*(?:"([^"]+)"|([^,]+))', given)
    return [name for pair in found if (name := "".join(pair).strip())]


def names_out(names: Iterable[str]) -> str:
    """Names as an option takes them.

    Examples
    --------
    >>> names_out(["title", "Price, £"])
    'title,"Price, £"'
    """
    return ",".join(f'"{name}"' if "," in name else name for name in names)


def counted(number: int, what: str, many: str | None = None) -> str:
    """A number with its noun.

    Examples
    --------
    >>> counted(1, "file"), counted(1200, "row"), counted(2, "copy", "copies")
    ('1 file', '1,200 rows', '2 copies')
    """
    return f"{number:,} {what if number == 1 else many or what + 's'}"
