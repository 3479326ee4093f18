"""Stop by p of shuffles, for any number of samples and any codes."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import ClassVar

import numpy as np

from bitsieve.information.protocol import ConditionalInformation
from bitsieve.methods.by_counts.stopping.independence import (
    ENOUGH_REACHED,
    affordable_shuffles,
    reached_by_shuffles,
    share_of_shuffles,
)
from bitsieve.methods.by_counts.stopping.level import LevelStopping
from bitsieve.methods.by_counts.stopping.repeated_search import RepeatedSearch
from bitsieve.utils.docstrings import cites
from bitsieve.utils.parameters import check_integer, check_level


@cites("François, Rossi, Wertz, Verleysen 2007", "Besag, Clifford 1991")
@dataclass(frozen=True)
class PermutationStopping(LevelStopping):
    """Compare I(Xi;C|S) with what shuffles among samples of equal S give to the best of all candidates.

    Such shuffles keep the dependence of the columns on S and break that on the class given S. With g of b shuffles that
    reach the observed value, ``p = (1 + g) / (1 + b)``: exact for any number of samples and any codes.

    - Where the columns were cut by the class (``binning="mdl"``), the classes are shuffled, every column tried is cut
      again, those left whole before too, and the best of all is compared.
    - Else the candidate alone is shuffled, up to ``n_permutations`` times for every candidate tried, and p is
      multiplied by their number (Bonferroni).

    Parameters
    ----------
    level : float, default=0.05
        No column is taken whose corrected p exceeds it; the selection ends where no other is left.
    n_permutations : int, default=200
        Of the whole search: p is at least about ``1 / n_permutations``.
    random_state : int, default=0
        Same seed, same shuffles, for any number of threads.

    Notes
    -----
    Shuffles end as soon as h of them reach the observed value, h the larger of 10 and ``level * n_permutations``; then
    ``p = h / b`` for the b made until then, which keeps the level whatever h (Besag, Clifford). Where that would be
    more than 2 10^9 codes, there are fewer shuffles, but enough for two to reach the observed value at the level.

    Cost: O(n_permutations n d) a step of n candidates and d samples, a small part of it for a candidate that is noise.

    Examples
    --------
    >>> from bitsieve import ForwardSelector, PermutationStopping
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> fitted = ForwardSelector("auto", criterion="cmi", stopping=PermutationStopping(random_state=1)).fit(X, y)
    >>> fitted.get_feature_names_out().tolist(), fitted.stopping_reason_
    (['petal length (cm)', 'petal width (cm)'], 'p = 0.4 > 0.05')
    """

    name: ClassVar[str] = "permutation"
    takes_survival: ClassVar[bool] = True
    takes_common_effect: ClassVar[bool] = True
    n_permutations: int = 200
    random_state: int = 0

    def __post_init__(self) -> None:
        check_level(self.level)
        check_integer("n_permutations", self.n_permutations, 20, 10**6)
        check_integer("random_state", self.random_state, 0, 2**32 - 1)

    def value(
        self,
        conditional: ConditionalInformation,
        candidate: int,
        n_candidates: int,
        search: RepeatedSearch | None = None,
    ) -> float:
        """The corrected p."""
        seeds = np.random.default_rng([self.random_state, candidate])
        max_reached = max(ENOUGH_REACHED, ceil(self.level * self.n_permutations))
        if search is None:
            reaches = reached_by_shuffles(conditional, candidate)
        else:
            reaches = search.reached(candidate)
            if search.search.exchangeable_units is None:
                # The best of all candidates is compared, so that p needs no correction.
                return share_of_shuffles(reaches, self.n_permutations, max_reached, seeds)
            n_candidates = len(search.candidates)
        n_affordable = max(ceil(2 * n_candidates / self.level), affordable_shuffles(conditional))
        max_shuffles = max(self.n_permutations, min(self.n_permutations * n_candidates, n_affordable))
        return min(1.0, n_candidates * share_of_shuffles(reaches, max_shuffles, max_reached, seeds))
