"""``comraf rerank``: a ranked list goes in, and comes out with its core first."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from comraf.cli.coring import (
    BackgroundOption,
    CoreEffort,
    CoreEffortOption,
    CoreMethod,
    PiOption,
)
from comraf.errors import InputError

if TYPE_CHECKING:
    from comraf.cli.ranked import Ranked
    from comraf.oneclass.sizes import Suggestion

__all__ = ["HELP", "rerank"]

HELP = """Put what a ranked list is mostly about first.

LIST is a CSV, TSV, JSON lines or Parquet file with one result a row, such as what a search
engine returned, in the order given or by a column (--rank). Its titles, snippets and texts are
found by the names of columns, or named. The core is the largest set of results that share a
topic; they come first, then the rest, and inside of both the order stays as it was. Every
column of the list is kept. The words that made the core are told.

How large the core is has to be said: -n. Without it several sizes are tried, their scores
are shown, and nothing is written. "-n auto" takes the best one, and says so.

\b
Examples:
  comraf rerank results.csv
  comraf rerank results.csv -n 30 --out reranked.csv
  comraf rerank results.jsonl -n auto --rank position --plot sizes.svg
  comraf rerank hits.tsv --title name --text summary,body -n 25 --method occc --json
  comraf rerank treffer.csv -n 20 --background wordfreq:de
"""

_ENDINGS = (".csv", ".tsv", ".jsonl")
_MOST_WORDS = 20


def rerank(
    path: Annotated[
        Path, typer.Argument(metavar="LIST", help="The ranked list.", show_default=False)
    ],
    n: Annotated[
        str | None,
        typer.Option(
            "-n",
            "--core",
            metavar="N",
            help="How many results are in the core, or auto.",
            show_default=False,
        ),
    ] = None,
    method: Annotated[
        CoreMethod,
        typer.Option(
            help="ltb and occc look for a topic of their own words; the others are simpler: maxkl "
            "and minentropy by the words' information, centroid, lof, svm, rest, ib (one-class "
            "information bottleneck), distortion (rate distortion), random."
        ),
    ] = CoreMethod.ltb,
    effort: CoreEffortOption = CoreEffort.default,
    pi: PiOption = None,
    background: BackgroundOption = "wordfreq:en",
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Where the new list goes: .csv, .tsv or .jsonl.",
            show_default=False,
        ),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Picture (.svg) of the sizes that were tried.", show_default=False
        ),
    ] = None,
    rank: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN", help="Column of ranks, the smallest first.", show_default=False
        ),
    ] = None,
    text: Annotated[
        str | None,
        typer.Option(metavar="COLUMNS", help="Columns of text and snippets.", show_default=False),
    ] = None,
    title: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Column of titles.", show_default=False)
    ] = None,
    kind: Annotated[
        str | None,
        typer.Option(
            metavar="KIND", help="What LIST is: csv, tsv, jsonl, parquet.", show_default=False
        ),
    ] = None,
    seed: Annotated[
        int,
        typer.Option(min=0, max=2**32 - 1, metavar="N", help="The same seed gives the same list."),
    ] = 0,
    force: Annotated[
        bool, typer.Option("--force", help="Replace files that are there already.")
    ] = False,
    quiet: Annotated[
        bool,
        typer.Option("--quiet", "-q", help="No progress and no list; errors are still told."),
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the list as one JSON object, and nothing else.")
    ] = False,
) -> None:
    """Put what a ranked list is mostly about first."""
    from comraf.cli import coring
    from comraf.cli.bar import Bar
    from comraf.cli.kept import write_file
    from comraf.cli.program import complain
    from comraf.cli.ranked import read_ranked
    from comraf.collection.readers.files import check_path
    from comraf.oneclass.sizes import suggest_n_core

    coring.check_file(out, force=force, endings=_ENDINGS, option="--out")
    coring.check_file(plot, force=force, endings=(".svg",), option="--plot")
    coring.core_size(n, "-n")
    check_path(path)
    general = coring.read_background(background)
    model = coring.estimator(method, 1, general, seed, effort, pi)
    suggestion: Suggestion | None = None
    with Bar(quiet=quiet) as bar:
        bar.say(f"reading {path.name}")
        ranked = read_ranked(path, kind=kind, text=text, title=title, rank=rank, listener=bar)
        size = coring.core_size(n, "-n", len(ranked.rows))
        if size is None:
            suggestion = suggest_n_core(
                model, ranked.counts, words=ranked.words, random_state=seed, listener=bar
            )
            size = suggestion.best
        elif plot is not None:
            raise InputError(
                "--plot shows the sizes that are tried without -n or with -n auto; drop it"
            )
        stays = suggestion is not None and (n is None or suggestion.interrupted)
        if not stays:
            bar.say("looking for the core")
            model.set_params(n_core=size)
            model.fit(ranked.counts, words=ranked.words)
    # Files first: whoever reads what is printed may leave at any line.
    if suggestion is not None and plot is not None:
        write_file(plot, [suggestion.to_svg()], force=force)
    order: list[int] = []
    if not stays:
        order = sorted(range(len(ranked.rows)), key=lambda i: (not model.labels_[i], i))
        if out is not None:
            write_file(out, _lines(ranked, order, model, out.suffix.lower()), force=force)
    warning = coring.few_known(general, ranked.words, background)
    for note in [*ranked.notes, *([warning] if warning else [])]:
        complain("warning" if note is warning else "note", note)
    if suggestion is not None:
        _suggested(suggestion, taken=not stays, as_json=as_json, quiet=quiet)
        if stays and suggestion.interrupted:
            complain("stopped", "not all sizes were tried; the list was not made")
            raise typer.Exit(130)
        if stays:
            lost = f"; {out} was not written" if out else ""
            way = f"-n {suggestion.best}, which has the best score of those tried, another number"
            if suggestion.doubt:
                way = f"-n with a number ({suggestion.doubt})"
            raise InputError(f"how large the core is has to be said: give {way}, or -n auto{lost}")
    words = [str(word) for word in model.topical_words_[:_MOST_WORDS]]
    if as_json:
        import json

        answer = {
            "source": str(path),
            "method": method.value,
            "background": background,
            "core": size,
            "suggested": suggestion is not None,
            **({"sizes": suggestion.table} if suggestion else {}),
            "words": words,
            "results": [_finite(result) for result in _results(ranked, order, model)],
        }
        typer.echo(json.dumps(answer, ensure_ascii=False, default=str))
    elif not quiet:
        _show(ranked, order, model, words, size, out)


def _suggested(suggestion: Suggestion, *, taken: bool, as_json: bool, quiet: bool) -> None:
    from comraf.cli.coring import show_suggestion
    from comraf.cli.show import open_console, tell

    if as_json:
        if not taken:
            import json

            found = {"suggested": suggestion.best, "sizes": suggestion.table}
            typer.echo(json.dumps(found))
    elif not quiet:
        console = open_console()
        show_suggestion(console, suggestion)
        if taken:
            tell(console, f"Taken, as -n auto asked: {suggestion}.")


def _added(ranked: Ranked) -> list[str]:
    """Headings of our own columns, none of which the list has."""
    out = []
    for name in ("new_rank", "old_rank", "core", "core_score"):
        while name in ranked.names:
            name += "_"
        out.append(name)
    return out


def _results(ranked: Ranked, order: list[int], model: Any) -> Iterator[dict[str, Any]]:
    added = _added(ranked)
    for place, i in enumerate(order, start=1):
        own = (place, i + 1, int(model.labels_[i]), round(float(model.scores_[i]), 6))
        yield {**dict(zip(added, own, strict=True)), **ranked.rows[i]}


def _finite(value: Any) -> Any:
    """A cell as JSON can say it: it knows no NaN and no infinity."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(one) for key, one in value.items()}
    return [_finite(one) for one in value] if isinstance(value, list | tuple) else value


