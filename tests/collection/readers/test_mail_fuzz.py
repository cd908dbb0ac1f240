"""Ten thousand damaged messages: each becomes an item or a skip, and quickly."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from comraf.collection.items import Item, Skip
from comraf.collection.readers.mail import parse_message
from comraf.collection.readers.mail_mbox import MboxReader
from comraf.collection.readers.mail_text import Quotes

N_MESSAGES = 4_000
SECONDS = 16

PLAIN = b"""Message-ID: <1@x.org>
Date: Thu, 2 Aug 2001 07:33:32 -0700 (PDT)
From: "Li, Ann" <ann@x.org>
To: Joe <joe@x.org>, =?utf-8?Q?J=C3=B6rg?= <jorg@x.org>; Team: a@x, b@x;
Cc: host!bob, carol@x.org (Carol (home))
Subject: =?iso-8859-1?Q?Die_P=FCmpe?= leaks
 again

The pump leaks. Please come at 10:30.

-----Original Message-----
From: Joe
Sent: Monday
To: Ann
Subject: pump

> Does it leak?
>> I hope not
--
Joe
"""

ALTERNATIVE = b"""From: shop@x.org
To: ann@x.org
Subject: =?utf-8?B?w5xiZXJyYXNjaHVuZw==?=
Date: 6 Apr 93 17:25:25 GMT
MIME-Version: 1.0
Content-Type: multipart/alternative; boundary="=_b1"

preamble
--=_b1
Content-Type: text/plain; charset="utf-8"
Content-Transfer-Encoding: base64

R3LDvMOfZSBhdXMgS8O2bG4sIGRpZSBQdW1wZSBpc3QgdW5kaWNodC4=
--=_b1
Content-Type: text/html; charset=windows-1252
Content-Transfer-Encoding: quoted-printable

