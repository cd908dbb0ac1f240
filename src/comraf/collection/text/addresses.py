"""Addresses in a page: its own, and those that it links to or spells out."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from importlib.resources import files
from urllib.parse import quote, unquote, urljoin, urlsplit

from comraf.collection.text.normal import normalized

#: Changes when the same page would get other links: what was read before is read again then.
LINKS_VERSION = 2
#: Links of one page that are looked at; lists of thousands are directories and spam.
MOST_LINKS = 2_000

_LONGEST = 2_000
# Tags are lifted out one by one and parsed without what surrounds them: no nesting, however
# deep, reaches the parser. A quoted ">" is part of its tag, unless a quote is left open.
_TAG = re.compile(
    r"(?i)<(a|area|frame|iframe|link|base)(\s"
    r"(?:(?:[^<>\"']|\"[^\"<]{0,2000}\"|'[^'<]{0,2000}'){1,4000}|[^<>]{1,4000}))>"
)
_HIDDEN = re.compile(r"(?i)<!--|<(script|style|template)\b")
_ENDS = {name: re.compile(f"(?i)</{name}") for name in ("script", "style", "template")}
_MAY_LINK = ("href", "frame", "saved from", "saved with")
_COMMENT_END = re.compile("-->")
_WRITTEN = re.compile(r"(?i)\bhttps?://[^\s<>\"'|\\^`{}]{4,1000}")
# What browsers leave in a page that they save: the one the length and the address, and
# SingleFile a line of its own.
_SAVED = re.compile(
    r"<!--\s*saved from url=\(\d{1,6}\)(\S{1,2000})|"
    r"<!--\s*Page saved with SingleFile\s+url:\s*(\S{1,2000})"
)
_SAVED_WITHIN = 10_000
_HOST = re.compile(r"[\w-]+(?:\.[\w-]+)*\.?")
_LONGEST_HOST = 253
_CONTROL = re.compile(r"[\x00-\x20\x7f-\xa0\u2028\u2029\ud800-\udfff]")
_LETTERS = re.compile(r"(?:%[89A-Fa-f][0-9A-Fa-f])+")
_TRAILING = ".,;:!?)]}'\"*_"


@lru_cache(maxsize=4096)
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
    >>> place_of("http://xn--mnchen-3ya.de/a/"), place_of("http://example.org:no/a/")
    ('münchen.de/a', 'example.org/a')
    """
    try:
        parts = urlsplit(url.strip())
        host = _spelled((parts.hostname or "").rstrip("."))
    except ValueError:
        return ""
    if parts.scheme.lower() not in ("http", "https") or not _HOST.fullmatch(host):
        return ""
    way = [part for part in parts.path.split("/") if part and part not in (".", "..")]
    if not way or (len(way) == 1 and "." in way[0] and not parts.path.endswith("/")):
        return host
    # ~ann and %7Eann are one directory
    first = way[0].replace("%7E", "~").replace("%7e", "~")[:2000]
    first = normalized("NFC", _LETTERS.sub(_unescaped, first))[:200]
    return f"{host}/{_CONTROL.sub(_escaped, first)}"


def _spelled(host: str) -> str:
    """A host as people write it: ``xn--mnchen-3ya.de`` and its other spelling are one."""
    if len(host) > _LONGEST_HOST:
        return ""
    if host.isascii() and "xn--" not in host:
        return host
    return ".".join(map(_label, normalized("NFKC", host).lower().split(".")))


def _label(label: str) -> str:
    if not label.startswith("xn--"):
        return label
    try:
        plain = label[4:].encode("ascii").decode("punycode").lower()
    except (UnicodeError, OverflowError, ValueError):
        return label
    # what would not pass for a host stays as it was written
    return plain if _HOST.fullmatch(plain) and "." not in plain else label


def _escaped(sign: re.Match[str]) -> str:
    return quote(sign[0], safe="", errors="replace")


