"""Is one error curve below another? The paired t-test of the papers, over the numbers of features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

LEVEL = 0.05


@dataclass(frozen=True)
class PairedTest:
    """One-sided paired t-tests of a curve against another, both ways.

    Attributes
    ----------
    p_lower, p_higher : float
        That the first is not lower, not higher: small ones speak for it.
    """

    p_lower: float
    p_higher: float

    @property
    def outcome(self) -> str:
        """``+`` if the first is lower at 5 %, ``-`` if it is higher, ``=`` if neither."""
        return "+" if self.p_lower < LEVEL else "-" if self.p_higher < LEVEL else "="


def paired_test(first: ArrayLike, second: ArrayLike) -> PairedTest:
    """One-sided paired t-tests over the numbers of features: ``t = mean(d) / (std(d) / sqrt(m))``, d = first - second.

    Errors of neighbouring numbers of features are not independent, so the test is a convention of the papers more
    than a probability; differences that are all equal count as certain, and of one number nothing is concluded.
    """
    from scipy.special import stdtr

    difference = np.asarray(first, np.float64) - np.asarray(second, np.float64)
    m = len(difference)
    if m < 2:
        return PairedTest(0.5, 0.5)
    mean, spread = difference.mean(), difference.std(ddof=1)
    if spread <= 1e-12 * np.abs(difference).max():  # equal up to rounding
        t = np.inf * np.sign(mean) if mean else 0.0
    else:
        t = mean / (spread / np.sqrt(m))
    return PairedTest(float(stdtr(m - 1, t)), float(stdtr(m - 1, -t)))
