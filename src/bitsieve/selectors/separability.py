"""RCFS, ReliefF, GMI and DpSelector: columns that separate the classes, by scatter, near samples or spanning trees."""

from __future__ import annotations

from bitsieve.methods.by_samples import rcfs, relieff
from bitsieve.methods.by_samples.spanning_tree import bayes_error, dependency
from bitsieve.selectors.base import with_parameters
from bitsieve.selectors.by_method import MethodSelector
from bitsieve.utils.types import RandomState


@with_parameters
class RCFS(MethodSelector):
    r"""Choose the features that separate the classes best, at most one of each cluster of correlated features.

    Maximises ``sum b_j / sum w_j`` over all sets of k features from k different clusters, exactly; b_j and w_j are the
    diagonals of the scatter matrices between and within the classes. The clusters come from average linkage on
    ``1 - |rho|``, rho the correlation of two columns.

    Parameters
    ----------
    n_clusters : int, default=None
        The number of clusters, not below ``n_features_to_select``. None merges clusters as long as their mean
        ``|rho|`` is at least 0.5 and more than ``n_features_to_select`` of them are left.
    standardize : bool, default=True
        Whether each column counts in units of its standard deviation; False takes the columns as they are.

    Attributes
    ----------
    selected_ : ndarray of int, shape (k,)
        Column indices by falling score; columns that do not vary come last.
    scores_ : ndarray of float, shape (k,)
        ``b_j / (b_j + w_j)``, the share of the column's variance that the classes explain, between 0 and 1.
    separability_ : float
        ``sum b_j / sum w_j`` of the selected features that vary. No other allowed choice has a larger one. It is inf
        if the features do not vary within the classes.
    clusters_ : ndarray of int, shape (n_features,)
        The cluster of every column; -1 for columns that do not vary.
    groups_ : list of ndarray of int, length n_features_to_select
        For every selected feature, the others of its cluster.

    Notes
    -----
    Columns of two categories (booleans among them) count as 0 and 1; those of more are refused, as are missing values.
    Cost: O(n^2 d), d samples, n features. Memory: n x n numbers.

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

    registry_methods = rcfs.METHODS

    n_clusters: int | None = None
    standardize: bool = True


@with_parameters
class ReliefF(MethodSelector):
    r"""Weigh each feature by how much more it differs between neighbours of different classes than of the same class.

    For a target of classes (ReliefF) the weight is

        ``W = mean_i [ - mean diff to the hits + sum_{c != y_i} P(c) / (1 - P(y_i)) mean diff to the misses of c ]``.

    The hits of sample i are the nearest samples of its class, its misses the nearest samples of another class c. The
    difference ``diff`` of two values is ``|a - b| / (max - min)`` in a numeric column, and 0 or 1 in a categorical one.
    The distance of two samples is the sum of their differences over all columns; of equal distances the lowest row is
    nearest.

    For a target that is a quantity y (RReliefF) the weight is

        ``W = E[diff(y) diff] / E[diff(y)] - E[(1 - diff(y)) diff] / E[1 - diff(y)]``.

    The means E are over all samples and the nearest others of each; ``diff(y)`` is that of a numeric column. The
    weight depends on the unit of y, unlike information.

    A missing value has the mean difference that it would have if it were drawn from the other values of the column in
    the sample's class; in all classes if that class has none there, or if the target is a quantity.

    Parameters
    ----------
    n_neighbors : int, default=None
        The number of hits, and of misses of each class; a class that has fewer gives all of them. For a quantity, the
        number of nearest samples, which must be large for differences to show beyond the noise of y. None is 10 for
        classes and 70 for a quantity.
    n_samples : int, default=None
        The number of samples i that the mean is over, drawn without replacement; None, or more than there are, for all
        samples in order. Neighbours are always sought among all samples.
    random_state : int, RandomState instance or None, default=None
        The seed of the draw; without ``n_samples`` nothing is drawn.

    Attributes
    ----------
    weights_ : ndarray of float, shape (n_features,)
        Between -1 and 1; 0 for columns that do not vary.
    ranking_ : ndarray of int, shape (n_features,)
        1 = largest weight; every feature has its own rank. Ties (1e-10) go to the lowest column; columns that do not
        vary come last.
    scores_ : ndarray of float, shape (k,)
        The weights of the selected columns.

    Notes
    -----
    Cost: O(m d n), d samples, n features, m samples looked at: the distances. Memory: a few copies of the table in
    float64, and blocks of distances of 16 MiB a thread, whatever d.

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

    registry_methods = relieff.METHODS

    n_neighbors: int | None = None
    n_samples: int | None = None
    random_state: RandomState = None
    n_jobs: int | None = None


