"""The report of a selection for a time to an event."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from bitsieve import UserError, select
from bitsieve.counts.risk_sets import RiskSets
from bitsieve.report.selection import selection_report
from bitsieve.report.survival import kaplan_meier, survival_curves_section


def test_kaplan_meier_by_definition() -> None:
    random = np.random.default_rng(0)
    time = random.integers(1, 9, 60).astype(float)
    event = random.random(60) < 0.6
    rows = random.random(60) < 0.7
    weight = random.integers(1, 3, 60)
    risk_sets = RiskSets.of_rows(time, event, weight=weight, stratum=random.integers(0, 2, 60))
    curve = kaplan_meier("a", time, risk_sets, rows)
    share = 1.0
    shares = []
    for t in np.unique(time[event & rows]):
        share *= 1 - weight[rows & event & (time == t)].sum() / weight[rows & (time >= t)].sum()
        shares.append(share)
    assert curve.time.tolist() == np.unique(time[event & rows]).tolist()
    np.testing.assert_allclose(curve.share, shares)
    assert curve.n_rows == weight[rows].sum()


def test_a_code_without_events_stays_at_1() -> None:
    time = np.arange(1.0, 7.0)
    event = np.array([True, True, True, False, False, False])
    curve = kaplan_meier("a", time, RiskSets.of_rows(time, event), ~event)
    assert (curve.n_events, curve.share.tolist(), curve.end) == (0, [], 6.0)


def test_report_has_curves_and_figures_of_classes_are_refused() -> None:
    random = np.random.default_rng(1)
    table = pd.DataFrame(random.normal(size=(150, 3)), columns=["<a>", "b", "c"])
    table["week"] = random.exponential(size=150) / np.exp(table["b"])
    table["died"] = 1
    selection = select(table, duration="week", event="died", n_features_to_select=2)
    page = selection_report(selection)
    assert page.count("<svg") == 2
    assert "<a>" not in page
    assert "bits per event" in page
    curves = survival_curves_section(selection).columns[0].curves
    assert sum(curve.n_rows for curve in curves) == 150
    with pytest.raises(UserError) as refusal:
        selection.plot()
    assert refusal.value.code == "survival-not-supported"
    assert "<svg" not in selection._repr_html_()
