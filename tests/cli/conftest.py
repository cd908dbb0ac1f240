"""A mailbox, and an answer about one, for all tests of the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from comraf.collection.sample import write_maildir, write_mbox
from tests.cli.talking import comraf


@pytest.fixture(scope="session")
def mailbox(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample mailbox as a file."""
    return Path(write_mbox(tmp_path_factory.mktemp("mail") / "sample.mbox", 240, 1))


@pytest.fixture(scope="session")
def organized(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A maildir with a folder for each topic, organised with its folders as truth."""
    root = tmp_path_factory.mktemp("organized")
    write_maildir(root / "Mail", 240, 1)
    answer = comraf("organize", root / "Mail", "-k", 8, "--truth", "folders", "--out", root / "out")
    assert answer.exit_code == 0, answer.output
    assert "Against the known classes" in answer.stdout
    return root / "out"


@pytest.fixture(scope="session")
def reviews(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table of short texts with two columns of values."""
    words = {"kettle": "water boil spout lid", "shoes": "heel sole laces run", "tent": "rain pole"}
    lines = ["key,product,buyer,title,review"]
    for i in range(90):
        product = list(words)[i % 3]
        text = " ".join((words[product].split() * 6)[i % 4 : i % 4 + 12])
        lines.append(f"r{i},{product},Buyer {i % 5},About {product},{text}")
    path = tmp_path_factory.mktemp("reviews") / "reviews.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture(scope="session")
def reviewed(reviews: Path) -> Path:
    """The table, organised."""
    out = reviews.parent / "out"
    answer = comraf("organize", reviews, "-k", 3, "--out", out, "--quiet")
    assert answer.exit_code == 0, answer.output
    return out
