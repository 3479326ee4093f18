"""What cannot be selected from, or not in that way: one clear line for each."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from sklearn.datasets import load_iris

import bitsieve
from bitsieve.dataset.read import read_data
from bitsieve.options import ReadOptions
from bitsieve.pipeline.bins import on_bins


@pytest.fixture(scope="module")
def iris():
    data = load_iris()
    names = ["sepal_length", "sepal_width", "petal_length", "petal_width"]
    return data.data, data.target, names


def as_arrow(X, y, names):
    return pa.table({**{name: X[:, j] for j, name in enumerate(names)}, "species": y})


def refused(*arguments, match, **keywords):
    with pytest.raises(ValueError, match=match) as caught:
        bitsieve.select(*arguments, **keywords)
    assert "\n" not in str(caught.value)


def noisy(n_noise=6, n=200):
    rng = np.random.default_rng(0)
    y = np.arange(n) % 2
    columns = {f"noise{j}": rng.normal(size=n) for j in range(n_noise)}
    return {"signal": y + rng.normal(scale=0.1, size=n), **columns}, y


def test_nothing_to_select_from():
    columns, y = noisy(3, 40)
    flat = pa.table({"a": np.ones(40), "b": ["same"] * 40, "c": [True] * 40})
    refused(flat, y, match="no column varies", n_features_to_select=1)
    refused(pa.table(columns), np.zeros(40, int), match="has one class only \\('0'\\)", n_features_to_select=1)
    noise = pa.table({name: values for name, values in columns.items() if name != "signal"})
    assert bitsieve.select(noise, y, n_features_to_select=1).informative.tolist() == [False]
    bitsieve.select(noise, y, n_features_to_select=1, uncut="median")


@pytest.mark.parametrize("k", [0, -1, 2.5, "3", True])
def test_counts_of_features_that_are_none(iris, k):
    X, y, _ = iris
    refused(
        X, y, n_features_to_select=k, match="n_features_to_select=.* is not allowed: give a whole number from 1 to 4"
    )


def test_wrong_names(iris):
    X, y, names = iris
    frame = as_arrow(X, y, names)
    refused(frame, "spieces", match="there is no column 'spieces' for the target: did you mean 'species'")
    refused(frame, "Species", match="did you mean 'species'")
    refused(frame, "zzzzz", match="it is one of 'sepal_length', ")
    refused(frame, match="no target is given: name one of the columns 'sepal_length'")
    refused(X, "species", match="the data is an array, whose columns have no names")
    refused(X, y, method="jmmi", n_features_to_select=2, match="method='jmmi' is not known: did you mean jmi")
    refused(X, y, binning="quantil", n_features_to_select=2, match="quantile")


def test_data_that_is_no_table(iris, tmp_path):
    X, y, names = iris
    pandas = pytest.importorskip("pandas")
    refused(X[:, 0], y, match=r"the data has shape \(150,\)")
    for nothing in (None, {"a": [1, 2]}, 5):
        what = type(nothing).__name__
        refused(nothing, y, match=f"^data is {what}: give an array, a data frame, or the path of a table file$")
    refused(X[:0], y[:0], match="^the data has no rows: nothing to select from$")
    refused(X, y[:10], match="the target has 10 values but the data has 150 rows")
    refused(X, X[None], match=r"the target has shape \(1, 150, 4\)")
    refused(X[:1], y[:1], match="the data has 1 sample")
    refused(as_arrow(X, y, names).select(["species"]), "species", match="only the target 'species'")
    twice = pandas.DataFrame(X, columns=["a", "b", "a", "c"])
    refused(twice, y, match="several columns are named 'a'")
    refused(pa.table([[1, 2], [3, 4]], names=["a", "a"]), [0, 1], match="several columns are named 'a'")
    refused(tmp_path / "nothing.csv", "y", match="there is no file")
    np.savez(tmp_path / "clash.npz", X=X, y=y, feature_names=np.array(["y", "a", "b", "c"]))
    refused(tmp_path / "clash.npz", match="both named 'y'")


def test_missing_values_and_infinities(iris):
    X, y, names = iris
    frame = as_arrow(X, y, names)
    holes = X.copy()
    holes[3, 1] = np.nan
    refused(as_arrow(holes, y, names), "species", match="sepal_width", n_features_to_select=2, missing="error")
    found = bitsieve.select(as_arrow(holes, y, names), "species", n_features_to_select=2)
    assert len(found.features) == 2
    assert "column 'sepal_width' has missing values, which get a separate bin" in found.notes[0]
    holes[3, 1] = np.inf
    refused(as_arrow(holes, y, names), "species", match="sepal_width", n_features_to_select=2, missing="bin")
    target = y.astype(float)
    target[7] = np.nan
    refused(frame, target, match="target", n_features_to_select=2, drop_missing_target=False)


def test_every_column_in_one_bin_is_refused_whatever_the_binner(iris):
    class OneBin:
        n_bins_ = np.ones(4, int)
        takes_missing = False

    X, y, _ = iris
    table = read_data(X, ReadOptions(target=y))
    with pytest.raises(ValueError, match="every column became one bin"):
        on_bins(table, OneBin(), [0], "")


@pytest.mark.parametrize("method", [entry.name for entry in bitsieve.list_methods()])
def test_no_number_of_threads_whatever_the_method(iris, method):
    X, y, _ = iris
    for n_jobs in (1.5, "2", float("nan"), 0, True):
        refused(
            X, y, method=method, n_features_to_select=1, n_jobs=n_jobs, match="is not a number of threads: give 1 or"
        )


@pytest.mark.parametrize(
    ("given", "write"),
    [
        ({"features": 3}, "there is no parameter 'features': did you mean n_features_to_select=3\\?$"),
        ({"k": 2}, "there is no parameter 'k': did you mean n_features_to_select=2\\?$"),
        ({"criterion": "jmi"}, "there is no parameter 'criterion': did you mean method='jmi'\\?$"),
        ({"threads": 4}, "there is no parameter 'threads': did you mean n_jobs=4\\?$"),
        ({"exclud": ["x"]}, r"there is no parameter 'exclud': did you mean exclude=\['x'\]\?$"),
        ({"n_bin": 3}, "there is no parameter 'n_bin': did you mean n_bins=3\\?$"),
        ({"stoping": "fdr"}, "there is no parameter 'stoping': did you mean stopping='fdr'\\?$"),
        ({"qwertz": 1}, r"method 'cmim2' \(ForwardSelector\) does not take qwertz: it takes stopping, "),
    ],
)
def test_other_names_of_parameters_say_what_to_write(iris, given, write):
    X, y, _ = iris
    with pytest.raises(ValueError, match=write):
        bitsieve.select(X, y, **given)


@pytest.mark.parametrize("target", ["class", ["class"]])
def test_a_table_with_features_in_rows(target, tmp_path):
    path = tmp_path / "genes.csv"
    path.write_text("gene,s1,s2,s3\ng1,1,2,3\ng2,3,1,2\nclass,a,b,a\n")
    with pytest.raises(bitsieve.UserError, match="column 'gene' has it in a row") as error:
        bitsieve.select(path, target)
    assert error.value.code == "unknown-column"
    with pytest.raises(bitsieve.UserError, match="it is one of 'gene'"):
        bitsieve.select(path, "age")
