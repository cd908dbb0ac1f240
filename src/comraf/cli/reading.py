"""Options about what is read, the same in every command that reads documents."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = [
    "DateOption",
    "EncodingOption",
    "IdOption",
    "KindOption",
    "ListsOption",
    "PeopleOption",
    "SeparatorOption",
    "TextOption",
    "TitleOption",
    "TruthOption",
    "ValuesOption",
]

KindOption = Annotated[
    str | None,
    typer.Option(
        metavar="KIND",
        help="What PATH is: mail, maildir, mbox, news, csv, tsv, jsonl, parquet, text, bibtex, "
        "ris, papers, smart, csr, stackexchange, tagged, pdf, images.",
        show_default=False,
    ),
]
TruthOption = Annotated[
    str | None,
    typer.Option(
        metavar="WHAT",
        help="Known classes, for scoring only: 'folders' for mail and posts (folders that are "
        "no topic, and those under three messages, are dropped), a column for tables, a field "
        "for references and papers. What it names makes no side.",
        show_default=False,
    ),
]
EncodingOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="How letters are written in the files, for example cp1251, gb18030 or shift_jis; "
        "found by looking otherwise.",
        show_default=False,
    ),
]
TextOption = Annotated[
    str | None,
    typer.Option(metavar="COLUMNS", help="Columns of text, for tables.", show_default=False),
]
TitleOption = Annotated[
    str | None, typer.Option(metavar="COLUMN", help="Column of titles.", show_default=False)
]
IdOption = Annotated[
    str | None,
    typer.Option(
        "--id", metavar="COLUMN", help="Column of names of the items.", show_default=False
    ),
]
DateOption = Annotated[
    str | None, typer.Option(metavar="COLUMN", help="Column of dates.", show_default=False)
]
PeopleOption = Annotated[
    str | None, typer.Option(metavar="COLUMNS", help="Columns of people.", show_default=False)
]
ListsOption = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMNS", help="Columns with several entries a cell.", show_default=False
    ),
]
ValuesOption = Annotated[
    str | None,
    typer.Option(metavar="COLUMNS", help="Columns with one entry a cell.", show_default=False),
]
SeparatorOption = Annotated[
    str | None,
    typer.Option(
        metavar="TEXT",
        help="What separates entries of --people and --lists; found by looking otherwise.",
        show_default=False,
    ),
]
