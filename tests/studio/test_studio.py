"""The studio in a real browser: every verb by mouse and by key, and there after a restart."""

from __future__ import annotations

import io
import re

import pytest
from PIL import Image

import comraf
from comraf.workflows.project import open_project
from tests.studio.conftest import HOSTILE, accessible, look, page_of, restart, until


def groups_in(page) -> dict[int, tuple[str, int]]:
    """Name and size of the groups that the page shows."""
    rows = page.locator("#group-list li").evaluate_all(
        "(rows) => rows.map((row) => [row.dataset.id, ...['.name', '.num'].map((part) =>"
        " row.querySelector(part).innerText)])"
    )
    return {int(number): (name, int(size.replace(",", ""))) for number, name, size in rows}


def groups_on_disk(folder) -> dict[int, tuple[str, int]]:
    """Name (where one was given) and size of the groups in the session."""
    with open_project(folder) as project:
        groups = project.session.groups
        return {one: (groups.names.get(one, ""), size) for one, size in groups.sizes().items()}


def said(page, wanted: str) -> None:
    """Wait until the page says that something was done, which it does when it is saved."""
    page.locator("#message", has_text=wanted).wait_for()


def saved(page) -> None:
    """Wait until nothing is being saved."""
    until(lambda: page.locator("#saved").inner_text() in ("saved", "all saved"))


def test_groups_are_edited_by_mouse_and_are_there_after_a_restart(page, running, tmp_path):
    """Merge, split, rename and a drag in the page are what the next studio shows."""
    before = groups_in(page)
    assert sum(size for _, size in before.values()) == 66 + len(HOSTILE)
    rows = page.locator("#group-list li")
    first, second = (int(rows.nth(i).get_attribute("data-id")) for i in (0, 1))
    rows.nth(0).click()
    rows.nth(1).click(modifiers=["Control"])
    page.locator("#merge").click()
    said(page, "Merged 2 groups")
    assert groups_in(page)[first][1] == before[first][1] + before[second][1]
    page.locator("#rename").click()
    page.locator("#dialog input").fill("ships & tea <b>")
    page.locator("#dialog button.first").click()
    until(lambda: groups_in(page)[first][0] == "ships & tea <b>")
    page.locator("#split").click()
    page.locator("#dialog button.first").click()
    said(page, "Split in 2")
    (new,) = set(groups_in(page)) - set(before)
    # dragged from the open group to another one
    page.locator(f"#group-{new}").click()
    until(
        lambda: (
            page.locator("#group-facts").inner_text().endswith(f"group {new} · split from {first}")
        )
    )
    n = groups_in(page)[first][1]
    document = page.locator("#document-list li").first
    moved = int(document.get_attribute("data-n"))
    document.drag_to(page.locator(f"#group-{first}"))
    said(page, "Moved 1 row")
    assert groups_in(page)[first][1] == n + 1
    shown = groups_in(page)
    restart(page, running)
    assert {g: size for g, (_, size) in groups_on_disk(running.folder).items()} == {
        g: size for g, (_, size) in shown.items()
    }
    with open_project(running.folder) as project:
        assert project.session.groups.of[moved] == first
        assert moved in project.session.said.pinned
    page.keyboard.press("e")
    for link in page.locator("#dialog a[download]").all():
        with page.expect_download() as got:
            link.click()
        taken = got.value.path()
        assert got.value.suggested_filename == link.get_attribute("download")
        assert taken.stat().st_size > 1000
        if got.value.suggested_filename == "groups.csv":
            assert taken.read_text().count("ships & tea <b>") == shown[first][1]
    page.get_by_role("button", name="Save as an answer").click()
    page.get_by_label("Folder", exact=True).fill("taken")
    page.keyboard.press("Enter")
    said(page, "Written to")
    with comraf.open_answer(running.folder.parent / "taken") as answer:
        assert sorted(size for _, size in shown.values()) == sorted(
            group["size"] for group in answer.groups()
        )
    file = tmp_path / "mine.csv"
    file.write_text("item,group,label\nsea1,apart,boats\nsea2,apart,boats\n")
    assert groups_in(page) == shown
    page.keyboard.press("e")
    page.get_by_label("File to bring in").set_input_files(file)
    said(page, "Brought in mine.csv")
    assert ("apart", 2) in groups_in(page).values()
    assert page.locator("#group-list", has_text="boats (2)").count() == 1
    page.keyboard.press("u")
    said(page, "Undone")
    assert groups_in(page) == shown


