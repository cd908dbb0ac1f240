"""Visible words of HTML pages and HTML mail."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from comraf.collection.readers.charsets import clean, clean_line

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode


HTML_LIMIT = 2_000_000
"""Characters of one page that are parsed; what follows is left out."""

_UNSEEN = "script,style,noscript,template,object,svg,math,head,title,select,[hidden]"
_QUOTES = "blockquote[type=cite],.gmail_quote,.yahoo_quoted,.moz-cite-prefix"
_REPLY = "#divRplyFwdMsg"
# Words of neighbouring blocks must not grow together; words within a line must.
_BLOCK = re.compile(
    r"(?i)(?=</?(?:address|article|aside|blockquote|br|caption|center|dd|details|dir|div|dl|dt|"
    r"fieldset|figcaption|figure|footer|form|h[1-6]|header|hr|legend|li|main|menu|nav|ol|option|"
    r"p|pre|section|summary|table|tbody|td|tfoot|th|thead|tr|ul)[\s/>])"
)
_INVISIBLE = re.compile(
    r"(?i)(?:display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?![.\d]))"
)
_BLANKS = re.compile(r"[^\S\n]+")
_DECLARED = re.compile(
    rb"(?i)<(?:meta|\?xml)[^>]{0,200}?(?:charset|encoding)\s*=\s*[\"']?([\w.:-]+)"
)
# What makes a parser slow: very long tags, deep nesting, stray angle brackets. Elements
# that are commonly left open are not counted as depth: parsers close them. Those that change
# the look of letters (_LOOKS) and are left open are made anew by parsers in every later block.
_HUGE_TAG = re.compile(r"<[a-zA-Z/!?][^<>]{20000,}>?")
_STRAY = re.compile(r"<(?![a-zA-Z/!?])")
_TAG = re.compile(r"(?i)<(/?)([a-z][^\s/<>]{0,40})[^<>]*")
_CLOSED = frozenset("br hr img input meta link col wbr p li tr td th dd dt option".split())
_LOOKS = frozenset("a b big code em font i nobr s small strike strong tt u".split())
_RAW = re.compile(r"(?i)<(script|style)\b")
_ANY_TAG = re.compile(r"<[^<>]*>")
_PAGE = re.compile(
    rb"(?i)(?:\xef\xbb\xbf)?\s*(?:<\?xml[^<>]*>\s*|<!--(?:(?!-->)[\s\S])*-->\s*)*"
    rb"<(?:!doctype\s+html|html|head)[\s>]"
)
_LOOK_AT = 1024
# What a server sent with a page; where these fields of mail are, it is none.
_HTTP = re.compile(
    rb"(?:HTTP/\d[^\n]{0,80}\r?\n)?(?:[A-Za-z][\w -]{0,40}:[^\n]{0,500}\r?\n){1,40}\r?\n"
)
_SENT = re.compile(rb"(?im)^(?:from|to|cc|subject|received|newsgroups)[ \t]*:")
_SERVED = re.compile(rb"(?im)^(?:HTTP/|(?:server|last-modified|content-length|etag)[ \t]*:)")
_HTML_TYPE = re.compile(rb"(?im)^content-type[ \t]*:[ \t]*(?:text/html|application/xhtml)")
_MAX_DEPTH = 1000
_MAX_STRAY = 5000
_SMALL = 50_000
# About what an element takes, without its attributes, and what those made anew may take.
_ELEMENT = 400
_MAX_ANEW = 200_000_000


def looks_html(head: bytes) -> bool:
    """Tell whether a file that starts with these bytes is a page, whatever it is called.

    Examples
    --------
    >>> looks_html(b"<!DOCTYPE html><title>Pumps</title>"), looks_html(b"see <html>")
    (True, False)
    """
    sent = http_header(head)
    if sent and _HTML_TYPE.search(head, 0, sent):
        return True
    return _PAGE.match(head[sent : sent + _LOOK_AT]) is not None


def http_header(data: bytes) -> int:
    r"""Return where a page begins that was saved with what its server sent before it; or 0.

    Examples
    --------
    >>> http_header(b"Server: NCSA/1.5\nContent-type: text/html\n\n<p>Pumps"), http_header(b"<p>")
    (42, 0)
    >>> http_header(b"Date: today\nSubject: Server: down\nServer: x\n\nIt is down.")
    0
    """
    match = _HTTP.match(data[: 4 * _LOOK_AT])
    if match is None or _SENT.search(match[0]) or not _SERVED.search(match[0]):
        return 0
    return match.end()


def html_text(html: str, *, quotes: bool = True) -> tuple[str, str]:
    r"""Return the title and the visible text of a page.

    Parameters
    ----------
    html : str
        The markup; anything else is parsed as browsers do.
    quotes : bool, default=True
        Whether the quoted messages that mail programs mark are kept.

    Returns
    -------
    title : str
        The ``<title>``, else the first heading, else empty.
    text : str
        One line for each block; scripts, styles and hidden elements are dropped.

    Examples
    --------
    >>> html_text("<title>Pumps</title><p>It <b>l</b>eaks.<script>x()</script><p>Again.")
    ('Pumps', 'It leaks.\nAgain.')
    """
    from selectolax.lexbor import LexborHTMLParser

    html = _HUGE_TAG.sub(" ", html[:HTML_LIMIT])
    if _hostile(html):
        return "", _stripped(html)
    tree = LexborHTMLParser(_BLOCK.sub("\n", html.replace("\x00", "")))
    title = _title(tree)
    unwanted = tree.css(_UNSEEN if quotes else f"{_UNSEEN},{_QUOTES}")
    unwanted += [
        node for node in tree.css("[style]") if _INVISIBLE.search(node.attributes["style"] or "")
    ]
    if not quotes and (reply := tree.css_first(_REPLY)) is not None:
        # Outlook: the quoted message is everything beside and after this mark
        unwanted.append(reply)
        unwanted += _after(reply)
    for node in _outermost(unwanted):
        node.decompose()
    root = tree.body or tree.root
    text = clean((root.text(deep=True) or "") if root is not None else "")
    lines = (_BLANKS.sub(" ", line).strip() for line in text.split("\n"))
    return title, "\n".join(line for line in lines if line)


def _after(node: LexborNode) -> list[LexborNode]:
    found = []
    sibling = node.next
    while sibling is not None:
        found.append(sibling)
        sibling = sibling.next
    return found


def _outermost(nodes: list[LexborNode]) -> list[LexborNode]:
    """Leave out nodes within other nodes: freeing a freed node would crash."""
    # body and html can carry the marks of hidden elements; without them nothing is left
    nodes = [node for node in nodes if node.tag not in ("body", "html")]
    inside = {node.mem_id: True for node in nodes}
    outer: dict[int, LexborNode] = {}
    for node in nodes:
        path = []
        parent = node.parent
        while parent is not None and parent.mem_id not in inside:
            path.append(parent.mem_id)
            parent = parent.parent
        covered = parent is not None and inside[parent.mem_id]
        for mem_id in path:
            inside[mem_id] = covered
        if not covered:
            outer[node.mem_id] = node
    return list(outer.values())


def _title(tree: LexborHTMLParser) -> str:
    for selector in ("title", "h1", "h2"):
        node = tree.css_first(selector)
        if node is not None and (title := clean_line(node.text(deep=True))):
            return title
    return ""


def _hostile(html: str) -> bool:
    """Tell whether the page is so deep or so odd that parsing could take minutes."""
    if len(html) < _SMALL and html.count("<") < _MAX_DEPTH:
        return False
    if sum(1 for _ in _STRAY.finditer(html)) > _MAX_STRAY:
        return True
    # sizes of the tags that are open, by name: one that closes nothing makes nothing flatter
    opened: dict[str, list[int]] = {}
    depth = looks = anew = 0
    for match in _TAG.finditer(html):
        name = match[2].lower()
        if match[1]:
            if sizes := opened.get(name):
                depth -= 1
                size = sizes.pop()
                looks -= size if name in _LOOKS else 0
        elif name not in _CLOSED:
            depth += 1
            size = _ELEMENT + 4 * (match.end() - match.start())
            opened.setdefault(name, []).append(size)
            looks += size if name in _LOOKS else 0
        if name not in _LOOKS:
            anew += looks
        if depth > _MAX_DEPTH or anew > _MAX_ANEW:
            return True
    return False


def _stripped(html: str) -> str:
    """Take the tags out without a parser."""
    lower = html.lower()
    parts = []
    position = 0
    while match := _RAW.search(html, position):
        parts.append(html[position : match.start()])
        end = lower.find(f"</{match[1].lower()}", match.end())
        position = len(html) if end < 0 else end
    parts.append(html[position:])
    return clean(_ANY_TAG.sub(" ", "".join(parts))).strip()


def html_charset(data: bytes) -> str | None:
    """Return the charset that a page declares in its first kilobytes.

    Examples
    --------
    >>> html_charset(b'<html><meta charset="utf-8">')
    'utf-8'
    """
    match = _DECLARED.search(data, 0, 4096)
    return match[1].decode("ascii", "replace") if match else None
