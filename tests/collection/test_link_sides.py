"""Where pages link to, as a side of a collection."""

from __future__ import annotations

from pathlib import Path
from xml.sax.saxutils import quoteattr

import pytest

from comraf.collection.build import build_collection, update_collection
from comraf.collection.collection import Collection
from comraf.collection.detect import open_reader
from comraf.collection.items import Item
from comraf.collection.options import LinkOptions, SideOptions
from comraf.collection.readers import folder
from comraf.collection.readers.folder import TextFolderReader
from comraf.collection.readers.stackexchange import StackExchangeReader
from comraf.errors import InputError
from tests.collection.given import Given

POPULAR = "https://www.youtube.com/watch?v=1"


def _page(place: Path, number: int, *links: str, head: str = "") -> None:
    anchors = " ".join(f'<a href="{link}">here</a>' for link in links)
    (place / f"{number:03}.html").write_text(f"{head}<p>Page of number {number} {anchors}</p>")


def _site(place: Path, n: int = 24) -> Path:
    """Half of the pages link to sailing, half to cooking; all of them home and to a film."""
    place.mkdir(exist_ok=True)
    for i in range(n):
        topic = ("sails.example", "soups.example")[i % 2]
        home = "http://home.example/about/us.html"
        _page(place, i, f"http://{topic}/{i % 3}/x.html", f"https://{topic}/", home, POPULAR)
    return place


def _links(collection: Collection, row: int) -> set[str]:
    side, table = collection.sides["links"], collection.tables["links"]
    return {side.values[i] for i in table[[row]].indices}


def test_pages_have_a_side_of_links(tmp_path: Path) -> None:
    """Hosts with first directories; the film goes by the list, the home page by its share."""
    collection = build_collection(open_reader(_site(tmp_path / "site")))
    assert _links(collection, 0) == {"sails.example", "sails.example/0"}
    side = collection.sides["links"]
    assert side.facts["popular"] == 1
    assert side.facts["frequent_values"] == ["home.example/about"]
    assert set(collection.tables["links"].data.tolist()) == {1}


def test_what_is_popular_can_be_told(tmp_path: Path) -> None:
    """Another list, another share, or no links at all."""
    site = _site(tmp_path / "site")
    options = LinkOptions(popular=("sails.example",), max_share=1.0)
    collection = build_collection(open_reader(site), options=SideOptions(links=options))
    assert _links(collection, 0) == {"home.example/about", "www.youtube.com/watch"}
    off = build_collection(open_reader(site), options=SideOptions(links=LinkOptions(count=False)))
    assert "links" not in off.sides
    only = build_collection(open_reader(site), options=SideOptions(sides=("links",)))
    assert list(only.sides) == ["links"]
    sides = SideOptions(links=options)
    assert SideOptions.from_json(sides.to_json()) == sides
    with pytest.raises(InputError, match="several hosts"):
        LinkOptions(popular="sails.example")  # type: ignore[arg-type]


def test_own_address_counts_and_resolves_what_is_relative(tmp_path: Path) -> None:
    """By a base, a canonical address or a browser's note; without one they are ignored."""
    relative = ("../soups/fish.html", "#top", "mailto:a@b.example", "javascript:x()", "data:,x")
    heads = (
        '<base href="http://one.example/cook/">',
        '<link rel="canonical" href="http://one.example/cook/a.html">',
        "<!-- saved from url=(0030)http://one.example/cook/a.html -->",
        "<!--\n Page saved with SingleFile \n url: http://one.example/cook/a.html \n -->",
        "",
    )
    for i, head in enumerate(heads):
        _page(tmp_path, i, *relative, head=head)
    reader = TextFolderReader(tmp_path)
    found = [item.links for unit in reader.scan() for item in reader.read(unit)]  # type: ignore[union-attr]
    assert found == [("one.example/cook", "one.example/soups")] * 4 + [()]


@pytest.mark.parametrize(
    ("href", "places"),
    [
        ("http://x.example/" + "a" * 1_000_000, ()),
        ("http://" + "a" * 1_000_000, ()),
        ("http://" + "a." * 150 + "example/b/", ()),
        ("http://x.example/a&#31;b/c", ("x.example/a%1Fb",)),
        ("http://x.exam\x1fple/", ()),
        ("http://xn--mnchen-3ya.example/b/", ("münchen.example/b",)),
        ("http://MÜNCHEN.example/b/", ("münchen.example/b",)),
        ("http://xn--a/b/", ("xn--a/b",)),
        ("http://[::1]:80/a/", ()),
        ("http://[fe80::1%25eth0/a/", ()),
        ("http://x.example:99999999/a/", ("x.example/a",)),
        ("http://x.example:port/a/", ("x.example/a",)),
        ("http:////x", ()),
        ("//\u2100.example/", ()),
    ],
)
def test_hostile_addresses_are_read_or_left(
    href: str, places: tuple[str, ...], tmp_path: Path
) -> None:
    """Endless, broken, with control signs or other letters: none fails, none breaks the file."""
    (tmp_path / "a.html").write_text(f'Words <a href="{href}">x</a>', encoding="utf-8")
    reader = TextFolderReader(tmp_path)
    (item,) = reader.read(reader.scan()[0])
    assert item.links == places
    side = build_collection(reader).sides.get("links")
    assert (side.values if side else ()) == places


def test_a_column_of_this_name_stays_what_it_was() -> None:
    """A user's own list called links is not taken for addresses, nor mixed with them."""
    own = Item("1", "words", values={"links": ("Home Page",)})
    assert build_collection(Given(own)).sides["links"].values == ("Home Page",)
    both = Item("1", "words", values={"links": ("Home Page",)}, links=("a.example/b",))
    sides = build_collection(Given(both)).sides
    assert sides["links"].values == ("a.example/b",)
    assert sides["links column"].values == ("Home Page",)


def test_posts_of_stack_exchange_have_links(tmp_path: Path) -> None:
    """Those of their bodies, which know no address of their own."""
    body = '<p>See <a href="https://docs.example/api/x">this</a> and <a href="/q/1">that</a>.</p>'
    row = f'<row Id="4" PostTypeId="1" Title="Pumps" Body={quoteattr(body)} />'
    (tmp_path / "Posts.xml").write_text(f"<posts>\n{row}\n</posts>")
    reader = StackExchangeReader(tmp_path / "Posts.xml")
    (item,) = reader.read(reader.scan()[0])
    assert item.links == ("docs.example/api",)
    assert build_collection(reader).sides["links"].values == ("docs.example/api",)


def test_an_update_and_a_collection_of_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Links are used again; pages that were read without them are read again."""
    site, kept = _site(tmp_path / "site"), tmp_path / "kept"
    with monkeypatch.context() as before:
        before.setattr(folder, "page_places", lambda html: ())
        reader = open_reader(site)
        before.setattr(type(reader), "parallel", False)  # read here, not in another process
        del reader.links  # type: ignore[attr-defined]  # there was none
        assert "links" not in build_collection(reader, out=kept).sides
    for n in (24, 30):
        _site(site, n)
        after = update_collection(kept, open_reader(site), options=SideOptions())
        fresh = build_collection(open_reader(site))
        assert after.sides["links"].values == fresh.sides["links"].values
        assert (after.tables["links"] != fresh.tables["links"]).nnz == 0
