"""Information about a time to an event that may be censored, in bits per event.

With O_x the events of the rows of code x, and E_x those that they are expected to have (see
:mod:`bitsieve.counts.risk_sets`), both as in the log-rank test, and D events in all,

    I(X;dN) = (1/D) sum_x O_x log2(O_x / E_x)

E adds up over rows, so that pairs have it too, and the chain rule defines what is conditional on a column Z:

    I(X,Z;dN)  = (1/D) sum_xz O_xz log2(O_xz / E_xz)
    I(X;dN|Z)  = I(X,Z;dN) - I(Z;dN)                       which is 0 or more

With several intervals of time the sums are over the cells of every interval. Redundancy is that of the rows, whatever
their times; ``I(X;Z|dN)`` is defined by ``I(X;Z) - I(X;dN) + I(X;dN|Z)``. ``2 ln(2) D I(X;dN)`` is at most the
likelihood ratio of Cox's model with the codes as dummy variables (Breslow). An entropy of the events is not defined.

"corrected" subtracts the mean under chance: given the past, the events fall on the rows at risk at random. With
``p_x = E_x / D`` and ``b(n, p) = E[k log2 k]`` for k binomial,

    mean of I(X;dN)   = (1/D) sum_x [b(D, p_x) - D p_x log2(D p_x)]
    mean of I(X;dN|Z) = (1/D) sum_z sum_x [b(O_z, p_x) - O_z p_x log2(O_z p_x)]
"""

from __future__ import annotations

from math import log
from typing import ClassVar

import numpy as np
from numpy.typing import DTypeLike

from bitsieve.counts.source import CountSource, JointCodes, sums_of
from bitsieve.counts.survival import SurvivalSource, survival
from bitsieve.information.corrected import CAUTION, CorrectedInformation
from bitsieve.information.event_bits import MAX_CACHED_MEANS, EventBits, ExpectedShares, undefined_for_survival
from bitsieve.information.plug_in import PlugInInformation, SumInformation
from bitsieve.information.protocol import ConditionalInformation, Information, PairInformation, Quantity
from bitsieve.information.survival_given_set import CorrectedSurvivalConditional, SurvivalConditional
from bitsieve.utils.arrays import Columns, Flags, Floats, Integers, Matrix, Progress
from bitsieve.utils.lazy import cached_property


class SurvivalInformation(Information):
    """The plug-in information of features about a time to an event, in bits per event."""

    estimator: ClassVar[str] = "plug-in"
    conditions_on_sets: ClassVar[bool] = True
    row_information_type: ClassVar[type[SumInformation]] = PlugInInformation

    source: SurvivalSource

    def __init__(self, source: CountSource) -> None:
        survival_source = survival(source)
        assert survival_source is not None
        self.source = survival_source
        self.row_information = self.row_information_type(source)  # of the rows whatever their times: redundancy
        self.sums = sums_of(source)
        self.sums.row_seconds = survival_source.pair_cells_seconds
        self.event_bits = EventBits(survival_source)

    def conditional(self) -> ConditionalInformation:
        return self.plug_in_conditional()

    def plug_in_conditional(self) -> ConditionalInformation:
        return SurvivalConditional(self.source, self.event_bits, JointCodes(self.source))

    @property
    def about_classes(self) -> Information:
        """The information about the classes: censored, or the interval of the event."""
        return self.row_information

    @property
    def entropy(self) -> Floats:
        return self.row_information.entropy

    @property
    def entropy_by_class(self) -> Floats:
        raise undefined_for_survival("the entropy of a column given the events")

    @property
    def class_entropy(self) -> float:
        raise undefined_for_survival("the entropy of the events")

    @cached_property
    def relevance_sums(self) -> Integers:
        """``D I(Xi;dN)`` of every feature, in units of ``1 / per_bit`` bit."""
        all_columns = np.arange(self.n_features)
        return self.event_bits.sums_of_cells(self.source.pair_cells(None, all_columns), self.n_features)

    @cached_property
    def relevance(self) -> Floats:
        return self.bits(self.relevance_sums)

    @property
    def min_redundancy(self) -> Floats | None:
        return self.row_information.min_redundancy

    @property
    def varies(self) -> Flags:
        return self.row_information.varies

    def bits(self, sums: Integers) -> Floats:
        """Sums over cells as bits per event."""
        return self.event_bits.bits(sums)

    def pair(self, pivot: int, columns: Columns | None = None, *, by_class: bool = True) -> SurvivalPair:
        return SurvivalPair(self, pivot, columns)

    def matrix(
        self,
        quantity: Quantity,
        dtype: DTypeLike = np.float64,
        columns: Columns | None = None,
        progress: Progress = None,
    ) -> Matrix:
        if quantity != "redundancy":
            raise undefined_for_survival("a matrix of all pairs that involves the events")
        return self.row_information.matrix(quantity, dtype, columns, progress)


