"""Measures of predictions of a time to an event that may be censored. scikit-survival computes them.

The true value of a sample is a structured one of two fields: ``event``, and the ``time``.

F. E. Harrell, R. M. Califf, D. B. Pryor, K. L. Lee, R. A. Rosati, "Evaluating the yield of medical tests", JAMA 247,
1982, pp. 2543-2546.
H. Uno, T. Cai, M. J. Pencina, R. B. D'Agostino, L. J. Wei, "On the C-statistics for evaluating overall adequacy of risk
prediction procedures with censored survival data", Statistics in Medicine 30, 2011, pp. 1105-1117.
E. Graf, C. Schmoor, W. Sauerbrei, M. Schumacher, "Assessment and comparison of prognostic classification schemes for
survival data", Statistics in Medicine 18, 1999, pp. 2529-2545.
"""

from __future__ import annotations

import numpy as np

from bitsieve.diagnostics import UserError
from bitsieve.utils.arrays import Flags, Floats, Values

MAX_BRIER_TIMES = 100
BRIER_QUANTILES = (0.05, 0.9)  # of the times of events: outside, few rows are at risk or have an event


def check_scikit_survival() -> None:
    """Refuse to go on without scikit-survival."""
    try:
        import sksurv.metrics  # noqa: F401
    except ImportError:
        raise UserError(
            code="package-missing",
            message="models of a time to an event need the package 'scikit-survival'",
            advice="pip install 'bitsieve[survival]'",
        ) from None


def has_comparable_pairs(truth: Values) -> bool:
    """Whether a sample has an event before the time of another one."""
    return bool((truth["event"] & (truth["time"] < truth["time"].max())).any())


def short_of_concordance(risk: Values, truth: Values) -> float:
    """``N (1 - C)``, C Harrell's concordance.

    It is the share of the pairs, of which one sample is known to have its event first, in which this one has the larger
    risk; equal risks count one half.
    """
    from sksurv.metrics import concordance_index_censored

    concordance = concordance_index_censored(truth["event"], truth["time"], risk)[0]
    return float(len(truth) * (1 - concordance))


class ShortOfUno:
    """``N (1 - C)``, C Uno's concordance: the pairs are weighted by the chance that neither was censored before.

    That chance is estimated from ``truth_of_all``, the true values of all samples.
    """

    def __init__(self, truth_of_all: Values) -> None:
        self.truth_of_all = truth_of_all

    def __call__(self, risk: Values, truth: Values) -> float:
        from sksurv.metrics import concordance_index_ipcw

        concordance = concordance_index_ipcw(self.truth_of_all, truth, risk)[0]
        return float(len(truth) * (1 - concordance))


class IntegratedBrier:
    """``N`` times the Brier score of the predicted shares without event, the mean over ``times``.

    Samples that are censored are weighted as by Graf and others, by the censoring among ``truth_of_all``, the true
    values of all samples.

    Attributes
    ----------
    times : ndarray, ascending
        At most 100 times of events, from their 5 % quantile to their 90 % quantile.
    """

    def __init__(self, truth_of_all: Values) -> None:
        self.truth_of_all = truth_of_all
        event_times = truth_of_all["time"][truth_of_all["event"]]
        levels = np.linspace(*BRIER_QUANTILES, MAX_BRIER_TIMES)
        self.times: Floats = np.unique(np.quantile(event_times, levels, method="inverted_cdf"))

    def times_followed(self, truth: Values) -> Flags:
        """At which times some of the samples are still followed, and some have had their time."""
        time: Floats = truth["time"]
        return np.asarray((self.times >= time.min()) & (self.times < time.max()))

    def __call__(self, shares: Values, truth: Values) -> float:
        """The score of ``shares``, shape (n_samples, n_times)."""
        from sksurv.metrics import integrated_brier_score

        is_followed = self.times_followed(truth)
        times = self.times[is_followed]
        return float(len(truth) * integrated_brier_score(self.truth_of_all, truth, shares[:, is_followed], times))
