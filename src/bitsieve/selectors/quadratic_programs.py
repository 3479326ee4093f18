"""Selectors by a quadratic program over the weights of all features."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bitsieve.common.defaults import BINNING
from bitsieve.methods.by_counts.pairwise.quadratic import METHODS
from bitsieve.selectors.counted import CountSelector

if TYPE_CHECKING:
    from bitsieve.optimize.nystrom import Nystrom


class QPFS(CountSelector):
    r"""Rank all features at once by the weights that a quadratic program of relevance and redundancy gives them.

    ``min (1 - a)/2 x'Hx - a f'x`` over weights ``x >= 0`` of sum 1, with ``f_i = I(Xi;C)``, ``H_ij = I(Xi;Xj)`` and
    ``H_ii = H(Xi)``; the features with the largest weights are selected.

    Parameters
    ----------
    n_features_to_select : int, optional
        By default 10, or all columns where there are fewer.
    alpha : float, optional
        The a above, in [0, 1]: 0 looks at redundancy alone, 1 at relevance alone. None: ``q / (q + f)`` with q the mean
        of all n x n entries of H and f the mean relevance, which gives both terms like weight. (Written as
        ``alpha_2 x'Hx - f'x``, ``alpha_2 = (1 - a) / (2 a)``.)
    convexify : {"shift"}, optional
        What to do if H is not convex, an eigenvalue of it being under -1e-8 bits: None refuses it; "shift" adds the
        least number to its diagonal that makes it so, ``shift_``.
    approximation : None, "nystrom" or Nystrom, default=None
        With ``Nystrom(...)`` only the rows of H of some landmarks are counted, and all entropies; it needs ``alpha``,
        and is always convex. ``variant="paper"`` leaves the approximated diagonal as it is.
    binning : {"mdl", "quantile", "uniform", "none"} or binner, default="mdl"
        How numeric columns become codes; "none" takes each distinct value as its own code.
    n_jobs : int, default=None
        Threads that count (None is 1, -1 every core); the result is the same to the last bit for any number.

    Attributes
    ----------
    weights_ : ndarray of float, shape (n_features,)
        The solution, of sum 1; 0 for columns that do not vary and for those that the others make redundant.
    alpha_ : float
        The a that was used; nan if no column varies and it was not given.
    shift_ : float
        What was added to the diagonal of H (of its landmarks), in bits.
    gap_ : float
        The objective is at most so much above its minimum, in bits (the duality gap of Frank and Wolfe).
    landmarks_ : ndarray of int or None
        The columns whose rows were counted; None where all were.
    ranking_ : ndarray of int, shape (n_features,)
        1 = largest weight; every feature has its own rank. Columns of weight 0 follow by the gradient of the
        objective, the nearest to a weight first; then those that do not vary. Ties (1e-10) go to the lowest column.
    selected_ : ndarray of int, shape (k,)
        Column indices, largest weight first.
    scores_ : ndarray of float, shape (k,)
        Their weights.

    Notes
    -----
    Cost: O(n^2 d) samples read as bits for H, n^3 / 3 to prove it convex, and some dozens of products of H with a
    vector, O(n^2) each. Memory: n^2 numbers, twice that during the proof. With p landmarks O(p n d), O(p^3 + n p^2),
    O(n p) and n p numbers. Columns that are equal up to the names of their codes share their weight equally.

    References
    ----------
    I. Rodriguez-Lujan, R. Huerta, C. Elkan, C. Santa Cruz, "Quadratic programming feature selection", Journal of
    Machine Learning Research 11, 2010.

    N. X. Vinh, J. Chan, S. Romano, J. Bailey, "Effective global approaches for mutual information based feature
    selection", KDD 2014. doi:10.1145/2623330.2623611

    Examples
    --------
    >>> from bitsieve import QPFS
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> selector = QPFS(2).fit(X, y)
    >>> selector.get_feature_names_out().tolist()
    ['petal length (cm)', 'petal width (cm)']
    >>> selector.weights_.round(2).tolist()
    [0.05, 0.06, 0.4, 0.48]
    """

    described = METHODS[:1]

    def __init__(
        self,
        n_features_to_select: int | None = None,
        *,
        alpha: float | None = None,
        convexify: str | None = None,
        approximation: str | Nystrom | None = None,
        binning: Any = BINNING,
        n_jobs: int | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.alpha = alpha
        self.convexify = convexify
        self.approximation = approximation
        self.binning = binning
        self.n_jobs = n_jobs


class EQPFS(CountSelector):
    r"""Rank all features at once by a quadratic program of relevance and redundancy, without a penalty for entropy.

    ``min (1 - a)/2 x'Hx - a f'x`` over weights ``x >= 0`` of sum 1, with ``f_i = I(Xi;C)``,
    ``H_ij = I(Xi;Xj) - beta I(Xi;Xj|C)`` and the same number ``H_ii = shift`` for all, large enough to make H convex;
    the features with the largest weights are selected. With ``beta=0`` it is QPFS without its bias to features of low
    entropy.

    Parameters
    ----------
    n_features_to_select : int, optional
        By default 10, or all columns where there are fewer.
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
    selected_ : ndarray of int, shape (k,)
        Column indices, largest weight first.
    scores_ : ndarray of float, shape (k,)
        Their weights.

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

    described = METHODS[1:]

    def __init__(
        self,
        n_features_to_select: int | None = None,
        *,
        alpha: float | None = None,
        beta: float = 1.0,
        shift: float | None = None,
        binning: Any = BINNING,
        n_jobs: int | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.alpha = alpha
        self.beta = beta
        self.shift = shift
        self.binning = binning
        self.n_jobs = n_jobs
