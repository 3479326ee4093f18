"""Paired t-tests of one error curve against another."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

LEVEL = 0.05  # below it a difference counts as shown


@dataclass(frozen=True)
class PairedTest:
    """The p-values of two one-sided tests: the first curve is lower, the first curve is higher."""

    p_lower: float
    p_higher: float

    @property
    def outcome(self) -> str | None:
        """``+`` if the first curve is lower at 5 %, ``-`` if it is higher, ``=`` if neither; None if p is nan."""
        if np.isnan(self.p_lower):
            return None
        if self.p_lower < LEVEL:
            return "+"
        if self.p_higher < LEVEL:
            return "-"
        return "="


def paired_test(first: ArrayLike, second: ArrayLike) -> PairedTest:
    """One-sided paired t-tests of two error curves over the same m numbers of features; p is nan for m < 2.

    ``t = mean(d) / (std(d) / sqrt(m))``, d the differences, as the papers do it.
    """
    from scipy.special import stdtr

    difference = np.asarray(first, np.float64) - np.asarray(second, np.float64)
    m = len(difference)
    if m < 2:
        return PairedTest(np.nan, np.nan)
    mean = difference.mean()
    spread = difference.std(ddof=1)
    if spread <= 1e-12 * np.abs(difference).max():  # all differences are equal, up to rounding
        t = np.inf * np.sign(mean) if mean else 0.0
    else:
        t = mean / (spread / np.sqrt(m))
    return PairedTest(float(stdtr(m - 1, t)), float(stdtr(m - 1, -t)))
