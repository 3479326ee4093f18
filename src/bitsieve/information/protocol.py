"""What an estimator of information answers, in bits: of features, of pairs of features, and of sets of features."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, Literal, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

from bitsieve.counts.source import CountSource, Partition
from bitsieve.counts.tables import DisjointSupport, Sums, Terms
from bitsieve.diagnostics import UserError
from bitsieve.utils.arrays import Columns, Flags, Floats, Integers, Matrix, Progress
from bitsieve.utils.choice import Scores
from bitsieve.utils.lazy import cached_property
from bitsieve.utils.memory import square_matrix

Number = TypeVar("Number", bound=np.generic)
Counted = TypeVar("Counted")
Quantity = Literal["redundancy", "conditional_redundancy", "conditional_relevance", "mean_relevance"]  # of a matrix


class UndefinedQuantityError(UserError):
    """The estimator does not define the quantity that was asked for."""


class PairInformation(Protocol):
    """The information of some features Xi (``columns``; None: all) with one pivot Xs, in bits, one number a feature.

    ``information`` has the quantities of features and class that go with these.
    """

    information: Information
    pivot: int
    columns: Columns | None

    def of(self, values: NDArray[Number]) -> NDArray[Number]:
        """Per-feature values (such as ``information.entropy``) of the features of these numbers."""
        return values if self.columns is None else values[self.columns]

    @property
    def redundancy(self) -> Floats:
        """I(Xi;Xs)."""

    @property
    def divisor(self) -> Floats:
        """I(Xi;Xs) as a quotient divides by it: nothing taken off that may leave 0 or less."""
        return self.redundancy

    @property
    def conditional_redundancy(self) -> Floats:
        """I(Xi;Xs|C)."""

    @property
    def conditional_relevance(self) -> Floats:
        """I(Xi;C|Xs)."""

    def pivot_relevance(self) -> Floats:
        """I(Xs;C|Xi), each of a count of its own unless ``information.counts_both_ways``."""
        information = self.information
        pivot = np.array([self.pivot])
        return np.array(
            [
                information.pair(i, pivot).conditional_relevance[0]
                for i in self.of(np.arange(information.n_features)).tolist()
            ]
        )

    @property
    def joint_relevance(self) -> Floats:
        """I(Xi,Xs;C)."""

    @property
    def joint_entropy(self) -> Floats:
        """H(Xi,Xs,C)."""

    @property
    def symmetric_relevance(self) -> Floats:
        """I(Xi,Xs;C) / H(Xi,Xs,C); 0 where all three are constant."""
        entropy = self.joint_entropy
        return np.divide(self.joint_relevance, entropy, out=np.zeros_like(entropy), where=entropy > 0)


class DisjointPairs(NamedTuple):
    """The information of a pivot with columns of known support; ``pair(pivot, columns, xy)`` makes it of sums."""

    support: DisjointSupport
    pair: Callable[[int, Columns, Integers], PairInformation]

    def co_occurring(self, pivot: int, max_codes: int) -> tuple[Columns, PairInformation] | None:
        """The columns whose support meets the pivot's, and it with them; None beyond ``max_codes`` codes."""
        co_occurring = self.support.co_occurring(pivot, max_codes)
        return None if co_occurring is None else (co_occurring[0], self.pair(pivot, *co_occurring))

    def by_equivalence(self, pivot: int) -> PairInformation:
        """The pivot with a column of every equivalence class, as if their supports were disjoint."""
        return self.pair(pivot, self.support.representatives, self.support.sums(pivot))


