"""Reading a page the way a browser does, to see what is really in it."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from comraf.report.jinja import environment
from comraf.report.panels import PANELS
from comraf.report.panels.groups import GROUP_PANELS


def _sources() -> list[str]:
    """Every template: files, panels, parts of groups."""
    known = environment()
    assert known.loader is not None
    texts = [known.loader.get_source(known, name)[0] for name in known.loader.list_templates()]
    texts += [panel.template for panel in PANELS]
    for part in GROUP_PANELS:
        texts += [part.line, part.card, part.lists, part.full, part.about]
    return [re.sub(r"\{%.*?%\}|\{\{.*?\}\}", "", text, flags=re.DOTALL) for text in texts]


def _written(pattern: str) -> frozenset[str]:
    return frozenset(name.lower() for text in _sources() for name in re.findall(pattern, text))


# What our templates write, and nobody else may; telling words are marked in `marked`.
TAGS = _written(r"<([a-z][a-z0-9]*)") | {"mark"}
ATTRIBUTES = _written(r"[\s\"]([a-zA-Z][a-zA-Z0-9-]*)=\"") | {"checked", "open"}
STYLE = re.compile(r"(?:--?[a-z]+|left):[-\d.]+(?:%|px)?(?:;--[a-z]+:[-\d.]+(?:%|px)?)*")
LINK = re.compile(r"(?:\.\./)?report\.html|report-pages/group-\d+(?:-\d+)?\.html|#[a-z]+\d*")
CLASS = re.compile(r"[a-z0-9 -]+")


class Page(HTMLParser):
    """Collects tags, attributes and text; complains about anything unusual."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.text: list[str] = []
        self.attributes: list[tuple[str, str, str | None]] = []
        self.complaints: list[str] = []
        self._open: list[str] = []
        self.feed(page)
        self.close()
        if self._open:
            self.complaints.append(f"left open: {self._open}")

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._start(tag, attrs)
        if tag not in ("base", "meta", "input", "img"):
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._start(tag, attrs)

    def _start(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag not in TAGS:
            self.complaints.append(f"tag {tag!r}")
        for name, value in attrs:
            self.attributes.append((tag, name, value))
            if name not in ATTRIBUTES:
                self.complaints.append(f"attribute {name!r} of {tag!r}")
            if name == "src" and not (value or "").startswith("data:image/jpeg;base64,"):
                self.complaints.append(f"source {value!r}")
            if name == "href" and not LINK.fullmatch(value or ""):
                self.complaints.append(f"link to {value!r}")
            if name == "style" and not STYLE.fullmatch(value or ""):
                self.complaints.append(f"style {value!r}")
            if name == "class" and not CLASS.fullmatch(value or ""):
                self.complaints.append(f"class {value!r}")

    def handle_endtag(self, tag: str) -> None:
        if not self._open or self._open.pop() != tag:
            self.complaints.append(f"</{tag}> out of place")

    def handle_data(self, data: str) -> None:
        if not self._open or self._open[-1] != "style":
            self.text.append(data)

    def handle_comment(self, data: str) -> None:
        self.complaints.append(f"comment {data!r}")

    def handle_pi(self, data: str) -> None:
        self.complaints.append(f"instruction {data!r}")

    def unknown_decl(self, data: str) -> None:
        self.complaints.append(f"declaration {data!r}")

    @property
    def words(self) -> str:
        """All that is shown, on one line."""
        return " ".join(" ".join(self.text).split())
