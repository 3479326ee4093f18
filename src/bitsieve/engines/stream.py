"""Rows of files and streams, read batch by batch in little memory and packed into planes, on disk if these are many."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from bitsieve.counts.packed import PackedBatches
from bitsieve.counts.source import CountSource
from bitsieve.dataset.data_kinds import gives_batches, is_path
from bitsieve.dataset.dataset import Dataset, InMemoryDataset
from bitsieve.dataset.encoding import as_array
from bitsieve.dataset.original import OriginalData, not_read_again
from bitsieve.dataset.read import read_data
from bitsieve.dataset.roles import split_columns
from bitsieve.dataset.target_summary import TargetCoding
from bitsieve.diagnostics import UserError
from bitsieve.discretization.coding import Coding
from bitsieve.discretization.summary import Limits, Summary
from bitsieve.engines.partitioned_dataset import (
    Kept,
    Merge,
    Packed,
    PartitionedDataset,
    PartitionReader,
    Parts,
    Summarizing,
    Work,
)
from bitsieve.engines.registry import DataInParts
from bitsieve.io.arrow import give_back_unused
from bitsieve.io.column_file import ColumnFile
from bitsieve.io.errors import check_unchanged
from bitsieve.io.libsvm import read_libsvm_in_ranges
from bitsieve.io.read import holds_sparse_rows, open_columns
from bitsieve.io.spool import Spool, kept, key_name, mapped
from bitsieve.options import ReadOptions
from bitsieve.utils.arrays import Integers
from bitsieve.utils.lazy import cached_property
from bitsieve.utils.memory import check_memory
from bitsieve.utils.progress import listening, phase

Item = TypeVar("Item")
Result = TypeVar("Result")
Parted = Iterator[tuple[int, tuple[Any, ...]]]

DEFAULT_MEMORY = 2 << 30
_FORMS = 6  # of the values of a batch that are in memory at once: read ahead, decoded, as columns, as codes
_PLANES = 3  # the planes may take one part in so many of the memory, else they lie on disk
_LINE = 64  # bytes of a line of the cache
_PENDING = 8  # results of batches that wait to be merged
_COPIES = 6  # of the sample of the rows that the memory must hold: known, new, merged, and as much for all else


class StreamPacking(Packed):
    """Planes filled batch by batch: kept in ``parent`` under ``name(key)``, or, where None, in memory if they fit."""

    def __init__(
        self,
        coding: Coding,
        class_sizes: Integers,
        memory: int,
        parent: Path | None,
        name: Callable[[dict[str, Any]], str | None],
    ) -> None:
        self.coding, self.class_sizes, self._parent, self._name = coding, class_sizes, parent, name
        self._packed = PackedBatches(class_sizes, coding.arities, coding.binner.n_jobs)
        fits = 8 * self._packed.plane_words + 2 * self._packed.wide_codes <= memory // _PLANES
        self.spool = None if parent is None and fits else Spool(parent)
        planes = self._array("planes", self._packed.plane_words, np.uint64)
        self._packed.use(planes, self._array("wide", self._packed.wide_codes, np.uint16))
        self._room = np.empty(0, np.uint8)  # fresh memory for every batch costs more than its codes

    def add(self, table: InMemoryDataset) -> None:
        """Pack the next rows."""
        if len(self._room) < 2 * table.n_samples * table.n_features:
            self._room = np.empty(2 * table.n_samples * table.n_features, np.uint8)
        self._packed.add(self.coding.codes(table, self._room), table.target.codes, table.weights)

    def finish(self, key: dict[str, Any] | None = None, facts: dict[str, Any] | None = None) -> CountSource:
        source = self._packed.finish()
        name = None if key is None else self._name(key)
        if self.spool is not None and name is not None:
            self.spool.keep(name, {**(facts or {}), "class_sizes": self.class_sizes.tolist()})
        elif self._parent is None and os.name == "posix":
            self.drop()  # planes on disk stay as long as they are mapped, and go with the process
        return source

    def _array(self, name: str, size: int, kind: type[np.generic]) -> NDArray[Any]:
        """Zeros: on disk, or in memory from the beginning of a line of the cache."""
        if self.spool is not None:
            return self.spool.array(name, size, kind)
        room = np.zeros(size + _LINE, kind)
        first = -room.ctypes.data % _LINE // room.itemsize
        return room[first : first + size]

    def drop(self) -> None:
        if self.spool is not None:
            self.spool.close()


def _reopened(folder: Path, facts: dict[str, Any]) -> CountSource | None:
    """The counts that an earlier run has kept."""
    class_sizes = np.array(facts["class_sizes"], np.int64)
    packed = PackedBatches(class_sizes, np.array(facts["coding"]["arities"], np.int32), None)
    sizes = {"planes": (packed.plane_words, np.uint64), "wide": (packed.wide_codes, np.uint16)}
    try:
        packed.use(*(mapped(folder / name, kind, size) for name, (size, kind) in sizes.items()))
        return packed.reopen()
    except (OSError, ValueError):
        return None


class StreamPartitions(Parts):
    """The rows batch by batch, ``beside`` target and weights given by values; ``memory`` None: batches for 2 GiB."""

    limits = Limits()

    def __init__(
        self,
        batches: ColumnFile,
        reader: PartitionReader,
        beside: tuple[Any, Any],
        memory: int | None,
        spool: Path | None,
    ) -> None:
        self.batches, self.beside, self.memory, self.spool = batches, beside, memory, spool
        self.label, self.state = batches.label, batches.state()
        self.rows = rows_of_batch(memory or DEFAULT_MEMORY, batches.row_bytes + len(batches.names))
        self.features = [str(name) for name in reader.features or batches.names]
        others = [*reader.target, *(() if reader.weight is None else (reader.weight,))]
        self.others, self.reader = [str(name) for name in others], reader

    def run(self, task: str, work: Work[Result], merge: Merge[Result], *, target_only: bool = False) -> Result | None:
        parts = self._parts(f"reading the {task}", features=not target_only)
        return self._merged(parts, lambda *of, known: work(*of), merge)

    def _merged(
        self, parts: Parted, work: Work[Result], merge: Merge[Result], size: Callable[[Result], int] = lambda _: 0
    ) -> Result | None:
        """What ``work`` returns for all parts, given what is known by then, merged before too much of it waits."""
        known: Result | None = None
        pending: list[Result] = []
        for first, objects in parts:
            pending.append(work(first, *objects, known=known))
            if known is None or len(pending) > _PENDING or sum(map(size, pending)) > self.limits.rows // 2:
                known, pending = merge(pending if known is None else [known, *pending]), []
        return merge([known, *pending]) if pending and known is not None else known

    def summarize(
        self, how: Summarizing, coding: Callable[[Summary], Coding] | None, class_sizes: Integers | None
    ) -> tuple[Summary | None, Packed | None]:
        early = None
        if coding is not None and class_sizes is not None:
            early = EarlyPacking(lambda first: self._packing(coding(first), class_sizes))

        def of_part(*of: Any, known: Summary | None) -> Summary:
            part = how.of_part(*of, known=known, also=None if early is None else early.add)
            if known is None and part.sample is not None:
                self._check_memory()
            return part

        def size(part: Summary) -> int:
            return max(0 if part.sample is None else len(part.sample.rows), part.most_cells)

        parts = self._parts("finding bins" if early is None else "finding bins and packing")
        return self._merged(parts, of_part, Summary.merged, size), None if early is None else early.packing

    def pack(
        self, reader: PartitionReader, target: TargetCoding, coding: Coding, class_sizes: Integers
    ) -> StreamPacking:
        packing = self._packing(coding, class_sizes)
        for first, objects in self._parts("packing"):
            packing.add(reader.read(first, *objects, target=target))
        return packing

    def kept(self, key: dict[str, Any]) -> Kept | None:
        name = self._name(key)
        found = None if name is None or self.spool is None else kept(self.spool, name)
        return None if found is None else Kept(found[1], partial(_reopened, *found))

    def _packing(self, coding: Coding, class_sizes: Integers) -> StreamPacking:
        return StreamPacking(coding, class_sizes, self.memory or DEFAULT_MEMORY, self.spool, self._name)

    def _name(self, key: dict[str, Any]) -> str | None:
        """The name of the packed rows: another file, target, binner or kernel has another one. None: they have none."""
        if self.spool is None or not self.state or any(values is not None for values in self.beside):
            return None
        return key_name({**key, "state": self.state, "kernel": PackedBatches.kernel()})

    def _check_memory(self) -> None:
        """Refuse less memory than the sample of the rows takes from which bins are found; its size is fixed."""
        if self.memory is None:
            return
        file_bytes = sum(size for _, size, *_ in self.state) or self.memory
        most = self.batches.n_rows or file_bytes // (2 * len(self.batches.names)) + 1
        rows = min(most, self.limits.rows)
        needed = _COPIES * 8 * rows * len(self.features)
        if needed > self.memory:
            least = -(-needed // 2**20)
            raise UserError(
                code="not-enough-memory",
                message=f"the bins need {rows:,} rows of {len(self.features):,} columns, which take {least:,} MiB",
                advice="give {memory} or more",
                fix={"memory": f"{least}MiB"},
            )

    def _parts(self, what: str, *, features: bool = True) -> Parted:
        """The number of the first row that counts of every batch, and its objects as the reader takes them."""
        columns = [*self.features, *self.others] if features else self.others
        step = phase(what)
        first = seen = n_without = 0
        for part in read_ahead(self.batches.batches(columns or self.batches.names[:1], self.rows)):
            last = seen + part.num_rows
            self._check_lengths(last, at_end=False)
            objects = (part, *(None if values is None else values[seen:last] for values in self.beside))
            n_rows = self.reader.n_rows(*objects)[0]
            n_without += 0 if features else self.reader.n_without(*objects)[0]
            if n_rows:
                yield first, objects
            first, seen = first + n_rows, last
            if self.memory is not None:
                give_back_unused()
            step(seen, self.batches.n_rows)
        self.n_without = self.n_without if features else n_without
        self._check_lengths(seen, at_end=True)
        check_unchanged(self.batches.label, self.state, self.batches.state())

    def _check_lengths(self, n_rows: int, *, at_end: bool) -> None:
        """Refuse a target or weights, given by their values, that are fewer or, at the end, more than the rows."""
        for values in self.beside:
            if values is not None and (len(values) < n_rows or (at_end and len(values) > n_rows)):
                raise UserError(
                    code="lengths-differ",
                    message=(
                        f"the target or the weights have {len(values):,} values but the data has "
                        f"{self.batches.n_rows or n_rows:,} rows"
                    ),
                    advice="they must be as many",
                )


def rows_of_batch(memory: int, row_bytes: int) -> int:
    """How many rows are read at once: a quarter of the memory for the forms that they take on the way."""
    return int(np.clip(memory // 4 // (_FORMS * row_bytes), 1 << 10, 1 << 20))


class EarlyPacking:
    """Rows packed in the pass that looks for their codes; given up where a batch holds a value the first has not."""

    def __init__(self, start: Callable[[Summary], StreamPacking]) -> None:
        self._start = start
        self._first: Summary | None = None
        self.packing: StreamPacking | None = None

    def add(self, table: InMemoryDataset, part: Summary) -> None:
        """Pack the next rows, of which this is the summary."""
        if self._first is None:
            self._first = part
            try:
                with listening(lambda _: None):  # the bins of all rows are still looked for
                    self.packing = self._start(part)
            except ValueError:  # the error is raised once all rows were read
                return
        if self.packing is None:
            return
        if all(column.adds_no_code_to(known) for column, known in zip(part.columns, self._first.columns, strict=True)):
            self.packing.add(table)
        else:
            self.packing.drop()
            self.packing = None


def read_ahead(items: Iterator[Item]) -> Iterator[Item]:
    """The same items, each made on a thread while the one before it is used."""
    with ThreadPoolExecutor(1) as thread:
        coming = thread.submit(next, items, None)
        while (item := coming.result()) is not None:
            coming = thread.submit(next, items, None)
            yield item


ROWS_READ_AGAIN = 1 << 20  # at once


class StreamSource(DataInParts):
    """A file, a folder of files or a stream of rows, to be given to ``select`` or to ``fit`` in place of a table.

    The rows are read in batches: once for the target, once to find bins and once to pack the coded columns into planes,
    which are counted; once less where the codes of all rows are those of the first batch. The result is that of the
    same rows in memory, to the last bit, but for a numeric column of so many distinct values that its bins are found on
    a sample of the rows. Planes take ``(codes - 1) / 8`` bytes per row and column, on disk if a third of ``memory`` is
    less, or with ``spool``. A stream, which is read only once, takes as much disk as its rows. A libsvm file is read
    once, in ranges, and its values are sorted by column on disk, in 28 bytes each; the target "y" are its labels.

    Parameters
    ----------
    data : path or stream
        A Parquet, Arrow, Feather, text or libsvm file; a folder of such files but libsvm, whose sub-folders may be
        named ``column=value``; or whatever speaks the Arrow stream protocol (``__arrow_c_stream__``), a pyarrow
        dataset, a polars LazyFrame.
    memory : int or str, optional
        About how many bytes the work may take, such as ``"4GB"``: it decides how many rows are read at once, never what
        is selected. Less than the work needs is refused, with the least amount; by default batches are made for 2 GiB.
        Planes on disk are mapped: the system keeps as much of them in memory as is free.
    spool : path, optional
        A folder in which the planes are kept for later runs with the same file, columns and binner. By default those
        on disk lie in the system's folder for temporary files and are removed in the end. Of a libsvm file the sorted
        columns are kept, for any target and binner.
    header : bool, optional
        Whether the first line of a text file has the names. By default it has, unless it looks like data, which is an
        error.

    Raises
    ------
    ValueError
        If the data is of no such kind, or ``memory`` no amount of memory.

    Examples
    --------
    >>> import bitsieve, pyarrow as pa
    >>> table = pa.table({"a": [0, 1, 0, 1], "b": [0, 0, 1, 1], "class": ["no", "no", "yes", "yes"]})
    >>> source = bitsieve.StreamSource(table.to_reader())
    >>> bitsieve.select(source, "class", n_features_to_select=1, binning="none").features
    ['b']
    """

    def __init__(
        self,
        data: Any,
        memory: int | str | None = None,
        spool: str | PathLike[str] | None = None,
        header: bool | None = None,
    ) -> None:
        if not is_path(data) and not gives_batches(data):
            raise UserError(
                code="data-type-not-read",
                message=f"data is {type(data).__name__}",
                advice="give a path, or a stream of Arrow batches",
            )
        self.data, self.memory, self.header = data, check_memory(memory), header
        self.spool = None if spool is None else Path(spool)

    @cached_property
    def own_target(self) -> str | None:
        """The target that the data is of by itself: "y", the labels of a libsvm file; None for all other data."""
        return "y" if holds_sparse_rows(self.data) else None

    def read_in_parts(self, options: ReadOptions) -> Dataset:
        target, sample_weight = options.target, options.sample_weight
        if self.own_target is not None:
            arrays = read_libsvm_in_ranges(Path(self.data), self.memory or DEFAULT_MEMORY, self.spool)
            if target is not None:
                return read_data(arrays, options)
            return replace(read_data(arrays, replace(options, target=self.own_target)), y=None)
        batches = open_columns(self.data, header=self.header, spool=self.spool)
        roles = split_columns(
            batches.names, target, sample_weight, n_samples=batches.n_rows, unnamed=options.target_name
        )
        beside = (
            None if roles.target or target is None else as_array(target),
            None if roles.weight is not None or sample_weight is None else as_array(sample_weight),
        )
        open_parts = partial(StreamPartitions, batches, beside=beside, memory=self.memory, spool=self.spool)
        table = PartitionedDataset.read(open_parts, roles, len(batches.names), options)
        table.original = OriginalData(not_read_again, partial(read_again, batches, roles.others), roles.weight_name)
        table.diagnostics = (*batches.diagnostics, *table.diagnostics)
        return table


def read_again(whole: ColumnFile, others: Sequence[str], names: Sequence[str]) -> Any:
    """Some columns of files, the target and the weights, read into the memory of this process."""
    import pyarrow as pa

    return pa.concat_tables(whole.batches([*names, *others], ROWS_READ_AGAIN), promote_options="permissive")
