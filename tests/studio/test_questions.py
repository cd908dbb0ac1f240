"""Questions, labels and groups found anew, in a real browser and by kill -9."""

from __future__ import annotations

import sys
import time

import pytest

from comraf.workflows.project import open_project
from tests.studio.conftest import Client, restart, studio, until
from tests.studio.test_studio import said


def topic(title: str) -> str:
    """What a document is about, which somebody who answers knows."""
    found = [name for name in ("sea", "tea", "law") if title.startswith(name)]
    return found[0] if found else "other"


def asked(page) -> tuple[str, str]:
    """Titles of the two documents that are asked about."""
    one, other = page.locator(".two h3").all_inner_texts()
    return one, other


def counted(page, wanted: int) -> None:
    """Wait until so many questions are answered."""
    until(lambda: page.locator("#asked").inner_text().startswith(f"{wanted} of"))


def test_questions_are_answered_by_keys_and_groups_are_found_by_the_answers(page, running):
    """Same, different, don't know, undo and a budget; then a search, and what it changed."""
    page.keyboard.press("q")
    page.locator(".two").wait_for()
    said_of: dict[str, int] = {}
    for number in range(8):
        counted(page, number)
        one, other = asked(page)
        key = "s" if topic(one) == topic(other) else "d"
        said_of[key] = said_of.get(key, 0) + 1
        page.keyboard.press(key)
    counted(page, 8)
    before = asked(page)
    page.keyboard.press("?")
    counted(page, 9)
    assert asked(page) != before
    page.keyboard.press("u")
    counted(page, 8)
    assert asked(page) == before
    page.get_by_label("Who chooses the questions").select_option("explore")
    until(lambda: asked(page) != before)
    page.locator("dialog button", has_text="Different").click()
    counted(page, 9)
    page.locator("dialog input[type=number]").fill("9")
    page.keyboard.press("Tab")
    page.locator("dialog", has_text="9 questions are answered").wait_for()
    page.locator("dialog button", has_text="Regroup").click()
    said(page, "Regrouped")
    page.get_by_role("button", name="What changed").click()
    page.locator("#dialog", has_text="From version").wait_for()
    page.get_by_role("button", name="Close").last.click()
    restart(page, running)
    with open_project(running.folder) as project:
        kinds = [entry.kind for entry in project.session.history()][::-1]
        assert kinds == ["run", *["answer"] * 9, "run"]
        links = project.links()
        assert len(links["must_link"]) == said_of.get("s", 0)
        assert len(links["cannot_link"]) == said_of.get("d", 0) + 1
        of = project.session.groups.of
        assert all(of[i] == of[j] for i, j in links["must_link"])
        assert all(of[i] != of[j] for i, j in links["cannot_link"])


def test_two_chosen_documents_are_asked_about_and_clashes_have_a_way_out(page, running):
    """What contradicts is not saved: the chain is shown, and one answer of it is taken back."""
    rows = page.locator("#document-list li")

    def ask_about(i: int, j: int) -> None:
        rows.nth(i).click()
        page.keyboard.press("x")
        rows.nth(j).click(modifiers=["Control"])
        until(lambda: page.locator("#document-list [aria-selected=true]").count() == 2)
        page.locator("#document-list").focus()
        page.keyboard.press("q")
        page.locator(".two").wait_for()

    for number, pair in enumerate([(0, 1), (1, 2)], 1):
        ask_about(*pair)
        page.keyboard.press("s")
        counted(page, number)
        page.keyboard.press("q")
        page.locator("dialog").wait_for(state="hidden")
    ask_about(0, 2)
    page.keyboard.press("d")
    page.locator(".clash").wait_for()
    assert page.locator(".clash li").count() == 3
    assert page.locator(".clash li", has_text="is different from").count() == 1
    page.get_by_role("button", name="Take back").first.click()
    counted(page, 1)
    with page.expect_response(lambda answer: "/api/documents/" in answer.url):
        page.keyboard.press("q")  # the page shows the groups as they are now
    with open_project(running.folder) as project:
        assert list(project.session.said.answers.values()) == ["same"]


def test_labels_of_groups_and_documents_support_names(page, running):
    """What is worth a label comes first; after a search the list says what supports its name."""
    page.keyboard.press("y")
    until(lambda: page.locator("#group-facts").inner_text().endswith("in turn"))
    shown = page.locator("#document-list li")
    first, second = (shown.nth(place).get_attribute("data-n") for place in (0, 1))
    n = int(page.locator("#group-facts").inner_text().split()[0])
    page.keyboard.press("l")
    page.keyboard.type("a class")
    page.keyboard.press("Enter")
    until(lambda: page.locator("#group-facts").inner_text().startswith(f"{n - 1} rows without"))
    until(lambda: page.locator("#document-list .here").get_attribute("data-n") == second)
    title = page.locator("#document-list .here .name").inner_text()
    until(lambda: page.locator("#reading h2").inner_text() == title)
    for key, left in (("u", n), ("Shift+U", n - 1)):  # the list is another one, what is read stays
        page.keyboard.press(key)
        until(lambda left=left: page.locator("#group-facts").inner_text().startswith(f"{left} r"))
        assert page.locator("#document-list .here").get_attribute("data-n") == second
        assert page.locator("#reading h2").inner_text() == title
    with open_project(running.folder) as project:
        of = project.session.groups.of
        assert project.session.said.labels == {int(first): "a class"}
        sizes = sorted(project.session.groups.sizes().values())
        assert [project.session.groups.size(int(of[int(one)])) for one in (first, second)] == [
            sizes[-1],
            sizes[-2],
        ]
    group = page.locator("#group-list li").first
    number, size = int(group.get_attribute("data-id")), int(group.locator(".num").inner_text())
    group.click()
    page.keyboard.press("Shift+L")
    page.keyboard.type("of one kind")
    page.keyboard.press("Enter")
    said(page, f"Labelled {size} rows")
    until(lambda: f"of one kind ({size})" in page.locator(f"#group-{number}").inner_text())
    page.locator("#regroup").click()
    said(page, "Regrouped")
    restart(page, running)
    named = page.locator("#group-list li", has_text="support the name").first
    assert named.locator(".name").inner_text() == "of one kind"