def test_everything_can_be_done_by_keys(page, running):
    """Each verb has a key; undo and redo go back and forth through all of them."""
    start = groups_in(page)
    page.locator("#document-list").focus()
    flags = page.locator("#document-list li.here .flag")
    for key, message, flag in (("p", "Pinned", "pinned"), ("w", "Called wrong", "wrong")):
        page.keyboard.press(key)
        said(page, message)
        until(lambda flag=flag: any(flag in text for text in flags.all_inner_texts()))
    page.keyboard.press("l")
    page.keyboard.type("boats")
    page.keyboard.press("Enter")
    until(lambda: "boats" in flags.all_inner_texts())
    follows = page.locator("#document-list .here + li").get_attribute("data-n")
    page.keyboard.press("v")
    page.keyboard.type("new group")
    page.keyboard.press("Enter")
    said(page, "Moved 1 row")
    until(lambda: page.locator("#document-list .here").get_attribute("data-n") == follows)
    page.keyboard.press("u")
    until(lambda: groups_in(page) == start)
    for _ in range(2):
        page.keyboard.press("x")
        page.keyboard.press("j")
    until(lambda: page.locator("#document-list [aria-selected=true]").count() == 2)
    page.keyboard.press("v")
    page.keyboard.type("new group")
    page.keyboard.press("Enter")
    said(page, "Moved 2 rows")
    assert len(groups_in(page)) == len(start) + 1
    page.keyboard.press("s")
    page.keyboard.type("3")
    page.keyboard.press("Enter")
    said(page, "Split in 3")
    page.keyboard.press("r")
    page.keyboard.type("by keys")
    page.keyboard.press("Enter")
    until(lambda: "by keys" in [name for name, _ in groups_in(page).values()])
    page.locator("#group-list").focus()
    page.keyboard.press("J")
    until(lambda: "by keys" not in page.locator("#group-name").inner_text())
    page.keyboard.press("Space")
    said(page, "Chosen too")
    page.keyboard.press("m")
    said(page, "Merged 2 groups")
    end = groups_in(page)
    for _ in range(7):
        page.keyboard.press("u")
        said(page, "Undone")
        saved(page)
    assert groups_in(page) == start
    assert page.locator("#undo").is_disabled()
    for _ in range(7):
        page.keyboard.press("Shift+U")
        said(page, "Done again")
        saved(page)
    assert groups_in(page) == end
    page.keyboard.press("?")
    assert page.locator("dialog kbd").count() >= 15
    page.keyboard.press("Escape")
    with open_project(running.folder) as project:
        kinds = [entry.kind for entry in project.session.history()][::-1]
        assert kinds == "run pin doubt label move split rename merge".split()
        assert {entry.who for entry in project.session.history()} == {"", "Ann"} - {""} | {"Ann"}


