"""Sparse columns in groups that occur together, a class that depends on the groups, and sparse noise.

    each sample has a few of the groups, drawn without replacement: z_g = 1 for these, 0 for the others
    a member of group g:  s z_g (1 + 0.2 e), s a fair sign of the member, e normal
    v_g normal;   y = 1 where sum_g v_g z_g is above its median, else -1
    noise: values 1 + 0.2 e in columns drawn at random, as many as make every sample's number of non-zeros the same

so that members of a group are correlated by nearly 1 / 1.04 = 0.96 in absolute value. The columns are shuffled.

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

SPREAD = 0.2  # of the values about 1
MEMBERS = (1, 8)  # least and most of a group
BATCH = 1 << 22  # noise values drawn at a time


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
        Of every sample.
    n_groups : int, default=200
        Groups that the class depends on, of 1 to 8 members.
    n_present : int, default=3
        Groups of every sample.
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
    sizes = random.integers(MEMBERS[0], MEMBERS[1] + 1, n_groups)
    if n_present > n_groups:
        raise ValueError(f"n_present={n_present} is not allowed: there are {n_groups} groups in all")
    most = int(np.sort(sizes)[::-1][:n_present].sum())
    if most > n_nonzeros:
        raise ValueError(f"n_nonzeros={n_nonzeros} is not allowed: {n_present} groups have up to {most} members")
    if int(sizes.sum()) + n_nonzeros > n_features:
        raise ValueError(f"n_features={n_features} is not allowed: give at least {int(sizes.sum()) + n_nonzeros}")
    weights = random.standard_normal(n_groups)
    groups = np.full(n_features, -1, np.int32)
    members = np.sort(random.choice(n_features, int(sizes.sum()), replace=False))
    shuffled = random.permutation(len(members))
    groups[members[shuffled]] = np.repeat(np.arange(n_groups), sizes)
    columns = _Columns(groups, sizes, random.choice([-1.0, 1.0], len(members)))
    indices = np.empty((n_samples, n_nonzeros), np.int32)
    values = np.empty((n_samples, n_nonzeros))
    sums = np.empty(n_samples)
    for first in range(0, n_samples, max(1, BATCH // n_nonzeros)):
        batch = slice(first, min(first + max(1, BATCH // n_nonzeros), n_samples))
        present = random.random((len(sums[batch]), n_groups)).argpartition(n_present - 1, axis=1)[:, :n_present]
        sums[batch] = np.add.reduce(weights[present], axis=1)
        columns.fill(random, present, indices[batch], values[batch])
    index = np.int32 if n_samples * n_nonzeros < 1 << 31 else np.int64
    start = np.arange(0, n_samples * n_nonzeros + 1, n_nonzeros, dtype=index)
    X = csr_array((values.ravel(), indices.ravel(), start), shape=(n_samples, n_features))
    return SparseGroups(X, np.where(sums > np.median(sums), 1, -1), groups, weights)


class _Columns:
    """Which columns belong to which group, and which to none."""

    def __init__(self, groups: NDArray[np.int32], sizes: NDArray[np.intp], signs: NDArray[np.float64]) -> None:
        members = np.flatnonzero(groups >= 0)
        self.members = members[np.argsort(groups[members], kind="stable")].astype(np.int32)
        self.signs = signs
        self.sizes = sizes
        self.starts = np.cumsum(sizes) - sizes
        self.others = np.flatnonzero(groups < 0).astype(np.int32)

    def fill(
        self,
        random: np.random.Generator,
        present: NDArray[np.intp],
        indices: NDArray[np.int32],
        values: NDArray[np.float64],
    ) -> None:
        """Column indices, ascending, and values of samples that have the groups ``present``."""
        n_nonzeros = indices.shape[1]
        of_groups = self.sizes[present]
        place = np.repeat(self.starts[present].ravel(), of_groups.ravel()) + _counting(of_groups.ravel())
        n_members = np.add.reduce(of_groups, axis=1)
        n_others = n_nonzeros - n_members
        # One column of each of so many equal stretches of the others: all different. Where they begin is drawn, too.
        width = np.repeat(len(self.others) // np.maximum(n_others, 1), n_others)
        begin = np.repeat(random.integers(0, len(self.others), len(n_others)), n_others)
        drawn = begin + _counting(n_others) * width + (random.random(len(width)) * width).astype(np.intp)
        is_member = np.arange(n_nonzeros) < n_members[:, None]
        values[:] = 1 + SPREAD * random.standard_normal(values.shape)
        values[is_member] *= self.signs[place]
        indices[is_member] = self.members[place]
        indices[~is_member] = self.others[drawn % len(self.others)]
        order = np.argsort(indices, axis=1)
        indices[:] = np.take_along_axis(indices, order, axis=1)
        values[:] = np.take_along_axis(values, order, axis=1)


def _counting(counts: NDArray[np.intp]) -> NDArray[np.intp]:
    """0, 1, ... up to each count, one after the other."""
    return np.arange(np.add.reduce(counts)) - np.repeat(np.cumsum(counts) - counts, counts)
