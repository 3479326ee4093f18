"""What a method needs of its data: facts and integer contingency tables, alone and given several columns together."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, NamedTuple, Protocol, Self, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from bitsieve import _native
from bitsieve.counts.search import CodingPenalty, JoinedSearch
from bitsieve.counts.tables import MAX_SAMPLES, ContingencyTable, Sums, Tables, Terms, sums_of_tables
from bitsieve.counts.threads import run_blocks
from bitsieve.diagnostics import UserError
from bitsieve.utils.arrays import Columns, Integers

MAX_CODES = 1 << 16
MAX_FEATURES = 10**6
FEW_BYTES = 8 << 20  # of a copy of some columns that is kept for later
SEEDS_A_BLOCK = 16  # shuffles that a thread takes at once
AnyPartition = TypeVar("AnyPartition", bound="Partition")


def needs_more_than_pairs() -> UserError:
    """The error where saved counts of pairs are given to a method that needs tables of more columns."""
    return UserError(
        code="pairs-only",
        message="saved counts hold tables of pairs of columns, and this method needs tables of more of them",
        advice="give it the data",
    )


def checked_codes(codes: NDArray[Any]) -> NDArray[Any]:
    if codes.ndim != 2 or not codes.size:
        raise UserError(
            code="invalid-codes",
            message=f"codes of shape {codes.shape} are not a table",
            advice="give (n_samples, n_features), neither of them 0",
        )
    if codes.dtype.kind not in "iub":
        raise UserError(
            code="invalid-codes",
            message=f"codes of type {codes.dtype} are not integers",
            advice="bin the columns first",
        )
    n_samples, n_features = codes.shape
    if n_samples > MAX_SAMPLES:
        raise UserError(
            code="too-many-rows",
            message=f"{n_samples} samples are more than the limit of 2**31",
            advice="count them in parts",
        )
    if n_features > MAX_FEATURES:
        raise UserError(
            code="too-many-columns",
            message=f"{n_features} features are more than the limit of 10**6",
            advice="filter the columns first",
        )
    if codes.dtype in (np.uint8, np.uint16):
        return codes
    if codes.dtype.kind == "i" and codes.min() < 0:
        raise UserError(
            code="invalid-codes",
            message=f"code {codes.min()} is negative",
            advice="codes are 0, 1, 2, ... (CategoricalBinner makes them)",
        )
    largest = int(codes.max())
    if largest >= MAX_CODES:
        raise UserError(
            code="too-many-bins",
            message=f"code {largest} is beyond the limit of 65,536 codes a feature",
            advice="use fewer bins",
        )
    return codes.astype(np.uint8 if largest < 256 else np.uint16)


def check_sparse_rows(n_rows: int) -> None:
    """Refuse more rows of a sparse table than 32 bits number."""
    if n_rows > MAX_SAMPLES - 1:
        raise UserError(
            code="too-many-rows",
            message=f"X has {n_rows:,} samples",
            advice="at most 2**31 - 1 are supported in a sparse table",
        )


def check_joint_values(group: Columns, n_values: int) -> None:
    """Refuse a group of columns with more joint values than a feature may have codes."""
    if n_values > MAX_CODES:
        raise UserError(
            code="too-many-bins",
            message=f"a group of {len(group)} columns has {n_values:,} combinations",
            advice="at most 65,536",
        )


def checked_weights(weights: NDArray[Any], n_rows: int) -> Integers:
    if weights.shape != (n_rows,):
        raise UserError(
            code="lengths-differ",
            message=f"weights of shape {weights.shape} do not fit {n_rows} samples",
            advice="give one weight a sample",
        )
    if weights.dtype.kind not in "iub" or weights.min() < 1:
        raise UserError(
            code="invalid-weights",
            message="weights must be whole numbers from 1",
            advice="leave out rows of weight 0, round others",
        )
    if weights.sum(dtype=np.float64) > MAX_SAMPLES:
        raise UserError(
            code="invalid-weights",
            message=(f"the weights sum to {weights.sum(dtype=np.float64):,.0f} samples, more than the limit of 2**31"),
            advice="scale them down, such as by np.rint(100 * w / w.max())",
        )
    return weights.astype(np.int64)


def checked_classes(classes: NDArray[Any], n_samples: int, n_classes: int | None) -> NDArray[Any]:
    if classes.shape != (n_samples,):
        raise UserError(
            code="lengths-differ",
            message=f"classes of shape {classes.shape} do not fit {n_samples} samples",
            advice="give one class a sample",
        )
    if classes.dtype.kind not in "iub" or (classes.dtype.kind == "i" and classes.min() < 0):
        raise UserError(
            code="invalid-codes",
            message="classes must be codes 0, 1, 2, ...",
            advice="encode the labels first",
        )
    if n_classes is not None and int(classes.max()) >= n_classes:
        raise UserError(
            code="invalid-codes",
            message=f"class {int(classes.max())} is not below n_classes={n_classes}",
        )
    return classes


def class_order(
    classes: NDArray[np.integer], weights: Integers | None, n_classes: int
) -> tuple[NDArray[np.uint32], Integers]:
    """The rows class by class, each as often as its weight says; and how many samples each class has."""
    order, sizes = _native.class_order(np.ascontiguousarray(classes, np.int32), n_classes)
    if weights is None:
        return order, sizes
    return np.repeat(order, weights[order]), sizes_of_classes(classes, weights, n_classes)


def sizes_of_classes(classes: NDArray[np.integer], weights: Integers | None, n_classes: int) -> Integers:
    """How many samples each class has; classes are codes below ``n_classes``, 0: of any number."""
    if weights is None and 0 < n_classes <= 4:  # bincount makes a copy of int64
        return np.array([np.count_nonzero(classes == c) for c in range(n_classes)], np.int64)
    # Sums of weights are at most 2**31: the floats that bincount makes of them are exact.
    return np.bincount(classes, weights, minlength=n_classes).astype(np.int64)


class Arrangement(NamedTuple):
    """The codes of a feature in an order that the contingency table alone decides; parts of one sample are left out."""

    codes: NDArray[np.uint16]  # part by part, within a part class by class, within a class ascending
    run_ends: Integers  # where the codes of each class within each part end
    part_ends: Integers  # how many of these runs have ended with each part


class Partition(Protocol):
    """The samples, divided into parts by the joint value of the features it was refined by.

    Required are :attr:`keys`, :meth:`refine` and :meth:`tables`; a source that sums faster overrides others.
    """

    source: Tables

    @property
    @abstractmethod
    def keys(self) -> Integers:
        """The codes of the conditioning features in every part that occurs, (n_parts, n_conditioning), lexicographic.

        Sources that hold the samples in portions agree on them by the union of the (old part, new code) pairs of each.
        """

    @abstractmethod
    def refine(self, feature: int) -> Self:
        """The partition by the same features and one more."""

    @abstractmethod
    def tables(self, columns: Columns | None, by_class: bool) -> list[ContingencyTable]:
        """The tables of the part with each of ``columns``, of shape (parts, codes, classes); None: of the part.

        They add up over portions of the samples. ``by_class`` False pools the classes.
        """

    def marginal_sums(self, terms: Terms) -> tuple[int, int]:
        """``S_z`` and ``S_zc``: the sums of entropy terms over the parts, and over parts and classes."""
        (table,) = self.tables(None, True)
        return terms.sum(table.pooled().counts), terms.sum(table.counts)

    def sums(self, terms: Terms, columns: Columns) -> tuple[Integers, Integers]:
        """``S_xz`` and ``S_xzc`` of ``columns``: over parts and codes, and over parts, codes and classes."""
        xz, xzc = np.empty((2, len(columns)), np.int64)
        sums_of_tables(terms, self.source, len(self.keys), columns, lambda some: self.tables(some, True), (xz, xzc))
        return xz, xzc

    def degrees_of_freedom(self, feature: int) -> int:
        """``(codes - 1) (classes - 1)`` over the codes and classes that occur in each part, summed."""
        codes, classes = (np.bincount(part) for part, _ in self._margins(feature))
        return int(((codes - 1) * (classes - 1)).sum())

    def least_expected(self, feature: int) -> float:
        """The least ``n_xz n_zc / n_z`` of the codes and classes of each part where both vary, else inf."""
        margins = self._margins(feature)
        smallest = [np.full(part.max(initial=-1) + 1, np.iinfo(np.int64).max) for part, _ in margins]
        for of_part, (part, sizes) in zip(smallest, margins, strict=True):
            np.minimum.at(of_part, part, sizes)
        both = np.logical_and(*(np.bincount(part) > 1 for part, _ in margins))
        n_samples = np.bincount(*margins[0])
        return float((smallest[0][both] * smallest[1][both] / n_samples[both]).min(initial=np.inf))

    def _margins(self, feature: int) -> list[tuple[Integers, Integers]]:
        """The part and the size of every code, and of every class, that occurs in a part of several samples."""
        codes, run_ends, part_ends = self.arrangement(feature)
        part_of_run = np.repeat(np.arange(len(part_ends)), np.diff(part_ends, prepend=0))
        run_sizes = np.diff(run_ends, prepend=0)
        n_codes = int(codes.max(initial=0)) + 1
        pairs, code_sizes = np.unique(np.repeat(part_of_run, run_sizes) * n_codes + codes, return_counts=True)
        return [(pairs // n_codes, code_sizes), (part_of_run, run_sizes)]

    def arrangement(self, feature: int) -> Arrangement:
        """The codes of a feature, arranged for shuffles within the parts."""
        (table,) = self.tables(np.array([feature]), True)
        n_parts, n_codes, n_classes = table.shape
        cells, counts = table.occupied()
        part = cells // (n_codes * n_classes)
        code = cells // n_classes % n_codes
        label = cells % n_classes
        kept = np.bincount(part, counts, n_parts)[part] > 1
        part = part[kept]
        code = code[kept]
        label = label[kept]
        counts = counts[kept]
        order = np.lexsort((code, label, part))
        run, sizes = _runs(part[order] * n_classes + label[order], counts[order])
        _, n_runs = np.unique(run // n_classes, return_counts=True)
        codes = np.repeat(code[order], counts[order]).astype(np.uint16)
        return Arrangement(codes, np.cumsum(sizes), np.cumsum(n_runs))

    def shuffled_sums(self, terms: Terms, feature: int, seeds: NDArray[np.uint64]) -> Integers:
        """``S_xzc`` after each of several shuffles of the feature within the parts, one for every seed."""
        codes, run_ends, part_ends = self.arrangement(feature)
        out = np.empty(len(seeds), np.int64)

        def shuffle(first: int) -> None:
            batch = slice(first, first + SEEDS_A_BLOCK)
            _native.shuffled_sums(terms.table, terms.shift, codes, run_ends, part_ends, seeds[batch], out[batch])

        run_blocks(shuffle, range(0, len(seeds), SEEDS_A_BLOCK), self.source.n_jobs)
        singletons = terms.sum(np.ones(1, np.int64)) * (self.source.n_samples - len(codes))
        return out + singletons


def _runs(labels: Integers, counts: Integers) -> tuple[Integers, Integers]:
    """The distinct labels of an ascending list, and the sums of the counts of each."""
    if not len(labels):
        return labels, counts
    starts = np.flatnonzero(np.r_[True, labels[1:] != labels[:-1]])
    return labels[starts], np.add.reduceat(counts, starts)


class CountSource(Tables, Protocol):
    """Contingency tables of columns of codes and one class, and what else their source offers."""

    #: What methods may ask for: "tables" of pairs; "partition" and "joined" of a :class:`ConditioningSource`.
    capabilities: ClassVar[frozenset[str]] = frozenset({"tables"})
    search: CodingPenalty | None = None  # what looked at the classes before the columns were codes; None: nothing did

    @property
    def fused(self) -> Sums | None:
        """The sums that the source makes faster than table by table; None: it knows no faster way."""
        return None

    def copy_of_columns(self, columns: Columns, max_bytes: int = FEW_BYTES) -> CountSource | None:
        """A copy of some of the columns, counted from 0, to be kept for later; None: it would be too large, or slow."""
        return None


class ConditioningSource(CountSource, Protocol):
    """A source that counts given several columns together, too: required is :meth:`partition` beside the rest."""

    capabilities: ClassVar[frozenset[str]] = frozenset({"tables", "partition", "joined"})

    @abstractmethod
    def partition(self) -> Partition:
        """All samples in one part, to be refined by conditioning features."""

    def joined(self, groups: Sequence[Columns]) -> ConditioningSource:
        """The same samples with one feature a group of columns, its codes their joint values, at most 65,536."""
        return JoinedSource(self, groups)


def sums_of(source: CountSource) -> Sums:
    """The sums of a source: those it fuses, or those of its tables."""
    fused = source.fused
    return Sums(source) if fused is None else fused


def conditioning(source: CountSource) -> ConditioningSource:
    """The source as one that counts given several columns together, refused if it does not offer that."""
    if not {"partition", "joined"} <= source.capabilities:
        raise needs_more_than_pairs()
    return cast("ConditioningSource", source)


def coded(source: CountSource) -> CodedSource | None:
    """The source as one that knows the codes of every sample; None where it does not."""
    return cast("CodedSource", source) if "codes" in source.capabilities else None


class JoinedSource(ConditioningSource):
    """The samples of another source with one feature for each group of its columns."""

    def __init__(self, source: ConditioningSource, groups: Sequence[Columns]) -> None:
        self.source = source
        self.groups = groups
        self.n_samples = source.n_samples
        self.n_classes = source.n_classes
        self.n_jobs = source.n_jobs
        self.class_sizes = source.class_sizes
        self.n_features = len(groups)
        self.search = None if source.search is None else JoinedSearch(source.search.to_repeat(), groups)
        self.arities = np.empty(len(groups), np.int32)
        for index, group in enumerate(groups):
            self.arities[index] = len(refined(source.partition(), group).keys)
            check_joint_values(group, int(self.arities[index]))

    def tables(self, pivot: int | None, columns: Columns, by_class: bool) -> list[ContingencyTable]:
        """The tables of the joint value of the pivot's group with that of each of ``columns``."""
        before = self.partition()
        return (before if pivot is None else before.refine(pivot)).tables(columns, by_class)

    def partition(self) -> JoinedPartition:
        return JoinedPartition(self, self.source.partition(), ())


