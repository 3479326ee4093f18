"""What an engine does: it summarizes, counts and takes the rows of one table, wherever these lie."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import ClassVar, Generic, NamedTuple, TypeVar

from bitsieve.counts.source import CountSource
from bitsieve.dataset.dataset import InMemoryDataset
from bitsieve.dataset.target_summary import TargetCoding
from bitsieve.discretization.base import Binning
from bitsieve.discretization.coding import Coding
from bitsieve.discretization.summary import Limits, Summary
from bitsieve.engines.partition_reader import PartitionReader, RawPartition
from bitsieve.utils.arrays import Integers
from bitsieve.utils.types import JsonObject, TableLike

Result = TypeVar("Result")
Work = Callable[[int, RawPartition], Result]  # called with the number of the first row of a partition, and its rows
Merge = Callable[[Sequence[Result]], Result]


@dataclass(frozen=True, kw_only=True, eq=False)
class TargetRequest(Generic[Result]):
    """What is asked of the target: a result for each partition, and how results are merged."""

    work: Work[Result]
    merge: Merge[Result]


@dataclass(frozen=True, kw_only=True, eq=False)
class SummaryRequest:
    """What is asked of the columns: all that the bins of a rule follow from."""

    reader: PartitionReader
    target: TargetCoding
    binner: Binning
    # the coding that follows from the summary of the first partition, if all others hold no other values; None where
    # the values of one partition never settle the coding
    early_coding: Callable[[Summary], Coding] | None = None

    def work(
        self,
        limits: Limits,
        earlier: Summary | None = None,
        callback: Callable[[InMemoryDataset, Summary], None] | None = None,
    ) -> Work[Summary]:
        """The function that summarizes one partition; see :meth:`PartitionReader.summarize`."""
        return partial(
            self.reader.summarize,
            target=self.target,
            binner=self.binner,
            limits=limits,
            earlier=earlier,
            callback=callback,
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class CountRequest:
    """What is to be counted: all rows, as a fitted rule codes them."""

    reader: PartitionReader
    target: TargetCoding
    coding: Coding
    class_sizes: Integers  # samples of every class
    # the key under which an engine may cache the packed rows, and what is needed to use them again; None: no cache
    cache_key: JsonObject | None = None
    cached_facts: JsonObject = field(default_factory=dict)


class CachedCounts(NamedTuple):
    """Packed rows that an earlier run has cached."""

    facts: JsonObject  # ``cached_facts`` of the request that was counted
    open: Callable[[], CountSource | None]  # opens their counts; None where these cannot be used any more


class Engine(ABC):
    """The rows of one table, wherever they lie: in files, in a database, on the workers of a cluster.

    An engine answers three kinds of request, always in this order:

    1. `summarize_target`, then `summarize`: one pass over the rows, of which only a small summary comes back;
    2. `count`: contingency tables of the coded rows, as a :class:`~bitsieve.counts.source.CountSource`;
    3. `take`: the selected columns, with all of their rows.

    All else follows from the answers and is the same for every engine: names and roles of columns, classes, bins,
    diagnostics, selections (:class:`~bitsieve.engines.partitioned_dataset.PartitionedDataset`). The answers must not
    depend on how the rows are cut into partitions.

    A new engine is one file, which holds a subclass and a source whose `read_in_parts` opens it, and one line in
    ``engines/registry.py``.
    """

    label: str  # what messages call the data
    limits: Limits  # how much a summary keeps at most
    n_without_target: int = 0  # rows left out because they have no target; known after :meth:`summarize_target`
    # whether the numbers of a column with too many different ones are counted in intervals; else rows are sampled
    counts_intervals: ClassVar[bool] = False

    def limits_for(self, binner: Binning) -> Limits:
        """How much a summary for a rule keeps: less than ``limits`` where the memory that the user gave holds less."""
        return self.limits

    @abstractmethod
    def summarize_target(self, request: TargetRequest[Result]) -> Result | None:
        """Call ``request.work`` for the target and the weights of every partition, and merge the results.

        Returns
        -------
        Result or None
            None if there is no row that counts.
        """

    @abstractmethod
    def summarize(self, request: SummaryRequest) -> Summary | None:
        """Summarize the columns of all rows in one pass.

        Returns
        -------
        Summary or None
            None if there is no row that counts.
        """

    @abstractmethod
    def count(self, request: CountRequest) -> CountSource:
        """Code all rows and count them where they lie.

        Returns
        -------
        CountSource
            It may code and pack the rows now, or count them in place for every table that is asked of it.
        """

    @abstractmethod
    def take(self, names: Sequence[str]) -> TableLike:
        """Read these columns, then the target and the weights, into the memory of this process.

        Returns
        -------
        table
            Of any kind that :func:`bitsieve.select` takes.
        """

    def cached(self, key: JsonObject) -> CachedCounts | None:
        """What an earlier run has cached of the same rows under ``key``; None for an engine that caches nothing."""
        return None
