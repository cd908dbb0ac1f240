"""Groups by one's own criterion: coverage grows, what a person said stands, seeds repeat."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

import comraf
from comraf.collection.sample import write_mbox
from comraf.errors import InputError
from comraf.metrics import micro_accuracy
from comraf.workflows.interactive import LOG, NOT_COVERED, VALUES, Interactive, interactive

MOODS = {
    "liked": "superb lovely charming graceful tender warm witty bright fresh joyful",
    "disliked": "dreary clumsy tedious hollow stale bitter muddled feeble grating shabby",
}
THEMES = ["ship harbour sail captain wave anchor", "kettle oven spoon butter flour dough"]
MOOD = ["liked", "disliked"]


def texts(n: int = 80) -> list[str]:
    """Reviews: the mood in three words of ten, what they are about in many more."""
    rng = random.Random(5)
    out = []
    for i in range(n):
        mood = rng.sample(MOODS[MOOD[i % 2]].split(), 3 if i % 10 else 0)
        out.append(" ".join(mood + rng.choices(THEMES[i // 2 % 2].split(), k=9)))
    return out


@pytest.fixture(scope="module")
def reviews(tmp_path_factory):
    """A table of them."""
    path = tmp_path_factory.mktemp("reviews") / "reviews.csv"
    lines = [f"r{i},{MOOD[i % 2]},{text}" for i, text in enumerate(texts())]
    path.write_text("\n".join(["key,mood,review", *lines]) + "\n")
    return path


@pytest.fixture(scope="module")
def collection(reviews):
    """The same, read once."""
    return comraf.read(reviews, id="key", truth="mood")


def begin(collection, place=None, **more) -> Interactive:
    """A quick search by small clusters of values."""
    more = {"n_clusters": 2, "effort": "quick", "value_clusters": 8} | more
    return interactive(collection, place, **more)


def right(mine: Interactive) -> float:
    """Share of all documents in the group of their mood; uncovered ones are wrong."""
    return float(np.mean(mine.grouped().labels == np.arange(80) % 2))


def test_a_few_values_lead_to_the_groups(collection):
    """Two words each: more are found, and groups are by mood, in the order of the values."""
    with begin(collection) as mine:
        mine.put_all({mood: words.split()[:2] for mood, words in MOODS.items()})
        first = mine.coverage
        assert mine.run()
        assert mine.finished
        assert first < mine.coverage
        assert right(mine) > 0.85
        plain = comraf.Organizer(2, random_state=0).fit(collection).labels_
        assert micro_accuracy(collection.truth, plain) < 0.65
        assert {one.value for one in mine.members(0)} <= set(MOODS["liked"].split())


@pytest.mark.parametrize("seed", range(4))
def test_steps_heed_what_was_said(collection, seed):
    """Amid random edits: no step loses a document, moves a named value or brings one back."""
    choice = random.Random(seed)
    with begin(collection, random_state=seed) as mine:
        mine.put(["superb", "lovely"], 0)
        mine.put(["dreary", "stale"], 1)
        for _ in range(4):
            before, covered = mine.criterion, mine.covered
            assert mine.step()
            now = mine.criterion
            assert (mine.covered >= covered).all()
            assert mine.finished is not bool((mine.covered & ~covered).any())
            assert now.deleted == before.deleted
            assert not now.deleted & now.group_of.keys()
            assert {v: now.group_of[v] for v in now.said} == {
                v: before.group_of[v] for v in before.said
            }
            there = [one for g in (0, 1) for one in mine.members(g)]
            one, other = choice.sample([one for one in there if not one.said], 2)
            mine.put(one.value, 1 - one.group)
            mine.delete(other.value, side="words")
            assert not mine.finished
            if more := mine.suggested("r"):
                mine.put(choice.choice(more).value, choice.randint(0, 1))


def oracle(side: str, value: str) -> int | None:
    """Knows all words of the moods, and that themes are none."""
    for number, mood in enumerate(MOOD):
        if value in MOODS[mood].split():
            return number
    return -1


def test_an_oracle_is_reproducible(collection, tmp_path):
    """The same seed: the same values and groups; and the log alone gives them again."""
    made = []
    for place in (tmp_path / "one", tmp_path / "two"):
        with begin(collection, place) as mine:
            assert mine.run(oracle)
            assert right(mine) == 0.9  # all that have a mood
            every = [one for group in (0, 1) for one in mine.members(group)]
            assert {one.value for one in every} <= set(" ".join(MOODS.values()).split())
            made.append((every, mine.grouped().labels.tolist()))
    assert made[0] == made[1]
    with interactive(collection, place, effort="quick") as again:
        assert [one for group in (0, 1) for one in again.members(group)] == every
        assert again.grouped().labels.tolist() == made[0][1]


@pytest.mark.parametrize("seed", range(3))
def test_the_same_seed_finds_the_same(collection, seed):
    """Values in the same order, and the same groups."""
    made = []
    for _ in range(2):
        with begin(collection, random_state=seed, value_clusters=14) as mine:
            mine.put_all({mood: words.split()[:2] for mood, words in MOODS.items()})
            mine.step()
            made.append((mine.members(0), mine.members(1), mine.grouped().labels.tolist()))
    assert made[0] == made[1]


def test_a_cluster_goes_with_most_of_its_named_values(collection):
    """All values in one cluster: with two against one they join a group, with two and two none."""
    with begin(collection) as mine:
        mine.options = replace(mine.options, value_clusters=1)
        mine.put(["superb", "lovely"], 0)
        mine.put(["dreary", "stale"], 1)
        mine.step()
        assert len(mine.criterion.group_of) == 4
        mine.put("warm", 0)
        mine.step()
        assert [len(mine.members(group)) for group in (0, 1)] == [30, 2]
        first = [one.value for one in mine.members(0)[3:11]]  # those that tell most
        assert set(first) <= set(" ".join(MOODS.values()).split())


def test_the_answer_is_one_of_organize(collection, tmp_path):
    """Uncovered documents have a group of their own; it opens again, explains and places."""
    with begin(collection, tmp_path / "out") as mine:
        mine.run({mood: words.split() for mood, words in MOODS.items()}, max_steps=1)
        mine.undo()  # the step
        answer = mine.save()
        assert answer.names == (*MOOD, NOT_COVERED)
        assert np.flatnonzero(answer.labels_ == 2).tolist() == mine.uncovered.tolist()
        assert "have none of the values" in answer.hints[0]
        labels = mine.grouped().labels
    again = comraf.open_answer(tmp_path / "out")
    assert again.labels_.tolist() == np.where(labels < 0, 2, labels).tolist()
    assert again.names == answer.names
    assert "superb" in (tmp_path / "out" / VALUES).read_text()
    assert again.explain("r3").why.cluster == again.labels_[3]
    with begin(again) as mine:  # its documents, by another criterion
        mine.put(["ship", "sail"], 0)
        mine.put(["oven", "flour"], 1)
        mine.run()
        theme = [i // 2 % 2 for i in range(80)]
        assert micro_accuracy(theme, mine.answer().labels_) > 0.95


def test_without_values_it_is_organize(reviews, collection):
    """Step 4 of the thesis: the usual groups."""
    usual = comraf.organize(reviews, 2, id="key", truth="mood", effort="quick")
    with begin(collection) as mine:
        assert mine.answer().labels_.tolist() == usual.labels_.tolist()


def test_a_side_that_nobody_names_helps(tmp_path):
    """Words are named, people are grouped along with the documents, and found for all of them."""
    box = write_mbox(tmp_path / "box.mbox", 80)
    more = {"weight": {"people": 0.4}, "side_clusters": {"people": 5}}
    with interactive(box, n_clusters=3, by="words,people", effort="quick", **more) as mine:
        first = [one.value for one in mine.suggested(side="words")]
        for group in range(3):
            mine.put(first[group::3][:5], group)
        mine.step()
        answer = mine.answer()
        assert {node.name for node in answer.graph.nodes} == {"documents", "words", "people"}
        assert set(answer.result.labels["people"].tolist()) == {*range(5)}
        assert [edge.weight for edge in answer.graph.edges if edge.b == "people"] == [0.4]
        assert all(side == "words" for side, _ in mine.criterion.group_of)
        mine.put(mine.suggested(side="people")[0].value, 1, side="people")
        assert mine.step()


def test_ctrl_c_keeps_the_best_so_far(collection):
    """A step that is cut short says nothing; the answer has the groups until then."""
    with begin(collection) as mine:
        mine.put_all({mood: words.split()[:3] for mood, words in MOODS.items()})
        version, pressed = mine.log.version, []

        def press(event):
            if not pressed and event.task:
                pressed.append(event)
                raise KeyboardInterrupt

        assert mine.step(press) is False
        assert pressed
        assert mine.log.version == version
        answer = mine.answer()
        assert answer.result.interrupted
        assert len(answer.names) == 3
        assert mine.step()
        assert not mine.grouped().interrupted


def test_suggestions(collection):
    """The middle of the spectrum, not what is placed or deleted; a search finds any of them."""
    with begin(collection) as mine:
        first = mine.suggested()
        assert all(50 / 1613 * 80 <= one.documents < 500 / 1613 * 80 for one in first)
        assert [one.documents for one in first] == sorted(
            (o.documents for o in first), reverse=True
        )
        one, other, *_ = (one.value for one in first)
        mine.put(one, 0)
        mine.delete(other)
        left = {one.value for one in mine.suggested()}
        assert not {one, other} & left
        assert [one.value for one in mine.suggested("KETT")] == ["kettle"]
        assert other in {one.value for one in mine.suggested(other)}


def test_what_is_refused(reviews, collection, tmp_path):
    """Each in a sentence that says what to do, and nothing is written down."""
    with pytest.raises(InputError, match="how many groups"):
        interactive(reviews)
    with pytest.raises(InputError, match="n_clusters=81 is more than the 80 rows"):
        begin(collection, n_clusters=81)
    one = tmp_path / "one.csv"
    one.write_text("superb,liked\n")
    with pytest.raises(InputError, match="names values of 1 group"):
        begin(collection, values_from=one)
    with begin(collection, tmp_path / "out") as mine:
        version = mine.log.version
        for call, said in (
            (lambda: mine.put("zeppelin", 0), "no row has 'zeppelin' among its words"),
            (lambda: mine.put("superb", 2), "there is no group 2"),
            (lambda: mine.put("superb", 0, side="people"), "'people' is none of the sides here"),
            (mine.step, "no group has any value yet"),
        ):
            with pytest.raises(InputError, match=said):
                call()
        assert mine.log.version == version
        assert mine.put_all({"liked": ["superb", "zeppelin"]}) == ["zeppelin"]
        with pytest.raises(InputError, match="values of one group tell nothing apart"):
            mine.step()
    assert (tmp_path / "out" / LOG).is_file()
    with pytest.raises(InputError, match="is about other documents"):
        interactive(write_mbox(tmp_path / "box.mbox", 20), tmp_path / "out", n_clusters=2)
