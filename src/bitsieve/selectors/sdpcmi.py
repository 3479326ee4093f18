"""Global selection by a semidefinite relaxation of pairwise conditional information."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils import check_random_state

from bitsieve.by_counts.pairwise.rounding import ROUNDINGS
from bitsieve.by_counts.pairwise.semidefinite import semidefinite_choice
from bitsieve.common.errors import ParameterError
from bitsieve.common.parameters import check_choice, check_integer
from bitsieve.selectors.counted import CountSelector

if TYPE_CHECKING:
    from bitsieve.information import PairwiseInformation


class SDPCMI(CountSelector):
    r"""Choose a subset at once by the semidefinite relaxation of its pairwise conditional information.

    ``max x'Qx`` over 0/1 vectors with k ones, ``Q_ii = I(Xi;C)``, ``Q_ij = (I(Xi;C|Xj) + I(Xj;C|Xi)) / 2``, becomes

        ``max <Qa, Y>``,  ``diag Y = 1``,  ``sum_i Y_0i = 2k - n``,  ``Y`` positive semidefinite,

    ``Qa = [[1'Q1, 1'Q], [Q1, Q]]``; random directions round its solution to subsets of k, of which the best is taken. A
    quarter of the maximum bounds the objective of every subset of k, so ``gap_`` says how far from the best one the
    choice can be. Columns that do not vary are left out of Q and ranked last.

    Parameters
    ----------
    n_features_to_select : int, default=10
    rounding : {"sphere", "align", "factor"}, default="sphere"
        The k largest cosines of a random direction with the rows of Y, as in the paper; "align": the direction turned
        round where it points away from row 0, which stands for "selected"; "factor": aligned, with the rows of V,
        ``Y = VV'``.
    n_roundings : int, default=100
        Random directions.
    random_state : int, RandomState instance or None, default=0
        Of the directions; None draws others at every fit.
    refine : {None, "swap"}, default=None
        "swap" improves the rounded subset by single swaps until none is better.
    binning : {"mdl", "quantile", "uniform", "none"} or binner, default="mdl"
        How numeric columns become codes; "none" takes each distinct value as its own code.
    n_jobs : int, default=None
        Threads of the counting (None is 1, -1 every core); the result does not depend on it.

    Attributes
    ----------
    support_ : ndarray of bool, shape (n_features,)
    weights_ : ndarray of float, shape (n_features,)
        Cosine of every feature with the direction that won, in [-1, 1]; -1 for columns that do not vary.
    membership_ : ndarray of float, shape (n_features,)
        ``(1 + Y_0i) / 2``, what the relaxation gives in the place of 0 and 1; they sum to the number selected among
        the columns that vary, and are 0 for the others.
    ranking_ : ndarray of int, shape (n_features,)
        The selected features by ``scores_``, then the others by ``weights_``, then those that do not vary; every
        feature has its own rank. Ties (1e-10) go to the lowest column.
    selected_ : ndarray of int, shape (n_features_to_select,)
        Column indices, largest score first.
    scores_ : ndarray of float, shape (n_features_to_select,)
        What each selected feature contributes to the objective: ``sum_j Q_ij`` over the selected j, in bits.
    objective_ : float
        ``x'Qx`` of the selection, in bits: the sum of ``scores_``.
    upper_bound_ : float
        No subset of that size has a larger objective: the least of a quarter of the dual bound of the relaxation, k
        times the largest eigenvalue of Q, and the sum of the k best rows, in bits.
    gap_ : float
        ``(upper_bound_ - objective_) / upper_bound_``; 0 proves the selection optimal.
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
    Cost: O(n^2 d) samples read as bits for Q, then O(n^3), some seconds for n = 2,000. Memory: four n x n arrays and
    the bit planes. The bits of the relaxation come from BLAS and LAPACK on one thread and may differ in the last places
    from one processor to the next.

    References
    ----------
    N. X. Vinh, J. Chan, S. Romano, J. Bailey, "Effective global approaches for mutual information based feature
    selection", KDD 2014. doi:10.1145/2623330.2623611

    Examples
    --------
    >>> from bitsieve import SDPCMI
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> selector = SDPCMI(3, refine="swap").fit(X, y)
    >>> selector.selected_.tolist()
    [23, 27, 29]
    >>> f"{selector.objective_:.3f} of at most {selector.upper_bound_:.3f} bits"
    '3.024 of at most 4.212 bits'
    """

    def __init__(
        self,
        n_features_to_select: int = 10,
        *,
        rounding: str = "sphere",
        n_roundings: int = 100,
        random_state: Any = 0,
        refine: str | None = None,
        binning: Any = "mdl",
        n_jobs: int | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.rounding = rounding
        self.n_roundings = n_roundings
        self.random_state = random_state
        self.refine = refine
        self.binning = binning
        self.n_jobs = n_jobs

    def _check_parameters(self) -> None:
        check_choice("rounding", self.rounding, tuple(ROUNDINGS))
        check_integer("n_roundings", self.n_roundings, 1, 1_000_000)
        if self.refine is not None and self.refine != "swap":
            raise ParameterError("refine", self.refine, "give None or 'swap'")
        check_random_state(self.random_state)

    def _choose(self, information: PairwiseInformation, k: int) -> None:
        varying = np.flatnonzero(information.varies)
        constant = np.flatnonzero(~information.varies)
        n_chosen = min(k, len(varying))
        self.weights_ = np.full(information.n_features, -1.0)
        self.membership_ = np.zeros(information.n_features)
        self.scores_ = np.zeros(k)
        self.objective_ = self.upper_bound_ = self.gap_ = 0.0
        order = constant
        if n_chosen:
            found = semidefinite_choice(
                information,
                varying,
                n_chosen,
                rounding=self.rounding,
                n_roundings=self.n_roundings,
                draw=check_random_state(self.random_state).standard_normal,
                swaps=self.refine == "swap",
            )
            self.weights_[varying] = found.cosines
            self.membership_[varying] = found.membership
            self.scores_[:n_chosen] = found.shares
            self.objective_, self.upper_bound_, self.gap_ = found.certificate
            order = np.concatenate([varying[found.order], constant])
        self.selected_ = order[:k]
        self.ranking_ = np.empty(information.n_features, np.intp)
        self.ranking_[order] = np.arange(1, information.n_features + 1)
