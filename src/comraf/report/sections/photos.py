"""Parts of a page about photos: mosaics, colours, textures. Nothing for other documents."""

from __future__ import annotations

from base64 import b64encode

from comraf.images.words import is_colour
from comraf.report.data import Group, Picture
from comraf.report.markup import Markup, el, join, plain, user
from comraf.report.parts import group_link
from comraf.report.scales import count_of, day, percent, plural

__all__ = ["few_pictures", "look_lists", "mosaic", "strip", "swatch_list"]

_MOST_STRIP = 6


def few_pictures(group: Group, most: int) -> Markup | None:
    """The most typical photos of a group; None if there are none.

    Examples
    --------
    >>> few_pictures(Group(0, "red", 1, 1.0), 6) is None
    True
    """
    typical = [picture for picture in group.pictures if picture.sure][:most]
    return el("div", [_figure(p) for p in typical], class_="mosaic") if typical else None


def mosaic(group: Group, kind: str, beyond: int = 0) -> Markup | None:
    """Photos of a group, with their names and captions; None if there are none.

    The first ``beyond`` typical ones are shown elsewhere, and only listed here.

    A photo can be clicked but is no stop of the Tab key, since there may be hundreds: what is
    said of each stands in a list as well, which opens by the keyboard.

    Examples
    --------
    >>> from comraf.report.data import Picture
    >>> picture = Picture(b"jpeg", "a.jpg", "A <red> wall")
    >>> str(mosaic(Group(0, "red", 1, 1.0, pictures=(picture,)), "photo"))[:64]
    '<div class="mosaic"><figure tabindex="-1"><img src="data:image/j'
    """
    if not group.pictures:
        return None
    typical = [picture for picture in group.pictures if picture.sure]
    doubtful = [picture for picture in group.pictures if not picture.sure]
    many = plural(kind)
    elsewhere = f"{many} that another group fits almost as well"
    listed = [el("ol", [_line(picture) for picture in typical])]
    if doubtful:
        listed += [
            el("h4", elsewhere),
            el("div", [_figure(picture) for picture in doubtful], class_="mosaic rest"),
            el("ol", [_line(picture) for picture in doubtful]),
        ]
    names = "names"
    if any(picture.caption for picture in group.pictures):
        names += " and captions"
    summary = f"{names}, and {len(doubtful)} {elsewhere}"
    shown = None
    if len(typical) < group.size:
        of = f"{len(typical):,} of {count_of(group.size, kind)} shown, the most typical first"
        shown = el("p", of, class_="shown")
    return join(
        [
            el("div", [_figure(picture) for picture in typical[beyond:]], class_="mosaic"),
            shown,
            el(
                "details",
                el("summary", summary if doubtful else names),
                listed,
                class_="listed",
            ),
        ]
    )


def _figure(picture: Picture) -> Markup:
    said = plain(picture.caption or picture.name, 300)
    source = f"data:image/jpeg;base64,{b64encode(picture.jpeg).decode('ascii')}"
    return el(
        "figure",
        el("img", src=source, alt=said, loading="lazy", decoding="async"),
        el("figcaption", _about(picture)),
        tabindex="-1",
    )


def _line(picture: Picture) -> Markup:
    return el("li", _about(picture))


def _about(picture: Picture) -> list[object]:
    facts: list[object] = []
    if picture.caption:
        facts.append(user(picture.caption, 240))
    if picture.date is not None:
        facts.append(el("time", day(picture.date), datetime=picture.date.isoformat()))
    if picture.truth is not None:
        facts.append(["class ", user(picture.truth, 40)])
    if picture.rival is not None:
        facts.append(["almost as well in ", group_link(picture.rival)])
    name = user(_short(picture.name), 80, tag="b")
    return [name, " ", join([el("span", fact) for fact in facts], " · ")]


def _short(name: str) -> str:
    """The end of a path: that is where the name of the file is."""
    return name if len(name) <= 60 else "…" + name[-59:]


def swatch_list(group: Group) -> Markup | None:
    """Colours with their shares; None if there are none.

    Examples
    --------
    >>> from comraf.report.data import Swatch
    >>> group = Group(0, "red", 1, 1.0, swatches=(Swatch("#aa1010", "red", 0.5, 0.1),))
    >>> "50% here, 10% in all" in swatch_list(group)
    True
    """
    items = [
        el(
            "li",
            el("i", style=f"--s:{item.colour}", aria_hidden="true"),
            el("span", item.word),
            _shares(item.share, item.overall),
        )
        for item in group.swatches
        if is_colour(item.colour)
    ]
    return el("div", el("h4", "colours"), el("ol", items, class_="swatches")) if items else None


def strip(group: Group) -> Markup | None:
    """The group's colours side by side; None if there are none.

    Examples
    --------
    >>> from comraf.report.data import Swatch
    >>> strip(Group(0, "red", 1, 1.0, swatches=(Swatch("#aa1010", "red", 0.5, 0.1),)))
    '<span class="strip" aria-hidden="true"><i style="--s:#aa1010"></i></span>'
    """
    colours = [item.colour for item in group.swatches if is_colour(item.colour)][:_MOST_STRIP]
    if not colours:
        return None
    chips = [el("i", style=f"--s:{colour}") for colour in colours]
    return el("span", chips, class_="strip", aria_hidden="true")


def look_lists(group: Group) -> list[Markup]:
    """Regions and texture in words, those of which something is said.

    Examples
    --------
    >>> look_lists(Group(0, "red", 1, 1.0, looks=("smooth",)))[0]
    '<div><h4>texture</h4><ul class="looks"><li><span dir="auto">smooth</span></li></ul></div>'
    """
    parts: list[Markup] = []
    if group.regions:
        items = [
            el("li", user(item.look, 60), _shares(item.share, item.overall))
            for item in group.regions
        ]
        parts.append(el("div", el("h4", "regions"), el("ol", items, class_="regions")))
    if group.looks:
        items = [el("li", user(look, 60)) for look in group.looks]
        parts.append(el("div", el("h4", "texture"), el("ul", items, class_="looks")))
    return parts


def _shares(here: float, overall: float) -> Markup:
    return el("small", f"{percent(here)} here, {percent(overall)} in all")
