"""Runs over Dask find what runs in threads find, whatever happens to workers on the way."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import warnings
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import scipy.sparse as sp

from comraf import MDC, Comraf, ComrafStar, Edge, Graph, Node, Organizer
from comraf.errors import InputError, InterruptedWarning, MissingExtraError, SchedulerError
from comraf.inference.checkpoint import is_checkpoint
from comraf.progress import Event
from comraf.scale import DaskRuns
from tests.cli.talking import comraf as command

distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Two worker processes of one thread each."""
    with distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",
        silence_logs=50,
    ) as made:
        yield made


@pytest.fixture(scope="module")
def table() -> npt.NDArray[np.int64]:
    """Four topics that are hard to tell apart."""
    rng = np.random.default_rng(0)
    topic = np.arange(120)[:, None] % 4 == np.arange(40)[None, :] % 4
    return rng.poisson(np.where(topic, 0.9, 0.4)) + np.eye(120, 40, dtype=int)


@pytest.fixture(scope="module")
def whole(table: npt.NDArray[np.int64]) -> MDC:
    """A fit in threads."""
    return MDC(4, n_runs=4, random_state=0).fit(table)


def over(cluster: Any, **more: Any) -> dict[str, Any]:
    """Parameters of a fit over the cluster."""
    return {"engine": "dask", "scheduler": cluster.scheduler_address, "random_state": 0, **more}


def test_the_same_to_the_bit(cluster: Any, table: Any, whole: MDC) -> None:
    """Labels, objective, trace and levels; the bar moves with every run that ends."""
    heard: list[Event] = []
    found = MDC(4, n_runs=4, verbose=heard.append, **over(cluster)).fit(table)
    for side, labels in whole.modality_labels_.items():
        assert np.array_equal(labels, found.modality_labels_[side]), side
    assert found.objective_ == whole.objective_
    assert found.result_.trace == whole.result_.trace
    for side, levels in whole.result_.levels.items():
        for one, other in zip(levels, found.result_.levels[side], strict=True):
            assert np.array_equal(one, other)
    runs = [(event.run, event.n_runs, event.done) for event in heard if event.run]
    shares = [0.225, 0.45, 0.675, 0.9]
    assert [run[:2] for run in runs] == [(i, 4) for i in (1, 2, 3, 4)]
    assert np.allclose([run[2] for run in runs], shares)
    assert cluster.dashboard_link in heard[0].message


def test_other_estimators_and_what_is_known(cluster: Any, table: Any) -> None:
    """Organizer with labels and links, Comraf*, and a graph."""
    box = SimpleNamespace(tables={"words": sp.csr_array(table)}, __len__=lambda: 120)
    about = {"labels": {i: i % 4 for i in range(0, 120, 7)}, "cannot_link": [(1, 2), (5, 6)]}
    asked = {"n_runs": 2, "random_state": 0}
    one = Organizer(4, **asked).fit(box, **about)
    other = Organizer(4, n_runs=2, **over(cluster)).fit(box, **about)
    assert np.array_equal(one.labels_, other.labels_)

    star = [ComrafStar(4, n_runs=2, **more) for more in ({"random_state": 0}, over(cluster))]
    one_star, other_star = (model.fit_predict(table) for model in star)
    assert np.array_equal(one_star, other_star)

    nodes = [Node("rows", n_clusters=4), Node("columns", direction="top-down")]
    graph = Graph(nodes, [Edge("rows", "columns", table)])
    ends = [Comraf(graph, n_runs=2, **m).fit() for m in ({"random_state": 0}, over(cluster))]
    assert np.array_equal(ends[0].labels_["rows"], ends[1].labels_["rows"])


def test_killed_workers(cluster: Any, table: Any, whole: MDC) -> None:
    """Both processes killed at once amid the runs, with all the tables they had been sent."""
    killed: list[int] = []

    def kill(event: Event) -> None:
        if event.run == 1 and not killed:
            with distributed.Client(cluster, set_as_default=False) as client:
                killed.extend(client.run(os.getpid).values())
            for process in killed:
                os.kill(process, signal.SIGKILL)

    found = MDC(4, n_runs=4, verbose=kill, **over(cluster)).fit(table)
    assert len(killed) == 2
    assert np.array_equal(found.labels_, whole.labels_)
    assert found.objective_ == whole.objective_


def test_stopped_and_resumed(cluster: Any, table: Any, tmp_path: Any) -> None:
    """Ctrl-C keeps runs that ended, a worker leaves the others; resumed only these are made."""
    place = tmp_path / "half"

    def press(event: Event) -> None:
        if event.run == 2:
            os.kill(os.getpid(), signal.SIGINT)

    asked = {"n_runs": 12, "checkpoint": place}
    whole = MDC(4, n_runs=12, random_state=0).fit(table)
    with pytest.warns(InterruptedWarning, match="the same fit goes on"):
        early = MDC(4, verbose=press, **over(cluster, **asked)).fit(table)
    assert early.result_.interrupted
    assert 2 <= early.result_.n_runs < 12
    assert len(set(early.labels_.tolist())) == 4
    assert is_checkpoint(place)
    heard: list[Event] = []
    late = MDC(4, verbose=heard.append, **over(cluster, **asked)).fit(table)
    made = [event.n_runs for event in heard if event.run and event.message.startswith("Dask")]
    assert made == [12 - early.result_.n_runs] * (12 - early.result_.n_runs)
    assert np.array_equal(late.labels_, whole.labels_)
    assert not place.exists()


