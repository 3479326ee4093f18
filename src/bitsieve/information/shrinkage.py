"""Information from tables that are shrunk towards the uniform one (James-Stein).

Every quantity follows from one table, that of the variables it is about. With p the share of the samples in a cell, and
M the number of cells, empty ones included, the shrunk share is

    p' = lambda / M + (1 - lambda) p,    lambda = (1 - sum p^2) / ((N - 1) sum (1/M - p)^2), at most 1

Two tables have two weights lambda, so sums such as ``I(X,Y;C) = I(X;C) + I(Y;C|X)`` do not hold across tables. Entropy
terms are added as integers of 2**-56 bit: neither the order of the cells nor zeros among them change a bit of the sum.

J. Hausser, K. Strimmer, "Entropy inference and the James-Stein estimator, with application to nonlinear gene
association networks", Journal of Machine Learning Research 10, 2009, pp. 1469-1484.
"""

from __future__ import annotations

from typing import ClassVar, NamedTuple, NoReturn

import numpy as np

from bitsieve.counts.source import CountSource, sums_of
from bitsieve.counts.tables import PairCounts
from bitsieve.counts.threads import run_blocks
from bitsieve.information.protocol import Information, PairInformation, UndefinedQuantityError, counted_by_class
from bitsieve.utils.arrays import Columns, Flags, Floats, Integers
from bitsieve.utils.lazy import cached_property

BLOCK_CELLS = 1 << 17  # cells of the tables that one thread works on at once: some megabytes
CACHE_BYTES = 256 << 20  # of cached rows: the quantities of one pivot with all features
UNITS_PER_BIT = 2.0**56  # an entropy is below 64 bits: its sum stays within int64


def uniform_weight(counts: Integers, n_cells: int | Integers, n_samples: int) -> Floats:
    """The weight ``lambda`` of the uniform table, one for each row of ``counts``, which is a table.

        lambda = (1 - sum p^2) / ((N - 1) (sum p^2 - 1/M)), at most 1

    which is the formula above, as ``sum (1/M - p)^2 = sum p^2 - 1/M``. ``n_cells`` is M. Zeros in a row make no
    difference: it may have more of them than the table has empty cells, or fewer.
    """
    squares = (counts * counts).sum(axis=1)
    squared_size = n_samples * n_samples  # at most 2**62
    numerator = (squared_size - squares) / squared_size
    denominator = (n_samples - 1) * (squares / squared_size - 1 / np.asarray(n_cells, np.float64))
    # The denominator is 0 for a table that is uniform already, for one sample and for one cell: the weight is 1.
    is_positive = denominator > 0
    weight: Floats = np.ones(len(counts))
    np.minimum(numerator / np.where(is_positive, denominator, 1.0), 1.0, where=is_positive, out=weight)
    return weight


def shrunk_entropy(counts: Integers, n_cells: int | Integers, weight: Floats, n_samples: int) -> Floats:
    """The entropies in bits of tables, one a row of ``counts`` (or one row for all), shrunk by ``weight``."""
    size = np.asarray(n_cells, np.float64)
    share_of_empty = weight / size  # p' of an empty cell
    shares = share_of_empty[:, None] + ((1 - weight) / n_samples)[:, None] * counts
    is_occupied = counts > 0
    entropy_terms = np.rint(_entropy_term(shares, is_occupied) * UNITS_PER_BIT).astype(np.int64)
    n_empty = size - is_occupied.sum(axis=1)
    entropy_of_empty = n_empty * _entropy_term(share_of_empty, share_of_empty > 0)
    return np.asarray(entropy_terms.sum(axis=1) / UNITS_PER_BIT + entropy_of_empty)


def _entropy_term(shares: Floats, mask: Flags) -> Floats:
    """``-p log2 p`` where the mask is True, else 0."""
    return -shares * np.log2(np.where(mask, shares, 1.0))


class FeatureQuantities(NamedTuple):
    """The quantities of every feature Xi by itself, each of shape (n_features,)."""

    entropy: Floats  # H(Xi), bits
    relevance: Floats  # I(Xi;C), bits
    entropy_by_class: Floats  # H(Xi|C), bits
    varies: Flags  # whether more than one code occurs


class ClassQuantities(NamedTuple):
    """The quantities of features Xi with a pivot Xs and the class, in bits, each of shape (n_columns,)."""

    conditional_redundancy: Floats  # I(Xi;Xs|C)
    conditional_relevance: Floats  # I(Xi;C|Xs)
    joint_relevance: Floats  # I(Xi,Xs;C)
    joint_entropy: Floats  # H(Xi,Xs,C)
    pivot_relevance: Floats  # I(Xs;C|Xi)