def _lines(ranked: Ranked, order: list[int], model: Any, ending: str) -> Iterator[str]:
    import csv
    import io
    import json

    from comraf.collection.readers.tabular_cells import cell_text
    from comraf.results.files import safe_cell

    if ending == ".jsonl":
        for result in _results(ranked, order, model):
            yield json.dumps(_finite(result), ensure_ascii=False, default=str) + "\n"
        return
    buffer = io.StringIO()
    mark = "\t" if ending == ".tsv" else ","
    writer = csv.writer(buffer, delimiter=mark, lineterminator="\n")
    writer.writerow([*_added(ranked), *map(safe_cell, ranked.names)])
    for result in _results(ranked, order, model):
        own = list(result.values())[:4]
        cells = [result.get(name) for name in ranked.names]
        shown = [safe_cell(c if isinstance(c, str) else cell_text(c)) for c in cells]
        writer.writerow([*own, *shown])
        yield buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()
    yield buffer.getvalue()


def _show(
    ranked: Ranked, order: list[int], model: Any, words: list[str], size: int, out: Path | None
) -> None:
    from comraf.cli.show import MOST_SHOWN, clean, listed, open_console, show_table, tell
    from comraf.cli.table import Facts, Listing
    from comraf.cli.wording import counted

    console = open_console()
    shown = order[:MOST_SHOWN]
    tell(console, f"{size:,} of {counted(len(order), 'result')} make the core and come first.")
    tell(console, f"Words of the core: {listed(words) or 'none stands out'}", indent=4)
    show_table(
        console,
        [
            Facts("#", [f"{place:,}" for place in range(1, len(shown) + 1)]),
            Facts("was", [f"{i + 1:,}" for i in shown]),
            Facts("core", ["yes" if model.labels_[i] else "" for i in shown], right=False),
        ],
        [Listing("result", [[clean(ranked.titles[i], 200)] for i in shown])],
    )
    if len(order) > MOST_SHOWN:
        more = "the file has them all" if out else "--out FILE.csv writes them all"
        tell(console, f"... and {len(order) - MOST_SHOWN:,} more; {more}.")
    if out is not None:
        tell(console, f"Written to {clean(str(out), 200)}")
