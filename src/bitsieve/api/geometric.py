"""What spanning trees measure: the distance of two samples or features, and bounds on the error of a classifier."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bitsieve.dataset.read import read_xy
from bitsieve.dataset.target import read_target
from bitsieve.diagnostics import UserError
from bitsieve.methods.by_samples.spanning_tree.bayes_error import (
    BOUNDS_BY_TREE,
    BayesErrorBounds,
    divergence,
)
from bitsieve.methods.by_samples.spanning_tree.dependency import PRIORS, Draw, dependency
from bitsieve.methods.by_samples.spanning_tree.tree import edges_between, minimum_spanning_tree
from bitsieve.pipeline.samples import TableSamples
from bitsieve.utils.arrays import Floats
from bitsieve.utils.docstrings import cites
from bitsieve.utils.messages import number_and_noun
from bitsieve.utils.parameters import check_choice, check_integer, make_random
from bitsieve.utils.types import ColumnLike, RandomState, TableLike

MIN_SAMPLES = 4  # of which a half has two


@cites("Henze, Penrose 1999")
def henze_penrose_divergence(x: ColumnLike, y: ColumnLike) -> float:
    """The Henze-Penrose divergence of two samples, from the edges between them in a minimum spanning tree.

    ``Dp = 1 - R (m + n) / (2 m n)``, where R edges of the tree on all points join one of the m points of x with one of
    the n points of y. For more and more points it goes to ``1 - int f g / (p f + q g)`` of the densities f and g, with
    ``p = m / (m + n) = 1 - q``: 0 if they are the same, 1 if they do not overlap.

    Parameters
    ----------
    x : array-like of shape (m,) or (m, n_features)
    y : array-like of shape (n,) or (n, n_features)

    Returns
    -------
    float
        At most 1, without a unit; an estimate that chance puts a little below 0 where the samples are alike.

    Raises
    ------
    ValueError
        If a sample has fewer than two points, values are missing, infinite or no numbers, or the samples differ in
        their number of features.

    Notes
    -----
    Distances depend on the units of the features: bring them to one scale first. Cost for N points of d
    features: about O(N^1.5) in few dimensions, O(N^2 d) in many.

    Examples
    --------
    >>> import bitsieve
    >>> bitsieve.henze_penrose_divergence([1.0, 2.0, 3.0, 4.0], [11.0, 12.0, 13.0, 14.0])
    0.75
    """
    first = _points("x", x)
    second = _points("y", y)
    if first.shape[1] != second.shape[1]:
        raise UserError(
            code="lengths-differ",
            message=f"x has {first.shape[1]:,} features and y has {second.shape[1]:,}",
            advice="give the same number",
        )
    m = len(first)
    n = len(second)
    is_second = np.repeat([0, 1], [m, n])
    between = edges_between(minimum_spanning_tree(np.vstack([first, second])), is_second, 2)
    return divergence(float(between[0, 1]), m, n)


@cites("Yasaei Sekeh, Hero 2019")
def geometric_mutual_information(
    x: ColumnLike,
    y: ColumnLike,
    given: ColumnLike = None,
    *,
    n_repeats: int = 10,
    priors: str = "halves",
    tree: str = "global",
    random_state: RandomState = 0,
) -> float:
    """Geometric mutual information of two features, also given a third, or its lower bound: 0 if independent.

    ``1 - R / n``: the samples are halved, and in the second half the values of y are permuted, within each class if
    ``given`` names classes; R counts the edges between the halves in the minimum spanning tree of their 2 n points
    (x, y). It is the Henze-Penrose divergence between the joint distribution and the one of independent features. With
    ``given`` it bounds from below the mean over the classes of that divergence within each class,
    ``sum_c p_c [1 - 2 int f(x, y|c) f(x|c) f(y|c) / (f(x, y|c) + f(x|c) f(y|c))]``, the conditional geometric mutual
    information, which ``tree="by_class"`` estimates itself.

    Parameters
    ----------
    x, y : array-like of shape (n_samples,) or (n_samples, n_features)
        Several features are taken together.
    given : array-like of shape (n_samples,), optional
        Classes of any kind; floats with a fractional part are binned into five equal-frequency classes.
    n_repeats : int, default=10
        How many times the halves and the permutation are drawn; the results are averaged.
    priors : {'halves', 'pooled'}, default='halves'
        Whether the classes weigh by their frequencies in each half, or by those among all samples.
    tree : {'global', 'by_class'}, default='global'
        One tree of the samples of all classes, whose value is the lower bound; or a tree for the samples of each class,
        whose values are averaged by the shares of the classes.
    random_state : int, RandomState instance or None, default=0
        Of the draws.

    Returns
    -------
    float
        At most 1, without a unit; an estimate that chance puts a little below 0 where there is no dependency.

    Raises
    ------
    ValueError
        If there are fewer than four samples, or in a class by ``tree="by_class"``, values are missing, infinite or no
        numbers, the arrays differ in length, or a parameter is not allowed.

    Notes
    -----
    Distances depend on the units of the features: bring them to one scale first. Cost: ``n_repeats`` spanning trees.

    Examples
    --------
    >>> import bitsieve
    >>> import numpy as np
    >>> random = np.random.default_rng(0)
    >>> x, noise = random.normal(size=(2, 1000))
    >>> round(bitsieve.geometric_mutual_information(x, x + noise), 2)
    0.16
    >>> abs(bitsieve.geometric_mutual_information(x, noise)) < 0.02
    True
    >>> classes = random.integers(0, 2, 1000)
    >>> turned = np.where(classes == 1, x, -x) + noise
    >>> round(bitsieve.geometric_mutual_information(x, turned, classes), 2)
    0.03
    >>> round(bitsieve.geometric_mutual_information(x, turned, classes, tree="by_class"), 2)
    0.14
    """
    check_integer("n_repeats", n_repeats, 1)
    check_choice("priors", priors, PRIORS)
    check_choice("tree", tree, ("global", "by_class"))
    first = _points("x", x)
    second = _points("y", y)
    classes = np.zeros(len(first), np.int32)
    if given is not None:
        classes = read_target(given, name="given").codes
    if not len(first) == len(second) == len(classes):
        lengths = f"x has {len(first):,} samples and y {len(second):,}"
        if given is not None:
            lengths += f", given {len(classes):,}"
        raise UserError(code="lengths-differ", message=lengths, advice="give the same number")
    if len(first) < MIN_SAMPLES:
        raise UserError(
            code="too-few-rows",
            message=f"the samples are halved, and at least {MIN_SAMPLES} are needed",
            advice=f"there are {len(first):,}",
        )
    random = make_random(random_state)
    if tree == "by_class":
        return _dependency_by_class(first, second, classes, n_repeats, random)
    draws = (Draw.of(classes, random) for _ in range(n_repeats))
    return float(np.mean([dependency(first, second, classes, draw, priors) for draw in draws]))


def _dependency_by_class(
    first: Floats, second: Floats, classes: NDArray[np.int32], n_repeats: int, random: np.random.RandomState
) -> float:
    """The dependency within each class by a tree of its own, averaged by the shares of the classes."""
    class_sizes = np.bincount(classes)
    smallest = int(class_sizes.min())
    if smallest < MIN_SAMPLES:
        raise UserError(
            code="too-few-rows",
            message=f"the samples of each class are halved, and at least {MIN_SAMPLES} are needed",
            advice=f"a class of given has {smallest}",
        )
    total = 0.0
    for class_code, class_size in enumerate(class_sizes.tolist()):
        in_class = classes == class_code
        one_class = np.zeros(class_size, np.int32)
        draws = [Draw.of(one_class, random) for _ in range(n_repeats)]
        values = [dependency(first[in_class], second[in_class], one_class, draw, "halves") for draw in draws]
        total += class_size * float(np.mean(values))
    return total / len(classes)


@cites("Berisha, Wisler, Hero, Spanias 2016", "Yasaei Sekeh, Oselio, Hero 2018")
def bayes_error_bounds(
    X: TableLike, y: ColumnLike, sample_weight: ColumnLike = None, *, tree: str = "global"
) -> BayesErrorBounds:
    """A lower and an upper bound on the error of the best possible classifier, from spanning trees of the samples.

    'global': s is the number of edges of the minimum spanning tree of all samples that join different classes, by the
    number of samples; the bounds are ``(C - 1) / C (1 - sqrt(1 - s C / (C - 1)))`` and ``s`` for C classes. 'pairwise':
    with e_ab the same bounds for classes a and b alone, ``2 / C sum_{a<b} (p_a + p_b) e_ab`` and
    ``sum_{a<b} (p_a + p_b) e_ab``, which is wider. For two classes both are ``1/2 - sqrt(u)/2`` and ``1/2 - u/2`` with
    ``u = 4 p q Dp + (p - q)^2`` of the Henze-Penrose divergence Dp.

    Parameters
    ----------
    X : array-like, dataframe or pyarrow Table of shape (n_samples, n_features)
        Numbers; columns of two categories count as 0 and 1.
    y : array-like of shape (n_samples,)
        Classes of any kind; floats with a fractional part are binned into five equal-frequency classes.
    sample_weight : array-like of shape (n_samples,), optional
        Frequency weights, whole numbers: how many times each sample counts, exactly as if it were repeated.
    tree : {'global', 'pairwise'}, default='global'
        One tree of all samples, or one for every two classes.

    Returns
    -------
    BayesErrorBounds
        ``lower`` and ``upper``, between 0 and ``1 - sum_c p_c^2``, the error of guessing by frequency; the 'pairwise'
        upper bound of many classes can be above it.

    Raises
    ------
    ValueError
        If the target has one class, values are missing or infinite, a column holds more than two categories, or there
        is no such kind of tree.

    Notes
    -----
    The bounds hold for more and more samples; on few, or in many dimensions, they are estimates. Distances depend on
    the units of the features: bring them to one scale first. Cost for N samples of d features: about O(N^1.5) in few
    dimensions, O(N^2 d) in many.

    Examples
    --------
    >>> import bitsieve
    >>> from sklearn.datasets import load_iris
    >>> lower, upper = bitsieve.bayes_error_bounds(*load_iris(return_X_y=True))
    >>> round(lower, 3), round(upper, 3)
    (0.027, 0.053)
    """
    check_choice("tree", tree, tuple(BOUNDS_BY_TREE))
    samples = TableSamples(read_xy(X, y, sample_weight), "bayes_error_bounds")
    samples.table.target.check_varies()
    return BOUNDS_BY_TREE[tree](samples.numbers()[0], samples.classes, samples.n_classes)


def _points(name: str, values: ColumnLike) -> Floats:
    """Samples as rows of finite numbers; a single feature is one column."""
    try:
        points = np.asarray(values, np.float64)
    except (TypeError, ValueError) as error:
        raise UserError(
            code="numbers-needed",
            message=f"{name} holds values that are no numbers",
            advice="encode them first",
        ) from error
    if points.ndim == 1:
        points = points.reshape(-1, 1)
    if points.ndim != 2 or not points.shape[1]:
        raise UserError(
            code="wrong-shape",
            message=f"{name} has the shape {points.shape}",
            advice="give samples, or samples and features",
        )
    if len(points) < 2:
        raise UserError(
            code="too-few-rows",
            message=f"{name} has {number_and_noun(len(points), 'sample')}",
            advice="give at least 2",
        )
    if not np.isfinite(points).all():
        raise UserError(
            code="missing-values",
            message=f"{name} holds missing or infinite values",
            advice="impute or drop them first",
        )
    return points
