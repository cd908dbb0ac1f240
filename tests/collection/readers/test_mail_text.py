"""What a person wrote, apart from what the mail program put around it."""

from __future__ import annotations

import pytest

from comraf.collection.readers.mail_text import (
    drop_long_lines,
    drop_notes_paths,
    is_forward,
    strip_quotes,
    strip_signature,
)


@pytest.mark.parametrize(
    "quoted",
    [
        "> old\n> older",
        "On Mon, 1 Jan 2001 at 10:00, Ann <ann@x.org> wrote:\n> old",
        "On Mon, 1 Jan 2001 at 10:00, Ann Somebody With A Long Name\n<ann@x.org> wrote:\n\nold",
        "Am 01.01.2001 um 10:00 schrieb Ann:\n> old",
        "Le lun. 1 janv. 2001 à 10:00, Ann a écrit :\n> old",
        "-----Original Message-----\nFrom: Ann\nSent: Monday\nTo: Joe\nSubject: x\n\nold",
        " -----Ursprüngliche Nachricht-----\nVon: Ann\n\nold",
        "________________________________\nFrom: Ann\nSent: Monday\nTo: Joe\nSubject: x\n\nold",
        "From: Ann <ann@x.org>\nDate: Monday\nSubject: x\n\nold",
        "*From:* Ann\n*Sent:* Monday\n*To:* Joe\n*Subject:* x\n\nold",
        "Von: Ann\nGesendet: Montag\nAn: Joe\nBetreff: x\n\nold",
        "Ann Li\n07/28/2000 01:24 PM\nTo: Joe/HOU/ECT@ECT\ncc: Bo\nSubject: x\n\nold",
        "ann@x.org on 02/23/2000 09:11:07 AM\nTo: Joe\ncc:\nSubject: x\n\nold",
    ],
)
def test_replies_lose_what_they_quote(quoted: str) -> None:
    """Marked lines, Outlook's and Notes' headers, and attributions in several languages."""
    assert strip_quotes(f"My own words.\n\n{quoted}") == "My own words."
    assert "old" in strip_quotes(f"My own words.\n\n{quoted}", quotes="keep")


def test_answers_between_quotes_stay() -> None:
    """Someone who answers point by point is heard."""
    text = "Ann wrote:\n> one?\nyes\n> two?\nno\n"
    assert strip_quotes(text).split() == ["Ann", "wrote:", "yes", "no"]


@pytest.mark.parametrize(
    "marker",
    [
        "---------------------- Forwarded by Ann/HOU on 07/21/2000 \n07:08 AM -----------------",
        "---------- Forwarded message ---------",
        "Begin forwarded message:",
        "-------- Weitergeleitete Nachricht --------",
    ],
)
def test_forwarded_text_stays_without_its_headers(marker: str) -> None:
    """What was forwarded is what the message is about."""
    text = f"fyi\n{marker}\nFrom: Ann\nTo: Joe\ncc: Bo\nSubject: pumps\n\nThe pump leaks."
    assert strip_quotes(text).split() == ["fyi", "The", "pump", "leaks."]


def test_the_subject_can_say_that_it_is_a_forward() -> None:
    """Outlook marks replies and forwards alike; the subject tells them apart."""
    text = "fyi\n-----Original Message-----\nFrom: Ann\nSent: Monday\nTo: Bo\nSubject: x\n\nLeaks."
    assert strip_quotes(text) == "fyi"
    assert strip_quotes(text, forward=True).split() == ["fyi", "Leaks."]
    deeper = f"{text}\n-----Original Message-----\nFrom: Bo\n\nolder"
    assert strip_quotes(deeper, forward=True).split() == ["fyi", "Leaks."]
    assert is_forward("Fwd: x")
    assert is_forward("[list] FW: x")
    assert not is_forward("Re: Fwd: x")
    assert not is_forward("forward planning")


def test_auto_keeps_quotes_where_little_else_is_left() -> None:
    """A bare "thanks" is about what it answers; a long answer speaks for itself."""
    quote = "\n> " + "the pump leaks " * 10
    assert "pump" in strip_quotes("Thanks!" + quote, quotes="auto")
    assert "pump" not in strip_quotes("these are words of my own " * 5 + quote, quotes="auto")


@pytest.mark.parametrize(
    "text",
    [
        "On the whole she wrote: nothing.",
        "On Smith's view, he wrote:\n\n'The pump leaks.'",
        "From: here on things get better.\nTo: nobody.",
        "He was born 1/2/1990 10:30 in Rome.",
        "See -- this -- works",
        "a | b",
    ],
)
def test_prose_is_left_alone(text: str) -> None:
    """Sentences that look a little like marks are no quotes."""
    assert strip_quotes(text) == text


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("Bye.\n-- \nAnn\n555", "Bye."),
        ("Bye.\n--\nAnn", "Bye."),
        ("Bye.\n\nSent from my phone", "Bye."),
        ("-- \nAnn", ""),
        ("one\n---\ntwo", "one\n---\ntwo"),
        ("no signature", "no signature"),
        ("-- \n" + "line\n" * 60, "-- \n" + "line\n" * 59 + "line"),
    ],
)
def test_signatures(text: str, rest: str) -> None:
    """The conventional mark ends a message, unless half the message follows."""
    assert strip_signature(text) == rest


def test_a_signature_above_the_quote_goes_too() -> None:
    """A signature between the answer and the quoted message is one."""
    text = "Yes.\n-- \nAnn\n\nOn 1 Jan 2001 Bo wrote:\n> x\n> y\nAnd no."
    assert strip_quotes(text).split() == ["Yes.", "And", "no."]
    assert "Ann" in strip_quotes(text, signatures=False)


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("a\n" + "x" * 51 + "\nb", "a\nb"),
        ("a\n" + "x" * 50 + "\nb", "a\n" + "x" * 50 + "\nb"),
        ("x" * 30 + " " + "x" * 30, "x" * 30 + " " + "x" * 30),
        ("-" * 70 + "\r".strip(), ""),
        ("é" * 51, ""),
        ("山" * 60, "山" * 60),
        ("ก" * 60, "ก" * 60),
        ("a\nbegin 644 f.zip\nM123\n`\nend\nb", "a\n\nb"),
        ("we begin 644 things\nend", "we begin 644 things\nend"),
    ],
)
def test_long_lines_without_white_space_go(text: str, rest: str) -> None:
    """Binary lines and rules are no words; Chinese and Thai sentences are."""
    assert drop_long_lines(text) == rest


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Sally Beck/HOU/ECT@ECT, Mark Li/Corp/Enron@ENRON", "Sally Beck, Mark Li"),
        ("Forwarded by Sally Beck/HOU/ECT on 05/02/2000", "Forwarded by Sally Beck on 05/02/2000"),
        ("Sally Beck@ECT\nTim Belden@Enron", "Sally Beck\nTim Belden"),
        # what is no path of Notes stays
        ("ann@x.org, and/or, 5/2/2000, TCP/IP", "ann@x.org, and/or, 5/2/2000, TCP/IP"),
        ("http://x.org/A/B and /usr/Local/Bin/x.py", "http://x.org/A/B and /usr/Local/Bin/x.py"),
        ("at 10 @ 5", "at 10 @ 5"),
    ],
)
def test_of_addresses_of_notes_the_names_stay(text: str, left: str) -> None:
    """HOU, ECT and the like are servers, not words."""
    assert drop_notes_paths(text) == left
