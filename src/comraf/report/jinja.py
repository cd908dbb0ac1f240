"""The Jinja templates of all pages: everything is escaped, and nothing unseen gets through."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from comraf.report.drawing import bar_width, columns
from comraf.report.marks import barred, hue, look
from comraf.report.markup import number, plain, visible
from comraf.report.scales import count_of, day, percent, plural
from comraf.report.snippets import marked

if TYPE_CHECKING:
    from jinja2 import Environment, Template
    from markupsafe import Markup

__all__ = ["draw", "environment"]


@cache
def environment() -> Environment:
    """Where templates are found and compiled, each once.

    Macros of ``templates/macros.html`` and the functions that turn numbers into words are known
    to every template.

    Examples
    --------
    >>> environment().from_string("{{ name|user(7) }}").render(name="<b>hi</b>")
    '<span dir="auto">&lt;b&gt;hi&lt;…</span>'
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined, Undefined
    from markupsafe import Markup, escape

    def finalize(value: Any) -> Any:
        """What a template may write: text without the unseen, numbers, markup, nothing."""
        if isinstance(value, Markup):
            return value
        if isinstance(value, str):
            return visible(value)
        if value is None:
            return ""
        if isinstance(value, (int, float)):
            return number(value)
        if isinstance(value, Undefined):
            return value
        raise TypeError(f"{type(value).__name__} has no place in a page")

    def user(text: object, limit: int = 200) -> Markup:
        """A stranger's text in an element that finds its own writing direction."""
        shown = escape(plain(text, limit))
        return Markup(f'<span dir="auto">{shown}</span>')  # noqa: S704 - escaped above

    known = Environment(
        loader=PackageLoader("comraf.report"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=finalize,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        cache_size=-1,
    )
    known.filters |= {
        "bar_width": bar_width,
        "barred": barred,
        "columns": columns,
        "commas": lambda value: f"{value:,}",
        "count_of": count_of,
        "day": day,
        "hue": hue,
        "look": look,
        "marked": marked,
        "percent": percent,
        "plain": plain,
        "plural": plural,
        "user": user,
    }
    shared = vars(known.get_template("macros.html").module)
    known.globals |= {name: value for name, value in shared.items() if not name.startswith("_")}
    return known


def draw(template: str, **context: Any) -> Markup:
    """Fill a template, which is given as text.

    Examples
    --------
    >>> draw("<p>{{ name }}</p>", name="a < b")
    Markup('<p>a &lt; b</p>')
    """
    from markupsafe import Markup

    return Markup(_compiled(template).render(context))  # noqa: S704 - the template has escaped it


@cache
def _compiled(template: str) -> Template:
    return environment().from_string(template)
