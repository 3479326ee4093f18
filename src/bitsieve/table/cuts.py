"""Cuts into bins of one width."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def equal_width_codes(
    values: NDArray[np.float64], low: NDArray[np.float64], high: NDArray[np.float64], n_bins: int
) -> NDArray[np.float64]:
    """``min(floor((v - low) / (high - low) * n_bins), n_bins - 1)``; a range beyond the largest float is halved."""
    with np.errstate(over="ignore"):
        scale = np.where(np.isfinite(high - low), 1.0, 0.5)
    share = (values * scale - low * scale) / (high * scale - low * scale)
    return np.minimum(np.floor(share * n_bins), n_bins - 1)


def equal_width_cuts(low: NDArray[np.float64], high: NDArray[np.float64], n_bins: int) -> NDArray[np.float64]:
    """The smallest floats of all bins but the first, one row for each range ``low < high``.

    A value on a cut goes right. The rule :func:`equal_width_codes` is a formula with three roundings; it never
    decreases with the value, so the cuts that give the same codes by comparison alone are found by bisection over
    the floats.
    """
    low, high = low[:, None] + 0.0, high[:, None] + 0.0  # + 0.0: no negative zero
    code = np.arange(1, n_bins)
    guess = low * (1 - code / n_bins) + high * (code / n_bins)
    with np.errstate(over="ignore"):
        reach = 4 * np.spacing(np.maximum(np.abs(low), np.abs(high)))
        below, above = np.maximum(guess - reach, low), np.minimum(guess + reach, high)
    below = np.where(equal_width_codes(below, low, high, n_bins) < code, below, low)
    above = np.where(equal_width_codes(above, low, high, n_bins) >= code, above, high)
    first, last = _ordinal(below), _ordinal(above)
    while (last > first + 1).any():
        middle = (first >> 1) + (last >> 1) + (first & last & 1)  # their sum or difference may not fit
        reached = equal_width_codes(_float(middle), low, high, n_bins) >= code
        last = np.where(reached, middle, last)
        first = np.where(reached, first, middle)
    return _float(last)


def _ordinal(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Integers that are ordered, and adjacent, as the floats are."""
    bits = (values + 0.0).view(np.int64)
    return np.where(bits < 0, np.int64(-(2**63)) - bits, bits)


def _float(ordinals: NDArray[np.int64]) -> NDArray[np.float64]:
    return np.where(ordinals < 0, np.int64(-(2**63)) - ordinals, ordinals).view(np.float64)
