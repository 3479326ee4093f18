"""Tables in, tables of the same kind out, every dtype kept."""

from __future__ import annotations

import datetime
import pickle
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_iris

from bitsieve import ForwardSelector, SpecCMI
from bitsieve.methods.by_counts.criteria.linear import MIFS

pandas = pytest.importorskip("pandas")
polars = pytest.importorskip("polars")

N = 60
SELECTORS = [ForwardSelector(3, binning="quantile"), SpecCMI(3, binning="quantile")]


@pytest.fixture(scope="module")
def target():
    return np.random.default_rng(0).integers(0, 2, N)


@pytest.fixture(scope="module")
def values(target):
    """Columns of every kind, each following the target to some degree; ``noise`` least of all."""
    random = np.random.default_rng(1)

    def follow(share):
        return np.where(random.random(N) < share, target, random.integers(0, 2, N))

    day = datetime.date(2020, 1, 1)
    return {
        "float": random.standard_normal(N) + 2 * follow(0.9),
        "small": follow(0.5).astype(np.int8) + np.int8(random.integers(0, 3)),
        "text": [["no", "yes"][i] for i in follow(0.85)],
        "flag": follow(0.8).astype(bool),
        "noise": random.integers(0, 3, N).astype(np.int64),
        "level": [["low", "high", "mid"][i + j] for i, j in zip(follow(0.7), random.integers(0, 2, N), strict=True)],
        "day": [
            day + datetime.timedelta(days=int(i) * 100 + int(j)) for i, j in zip(follow(0.95), range(N), strict=True)
        ],
        "price": [Decimal(int(i)) + Decimal("0.25") for i in follow(0.6)],
    }


def pandas_table(values):
    table = pandas.DataFrame({k: v for k, v in values.items() if k != "price"})
    return table.astype({"small": "Int8", "level": "category", "text": "string"}).assign(
        day=pandas.to_datetime(table["day"])
    )


def pandas_arrow_table(values):
    return pandas.DataFrame(values).convert_dtypes(dtype_backend="pyarrow")


def polars_table(values):
    return polars.DataFrame(values).with_columns(polars.col("level").cast(polars.Enum(["low", "mid", "high"])))


def arrow_table(values):
    table = pa.table({k: pa.array(v) for k, v in values.items()})
    at = table.column_names.index("level")
    return table.set_column(at, "level", table["level"].combine_chunks().dictionary_encode())


TABLES = [pandas_table, pandas_arrow_table, polars_table, arrow_table]


def names_of(table):
    return list(table.column_names if isinstance(table, pa.Table) else table.columns)


def dtypes_of(table):
    if isinstance(table, pa.Table):
        return dict(zip(table.schema.names, table.schema.types, strict=True))
    if isinstance(table, polars.DataFrame):
        return dict(table.schema)
    return dict(table.dtypes)


def equal(a, b):
    return a.equals(b)


@pytest.mark.parametrize("selector", SELECTORS, ids=repr)
@pytest.mark.parametrize("make", TABLES)
def test_same_kind_and_dtypes_out(values, target, make, selector):
    X = make(values)
    fitted = clone(selector).fit(X, target)
    out = fitted.transform(X)
    kept = fitted.get_feature_names_out().tolist()
    assert type(out) is type(X)
    assert names_of(out) == kept == [name for name in names_of(X) if name in kept]  # in the order of X
    assert len(kept) == 3
    assert "noise" not in kept
    assert dtypes_of(out) == {name: dtypes_of(X)[name] for name in kept}
    expected = X[kept] if not isinstance(X, pa.Table) else X.select(kept)
    assert equal(out, expected)
    assert equal(clone(selector).fit_transform(X, target), expected)


@pytest.mark.parametrize("make", TABLES)
def test_every_dtype_can_be_kept(values, target, make):
    X = make(values)
    out = ForwardSelector(len(names_of(X)), binning="quantile").fit_transform(X, target)
    assert type(out) is type(X)
    assert dtypes_of(out) == dtypes_of(X)
    assert equal(out, X)


def test_every_table_tells_the_same(values, target):
    values = {name: column for name, column in values.items() if name != "price"}
    fitted = [ForwardSelector(7, binning="quantile").fit(make(values), target) for make in TABLES]
    first = fitted[0]
    for other in fitted[1:]:
        assert other.feature_names_in_.tolist() == list(values)
        # Enum orders its categories as it likes; codes are by sorted value, so the integers are the same.
        assert other.selected_.tolist() == first.selected_.tolist()
        assert other.scores_.tobytes() == first.scores_.tobytes()
        assert other.relevance_.tobytes() == first.relevance_.tobytes()


def test_index_of_pandas_is_kept(values, target):
    X = pandas_table(values).set_index(pandas.Index([f"row {i}" for i in range(N)], name="who"))
    out = ForwardSelector(2, binning="quantile").fit_transform(X, target)
    assert out.index.equals(X.index)
    assert out.index.name == "who"


