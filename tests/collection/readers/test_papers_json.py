"""Papers in JSON and tables."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from comraf.collection.items import Item, Skip
from comraf.collection.readers.papers_fields import looks_like_papers, record_paper
from comraf.collection.readers.papers_json import PapersReader, holds_papers
from tests.collection.given import read_all

SEMANTIC = {
    "paperId": "s1",
    "title": "Pumps",
    "abstract": "They leak.",
    "authors": [{"authorId": "1", "name": "Ann Li"}, {"name": "Bo Yu"}],
    "venue": "J. Pumps",
    "year": 1999,
    "fieldsOfStudy": ["Water"],
    "citationCount": 12,
    "references": [{"paperId": "s2", "title": "Valves"}, {"paperId": None, "title": "Seals"}],
}
AMINER = {
    "id": 53,
    "title": "Pumps",
    "authors": [{"name": "Ann Li", "org": "X"}],
    "venue": {"raw": "J. Pumps", "id": 2},
    "year": 1999,
    "fos": [{"name": "Water", "w": 0.4}],
    "references": [7, 8],
    "indexed_abstract": {"IndexLength": 3, "InvertedIndex": {"leak.": [1], "They": [0]}},
}
OPENALEX = {
    "id": "W1",
    "display_name": "Pumps",
    "abstract_inverted_index": {"leak.": [1], "They": [0]},
    "authorships": [{"author": {"id": "A1", "display_name": "Ann Li"}, "institutions": []}],
    "primary_location": {"source": {"display_name": "J. Pumps"}},
    "publication_date": "1999-03-05",
    "keywords": [{"display_name": "Water", "score": 0.5}],
    "referenced_works": ["W2", "W3"],
}
CROSSREF = {
    "DOI": "10.1/x",
    "title": ["Pumps"],
    "abstract": "<jats:p>They leak.</jats:p>",
    "author": [{"given": "Ann", "family": "Li", "sequence": "first"}],
    "container-title": ["J. Pumps"],
    "issued": {"date-parts": [[1999, 3, 5]]},
    "subject": ["Water"],
    "reference": [{"key": "r1", "DOI": "10.1/y"}, {"key": "r2", "unstructured": "Old book"}],
}
ARXIV = {
    "id": "9903.1",
    "title": "Pumps",
    "abstract": "They leak.",
    "authors_parsed": [["Li", "Ann", ""]],
    "journal-ref": "J. Pumps",
    "update_date": "1999-03-05",
    "categories": "cs.WA stat.ML",
}


@pytest.mark.parametrize("row", [SEMANTIC, AMINER, OPENALEX, CROSSREF, ARXIV])
def test_sources(row: dict[str, Any]) -> None:
    """Five common sources say the same in their own ways."""
    paper = record_paper(row)
    assert looks_like_papers(row)
    assert paper.title == "Pumps"
    assert paper.abstract.split() == ["They", "leak."]
    assert paper.authors[0] == "Ann Li"
    assert paper.venue == "J. Pumps"
    assert paper.date.startswith("1999")


def test_citations_and_keywords() -> None:
    """Lists of strings, numbers and objects; counts are no citations."""
    assert record_paper(SEMANTIC).citations == ("s2", "Seals")
    assert record_paper(AMINER).citations == ("7", "8")
    assert record_paper(CROSSREF).citations == ("10.1/y", "Old book")
    assert record_paper(ARXIV).sides["categories"] == ("cs.WA", "stat.ML")
    assert record_paper(OPENALEX).keywords == ("Water",)
    assert record_paper({"title": "T", "citations": 12}).citations == ()
    assert record_paper({"title": "T", "citations": "12"}).citations == ()


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Ann Li, Bo Yu and Cy Oz", ("Ann Li", "Bo Yu", "Cy Oz")),
        ("Li, Ann; Yu, Bo", ("Ann Li", "Bo Yu")),
        ("Li, Ann and Yu, Bo", ("Ann Li", "Bo Yu")),
        ("Li, Ann", ("Ann Li",)),
        ("Ann Li", ("Ann Li",)),
    ],
)
def test_authors_in_a_cell(text: str, names: tuple[str, ...]) -> None:
    """A cell of authors in any common form."""
    assert record_paper({"title": "T", "authors": text}).authors == names


def read(path: Path, **options: str) -> list[Item | Skip]:
    """Everything in a file."""
    return read_all(PapersReader(path, **options))


@pytest.mark.parametrize("form", ["lines", "array", "wrapped", "pretty", "keyed"])
def test_forms_of_json(tmp_path: Path, form: str) -> None:
    """Lines, an array, and an object around them."""
    rows = [SEMANTIC, {**SEMANTIC, "paperId": "s9", "title": "Valves"}]
    text = {
        "lines": "\n".join(map(json.dumps, rows)),
        "array": json.dumps(rows, indent=1),
        "wrapped": json.dumps({"total": 2, "message": {"items": rows}}),
        "pretty": json.dumps({"papers": rows}, indent=2),
        "keyed": json.dumps({"s1": rows[0], "s9": rows[1]}, indent=2),
    }[form]
    file = tmp_path / "papers.json"
    file.write_text(text)
    titles = [item.title for item in read(file) if isinstance(item, Item)]
    assert titles == ["Pumps", "Valves"]
    assert holds_papers(str(file), "jsonl")


def test_a_table(tmp_path: Path) -> None:
    """Scopus' columns; entries between semicolons; the truth by its column."""
    file = tmp_path / "scopus.csv"
    file.write_text(
        "Authors,Title,Year,Source title,Cited by,DOI,Abstract,Author Keywords,References,Label\n"
        '"Li, A.; Yu, B.",Pumps,1999,J. Pumps,3,10.1/x,They leak.,water; seals,"A, Of; B, On",w\n'
    )
    assert holds_papers(str(file), "csv")
    (item,) = read(file)
    assert item.id == "10.1/x"
    assert [person.name for person in item.people] == ["A. Li", "B. Yu"]
    assert item.truth == "w"
    assert item.values == {
        "venues": ("J. Pumps",),
        "keywords": ("water", "seals"),
        "citations": ("A, Of", "B, On"),
    }
    (item,) = read(file, truth="Year")
    assert item.truth == "1999"


