"""Unicode's normal forms, in time that grows with the text alone.

Normalising puts the marks on a letter in order, and a letter with a million marks takes hours.
No letter of any language has more than a few: those beyond 30 go, as Unicode's own
"stream-safe" text has it.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from itertools import groupby
from typing import Literal

_MOST = 30


@lru_cache(maxsize=1)
def _too_many() -> re.Pattern[str]:
    """Marks that follow 30 others; what becomes a mark when it is taken apart is one too."""
    marks = [
        code
        for code in range(0x300, 0x20000)
        if not 0xD800 <= code < 0xE000
        and unicodedata.combining(unicodedata.normalize("NFKD", chr(code))[0])
    ]
    # marks that stand side by side have one difference between place and code
    runs = (list(run) for _, run in groupby(enumerate(marks), lambda pair: pair[1] - pair[0]))
    ranges = "".join(f"{chr(run[0][1])}-{chr(run[-1][1])}" for run in runs)
    return re.compile(f"([{ranges}]{{{_MOST}}})[{ranges}]+")


def normalized(form: Literal["NFC", "NFKC", "NFKD"], text: str) -> str:
    r"""Return a text in a normal form; of more than 30 marks on a letter the first ones stay.

    Examples
    --------
    >>> normalized("NFC", "cafe\u0301"), len(normalized("NFC", "a" + "\u0316\u0302" * 1000))
    ('café', 30)
    """
    if text.isascii():
        return text
    return unicodedata.normalize(form, _too_many().sub(r"\1", text))