class CorrectedSurvivalInformation(SurvivalInformation):
    """The information of features about a time to an event less its mean under chance, in bits per event."""

    estimator: ClassVar[str] = "corrected"
    row_information_type: ClassVar[type[SumInformation]] = CorrectedInformation

    def __init__(self, source: CountSource) -> None:
        super().__init__(source)
        self._chance_by_feature: dict[int, Floats] = {}  # a cache

    @cached_property
    def expected_shares(self) -> ExpectedShares:
        """The shares of the expected events of every code."""
        return ExpectedShares(self.source, self.event_bits.per_bit)

    def conditional(self) -> ConditionalInformation:
        partition = JointCodes(self.source)
        return CorrectedSurvivalConditional(self.source, self.event_bits, partition, self.expected_shares)

    @cached_property
    def chance_of_relevance(self) -> Floats:
        """The mean of I(Xi;dN) under chance, for every Xi."""
        return self.bits(self.expected_shares.chance_sums(self.source.n_events_by_interval[None, :]))

    @cached_property
    def relevance(self) -> Floats:
        return self.bits(self.relevance_sums) - self.chance_of_relevance

    @cached_property
    def cautious_relevance(self) -> Floats:
        """I(Xi;dN) less twice its standard deviation under chance, ``sqrt(m / (D ln 2))`` for a mean of m bits."""
        return self.relevance - CAUTION * np.sqrt(self.chance_of_relevance / (self.source.n_events * log(2)))

    def chance_given_feature(self, feature: int) -> Floats:
        """The mean of I(Xi;dN|Xs) under chance, with Xs the feature, for every Xi."""
        cache = self._chance_by_feature
        if feature not in cache:
            if len(cache) * self.n_features >= MAX_CACHED_MEANS:
                cache.clear()
            events = self.source.events_of_codes(feature)
            cache[feature] = self.bits(self.expected_shares.chance_sums(events))
        return cache[feature]

    def chance_redundancy(self, feature: int, columns: Columns | None) -> Floats:
        """The mean of I(Xi;Xs) of the rows over all shuffles of Xi, with Xs the feature."""
        assert isinstance(self.row_information, CorrectedInformation)
        return self.row_information.chance_redundancy(feature, columns)

    def pair(self, pivot: int, columns: Columns | None = None, *, by_class: bool = True) -> CorrectedSurvivalPair:
        return CorrectedSurvivalPair(self, pivot, columns)


class SurvivalPair(PairInformation):
    """The information of features with one pivot about a time to an event."""

    information: SurvivalInformation

    def __init__(self, information: SurvivalInformation, pivot: int, columns: Columns | None) -> None:
        self.information = information
        self.pivot = pivot
        self.columns = columns

    @cached_property
    def _row_pair(self) -> PairInformation:
        """The same pairs, of the rows whatever their times."""
        return self.information.row_information.pair(self.pivot, self.columns, by_class=False)

    @property
    def redundancy(self) -> Floats:
        return self._row_pair.redundancy

    @property
    def divisor(self) -> Floats:
        return self._row_pair.divisor

    @cached_property
    def _joint_sums(self) -> Integers:
        """``D I(Xi,Xs;dN)``, in units of ``1 / per_bit`` bit."""
        info = self.information
        columns = self.of_features(np.arange(info.n_features))
        return info.event_bits.sums_of_cells(info.source.pair_cells(self.pivot, columns), len(columns))

    @property
    def conditional_relevance(self) -> Floats:
        return self.information.bits(self._joint_sums - self.information.relevance_sums[self.pivot])

    @property
    def joint_relevance(self) -> Floats:
        relevance_of_pivot = self.information.relevance[self.pivot]
        joint: Floats = self.conditional_relevance + relevance_of_pivot
        return joint

    @property
    def conditional_redundancy(self) -> Floats:
        return self.redundancy + self.conditional_relevance - self.of_features(self.information.relevance)

    @property
    def joint_entropy(self) -> Floats:
        raise undefined_for_survival("the joint entropy of two columns and the events")

    @property
    def symmetric_relevance(self) -> Floats:
        raise undefined_for_survival("information by the joint entropy of two columns and the events")


class CorrectedSurvivalPair(SurvivalPair):
    """The corrected information of features with one pivot about a time to an event."""

    information: CorrectedSurvivalInformation

    @cached_property
    def conditional_relevance(self) -> Floats:
        chance = self.information.chance_given_feature(self.pivot)
        return super().conditional_relevance - self.of_features(chance)
