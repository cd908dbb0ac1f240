"""Tables of captions as people and programs really write them."""

from __future__ import annotations

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
