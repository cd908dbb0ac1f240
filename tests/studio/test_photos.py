"""A collection of photos: a mosaic of each group, and nothing but its own small pictures."""

from __future__ import annotations

import io

import pytest
from PIL import Image

import comraf
from comraf.workflows.project import open_project
from comraf.workflows.sample import sample
from tests.studio.conftest import Client, look, page_of, studio, until


def test_groups_of_photos_are_mosaics_of_their_own_pictures(chromium, album):
    """Pictures stand in the list of groups, photos in tiles; no other file is shown."""
    with studio(album) as running:
        with page_of(chromium, running.url) as page:
            for width in (1280, 390):
                look(page, running.url, width=width)
                until(lambda: page.locator(".mosaic img").count() >= 9)
                until(lambda: page.evaluate(_LOADED, ".mosaic img"))
                page.locator(".panes [data-to=documents]").dispatch_event("click")
                until(lambda: page.evaluate(_LOADED, "#document-list li:nth-child(-n+6) img"))
                tiles = [one.bounding_box() for one in page.locator("#document-list li").all()[:2]]
                assert tiles[0]["y"] == tiles[1]["y"]  # side by side
                assert page.evaluate("document.documentElement.scrollWidth") <= width
        client = Client(running)
        with open_project(album) as project:
            groups, photos = project.session.groups, project.answer.collection.photos
            for group in client.get("/api/state")["groups"]:
                assert 2 < len(group["pictures"]) <= 6
                assert set(groups.of[group["pictures"]].tolist()) == {group["id"]}
            status, headers, jpeg = client.ask("/api/documents/3/picture")
            assert (status, headers["content-type"]) == (200, "image/jpeg")
            assert jpeg == bytes(photos[3].thumbnail)
        assert "default-src 'none'" in headers["content-security-policy"]
        assert max(Image.open(io.BytesIO(jpeg)).size) <= 256
        for row in ("999", "-1", "..%2f..%2fsession.db", "../../session.db", "3/../../session.db"):
            status, _, answer = client.ask(f"/api/documents/{row}/picture")
            assert status in (400, 404)
            assert not answer.startswith(b"SQLite")


_LOADED = """(which) => [...document.querySelectorAll(which)].length
    && [...document.querySelectorAll(which)].every((one) => one.complete && one.naturalWidth > 8)"""


@pytest.fixture(scope="module")
def album(tmp_path_factory):
    """Some photos in three groups."""
    folder = tmp_path_factory.mktemp("album")
    sample("photos", folder / "photos", number=27)
    comraf.organize(
        folder / "photos", 3, by=["words", "colours"], effort="quick", random_state=0
    ).save(folder / "groups")
    return folder / "groups"