@with_parameters
class GMI(MethodSelector):
    r"""Leave out the features that depend most on the others, given the class, by geometric mutual information.

    For every two features the lower bound on the conditional geometric mutual information is estimated,

        ``I(Xs;Xt|C) >= 1 - 2 sum_yz p_y p_z delta_yz = 1 - R / n``,

    where the values of t are permuted within each class in one half of the samples, and R counts the edges between the
    halves, of n samples each, in the minimum spanning tree of the points (xs, xt). Where the features are independent
    given the class the halves mix and the bound is near 0; where they are not it goes towards 1. The features of the
    highest total over all others are left out.

    The rule does not measure how relevant a feature is: without ``relevance``, features of pure noise stay first.

    Parameters
    ----------
    removal : {'sorted', 'backward'}, default='sorted'
        'sorted': all totals once, the highest are left out. 'backward': one feature at a time, the totals being those
        over the features that are left, so that of two copies one stays.
    relevance : int or float, default=None
        The number of features, or the share of them, that are kept beforehand: those that :class:`DpSelector` would
        choose first if it measured each alone. None keeps all.
    priors : {'halves', 'pooled'}, default='halves'
        Whether p_y and p_z are the frequencies of the classes in each half, or among all samples.
    n_repeats : int, default=1
        How many times the halves and the permutation are drawn; the bounds are averaged.
    random_state : int, RandomState instance or None, default=0
        The seed of the draws; all pairs of features share them.

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
        The totals of the selected columns: with 'sorted' over all other features, with 'backward' over those that were
        left when the feature had the highest total. Low is good.

    Notes
    -----
    Distances depend on the units of the features: bring them to one scale first. Columns of two categories count as 0
    and 1; those of more are refused, as are missing values. A single feature has a total of 0.

    Cost for n features and d samples: ``n (n - 1) / 2`` spanning trees of d points in the plane a draw, each about
    O(d^1.5), less where many points are equal. Memory: n x n numbers.

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

    registry_methods = dependency.METHODS

    removal: str = "sorted"
    relevance: float | None = None
    priors: str = "halves"
    n_repeats: int = 1
    random_state: RandomState = 0
    n_jobs: int | None = None


@with_parameters
class DpSelector(MethodSelector):
    r"""Add the feature that makes the bounds on the Bayes error between every two classes smallest, one at a time.

    The Henze-Penrose divergence of classes a and b, of m and n samples, on the chosen features is estimated by the
    edges R between them in the minimum spanning tree of their samples, ``Dp = 1 - R (m + n) / (2 m n)``. The best
    classifier of a and b errs at least as often as ``1/2 - sqrt(u)/2`` and at most as often as ``1/2 - u/2``, where
    ``u = 4 p q Dp + (p - q)^2``, ``p = m / (m + n) = 1 - q`` and a negative Dp counts as 0. Each step adds the feature
    with the smallest sum of these upper bounds, ``R / (m + n)``, over all pairs of classes.

    Parameters
    ----------
    weighted : bool, default=False
        Whether the bound of two classes is weighted by their share of the samples; the sum is then an upper bound on
        the Bayes error of all classes together.

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
    Distances depend on the units of the features: bring them to one scale first. Columns of two categories count as 0
    and 1; those of more are refused, as are missing values.

    Cost for n features, d samples and C classes: ``k n C (C - 1) / 2`` spanning trees of about 2 d / C points, each
    between O(d^1.5) in few and O(k d^2) in many dimensions.

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

    registry_methods = bayes_error.METHODS

    weighted: bool = False
    n_jobs: int | None = None