class Information(Protocol):
    """Entropies and mutual informations of the features of a source of counts and its class, in bits."""

    estimator: ClassVar[str]
    conditions_on_sets: ClassVar[bool]
    counts_both_ways: ClassVar[bool] = False  # one count of a pair gives I(Xi;C|Xs) and I(Xs;C|Xi)
    source: CountSource
    sums: Sums

    def __init__(self, source: CountSource) -> None: ...

    def conditional(self) -> ConditionalInformation:
        """Information conditional on a set of features, empty so far; refused where it is not defined."""

    @property
    def n_features(self) -> int:
        return self.source.n_features

    @property
    def entropy(self) -> Floats:
        """H(Xi), shape (n_features,)."""

    @property
    def entropy_by_class(self) -> Floats:
        """H(Xi|C), shape (n_features,)."""

    @property
    def class_entropy(self) -> float:
        """H(C)."""

    @property
    def relevance(self) -> Floats:
        """I(Xi;C), shape (n_features,)."""

    @property
    def cautious_relevance(self) -> Floats:
        """I(Xi;C) less what the largest of many may owe to luck, where that is known: what candidates compare by."""
        return self.relevance

    @property
    def least_redundancy(self) -> Floats | None:
        """What I(Xi;Xs) is never below, of every feature and whatever the other is; None where that is not known."""
        return None

    @property
    def varies(self) -> Flags:
        """False for columns of one code: they carry no information about anything."""

    def pair(self, pivot: int, columns: Columns | None = None, *, by_class: bool = True) -> PairInformation:
        """The information of every feature of ``columns`` (None: all) with the pivot.

        With ``by_class`` False only the redundancy may be asked for: it is cheaper.
        """

    def minima(self, quantity: str, *, capped: bool) -> Scores | None:
        """The least of a quantity of pairs (an attribute of :class:`PairInformation`) over the features added.

        With ``capped`` it is at most I(Xi;C). None where no quicker way than :meth:`pair` is known, as by default.
        """
        return None

    def disjoint_pairs(self) -> DisjointPairs | None:
        """What columns of disjoint support share; None where it is not known of any, as by default."""
        return None

    def conditional_rows(self, pivots: Columns, columns: Columns) -> Matrix:
        """[s, i] = I(Xi;C|Xs) of ``columns`` with each of some pivots."""
        return np.array([self.pair(feature, columns).conditional_relevance for feature in pivots.tolist()])

    def matrix(
        self,
        quantity: Quantity,
        dtype: DTypeLike = np.float64,
        columns: Columns | None = None,
        progress: Progress = None,
    ) -> Matrix:
        """[i, j] = a quantity of features i and pivot j of ``columns`` (None: all); of the feature on the diagonal.

        "redundancy" I(Xi;Xj), H(Xi) on the diagonal; "conditional_redundancy" I(Xi;Xj|C), H(Xi|C);
        "conditional_relevance" I(Xi;C|Xj), I(Xi;C); "mean_relevance" the mean of that with its transpose.
        """
        chosen = np.arange(self.n_features) if columns is None else columns
        matrix = square_matrix(len(chosen), dtype)
        pair_quantity = "conditional_relevance" if quantity == "mean_relevance" else quantity
        symmetric = pair_quantity != "conditional_relevance"
        half = symmetric or self.counts_both_ways
        for index, feature in enumerate(chosen.tolist()):
            first = index if half else 0
            pair = self.pair(feature, chosen[first:], by_class=pair_quantity != "redundancy")
            matrix[first:, index] = getattr(pair, pair_quantity)
            if half:
                matrix[index, first:] = matrix[first:, index] if symmetric else pair.pivot_relevance()
            if progress is not None:
                progress(index + 1, len(chosen))
        if quantity == "mean_relevance":
            matrix[:] = (matrix + matrix.T) / 2
        single = {"redundancy": self.entropy, "conditional_redundancy": self.entropy_by_class}
        np.fill_diagonal(matrix, single.get(quantity, self.relevance)[chosen])
        return matrix

    def symmetric_conditional_rows(self, pivots: Columns, columns: Columns, out: Matrix) -> None:
        """Rows of the symmetric conditional matrix, written to ``out`` of shape (pivots, columns).

        The numbers are those of the matrix, bit for bit; only these rows are counted.
        """
        if self.counts_both_ways:
            for row, feature in zip(out, pivots.tolist(), strict=True):
                pair = self.pair(feature, columns)
                row[:] = (pair.conditional_relevance + pair.pivot_relevance()) / 2
        else:
            out[:] = (self.conditional_rows(pivots, columns) + self.conditional_rows(columns, pivots).T) / 2
        self.put_relevance(pivots, columns, out)

    def put_relevance(self, pivots: Columns, columns: Columns, out: Matrix) -> None:
        """Write I(Xi;C) where a row of pairs, of a pivot with ``columns``, meets the pivot itself."""
        index_of_feature = np.full(self.n_features, -1, np.intp)
        index_of_feature[columns] = np.arange(len(columns))
        rows = np.flatnonzero(index_of_feature[pivots] >= 0)
        out[rows, index_of_feature[pivots[rows]]] = self.relevance[pivots[rows]]


class ConditionalInformation:
    """Information conditional on a set Z of features: by the terms of an estimator, the samples divided by Z.

    With ``S`` the sums over the tables named below, ``I(Xi;C|Z) = (S_z - S_zc - S_xz + S_xzc) / B``, B the sum that
    amounts to one bit: not clipped.
    """

    def __init__(self, terms: Terms, partition: Partition) -> None:
        self.terms = terms
        self.partition = partition
        self.n_samples = terms.n_samples

    def refine(self, feature: int) -> ConditionalInformation:
        """Conditional on the set and one more feature."""
        return ConditionalInformation(self.terms, self.partition.refine(feature))

    @cached_property
    def _known(self) -> int:
        """``S_z - S_zc``."""
        z, zc = self.partition.marginal_sums(self.terms)
        return z - zc

    @property
    def class_entropy(self) -> float:
        """H(C|Z)."""
        return self._known / self.terms.per_bit

    def conditional_relevance(self, columns: Columns | None = None) -> Floats:
        """I(Xi;C|Z) of ``columns`` (None: all)."""
        chosen = np.arange(self.partition.source.n_features) if columns is None else columns
        xz, xzc = self.partition.sums(self.terms, chosen)
        return (xzc - xz + self._known) / self.terms.per_bit

    def shuffled_relevance(self, feature: int, seeds: NDArray[np.uint64]) -> Floats:
        """I(Xi;C|Z) after each of several shuffles of the feature among samples of equal Z, one for every seed."""
        xz, _ = self.partition.sums(self.terms, np.array([feature]))
        return (self.partition.shuffled_sums(self.terms, feature, seeds) - xz + self._known) / self.terms.per_bit

    def least_expected(self, feature: int) -> float:
        """The least expected count, without dependence, of a cell of the tables that the degrees of freedom count."""
        return self.partition.least_expected(feature)

    def degrees_of_freedom(self, feature: int) -> int:
        """``(codes - 1) (classes - 1)`` over the codes and classes that occur at each value of Z, summed."""
        return self.partition.degrees_of_freedom(feature)


def counted_by_class(values: Counted | None) -> Counted:
    """``values``, refused where they need counts within the classes that were not made."""
    if values is None:
        raise TypeError("this was counted without the class; ask for it with by_class=True")
    return values


def class_uncertainty(information: Information) -> Floats:
    """SU(Xi,C) of every feature."""
    return _share(information.relevance, information.entropy + information.class_entropy)


def pair_uncertainty(pair: PairInformation) -> Floats:
    """SU(Xi,Xs) of the features of ``pair`` with their pivot s."""
    entropy = pair.information.entropy
    return _share(pair.redundancy, pair.of(entropy) + entropy[pair.pivot])


def _share(information: Floats, entropies: Floats) -> Floats:
    return np.divide(2 * information, entropies, out=np.zeros_like(entropies), where=entropies > 0)
