"""Hosts that everybody links to: a link to one of them says nothing about what a page is about.

The list was written for this project; it is ``comraf/data/popular_hosts.txt``.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib.resources import files

__all__ = ["POPULAR_HOSTS", "is_popular", "read_hosts"]


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