def test_parquet(tmp_path: Path) -> None:
    """Lists and objects of a Parquet file."""
    pq.write_table(pa.Table.from_pylist([SEMANTIC]), tmp_path / "a.parquet")
    (item,) = read(tmp_path / "a.parquet")
    assert item.values["citations"] == ("s2", "Seals")


def test_plain_tables_stay_tables() -> None:
    """What a table's reader reads well is left to it."""
    assert not looks_like_papers({"title": "T", "authors": "Ann Li", "abstract": "x"})
    assert not looks_like_papers({"title": "T", "references": ["a"]})
    assert not looks_like_papers({"text": "T", "authors": [{"name": "Ann"}]})


def test_damage(tmp_path: Path) -> None:
    """Broken lines are skipped one by one, a broken object as a whole."""
    file = tmp_path / "a.jsonl"
    file.write_text(json.dumps(SEMANTIC) + "\n{broken\n[1]\n{}\n")
    found = read(file)
    assert [isinstance(thing, Skip) for thing in found] == [False, True, True, True]
    (tmp_path / "b.json").write_text('{"papers": [\n' + "[" * 100_000)
    (skip,) = read(tmp_path / "b.json")
    assert "not JSON" in skip.reason


LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
VALUES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)
KEYS = st.sampled_from(
    ["title", "authors", "venue", "references", "abstract", "issued", "keywords"]
)


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(KEYS, VALUES))
def test_anything_goes(row: dict[str, Any]) -> None:
    """Any value of any type gives a paper of strings."""
    paper = record_paper(row)
    looks_like_papers(row)
    for text in (paper.title, paper.abstract, paper.venue, *paper.authors, *paper.citations):
        assert isinstance(text, str)


def test_further_fields_are_sides(tmp_path: Path) -> None:
    """Lists, objects and short values that have no meaning of their own; the rest is named."""
    rows = [
        {
            "title": f"T{i} pump",
            "abstract": f"water pump {i}",
            "authors": [{"name": "Ann Li"}],
            "datasets": ["mnist" if i % 2 else "imagenet"],
            "methods": [{"name": "CNN"}, {"name": f"Net {i % 3}"}],
            "language": "en" if i % 3 else "de",
            "keywords": ["pumps"],
            "topics": ["leaks"],
            "concepts": [{"display_name": "Flow", "score": 0.2}],
            "area": "x" if i % 2 else "y",
            "citedBy": 7,
            "url": f"http://x.example/{i}",
            "label": "a",
        }
        for i in range(12)
    ]
    path = tmp_path / "papers.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    reader = PapersReader(path, truth="area")
    items = read_all(reader)
    first = items[1]
    assert dict(first.values) == {
        "datasets": ("mnist",),
        "methods": ("CNN", "Net 1"),
        "language": ("en",),
        "keywords": ("pumps",),
        "topics": ("leaks",),
        "concepts": ("Flow",),
    }
    assert first.truth == "x"
    assert "fields left out: 'citedBy'" in reader.notes
    # one object around all papers, and a folder, say the same
    (tmp_path / "all").mkdir()
    (tmp_path / "all" / "papers.json").write_text(json.dumps({"papers": rows}, indent=1))
    reader = PapersReader(tmp_path / "all", truth="area")
    again = read_all(reader)
    assert [item.values for item in again if isinstance(item, Item)][1] == first.values
