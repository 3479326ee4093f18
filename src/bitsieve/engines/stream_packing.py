"""Coded rows packed into planes batch by batch; the planes lie in memory, or on disk if they are many or cached."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from bitsieve.counts.packed import PageRelease
from bitsieve.counts.packed_batches import PackedBatches
from bitsieve.counts.source import CountSource
from bitsieve.dataset.dataset import InMemoryDataset
from bitsieve.discretization.coding import Coding
from bitsieve.discretization.summary import Summary
from bitsieve.engines.engine import CountRequest, SummaryRequest
from bitsieve.io.spool import Spool, map_array, release_pages
from bitsieve.utils.arrays import Integers, Values
from bitsieve.utils.progress import listening
from bitsieve.utils.types import JsonObject

_PLANES_DIVISOR = 3  # planes that take more than a third of the memory lie on disk
_MAPPED_DIVISOR = 4  # of planes on disk a quarter of the memory is mapped at once
_CACHE_LINE = 64  # bytes


@dataclass(frozen=True, kw_only=True)
class PlaneStorage:
    """Where the planes of packed rows lie."""

    memory: int  # bytes that the work may take
    folder: Path | None  # the folder in which planes are cached for later runs; None where they are not cached
    # ``name_of_key(key)``: the name in the folder of planes that follow from ``key``; None where they are not cached
    name_of_key: Callable[[JsonObject], str | None]


class StreamPacking:
    """Rows packed into planes batch by batch; the planes lie in memory if they fit and are not cached, else on disk."""

    def __init__(self, coding: Coding, class_sizes: Integers, storage: PlaneStorage) -> None:
        self.coding = coding
        self.class_sizes = class_sizes
        self._storage = storage
        self._packed = PackedBatches(class_sizes, coding.arities, coding.binner.n_jobs)
        n_bytes = 8 * self._packed.plane_words + 2 * self._packed.wide_codes
        fits_into_memory = n_bytes <= storage.memory // _PLANES_DIVISOR
        self.spool = None if storage.folder is None and fits_into_memory else Spool(storage.folder)
        planes = self._zeros("planes", self._packed.plane_words, np.uint64)
        wide_codes = self._zeros("wide", self._packed.wide_codes, np.uint16)
        page_release = None
        if self.spool is not None:
            page_release = PageRelease(partial(release_pages, [planes, wide_codes]), storage.memory // _MAPPED_DIVISOR)
        self._packed.use(planes, wide_codes, page_release)
        self._buffer = np.empty(0, np.uint8)  # fresh memory for every batch costs more than its codes

    def add(self, table: InMemoryDataset) -> None:
        """Pack the next rows."""
        n_bytes = 2 * table.n_samples * table.n_features
        if len(self._buffer) < n_bytes:
            self._buffer = np.empty(n_bytes, np.uint8)
        codes = self.coding.codes(table, self._buffer)
        self._packed.add(codes, table.target.codes, table.weights)

    def finish(self, cache_key: JsonObject | None = None, cached_facts: JsonObject | None = None) -> CountSource:
        """Return the counts of the packed rows, and cache the planes if there is a folder for them."""
        source = self._packed.finish()
        name = None if cache_key is None else self._storage.name_of_key(cache_key)
        if self.spool is not None and name is not None:
            facts = dict(cached_facts or {})
            facts["class_sizes"] = self.class_sizes.tolist()
            self.spool.keep(name, facts)
        elif self._storage.folder is None and os.name == "posix":
            self.drop()  # planes on disk stay as long as they are mapped, and go with the process
        return source

    def drop(self) -> None:
        """Remove the planes from disk."""
        if self.spool is not None:
            self.spool.close()

    def _zeros(self, name: str, size: int, kind: type[np.generic]) -> Values:
        """An array of zeros: on disk, or in memory from the beginning of a cache line."""
        if self.spool is not None:
            return self.spool.array(name, size, kind)
        memory = np.zeros(size + _CACHE_LINE, kind)
        first = -memory.ctypes.data % _CACHE_LINE // memory.itemsize
        return memory[first : first + size]


class EarlyPacking:
    """Rows packed in the pass that summarizes them, with the codes of the first batch.

    The packing is dropped once a later batch holds a value that the first one does not.
    """

    def __init__(self, request: SummaryRequest, start: Callable[[Coding, Integers], StreamPacking]) -> None:
        self._request = request
        self._start = start
        self._first: Summary | None = None
        self.packing: StreamPacking | None = None

    def add(self, table: InMemoryDataset, summary: Summary) -> None:
        """Pack the next rows, of which this is the summary."""
        if self._first is None:
            self._first = summary
            self._start_packing(summary)
        if self.packing is None:
            return
        columns = zip(summary.columns, self._first.columns, strict=True)
        if all(column.adds_no_code_to(first) for column, first in columns):
            self.packing.add(table)
        else:
            self.drop()

    def _start_packing(self, summary: Summary) -> None:
        early_coding = self._request.early_coding
        class_sizes = self._request.target.class_sizes
        assert early_coding is not None  # else nothing is packed early
        assert class_sizes is not None  # known where there is an early coding
        try:
            with listening(lambda _: None):  # progress is shown for the bins of all rows only
                self.packing = self._start(early_coding(summary), class_sizes)
        except ValueError:  # the same error is raised once all rows were read
            self.packing = None

    def packing_for(self, request: CountRequest) -> StreamPacking | None:
        """The packed rows, if they are coded as a request asks."""
        packing = self.packing
        if packing is None:
            return None
        same_rows = request.reader is self._request.reader and request.target is self._request.target
        if not same_rows or not np.array_equal(packing.coding.arities, request.coding.arities):
            self.drop()
            return None
        return packing

    def drop(self) -> None:
        """Give up the packed rows."""
        if self.packing is not None:
            self.packing.drop()
        self.packing = None


def open_cached_planes(folder: Path, facts: JsonObject) -> CountSource | None:
    """The counts of planes that an earlier run has cached; None if the files are not whole."""
    class_sizes = np.array(facts["class_sizes"], np.int64)
    arities = np.array(facts["coding"]["arities"], np.int32)
    packed = PackedBatches(class_sizes, arities, None)
    try:
        planes = map_array(folder / "planes", packed.plane_words, np.uint64)
        wide_codes = map_array(folder / "wide", packed.wide_codes, np.uint16)
        packed.use(planes, wide_codes)
        return packed.reopen()
    except (OSError, ValueError):
        return None
