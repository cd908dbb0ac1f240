"""A criterion of one's own in a real browser, by a drag and by keys, and after kill -9."""

from __future__ import annotations

import json

from comraf.session.criterion import CriterionLog, begun
from comraf.studio.criterion import CRITERIA
from comraf.workflows.interactive import LOG
from comraf.workflows.project import open_project
from tests.studio.conftest import TAG, Client, accessible, look, restart, until


def chip(page, value: str):
    """The chip of a word, wherever it is."""
    return page.locator(f"[data-chip='{json.dumps(['words', value], separators=(',', ':'))}']")


def inside(page, group: int) -> set[str]:
    """Values of a group as the page shows them."""
    found = page.locator(f".box[data-group='{group}'] .chip span:first-child").all_inner_texts()
    return set(found)


def facts(page) -> str:
    """How many documents are covered."""
    return page.locator("#own-facts").inner_text()


def kept(folder, number: int = 1):
    """What the log on the disk holds."""
    path = folder / CRITERIA / str(number) / LOG
    given = begun(path)
    with CriterionLog(path, given["items"]) as log:
        now = log.now
    return {value: group for (_, value), group in now.group_of.items()}, now


def test_values_are_dragged_and_sent_by_keys_and_groups_follow(page, running):
    """Begin, find, put by key and by drag, step, correct, undo, look, take; a kill loses nothing.

    On a telephone and in the dark it fits, too, and a value with markup is a text.
    """
    page.keyboard.press("i")
    page.get_by_label("How many groups").fill("3")
    page.locator("fieldset").get_by_label("tags").check()
    page.get_by_role("button", name="Begin").click()
    page.locator("#own-offers .chip").first.wait_for()
    for typed in ("harb", "<IMG"):
        page.keyboard.press("/")
        page.locator("#own-query").fill("")
        page.keyboard.type(typed)
        until(lambda: page.locator("#own-offers .chip").count() == 1)
        page.keyboard.press("ArrowDown")
        page.keyboard.press("0")
        until(lambda: page.locator("#own-offers .chip").count() == 0)
    assert inside(page, 0) == {"harbour", TAG}
    page.locator("#own-query").fill("")
    for word, group in (("kettle", 1), ("judge", 2), ("sugar", 2)):
        chip(page, word).drag_to(page.locator(f".box[data-group='{group}']"))
        until(lambda word=word, group=group: word in inside(page, group))
    chip(page, "sugar").focus()
    page.keyboard.press("1")  # it was in the wrong group
    until(lambda: inside(page, 1) == {"kettle", "sugar"})
    accessible(page, "#dialog")
    page.locator("#own-uncovered summary").click()
    page.locator("#own-uncovered li").first.wait_for()
    before = facts(page)
    chip(page, "judge").focus()
    page.keyboard.press("s")
    until(lambda: "found" in page.locator(".box[data-group='0']").inner_text())
    until(lambda: page.locator(".own progress").count() == 0)
    assert facts(page) != before
    assert {"harbour", "sail"} <= inside(page, 0)
    assert {"appeal", "court"} <= inside(page, 2)
    chip(page, "sail").focus()
    page.keyboard.press("Delete")
    until(lambda: "sail" not in inside(page, 0))
    chip(page, "court").focus()
    page.keyboard.press("Delete")
    until(lambda: "court" not in inside(page, 2))
    page.keyboard.press("u")
    until(lambda: "court" in inside(page, 2))
    page.get_by_label("Name of group 2").fill("<b>law</b>")
    page.keyboard.press("Tab")
    until(lambda: kept(running.folder)[1].names == {2: "<b>law</b>"})
    page.get_by_role("button", name="Use these groups").click()
    page.locator("#dialog").wait_for(state="hidden")
    until(lambda: "<b>law</b>" in page.locator("#group-list").inner_text())
    restart(page, running)
    values, now = kept(running.folder)
    assert values["harbour"] == 0
    assert values["court"] == 2
    assert ("words", "sail") in now.deleted
    with open_project(running.folder) as project:
        titles = project.answer.collection.titles
        of = project.session.groups.of
        for topic in ("sea", "tea", "law"):
            rows = [i for i, title in enumerate(titles) if title.startswith(f"{topic} note")]
            assert len({of[i] for i in rows}) == 1, topic
        assert project.session.said.settings["by"] == ["words", "tags"]
        edited = project.edited()
        assert "<b>law</b>" in edited.names
        assert project.session.undo()
    look(page, running.url, width=390, scheme="dark")
    page.get_by_role("button", name="Criterion").click()
    page.locator(".box[data-group='2'] .chip").first.wait_for()
    assert inside(page, 0) >= {"harbour", TAG}
    assert page.get_by_label("Name of group 2").input_value() == "<b>law</b>"
    accessible(page, "#dialog")
    # twelve groups: a second digit may follow a first one
    page.get_by_role("button", name="Begin anew").click()
    page.get_by_label("How many groups").fill("12")
    page.get_by_role("button", name="Begin", exact=True).click()
    for word, keys, group in (("kettle", "11", 11), ("judge", "1", 1), ("sugar", "1Enter", 1)):
        chip(page, word).focus()
        for key in (keys[0], keys[1:]):
            if key:
                page.keyboard.press(key)
        until(lambda word=word, group=group: word in inside(page, group))


def test_nobody_is_overruled_and_nonsense_is_refused(running):
    """What names an older version, or values that are none, changes nothing."""
    client = Client(running)

    def tell(verb: str, wanted: int = 200, **given):
        status, _, body = client.ask(f"/api/criterion{verb}", given)
        assert status == wanted, body
        return json.loads(body)

    tell("", 400, groups=1, sides=["words"])
    tell("", 400, groups=2, sides=[])
    tell("", 400, groups=2, sides=["smell"])
    version = tell("", groups=2, sides=["words"])["version"]
    tell("/step", 400, at=version)
    first = tell("/put", at=version, values=[["words", "kettle"]], group=0)["version"]
    assert tell("/put", 409, at=version, values=[["words", "judge"]], group=0)["stale"]
    for wrong in ([], "kettle", [["words"]], [["words", "no"]], [[1, 2]], [["smell", "x"]]):
        tell("/put", 400, at=first, values=wrong, group=0)
    tell("/put", 400, at=first, values=[["words", "judge"]], group=2)
    status, _, _ = client.ask("/api/criterion/undo", {"at": first}, **{"X-Comraf-Page": "no"})
    assert status == 403
    second = tell("/put", at=first, values=[["words", "judge"]], group=1)["version"]
    tell("/step", at=second)
    until(lambda: client.get("/api/criterion")["step"]["state"] == "done")
    third = client.get("/api/criterion")
    assert third["values"] > 2
    assert sum(group["size"] for group in third["groups"]) == third["covered"]
    at = client.get("/api/state")["version"]
    tell("/take", 409, values_at=third["version"], at=at + 1)
    begun = tell("/take", values_at=third["version"], at=at)["step"]
    assert begun["what"] == "take"  # it is done beside the page
    until(lambda: client.get("/api/criterion")["step"]["state"] == "done")
    sizes = sorted(group["size"] for group in client.get("/api/state")["groups"])
    left = third["n"] - third["covered"]
    assert sizes == sorted([left, *(group["size"] for group in third["groups"])])
