"""Who may speak to the studio, what it refuses, and what is left when it is killed."""

from __future__ import annotations

import http.client
import io
import json
import random
import shutil
import sys
import threading
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor

import pyarrow.parquet as pq
import pytest

from comraf.results.model import load_model
from comraf.session import Session
from comraf.workflows.project import SESSION, open_project
from tests.cli.talking import refused
from tests.studio.conftest import HOSTILE, Client, page_of, studio, until


def test_the_studio_opens_without_what_only_searches_need(folder):
    """Neither scikit-learn nor pandas is there when all groups and a document are shown."""
    from tests.test_packaging import top_level_modules

    code = f"""
import comraf
from comraf.studio.view import View
with comraf.open_project({str(folder)!r}) as project:
    view = View(project)
    view.warm()
    assert view.state()["groups"] and view.document(0)["for"]
"""
    assert not top_level_modules(code) & {"sklearn", "pandas"}


def test_strangers_are_refused(running):
    """Without the cookie, with a foreign Host or Origin, or without the page's secret: nothing."""
    inside, outside = Client(running), Client(running, enter=False)
    for path in ("/", "/api/state", "/api/documents/0", "/api/export/groups.csv", "/?token=wrong"):
        assert outside.ask(path)[0] == 401
    for host in ("evil.example", f"evil.example:{running.port}", "127.0.0.1:1", "", "[::1"):
        assert inside.ask("/api/state", Host=host)[0] == 421
    for origin in ("http://evil.example", f"http://evil.example:{running.port}", "null"):
        assert inside.ask("/api/undo", {"at": 1}, Origin=origin)[0] == 403
    assert inside.ask("/api/state", **{"Sec-Fetch-Site": "cross-site"})[0] == 403
    assert inside.ask("/api/undo", {"at": 1}, **{"X-Comraf-Page": "wrong"})[0] == 403
    assert inside.ask("/api/undo", method="POST")[0] == 403
    assert inside.ask("/api/state")[0] == 200


def test_every_answer_forbids_what_the_page_does_not_need(running):
    """Policy, type and referrer are on pages, data, files and refusals alike."""
    client = Client(running)
    for path in ("/", "/api/state", "/static/studio.js", "/api/documents/9999", "/nowhere"):
        headers = client.ask(path)[1]
        assert "script-src 'self'" in headers["content-security-policy"]
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "same-origin"


def test_wrong_requests_are_sentences_and_change_nothing(running):
    """Nonsense, numbers that are none, ids that are gone, too much: 4xx, and no traceback."""
    client = Client(running)
    before = client.get("/api/state")
    at = before["version"]
    for path, body in [
        ("/api/merge", {"groups": [0], "at": at}),
        ("/api/merge", {"groups": ["0", "x"], "at": at}),
        ("/api/merge", {"groups": "01", "at": at}),
        ("/api/merge", {"groups": [0, 1]}),
        ("/api/merge", b"{not json"),
        ("/api/merge", b"[" * 100_000),
        ("/api/merge", b"[1, 2]"),
        ("/api/split", {"group": 0, "parts": 1, "at": at}),
        ("/api/split", {"group": 99, "parts": 2, "at": at}),
        ("/api/move", {"items": [10**9], "to": 0, "at": at}),
        ("/api/move", {"items": [-1], "to": 0, "at": at}),
        ("/api/rename", {"group": 0, "name": "x" * 300, "at": at}),
        ("/api/rename", {"group": 0, "name": 5, "at": at}),
        ("/api/pin", {"items": [0], "on": "yes", "at": at}),
        ("/api/go", {"version": 10**6, "at": at}),
        ("/api/save", {"name": "../outside"}),
        ("/api/save", {"name": "/etc/x"}),
        ("/api/save", {"name": ".."}),
        ("/api/save", {"name": running.folder.name}),
    ]:
        status, _, answer = client.ask(path, body)
        assert status == 400, (path, body, answer)
        assert "Traceback" not in answer.decode()
        assert json.loads(answer)["error"]
    for path in ("/api/documents/x", "/api/documents/99999", "/api/groups/99/documents"):
        assert client.ask(path)[0] == 400
    for path in ("/static/../server.py", "/static/%2e%2e/server.py", "/session.db", "/api/nothing"):
        assert client.ask(path)[0] == 404
    assert client.ask("/api/merge", b"x" * 9_000_000)[0] == 413
    assert client.ask("/api/documents?text=" + "x" * 5000)[0] == 414
    assert client.get("/api/state")["groups"] == before["groups"]


