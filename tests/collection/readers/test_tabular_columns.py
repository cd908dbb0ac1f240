"""Which column is what."""

from __future__ import annotations

import numpy as np
import pytest

from comraf.collection.readers.tabular_columns import Columns, Row, choose_columns
from comraf.errors import InputError

NAMES = ["ID", "Created At", "Title", "Authors", "tags", "color", "rating", "label", "abstract"]
ROWS: list[Row] = [
    {
        "ID": f"k{i}",
        "Created At": f"2020-01-{i + 1:02}",
        "Title": f"On pump {i}",
        "Authors": "Ann Li, Bo Yu and Cy Oz",
        "tags": "pumps; water" if i % 2 else "gas",
        "color": "red" if i % 3 else "blue",
        "rating": i,
        "label": "a" if i < 10 else "b",
        "abstract": f"A text that is rather long, about pump number {i} and what it does.",
    }
    for i in range(20)
]


def test_everything_is_guessed_and_told() -> None:
    """A tidy table needs no options; the guesses and what was left out are told."""
    columns, notes = choose_columns(NAMES, ROWS)
    assert columns == Columns(
        text=("abstract",),
        title="Title",
        id="ID",
        date="Created At",
        people=(("Authors", "author", ","),),
        lists=(("tags", ";"),),
        values=("color",),
        truth="label",
    )
    assert notes[0].startswith("columns chosen by looking at them: id='ID'")
    assert notes[1] == (
        "why these columns: by name: 'ID', 'Created At', 'label', 'Title', 'Authors'; "
        "longest cells: 'abstract'; several entries in a cell: 'tags'; "
        "few different entries: 'color'"
    )
    assert notes[2] == "columns left out: 'rating' (numbers)"


def test_what_is_given_is_taken() -> None:
    """Told roles win over guesses, and an empty name says that there is none."""
    columns, _ = choose_columns(
        NAMES,
        ROWS,
        text=["Title", "abstract"],
        title="",
        truth="color",
        values=["rating"],
        lists={"tags": "|"},
        people=[],
    )
    assert columns.text == ("Title", "abstract")
    assert columns.title == ""
    assert columns.truth == "color"
    assert columns.values == ("rating",)
    assert columns.lists == (("tags", "|"),)
    assert columns.people == ()


def test_no_guessing_on_request() -> None:
    """Only what was said is used."""
    columns, _ = choose_columns(NAMES, ROWS, text="abstract", guess=False)
    assert columns == Columns(text=("abstract",))


def test_a_missing_column_is_named_with_those_there_are() -> None:
    """The message says what was asked for and what could have been."""
    with pytest.raises(InputError, match=r"no column 'body' for text. The columns are: 'ID', "):
        choose_columns(NAMES, ROWS, text="body")


def test_a_table_of_numbers_has_no_text() -> None:
    """Numbers are no words."""
    with pytest.raises(InputError, match="No column looks like text"):
        choose_columns(["a", "b"], [{"a": 1, "b": "2.5"}])


def test_titles_alone_are_the_text() -> None:
    """Headlines without anything else are what there is to read."""
    columns, _ = choose_columns(["title"], [{"title": "Pump leaks"}])
    assert columns == Columns(text=("title",))


def test_an_id_must_be_unique() -> None:
    """A column called id with repetitions is none."""
    columns, _ = choose_columns(["id", "x"], [{"id": 1, "x": "a b c"}, {"id": 1, "x": "d e"}])
    assert columns.id == ""


def test_several_classes_in_a_cell() -> None:
    """The first class counts, and that is told."""
    rows: list[Row] = [{"text": "some words", "area": "a\nb"}, {"text": "more words", "area": "c"}]
    columns, notes = choose_columns(["text", "area"], rows, truth="area")
    assert columns.truth_separator == "\n"
    assert any("the first one is the truth" in note for note in notes)


def test_day_or_month_first() -> None:
    """One date with a day above 12 settles it for all."""
    rows: list[Row] = [{"date": "01/02/2020", "t": "x y"}, {"date": "25/02/2020", "t": "x"}]
    assert choose_columns(["date", "t"], rows)[0].day_first
    assert not choose_columns(["date", "t"], rows[:1])[0].day_first


def test_used_columns_are_each_named_once() -> None:
    """What a reader must load, without repetition."""
    columns = Columns(text=("a", "b"), title="a", people=(("p", "to", ""),), truth="t")
    assert columns.used == ("a", "b", "p", "t")


def test_german_names_of_columns_are_known() -> None:
    """Titel and Datum are what they say."""
    rows: list[Row] = [
        {
            "Datum": f"2024-01-0{i}",
            "Titel": f"Pumpe {i}",
            "Text": f"Die Pumpe Nummer {i} leckt seit gestern, und niemand richtet sie.",
        }
        for i in range(1, 9)
    ]
    columns, _ = choose_columns(["Datum", "Titel", "Text"], rows)
    assert (columns.title, columns.date, columns.text) == ("Titel", "Datum", ("Text",))


