"""Stop at the first candidate whose conditional information is no more than chance: by shuffling it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from scipy.special import gammaincc

from bitsieve.common.parameters import check_integer, check_level

if TYPE_CHECKING:
    from bitsieve.information.conditional import ConditionalInformation


@dataclass(frozen=True)
class PermutationStopping:
    """Compare I(Xi;C|S) with its values after shuffles of Xi among samples of equal S.

    Such shuffles keep the dependence of Xi on S and break that on the class given S. The ``n_permutations``
    values give a gamma distribution of the same mean and variance (the limit of a plug-in information under
    independence), whose tail beyond the observed one is multiplied by the candidates tried (Bonferroni): a p far below
    ``1 / n_permutations`` can be told so. The p is never less than the plain share of shuffles that reach the observed
    value.

    Parameters
    ----------
    level : float, default=0.05
        Stop when the corrected p exceeds it.
    n_permutations : int, default=200
    random_state : int, default=0
        Same seed, same shuffles, for any number of threads.

    Notes
    -----
    Cost: O(n_permutations d) a step, d the samples whose value of S another sample shares.

    References
    ----------
    D. François, F. Rossi, V. Wertz, M. Verleysen, "Resampling methods for parameter-free and robust feature selection
    with mutual information", Neurocomputing 70, 2007. doi:10.1016/j.neucom.2006.11.019

    Examples
    --------
    >>> from bitsieve import ForwardSelector, PermutationStopping
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> fitted = ForwardSelector("auto", criterion="cmi", stopping=PermutationStopping(random_state=1)).fit(X, y)
    >>> fitted.get_feature_names_out().tolist(), fitted.stopping_reason_
    (['petal length (cm)', 'petal width (cm)'], 'p = 0.21 > 0.05')
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

    def value(self, given: ConditionalInformation, candidate: int, n_candidates: int) -> float:
        """The corrected p."""
        observed = float(given.conditional_relevance(np.array([candidate]))[0])
        random = np.random.default_rng([self.random_state, candidate])
        seeds = random.integers(0, 2**64, self.n_permutations, dtype=np.uint64)
        shuffled = given.shuffled_relevance(candidate, seeds)
        reached = (1 + int((shuffled >= observed).sum())) / (1 + self.n_permutations)
        mean, variance = float(shuffled.mean()), float(shuffled.var(ddof=1))
        if mean <= 0 or variance == 0:
            return 1.0  # every shuffle has the same information: nothing can be said
        tail = float(gammaincc(mean * mean / variance, observed * mean / variance))
        return max(reached, min(1.0, n_candidates * tail))

    def stops(self, value: float) -> bool:
        """Whether p exceeds the level."""
        return value > self.level

    def reason(self, value: float) -> str:
        """p and the level."""
        return f"p = {value:.2g} > {self.level:g}"
