"""Addresses in a page: its own, and those that it links to or spells out."""

from __future__ import annotations

import re
from urllib.parse import urldefrag, urljoin, urlsplit

__all__ = ["MOST_LINKS", "host_of", "page_addresses", "place_of", "written_addresses"]

#: Links of one page that are looked at; lists of thousands are directories and spam.
MOST_LINKS = 2_000

_LONGEST = 2_000
# Tags are lifted out one by one and parsed without what surrounds them: no nesting, however
# deep, reaches the parser. A quoted ">" within a tag cuts it, which loses one link at worst.
_TAG = re.compile(r"(?i)<(a|area|frame|iframe|link|base)(\s[^<>]{1,4000})>")
_HIDDEN = re.compile(r"(?i)<!--|<(script|style|template)\b")
_ENDS = {name: re.compile(f"(?i)</{name}") for name in ("script", "style", "template")}
_COMMENT_END = re.compile("-->")
_WRITTEN = re.compile(r"(?i)\bhttps?://[^\s<>\"'|\\^`{}]{4,1000}")
_HOST = re.compile(r"[\w-]+(?:\.[\w-]+)*\.?")
_TRAILING = ".,;:!?)]}'\"*_"


def place_of(url: str) -> str:
    """Where an address leads to: its host and first directory (thesis 4.7.4).

    A last part without a dot is taken for a directory, as servers do: the address with a
    slash at its end is the same page. What is no address of the web gives "".

    Examples
    --------
    >>> place_of("http://www.cs.umass.edu/~ronb/timeline.html")
    'www.cs.umass.edu/~ronb'
    >>> place_of("HTTP://www.cs.umass.edu:80/"), place_of("https://example.org/index.html?a=b")
    ('www.cs.umass.edu', 'example.org')
    >>> place_of("mailto:ann@example.org"), place_of("http://[bad"), place_of("notes.html")
    ('', '', '')
    """
    try:
        parts = urlsplit(url.strip())
        host = (parts.hostname or "").rstrip(".")
    except ValueError:
        return ""
    if parts.scheme.lower() not in ("http", "https") or not _HOST.fullmatch(host):
        return ""
    way = [part for part in parts.path.split("/") if part and part not in (".", "..")]
    if not way or (len(way) == 1 and "." in way[0] and not parts.path.endswith("/")):
        return host
    # ~ann and %7Eann are one directory
    return f"{host}/{way[0].replace('%7E', '~').replace('%7e', '~')[:200]}"


def host_of(place: str) -> str:
    """The host of a place.

    Examples
    --------
    >>> host_of("www.cs.umass.edu/~ronb")
    'www.cs.umass.edu'
    """
    return place.partition("/")[0]


def written_addresses(text: str) -> list[str]:
    """Addresses that a text spells out.

    Examples
    --------
    >>> written_addresses("See http://example.org/a/b.html, or (https://example.com/c).")
    ['http://example.org/a/b.html', 'https://example.com/c']
    """
    found: list[str] = []
    for match in _WRITTEN.finditer(text):
        found.append(match[0].rstrip(_TRAILING))
        if len(found) == MOST_LINKS:
            break
    return found


def page_addresses(html: str, url: str = "") -> tuple[str, list[str]]:
    """The address of a page and those of its links, in full.

    Parameters
    ----------
    html : str
        The markup, however bad. Links in scripts and comments don't count.
    url : str
        The page's own address where it is known; else its ``<link rel=canonical>`` or its
        ``<base>`` stands for it.

    Returns
    -------
    url : str
        The address, "" where nothing tells it: then relative links are left out.
    links : list of str
        Each once, in the order of the page, :data:`MOST_LINKS` at most.

    Examples
    --------
    >>> page_addresses('<base href="http://example.org/ann/"><a href="cv.html#top">CV</a>')
    ('http://example.org/ann/', ['http://example.org/ann/cv.html'])
    >>> page_addresses('<a href="b.html">b</a><a href="javascript:x()">x</a>')
    ('', [])
    """
    from selectolax.lexbor import LexborHTMLParser

    tags = []
    for match in _TAG.finditer(_without_scripts(html)):
        tags.append(f'<a data-was="{match[1].lower()}"{match[2]}></a>')
        if len(tags) == 2 * MOST_LINKS:
            break
    canonical = base = ""
    found: list[str] = []
    for node in LexborHTMLParser("".join(tags).replace("\x00", "")).css("a[data-was]"):
        was = node.attributes.get("data-was") or ""
        href = (node.attributes.get("src" if was.endswith("frame") else "href") or "").strip()
        if not href or len(href) > _LONGEST:
            continue
        if was == "base":
            base = base or href
        elif was == "link":
            if "canonical" in (node.attributes.get("rel") or "").lower().split():
                canonical = canonical or href
        else:
            found.append(href)
    own = next((known for known in (url, canonical, base) if place_of(known)), "")
    start = _joined(own, base) if base else own
    links = (urldefrag(_joined(start, href))[0] for href in found)
    return own, list(dict.fromkeys(link for link in links if place_of(link)))[:MOST_LINKS]


def _joined(start: str, href: str) -> str:
    """An address in full; "" where the parser of addresses gives up."""
    try:
        # browsers drop line breaks within an address
        joined = urljoin(start, re.sub(r"[\t\r\n]", "", href))
        urldefrag(joined)
    except ValueError:
        return ""
    return joined


def _without_scripts(html: str) -> str:
    """Leave out comments, scripts and styles; no character is looked at twice for its end."""
    kept: list[str] = []
    position = 0
    while (begin := _HIDDEN.search(html, position)) is not None:
        kept.append(html[position : begin.start()])
        end = _ENDS[begin[1].lower()] if begin[1] else _COMMENT_END
        # from within the opening: "<!-->" is a whole comment
        found = end.search(html, begin.start() + 2)
        if found is None:
            return "".join(kept)
        position = found.end()
    kept.append(html[position:])
    return "".join(kept)
