"""The sample mailbox: the same for everybody, real mail, neither too easy nor too hard."""

from __future__ import annotations

import email
import mailbox
import os
import re
import time
import tracemalloc
from collections import Counter
from email import policy
from email.message import EmailMessage
from html import unescape
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from comraf.collection import sample
from comraf.collection._sample_drafts import EVERYDAY, STOCKS, STOP_WORDS, iter_drafts
from comraf.errors import InputError, WriteError
from comraf.metrics import micro_accuracy

N = 400


@pytest.fixture(scope="module")
def mail() -> list[sample.SampleMessage]:
    """Return the default mailbox."""
    return sample.messages()


@pytest.fixture(scope="module")
def tables() -> sample.SampleTables:
    """Return the tables of the default mailbox."""
    return sample.sample_tables()


def _bytes(messages: list[sample.SampleMessage]) -> list[bytes]:
    return [item.message.as_bytes() for item in messages]


def _text(message: EmailMessage) -> str:
    """What a reader sees in the body, from plain text or from HTML."""
    body = message.get_body(("plain", "html"))
    assert body is not None
    text = body.get_content()
    if body.get_content_subtype() == "html":
        text = re.sub(r"<blockquote>.*?</blockquote>", "", text, flags=re.DOTALL)
        text = re.sub(r'<div class="signature">.*?</div>', "", text, flags=re.DOTALL)
        text = unescape(re.sub(r"<[^>]+>", "\n", text))
    return text


def _own_text(message: EmailMessage) -> str:
    """The body without quoted lines, their introduction and the signature."""
    lines = _text(message).splitlines()
    if "-- " in lines:
        lines = lines[: lines.index("-- ")]
    return "\n".join(x for x in lines if not x.startswith(">") and not x.endswith(" wrote:"))


def _mailboxes(message: EmailMessage) -> list[tuple[str, str]]:
    fields = [message[name] for name in ("From", "To", "Cc") if message[name]]
    return [(a.display_name, a.addr_spec) for field in fields for a in field.addresses]


def test_same_seed_same_bytes(mail: list[sample.SampleMessage]) -> None:
    """The mailbox is the same in every run, and another one for another seed."""
    assert _bytes(mail) == _bytes(sample.messages(N, seed=0))
    assert _bytes(mail) != _bytes(sample.messages(N, seed=1))


def test_known_beginning(mail: list[sample.SampleMessage]) -> None:
    """The first message is pinned, so that no version of Python changes the sample unseen."""
    first = mail[0]
    assert first.message["Message-ID"] == "<0.40212eff@tidebook.example>"
    assert first.message["Subject"] == "Release notes"
    assert str(first.message["Date"]) == "Mon, 12 Jan 2026 11:54:29 +0100"


def test_topics_and_their_sizes(mail: list[sample.SampleMessage]) -> None:
    """All eight topics are there, none is tiny and none rules the mailbox."""
    sizes = Counter(item.topic for item in mail)
    assert len(mail) == N
    assert set(sizes) == set(sample.TOPICS)
    assert len(sizes) == 8
    assert min(sizes.values()) >= 20
    assert max(sizes.values()) <= 100
    assert all(item.folder == sample.TOPICS[item.topic] for item in mail)


def test_headers_are_whole_and_dates_ascend(mail: list[sample.SampleMessage]) -> None:
    """Every message has a sender, a recipient, a subject and a date after the last one's."""
    dates = []
    for item in mail:
        message = item.message
        assert len(message["From"].addresses) == 1
        assert len(message["To"].addresses) >= 1
        assert str(message["Subject"]).strip()
        assert not message.defects
        dates.append(message["Date"].datetime)
    assert dates == sorted(dates)
    assert 120 < (dates[-1] - dates[0]).days < 160
    assert all(7 <= date.hour <= 22 for date in dates)


