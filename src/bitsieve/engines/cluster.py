"""Tables whose partitions are read, summarized, coded and counted on the workers of a cluster."""

from __future__ import annotations

import re
import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, ClassVar, TypeVar

from bitsieve.counts.packed import PackedSource
from bitsieve.counts.source import CountSource
from bitsieve.dataset.dataset import InMemoryDataset
from bitsieve.dataset.roles import Roles, split_columns
from bitsieve.dataset.take_columns import WantedColumns
from bitsieve.diagnostics import Diagnostic, UserError
from bitsieve.discretization.coding import Coding
from bitsieve.discretization.summary import Limits, Summary
from bitsieve.engines.data_partitions import DataPartitions, in_order
from bitsieve.engines.engine import CountRequest, Engine, SummaryRequest, TargetRequest, Work
from bitsieve.engines.partition_reader import PartitionReader, RawPartition
from bitsieve.engines.partitioned_dataset import PartitionedDataset
from bitsieve.engines.partitioned_source import PartitionedSource
from bitsieve.engines.registry import DataInParts
from bitsieve.options import ReadOptions
from bitsieve.utils.arrays import Columns
from bitsieve.utils.progress import phase
from bitsieve.utils.types import TableLike

Result = TypeVar("Result")
# "ModuleNotFoundError: No module named 'bitsieve'" on a worker, or Spark's
# "[PYTHON_VERSION_MISMATCH] Python in worker has different version ..."
_NOT_LOADED = re.compile(
    r"""
    (?:ModuleNotFoundError|ImportError|AttributeError):[ ](?P<error>.*bitsieve.*)
    |
    VERSION_MISMATCH\][ ](?P<mismatch>.*)
    """,
    re.VERBOSE,
)


class ClusterEngine(Engine):
    """The rows of a table on a cluster; only summaries and counts are fetched from the workers.

    ``open_partitions(columns)`` opens the partitions of these columns (None: all columns). ``columns_of_target`` are
    the columns that a pass over the target reads: target, weights and strata. ``take(names)`` reads columns, target and
    weights into this process.
    """

    label = "the data"

    def __init__(
        self,
        reader: PartitionReader,
        open_partitions: Callable[[list[Hashable] | None], DataPartitions],
        columns_of_target: list[Hashable],
        take: Callable[[Sequence[str]], TableLike],
    ) -> None:
        from bitsieve import __version__

        self.limits = Limits()
        self._take = take
        targets = open_partitions(columns_of_target)
        n_rows = targets.total("rows", partial(_n_rows, reader=reader, version=__version__), in_order)
        self.is_empty = not sum(n_rows)
        if reader.drop_missing:
            n_of_partitions: list[int] = targets.total("rows", partial(_n_without_target, reader=reader), in_order)
            self.n_without_target = sum(n_of_partitions)
        if not self.is_empty:
            self.targets = targets.numbered(n_rows)
            self.rows = open_partitions(None).numbered(n_rows)

    def summarize_target(self, request: TargetRequest[Result]) -> Result | None:
        if self.is_empty:
            return None
        return self.targets.total("target", partial(_work_on, work=request.work), request.merge)

    def summarize(self, request: SummaryRequest) -> Summary | None:
        if self.is_empty:
            return None
        work = partial(_work_on, work=request.work(self.limits))
        return self.rows.total("summarize", work, Summary.merged)

    def count(self, request: CountRequest) -> CountSource:
        """Pack every partition on the worker that holds it, where it stays."""
        read = partial(request.reader.read, target=request.target)
        packed = self.rows.map("pack", partial(_packed, read=read, coding=request.coding))
        return PartitionedSource(packed, len(request.class_sizes))

    def take(self, names: Sequence[str]) -> TableLike:
        return self._take(names)


# Workers call these functions with the objects of a partition, which are the fields of a RawPartition.


def _n_rows(*objects: Any, reader: PartitionReader, version: str) -> list[int]:
    """The number of usable rows of a partition, in a list of one, to be joined with those of other partitions.

    Raises ImportError on a worker that has another version of bitsieve.
    """
    from bitsieve import __version__

    if __version__ != version:
        raise ImportError(f"it has bitsieve {__version__}")
    return [reader.n_rows(RawPartition(*objects))]


def _n_without_target(*objects: Any, reader: PartitionReader) -> list[int]:
    """The number of rows of a partition that have no target, in a list of one."""
    return [reader.n_without_target(RawPartition(*objects))]


def _work_on(first_row: int, *objects: Any, work: Work[Result]) -> Result:
    """What ``work`` returns for a partition."""
    return work(first_row, RawPartition(*objects))


