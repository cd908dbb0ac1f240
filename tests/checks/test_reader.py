"""Every kind of collection passes the check of readers; what breaks a rule does not."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from comraf.checks import check_reader
from comraf.collection.items import Address, Item, Skip
from comraf.collection.kinds import KINDS, Kind
from comraf.collection.readers.files import FileReader, os_path
from comraf.collection.sample import write_mbox
from comraf.errors import InputError, RuleError

MAIL = "From: Ann <ann@x.org>\nDate: Mon, 7 May 2001 10:00:00 +0200\nMessage-ID: <{0}@x>\n"
MAIL += "Subject: Pump {0}\n\nThe pümp leaks {0} times.\n"
PAPER = {"paperId": "p1", "title": "Pumps", "abstract": "They leak.", "year": 2001,
         "authors": [{"name": "Ann Li"}], "references": ["p2"]}  # fmt: skip
#: An example of each kind: a file and what is in it.
EXAMPLES: dict[str, tuple[str, str]] = {
    "bibtex": ("a.bib", "@article{k1, title={Old pumps}, author={Ann Li and Bo Ek}, year=2001}\n"
               "@book{k2, title={Hoses}, abstract={They leak.}}\n"),
    "csv": ("a.csv", "id,text,tags\n1,the pümp leaks,a;b\n2,a hose,c\n"),
    "jsonl": ("a.jsonl", '{"id": 1, "text": "the pump leaks"}\n{"id": 2, "text": "a hose"}\n'),
    "lines": ("a.txt", "the pump leaks\na hose\n"),
    "mail": ("1.eml", MAIL.format(1)),
    "maildir": ("cur/1.x:2,S", MAIL.format(1)),
    "news": ("1", "Newsgroups: sci.pumps\nPath: a!b\n" + MAIL.format(1)),
    "papers": ("a.jsonl", "".join(json.dumps({**PAPER, "id": f"p{i}"}) + "\n" for i in range(3))),
    "ris": ("a.ris", "TY  - JOUR\nTI  - Pumps\nAU  - Li, Ann\nPY  - 2001\nAB  - Leaks.\nER  - \n"),
    "smart": ("a.all", ".I 1\n.T\nPumps\n.A\nLi, A.\n.W\nThey leak.\n.I 2\n.T\nHoses\n"),
    "stackexchange": ("Posts.xml", '<?xml version="1.0"?>\n<posts>\n  <row Id="1" PostTypeId="1" '
                      'CreationDate="2010-07-19T19:12:12.510" Title="Pump" Body="&lt;p&gt;It leaks.'
                      '&lt;/p&gt;" Tags="&lt;a&gt;&lt;b&gt;" />\n</posts>\n'),
    "tagged": ("a.txt", "The/at pump/nn leaks/vbz ./.\nA/at hose/nn helps/vbz ./.\n" * 9),
    "text": ("a.txt", "The pump leaks.\n\nA höse helps.\n"),
    "tsv": ("a.tsv", "1\tthe pump leaks\tx\n2\ta hose helps\ty\n3\tall is dry\tx\n"),
}  # fmt: skip


@pytest.mark.parametrize("kind", EXAMPLES)
def test_readers_of_text_keep_the_rules(kind: str, tmp_path: Path) -> None:
    """Damaged or not, what they read are items and skips."""
    name, content = EXAMPLES[kind]
    for folder in ("new", "tmp", "cur") if "/" in name else ("",):
        (tmp_path / "x" / folder).mkdir(parents=True)
    (tmp_path / "x" / name).write_text(content, encoding="utf-8")
    check_reader(kind, tmp_path / "x" if "/" in name else tmp_path / "x" / name)


def test_readers_of_other_files_keep_the_rules(tmp_path: Path) -> None:
    """Mailboxes, Parquet."""
    check_reader("mbox", write_mbox(tmp_path / "box.mbox", 12), n_damaged=5)
    table = pa.table({"id": ["1", "2"], "text": ["the pump leaks", "a hose"]})
    pq.write_table(table, tmp_path / "a.parquet")
    check_reader("parquet", tmp_path / "a.parquet")


class Lines(FileReader):
    """A line is an item, or what a mistake makes of it."""

    kind = "plain"

    def __init__(self, path: Path, *, mistake: str = "") -> None:
        super().__init__(path)
        self.mistake = mistake
        self.times = 0
        if mistake == "open":
            self.file = open(path)  # noqa: SIM115

    def items(self, unit):
        self.times += self.mistake == "counts"
        source = f"{self.source(unit)}:1"
        with open(os_path(self.root, unit.path), "rb") as file:
            data = file.read()
        text = data.decode("utf-8", "strict" if self.mistake == "strict" else "ignore")
        text = "".join(c for c in text if c.isprintable() or c == "\n")
        if self.mistake == "nothing" or not text:
            yield Skip(source, "" if self.mistake == "reason" else "no text")
            return
        if self.mistake == "marks":
            text += "\x07"
        people = (Address("", "", "from"),) if self.mistake == "nobody" else ()
        values = {"tags": ["a"]} if self.mistake == "list" else {}
        place = self.root if self.mistake == "absolute" else source
        for line in text.splitlines():
            yield Item(f"{self.times}", line, source=place, people=people, values=values)


@pytest.mark.parametrize(
    ("mistake", "rule"),
    [
        ("nothing", "the example has items: there are 1 skips"),
        ("counts", "items are the same each time.*a second reading"),
        ("open", "sent to another process: TypeError"),
        ("marks", r"text of an item is a string without control characters.*'\\x07'.* in a.txt:1"),
        ("nobody", "a person has a role, and a name or an address"),
        ("list", "values are tuples: 'tags'"),
        ("absolute", "where it comes from, below the folder: source='/"),
        ("strict", r"a\.txt that .* raises UnicodeDecodeError"),
        ("reason", r"a skip says why: .* \(in a\.txt that is empty\)"),
        ("", "every option has its meaning in the docstring: 'mistake' has none"),
    ],
)
def test_a_reader_that_breaks_a_rule_is_told(mistake: str, rule: str, tmp_path: Path) -> None:
    """In a sentence that says where."""
    (tmp_path / "a.txt").write_text("The pump leaks.\n", encoding="utf-8")
    with pytest.raises(RuleError, match=rule):
        check_reader(Kind("plain", "lines", Lines), tmp_path / "a.txt", mistake=mistake)


SHY = Kind("shy", "lines", Lines, recognise=lambda look: False)
GREEDY = Kind("greedy", "lines", Lines, recognise=lambda look: look.is_open)


@pytest.mark.parametrize(
    ("name", "rule"),
    [("shy", r"by looking: a\.txt is read as text"), ("greedy", "prose is not taken for it")],
)
def test_a_kind_that_takes_too_little_or_too_much_is_told(
    name: str, rule: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is recognised is the example, and no prose."""
    monkeypatch.setattr(KINDS, "places", {name: f"{__name__}:{name.upper()}", **KINDS.places})
    (tmp_path / "a.txt").write_text("The pump leaks.\n", encoding="utf-8")
    with pytest.raises(RuleError, match=rule):
        check_reader(name, tmp_path / "a.txt")


def test_a_kind_without_a_line_is_told(tmp_path: Path) -> None:
    """With those that have one."""
    with pytest.raises(InputError, match=r"kind='chats' is unknown; choose one of .*mbox"):
        check_reader("chats", tmp_path)
