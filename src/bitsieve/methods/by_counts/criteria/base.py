"""The protocols of greedy criteria: the tables that one requires, the fold over the chosen features, and the score.

Most scores are a sum or a minimum over the chosen features: a fold, which is updated as each feature is chosen. The
last axis of all arrays is that of the candidates. Methods treat each candidate by itself, so that they may be called
for all candidates or for a subset.
"""

from __future__ import annotations

from abc import abstractmethod
from numbers import Real
from typing import ClassVar, Literal, Protocol, final, runtime_checkable

import numpy as np

from bitsieve.diagnostics import ParameterError, UserError
from bitsieve.information.protocol import Information, PairInformation, PairQuantity
from bitsieve.utils.arrays import Floats
from bitsieve.utils.choice import Scores

RequiredTables = Literal["marginals", "pairs", "class pairs", "joint"]


class NamedCriterion(Protocol):
    """The description of a criterion.

    ``required_tables``, from the cheapest on:

    - "marginals": each feature with the class,
    - "pairs": these, and each feature with each chosen one,
    - "class pairs": these, and the same pairs within each class,
    - "joint": each feature with the class, conditional on several chosen features together.
    """

    name: ClassVar[str]  # as in ``ForwardSelector(criterion=name)``
    title: ClassVar[str]
    formula: ClassVar[str]
    paper: ClassVar[str]
    unit: ClassVar[str] = "bits"  # of the score; "ratio" of bits by bits; "mixed" where both are added
    required_tables: ClassVar[RequiredTables]
    cost: ClassVar[str] = "O(k n d)"  # the time for n features, d samples and k features to select
    #: Whether the score is the information about the class that the candidate adds. A score of 0 or less adds none.
    is_gain: ClassVar[bool] = False

    @classmethod
    def seconds(cls, n: int, d: int, k: int) -> float:
        """An estimate of the time of one thread, for n features, d samples and k features to select."""
        return 5e-10 * n * d * (1 if cls.required_tables == "marginals" else k)


def check_takes_penalties(criterion: NamedCriterion) -> None:
    """Refuse penalties of columns, which are bits, for a criterion whose scores are not bits of one column."""
    if criterion.unit != "bits":
        raise UserError(
            code="undefined-quantity",
            message=f"penalties are bits, and the scores of {criterion.name} are none",
            advice="use a criterion whose scores are bits, such as cmim or jmi",
        )
    if criterion.required_tables == "joint":
        raise UserError(
            code="undefined-quantity",
            message=f"{criterion.name} conditions on sets of columns, and takes no penalties",
            advice="use a criterion of pairs, such as cmim or jmi",
        )


@runtime_checkable
class JointCriterion(NamedCriterion, Protocol):
    """A score J(i | S) of candidate i, conditional on all chosen features S together."""

    required_tables: ClassVar[RequiredTables] = "joint"

    @classmethod
    def seconds(cls, n: int, d: int, k: int) -> float:
        return 8e-9 * k * n * d

    @abstractmethod
    def scores(self, information: Information) -> Scores:
        """The scores of all candidates."""


class Criterion(NamedCriterion, Protocol):
    """A score J(i | S) of candidate i, from a fold over the chosen features S that is updated feature by feature.

    Two properties allow lazy updates, as each gives an upper bound of the score from a fold over a part of S:

    - ``never_increases``: for the same size of S, one more feature in the fold never raises the score. The score of the
      old fold is the bound (Fleuret's rule).
    - ``takes_off_mean_redundancy``: S enters the score only by ``- mean_s I(Xi;Xs)``. A lower bound of the redundancy
      with the features that are not folded yet gives the bound.
    """

    quantity: ClassVar[PairQuantity]  # what is folded
    start: ClassVar[float] = 0.0  # the fold over an empty S
    never_increases: ClassVar[bool] = False
    takes_off_mean_redundancy: ClassVar[bool] = False

    def empty_fold(self, n_features: int) -> Floats:
        """The fold over an empty S: by default ``start`` for each candidate, shape (n_features,).

        A criterion that folds two numbers for each candidate returns the shape (2, n_features).
        """
        return np.full(n_features, self.start)

    def fold(self, folded: Floats, pair: PairInformation) -> Floats:
        """Add one more feature to the fold, by default as a sum. The feature is the pivot of ``pair``."""
        return folded + pair.quantity(self.quantity)

    def minima(self, information: Information) -> Scores | None:
        """The scores of all candidates by a faster way than the fold; None, as by default, where there is none."""
        return None

    def score(self, folded: Floats, relevance: Floats, n_selected: int) -> Floats:
        """J(i | S) from the fold, the relevance I(Xi;C) and the size of S, at least 1. By default the fold itself."""
        return folded

    def less_penalties(self, scores: Floats, penalties: Floats, n_selected: int) -> Floats:
        """Subtract the penalties, in bits, from the scores. A score that is a sum over S subtracts one per summand."""
        return scores - penalties


class MinimumCriterion(Criterion):
    """The minimum over S of ``quantity`` of the candidate with a chosen feature."""

    capped: ClassVar[bool] = False  # whether the score is at most the relevance of the candidate
    required_tables = "class pairs"
    start = float("inf")
    never_increases = True

    @final
    def minima(self, information: Information) -> Scores | None:
        return information.minima(self.quantity, capped=self.capped)

    @final
    def fold(self, folded: Floats, pair: PairInformation) -> Floats:
        return np.minimum(folded, pair.quantity(self.quantity))

    @final
    def score(self, folded: Floats, relevance: Floats, n_selected: int) -> Floats:
        if self.capped:
            return np.minimum(relevance, folded)
        return folded


def check_weight(name: str, value: float, problem: str = "is not a weight") -> None:
    """Refuse a parameter of a score that is not a finite number of 0 or more."""
    if not (isinstance(value, Real) and 0 <= value < float("inf")):
        raise ParameterError(name, value, "give a finite number of 0 or more", problem)
