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
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.machine import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

PEERS_PYTHON = ROOT / ".peers" / "bin" / "python"
THREAD_VARIABLES = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
START_S = 120.0


class WorkerError(RuntimeError):
    """A contestant could not start, failed or took too long; the message says which and why."""


class Worker:
    """One contestant in a process of its own, with BLAS and OpenMP limited to `threads` threads.

    Parameters
    ----------
    contestant : name of a module of benchmarks.contestants.
    folder : where the arrays lie (see `stored`).
    piece : `samples` and `features` to take, for a contestant that would need too long on the whole.
    kernel : the kernel that bitsieve is forced to; None leaves the choice to it.
    python : the interpreter, for contestants in another environment.
    """

    def __init__(
        self,
        contestant: str,
        folder: Path,
        *,
        piece: Mapping[str, int] | None = None,
        kernel: str | None = None,
        threads: int = 1,
        python: Path | str = sys.executable,
    ) -> None:
        self.contestant = contestant
        self.piece = dict(piece or {})
        environment = os.environ | dict.fromkeys(THREAD_VARIABLES, str(threads))
        environment.pop("BITSIEVE_FORCE_KERNEL", None)
        if kernel is not None:
            environment["BITSIEVE_FORCE_KERNEL"] = kernel
        if not Path(python).exists():
            raise WorkerError(f"{contestant}: no environment for peers; make it by: python -m benchmarks.peers")
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
        self._process = subprocess.Popen(
            [str(python), "-m", "benchmarks.worker", contestant, str(folder), json.dumps(self.piece)],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
        )
        self.about = self._answer(START_S)
        self.report: dict[str, Any] = {}
        self._shares: list[float] = []

    def run(self, timeout_s: float = 600.0, **options: Any) -> float:
        """Run once; the seconds that the contestant itself counted. The whole report stays in `report`."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(options) + "\n")
        self._process.stdin.flush()
        self.report = self._answer(timeout_s)
        self._shares.append(self.report["processor_s"] / max(self.report["seconds"], 1e-9))
        return float(self.report["seconds"])

    def processor_share(self) -> float:
        """Processor time over wall time, the median of the runs since this was asked last; 1: a whole core."""
        share, self._shares = median(self._shares), []
        return round(share, 2)

    @property
    def pid(self) -> int:
        """Of the process."""
        return self._process.pid

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
            raise WorkerError(f"{self.contestant}: stopped after {timeout_s:g} s")
        line = stdout.readline()
        if not line:
            self._process.wait()
            self._errors.seek(0)
            said = self._errors.read().decode(errors="replace").strip().splitlines()
            reason = said[-1] if said else f"exit status {self._process.returncode}"
            self.close()
            raise WorkerError(f"{self.contestant}: {reason}")
        answer: dict[str, Any] = json.loads(line)
        return answer


@contextmanager
def stored(**arrays: np.ndarray) -> Iterator[Path]:
    """A folder that holds the arrays as .npy files, for as long as the block lasts."""
    with tempfile.TemporaryDirectory(prefix="bitsieve-benchmark-") as folder:
        for name, array in arrays.items():
            np.save(Path(folder) / f"{name}.npy", array)
        yield Path(folder)
