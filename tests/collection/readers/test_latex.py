"""TeX's way of writing letters."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comraf.collection.readers.latex import plain_text


@pytest.mark.parametrize(
    ("tex", "plain"),
    [
        (r"G{\"o}del", "Gödel"),
        (r"G\"odel", "Gödel"),
        (r"G\"{o}del", "Gödel"),
        (r"{\'E}tienne", "Étienne"),
        (r"Mart\'{\i}nez", "Martínez"),
        (r"Mart\'\i nez", "Martínez"),
        (r"{\v{S}}koda and {\v C}apek", "Škoda and Čapek"),
        (r"Fran\c{c}ois", "François"),
        (r"Fran\c cois", "François"),
        (r"Erd\H{o}s", "Erdős"),
        (r"Stra{\ss}e", "Straße"),
        (r"\AA ngstr\"om", "Ångström"),
        (r"{\O}rsted, {\L}ukasz, {\o}", "Ørsted, Łukasz, ø"),
        (r"\k{A}\k{a} \.Z \u{g} \r{u} \d{h} \={a}", "Ąą Ż ğ ů ḥ ā"),
        (r"Nguy\~{\^e}n", "Nguy~ên"),
        (r"50\% of A\_B \& C \#1 \$5 \{x\}", "50% of A_B & C #1 $5 {x}"),
        (r"{D}eep {{NLP}} ~now", "Deep NLP  now"),
        (r"\emph{very} {\bf bold} \textsc{Caps}", "very bold Caps"),
        (r"$\alpha$-$\beta$ search", "alpha-beta search"),
        (r"``quoted'' pages 1--2 --- so", "“quoted” pages 1–2 — so"),
        ("plain words", "plain words"),
        ("cafe\u0301 {x}", "café x"),
    ],
)
def test_letters(tex: str, plain: str) -> None:
    """Accents, letters with names, signs, looks and dashes."""
    assert plain_text(tex) == plain


@given(st.text(alphabet="\\{}\"'`^~=.uvHcabi $&%-\n", max_size=60))
def test_anything_goes(tex: str) -> None:
    """Whatever is written, no brace of a group and no command's backslash stays unasked."""
    plain = plain_text(tex)
    if "\\{" not in tex and "\\}" not in tex:
        assert "{" not in plain
        assert "}" not in plain
