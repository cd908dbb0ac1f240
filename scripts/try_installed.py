"""Try an installed comraf as a user would, from a folder that is not the source tree.

Run it with the interpreter of the environment to try, in an empty folder. It needs
nothing but the standard library and leaves with a sentence when something is wrong.
"""

from __future__ import annotations

import json
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

COMRAF = str(Path(sysconfig.get_path("scripts")) / "comraf")


def expect(condition: bool, what: str) -> None:
    """Stop with a sentence unless the condition holds."""
    if not condition:
        sys.exit(f"NOT OK: {what}")
    print(f"ok: {what}", flush=True)


def comraf(*arguments: str, code: int = 0) -> subprocess.CompletedProcess[str]:
    """Run the installed command and look at its exit code."""
    start = time.perf_counter()
    done = subprocess.run(
        [COMRAF, *arguments], check=False, capture_output=True, text=True, timeout=600
    )
    if done.returncode != code:
        sys.stderr.write(done.stdout + done.stderr)
    seconds = time.perf_counter() - start
    expect(
        done.returncode == code,
        f"comraf {' '.join(arguments)} leaves with {code} ({seconds:.1f} s)",
    )
    return done


def write_matrix_market(path: Path, rows: list[list[int]]) -> None:
    """Write a small table of counts by hand, so that nothing of comraf's made it."""
    entries = [
        f"{i} {j} {count}"
        for i, row in enumerate(rows, start=1)
        for j, count in enumerate(row, start=1)
        if count
    ]
    head = "%%MatrixMarket matrix coordinate integer general"
    size = f"{len(rows)} {len(rows[0])} {len(entries)}"
    path.write_text("\n".join([head, size, *entries]) + "\n", encoding="ascii")


def try_package() -> None:
    """Import what was installed, not what lies in a source tree."""
    import comraf as package

    home = Path(package.__file__).resolve()
    expect(home.is_relative_to(Path(sys.prefix).resolve()), f"comraf comes from {home.parent}")
    expect((home.parent / "py.typed").is_file(), "its types are shipped")
    for name in package.__all__:
        expect(getattr(package, name) is not None, f"comraf.{name} is there")


def try_command() -> None:
    """Run every command once, with good and with bad input."""
    expect("cluster" in comraf("--help").stdout, "the help names the commands")
    comraf("demo", "--quiet")

    # Two kinds of rows that share no column: there is one right answer.
    table = Path("table.mtx")
    write_matrix_market(table, [[4, 3, 0, 0]] * 6 + [[0, 0, 5, 2]] * 4)
    out = Path("out")
    answer = comraf("cluster", str(table), "-k", "2", "--seed", "0", "--out", str(out), "--json")
    expect(isinstance(json.loads(answer.stdout), dict), "--json prints one JSON object")
    expect(out.is_dir() and any(out.iterdir()), "--out holds the answer")
    comraf("cluster", str(table), "-k", "2", "--out", str(out), code=2)
    comraf("cluster", str(table), "-k", "2", "--out", str(out), "--force", "--quiet")

    broken = Path("broken.mtx")
    broken.write_text("%%MatrixMarket matrix coordinate integer general\n3 3 2\n1 1 -4\n")
    for bad in ([str(broken), "-k", "2"], ["nowhere.npz", "-k", "2"], [str(table), "-k", "99"]):
        refused = comraf("cluster", *bad, "--out", "refused", code=2)
        expect("Traceback" not in refused.stderr, "the refusal is not a traceback")
        expect(bool(refused.stderr.strip()), "the refusal says why")
        expect(not Path("refused").exists(), "nothing half-written is left")


if __name__ == "__main__":
    try_package()
    try_command()
