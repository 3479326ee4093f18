"""The benchmark of selection for a quantity, in its small form: its errors and shares are what they say."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_diabetes
from sklearn.metrics import r2_score
from sklearn.model_selection import KFold
from sklearn.preprocessing import StandardScaler

from benchmarks import regression


def test_errors_by_hand(monkeypatch):
    monkeypatch.setattr(regression, "OURS", ("jmi", "relieff"))
    monkeypatch.setattr(regression, "REGRESSORS", {"ridge": regression.REGRESSORS["ridge"]})
    monkeypatch.setattr(regression, "NUMBERS", (2, 50))  # as many columns as 50 there are not
    X, y = load_diabetes(return_X_y=True)
    others = {"the last": lambda X, y, k: np.arange(X.shape[1])[::-1]}
    found = regression.errors(X, y, 3, others)
    assert list(found) == ["jmi", "relieff", "the last"]
    assert all(list(of) == [(2, "ridge")] for of in found.values())
    errors = []
    for train, test in KFold(3, shuffle=True, random_state=0).split(X):
        scaled = StandardScaler().fit(X[train]).transform(X)[:, [9, 8]]
        predicted = regression.REGRESSORS["ridge"].fit(scaled[train], y[train]).predict(scaled[test])
        level = np.square(y[test] - y[train].mean()).sum() / np.square(y[test] - y[test].mean()).sum()
        errors.append((1 - r2_score(y[test], predicted)) / level)
    assert found["the last"][2, "ridge"] == pytest.approx(np.mean(errors), abs=1e-12)  # the same sums in another order
    assert regression.ranks(found).sum() == 6


def test_real_columns_are_where_they_were_put():
    """Noise and the third column of Friedman 2 are between 0 and 1; the other three are found in whatever places."""
    by_spread = {"by range": lambda X, y, k: np.argsort(-np.ptp(X, axis=0))}
    found = regression.found_among_noise("Friedman 2", 5, 2, by_spread)
    assert set(found) == {*regression.OURS, "by range"}
    assert found["by range"] >= 0.75
    assert found["jmi"] >= 0.5


def test_categories_and_other_forms_of_the_quantity():
    pandas = pytest.importorskip("pandas")
    values = {"rownames": [1, 2, 3, 4], "y": [1.5, None, 2.5, 3.0], "log": [0.1, 0.2, 0.3, 0.4]}
    frame = pandas.DataFrame({**values, "two": list("pqpr"), "three": list("stuu"), "n": [1.0, 2.0, 3.0, None]})
    X, y = regression.numbers_of(frame, "y", ("log",))
    assert y.tolist() == [1.5, 2.5, 3.0]
    # whether it is "r", whether it is "s", and the numbers as they are
    np.testing.assert_array_equal(X, [[0, 1, 1], [0, 0, 3], [1, 0, np.nan]])
