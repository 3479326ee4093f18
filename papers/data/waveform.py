"""Breiman's waveforms: three classes, each a random mixture of two of three triangles, seen at 21 points with noise.

    x_m = u h_a(m) + (1 - u) h_b(m) + e_m,   m = 1..21,   u uniform in [0, 1],   every e a normal number of its own
    h_1(m) = max(6 - |m - 11|, 0),   h_2(m) = h_1(m - 4),   h_3(m) = h_1(m + 4)

Class 0 mixes h_1 and h_2, class 1 h_1 and h_3, class 2 h_2 and h_3. The second version of the data adds 19 columns of
noise.

L. Breiman, J. H. Friedman, R. A. Olshen, C. J. Stone, "Classification and regression trees", 1984, section 2.6.1.
doi:10.1201/9781315139470
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from papers.data import check_sizes

if TYPE_CHECKING:
    from numpy.typing import NDArray

N_POINTS = 21
MIXED = np.array([(0, 1), (0, 2), (1, 2)])  # the triangles of each class


def make_waveform(
    n_samples: int = 5000, *, n_noise: int = 0, random_state: int | np.random.Generator | None = None
) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Draw waveforms.

    Parameters
    ----------
    n_samples : int, default=5000
    n_noise : int, default=0
        Columns of noise behind the 21; 19 in the second version of the data.
    random_state : int or numpy Generator, optional

    Returns
    -------
    X : ndarray of shape (n_samples, 21 + n_noise)
    y : ndarray of shape (n_samples,)

    Raises
    ------
    ValueError
        If a size is not allowed.

    Examples
    --------
    >>> from papers.data.waveform import make_waveform
    >>> X, y = make_waveform(1000, n_noise=19, random_state=0)
    >>> X.shape, sorted(set(y.tolist()))
    ((1000, 40), [0, 1, 2])
    """
    check_sizes({"n_samples": (n_samples, 1), "n_noise": (n_noise, 0)})
    random = np.random.default_rng(random_state)
    y = random.integers(0, 3, n_samples)
    share = random.random((n_samples, 1))
    X = random.standard_normal((n_samples, N_POINTS + n_noise))
    first, second = triangles()[MIXED[y]].swapaxes(0, 1)
    X[:, :N_POINTS] += share * first + (1 - share) * second
    return X, y


def triangles() -> NDArray[np.float64]:
    """The three triangles at the 21 points, shape (3, 21)."""
    points = np.arange(1, N_POINTS + 1)
    return np.array([np.maximum(6.0 - np.abs(points - top), 0.0) for top in (11, 15, 7)])
