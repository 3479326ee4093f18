"""Global selection by a semidefinite relaxation of pairwise conditional information."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from bitsieve.common.parameters import check_choice, check_integer, made_by
from bitsieve.methods.by_counts.pairwise.semidefinite import ROUNDINGS, semidefinite_choice
from bitsieve.methods.found import rank_all
from bitsieve.methods.method import Method, defaults_of
from bitsieve.selectors.counted import CountSelector

if TYPE_CHECKING:
    from bitsieve.information import Information
    from bitsieve.methods.found import Found


class SDPCMI(CountSelector):
    r"""Choose a subset at once by a semidefinite relaxation of the sum of its pairwise conditional information.

    ``max x'Qx`` over 0/1 vectors with k ones, ``Q_ii = I(Xi;C)``, ``Q_ij = (I(Xi;C|Xj) + I(Xj;C|Xi)) / 2``, becomes

        ``max <Qa, Y>``,  ``diag Y = 1``,  ``sum_i Y_0i = 2k - n``,  ``Y`` positive semidefinite,

    ``Qa = [[1'Q1, 1'Q], [Q1, Q]]``; random directions round its solution to subsets of k, of which the best is taken. A
    quarter of the maximum bounds the objective of every subset of k, so ``gap_`` says how far from the best one the
    choice can be. Columns that do not vary are left out of Q and ranked last.

    Parameters
    ----------
    n_features_to_select : int, optional
        By default 10, or all columns where there are fewer.
    rounding : {"sphere", "align", "factor"}, default="sphere"
        The k largest cosines of a random direction with the rows of Y, as in the paper; "align": the direction turned
        round where it points away from row 0, which stands for "selected"; "factor": aligned, with the rows of V,
        ``Y = VV'``.
    n_roundings : int, default=100
        Random directions.
    random_state : int, RandomState instance or None, default=0
        Of the directions; None draws others at every fit.
    refine : {None, "swap"}, default="swap"
        "swap" improves the rounded subset by single swaps until none is better. None leaves it as the paper rounds it;
        where the relaxation has rank one that can hang on the order of the columns.
    binning : {"mdl", "quantile", "uniform", "none"} or binner, default="mdl"
        How numeric columns become codes; "none" takes each distinct value as its own code.
    n_jobs : int, default=None
        Threads of the counting (None is 1, -1 every core); the result does not depend on it.

    Attributes
    ----------
    weights_ : ndarray of float, shape (n_features,)
        Cosine of every feature with the direction that won, in [-1, 1]; -1 for columns that do not vary.
    membership_ : ndarray of float, shape (n_features,)
        ``(1 + Y_0i) / 2``, what the relaxation gives in the place of 0 and 1; they sum to the number selected among
        the columns that vary, and are 0 for the others.
    ranking_ : ndarray of int, shape (n_features,)
        The selected features by ``scores_``, then the others by ``weights_``, then those that do not vary; every
        feature has its own rank. Ties (1e-10) go to the lowest column.
    selected_ : ndarray of int, shape (k,)
        Column indices, largest score first.
    scores_ : ndarray of float, shape (k,)
        What each selected feature contributes to the objective: ``sum_j Q_ij`` over the selected j, in bits.
    objective_ : float
        ``x'Qx`` of the selection, in bits: the sum of ``scores_``.
    upper_bound_ : float
        No subset of as many columns that vary has a larger objective: the least of a quarter of the dual bound of the
        relaxation, k times the largest eigenvalue of Q, and the sum of the k best rows, in bits.
    gap_ : float
        ``(upper_bound_ - objective_) / upper_bound_``; 0 proves the selection optimal.

    Notes
    -----
    Cost: O(n^2 d) samples read as bits for Q, then O(n^3), some seconds for n = 2,000. Memory: three n x n arrays and
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
    >>> selector = SDPCMI(3).fit(X, y)
    >>> selector.selected_.tolist()
    [23, 27, 29]
    >>> f"{selector.objective_:.3f} of at most {selector.upper_bound_:.3f} bits"
    '3.024 of at most 4.212 bits'
    """

    parameter_rules: ClassVar = {
        "rounding": partial(check_choice, choices=tuple(ROUNDINGS)),
        "n_roundings": partial(check_integer, low=1, high=1_000_000),
        "random_state": made_by(check_random_state),
        "refine": partial(check_choice, choices=(None, "swap")),
    }
    described = (
        Method(
            name="sdpcmi",
            title="Semidefinite relaxation of global conditional mutual information",
            formula="max <Qa,Y>, diag Y = 1, sum_i Y_0i = 2k - n, Y psd; Qa = [[1'Q1, 1'Q], [Q1, Q]], Q_ii = I(Xi;C)",
            paper="Vinh, Chan, Romano, Bailey 2014",
            needs="all pairs of features within each class; n x n numbers",
            cost="O(n^2 d + n^3), 3 n^2 numbers",
        ),
    )

    def __init__(
        self,
        n_features_to_select: int | None = None,
        *,
        rounding: str = "sphere",
        n_roundings: int = 100,
        random_state: Any = 0,
        refine: str | None = "swap",
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

    def _choose(self, information: Information, k: int) -> Found:
        varying = np.flatnonzero(information.varies)
        weights = np.full(information.n_features, -1.0)
        membership, scores = np.zeros(information.n_features), np.zeros(information.n_features)
        order, certificate = varying, (0.0, 0.0, 0.0)
        if len(varying):
            found = semidefinite_choice(
                information,
                varying,
                min(k, len(varying)),
                rounding=self.rounding,
                n_roundings=self.n_roundings,
                draw=check_random_state(self.random_state).standard_normal,
                swaps=self.refine == "swap",
            )
            order, certificate = varying[found.order], found.certificate
            weights[varying], membership[varying] = found.cosines, found.membership
            scores[order[: len(found.shares)]] = found.shares
        own = dict(zip(("objective_", "upper_bound_", "gap_"), certificate, strict=True))
        return rank_all(order, information.varies, scores, k, weights_=weights, membership_=membership, **own)


METHODS = (
    *(
        replace(each, selector="bitsieve.selectors.sdpcmi:SDPCMI", parameters=defaults_of(SDPCMI, **each.parameters))
        for each in SDPCMI.described
    ),
)
