"""What a greedy criterion is: the tables it requires, how its sum over the chosen features is updated, its score.

Most scores are a sum, or a minimum, over the chosen features, which is updated as each is chosen: a fold. The last axis
of all arrays is that of the candidates; methods work candidate by candidate, on all of them or on a subset.
"""

from __future__ import annotations

from abc import abstractmethod
from numbers import Real
from typing import ClassVar, Literal, Protocol, final, runtime_checkable

import numpy as np

from bitsieve.diagnostics import ParameterError, UserError
from bitsieve.information.protocol import Information, PairInformation
from bitsieve.utils.arrays import Floats
from bitsieve.utils.choice import Scores

RequiredTables = Literal["marginals", "pairs", "class pairs", "joint"]


class NamedCriterion(Protocol):
    """The description of a criterion: its ``name``, as in ``ForwardSelector(criterion=name)``, title and paper.

    ``unit`` of the score: "bits"; "ratio" of bits by bits; "mixed" where both are added. ``cost``: the time for n
    features, d samples and k features to select. ``required_tables``, from the cheapest on:

    - "marginals": each feature with the class,
    - "pairs": these, and each feature with each chosen one,
    - "class pairs": these, and the same pairs within each class,
    - "joint": each feature with the class, conditional on several chosen features together.

    ``is_gain``: whether the score is the information about the class that the candidate adds, so that one whose score
    is not above 0 adds none.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    formula: ClassVar[str]
    paper: ClassVar[str]
    unit: ClassVar[str] = "bits"
    required_tables: ClassVar[RequiredTables]
    cost: ClassVar[str] = "O(k n d)"
    is_gain: ClassVar[bool] = False

    @classmethod
    def seconds(cls, n: int, d: int, k: int) -> float:
        """An estimate of the time of one thread, for n features, d samples and k features to select."""
        return 5e-10 * n * d * (1 if cls.required_tables == "marginals" else k)


def check_takes_penalties(criterion: NamedCriterion) -> None:
    """Refuse penalties of columns for a criterion whose scores are not comparable with bits of one column."""
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
    """A score J(i | S) of candidate i that is conditional on several chosen features at once."""

    required_tables: ClassVar[RequiredTables] = "joint"

    @classmethod
    def seconds(cls, n: int, d: int, k: int) -> float:
        return 8e-9 * k * n * d

    @abstractmethod
    def scores(self, information: Information) -> Scores:
        """The scores of all candidates."""


class Criterion(NamedCriterion, Protocol):
    """A score J(i | S) of candidate i given the chosen set S, from a fold over S that is updated feature by feature.

    ``quantity``: what is folded, the name of an attribute of
    :class:`~bitsieve.information.protocol.PairInformation`. ``start``: the fold over an empty S.

    Two promises allow lazy updates. ``never_increases``: one more feature in the fold never raises the score, for the
    same size of S, so that the score of an old fold is an upper bound (Fleuret's rule). ``takes_off_mean_redundancy``:
    S enters by ``- mean_s I(Xi;Xs)`` alone, so that a smallest possible redundancy with the features not folded yet
    gives an upper bound.
    """

    quantity: ClassVar[str]
    start: ClassVar[float] = 0.0
    never_increases: ClassVar[bool] = False
    takes_off_mean_redundancy: ClassVar[bool] = False

    def empty_fold(self, n_features: int) -> Floats:
        """The fold over an empty S, by default one number for each candidate, ``start``.

        A fold of two numbers has the shape (2, n_features).
        """
        return np.full(n_features, self.start)

    def fold(self, folded: Floats, pair: PairInformation) -> Floats:
        """The fold over S and one more feature, by default the sum; ``pair``: that feature with the candidates."""
        quantity: Floats = getattr(pair, self.quantity)
        return folded + quantity

    def minima(self, information: Information) -> Scores | None:
        """The scores of all candidates, if the information has a faster way to compute them, else None."""
        return None

    def score(self, folded: Floats, relevance: Floats, n_selected: int) -> Floats:
        """J(i | S) from the fold, the relevance I(Xi;C) and the size of S (at least 1); by default the fold itself."""
        return folded

    def less_penalties(self, scores: Floats, penalties: Floats, n_selected: int) -> Floats:
        """The scores less the penalties, in bits; a score that is a sum over S takes one off every summand."""
        return scores - penalties


class MinimumCriterion(Criterion):
    """The smallest ``quantity`` of the candidate with one chosen feature; ``capped``: at most its relevance."""

    capped: ClassVar[bool] = False
    required_tables = "class pairs"
    start = float("inf")
    never_increases = True

    @final
    def minima(self, information: Information) -> Scores | None:
        return information.minima(self.quantity, capped=self.capped)

    @final
    def fold(self, folded: Floats, pair: PairInformation) -> Floats:
        quantity: Floats = getattr(pair, self.quantity)
        return np.minimum(folded, quantity)

    @final
    def score(self, folded: Floats, relevance: Floats, n_selected: int) -> Floats:
        if self.capped:
            return np.minimum(relevance, folded)
        return folded


def check_weight(name: str, value: float, problem: str = "is not a weight") -> None:
    """Refuse a parameter of a score that is not a finite number of 0 or more."""
    if not (isinstance(value, Real) and 0 <= value < float("inf")):
        raise ParameterError(name, value, "give a finite number of 0 or more", problem)
