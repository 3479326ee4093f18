"""Times to an event on the clinical sets of scikit-survival, beside its models of Cox and its log-rank test."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bitsieve

pytest.importorskip("sksurv")

from sksurv import datasets
from sksurv.compare import compare_survival
from sksurv.linear_model import CoxPHSurvivalAnalysis

from bitsieve.counts.risk_sets import RiskSets
from bitsieve.information.log_rank import log_rank_test

SETS: dict[str, Callable[[], tuple[pd.DataFrame, Any]]] = {
    "aids": datasets.load_aids,
    "breast_cancer": datasets.load_breast_cancer,
    "flchain": datasets.load_flchain,
    "gbsg2": datasets.load_gbsg2,
    "veterans": datasets.load_veterans_lung_cancer,
    "whas500": datasets.load_whas500,
}
QUICK = ("gbsg2", "veterans")


def sets() -> list[Any]:
    return [pytest.param(name, marks=[] if name in QUICK else pytest.mark.nightly) for name in SETS]


def partial_log_likelihood(event: np.ndarray, time: np.ndarray, risk: np.ndarray) -> float:
    """Breslow's, of the logarithms of the hazards of all rows."""
    order = np.argsort(-time, kind="stable")
    risk_of_rows_after = np.cumsum(np.exp(risk[order]))
    last_of_time = np.searchsorted(-time[order], -time[order], side="right") - 1
    log_risk_at_time = np.log(risk_of_rows_after[last_of_time])
    return float((risk[order] - log_risk_at_time)[event[order]].sum())


@pytest.mark.parametrize("name", sets())
def test_bits_are_at_most_the_likelihood_ratio_of_cox(name: str) -> None:
    X, y = SETS[name]()
    event_name, time_name = y.dtype.names
    event = y[event_name]
    time = y[time_name]
    selection = bitsieve.select(
        X, y, method="mim", estimator="plug-in", binning="quantile", n_bins=3, n_features_to_select=X.shape[1]
    )
    codes_of_features = np.asarray(selection.transform(X, codes=True)).astype(int)
    risk_sets = RiskSets.of_rows(time.astype(float), event)
    null = partial_log_likelihood(event, time, np.zeros(len(time)))
    columns_in_order = np.argsort(selection.indices)
    for position, feature in enumerate(columns_in_order.tolist()):
        codes = codes_of_features[:, position]
        bound = 2 * np.log(2) * event.sum() * selection.relevance[feature]
        design = (codes[:, None] == np.unique(codes)[1:]).astype(float)
        n_events = np.bincount(codes[event], minlength=codes.max() + 1)[np.unique(codes)]
        if design.shape[1] == 0 or not n_events.all():  # the coefficient of a code without events is infinite
            continue
        cox = CoxPHSurvivalAnalysis(ties="breslow", n_iter=200, tol=1e-12).fit(design, y)
        likelihood_ratio = 2 * (partial_log_likelihood(event, time, design @ cox.coef_) - null)
        assert bound <= likelihood_ratio + 1e-4, selection.features[feature]  # expected events are rounded to 32 bits
        statistic, _ = compare_survival(y, codes)
        assert log_rank_test(risk_sets, codes).statistic == pytest.approx(statistic, rel=1e-6)


@pytest.mark.nightly
def test_a_column_that_drives_censoring_alone_is_never_first_in_many_tables() -> None:
    for seed in range(500):
        random = np.random.default_rng(seed)
        table = pd.DataFrame(random.integers(0, 4, (300, 12)), columns=[f"x{j}" for j in range(12)])
        death = random.exponential(size=300) / np.exp(1.5 * (table["x0"] == 1))
        censoring = random.exponential(size=300) * np.where(table["x1"] == 0, 0.2, 3.0)
        table = table.assign(week=np.minimum(death, censoring), died=death <= censoring)
        selection = bitsieve.select(table, duration="week", event="died", method="jmi", n_features_to_select=1)
        assert selection.features[0] != "x1", seed
