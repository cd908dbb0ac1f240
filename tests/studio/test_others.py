"""People, words and subjects with groups of their own, in a real browser."""

from __future__ import annotations

import re

import numpy as np

from comraf.studio import map as maps
from comraf.studio.view import View
from comraf.workflows.project import open_project
from tests.studio.conftest import HOSTILE, Client, look, restart, until
from tests.studio.test_studio import said


def found(page, n: int) -> None:
    """Wait until so many documents are listed."""
    until(lambda: page.locator("#group-facts").inner_text() == f"{n} rows found")


def test_documents_of_a_person_are_a_selection_that_verbs_take(page, running):
    """Click a person, choose all, label and move: exactly their documents, and a key for each."""
    with open_project(running.folder) as project:
        collection = project.answer.collection
        names = collection.sides["people"].values
        column = names.index("sea author 1")
        theirs = np.flatnonzero(collection.tables["people"][:, [column]].toarray().ravel()).tolist()
    page.keyboard.press("o")
    page.keyboard.press("o")
    until(lambda: page.locator("#kind").input_value() in ("people", "subjects"))
    page.locator("#kind").select_option("people")
    page.get_by_label("Find people").fill("author 1")
    until(lambda: page.locator("#side-list .values button:visible").count() == 3)
    page.locator("#side-list button:visible", has_text="sea author 1").click()
    found(page, len(theirs))
    assert page.locator("#group-name").inner_text() == "“sea author 1”"
    page.locator("#document-list").focus()
    page.keyboard.press("a")
    said(page, f"Chosen: {len(theirs)} rows")
    page.keyboard.press("l")
    page.keyboard.type("by one")
    page.keyboard.press("Enter")
    until(lambda: page.locator("#document-list .flag").count() == len(theirs))
    page.keyboard.press("a")
    said(page, "Chosen: none")
    page.keyboard.press("a")
    page.keyboard.press("v")
    page.keyboard.type("new group")
    page.keyboard.press("Enter")
    said(page, f"Moved {len(theirs)} rows")
    found(page, len(theirs))
    page.get_by_label("Find people").fill("mallory")
    page.locator("#side-list button:visible", has_text="Mallory").click()
    found(page, len(HOSTILE))
    with open_project(running.folder) as project:
        said_now = project.session.said
        assert sorted(said_now.labels) == theirs
        assert len(set(said_now.groups.of[theirs])) == 1
        assert said_now.groups.size(int(said_now.groups.of[theirs[0]])) == len(theirs)


def test_groups_of_people_are_edited_by_mouse_and_by_keys(page, running):
    """Merged by their boxes, named, split, a person dragged and sent by a key, undone, on disk."""

    def circles() -> dict[int, int]:
        rows = page.evaluate(
            "[...document.querySelectorAll('.circle')].map("
            "(row) => [row.dataset.id, row.querySelectorAll('[data-value]').length])"
        )
        return {int(group): n for group, n in rows}

    page.locator("#kind").select_option("people")
    page.locator(".circle").first.wait_for()
    start = circles()
    first = next(iter(start))
    boxes = page.locator(".circle input")
    boxes.nth(0).check()
    boxes.nth(1).check()
    page.locator(".circle .whole").nth(0).focus()
    page.keyboard.press("m")
    said(page, "Merged 2 groups of people")
    until(lambda: len(circles()) == len(start) - 1)
    merged = circles()
    assert sum(merged.values()) == sum(start.values())
    page.keyboard.press("r")
    page.keyboard.type("old <b>hands</b>")
    page.keyboard.press("Enter")
    page.locator(".circle", has_text="old <b>hands</b>").wait_for()
    page.locator("#side-list .verbs button", has_text="Split").click()
    page.locator("#dialog button.first").click()
    said(page, "Split in 2")
    until(lambda: len(circles()) == len(merged) + 1)
    one = page.locator(".circle .values button").first
    name = one.inner_text()
    source = page.locator(".circle").first.get_attribute("data-id")
    one.drag_to(page.locator(".circle").last)
    said(page, "Moved “")
    until(lambda: page.locator(".circle", has_text=name).get_attribute("data-id") != source)
    page.locator(".circle .values button", has_text=name).click()
    found(page, int(name.split()[-1]))
    page.keyboard.press("V")
    page.keyboard.type("new group")
    page.keyboard.press("Enter")
    until(lambda: max(circles()) > max(merged) + 1)
    end = circles()
    page.keyboard.press("u")
    said(page, "Undone")
    until(lambda: circles() != end)
    page.keyboard.press("Shift+U")
    said(page, "Done again")
    until(lambda: circles() == end)
    restart(page, running)
    with open_project(running.folder) as project:
        groups = project.side_groups("people")
        assert {g: n for g, n in groups.sizes().items() if g in end} == end
        assert groups.names[first] == "old <b>hands</b>"
        assert {e.kind for e in project.session.history()} == {
            "run", "side merge", "side rename", "side split", "side move"
        }  # fmt: skip
    told = [one["what"] for one in Client(running).get("/api/history")["entries"]]
    assert f"people: named {first} “old <b>hands</b>”" in told


