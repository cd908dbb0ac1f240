"""How many small faults the tests notice: ``python -m benchmarks.mutations``.

Mutations (a sign, a limit, a constant, a condition) are found by cosmic-ray in the modules of
``MODULES``; a fixed seed draws some of them. Each is put into a copy of the tree of its own, and
the tests that run the changed line are run there: nearest first, until one fails.

    python -m pytest -n auto --cov --cov-context=test --cov-report=    which test runs which line
    python -m benchmarks.mutations draw --number 300 --seed 0 --out mutations.json
    python -m benchmarks.mutations run mutations.json --jobs 16 --out outcome.json

The outcome is written after each. Started again with the same file, those that it has as killed
are not tried again.

Those that change nothing a user could see are listed, with the reason, in
``equivalent_mutations.txt`` and are not counted.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Queue
from threading import Lock
from typing import Any

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "comraf"
EQUIVALENT = Path(__file__).with_name("equivalent_mutations.txt")

#: The modules whose rules are easily broken without a test noticing.
MODULES = """
collection/correspondents collection/detect collection/header collection/names
collection/people collection/readers/limits collection/readers/mail
collection/readers/tabular_delimited collection/readers/charsets
collection/readers/tabular_rows collection/union collection/uniting
graph/scaling graph/tables images/texture
inference/agreement inference/checkpoint inference/consensus inference/gathering
inference/itcc inference/merging inference/polishing inference/resuming
kernels/prototypes kernels/shrunken
kmeans/alternating kmeans/cop kmeans/hmrf kmeans/inference_bp kmeans/seeding
metrics
oneclass/ltb oneclass/ltb_kernels oneclass/occc
report/markup results/archive results/confidence results/explain
results/placement results/result
""".split()

# Seconds for one test, which never ends if it takes more; and for all tests of one mutation.
_HANGS, _PATIENCE = 100, 300.0
# Tests that are collected and run before the others, which most mutations never need.
_FIRST, _MOST = 20, 300
_FAILED = re.compile(r"(FAILED|ERROR) \S")
_OPTIONS = [*"-q -rfE --color=no -p no:xdist -p no:cacheprovider -m".split(), "not slow"]


def _unseen(tree: ast.Module) -> Iterator[ast.AST]:
    """Parts that never run: annotations, overloads, what only a type checker reads."""
    for node in ast.walk(tree):
        for part in ("annotation", "returns"):
            if (found := getattr(node, part, None)) is not None:
                yield found
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            yield node
        if isinstance(node, ast.Assign) and all(
            isinstance(target, ast.Name) and target.id[:1].isupper() and not target.id.isupper()
            for target in node.targets
        ):
            yield node  # the name of a type


def _within(node: ast.AST, place: tuple[int, int]) -> bool:
    start = (node.lineno, node.col_offset)  # type: ignore[attr-defined]
    end = (node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]
    return start <= place < end


def candidates(path: Path) -> dict[tuple[int, int], list[tuple[str, int]]]:
    """Operators and occurrences by the place in a module that they change."""
    import cosmic_ray.plugins
    from cosmic_ray.ast import ast_nodes, get_ast_from_path

    unseen = list(_unseen(ast.parse(path.read_text("utf-8"))))
    found: dict[tuple[int, int], list[tuple[str, int]]] = defaultdict(list)
    module = get_ast_from_path(path)
    for name in sorted(cosmic_ray.plugins.operator_names()):
        kind = cosmic_ray.plugins.get_operator(name)
        # A kernel without its decorator is the same function, only slower.
        if kind.arguments() or name.endswith("RemoveDecorator"):
            continue
        places = (
            start for node in ast_nodes(module) for start, _ in kind().mutation_positions(node)
        )
        for occurrence, place in enumerate(places):
            if not any(_within(node, place) for node in unseen):
                found[place].append((name, occurrence))
    return found


def draw(number: int, seed: int, modules: list[str] = MODULES) -> list[dict[str, Any]]:
    """Mutations at ``number`` different places, each place as likely as any other."""
    import cosmic_ray.plugins
    from cosmic_ray.mutating import mutate_code

    chance = random.Random(seed)
    found = {name: candidates(PACKAGE / f"{name}.py") for name in modules}
    places = [(name, place) for name in modules for place in sorted(found[name])]
    drawn: list[dict[str, Any]] = []
    for name, place in chance.sample(places, len(places)):
        if len(drawn) == number:
            break
        operator, occurrence = chance.choice(found[name][place])
        path = PACKAGE / f"{name}.py"
        before = path.read_text("utf-8")
        try:
            after = mutate_code(before, cosmic_ray.plugins.get_operator(operator)(), occurrence)
            ast.parse(after)
        except (SyntaxError, AttributeError):  # no mutation: what it makes can't be read
            continue
        lines = zip(before.splitlines(), after.splitlines(), strict=False)
        number_, (old, new) = next(
            (at, pair) for at, pair in enumerate(lines, 1) if pair[0] != pair[1]
        )
        drawn.append(
            {
                "module": name,
                "line": number_,
                "old": old.strip(),
                "new": new.strip(),
                "code": after,
            }
        )
    print(f"{number} of {len(places)} places in {len(modules)} modules, seed {seed}")
    return drawn


def choose_tests(
    mutation: dict[str, Any],
    contexts: dict[str, dict[int, list[str]]],
    present: Iterable[str] = (),
) -> list[str]:
    """Tests that run the changed line, the most telling first; if none, all of its room's.

    Those of the module itself come first, then one example of each test before the next of any,
    then those that run the fewest lines. Tests that are present and no line knows of may be new:
    those in the same files of the room come after the first few.
    """
    module, line = mutation["module"], mutation["line"]
    room, _, stem = module.rpartition("/")
    room = room or module  # a room of one file
    tests = set(contexts.get(module, {}).get(line, []))
    # Compiled code is not seen, nor who needs what ran when the module was imported.
    for wider in (module, f"{room}/"):
        if not tests - {""}:
            tests = {
                name
                for other, lines in contexts.items()
                if other.startswith(wider)
                for names in lines.values()
                for name in names
            }
    sizes = Counter(
        name for lines in contexts.values() for names in lines.values() for name in names
    )
    seen: Counter[tuple[str, bool]] = Counter()
    order = {}
    for name in sorted(tests - {""}, key=lambda name: (sizes[name], name)):
        test = name.rpartition("|")[0]
        other = stem not in test.partition("::")[0]
        order[test] = (other, seen[test.partition("[")[0], other], sizes[name])
        seen[test.partition("[")[0], other] += 1
    chosen = sorted(order, key=order.__getitem__)
    known = {name.rpartition("|")[0] for name in sizes}
    files = {test.partition("::")[0] for test in chosen if test.startswith(f"tests/{room}/")}
    new = [
        test
        for test in sorted({*present} - known)
        if (file := test.partition("::")[0]) in files or file.endswith(f"test_{stem}.py")
    ]
    return chosen[:_FIRST] + new + chosen[_FIRST:]


def read_contexts(paths: list[Path]) -> dict[str, dict[int, list[str]]]:
    """Which tests ran which line of each module, as coverage kept it."""
    import coverage

    found: dict[str, dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
    for path in paths:
        data = coverage.CoverageData(str(path))
        data.read()
        for file in data.measured_files():
            name = file.partition("/src/comraf/")[2].removesuffix(".py")
            if name in MODULES:
                for line, tests in data.contexts_by_lineno(file).items():
                    found[name][line] += tests
    return found


def _pytest(
    tree: Path, *options: str, seconds: float | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pytest", *_OPTIONS, *options],
        cwd=tree,
        env=dict(os.environ) | {"PYTHONPATH": _path(tree), "CI": "true"},
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        timeout=seconds,
        check=False,
    )


def _failing(
    tree: Path, tests: list[str], *options: str, seconds: float | None = None
) -> list[str]:
    """Which of the tests fail in a tree; one that never ends is called by the word time."""
    if not tests:
        return []
    chosen = tree / "chosen-tests"
    chosen.write_text("\n".join(tests), "utf-8")
    ends = ("-o", f"faulthandler_timeout={_HANGS}", "-o", "faulthandler_exit_on_timeout=true")
    done = _pytest(tree, *ends, *options, f"@{chosen.name}", seconds=seconds)
    if "Timeout (" in done.stderr:
        return ["time"]
    found = [line.partition(" ")[2] for line in done.stdout.splitlines() if _FAILED.match(line)]
    if done.returncode not in (0, 5) and not found:
        if "ERROR: not found" in done.stderr:
            raise RuntimeError(done.stderr)  # nothing was run
        found = ["import"]
    return [name.partition(" - ")[0] for name in found]


def _path(tree: Path) -> str:
    """Python's path with a tree's own package first."""
    rest = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    return os.pathsep.join([str(tree / "src"), *(part for part in rest if part)])


def _killer(mutation: dict[str, Any], tree: Path, tests: list[str]) -> str:
    """A test of a tree that fails once the mutation is in it, or nothing."""
    _restore(tree)
    path = tree / "src" / "comraf" / f"{mutation['module']}.py"
    stamp = path.stat().st_mtime
    path.write_text(mutation["code"], "utf-8")
    os.utime(path, (stamp + 60, stamp + 60))  # caches must not take it for the old one
    for part in (tests[:_FIRST], tests[_FIRST:_MOST]):
        if failing := _failing(tree, part, "-x", seconds=_PATIENCE):
            return failing[0]
    return ""


def _restore(tree: Path) -> None:
    shutil.rmtree(tree / "src")
    shutil.copytree(ROOT / "src", tree / "src")


def run(
    mutations: list[dict[str, Any]],
    contexts: list[Path],
    jobs: int,
    out: Path,
    seconds: float = float("inf"),
) -> list[dict[str, Any]]:
    """Try mutations in copies of the tree; those that were reached, with what killed each."""
    known = read_contexts(contexts)
    equivalent = read_equivalent()
    old = json.loads(out.read_text("utf-8")) if out.exists() else []
    killed = {(shown(m), m["line"]): m["killer"] for m in old if m["killer"]}
    for mutation in mutations:
        mutation["equivalent"] = shown(mutation) in equivalent
        if killer := killed.get((shown(mutation), mutation["line"])):
            mutation["killer"] = killer
        elif mutation["equivalent"]:
            mutation["killer"] = ""
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        trees: Queue[Path] = Queue()
        for job in range(jobs):
            tree = Path(folder, str(job))
            shutil.copytree(
                ROOT,
                tree,
                symlinks=True,
                ignore=shutil.ignore_patterns(".git", ".venv", "site", "dist", "scratch"),
            )
            trees.put(tree)
        present = set(_pytest(tree, "--collect-only").stdout.splitlines())
        lock = Lock()

        def tried(mutation: dict[str, Any]) -> None:
            if time.monotonic() - start > seconds:
                return
            tests = [test for test in choose_tests(mutation, known, present) if test in present]
            tree = trees.get()
            killer, mutation["tests"] = "", len(tests)
            try:
                killer = _killer(mutation, tree, tests)
            except subprocess.TimeoutExpired:
                mutation["tests"] = f"some of {len(tests)}"
            mutation["killer"] = killer
            trees.put(tree)
            with lock:
                print(end="." if mutation["killer"] else f"\n{shown(mutation)}\n", flush=True)
                _write(mutations, out)

        def broken(tests: list[str]) -> list[str]:
            tree = trees.get()
            _restore(tree)
            found = _failing(tree, tests)
            trees.put(tree)
            return found

        with ThreadPoolExecutor(jobs) as pool:
            list(pool.map(tried, [m for m in mutations if "killer" not in m]))
            # a test that fails without any mutation kills none: those are tried again
            killers = sorted({mutation.get("killer", "") for mutation in mutations} & present)
            parts = [killers[job::jobs] for job in range(jobs)]
            anyway = {name for found in pool.map(broken, parts) for name in found}
            print(f"\n{len(anyway)} tests fail without any mutation")
            present -= anyway
            seconds = float("inf")
            list(pool.map(tried, [m for m in mutations if m.get("killer") in anyway]))
    return _write(mutations, out)


def _write(mutations: list[dict[str, Any]], out: Path) -> list[dict[str, Any]]:
    """Write and give back those that were reached, without their code."""
    reached = [
        {key: value for key, value in mutation.items() if key != "code"}
        for mutation in mutations
        if "killer" in mutation
    ]
    out.write_text(json.dumps(reached, indent=1), "utf-8")
    return reached


def shown(mutation: dict[str, Any]) -> str:
    """One line that names a mutation wherever the lines around it may move."""
    return f"{mutation['module']}: {mutation['old']}  ->  {mutation['new']}"


def read_equivalent() -> set[str]:
    """Mutations that no test could notice, from the file that says why."""
    if not EQUIVALENT.exists():
        return set()
    lines = EQUIVALENT.read_text("utf-8").splitlines()
    return {line for line in lines if line and not line.startswith("#")}


def main() -> None:
    """Draw mutations, or try those that were drawn."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    drawing = commands.add_parser("draw")
    drawing.add_argument("--number", type=int, default=300)
    drawing.add_argument("--seed", type=int, default=0)
    drawing.add_argument("--out", type=Path, default=Path("mutations.json"))
    running = commands.add_parser("run")
    running.add_argument("drawn", type=Path)
    running.add_argument("--contexts", type=Path, nargs="+", default=[ROOT / ".coverage"])
    running.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    running.add_argument(
        "--seconds", type=float, default=float("inf"), help="try none after so long"
    )
    running.add_argument("--out", type=Path, default=Path("outcome.json"))
    chosen = parser.parse_args()
    if chosen.command == "draw":
        chosen.out.write_text(json.dumps(draw(chosen.number, chosen.seed), indent=1), "utf-8")
        return
    mutations = json.loads(chosen.drawn.read_text("utf-8"))
    reached = run(mutations, chosen.contexts, chosen.jobs, chosen.out, chosen.seconds)
    counted = [mutation for mutation in reached if not mutation["equivalent"]]
    killed = sum(mutation["killer"] != "" for mutation in counted)
    for mutation in counted:
        if not mutation["killer"]:
            print(f"{shown(mutation)}   (line {mutation['line']}, {mutation['tests']} tests)")
    print(
        f"{killed} of {len(counted)} killed ({100 * killed / len(counted):.1f}%), "
        f"{len(reached) - len(counted)} equivalent, {len(mutations) - len(reached)} not reached"
    )


if __name__ == "__main__":
    main()