def test_columns_of_pandas_that_are_no_strings():
    X, y = load_iris(return_X_y=True)
    fitted = ForwardSelector(2).fit(pandas.DataFrame(X), y)
    assert not hasattr(fitted, "feature_names_in_")
    out = fitted.transform(pandas.DataFrame(X))
    assert list(out.columns) == [2, 3]
    assert fitted.get_feature_names_out().tolist() == ["x2", "x3"]


def test_arrays_of_text_and_booleans(values, target):
    X = np.column_stack([values["level"], values["text"]]).astype(object)
    fitted = ForwardSelector(1).fit(X, target)
    assert fitted.transform(X).tolist() == X[:, [1]].tolist()
    flags = np.column_stack([np.arange(N) % 3 == 0, values["flag"]])
    out = ForwardSelector(1).fit(flags, target).transform(flags)
    assert out.dtype == bool
    assert (out[:, 0] == values["flag"]).all()


@pytest.mark.each_value
@pytest.mark.parametrize("kind", ["pandas", "polars", "default"])
@pytest.mark.parametrize("make", [None, *TABLES])
def test_set_output(values, target, make, kind):
    """Another kind out: the names are kept, and so is what a column holds."""
    X = np.column_stack([values["float"], values["small"], values["noise"]]) if make is None else make(values)
    selector = ForwardSelector(2 if make is None else 5, binning="quantile")
    fitted = selector.set_output(transform=kind).fit(X, target)
    out = fitted.transform(X)
    expected = {"pandas": pandas.DataFrame, "polars": polars.DataFrame, "default": type(X)}[kind]
    assert type(out) is expected
    assert out.shape == (N, selector.n_features_to_select)
    if kind == "default":
        return
    kept = fitted.get_feature_names_out().tolist()
    assert list(out.columns) == kept
    if make is None:
        return
    assert {"float", "flag"} <= set(kept)
    assert out["float"].to_numpy().dtype == np.float64
    assert out["float"].to_list() == values["float"].tolist()
    assert out["flag"].to_list() == values["flag"].tolist()
    assert "object" not in [str(dtype) for dtype in out[["float", "flag"]].dtypes]


def test_set_output_for_all(values, target):
    X = arrow_table(values)
    with config_context(transform_output="pandas"):
        assert type(ForwardSelector(2, binning="quantile").fit_transform(X, target)) is pandas.DataFrame
    assert type(ForwardSelector(2, binning="quantile").fit_transform(X, target)) is pa.Table


def test_target_of_any_table(values, target):
    X = pandas_table(values)
    expected = ForwardSelector(4, binning="quantile").fit(X, target)
    names = np.array(["b", "a"])[target]  # other labels, another order
    for y in (
        target.tolist(),
        target.astype(float),
        target.astype(bool),
        names,
        names.tolist(),
        pandas.Series(names, dtype="category"),
        pandas.Series(target, dtype="Int64"),
        polars.Series(names),
        pa.array(names.tolist()),
        target.reshape(-1),
    ):
        fitted = ForwardSelector(4, binning="quantile").fit(X, y)
        assert fitted.selected_.tolist() == expected.selected_.tolist()
        assert fitted.scores_.tobytes() == expected.scores_.tobytes()
    assert fitted.classes_.tolist() == [0, 1]
    assert ForwardSelector(1, binning="quantile").fit(X, names).classes_.tolist() == ["a", "b"]


@pytest.mark.parametrize("make", TABLES)
def test_other_columns_at_transform_are_refused(values, target, make):
    X = make(values)
    fitted = ForwardSelector(2, binning="quantile").fit(X, target)
    fewer = make({name: column for name, column in values.items() if name != "noise"})
    with pytest.raises(ValueError, match=r"noise"):
        fitted.transform(fewer)


@pytest.mark.parametrize("selector", [*SELECTORS, ForwardSelector(3, criterion=MIFS(beta=0.5))], ids=repr)
def test_clone_and_pickle(values, target, selector):
    X = polars_table(values)
    copy = clone(selector.set_params(binning="quantile"))
    assert repr(copy) == repr(selector)
    fitted = copy.fit(X, target)
    loaded = pickle.loads(pickle.dumps(fitted))
    assert loaded.selected_.tolist() == fitted.selected_.tolist()
    assert loaded.scores_.tobytes() == fitted.scores_.tobytes()
    assert loaded.transform(X).equals(fitted.transform(X))


def test_column_transformer(values, target):
    X = pandas_table(values)
    parts = ColumnTransformer(
        [
            ("numbers", ForwardSelector(1, binning="quantile"), ["float", "small", "noise"]),
            ("words", ForwardSelector(1), ["text", "flag", "level"]),
        ],
        verbose_feature_names_out=False,
    ).set_output(transform="pandas")
    out = parts.fit_transform(X, target)
    assert out.shape == (N, 2)
    assert out.dtypes.tolist() == X[out.columns].dtypes.tolist()
    assert out.columns[0] == "float"
    assert out.columns[1] in ("text", "flag", "level")
