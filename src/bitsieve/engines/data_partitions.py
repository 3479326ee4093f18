"""Samples that lie in partitions, on workers or threads, which work on them where they lie."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from typing import ClassVar, Protocol, Self, TypeVar

from bitsieve.counts.packed import PackedSource
from bitsieve.diagnostics import UserError

Item = TypeVar("Item")
Result = TypeVar("Result")


class DataPartitions(Protocol):
    """One object, or a few, for every partition of the samples; they stay where they are, on a worker or a thread."""

    #: The tables of all pairs of columns are counted in one pass where they list at most so many cells together.
    max_pair_cells: ClassVar[int] = 1 << 17

    def total(self, task: str, work: Callable[..., Result], merge: Callable[[Sequence[Result]], Result]) -> Result:
        """Call ``work`` with the objects of every partition, where they are, and merge the results by a tree.

        ``task`` is the name that the pages of a cluster show.
        """

    def map(self, task: str, work: Callable[..., object]) -> Self:
        """Partitions of what ``work`` returns, which stays where it was made."""

    def zipped(self, other: Self) -> Self:
        """The objects of both, partition by partition."""

    def with_samples(self) -> Self:
        """The packed partitions that have any samples."""

    def numbered(self, n_rows: Sequence[int]) -> Self:
        """The partitions that have rows, with the number of their first row before the other objects.

        ``n_rows`` are the rows of each partition.
        """


def in_order(lists: Sequence[list[Item]]) -> list[Item]:
    """Join the lists that partitions return, in the order of the partitions."""
    return list(chain.from_iterable(lists))


def has_samples(packed: PackedSource | None, *_: object) -> list[bool]:
    """Whether a partition has samples; a list of one, to be joined with other partitions."""
    return [packed is not None]


def partitions_with_samples(flags: list[bool]) -> list[int]:
    """The indices of the partitions with samples; refused if none has."""
    indices = [i for i, flag in enumerate(flags) if flag]
    if not indices:
        raise UserError(
            code="empty-data",
            message="the data has no samples",
            advice="at least one is required",
        )
    return indices
