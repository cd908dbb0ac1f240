"""Tables of captions as people and programs really write them."""

from __future__ import annotations

import json
import time

import pytest

from comraf.collection.readers.captions import parse_captions, plain_caption
from comraf.errors import ReadError


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".txt"])
@pytest.mark.parametrize(
    ("first", "mark"),
    [("ok0.jpg#0", "\t"), ("ok0.jpg", ","), ("ok0.JPG", ";"), ("ok0.png", "|"), ("ok0", ",")],
)
def test_mark_between(first, mark, ending):
    """The mark after the name parts the line, however many others the caption has."""
    caption = "A dog, a cat, and a cow" + (", or; so" if mark == "," else "")
    found = parse_captions(f"{first}{mark}{caption}\n{first}{mark}A pig", ending)
    assert found == [(first.removesuffix("#0"), caption), (first.removesuffix("#0"), "A pig")]


@pytest.mark.parametrize(
    ("text", "captions"),
    [
        ("image,caption\na.jpg,A dog, running fast", ["A dog, running fast"]),
        ("image,caption\na.jpg,A dog,,", ["A dog"]),
        ("image,caption,licence\na.jpg,A dog, running,free", ["A dog, running"]),
        ("caption,image\nA dog, running,a.jpg", ["A dog, running"]),
        ("a.jpg,A dog, running fast, 1,000 miles", ["A dog, running fast, 1,000 miles"]),
        ("a.jpg,0,A dog, running", ["A dog, running"]),
        ('a.jpg,"A dog.", "A cat, asleep."', ["A dog.", "A cat, asleep."]),
        ("a.jpg,text", ["text"]),
    ],
)
def test_commas_in_captions(text, captions):
    """Commas that nobody quoted are part of the caption."""
    assert parse_captions(text, ".csv") == [("a.jpg", caption) for caption in captions]


@pytest.mark.parametrize("header", ["", "image,caption\n"])
@pytest.mark.parametrize("closed", ['"A pig, asleep."', "A pig, asleep."])
def test_open_quotes(header, closed):
    """A quotation mark that is never closed costs no other photo its caption."""
    text = f'{header}a.jpg,"A dog\nb.jpg,{closed}\nc.jpg,The 5" pipe\nd.jpg,"Two\nlines"\ne.jpg,"E'
    assert parse_captions(text, ".csv") == [
        ("a.jpg", '"A dog'),
        ("b.jpg", "A pig, asleep."),
        ("c.jpg", 'The 5" pipe'),
        ("d.jpg", "Two lines"),
        ("e.jpg", '"E'),
    ]


def test_open_quote_in_a_long_file():
    """Neither the limit of a cell nor names without endings make the rest of a file vanish."""
    rows = "\n".join(f"p{number},A dog and some more words" for number in range(9000))
    assert len(parse_captions(f'image,caption\nfirst,"A cat\n{rows}', ".csv")) == 9001

    rows = "\n".join(f'p{number},"A dog' for number in range(50))
    assert len(parse_captions(rows, ".csv")) == 50


@pytest.mark.parametrize("header", ["image,label,url", "file;licence", "name\tsplit"])
def test_no_column_of_captions(header):
    """Columns that are no captions are not taken for some."""
    with pytest.raises(ReadError, match="no column holds captions"):
        parse_captions(f"{header}\na.jpg,x,y\n", ".csv")


@pytest.mark.parametrize(
    ("caption", "plain"),
    [
        ("A <b>dog</b> &amp; a cat", "A dog & a cat"),
        ("<script>alert(1)</script>A dog", "A dog"),
        ("A dog &lt;script&gt;alert(1)&lt;/script&gt;", "A dog"),
        ("A dog <script src=x", "A dog"),
        ("It&#39;s a dog<br>and a cat", "It's a dog and a cat"),
        ("I <3 dogs > cats & cows", "I <3 dogs > cats & cows"),
        ("A <!-- not --> dog", "A dog"),
    ],
)
def test_markup(caption, plain):
    """Captions lose their markup, and what only looks like some stays."""
    assert plain_caption(caption) == plain
    assert parse_captions(f"a.jpg\t{caption}") == [("a.jpg", plain)]


