"""Files of AnnData (.h5ad): genes that are informative about the types of cells, within batches."""

from __future__ import annotations

from benchmarks.benchmark import Benchmark, Contestant, Job
from benchmarks.data import Data, Shape


def _selection(shape: Shape, k: int, *, large: bool = False) -> Job:
    return Job(
        f"{shape.samples:,} cells x {shape.features:,} genes, {shape.bins} batches, k = {k}",
        Data("cells", shape),
        {
            "in memory": Contestant("ours_cells.select", {"k": k}),
            "memory=1GB": Contestant("ours_cells.select", {"k": k, "memory": "1GB"}),
        },
        fresh=True,
        large=large,
    )


BENCHMARKS = (
    Benchmark(
        "cells",
        "A selection from a file of cells by genes within batches: seconds, and the peak of memory, which with a limit "
        "counts pages of files in the spool that the system may take back.",
        [_selection(Shape(20_000, 10_000, 4, 8), 20), _selection(Shape(100_000, 20_000, 4, 8), 20, large=True)],
        [_selection(Shape(500, 100, 2, 3), 3)],
        rounds=1,
        patience_s=120.0,
    ),
)