class JoinedPartition(Partition):
    """A partition by the joint values of groups: that of the other source by all their columns."""

    source: JoinedSource

    def __init__(self, source: JoinedSource, base: Partition, members: tuple[int, ...]) -> None:
        self.source = source
        self.base = base
        self.members = members

    @property
    def keys(self) -> Integers:
        sizes = [len(self.source.groups[member]) for member in self.members]
        parts = np.split(self.base.keys, np.cumsum(sizes)[:-1], axis=1) if sizes else []
        return np.column_stack([np.empty((len(self.base.keys), 0), np.int64), *(_numbers(part) for part in parts)])

    def refine(self, feature: int) -> JoinedPartition:
        base = refined(self.base, self.source.groups[feature])
        return JoinedPartition(self.source, base, (*self.members, feature))

    def tables(self, columns: Columns | None, by_class: bool) -> list[ContingencyTable]:
        if columns is None:
            return self.base.tables(None, by_class)
        n_before = self.base.keys.shape[1]
        tables = []
        for column in columns:
            both = refined(self.base, self.source.groups[column])
            (table,) = both.tables(None, by_class)
            part = _numbers(both.keys[:, :n_before])
            code = _numbers(both.keys[:, n_before:])
            cells, counts = table.occupied()
            n_codes = int(self.source.arities[column])
            n_classes = table.shape[2]
            joint_part, label = np.divmod(cells, n_classes)
            cells = (part[joint_part] * n_codes + code[joint_part]) * n_classes + label
            tables.append(ContingencyTable.of_cells((len(self.base.keys), n_codes, n_classes), cells, counts))
        return tables


