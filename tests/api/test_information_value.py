"""``bitsieve.information_value``: against its definition on the bins, and what the words beside it say."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

import bitsieve
from bitsieve import MonotoneBinner
from bitsieve.dataset.weights import read_weights


@pytest.fixture(scope="module")
def tumours():
    """Five measurements of 190 tumours, and the diagnosis."""
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    return X.iloc[::3, ::6], y.iloc[::3]


def test_each_row_is_what_the_binner_says(tumours):
    X, y = tumours
    frame = bitsieve.information_value(X, y)
    binner = MonotoneBinner().fit(X, y)
    assert frame["column"].tolist() == list(X)
    assert frame["iv"].tolist() == binner.iv_.tolist()
    for name, value, bits in zip(frame["column"], frame["iv"], frame["mi_bits"], strict=True):
        table = binner.binning_tables_[name]
        assert value == pytest.approx(table["iv"].sum(), abs=1e-12)
        event_rate = y.mean()
        assert bits * np.log(2) <= event_rate * (1 - event_rate) * value  # Jeffreys' divergence is an upper bound


def test_the_mutual_information_is_that_of_the_same_bins(tumours):
    X, y = tumours
    codes = MonotoneBinner().fit(X, y).transform(X)
    bits = bitsieve.mutual_information(codes, y, binning="none")
    assert bitsieve.information_value(X, y)["mi_bits"].to_numpy() == pytest.approx(bits, abs=1e-12)


def test_noise_has_a_large_p_and_often_a_word_that_misleads():
    random = np.random.default_rng(0)
    y = (random.random(200) < 0.1).astype(int)
    frame = bitsieve.information_value(random.normal(size=(200, 40)), y)
    assert (frame["p"] <= 0.05).mean() < 0.15
    assert (frame["word"] != "useless").mean() > 0.5


def test_the_interval_holds_the_value(tumours):
    X, y = tumours
    frame = bitsieve.information_value(X, y)
    assert ((frame["low"] < frame["iv_corrected"]) & (frame["iv_corrected"] < frame["high"])).all()


def test_weights_of_a_survey_count_some_rows_once(tumours):
    X, y = tumours
    weights = np.random.default_rng(0).random(len(y)) + 0.1
    with pytest.raises(ValueError, match="weight_kind"):
        bitsieve.information_value(X, y, sample_weight=weights)
    frame = bitsieve.information_value(X, y, sample_weight=weights, weight_kind="sampling")
    counts = read_weights(weights, len(y), "sampling")
    assert 0 < counts.sum() < len(y)
    assert frame.equals(bitsieve.information_value(X[counts == 1], y[counts == 1]))


def test_a_column_that_separates_the_classes_is_warned_of(tumours):
    X, y = tumours
    with pytest.warns(bitsieve.BitsieveWarning, match="'copy'"):
        frame = bitsieve.information_value(X.assign(copy=y), y)
    assert frame["iv"].iloc[-1] == 0
