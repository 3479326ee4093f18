"""The paper's programs on little data: every item runs, and says what it should."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_digits

from papers.item import Options
from papers.zhai2012 import ITEMS
from papers.zhai2012 import curves as zhai2012_curves
from papers.zhai2012 import matching as zhai2012_matching
from papers.zhai2012 import methods as zhai2012_methods
from papers.zhai2012 import pixels as zhai2012_pixels
from papers.zhai2012.methods import AFFILIATED, EMBEDDED, METHODS, UNIT_VARIANCE, score_methods

COUNTS = (2, 6, 12)


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Few numbers of features, and a small synthetic table."""
    for module in (zhai2012_methods, zhai2012_curves):
        monkeypatch.setattr(module, "COUNTS", COUNTS)
    sizes = {"N_SAMPLES": 250, "N_FEATURES": 150, "N_GROUPS": 12, "N_MULTIPLE": 4}
    for name, value in sizes.items():
        monkeypatch.setattr(zhai2012_curves, name, value)
    monkeypatch.setattr(zhai2012_methods, "MAX_ELIMINATION_SAMPLES", 100)


@pytest.fixture
def data_dir(tmp_path):
    """Small digits in place of the large ones, a sparse table of words, and faces of three persons."""
    X, y = load_digits(return_X_y=True)
    np.savez(tmp_path / "mnist_train.npz", X=X[:1200], y=y[:1200])
    np.savez(tmp_path / "mnist_test.npz", X=X[1200:], y=y[1200:])
    np.savez(tmp_path / "orl.npz", X=X[y < 3][:90], y=y[y < 3][:90])
    random = np.random.default_rng(0)
    for part in ("train", "test"):
        topic = random.integers(0, 2, 300)
        counts = random.poisson(0.1 + 0.6 * topic[:, None] * (np.arange(60) < 6))
        rows, columns = np.nonzero(counts)
        start = np.searchsorted(rows, np.arange(301))
        pieces = {"data": counts[rows, columns].astype(np.float32), "indices": columns, "indptr": start}
        np.savez(tmp_path / f"reuters_moneyfx_{part}.npz", **pieces, shape=[300, 60], y=2 * topic - 1)
    return tmp_path


def run(item, **options):
    parts = []
    result = ITEMS[item].run(Options(part=lambda text, record: parts.append((text, record)), n_jobs=2, **options))
    return result, [text for text, _ in parts], [record for _, record in parts]


@pytest.mark.slow("trains eight methods for every number of features")
def test_figure_2_has_three_measures_with_and_without_the_ground_truth():
    result, texts, records = run("figure 2", draw=True)
    assert len(texts) == 7
    assert [sorted(set(record) - {"data", "counts"})[0] for record in records[:3]] == [
        "accuracy",
        "seconds",
        "redundancy",
    ]
    assert list(records[0]["accuracy"]) == [*METHODS, UNIT_VARIANCE, AFFILIATED]
    assert list(records[3]["accuracy"]) == [*EMBEDDED, UNIT_VARIANCE]
    assert records[3]["data"] == "ground truth removed"
    for values in records[0]["accuracy"].values():
        assert all(value is None or 40 < value <= 100 for value in values)
    groups = records[6]["groups"]
    assert max(groups[UNIT_VARIANCE]) <= 12
    assert groups["GDM"][-1] > groups["GDM"][0]
    redundancy = records[2]["redundancy"]
    assert redundancy["GDM"][1] < redundancy["FGM"][1]
    assert len(result.figure.axes) == 3


@pytest.fixture
def scored_once(monkeypatch):
    """Figures 3 to 5 show three measures of the same scores."""
    known = {}

    def scores(split, counts, methods, n_jobs):
        asked = split.name, counts, tuple(methods)
        if asked not in known:
            known[asked] = score_methods(split, counts, methods, n_jobs)
        return known[asked]

    monkeypatch.setattr(zhai2012_curves, "score_methods", scores)


