"""Data in the manner of Madelon: clusters on the corners of a cube, combinations of its axes, and many probes.

Every corner of a cube of side 2 has one cluster of normal points, whose class is drawn by a fair shuffle of the
corners (half of them +1): no axis alone carries information about the class. Redundant columns are random linear
combinations of the axes, probes are noise of the same spread, one label in a hundred is flipped, and the columns are
shuffled.

I. Guyon, S. Gunn, A. Ben-Hur, G. Dror, "Result analysis of the NIPS 2003 feature selection challenge", NIPS 2004 (the
Madelon set: 5 informative, 15 redundant, 480 probes).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from papers.data import check_sizes

if TYPE_CHECKING:
    from numpy.typing import NDArray

SPREAD = 0.4  # standard deviation of a cluster, where neighbouring corners are 2 apart
FLIPPED_SHARE = 0.01  # of the labels
MAX_INFORMATIVE = 20  # axes of a cube of some million corners


class MadelonLike(NamedTuple):
    """A table, its classes, and the columns of the axes, then those of their combinations, in ``relevant``."""

    X: NDArray[np.float64]
    y: NDArray[np.intp]
    relevant: NDArray[np.intp]


def make_madelon_like(
    n_samples: int = 2000,
    *,
    n_informative: int = 5,
    n_redundant: int = 15,
    n_probes: int = 480,
    random_state: int | np.random.Generator | None = None,
) -> MadelonLike:
    """Draw data in the manner of Madelon.

    Parameters
    ----------
    n_samples : int, default=2000
    n_informative : int, default=5
        Axes of the cube.
    n_redundant, n_probes : int, default=15, 480
        Combinations of the axes, and columns of noise.
    random_state : int or numpy Generator, optional

    Returns
    -------
    MadelonLike
        ``X`` of shape (n_samples, n_informative + n_redundant + n_probes), ``y`` in {-1, 1}, ``relevant``.

    Raises
    ------
    ValueError
        If a size is not allowed.

    Examples
    --------
    >>> from papers.data.madelon_like import make_madelon_like
    >>> made = make_madelon_like(200, n_probes=30, random_state=0)
    >>> made.X.shape, len(made.relevant)
    ((200, 50), 20)
    """
    check_sizes(
        {
            "n_samples": (n_samples, 1),
            "n_informative": (n_informative, 1),
            "n_redundant": (n_redundant, 0),
            "n_probes": (n_probes, 0),
        }
    )
    if n_informative > MAX_INFORMATIVE:
        raise ValueError(f"n_informative={n_informative} is not allowed: give at most {MAX_INFORMATIVE}")
    random = np.random.default_rng(random_state)
    n_corners = 2**n_informative
    class_of_corner = random.permutation(np.where(np.arange(n_corners) < n_corners // 2, -1, 1))
    corner = random.permutation(np.arange(n_samples) % n_corners)
    coordinates = 2.0 * (corner[:, None] >> np.arange(n_informative) & 1) - 1  # bit a of a corner is its side on axis a
    axes = coordinates + SPREAD * random.standard_normal((n_samples, n_informative))
    mixing = random.uniform(-1, 1, (n_informative, n_redundant))
    probes = random.standard_normal((n_samples, n_probes)) * np.sqrt(1 + SPREAD**2)
    flip = np.where(random.random(n_samples) < FLIPPED_SHARE, -1, 1)
    y = flip * class_of_corner[corner]
    columns = random.permutation(n_informative + n_redundant + n_probes)
    X = np.empty((n_samples, len(columns)))
    X[:, columns] = np.hstack([axes, axes @ mixing, probes])
    return MadelonLike(X, y, columns[: n_informative + n_redundant])