class PairQuantities(NamedTuple):
    """The quantities of features Xi with a pivot Xs."""

    redundancy: Floats  # I(Xi;Xs), bits
    by_class: ClassQuantities | None  # None where the samples were not counted by class

    @classmethod
    def empty(cls, n_columns: int, *, by_class: bool) -> PairQuantities:
        """Arrays to be filled."""
        class_quantities = ClassQuantities(*np.empty((len(ClassQuantities._fields), n_columns))) if by_class else None
        return cls(np.empty(n_columns), class_quantities)

    def take(self, columns: Columns) -> PairQuantities:
        """The quantities of some of the features, given by their indices in these arrays."""
        if self.by_class is None:
            return PairQuantities(self.redundancy[columns], None)
        class_quantities = ClassQuantities(*(values[columns] for values in self.by_class))
        return PairQuantities(self.redundancy[columns], class_quantities)

    def put(self, indices: Columns, block: PairQuantities) -> None:
        """Write the quantities of a block of features to these indices."""
        self.redundancy[indices] = block.redundancy
        if self.by_class is not None and block.by_class is not None:
            for values, values_of_block in zip(self.by_class, block.by_class, strict=True):
                values[indices] = values_of_block


class ShrinkageInformation(Information):
    """Information quantities of shrunk tables, in bits. For few samples a row costs as much as thirty of plug-in."""

    estimator: ClassVar[str] = "shrinkage"
    conditions_on_sets: ClassVar[bool] = False
    counts_both_ways: ClassVar[bool] = True

    def __init__(self, source: CountSource) -> None:
        self.source = source
        self.sums = sums_of(source)
        self._cached_rows: dict[int, PairQuantities] = {}  # by pivot: its quantities with all features
        n_quantities = 1 + len(ClassQuantities._fields)
        self._max_cached_rows = max(2, CACHE_BYTES // (8 * n_quantities * max(source.n_features, 1)))

    def conditional(self) -> NoReturn:
        """Not defined: the tables of many features have too many cells to be shrunk towards the uniform one."""
        raise UndefinedQuantityError(
            code="undefined-quantity",
            message="estimator='shrinkage' does not define information conditional on a set of features",
            advice="use 'plug-in', 'corrected' or 'miller-madow'",
        )

    @cached_property
    def _features(self) -> FeatureQuantities:
        source = self.source
        n_samples = source.n_samples
        n_c = source.n_classes
        class_sizes = source.class_sizes[None]
        entropy = np.empty(source.n_features)
        relevance = np.empty(source.n_features)
        entropy_by_class = np.empty(source.n_features)
        varies = np.empty(source.n_features, bool)

        def fill(columns: Columns) -> None:
            n_x = source.arities[columns].astype(np.int64)
            counts = self.sums.cell_counts(None, columns, True)
            pooled = counts.pooled
            by_class = counted_by_class(counts.by_class)
            varies[columns] = np.count_nonzero(pooled, axis=1) > 1
            entropy[columns] = shrunk_entropy(pooled, n_x, uniform_weight(pooled, n_x, n_samples), n_samples)

            weight = uniform_weight(by_class, n_x * n_c, n_samples)
            h_x = shrunk_entropy(pooled, n_x, weight, n_samples)
            h_c = shrunk_entropy(class_sizes, n_c, weight, n_samples)
            h_xc = shrunk_entropy(by_class, n_x * n_c, weight, n_samples)
            relevance[columns] = h_x + h_c - h_xc
            entropy_by_class[columns] = h_xc - h_c

        all_columns = np.arange(source.n_features)
        run_blocks(fill, self._blocks(None, all_columns, True), source.n_jobs)
        return FeatureQuantities(entropy, relevance, entropy_by_class, varies)

    @property
    def entropy(self) -> Floats:
        return self._features.entropy

    @property
    def entropy_by_class(self) -> Floats:
        return self._features.entropy_by_class

    @property
    def relevance(self) -> Floats:
        return self._features.relevance

    @property
    def varies(self) -> Flags:
        return self._features.varies

    @cached_property
    def class_entropy(self) -> float:
        class_sizes = self.source.class_sizes[None]
        n_c = self.source.n_classes
        n_samples = self.source.n_samples
        weight = uniform_weight(class_sizes, n_c, n_samples)
        return float(shrunk_entropy(class_sizes, n_c, weight, n_samples)[0])

    def pair(self, pivot: int, columns: Columns | None = None, *, by_class: bool = True) -> ShrunkPair:
        row = self._cached_row(pivot, by_class)
        if columns is not None:
            quantities = self._row(pivot, columns, by_class) if row is None else row.take(columns)
            return ShrunkPair(self, pivot, columns, quantities)
        if row is None:
            row = self._row(pivot, np.arange(self.n_features), by_class)
            if len(self._cached_rows) < self._max_cached_rows:
                self._cached_rows[pivot] = row
        return ShrunkPair(self, pivot, None, row)

    def _cached_row(self, pivot: int, by_class: bool) -> PairQuantities | None:
        """The cached quantities of all features with a pivot; None if they are not cached, or not by class."""
        row = self._cached_rows.get(pivot)
        if row is None or (by_class and row.by_class is None):
            return None
        return row

    def _row(self, pivot: int, columns: Columns, by_class: bool) -> PairQuantities:
        """The quantities of ``columns`` with one pivot, block by block."""
        index_of_feature = np.empty(self.source.n_features, np.intp)
        index_of_feature[columns] = np.arange(len(columns))
        row = PairQuantities.empty(len(columns), by_class=by_class)
        pivot_counts = self.sums.cell_counts(None, np.array([pivot]), by_class)

        def fill(block: Columns) -> None:
            row.put(index_of_feature[block], self._quantities(pivot, pivot_counts, block, by_class))

        run_blocks(fill, self._blocks(pivot, columns, by_class), self.source.n_jobs)
        return row

    def _quantities(self, pivot: int, pivot_counts: PairCounts, columns: Columns, by_class: bool) -> PairQuantities:
        """The quantities of one block of columns, each column X with the pivot S and the class C.

        The entropies of a quantity are those of the margins of one shrunk table: of (X, S), or of (X, S, C).
        """
        source = self.source
        n_samples = source.n_samples
        n_s = int(source.arities[pivot])
        n_x = source.arities[columns].astype(np.int64)
        pair_counts = self.sums.cell_counts(pivot, columns, by_class)
        column_counts = self.sums.cell_counts(None, columns, by_class)

        weight = uniform_weight(pair_counts.pooled, n_s * n_x, n_samples)
        h_s = shrunk_entropy(pivot_counts.pooled, n_s, weight, n_samples)
        h_x = shrunk_entropy(column_counts.pooled, n_x, weight, n_samples)
        h_xs = shrunk_entropy(pair_counts.pooled, n_s * n_x, weight, n_samples)
        redundancy = h_s + h_x - h_xs
        if not by_class:
            return PairQuantities(redundancy, None)

        n_c = source.n_classes
        pivot_by_class = counted_by_class(pivot_counts.by_class)
        columns_by_class = counted_by_class(column_counts.by_class)
        pairs_by_class = counted_by_class(pair_counts.by_class)
        weight = uniform_weight(pairs_by_class, n_s * n_x * n_c, n_samples)
        h_s = shrunk_entropy(pivot_counts.pooled, n_s, weight, n_samples)
        h_x = shrunk_entropy(column_counts.pooled, n_x, weight, n_samples)
        h_c = shrunk_entropy(source.class_sizes[None], n_c, weight, n_samples)
        h_xs = shrunk_entropy(pair_counts.pooled, n_s * n_x, weight, n_samples)
        h_sc = shrunk_entropy(pivot_by_class, n_s * n_c, weight, n_samples)
        h_xc = shrunk_entropy(columns_by_class, n_x * n_c, weight, n_samples)
        h_xsc = shrunk_entropy(pairs_by_class, n_s * n_x * n_c, weight, n_samples)
        class_quantities = ClassQuantities(
            conditional_redundancy=h_sc + h_xc - h_xsc - h_c,
            conditional_relevance=h_xs + h_sc - h_xsc - h_s,
            joint_relevance=h_xs + h_c - h_xsc,
            joint_entropy=h_xsc,
            pivot_relevance=h_xs + h_xc - h_xsc - h_x,
        )
        return PairQuantities(redundancy, class_quantities)

    def _blocks(self, pivot: int | None, columns: Columns, by_class: bool) -> list[Columns]:
        """Divide columns into blocks whose tables fit the memory of a thread; a table may have too many cells itself.

        Columns of similar arity are counted together, as all rows of counts are as long as the longest.
        """
        source = self.source
        ordered = columns[np.argsort(source.arities[columns], kind="stable")]
        n_first = 1 if pivot is None else int(source.arities[pivot])
        n_classes = source.n_classes if by_class else 1
        n_cells = np.minimum(n_first * source.arities[ordered].astype(np.int64) * n_classes, source.n_samples)
        blocks = []
        first = 0
        while first < len(ordered):
            n_columns = np.arange(1, len(n_cells) - first + 1)
            cells_of_block = n_cells[first:] * n_columns  # if the block ends with this column
            n_that_fit = int(np.searchsorted(cells_of_block, BLOCK_CELLS, side="right"))
            end = first + max(1, n_that_fit)
            blocks.append(ordered[first:end])
            first = end
        return blocks


class ShrunkPair(PairInformation):
    """The information of some features with one pivot."""

    def __init__(
        self, information: ShrinkageInformation, pivot: int, columns: Columns | None, quantities: PairQuantities
    ) -> None:
        self.information = information
        self.pivot = pivot
        self.columns = columns
        self._quantities = quantities

    @property
    def _by_class(self) -> ClassQuantities:
        return counted_by_class(self._quantities.by_class)

    @property
    def redundancy(self) -> Floats:
        return self._quantities.redundancy

    @property
    def conditional_redundancy(self) -> Floats:
        return self._by_class.conditional_redundancy

    @property
    def conditional_relevance(self) -> Floats:
        return self._by_class.conditional_relevance

    @property
    def joint_relevance(self) -> Floats:
        return self._by_class.joint_relevance

    @property
    def joint_entropy(self) -> Floats:
        return self._by_class.joint_entropy

    def pivot_relevance(self) -> Floats:
        return self._by_class.pivot_relevance
