"""RCFS: the features that separate the classes best together, at most one of each cluster of correlated ones."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from bitsieve.methods.by_samples.rows import Centred, Samples, centre
from bitsieve.methods.method import DENSE_ROWS, Method, MethodResult, constants_last
from bitsieve.utils.arrays import Columns, Floats
from bitsieve.utils.choice import TIE, rank
from bitsieve.utils.libraries import threadpool_limits
from bitsieve.utils.memory import check_matrices
from bitsieve.utils.parameters import check_flag, check_integer, optional
from bitsieve.utils.progress import phase

TILE_COLUMNS = 256  # columns whose correlations with all later ones are computed at once


def rcfs(samples: Samples, k: int, *, n_clusters: int | None = None, standardize: bool = True) -> MethodResult:
    """Choose the columns that separate the classes best; see :class:`bitsieve.RCFS`."""
    n_features = samples.n_features
    if n_clusters is not None:
        reason = f"at most one of each cluster is selected, and the table has {n_features:,} features"
        n_clusters = check_integer("n_clusters", n_clusters, k, n_features, reason)
    numbers, varies = samples.numbers()
    varying = np.flatnonzero(varies)
    clusters = np.full(n_features, -1, np.intp)
    scores = np.zeros(n_features)
    order = varying
    separability = 0.0
    if len(varying):
        phase("clustering")
        centred = centre(numbers[:, varying])
        clusters[varying] = correlation_clusters(centred.values, n_clusters, k)
        phase("ranking")
        between, total = scatters(centred, samples.classes)
        scores[varying] = between / total
        weights = 1 / total
        if not standardize:  # one unit for all columns: squares of powers of 2, not so small that they become 0
            weights = 4.0 ** np.maximum(centred.exponents - centred.exponents.max(), -500)
        chosen = most_separable(between * weights, total * weights, clusters[varying], min(k, len(varying)))
        separability = _separability(between, total, weights, chosen)
        order = varying[chosen[rank(scores[varying[chosen]])]]
    selected = constants_last(order, varies)[:k]
    groups = [np.setdiff1d(np.flatnonzero((clusters == clusters[j]) & varies), j) for j in selected.tolist()]
    attributes = {"separability_": separability, "clusters_": clusters, "groups_": groups}
    return MethodResult(selected, scores[selected], extras=attributes)


def _separability(between: Floats, total: Floats, weights: Floats, chosen: Columns) -> float:
    """The weighted scatter of the chosen columns between the classes, over that within them; infinite without any."""
    between_classes = (between * weights)[chosen].sum()
    within_classes = ((total - between) * weights)[chosen].sum()
    return float(between_classes / within_classes) if within_classes else float("inf")


def correlation_clusters(centred: Floats, n_clusters: int | None, min_clusters: int = 1) -> Columns:
    """The cluster of every column, by average linkage on the distance ``1 - |rho|``.

    With ``n_clusters=None`` clusters are merged up to a distance of 0.5, but not below ``min_clusters`` of them.
    """
    from scipy.cluster.hierarchy import average

    n = centred.shape[1]
    if (n_clusters or min_clusters) >= n:
        return np.arange(n, dtype=np.intp)
    check_matrices(1, n)  # half a matrix, and scipy's copy of it
    merges = average(_correlation_distances(centred / np.sqrt(np.add.reduce(centred**2, axis=0))))
    if n_clusters is None:
        n_clusters = max(min_clusters, 1 + int((merges[:, 2] > 0.5).sum()))
    return _clusters_after(merges[: n - n_clusters], n)


def _correlation_distances(unit_columns: Floats) -> Floats:
    """``1 - |rho|`` of every two of n columns of length 1, in the order (0, 1), (0, 2), ... (n - 2, n - 1)."""
    n = unit_columns.shape[1]
    progress = phase("comparing pairs of features")
    out = np.empty(n * (n - 1) // 2)
    end = 0
    for first in range(0, n, TILE_COLUMNS):
        with threadpool_limits(1):  # a product's bits depend on the number of threads
            tile = unit_columns[:, first : first + TILE_COLUMNS].T @ unit_columns[:, first:]
        np.abs(tile, out=tile)
        np.subtract(1.0, tile, out=tile)
        np.maximum(tile, 0.0, out=tile)
        for n_skipped, row in enumerate(tile, 1):
            start = end
            end = end + len(row) - n_skipped
            out[start:end] = row[n_skipped:]
        progress(min(first + TILE_COLUMNS, n), n)
    return out


def _clusters_after(merges: Floats, n: int) -> Columns:
    """The cluster of each of n columns after some merges of a linkage."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    column_of_node = list(range(n))  # the linkage numbers merged clusters from n on; each has one column here
    links = []
    for a, b in merges[:, :2].astype(int).tolist():
        links.append((column_of_node[a], column_of_node[b]))
        column_of_node.append(column_of_node[a])
    rows, columns = np.array(links).reshape(-1, 2).T
    graph = coo_array((np.ones(len(links)), (rows, columns)), shape=(n, n))
    return np.asarray(connected_components(graph, directed=False)[1], np.intp)


