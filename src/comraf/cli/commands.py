"""All commands of ``comraf``; nothing heavy is imported before one of them needs it."""

from __future__ import annotations

from typing import Annotated

import typer

from comraf.cli import appearances as _appearances
from comraf.cli import ask as _ask
from comraf.cli import assign as _assign
from comraf.cli import cluster as _cluster
from comraf.cli import compare as _compare
from comraf.cli import demo as _demo
from comraf.cli import evaluate as _evaluate
from comraf.cli import explain as _explain
from comraf.cli import inspect as _inspect
from comraf.cli import organize as _organize
from comraf.cli import outliers as _outliers
from comraf.cli import rerank as _rerank
from comraf.cli import sample as _sample
from comraf.cli import taxonomy as _taxonomy
from comraf.cli import topics as _topics
from comraf.cli.program import Program

__all__ = ["app"]

app = typer.Typer(
    name="comraf",
    cls=Program,
    add_completion=False,
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # plain help: half the time to show it
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command(
    help=_organize.HELP, short_help="Turn a mailbox, a CSV or a folder into groups and a report."
)(_organize.organize)
app.command(help=_ask.HELP, short_help="Ask about pairs of documents and group by the answers.")(
    _ask.ask
)
app.command(help=_assign.HELP, short_help="Place new documents into groups made before.")(
    _assign.assign
)
app.command(help=_explain.HELP, short_help="Say why a document is in its group.")(_explain.explain)
app.command(help=_taxonomy.HELP, short_help="Arrange groups in a tree of any sizes.")(
    _taxonomy.taxonomy
)
app.command(help=_outliers.HELP, short_help="Say what does not belong.")(_outliers.outliers)
app.command(help=_rerank.HELP, short_help="Put what a ranked list is mostly about first.")(
    _rerank.rerank
)
app.command(help=_compare.HELP, short_help="Say what moved between two answers.")(_compare.compare)
app.command(help=_inspect.HELP, short_help="Say what a path holds.")(_inspect.inspect)
app.command(help=_evaluate.HELP, short_help="Score groups against known classes.")(
    _evaluate.evaluate
)
app.command(
    help=_appearances.HELP, short_help="Tell pages about people of a circle from namesakes."
)(_appearances.appearances)
app.command(help=_topics.HELP, short_help="Find the topic of each week of a dated stream.")(
    _topics.topics
)
app.command(help=_cluster.HELP)(_cluster.cluster)
app.command(help=_demo.HELP, short_help="Cluster a small made-up mailbox.")(_demo.demo)
app.command(help=_sample.HELP, short_help="Write made-up photos or mail to try comraf on.")(
    _sample.sample
)


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
