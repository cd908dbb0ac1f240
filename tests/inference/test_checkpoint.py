"""Checkpoints: the same labels after any stop, refusals in plain words, damage, full disks."""

from __future__ import annotations

import json
import shutil
import sys
import threading
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import comraf.inference.checkpoint as storage
from comraf.errors import InputError, ReadError, WriteError
from comraf.graph import Edge, Graph, Node
from comraf.inference import Control, MDCOptions, Problem, Step, run_mdc
from comraf.inference.checkpoint import Checkpoint, Kept, is_checkpoint, remove_checkpoint
from comraf.inference.fingerprint import difference, fingerprint
from comraf.inference.resuming import Saved
from comraf.objectives import PairPreference, UnaryPreference
from tests.inference.test_mdc import planted, two_sided
from tests.strategies import graphs, seeds

RUNS = {"n_runs": 3, "polish": True}


@pytest.fixture(autouse=True)
def save_every_step(monkeypatch):
    """Small tables are searched in a moment: save as often as there is something to save."""
    monkeypatch.setattr(storage, "SHARE", 1e9)


def search(graph, place=None, *, stop_after=None, meanwhile=None, seed=0, n_jobs=1, **options):
    """MDC with a checkpoint; stopped after so many events, as Ctrl-C would."""
    problem = graph if isinstance(graph, Problem) else Problem(graph)
    saved = None if place is None else Checkpoint(place)
    control = Control(checkpoint=saved)
    seen = []

    def listen(event):
        seen.append(event)
        if meanwhile is not None:
            meanwhile(len(seen))
        if stop_after is not None and len(seen) >= stop_after:
            control.stop()

    control.reporter._listener, control.reporter._gap = listen, 0.0
    outcome = run_mdc(problem, MDCOptions(**options), np.random.SeedSequence(seed), n_jobs, control)
    if saved is not None:
        (saved.close if outcome.interrupted else saved.end)()
    return outcome, seen


