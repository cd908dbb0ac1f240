"""Draw the pictures of the studio for the documentation, of the sample mailbox.

    python scripts/picture_of_studio.py [--browser /usr/bin/chromium]

Needs the extras studio and test, and an installed Chromium.
"""

from __future__ import annotations

import argparse
import tempfile
import threading
from pathlib import Path

import uvicorn
from PIL import Image
from playwright.sync_api import Page, sync_playwright

import comraf
from comraf.collection.sample import write_mbox
from comraf.studio.server import Studio

IMAGES = Path(__file__).parent.parent / "docs" / "images"
#: What the pictures of a criterion of one's own tell apart, by a few words each.
CRITERION = {
    "work": ["meeting", "patch", "shift", "office", "release"],
    "private": ["family", "weekend", "kitchen", "cheers", "school"],
}
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]


def main() -> None:
    """Organise the sample, serve it, and take the pictures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--browser", default="/usr/bin/chromium")
    browser = parser.parse_args().browser
    with tempfile.TemporaryDirectory() as place:
        box = write_mbox(Path(place, "mail.mbox"), 400)
        folder = Path(place, "mail-groups")
        comraf.organize(box, 8, random_state=0).save(folder)
        with comraf.open_project(folder) as project:
            studio = Studio(project, port=None)
            config = uvicorn.Config(studio.guard, log_level="error", lifespan="off")
            server = uvicorn.Server(config)
            thread = threading.Thread(target=server.run, args=([studio._socket],), daemon=True)
            thread.start()
            studio.view.index.build()
            take(browser, studio.address)
            server.should_exit = True
            thread.join()


def picture(page: Page, name: str) -> None:
    """The page in few colours: a third of the size."""
    page.screenshot(path=IMAGES / name)
    with Image.open(IMAGES / name) as image:
        image.convert("RGB").quantize(128, dither=Image.Dither.NONE).save(IMAGES / name)


def take(browser: str, address: str) -> None:
    """The page on a desk, and on a telephone in the dark."""
    with sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=browser, args=FLAGS)
        for name, width, scheme in (
            ("studio.png", 1280, "light"),
            ("studio-small.png", 390, "dark"),
        ):
            context = chromium.new_context(
                viewport={"width": width, "height": 800}, color_scheme=scheme
            )
            page = context.new_page()
            page.goto(address)
            page.locator("#document-list li").first.wait_for(state="attached")
            page.locator("#group-list li").first.click()
            page.locator("#document-list li").nth(2).click()
            page.locator("#reading .why").wait_for(state="attached")
            page.wait_for_timeout(500)
            picture(page, name)
            if width > 1000:
                page.locator("#map").click()
                page.locator("#map-facts").filter(has_text="of").wait_for()
                page.wait_for_timeout(1500)
                box = page.locator("#map-box").bounding_box()
                assert box is not None  # noqa: S101 - it was just looked at
                page.mouse.move(box["x"] + 0.3 * box["width"], box["y"] + 0.25 * box["height"])
                page.mouse.down()
                for x, y in ((0.75, 0.3), (0.7, 0.75), (0.3, 0.7)):
                    page.mouse.move(
                        box["x"] + x * box["width"], box["y"] + y * box["height"], steps=9
                    )
                page.mouse.up()
                page.wait_for_timeout(800)
                picture(page, "studio-map.png")
                page.locator("#questions").click()
                page.locator(".two").wait_for()
                picture(page, "studio-questions.png")
                page.keyboard.press("q")
                page.locator("#dialog").wait_for(state="hidden")
                page.locator("#sides").click()
                page.locator(".graph").wait_for()
                page.locator(".curve.wide").wait_for()
                for text, found in (("What does each", "td:text('main')"), ("How many", ".curve")):
                    page.get_by_role("button", name=text).click()
                    page.locator(f".sides {found}").first.wait_for()
                page.get_by_role("button", name="(best)").wait_for()
                page.wait_for_timeout(500)
                picture(page, "studio-sides.png")
                page.keyboard.press("Escape")
                page.locator("#dialog").wait_for(state="hidden")
                page.locator("#map").click()
                page.locator("#kind").select_option("people")
                page.locator(".circle .values button").nth(1).click()
                page.locator("#group-facts", has_text="found").wait_for()
                page.locator("#document-list").focus()
                page.keyboard.press("a")
                page.keyboard.press("j")
                page.wait_for_timeout(4000)  # until the message is gone
                picture(page, "studio-people.png")
                page.keyboard.press("t")
                page.locator(".beside").wait_for()
                picture(page, "studio-table.png")
                page.keyboard.press("Escape")
                page.locator("#dialog").wait_for(state="hidden")
                criterion(page)
                edits(page)
            context.close()
        chromium.close()


def criterion(page: Page) -> None:
    """Work and private life, after one step."""
    page.locator("#criterion").click()
    page.get_by_label("How many groups").fill("2")
    page.get_by_role("button", name="Begin").click()
    for number, (name, words) in enumerate(CRITERION.items()):
        for word in words:
            page.locator("#own-query").fill(word)
            chip = page.locator(f"""#own-offers [data-chip='["words","{word}"]']""")
            chip.focus()
            page.keyboard.press(str(number))
            page.locator(f".box[data-group='{number}'] .chip", has_text=word).wait_for()
        page.get_by_label(f"Name of group {number}").fill(name)
        page.keyboard.press("Tab")
    page.locator("#own-query").fill("")
    page.locator(".own button.first").click()
    page.locator(".box[data-group='1']", has_text="found").wait_for()
    page.wait_for_timeout(4000)  # until the message is gone
    page.mouse.move(5, 5)
    picture(page, "studio-criterion.png")
    page.keyboard.press("Escape")
    page.locator("#dialog").wait_for(state="hidden")


def edits(page: Page) -> None:
    """Two groups merged, one divided and named: what became of them."""
    page.locator("#kind").select_option("")
    rows = page.locator("#group-list li")
    rows.nth(0).click()
    rows.nth(1).click(modifiers=["Control"])
    page.locator("#merge").click()
    page.locator("#message", has_text="Merged").wait_for()
    page.locator("#split").click()
    page.locator("#dialog button.first").click()
    page.locator("#message", has_text="Split").wait_for()
    page.locator("#rename").click()
    page.locator("#dialog input").fill("Hospital")
    page.locator("#dialog button.first").click()
    page.locator("#group-list", has_text="Hospital").wait_for()
    page.wait_for_timeout(4000)  # until the message is gone
    page.locator("#history").click()
    page.locator("#dialog .row").first.wait_for()
    picture(page, "studio-versions.png")


if __name__ == "__main__":
    main()