def _results_of_rows(*objects: Any, work: Callable[[TableLike], Result]) -> list[Result]:
    """What ``work`` returns for the rows of a partition, in a list; an empty list if it has no rows."""
    partition = RawPartition(*objects)
    return [work(partition.columns)] if partition.n_rows else []


def _merged_results(lists: Sequence[list[Result]], merge: Callable[[Sequence[Result]], Result]) -> list[Result]:
    """The results in lists merged into one, in a list; an empty list if there is none."""
    results = in_order(lists)
    return [merge(results)] if results else []


def _work_on_array(array: TableLike, *, wanted: WantedColumns, work: Callable[[TableLike], Result]) -> Result:
    """What ``work`` returns for some columns of a table without names."""
    return work(wanted.take(array))


def _packed(first_row: int, *objects: Any, read: Work[InMemoryDataset], coding: Coding) -> PackedSource:
    """The codes of a partition, packed for counting."""
    table = read(first_row, RawPartition(*objects))
    target = table.target
    return PackedSource(coding.codes(table), target.codes, n_classes=target.n_classes, weights=table.weights)


@contextmanager
def _missing_bitsieve_reported(advice: str) -> Iterator[None]:
    """Raise one clear line in place of an error of the cluster, where a worker cannot load bitsieve."""
    try:
        yield
    except ValueError:  # has a clear line already
        raise
    except Exception as error:  # each kind of cluster has its own exceptions
        match = _NOT_LOADED.search("".join(traceback.format_exception(error)))
        if match is None:
            raise
        from bitsieve import __version__

        reason = (match["error"] or match["mismatch"]).strip()
        raise UserError(
            code="worker-without-bitsieve",
            message=f"a worker cannot load bitsieve {__version__} ({reason})",
            advice=f"install it on all workers{advice}",
        ) from None


class ClusterSource(DataInParts, ABC):
    """Data whose partitions are read on the workers of a cluster.

    A subclass says how partitions are opened and how columns are taken from the data.
    """

    labels: list[Hashable]  # the names of the columns; empty where they have no names
    n_columns: int
    #: The end of the advice "install bitsieve on all workers", where more must be done.
    install_advice: ClassVar[str] = ""

    @abstractmethod
    def open_partitions(self, columns: list[Hashable] | None, y: object, weights: object) -> DataPartitions:
        """Open the partitions of these columns (None: all columns).

        ``y`` and ``weights`` are the values of the target and of the weights where these are no columns of the data,
        else None.
        """

    @abstractmethod
    def take(self, roles: Roles, names: Sequence[str]) -> TableLike:
        """Read these columns, then the target and the weights, into the memory of this process."""

    def original_reader(self, roles: Roles) -> Callable[[Columns], TableLike] | None:
        """A function that returns features, given by their indices, in the user's own kind of data.

        None, as by default, if the data is not read again.
        """
        return None

    def total(
        self,
        wanted: WantedColumns,
        work: Callable[[TableLike], Result],
        merge: Callable[[Sequence[Result]], Result],
        diagnostics: list[Diagnostic],
    ) -> Result | None:
        columns = None
        work_on_rows = work
        if self.labels:
            columns = [self.labels[position] for position in wanted.positions_in(self.labels)]
        else:
            work_on_rows = partial(_work_on_array, wanted=wanted, work=work)
        with _missing_bitsieve_reported(self.install_advice):
            partitions = self.open_partitions(columns, None, None)
            results = partitions.total(
                "count", partial(_results_of_rows, work=work_on_rows), partial(_merged_results, merge=merge)
            )
        return results[0] if results else None

    def read_in_parts(self, options: ReadOptions) -> PartitionedDataset:
        phase("reading")
        roles = split_columns(
            self.labels, options.target, options.sample_weight, strata=options.strata, unnamed=options.target_name
        )
        y = None if roles.target else options.target
        weights = None if roles.weight is not None else options.sample_weight

        columns_of_target = roles.others or self.labels[:1]  # without a target any column gives the number of rows

        def open_engine(reader: PartitionReader) -> ClusterEngine:
            return ClusterEngine(
                reader,
                open_partitions=partial(self.open_partitions, y=y, weights=weights),
                columns_of_target=columns_of_target,
                take=partial(self.take, roles),
            )

        with _missing_bitsieve_reported(self.install_advice):
            return PartitionedDataset.read(
                open_engine,
                roles,
                self.n_columns,
                options,
                named=bool(self.labels),
                take_original=self.original_reader(roles),
            )
