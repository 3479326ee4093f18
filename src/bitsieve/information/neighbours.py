"""Mutual information of numbers without bins, by the distances to the nearest neighbours, in bits.

A. Kraskov, H. Stögbauer, P. Grassberger, "Estimating mutual information", Physical Review E 69, 2004.
doi:10.1103/PhysRevE.69.066138

B. C. Ross, "Mutual information between discrete and continuous data sets", PLoS ONE 9(2), 2014.
doi:10.1371/journal.pone.0087357

O. C. Mesner, C. R. Shalizi, "Conditional mutual information estimation for mixed, discrete and continuous data", IEEE
Transactions on Information Theory 67(1), 2021. doi:10.1109/TIT.2020.3024886
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bitsieve.utils.arrays import Floats
from bitsieve.utils.lazy import digamma as psi


class Variable(NamedTuple):
    """One variable, shape (n_samples,): numbers in units of their spread, or the codes of categories.

    Two numbers are as far apart as they differ; two categories 0 if they are equal, else 1.
    """

    values: Floats
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
        scaled = np.ldexp(numbers, -exponent)
        return cls(scaled / scaled.std(), categorical)

    @property
    def varies(self) -> bool:
        """Whether two samples differ."""
        return bool((self.values != self.values[:1]).any())

    @property
    def distinct(self) -> bool:
        """Whether no value occurs twice."""
        return not self.categorical and len(np.unique(self.values)) == len(self.values)


def between(x: Variable, y: Variable, n_neighbors: int = 3) -> float:
    """The information of two variables, in bits; 0 where one does not vary.

    Numbers without ties: Kraskov's first estimator. Numbers without ties and categories: Ross. All else: Mesner and
    Shalizi, ``psi(N) + <psi(k_i) - psi(n_x) - psi(n_y)>``, each n the other samples at most as far away as the k-th
    neighbour in (x, y), and k_i the other samples so near in both.
    """
    if not x.varies or not y.varies:
        return 0.0
    if x.distinct and y.distinct:
        return _kraskov(x.values, y.values, n_neighbors)
    if x.distinct and y.categorical:
        return _ross(x.values, y.values, n_neighbors)
    if y.distinct and x.categorical:
        return _ross(y.values, x.values, n_neighbors)
    radius = _radius((x, y), n_neighbors)
    both, only_x, only_y = (psi(_near(of, radius) - 1) for of in ((x, y), (x,), (y,)))
    return float((np.mean(both - only_x - only_y) + psi(len(radius))) / np.log(2))


def conditional(x: Variable, y: Variable, z: Variable, n_neighbors: int = 3) -> float:
    """The information of two variables at a known third, in bits: the estimator of Mesner and Shalizi, not clipped.

    ``<psi(k) - psi(n_xz) - psi(n_yz) + psi(n_z)>``, each n the other samples that are at most as far away in these
    variables as the k-th neighbour is in all three, and k the other samples so near in all three.
    """
    if not x.varies or not y.varies:
        return 0.0
    radius = _radius((x, y, z), n_neighbors)
    xyz, xz, yz, only_z = (psi(_near(of, radius) - 1) for of in ((x, y, z), (x, z), (y, z), (z,)))
    return float(np.mean(xyz - xz - yz + only_z) / np.log(2))


def _kraskov(x: Floats, y: Floats, n_neighbors: int) -> float:
    k = min(n_neighbors, len(x) - 1)
    radius = _kth_distance(np.column_stack([x, y]), k)
    closer = [psi(_near_on_line(values, radius, strictly=True)) for values in (x, y)]  # each counts itself
    return float((psi(k) + psi(len(x)) - np.mean(closer[0] + closer[1])) / np.log(2))


def _ross(x: Floats, codes: Floats, n_neighbors: int) -> float:
    _, category_of, sizes = np.unique(codes, return_inverse=True, return_counts=True)
    has_company = sizes[category_of] > 1
    x = x[has_company]
    category_of = category_of[has_company]
    if not len(x):
        return 0.0
    radius = np.empty(len(x))
    k = np.empty(len(x), np.intp)
    for category in np.unique(category_of):
        members = np.flatnonzero(category_of == category)
        k[members] = min(n_neighbors, len(members) - 1)
        radius[members] = _kth_distance(x[members, None], int(k[members[0]]))
    nearer = _near_on_line(x, radius, strictly=True)
    return float((psi(len(x)) + np.mean(psi(k) - psi(sizes[category_of]) - psi(nearer))) / np.log(2))


def _radius(variables: tuple[Variable, ...], n_neighbors: int) -> Floats:
    points = _points(variables)
    return _kth_distance(points, min(n_neighbors, len(points) - 1))


def _points(variables: tuple[Variable, ...]) -> Floats:
    """Samples as points, as far apart as they differ most in one coordinate.

    Categories are corners of a cube, each 1 apart from every other: the binary digits of their numbers.
    """
    parts = []
    for variable in variables:
        if variable.categorical:
            codes = np.unique(variable.values, return_inverse=True)[1]
            digits = np.arange(max(int(codes.max()).bit_length(), 1))
            parts.append((codes[:, None] >> digits & 1).astype(np.float64))
        else:
            parts.append(variable.values[:, None])
    return np.hstack(parts)


def _kth_distance(points: Floats, k: int) -> Floats:
    from scipy.spatial import cKDTree

    distances, _ = cKDTree(points).query(points, k=[k + 1], p=np.inf, workers=-1)
    return np.asarray(distances[:, 0], np.float64)


def _near(variables: tuple[Variable, ...], radius: Floats) -> Floats:
    """How many samples, itself among them, are within the radius."""
    from scipy.spatial import cKDTree

    if len(variables) == 1 and not variables[0].categorical:
        return _near_on_line(variables[0].values, radius)
    points = _points(variables)
    counts = cKDTree(points).query_ball_point(points, radius, p=np.inf, return_length=True, workers=-1)
    return np.asarray(counts, np.float64)


def _near_on_line(values: Floats, radius: Floats, *, strictly: bool = False) -> Floats:
    """How many values, itself among them, are within the radius; ``strictly``: nearer than that.

    The differences are compared as they are, so that rounding of ``value + radius`` moves no bound.
    """
    distinct, sizes = np.unique(values, return_counts=True)
    before = np.concatenate([[0], np.cumsum(sizes)])
    within = np.less if strictly else np.less_equal
    first = last = np.searchsorted(distinct, values)
    # places that are not near
    beyond = np.full_like(first, -1)
    after = np.full_like(last, len(distinct))
    for _ in range(len(distinct).bit_length()):  # the differences never fall with the distance, rounded or not
        middle = (beyond + first + 1) // 2
        near = within(values - distinct[middle], radius)
        first = np.where(near, middle, first)
        beyond = np.where(near, beyond, middle)
        middle = (last + after) // 2
        near = within(distinct[middle] - values, radius)
        last = np.where(near, middle, last)
        after = np.where(near, after, middle)
    return np.asarray(before[last + 1] - before[first], np.float64)
