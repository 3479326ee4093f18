"""The parent's side: contestants as processes of their own that keep their arrays and run when told to."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.machine import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from benchmarks.benchmark import Contestant
    from benchmarks.data import Data

PEERS_PYTHON = ROOT / ".peers" / "bin" / "python"
THREAD_VARIABLES = (
    *(f"{library}_NUM_THREADS" for library in ("OPENBLAS", "OMP", "MKL", "NUMBA", "RAYON")),
    "POLARS_MAX_THREADS",
)
START_S = 300.0
RUN_S = 3600.0


class WorkerError(RuntimeError):
    """A contestant could not start, failed or took too long; the message says which and why."""


class Worker:
    """One contestant in a process of its own.

    Parameters
    ----------
    contestant : its command, kernel, threads and environment are used.
    folder : where the arrays lie (see `stored`).
    piece : `samples` and `features` to take, for a contestant that would need too long on the whole.
    peers_python : the interpreter of the other programs' environment.
    """

    def __init__(
        self,
        contestant: Contestant,
        folder: Path,
        piece: Mapping[str, int] | None = None,
        peers_python: Path = PEERS_PYTHON,
    ) -> None:
        self.command = contestant.command
        environment = os.environ | dict.fromkeys(THREAD_VARIABLES, str(contestant.threads))
        environment.pop("BITSIEVE_FORCE_KERNEL", None)
        if contestant.kernel is not None:
            environment["BITSIEVE_FORCE_KERNEL"] = contestant.kernel
        if contestant.peers and not peers_python.exists():
            raise WorkerError(f"{self.command}: no environment for peers; make it by: python -m benchmarks.peers")
        python = str(peers_python) if contestant.peers else sys.executable
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
        self._process = subprocess.Popen(
            [python, "-m", "benchmarks.worker", self.command, str(folder), json.dumps(dict(piece or {}))],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
        )
        self.versions: dict[str, str] = self._answer(START_S)["versions"]

    def run(self, options: Mapping[str, Any], timeout_s: float = RUN_S) -> dict[str, Any]:
        """Run once; the report: seconds that the contestant itself counted, processor_share, details."""
        assert self._process.stdin is not None
        if self._process.stdin.closed:
            raise WorkerError(f"{self.command}: the process ended in an earlier run")
        self._process.stdin.write(json.dumps(dict(options)) + "\n")
        self._process.stdin.flush()
        return self._answer(timeout_s)

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout, self._errors):
            if stream is not None and not stream.closed:
                stream.close()

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _answer(self, timeout_s: float) -> dict[str, Any]:
        stdout = self._process.stdout
        assert stdout is not None
        if not select.select([stdout], [], [], timeout_s)[0]:
            self.close()
            raise WorkerError(f"{self.command}: stopped after {timeout_s:g} s")
        line = stdout.readline()
        if not line:
            self._process.wait()
            self._errors.seek(0)
            error_lines = self._errors.read().decode(errors="replace").strip().splitlines()
            reason = error_lines[-1] if error_lines else f"exit status {self._process.returncode}"
            self.close()
            raise WorkerError(f"{self.command}: {reason}")
        answer: dict[str, Any] = json.loads(line)
        return answer


@contextmanager
def stored(data: Data | None) -> Iterator[Path]:
    """A folder that holds the data as files, for as long as the block lasts."""
    with tempfile.TemporaryDirectory(prefix="bitsieve-benchmark-") as folder:
        if data is not None:
            data.write(Path(folder))
        yield Path(folder)
