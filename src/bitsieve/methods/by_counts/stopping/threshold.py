"""Stop at the first candidate that adds too few bits."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from bitsieve.common.errors import ParameterError

if TYPE_CHECKING:
    from bitsieve.information.conditional import ConditionalInformation


@dataclass(frozen=True)
class ThresholdStopping:
    """Stop when I(Xi;C|S), all of S known, is below a number of bits.

    Parameters
    ----------
    bits : float, default=0.01
        The plug-in estimate is larger than 0 by chance alone, the more so the more codes and the fewer samples.

    References
    ----------
    G. Brown, A. Pocock, M.-J. Zhao, M. Lujan, "Conditional likelihood maximisation: a unifying framework for
    information theoretic feature selection", Journal of Machine Learning Research 13, 2012.

    Examples
    --------
    >>> from bitsieve import ForwardSelector, ThresholdStopping
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> fitted = ForwardSelector("auto", criterion="cmi", stopping=ThresholdStopping(bits=0.02)).fit(X, y)
    >>> fitted.get_feature_names_out().tolist(), fitted.stopping_reason_
    (['sepal length (cm)', 'petal length (cm)', 'petal width (cm)'], 'it adds 0.0094 bits < 0.02')
    """

    name: ClassVar[str] = "threshold"
    unit: ClassVar[str] = "bits"
    bits: float = 0.01

    def __post_init__(self) -> None:
        number = isinstance(self.bits, (int, float)) and not isinstance(self.bits, bool) and isfinite(self.bits)
        if not number or self.bits < 0:
            raise ParameterError("bits", self.bits, "give a number of at least 0")

    def value(self, given: ConditionalInformation, candidate: int, n_candidates: int, search: object = None) -> float:
        """I(Xi;C|S) in bits."""
        return float(given.conditional_relevance(np.array([candidate]))[0])

    def stops(self, value: float) -> bool:
        """Whether it is below the threshold."""
        return value < self.bits

    def reason(self, value: float) -> str:
        """The bits and the threshold."""
        return f"it adds {max(value, 0.0):.4f} bits < {self.bits:g}"
