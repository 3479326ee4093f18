"""The tail of the chi-squared distribution for few degrees of freedom, without importing scipy.

Importing ``scipy.special`` takes a quarter of a second, as long as a selection from a small table.
"""

from __future__ import annotations

from math import erfc, exp, lgamma, log, sqrt

from bitsieve.utils.libraries import chdtrc

MAX_SUMMED_FREEDOM = 100  # the closed form has a term for every two degrees of freedom


def chi_squared_tail(freedom: int, x: float) -> float:
    """The probability that a chi-squared variable with ``freedom`` degrees of freedom exceeds ``x``.

    With h = x / 2, the tail of two more degrees of freedom is ``Q(f + 2) = Q(f) + h^(f/2) e^-h / Gamma(f/2 + 1)``, from
    ``Q(1) = erfc(sqrt(h))`` or ``Q(2) = e^-h`` on. All terms are positive, so nothing cancels.
    """
    if freedom > MAX_SUMMED_FREEDOM:
        return float(chdtrc(freedom, x))
    if x == 0:
        return 1.0
    half = x / 2
    is_odd = freedom % 2 == 1
    tail = erfc(sqrt(half)) if is_odd else exp(-half)
    for lower_freedom in range(1 if is_odd else 2, freedom, 2):
        power = lower_freedom / 2
        tail += exp(power * log(half) - half - lgamma(power + 1))
    return tail
