"""The selector by knockoffs."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Any

from bitsieve.common.papers import cites
from bitsieve.methods.by_counts.forward import FORWARD
from bitsieve.methods.by_counts.stopping import KnockoffStopping
from bitsieve.selectors.base import CountSelector, with_parameters


@with_parameters
@cites("Ren, Barber 2024")
class KnockoffSelector(CountSelector):
    r"""Keep the columns that beat knockoffs of themselves, the most relevant first; their number is not given.

    What :class:`ForwardSelector` keeps by ``criterion="mim"`` and :class:`KnockoffStopping`, which has the formulas.

    Parameters
    ----------
    n_features_to_select : int, float or "auto", default="auto"
        "auto" keeps all that beat their knockoffs; a number keeps the most relevant of these, at most so many.
    level : float, default=0.1
    n_draws : int, default=10
    random_state : int, default=0
        As of :class:`KnockoffStopping`.
    binning : {"quantile", "uniform", "none"} or binner, default="quantile"
        How numeric columns become codes, without a look at the class. Few bins describe the columns best.

    Attributes
    ----------
    scores_ : ndarray of float, shape (k,)
        I(Xi;C) of the selected columns, in bits.
    stopped_by_, stopping_value_, stopping_reason_, stopping_candidate_, stopping_values_, stopping_given_
        As of :class:`ForwardSelector`.

    Examples
    --------
    >>> from bitsieve import EqualFrequencyBinner, KnockoffSelector
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> KnockoffSelector(level=0.3, n_draws=1, binning=EqualFrequencyBinner(n_bins=3)).fit(X, y).selected_.tolist()
    [22, 27, 6, 13, 26, 21, 1, 24, 15, 28]
    """

    described = (FORWARD,)

    n_features_to_select: int | float | str | None = "auto"
    _: KW_ONLY
    level: float = 0.1
    n_draws: int = 10
    random_state: int = 0
    binning: Any = "quantile"
    missing: str | None = None
    target_kind: str | None = None
    n_jobs: int | None = None

    def _parameters(self) -> dict[str, Any]:
        rule = KnockoffStopping(self.level, self.n_draws, self.random_state)
        return {**FORWARD.parameters, "criterion": "mim", "stopping": rule}
