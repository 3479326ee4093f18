r"""Information from shrunk tables (James-Stein).

Every quantity is that of one table, the table of just the variables it is about, shrunk towards the uniform one (see
:mod:`bitsieve.information.shrunk`): I(X;Y) of the table of X and Y, and I(X;Y|C), I(X;C|Y), I(X,Y;C) and H(X,Y,C) of
the table of X, Y and C. Each is therefore the information of a true distribution: ``0 <= I <= min(H)`` of that table,
up to rounding. Two tables have two weights: sums such as ``I(X,Y;C) = I(X;C) + I(Y;C|X)`` do not hold across tables,
nor need I(X;Y) stay below H(X) of the table of X alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from bitsieve.common.memory import square_matrix
from bitsieve.counts.blocks import run_blocks
from bitsieve.information.protocol import Information, UndefinedQuantityError, counted_by_class, put_relevance
from bitsieve.information.shrunk_rows import Row, ShrunkRows

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import DTypeLike, NDArray

    from bitsieve.counts.source import CountSource
    from bitsieve.information.conditional import ConditionalInformation

    Floats = NDArray[np.float64]
    Columns = NDArray[np.intp]
    Matrix = NDArray[np.floating]
    Progress = Callable[[int, int], object] | None

CACHE_BYTES = 256 << 20  # rows kept for later questions about the same pivots


class ShrinkageInformation(Information):
    """Information quantities of shrunk tables, in bits.

    Parameters
    ----------
    source : CountSource

    Notes
    -----
    A row costs the counts themselves and some logarithms a cell: with few samples some thirty times a row of plug-in
    terms, with 10^5 samples, where counting is the work, about as much.
    """

    estimator: ClassVar[str] = "shrinkage"
    conditions_on_sets: ClassVar[bool] = False

    def __init__(self, source: CountSource) -> None:
        self.source = source
        self._rows = ShrunkRows(source)
        self._kept: dict[int, Row] = {}
        self._most_kept = max(2, CACHE_BYTES // (8 * len(Row._fields) * max(source.n_features, 1)))

    def conditional(self) -> ConditionalInformation:
        """Not defined: the tables of many features have too many cells to be shrunk towards the uniform one."""
        raise UndefinedQuantityError(
            "estimator='shrinkage' does not define information conditional on a set of features: use 'plug-in' or "
            "'miller-madow'"
        )

    @property
    def n_features(self) -> int:
        """Number of features."""
        return self.source.n_features

    @property
    def entropy(self) -> Floats:
        """H(Xi), shape (n_features,)."""
        return self._rows.single.entropy

    @property
    def relevance(self) -> Floats:
        """I(Xi;C), shape (n_features,)."""
        return self._rows.single.relevance

    @property
    def varies(self) -> NDArray[np.bool_]:
        """False for columns of one code: they carry no information about anything."""
        return self._rows.single.varies

    @property
    def class_entropy(self) -> float:
        """H(C)."""
        return self._rows.class_entropy

    def pair(self, pivot: int, columns: Columns | None = None, *, by_class: bool = True) -> ShrunkPair:
        """The terms of every feature of ``columns`` (None: all) with the pivot."""
        kept = self._kept.get(pivot)
        if kept is None or (by_class and kept.joint_entropy is None):
            if columns is not None:
                return ShrunkPair(self, pivot, columns, self._rows.row(pivot, columns, by_class))
            kept = self._rows.row(pivot, np.arange(self.n_features), by_class)
            if len(self._kept) < self._most_kept:
                self._kept[pivot] = kept
        return ShrunkPair(self, pivot, columns, kept if columns is None else kept.take(columns))

    def mutual_information_matrix(
        self, dtype: DTypeLike = np.float64, columns: Columns | None = None, progress: Progress = None
    ) -> Matrix:
        """I(Xi;Xj) of every pair of ``columns`` (None: all), H(Xi) on the diagonal."""
        return self._matrix(self.entropy, lambda row: (row.redundancy,) * 2, dtype, columns, progress, by_class=False)

    def conditional_redundancy_matrix(
        self, dtype: DTypeLike = np.float64, columns: Columns | None = None, progress: Progress = None
    ) -> Matrix:
        """I(Xi;Xj|C) of every pair of ``columns`` (None: all), H(Xi|C) on the diagonal."""
        diagonal = self._rows.single.entropy_by_class
        return self._matrix(
            diagonal, lambda row: (counted_by_class(row.conditional_redundancy),) * 2, dtype, columns, progress
        )

    def conditional_mutual_information_matrix(
        self,
        dtype: DTypeLike = np.float64,
        columns: Columns | None = None,
        progress: Progress = None,
        *,
        symmetric: bool = False,
    ) -> Matrix:
        """[i, j] = I(Xi;C|Xj), the diagonal I(Xi;C); ``symmetric``: the mean with its transpose."""
        parts = _symmetric_relevances if symmetric else _conditional_relevances
        return self._matrix(self.relevance, parts, dtype, columns, progress)

    def symmetric_conditional_rows(self, pivots: Columns, columns: Columns, out: NDArray[np.floating]) -> None:
        """Rows of the symmetric conditional matrix, written to ``out`` of shape (pivots, columns)."""

        def work(place: int) -> None:
            out[place], _ = _symmetric_relevances(self._rows.row(int(pivots[place]), columns, True, n_jobs=1))

        run_blocks(work, range(len(pivots)), self.source.n_jobs)
        put_relevance(out, pivots, columns, self.relevance)

    def _matrix(
        self,
        diagonal: Floats,
        parts: Callable[[Row], tuple[Floats, Floats]],
        dtype: DTypeLike,
        columns: Columns | None,
        progress: Progress,
        *,
        by_class: bool = True,
    ) -> Matrix:
        """A matrix over ``columns``: ``parts`` makes of a row its entries right of the diagonal, and those below."""
        chosen = np.arange(self.n_features) if columns is None else columns
        matrix = square_matrix(len(chosen), dtype)
        np.fill_diagonal(matrix, diagonal[chosen])

        def fill(place: int) -> None:
            row = self._rows.row(int(chosen[place]), chosen[place + 1 :], by_class, n_jobs=1)
            matrix[place, place + 1 :], matrix[place + 1 :, place] = parts(row)

        run_blocks(fill, range(len(chosen) - 1), self.source.n_jobs, progress)
        return matrix


def _conditional_relevances(row: Row) -> tuple[Floats, Floats]:
    return counted_by_class(row.pivot_relevance), counted_by_class(row.conditional_relevance)


def _symmetric_relevances(row: Row) -> tuple[Floats, Floats]:
    forward, backward = _conditional_relevances(row)
    return ((forward + backward) / 2,) * 2


class ShrunkPair:
    """The information of some features with one pivot."""

    def __init__(self, information: ShrinkageInformation, pivot: int, columns: Columns | None, row: Row) -> None:
        self.information = information
        self.pivot = pivot
        self.columns = columns
        self._row = row

    def of(self, values: NDArray) -> NDArray:
        """Per-feature values (such as ``information.entropy``) of the features of these numbers."""
        return values if self.columns is None else values[self.columns]

    @property
    def redundancy(self) -> Floats:
        """I(Xi;Xs), s the pivot."""
        return self._row.redundancy

    @property
    def conditional_redundancy(self) -> Floats:
        """I(Xi;Xs|C)."""
        return counted_by_class(self._row.conditional_redundancy)

    @property
    def conditional_relevance(self) -> Floats:
        """I(Xi;C|Xs)."""
        return counted_by_class(self._row.conditional_relevance)

    @property
    def joint_relevance(self) -> Floats:
        """I(Xi,Xs;C)."""
        return counted_by_class(self._row.joint_relevance)

    @property
    def joint_entropy(self) -> Floats:
        """H(Xi,Xs,C)."""
        return counted_by_class(self._row.joint_entropy)

    @property
    def symmetric_relevance(self) -> Floats:
        """I(Xi,Xs;C) / H(Xi,Xs,C), both of the same shrunk table; 0 where all three are constant."""
        entropy = self.joint_entropy
        return np.divide(self.joint_relevance, entropy, out=np.zeros_like(entropy), where=entropy > 0)
