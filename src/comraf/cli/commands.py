"""All commands of ``comraf``; nothing heavy is imported before one of them needs it."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Annotated

import typer

from comraf.cli.program import Program

__all__ = ["COMMANDS", "add", "app"]

#: Commands in the order in which ``comraf --help`` lists them, each with a line about it.
#: Each is a function in the file of its name.
COMMANDS = {
    "organize": "Turn a mailbox, a CSV or a folder into groups and a report.",
    "select": "Say which sides, weights and numbers of groups to ask for.",
    "studio": "See, question and steer groups in a browser.",
    "ask": "Ask about pairs of documents and group by the answers.",
    "interactive": "Group by a criterion of your own.",
    "assign": "Place new documents into groups made before.",
    "explain": "Say why a document is in its group.",
    "taxonomy": "Arrange groups in a tree of any sizes.",
    "outliers": "Say what does not belong.",
    "rerank": "Put what a ranked list is mostly about first.",
    "compare": "Say what moved between two answers.",
    "inspect": "Say what a path holds.",
    "evaluate": "Score groups against known classes.",
    "appearances": "Tell pages about people of a circle from namesakes.",
    "topics": "Find the topic of each week of a dated stream.",
    "cluster": "Cluster the rows of a table, and its columns with them.",
    "demo": "Cluster a small made-up mailbox.",
    "sample": "Write made-up photos or mail to try comraf on.",
}

app = typer.Typer(
    name="comraf",
    cls=Program,
    add_completion=False,
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # plain help: half the time to show it
    context_settings={"help_option_names": ["-h", "--help"]},
)


def add(commands: Mapping[str, str], program: typer.Typer) -> None:
    """Give a program commands: a name and a line about each."""
    for name, line in commands.items():
        program.command(name, short_help=line)(getattr(import_module(f"comraf.cli.{name}"), name))


add(COMMANDS, app)


def _version(wanted: bool) -> None:
    if wanted:
        from comraf import __version__

        typer.echo(f"comraf {__version__}")
        raise typer.Exit


@app.callback()
def _comraf(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version and leave.", callback=_version, is_eager=True
        ),
    ] = False,
) -> None:
    """Organise a collection by all of its sides at once.

    comraf clusters the rows and the columns of tables together: the clusters of each side
    are the features by which the others are told apart.

    Start with "comraf demo", then try a mailbox, a CSV or a folder of yours: "comraf
    organize PATH". A table of counts that you already have: "comraf cluster table.csv -k 20".
    """
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