<html><head><style>p{color:red}</style></head><body><p>Gr=FC=DFe aus <b>K</b>=F6ln</p>
<blockquote type=3D"cite"><div hidden>old</div></blockquote><script>x()</script></body></html>
--=_b1--
"""

FORWARD = b"""Return-Path: <a@x>\r
From: a@x\r
To: undisclosed-recipients:;\r
Subject: Fwd: [list] mail\r
Content-Type: multipart/mixed; boundary=outer\r
\r
--outer\r
Content-Type: multipart/related; boundary="inner one"\r
\r
--inner one\r
Content-Type: text/plain; charset=iso-2022-jp\r
\r
\x1b$B$3$s$K$A$O\x1b(B\r
---------- Forwarded by Ann/HOU on 07/21/2000 07:08 AM ----------\r
To: Joe\r
Subject: x\r
\r
text\r
--inner one--\r
--outer\r
Content-Type: message/rfc822\r
\r
Subject: =?gb2312?B?1tDOxA==?=\r
Content-Type: text/plain; charset=koi8-r\r
\r
\xf0\xd2\xc9\xd7\xc5\xd4\r
--outer\r
Content-Type: application/zip; name="a.zip"\r
Content-Disposition: attachment; filename*=utf-8''a.zip\r
Content-Transfer-Encoding: base64\r
\r
UEsDBBQAAAAIAA==\r
--outer--\r
"""

SEEDS = (PLAIN, ALTERNATIVE, FORWARD)
CHARSETS = [b"utf-16", b"utf-7", b"hz", b"idna", b"zlib", b"x-none", b"\xff", b"", b"utf-8\x00"]
TOKENS = [
    b"=?utf-8?Q?",
    b"?=",
    b"\n\n",
    b"\r\n",
    b"--=_b1",
    b"--outer--",
    b"\x00",
    b"\xff\xfe",
    b'"',
    b"<",
    b">",
    b"(",
    b"Content-Type: multipart/mixed; boundary=",
    b"Content-Transfer-Encoding: base64\n",
    b"<div><table>",
    b"&#xD800;",
    b"begin 644 x\n",
    b"\xed\xa0\x80",
    b":",
    b";",
    b"\n ",
]


def flip(data: bytes, rng: random.Random) -> bytes:
    """Change some bytes."""
    changed = bytearray(data)
    for _ in range(rng.randint(1, 30)):
        changed[rng.randrange(len(changed))] = rng.randrange(256)
    return bytes(changed)


def truncate(data: bytes, rng: random.Random) -> bytes:
    """Lose the end or the beginning."""
    cut = rng.randrange(len(data))
    return data[:cut] if rng.random() < 0.7 else data[cut:]


def insert(data: bytes, rng: random.Random) -> bytes:
    """Put pieces of syntax where they do not belong."""
    for _ in range(rng.randint(1, 8)):
        at = rng.randrange(len(data) + 1)
        data = data[:at] + rng.choice(TOKENS) * rng.choice((1, 1, 3, 50)) + data[at:]
    return data


def shuffle_lines(data: bytes, rng: random.Random) -> bytes:
    """Damage headers and boundaries: drop, repeat and exchange lines."""
    lines = data.split(b"\n")
    for _ in range(rng.randint(1, 6)):
        i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
        match rng.randrange(3):
            case 0:
                lines[i], lines[j] = lines[j], lines[i]
            case 1:
                lines.insert(i, lines[j] * rng.choice((1, 1, 20)))
            case _ if len(lines) > 1:
                del lines[i]
    return b"\n".join(lines)


def wrong_charset(data: bytes, rng: random.Random) -> bytes:
    """Claim another charset, anywhere one is claimed."""
    for name in (b"utf-8", b"iso-8859-1", b"windows-1252", b"iso-2022-jp", b"koi8-r", b"gb2312"):
        data = data.replace(name, rng.choice(CHARSETS))
    return data


def nest(data: bytes, rng: random.Random) -> bytes:
    """Wrap the message into parts, up to hundreds of them."""
    depth = rng.choice((1, 2, 5, 40, 300))
    kind = rng.choice((b"mixed", b"alternative", b"digest", b"related", b"report"))
    head = b"".join(
        b"Content-Type: multipart/%s; boundary=n%d\n\n--n%d\n" % (kind, i, i) for i in range(depth)
    )
    return b"Subject: nested\n" + head + data


MUTATIONS: tuple[Callable[[bytes, random.Random], bytes], ...] = (
    flip,
    truncate,
    insert,
    shuffle_lines,
    wrong_charset,
    nest,
)


def mutants(count: int, seed: int) -> list[bytes]:
    """Damaged messages, the same for the same seed."""
    rng = random.Random(seed)
    found = []
    for number in range(count):
        data = SEEDS[number % len(SEEDS)]
        for _ in range(rng.randint(1, 3)):
            data = rng.choice(MUTATIONS)(data, rng) or b"\n"
        found.append(data)
    return found


def check(thing: Item | Skip) -> None:
    """What came out can be stored, printed and sorted by time."""
    if isinstance(thing, Skip):
        # a Skip for a reason of ours is fine, one that hides an exception is a bug
        assert not thing.reason.startswith("damaged"), thing
        return
    assert thing.id
    assert len(thing.digest) == 32
    assert thing.date is None or thing.date.tzinfo is not None
    assert all(person.name or person.address for person in thing.people)
    for text in (thing.id, thing.text, thing.title, *(p.name + p.address for p in thing.people)):
        text.encode("utf-8")
        assert "\x00" not in text
        assert "\x1b" not in text
    assert "\n" not in thing.id + thing.title


def test_mutated_messages() -> None:
    """No exception, no endless loop, no dirty string, for every way to treat quotes."""
    start = time.process_time()
    modes: tuple[Quotes, ...] = ("keep", "drop", "auto")
    n_items = 0
    for number, data in enumerate(mutants(N_MESSAGES, seed=20_08)):
        began = time.process_time()
        thing = parse_message(data, str(number), quotes=modes[number % 3])
        assert time.process_time() - began < 2, data[:2000]
        check(thing)
        n_items += isinstance(thing, Item)
    assert time.process_time() - start < SECONDS
    # the messages are damaged, not destroyed: the parser must get something out of most
    assert n_items > 0.9 * N_MESSAGES


def test_the_seeds_are_read_whole() -> None:
    """Without damage the words of every part are there."""
    plain, alternative, forward = (parse_message(seed) for seed in SEEDS)
    assert plain.title == "Die Pümpe leaks again"
    assert [p.address for p in plain.people][1:3] == ["joe@x.org", "jorg@x.org"]
    assert alternative.text == "Grüße aus Köln, die Pumpe ist undicht."
    assert "こんにちは" in forward.text
    assert "中文" in forward.text
    assert "Привет" in forward.text


@pytest.mark.parametrize("seed", range(5))
def test_mutated_mailboxes(tmp_path: Path, seed: int) -> None:
    """An mbox made of damaged messages is read to its end, and no byte is lost."""
    separator = b"From ann@x.org Mon Jan  1 10:00:00 2001\n"
    path = tmp_path / "box"
    path.write_bytes(b"".join(separator + data + b"\n\n" for data in mutants(200, seed)))
    reader = MboxReader(path)
    units = reader.scan()
    assert units[0].start == 0
    assert units[-1].stop == path.stat().st_size
    assert all(a.stop == b.start for a, b in pairwise(units))
    assert len(units) >= 190
    for unit in units:
        for thing in reader.read(unit):
            check(thing)
