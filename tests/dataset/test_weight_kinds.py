"""Sampling weights are scaled to the effective number of rows; frequency weights that look like them are noted."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from tests.diagnosed import codes, raises_code

import bitsieve
from bitsieve.cli import main
from bitsieve.dataset.weights import read_weights


@pytest.fixture
def survey():
    """800 people who stand for some 450,000; "street" has nothing to do with the answer, "age" has."""
    random = np.random.default_rng(0)
    answer = random.integers(0, 2, 800)
    return pd.DataFrame(
        {
            "street": random.integers(0, 400, 800).astype(str),
            "age": (answer + random.integers(0, 3, 800)).astype(str),
            "w": random.lognormal(6, 0.8, 800).round(),
            "answer": answer,
        }
    )


def kish(weights):
    return weights.sum() ** 2 / np.square(weights).sum()


@pytest.mark.parametrize("seed", range(5))
def test_counts_sum_to_the_effective_number_of_rows_over_any_run_of_rows(seed):
    weights = np.random.default_rng(seed).lognormal(3, 1, 500)
    counts = read_weights(weights, 500, "sampling")
    assert counts.dtype == np.int64
    assert set(counts.tolist()) == {0, 1}
    scaled = weights * weights.sum() / np.square(weights).sum()
    assert scaled.sum() == pytest.approx(kish(weights), rel=1e-12)  # two orders of summation
    assert counts.sum() <= kish(weights)
    sums = np.cumsum(np.minimum(scaled, 1))
    assert np.abs(np.cumsum(counts) - sums).max() <= 0.5 + 1e-9  # sums of 500 rounded products


@pytest.mark.parametrize("n_values", [4, 100])
def test_information_of_noise_is_0_on_average(n_values):
    relevance = []
    for seed in range(40):
        random = np.random.default_rng(seed)
        y = random.integers(0, 2, 800)
        X = random.integers(0, n_values, (800, 1))
        counts = read_weights(random.lognormal(6, 0.8, 800), 800, "sampling")
        information = bitsieve.mutual_information(X, y, sample_weight=counts, binning="none", estimator="corrected")
        relevance.append(information[0])
    error = np.std(relevance) / np.sqrt(40)
    assert abs(np.mean(relevance)) < 4 * error


def test_a_sample_of_one_class_in_excess_is_weighed_back():
    y = np.repeat([0, 1], 500)
    counts = read_weights(np.where(y == 1, 9.0, 1.0), 1000, "sampling")
    assert counts[y == 1].sum() / counts.sum() == pytest.approx(0.9, abs=0.01)  # 1.098 is taken for 1


def test_the_scale_of_sampling_weights_has_no_effect():
    weights = np.random.default_rng(0).integers(1, 9, 200)
    expected = read_weights(weights, 200, "sampling").tolist()
    assert read_weights(weights * 1024, 200, "sampling").tolist() == expected
    assert read_weights(weights / 1024, 200, "sampling").tolist() == expected


def test_equal_sampling_weights_are_no_weights():
    assert read_weights(np.full(7, 2.5), 7, "sampling") is None


def test_an_irrelevant_column_is_not_informative_by_weights_of_a_survey(survey):
    options = {"sample_weight": "w", "n_features_to_select": 2, "binning": "none"}
    counted = bitsieve.select(survey, "answer", **options)
    assert counted.features[0] == "street"
    assert "weights-like-sampling" in codes(counted)
    scaled = bitsieve.select(survey, "answer", weight_kind="sampling", **options)
    assert scaled.features[0] == "age"
    assert abs(scaled.relevance[1]) < 0.05
    assert "weights-like-sampling" not in codes(scaled)


def test_sampling_weights_are_the_frequency_weights_of_the_effective_counts(survey):
    counts = read_weights(survey["w"], 800, "sampling")
    table = survey.drop(columns="w")
    options = {"n_features_to_select": 2, "binning": "none"}
    scaled = bitsieve.select(survey, "answer", sample_weight="w", weight_kind="sampling", **options)
    counted = bitsieve.select(table, "answer", sample_weight=counts, **options)
    assert scaled.relevance.tolist() == counted.relevance.tolist()
    pairs = bitsieve.interactions(survey, "answer", sample_weight="w", weight_kind="sampling", n_shuffles=10)
    same = bitsieve.interactions(table, "answer", sample_weight=counts, n_shuffles=10)
    assert pairs.to_frame("pyarrow").equals(same.to_frame("pyarrow"))


def test_selectors_and_information_scale_sampling_weights_as_select_does(survey):
    X, y = survey.drop(columns=["w", "answer"]), survey["answer"]
    counts = read_weights(survey["w"], 800, "sampling")
    sampling = bitsieve.ForwardSelector(2, binning="none", weight_kind="sampling").fit(X, y, sample_weight=survey["w"])
    frequency = bitsieve.ForwardSelector(2, binning="none").fit(X, y, sample_weight=counts)
    assert sampling.relevance_.tolist() == frequency.relevance_.tolist()
    by_name = bitsieve.make_selector("mim", 2, binning="none", weight_kind="sampling")
    assert by_name.fit(X, y, sample_weight=survey["w"]).relevance_.tolist() == frequency.relevance_.tolist()
    information = bitsieve.mutual_information(
        X, y, sample_weight=survey["w"], weight_kind="sampling", binning="none", estimator="corrected"
    )
    assert information.tolist() == frequency.relevance_.tolist()


def test_what_reads_in_parts_says_why_it_takes_no_sampling_weights(survey, tmp_path, capsys):
    X, y = survey.drop(columns=["w", "answer"]), survey["answer"]
    selector = bitsieve.ForwardSelector(1, criterion="mrmr", binning="none", weight_kind="sampling")
    with pytest.raises(bitsieve.UserError, match="needs the weights of all rows at once"):
        selector.partial_fit(X, y, sample_weight=survey["w"])
    path = tmp_path / "survey.parquet"
    survey.to_parquet(path)
    with pytest.raises(bitsieve.UserError, match="needs the weights of all rows at once"):
        bitsieve.mutual_information(str(path), "answer", sample_weight="w", weight_kind="sampling")
    command = ["count", str(path), "--target", "answer", "--weight", "w", "--weight-kind", "sampling"]
    assert main([*command, "--save", str(tmp_path / "counts")]) == 2
    assert "--weight-kind sampling needs the weights of all rows at once" in capsys.readouterr().err


def test_a_table_of_counts_is_not_taken_for_a_survey():
    table = pd.DataFrame({"sex": [0, 0, 1, 1], "survived": [0, 1, 0, 1], "n": [1364, 367, 126, 344]})
    selection = bitsieve.select(table, "survived", sample_weight="n", binning="none")
    assert "weights-like-sampling" not in codes(selection)


def test_the_command(survey, tmp_path, capsys):
    path = tmp_path / "survey.csv"
    survey.to_csv(path, index=False)
    command = ["select", str(path), "--target", "answer", "--weight", "w", "--features", "1"]
    assert main([*command, "--weight-kind", "sampling"]) == 0
    assert "age" in capsys.readouterr().out
    assert main(command) == 0
    assert "--weight-kind sampling" in capsys.readouterr().err


def test_what_cannot_be_done_is_refused(survey):
    options = {"sample_weight": "w", "weight_kind": "sampling"}
    with raises_code("rows-not-in-memory"):
        bitsieve.select(survey, "answer", engine="stream", **options)
    with pytest.raises(bitsieve.UserError):
        bitsieve.select(survey, "answer", sample_weight="w", weight_kind="survey")
    with raises_code("invalid-weights"):
        bitsieve.select(survey.assign(w=-1.0), "answer", **options)
    with raises_code("invalid-weights"):
        read_weights(np.zeros(3), 3, "sampling")
    with raises_code("invalid-weights") as refused:
        bitsieve.select(survey.assign(w=1.5), "answer", sample_weight="w")
    assert "sampling" in str(refused.value)
