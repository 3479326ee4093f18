"""What an estimator of information answers: quantities of features, of pairs of features, and of sets of features."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Protocol

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import DTypeLike, NDArray

    from bitsieve.counts.source import CountSource
    from bitsieve.information.conditional import ConditionalInformation
    from bitsieve.information.plug_in import ApartPairs, InformationMinima

    Floats = NDArray[np.float64]
    Columns = NDArray[np.intp]
    Matrix = NDArray[np.floating]
    Progress = Callable[[int, int], object] | None


class UndefinedQuantityError(ValueError):
    """The estimator does not define the quantity that was asked for."""


class PairInformation(Protocol):
    """The information of some features Xi with one pivot Xs, in bits, one number a feature."""

    @property
    def information(self) -> Information:
        """The quantities of features and class that go with these."""

    @property
    def pivot(self) -> int:
        """s."""

    def of(self, values: NDArray) -> NDArray:
        """Per-feature values (such as ``information.entropy``) of the features of these numbers."""

    @property
    def redundancy(self) -> Floats:
        """I(Xi;Xs)."""

    @property
    def conditional_redundancy(self) -> Floats:
        """I(Xi;Xs|C)."""

    @property
    def conditional_relevance(self) -> Floats:
        """I(Xi;C|Xs)."""

    @property
    def joint_relevance(self) -> Floats:
        """I(Xi,Xs;C)."""

    @property
    def joint_entropy(self) -> Floats:
        """H(Xi,Xs,C)."""

    @property
    def symmetric_relevance(self) -> Floats:
        """I(Xi,Xs;C) / H(Xi,Xs,C); 0 where all three are constant."""


class Information(Protocol):
    """Entropies and mutual informations of the features of a source of counts and its class, in bits.

    Attributes
    ----------
    estimator : str
        Its name.
    conditions_on_sets : bool
        Whether :meth:`conditional` is defined.
    source : CountSource
    """

    estimator: ClassVar[str]
    conditions_on_sets: ClassVar[bool]
    source: CountSource

    def __init__(self, source: CountSource) -> None: ...

    def conditional(self) -> ConditionalInformation:
        """Information conditional on a set of features, which is empty and to be refined.

        Raises
        ------
        UndefinedQuantityError
            If the estimator does not define it.
        """

    @property
    def n_features(self) -> int:
        """Number of features."""

    @property
    def entropy(self) -> Floats:
        """H(Xi), shape (n_features,)."""

    @property
    def class_entropy(self) -> float:
        """H(C)."""

    @property
    def relevance(self) -> Floats:
        """I(Xi;C), shape (n_features,)."""

    @property
    def varies(self) -> NDArray[np.bool_]:
        """False for columns of one code: they carry no information about anything."""

    def pair(self, pivot: int, columns: Columns | None = None, *, by_class: bool = True) -> PairInformation:
        """The information of every feature of ``columns`` (None: all) with the pivot.

        Parameters
        ----------
        pivot : int
        columns : ndarray of int, optional
        by_class : bool
            False if only the redundancy will be asked for: it is cheaper.
        """

    def minima(self, quantity: str, *, capped: bool) -> InformationMinima | None:
        """The least of a quantity of pairs over chosen features, searched for its largest.

        Parameters
        ----------
        quantity : str
            An attribute of :class:`PairInformation`.
        capped : bool
            Whether the minimum is at most I(Xi;C).

        Returns
        -------
        InformationMinima or None
            None where no quicker way than :meth:`pair` is known, as by default.
        """
        return None

    def apart(self) -> ApartPairs | None:
        """What columns that no sample brings together share; None where it is not known of any, as by default."""
        return None

    def redundancies(self, columns: Columns) -> Matrix:
        """[i, j] = I(Xi;Xj) of ``columns`` for i > j; what stands elsewhere means nothing."""
        return redundancies_of_rows(self, columns)

    def conditional_rows(self, pivots: Columns, columns: Columns) -> Matrix:
        """[s, i] = I(Xi;C|Xs) of ``columns`` with each of some pivots."""
        return np.array([self.pair(pivot, columns).conditional_relevance for pivot in pivots.tolist()])

    def mutual_information_matrix(
        self, dtype: DTypeLike = np.float64, columns: Columns | None = None, progress: Progress = None
    ) -> Matrix:
        """I(Xi;Xj) of every pair of ``columns`` (None: all), H(Xi) on the diagonal."""

    def conditional_redundancy_matrix(
        self, dtype: DTypeLike = np.float64, columns: Columns | None = None, progress: Progress = None
    ) -> Matrix:
        """I(Xi;Xj|C) of every pair of ``columns`` (None: all), H(Xi|C) on the diagonal."""

    def conditional_mutual_information_matrix(
        self,
        dtype: DTypeLike = np.float64,
        columns: Columns | None = None,
        progress: Progress = None,
        *,
        symmetric: bool = False,
    ) -> Matrix:
        """[i, j] = I(Xi;C|Xj), the diagonal I(Xi;C); ``symmetric``: the mean with its transpose."""

    def symmetric_conditional_rows(self, pivots: Columns, columns: Columns, out: NDArray[np.floating]) -> None:
        """Rows of the symmetric conditional matrix, written to ``out`` of shape (pivots, columns).

        The numbers are those of the matrix, bit for bit; only these rows are counted.
        """


def counted_by_class(values: NDArray | None) -> NDArray:
    """``values``, refused where they need counts within the classes that were not made."""
    if values is None:
        raise TypeError("this was counted without the class; ask for it with by_class=True")
    return values


def redundancies_of_rows(information: Information, columns: Columns) -> Matrix:
    """[i, j] = I(Xi;Xj) of ``columns`` for i > j, each column the row of a pivot; zeros elsewhere."""
    out = np.zeros((len(columns), len(columns)))
    for place, pivot in enumerate(columns[:-1].tolist()):
        out[place + 1 :, place] = information.pair(pivot, columns[place + 1 :], by_class=False).redundancy
    return out


def put_relevance(out: NDArray[np.floating], pivots: Columns, columns: Columns, relevance: Floats) -> None:
    """Write I(Xi;C) where a row of pairs, of a pivot with ``columns``, meets the pivot itself."""
    place = np.full(len(relevance), -1, np.intp)
    place[columns] = np.arange(len(columns))
    rows = np.flatnonzero(place[pivots] >= 0)
    out[rows, place[pivots[rows]]] = relevance[pivots[rows]]


def class_uncertainty(information: Information) -> Floats:
    """SU(Xi,C) of every feature."""
    return _share(information.relevance, information.entropy + information.class_entropy)


def pair_uncertainty(pair: PairInformation) -> Floats:
    """SU(Xi,Xs) of the features of ``pair`` with their pivot s."""
    entropy = pair.information.entropy
    return _share(pair.redundancy, pair.of(entropy) + entropy[pair.pivot])


def _share(information: Floats, entropies: Floats) -> Floats:
    return np.divide(2 * information, entropies, out=np.zeros_like(entropies), where=entropies > 0)