@pytest.mark.slow("trains eight methods for every number of features")
@pytest.mark.usefixtures("scored_once")
def test_figures_3_to_5(data_dir):
    for number, measure in ((3, "accuracy"), (4, "seconds"), (5, "redundancy")):
        result, texts, records = run(f"figure {number}", data_dir=data_dir, draw=True)
        assert [record["data"] for record in records] == ["mnist38", "moneyfx"]
        assert set(records[0]) == {"data", "counts", measure}
        assert list(records[1][measure]) == [*EMBEDDED, UNIT_VARIANCE, AFFILIATED]  # filters take no sparse table
        assert len(result.figure.axes) == 2
        one = run(f"figure {number}", data_dir=data_dir, sets=("moneyfx",))
        assert len(one[1]) == 1
        assert "moneyfx" in texts[1]


def test_accuracy_redundancy_and_seconds_are_what_they_are_called(data_dir):
    split = zhai2012_curves.load_split(data_dir, "mnist38")
    found = score_methods(split, COUNTS, ("FCBF", "GDM"), 1)
    for scores in found.values():
        for at, (k, columns) in enumerate(zip(COUNTS, scores.chosen, strict=True)):
            if len(columns) < k:
                continue
            rho = np.abs(np.corrcoef(split.X[:, columns], rowvar=False))
            expected = (rho.sum() - k) / 2 / (k * (k - 1))
            assert scores.redundancy[at] == pytest.approx(expected, rel=1e-6)  # float32 pixels
            assert 60 < scores.accuracy[at] <= 100
            assert scores.seconds[at] > 0
    assert len(found["FCBF"].chosen[1]) <= 6


def test_figure_1(data_dir):
    result, texts, records = run("figure 1", data_dir=data_dir, draw=True)
    support, groups = records[0]["support"], records[0]["groups"]
    assert len(support) == len(groups)
    assert "affiliated" in texts[0]
    assert len(result.figure.axes) == 3 * 3
    assert run("figure 1", data_dir=data_dir)[0].figure is None


@pytest.mark.parametrize("with_data", [True, pytest.param(False, marks=pytest.mark.slow("larger pictures"))])
def test_figure_6(data_dir, with_data):
    result, texts, records = run("figure 6", data_dir=data_dir if with_data else None, draw=True)
    pixels = records[0]["pixels"]
    assert list(pixels) == [*zhai2012_pixels.ROWS, zhai2012_pixels.WITH_GROUPS]
    assert set(pixels["GDM"]) <= set(pixels["GDM-A"])
    assert len(pixels["GDM-A"]) > len(pixels["GDM"])
    assert "GDM-A" in texts[0]
    assert len(result.figure.axes) == 8 * (1 + 2 * zhai2012_pixels.SHOWN)


@pytest.mark.slow("trains eight methods for every number of features")
def test_table_matching(data_dir, monkeypatch):
    monkeypatch.setattr(zhai2012_matching, "BUDGETS", (3, 6))
    monkeypatch.setattr(zhai2012_matching, "N_DRAWS", 2)
    result, texts, records = run("table matching", data_dir=data_dir)
    rows = records[0]["matching"]
    assert [row["data"] for row in rows[::3]] == ["breast cancer", "synthetic", "mnist38", "moneyfx"]
    assert all(int(row["cuts"]) == 6 for row in rows)
    assert all(float(row["largest loss %"]) >= float(row["mean loss %"]) >= -1e-3 for row in rows)
    assert sum(int(row["greedy not best"]) for row in rows) > 0  # proposition 2 of the paper does not hold
    assert len(records[1]["accuracy"]) == 4
    assert "greedy" in texts[1]
    assert "sum of squares" in result.text


@pytest.mark.parametrize("item", ["figure 1", "figure 3"])
def test_without_data_one_line_says_what_is_needed(item):
    with pytest.raises(ValueError, match=r"give (its|their) directory by --data-dir$"):
        run(item)