def scatters(centred: Centred, classes: NDArray[np.integer]) -> tuple[Floats, Floats]:
    """The diagonals of the between-class scatter and of the total scatter, each column in its own unit."""
    values = centred.values
    total = np.add.reduce(values**2, axis=0)
    between = np.zeros_like(total)
    for c in range(int(classes.max()) + 1):
        class_values = values[classes == c]
        between += np.add.reduce(class_values, axis=0) ** 2 / len(class_values)
    return np.minimum(between, total), total


def most_separable(between: Floats, total: Floats, clusters: Columns, k: int) -> Columns:
    """The k columns of k different clusters with the largest sum of ``between`` over sum of ``total``, ascending.

    Dinkelbach (1967, doi:10.1287/mnsc.13.7.492): for a given ratio s, the set with the largest
    ``sum (between - s total)`` has the best column of each cluster, and the k best of these. s becomes the ratio of
    that set, until it no longer rises. Ties of 1e-10 go to the lowest columns.
    """
    columns_of_cluster = np.split(np.argsort(clusters, kind="stable"), np.cumsum(np.bincount(clusters))[:-1])
    single_columns = [int(members[0]) for members in columns_of_cluster if len(members) == 1]
    larger_clusters = [members for members in columns_of_cluster if len(members) > 1]

    def best_set(ratio: float, slack: Floats) -> Columns:
        margins = between - ratio * total
        best_of_clusters = [members[_largest(margins[members], slack[members], 1)[0]] for members in larger_clusters]
        candidates = np.sort([*single_columns, *best_of_clusters])
        return candidates[_largest(margins[candidates], slack[candidates], k)]

    ratio = -1.0
    reached = 0.0
    while reached > ratio:
        ratio = reached
        chosen = best_set(ratio, np.zeros_like(total))
        reached = between[chosen].sum() / total[chosen].sum()
    return best_set(ratio, TIE * total)


def _largest(values: Floats, slack: Floats, k: int) -> Columns:
    """The indices of the k largest values, ascending; of values within their slack of the k-th largest, the first."""
    kth_largest = np.partition(values, len(values) - k)[len(values) - k]
    is_above = values - slack > kth_largest
    is_tied = ~is_above & (values + slack >= kth_largest)
    n_tied = k - is_above.sum()
    return np.flatnonzero(is_above | (is_tied & (np.cumsum(is_tied) <= n_tied)))


METHODS = (
    Method(
        name="rcfs",
        title="Class separability with one feature a cluster",
        formula="max [sum b_j] / [sum w_j] over sets with at most one feature of each correlation cluster",
        paper="Zhou, Wang, Shen 2010",
        inputs="the values themselves: correlations of all pairs of features; n x n numbers",
        cost="O(n^2 d), n^2 numbers",
        seconds=lambda n, d, k: n * n * (4e-8 + 3e-11 * d),
        unit="ratio",
        selector="bitsieve.selectors.separability:RCFS",
        run=rcfs,
        required_capabilities=DENSE_ROWS,
        bins=False,
        rules={"n_clusters": optional(partial(check_integer, low=1)), "standardize": check_flag},
    ),
)
