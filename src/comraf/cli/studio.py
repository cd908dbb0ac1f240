"""``comraf studio``: see, question and steer groups in a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from comraf.cli.options import OutFolder, PathArgument, Quiet, command
from comraf.cli.places import usual_place
from comraf.errors import InputError, MissingExtraError
from comraf.studio.options import StudioOptions
from comraf.workflows.options import Option

__all__ = ["studio"]


@command
def studio(
    path: PathArgument,
    options: StudioOptions,
    out: OutFolder = None,
    no_open: Annotated[bool, Option("--no-open")] = False,
    quiet: Quiet = False,
) -> None:
    """Look into groups, question them and steer them in a browser, on this machine alone.

    PATH is a folder that "comraf organize" wrote. Anything else that organize takes, such as a
    mailbox, is organised first, into the folder of --out; the next time the studio goes on there.
    For all options of the search call "comraf organize" first.

    Groups are merged, split, renamed; documents are moved, pinned, labelled, searched, and each
    says why it is where it is. Everything that is said is in session.db of the folder at once, and
    can be undone for ever. Ctrl-C ends the studio.

    It listens on 127.0.0.1 only. The address it prints has a token that lets your browser in.

    Parameters
    ----------
    path
        What to look into.
    out
        Folder for the answer if PATH is organised first; by default NAME-groups beside where you
        are.
    no_open
        Print the address, and open no browser.

    Examples
    --------
    comraf studio mail-groups
    comraf studio ~/Mail/archive.mbox -k 20
    comraf studio mail-groups --port 9000 --no-open
    comraf studio mail-groups --import labels.csv
    """
    import typer

    from comraf.cli.show import clean, tell

    try:
        from comraf.studio.server import Studio
    except ImportError as error:
        raise MissingExtraError(
            f"the studio needs packages that are not installed ({error.name}); install them: "
            "pip install 'comraf[studio]'"
        ) from None
    from comraf.workflows.project import open_project

    password = options.password()
    folder = path if _is_answer(path) else _organised(path, out, options.n_clusters, quiet)
    with (
        open_project(folder, who=options.who) as project,
        Studio(project, host=options.host, port=options.port, password=password) as running,
    ):
        project.session.branch(project.session.log.latest_branch())
        for file in options.import_files or ():
            moved = project.import_file(file).change.n_moved
            labels = len(project.session.said.labels)
            tell(f"{clean(file.name, 200)}: {moved:,} in another group, {labels:,} labelled in all")
        tell(f"{clean(str(folder), 200)} is open at")
        typer.echo(running.address)
        if not quiet:
            tell("Everything you say is saved at once. Ctrl-C ends the studio.")
        if not no_open:
            import webbrowser

            webbrowser.open(running.address)
        running.run()


def _is_answer(path: Path) -> bool:
    return (path / "result.json").is_file() and not (path / "collection.json").is_file()


def _organised(path: Path, out: Path | None, n_clusters: int | None, quiet: bool) -> Path:
    """The folder of the answer about a path: an earlier one, or one that is made now."""
    from comraf.cli.bar import Bar
    from comraf.cli.files import claim
    from comraf.cli.organize import in_own_words, warn
    from comraf.workflows.organize import OrganizeOptions, organize

    place = out or usual_place(path)
    if _is_answer(place):
        if n_clusters is not None:
            raise InputError(
                "{place} has groups already; name another folder with {p[place]} for new ones",
                place=place,
            )
        return place
    options = OrganizeOptions(n_clusters=n_clusters)
    options.check(path)
    claim(place, force=False)
    with (
        Bar(quiet=quiet) as bar,
        organize(path, options=options, listener=bar, beside=place.parent) as answer,
    ):
        in_own_words(answer)
        bar.say("writing the report")
        answer.save(place)
        warn(answer)
    return place