@pytest.mark.parametrize("as_text", [False, True])
def test_a_column_of_vectors_is_no_side(as_text: bool) -> None:
    """Embeddings beside the texts are neither the longest text nor a list of values."""
    rng = np.random.default_rng(0)
    rows: list[dict[str, object]] = []
    for i in range(6):
        vector = rng.normal(size=50).tolist()
        cell = str(vector) if as_text else vector
        rows.append(
            {"said": f"the pump leaks again {i}", "meaning": cell, "years": [1999, 2000 + i]}
        )
    columns, notes = choose_columns(list(rows[0]), rows)
    assert columns.text == ("said",)
    assert [name for name, _ in columns.lists] == ["years"]
    assert "columns left out: 'meaning' (numbers)" in notes


def test_links_ids_and_tags_are_no_text() -> None:
    """A table of films without a plot is read by its titles, its people and its lists."""
    rows: list[Row] = [
        {
            "color": "Color" if i % 4 else "Black and White",
            "director_name": f"Dora {chr(65 + i % 7)}ell",
            "gross": 1000 * i,
            "actor_1_name": f"Al {chr(65 + i % 11)}ox",
            "movie_title": f"The {chr(65 + i)} of Summer",
            "plot_keywords": f"love|sea|city {i % 5}|a long walk home {i % 3}",
            "movie_imdb_link": f"http://www.imdb.com/title/tt{3332000 + i}/?ref_=fn_tt_tt_1",
            "code": f"tt{3332000 + i}-abcdefghijklmnopqrstuvwxyz",
            "seen": f"2001-02-{i + 1:02} 10:00",
            "again": f"2002-03-{i + 1:02} 11:00:00",
            "title_year": 1980 + i,
            "nothing": "",
            "studio": "Old",
        }
        for i in range(24)
    ]
    columns, notes = choose_columns(list(rows[0]), rows)
    assert columns.text == ("movie_title",)
    assert columns.date == "title_year"
    assert [name for name, _, _ in columns.people] == ["director_name", "actor_1_name"]
    assert columns.lists == (("plot_keywords", "|"),)
    assert columns.values == ("color",)
    for left in (
        "'gross' (numbers)",
        "'movie_imdb_link' (links)",
        "'code' (ids)",
        "'seen', 'again' (more dates)",
        "'nothing' (empty)",
        "'studio' (always the same)",
    ):
        assert f"columns left out: {left}" in notes


def test_a_tag_beside_a_title_is_a_value() -> None:
    """The title is the text; the tag, of few different entries, is a side."""
    rows: list[Row] = [
        {"id": i, "title": f"Short {i}", "tag": "a rather long tag" if i % 2 else "b"}
        for i in range(12)
    ]
    columns, _ = choose_columns(["id", "title", "tag"], rows)
    assert columns == Columns(text=("title",), id="id", values=("tag",))


def test_names_are_titles_or_values() -> None:
    """Names that differ name the rows; names that come again are a side; codes are neither."""
    rows: list[Row] = [
        {
            "productName": f"Kettle {chr(97 + i)} of steel",
            "shop_name": f"Shop {i % 2}",
            "about": f"It boils water number {i} in a minute or two, and then it sings.",
        }
        for i in range(12)
    ]
    columns, _ = choose_columns(list(rows[0]), rows)
    assert (columns.title, columns.values) == ("productName", ("shop_name",))
    coded: list[Row] = [{"name": f"n{i}", "about": f"words of sense {i}"} for i in range(12)]
    assert choose_columns(["name", "about"], coded)[0] == Columns(text=("about",))


def test_a_table_without_text_is_read_by_its_values() -> None:
    """Nothing is taken for text only because nothing else is left."""
    rows: list[Row] = [{"cap": "bell" if i % 2 else "flat", "odor": "none"} for i in range(12)]
    columns, _ = choose_columns(["cap", "odor"], rows)
    assert columns == Columns(values=("cap",))


def test_an_aside_in_brackets_is_no_part_of_a_name() -> None:
    """Title (orig.) is a title; 'title' in brackets alone makes none."""
    rows: list[Row] = [
        {"Film title (orig.)": f"Film {i}", "sold (title)": f"w{i} x", "Desc.": "a long text " * 9}
        for i in range(20)
    ]
    columns, _ = choose_columns(list(rows[0]), rows)
    assert columns.title == "Film title (orig.)"


@pytest.mark.parametrize("price", ["£{}.99", "{} €", "-$1,{}00", "{}%"])
def test_amounts_of_money_are_numbers(price: str) -> None:
    """Prices come again and again, and make no side."""
    rows: list[Row] = [
        {"cost": price.format(i % 5 + 1), "text": f"a text of words {i}"} for i in range(20)
    ]
    columns, notes = choose_columns(["cost", "text"], rows)
    assert not columns.values
    assert "columns left out: 'cost' (numbers)" in notes


def test_a_part_of_a_name_with_a_comma_is_explained() -> None:
    """On the command line commas separate names."""
    rows: list[Row] = [{"Price, £": "a", "text": "long words"}]
    with pytest.raises(InputError, match="A name with a comma in it stands in double quotes"):
        choose_columns(["Price, £", "text"], rows, values=["Price", "£"])


def test_columns_beside_those_that_were_named_are_not_called_different() -> None:
    """Where columns of values are named, the others are left out for that reason."""
    rows: list[Row] = [{**row, "mood": "good" if i % 4 else "bad"} for i, row in enumerate(ROWS)]
    _, notes = choose_columns([*NAMES, "mood"], rows, values=["color"])
    assert "columns left out: 'mood' (not asked for)" in notes
