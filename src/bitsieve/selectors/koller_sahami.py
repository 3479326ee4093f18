"""Backward elimination by approximate Markov blankets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bitsieve.by_counts.blankets.koller_sahami import blanket_elimination
from bitsieve.common.parameters import check_choice, check_integer
from bitsieve.common.progress import phase
from bitsieve.selectors.counted import CountSelector

if TYPE_CHECKING:
    from bitsieve.information import Information


class KollerSahami(CountSelector):
    r"""Drop, one at a time, the feature that tells least about the class beside its approximate Markov blanket.

    ``delta_i = I(Xi;C|M_i)``, the blanket M_i being the K features left with the smallest I(Xi;C|Xj), known all
    together; the feature with the smallest delta is dropped and the blankets that held it are chosen afresh. Ties
    (1e-10): the highest column is dropped, so that the lowest stays. Columns that do not vary are dropped first.

    Parameters
    ----------
    n_features_to_select : int or float, default=10
        A float between 0 and 1 is a share of all columns.
    blanket_size : int, default=1
        K. With 0 the order is that of I(Xi;C). In a large blanket hardly two samples agree, and everything looks
        superfluous: 1 or 2 for hundreds of samples.
    blanket : {"relevance", "redundancy"}, default="relevance"
        "redundancy" makes M_i of the K features with the largest I(Xi;Xj).
    binning : {"mdl", "quantile", "uniform", "none"} or binner, default="mdl"
        How numeric columns become codes; "none" takes each distinct value as its own code.
    n_jobs : int, default=None
        Threads (None is 1, -1 every core); the result is the same to the last bit for any number.

    Attributes
    ----------
    support_ : ndarray of bool, shape (n_features,)
    ranking_ : ndarray of int, shape (n_features,)
        1 = never dropped; every feature has its own rank, the one dropped first the last.
    selected_ : ndarray of int, shape (n_features_to_select,)
        Column indices, the one that would have stayed longest first.
    scores_ : ndarray of float, shape (n_features_to_select,)
        What each told beside its blanket when it came to be dropped, in bits; of the first, I(Xi;C). They need not
        fall.
    relevance_ : ndarray of float, shape (n_features,)
        I(Xi;C) of every column, in bits.
    overlap_with_ : ndarray of int, shape (n_features_to_select,)
        The feature ranked before with the largest I(Xi;Xs); -1 for the first.
    overlap_ : ndarray of float, shape (n_features_to_select,)
        That information in bits; nan for the first.
    binner_ : binner
        Fitted; its ``bin_edges_`` show every cut.
    classes_ : ndarray
        The labels of the target, or its intervals where it was continuous.
    target_edges_ : ndarray or None
        The inner edges of a continuous target.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Where the columns have names.

    Notes
    -----
    Cost: O(n^2 d) samples read as bits for all pairs, d = n_samples, n = n_features, then some n (K + 1) counts of one
    feature and the class within the strata of a blanket. Memory: n^2 numbers and the bit planes.

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

    def __init__(
        self,
        n_features_to_select: int | float = 10,
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

    def _check_parameters(self) -> None:
        check_integer("blanket_size", self.blanket_size, 0, 2**31)
        check_choice("blanket", self.blanket, ("relevance", "redundancy"))

    def _choose(self, information: Information, k: int) -> None:
        phase("counting pairs")
        found = blanket_elimination(
            information, blanket_size=self.blanket_size, rule=self.blanket, progress=phase("ranking")
        )
        self.selected_, self.scores_ = found.order[:k], found.scores[:k]
        self.ranking_ = np.empty(information.n_features, np.intp)
        self.ranking_[found.order] = np.arange(1, information.n_features + 1)