def test_replies_follow_what_they_answer(mail: list[sample.SampleMessage]) -> None:
    """A reply has "Re:", names an earlier message of the same topic, and often quotes it."""
    earlier: dict[str, sample.SampleMessage] = {}
    replies = quoting = 0
    for item in mail:
        message = item.message
        parent = message["In-Reply-To"]
        if parent is not None:
            replies += 1
            answered = earlier[str(parent)]
            assert answered.topic == item.topic
            assert str(message["Subject"]).lower().startswith("re: ")
            assert (
                str(answered.message["Subject"])
                .lower()
                .endswith(str(message["Subject"])[4:].lower())
            )
            assert str(message["References"]).split()[-1] == str(parent)
            quoting += "\n> " in _text(message) or " wrote:" in _text(message)
        earlier[str(message["Message-ID"])] = item
    assert N // 3 < replies < 2 * N // 3
    assert replies // 2 < quoting < replies


def test_kinds_of_mail(mail: list[sample.SampleMessage]) -> None:
    """HTML beside text, HTML alone, attachments, Latin-1, lists and duplicates all occur."""
    kinds = Counter(item.message.get_content_type() for item in mail)
    assert kinds["multipart/alternative"] >= 10
    assert kinds["text/html"] >= 1
    assert sum(1 for item in mail if any(item.message.iter_attachments())) >= 3
    charsets = Counter(p.get_content_charset() for item in mail for p in item.message.walk())
    assert charsets["iso-8859-1"] >= 3
    lists = Counter(str(item.message["List-Id"]) for item in mail if item.message["List-Id"])
    assert len(lists) == len(sample.LISTS)
    assert min(lists.values()) >= 5
    ids = Counter(str(item.message["Message-ID"]) for item in mail)
    assert 1 <= sum(count - 1 for count in ids.values()) <= 20


def test_people(mail: list[sample.SampleMessage]) -> None:
    """About forty people write, some under two names or addresses; nobody else is addressed."""
    everyone = sample.people()
    assert 35 <= len(everyone) <= 45
    owners = {address: person for person in everyone for address in person.addresses}
    assert len(owners) == sum(len(person.addresses) for person in everyone)
    list_addresses = {address for address, _, _ in sample.LISTS.values()}
    seen: dict[str, set[tuple[str, str]]] = {}
    for item in mail:
        for name, address in _mailboxes(item.message):
            if address in list_addresses:
                continue
            assert name in owners[address].spellings
            seen.setdefault(owners[address].name, set()).add((name, address))
    assert len(seen) >= 35
    assert sum(len(forms) > 1 for forms in seen.values()) >= 10


def test_addresses_are_nobodys() -> None:
    """All domains are reserved for examples, so no message can ever reach a person."""
    addresses = [a for person in sample.people() for a in person.addresses]
    addresses += [address for address, _, _ in sample.LISTS.values()]
    reserved = re.compile(r"@(?:[a-z0-9-]+\.)*(?:example|example\.(?:org|com|net))$")
    assert all(reserved.search(address) for address in addresses)


def test_some_people_keep_to_one_topic_and_some_do_not(mail: list[sample.SampleMessage]) -> None:
    """Senders say something about the topic, but not everything."""
    topics: dict[str, set[str]] = {}
    for item in mail:
        topics.setdefault(item.message["From"].addresses[0].addr_spec, set()).add(item.topic)
    widths = Counter(len(found) for found in topics.values())
    assert widths[1] >= 20
    assert sum(count for width, count in widths.items() if width >= 4) >= 4


def test_non_ascii_survives_the_wire(mail: list[sample.SampleMessage]) -> None:
    """Names, subjects and bodies in other alphabets come back from their bytes unchanged."""
    names, subjects, bodies = set(), 0, 0
    for item in mail:
        raw = item.message.as_bytes()
        head = raw.partition(b"\n\n")[0]
        assert head.isascii()
        back = email.message_from_bytes(raw, policy=policy.default)
        for name in ("From", "Subject", "To", "Cc"):
            assert back[name] == item.message[name]
        assert _text(back) == _text(item.message)
        names.update(a.display_name for a in back["From"].addresses)
        subjects += not str(back["Subject"]).isascii()
        bodies += not _text(back).isascii()
    assert "Søren Kjær" in names
    assert sum(not name.isascii() for name in names) >= 6
    assert subjects >= 5
    assert bodies >= 20


