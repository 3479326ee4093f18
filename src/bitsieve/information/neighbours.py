"""Mutual information of numbers without bins, by the distances to the nearest neighbours, in bits.

A. Kraskov, H. Stögbauer, P. Grassberger, "Estimating mutual information", Physical Review E 69, 2004.
doi:10.1103/PhysRevE.69.066138

B. C. Ross, "Mutual information between discrete and continuous data sets", PLoS ONE 9(2), 2014.
doi:10.1371/journal.pone.0087357

O. C. Mesner, C. R. Shalizi, "Conditional mutual information estimation for mixed, discrete and continuous data", IEEE
Transactions on Information Theory 67(1), 2021. doi:10.1109/TIT.2020.3024886
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bitsieve.utils.arrays import Flags, Floats
from bitsieve.utils.libraries import digamma as psi


class Variable(NamedTuple):
    """A variable: numbers divided by their standard deviation, or the codes of categories.

    The distance of two numbers is their difference; that of two categories is 0 if they are equal, else 1.
    """

    values: Floats  # shape (n_samples,)
    categorical: bool

    @classmethod
    def of(cls, values: NDArray[np.generic], *, categorical: bool) -> Variable:
        """A variable of numbers, all finite, or of codes ``0, 1, ...``."""
        numbers = np.asarray(values, np.float64)
        if categorical or not len(numbers):
            return cls(numbers, categorical)
        if numbers.min() == numbers.max():
            return cls(np.zeros(len(numbers)), categorical)
        _, exponent = np.frexp(np.abs(numbers).max())
        scaled = np.ldexp(numbers, -exponent)  # below 1, so that their squares do not overflow
        return cls(scaled / scaled.std(), categorical)

    @property
    def varies(self) -> bool:
        """Whether two samples differ."""
        return bool((self.values != self.values[:1]).any())

    @property
    def has_no_ties(self) -> bool:
        """Whether it is numeric and no number occurs twice."""
        return not self.categorical and len(np.unique(self.values)) == len(self.values)


def between(x: Variable, y: Variable, n_neighbors: int = 3) -> float:
    """The mutual information I(X;Y), in bits; 0 where one of the variables is constant.

    Two variables of numbers without ties: Kraskov's first estimator. Numbers without ties and categories: Ross. All
    others: Mesner and Shalizi,

        psi(N) + mean_i (psi(k_i) - psi(n_x,i) - psi(n_y,i))

    With r_i the distance of sample i from its k-th neighbour in (x, y), k_i is the number of other samples within r_i
    in both variables, n_x,i that within r_i in x, and n_y,i that within r_i in y.
    """
    if not x.varies or not y.varies:
        return 0.0
    if x.has_no_ties and y.has_no_ties:
        return _kraskov(x.values, y.values, n_neighbors)
    if x.has_no_ties and y.categorical:
        return _ross(x.values, y.values, n_neighbors)
    if y.has_no_ties and x.categorical:
        return _ross(y.values, x.values, n_neighbors)
    radius = _neighbor_distance((x, y), n_neighbors)
    psi_k = psi(_count_within((x, y), radius) - 1)
    psi_x = psi(_count_within((x,), radius) - 1)
    psi_y = psi(_count_within((y,), radius) - 1)
    return float((np.mean(psi_k - psi_x - psi_y) + psi(len(radius))) / np.log(2))


def conditional(x: Variable, y: Variable, z: Variable, n_neighbors: int = 3) -> float:
    """The conditional mutual information I(X;Y|Z), in bits, by the estimator of Mesner and Shalizi, not clipped.

        mean_i (psi(k_i) - psi(n_xz,i) - psi(n_yz,i) + psi(n_z,i))

    With r_i the distance of sample i from its k-th neighbour in (x, y, z), k_i is the number of other samples within
    r_i in all three variables, and n_xz,i, n_yz,i and n_z,i those within r_i in the variables named.
    """
    if not x.varies or not y.varies:
        return 0.0
    radius = _neighbor_distance((x, y, z), n_neighbors)
    psi_k = psi(_count_within((x, y, z), radius) - 1)
    psi_xz = psi(_count_within((x, z), radius) - 1)
    psi_yz = psi(_count_within((y, z), radius) - 1)
    psi_z = psi(_count_within((z,), radius) - 1)
    return float(np.mean(psi_k - psi_xz - psi_yz + psi_z) / np.log(2))


def _kraskov(x: Floats, y: Floats, n_neighbors: int) -> float:
    """``psi(k) + psi(N) - mean_i (psi(n_x,i + 1) + psi(n_y,i + 1))``, n the other samples nearer than the k-th."""
    k = min(n_neighbors, len(x) - 1)
    radius = _kth_distance(np.column_stack([x, y]), k)
    psi_x = psi(_count_numbers_within(x, radius, strictly=True))  # each sample counts itself: n_x + 1
    psi_y = psi(_count_numbers_within(y, radius, strictly=True))
    return float((psi(k) + psi(len(x)) - np.mean(psi_x + psi_y)) / np.log(2))


def _ross(x: Floats, codes: Floats, n_neighbors: int) -> float:
    """``psi(N) + mean_i (psi(k_i) - psi(N_i) - psi(m_i))``, over the samples whose category occurs more than once.

    N_i is the size of the category of sample i, and m_i the number of samples, itself included, that are nearer in x
    than the k_i-th neighbour in its category.
    """
    _, category, sizes = np.unique(codes, return_inverse=True, return_counts=True)
    has_company = sizes[category] > 1
    x = x[has_company]
    category = category[has_company]
    if not len(x):
        return 0.0
    radius = np.empty(len(x))
    k = np.empty(len(x), np.intp)
    for occurring_category in np.unique(category):
        members = np.flatnonzero(category == occurring_category)
        k_of_category = min(n_neighbors, len(members) - 1)
        k[members] = k_of_category
        radius[members] = _kth_distance(x[members, None], k_of_category)
    n_nearer = _count_numbers_within(x, radius, strictly=True)
    return float((psi(len(x)) + np.mean(psi(k) - psi(sizes[category]) - psi(n_nearer))) / np.log(2))


def _neighbor_distance(variables: tuple[Variable, ...], n_neighbors: int) -> Floats:
    """The distance of every sample from its k-th nearest neighbour in all of these variables."""
    points = _points(variables)
    return _kth_distance(points, min(n_neighbors, len(points) - 1))


def _points(variables: tuple[Variable, ...]) -> Floats:
    """The samples as points whose distance in the maximum norm is the largest of their distances in a variable.

    Categories become corners of a cube, each at distance 1 from every other: the binary digits of their numbers.
    """
    coordinates = []
    for variable in variables:
        if variable.categorical:
            _, codes = np.unique(variable.values, return_inverse=True)
            n_digits = max(int(codes.max()).bit_length(), 1)
            digits = codes[:, None] >> np.arange(n_digits) & 1
            coordinates.append(digits.astype(np.float64))
        else:
            coordinates.append(variable.values[:, None])
    return np.hstack(coordinates)


def _kth_distance(points: Floats, k: int) -> Floats:
    from scipy.spatial import cKDTree

    distances, _ = cKDTree(points).query(points, k=[k + 1], p=np.inf, workers=-1)
    return np.asarray(distances[:, 0], np.float64)


def _count_within(variables: tuple[Variable, ...], radius: Floats) -> Floats:
    """For every sample, the number of samples within its radius in all of these variables, itself included."""
    from scipy.spatial import cKDTree

    if len(variables) == 1 and not variables[0].categorical:
        return _count_numbers_within(variables[0].values, radius)
    points = _points(variables)
    counts = cKDTree(points).query_ball_point(points, radius, p=np.inf, return_length=True, workers=-1)
    return np.asarray(counts, np.float64)


def _count_numbers_within(values: Floats, radius: Floats, *, strictly: bool = False) -> Floats:
    """For every value, the number of values within its radius, itself included; ``strictly``: nearer than the radius.

    Differences are compared with the radius as they are: ``value + radius`` might be rounded past another value.
    """
    distinct, sizes = np.unique(values, return_counts=True)
    index = np.searchsorted(distinct, values)

    def is_near(other: NDArray[np.intp]) -> Flags:
        distance = np.abs(values - distinct[other])
        return distance < radius if strictly else distance <= radius

    n_steps = len(distinct).bit_length()
    first = _furthest_near(is_near, index, np.full_like(index, -1), n_steps)
    last = _furthest_near(is_near, index, np.full_like(index, len(distinct)), n_steps)
    n_before = np.concatenate([[0], np.cumsum(sizes)])
    return np.asarray(n_before[last + 1] - n_before[first], np.float64)


def _furthest_near(
    is_near: Callable[[NDArray[np.intp]], Flags], near: NDArray[np.intp], far: NDArray[np.intp], n_steps: int
) -> NDArray[np.intp]:
    """The near index that is closest to ``far``, one for each value, by bisection between ``near`` and ``far``.

    Distances never fall from ``near`` to ``far``, rounded or not.
    """
    for _ in range(n_steps):
        middle = near + np.sign(far - near) * (np.abs(far - near) // 2)
        middle_is_near = is_near(middle)
        near = np.where(middle_is_near, middle, near)
        far = np.where(middle_is_near, far, middle)
    return near
