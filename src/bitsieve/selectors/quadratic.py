"""What the selectors by a quadratic over all weights share."""

from __future__ import annotations

import warnings
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from bitsieve.common.errors import ParameterError
from bitsieve.selectors.counted import CountSelector

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bitsieve.by_counts.pairwise.quadratic import QuadraticRanking
    from bitsieve.information import PairwiseInformation


class QuadraticSelector(CountSelector):
    """Base of QPFS and EQPFS: rank the columns that vary, put the constant ones last."""

    alpha: float | None

    def _rank(self, information: PairwiseInformation, columns: NDArray[np.intp]) -> QuadraticRanking:
        """Rank ``columns``, which vary."""
        raise NotImplementedError

    def _check_parameters(self) -> None:
        if self.alpha is not None:
            check_number("alpha", self.alpha, 0.0, 1.0, "or None to balance both terms")

    def _choose(self, information: PairwiseInformation, k: int) -> None:
        varying = np.flatnonzero(information.varies)
        order = np.flatnonzero(~information.varies)
        self.weights_ = np.zeros(information.n_features)
        self.alpha_ = np.nan if self.alpha is None else float(self.alpha)
        self.shift_ = self.gap_ = 0.0
        if len(varying):
            found = self._rank(information, varying)
            if not found.converged:
                warnings.warn(
                    f"{type(self).__name__} stopped {found.gap:.3g} bits above the minimum at most: see gap_",
                    ConvergenceWarning,
                    stacklevel=4,
                )
            self.weights_[varying] = found.weights
            self.alpha_, self.shift_, self.gap_ = float(found.alpha), found.shift, found.gap
            order = np.concatenate([varying[found.order], order])
        self.selected_ = order[:k]
        self.scores_ = self.weights_[self.selected_]
        self.ranking_ = np.empty(information.n_features, np.intp)
        self.ranking_[order] = np.arange(1, information.n_features + 1)


def check_number(name: str, value: Any, low: float, high: float, otherwise: str) -> None:
    """Refuse what is no finite number in ``low .. high``.

    Raises
    ------
    ValueError
        If it is none.
    """
    number = float(value) if isinstance(value, Real) and not isinstance(value, bool) else np.nan
    if not (low <= number <= high and np.isfinite(number)):
        bounds = f"from {low:g} to {high:g}" if np.isfinite(high) else f"of {low:g} or more"
        raise ParameterError(name, value, f"give a number {bounds}, {otherwise}")
