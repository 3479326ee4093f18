"""GMI: features that depend least on the others within the classes."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from bitsieve.by_samples.spanning_tree.cross_edges import RankedColumns
from bitsieve.by_samples.spanning_tree.dependency import PRIORS, dependency_matrix
from bitsieve.by_samples.spanning_tree.draws import Draw
from bitsieve.by_samples.spanning_tree.removal import by_removal, by_total
from bitsieve.by_samples.spanning_tree.separation import ClassPairs
from bitsieve.common.errors import ParameterError
from bitsieve.common.parameters import NO_LIMIT, check_choice, check_integer, check_threads, made_by, optional
from bitsieve.common.progress import phase
from bitsieve.common.ties import rank
from bitsieve.selectors.found import rank_all
from bitsieve.selectors.method_info import MethodInfo
from bitsieve.selectors.sampled import SampleSelector, numbers_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bitsieve.data.table import Table
    from bitsieve.selectors.found import Found

RULES = {"sorted": by_total, "backward": by_removal}


def _check_kept(name: str, value: Any, n_features: int = NO_LIMIT) -> int:
    """How many features a number, or a share inside 0 and 1, of so many is."""
    if isinstance(value, float) and 0 < value < 1:
        return max(1, int(value * n_features))
    return check_integer(name, value, 1, n_features, "or a share between 0 and 1")


class GMI(SampleSelector):
    r"""Leave out the features that depend most on the others, given the class, by geometric mutual information.

    For every two features the lower bound on the conditional geometric mutual information is estimated,

        ``I(Xs;Xt|C) >= 1 - 2 sum_yz p_y p_z delta_yz = 1 - R / n``,

    where the values of t are permuted within each class in one half of the samples, and R counts the edges between the
    halves, of n samples each, in the minimum spanning tree of the points (xs, xt). Where the features are independent
    given the class the halves mix and the bound is near 0; where they are not it goes towards 1. The features of the
    highest total over all others are left out.

    The rule never looks at the class: features of pure noise depend on nothing and stay first. ``relevance`` therefore
    keeps the most relevant features before the rule is applied to them.

    Parameters
    ----------
    n_features_to_select : int, optional
        By default 10, or all columns where there are fewer.
    removal : {'sorted', 'backward'}, default='sorted'
        'sorted': all totals once, the highest are left out. 'backward': one feature at a time, the totals being those
        over the features that are left, so that of two copies one stays.
    relevance : int or float, default=None
        How many features, or what share of them, are kept beforehand: those with the smallest bound on the Bayes error
        by the feature alone, summed over the pairs of classes (as in the first step of :class:`DpSelector`). None
        keeps all.
    priors : {'halves', 'pooled'}, default='halves'
        Whether p_y and p_z are the frequencies of the classes in each half, or among all samples.
    n_repeats : int, default=1
        How many times the halves and the permutation are drawn; the bounds are averaged.
    random_state : int, RandomState instance or None, default=0
        Of the draws; all pairs of features share them.
    n_jobs : int, default=None
        Threads (None is 1, -1 every core); the result is the same to the last bit for any number.

    Attributes
    ----------
    dependency_ : ndarray of float, shape (n_features, n_features)
        The bounds, symmetric, at most 1; chance puts those near 0 a little below it. 0 on the diagonal and for columns
        that do not vary, nan for those that ``relevance`` did not keep.
    ranking_ : ndarray of int, shape (n_features,)
        1 = lowest total; every feature has its own rank. Ties (1e-10) go to the lowest column. Those that ``relevance``
        did not keep come after all others, and columns that do not vary last.
    selected_ : ndarray of int, shape (k,)
        Indices of the k selected columns, the least dependent first.
    scores_ : ndarray of float, shape (k,)
        Their totals: with 'sorted' over all other features, with 'backward' over those that were left when the feature
        was the highest of them. Low is good.

    Notes
    -----
    Features count as they are: distances depend on their units, so bring them to one scale first. Columns of two
    categories count as 0 and 1; those of more are refused, as are missing values. Equal points, as whole numbers have
    many, count by the mean over all trees that are minimal. A class with a single sample in the permuted half keeps its
    values. A single feature has a total of 0.

    Cost for n features and d samples: ``n (n - 1) / 2`` spanning trees of d points in the plane a draw, each about
    O(d^1.5), less where many points are equal. Memory: n x n numbers.

    References
    ----------
    S. Yasaei Sekeh, A. O. Hero III, "Feature selection for multi-labeled variables via dependency maximization", ICASSP
    2019. doi:10.1109/ICASSP.2019.8682486

    Examples
    --------
    >>> from bitsieve import GMI
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> selector = GMI(2, n_repeats=20).fit(X, y)
    >>> selector.get_feature_names_out().tolist()
    ['sepal width (cm)', 'petal width (cm)']
    >>> selector.dependency_.round(2)[0].tolist()
    [0.0, 0.08, 0.11, 0.03]
    """

    parameter_rules: ClassVar = {
        "removal": partial(check_choice, choices=tuple(RULES)),
        "relevance": optional(_check_kept),
        "priors": partial(check_choice, choices=PRIORS),
        "n_repeats": partial(check_integer, low=1),
        "random_state": made_by(check_random_state),
        "n_jobs": check_threads,
    }
    described = (
        MethodInfo(
            name="gmi",
            title="Least total dependency on the other features, given the class",
            formula="sum over the others of the bound 1 - R / n on I(Xi;Xt|C), R = cross edges of a spanning tree",
            paper="Yasaei Sekeh, Hero 2019",
            needs="the values themselves: a spanning tree for every pair of features; n x n numbers",
            cost="O(n^2 d^1.5), n^2 numbers",
            unit="dependency",
        ),
    )

    def __init__(
        self,
        n_features_to_select: int | None = None,
        *,
        removal: str = "sorted",
        relevance: float | None = None,
        priors: str = "halves",
        n_repeats: int = 1,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.removal = removal
        self.relevance = relevance
        self.priors = priors
        self.n_repeats = n_repeats
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _choose(self, table: Table, k: int) -> Found:
        n_features, classes = table.n_features, table.target.codes
        n_relevant = self._n_relevant(n_features, k)
        if table.n_samples < 4:
            raise ValueError(f"GMI halves the samples and needs at least 4 of them, and there are {table.n_samples:,}")
        numbers, varies = numbers_of(table, "GMI")
        varying = np.flatnonzero(varies)
        relevant, others = self._by_relevance(numbers[:, varying], classes, n_relevant)
        kept = varying[relevant]
        random = check_random_state(self.random_state)
        matrix = dependency_matrix(
            RankedColumns.of(numbers[:, kept]),
            classes,
            [Draw.of(classes, random) for _ in range(self.n_repeats)],
            priors=self.priors,
            n_jobs=self.n_jobs,
            progress=phase("comparing pairs of features"),
        )
        order, totals = RULES[self.removal](matrix)
        dependency, scores = np.zeros((n_features, n_features)), np.zeros(n_features)
        dependency[np.ix_(kept, kept)] = matrix
        dependency[varying[others]] = dependency[:, varying[others]] = np.nan
        scores[kept[order]] = totals
        scores[varying[others]] = np.nan
        return rank_all(np.concatenate([kept[order], varying[others]]), varies, scores, k, dependency_=dependency)

    def _n_relevant(self, n_features: int, k: int) -> int:
        """How many features are kept beforehand; at least those that are to be selected."""
        if self.relevance is None:
            return n_features
        kept = _check_kept("relevance", self.relevance, n_features)
        if kept < k:
            raise ParameterError("relevance", self.relevance, f"keep as many features as are selected, {k:,}, or more")
        return kept

    def _by_relevance(
        self, numbers: NDArray[np.float64], classes: NDArray[np.int32], n_kept: int
    ) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The columns that are kept, ascending, and the others, most relevant first."""
        n_columns = numbers.shape[1]
        if n_kept >= n_columns:
            return np.arange(n_columns), np.empty(0, np.intp)
        pairs = ClassPairs(RankedColumns.of(numbers), classes)
        bounds = pairs.bound_sums(np.arange(n_columns), self.n_jobs, phase("measuring relevance"))
        order = rank(-bounds)
        return np.sort(order[:n_kept]), order[n_kept:]
