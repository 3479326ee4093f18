"""The paper's programs: the integral they are held against, and every item on little data."""

from __future__ import annotations

import re

import numpy as np
import pytest
from sklearn.datasets import load_digits

from papers.item import Options
from papers.yasaei import ITEMS
from papers.yasaei import digits as yasaei_mnist
from papers.yasaei import estimator as yasaei_estimator


def run(item, **options):
    parts = []
    result = ITEMS[item].run(Options(part=lambda text, record: parts.append((text, record)), n_jobs=2, **options))
    return result, [text for text, _ in parts], [record for _, record in parts]


@pytest.mark.parametrize("n_classes", [2, 5, 10])
def test_the_paper_s_design_has_no_dependency_and_correlation_has(n_classes):
    assert yasaei_estimator.true_bound(n_classes, 0.0) == pytest.approx(0, abs=1e-12)
    coarse, fine = (yasaei_estimator.true_bound(n_classes, 0.8, step) for step in (0.02, 0.01))
    assert coarse == pytest.approx(fine, rel=1e-9)
    assert 0.01 < fine < 0.2


def test_the_integral_grows_with_the_correlation():
    bounds = [yasaei_estimator.true_bound(1, correlation) for correlation in (0.0, 0.5, 0.9)]
    assert bounds == sorted(bounds)
    assert bounds[0] == pytest.approx(0, abs=1e-12)


@pytest.mark.slow("classifies images for every number of samples")
def test_figure_1_the_error_falls_with_the_samples(monkeypatch):
    monkeypatch.setattr(yasaei_estimator, "N_SAMPLES", (100, 1600))
    monkeypatch.setattr(yasaei_estimator, "N_DRAWS", 20)
    result, texts, records = run("figure 1", draw=True)
    assert len(texts) == 2
    for record in records:
        for few, many in record["mean_squared_error"]:
            assert many < few / 3
    assert np.abs(records[0]["truth"]).max() < 1e-12
    assert len(result.figure.axes) == 2
    again = run("figure 1")
    assert again[2] == records
    assert again[0].figure is None


def test_figure_2_many_classes_cost_the_pairs_more(monkeypatch):
    monkeypatch.setattr(yasaei_estimator, "N_SAMPLES", (800,))
    result, texts, records = run("figure 2", draw=True)
    ratio = np.array(records[0]["seconds_dp"]) / np.array(records[0]["seconds_gmi"])
    assert ratio[2, 0] > ratio[0, 0]  # 45 pairs of classes, and one
    assert "samples" in texts[0]
    assert len(result.figure.axes) == 1


@pytest.fixture
def digits(tmp_path, monkeypatch):
    """Small digits in place of the large ones."""
    X, y = load_digits(return_X_y=True)
    np.savez(tmp_path / "mnist_train.npz", X=X[:1200], y=y[:1200])
    np.savez(tmp_path / "mnist_test.npz", X=X[1200:], y=y[1200:])
    monkeypatch.setattr(yasaei_mnist, "RUNS", 1)
    monkeypatch.setattr(yasaei_mnist, "N_LEARNED", 400)
    return tmp_path


@pytest.mark.slow("classifies images for every number of features")
def test_table_1_has_ours_beside_the_paper_s(digits):
    result, texts, records = run("table 1", data_dir=digits)
    assert [record["features"] for record in records] == [10, 15, 20]
    assert "(61.48)" in texts[0]
    assert re.search(r"Dp +\d\d\.\d\d ± \d+\.\d\d \(57\.31\)", texts[0])
    for record in records:
        assert record["published"]["Dp"][0] > 50
        for label, accuracies in record["accuracy"].items():
            assert min(accuracies) > 15, label  # a guess has 10
    assert np.mean(records[2]["accuracy"]["ETC"]) > np.mean(records[0]["accuracy"]["ETC"])
    assert "in brackets the paper's" in result.text


@pytest.mark.slow("classifies images for every number of features")
def test_figure_3_all_features_are_the_same_for_all_methods(digits, monkeypatch):
    monkeypatch.setattr(yasaei_mnist, "CURVE", (5, 30))
    result, _, (record,) = run("figure 3", data_dir=digits, draw=True)
    assert len({round(own[-1], 6) for own in record["accuracy"].values()}) == 1
    assert len(result.figure.axes) == 1


def test_what_is_missing_is_named(tmp_path):
    with pytest.raises(ValueError, match="--data-dir"):
        run("table 1")
    with pytest.raises(ValueError, match=r"no mnist_train.npz .* its public origin: LeCun"):
        run("table 1", data_dir=tmp_path)
    np.savez(tmp_path / "mnist_train.npz", X=np.zeros((40, 30)), y=np.arange(40) % 2)
    np.savez(tmp_path / "mnist_test.npz", X=np.zeros((40, 31)), y=np.arange(40) % 2)
    with pytest.raises(ValueError, match="have 30 and 31 pixels"):
        run("table 1", data_dir=tmp_path)
