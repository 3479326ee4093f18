"""What a method needs of its data: tables of integers, and the sums of their entropy terms."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol, Self

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import DTypeLike, NDArray

    from bitsieve.counts.terms import Terms


class PairForm(NamedTuple):
    """The number made of the sums of a pair: ``(xy_sign*S_xy + xyc_sign*S_xyc + row[i] + column[j]) / unit``.

    With ``symmetric``, the mean of that number for (i, j) and for (j, i). All parts but the last division are
    integers, so equal tables give equal bits.
    """

    xy_sign: int
    xyc_sign: int
    row: NDArray[np.int64]
    column: NDArray[np.int64]
    unit: float
    symmetric: bool


class Strata(Protocol):
    """Samples in strata that agree on every feature refined by; those alone in theirs tell nothing.

    ``S_z`` is the sum of entropy terms over the strata, ``S_xz`` over strata and codes, a last ``c``: and classes.
    """

    def refine(self, feature: int) -> Self:
        """The strata split by one more feature."""
        ...

    def alone(self) -> tuple[int, int]:
        """``S_z`` and ``S_zc``."""
        ...

    def sums(self, columns: NDArray[np.intp] | None) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """``S_xz`` and ``S_xzc`` of ``columns`` (None: all), in their order."""
        ...

    def degrees_of_freedom(self, feature: int) -> int:
        """``(codes - 1) (classes - 1)`` over the codes and classes that occur in each stratum, summed."""
        ...

    def shuffled_sums(self, feature: int, seeds: NDArray[np.uint64]) -> NDArray[np.int64]:
        """``S_xzc`` after each of several shuffles of the feature within the strata, one for every seed."""
        ...


class CountSource(Protocol):
    """Contingency tables of ``n_features`` columns of codes and one class.

    ``S`` below is the sum of entropy terms over the cells of a table (see :mod:`bitsieve.counts.terms`).

    Attributes
    ----------
    n_samples, n_features, n_classes : int
    arities : ndarray of int32, shape (n_features,)
        Codes of feature i are ``0 .. arities[i] - 1``.
    class_sizes : ndarray of int64, shape (n_classes,)
    terms : Terms
    n_jobs : int or None
        Threads for work on its counts.
    """

    n_samples: int
    n_features: int
    n_classes: int
    arities: NDArray[np.int32]
    class_sizes: NDArray[np.int64]
    terms: Terms
    n_jobs: int | None

    @property
    def row_seconds(self) -> float:
        """A rough prediction of the time of one :meth:`pair_sums` over all columns."""
        ...

    def marginal_sums(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """``S_x`` of every feature and ``S_xc`` of every feature with the class, each of shape (n_features,)."""
        ...

    def pair_sums(
        self,
        pivot: int,
        columns: NDArray[np.intp] | None,
        within_classes: bool,
        out: tuple[NDArray[np.int64], NDArray[np.int64] | None] | None = None,
    ) -> tuple[NDArray[np.int64], NDArray[np.int64] | None]:
        """``S_xy`` and, if asked for, ``S_xyc`` of the pivot with ``columns``, in their order.

        ``columns`` None means all; then the sums may be written to ``out``, two arrays of shape (n_features,).
        """
        ...

    def matrix(
        self,
        form: PairForm,
        dtype: DTypeLike,
        columns: NDArray[np.intp] | None = None,
        progress: Callable[[int, int], object] | None = None,
    ) -> NDArray[np.floating]:
        """``form`` of every pair of ``columns`` (None: all), a square matrix; no table is kept."""
        ...

    def matrix_rows(
        self, form: PairForm, pivots: NDArray[np.intp], columns: NDArray[np.intp], out: NDArray[np.floating]
    ) -> None:
        """``form`` of every pair of a pivot and a column, written to ``out`` of shape (pivots, columns), C order.

        The numbers are those of :meth:`matrix`, bit for bit. ``columns`` in storage order are counted fastest.
        """
        ...

    @property
    def storage_order(self) -> NDArray[np.intp]:
        """All features, those counted together side by side."""
        ...

    def pair_table(self, i: int, j: int) -> NDArray[np.int64]:
        """The counts of features i and j and the class, shape (arities[i], arities[j], n_classes)."""
        ...

    def cell_counts(
        self, pivot: int, columns: NDArray[np.intp], within_classes: bool
    ) -> tuple[NDArray[np.int64], NDArray[np.int64] | None]:
        """The counts of the tables of the pivot (-1: a constant) with ``columns``: row k those with ``columns[k]``.

        Pooled over the classes and, if asked for, within them; in any order, empty cells left out or as zeros, the rows
        filled up with zeros. Runs on the calling thread, and on several at once.
        """
        ...

    def counting_order(self, columns: NDArray[np.intp]) -> NDArray[np.intp]:
        """``columns`` in an order in which those that are counted together follow each other."""
        ...

    def with_terms(self, terms: Terms) -> Self:
        """The same counts with other terms: every sum is then one of these."""
        ...

    def strata(self) -> Strata:
        """All samples as one stratum, to be refined."""
        ...

    def merged(self, groups: Sequence[NDArray[np.intp]]) -> CountSource:
        """The same samples with one feature for each group of columns, its codes their combinations."""
        ...

    def companions(self, columns: NDArray[np.intp]) -> NDArray[np.intp]:
        """``columns`` and those that are counted along with them at no extra cost, ascending."""
        ...