def test_mbox_round_trip(tmp_path: Path, mail: list[sample.SampleMessage]) -> None:
    """The standard library reads from the mbox the messages that were written to it."""
    path = sample.write_mbox(tmp_path / "sample.mbox")
    box = mailbox.mbox(
        path, factory=lambda file: email.message_from_binary_file(file, policy=policy.default)
    )
    assert len(box) == N
    for read, item in zip(box, mail, strict=True):
        written = item.message
        for name in ("From", "To", "Cc", "Subject", "Date", "Message-ID", "List-Id"):
            assert read[name] == written[name]
        assert read.get_content_type() == written.get_content_type()
        assert _text(read).replace("\n>From ", "\nFrom ").rstrip() == _text(written).rstrip()
    assert path.read_bytes() == sample.write_mbox(tmp_path / "again.mbox").read_bytes()


def test_maildir_round_trip(tmp_path: Path, mail: list[sample.SampleMessage]) -> None:
    """A folder for each topic holds the messages of that topic, byte for byte."""
    box = mailbox.Maildir(sample.write_maildir(tmp_path / "mail"), create=False)
    assert set(box.list_folders()) == set(sample.TOPICS.values())
    for folder in box.list_folders():
        inside = box.get_folder(folder)
        read = sorted(inside.get_bytes(key) for key in inside.keys())  # noqa: SIM118
        assert read == sorted(_bytes([item for item in mail if item.folder == folder]))


@pytest.mark.parametrize("write", [sample.write_mbox, sample.write_maildir])
def test_nothing_is_overwritten(tmp_path: Path, write) -> None:
    """A file or a folder with something in it is refused and left alone."""
    target = tmp_path / "target"
    write(target, 5)
    before = {p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()}
    with pytest.raises(WriteError, match="not empty"):
        write(target, 6)
    assert {p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()} == before


def test_empty_targets_are_fine(tmp_path: Path) -> None:
    """An empty file and an empty folder may be filled."""
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    assert sample.write_mbox(tmp_path / "file", 3).stat().st_size > 0
    assert (sample.write_maildir(tmp_path / "folder", 3) / "cur").is_dir()
    assert sorted(os.listdir(tmp_path)) == ["file", "folder"]


def test_wrong_kind_of_target(tmp_path: Path) -> None:
    """An mbox is no folder and a maildir no file."""
    (tmp_path / "file").touch()
    with pytest.raises(WriteError, match="is a folder"):
        sample.write_mbox(tmp_path, 3)
    with pytest.raises(WriteError, match="is a file"):
        sample.write_maildir(tmp_path / "file", 3)


@pytest.mark.parametrize("write", [sample.write_mbox, sample.write_maildir])
def test_no_parent_folder(tmp_path: Path, write) -> None:
    """A place that can't be written to is an error that names it, with nothing left behind."""
    with pytest.raises(WriteError, match=r"there is no folder .*nowhere; make it first"):
        write(tmp_path / "nowhere" / "target", 3)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("write", [sample.write_mbox, sample.write_maildir])
def test_interruption_leaves_nothing(tmp_path: Path, monkeypatch, write) -> None:
    """Ctrl-C halfway leaves neither the target nor a half-written neighbour."""

    def stop_early(n_messages: int, seed: int):
        yield from islice(iter_drafts(n_messages, seed), 3)
        raise KeyboardInterrupt

    monkeypatch.setattr(sample, "iter_drafts", stop_early)
    with pytest.raises(KeyboardInterrupt):
        write(tmp_path / "target", 10)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("make", [sample.messages, sample.iter_messages, sample.sample_tables])
@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ((0,), "n_messages"),
        ((-3,), "n_messages"),
        ((2.5,), "n_messages"),
        ((True,), "n_messages"),
        ((5, -1), "seed"),
        ((5, "x"), "seed"),
    ],
)
def test_bad_numbers(make, arguments, name: str) -> None:
    """Numbers that make no mailbox are refused at once, with what was given."""
    with pytest.raises(InputError, match=f"{name}={arguments[-1]!r}; it must be"):
        make(*arguments)


