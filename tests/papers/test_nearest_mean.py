"""The nearest class mean in blocks: scikit-learn's predictions, for any block and number of threads."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.neighbors import NearestCentroid

import bitsieve
from papers.vinh2014 import nearest_mean
from papers.vinh2014.nearest_mean import nearest_mean_curves


def tables(seed=0, n_classes=9):
    random = np.random.default_rng(seed)
    prototypes = random.integers(0, 200, (n_classes, 20))
    y = random.integers(0, n_classes, 700)
    X = np.clip(prototypes[y] + random.normal(scale=60, size=(700, 20)), 0, 255).astype(np.uint8)
    return X[:400], y[:400], X[400:], y[400:]


RANKINGS = {"forward": np.arange(20), "backward": np.arange(20)[::-1], "short": np.array([3, 1, 7, 12])}


def test_errors_are_those_of_scikit_learn():
    train, y, test, truth = tables()
    counts, errors = nearest_mean_curves(train, y, test, truth, RANKINGS, [1, 3, 4])
    assert counts.tolist() == [1, 3, 4]
    scale = train.max(axis=0).astype(float)
    for label, order in RANKINGS.items():
        for k, wrong in zip(counts, errors[label], strict=True):
            fitted = NearestCentroid().fit((train / scale)[:, order[:k]], y)
            assert wrong == (fitted.predict((test / scale)[:, order[:k]]) != truth).sum()


def test_errors_are_those_of_compare():
    train, y, test, truth = tables(1)
    X, classes = np.concatenate([train, test]), np.concatenate([y, truth])
    split = [(np.arange(400), np.arange(400, 700))]
    comparison = bitsieve.compare(
        X, classes, methods=["jmi"], features=[2, 9, 20], classifier="ncm", folds=split, protocol="paper"
    )
    _, errors = nearest_mean_curves(train, y, test, truth, {"jmi": comparison.selected[0][0]}, [2, 9, 20])
    assert errors["jmi"].tolist() == comparison.errors[0, 0].tolist()


@pytest.mark.parametrize("n_jobs", [1, 3])
@pytest.mark.parametrize("rows", [1, 7, 1000])
def test_same_for_any_block_and_thread(monkeypatch, rows, n_jobs):
    given = tables(2)
    whole = nearest_mean_curves(*given, RANKINGS, [1, 2, 4])[1]
    monkeypatch.setattr(nearest_mean, "BLOCK_BYTES", 8 * 9 * rows)
    again = nearest_mean_curves(*given, RANKINGS, [1, 2, 4], n_jobs=n_jobs)[1]
    for label in RANKINGS:
        assert again[label].tolist() == whole[label].tolist()


def test_memory_map_and_classes_that_do_not_occur(tmp_path):
    train, y, test, truth = tables(3)
    np.save(tmp_path / "train.npy", train)
    mapped = np.load(tmp_path / "train.npy", mmap_mode="r")
    y, truth = np.where(y == 4, 5, y), np.where(truth == 2, 30, truth)
    _, errors = nearest_mean_curves(mapped, y, test, truth, RANKINGS, [4])
    scale = train.max(axis=0).astype(float)
    fitted = NearestCentroid().fit((train / scale)[:, :4], y)
    assert errors["forward"] == (fitted.predict((test / scale)[:, :4]) != truth).sum()
    assert errors["forward"] >= (truth == 30).sum() + (truth == 4).sum()


def test_constant_columns():
    X = np.zeros((6, 3))
    X[:, 1] = [0, 0, 0, 1, 1, 1]
    _, errors = nearest_mean_curves(X, [0, 0, 0, 1, 1, 1], X, [0, 0, 0, 1, 1, 1], {"all": [0, 1, 2]}, [1, 2, 3])
    assert errors["all"].tolist() == [3, 0, 0]


def test_mistakes():
    train, y, test, truth = tables()
    for given, message in (
        ((train, y[1:], test, truth, RANKINGS), "the training table has 400 rows but 399 classes"),
        ((train, y, test, truth - 1, RANKINGS), "the test classes are no codes"),
        ((train, y, test[:, 1:], truth, RANKINGS), "20 columns and the test table 19"),
        ((train, y, test, truth, {}), "there are no rankings"),
        ((train, y, test, truth, {"a": [0, 20]}), "ranking 'a' names a column twice or one that is not there"),
        ((train, y, test, truth, {"a": [1, 1]}), "ranking 'a' names a column twice"),
        ((train, y, test, truth, RANKINGS, range(5, 9)), "features begin at 5 but the table has 4"),
    ):
        with pytest.raises(ValueError, match=message):
            nearest_mean_curves(*given)
