"""DpSelector: features on which every two classes are told apart best."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from bitsieve.by_samples.spanning_tree.cross_edges import RankedColumns
from bitsieve.by_samples.spanning_tree.separation import ClassPairs, forward_selection
from bitsieve.common.parameters import check_flag, check_threads
from bitsieve.common.progress import phase
from bitsieve.selectors.found import Found, constants_last
from bitsieve.selectors.method_info import MethodInfo
from bitsieve.selectors.sampled import SampleSelector, numbers_of

if TYPE_CHECKING:
    from bitsieve.data.table import Table


class DpSelector(SampleSelector):
    r"""Add the feature that makes the bounds on the Bayes error between every two classes smallest, one at a time.

    The Henze-Penrose divergence of classes a and b, of m and n samples, on the chosen features is estimated by the
    edges R between them in the minimum spanning tree of their samples, ``Dp = 1 - R (m + n) / (2 m n)``. The best
    classifier of a and b errs at least as often as ``1/2 - sqrt(u)/2`` and at most as often as ``1/2 - u/2``, where
    ``u = 4 p q Dp + (p - q)^2``, ``p = m / (m + n) = 1 - q`` and a negative Dp counts as 0. Each step adds the feature
    with the smallest sum of these upper bounds, ``R / (m + n)``, over all pairs of classes.

    Parameters
    ----------
    n_features_to_select : int, optional
        By default 10, or all columns where there are fewer.
    weighted : bool, default=False
        Whether the bound of two classes counts by their share of the samples; the sum is then an upper bound on the
        Bayes error of all classes together.
    n_jobs : int, default=None
        Threads (None is 1, -1 every core); the result is the same to the last bit for any number.

    Attributes
    ----------
    scores_ : ndarray of float, shape (k,)
        The sum of the bounds on the features chosen so far. Low is good; it can rise again, as points in many
        dimensions are far from one another.
    selected_ : ndarray of int, shape (k,)
        Indices of the k selected columns in the order of choice. Ties (1e-10), which are frequent as edges are counted,
        go to the lowest column; columns that do not vary come last.

    Notes
    -----
    Features count as they are: distances depend on their units, so bring them to one scale first. Columns of two
    categories count as 0 and 1; those of more are refused, as are missing values. Equal points, as whole numbers have
    many, count by the mean over all trees that are minimal. A class of one sample takes part, and tells little.

    Cost for n features, d samples and C classes: ``k n C (C - 1) / 2`` spanning trees of about 2 d / C points, each
    between O(d^1.5) in few and O(k d^2) in many dimensions.

    References
    ----------
    V. Berisha, A. Wisler, A. O. Hero III, A. Spanias, "Empirically estimable classification bounds based on a
    nonparametric divergence measure", IEEE Transactions on Signal Processing 64, 2016. doi:10.1109/TSP.2015.2477805

    Examples
    --------
    >>> from bitsieve import DpSelector
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> selector = DpSelector(2).fit(X, y)
    >>> [selector.feature_names_in_[j] for j in selector.selected_]
    ['petal width (cm)', 'petal length (cm)']
    >>> selector.scores_.round(3).tolist()
    [0.132, 0.077]
    """

    parameter_rules: ClassVar = {"weighted": check_flag, "n_jobs": check_threads}
    described = (
        MethodInfo(
            name="dp",
            title="Bounds on the Bayes error between every two classes",
            formula="sum over pairs of classes of R / (m + n), R = edges between them in the spanning tree of S and Xi",
            paper="Berisha, Wisler, Hero, Spanias 2016",
            needs="the values themselves: a spanning tree for every pair of classes, every feature and step",
            cost="O(k^2 n d^2)",
            unit="error",
        ),
    )

    def __init__(
        self, n_features_to_select: int | None = None, *, weighted: bool = False, n_jobs: int | None = None
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.weighted = weighted
        self.n_jobs = n_jobs

    def _choose(self, table: Table, k: int) -> Found:
        numbers, varies = numbers_of(table, "DpSelector")
        candidates = np.flatnonzero(varies) if varies.any() else np.arange(table.n_features)
        pairs = ClassPairs(RankedColumns.of(numbers[:, candidates]), table.target.codes, self.weighted)
        chosen, sums = forward_selection(pairs, min(k, len(candidates)), self.n_jobs, phase("ranking"))
        selected = constants_last(candidates[chosen], varies)[:k]
        # A column that does not vary changes no distance, and no bound.
        return Found(selected, np.concatenate([sums, np.full(len(selected) - len(sums), sums[-1])]))
