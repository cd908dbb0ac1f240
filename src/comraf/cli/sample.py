"""``comraf sample``: made-up photos or mail to try comraf on."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

__all__ = ["HELP", "SampleKind", "sample"]

HELP = """Write made-up photos or mail to try comraf on.

photos: a folder of small JPEG files that show nine kinds of scenes, with captions, and dates
and places in some of them; classes.csv tells which photo shows what. mail: one mbox file.
Everything is generated; the same seed gives the same answer. Photos need the extra images.

\b
Examples:
  comraf sample photos Photos
  comraf sample photos Photos --number 900 --folders
  comraf sample mail sample.mbox --seed 7
"""

_NUMBER = {"photos": 360, "mail": 400}


class SampleKind(StrEnum):
    """What can be made up."""

    photos = "photos"
    mail = "mail"


def sample(
    kind: Annotated[
        SampleKind, typer.Argument(metavar="KIND", help="photos or mail.", show_default=False)
    ],
    path: Annotated[
        Path,
        typer.Argument(
            metavar="PATH",
            help="What to write: a folder of photos, an mbox file or, with --folders, a maildir. "
            "It must not exist yet, or be empty.",
            show_default=False,
        ),
    ],
    number: Annotated[
        int | None,
        typer.Option(
            "--number",
            "-n",
            min=1,
            max=1_000_000,
            metavar="N",
            help="How many. Default: 360 photos, 400 messages.",
            show_default=False,
        ),
    ] = None,
    seed: Annotated[
        int,
        typer.Option(min=0, max=2**32 - 1, metavar="N", help="Another seed, other ones."),
    ] = 0,
    folders: Annotated[
        bool,
        typer.Option("--folders", help="A folder for each class, for organize --truth folders."),
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print nothing; errors are still shown.")
    ] = False,
) -> None:
    """Write made-up photos or mail to try comraf on."""
    from comraf.cli.program import has_written
    from comraf.cli.wording import counted

    n = _NUMBER[kind.value] if number is None else number
    if kind is SampleKind.photos:
        from comraf.images.sample import SCENE_NAMES, write_photos

        what, classes = "photo", len(SCENE_NAMES)
        made = write_photos(path, n, seed, folders=folders)
    else:
        from comraf.collection.sample import TOPICS, write_maildir, write_mbox

        what, classes = "message", len(TOPICS)
        made = (write_maildir if folders else write_mbox)(path, n, seed)
    has_written(made)
    if not quiet:
        from comraf.cli.show import clean, open_console, tell

        shown = clean(str(made), 200)
        more = " --truth folders" if folders else ""
        console = open_console()
        tell(console, f"{counted(n, what)}, made up, in {shown}")
        tell(console, f"Next: comraf organize {shown} -k {classes}{more}")
        if kind is SampleKind.photos and not folders:
            answer = clean(f"{made.name}-groups", 200)
            tell(console, f"Then: comraf evaluate {answer} --truth {shown}/classes.csv")
