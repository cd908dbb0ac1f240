"""Tables of groups and labels that a person brings in."""

from __future__ import annotations

import json

import pytest

from comraf.errors import InputError, ReadError
from comraf.results.groups import Groups
from comraf.workflows.imports import read_table

IDS = ["a", "b", "=c", "d"]


def test_tables_of_many_forms_say_the_same():
    """A header or none, CSV or JSON lines, names of columns, cells made safe for spreadsheets."""
    for text in (
        "a,tea\n'=c,law\n",
        "id\tclass\na\ttea\n=c\tlaw\nd\t-1\n",
        "Item;Title;Label\nd;x;\na;y;tea\n=c;z;law\n",
        "a tea\n=c law\n",
        "item,name\na,tea\n=c,law\n",
        '{"item": "a", "label": "tea"}\n\n{"ID": "=c", "label": "law", "item": "=c"}\n',
        '{"item":"a","label":"tea"}\n{"item":"=c","label":"law"}\n{"item":"d","label":null}',
    ):
        found = read_table(text, "x", IDS)
        assert (dict(found.labels), found.groups) == ({"tea": [0], "law": [2]}, {}), text
    found = read_table("item,cluster,name,named,pinned\na,7,x,0,1\nb,1,y,1,0\n", "x", IDS)
    now = Groups.start([0, 0, 1, 1], {0: "ships"})
    of, names = found.numbered(now)
    assert of.tolist() == [of[0], 1, 1, 1]
    assert of[0] > 1  # there is no group 7: it is a new one
    assert names == {of[0]: "", 1: "y"}
    assert (list(found.pinned), list(found.doubted)) == ([0], [])
    found = read_table("item,group,name\na,0,\n", "x", IDS)
    assert found.names == {}  # a cell that is left empty takes no name away
    found = read_table("item,group\n=c,ships\nd,new\n", "x", IDS)
    of, names = found.numbered(now)
    assert of.tolist()[:3] == [0, 0, 0]
    assert names == {0: "ships", of[3]: "new"}


def test_tables_that_cannot_be_meant_are_refused():
    """What is wrong, and in which line."""
    for text, error, said in (
        ("item,label\na,x\nz,y\n", InputError, r"lacks: 'z' \(line 3\)"),
        ("item,label\na,x\na,y\n", InputError, "'a' is 'x' in line 2 and 'y' in line 3"),
        ("item,group,name\na,1,x\nb,1,y\n", InputError, "'1' is 'x' in line 2 and 'y' in line 3"),
        ("one,two,three\na,b,c\n", ReadError, "does not name the columns"),
        ("item,label\na\n", ReadError, "line 2: has 1 columns"),
        ("", ReadError, "is empty"),
        ('{"item": "a"}\n', ReadError, "no columns of items and of labels"),
        ('{"item": "a", "label": "x"}\n[1]\n', ReadError, "line 2: is no object"),
        ("{" * 100_000, ReadError, "line 1: is no object"),
        (json.dumps({"label": "x", "group": "y"}), ReadError, "no columns"),
    ):
        with pytest.raises(error, match=said):
            read_table(text, "x.csv", IDS)