def test_tables_agree_with_the_messages(
    mail: list[sample.SampleMessage], tables: sample.SampleTables
) -> None:
    """Counting the parsed messages again gives every cell of the three tables."""
    rows = {str(item.message["Message-ID"]): item for item in mail}
    assert tables.message_ids == tuple(rows)
    assert tables.truth.tolist() == [item.topic for item in rows.values()]
    for row, item in enumerate(rows.values()):
        words = re.findall(r"[^\W\d_]{2,}", _own_text(item.message).lower())
        _check_row(tables.words, tables.word_names, row, words)
        subject = re.sub(r"^(re: )?(\[.*?\] )?", "", str(item.message["Subject"]).lower())
        subject_words = re.findall(r"[^\W\d_]{2,}", subject)
        _check_row(tables.subjects, tables.subject_names, row, subject_words)
        addresses = {address for _, address in _mailboxes(item.message)}
        _check_row(tables.people, tables.people_names, row, addresses)


def _check_row(table, names, row: int, found) -> None:
    counted = Counter(word for word in found if word in set(names) and word not in STOP_WORDS)
    start, end = table.indptr[row : row + 2]
    stored = zip(table.indices[start:end], table.data[start:end], strict=True)
    assert {names[column]: count for column, count in stored} == counted


def test_tables_are_sound(tables: sample.SampleTables) -> None:
    """Whole numbers, sorted names, no stop word, no column that stands in one message only."""
    for table, names in (
        (tables.words, tables.word_names),
        (tables.people, tables.people_names),
        (tables.subjects, tables.subject_names),
    ):
        assert table.shape == (len(tables.message_ids), len(names))
        assert table.dtype == np.int32
        assert table.indices.dtype == np.int32
        assert list(names) == sorted(set(names))
        assert table.has_canonical_format
        assert (table > 0).sum(axis=0).min() >= 2
        assert not STOP_WORDS & set(names)
    assert tables.people.max() == 1
    assert 800 < len(tables.word_names) < 1500
    assert 20 < tables.words.sum() / len(tables.message_ids) < 60


def test_a_tiny_mailbox_has_tables_too() -> None:
    """One message has no word in two messages: the tables have a row and no column."""
    tables = sample.sample_tables(1)
    assert tables.words.shape == (1, 0)
    assert tables.people.shape == (1, 0)
    assert len(tables.truth) == 1


def test_every_sentence_can_be_filled() -> None:
    """No template has a slot without phrases, and the stocks are large enough."""
    shared = set(EVERYDAY.slots) | {"first"}
    for stock in (*STOCKS, EVERYDAY):
        for template in (*stock.sentences, *stock.subjects):
            assert set(template[1::2]) <= shared | set(stock.slots)
        assert len(stock.sentences) >= 30
        assert len(set(stock.sentences)) == len(stock.sentences)


def test_topics_share_ambiguous_words() -> None:
    """Words such as bed, branch, trial and release belong to more than one topic."""
    vocabulary = [
        set(re.findall(r"\w+", " ".join(" ".join(s) for s in stock.sentences).lower()))
        | {word for phrases in stock.slots.values() for p in phrases for word in p.split()}
        for stock in STOCKS
    ]
    for word in ("bed", "branch", "trial", "release", "screen", "patch", "case", "hearing"):
        assert sum(word in words for words in vocabulary) >= 2, word


def test_clusterable_but_not_trivial() -> None:
    """k-means on tf-idf finds most of the topics in the words, fewer in the people."""
    from sklearn.cluster import KMeans
    from sklearn.feature_extraction.text import TfidfTransformer

    scores: dict[str, list[float]] = {"words": [], "people": []}
    for seed in range(2):
        tables = sample.sample_tables(N, seed)
        for side, found in scores.items():
            features = TfidfTransformer().fit_transform(tables.by_name()[side])
            labels = KMeans(8, n_init=5, random_state=seed).fit_predict(features)
            found.append(micro_accuracy(tables.truth, labels))
    assert 0.70 <= np.mean(scores["words"]) <= 0.95
    assert 0.30 <= np.mean(scores["people"]) <= 0.70


def test_fast_enough() -> None:
    """Four hundred messages take well under a second (three are allowed on a busy machine)."""
    started = time.perf_counter()
    sample.messages(N, seed=5)
    assert time.perf_counter() - started < 3.0


def test_a_stream_needs_no_memory() -> None:
    """A thousand messages that nobody keeps take half a megabyte; kept, they take several."""
    tracemalloc.start()
    for _ in sample.iter_messages(1000):
        pass
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 500_000