def test_errors_are_in_the_words_of_the_page(running):
    """A choice that is none is named as the page has it, without Python's equals sign."""
    client = Client(running)
    state = client.get("/api/state")
    at, group = state["version"], state["groups"][0]["id"]
    for path, body, said in [
        ("/api/answer", {"pair": [0, 1], "relation": "x", "at": at}, "relation x is unknown"),
        (f"/api/groups/{group}/documents?sort=x", None, "sort x is unknown"),
        ("/api/run", {"settings": {"by": []}, "at": at}, "no side is chosen"),
        ("/api/run", {"settings": {"n_clusters": 0}, "at": at}, "number of groups is 0; give"),
    ]:
        status, _, answer = client.ask(path, body)
        assert status == 400
        assert json.loads(answer)["error"].startswith(said), path


def test_stale_edits_are_conflicts(running):
    """An edit that names an older version changes nothing and says what was said since."""
    client = Client(running)
    at = client.get("/api/state")["version"]
    status, answer = client.say("rename", group=0, name="now")
    assert status == 200
    assert answer["change"]["changed"] == [0]
    status, _, body = client.ask("/api/rename", {"group": 0, "name": "then", "at": at})
    answer = json.loads(body)
    assert status == 409
    assert answer["stale"]
    assert [one["kind"] for one in answer["since"]] == ["rename"]
    assert next(g for g in client.get("/api/state")["groups"] if g["id"] == 0)["name"] == "now"


def test_exports_hold_what_the_page_shows_and_are_read_in_again(running, written, tmp_path):
    """Tables and log agree with the session, are safe for spreadsheets, and lead back to it."""
    client = Client(running)
    client.say("label", items=[1], name="=1+1")
    client.say("rename", group=0, name="=tea")
    client.say("pin", items=[2])
    client.say("move", items=[5, 6], to=None)
    state = client.get("/api/state")
    lines = [json.loads(line) for line in client.ask("/api/export/groups.jsonl")[2].splitlines()]
    assert len(lines) == 66 + len(HOSTILE)
    sizes = {g["id"]: g["size"] for g in state["groups"]}
    assert {g: sum(line["cluster"] == g for line in lines) for g in sizes} == sizes
    assert lines[1]["label"] == "=1+1"
    table = pq.read_table(io.BytesIO(client.ask("/api/export/groups.parquet")[2])).to_pylist()
    assert table == lines
    _, headers, body = client.ask("/api/export/groups.csv")
    assert "attachment" in headers["content-disposition"]
    assert "'=1+1" in body.decode()
    log = [json.loads(line) for line in client.ask("/api/export/log.jsonl")[2].splitlines()]
    assert (log[0]["comraf"], log[1]["kind"], log[-1]["kind"]) == ("session log", "run", "move")
    _, headers, body = client.ask("/api/export/report.html")
    assert "attachment" in headers["content-disposition"]  # it is saved, and not shown here
    assert all(f"{g['size']:,}" in body.decode() for g in state["groups"])
    with zipfile.ZipFile(io.BytesIO(client.ask("/api/export/model.zip")[2])) as archive:
        archive.extractall(tmp_path)
    assert len(load_model(tmp_path / "model").names) == len(state["groups"])
    assert client.ask("/api/export/session.db")[0] == 400
    with open_project(running.folder) as project:
        wanted = project.session.said
    other = shutil.copytree(written, tmp_path / "other")
    with open_project(other) as project:
        for name in ("groups.csv", "groups.jsonl", "log.jsonl"):
            (tmp_path / name).write_bytes(client.ask(f"/api/export/{name}")[2])
            version = project.session.version
            project.import_file(tmp_path / name)
            said = project.session.said
            pairs = {(a, b) for a, b in zip(said.groups.of.tolist(), wanted.groups.of.tolist())}  # noqa: B905
            assert len(pairs) == len(said.groups) == len(wanted.groups)
            names = said.groups.names.get, wanted.groups.names.get
            assert all(names[0](a, "") == names[1](b, "") for a, b in pairs)
            assert (said.labels, said.pinned) == (wanted.labels, wanted.pinned)
            project.session.go(version)
            assert not project.session.said.labels


