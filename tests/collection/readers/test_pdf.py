"""PDF files."""

from __future__ import annotations

import io
import sys
import time
from pathlib import Path

import pytest

from comraf.collection.detect import detect
from comraf.collection.items import Item, Skip
from comraf.collection.readers import pdf
from comraf.collection.readers.pdf import PdfReader
from comraf.errors import InputError, MissingExtraError, ReadError
from tests.collection.given import read_all

pypdf = pytest.importorskip("pypdf")


def page(*lines: str) -> bytes:
    """What draws lines of text."""
    drawn = " T* ".join(f"({line}) Tj" for line in lines)
    return f"BT /F1 12 Tf 14 TL 20 180 Td {drawn} ET".encode("latin-1")


def write(
    path: Path, *pages: bytes, info: dict[str, str] | None = None, locked: bool = False
) -> Path:
    """A PDF with these pages, written by hand: the tests need no font and no program."""
    font = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
    n = len(pages)
    kids = " ".join(f"{4 + 2 * i} 0 R" for i in range(n))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {n} >>".encode(),
        font,
    ]
    for i, content in enumerate(pages):
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 200] /Contents {5 + 2 * i} 0 R "
            "/Resources << /Font << /F1 3 0 R >> >> >>".encode()
        )
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content))
    data, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    data += b"xref\n0 %d\n0000000000 65535 f \n%s" % (len(places) + 1, table)
    data += b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (
        len(places) + 1,
        data.rfind(b"xref\n0"),
    )
    path.write_bytes(data)
    if info or locked:
        writer = pypdf.PdfWriter(clone_from=path)
        writer.add_metadata(info or {})
        if locked:
            writer.encrypt("x", algorithm="RC4-128")
        writer.write(path)
    return path


def read(path: Path, **options: object) -> list[Item | Skip]:
    """Everything in a folder or file."""
    return read_all(PdfReader(path, **options))


def test_a_document(tmp_path: Path) -> None:
    """Words of all pages, a hyphen at a line's end undone; what the file says about itself."""
    info = {
        "/Title": "Pumps",
        "/Author": "Ann Li and Bo Yu",
        "/Keywords": "water; seals",
        "/CreationDate": "D:19990305120000Z",
    }
    path = write(
        tmp_path / "a.pdf", page("Of pumps", "they le-", "ak."), page("The end."), info=info
    )
    (item,) = read(path)
    assert item.title == "Pumps"
    assert item.text.split() == ["Of", "pumps", "they", "leak.", "The", "end."]
    assert [person.name for person in item.people] == ["Ann Li", "Bo Yu"]
    assert item.values == {"keywords": ("water", "seals")}
    assert item.date is not None
    assert item.date.date().isoformat() == "1999-03-05"


def test_titles(tmp_path: Path) -> None:
    """A file's name is no title: the first line of words is."""
    info = {"/Title": "paper-v3.docx"}
    (item,) = read(write(tmp_path / "a.pdf", page("1", "Of pumps and men"), info=info))
    assert item.title == "Of pumps and men"


def test_a_folder(tmp_path: Path) -> None:
    """One document a file, its folder the truth; other files are passed over and told."""
    (tmp_path / "water").mkdir()
    write(tmp_path / "water" / "a.pdf", page("Pumps leak."))
    write(tmp_path / "b.PDF", page("Valves too."))
    (tmp_path / "notes.txt").write_text("x")
    assert detect(tmp_path).kind == "pdf"
    reader = PdfReader(tmp_path, truth="folders")
    found = read_all(reader)
    known = {item.id: item.truth for item in found if isinstance(item, Item)}
    assert known == {"b.PDF": tmp_path.name, "water/a.pdf": "water"}
    assert reader.notes == ["1 files are not pdf and were passed over"]


