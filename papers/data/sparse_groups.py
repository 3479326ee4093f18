"""Sparse columns in groups that occur together, a class that depends on the groups, and sparse noise.

    each sample has a few of the groups, drawn without replacement: z_g = 1 for these, 0 for the others
    a member of group g:  s z_g (1 + 0.2 e), s a fair sign of the member, e normal
    v_g normal;   y = 1 where sum_g v_g z_g is above its median, else -1
    noise: values 1 + 0.2 e in columns drawn at random, so many that every sample has the same number of non-zeros

Members of a group are then correlated by nearly 1 / 1.04 = 0.96 in absolute value. The columns are shuffled.

After Y. Zhai, M. Tan, I. Tsang, Y. S. Ong, "Discovering support and affiliated features from very high dimensions",
ICML 2012 (doi:10.48550/arXiv.1206.6477), whose synthetic table is dense.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from papers.data import check_sizes

if TYPE_CHECKING:
    from numpy.typing import NDArray

SPREAD = 0.2  # standard deviation of the values about 1
MIN_MEMBERS = 1  # of a group
MAX_MEMBERS = 8
BATCH_VALUES = 1 << 22  # values drawn at a time


class SparseGroups(NamedTuple):
    """A table, its classes, and the group of each column, -1 for noise; ``weights`` are the v of the groups."""

    X: csr_array
    y: NDArray[np.intp]
    groups: NDArray[np.int32]
    weights: NDArray[np.float64]


def make_sparse_groups(
    n_samples: int = 100_000,
    n_features: int = 1_000_000,
    *,
    n_nonzeros: int = 50,
    n_groups: int = 200,
    n_present: int = 3,
    random_state: int | np.random.Generator | None = None,
) -> SparseGroups:
    """Draw a sparse table with groups of correlated features.

    Parameters
    ----------
    n_samples, n_features : int, default=100000, 1000000
    n_nonzeros : int, default=50
        Values of every sample that are not zero.
    n_groups : int, default=200
        Groups that the class depends on, of 1 to 8 members.
    n_present : int, default=3
        Groups that every sample has.
    random_state : int or numpy Generator, optional

    Returns
    -------
    SparseGroups
        ``X`` in CSR, float64, with sorted indices; ``y`` in {-1, 1}; ``groups`` of shape (n_features,); ``weights`` of
        shape (n_groups,).

    Raises
    ------
    ValueError
        If a size is not allowed, or a sample's groups may have more members than it has non-zeros.

    Examples
    --------
    >>> from papers.data.sparse_groups import make_sparse_groups
    >>> made = make_sparse_groups(100, 2000, n_groups=20, random_state=0)
    >>> made.X.shape, made.X.nnz, int(made.groups.max())
    ((100, 2000), 5000, 19)
    """
    check_sizes(
        {
            "n_samples": (n_samples, 1),
            "n_features": (n_features, 1),
            "n_nonzeros": (n_nonzeros, 1),
            "n_groups": (n_groups, 1),
            "n_present": (n_present, 1),
        }
    )
    random = np.random.default_rng(random_state)
    sizes = random.integers(MIN_MEMBERS, MAX_MEMBERS + 1, n_groups)
    if n_present > n_groups:
        raise ValueError(f"n_present={n_present} is not allowed: there are {n_groups} groups in all")
    max_present_members = int(np.sort(sizes)[::-1][:n_present].sum())
    if max_present_members > n_nonzeros:
        raise ValueError(
            f"n_nonzeros={n_nonzeros} is not allowed: {n_present} groups have up to {max_present_members} members"
        )
    n_members = int(sizes.sum())
    if n_members + n_nonzeros > n_features:
        raise ValueError(f"n_features={n_features} is not allowed: give at least {n_members + n_nonzeros}")
    weights = random.standard_normal(n_groups)
    members = np.sort(random.choice(n_features, n_members, replace=False))
    groups = np.full(n_features, -1, np.int32)
    groups[members[random.permutation(n_members)]] = np.repeat(np.arange(n_groups), sizes)
    signs = random.choice([-1.0, 1.0], n_members)
    generator = _RowGenerator(groups, sizes, signs)
    indices = np.empty((n_samples, n_nonzeros), np.int32)
    values = np.empty((n_samples, n_nonzeros))
    sums = np.empty(n_samples)  # of the weights of each sample's groups
    batch_size = max(1, BATCH_VALUES // n_nonzeros)
    for first in range(0, n_samples, batch_size):
        batch = slice(first, min(first + batch_size, n_samples))
        order = random.random((batch.stop - first, n_groups)).argpartition(n_present - 1, axis=1)
        present = order[:, :n_present]
        sums[batch] = np.add.reduce(weights[present], axis=1)
        generator.fill(random, present, indices[batch], values[batch])
    index_type = np.int32 if n_samples * n_nonzeros < 1 << 31 else np.int64
    indptr = np.arange(0, n_samples * n_nonzeros + 1, n_nonzeros, dtype=index_type)
    X = csr_array((values.ravel(), indices.ravel(), indptr), shape=(n_samples, n_features))
    y = np.where(sums > np.median(sums), 1, -1)
    return SparseGroups(X, y, groups, weights)


class _RowGenerator:
    """Draws samples as rows of a sparse table, given the groups that each sample has.

    Parameters
    ----------
    groups : ndarray of int, shape (n_features,)
        The group of each column, -1 for noise.
    sizes : ndarray of int, shape (n_groups,)
        The number of members of each group.
    signs : ndarray of float, shape (n_members,)
        The sign of each member, group by group.
    """

    def __init__(self, groups: NDArray[np.int32], sizes: NDArray[np.intp], signs: NDArray[np.float64]) -> None:
        members = np.flatnonzero(groups >= 0)
        self.members = members[np.argsort(groups[members], kind="stable")].astype(np.int32)  # group by group
        self.first_member = np.cumsum(sizes) - sizes  # of each group, its index in `members`
        self.sizes = sizes
        self.signs = signs
        self.noise_columns = np.flatnonzero(groups < 0).astype(np.int32)

    def fill(
        self,
        random: np.random.Generator,
        present: NDArray[np.intp],
        indices: NDArray[np.int32],
        values: NDArray[np.float64],
    ) -> None:
        """Fill in the column indices, ascending, and the values of samples that have the groups ``present``."""
        n_nonzeros = indices.shape[1]
        n_of_group = self.sizes[present]
        first_of_group = self.first_member[present]
        member = np.repeat(first_of_group.ravel(), n_of_group.ravel()) + _count_up(n_of_group.ravel())
        n_members = np.add.reduce(n_of_group, axis=1)
        n_noise = n_nonzeros - n_members
        # A sample takes one noise column of each of n_noise equal stretches, so that all differ. The stretches begin at
        # a column drawn at random, and go on from the last column at the first.
        stretch = np.repeat(len(self.noise_columns) // np.maximum(n_noise, 1), n_noise)
        begin = np.repeat(random.integers(0, len(self.noise_columns), len(n_noise)), n_noise)
        offset = (random.random(len(stretch)) * stretch).astype(np.intp)
        noise = (begin + _count_up(n_noise) * stretch + offset) % len(self.noise_columns)
        is_member = np.arange(n_nonzeros) < n_members[:, None]
        values[:] = 1 + SPREAD * random.standard_normal(values.shape)
        values[is_member] *= self.signs[member]
        indices[is_member] = self.members[member]
        indices[~is_member] = self.noise_columns[noise]
        order = np.argsort(indices, axis=1)
        indices[:] = np.take_along_axis(indices, order, axis=1)
        values[:] = np.take_along_axis(values, order, axis=1)


def _count_up(counts: NDArray[np.intp]) -> NDArray[np.intp]:
    """0, 1, ..., n - 1 for each n of ``counts``, one after the other."""
    return np.arange(np.add.reduce(counts)) - np.repeat(np.cumsum(counts) - counts, counts)
