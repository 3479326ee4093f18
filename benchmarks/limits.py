"""What no program can do without: the bytes that a job moves, the operations that it does, and the machine's rates.

The limit of a job is the greater of two times: bytes over the rate of reading and writing memory, and bits over the
rate of the bare loop of AND and popcount, both measured on one core by `roof.c` in the same run. Counting a pair by bit
planes needs (bins - 1)^2 ANDs a sample. Features of many codes can be counted with fewer operations, so that a program
may be faster than this limit where there are ten bins.
"""

from __future__ import annotations

import functools
import json
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.rounds import significant

if TYPE_CHECKING:
    from benchmarks.data import Shape

SOURCE = Path(__file__).with_name("roof.c")


@dataclass(frozen=True)
class Limit:
    """Bits to be ANDed and counted, bytes to be read and written; or seconds, where these are known from elsewhere."""

    bits: float = 0.0
    read_bytes: float = 0.0
    written_bytes: float = 0.0
    seconds: float | None = None
    threads: int = 1

    def reached(self, rates: dict[str, float]) -> tuple[float, str] | None:
        """Seconds, and whether operations or bytes set them; None where the rates are not known."""
        if self.seconds is not None:
            return significant(self.seconds), "operations"
        if not rates:
            return None
        moving = self.read_bytes / rates["read_gb_s"] / 1e9 + self.written_bytes / rates["write_gb_s"] / 1e9
        counting = self.bits / rates["and_popcount_gbit_s"] / 1e9 / self.threads
        return significant(max(moving, counting)), "operations" if counting >= moving else "bytes"


def counting_pairs(shape: Shape, pairs: float, result_bytes: float = 0.0, threads: int = 1) -> Limit:
    """So many tables of two features, by class or not, from one-byte codes that are read once."""
    bits = pairs * (shape.bins - 1) ** 2 * shape.samples
    return Limit(bits, shape.samples * shape.features, result_bytes, threads=threads)


def counting_with_class(shape: Shape) -> Limit:
    """The tables of every feature with the class."""
    return Limit(shape.features * (shape.bins - 1) * shape.samples, shape.samples * shape.features)


def binning(shape: Shape) -> Limit:
    """Floats read once, one-byte codes written."""
    cells = shape.samples * shape.features
    return Limit(0.0, 8 * cells, cells)


@functools.cache
def machine_rates() -> dict[str, float]:
    """and_popcount_gbit_s, read_gb_s and write_gb_s of one core; empty where there is no C compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        return {}
    with tempfile.TemporaryDirectory() as folder:
        program = str(Path(folder) / "roof")
        compiled = subprocess.run(
            [compiler, "-O3", "-march=native", "-o", program, str(SOURCE)], capture_output=True, check=False
        )
        if compiled.returncode:
            return {}
        printed = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    return {name: significant(rate) for name, rate in json.loads(printed).items()}
