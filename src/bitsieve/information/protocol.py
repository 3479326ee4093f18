"""What every estimator of information computes, in bits: for features, pairs of features, and sets of features."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import log
from typing import ClassVar, Literal, NamedTuple, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

from bitsieve.counts.source import CountSource, Partition, conditioning
from bitsieve.counts.tables import DisjointSupport, EntropyTerms, Sums, make_entropy_terms
from bitsieve.diagnostics import UserError
from bitsieve.utils.arrays import Columns, Flags, Floats, Integers, Matrix, Progress
from bitsieve.utils.choice import Scores
from bitsieve.utils.lazy import cached_property
from bitsieve.utils.memory import square_matrix

ANY_EFFECT = "any"
COMMON = "common"
BITS_PER_EVENT = "bits per event"  # the unit of information about a time to an event

Number = TypeVar("Number", bound=np.generic)
ByClass = TypeVar("ByClass")
Quantity = Literal["redundancy", "conditional_redundancy", "conditional_relevance", "mean_relevance"]  # of a matrix
PairQuantity = Literal[
    "redundancy",
    "divisor",
    "conditional_redundancy",
    "conditional_relevance",
    "joint_relevance",
    "symmetric_relevance",
]


class UndefinedQuantityError(UserError):
    """The estimator does not define the quantity that was asked for."""


class PairInformation(Protocol):
    """The information of features Xi with one pivot Xs and the class C, in bits, one number for each Xi.

    The features are ``columns``; None stands for all. ``information`` is that of the features by themselves.
    """

    information: Information
    pivot: int
    columns: Columns | None

    def of_features(self, values: NDArray[Number]) -> NDArray[Number]:
        """Take the values of the features Xi from those of all features, such as ``information.entropy``."""
        return values if self.columns is None else values[self.columns]

    @property
    def redundancy(self) -> Floats:
        """I(Xi;Xs)."""

    @property
    def divisor(self) -> Floats:
        """I(Xi;Xs) as the denominator of a quotient: without a correction for chance, which may leave 0 or less."""
        return self.redundancy

    @property
    def conditional_redundancy(self) -> Floats:
        """I(Xi;Xs|C)."""

    @property
    def conditional_relevance(self) -> Floats:
        """I(Xi;C|Xs)."""

    def pivot_relevance(self) -> Floats:
        """I(Xs;C|Xi). Each is counted by itself, unless ``information.counts_both_ways``."""
        pivot = np.array([self.pivot])
        features = self.of_features(np.arange(self.information.n_features))
        pairs = [self.information.pair(feature, pivot) for feature in features.tolist()]
        return np.array([pair.conditional_relevance[0] for pair in pairs])

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

    def quantity(self, name: PairQuantity) -> Floats:
        """The property of this name."""
        match name:
            case "redundancy":
                return self.redundancy
            case "divisor":
                return self.divisor
            case "conditional_redundancy":
                return self.conditional_redundancy
            case "conditional_relevance":
                return self.conditional_relevance
            case "joint_relevance":
                return self.joint_relevance
            case "symmetric_relevance":
                return self.symmetric_relevance


class DisjointPairs(NamedTuple):
    """The information of pairs of columns, for a source that knows which columns have disjoint support."""

    support: DisjointSupport
    pair: Callable[[int, Columns, Integers], PairInformation]  # of a pivot with columns, given their ``S_xy``

    def co_occurring(self, pivot: int, max_codes: int) -> tuple[Columns, PairInformation] | None:
        """The columns whose support overlaps with the pivot's, and the information of these with it.

        None where more than ``max_codes`` codes would have to be visited.
        """
        columns_and_sums = self.support.co_occurring(pivot, max_codes)
        if columns_and_sums is None:
            return None
        columns, sums = columns_and_sums
        return columns, self.pair(pivot, columns, sums)

    def by_equivalence(self, pivot: int) -> PairInformation:
        """The information of a column of each equivalence class with the pivot, as if their supports were disjoint."""
        return self.pair(pivot, self.support.representatives, self.support.sums(pivot))


class Information(Protocol):
    """Entropies and mutual informations of the features of a source of counts and its class, in bits."""

    estimator: ClassVar[str]
    conditions_on_sets: ClassVar[bool]
    effect: ClassVar[str] = ANY_EFFECT  # within strata: any, or one that the strata have in common
    counts_both_ways: ClassVar[bool] = False  # one count of a pair gives I(Xi;C|Xs) and I(Xs;C|Xi)
    source: CountSource
    sums: Sums

    def __init__(self, source: CountSource) -> None: ...

    def conditional(self) -> ConditionalInformation:
        """Information conditional on a set of features, empty so far; refused where it is not defined."""

    def plug_in_conditional(self) -> ConditionalInformation:
        """Plug-in information of the same samples, conditional on a set of features that is empty so far."""
        partition = conditioning(self.source).partition()
        return ConditionalInformation(make_entropy_terms(self.source.n_samples), partition)

    def joined(self, groups: Sequence[Columns]) -> Self:
        """The information of features that are the joint values of groups of columns, by the same estimator."""
        return type(self)(conditioning(self.source).joined(groups))

    @property
    def about_classes(self) -> Information:
        """The information about the classes; that about a time to an event has another for them."""
        return self

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
        """I(Xi;C) for comparing candidates: an estimator may subtract what the largest of many owes to chance."""
        return self.relevance

    @property
    def min_redundancy(self) -> Floats | None:
        """A lower bound of I(Xi;Xs) over all Xs, for every Xi; None where the estimator knows none."""
        return None

    @property
    def varies(self) -> Flags:
        """False for columns of one code: they carry no information about anything."""

    def pair(self, pivot: int, columns: Columns | None = None, *, by_class: bool = True) -> PairInformation:
        """The information of every feature of ``columns`` (None: all) with the pivot.

        With ``by_class`` False only the redundancy may be asked for: it is cheaper.
        """

    def minima(self, quantity: PairQuantity, *, capped: bool, n_smallest: int = 1) -> Scores | None:
        """Scores that are, for every Xi, the minimum of a quantity of (Xi, Xs) over the features Xs added so far.

        With ``capped`` the score is at most I(Xi;C). With ``n_smallest=2`` it is the mean of the two smallest, and
        after one added feature the only one. None, as by default, where there is no faster way than :meth:`pair`.
        """
        return None

    def disjoint_pairs(self) -> DisjointPairs | None:
        """The information of columns of disjoint support; None, as by default, where the source does not know them."""
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
        """The square matrix of a quantity of every Xi with every pivot Xj, both of ``columns`` (None: all).

        ============================  ===========================================  =========
        quantity                      [i, j]                                       [i, i]
        ============================  ===========================================  =========
        "redundancy"                  I(Xi;Xj)                                     H(Xi)
        "conditional_redundancy"      I(Xi;Xj|C)                                   H(Xi|C)
        "conditional_relevance"       I(Xi;C|Xj)                                   I(Xi;C)
        "mean_relevance"              (I(Xi;C|Xj) + I(Xj;C|Xi)) / 2                I(Xi;C)
        ============================  ===========================================  =========
        """
        chosen = np.arange(self.n_features) if columns is None else columns
        matrix = square_matrix(len(chosen), dtype)
        for index, pivot in enumerate(chosen.tolist()):
            if quantity == "redundancy":
                redundancy = self.pair(pivot, chosen[index:], by_class=False).redundancy
                matrix[index:, index] = redundancy
                matrix[index, index:] = redundancy
            elif quantity == "conditional_redundancy":
                redundancy = self.pair(pivot, chosen[index:]).conditional_redundancy
                matrix[index:, index] = redundancy
                matrix[index, index:] = redundancy
            elif self.counts_both_ways:
                pair = self.pair(pivot, chosen[index:])
                matrix[index:, index] = pair.conditional_relevance
                matrix[index, index:] = pair.pivot_relevance()
            else:
                matrix[:, index] = self.pair(pivot, chosen).conditional_relevance
            if progress is not None:
                progress(index + 1, len(chosen))
        if quantity == "mean_relevance":
            matrix[:] = (matrix + matrix.T) / 2
        diagonal = {"redundancy": self.entropy, "conditional_redundancy": self.entropy_by_class}
        np.fill_diagonal(matrix, diagonal.get(quantity, self.relevance)[chosen])
        return matrix

    def symmetric_conditional_rows(self, pivots: Columns, columns: Columns, out: Matrix) -> None:
        """Write rows of the matrix "mean_relevance" to ``out``, of shape (pivots, columns).

        The numbers are those of :meth:`matrix`, bit for bit. Only these rows are counted.
        """
        if self.counts_both_ways:
            for row, feature in zip(out, pivots.tolist(), strict=True):
                pair = self.pair(feature, columns)
                row[:] = (pair.conditional_relevance + pair.pivot_relevance()) / 2
        else:
            out[:] = (self.conditional_rows(pivots, columns) + self.conditional_rows(columns, pivots).T) / 2
        self.put_relevance(pivots, columns, out)

    def put_relevance(self, pivots: Columns, columns: Columns, out: Matrix) -> None:
        """Write I(Xi;C) where the column of an entry is the pivot of its row; ``out`` is of shape (pivots, columns)."""
        index_of_feature = np.full(self.n_features, -1, np.intp)
        index_of_feature[columns] = np.arange(len(columns))
        rows = np.flatnonzero(index_of_feature[pivots] >= 0)
        out[rows, index_of_feature[pivots[rows]]] = self.relevance[pivots[rows]]


MIN_MEAN_SAMPLES = 5  # with fewer samples for each combination of values of Z, information given Z is mostly chance


class ConditionalInformation:
    """Information conditional on a set Z of features, not clipped at 0.

    The partition divides the samples by their joint values of Z. With S_z, S_zc, S_xz and S_xzc the sums of the entropy
    terms over the tables of these variables, and B the sum of terms that amounts to one bit,

        I(Xi;C|Z) = (S_z - S_zc - S_xz + S_xzc) / B
    """

    #: How long a shuffle takes, for each sample: as long as native code takes to shuffle so many codes.
    codes_per_sample: ClassVar[int] = 1

    def __init__(self, entropy_terms: EntropyTerms, partition: Partition) -> None:
        self.entropy_terms = entropy_terms
        self.partition = partition
        self.n_samples = entropy_terms.n_samples
        self._sums_of_feature: dict[int, tuple[Integers, Integers]] = {}  # cached for single features

    @property
    def n_combinations(self) -> int:
        """How many combinations of values of Z there are, in each of which samples are compared."""
        return self.partition.n_parts

    @property
    def is_supported(self) -> bool:
        """Whether there are five samples or more, on average, for each combination of values of Z."""
        return self.n_combinations * MIN_MEAN_SAMPLES <= self.n_samples

    def refine(self, feature: int) -> ConditionalInformation:
        """Conditional on the set and one more feature."""
        return ConditionalInformation(self.entropy_terms, self.partition.refine(feature))

    @cached_property
    def _class_sum(self) -> int:
        """``S_z - S_zc = B H(C|Z)``."""
        sum_z, sum_zc = self.partition.marginal_sums(self.entropy_terms)
        return sum_z - sum_zc

    @property
    def class_entropy(self) -> float:
        """H(C|Z)."""
        return self._class_sum / self.entropy_terms.per_bit

    def conditional_relevance(self, columns: Columns | None = None) -> Floats:
        """I(Xi;C|Z) of ``columns`` (None: all)."""
        chosen = np.arange(self.partition.source.n_features) if columns is None else columns
        sum_xz, sum_xzc = self._sums(chosen)
        return (sum_xzc - sum_xz + self._class_sum) / self.entropy_terms.per_bit

    def shuffled_relevance(self, feature: int, seeds: NDArray[np.uint64]) -> Floats:
        """I(Xi;C|Z) after shuffles of the feature among samples of equal Z, one shuffle for each seed."""
        sum_xz, _ = self._sums(np.array([feature]))
        shuffled_sum_xzc = self.partition.shuffled_sums(self.entropy_terms, feature, seeds)
        return (shuffled_sum_xzc - sum_xz + self._class_sum) / self.entropy_terms.per_bit

    def _sums(self, columns: Columns) -> tuple[Integers, Integers]:
        """``S_xz`` and ``S_xzc`` of ``columns``; those of a single column are counted once."""
        if len(columns) != 1:
            return self.partition.sums(self.entropy_terms, columns)
        feature = int(columns[0])
        if feature not in self._sums_of_feature:
            self._sums_of_feature[feature] = self.partition.sums(self.entropy_terms, columns)
        return self._sums_of_feature[feature]

    def test_statistics(self, columns: Columns) -> Floats:
        """``G = 2 N ln(2) I(Xi;C|Z)``, the statistics of the tests of I(Xi;C|Z) = 0, to compare with chi-squared."""
        bits = self.conditional_relevance(columns)
        return np.maximum(0.0, 2 * self.n_samples * log(2) * bits)  # rounding may go below 0

    def least_expected(self, feature: int) -> float:
        """The least expected count, without dependence, of a cell of the tables that the degrees of freedom count."""
        return self.partition.least_expected(feature)

    def degrees_of_freedom(self, feature: int) -> int:
        """``(codes - 1) (classes - 1)`` over the codes and classes that occur at each value of Z, summed."""
        return self.partition.degrees_of_freedom(feature)


def counted_by_class(values: ByClass | None) -> ByClass:
    """The values. Refuses None: they follow from counts by class, and the samples were counted without the class."""
    if values is None:
        raise TypeError("this was counted without the class; ask for it with by_class=True")
    return values


def class_uncertainty(information: Information) -> Floats:
    """The symmetric uncertainty SU(Xi,C) of every feature with the class."""
    return _symmetric_uncertainty(information.relevance, information.entropy + information.class_entropy)


def pair_uncertainty(pair: PairInformation) -> Floats:
    """The symmetric uncertainty SU(Xi,Xs) of the features of ``pair`` with their pivot."""
    entropy = pair.information.entropy
    return _symmetric_uncertainty(pair.redundancy, pair.of_features(entropy) + entropy[pair.pivot])


def _symmetric_uncertainty(information: Floats, entropies: Floats) -> Floats:
    """``2 I(X;Y) / (H(X) + H(Y))``; 0 where both are constant."""
    return np.divide(2 * information, entropies, out=np.zeros_like(entropies), where=entropies > 0)
