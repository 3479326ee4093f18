"""Bounds on the Bayes error from spanning trees.

V. Berisha, A. Wisler, A. O. Hero III, A. Spanias, "Empirically estimable classification bounds based on a nonparametric
divergence measure", IEEE Transactions on Signal Processing 64, 2016. doi:10.1109/TSP.2015.2477805

S. Yasaei Sekeh, B. Oselio, A. O. Hero III, "Multi-class Bayes error estimation with a global minimal spanning tree",
Allerton Conference, 2018. doi:10.1109/ALLERTON.2018.8635897
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from bitsieve.methods.by_samples.spanning_tree.cross_edges import edges_between
from bitsieve.methods.by_samples.spanning_tree.tree import minimum_spanning_tree

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Classes = NDArray[np.integer]

Numbers = TypeVar("Numbers", float, "NDArray[np.float64]")


class BayesErrorBounds(NamedTuple):
    """No classifier's error is below ``lower``, and the best possible one's is not above ``upper``."""

    lower: float
    upper: float


def divergence(n_cross: Numbers, m: int, n: int) -> Numbers:
    """The Henze-Penrose divergence ``Dp = 1 - R (m + n) / (2 m n)`` of m and n points with R edges between them."""
    return 1.0 - n_cross * (m + n) / (2.0 * m * n)


def two_class_bounds(n_cross: Numbers, m: int, n: int) -> tuple[Numbers, Numbers]:
    """``1/2 - sqrt(u)/2`` and ``1/2 - u/2`` for ``u = 4 p q max(Dp, 0) + (p - q)^2``, ``p = m / (m + n) = 1 - q``.

    Where Dp is not negative the upper one is ``R / (m + n)``.
    """
    p, q = m / (m + n), n / (m + n)
    u = 4.0 * p * q * np.maximum(divergence(n_cross, m, n), 0.0) + (p - q) ** 2
    return 0.5 - np.sqrt(u) / 2.0, 0.5 - u / 2.0


def pairwise_bounds(points: Floats, classes: Classes, n_classes: int) -> BayesErrorBounds:
    """Bounds from a tree for every two classes.

    With e_ab the Bayes error between classes a and b alone, and p their frequencies among all samples, the Bayes error
    is at most ``sum_{a<b} (p_a + p_b) e_ab`` and, for C classes, at least ``2 / C`` times that sum.
    """
    lower = upper = 0.0
    for a, b in combinations(range(n_classes), 2):
        in_pair = np.flatnonzero((classes == a) | (classes == b))
        is_b = classes[in_pair] == b
        between = edges_between(minimum_spanning_tree(points[in_pair]), is_b.astype(np.intp), 2)
        low, high = two_class_bounds(float(between[0, 1]), int((~is_b).sum()), int(is_b.sum()))
        share = len(in_pair) / len(points)
        lower += 2.0 / n_classes * share * float(low)
        upper += share * float(high)
    return BayesErrorBounds(lower, upper)


def global_bounds(points: Floats, classes: Classes, n_classes: int) -> BayesErrorBounds:
    """Bounds from one tree of all samples.

    The share s of its edges, among N samples, that join different classes estimates the error of the nearest-neighbour
    rule on endless data. The Bayes error is at most s and at least ``(C - 1) / C (1 - sqrt(1 - s C / (C - 1)))``; s is
    cut at its value for classes that do not differ, ``1 - sum_c p_c^2``.
    """
    between = edges_between(minimum_spanning_tree(points), classes, n_classes)
    frequency = np.bincount(classes, minlength=n_classes) / len(points)
    share = min(float(np.triu(between, 1).sum()) / len(points), 1.0 - float((frequency**2).sum()))
    most = (n_classes - 1) / n_classes
    return BayesErrorBounds(most * (1.0 - max(0.0, 1.0 - share / most) ** 0.5), share)
