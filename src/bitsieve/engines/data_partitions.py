"""Samples that lie in portions: what is done with a portion where it is, and the tables of all, which add up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from itertools import chain
from math import prod
from operator import add
from typing import Any, NamedTuple, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from bitsieve.counts.packed import PackedSource, dense_cells
from bitsieve.counts.source import ConditioningSource, Partition, check_joint_values, refined
from bitsieve.counts.tables import DENSE_CELLS, MAX_SAMPLES, ContingencyTable, has_all_cells
from bitsieve.diagnostics import UserError
from bitsieve.utils.arrays import Columns, Integers
from bitsieve.utils.lazy import cached_property

Shape = tuple[int, int, int]


@dataclass(frozen=True, eq=False)
class TableBlock:
    """The tables of a portion of the samples, of shapes that all portions know."""

    # every cell of the tables of at most ``DENSE_CELLS`` cells, one table after the other. A count is at most the
    # number of samples, 2**31, so half the bytes of int64 are enough for the journey
    small: NDArray[np.uint32]
    large: Sequence[ContingencyTable]  # the other tables, by the cells that are not empty

    def __sizeof__(self) -> int:
        large = sum(of.counts.nbytes + (0 if of.cells is None else of.cells.nbytes) for of in self.large)
        return object.__sizeof__(self) + self.small.nbytes + large

    def __add__(self, other: TableBlock) -> TableBlock:
        """The tables of both portions together."""
        return TableBlock(self.small + other.small, list(map(add, self.large, other.large)))

    def tables(self, shapes: Sequence[Shape]) -> list[ContingencyTable]:
        """The tables, given the shape of each."""
        counts, large, start = self.small.astype(np.int64), iter(self.large), 0
        tables = []
        for shape in shapes:
            if not has_all_cells(shape):
                tables.append(next(large))
                continue
            end = start + prod(shape)
            tables.append(ContingencyTable(shape, counts[start:end]))
            start = end
        return tables


def added(blocks: Sequence[TableBlock]) -> TableBlock:
    """The tables of several portions together."""
    return reduce(add, blocks)


Result = TypeVar("Result")


class DataPartitions(Protocol):
    """One object, or a few, for every portion of the samples; they stay where they are."""

    def total(self, task: str, work: Callable[..., Result], merge: Callable[[Sequence[Result]], Result]) -> Result:
        """Call ``work`` with the objects of every portion, where they are, and merge by a tree; ``task`` names it."""

    def map(self, task: str, work: Callable[..., Any]) -> Self:
        """DataPartitions of what ``work`` returns, which stays where it was made."""

    def beside(self, other: Self) -> Self:
        """The objects of both, portion by portion."""

    def with_samples(self) -> Self:
        """The packed portions that have any samples."""

    def numbered(self, n_rows: Sequence[int]) -> Self:
        """The portions that have rows, of ``n_rows`` each, with the number of their first row before the objects."""


class Facts(NamedTuple):
    """What a portion knows of itself: what the attributes of a source of that name are."""

    n_samples: int
    arities: NDArray[np.int32]
    class_sizes: Integers


def in_order(several: Sequence[list[Any]]) -> list[Any]:
    """What the portions return, one after the other."""
    return list(chain.from_iterable(several))


def has_samples(portion: PackedSource | None, *_: Any) -> list[bool]:
    """Whether the portion has any, in a list, as portions have an order."""
    return [portion is not None]


def places_with_samples(flags: list[bool]) -> list[int]:
    """Which of the portions have samples; ValueError if none has."""
    places = [place for place, some in enumerate(flags) if some]
    if not places:
        raise UserError(
            code="empty-data",
            message="the data has no samples",
            advice="at least one is required",
        )
    return places


def facts(portion: PackedSource) -> Facts:
    """What the portion knows of itself."""
    return Facts(portion.n_samples, portion.arities, portion.class_sizes)


def merged_facts(several: Sequence[Facts]) -> Facts:
    """What is known of several portions together."""
    sizes = np.zeros(max(len(each.class_sizes) for each in several), np.int64)
    for each in several:
        sizes[: len(each.class_sizes)] += each.class_sizes
    arities = reduce(np.maximum, (each.arities for each in several))
    return Facts(sum(each.n_samples for each in several), arities, sizes)


def count_pairs(
    portion: PackedSource, *, pivot: int | None, columns: Columns, n_first: int, n_codes: Integers, n_classes: int
) -> TableBlock:
    """The tables of the pivot, if any, with each column; codes and classes as of all samples, or 1 class of all."""
    small = np.array([has_all_cells((n_first, codes, n_classes)) for codes in n_codes.tolist()], bool)
    cells = dense_cells(portion.packed, pivot, columns[small], n_first, n_codes[small], n_classes)
    large: list[ContingencyTable] = []
    if not small.all():
        first = np.zeros(portion.n_samples, np.int64) if pivot is None else portion.codes(pivot).astype(np.int64)
        large = [
            _table(portion, first, (n_first, codes, n_classes), column)
            for column, codes in zip(columns[~small].tolist(), n_codes[~small].tolist(), strict=True)
        ]
    return TableBlock(cells.astype(np.uint32), large)


def count_parts(
    portion: PackedSource,
    part: NDArray[np.uint32],
    *,
    n_parts: int,
    columns: Columns | None,
    n_codes: Integers,
    n_classes: int,
) -> TableBlock:
    """The tables of the part of every sample with each of ``columns``; None: of the part by itself."""
    first = part.astype(np.int64)
    members: list[int | None] = [None] if columns is None else list(columns.tolist())
    small: list[Integers] = [np.empty(0, np.int64)]
    large: list[ContingencyTable] = []
    for column, codes in zip(members, n_codes.tolist(), strict=True):
        table = _table(portion, first, (n_parts, codes, n_classes), column)
        if table.cells is None:
            small.append(table.counts)
        else:
            large.append(table)
    return TableBlock(np.concatenate(small).astype(np.uint32), large)


def everything(portion: PackedSource) -> NDArray[np.uint32]:
    """All samples in part 0."""
    return np.zeros(portion.n_samples, np.uint32)


def pairs_that_occur(
    portion: PackedSource, part: NDArray[np.uint32], *, n_parts: int, column: int, n_codes: int
) -> Integers:
    """The numbers ``part * n_codes + code`` that occur, ascending."""
    pairs = part.astype(np.int64) * n_codes + portion.codes(column)
    if n_parts * n_codes > DENSE_CELLS:
        return np.unique(pairs)
    present = np.zeros(n_parts * n_codes, bool)
    present[pairs] = True
    return np.flatnonzero(present)


def united(several: Sequence[Integers]) -> Integers:
    """The numbers that occur in any of the portions, ascending."""
    return np.unique(np.concatenate(several))


def refined_part(
    portion: PackedSource, part: NDArray[np.uint32], *, column: int, n_codes: int, pairs: Integers
) -> NDArray[np.uint32]:
    """The part of every sample when parts are divided by one more column: its place among all pairs that occur."""
    return np.searchsorted(pairs, part.astype(np.int64) * n_codes + portion.codes(column)).astype(np.uint32)


def join(portion: PackedSource, *parts: NDArray[np.uint32]) -> PackedSource:
    """A portion with one column for each way to number the parts of the samples."""
    codes = np.empty((portion.n_samples, len(parts)), np.uint16, order="F")
    for place, part in enumerate(parts):
        codes[:, place] = part
    return PackedSource(codes, _classes(portion), n_classes=portion.n_classes)


def _classes(portion: PackedSource) -> Integers:
    """The class of every sample, made anew, as it would take more room than the portion if it were kept."""
    return np.repeat(np.arange(portion.n_classes), portion.class_sizes)


def _table(portion: PackedSource, first: Integers, shape: tuple[int, int, int], column: int | None) -> ContingencyTable:
    cells = first * shape[1]
    if column is not None:
        cells += portion.codes(column)
    if shape[2] > 1:
        cells = cells * shape[2] + _classes(portion)
    return ContingencyTable.of_samples(shape, cells)


class PartitionedSource(ConditioningSource):
    """Contingency tables of samples in packed portions: a request is a task for each and a tree of sums of tables."""

    def __init__(self, portions: DataPartitions, n_classes: int | None = None) -> None:
        self.portions = portions.with_samples()
        known = self.portions.total("facts", facts, merged_facts)
        if known.n_samples > MAX_SAMPLES:
            raise UserError(
                code="too-many-rows",
                message=f"the data has {known.n_samples:,} samples",
                advice=f"at most {MAX_SAMPLES:,} are supported, draw a sample of them",
            )
        self.n_samples, self.n_features, self.arities = known.n_samples, len(known.arities), known.arities
        self.class_sizes = np.zeros(max(n_classes or 0, len(known.class_sizes)), np.int64)
        self.class_sizes[: len(known.class_sizes)] = known.class_sizes
        self.n_classes, self.n_jobs = len(self.class_sizes), None

    def tables(self, pivot: int | None, columns: Columns, by_class: bool) -> list[ContingencyTable]:
        n_first = 1 if pivot is None else int(self.arities[pivot])
        n_codes, n_classes = self.arities[columns].astype(np.int64), self.n_classes if by_class else 1
        work = partial(
            count_pairs, pivot=pivot, columns=np.asarray(columns), n_first=n_first, n_codes=n_codes, n_classes=n_classes
        )
        block = self.portions.total("count", work, added)
        return block.tables([(n_first, codes, n_classes) for codes in n_codes.tolist()])

    def partition(self) -> PartitionOfSamples:
        return PartitionOfSamples(self, np.empty((1, 0), np.int64))

    def joined(self, groups: Sequence[Columns]) -> PartitionedSource:
        portions = self.portions
        for group in groups:
            parts = refined(self.partition(), group)
            check_joint_values(group, len(parts.keys))
            portions = portions.beside(parts.of_samples)
        return PartitionedSource(portions.map("join", join), self.n_classes)


class PartitionOfSamples(Partition):
    """A partition of samples in portions: the codes ``keys`` of every part, and ``of_samples``, the part of each."""

    source: PartitionedSource

    def __init__(self, source: PartitionedSource, keys: Integers, of_samples: DataPartitions | None = None) -> None:
        self.source, self._keys = source, keys
        if of_samples is not None:
            self.of_samples = of_samples

    @cached_property
    def of_samples(self) -> DataPartitions:
        """The part of every sample."""
        return self.source.portions.map("refine", everything)

    @property
    def keys(self) -> Integers:
        return self._keys

    def refine(self, feature: int) -> PartitionOfSamples:
        n_codes = int(self.source.arities[feature])
        both = self.source.portions.beside(self.of_samples)
        occur = partial(pairs_that_occur, n_parts=len(self.keys), column=feature, n_codes=n_codes)
        pairs = both.total("refine", occur, united)
        keys = np.column_stack([self.keys[pairs // n_codes], pairs % n_codes])
        renumber = partial(refined_part, column=feature, n_codes=n_codes, pairs=pairs)
        return PartitionOfSamples(self.source, keys, both.map("refine", renumber))

    def tables(self, columns: Columns | None, by_class: bool) -> list[ContingencyTable]:
        n_classes = self.source.n_classes if by_class else 1
        n_codes = np.ones(1, np.int64) if columns is None else self.source.arities[columns].astype(np.int64)
        work = partial(count_parts, n_parts=len(self.keys), columns=columns, n_codes=n_codes, n_classes=n_classes)
        block = self.source.portions.beside(self.of_samples).total("count", work, added)
        return block.tables([(len(self.keys), codes, n_classes) for codes in n_codes.tolist()])
