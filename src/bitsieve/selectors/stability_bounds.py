"""How many false columns stability selection keeps at most, in expectation."""

from __future__ import annotations

import numpy as np


def expected_false_selections(n_chosen: float, n_features: int, n_pairs: int, threshold: float) -> float:
    """The smaller one of two bounds on the columns kept among those chosen no more often than at random.

    With ``r = q / n`` and t the threshold, Shah and Samworth's theorem 1 gives ``q r / (2 t - 1)`` for any selector,
    and their theorem 2 ``q r C`` for ``r <= 1 / sqrt(3)`` where the distribution of each frequency has one peak ::

        C = 1 / (2 (2 t - 1 - 1 / (2 B)))            for t <= 3/4, above min(1/2 + r^2, 1/2 + 1 / (2 B) + 3/4 r^2)
        C = 4 (1 - t + 1 / (2 B)) / (1 + 1 / B)      for t > 3/4

    and t at least ``1/2 + 1 / B``. t is rounded up to a share of 2 B.

    Parameters
    ----------
    n_chosen : float
        q, the mean number of columns chosen from a half.
    n_features : int
        n.
    n_pairs : int
        B.
    threshold : float
        Above 1/2; more than 1 keeps nothing.

    Returns
    -------
    float

    References
    ----------
    R. D. Shah, R. J. Samworth, "Variable selection with error control: another look at stability selection", Journal of
    the Royal Statistical Society B 75, 2013. doi:10.1111/j.1467-9868.2011.01034.x
    """
    if threshold > 1:
        return 0.0
    threshold = np.ceil(2 * n_pairs * threshold - 1e-9) / (2 * n_pairs)  # no other share occurs
    rate = n_chosen / n_features
    factor = 1 / (2 * threshold - 1)
    if rate <= 1 / np.sqrt(3) and threshold >= 0.5 + 1 / n_pairs - 1e-9:
        if threshold > 0.75:
            factor = min(factor, 4 * (1 - threshold + 1 / (2 * n_pairs)) / (1 + 1 / n_pairs))
        elif threshold > min(0.5 + rate**2, 0.5 + 1 / (2 * n_pairs) + 0.75 * rate**2):
            factor = min(factor, 1 / (2 * (2 * threshold - 1 - 1 / (2 * n_pairs))))
    return float(min(n_chosen, factor * n_chosen * rate))


def least_threshold(n_chosen: float, n_features: int, n_pairs: int, most_false: float) -> float:
    """The least share of ``2 n_pairs`` fits above one half at which the bound is at most ``most_false``.

    Beyond 1, by one fit, where no share will do.
    """
    for times in range(n_pairs + 1, 2 * n_pairs + 1):
        if expected_false_selections(n_chosen, n_features, n_pairs, times / (2 * n_pairs)) <= most_false:
            return times / (2 * n_pairs)
    return 1 + 1 / (2 * n_pairs)