def test_versions_are_named_compared_and_branched(page):
    """What is different between two versions is shown, and branches are gone to and fro."""
    page.keyboard.press("Space")
    said(page, "Chosen too")
    page.keyboard.press("m")
    said(page, "Merged 2 groups")
    merged = len(groups_in(page))
    until(lambda: "merged from" in page.locator("#group-facts").inner_text())
    facts = page.locator("#group-facts").inner_text()
    stays, gone = re.search(r"merged from (\d+) and (\d+)", facts).groups()
    page.keyboard.press("h")
    page.get_by_role("button", name="Name this one").click()
    page.locator("#dialog input[type=text]").fill("after merging")
    page.keyboard.press("Enter")
    said(page, "Named")
    page.keyboard.press("h")
    page.get_by_role("button", name="New branch").click()
    page.locator("#dialog input[type=text]").fill("bold")
    page.keyboard.press("Enter")
    said(page, "On branch bold")
    page.keyboard.press("u")
    said(page, "Undone")
    page.keyboard.press("h")
    boxes = page.locator("#dialog input[type=checkbox]")
    until(lambda: boxes.count() >= 2)
    assert boxes.first.bounding_box()["width"] < 40  # the rest is for what was said
    # what stands elsewhere in the tree can be compared, too
    boxes.first.check()
    page.locator("#dialog .row", has_text="after merging").get_by_role("checkbox").check()
    page.get_by_role("button", name="Compare two").click()
    page.locator("#dialog", has_text="in another group").wait_for()
    page.get_by_role("button", name="Close").click()
    page.keyboard.press("h")
    page.get_by_role("button", name="To branch main").click()
    said(page, "On branch main")
    assert len(groups_in(page)) == merged
    page.keyboard.press("h")
    for place in (0, 1):
        page.locator("#dialog input[type=checkbox]").nth(place).check()
    page.get_by_role("button", name="Compare two").click()
    page.locator("#dialog", has_text=re.compile(r"\d+ rows? in another group")).wait_for()
    assert "gone" in page.locator("#dialog td").all_inner_texts()
    page.locator("#dialog tr", has_text=f"({gone}) became {stays}").wait_for()
    page.get_by_role("button", name="Close").click()


def test_documents_are_searched_sorted_and_explained(page):
    """Search finds all and lights up groups; a document says why it is where it is."""
    page.keyboard.press("/")
    page.keyboard.type("kettle")
    page.keyboard.press("Enter")
    until(lambda: "found" in page.locator("#group-facts").inner_text())
    n = int(page.locator("#group-facts").inner_text().split()[0])
    assert 5 < n < 23
    flags = [int(t.split()[0]) for t in page.locator("#group-list .flag").all_inner_texts()]
    assert sum(flags) == n
    page.locator("#document-list li").first.click()
    page.locator("#reading mark", has_text="kettle").first.wait_for()
    assert page.locator("#reading .for li").count() > 1
    assert "Why it is in" in page.locator("#reading").inner_text()
    page.locator("#group-list").focus()
    page.keyboard.press("Escape")
    until(lambda: "group" in page.locator("#group-facts").inner_text())
    page.locator("#sort").select_option("doubt")
    until(lambda: len(sure := confidences(page)) > 2 and sure == sorted(sure))
    page.locator("#sort").select_option("confidence")
    until(lambda: (sure := confidences(page)) == sorted(sure, reverse=True))


def confidences(page) -> list[int]:
    """Confidences of the documents that are listed."""
    return [int(t.rstrip("%")) for t in page.locator("#document-list .num").all_inner_texts()]


def test_hostile_documents_are_nothing_but_text(page):
    """Scripts, pictures, links and overrides in titles, texts and names stay text."""
    seen = 0
    for word in ("alert", "javascript", "annual", "display", "AAAA", "evil"):
        page.locator("#query").fill(word)
        page.keyboard.press("Enter")
        until(lambda word=word: word in page.locator("#group-name").inner_text())
        for row in page.locator("#document-list li").all():
            row.click()
            title = row.locator(".name").inner_text()
            until(lambda t=title: page.locator("#reading h2").inner_text() == t)
            seen += "<i>" in title
            inside = page.locator("#reading :is(script, style, iframe, svg, base, i, u, b[dir])")
            assert inside.count() == 0
            assert "\u202e" not in page.locator("#reading").inner_text()
    assert seen >= len(HOSTILE) - 1
    assert "Mallory" in page.locator("#reading").inner_text()
    assert page.title().endswith("comraf studio")


def test_second_tab_sees_the_conflict_and_loses_nothing(chromium, page, running):
    """Two people edit at once: the later one is told, sees the new groups, and says it again."""
    with page_of(chromium, running.url, fine=False) as two:
        assert groups_in(page) == groups_in(two)
        page.keyboard.press("r")
        page.keyboard.type("first")
        page.keyboard.press("Enter")
        until(lambda: "first" in [name for name, _ in groups_in(page).values()])
        two.locator("#document-list").focus()
        two.keyboard.press("p")
        said(two, "have changed meanwhile (rename)")
        assert "first" in [name for name, _ in groups_in(two).values()]
        two.keyboard.press("p")
        said(two, "Pinned")
        assert [text for text in two.wrong if "409" not in text] == []
    assert "first" in [name for name, _ in groups_on_disk(running.folder).values()]


