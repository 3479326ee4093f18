"""Rows of files and streams, read batch by batch in little memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

import numpy as np

from bitsieve.counts.packed_batches import PackedBatches
from bitsieve.counts.source import CountSource
from bitsieve.dataset.data_kinds import gives_batches, is_path
from bitsieve.dataset.dataset import Dataset
from bitsieve.dataset.encoding import as_array
from bitsieve.dataset.read import read_data
from bitsieve.dataset.roles import split_columns
from bitsieve.dataset.take_columns import WantedColumns
from bitsieve.diagnostics import Diagnostic, UserError
from bitsieve.discretization.base import Binning
from bitsieve.discretization.coding import Coding
from bitsieve.discretization.summary import Limits, Summary
from bitsieve.engines.engine import CachedCounts, CountRequest, Engine, Merge, SummaryRequest, TargetRequest
from bitsieve.engines.partition_reader import PartitionReader, RawPartition
from bitsieve.engines.partitioned_dataset import PartitionedDataset
from bitsieve.engines.registry import DataInParts
from bitsieve.engines.stream_packing import EarlyPacking, PlaneStorage, StreamPacking, open_cached_planes
from bitsieve.io.arrow import give_back_unused
from bitsieve.io.column_file import ColumnFile
from bitsieve.io.errors import check_unchanged
from bitsieve.io.h5ad import AnnotatedColumns, H5adFile
from bitsieve.io.libsvm import LABELS, LibsvmFile, read_libsvm_in_ranges
from bitsieve.io.npz import ArrayTable
from bitsieve.io.read import columns_of, holds_sparse_rows, open_file
from bitsieve.io.spool import find_kept, name_of_key
from bitsieve.options import ReadOptions
from bitsieve.utils.arrays import Integers, Values
from bitsieve.utils.lazy import cached_property
from bitsieve.utils.memory import check_memory
from bitsieve.utils.progress import phase
from bitsieve.utils.types import JsonObject, TableLike

if TYPE_CHECKING:
    import pyarrow as pa

Item = TypeVar("Item")
Result = TypeVar("Result")

DEFAULT_MEMORY = 2 << 30
ROWS_READ_AGAIN = 1 << 20  # rows that are read at once when the selected columns are read again
_COPIES_OF_BATCH = 6  # memory holds so many copies of a batch at once: read ahead, decoded, as columns, as codes
_MIN_ROWS_PER_BIN = 200  # of the smallest sample: the cuts of ten bins are then off by at most 3.7 % of the rows
_BINS_OF_DEFAULT_RULE = 10  # of a rule that chooses the number of bins itself
# Memory holds, for each column, the sample and the distinct numbers so far, those of new batches, and both merged.
_BYTES_PER_SAMPLED_VALUE = 72
_MIN_BYTES_PER_SAMPLED_VALUE = 48  # the same, of a sample alone
_MAX_PENDING = 8  # summaries of batches that wait to be merged


class PendingMerge(Generic[Result]):
    """Results of batches, merged whenever there are many of them or their sizes add up to more than ``max_size``."""

    def __init__(self, merge: Merge[Result], size_of: Callable[[Result], int] = lambda _: 0, max_size: int = 0) -> None:
        self._merge = merge
        self._size_of = size_of
        self._max_size = max_size
        self._pending: list[Result] = []
        self.result: Result | None = None  # of the batches that are merged

    def add(self, result: Result) -> None:
        """Add the result of the next batch."""
        self._pending.append(result)
        is_first = self.result is None
        too_many = len(self._pending) > _MAX_PENDING
        too_large = sum(self._size_of(pending) for pending in self._pending) > self._max_size
        if is_first or too_many or too_large:
            self.finish()

    def finish(self) -> Result | None:
        """Merge the results of all batches so far; None if there are none."""
        if self._pending:
            merged = [] if self.result is None else [self.result]
            self.result = self._merge([*merged, *self._pending])
            self._pending = []
        return self.result


class Batch(NamedTuple):
    """Some rows, as they are read at once."""

    first_row: int  # its number among the rows that count
    n_rows: int  # rows that count
    partition: RawPartition


class StreamEngine(Engine):
    """The rows of a file or a stream, read batch by batch.

    ``y`` and ``weights`` are the target and the weights where they are no columns of the file. ``memory`` decides how
    many rows a batch has; None: as for 2 GiB.
    """

    limits = Limits()

    def __init__(
        self,
        file: ColumnFile,
        reader: PartitionReader,
        y: Values | None,
        weights: Values | None,
        memory: int | None,
        spool: Path | None,
    ) -> None:
        self.file = file
        self.label = file.label
        self.reader = reader
        self.y = y
        self.weights = weights
        self.memory = memory
        self.spool = spool
        self.file_state = file.initial_state
        self.rows_of_batch = rows_of_batch(memory or DEFAULT_MEMORY, file.row_bytes + len(file.names))
        self.features = [str(name) for name in reader.features or file.names]
        self.beside_features = [str(name) for name in reader.labels_beside_features]
        self._early: EarlyPacking | None = None

    def summarize_target(self, request: TargetRequest[Result]) -> Result | None:
        merged = PendingMerge(request.merge)
        n_without_target = 0
        for batch in self._batches("reading the target", self.beside_features):
            n_without_target += self.reader.n_without_target(batch.partition)
            if batch.n_rows:
                merged.add(request.work(batch.first_row, batch.partition))
        self.n_without_target = n_without_target
        return merged.finish()

    def summarize(self, request: SummaryRequest) -> Summary | None:
        self._check_memory(request.binner)
        if self._early is not None:
            self._early.drop()
        self._early = None if request.early_coding is None else EarlyPacking(request, self._packing)
        callback = None if self._early is None else self._early.add
        task = "finding bins" if self._early is None else "finding bins and packing"
        limits = self.limits_for(request.binner)
        merged = PendingMerge(Summary.merged, _size_of, max_size=limits.rows // 2)
        for batch in self._batches(task, self.features + self.beside_features):
            if batch.n_rows:
                summarize = request.work(limits, earlier=merged.result, callback=callback)
                merged.add(summarize(batch.first_row, batch.partition))
        return merged.finish()

    def count(self, request: CountRequest) -> CountSource:
        early = self._early
        self._early = None  # a packing is finished once
        packing = None if early is None else early.packing_for(request)
        if packing is None:
            packing = self._pack(request)
        source = packing.finish(request.cache_key, request.cached_facts)
        if self.memory is not None:
            give_back_unused()  # what the last batch took
        return source

    def take(self, names: Sequence[str]) -> TableLike:
        return read_columns(self.file, [*names, *self.beside_features])

    def cached(self, key: JsonObject) -> CachedCounts | None:
        name = self._name_of_key(key)
        if name is None or self.spool is None:
            return None
        cached_planes = find_kept(self.spool, name)
        if cached_planes is None:
            return None
        return CachedCounts(cached_planes.facts, partial(open_cached_planes, cached_planes.folder, cached_planes.facts))

    def _pack(self, request: CountRequest) -> StreamPacking:
        """Pack all rows in a pass of their own."""
        packing = self._packing(request.coding, request.class_sizes)
        for batch in self._batches("packing", self.features + self.beside_features):
            if batch.n_rows:
                packing.add(request.reader.read(batch.first_row, batch.partition, target=request.target))
        return packing

    def _packing(self, coding: Coding, class_sizes: Integers) -> StreamPacking:
        storage = PlaneStorage(memory=self.memory or DEFAULT_MEMORY, folder=self.spool, name_of_key=self._name_of_key)
        return StreamPacking(coding, class_sizes, storage)

    def _name_of_key(self, key: JsonObject) -> str | None:
        """The name under which planes are cached, which depends on the file, the target, the rule and the kernel.

        None where planes are not cached: there is no folder for them, or some of the data is in memory.
        """
        all_in_file = self.y is None and self.weights is None
        if self.spool is None or not self.file_state or not all_in_file:
            return None
        return name_of_key({**key, "state": self.file_state, "kernel": PackedBatches.kernel()})

    def limits_for(self, binner: Binning) -> Limits:
        """Half of the memory holds the summary; it never keeps fewer rows than the bins of the rule need."""
        if self.memory is None or not _draws_sample(binner):
            return self.limits
        n_values = self.memory // 2 // (_BYTES_PER_SAMPLED_VALUE * len(self.features))
        n_values = max(n_values, _min_rows_of_sample(binner))
        return Limits(cells=min(n_values, self.limits.cells), rows=min(n_values, self.limits.rows))

    def _check_memory(self, binner: Binning) -> None:
        """Refuse less memory than the smallest sample of rows takes, from which bins are found."""
        if self.memory is None or not _draws_sample(binner):
            return
        max_rows = self.file.n_rows
        if not max_rows:
            file_bytes = sum(size for _, size, *_ in self.file_state) or self.memory
            max_rows = file_bytes // (2 * len(self.file.names)) + 1  # a value of text takes at least two bytes
        rows = min(max_rows, self.limits.rows, _min_rows_of_sample(binner))
        n_bytes = _MIN_BYTES_PER_SAMPLED_VALUE * rows * len(self.features)
        if n_bytes > self.memory:
            mebibytes = -(-n_bytes // 2**20)
            raise UserError(
                code="not-enough-memory",
                message=f"the bins need {rows:,} rows of {len(self.features):,} columns, which take {mebibytes:,} MiB",
                advice="give {memory} or more",
                fix={"memory": f"{mebibytes}MiB"},
            )

    def _batches(self, task: str, columns: list[str]) -> Iterator[Batch]:
        """Read the rows of some columns, batch by batch."""
        report = phase(task)
        first_row = 0
        n_read = 0
        columns_or_first = columns or self.file.names[:1]  # an empty table has no number of rows
        for table in read_ahead(self.file.batches(columns_or_first, self.rows_of_batch)):
            end = n_read + table.num_rows
            self._check_lengths(end, at_end=False)
            y = None if self.y is None else self.y[n_read:end]
            weights = None if self.weights is None else self.weights[n_read:end]
            partition = RawPartition(table, y, weights)
            n_rows = self.reader.n_rows(partition)
            yield Batch(first_row, n_rows, partition)
            first_row += n_rows
            n_read = end
            if self.memory is not None:
                give_back_unused()
            report(n_read, self.file.n_rows)
        self._check_lengths(n_read, at_end=True)
        check_unchanged(self.file.label, self.file_state, self.file.state())

    def _check_lengths(self, n_rows: int, *, at_end: bool) -> None:
        """Refuse a target or weights in memory that are fewer or, at the end, more than the rows."""
        for values in (self.y, self.weights):
            if values is not None and (len(values) < n_rows or (at_end and len(values) > n_rows)):
                raise UserError(
                    code="lengths-differ",
                    message=(
                        f"the target or the weights have {len(values):,} values but the data has "
                        f"{self.file.n_rows or n_rows:,} rows"
                    ),
                    advice="both must have the same number of rows",
                )


def _draws_sample(binner: Binning) -> bool:
    """Whether the summary for a rule has a sample of the rows."""
    return binner.requires in ("numbers", "classes")


def _min_rows_of_sample(binner: Binning) -> int:
    """The smallest sample in which the bins of a rule are found."""
    return _MIN_ROWS_PER_BIN * int(binner.parameters.get("n_bins") or _BINS_OF_DEFAULT_RULE)


def _size_of(summary: Summary) -> int:
    """The length of the longest column of a summary."""
    n_sampled = 0 if summary.sample is None else len(summary.sample.rows)
    return max(n_sampled, summary.max_cells)


def rows_of_batch(memory: int, row_bytes: int) -> int:
    """How many rows are read at once: an eighth of the memory holds them in all forms that they take on the way."""
    rows = memory // 8 // (_COPIES_OF_BATCH * row_bytes)
    return int(np.clip(rows, 1 << 10, 1 << 20))


def read_ahead(items: Iterator[Item]) -> Iterator[Item]:
    """Yield the same items, each made on a thread while the one before it is used."""
    with ThreadPoolExecutor(1) as thread:
        coming = thread.submit(next, items, None)
        while (item := coming.result()) is not None:
            coming = thread.submit(next, items, None)
            yield item


def typed_batches(file: ColumnFile, names: Sequence[str], memory: int | None, task: str) -> Iterator[pa.Table]:
    """The batches of some columns of a file that have rows, each of the types of all rows."""
    import pyarrow as pa

    types = file.types_of_all_rows
    schema = pa.schema([(name, types[name]) for name in names])
    n_rows = rows_of_batch(memory or DEFAULT_MEMORY, file.row_bytes + len(file.names))
    report = phase(task)
    n_read = 0
    for batch in read_ahead(file.batches(names, n_rows)):
        if batch.num_rows:
            yield batch.cast(schema)
        n_read += batch.num_rows
        report(n_read, file.n_rows)
        if memory is not None:
            give_back_unused()
    check_unchanged(file.label, file.initial_state, file.state())


def read_columns(file: ColumnFile, names: Sequence[str]) -> TableLike:
    """Read columns of a file into memory."""
    import pyarrow as pa

    return pa.concat_tables(file.batches(list(names), ROWS_READ_AGAIN), promote_options="permissive")


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
        About how many bytes the work may take, such as ``"4GB"``: it decides how many rows are read at once. Bins of
        columns of many distinct numbers are found on a sample of at most 262,144 rows; less memory holds a smaller
        sample, and a note says so. Less than the smallest sample takes, 200 rows for each bin, is refused, with the
        least amount. By default batches are made for 2 GiB. Python and its libraries take about 120 MB beside.
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
        data: TableLike,
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
        self.data = data
        self.memory = check_memory(memory)
        self.header = header
        self.spool = None if spool is None else Path(spool)

    @cached_property
    def target_in_file(self) -> str | None:
        return LABELS if holds_sparse_rows(self.data) else None

    def read_in_parts(self, options: ReadOptions) -> Dataset:
        opened = open_file(self.data, header=self.header, spool=self.spool)
        if isinstance(opened, LibsvmFile):
            return self._read_sparse_rows(opened, options)
        if isinstance(opened, H5adFile):
            matrix = opened.read_into_files(self.memory or DEFAULT_MEMORY, self.spool)
            return read_data(matrix, options)
        file = columns_of(opened)
        target = options.target
        sample_weight = options.sample_weight
        roles = split_columns(
            file.names,
            target,
            sample_weight,
            strata=options.strata,
            n_samples=file.n_rows,
            unnamed=options.target_name,
        )
        y = None if roles.target or target is None else as_array(target)
        weights = None if roles.weight is not None or sample_weight is None else as_array(sample_weight)

        def open_engine(reader: PartitionReader) -> StreamEngine:
            return StreamEngine(file, reader, y, weights, self.memory, self.spool)

        table = PartitionedDataset.read(open_engine, roles, len(file.names), options)
        table.diagnostics = (*file.diagnostics, *table.diagnostics)
        return table

    def total(
        self,
        wanted: WantedColumns,
        work: Callable[[TableLike], Result],
        merge: Callable[[Sequence[Result]], Result],
        diagnostics: list[Diagnostic],
    ) -> Result | None:
        opened = open_file(self.data, header=self.header, spool=self.spool)
        if isinstance(opened, H5adFile):
            opened = AnnotatedColumns(opened)
        merged = PendingMerge(merge)
        if isinstance(opened, ColumnFile):
            names = [opened.names[position] for position in wanted.positions_in(opened.names)]
            for batch in typed_batches(opened, names, self.memory, "counting"):
                merged.add(work(batch))
        else:
            arrays = opened.read()
            assert isinstance(arrays, ArrayTable)  # what other files of arrays hold
            merged.add(work(wanted.take(arrays.X)))
            check_unchanged(opened.label, opened.initial_state, opened.state())
        diagnostics += opened.diagnostics
        return merged.finish()

    def _read_sparse_rows(self, file: LibsvmFile, options: ReadOptions) -> Dataset:
        """Read a libsvm file into columns on disk; without a target its labels are dropped."""
        arrays = read_libsvm_in_ranges(file.file, self.memory or DEFAULT_MEMORY, self.spool)
        if options.target is not None:
            return read_data(arrays, options)
        return replace(read_data(arrays, replace(options, target=LABELS)), y=None)
