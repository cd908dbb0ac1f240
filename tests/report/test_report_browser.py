"""The report and its pages in a real browser: nothing cut without a hint, nothing lost or run."""

from __future__ import annotations

import csv
import random
from collections import Counter
from pathlib import Path
from urllib.parse import unquote, urlparse

import pytest

from tests.cli.talking import comraf
from tests.report.browser import NEEDED, REFUSED, Browser, refused

pytestmark = NEEDED

N, K = 280, 26
HOSTILE = (
    "<script>document.title = 'ran'</script> of item",
    '" onmouseover="alert(1)" x="',
    "</li></ul><img src=x onerror=alert(1)>",
    "\u202eexe.fdp\u202c turned around",
    "javascript:alert(1) & &lt;b&gt; it's",
    "averyveryverylongwordwithoutanyblank" * 8,
)

#: Elements whose content goes beyond their box, without an ellipsis, a hint or a way to see it.
CUT = """(() => {
  const found = [];
  for (const e of document.querySelectorAll('body *')) {
    if (e.closest('svg, .unseen') || e.parentElement.closest('.clip')) continue;
    const box = e.getBoundingClientRect(), style = getComputedStyle(e);
    if (!box.width || !box.height) continue;
    const inside = e.closest('.scroll');
    if (box.right > innerWidth + 1 && !inside) found.push('beyond the window: ' + e.outerHTML);
    if (e.scrollWidth > e.clientWidth + 1 && style.overflowX !== 'visible'
        && style.textOverflow !== 'ellipsis') {
      const hint = e.parentElement.querySelector('.hint');
      if (!hint || hint.getBoundingClientRect().height < 10) found.push('cut: ' + e.outerHTML);
    }
  }
  return found.map(text => text.slice(0, 160));
})()"""


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report on a table in which some of the titles, people and tags are hostile."""
    root = tmp_path_factory.mktemp("browser")
    chance = random.Random(0)
    with (root / "papers.csv").open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(["key", "title", "text", "who", "genres", "plot_keywords"])
        for i in range(N):
            topic = i % K
            words = [f"t{topic}word{'abcdefghij'[chance.randrange(10)]}" for _ in range(30)]
            words += [f"common{'abcdefghij'[chance.randrange(10)]}" for _ in range(10)]
            odd = HOSTILE[i // 4 % len(HOSTILE)] if i % 4 == 0 else f"About topic {topic}"
            who = [f"Ada {chr(65 + topic)}", odd if i % 4 == 0 else f"Bo {chr(65 + topic)}"]
            tags = [f"tag of {topic % 9}", odd.replace("|", " ")]
            row = [f"key-{i:04}-end", f"{odd} {i}", " ".join(words), ";".join(who)]
            writer.writerow([*row, f"genre {topic % 5}", "|".join(tags)])
    answer = comraf(
        *("organize", root / "papers.csv", "--id", "key", "--title", "title", "--text", "text"),
        *("--people", "who", "--lists", "genres,plot_keywords", "-k", K, "--effort", "quick"),
        *("--out", root / "out"),
    )
    assert answer.exit_code == 0, answer.output
    return root / "out" / "report.html"


@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_is_cut_without_a_hint(page: Browser, report: Path, width: int) -> None:
    """No page scrolls sideways; what goes beyond its box says so; the console is silent."""
    for path in [report, report.parent / "report-pages" / "group-0.html"]:
        page.open(path)
        page.resize(width, 900)
        page.until(f"innerWidth === {width}")
        for opened in ("false", "true"):
            page.run(f"document.querySelectorAll('details').forEach(d => {{ d.open = {opened} }})")
            assert page.run("document.documentElement.scrollWidth") <= width
            assert page.run(CUT) == []
            # names of rows stay beside their rows
            assert page.run(
                "[...document.querySelectorAll('.heat')].every(heat => Math.abs("
                "heat.querySelector('.rows').getBoundingClientRect().bottom"
                " - heat.querySelector('svg').getBoundingClientRect().bottom) < 4)"
            )
        assert page.complaints() == []


def test_the_report_is_short(page: Browser) -> None:
    """Twenty-six groups take some ten windows, not forty: long tables are folded away."""
    heights = page.run(
        "Object.fromEntries([...document.querySelectorAll('section')]"
        ".map(section => [section.id, section.offsetHeight]))"
    )
    # a line and a card for each group; other sections are hardly more than a window
    allowed = {"glance": 75 * K, "groups": 110 * K}
    assert {name: h for name, h in heights.items() if h > allowed.get(name, 1200)} == {}
    tables = page.run(
        "(document.querySelectorAll('details').forEach(d => { d.open = true }),"
        " [...document.querySelectorAll('.heat .scroll')]"
        ".map(box => [box.scrollWidth, box.clientWidth]))"
    )
    assert len(tables) >= 4
    assert all(whole <= seen + 1 for whole, seen in tables)


def test_each_item_is_found_on_exactly_one_linked_page(page: Browser) -> None:
    """Pages are reached by links alone, in both directions, and what they show is text."""
    links = page.run("[...new Set([...document.querySelectorAll('a')].map(a => a.href))]")
    paths = {unquote(urlparse(link).path) for link in links}
    linked = [Path(path) for path in paths if "/report-pages/" in path]
    assert len(linked) == K
    home = page.run("location.href.split('#')[0]")
    found: Counter[str] = Counter()
    for path in linked:
        page.open(path)
        text = page.run("document.querySelector('main').innerText")
        found.update(word for word in text.split() if word.startswith("key-"))
        for attack in HOSTILE[:3]:
            # as it was written, whichever of them is here
            assert attack in text or attack.split()[-1] not in text
        back = page.run("[...document.querySelectorAll('a')].map(a => a.href.split('#')[0])")
        assert home in back
        assert page.run("document.querySelectorAll('script, [onmouseover], img').length") == 0
        assert page.run("document.title") != "ran"
        assert page.complaints() == []
    assert found == Counter(f"key-{i:04}-end" for i in range(N))


def test_policy_holds_on_pages(page: Browser, report: Path) -> None:
    """Even if something got in, a page would neither run nor load it."""
    page.open(report.parent / "report-pages" / "group-0.html")
    assert refused(page) == REFUSED


def test_sides_that_were_named_have_panels(page: Browser) -> None:
    """Lists of a table are shown, clustered or not."""
    text = page.run("document.querySelector('main').textContent")
    for side in ("genres", "plot_keywords"):
        assert f"Groups by clusters of {side}" in text or f"Groups by {side}" in text
    lines = page.run("[...document.querySelectorAll('article p.clip')].map(p => p.innerText)")
    assert sum(line.startswith("genres") for line in lines) == K