def slow(folder) -> None:
    """Let searches of an answer take a while."""
    file = folder / "result.json"
    text = file.read_text()
    assert '"effort": "quick"' in text
    assert '"runs": null' in text
    text = text.replace('"effort": "quick"', '"effort": "thorough"')
    file.write_text(text.replace('"runs": null', '"runs": 80'))


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
def test_searches_leave_the_page_usable_and_are_cancelled_and_killed_without_loss(folder):
    """Edits go on meanwhile; merges make new groups wait; what ended early leaves nothing."""
    slow(folder)
    with studio(folder) as running:
        client = Client(running)
        before = client.get("/api/state")
        assert client.say("run")[0] == 200
        assert client.say("run")[0] == 400  # one at a time
        assert client.get("/api/run")["state"] == "running"
        assert client.say("rename", group=before["groups"][0]["id"], name="meanwhile")[0] == 200
        until(lambda: client.get("/api/run")["done"] > 0)
        assert client.say("run/cancel")[1]["state"] == "cancelled"
        time.sleep(0.5)
        now = client.get("/api/state")
        assert [g["size"] for g in now["groups"]] == [g["size"] for g in before["groups"]]
        assert client.get("/api/run")["state"] == "cancelled"
        assert not (folder / "runs").exists()
        # groups that were merged meanwhile are not undone behind anybody's back
        assert client.say("run")[0] == 200
        ids = [g["id"] for g in now["groups"]]
        assert client.say("merge", groups=ids[1:3])[0] == 200
        until(lambda: client.get("/api/run")["state"] == "waiting", 120)
        assert len(client.get("/api/state")["groups"]) == len(ids) - 1
        assert client.say("run/take")[1]["state"] == "done"
        assert len(client.get("/api/state")["groups"]) == len(ids)
        assert "meanwhile" in [g["name"] for g in client.get("/api/state")["groups"]]
        stale = client.ask("/api/run", {"at": before["version"]})
        assert stale[0] == 409
        for body in ({"pair": [0], "relation": "same"}, {"pair": [0, 1], "relation": "perhaps"}):
            assert client.say("answer", **body)[0] == 400
        for query in ("by=chance", "one=0&other=0", "one=0&other=9999", "most=x"):
            assert client.ask(f"/api/question?{query}")[0] == 400
        for taken, wait in enumerate((0.05, 0.4), 1):
            client = Client(running)
            pair = [one["n"] for one in client.get("/api/question?most=99")["pair"]]
            assert client.say("answer", pair=pair, relation="unknown")[0] == 200
            assert client.say("run")[0] == 200
            time.sleep(wait)
            running.restart()
            with open_project(folder) as project:
                assert project.session.log.check() == "ok"
                assert len(project.session.said.answers) == taken
                assert len(project.session.groups) == len(ids)
        client = Client(running)
        assert client.say("run")[0] == 200
        until(lambda: client.get("/api/run")["state"] == "done", 120)
    with open_project(folder) as project:
        assert next(project.session.history()).kind == "run"


def test_people_are_asked_about_in_the_page(page, running):
    """The question names two people and where they stand; answers are there after a restart."""
    page.keyboard.press("q")
    page.locator(".two").wait_for()
    page.get_by_label("What is asked about").select_option("people")
    until(lambda: "author" in " ".join(asked(page)) or "Mallory" in " ".join(asked(page)))
    assert "most in" in page.locator(".two").inner_text()
    assert page.get_by_label("Who chooses the questions").is_disabled()
    page.keyboard.press("Tab")
    first = asked(page)
    page.locator("dialog button", has_text="Same").click()
    counted(page, 1)
    until(lambda: asked(page) != first)
    page.locator("dialog button", has_text="Different").click()
    counted(page, 2)
    page.keyboard.press("u")
    counted(page, 1)
    page.get_by_label("What is asked about").select_option("documents")
    until(lambda: "note" in " ".join(asked(page)) or "title" in " ".join(asked(page)))
    with open_project(running.folder) as project:
        names = project.answer.values("people")
        said = {
            tuple(names[i] for i in pair): how
            for pair, how in project.session.said.others["people"].items()
        }
        assert said == {tuple(sorted(first, key=names.index)): "same"}
        assert project.session.said.answers == {}