def test_a_time_limit(cluster: Any, table: Any) -> None:
    """It ends runs on their workers, too: these are free at once for the next fit."""
    large = np.tile(table, (60, 20))  # a run of minutes
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InterruptedWarning)
        asked = {"n_runs": 4, "time_limit": 1.0, "effort": "paper", "n_restarts": 100}
        found = MDC(4, **over(cluster, **asked)).fit(large)
    assert found.result_.interrupted
    with distributed.Client(cluster, set_as_default=False) as client:
        assert client.submit(abs, -1).result(timeout=5) == 1


@pytest.mark.parametrize(
    ("parameters", "error", "said"),
    [
        ({"engine": "cloud"}, InputError, "engine='cloud' is unknown"),
        ({"scheduler": "tcp://x:1"}, InputError, "scheduler='tcp://x:1' needs engine='dask'"),
        ({"engine": "dask", "scheduler": ""}, InputError, "scheduler=''; give an address"),
        ({"engine": "dask", "n_runs": 1}, InputError, "this search makes one; leave engine out"),
        ({"engine": "dask", "scheduler": "nonsense"}, SchedulerError, "answers at nonsense"),
        ({"engine": "dask", "scheduler": "tls://127.0.0.1:9"}, SchedulerError, "check your TLS"),
    ],
)
def test_what_is_refused(table: Any, parameters: Any, error: Any, said: str) -> None:
    """Before any run is made."""
    with pytest.raises(error, match=said):
        MDC(4, **{"n_runs": 4, **parameters}).fit(table)


def test_no_scheduler_no_workers_other_versions(
    cluster: Any, table: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each is said with the address, or the names of machines."""
    monkeypatch.setattr("comraf.scale.runs._PATIENCE", 0.5)
    with pytest.raises(SchedulerError, match=r"answers at tcp://127.0.0.1:9: .* `dask scheduler`"):
        MDC(4, engine="dask", scheduler="tcp://127.0.0.1:9").fit(table)
    with (
        distributed.LocalCluster(
            n_workers=0, host="127.0.0.1", dashboard_address=None, silence_logs=50
        ) as idle,
        pytest.raises(SchedulerError, match=rf"{idle.scheduler_address} has no workers"),
    ):
        MDC(4, **over(idle)).fit(table)
    known = distributed.versions.get_package_info
    monkeypatch.setattr(
        "distributed.versions.get_package_info",
        lambda packages: known(packages) | {"comraf": "9.9"},
    )
    worker = next(iter(cluster.scheduler_info["workers"]))
    with pytest.raises(SchedulerError, match=rf"{worker}.*: comraf .* \(here 9\.9\)"):
        MDC(4, **over(cluster)).fit(table)


def test_a_scheduler_that_goes_away(table: Any, tmp_path: Any) -> None:
    """Killed amid the runs: an error that says how to keep what was found."""
    program = "from distributed.cli.{0} import main; main()"
    start = [sys.executable, "-c"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    file = str(tmp_path / "scheduler.json")
    local = ["--host", "127.0.0.1", "--scheduler-file", file]
    none = ["--no-dashboard"]
    scheduler = subprocess.Popen(
        [*start, program.format("dask_scheduler"), *local, "--port", "0", *none], **quiet
    )
    worker = subprocess.Popen(
        [*start, program.format("dask_worker"), *local, "--nthreads", "1", "--no-nanny", *none],
        **quiet,
    )
    try:
        with distributed.Client(scheduler_file=file, set_as_default=False) as client:
            address = client.scheduler.address

        def kill(event: Event) -> None:
            if event.run == 1:
                scheduler.kill()

        with pytest.raises(SchedulerError, match=r"went away: .*; with checkpoint=\.\.\. finished"):
            MDC(4, n_runs=40, engine="dask", scheduler=address, verbose=kill).fit(table)
    finally:
        for process in (scheduler, worker):
            process.kill()
            process.wait()


def test_commands(cluster: Any, table: Any, tmp_path: Any) -> None:
    """``comraf cluster`` by the same scheduler; refused before anything is read."""
    np.save(tmp_path / "t.npy", table)
    place = ["--engine", "dask", "--scheduler", cluster.scheduler_address]
    asked = ["cluster", tmp_path / "t.npy", "-k", 4, "--runs", 2, "-q", "--out"]
    assert command(*asked, tmp_path / "one").exit_code == 0
    assert command(*asked, tmp_path / "two", *place).exit_code == 0
    one, two = (tmp_path / name / "rows.csv" for name in ("one", "two"))
    assert one.read_text() == two.read_text()
    answer = command("cluster", "nowhere.npy", "-k", 4, "--scheduler", "tcp://x:1")
    assert "--scheduler tcp://x:1 needs --engine dask" in answer.stderr
    answer = command("organize", "nowhere", "--engine", "dask", "--method", "itcc")
    assert "--engine has no meaning for --method itcc" in answer.stderr


def test_without_dask(monkeypatch: pytest.MonkeyPatch) -> None:
    """How to get it, and the way without."""
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingExtraError, match=r'pip install "comraf\[scale\]", or search in thr'):
        DaskRuns()


def test_processes_of_its_own(table: Any, whole: MDC) -> None:
    """Without an address they are started, hear no Ctrl-C, and are gone in the end."""
    import psutil

    mine = psutil.Process()
    seen: list[Any] = []

    def look(event: Event) -> None:
        if event.run == 2 and not seen:
            seen.extend(set(mine.children(recursive=True)) - before)
            for process in seen:
                process.send_signal(signal.SIGINT)

    before = set(mine.children(recursive=True))
    found = MDC(4, n_runs=4, n_jobs=2, random_state=0, engine="dask", verbose=look).fit(table)
    assert np.array_equal(found.labels_, whole.labels_)
    assert len(seen) >= 2
    assert not [one for one in seen if one.is_running() and "spawn_main" in " ".join(one.cmdline())]
