"""Hosts that everybody links to: a link to one of them says nothing about what a page is about.

The list was written for this project. It is short on purpose: what is popular within the
pages at hand is counted there (see :func:`comraf.appearances.links.link_table` and
:class:`comraf.collection.options.LinkOptions`).
"""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["POPULAR_HOSTS", "is_popular", "read_hosts"]

#: Popular hosts; those below them (``maps.google.com``) are popular too.
POPULAR_HOSTS: frozenset[str] = frozenset(
    """
    about.com adobe.com altavista.com amazon.com amazon.co.uk amazon.de aol.com apache.org
    apple.com archive.org ask.com baidu.com barnesandnoble.com bbc.co.uk bbc.com bing.com bit.ly
    blogger.com blogspot.com cdnjs.cloudflare.com cnn.com creativecommons.org delicious.com
    del.icio.us digg.com doi.org doubleclick.net dropbox.com duckduckgo.com ebay.com excite.com
    facebook.com fb.com flickr.com fonts.googleapis.com geocities.com github.com gmpg.org go.com
    goo.gl google.co.uk google.com google.de googletagmanager.com gravatar.com hotmail.com
    imdb.com instagram.com jquery.com linkedin.com live.com lycos.com macromedia.com mapquest.com
    medium.com microsoft.com mozilla.org msn.com myspace.com netscape.com nytimes.com ogp.me
    paypal.com pinterest.com quora.com real.com reddit.com schema.org skype.com slideshare.net
    sourceforge.net spotify.com statcounter.com stumbleupon.com t.co technorati.com tiktok.com
    tinyurl.com tumblr.com twitter.com vimeo.com w3.org washingtonpost.com webcounter.com
    weebly.com whatsapp.com wikimedia.org wikipedia.org wix.com wordpress.com wordpress.org x.com
    yahoo.co.uk yahoo.com youtu.be youtube.com
    """.split()
)


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