def _unescaped(letters: re.Match[str]) -> str:
    """Letters beyond ASCII as they are: browsers write them in both ways."""
    try:
        return unquote(letters[0], errors="strict")
    except UnicodeDecodeError:
        return letters[0]


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
        The page's own address where it is known; else its ``<link rel=canonical>``, what the
        browser that saved it has noted, or its ``<base>`` stands for it.

    Returns
    -------
    url : str
        The address, "" where nothing tells it: then relative links are left out.
    links : list of str
        Each once, in the order of the page, `MOST_LINKS` at most.

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
    for node in LexborHTMLParser("".join(tags).replace("\x00", "")).tags("a"):
        given = node.attributes
        was = given.get("data-was") or ""
        href = (given.get("src" if was.endswith("frame") else "href") or "").strip()
        if not href or len(href) > _LONGEST:
            continue
        if was == "base":
            base = base or href
        elif was == "link":
            if "canonical" in (given.get("rel") or "").lower().split():
                canonical = canonical or href
        elif was:
            found.append(href)
    saved = _SAVED.search(html, 0, _SAVED_WITHIN)
    where = (saved[1] or saved[2]) if saved else ""
    own = next((known for known in (url, canonical, where, base) if place_of(known)), "")
    start = _joined(own, base) if base else own
    links = (_joined(start, href).partition("#")[0] for href in found)
    return own, list(dict.fromkeys(link for link in links if place_of(link)))[:MOST_LINKS]


def page_places(html: str, url: str = "") -> tuple[str, ...]:
    """Places of a page: its own, and those that it links to (L of thesis 4.7.4, with all hosts).

    Parameters
    ----------
    html, url : str
        As in `page_addresses`.

    Returns
    -------
    tuple of str
        Each once, the page's own first.

    Examples
    --------
    >>> page_places('<a href="http://sea.example/a/1">1</a> <a href="http://sea.example/a/2">')
    ('sea.example/a',)
    >>> page_places('<a href="/b/c">c</a>', "http://sea.example/a/1.html")
    ('sea.example/a', 'sea.example/b')
    """
    lower = html.lower()
    if not url and not any(sign in lower for sign in _MAY_LINK):
        return ()
    own, links = page_addresses(html, url)
    return tuple(filter(None, dict.fromkeys(map(place_of, (own, *links)))))


def _joined(start: str, href: str) -> str:
    """An address in full; "" where the parser of addresses gives up."""
    # browsers drop line breaks within an address
    href = re.sub(r"[\t\r\n]", "", href)
    if href[:8].lower().startswith(("http://", "https://")):
        return href
    if href.startswith("//") and not start:
        # only how to get there is left open
        return f"http:{href}"
    try:
        return urljoin(start, href)
    except ValueError:
        return ""


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


def is_popular(host: str, hosts: Iterable[str]) -> bool:
    """Whether a host or one that it is below is among popular ones.

    Examples
    --------
    >>> is_popular("maps.google.com", POPULAR_HOSTS), is_popular("notgoogle.com", POPULAR_HOSTS)
    (True, False)
    """
    known = hosts if isinstance(hosts, frozenset | set | dict) else frozenset(hosts)
    parts = host.split(".")
    return any(".".join(parts[i:]) in known for i in range(len(parts)))


def read_hosts(text: str) -> frozenset[str]:
    r"""Hosts of a file, one a line; blank lines and what follows ``#`` are left out.

    Examples
    --------
    >>> sorted(read_hosts("# ours\nWWW.Example.org\n\nshop.example.com # sells\n"))
    ['shop.example.com', 'www.example.org']
    """
    lines = (line.split("#", 1)[0].strip().lower().rstrip(".") for line in text.splitlines())
    return frozenset(line for line in lines if line)


#: Popular hosts; those below them (``maps.google.com``) are popular too.
POPULAR_HOSTS: frozenset[str] = read_hosts(
    files("comraf").joinpath("data", "popular_hosts.txt").read_text(encoding="utf-8")
)
