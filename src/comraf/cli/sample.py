"""``comraf sample``: made-up photos or mail to try comraf on."""

from __future__ import annotations

from typing import Annotated

from comraf.cli.options import PathArgument, command
from comraf.cli.program import has_written
from comraf.cli.show import clean, tell
from comraf.workflows.naming import counted
from comraf.workflows.options import Option
from comraf.workflows.sample import SampleKind, SampleOptions

__all__ = ["sample"]


@command
def sample(
    kind: Annotated[SampleKind, Option(argument=True)],
    path: PathArgument,
    options: SampleOptions,
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

    quiet
        Print nothing; errors are still shown.

    Examples
    --------
    comraf sample photos Photos
    comraf sample photos Photos --number 900 --folders
    comraf sample mail sample.mbox --seed 7
    """
    from comraf.workflows.sample import sample as work

    made = work(kind, path, options=options)
    has_written(made.path)
    if not quiet:
        shown = clean(str(made.path), 200)
        more = " --truth folders" if options.folders else ""
        tell(f"{counted(made.number, made.noun)}, made up, in {shown}")
        tell(f"Next: comraf organize {shown} -k {made.n_classes}{more}")
        if kind == "photos" and not options.folders:
            answer = clean(f"{made.path.name}-groups", 200)
            tell(f"Then: comraf evaluate {answer} --truth {shown}/classes.csv")
