"""The ranking by information value, beside the table of ``bitsieve.information_value``."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import bitsieve
from bitsieve import InformationValueSelector
from bitsieve.diagnostics import UserError
from bitsieve.methods.by_samples.information_value_ranking import LEVEL


@pytest.fixture
def loans() -> tuple[pd.DataFrame, np.ndarray]:
    random = np.random.default_rng(4)
    n = 400
    X = pd.DataFrame(
        {
            "noise": random.normal(size=n),
            "age": random.integers(18, 80, n).astype(float),
            "purpose": random.choice(["car", "house", "holiday"], n),
            "debt": random.beta(2, 5, n),
        }
    )
    log_odds = 4 * X["debt"] - 0.03 * X["age"] + 0.8 * (X["purpose"] == "holiday")
    y = (random.random(n) < 1 / (1 + np.exp(-log_odds))).astype(int)
    X.loc[random.random(n) < 0.1, "age"] = np.nan
    return X, y.to_numpy()


def test_values_are_those_of_the_table(loans):
    X, y = loans
    selector = InformationValueSelector(4).fit(X, y)
    table = bitsieve.information_value(X, y)
    assert selector.iv_.tolist() == table["iv"].tolist()
    assert selector.iv_corrected_.tolist() == table["iv_corrected"].tolist()
    assert selector.p_values_.tolist() == table["p"].tolist()


def test_ordered_categories_keep_their_order(loans):
    X, y = loans
    levels = ["low", "mid", "high", "very high"]
    share = pd.qcut(X["debt"], 4, labels=levels)
    shares = pd.DataFrame({"ordered": share, "number": share.cat.codes, "unordered": share.astype(object)})
    selector = InformationValueSelector(3).fit(shares.astype({"number": float}), y)
    assert selector.iv_[0] == selector.iv_[1]
    assert selector.p_values_[0] == selector.p_values_[1] != selector.p_values_[2]


def test_columns_of_chance_come_last(loans):
    X, y = loans
    selector = InformationValueSelector(4).fit(X, y)
    is_chance = selector.p_values_[selector.selected_] > LEVEL
    values = selector.iv_corrected_[selector.selected_]
    assert is_chance.tolist() == sorted(is_chance.tolist())
    assert is_chance.any()
    assert not is_chance.all()
    for part in (values[~is_chance], values[is_chance]):
        assert part.tolist() == sorted(part.tolist(), reverse=True)


def test_either_of_two_classes_may_be_the_event(loans):
    X, y = loans
    values = [InformationValueSelector(4, event_class=event).fit(X[["age", "debt"]], y).iv_ for event in (None, 0, 1)]
    for other in values[1:]:
        np.testing.assert_allclose(values[0], other, rtol=1e-12)  # sums in another order


def test_more_classes_are_the_event_in_turn():
    random = np.random.default_rng(1)
    y = np.repeat(["a", "b", "c"], [50, 100, 150])
    X = random.normal(size=(300, 3)) + np.outer(np.unique(y, return_inverse=True)[1], [0, 0.3, 1])
    values = InformationValueSelector(3).fit(X, y).iv_
    by_event = [InformationValueSelector(3, event_class=event).fit(X, y).iv_ for event in ("a", "b", "c")]
    mean = np.average(by_event, axis=0, weights=[50, 100, 150])
    np.testing.assert_allclose(values, mean, rtol=1e-12)  # the mean is summed in another order


def test_a_column_that_separates_the_classes_comes_first(loans):
    X, y = loans
    X = X.assign(leak=y * 2.0)
    assert InformationValueSelector(1).fit(X, y).get_feature_names_out().tolist() == ["leak"]


def test_weights_are_repetitions(loans):
    X, y = loans
    weights = np.random.default_rng(0).integers(1, 4, len(y))
    weighted = InformationValueSelector(2).fit(X, y, sample_weight=weights)
    repeated = InformationValueSelector(2).fit(X.loc[np.repeat(X.index, weights)], np.repeat(y, weights))
    assert weighted.iv_.tolist() == repeated.iv_.tolist()


def test_an_unknown_class_is_refused(loans):
    with pytest.raises(UserError, match="event_class") as raised:
        InformationValueSelector(1, event_class="ill").fit(*loans)
    assert raised.value.code == "unknown-name"


def test_of_equal_values_the_lowest_column_is_first():
    for seed in range(20):  # of about every sixth, the rounded sums of both columns differ
        random = np.random.default_rng(seed)
        column = random.integers(0, 12, 500).astype(float)
        y = (random.random(500) < 0.2 + 0.05 * column).astype(int)
        X = np.column_stack([-column, column, random.normal(size=500)])
        selector = InformationValueSelector(3).fit(X, y)
        assert selector.iv_[0] == pytest.approx(selector.iv_[1], abs=1e-12)  # the same terms in another order
        assert selector.ranking_[:2].tolist() == [1, 2]
