"""Tables whose parts are read, summarized, coded and counted on the workers of a cluster."""

from __future__ import annotations

import re
import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, ClassVar, TypeVar

from bitsieve.counts.packed import PackedSource
from bitsieve.dataset.dataset import InMemoryDataset
from bitsieve.dataset.original import OriginalData
from bitsieve.dataset.roles import Roles, split_columns
from bitsieve.dataset.target_summary import TargetCoding
from bitsieve.diagnostics import UserError
from bitsieve.discretization.coding import Coding
from bitsieve.discretization.summary import Limits
from bitsieve.engines.data_partitions import DataPartitions, PartitionedSource, in_order
from bitsieve.engines.partitioned_dataset import Merge, Packed, PartitionedDataset, PartitionReader, Parts, Work
from bitsieve.engines.registry import DataInParts
from bitsieve.options import ReadOptions
from bitsieve.utils.arrays import Integers
from bitsieve.utils.progress import phase

Result = TypeVar("Result")
_NOT_LOADED = re.compile(r"(?:ModuleNotFoundError|ImportError|AttributeError): (.*bitsieve.*)|VERSION_MISMATCH\] (.*)")


class ClusterPartitions(Parts):
    """The rows of a table in the portions of a cluster; of these rows nothing is ever fetched."""

    label = "the data"

    def __init__(self, portions: Callable[[bool], DataPartitions], reader: PartitionReader) -> None:
        from bitsieve import __version__

        targets, self.limits = portions(True), Limits()
        n_rows = targets.total("rows", partial(_n_rows, reader=reader, version=__version__), in_order)
        self.is_empty = not sum(n_rows)
        without = targets.total("rows", reader.n_without, in_order) if reader.drop_missing else []
        self.n_without = sum(without)
        if not self.is_empty:
            self.targets, self.everything = targets.numbered(n_rows), portions(False).numbered(n_rows)

    def run(self, task: str, work: Work[Result], merge: Merge[Result], *, target_only: bool = False) -> Result | None:
        """Send ``work`` to every portion, and merge what returns by a tree."""
        if self.is_empty:
            return None
        return (self.targets if target_only else self.everything).total(task, work, merge)

    def pack(self, reader: PartitionReader, target: TargetCoding, coding: Coding, class_sizes: Integers) -> Packed:
        """All portions, each packed where it is, where it stays."""
        work = partial(_packed, read=partial(reader.read, target=target), coding=coding)
        return Packed(partial(PartitionedSource, self.everything.map("pack", work), len(class_sizes)))


def _n_rows(*objects: Any, reader: PartitionReader, version: str) -> list[int]:
    """How many rows of a part count, asked of a worker that has this bitsieve."""
    from bitsieve import __version__

    if __version__ != version:
        raise ImportError(f"it has bitsieve {__version__}")
    return reader.n_rows(*objects)


@contextmanager
def _loaded_by_workers(advice: str) -> Iterator[None]:
    """Inside the block it is one line that a worker has no bitsieve, or another version of it or of Python."""
    try:
        yield
    except Exception as error:  # each cluster has its own kinds
        found = (
            None if isinstance(error, ValueError) else _NOT_LOADED.search("".join(traceback.format_exception(error)))
        )
        if found is None:
            raise
        from bitsieve import __version__

        why = (found[1] or found[2]).strip()
        raise UserError(
            code="worker-without-bitsieve",
            message=f"a worker cannot load bitsieve {__version__} ({why})",
            advice=f"install it on all workers{advice}",
        ) from None


def _packed(first_row: int, *objects: Any, read: Work[InMemoryDataset], coding: Coding) -> PackedSource:
    """The codes of a part, packed for counting."""
    table = read(first_row, *objects)
    classes = table.target
    return PackedSource(coding.codes(table), classes.codes, n_classes=classes.n_classes, weights=table.weights)


class ClusterSource(DataInParts, ABC):
    """Data whose parts are read on the workers of a cluster; a subclass says what these are."""

    labels: list[Any]  # of the columns; empty where they have no names
    n_columns: int
    to_install: ClassVar[str] = ""  # what else must be done where bitsieve is installed on the workers

    @abstractmethod
    def _portions(self, labels: list[Any] | None, y: Any, weights: Any) -> DataPartitions:
        """The parts, to be read, of some columns at least (None: all): columns, target and weights of each, or None."""

    @abstractmethod
    def _original(self, roles: Roles) -> OriginalData:
        """What was given, when the columns are divided."""

    def read_in_parts(self, options: ReadOptions) -> PartitionedDataset:
        phase("reading")
        roles = split_columns(self.labels, options.target, options.sample_weight, unnamed=options.target_name)
        target = None if roles.target else options.target
        sample_weight = None if roles.weight is not None else options.sample_weight

        def portions(target_only: bool) -> DataPartitions:
            return self._portions((roles.others or self.labels[:1]) if target_only else None, target, sample_weight)

        with _loaded_by_workers(self.to_install):
            open_parts = partial(ClusterPartitions, portions)
            table = PartitionedDataset.read(open_parts, roles, self.n_columns, options, named=bool(self.labels))
        table.original = self._original(roles)
        return table
