"""RCFS: class separability, with at most one feature of each cluster of correlated ones."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from bitsieve.by_samples.rcfs import centre, correlation_clusters, most_separable, scatters
from bitsieve.common.parameters import check_flag, check_integer, optional
from bitsieve.common.progress import phase
from bitsieve.common.ties import rank
from bitsieve.selectors.found import Found, constants_last
from bitsieve.selectors.method_info import MethodInfo
from bitsieve.selectors.sampled import SampleSelector, numbers_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bitsieve.data.table import Table


class RCFS(SampleSelector):
    r"""Choose the features that separate the classes best, at most one of each cluster of correlated features.

    Maximises ``sum b_j / sum w_j`` over all sets of k features from k different clusters, exactly; b_j and w_j are the
    diagonals of the scatter matrices between and within the classes. The clusters come from average linkage on
    ``1 - |rho|``, rho the correlation of two columns.

    The ratio depends on the units of the columns. In standardised ones it rises with the sum of the scores, and the
    best of each cluster is taken. As they are, columns of large values weigh more: once one that separates the classes
    well is taken, columns of the smallest values are added, as they lower its ratio least.

    Parameters
    ----------
    n_features_to_select : int, optional
        By default 10, or all columns where there are fewer.
    n_clusters : int, default=None
        At least as many as features to select. None merges clusters as long as their mean ``|rho|`` is at least 0.5,
        and no further than to ``n_features_to_select``.
    standardize : bool, default=True
        Whether each column counts in units of its standard deviation; False takes the columns as they are.

    Attributes
    ----------
    selected_ : ndarray of int, shape (k,)
        Column indices by falling score; columns that do not vary come last.
    scores_ : ndarray of float, shape (k,)
        ``b_j / (b_j + w_j)``, the share of the column's variance that the classes explain, between 0 and 1.
    separability_ : float
        ``sum b_j / sum w_j`` of the selected features that vary, the value that no other choice exceeds; inf where
        they do not vary within the classes.
    clusters_ : ndarray of int, shape (n_features,)
        The cluster of every column; -1 for columns that do not vary.
    groups_ : list of ndarray of int, length n_features_to_select
        For every selected feature, the others of its cluster.

    Notes
    -----
    Columns of two categories (booleans among them) count as 0 and 1; those of more are refused, as are missing values.
    Cost: O(n^2 d), d samples, n features. Memory: n x n numbers, twice.

    References
    ----------
    L. Zhou, L. Wang, C. Shen, "Feature selection with redundancy-constrained class separability", IEEE Transactions on
    Neural Networks 21(5), 2010. doi:10.1109/TNN.2010.2044189

    Examples
    --------
    >>> from bitsieve import RCFS
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> selector = RCFS(2, n_clusters=2).fit(X, y)
    >>> selector.get_feature_names_out().tolist()
    ['sepal width (cm)', 'petal length (cm)']
    >>> [group.tolist() for group in selector.groups_]
    [[0, 3], []]
    """

    parameter_rules: ClassVar = {
        "n_clusters": optional(partial(check_integer, low=1)),
        "standardize": check_flag,
    }
    described = (
        MethodInfo(
            name="rcfs",
            title="Class separability with one feature a cluster",
            formula="max [sum b_j] / [sum w_j] over sets with at most one feature of each correlation cluster",
            paper="Zhou, Wang, Shen 2010",
            needs="the values themselves: correlations of all pairs of features; n x n numbers",
            cost="O(n^2 d), 2 n^2 numbers",
            unit="ratio",
        ),
    )

    def __init__(
        self, n_features_to_select: int | None = None, *, n_clusters: int | None = None, standardize: bool = True
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.n_clusters = n_clusters
        self.standardize = standardize

    def _choose(self, table: Table, k: int) -> Found:
        n_features, n_clusters = table.n_features, self.n_clusters
        if n_clusters is not None:
            why = f"at most one of each cluster is selected, and the table has {n_features:,} features"
            n_clusters = check_integer("n_clusters", n_clusters, k, n_features, why)
        numbers, varies = numbers_of(table, type(self).__name__)
        varying = np.flatnonzero(varies)
        clusters, scores = np.full(n_features, -1, np.intp), np.zeros(n_features)
        order, separability = varying, 0.0
        if len(varying):
            phase("clustering")
            centred = centre(numbers[:, varying])
            clusters[varying] = correlation_clusters(centred.values, n_clusters, k)
            phase("ranking")
            between, total = scatters(centred, table.target.codes)
            # Scatters are squares: 4**exponent is one unit for all, the total scatter that of standardised columns.
            # Where another column is 2**500 times as large a column's scatter is negligible; it is kept above 0.
            exponents = np.maximum(centred.exponents - centred.exponents.max(), -500)
            unit = 1 / total if self.standardize else 4.0**exponents
            chosen = most_separable(between * unit, total * unit, clusters[varying], min(k, len(varying)))
            explained, left = (between * unit)[chosen].sum(), ((total - between) * unit)[chosen].sum()
            separability = float(explained / left) if left else float("inf")
            scores[varying] = between / total
            order = varying[chosen[rank(scores[varying[chosen]])]]
        selected = constants_last(order, varies)[:k]
        groups = [_others(clusters, int(j)) for j in selected]
        own = {"separability_": separability, "clusters_": clusters, "groups_": groups}
        return Found(selected, scores[selected], extras=own)


def _others(clusters: NDArray[np.intp], column: int) -> NDArray[np.intp]:
    """The rest of the column's cluster; of a column that does not vary, none."""
    if clusters[column] < 0:
        return np.empty(0, np.intp)
    cluster = np.flatnonzero(clusters == clusters[column])
    return cluster[cluster != column]
