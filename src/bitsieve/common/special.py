"""Special functions of scipy, imported when one is first used: the import takes longer than a short job."""

from __future__ import annotations

from typing import Any


def chdtrc(freedom: Any, x: Any) -> Any:
    """The probability that a chi-square variable of so many degrees of freedom is above ``x``."""
    from scipy import special

    return special.chdtrc(freedom, x)


def gammaln(x: Any) -> Any:
    """The logarithm of the gamma function."""
    from scipy import special

    return special.gammaln(x)
