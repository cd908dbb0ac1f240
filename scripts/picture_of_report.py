"""Make docs/images/report.png: the beginning of the report about the sample mailbox.

    python scripts/picture_of_report.py docs/images/report.png

Needs Chromium and Pillow.
"""

from __future__ import annotations

import io
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from comraf.collection.sample import write_mbox
from tests.report.browser import find_browser, open_page

_MAIN = "from comraf.cli import main; main()"
WIDTH, HEIGHT = 1280, 1560


def main(target: str) -> int:
    """Write the picture; return the exit code."""
    program = find_browser()
    if program is None:
        print("there is no Chromium or Chrome to take the picture with", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        box, out = write_mbox(Path(folder, "sample.mbox")), Path(folder, "out")
        words = ["organize", str(box), "-k", "8", "--out", str(out), "-q"]
        subprocess.run([sys.executable, "-c", _MAIN, *words], check=True)
        with open_page(program, out / "report.html") as page:
            page.resize(WIDTH, HEIGHT)
            page.run("document.documentElement.style.scrollbarWidth = 'none'")
            picture = Image.open(io.BytesIO(page.picture()))
            picture.convert("RGB").quantize(128).save(target, optimize=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "docs/images/report.png"))
