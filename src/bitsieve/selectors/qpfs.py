"""Global selection by a quadratic program: relevance against redundancy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bitsieve.by_counts.pairwise.quadratic import approximated_ranking, quadratic_ranking
from bitsieve.common.errors import ParameterError
from bitsieve.optimize.nystrom import Nystrom, choose_landmarks, make_nystrom
from bitsieve.selectors.quadratic import QuadraticSelector

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from bitsieve.by_counts.pairwise.quadratic import QuadraticRanking
    from bitsieve.information import PairwiseInformation


class QPFS(QuadraticSelector):
    r"""Rank all features at once by the weights that trade relevance for redundancy best.

    ``min (1 - a)/2 x'Hx - a f'x`` over weights ``x >= 0`` of sum 1, with ``f_i = I(Xi;C)``, ``H_ij = I(Xi;Xj)`` and
    ``H_ii = H(Xi)``; the features with the largest weights are selected.

    Parameters
    ----------
    n_features_to_select : int, default=10
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
    support_ : ndarray of bool, shape (n_features,)
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

    landmarks_: NDArray[np.intp] | None

    def __init__(
        self,
        n_features_to_select: int = 10,
        *,
        alpha: float | None = None,
        convexify: str | None = None,
        approximation: str | Nystrom | None = None,
        binning: Any = "mdl",
        n_jobs: int | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.alpha = alpha
        self.convexify = convexify
        self.approximation = approximation
        self.binning = binning
        self.n_jobs = n_jobs

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.convexify not in (None, "shift"):
            raise ParameterError("convexify", self.convexify, "give None or 'shift'")
        settings = make_nystrom(self.approximation)
        if settings is None:
            return
        if self.alpha is None:
            raise ValueError(
                "alpha=None is not allowed with an approximation, which does not count all entries of the mean that it "
                "stands for: give a number from 0 to 1"
            )
        if settings.variant == "extension":
            raise ValueError("variant='extension' of Nystrom is about eigenvectors: give QPFS None or 'paper'")

    def _rank(self, information: PairwiseInformation, columns: NDArray[np.intp]) -> QuadraticRanking:
        settings = make_nystrom(self.approximation)
        if settings is None or self.alpha is None:
            return quadratic_ranking(information, columns, self.alpha, shifted=self.convexify == "shift")
        self.landmarks_ = choose_landmarks(settings, columns, information.n_features)
        own_entropy = settings.variant != "paper"
        return approximated_ranking(information, columns, self.landmarks_, self.alpha, own_entropy=own_entropy)

    def _choose(self, information: PairwiseInformation, k: int) -> None:
        self.landmarks_ = None
        super()._choose(information, k)
