"""``comraf sample``: made-up photos or mail to try comraf on."""

from __future__ import annotations

from typing import Annotated, Literal

from comraf.cli.options import PathArgument, SeedNumber, command
from comraf.workflows.options import Option

__all__ = ["sample"]


_NUMBER = {"photos": 360, "mail": 400}


@command
def sample(
    kind: Annotated[Literal["photos", "mail"], Option(argument=True)],
    path: PathArgument,
    number: Annotated[
        int | None, Option("--number", "-n", metavar="N", least=1, most=1_000_000)
    ] = None,
    seed: SeedNumber = 0,
    folders: Annotated[bool, Option("--folders")] = False,
    quiet: Annotated[bool, Option("--quiet", "-q")] = False,
) -> None:
    """Write made-up photos or mail to try comraf on.

    photos: a folder of small JPEG files that show nine kinds of scenes, with captions, and dates
    and places in some of them; classes.csv tells which photo shows what. mail: one mbox file.
    Everything is generated; the same seed gives the same answer. Photos need the extra images.

    Parameters
    ----------
    kind
        photos or mail.
    path
        What to write: a folder of photos, an mbox file or, with --folders, a maildir. It must not
        exist yet, or be empty.
    number
        How many. Default: 360 photos, 400 messages.
    seed
        Another seed, other ones.
    folders
        A folder for each class, for organize --truth folders.
    quiet
        Print nothing; errors are still shown.

    Examples
    --------
    comraf sample photos Photos
    comraf sample photos Photos --number 900 --folders
    comraf sample mail sample.mbox --seed 7
    """
    from comraf.cli.program import has_written
    from comraf.cli.wording import counted

    n = _NUMBER[kind] if number is None else number
    if kind == "photos":
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
        if kind == "photos" and not folders:
            answer = clean(f"{made.name}-groups", 200)
            tell(console, f"Then: comraf evaluate {answer} --truth {shown}/classes.csv")
