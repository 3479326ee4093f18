"""WOEEncoder: weights of evidence, what logistic regression makes of them, unseen values, folds."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, ShuffleSplit

from bitsieve import BitsieveWarning, MonotoneBinner, UserError, WOEEncoder


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    return X.iloc[::3, :4], y.iloc[::3]


def test_each_value_has_the_weight_of_its_bin(cancer):
    X, y = cancer
    encoder = WOEEncoder().fit(X, y)
    bins = encoder.binner_.transform(X)
    for j, name in enumerate(X):
        woe = encoder.binner_.binning_tables_[name]["woe"].to_numpy()
        assert encoder.transform(X)[:, j].tolist() == woe[bins[:, j]].tolist()


def test_logistic_regression_on_one_column_has_slope_1_and_the_log_odds_of_the_table(cancer):
    X, y = cancer
    encoded = WOEEncoder().fit_transform(X[["mean texture"]], y)
    model = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000).fit(encoded, y)
    # both are the maximum of a smooth likelihood, found to the square root of its rounding
    assert model.coef_[0, 0] == pytest.approx(1, abs=1e-4)
    assert model.intercept_[0] == pytest.approx(np.log(y.mean() / (1 - y.mean())), abs=1e-4)


def test_the_sign(cancer):
    X, y = cancer
    of_events = WOEEncoder().fit(X, y).transform(X)
    of_nonevents = WOEEncoder(woe_sign="non-event").fit(X, y).transform(X)
    exchanged = WOEEncoder(MonotoneBinner(event=0)).fit(X, y).transform(X)
    assert of_nonevents.tolist() == (-of_events).tolist()
    assert exchanged == pytest.approx(-of_events, abs=1e-12)  # logarithms of inverse ratios


def unseen_rows():
    y = np.array([0, 1] * 50)
    X = pd.DataFrame({"city": np.where(np.arange(100) % 4 < 3, "Rome", "Oslo"), "age": np.arange(100.0)})
    return X, y, pd.DataFrame({"city": ["Nowhere", None], "age": [np.nan, 5.0]})


def test_unseen_values():
    X, y, new = unseen_rows()
    assert WOEEncoder().fit(X, y).transform(new)[:, 0].tolist() == [0, 0]
    worst = WOEEncoder(unseen="worst").fit(X, y)
    largest = worst.binner_.binning_tables_["city"]["woe"].max()
    assert worst.transform(new)[:, 0].tolist() == [largest, largest]
    with pytest.raises(UserError) as caught:
        WOEEncoder(unseen="error").fit(X, y).transform(new)
    assert caught.value.code == "unseen-value"


def test_folds_know_nothing_of_the_class_of_a_row():
    random = np.random.default_rng(0)
    n_rows = 600
    y = random.integers(0, 2, n_rows)
    X = pd.DataFrame({"town": np.char.add("town ", random.integers(0, 150, n_rows).astype(str)).astype(object)})
    binner = MonotoneBinner(min_level_share=0, min_bin_share=0, max_n_bins=None, min_events=0, min_nonevents=0)
    seen = WOEEncoder(binner).fit_transform(X, y)[:, 0]
    in_folds = WOEEncoder(binner, cv=5).fit_transform(X, y)[:, 0]
    assert np.corrcoef(seen, y)[0, 1] > 0.3
    assert abs(np.corrcoef(in_folds, y)[0, 1]) < 0.12  # three standard errors of 600 rows


def test_smoothing_of_all_bins_draws_weights_to_zero(cancer):
    X, y = cancer
    plain = WOEEncoder().fit(X, y).transform(X)
    smooth = WOEEncoder(smooth="all", smoothing=50).fit(X, y).transform(X)
    assert (np.abs(smooth) < np.abs(plain)).all()
    assert (np.sign(smooth) == np.sign(plain)).all()


@pytest.mark.parametrize(("smoothing", "is_allowed"), [(0, True), (1e6, True), (-0.1, False), (1_000_000.5, False)])
def test_the_range_of_smoothing(cancer, smoothing, is_allowed):
    X, y = cancer
    encoder = WOEEncoder(smoothing=smoothing)
    if is_allowed:
        encoder.fit(X, y)
    else:
        with pytest.raises(UserError, match="smoothing"):
            encoder.fit(X, y)


def test_what_is_no_binner_is_refused(cancer):
    X, y = cancer
    with pytest.raises(UserError) as caught:
        WOEEncoder("mdl").fit(X, y)
    assert caught.value.code == "parameter-not-allowed"


@pytest.mark.parametrize("splitter", [ShuffleSplit(2, test_size=0.2), [(range(50), range(50, 100))]], ids=str)
def test_folds_that_leave_rows_out_are_refused(splitter):
    X, y, _ = unseen_rows()
    with pytest.raises(UserError, match="each row is in one") as caught:
        WOEEncoder(cv=splitter).fit_transform(X, y)
    assert caught.value.code == "parameter-not-allowed"


def test_each_row_has_the_weights_of_the_other_folds():
    X, y, _ = unseen_rows()
    encoded = WOEEncoder(cv=KFold(4)).fit_transform(X, y)
    for others, rows in KFold(4).split(X):
        assert (encoded[rows] == WOEEncoder().fit(X.iloc[others], y[others]).transform(X.iloc[rows])).all()


@pytest.mark.parametrize(("unseen", "weight"), [("zero", "is 0"), ("worst", "is the largest of the column")])
def test_values_in_no_bin_are_counted_in_a_warning(unseen, weight):
    X, y, new = unseen_rows()
    encoder = WOEEncoder(unseen=unseen).fit(X, y)
    with pytest.warns(BitsieveWarning, match=f"2 columns .* 'city', 'age'.*{weight}"):
        encoder.transform(pd.concat([X, new]))
    with pytest.warns(BitsieveWarning, match=rf"'age' has .* in 1 rows.*{weight}"):
        encoder.transform(new.assign(city="Rome"))


def test_folds_give_no_warnings_of_categories_that_the_others_lack():
    X = pd.DataFrame({"town": [*["Rome", "Oslo"] * 20, "Bern"]})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        WOEEncoder(MonotoneBinner(min_level_share=0), cv=KFold(5)).fit_transform(X, np.arange(41) % 3 == 0)
