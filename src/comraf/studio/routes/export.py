"""What can be taken away, tables, report, model, log, a whole answer; and what is brought in."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from starlette.responses import Response

from comraf.errors import InputError, ReadError
from comraf.report.markup import plain
from comraf.results.files import csv_lines
from comraf.store import scratch_folder
from comraf.studio.routes.edits import change_of
from comraf.studio.routes.given import text, version
from comraf.studio.view import View
from comraf.supervision.files import as_text

__all__ = ["FORMATS", "ROUTES"]

_COLUMNS = ("item", "title", "cluster", "name", "named", "pinned", "wrong", "label")
_PLACE = re.compile(r"[\w .-]{1,80}")


def _rows(view: View) -> Iterator[tuple[str, str, int, str, bool, bool, bool, str]]:
    said, collection = view.project.session.said, view.collection
    groups = said.groups
    names = view.names(view.project.session.version)
    for row, (item, title) in enumerate(zip(collection.ids, collection.titles, strict=True)):
        group = int(groups.of[row])
        yield (
            item,
            title,
            group,
            names[group],
            bool(groups.names.get(group)),
            row in said.pinned,
            row in said.doubted,
            said.labels.get(row, ""),
        )


def _csv(view: View) -> bytes:
    lines = ((*row[:4], *map(int, row[4:7]), row[7]) for row in _rows(view))
    return "".join(csv_lines([_COLUMNS, *lines])).encode("utf-8", "replace")


def _jsonl(view: View) -> bytes:
    lines = (
        json.dumps(dict(zip(_COLUMNS, row, strict=True)), ensure_ascii=True) + "\n"
        for row in _rows(view)
    )
    return "".join(lines).encode()


def _parquet(view: View) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = zip(*_rows(view), strict=True)
    clean = [
        [v.encode("utf-8", "replace").decode() if isinstance(v, str) else v for v in column]
        for column in columns
    ]
    out = io.BytesIO()
    pq.write_table(pa.table(dict(zip(_COLUMNS, clean, strict=True))), out)
    return out.getvalue()


def _log(view: View) -> bytes:
    return "".join(view.project.log_lines()).encode()


def _report(view: View) -> bytes:
    """The report of the groups of now, a page that stands alone."""
    return view.project.edited().report().encode("utf-8", "replace")


def _model(view: View) -> bytes:
    """The model of the groups of now, which places new documents: its folder in an archive."""
    out = io.BytesIO()
    with scratch_folder(view.project.folder) as place, zipfile.ZipFile(out, "w") as archive:
        view.project.save(place / "answer")
        model = place / "answer" / "model"
        for file in sorted(model.rglob("*")):
            if file.is_file():
                archive.write(file, Path("model", file.relative_to(model)))
    return out.getvalue()


#: By the name of the download: what makes it, and its type.
FORMATS = {
    "groups.csv": (_csv, "text/csv; charset=utf-8"),
    "groups.jsonl": (_jsonl, "application/x-ndjson"),
    "groups.parquet": (_parquet, "application/vnd.apache.parquet"),
    "report.html": (_report, "text/html; charset=utf-8"),
    "model.zip": (_model, "application/zip"),
    "log.jsonl": (_log, "application/x-ndjson"),
}


def _download(view: View, given: dict[str, Any]) -> Response:
    name = text(given, "name")
    if name not in FORMATS:
        raise InputError(parameter="name", given=name, allowed=list(FORMATS))
    make, kind = FORMATS[name]
    return Response(
        make(view),
        media_type=kind,
        headers={"content-disposition": f'attachment; filename="{name}"'},
    )


def _save(view: View, given: dict[str, Any]) -> dict[str, Any]:
    """Write an answer beside the project's folder, under a name without any path."""
    name = text(given, "name").strip()
    if not _PLACE.fullmatch(name) or name.strip(". ") != name:
        raise InputError("name: give a plain name for a new folder, without slashes")
    place = view.project.folder.resolve().parent / name
    if place.exists():
        raise InputError(f"{name}: is there already; give another name")
    view.project.save(place)
    return {"folder": str(place)}


def _import(view: View, given: dict[str, Any]) -> dict[str, Any]:
    """Take groups, labels or a log from a file that was sent."""
    called = plain(text(given, "name"), 120)
    data = given.get("file")
    if not isinstance(data, bytes) or not data:
        raise InputError(f"{called}: is empty")
    try:
        said = view.project.imported(as_text(data, called), called, at=version(given))
    except ReadError as error:  # the file is the sender's, not the studio's
        raise InputError(str(error)) from error
    return change_of(view, said)


ROUTES = {
    ("GET", "/api/export/{name}"): _download,
    ("POST", "/api/save"): _save,
    ("POST", "/api/import"): _import,
}
