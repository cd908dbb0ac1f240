"""Choices are tried, and ranked without labels or by a few."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import comraf
from comraf.errors import InputError
from comraf.progress import Event
from comraf.select import Choice, Score, Selection, Tried, audit, choose
from comraf.workflows.select import select
from tests.select.test_audit import MOODS, PEOPLE, TOPIC, TOPICS, WORDS, N, texts

__all__ = ["texts"]

BAD = {"words": WORDS, "moods": MOODS}
LABELS = {row: int(TOPIC[row]) for row in range(0, N, 10)}


def same(one: Selection, other: Selection) -> None:
    """All that was measured is equal; nan is nan."""
    assert [str(each) for each in one.tried] == [str(each) for each in other.tried]
    assert one.options == other.options


def test_a_side_that_harms_is_left_out_and_two_that_help_stay() -> None:
    """Without labels all sets of sides are tried, then weights and a loop of those that stay."""
    found = choose(BAD, TOPICS)
    assert found.worthwhile
    assert found.options == {"n_clusters": TOPICS, "by": ["words"]}
    assert {one.choice.by for one in found.tried} == {("words", "moods"), ("words",), ("moods",)}
    assert max(one.foretold.value for one in found.tried) == 1.0
    both = choose({"words": WORDS, "people": PEOPLE}, TOPICS)
    assert not both.worthwhile
    assert both.sentence.startswith("No difference worth choosing")
    more = [one.choice for one in both.tried[3:]]
    assert [dict(one.weight).keys() for one in more] == [{"people"}, {"people"}, set()]
    assert [one.graph for one in more] == ["tree", "tree", "loopy"]
    assert all(math.isfinite(one.foretold.value) for one in both.tried)


def test_labels_rank_and_more_is_tried_by_them() -> None:
    """Classes of moods want moods, whatever the words foretell; 4 of 10 tries are not sides."""
    moods = np.asarray(MOODS.argmax(axis=1)).ravel() // 10
    wanted = {row: int(moods[row]) for row in range(0, N, 10)}
    found = choose(BAD, TOPICS, labels=wanted, effort="quick")
    assert found.n_labels == len(LABELS)
    assert "moods" in found.best.choice.by
    own = [one.choice for one in found.tried]
    assert {"loopy"} <= {one.graph for one in own}
    assert {"even", "free"} <= {one.sizes for one in own}
    assert any(one.weight for one in own)
    other = choose(BAD, TOPICS, labels=LABELS, effort="quick")
    assert other.best.choice.by == ("words",) or other.best.choice.weight


def test_a_few_labels_choose_nothing() -> None:
    """Agreement of three items is chance; what is foretold decides."""
    own = [Choice(("words",)), Choice(("moods",))]
    for few in ({0: 0, 1: 0, 2: 1}, {row: int(TOPIC[row]) for row in range(3)}):
        found = choose(BAD, TOPICS, labels=few, choices=own, effort="quick")
        assert found.best.choice.by == ("words",)
        assert {one.agreement.error for one in found.tried[1:]} == {1.0}


def linked(classes: np.ndarray, n: int = 60) -> dict[str, np.ndarray]:
    """Links of both kinds, as classes have them."""
    pairs = np.random.default_rng(0).integers(0, N, (40 * n, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    same = classes[pairs[:, 0]] == classes[pairs[:, 1]]
    return {"must_link": pairs[same][:n], "cannot_link": pairs[~same][:n]}


def test_links_rank_as_labels_do() -> None:
    """What is kept of links of both kinds decides, by definition; one kind alone is refused."""
    moods = np.asarray(MOODS.argmax(axis=1)).ravel() // 10
    own = [Choice(("words",)), Choice(("moods",))]
    for classes, sides in ((moods, ("words", "moods")), (np.asarray(TOPIC), ("words",))):
        links = linked(classes)
        found = choose(BAD, TOPICS, choices=own, effort="quick", **links)
        assert (found.n_labels, found.n_links, found.n_known) == (0, 120, 120)
        assert found.best.choice.by == sides  # words alone foretell, but links speak against them
        assert all(one.agreement.error < 0.2 for one in found.tried)
    labels = comraf.Organizer(TOPICS, by=["words"], effort="quick", random_state=0).fit(
        comraf.select.chance.collected(BAD)
    )
    together = [labels.labels_[kind[:, 0]] == labels.labels_[kind[:, 1]] for kind in links.values()]
    kept = together[0].mean() - together[1].mean()
    (words,) = (one for one in found.tried if one.choice.by == ("words",))
    assert words.agreement.value == pytest.approx(kept)
    both = choose(BAD, TOPICS, choices=own, effort="quick", labels=LABELS, **links)
    assert both.n_known == len(LABELS) + 120
    with pytest.raises(InputError, match="links of both kinds; give must_link and cannot_link"):
        choose(BAD, TOPICS, must_link=links["must_link"])
    for wrong in ([[0, N]], [("a", "b")], [[3, 3]]):
        with pytest.raises(InputError, match="cannot_link"):
            choose(BAD, TOPICS, **links | {"cannot_link": wrong})
    with pytest.raises(InputError, match="links of both kinds"):  # before anything is read
        select("nowhere.mbox", must_link=["nowhere.csv"])


def test_the_answer_does_not_depend_on_jobs_and_keeps_to_the_tries() -> None:
    """Many sides are left out one by one, no more than so many times."""
    four = BAD | {"people": PEOPLE, "more": MOODS[:, ::-1]}
    tables = {name: table[:200] for name, table in four.items()}
    labels = {row: known for row, known in LABELS.items() if row < 200}
    asked: dict[str, Any] = {"tries": 6, "labels": labels, "effort": "quick"}
    one = choose(tables, TOPICS, **asked)
    same(one, choose(tables, TOPICS, **asked, n_jobs=2))
    assert len(one.tried) == 6
    assert {len(each.choice.by) for each in one.tried[:5]} == {3, 4}


def test_too_little_to_tell_by_is_said() -> None:
    """Few items without labels; with them there is something to tell by."""
    few = {name: table[:100] for name, table in BAD.items()}
    found = choose(few, TOPICS)
    assert (len(found.tried), found.worthwhile) == (1, False)
    assert found.sentence.startswith("Too little to tell by")
    assert len(choose(few, TOPICS, labels={r: c for r, c in LABELS.items() if r < 100}).tried) > 3
    with pytest.raises(InputError, match="row 600"):
        choose(BAD, TOPICS, labels={600: 1, 1: 2})


class Trying:
    """A listener that hears what is tried, and stops before one more than so many."""

    def __init__(self, most: int = 100) -> None:
        self.heard: list[str] = []
        self.most = most

    def __call__(self, event: Event) -> None:
        if event.message.startswith("trying"):
            if len(self.heard) == self.most:
                raise KeyboardInterrupt
            self.heard.append(event.message)


def test_what_was_tried_is_taken_up_again(tmp_path: Path) -> None:
    """It is stopped after two tries; then only the other is measured, and the answer is whole."""
    whole, half = choose(BAD, TOPICS), tmp_path / "half"
    part = choose(BAD, TOPICS, checkpoint=half, listener=Trying(2))
    assert part.interrupted
    assert len(part.tried) == 2
    rest = Trying()
    same(whole, choose(BAD, TOPICS, checkpoint=half, listener=rest))
    assert rest.heard == [f"trying {whole.tried[2].choice}"]
    assert not half.exists()
    with pytest.raises(TimeoutError):
        choose(BAD, TOPICS, time_limit=1e-3)


def test_other_searches_are_refused_a_checkpoint(tmp_path: Path) -> None:
    """Other labels make other scores."""
    choose(BAD, TOPICS, checkpoint=tmp_path / "half", listener=Trying(1))
    with pytest.raises(InputError, match="another search"):
        choose(BAD, TOPICS, labels=LABELS, checkpoint=tmp_path / "half")


def test_organize_takes_what_is_chosen(texts: Path) -> None:
    """By the sides that were best; of no difference, by those that organize takes itself."""
    found = select(texts, TOPICS)
    assert found.chosen == {"n_clusters": TOPICS, "by": ["words"]}
    with comraf.organize(texts, effort="quick", **found.chosen) as answer:
        assert list(answer.organizer.sides_) == ["words"]
    alike = select(texts, TOPICS, tries=1, time_limit=60, min_documents=3, weighting="log+root")
    # without sides, and read as it was here
    assert alike.chosen == {"n_clusters": TOPICS, "min_documents": 3, "weighting": "log+root"}
    weighed = comraf.organize(
        texts, TOPICS, effort="quick", by=["words", "moods"], weight={"moods": 0.05}
    )
    with weighed as answer:
        assert [edge.weight for edge in answer.graph.edges] == [1.0, 0.05]


def test_given_choices_are_tried_and_no_others() -> None:
    """After all sides together."""
    own = [Choice(("words", "moods"), weight=(("moods", 0.01),)), Choice(("moods",))]
    found = choose(BAD, TOPICS, choices=own)
    assert [one.choice for one in found.tried[1:]] == own
    assert found.best.choice == own[0]


def test_of_sides_that_weigh_alike_the_main_one_is_what_all_foretell() -> None:
    """Moods of as many counts as words, which know nothing of each other; people know the words."""
    moods = MOODS * 5
    assert moods.sum() == WORDS.sum()
    for tables in (
        {"moods": moods, "words": WORDS, "people": PEOPLE},
        {"people": PEOPLE, "words": WORDS, "moods": moods},
    ):
        assert choose(tables, TOPICS, tries=1).main == audit_main(tables)


def audit_main(tables: dict[str, Any]) -> str:
    """The main side of the audit."""
    (main,) = [one.side for one in audit(tables, TOPICS).sides if one.verdict == "main"]
    return main


def test_correlation_is_of_what_both_know() -> None:
    """Three choices at least."""
    nan = float("nan")

    def one(foretold: float, agreement: float) -> Tried:
        return Tried(Choice(("words",)), 1.0, Score(foretold), Score(agreement))

    tried = one(0.1, 0.2), one(0.2, 0.4), one(nan, 0.3), one(0.3, 0.6)
    assert Selection(tried, tried[0]).correlation == pytest.approx(1.0)
    assert math.isnan(Selection(tried[:3], tried[0]).correlation)


def test_items_of_a_collection_are_labelled_by_their_ids(texts: Path, tmp_path: Path) -> None:
    """A file of labels has the names of items, and a class."""
    with comraf.organize(texts, 3, effort="quick", by=["words"]) as answer:
        items = answer.items
    file = tmp_path / "labels.csv"
    file.write_text("".join(f"{items[row]},t{topic}\n" for row, topic in LABELS.items()))
    given = select(texts, TOPICS, labels=[str(file)], tries=2)
    assert given.found.n_labels == len(LABELS)
    assert given.to_dict()["labels"] == len(LABELS)
    for lines, said in (("0,a 1,b 2,a", "3 labels are fewer than 4"), ("0,a 1,a", "of one class")):
        pairs = (line.split(",") for line in lines.split())
        file.write_text("".join(f"{items[int(row)]},{name}\n" for row, name in pairs))
        few = select(texts, TOPICS, labels=[str(file)], tries=1)
        assert not few.found.n_labels
        assert said in few.notes[0]
    names = {}
    for kind, pairs in linked(np.asarray(TOPIC)).items():
        names[kind] = [str(tmp_path / f"{kind}.csv")]
        lines = (f"{items[a]},{items[b]}\n" for a, b in pairs.tolist())
        (tmp_path / f"{kind}.csv").write_text("".join(lines))
    told = select(texts, TOPICS, tries=1, **names)
    assert (told.to_dict()["labels"], told.to_dict()["links"]) == (0, 120)
    assert "120 links" in told.page()
