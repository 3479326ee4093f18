"""What attacks on bitsieve led to, and how much of the code that counts its own tests run.

    python -m benchmarks.trust attacks [FILES]   selects from so many damaged files (1,000)
    python -m benchmarks.trust fuzzing [SECONDS] fuzzes each reader, saved selections, statements of SQL, commands and
                                                 native calls, so long (120) or with 100,000 inputs; needs atheris
    python -m benchmarks.trust coverage          measures lines and branches; needs pytest-cov

All keep their counts in the results. The damaged files are those of ``tests/faults``: a seeded draw over all formats.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

from tests.faults import mutants
from tests.faults.targets import TARGETS

from benchmarks import results
from benchmarks.machine import ROOT

N_INPUTS = 100_000  # of a target of fuzzing, unless its time ends before
ROOMS = ("information", "counts", "methods/by_counts")


def attacks(n_files: int = 1000) -> Path:
    """Select from damaged files, and count how that ended."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for number, code, _ in mutants.outcomes(0, n_files):
        ended = {0: "a selection", 2: "a line of error"}.get(code, "a signal" if code < 0 else "a traceback")
        counts[mutants.mutant(number)[0]].update(["files", ended])
    kinds = ("files", "a selection", "a line of error", "a traceback", "a signal")
    rows = [
        {"job": kind, "details": {"damaged": {name: endings[name] for name in kinds}}}
        for kind, endings in sorted(counts.items())
    ]
    claim = f"A selection from a damaged file ends with a selection or one line of error: {n_files:,} files."
    return results.write(results.document("attacks", claim, rows), keep=True)


def fuzzing(seconds: int = 120) -> Path:
    """Fuzz every target from a fixed seed, and count the inputs. An input that leads to anything wrong is an error."""
    crashes = ROOT / "build" / "fuzzing"
    crashes.mkdir(parents=True, exist_ok=True)
    rows = []
    for target in TARGETS:
        limits = [f"-runs={N_INPUTS}", f"-max_total_time={seconds}", "-seed=1", "-print_final_stats=1"]
        limits += ["-timeout=60", f"-artifact_prefix={crashes / target}-"]
        command = [sys.executable, "-m", "tests.faults.fuzz", target, *limits]
        ended = subprocess.run(command, cwd=ROOT, stderr=subprocess.PIPE, text=True, check=False)
        if ended.returncode != 0:
            sys.exit(f"{ended.stderr[-4000:]}\nfuzzing of {target} ended with exit code {ended.returncode}")
        n_inputs = int(re.findall(r"number_of_executed_units: (\d+)", ended.stderr)[-1])
        branches = re.findall(r" cov: (\d+)", ended.stderr)
        n_branches = branches[-1] if branches else "-"  # not counted for native calls
        print(f"{target}: {n_inputs:,} inputs", flush=True)
        counts = {"inputs": n_inputs, "inputs that end wrongly": 0, "branches reached": n_branches}
        rows.append({"job": target, "details": {"fuzzing": counts}})
    n_all = sum(row["details"]["fuzzing"]["inputs"] for row in rows)
    claim = f"No input that fuzzing makes leads to anything but a result or one line of error: {n_all:,} inputs."
    return results.write(results.document("fuzzing", claim, rows), keep=True)


def coverage() -> Path:
    """Run the tests of the rooms that count, and keep what share of their lines and branches ran."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "coverage.json"
        measured = [f"--cov=bitsieve.{room.replace('/', '.')}" for room in ROOMS]
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not nightly"]
        command += ["--cov-branch", *measured]
        command += [f"--cov-report=json:{report}", *(f"tests/{room}" for room in ROOMS)]
        subprocess.run(command, cwd=ROOT, check=True, env=None)
        files = json.loads(report.read_text(encoding="utf-8"))["files"]
    rows = []
    for room in ROOMS:
        totals: Counter[str] = Counter()
        for path, entry in files.items():
            if f"bitsieve/{room}/" in path:
                totals.update({key: n for key, n in entry["summary"].items() if isinstance(n, int)})
        of_lines = totals["num_statements"]
        of_branches = totals["num_branches"]
        shares = {
            "lines": of_lines,
            "lines that ran": f"{100 * totals['covered_lines'] / of_lines:.1f} %",
            "branches": of_branches,
            "branches that ran": f"{100 * totals['covered_branches'] / of_branches:.1f} %",
        }
        rows.append({"job": room, "details": {"tests of the room": shares}})
    claim = "The tests of the rooms that count run their lines and branches; branches of native code are not counted."
    return results.write(results.document("coverage", claim, rows), keep=True)


if __name__ == "__main__":
    print({"attacks": attacks, "fuzzing": fuzzing, "coverage": coverage}[sys.argv[1]](*map(int, sys.argv[2:])))
