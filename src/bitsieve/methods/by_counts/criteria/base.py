"""What a greedy criterion is: the information it needs, how it folds that over the chosen features, and its score.

All arrays are elementwise over candidates, so the loop may hand over all of them or a few.
"""

from __future__ import annotations

from abc import abstractmethod
from numbers import Real
from typing import ClassVar, Literal, Protocol, final

import numpy as np

from bitsieve.diagnostics import ParameterError
from bitsieve.information.protocol import Information, PairInformation
from bitsieve.utils.arrays import Floats
from bitsieve.utils.choice import Scores

RequiredTables = Literal["marginals", "pairs", "class pairs", "joint"]


class NamedCriterion(Protocol):
    """What every criterion says of itself: its ``name``, as in ``ForwardSelector(criterion=name)``, title and source.

    ``unit``: of the score: "bits"; "ratio" of bits by bits; "mixed" where both are added. ``required_tables``: the
    tables it looks at: "marginals" of each feature with the class; also "pairs" of features; also "class pairs", within
    each class, which cost more to count; or "joint": each feature and the class, conditional on several chosen
    features. ``cost``: the time for n features, d samples and k features to select.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    formula: ClassVar[str]
    paper: ClassVar[str]
    unit: ClassVar[str] = "bits"
    required_tables: ClassVar[RequiredTables]
    cost: ClassVar[str] = "O(k n d)"

    @classmethod
    def seconds(cls, n: int, d: int, k: int) -> float:
        """About, of one thread, for n features, d samples and k features to select."""
        return 5e-10 * n * d * (1 if cls.required_tables == "marginals" else k)


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
    """A score J(i | S) of candidate i given the chosen set S, folded over S one feature at a time.

    ``quantity``: an attribute of :class:`~bitsieve.information.protocol.PairInformation`, what is folded. ``start``:
    what the fold of an empty S holds. ``never_increases``: whether adding to S can never raise a score, so that stale
    scores bound fresh ones (Fleuret's lazy rule). ``takes_off_mean_redundancy``: whether all that S changes is its mean
    I(Xi;Xs), taken off: then what is known of S bounds the score too, as a redundancy has a least value.
    """

    quantity: ClassVar[str]
    start: ClassVar[float] = 0.0
    never_increases: ClassVar[bool] = False
    takes_off_mean_redundancy: ClassVar[bool] = False

    def fold(self, folded: Floats, pair: PairInformation) -> Floats:
        """The fold over S and one more feature, whose information with the candidates is given: by default the sum."""
        quantity: Floats = getattr(pair, self.quantity)
        return folded + quantity

    def minima(self, information: Information) -> Scores | None:
        """The scores of all candidates, where the information has a quick way to them; None: it has none."""
        return None

    def score(self, folded: Floats, relevance: Floats, n_selected: int) -> Floats:
        """J(i | S) from the fold, the relevance I(Xi;C) and the size of S (at least 1); by default the fold itself."""
        return folded


class MinimumCriterion(Criterion):
    """The least ``quantity`` of the candidate and one chosen feature; ``capped``: never above the relevance."""

    capped: ClassVar[bool] = False
    required_tables = "class pairs"
    start = float("inf")
    never_increases = True

    @final
    def minima(self, information: Information) -> Scores | None:
        """Those that counting makes of the integers themselves."""
        return information.minima(self.quantity, capped=self.capped)

    @final
    def fold(self, folded: Floats, pair: PairInformation) -> Floats:
        quantity: Floats = getattr(pair, self.quantity)
        return np.minimum(folded, quantity)

    @final
    def score(self, folded: Floats, relevance: Floats, n_selected: int) -> Floats:
        return np.minimum(relevance, folded) if self.capped else folded


def check_weight(name: str, value: float, problem: str = "is not a weight") -> None:
    """Refuse a parameter of a score that is not a finite number of 0 or more."""
    if not (isinstance(value, Real) and 0 <= value < float("inf")):
        raise ParameterError(name, value, "give a finite number of 0 or more", problem)