def test_map_shows_all_and_a_lasso_chooses(page, running):
    """What a lasso catches is moved as one; the same is done by keys; search lights up dots."""
    facts, box = page.locator("#map-facts"), page.locator("#map-box")
    for painter in ("canvas", "webgl"):
        wanted = painter.replace("canvas", "plain")
        look(page, f"http://127.0.0.1:{running.port}/?map={wanted}")
        before = groups_in(page)
        n = sum(size for _, size in before.values())
        page.keyboard.press("g")
        until(lambda n=n: facts.inner_text() == f"{n} of {n} rows")
        assert not page.locator("#map-time").is_visible()  # there are no dates
        found = box.get_attribute("data-painter")
        assert found == painter or (painter, found) == ("webgl", "canvas")  # no WebGL here
        until(lambda: colourful(page) > 20)
        at = box.bounding_box()
        corners = [(2, 2), (0.55, 2), (0.55, -2), (2, -2), (2, 3)]
        places = [
            (at["x"] + (x if x >= 1 else x * at["width"]), at["y"] + (y % at["height"]))
            for x, y in corners
        ]
        page.mouse.move(*places[0])
        page.mouse.down()
        for x, y in places[1:]:
            page.mouse.move(x, y, steps=4)
        page.mouse.up()
        until(lambda: facts.inner_text().endswith("chosen"))
        caught = int(facts.inner_text().split()[0])
        assert 2 < caught < n
    page.keyboard.press("v")
    page.keyboard.type("new group")
    page.keyboard.press("Enter")
    said(page, f"Moved {caught} rows")
    assert max(groups_in(page)) not in before
    assert groups_in(page)[max(groups_in(page))][1] == caught
    page.locator("#map-box canvas").last.focus()
    page.keyboard.press("0")
    page.keyboard.press("Enter")
    until(lambda: facts.inner_text() == f"{n} chosen")
    page.locator("#map-none").click()
    page.locator("#map-by").select_option("people")
    until(lambda: page.locator("#map-key span[dir]").count() > 3)
    page.locator("#query").fill("kettle")
    page.keyboard.press("Enter")
    until(lambda: facts.inner_text().endswith("found"))
    with open_project(running.folder) as project:
        project.regroup(3, by=["people"])
    with page.expect_response("**/api/map/places"):  # another search has another map
        page.evaluate("window.dispatchEvent(new Event('focus'))")
    said(page, "were changed elsewhere")
    assert max(groups_in(page)) > max(before)
    with page.expect_response("**/api/map/places"):
        page.locator("#undo").click()
    until(lambda: facts.inner_text().endswith("found"))


def colourful(page) -> int:
    """How many different colours that are no grey the map shows."""
    with Image.open(io.BytesIO(page.locator("#map-box").screenshot())) as image:
        shown = image.convert("RGB").getcolors(1 << 24)
    return sum(max(colour) - min(colour) > 60 for _, colour in shown)


DIALOGS = {
    "h": ".row button",
    "q": ".two",
    "b": ".curve.wide",
    "t": ".beside",
    "i": ".own button",
    "e": "a[download]",
    "v": ".choice",
    "r": "input",
    "?": "kbd",
}


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_page_and_dialogs_are_accessible_and_fit(page, running, width, scheme):
    """No serious findings of axe, and nothing wider than the window or its dialog."""
    look(page, running.url, width=width, scheme=scheme)
    for pane in ("groups", "documents", "reading") if width < 700 else ("groups",):
        if width < 700:
            page.locator(f".panes button[data-to={pane}]").click()
        page.locator(f"#{pane}").wait_for()
        accessible(page)
    dialog = page.locator("#dialog")
    for key, part in DIALOGS.items():
        page.keyboard.press(key)
        dialog.locator(part).first.wait_for()
        accessible(page, "#dialog")
        page.keyboard.press("Escape")
        dialog.wait_for(state="hidden")
        page.evaluate("document.activeElement.blur()")
