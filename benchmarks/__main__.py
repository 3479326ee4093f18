"""Run the benchmarks one after the other, each in a process of its own.

python -m benchmarks [--quick] [NAME ...]
"""

from __future__ import annotations

import argparse
import subprocess
import sys

from benchmarks.machine import ROOT

SCRIPTS = (
    "greedy",
    "criteria",
    "stopping",
    "estimators",
    "relevance",
    "matrix",
    "threads",
    "memory",
    "binning",
    "startup",
    "filters",
    "variational",
    "global_quality",
    "spectral_scale",
    "global_ranking",
    "qpfs_nystrom",
    "large_shape",
    "large_protocol",
    "sdp",
    "comparison",
    "variational",
)


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description="Run the benchmarks; results go to benchmarks/results/."
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(SCRIPTS)} (default: all)")
    parser.add_argument("--quick", action="store_true", help="small jobs, to see that everything runs")
    arguments = parser.parse_args()
    unknown = [name for name in arguments.names if name not in SCRIPTS]
    if unknown:
        parser.error(f"no benchmark is called {', '.join(unknown)}; there are {', '.join(SCRIPTS)}")
    failed = []
    for name in arguments.names or SCRIPTS:
        print(f"== {name}", flush=True)
        command = [sys.executable, "-m", f"benchmarks.{name}", *(["--quick"] if arguments.quick else [])]
        if subprocess.run(command, cwd=ROOT, check=False).returncode:
            failed.append(name)
    if failed:
        print(f"benchmarks: failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