def test_two_groupings_stand_side_by_side(page, running):
    """A cell of the table says how many documents have both, and opens them; on a telephone."""
    look(page, running.url, width=390)
    page.keyboard.press("t")
    cells = page.locator(".beside td button")
    cells.first.wait_for()
    told = cells.first.get_attribute("aria-label")
    n = int(re.search(r": (\d+)$", told)[1])
    cells.first.focus()
    page.keyboard.press("Enter")
    found(page, n)
    page.locator("#kind").select_option("words", force=True)
    page.locator(".circle").first.wait_for(state="attached")
    assert page.locator("#group-list").is_hidden()
    page.locator("#kind").select_option("", force=True)
    assert page.locator("#side-list").is_hidden()


def test_map_and_confidence_are_those_of_the_last_search(folder):
    """After a search by other sides dots stand by its groups; undo brings the old map back."""
    with open_project(folder) as project:
        view, n = View(project), len(project.answer)
        first = maps.places(view), maps.group_numbers(view)[2 * n :]
        project.session.merge(0, 1)  # a map that moved under one's hands would be none
        assert (maps.places(view), maps.group_numbers(view)[2 * n :]) == first
        project.regroup(3, by=["people"], fresh=True)
        sure = np.frombuffer(maps.group_numbers(view)[2 * n :], dtype=np.uint8)
        assert sure.tolist() == np.round(255 * project.edited().confidence_).tolist()
        assert sure.tobytes() != first[1]
        assert maps.places(view) != first[0]
        assert maps.places(view) == maps.places(View(project))
        project.session.go(1)
        assert (maps.places(view), maps.group_numbers(view)[2 * n :]) == first


def test_other_sides_are_counted_rightly_and_wrong_ones_refused(running):
    """Groups of people hold each of them once; documents of a group are those of its people."""
    with open_project(running.folder) as project:
        client, collection = Client(running), project.answer.collection
        table = collection.tables["people"].toarray() > 0
        circles = client.get("/api/sides/people")
        assert sum(one["size"] for one in circles["groups"]) == circles["n_values"] == 10
        mosaic = client.get("/api/sides/people/mosaic")
        for place, (number, _) in enumerate(mosaic["columns"]):
            people = [
                v[0] for v in client.get(f"/api/sides/people/values?circle={number}")["values"]
            ]
            rows = np.flatnonzero(table[:, people].any(axis=1))
            listed = client.get(f"/api/sides/people/documents?circle={number}")
            assert sorted(listed["items"]) == rows.tolist()
            for group, _, counts in mosaic["rows"]:
                inside = project.session.groups.of[rows] == group
                assert counts[place] == np.count_nonzero(inside)
        for path in (
            "/api/sides/nobody",
            "/api/sides/people/documents",
            "/api/sides/people/documents?value=99",
            "/api/sides/people/documents?value=-1",
            "/api/sides/people/documents?value=1&group=99",
            "/api/sides/people/values?circle=x",
        ):
            assert client.ask(path)[0] == 400, path