def refined(partition: AnyPartition, columns: Iterable[int]) -> AnyPartition:
    """A partition refined by several features, one after the other."""
    for column in columns:
        partition = partition.refine(int(column))
    return partition


def _numbers(rows: Integers) -> Integers:
    """The number of every row among the distinct rows in lexicographic order."""
    if not rows.shape[1]:
        return np.zeros(len(rows), np.int64)
    return np.unique(rows, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)


class CodedSource(ConditioningSource):
    """A source that knows the class and the codes of every sample, in an order of the samples that never changes."""

    capabilities: ClassVar[frozenset[str]] = frozenset({"tables", "partition", "joined", "codes"})
    sample_classes: Integers

    @abstractmethod
    def codes(self, feature: int) -> NDArray[np.integer]:
        """The code of every sample."""

    def class_by_class(self) -> tuple[NDArray[np.integer], Integers]:
        """The codes of all samples, (n_samples, n_features) in Fortran order, class by class, and their classes."""
        dtype = np.uint8 if self.arities.max() <= 256 else np.uint16
        codes = np.empty((self.n_samples, self.n_features), dtype, order="F")
        order = np.argsort(self.sample_classes, kind="stable")
        for feature in range(self.n_features):
            codes[:, feature] = self.codes(feature)[order]
        return codes, self.sample_classes[order]

    def tables(self, pivot: int | None, columns: Columns, by_class: bool) -> list[ContingencyTable]:
        if pivot is None:
            return self.tables_with(np.zeros(self.n_samples, np.int64), 1, columns, by_class)
        return self.tables_with(self.codes(pivot), int(self.arities[pivot]), columns, by_class)

    def tables_with(
        self, first: NDArray[np.integer], n_first: int, columns: Columns | None, by_class: bool
    ) -> list[ContingencyTable]:
        """The tables of a first variable, given for every sample, with columns (None: by itself)."""
        n_classes = self.n_classes if by_class else 1

        def table(n_codes: int, code: NDArray[np.integer] | int) -> ContingencyTable:
            cell = first.astype(np.int64) * n_codes + code
            if by_class:
                cell = cell * n_classes + self.sample_classes
            return ContingencyTable.of_samples((n_first, n_codes, n_classes), cell)

        if columns is None:
            return [table(1, 0)]
        return [table(int(self.arities[column]), self.codes(int(column))) for column in columns]

    def partition(self) -> Partition:
        return JointCodes(self)


class JointCodes(Partition):
    """A partition of the samples, held as the number of its part for every sample; by default one part of all."""

    source: CodedSource

    def __init__(self, source: CodedSource, part: Integers | None = None, keys: Integers | None = None) -> None:
        self.source = source
        self.part = np.zeros(source.n_samples, np.int64) if part is None else part
        self._keys = np.empty((1, 0), np.int64) if keys is None else keys

    @property
    def keys(self) -> Integers:
        return self._keys

    def refine(self, feature: int) -> Self:
        n_codes = int(self.source.arities[feature])
        pairs, part = np.unique(self.part * n_codes + self.source.codes(feature), return_inverse=True)
        keys = np.column_stack([self.keys[pairs // n_codes], pairs % n_codes])
        return type(self)(self.source, part.astype(np.int64), keys)

    def tables(self, columns: Columns | None, by_class: bool) -> list[ContingencyTable]:
        return self.source.tables_with(self.part, len(self.keys), columns, by_class)
