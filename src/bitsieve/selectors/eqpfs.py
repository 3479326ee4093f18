"""Global selection by a quadratic program: relevance against redundancy that the classes do not explain."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bitsieve.by_counts.pairwise.quadratic import extended_ranking
from bitsieve.selectors.quadratic import QuadraticSelector, check_number

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from bitsieve.by_counts.pairwise.quadratic import QuadraticRanking
    from bitsieve.information import Information


class EQPFS(QuadraticSelector):
    r"""Rank all features at once by relevance against total redundancy, no feature being punished for its entropy.

    ``min (1 - a)/2 x'Hx - a f'x`` over weights ``x >= 0`` of sum 1, with ``f_i = I(Xi;C)``,
    ``H_ij = I(Xi;Xj) - beta I(Xi;Xj|C)`` and the same number ``H_ii = shift`` for all, large enough to make H convex;
    the features with the largest weights are selected. With ``beta=0`` it is QPFS without its bias to features of low
    entropy.

    Parameters
    ----------
    n_features_to_select : int, default=10
    alpha : float, optional
        The a above, in [0, 1]: 0 looks at redundancy alone, 1 at relevance alone. None: ``q / (q + f)`` with q the mean
        size of all n x n entries of H, signs left out, and f the mean relevance. (Written as ``alpha_2 x'Hx - f'x``,
        ``alpha_2 = (1 - a) / (2 a)``.)
    beta : float, default=1.0
        Weight of the redundancy within the classes.
    shift : float, optional
        The diagonal of H, in bits. None: the least that makes H convex; a smaller one is refused.
    binning : {"mdl", "quantile", "uniform", "none"} or binner, default="mdl"
        How numeric columns become codes; "none" takes each distinct value as its own code.
    n_jobs : int, default=None
        Threads that count (None is 1, -1 every core); the result is the same to the last bit for any number.

    Attributes
    ----------
    support_ : ndarray of bool, shape (n_features,)
    weights_ : ndarray of float, shape (n_features,)
        The solution, of sum 1; 0 for columns that do not vary and for those that the others make redundant.
    alpha_ : float
        The a that was used; nan if no column varies and it was not given.
    shift_ : float
        The diagonal of H, in bits.
    gap_ : float
        The objective is at most so much above its minimum, in bits (the duality gap of Frank and Wolfe).
    ranking_ : ndarray of int, shape (n_features,)
        1 = largest weight; every feature has its own rank. Columns of weight 0 follow by the gradient of the
        objective, the nearest to a weight first; then those that do not vary. Ties (1e-10) go to the lowest column.
    selected_ : ndarray of int, shape (n_features_to_select,)
        Column indices, largest weight first.
    scores_ : ndarray of float, shape (n_features_to_select,)
        Their weights.
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
    Cost: O(n^2 d) samples read as bits for each of the two parts of H, its smallest eigenvalue (n^3 4 / 3 up to 2,000
    columns, beyond by Lanczos and n^3 / 3), and some dozens of products of H with a vector. Memory: 2 n^2 numbers.
    Columns that are equal up to the names of their codes share their weight equally.

    References
    ----------
    N. X. Vinh, J. Chan, S. Romano, J. Bailey, "Effective global approaches for mutual information based feature
    selection", KDD 2014, eq. 12 and 13. doi:10.1145/2623330.2623611

    Examples
    --------
    >>> from bitsieve import EQPFS
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> EQPFS(2, alpha=0.5).fit(X, y).get_feature_names_out().tolist()
    ['flavanoids', 'proline']
    """

    def __init__(
        self,
        n_features_to_select: int = 10,
        *,
        alpha: float | None = None,
        beta: float = 1.0,
        shift: float | None = None,
        binning: Any = "mdl",
        n_jobs: int | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.alpha = alpha
        self.beta = beta
        self.shift = shift
        self.binning = binning
        self.n_jobs = n_jobs

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_number("beta", self.beta, 0.0, float("inf"), "0 for the redundancy without the classes")
        if self.shift is not None:
            check_number("shift", self.shift, 0.0, float("inf"), "or None for the least that makes the problem convex")

    def _rank(self, information: Information, columns: NDArray[np.intp]) -> QuadraticRanking:
        return extended_ranking(information, columns, self.alpha, self.beta, self.shift)
