"""The tables and the figure of the paper run on files of the right names, and name those that are not there."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from tests.cover import quick_and_slow

from papers import zhang_hancock
from papers.item import Options
from papers.zhang_hancock import ITEMS


@pytest.fixture
def files(tmp_path):
    """Stand-ins of bundled data under the names of the paper's sets; australian is not there."""
    X, y = load_breast_cancer(return_X_y=True)
    for name, columns in {"pima": 8, "breast_wisconsin_original": 9, "madelon": 6}.items():
        table = X[:, :columns].round(0)
        if name == "breast_wisconsin_original":
            table[5, 3] = np.nan
        np.savez(tmp_path / f"{name}.npz", X=table, y=y)
    return tmp_path


def run(name, directory, *sets):
    parts = []
    result = ITEMS[name].run(
        Options(data_dir=directory, n_jobs=1, sets=sets, draw=True, part=lambda text, record: parts.append(record))
    )
    return parts, result


def test_table_2(files):
    (table,), result = run("table 2", files)
    assert [row["data"] for row in table["rows"]] == ["madelon"] * 3 + ["breast"] * 3 + ["pima"] * 3
    assert {row["the paper's J"] for row in table["rows"] if row["data"] == "breast"} == {"5.1513"}
    assert all(float(row["J"]) > 1 for row in table["rows"])
    assert "australian.npz is not there" in result.text
    (table,), result = run("table 2", files, "pima")
    assert len(table["rows"]) == 3
    assert result.text == ""


@pytest.mark.parametrize(
    ("name", "paper"),
    quick_and_slow(
        [("table 3", "96.30"), ("table 4", "72.79")], quick={("table 3", "96.30")}, reason="the same of other data"
    ),
)
def test_accuracies(files, name, paper):
    (table,), _ = run(name, files)
    assert [row["method"] for row in table["rows"]] == ["DSplusMII"] * 3 + ["MRMR"] * 3 + ["MIFS"] * 3 + ["k-means"] * 3
    assert table["rows"][2]["the paper's"] == paper
    assert all(50 < float(row["accuracy %"]) <= 100 for row in table["rows"])


def test_a_file_that_is_not_there(files):
    parts, result = run("table 5", files)
    assert parts == []
    assert "Statlog (Australian Credit Approval)" in result.text


@pytest.mark.slow("fits mixtures of several components")
@pytest.mark.parametrize(("name", "text"), [("figure 2", "First dominant set"), ("figure 3", "63.1 %")])
def test_figures(files, monkeypatch, name, text):
    monkeypatch.setattr(zhang_hancock, "COMPONENTS", (2, 3, 4))
    (table,), result = run(name, files)
    assert len({row["feature"] for row in table["rows"]}) == len(table["rows"]) == 6
    assert all(50 < float(row["3 components, %"]) <= 100 for row in table["rows"])
    assert text in result.text
    assert len(result.figure.axes) == 2
    with pytest.raises(ValueError, match=r"madelon\.npz is not there"):
        run(name, files / "none")
