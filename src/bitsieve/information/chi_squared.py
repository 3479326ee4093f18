"""Logarithms of tails of the chi-squared distribution, also of those that are too small for a float."""

from __future__ import annotations

from math import erfc, lgamma, log, pi

import numpy as np

from bitsieve.utils.arrays import Floats, Values

SMALLEST_TAIL = 1e-290
SMALLEST_LOG_TAIL = log(SMALLEST_TAIL)  # a smaller tail is replaced by a bound
ROUNDING = 1e-12  # the relative rounding error of the logarithm of a tail is smaller


def log_chi_squared_tail(freedom: Values | int, x: Floats) -> Floats:
    """Logarithms of the tails of chi-squared beyond ``x``, of whole degrees of freedom.

    The tail of one degree is ``erfc(sqrt(x/2))`` and that of two is ``exp(-x/2)``. From f degrees to f + 2 the tail
    grows by ``(x/2)^(f/2) exp(-x/2) / Gamma(f/2 + 1)``.
    """
    shape = np.broadcast_shapes(np.shape(freedom), x.shape)
    degrees = np.broadcast_to(freedom, shape).ravel()
    half = np.broadcast_to(x / 2, shape).ravel()
    tails = np.empty(len(degrees))
    odd = np.flatnonzero(degrees % 2 == 1)
    log_tails_of_one = np.array([_log_erfc(root) for root in np.sqrt(half[odd]).tolist()])
    tails[odd] = _raised_log_tails(log_tails_of_one, 1, degrees[odd], half[odd])
    even = np.flatnonzero(degrees % 2 == 0)
    tails[even] = _raised_log_tails(-half[even], 2, degrees[even], half[even])
    return tails.reshape(shape)


def _log_erfc(x: float) -> float:
    """``ln erfc(x)`` of x from 0, where erfc is too small for a float by its asymptotic series.

    ``erfc(x) = exp(-x^2) / (x sqrt(pi)) (1 - 1 / 2x^2 + 1 3 / (2x^2)^2 - 1 3 5 / (2x^2)^3 + ...)``
    """
    tail = erfc(x)
    if tail > SMALLEST_TAIL:
        return log(tail)
    series = 1.0
    term = 1.0
    for k in range(1, 9):
        term *= -(2 * k - 1) / (2 * x * x)
        series += term
    return log(series) - x * x - log(x * pi**0.5)


def _raised_log_tails(start: Floats, low: int, degrees: Values, half: Floats) -> Floats:
    """Logarithms of tails beyond ``x = 2 half`` of these degrees, from ``start``, those of ``low`` degrees."""
    order = np.argsort(-degrees, kind="stable")
    falling_degrees = degrees[order]
    half = half[order]
    tail = start[order]
    with np.errstate(divide="ignore"):
        log_half = np.log(half)
    max_degrees = int(degrees.max(initial=0))
    for f in range(low, max_degrees, 2):
        n = int(np.searchsorted(-falling_degrees, -f))  # the first n have more than f degrees
        log_term = f / 2 * log_half[:n] - half[:n] - lgamma(f / 2 + 1)
        before = tail[:n].copy()
        tail[:n] = np.minimum(0.0, np.logaddexp(before, log_term))
        terms_only_fall = f > 2 * half.max()
        is_check_due = f % 512 < 3  # a comparison at every step would take as long as the step
        if is_check_due and terms_only_fall and np.array_equal(before, tail[:n]):
            break  # no later term changes a tail
    result = np.empty(len(tail))
    result[order] = tail
    return result


def log_tail_bound_of_one_degree(x: Floats) -> Floats:
    """A lower bound of the logarithm of the tail of one degree.

    ``erfc(a) > 2 / sqrt(pi) exp(-a^2) / (a + sqrt(a^2 + 2))``
    """
    half: Floats = x / 2
    bound: Floats = log(2 / pi**0.5) - half - np.log(np.sqrt(half) + np.sqrt(half + 2)) - ROUNDING * (1 + half)
    return bound


def bounded_log_tail(freedom: Values | int, x: Floats) -> Floats:
    """Logarithm of the tail; Chernoff's bound of it where the tail itself is too small for a float."""
    tail = log_chi_squared_tail(freedom, x)
    share = np.maximum(x / freedom, 1.0)
    return np.where(tail > SMALLEST_LOG_TAIL, tail, -freedom / 2 * (share - 1 - np.log(share)))