def test_files_that_are_sent_are_taken_in_or_refused(running):
    """Labels and groups of a file are one version; what is wrong changes nothing."""
    client = Client(running)
    state = client.get("/api/state")
    at, kind = state["version"], {"Content-Type": "application/octet-stream"}

    def sent(data: bytes, name: str = "said.csv", at: int = at):
        status, _, answer = client.ask(f"/api/import?name={name}&at={at}", data, **kind)
        return status, json.loads(answer)

    for data, said in (
        (b"item,label\nnobody,x\n", "'nobody' (line 2)"),
        (b"item,label\nsea1,\xff\n", "not UTF-8"),
        (b'{"comraf": "session log", "format": 9}', "newer comraf"),
        (b"", "is empty"),
    ):
        status, answer = sent(data)
        assert status == 400
        assert said in answer["error"]
        assert "Traceback" not in answer["error"]
    assert client.get("/api/state")["version"] == at
    long = b"sea9,x," + b"n" * 100_000 + b"\n"
    big = b"item,label,note\n" + 90 * long  # more than other requests may have
    status, answer = sent(big)
    assert status == 200
    assert answer["state"]["n_labelled"] == state["n_labelled"] + 1
    status, answer = sent(b"item,group\nsea1,boats\nsea2,boats\n", at=answer["state"]["version"])
    assert "boats" in [group["name"] for group in answer["state"]["groups"]]
    assert client.get("/api/history")["entries"][0]["what"].startswith("from said.csv: ")
    assert sent(b"item,label\nsea1,x\n")[0] == 409
    assert Client(running, enter=False).ask("/api/import?at=1", big, **kind)[0] == 413


def test_groups_shown_after_edits_are_those_counted_from_scratch(running):
    """What is counted again for the groups that an edit touched is what a new studio shows."""
    from comraf.studio import map as maps
    from comraf.studio.view import View

    client = Client(running)
    choice = random.Random(3)
    for _ in range(6):
        ids = [g["id"] for g in client.get("/api/state")["groups"]]
        items = choice.sample(range(60), 5)
        assert client.say("move", items=items, to=choice.choice([None, *ids]))[0] == 200
    wide = max(client.get("/api/state")["groups"], key=lambda g: g["size"])["id"]
    assert client.say("split", group=wide, parts=3)[0] == 200
    ids = [g["id"] for g in client.get("/api/state")["groups"]]
    assert client.say("merge", groups=ids[-2:])[0] == 200
    shown = client.get("/api/state")["groups"]
    order = client.get(f"/api/groups/{wide}/similar")["groups"]
    listed = client.get(f"/api/groups/{wide}/documents?most=200")
    with open_project(running.folder) as project:
        fresh = View(project)
        assert json.loads(json.dumps(fresh.state()["groups"])) == shown
        assert fresh.names(project.session.version) == {g["id"]: g["name"] for g in shown}
        places = maps.places(fresh)
        for number in range(30):
            fresh.find(f"ship {number}")
        assert maps.places(fresh) is places  # searches push out nothing that took long
        assert fresh.similar(wide) == order
        again = fresh.documents(wide, most=200)
        assert [d["n"] for d in again["documents"]] == [d["n"] for d in listed["documents"]]
        # confidence and runner-up are those of an answer with these groups
        edited = project.edited()
        of, sure = project.session.groups.order, edited.organizer.placed_
        for shown_one in listed["documents"]:
            assert of[sure.runner_up[shown_one["n"]]] == shown_one["runner_up"]
        why = edited.explain(str(listed["documents"][0]["n"])).why
        told = client.get(f"/api/documents/{listed['documents'][0]['n']}")
        assert [p["value"] for p in told["for"]] == [
            e.name for e in why.evidence if e.contribution > 0
        ][: len(told["for"])]


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
def test_what_the_page_called_saved_survives_kill_9(running):
    """Every edit that was answered is there after the studio was killed amid many, and shown."""
    choice = random.Random(1)
    taken: list[int] = []
    client = Client(running)
    assert client.ask("/api/branch", {"name": "of its own"})[0] == 200

    def edit() -> None:
        try:
            while True:
                status, answer = client.say("move", items=[choice.randrange(60)], to=None)
                if status == 200:
                    taken.append(answer["state"]["version"])
        except (OSError, http.client.HTTPException, ValueError, AssertionError):
            return

    editor = threading.Thread(target=edit)
    editor.start()
    until(lambda: len(taken) > 10)
    running.restart()
    editor.join(20)
    assert Client(running).get("/api/state")["branch"] == "of its own"
    with open_project(running.folder) as project:
        project.session.branch("of its own")
        assert project.session.log.check() == "ok"
        assert set(taken) <= {entry.id for entry in project.session.history()}


