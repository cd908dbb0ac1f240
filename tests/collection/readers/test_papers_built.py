"""From files of papers to collections with sides."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from comraf.collection.build import build_collection, update_collection
from comraf.collection.detect import open_reader
from comraf.collection.items import Item

BIB = """@article{{k{n}, title={{Pumps {n}}}, author={{Li, Ann and M{{\\"u}}ller, Bo}},
 journal={{J. Pumps}}, keywords={{leaks, seals}}, cites={{k0, k1}}, abstract={{They leak.}}}}
"""
RIS = (
    "TY  - JOUR\nID  - k{n}\nTI  - Pumps {n}\nAU  - Li, Ann\nJO  - J. Pumps\nKW  - leaks\nER  - \n"
)
POST = '<row Id="{n}" PostTypeId="1" Title="Pumps {n}" Tags="&lt;leaks&gt;" OwnerUserId="7" />\n'
SMART = (
    ".I {n}\n.T\nPumps\n.A\nLi, A.\n.B\nJ. Pumps, 1999\n.W\nThey leak {n} times.\n.X\n1\t5\t{n}\n"
)
JSON = (
    '{{"id": "k{n}", "title": "Pumps {n}", "authors": [{{"name": "Ann Li"}}], "cites": ["k1"]}}\n'
)


@pytest.mark.parametrize(
    ("name", "form", "around", "sides"),
    [
        ("refs.bib", BIB, ("", ""), {"people", "venues", "keywords", "citations"}),
        ("refs.ris", RIS, ("", ""), {"people", "venues", "keywords"}),
        ("Posts.xml", POST, ("<posts>\n", "</posts>"), {"people", "tags"}),
        ("x.all", SMART, ("", ""), {"people", "venues", "citations"}),
        ("p.jsonl", JSON, ("", ""), {"people", "citations"}),
    ],
)
def test_sides(
    tmp_path: Path, name: str, form: str, around: tuple[str, str], sides: set[str]
) -> None:
    """A file simply opens, its sides are there, and a grown one is brought up to date."""
    file = tmp_path / name
    rows = [form.format(n=n) for n in range(12)]
    file.write_text(around[0] + "".join(rows[:11]) + around[1])
    reader = open_reader(file)
    collection = build_collection(reader, out=tmp_path / "kept")
    assert len(collection) == 11
    assert sides <= set(collection.sides)
    assert collection.n_skipped == 0
    again = pickle.loads(pickle.dumps(reader))  # noqa: S301 -- as it goes to other processes
    assert all(isinstance(item, Item) for unit in again.scan() for item in again.read(unit))
    file.write_text(around[0] + "".join(rows) + around[1])
    assert len(update_collection(tmp_path / "kept", open_reader(file))) == 12


def test_one_author_of_many_spellings(tmp_path: Path) -> None:
    """People are united over forms of a name and ways of writing its letters."""
    names = ['M{\\"u}ller, J{\\"o}rg', 'J\\"org M\\"uller', "Müller, Jörg"]
    text = "".join(
        f"@a{{k{n}, title={{Pumps {n}}}, author={{{name}}}}}\n" for n, name in enumerate(names)
    )
    (tmp_path / "refs.bib").write_text(text, encoding="utf-8")
    collection = build_collection(open_reader(tmp_path))
    assert collection.sides["people"].values == ("Jörg Müller",)
