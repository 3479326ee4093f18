"""What attacks on bitsieve led to, and how much of the code that counts its own tests run.

    python -m benchmarks.trust attacks [FILES]   selects from so many damaged files (1,000)
    python -m benchmarks.trust coverage          measures lines and branches; needs pytest-cov

Both keep their counts in the results. The damaged files are those of ``tests/faults``: a seeded draw over all formats.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

from tests.faults import mutants

from benchmarks import results
from benchmarks.machine import ROOT

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
    print({"attacks": attacks, "coverage": coverage}[sys.argv[1]](*map(int, sys.argv[2:])))
