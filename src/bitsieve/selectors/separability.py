"""RCFS and ReliefF: columns that separate the classes, by scatter or by what differs between near samples."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Any

from bitsieve.methods.by_samples import rcfs, relieff
from bitsieve.selectors.base import ColumnSelector, with_parameters


@with_parameters
class RCFS(ColumnSelector):
    r"""Choose the features that separate the classes best, at most one of each cluster of correlated features.

    Maximises ``sum b_j / sum w_j`` over all sets of k features from k different clusters, exactly; b_j and w_j are the
    diagonals of the scatter matrices between and within the classes. The clusters come from average linkage on
    ``1 - |rho|``, rho the correlation of two columns.

    The ratio depends on the units of the columns. In standardised ones it rises with the sum of the scores, and the
    best of each cluster is taken. As they are, columns of large values weigh more: once one that separates the classes
    well is taken, columns of the smallest values are added, as they lower its ratio least.

    Parameters
    ----------
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

    described = rcfs.METHODS

    n_features_to_select: int | None = None
    _: KW_ONLY
    n_clusters: int | None = None
    standardize: bool = True
    target_kind: str | None = None


@with_parameters
class ReliefF(ColumnSelector):
    r"""Weigh each feature by how much more it differs between neighbours of different classes than of the same class.

    ``W = mean_i [ - mean diff to the hits + sum_{c != y_i} P(c) / (1 - P(y_i)) mean diff to the misses of c ]``: hits
    are the nearest samples of the own class, misses those of class c. ``diff`` is ``|a - b| / (max - min)`` in a
    numeric column, 0 or 1 in a categorical one; distance is the sum over the columns, ties go to the lowest sample.

    A missing value differs by what it would on average if drawn from the known values of the column in the
    sample's class: from a category v by ``1 - P(v|c)``, from a number v by the mean of ``|V - v| / (max - min)``;
    two missing ones by the mean over both. (A class without known values borrows those of all classes.)

    Of a target that is a quantity y (RReliefF) it is how much more the feature differs between neighbours whose y does:
    ``W = E[diff(y) diff] / E[diff(y)] - E[(1 - diff(y)) diff] / E[1 - diff(y)]``, the means over all samples and the
    nearest others of each, ``diff(y)`` as in a numeric column. A missing value is drawn from all known ones. Unlike
    information it depends on the unit: y and its logarithm have other weights.

    Parameters
    ----------
    n_neighbors : int, default=None
        Hits, and misses of each class; all of them where a class has fewer; None is 10. Of a quantity nearest samples,
        of which the difference is seen beyond the noise of y; None is 70.
    n_samples : int, default=None
        How many samples are drawn to look at, without repetition; None, or more than there are, looks at all in
        order. Neighbours are always sought among all.
    random_state : int, RandomState instance or None, default=None
        Of the draw; without ``n_samples`` nothing is drawn.

    Attributes
    ----------
    weights_ : ndarray of float, shape (n_features,)
        Between -1 and 1; 0 for columns that do not vary.
    ranking_ : ndarray of int, shape (n_features,)
        1 = largest weight; every feature has its own rank. Ties (1e-10) go to the lowest column; columns that do not
        vary come last.
    scores_ : ndarray of float, shape (k,)
        Their weights.

    Notes
    -----
    Cost: O(m d n), d samples, n features, m samples looked at: the distances. Memory: a few copies of the table in
    float64, and blocks of distances of 16 MiB a thread, whatever d.

    References
    ----------
    M. Robnik-Sikonja, I. Kononenko, "Theoretical and empirical analysis of ReliefF and RReliefF", Machine Learning 53,
    2003. doi:10.1023/A:1025667309714

    Examples
    --------
    >>> from bitsieve import ReliefF
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> selector = ReliefF(2).fit(X, y)
    >>> selector.get_feature_names_out().tolist()
    ['petal length (cm)', 'petal width (cm)']
    >>> selector.weights_.round(2).tolist()
    [0.14, 0.12, 0.36, 0.38]
    """

    described = relieff.METHODS

    n_features_to_select: int | None = None
    _: KW_ONLY
    n_neighbors: int | None = None
    n_samples: int | None = None
    random_state: Any = None
    target_kind: str | None = None
    n_jobs: int | None = None