def test_what_can_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Scans, passwords, damage and size: each a skip with its reason."""
    write(tmp_path / "1.pdf", b"")
    whole = write(tmp_path / "2.pdf", page("Secret words"), locked=True)
    (tmp_path / "3.pdf").write_bytes(b"%PDF-1.4\nnothing of the kind")
    (tmp_path / "4.pdf").write_bytes(whole.read_bytes()[:200])
    found = read(tmp_path)
    assert all(isinstance(skip, Skip) for skip in found)
    reasons = [skip.reason for skip in found if isinstance(skip, Skip)]
    assert "a scan" in reasons[0]
    assert "password" in reasons[1] or "damaged" in reasons[1]
    assert "damaged PDF" in reasons[2]
    assert "damaged PDF" in reasons[3]
    monkeypatch.setattr(pdf, "MAX_BYTES", 10)
    (skip,) = read(tmp_path / "1.pdf")
    assert "larger than" in skip.reason


def test_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages and time are bounded, and the notes tell."""
    path = write(tmp_path / "a.pdf", page("One"), page("Two"), page("Three"))
    (item,) = read(path, max_pages=2)
    assert item.text.split() == ["One", "Two"]
    assert item.notes == ("read to page 2 of 3",)
    monkeypatch.setattr(pdf, "MAX_SECONDS", -1.0)
    (skip,) = read(path)
    assert isinstance(skip, Skip)


def test_pages_in_circles(tmp_path: Path) -> None:
    """A tree of pages that holds itself ends as a skip, not never."""
    path = write(tmp_path / "a.pdf", page("One"))
    path.write_bytes(path.read_bytes().replace(b"[4 0 R]", b"[2 0 R]"))
    (found,) = read(path)
    assert isinstance(found, Skip)


def test_without_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who has no pypdf is told how to get it."""
    path = write(tmp_path / "a.pdf", page("One"))
    monkeypatch.setitem(sys.modules, "pypdf", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'comraf\[pdf\]'"):
        PdfReader(path)


def test_options(tmp_path: Path) -> None:
    """Unknown ones are named; a folder without PDF files is told."""
    for option in ({"truth": "files"}, {"max_pages": 0}):
        with pytest.raises(InputError):
            PdfReader(tmp_path, **option)
    with pytest.raises(ReadError, match="There are no files"):
        PdfReader(tmp_path).scan()


def test_authors_and_hyphens(tmp_path: Path) -> None:
    """Names in BibTeX's form are people; a hyphen of a word's own stays at the end of a line."""
    lines = ("It is self-", "contained, state-of-the-", "art and a pum-", "ping co-", "op: co-op.")
    path = write(tmp_path / "a.pdf", page(*lines), info={"/Author": "Li, Ann and Yu, Bo"})
    (item,) = read(path)
    assert [person.name for person in item.people] == ["Ann Li", "Bo Yu"]
    wanted = "It is self-contained, state-of-the-art and a pumping co-op: co-op."
    assert item.text.split() == wanted.split()


def forms_within_forms(depth: int) -> bytes:
    """A page that draws a form ten times, which draws another ten times, and so on."""
    from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

    writer = pypdf.PdfWriter()
    first = writer.add_blank_page(100, 100)
    inner = None
    for _ in range(depth):
        form = DecodedStreamObject()
        form.set_data(b"" if inner is None else b"/X Do " * 10)
        form[NameObject("/Type")] = NameObject("/XObject")
        form[NameObject("/Subtype")] = NameObject("/Form")
        forms = DictionaryObject({} if inner is None else {NameObject("/X"): inner})
        form[NameObject("/Resources")] = DictionaryObject({NameObject("/XObject"): forms})
        inner = writer._add_object(form)
    forms = DictionaryObject({NameObject("/X"): inner})
    first[NameObject("/Resources")] = DictionaryObject({NameObject("/XObject"): forms})
    drawn = DecodedStreamObject()
    drawn.set_data(b"/X Do " * 10)
    first[NameObject("/Contents")] = writer._add_object(drawn)
    data = io.BytesIO()
    writer.write(data)
    return data.getvalue()


def test_a_page_of_forms_within_forms_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two kilobytes can mean a million forms; a page has some seconds and no more."""
    monkeypatch.setattr(pdf, "PAGE_SECONDS", 0.2)
    path = tmp_path / "a.pdf"
    path.write_bytes(forms_within_forms(7))
    start = time.process_time()
    reader = PdfReader(path)
    (found,) = reader.read(reader.scan()[0])
    assert time.process_time() - start < 3
    assert "1 pages can't be read" in found.reason
