"""Batches of rows packed into planes in a spool, by bins that are known, or while they are still looked for."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from bitsieve.common.progress import listening
from bitsieve.counts.packed import PackedBatches
from bitsieve.files.spool import Spool

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from numpy.typing import NDArray

    from bitsieve.binning.coding import Coding
    from bitsieve.binning.summary import Summary
    from bitsieve.counts.source import CountSource
    from bitsieve.table.table import Table


class StreamPacking:
    """Planes in a spool, to be filled with one batch of rows after the other.

    Parameters
    ----------
    coding : Coding
    class_sizes : ndarray of int64
        Samples of every class in all batches together.
    parent : Path or None
        Where the spool is kept; None: nowhere, it is removed at the end.
    n_jobs : int or None
    """

    def __init__(self, coding: Coding, class_sizes: NDArray[np.int64], parent: Path | None, n_jobs: int | None) -> None:
        self.coding, self._parent = coding, parent
        self._packed = PackedBatches(class_sizes, coding.arities, n_jobs)
        self.spool = Spool(parent)
        planes = self.spool.array("planes", self._packed.plane_words, np.uint64)
        self._packed.use(planes, self.spool.array("wide", self._packed.wide_codes, np.uint16))
        self._room = np.empty(0, np.uint8)  # fresh memory for every batch costs more than its codes

    def add(self, table: Table) -> None:
        """Pack the next rows."""
        codes: Any = self.coding.own_codes(table)
        if codes is None:
            codes = self._coded(table)
        self._packed.add(codes, table.target.codes, table.weights)

    def _coded(self, table: Table) -> NDArray[Any]:
        if len(self._room) < 2 * table.n_samples * table.n_features:
            self._room = np.empty(2 * table.n_samples * table.n_features, np.uint8)
        return self.coding.codes(table, self._room)

    def finish(self) -> CountSource:
        """The counts of all rows that were added."""
        if self._parent is None and os.name == "posix":
            self.spool.close()  # the planes stay as long as they are mapped, and go with the process
        return self._packed.finish()


class EarlyPacking:
    """Rows packed in the pass that looks for their codes, as long as every batch holds what the first one holds.

    Codes of values as they are hang on which values there are, not on how often: those of the first batch are those of
    all rows, unless a later one holds another value. Then the planes are given up, and the rows are read once more.

    Parameters
    ----------
    start : callable
        Makes the packing of all rows, given the summary of the first batch.
    """

    def __init__(self, start: Callable[[Summary], StreamPacking]) -> None:
        self._start = start
        self._first: Summary | None = None
        self.packing: StreamPacking | None = None

    def add(self, table: Table, part: Summary) -> None:
        """Pack the next rows, of which this is the summary."""
        if self._first is None:
            self._first = part
            try:
                with listening(lambda _: None):  # the bins of all rows are still looked for
                    self.packing = self._start(part)
            except ValueError:  # what is wrong is said once all rows were looked at
                return
        if self.packing is None:
            return
        if all(column.adds_no_code_to(known) for column, known in zip(part.columns, self._first.columns, strict=True)):
            self.packing.add(table)
        else:
            self.packing.spool.close()
            self.packing = None
