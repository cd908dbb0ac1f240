"""Time grows with the size of what is read, and not with its square: n, 2n and 4n of it."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

import pytest

from comraf.cli.wording import in_options
from comraf.collection.counting import Counting, make_chunks
from comraf.collection.files import MemoryFiles
from comraf.collection.gather import Gatherer
from comraf.collection.items import Item, Unit
from comraf.collection.kinds import KINDS
from comraf.collection.names import parse_mailbox, parse_name
from comraf.collection.readers.bibtex import split_names
from comraf.collection.readers.captions import plain_caption, read_captions
from comraf.collection.readers.charsets import clean, clean_line, decode
from comraf.collection.readers.folder import markdown_text
from comraf.collection.readers.html import html_text
from comraf.collection.readers.latex import plain_text
from comraf.collection.readers.mail import parse_message
from comraf.collection.readers.mail_text import drop_long_lines, strip_quotes
from comraf.collection.readers.tabular_delimited import delimited_rows, sniff_delimiter
from comraf.collection.sides.style import count_style
from comraf.collection.tables import read_table
from comraf.collection.text.addresses import page_places, written_addresses
from comraf.collection.text.words import Lexicon, count_words, tokenise
from comraf.errors import ComrafError, InputError
from comraf.oneclass import FrequencyFile
from comraf.results.files import safe_cell

_T = TypeVar("_T")

# 4n may take so many times what n takes: 4 is fair, 16 would be its square.
_MOST = 9.0
# What takes less says nothing, and what takes more is too slow for any input of a test.
_LEAST, _SLOW = 0.01, 4.0
_RNG = random.Random(19)
_SIGNS = "abc XYZ 09.,;:-_'\"<>&@#(){}[]\\/\t\n=%éß漢字\u0301\u200f"


def noise(n: int) -> str:
    """Signs at random."""
    return "".join(_RNG.choices(_SIGNS, k=n))


def words(n: int) -> str:
    """Something like prose."""
    some = "the pump leaks again and Ann Li of x.org wrote to bob@y.org on 2 May 2001\n".split(" ")
    return " ".join(_RNG.choices(some, k=n // 5))


def again(piece: str, end: str = "") -> Callable[[int], str]:
    """The same over and over."""
    return lambda n: piece * (n // len(piece)) + end


SHAPES: dict[str, Callable[[int], str]] = {
    "noise": noise,
    "words": words,
    **{
        repr(piece)[:24]: again(piece)
        for piece in (
            "a", " ", "\n", "<", ">", "&", '"', "'", "(", "[", "{", "\\", "@", "a@", "a.", "a@b.",
            "=", "==", "=?", "=?utf-8?q?a?=", "=?utf-8?b?", "--", "-- \n", ">", "> ", ">\n",
            "a\u0301", "\u0301\u0316", "\uff9e\u0301", "\u0f73", "漢", "e\u0301 ", "ﾞ",
            "<p>", "<p-x>", "<b>", "<div>", "<div></x>", "<!--", "<table><tr><td>", "<a href=x>",
            "<style>", "<script>", "</p>", "<p><b id=1>", "<svg>", "<![CDATA[", "<select>",
            "http://", "http://a.", "www.", "a, b; ", "On May 2, Ann wrote:\n", "From: a\n",
            "Begin forwarded message:\n", "begin 644 a\n", "Ann Li <a@b.c>, ", '"Li, Ann" ',
            "(a(", "\\'{e}", "$\\alpha$", "a and ", "@a{b,", "\x00", "\x1b$B", "\r", "\u2028",
            "![", "[a](", "# #", "`", "---\n", ":", ":a", "<a>", "1 ", '\\"', '"\\', "x;a*1=",
            "=?utf-8?q?a?= =?latin1?q?b?=", "=?a?q?", "\\c ", "\\aaaa", "&lt;!--", "<!", "<ul><li>",
        )
    },
    "marks on one letter": lambda n: "a" + "\u0316\u0302" * (n // 2),
    "tags then text": lambda n: "<p-x>" * (n // 10) + "<p>y</p>" * (n // 16),
    "nothing is closed": lambda n: "<div></x>" * (n // 20) + "<p>y</p>" * (n // 16),
    "bold in every block": lambda n: (
        "<dialog>" + "".join(f"<b id={i}>" for i in range(n // 20)) + "</dialog>"
        + "<dialog>x</dialog>" * (n // 40)
    ),
    "hidden in hidden": lambda n: (
        "<div hidden>" * min(900, n // 24) + "<p hidden>x</p>" * (n // 30)
    ),
    "attributes": lambda n: "<a " + " ".join(f"x{i}" for i in range(n // 6)) + ">",
    "bold in every paragraph": lambda n: "".join(f"<p><b id={i}>x" for i in range(n // 12)),
}  # fmt: skip


def mail(head: str, body: bool = False) -> Callable[[str], object]:
    """A message one header of which, or the body, is made to be slow."""

    def read(text: str) -> object:
        line = " ".join(text.split("\n")) if not body else ""
        data = f"From: a@b.c\n{head}: {line}\n\n{text if body else 'x'}\n"
        return parse_message(data.encode("utf-8", "replace"), quotes="auto")

    return read


PARSERS: dict[str, Callable[[str], object]] = {
    "tokenise": tokenise,
    "words": lambda text: count_words((text,), Lexicon()),
    "cell": safe_cell,
    "style": count_style,
    "html": html_text,
    "html without quotes": lambda text: html_text(text, quotes=False),
    "links": page_places,
    "markdown": markdown_text,
    "caption": plain_caption,
    "addresses": lambda text: list(written_addresses(text)),
    "clean": clean,
    "line": clean_line,
    "decode": lambda text: decode(text.encode("utf-8", "replace")),
    "latin": lambda text: decode(text.encode("latin-1", "replace") + b"\xe9\xff"),
    "utf-7": lambda text: decode(text.encode("utf-8", "replace"), "utf-7"),
    "japanese": lambda text: decode(text.encode("utf-8", "replace"), "iso-2022-jp"),
    "quotes": lambda text: strip_quotes(text, quotes="auto"),
    "long lines": drop_long_lines,
    "tex": plain_text,
    "tex names": split_names,
    "name": lambda text: parse_name.__wrapped__(text),
    "mailbox": lambda text: getattr(parse_mailbox, "__wrapped__", parse_mailbox)(text),
    "subject": mail("Subject"),
    "recipients": mail("To"),
    "date": mail("Date"),
    "type": mail("Content-Type"),
    "message id": mail("Message-ID"),
    "odd header": mail("\n"),
    "plain mail": mail("Subject", body=True),
    "html mail": mail("Content-Type: text/html\nX", body=True),
    "mail in parts": mail("Content-Type: multipart/mixed; boundary=a\nX", body=True),
    "encoded mail": mail("Content-Transfer-Encoding: base64\nX", body=True),
    "message": lambda text: in_options(InputError("{given}: {text}", "text", text, text=text)),
}


def seconds(work: Callable[[], object], tries: int) -> float:
    """Time of the processor for it; the least of some tries."""
    best = float("inf")
    for _ in range(tries):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
        if best < _LEAST:
            break
    return best


def grows(make: Callable[[int], _T], parse: Callable[[_T], object], n: int) -> str:
    """Why the time of some work does not grow as its size does; empty if it does."""
    sizes = [partial(parse, make(size)) for size in (n, 2 * n, 4 * n)]
    # what grows evenly is told by one look at the ends; what seems steep is looked at with care
    once = [seconds(work, 1) for work in sizes[::2]]
    if once[1] < _SLOW and not _steep(*once):
        return ""
    times: list[float] = []
    for work in sizes:
        times.append(seconds(work, 2))
        if times[-1] > _SLOW:
            return f"{times} s"
    # two steps that are both steep: one alone may be noise, or a limit that is reached
    return f"{times} s" if _steep(times[0], times[2]) and times[2] > 3 * times[1] else ""


def _steep(short: float, long: float) -> bool:
    return long > _MOST * max(short, _LEAST / 4) and long > 4 * _LEAST


@pytest.mark.parametrize("parser", PARSERS)
def test_a_parser_takes_time_by_the_size_alone(parser: str) -> None:
    """Of text at random, and of all the shapes that were ever slow."""
    parse = PARSERS[parser]
    slow = {}
    for shape, make in SHAPES.items():
        if told := grows(make, parse, 4_000):
            slow[shape] = told
    assert not slow


def reading(kind: Callable[[Path], object], name: str) -> Callable[[Path, str], object]:
    """All that a reader makes of a file."""

    def read(folder: Path, text: str) -> object:
        path = folder / name
        path.write_text(text, encoding="utf-8", errors="replace")
        try:
            reader = kind(path)
            return [chunk for unit in reader.scan()
                    for chunk in make_chunks(reader, [(0, unit)], Counting())]  # fmt: skip
        except ComrafError:
            return None

    return read


def rows(folder: Path, text: str) -> object:
    """The rows of a table, with its delimiter found."""
    path = folder / "a.csv"
    path.write_text(text, encoding="utf-8", errors="replace")
    sniff_delimiter(str(path))
    return sum(1 for _ in delimited_rows(str(path), ","))


def whole(read: Callable[[Path], object], name: str) -> Callable[[Path, str], object]:
    """What a function makes of a file."""

    def work(folder: Path, text: str) -> object:
        path = folder / name
        path.write_text(text, encoding="utf-8", errors="replace")
        try:
            return read(path)
        except ComrafError:
            return None

    return work


READERS: dict[str, Callable[[Path, str], object]] = {
    "rows": rows,
    "page": reading(KINDS["text"].reader, "a.html"),
    **{
        name: reading(kind.reader, {"text": "a.txt"}.get(name, f"a{(*kind.endings, '.txt')[0]}"))
        for name, kind in KINDS.items()
        if not kind.in_memory and name != "tsv"  # csv with another delimiter
    },
    "captions": whole(read_captions, "captions.csv"),
    "table csv": whole(read_table, "t.csv"),
    "market": whole(read_table, "t.mtx"),
    "names": whole(FrequencyFile, "f.csv"),
}
FILES: dict[str, Callable[[int], str]] = {
    "noise": lambda n: "id,text\n" + noise(n),
    "words": lambda n: "id,text\n" + words(n),
    **{
        repr(piece)[:24]: again(piece)
        for piece in (
            ",", '"', "a,b\n", 'x","\n', '"\n', ',"\n', '"a\n', "\n", "a\tb\n", '\t"\n', "[", "{",
            '{"a":', '{"a": 1}\n', "From a\n", "From \n\n", "@a{b,\n", "@a{", "@string{a=b}\n",
            "@a{b, c = {\n", "TY  - JOUR\n", "ER  - \n", "<row ", '<row Id="1" />\n', "<p>",
            '1,"open\n', '1,"open"x\n', '"a,"b\n', '1,"a""\n', "To: a@b\n",
        )
    },
    "a header of commas": lambda n: "," * n + "\nx\n",
    "a header of names": lambda n: ",".join(f"a{i % 9}" for i in range(n // 3)) + "\n" + "x,\n" * 9,
    "open quotes": lambda n: "a,b,c\n" + 'x","\n' * (n // 5),
    "open quotes that fit": lambda n: "a,b\n" + 'x","\n' * (n // 5),
    "shared by all": lambda n: (
        f"@book{{p, title={{t}}, abstract={{{'pump ' * (n // 10)}}}}}\n"
        + "".join(f"@article{{k{i}, title={{t}}, crossref={{p}}}}\n" for i in range(n // 80))
    ),
    "macros of macros": lambda n: "@string{a = {pump}}\n" + "@string{a = a # a}\n" * (n // 19),
    "mails": lambda n: "From a Mon Jan  1 10:00:00 2001\nSubject: x\n\npump\n\n" * (n // 50),
    "lines in a header": lambda n: "Subject: x\n" + "g\n" * (n // 2) + "To: a@b",
    "fields among lines": lambda n: "Subject: x\n" + ("g\n" * 38 + "To: a\n") * (n // 80),
    "numbers": lambda n: "".join(f"d{i},w{i % 7},1\n" for i in range(n // 9)),
    "market": lambda n: (
        f"%%MatrixMarket matrix coordinate integer general\n{n} {n} {n // 4}\n" + "1 1\n" * (n // 4)
    ),
    "comments": lambda n: "%%MatrixMarket matrix coordinate integer general\n" + "%\n" * (n // 2),
    "tagged": lambda n: "pump/nn leaks/vb ./.\n" * (n // 20),
    "smart": lambda n: ".I 1\n.W\npump\n" * (n // 13),
    "rows": lambda n: '{"id": 1, "text": "the pump leaks"}\n' * (n // 36),
}  # fmt: skip


@pytest.mark.parametrize("reader", READERS)
def test_a_reader_takes_time_by_the_size_alone(reader: str, tmp_path: Path) -> None:
    """Of files at random, and of all the shapes that were ever slow."""
    read = partial(READERS[reader], tmp_path)
    slow = {}
    for shape, make in FILES.items():
        if told := grows(make, read, 8_000):
            slow[shape] = told
    assert not slow


class Named:
    """A reader of items that all have one name."""

    def read(self, unit: Unit) -> list[Item]:
        return [Item("one", f"pump {i}") for i in range(int(unit.path))]


def test_items_of_one_name_take_time_by_their_number_alone() -> None:
    """Each gets a number of its own without looking at those of all others."""

    def gather(n: int) -> None:
        gatherer = Gatherer(MemoryFiles(), [Unit("x")], "text")
        for chunk in make_chunks(Named(), [(0, Unit(str(n)))], Counting()):
            gatherer.add(chunk)

    assert not grows(int, gather, 1_000)
