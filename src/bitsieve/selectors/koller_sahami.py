"""Backward elimination by approximate Markov blankets."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from bitsieve.common.parameters import check_choice, check_integer
from bitsieve.common.progress import phase
from bitsieve.methods.by_counts.blankets.koller_sahami import blanket_elimination
from bitsieve.methods.found import rank_all
from bitsieve.methods.method import Method, defaults_of
from bitsieve.selectors.counted import CountSelector

if TYPE_CHECKING:
    from bitsieve.information import Information
    from bitsieve.methods.found import Found


class KollerSahami(CountSelector):
    r"""Drop features one at a time, each the least informative one conditional on its approximate Markov blanket.

    ``delta_i = I(Xi;C|M_i)``, the blanket M_i being the K remaining features with the smallest I(Xi;C|Xj), all of which
    are conditioned on together; the feature with the smallest delta is dropped and the blankets that held it are chosen
    afresh. Ties (1e-10): the highest column is dropped, so that the lowest stays. Columns that do not vary are dropped
    first.

    Parameters
    ----------
    n_features_to_select : int or float, optional
        By default 10, or all columns where there are fewer.
        A float between 0 and 1 is a share of all columns.
    blanket_size : int, default=1
        K. With 0 the order is that of I(Xi;C). Where hardly two samples have the same values in a large blanket, every
        feature looks superfluous: give 1 or 2 for hundreds of samples.
    blanket : {"relevance", "redundancy"}, default="relevance"
        "redundancy" makes M_i of the K features with the largest I(Xi;Xj).
    binning : {"mdl", "quantile", "uniform", "none"} or binner, default="mdl"
        How numeric columns become codes; "none" takes each distinct value as its own code.
    n_jobs : int, default=None
        Threads (None is 1, -1 every core); the result is the same to the last bit for any number.

    Attributes
    ----------
    ranking_ : ndarray of int, shape (n_features,)
        1 = never dropped; every feature has its own rank, the one dropped first the last.
    selected_ : ndarray of int, shape (k,)
        Column indices, the one that would have stayed longest first.
    scores_ : ndarray of float, shape (k,)
        The delta of each when it was dropped, in bits; of the first, I(Xi;C). They need not fall.

    Notes
    -----
    Cost: O(n^2 d) samples read as bits for all pairs, d = n_samples, n = n_features, then some n (K + 1) counts of one
    feature and the class conditional on a blanket. Memory: n^2 numbers and the bit planes.

    References
    ----------
    D. Koller, M. Sahami, "Toward optimal feature selection", ICML 1996.

    Examples
    --------
    >>> from bitsieve import KollerSahami
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> selector = KollerSahami(2).fit(X, y)
    >>> selector.get_feature_names_out().tolist()
    ['petal length (cm)', 'petal width (cm)']
    """

    parameter_rules: ClassVar = {
        "blanket_size": partial(check_integer, low=0),
        "blanket": partial(check_choice, choices=("relevance", "redundancy")),
    }
    described = (
        Method(
            name="koller-sahami",
            title="Backward elimination by approximate Markov blankets",
            formula="drop the least I(Xi;C|M_i), M_i the K features j with the smallest I(Xi;C|Xj)",
            paper="Koller, Sahami 1996",
            needs="all pairs of features within each class, each feature conditional on its blanket; n x n numbers",
            cost="O(n^2 d), n^2 numbers",
        ),
    )

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        blanket_size: int = 1,
        blanket: str = "relevance",
        binning: Any = "mdl",
        n_jobs: int | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.blanket_size = blanket_size
        self.blanket = blanket
        self.binning = binning
        self.n_jobs = n_jobs

    def _choose(self, information: Information, k: int) -> Found:
        phase("counting pairs")
        found = blanket_elimination(
            information, blanket_size=self.blanket_size, rule=self.blanket, progress=phase("ranking")
        )
        scores = np.empty(information.n_features)
        scores[found.order] = found.scores
        return rank_all(found.order, information.varies, scores, k)


METHODS = (
    *(
        replace(
            each,
            selector="bitsieve.selectors.koller_sahami:KollerSahami",
            parameters=defaults_of(KollerSahami, **each.parameters),
        )
        for each in KollerSahami.described
    ),
)