def test_studio_and_python_share_one_file(running):
    """What is said in Python shows in the page, and the other way round."""
    client = Client(running)
    state = client.get("/api/state")
    of = open_project(running.folder).answer.labels_
    with Session(running.folder / SESSION, {".": of}) as session:
        assert session.version == state["version"]
        session.rename(state["groups"][0]["id"], "from Python")
    names = [group["name"] for group in client.get("/api/state")["groups"]]
    assert "from Python" in names


def test_what_cannot_start_says_why(running, folder, tmp_path, monkeypatch):
    """A port in use, a second studio, no password, a damaged session: a sentence each."""
    monkeypatch.chdir(tmp_path)

    def said(*given):
        return refused("studio", *given, "--no-open")

    before = Client(running).get("/api/state")["version"]
    (tmp_path / "labels.csv").write_text("item,label\nsea0,sea\n")
    other = said(running.folder, "--import", "labels.csv")
    assert f"is open in another studio at http://127.0.0.1:{running.port}" in other
    assert Client(running).get("/api/state")["version"] == before
    assert f"--port {running.port} can't be used" in said(folder, "--port", running.port)
    assert "--password-file" in said(folder, "--host", "0.0.0.0")  # noqa: S104
    (tmp_path / "short").write_text("1234\n")
    assert "8 characters" in said(folder, "--password-file", "short")
    assert "nothing.mbox" in said("nothing.mbox")
    other = shutil.copytree(folder, tmp_path / "damaged")
    (other / SESSION).write_bytes(b"SQLite format 3\x00" + b"\x07" * 5000)
    before = (other / SESSION).read_bytes()
    assert "is damaged" in said(other)
    assert (other / SESSION).read_bytes() == before


def test_a_path_is_organised_first_and_found_again(chromium, tmp_path):
    """A mailbox becomes an answer beside where one is; the second time the studio goes on there.

    On another address it asks for the password then; a wrong one is refused slowly, and a browser
    gets in by the right one.
    """
    from comraf.collection.sample import write_mbox

    box = write_mbox(tmp_path / "box.mbox", 40)
    place = tmp_path / "box-groups"
    with studio(box, "--out", str(place), "-k", "3") as running:
        client = Client(running)
        assert len(client.get("/api/state")["groups"]) == 3
        assert client.say("rename", group=0, name="mine")[0] == 200
        running.stop()
        assert running.process.returncode == 0
    (tmp_path / "password").write_text("open sesame\n")
    more = ("--host", "0.0.0.0", "--password-file", str(tmp_path / "password"))  # noqa: S104
    with studio(box, "--out", str(place), *more) as running:
        client = Client(running, enter=False)
        assert client.ask("/")[1]["location"] == "/login"
        began = time.monotonic()
        with ThreadPoolExecutor() as pool:  # two at once are no faster than one after the other
            both = list(pool.map(client.ask, ["/login"] * 2, [b"password=wrong"] * 2))
        assert time.monotonic() - began > 2.0
        for status, headers, _ in both:
            assert status == 200
            assert "set-cookie" not in headers
        with page_of(chromium, "") as page:
            page.goto(f"http://127.0.0.1:{running.port}/")
            page.fill("input[type=password]", "open sesame")
            page.keyboard.press("Enter")
            page.get_by_text("mine").first.wait_for()
