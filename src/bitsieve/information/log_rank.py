"""The log-rank test: whether events occur at the same rate in the rows of every code of a column."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bitsieve.counts.risk_sets import RiskSets
from bitsieve.counts.survival import SurvivalSource, survival
from bitsieve.information.protocol import Information
from bitsieve.utils.arrays import Columns, Flags, Integers
from bitsieve.utils.libraries import chdtrc

SMALLEST_EIGENVALUE = 1e-9  # of the covariance, beside the largest: smaller ones are the rounding of 0


class LogRankTest(NamedTuple):
    """The result of a test."""

    statistic: float
    degrees_of_freedom: int
    least_expected: float  # the least number of events that the rows of a code are expected to have

    @property
    def p(self) -> float:
        """The tail of chi-squared beyond the statistic."""
        if self.degrees_of_freedom == 0:
            return 1.0
        return float(chdtrc(self.degrees_of_freedom, self.statistic))


def log_rank_test(risk_sets: RiskSets, codes: Integers) -> LogRankTest:
    """Test whether the events depend on codes; ``codes`` is the code of every row.

    With d events among the r rows at risk at a time, and p the shares of the codes among these rows,

        (O - E)' V^- (O - E)        V = sum over times of d (r - d) / (r - 1) (diag p - p p')

    Its distribution is nearly chi-squared if the events do not depend on the codes. The degrees of freedom are the rank
    of V: the codes that are ever at risk at a time of an event less 1.
    """
    n_events = risk_sets.event_times.n_events
    at_risk = risk_sets.n_at_risk(codes)
    n_at_risk = at_risk.sum(axis=0)
    events = np.bincount(codes[risk_sets.event], risk_sets.weight[risk_sets.event], len(at_risk))
    share = at_risk / n_at_risk
    expected = share @ n_events
    difference = events - expected
    spread = n_events * (n_at_risk - n_events) / np.maximum(n_at_risk - 1, 1)
    covariance = np.diag(share @ spread) - (share * spread) @ share.T
    eigenvalues, directions = np.linalg.eigh(covariance)
    is_positive = eigenvalues > SMALLEST_EIGENVALUE * max(float(eigenvalues[-1]), 1.0)
    projected = directions[:, is_positive].T @ difference
    return LogRankTest(
        statistic=float((projected**2 / eigenvalues[is_positive]).sum()),
        degrees_of_freedom=int(is_positive.sum()),
        least_expected=float(expected[expected > 0].min()),
    )


def log_rank_test_of_column(source: SurvivalSource, column: int) -> LogRankTest:
    """Test whether the events depend on the codes of a column."""
    return log_rank_test(source.samples_at_risk, source.codes(column).astype(np.int64))


def has_unequal_hazards(information: Information, columns: Columns, level: float) -> Flags:
    """Whether the test of each column by itself shows a relation to the events.

    Its p, multiplied by the number of columns that vary, is at most ``level``.
    """
    source = survival(information.source)
    assert source is not None
    limit = level / max(1, int(information.varies.sum()))
    return np.array([log_rank_test_of_column(source, column).p <= limit for column in columns.tolist()], bool)
