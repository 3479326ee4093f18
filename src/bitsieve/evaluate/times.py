"""Models of a time to an event: Cox's model and a survival forest of scikit-survival, fitted for every prefix."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from sklearn.base import BaseEstimator

from bitsieve.dataset.survival import SurvivalTarget
from bitsieve.diagnostics import UserError
from bitsieve.evaluate.prefix import Labels, Predictions
from bitsieve.evaluate.refit import fit_to_prefix
from bitsieve.metrics.times import IntegratedBrier
from bitsieve.selectors.by_method import MethodSelector
from bitsieve.selectors.supervised import survival_not_supported
from bitsieve.utils.arrays import Columns, Floats, Values

COX = "cox"
FOREST = "forest"
NAMES_OF_MODELS = (COX, FOREST)


def survival_model(name: str) -> BaseEstimator:
    """The unfitted model of a name: Cox's with a ridge penalty of 1, as that of scikit-learn, or a forest."""
    if name == COX:
        from sksurv.linear_model import CoxPHSurvivalAnalysis

        return CoxPHSurvivalAnalysis(alpha=1.0)
    from sksurv.ensemble import RandomSurvivalForest

    return RandomSurvivalForest()


@dataclass(frozen=True)
class RefitCurves:
    """Fit an estimator of scikit-survival to the first columns, and predict the shares without event at ``times``."""

    estimator: BaseEstimator
    times: Floats

    def __call__(self, train: Floats, labels: Labels, test: Floats, n_columns: Columns, /) -> Predictions:
        for n in n_columns:
            fitted = fit_to_prefix(self.estimator, train, labels, n)
            curves = fitted.predict_survival_function(np.ascontiguousarray(test[:, :n]))
            yield np.array([_shares(curve, self.times) for curve in curves])


def _shares(curve: object, times: Floats) -> Floats:
    """A curve of scikit-survival at some times. Before and after the times of the training samples it goes on level."""
    from sksurv.functions import StepFunction

    assert isinstance(curve, StepFunction)
    shares: Floats = np.asarray(curve(np.clip(times, *curve.domain)))
    return shares


def kaplan_meier_shares(truth: Values, times: Floats) -> Floats:
    """The shares of some samples without event at ``times``, by Kaplan and Meier."""
    from sksurv.nonparametric import kaplan_meier_estimator

    event_times, shares = kaplan_meier_estimator(truth["event"], truth["time"])
    with_start = np.concatenate([[1.0], shares])
    return np.asarray(with_start[np.searchsorted(event_times, times, side="right")])


def constant_prediction(loss: object, train: Values, n_test: int) -> Values:
    """What is predicted without columns: equal risks, or Kaplan and Meier's curve of the training samples."""
    if isinstance(loss, IntegratedBrier):
        return np.tile(kaplan_meier_shares(train, loss.times), (n_test, 1))
    return np.zeros(n_test)


def check_methods_take_times(selectors: Mapping[str, BaseEstimator]) -> None:
    """Refuse a method that does not take a time to an event."""
    for label, selector in selectors.items():
        if not isinstance(selector, MethodSelector) or not selector.registry_methods:
            raise UserError(
                code="survival-not-supported",
                message=f"method {label!r} does not take a time to an event",
                advice="use a greedy method such as mim, mrmr, jmi, cmim or cmi",
            )
        if not all(method.takes_survival for method in selector.registry_methods):
            raise survival_not_supported(selector)


def check_no_entry(target: SurvivalTarget) -> None:
    """Refuse rows that came under observation late: the models of scikit-survival do not take them."""
    if target.entry is not None:
        raise UserError(
            code="survival-not-supported",
            message="entry is given, and the models of scikit-survival take no late entries",
            advice="leave it out; select takes it",
        )
