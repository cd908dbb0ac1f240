"""Sides, weights and numbers chosen in a real browser; searches stopped, killed and resumed."""

from __future__ import annotations

import shutil
import sys

import numpy as np
import pytest

import comraf
from comraf.collection.sample import write_mbox
from comraf.workflows.project import open_project
from tests.studio.conftest import Client, page_of, restart, studio, until
from tests.studio.test_questions import slow
from tests.studio.test_studio import groups_in, said


def opened(page) -> None:
    """Open the page of sides, and wait until all of it is there."""
    page.keyboard.press("b")
    page.locator(".graph").wait_for()
    page.locator(".curve.wide").wait_for()


def nodes(page) -> list[str]:
    """Names of the sides in the picture of the graph."""
    return page.locator(".graph .name").all_text_contents()


def test_sides_are_chosen_checked_and_searched_by(page, running):
    """What is typed redraws the graph, what can't be meant is said, the settings are logged."""
    before = groups_in(page)
    opened(page)
    until(lambda: nodes(page) == ["rows", "words", "people", "subjects"])
    assert "72 rows of notes.csv" in page.locator("summary").inner_text()
    shares = page.locator(".graph .share").all_text_contents()
    page.get_by_label("Weight of people").fill("4")
    until(lambda: page.locator(".graph .share").all_text_contents() != shares)
    page.get_by_label("Weight of people").fill("0")
    page.locator(".sides .wrong", has_text="the weight of people is 0").wait_for()
    assert page.get_by_role("button", name="Find groups").is_disabled()
    page.get_by_label("Weight of people").fill("1")
    page.locator("#use-people").uncheck()
    until(lambda: nodes(page) == ["rows", "words", "subjects"])
    page.get_by_label("Groups of words").fill("5")
    page.locator("#k").fill("3")
    until(lambda: "3 groups" in page.locator(".graph").text_content())
    page.get_by_role("button", name="Find groups").click()
    said(page, "Regrouped")
    until(lambda: len(groups_in(page)) == 3)
    telling = page.locator("#group-list").inner_text().lower()
    assert "people" not in telling  # they had no part in it
    page.keyboard.press("h")
    page.locator("#dialog", has_text="found 3 groups by words, subjects").wait_for()
    page.keyboard.press("Escape")
    page.locator("#dialog").wait_for(state="hidden")
    page.keyboard.press("u")
    said(page, "Undone")
    assert groups_in(page) == before
    page.keyboard.press("Shift+U")
    said(page, "Done again")
    restart(page, running)
    with open_project(running.folder) as project:
        entry = project.session.log.entry(project.session.version)
        assert entry.said["settings"]["by"] == ["words", "subjects"]
        assert entry.said["settings"]["side_clusters"] == {"words": 5}
        assert project.run_of(project.session.said)[1].n_clusters == {
            "documents": 3,
            "words": 5,
            "subjects": 2,
        }


def test_the_tree_is_cut_where_so_much_is_kept(page):
    """A share of the information becomes a number of groups; by slider and by keys."""
    start = groups_in(page)
    opened(page)
    slider, facts = page.locator("input[type=range]").last, page.locator("dialog output")
    assert "4 groups, as now" in facts.inner_text()
    page.get_by_label("Percent of").fill("20")
    until(lambda: "4 groups, as now" not in facts.inner_text())
    slider.focus()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    until(lambda: ": 2 groups; now 4 keep" in facts.inner_text())
    page.get_by_role("button", name="Cut there").click()
    said(page, "Cut at 2 groups")
    assert len(groups_in(page)) == 2
    page.keyboard.press("u")
    said(page, "Undone")
    assert groups_in(page) == start


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
def test_a_search_is_stopped_killed_and_goes_on_to_the_same_groups(chromium, tmp_path):
    """Stop keeps the best so far as a version; after kill -9 the page offers to go on.

    What each side adds and good numbers of groups stand in the page when they were found.
    """
    box = write_mbox(tmp_path / "box.mbox", 300)
    mails = tmp_path / "mail-groups"
    comraf.organize(box, 6, effort="quick", random_state=0).save(mails)
    slow(mails)
    whole = shutil.copytree(mails, tmp_path / "whole")
    with open_project(whole) as project:
        wanted = project.regrouping().search().labels_
    with studio(mails) as running:
        with page_of(chromium, running.url, fine=False) as page:
            page.keyboard.press("n")
            page.locator("#run progress").wait_for()
            page.locator("#run", has_text="objective").wait_for()
            page.locator("#run").get_by_role("button", name="Stop here").click()
            page.locator("#run", has_text="in another group").wait_for()
            client = Client(running)
            assert client.get("/api/run")["unfinished"]
            page.locator("#run").get_by_role("button", name="Go on").click()
            page.locator("#run progress").wait_for()
            running.restart()
        with page_of(chromium, running.url) as page:
            page.locator("#run", has_text="A search was not ended").wait_for()
            page.locator("#run").get_by_role("button", name="Go on").click()
            page.locator("#run", has_text="New groups").wait_for(timeout=120_000)
            assert not Client(running).get("/api/run")["unfinished"]
            opened(page)
            page.get_by_role("button", name="How many groups are there?").click()
            best = page.get_by_role("button", name="(best)")
            best.wait_for()
            best.click()
            assert page.locator("#k").input_value() == best.inner_text().split()[0]
            page.get_by_role("button", name="What does each side add?").click()
            page.locator(".sides td", has_text="main").wait_for()
    with open_project(mails) as project:
        entries = list(project.session.history())
        assert [entry.kind for entry in entries] == ["run", "run", "run"]
        assert "stopped" in entries[1].said["settings"]
        assert "stopped" not in entries[0].said["settings"]
        of = project.session.groups.of
        assert np.array_equal(np.equal.outer(of, of), np.equal.outer(wanted, wanted))


def test_settings_that_make_no_sense_are_refused(running):
    """Wrong kinds, unknown sides and stale versions change nothing."""
    client = Client(running)
    runs = sorted((running.folder / "runs").glob("*"))
    at = client.get("/api/state")["version"]
    for wrong in (
        {"by": "words"},
        {"by": [1]},
        {"by": ["../../etc"]},
        {"weights": {"words": "heavy"}},
        {"weights": {"words": 1e9}},
        {"weights": [1]},
        {"side_clusters": {"words": 2.5}},
        {"n_clusters": 10_000},
        {"effort": "heroic"},
        {"fresh": "yes"},
    ):
        status, answer = client.say("run", settings=wrong)
        assert status == 400, wrong
        assert answer["error"]
        assert client.say("settings", **wrong)[1]["error"], wrong
    assert client.say("run", settings=[1])[0] == 400
    assert client.say("run/resume")[0] == 400
    assert client.say("cut", groups=0)[0] == 400
    assert client.ask("/api/cut", {"groups": 2, "at": at + 1})[0] == 409
    assert client.get("/api/state")["version"] == at
    assert sorted((running.folder / "runs").glob("*")) == runs
