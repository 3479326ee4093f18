"""Global selection by the spectrum of pairwise conditional information."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bitsieve.binning.parameters import check_choice
from bitsieve.by_counts.spectral import spectral_ranking
from bitsieve.selectors.counted import CountSelector

if TYPE_CHECKING:
    from bitsieve.information import PairwiseInformation


class SpecCMI(CountSelector):
    r"""Rank all features at once by the dominant eigenvector of their pairwise conditional information.

    ``Q_ii = I(Xi;C)``, ``Q_ij = (I(Xi;C|Xj) + I(Xj;C|Xi)) / 2``; the weights are the unit eigenvector of the largest
    eigenvalue, non-negative, and the features with the largest weights are selected. It relaxes the best subset
    ``max x'Qx`` over 0/1 vectors with k ones; at small k it may be far from that optimum.

    Columns that do not vary are left out of Q, get weight 0 and are ranked last: by the letter of the definition a
    constant column would take half of every other column's relevance as its own weight and could be selected before
    an informative one.

    Parameters
    ----------
    n_features_to_select : int, default=10
    binning : {"mdl", "quantile", "uniform", "none"} or binner, default="mdl"
        How numeric columns become codes; "none" takes each distinct value as its own code.
    dtype : {"float64", "float32"}, default="float64"
        Of Q; float32 halves its memory.
    n_jobs : int, default=None
        Threads (None is 1, -1 every core); the result is the same to the last bit for any number.

    Attributes
    ----------
    support_ : ndarray of bool, shape (n_features,)
    weights_ : ndarray of float, shape (n_features,)
        The eigenvector; 0 for columns that do not vary.
    eigenvalue_ : float
        The largest eigenvalue, in bits; k times it bounds the objective of every subset of k features.
    ranking_ : ndarray of int, shape (n_features,)
        1 = largest weight; every feature has its own rank. Ties (1e-10) go to the lowest column.
    selected_ : ndarray of int, shape (n_features_to_select,)
        Column indices, largest weight first.
    scores_ : ndarray of float, shape (n_features_to_select,)
        What each selected feature contributes to the relaxed objective: ``eigenvalue_ * weights_**2``, in bits.
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
    Cost: O(n^2 d) samples read as bits for Q, O(n^2) a Lanczos step. Memory: n^2 numbers for Q and the bit planes.

    References
    ----------
    N. X. Vinh, J. Chan, S. Romano, J. Bailey, "Effective global approaches for mutual information based feature
    selection", KDD 2014. doi:10.1145/2623330.2623611

    Examples
    --------
    >>> from bitsieve import SpecCMI
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> SpecCMI(2).fit(X, y).get_feature_names_out().tolist()
    ['petal length (cm)', 'petal width (cm)']
    """

    def __init__(
        self,
        n_features_to_select: int = 10,
        *,
        binning: Any = "mdl",
        dtype: str = "float64",
        n_jobs: int | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.binning = binning
        self.dtype = dtype
        self.n_jobs = n_jobs

    def _check_parameters(self) -> None:
        check_choice("dtype", self.dtype, ("float64", "float32"))

    def _choose(self, information: PairwiseInformation, k: int) -> None:
        varying = np.flatnonzero(information.varies)
        constant = np.flatnonzero(~information.varies)
        self.weights_ = np.zeros(information.n_features)
        self.eigenvalue_ = 0.0
        order = constant
        if len(varying):
            found = spectral_ranking(information, varying, np.dtype(self.dtype))
            self.weights_[varying] = found.weights
            self.eigenvalue_ = found.eigenvalue
            order = np.concatenate([varying[found.order], constant])
        self.selected_ = order[:k]
        self.scores_ = self.eigenvalue_ * self.weights_[self.selected_] ** 2
        self.ranking_ = np.empty(information.n_features, np.intp)
        self.ranking_[order] = np.arange(1, information.n_features + 1)
