"""Stop at the first candidate that adds too few bits."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, ClassVar

import numpy as np

if TYPE_CHECKING:
    from bitsieve.information.given import Given


@dataclass(frozen=True)
class ThresholdStopping:
    """Stop when I(Xi;C|S), all of S known, is below a number of bits.

    Parameters
    ----------
    bits : float, default=0.01
        The plug-in estimate is larger than 0 by chance alone, the more so the more codes and the fewer samples.
    """

    name: ClassVar[str] = "threshold"
    unit: ClassVar[str] = "bits"
    bits: float = 0.01

    def __post_init__(self) -> None:
        if isinstance(self.bits, bool) or not isinstance(self.bits, (int, float)) or not isfinite(self.bits):
            raise ValueError(f"bits={self.bits!r} is not allowed: give a number of at least 0")
        if self.bits < 0:
            raise ValueError(f"bits={self.bits!r} is not allowed: give a number of at least 0")

    def value(self, given: Given, candidate: int, n_candidates: int) -> float:
        """I(Xi;C|S) in bits."""
        return float(given.conditional_relevance(np.array([candidate]))[0])

    def stops(self, value: float) -> bool:
        """Whether it is below the threshold."""
        return value < self.bits

    def reason(self, value: float) -> str:
        """The bits beside the threshold."""
        return f"it adds {max(value, 0.0):.4f} bits < {self.bits:g}"
