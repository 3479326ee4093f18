"""Stop at the first candidate whose conditional information is no more than chance: by shuffling it."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from bitsieve.common.parameters import check_integer, check_level
from bitsieve.methods.by_counts.stopping.base import p_reason

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from bitsieve.information.conditional import ConditionalInformation
    from bitsieve.methods.by_counts.stopping.repeated_search import RepeatedSearch

LAST = 10  # shuffles that reach the observed value, after which p is known well enough
BATCH = 1 << 14  # shuffles at once
AFFORDED = 2 * 10**9  # codes to shuffle, about 4 seconds


@dataclass(frozen=True)
class PermutationStopping:
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
        Stop when the corrected p exceeds it.
    n_permutations : int, default=200
        Of the whole search: p is at least about ``1 / n_permutations``.
    random_state : int, default=0
        Same seed, same shuffles, for any number of threads.

    Notes
    -----
    Shuffles end as soon as h of them reach the observed value, h the larger of 10 and ``level * n_permutations``; then
    ``p = h / b`` for the b made until then, which keeps the level whatever h [2]_. Where that would be more than
    2 10^9 codes to shuffle, there are fewer shuffles, but enough for two to reach the observed value at the level.

    Cost: O(n_permutations n d) a step of n candidates and d samples, a small part of it for a candidate that is noise.

    References
    ----------
    .. [1] D. François, F. Rossi, V. Wertz, M. Verleysen, "Resampling methods for parameter-free and robust feature
       selection with mutual information", Neurocomputing 70, 2007. doi:10.1016/j.neucom.2006.11.019
    .. [2] J. Besag, P. Clifford, "Sequential Monte Carlo p-values", Biometrika 78, 1991. doi:10.1093/biomet/78.2.301

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
    unit: ClassVar[str] = "p"
    level: float = 0.05
    n_permutations: int = 200
    random_state: int = 0

    def __post_init__(self) -> None:
        check_level(self.level)
        check_integer("n_permutations", self.n_permutations, 20, 10**6)
        check_integer("random_state", self.random_state, 0, 2**32 - 1)

    def value(
        self,
        given: ConditionalInformation,
        candidate: int,
        n_candidates: int,
        search: RepeatedSearch | None = None,
    ) -> float:
        """The corrected p."""
        seeds = np.random.default_rng([self.random_state, candidate])
        if search is not None:
            figure = search.figure(candidate)
            return self._p(lambda some: search.best_after_shuffles(some) <= figure, self.n_permutations, seeds)
        observed = float(given.conditional_relevance(np.array([candidate]))[0])
        enough = max(ceil(2 * n_candidates / self.level), AFFORDED // given.n_samples)
        most = max(self.n_permutations, min(self.n_permutations * n_candidates, enough))
        p = self._p(lambda some: given.shuffled_relevance(candidate, some) >= observed, most, seeds)
        return min(1.0, n_candidates * p)

    def _p(
        self, reach: Callable[[NDArray[np.uint64]], NDArray[np.bool_]], most: int, seeds: np.random.Generator
    ) -> float:
        return share_of_shuffles(reach, most, max(LAST, ceil(self.level * self.n_permutations)), seeds)

    def stops(self, value: float) -> bool:
        """Whether p exceeds the level."""
        return value > self.level

    def reason(self, value: float) -> str:
        """p and the level."""
        return p_reason(value, self.level)


def share_of_shuffles(
    reach: Callable[[NDArray[np.uint64]], NDArray[np.bool_]], most: int, last: int, seeds: np.random.Generator
) -> float:
    """The share of shuffles that reach the observed value, of ``most`` or until ``last`` of them did.

    ``reach(seeds)`` tells of the shuffle of every seed whether it does.
    """
    made = reached = 0
    while made < most:
        batch = min(max(2 * last, made), most - made, BATCH)
        hits = np.flatnonzero(reach(seeds.integers(0, 2**64, batch, dtype=np.uint64)))
        if reached + len(hits) >= last:
            return last / (made + int(hits[last - reached - 1]) + 1)
        made, reached = made + batch, reached + len(hits)
    return (1 + reached) / (1 + made)