@pytest.mark.parametrize(
    ("text", "ending", "captions"),
    [
        ("image,caption\na.jpg,1984\n", ".csv", ["1984"]),
        ("image\tnumber\tcaption\na.jpg\t0\t1984\n", ".tsv", ["1984"]),
        ("a.jpg\t1984", ".tsv", ["1984"]),
        ("a.jpg\t0\tA dog", ".tsv", ["A dog"]),
        ("a.jpg,0,1984", ".csv", ["1984"]),
        ('[{"image": "a.jpg", "caption": 1984}]', ".json", ["1984"]),
    ],
)
def test_numbers(text, ending, captions):
    """A caption may be a number; the number of a caption is none."""
    assert parse_captions(text, ending) == [("a.jpg", caption) for caption in captions]


def test_names_keep_their_blanks():
    """Two blanks in a name are part of it, those around it are not."""
    assert parse_captions(" a  b.jpg \tA  dog") == [("a  b.jpg", "A dog")]


def test_open_cells_are_quick():
    """Cells that are never closed, over long lines, or many commas are read in one go."""
    long = "y" * 50_000
    text = "\n".join(['a.x,"' + long, *['z""' + long] * 100, f"b.jpg,{' ' * 100_000}A cat"])
    started = time.process_time()
    assert parse_captions(text, ".csv")[-1] == ("b.jpg", "A cat")
    assert len(parse_captions("image,caption\na.jpg,A dog" + "," * 200_000, ".csv")) == 1
    blanks = 'image,caption\nfirst,"A cat\n' + f"{' ' * 100_000}x\n" * 9
    assert parse_captions(blanks, ".csv")[0] == ("first", '"A cat')
    assert time.process_time() - started < 1


def test_huge_cell():
    """A quoted cell beyond what is read costs no other photo its caption."""
    found = parse_captions(f'a.jpg,"{"dog " * 50_000}"\nb.jpg,"A cat, asleep."', ".csv")
    assert [name for name, _ in found] == ["a.jpg", "b.jpg"]
    assert found[1][1] == "A cat, asleep."


def test_cells_over_lines():
    """Cells over lines with doubled marks, and several of them in a row, are whole."""
    text = 'a.jpg,"The ""old""\ndog\n","A cat\nasleep"\nb.jpg,"A pig\n""\n'
    assert parse_captions(text, ".csv") == [
        ("a.jpg", 'The "old" dog'),
        ("a.jpg", "A cat asleep"),
        ("b.jpg", '"A pig'),
    ]


@pytest.mark.parametrize(
    ("text", "ending"),
    [
        ("a.jpg\tA dog.\na.jpg\tA cat.", ".tsv"),
        ("image\tcaption\na.jpg\tA dog.\na.jpg\tA cat.", ".tsv"),
        ("a.jpg#0\tA dog.\na.jpg#1\tA cat.", ".txt"),
        ("image_name| comment_number| comment\na.jpg| 0| A dog.\na.jpg| 1| A cat.", ".csv"),
        ('caption,file\n"A dog.",a.jpg\nA cat.,a.jpg', ".csv"),
        ("a.jpg;A dog.;A cat.", ".csv"),
        ('{"a.jpg": ["A dog.", "A cat."]}', ".json"),
        ('[{"file_name": "a.jpg", "captions": ["A dog.", "A cat."]}]', ".json"),
        ('[["a.jpg", "A dog.", "A cat."]]', ".json"),
        ('{"image": "a.jpg", "text": "A dog."}\n{"image": "a.jpg", "text": "A cat."}', ".jsonl"),
        (
            json.dumps(
                {
                    "images": [{"id": 7, "file_name": "a.jpg"}],
                    "annotations": [
                        {"image_id": 7, "caption": "A dog."},
                        {"image_id": 7, "caption": "A cat."},
                    ],
                }
            ),
            ".json",
        ),
    ],
)
def test_forms_of_captions(text, ending):
    """Captions come in many forms and mean the same."""
    assert parse_captions(text, ending) == [("a.jpg", "A dog."), ("a.jpg", "A cat.")]


def test_captions_are_clean():
    """Control characters of captions don't reach a terminal, and quotes in TSV stay."""
    assert parse_captions('a.jpg\tThe "old\x1b[31m dog') == [("a.jpg", 'The "old[31m dog')]
