"""Groups of correlated features, a class that is the sign of a weighted sum of what the groups share, and noise.

    z_g, v_g normal numbers, one z for each sample and group;   y = sign(sum_g v_g z_g)
    a member of one of the first groups: s (sqrt(0.95) z_g + sqrt(0.05) e), s a fair sign;   of another group: z_g

Members of a group are then correlated by 0.95 in absolute value. The columns are shuffled.

Y. Zhai, M. Tan, I. Tsang, Y. S. Ong, "Discovering support and affiliated features from very high dimensions", ICML
2012. doi:10.48550/arXiv.1206.6477 (the sizes; groups of 5 to 20 members)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from papers.data import check_sizes

if TYPE_CHECKING:
    from numpy.typing import NDArray

CORRELATION = 0.95
MIN_MEMBERS = 5  # of a group of several
MAX_MEMBERS = 20


class CorrelatedGroups(NamedTuple):
    """A table, its classes, and the group of each column, -1 for noise; ``weights`` are the v of the groups."""

    X: NDArray[np.float64]
    y: NDArray[np.intp]
    groups: NDArray[np.intp]
    weights: NDArray[np.float64]


def make_correlated_groups(
    n_samples: int = 2048,
    n_features: int = 10_000,
    *,
    n_groups: int = 200,
    n_multiple: int = 30,
    random_state: int | np.random.Generator | None = None,
) -> CorrelatedGroups:
    """Draw a table with groups of correlated features.

    Parameters
    ----------
    n_samples, n_features : int, default=2048, 10000
    n_groups : int, default=200
        Groups that the class depends on.
    n_multiple : int, default=30
        How many of them have 5 to 20 members; the others have one.
    random_state : int or numpy Generator, optional

    Returns
    -------
    CorrelatedGroups
        ``X`` of shape (n_samples, n_features), ``y`` in {-1, 1}, ``groups`` of shape (n_features,), ``weights`` of
        shape (n_groups,).

    Raises
    ------
    ValueError
        If a size is not allowed, or the groups have more members than there are features.

    Examples
    --------
    >>> from papers.data.correlated_groups import make_correlated_groups
    >>> made = make_correlated_groups(100, 200, n_groups=20, n_multiple=5, random_state=0)
    >>> made.X.shape, int(made.groups.max())
    ((100, 200), 19)
    """
    check_sizes(
        {
            "n_samples": (n_samples, 1),
            "n_features": (n_features, 1),
            "n_groups": (n_groups, 1),
            "n_multiple": (n_multiple, 0),
        }
    )
    if n_multiple > n_groups:
        raise ValueError(f"n_multiple={n_multiple} is not allowed: there are {n_groups} groups in all")
    random = np.random.default_rng(random_state)
    sizes = np.ones(n_groups, np.intp)
    sizes[:n_multiple] = random.integers(MIN_MEMBERS, MAX_MEMBERS + 1, n_multiple)
    n_members = int(sizes.sum())
    if n_members > n_features:
        raise ValueError(
            f"n_features={n_features} is not allowed: the groups have {n_members} members; give more, or fewer groups"
        )
    z = random.standard_normal((n_samples, n_groups))
    weights = random.standard_normal(n_groups)
    # The columns in order: the groups of several members, those of one member, noise.
    X = random.standard_normal((n_samples, n_features))
    groups = np.full(n_features, -1, np.intp)
    groups[:n_members] = np.repeat(np.arange(n_groups), sizes)
    n_several = int(sizes[:n_multiple].sum())
    signs = random.choice([-1.0, 1.0], n_several)
    shared = z[:, groups[:n_several]]
    X[:, :n_several] = signs * (np.sqrt(CORRELATION) * shared + np.sqrt(1 - CORRELATION) * X[:, :n_several])
    X[:, n_several:n_members] = z[:, n_multiple:]
    order = random.permutation(n_features)
    y = np.where(z @ weights >= 0, 1, -1)
    return CorrelatedGroups(X[:, order], y, groups[order], weights)