def same(a, b):
    """Whether two outcomes are equal in all that is not time."""
    for one, other in zip(a.state.labels, b.state.labels, strict=True):
        np.testing.assert_array_equal(one, other)
    assert a.objective == b.objective
    assert a.trace == b.trace
    assert a.levels.keys() == b.levels.keys()
    for node in a.levels:
        for one, other in zip(a.levels[node], b.levels[node], strict=True):
            np.testing.assert_array_equal(one, other)
    for node in a.stability:
        np.testing.assert_array_equal(a.stability[node], b.stability[node])
    return True


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("options", [{}, {"n_restarts": 3}, {"polish": True}, RUNS])
def test_stopped_anywhere_and_resumed_it_ends_the_same(tmp_path, options, n_jobs):
    """One stop or several in a row, with other numbers of threads each time."""
    table, _ = planted(n=120, m=60, strength=1.0)
    graph = two_sided(table, 4)
    whole, events = search(graph, **options)
    assert not whole.interrupted
    rng = np.random.default_rng(n_jobs)
    for when in rng.integers(1, len(events), 2):
        place = tmp_path / f"at-{when}"
        part, _ = search(graph, place, stop_after=when, n_jobs=n_jobs, **options)
        assert part.interrupted == is_checkpoint(place)
        search(graph, place, stop_after=max(1, when // 2), n_jobs=3 - n_jobs, **options)
        again, _ = search(graph, place, n_jobs=n_jobs, **options)
        assert same(whole, again)
        assert not place.exists()


@given(graphs(), seeds, st.integers(1, 60))
@settings(max_examples=10)
def test_any_graph_resumes(graph, seed, when):
    """Cycles, observed nodes, several sides with numbers: resumed as if never stopped."""
    import tempfile

    whole, _ = search(graph, seed=seed, **RUNS)
    with tempfile.TemporaryDirectory() as folder:
        search(graph, folder + "/half", seed=seed, stop_after=when, **RUNS)
        again, _ = search(graph, folder + "/half", seed=seed, **RUNS)
    assert same(whole, again)


def test_resuming_repeats_nothing_that_was_saved(tmp_path):
    """Progress starts where it was; runs that had ended are not told of again."""
    table, _ = planted(n=200, m=80)
    graph = two_sided(table, 3)
    _, events = search(graph, **RUNS)
    last_of_first = max(i for i, e in enumerate(events) if e.run == 1)
    search(graph, tmp_path / "half", stop_after=last_of_first + 5, **RUNS)
    _, after = search(graph, tmp_path / "half", **RUNS)
    assert {event.run for event in after if event.run} == {2, 3}
    assert after[0].done > 0.3
    assert [e.done for e in after] == sorted(e.done for e in after)


def test_a_resumed_run_that_is_stopped_at_once_has_what_was_saved(tmp_path):
    """Finished runs count, and so do steps of others, even if no thread gets to do anything."""
    table, _ = planted(n=120, m=60)
    graph = two_sided(table, 3)
    part, _ = search(graph, tmp_path / "half", stop_after=8, **RUNS)
    control = Control(checkpoint=Checkpoint(tmp_path / "half"))
    control.stop()
    outcome = run_mdc(Problem(graph), MDCOptions(**RUNS), np.random.SeedSequence(0), 1, control)
    control.checkpoint.close()
    assert outcome.interrupted
    assert outcome.state.n_clusters[0] == 3
    assert len(outcome.trace) >= len(part.trace)


def test_a_checkpoint_of_another_search_is_refused_with_the_reason(tmp_path):
    """Other tables, numbers, options, seeds: each is named; the checkpoint stays usable."""
    table, _ = planted(n=80, m=40)
    graph = two_sided(table, 3)
    place = tmp_path / "half"
    search(graph, place, stop_after=6, **RUNS)
    other = table.copy()
    other[0, 0] += 1
    wider = np.vstack([table, table[:1]])
    three_sided = Graph(
        [*graph.nodes, Node("p", observed="singletons")],
        [*[Edge("d", "w", table)], Edge("d", "p", np.ones((80, 2), dtype=int))],
    )
    observing = Graph([graph.nodes[0], Node("w", observed="singletons")], [Edge("d", "w", table)])
    heavy = Graph(graph.nodes, [Edge("d", "w", table, weight=2.0)])
    refusals = [
        (two_sided(other, 3), {}, "the table of d and w is another one"),
        (two_sided(wider, 3), {}, "'d' had 80 values then and has 81 now"),
        (two_sided(table, 4), {}, "n_clusters=3 then, n_clusters=4 now, of 'd'"),
        (three_sided, {}, "its sides were d, w then and are d, w, p now"),
        (heavy, {}, "weight of the table of d and w was 1 then and is 2 now"),
        (observing, {}, "'w' has another direction, or other observed values"),
        (graph, {"passes": 1.0}, "passes=2.0 then, passes=1.0 now"),
        (graph, {"n_runs": 4}, "n_runs=3 then, n_runs=4 now"),
        (graph, {"seed": 1}, "its seed was another one"),
    ]
    for asked, options, reason in refusals:
        with pytest.raises(InputError, match=r"another search: .*begin anew") as error:
            search(asked, place, **(RUNS | options))
        assert reason in str(error.value)
    assert same(search(graph, **RUNS)[0], search(graph, place, **RUNS)[0])


def test_preferences_belong_to_what_a_search_is_about(tmp_path):
    """Other pairs or wishes make another search."""
    table, _ = planted(n=60, m=40)

    def problem(*terms):
        made = Problem(two_sided(table, 3))
        made.add_terms(terms)
        return made

    seed, options = np.random.SeedSequence(0), MDCOptions()
    plain = fingerprint(problem(), options, seed)
    pairs = fingerprint(problem(PairPreference(0, [(0, 1)], [1.0], n=60)), options, seed)
    others = fingerprint(problem(PairPreference(0, [(0, 2)], [1.0], n=60)), options, seed)
    single = fingerprint(problem(UnaryPreference(0, np.ones((60, 3)))), options, seed)
    assert difference(plain, plain) is None
    for one, other in [(plain, pairs), (pairs, others), (pairs, single)]:
        assert difference(one, other).code == "other_terms"


def test_a_schedule_of_ones_own_can_be_resumed(tmp_path):
    """Steps given one by one are told apart like every other option."""
    table, _ = planted()
    steps = [Step(1, "split", 2), Step(1, "split", 4), Step(0, "merge", 10), Step(0, "merge", 3)]
    graph = two_sided(table, 3)
    whole, _ = search(graph, schedule=steps)
    search(graph, tmp_path / "half", schedule=steps, stop_after=3)
    with pytest.raises(InputError, match="schedule="):
        search(graph, tmp_path / "half", schedule=[*steps, Step(0, "sweep", 3)])
    assert same(whole, search(graph, tmp_path / "half", schedule=steps)[0])


def test_versions(tmp_path, monkeypatch):
    """Another comraf or NumPy is named; a format of the future is refused."""
    table, _ = planted()
    graph = two_sided(table, 3)
    place = tmp_path / "half"
    search(graph, place, stop_after=4)
    import comraf.inference.fingerprint as prints

    with monkeypatch.context() as patch:
        patch.setattr(prints, "__version__", "99.0")
        with pytest.raises(InputError, match=r"comraf was \S+ then and is 99\.0 now"):
            search(graph, place)
    head = json.loads((place / "checkpoint.json").read_text())
    (place / "checkpoint.json").write_text(json.dumps(head | {"version": 7}))
    with pytest.raises(ReadError, match=r"newer comraf.*begin anew"):
        search(graph, place)


def refusal(graph, place):
    """What is said about a damaged checkpoint; nothing if it is taken up."""
    checkpoint = Checkpoint(place)
    try:
        Saved(Problem(graph)).open(
            checkpoint, MDCOptions(**RUNS), np.random.SeedSequence(0), 3, [0]
        )
        checkpoint.close()
    except ReadError as error:
        return str(error)
    return ""


def test_damage_is_refused_and_the_way_out_works(tmp_path):
    """Any byte flipped or cut off in any file: refused, or of no effect; never other labels."""
    table, _ = planted(n=40, m=20)
    graph = two_sided(table, 3)
    whole, events = search(graph, **RUNS)
    search(graph, tmp_path / "half", stop_after=len(events) - 2, **RUNS)
    rng = np.random.default_rng(0)
    files = sorted(p for p in (tmp_path / "half").rglob("*") if p.is_file() and p.name != "lock")
    refused = 0
    for file in files:
        for how in ("flip", "cut", "digit"):
            copy = tmp_path / "copy"
            shutil.copytree(tmp_path / "half", copy)
            target = copy / file.relative_to(tmp_path / "half")
            content = bytearray(target.read_bytes())
            where = int(rng.integers(len(content)))
            if how == "digit":  # it stays JSON, or an array of the same shape
                among = range(content.find(b'"content"') + 1, len(content))
                digits = [i for i in among if 48 <= content[i] < 57]
                where = digits[int(rng.integers(len(digits)))] if digits else len(content) - 1
                content[where] += 1
            else:
                content[where] ^= 1 << int(rng.integers(8))
            target.write_bytes(content[:where] if how == "cut" else content)
            message = refusal(graph, copy)
            # the last digits of a number may make no difference
            assert message or how != "digit" or json.loads(content) == json.loads(file.read_bytes())
            if message:
                refused += 1
                # a part: the rest can be used without it
                way_out = copy if target.parent == copy else target.parent
                assert f"remove {way_out} " in message.replace("the folder ", "")
                assert f"remove the folder {copy} to begin anew" in message
                shutil.rmtree(way_out)
            assert same(whole, search(graph, copy, **RUNS)[0])
            shutil.rmtree(copy, ignore_errors=True)
    assert refused > len(files)


def leaves(value, at=()):
    """Paths of all that is no mapping and no list."""
    if isinstance(value, dict | list) and value:
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from leaves(value[key], (*at, key))
    else:
        yield at


def changed(document, at, value):
    """A copy with something else at one place."""
    made = json.loads(json.dumps(document))
    spot = made
    for key in at[:-1]:
        spot = spot[key]
    spot[at[-1]] = value
    return made


@pytest.mark.parametrize("name", ["checkpoint.json", "run-1/part.json"])
def test_the_seal_is_over_everything(name, tmp_path):
    """Any value changed and not sealed anew is refused, and so is a document without a seal."""
    table, _ = planted(n=40, m=20)
    graph = two_sided(table, 3)
    search(graph, tmp_path / "half", stop_after=6, **RUNS)
    file = tmp_path / "half" / name
    before = json.loads(file.read_text())
    assert refusal(graph, tmp_path / "half") == ""
    places = [("content", *at) for at in leaves(before["content"])]
    assert len(places) >= 10
    odd = [changed(before, at, 12345.5) for at in places[:: max(1, len(places) // 25)]]
    odd += [changed(before, ("digest",), "0" * 64), before | {"digest": None}]
    odd += [{k: v for k, v in before.items() if k != "digest"}, before | {"content": []}]
    odd += [before | {"content": before["content"] | {"more": 1}}]
    for document in odd:
        # the head is written anew, with arrays under the other name, whenever it was good
        arrays = {"arrays": json.loads(file.read_text())["arrays"]}
        file.write_text(json.dumps(document | arrays))
        message = refusal(graph, tmp_path / "half")
        assert "its checksum is not the one written down in it" in message
        assert "begin anew" in message


@pytest.mark.parametrize("version", [0, 2, -1, None, "1", True, 1.0, [1]])
@pytest.mark.parametrize("name", ["checkpoint.json", "run-1/part.json"])
def test_no_other_version_is_read(name, version, tmp_path):
    """Neither a newer nor an older one, nor what is no number."""
    table, _ = planted(n=40, m=20)
    graph = two_sided(table, 3)
    search(graph, tmp_path / "half", stop_after=6, **RUNS)
    file = tmp_path / "half" / name
    file.write_text(json.dumps(json.loads(file.read_text()) | {"version": version}))
    assert "version" in refusal(graph, tmp_path / "half")


@pytest.mark.parametrize("odd", [None, -1, 10**400, "x", [], {}, [[]], [None], [{"name": 1}]])
def test_odd_values_under_a_good_seal(odd, tmp_path):
    """Whoever seals nonsense gets a sentence of ours; and so does who asks for the seed."""
    table, _ = planted(n=40, m=20)
    graph = two_sided(table, 3)
    place = tmp_path / "half"
    search(graph, place, stop_after=6, **RUNS)
    for name in ("checkpoint.json", "run-1/part.json"):
        whole = (place / name).read_text()
        content = json.loads(whole)["content"]
        for at in list(leaves(content))[::7] + [(key,) for key in content]:
            document = json.loads(whole) | storage._sealed(changed(content, at, odd))
            (place / name).write_text(json.dumps(document))
            try:
                Checkpoint(place).seed()
                refusal(graph, place)
            except (InputError, ReadError):
                pass
        (place / name).write_text(whole)


def test_places_that_cannot_be_written_are_refused_before_the_search(tmp_path, monkeypatch):
    """A file, a folder with other things, a full disk: said at once, and nothing is touched."""
    table, _ = planted()
    graph = two_sided(table, 3)
    (tmp_path / "file").write_text("mine")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "letter.txt").write_text("mine")
    for place, reason in [
        (tmp_path / "file", "is a file; name a folder"),
        (tmp_path / "file" / "below", "can't be written"),
        (tmp_path / "full", "holds 'letter.txt' and no checkpoint"),
        ("\0", "give the path of a folder"),
    ]:
        with pytest.raises((WriteError, InputError), match=reason):
            search(graph, place)
    assert (tmp_path / "full" / "letter.txt").read_text() == "mine"
    usage = shutil.disk_usage(tmp_path)._replace(free=1000)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage)
    with pytest.raises(WriteError, match=r"may take .* bytes, but the disk .* has 1,000 free"):
        search(graph, tmp_path / "new")
    assert not (tmp_path / "new").exists()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs limits on files")
def test_a_disk_that_fills_up_does_not_end_the_search(tmp_path):
    """One warning, the same answer, and what was saved before can be resumed."""
    import resource

    table, _ = planted(n=80, m=40)
    graph = two_sided(table, 3)
    whole, events = search(graph, **RUNS)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)

    def fill_up(number):
        if number == len(events) // 2:  # no file may grow beyond this any more
            resource.setrlimit(resource.RLIMIT_FSIZE, (100, before[1]))

    try:
        with pytest.warns(UserWarning, match="can't be written any more") as said:
            outcome, _ = search(graph, Kept(tmp_path / "half"), meanwhile=fill_up, **RUNS)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert len(said) == 1
    assert same(whole, outcome)
    assert len(list((tmp_path / "half").glob("run-*"))) > 0
    again, after = search(graph, tmp_path / "half", **RUNS)
    assert same(whole, again)
    assert len(after) < len(events)


def test_what_killed_writers_leave_is_swept_away(tmp_path):
    """Half-written files go; files of other people stay, also when the checkpoint is removed."""
    table, _ = planted()
    graph = two_sided(table, 3)
    place = tmp_path / "half"
    search(graph, place, stop_after=6, **RUNS)
    ending = "0123456789abcdef.partial"
    (place / f".run-3.{ending}").mkdir()
    (place / f".run-3.{ending}" / "part.json").write_text("half")
    (place / f".checkpoint.json.{ending}").write_text("half")
    (place / "run-1" / f".arrays-b.safetensors.{ending}").write_text("half")
    (place / ".mine.partial").write_text("mine")
    (place / "photos-2024").mkdir()
    whole, _ = search(graph, **RUNS)
    again, _ = search(graph, Kept(place), **RUNS)
    assert same(whole, again)
    left = sorted(path.name for path in place.rglob("*.partial"))
    assert left == [".mine.partial"]
    remove_checkpoint(place)
    assert sorted(path.name for path in place.iterdir()) == [".mine.partial", "photos-2024"]


def test_two_at_a_time_are_refused(tmp_path):
    """The second one is told that the first one is there; after it, all is well."""
    place = tmp_path / "half"
    first = Checkpoint(place)
    first.open({"seed": [1]}, needed=0)
    with pytest.raises(WriteError, match="in use by another process"):
        Checkpoint(place).open({"seed": [1]}, needed=0)
    first.close()
    second = Checkpoint(place)
    second.open({"seed": [1]}, needed=0)
    second.end()
    assert not place.exists()


def test_kept_stays_until_it_is_removed(tmp_path):
    """Whoever has more to do keeps a checkpoint beyond the search; other files are spared."""
    table, _ = planted()
    graph = two_sided(table, 3)
    place = tmp_path / "half"
    whole, _ = search(graph, Kept(place))
    assert is_checkpoint(place)
    again, events = search(graph, Kept(place))
    assert same(whole, again)
    assert len(events) == 0
    (place / "notes.txt").write_text("mine")
    remove_checkpoint(place)
    assert [entry.name for entry in place.iterdir()] == ["notes.txt"]


def test_saving_is_thinned_out(tmp_path, monkeypatch):
    """However often there is something to save, it takes a small share of the time."""
    monkeypatch.setattr(storage, "SHARE", 0.05)
    checkpoint = Checkpoint(tmp_path / "half")
    checkpoint.open({"seed": [1]}, needed=0)
    started = time.monotonic()
    labels = np.zeros(100_000, dtype=np.int32)
    number = 0
    while time.monotonic() - started < 1.5:
        number += 1
        checkpoint.save("run-1", ({"step": number}, {"labels": labels}))
        time.sleep(0.002)
    assert 1 <= checkpoint.writes < number / 4
    assert checkpoint.seconds < 0.3 * 1.5  # one slow write may be in it
    checkpoint.close()
    again = Checkpoint(tmp_path / "half")
    again.open({"seed": [1]}, needed=0)
    assert again.load("run-1")[0]["step"] == number  # closing wrote the last one
    again.end()


def test_threads_save_side_by_side(tmp_path):
    """Many threads, each with its own part: the last of each is what is there."""
    checkpoint = Checkpoint(tmp_path / "half")
    checkpoint.open({"seed": [1]}, needed=0)

    def work(run):
        for step in range(20):
            checkpoint.save(f"run-{run}", ({"step": step}, {"labels": np.full(50, step)}))

    threads = [threading.Thread(target=work, args=(run,)) for run in range(1, 6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    checkpoint.close()
    again = Checkpoint(tmp_path / "half")
    again.open({"seed": [1]}, needed=0)
    assert again.parts() == [f"run-{run}" for run in range(1, 6)]
    for name in again.parts():
        document, arrays = again.load(name)
        assert document["step"] == 19
        assert (arrays["labels"] == 19).all()
    again.end()
