"""Make docs/images/photos.jpg: the page of a group of sample photos.

    python scripts/picture_of_photos.py docs/images/photos.jpg

Needs Chromium and the extra images.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from comraf.images.sample import SCENE_NAMES, write_photos
from tests.report.browser import find_browser, open_page

_MAIN = "from comraf.cli import main; main()"
WIDTH, HEIGHT = 1280, 880
WORD = "parasol"


def main(target: str) -> int:
    """Write the picture; return the exit code."""
    program = find_browser()
    if program is None:
        print("there is no Chromium or Chrome to take the picture with", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        photos, out = write_photos(Path(folder, "Photos")), Path(folder, "out")
        words = ["organize", str(photos), "-k", str(len(SCENE_NAMES)), "--out", str(out), "-q"]
        subprocess.run([sys.executable, "-c", _MAIN, *words], check=True)
        # one that is good to look at: by its words it is the same for every run
        shown = next(
            path
            for path in sorted((out / "report-pages").iterdir())
            if WORD in path.read_text(encoding="utf-8").partition("<h1")[2].partition("</h1>")[0]
        )
        with open_page(program, shown) as page:
            page.resize(WIDTH, HEIGHT)
            page.run("document.documentElement.style.scrollbarWidth = 'none'")
            page.run(
                "Promise.all([...document.images].map(image => {"
                " image.loading = 'eager'; return image.decode() }))"
            )
            Path(target).write_bytes(page.picture(format="jpeg", quality=72))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "docs/images/photos.jpg"))
