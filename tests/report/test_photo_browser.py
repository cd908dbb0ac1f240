"""The page about photos in a real browser: pictures load, mouse and keys work, nothing runs."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("PIL", reason="photos need the extra images (Pillow)")

from comraf.images.sample import iter_photos
from tests.cli.talking import comraf
from tests.report.browser import NEEDED, REFUSED, Browser, refused

pytestmark = NEEDED

N = 27
NAMES = ('"><img src=x onerror=alert(1)>.jpg', 'it\'s & "so" &lt;b&gt;.jpg')
# tags are taken out of captions when they are read; what is no whole tag is not
CAPTION = 'I <3 the sea & "it\'s" </figcaption <img src=x onerror=alert(2) sand'


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report about some sample photos, two of which have hostile names and captions."""
    root = tmp_path_factory.mktemp("browser")
    (root / "photos").mkdir()
    lines = []
    for number, photo in enumerate(iter_photos(N)):
        name = NAMES[number] if number < len(NAMES) else photo.name
        (root / "photos" / name).write_bytes(photo.jpeg())
        said = CAPTION if number < len(NAMES) else (*photo.captions, "A photo")[0]
        lines.append(f"{name}\t{said}\n")
    (root / "photos" / "captions.tsv").write_text("".join(lines), encoding="utf-8")
    answer = comraf(
        *("organize", root / "photos", "-k", 3, "--effort", "quick", "--sizes", "even"),
        *("--out", root / "out"),
    )
    assert answer.exit_code == 0, answer.output
    return root / "out" / "report.html"


def group_pages(report: Path) -> list[Path]:
    """Pages of the groups."""
    return sorted((report.parent / "report-pages").iterdir())


def test_pictures_load_and_nothing_else(page: Browser, report: Path) -> None:
    """Every picture of the mosaics is there, without an error, a request or a dialog."""
    found = []
    for path in [report, *group_pages(report)]:
        page.open(path)
        page.run("document.querySelectorAll('details').forEach(d => { d.open = true })")
        sizes = page.run(
            "Promise.all([...document.images].map(async image => {"
            " image.loading = 'eager'; await image.decode(); return image.naturalWidth }))"
        )
        found.append(len(sizes))
        assert min(sizes) > 50
        assert page.complaints() == []
    # all of them on the pages of groups, a few in the report
    assert sum(found[1:]) == N
    assert 0 < found[0] <= 3 * 6


def test_click_shows_name_and_caption(page: Browser) -> None:
    """What a photo is stays hidden until it is clicked or pointed at."""
    shown = "getComputedStyle(document.querySelector('.mosaic figcaption')).opacity"
    assert page.run(shown) == "0"
    page.point(".mosaic figure", click=True)
    page.until(f"{shown} === '1'")
    # it stays when the mouse goes, for it was clicked
    page.point("h1", click=False)
    assert page.run("document.activeElement.tagName") == "FIGURE"
    page.until(f"{shown} === '1'")
    text = page.run("document.activeElement.querySelector('figcaption').innerText")
    alt = page.run("document.activeElement.querySelector('img').alt")
    assert ".jpg" in text
    assert alt[:40] in text
    # pointing at another one is enough
    page.point(".mosaic figure:nth-child(2)", click=False)
    page.until(shown.replace(".mosaic ", ".mosaic figure:nth-child(2) ") + " === '1'")


def test_keyboard_reaches_names_and_captions(page: Browser, report: Path) -> None:
    """Tab comes to the list of a mosaic's names, Enter opens it; photos are no stops."""
    page.open(group_pages(report)[0])
    at = "document.activeElement.matches('.listed > summary')"
    for _ in range(300):
        page.press("Tab", 9)
        assert page.run("document.activeElement.tagName") != "FIGURE"
        if page.run(at):
            break
    assert page.run(at)
    assert not page.run("document.activeElement.parentElement.open")
    page.press("Enter", 13, "\r")
    page.until("document.activeElement.parentElement.open")
    lines = page.run("[...document.activeElement.parentElement.querySelectorAll('li')].length")
    pictures = page.run(
        "document.activeElement.closest('details').previousElementSibling"
        ".querySelectorAll('figure').length"
    )
    assert lines >= pictures > 0
    assert ".jpg" in page.run("document.activeElement.parentElement.innerText")


def test_hostile_names_and_captions_are_text(page: Browser, report: Path) -> None:
    """Markup in names and captions is shown as it was written, and never becomes an element."""
    text = ""
    odd = "script, [onerror], [onload], img:not([src^='data:image/jpeg']), figcaption svg"
    for path in group_pages(report):
        page.open(path)
        text += page.run("document.querySelector('main').textContent")
        assert page.run(f'document.querySelectorAll("{odd}").length') == 0
        assert page.complaints() == []
    for name in NAMES:
        assert name in text
    assert CAPTION in text


def test_policy_holds(page: Browser) -> None:
    """Even if something got in, the page would neither run nor load it."""
    assert refused(page) == REFUSED


@pytest.mark.parametrize("width", [390, 320])
def test_nothing_is_wider_than_a_telephone(page: Browser, width: int) -> None:
    """The page scrolls down and never sideways, with all lists open."""
    page.resize(width, 800)
    page.run("document.querySelectorAll('details').forEach(d => { d.open = true })")
    page.until(f"innerWidth === {width}")
    assert page.run("document.documentElement.scrollWidth") <= width
    # the mosaic has several columns even there
    tops = page.run(
        "[...document.querySelectorAll('.mosaic')[0].children]"
        ".map(figure => Math.round(figure.getBoundingClientRect().top))"
    )
    assert tops.count(tops[0]) >= 2


@pytest.mark.parametrize("group", range(3))
def test_lists_leave_no_holes(page: Browser, report: Path, group: int) -> None:
    """Long and short lists of a group fill its width, however many there are."""
    page.open(group_pages(report)[group])
    page.resize(1200, 900)
    page.until("innerWidth === 1200")
    # a short list between long ones, as places are
    page.run(
        "document.querySelectorAll('.tell').forEach(tell => { const short ="
        " document.createElement('div'); short.innerHTML = '<h4>places</h4><ol><li>1</li></ol>';"
        " tell.insertBefore(short, tell.children[1]) })"
    )
    found = page.run(
        "[...document.querySelectorAll('.tell')].map(tell => {"
        " const high = [...tell.children].map(e =>"
        "  e.lastElementChild.getBoundingClientRect().bottom"
        "  - e.firstElementChild.getBoundingClientRect().top);"
        " return [tell.getBoundingClientRect().height, Math.max(...high),"
        "  high.reduce((a, b) => a + b)] })"
    )
    assert len(found) == 1
    for height, longest, whole in found:
        assert height < 1.5 * max(longest, whole / 3)
