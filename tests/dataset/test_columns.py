"""Tables of every kind become the same columns."""

import datetime
import decimal
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.base import clone

from bitsieve.dataset.columns import read_columns
from bitsieve.dataset.value_ranges import check_values
from bitsieve.discretization.transformers import EqualFrequencyBinner, EqualWidthBinner, MDLBinner
from bitsieve.io.read import read_table

_DATA = {
    "integer": [3, 1, 2, 1],
    "float": [0.5, None, 1.5, -2.0],
    "nullable": [1, None, 3, 4],
    "text": ["b", "a", None, "b"],
    "flag": [True, False, True, True],
    "gap": [True, None, False, True],
    "day": [datetime.date(1970, 1, 2), None, datetime.date(1970, 1, 1), datetime.date(2000, 1, 1)],
    "time": [datetime.datetime(1970, 1, 1, second=1), None, *(datetime.datetime(year, 1, 1) for year in (2020, 1969))],
    "lag": [datetime.timedelta(seconds=1), None, datetime.timedelta(days=-1), datetime.timedelta(0)],
    "price": [decimal.Decimal("1.25"), None, decimal.Decimal("-3.50"), decimal.Decimal("0.00")],
}


def _pandas_nullable():
    return pa.table(_DATA).to_pandas(types_mapper=pd.ArrowDtype)


_TABLES = {
    "pandas": lambda: pd.DataFrame(_DATA),
    "pandas of arrow": _pandas_nullable,
    "pandas nullable": lambda: pd.DataFrame(_DATA).astype({"nullable": "Int64", "gap": "boolean", "float": "Float64"}),
    "polars": lambda: pl.DataFrame(_DATA),
    "pyarrow": lambda: pa.table(_DATA),
    "pyarrow in chunks": lambda: pa.concat_tables([pa.table(_DATA)[:2], pa.table(_DATA)[2:]]),
}


def read(X):
    return read_columns(X)


@pytest.fixture(params=_TABLES)
def table(request):
    return _TABLES[request.param]()


def test_mixed_kinds(table):
    columns = read(table)
    assert columns.names == list(_DATA)
    assert (columns.n_samples, columns.n_features) == (4, len(_DATA))
    assert [name for j, name in enumerate(columns.names) if not columns.is_numeric(j)] == ["text", "flag", "gap"]
    nan, day = np.nan, 86_400e6
    expected = {
        "integer": [3, 1, 2, 1],
        "float": [0.5, nan, 1.5, -2],
        "nullable": [1, nan, 3, 4],
        "day": [day, nan, 0, 10957 * day],
        "time": [1e6, nan, 1577836800e6, -365 * day],
        "lag": [1e6, nan, -day, 0],
        "price": [1.25, nan, -3.5, 0],
    }
    for name, values in expected.items():
        numbers = columns.numeric(list(_DATA).index(name))
        assert numbers.dtype == np.float64
        np.testing.assert_array_equal(numbers, values, err_msg=name)
    for name, codes, categories in [
        ("text", [1, 0, -1, 1], ["a", "b"]),
        ("flag", [1, 0, 1, 1], [False, True]),
        ("gap", [1, -1, 0, 1], [False, True]),
    ]:
        encoded = columns.categorical(list(_DATA).index(name))
        assert encoded.codes.tolist() == codes
        assert encoded.codes.dtype == np.int32
        assert encoded.categories.tolist() == categories


def test_every_table_gives_the_same_codes(table):
    binner = EqualFrequencyBinner(n_bins=3, missing="bin")
    expected = binner.fit_transform(pl.DataFrame(_DATA))
    assert (binner.fit_transform(table) == expected).all()
    assert binner.feature_names_in_.tolist() == list(_DATA)
    assert binner.get_feature_names_out().tolist() == list(_DATA)


def test_a_binner_fitted_on_one_kind_of_table_codes_another():
    binner = EqualFrequencyBinner(n_bins=3, missing="bin").fit(pd.DataFrame(_DATA))
    expected = binner.transform(pd.DataFrame(_DATA))
    for make in _TABLES.values():
        assert (binner.transform(make()) == expected).all()


def test_asking_for_the_other_kind_is_refused():
    columns = read(pl.DataFrame(_DATA))
    with pytest.raises(TypeError, match="column 'text' is categorical"):
        columns.numeric(3)
    with pytest.raises(TypeError, match="column 'integer' is numeric"):
        columns.categorical(0)


def test_categoricals_hold_the_values_that_occur_in_sorted_order():
    chunks = [pa.array(part).dictionary_encode() for part in (["z", "m"], [None, "z"])]
    frames = [
        pd.DataFrame({"c": pd.Categorical(["z", "m", None, "z"], categories=["z", "unused", "m"])}),
        pl.DataFrame({"c": ["z", "m", None, "z"]}, schema={"c": pl.Enum(["z", "unused", "m"])}),
        pl.DataFrame({"c": ["z", "m", None, "z"]}, schema={"c": pl.Categorical}),
        pa.table({"c": pa.chunked_array(chunks)}),
    ]
    for frame in frames:
        encoded = read(frame).categorical(0)
        assert encoded.codes.tolist() == [1, 0, -1, 1]
        assert encoded.categories.tolist() == ["m", "z"]
    numbers = read(pd.DataFrame({"c": pd.Categorical([10, 9, 10])})).categorical(0)
    assert numbers.categories.tolist() == [9, 10]


@pytest.mark.parametrize("kind", [pa.int8(), pa.uint8(), pa.int32(), pa.uint64()])
def test_dictionaries_of_any_order_are_coded_by_their_sorted_values(kind):
    """Values twice in a dictionary, values that do not occur, missing ones in the dictionary and among the places."""
    random = np.random.default_rng(0)
    dictionary = np.array(["d", "a", None, "c", "a", "never", "b"], object)
    columns = {}
    for j, n in enumerate([1, 2, 5, 7, 7]):
        places = pa.array(
            random.choice(n if n < 7 else [0, 1, 2, 3, 4, 6], 50), kind, mask=random.random(50) < 0.1 * (j > 2)
        )
        columns[f"x{j}"] = pa.DictionaryArray.from_arrays(places, pa.array(dictionary[:n]))
    table = read_columns(pa.table(columns))
    for j, array in enumerate(columns.values()):
        values = np.array(array.to_pylist(), object)
        known = np.array([value is not None for value in values])
        categories, codes = np.unique(values[known], return_inverse=True)
        assert table.categorical(j).categories.tolist() == categories.tolist()
        assert table.categorical(j).codes[known].tolist() == codes.tolist()
        assert (table.categorical(j).codes[~known] == -1).all()


def test_truth_values_are_coded_as_any_categories():
    X = np.random.default_rng(0).random((30, 20)) < np.linspace(0, 1, 20)
    for given in (X, np.asfortranarray(X), X[::-2, ::3]):
        table = read_columns(given)
        for j in range(given.shape[1]):
            categories, codes = np.unique(given[:, j], return_inverse=True)
            assert table.categorical(j).categories.dtype == bool
            assert table.categorical(j).categories.tolist() == categories.tolist()
            assert table.categorical(j).codes.tolist() == codes.tolist()


def test_arrays_of_every_type():
    assert read(np.array([[1, 2], [3, 4]], np.int8)).numeric(1).tolist() == [2, 4]
    assert read([[1, 2], [3, 4]]).names == ["x0", "x1"]
    assert read(np.array([[True], [False]])).categorical(0).codes.tolist() == [1, 0]
    assert read(np.array([["b"], ["a"]])).categorical(0).categories.tolist() == ["a", "b"]
    mixed = read([[1, "b"], [2, "a"]])
    assert mixed.numeric(0).tolist() == [1, 2]
    assert mixed.categorical(1).codes.tolist() == [1, 0]
    gaps = read(np.array([[1.5, "b"], [None, None], [2, np.nan]], dtype=object))
    np.testing.assert_array_equal(gaps.numeric(0), [1.5, np.nan, 2])
    assert gaps.categorical(1).codes.tolist() == [0, -1, -1]
    days = np.array([["1970-01-02"], ["NaT"]], dtype="M8[D]")
    np.testing.assert_array_equal(read(days).numeric(0), [86_400e6, np.nan])


def test_a_column_of_nothing_is_numeric_and_missing():
    for frame in (pl.DataFrame({"a": [None, None]}), pa.table({"a": pa.nulls(2)}), pd.DataFrame({"a": [None, None]})):
        columns = read(frame)
        assert columns.is_numeric(0)
        assert np.isnan(columns.numeric(0)).all()


def test_columns_without_text_names():
    frame = pd.DataFrame([[1.0, 2.0], [3.0, 4.0]])
    binner = EqualWidthBinner().fit(frame)
    assert not hasattr(binner, "feature_names_in_")
    assert read(frame).names == ["0", "1"]
    assert EqualWidthBinner().fit([[1.0]]).get_feature_names_out().tolist() == ["x0"]


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (
            pd.DataFrame([[1, 2, 3]], columns=["a", "b", "a"]),
            r"several columns are named 'a': give every column a different name",
        ),
        (pd.DataFrame([[1, 2]], columns=[0, 0]), "several columns are named '0'"),
        (pa.table([[1], [2]], names=["a", "a"]), "several columns are named 'a'"),
        (pl.DataFrame({"a": []}), "X has 0 samples and 1 columns"),
        (pl.DataFrame(), "X has 0 samples and 0 columns"),
        (np.empty((0, 3)), "X has 0 samples and 3 columns"),
        (np.empty((3, 0)), "X has 3 samples and 0 columns"),
        (np.ones(3), "the data has shape .3,.: give a table of samples x features"),
        (pd.Series([1, 2], name="a"), r"the data has shape .2,.: give a table.*; one column is data\[\[name\]\], or"),
        (pl.Series("a", [1, 2]), "the data has shape .2,.: give a table"),
        (pl.DataFrame({"a": [[1], [2]]}), "column 'a' holds .*list.*; give numbers, dates, text"),
        (pd.DataFrame({"a": ["x", 1, 2.5]}, dtype=object), "column 'a' mixes kinds of values: convert it"),
        (np.array([[1, "x"], ["y", "z"]], dtype=object), "column 'x0' mixes kinds of values"),
        (np.array([[1j, 2], [3, 4]]), "Complex data not supported"),
    ],
)
def test_bad_tables_are_refused(X, message):
    with pytest.raises(ValueError, match=message) as caught:
        read(X)
    assert "\n" not in str(caught.value)


def test_an_array_of_one_dimension_is_refused_with_what_to_write():
    with pytest.raises(ValueError, match=r"shape \(5,\): give a table .* values.reshape\(-1, 1\)"):
        MDLBinner().fit(np.arange(5), [0, 1, 0, 1, 0])


def test_sparse_matrices_have_no_dense_extents():
    with pytest.raises(ValueError, match="the table is sparse, but this method needs dense rows"):
        read(sparse.csr_array(np.eye(3))).value_ranges()


def _with(value, columns=7):
    X = np.zeros((4, 10))
    X[1, :columns] = value
    return X


def _polars(X):
    return pl.DataFrame(X, schema=[str(j) for j in range(X.shape[1])])


@pytest.mark.parametrize("make", [np.asarray, pd.DataFrame, _polars])
def test_missing_and_infinite_values_name_the_columns(make):
    first = "'x0', 'x1', 'x2', 'x3', 'x4' and 2 more" if make is np.asarray else "'0', '1', '2', '3', '4' and 2 more"
    with pytest.raises(ValueError, match="missing values") as caught:
        EqualWidthBinner().fit(make(_with(np.nan)))
    assert str(caught.value) == (
        f"7 columns hold missing values (NaN): {first}; "
        "set missing='bin' to give them a separate bin, or impute them first"
    )
    for missing in ("error", "bin"):
        with pytest.raises(ValueError, match=r"^1 column holds infinite values \(inf\)"):
            EqualWidthBinner(missing=missing).fit(make(_with(-np.inf, columns=1)))
    binner = EqualWidthBinner().fit(make(_with(1)))
    with pytest.raises(ValueError, match=r"missing values \(NaN\)"):
        binner.transform(make(_with(np.nan)))


def test_missing_text_is_an_error_or_a_code():
    frame = pl.DataFrame({"a": ["x", None, "y"], "b": [1.0, 2.0, 3.0]})
    with pytest.raises(ValueError, match=r"1 column holds missing values \(NaN\): 'a'"):
        EqualWidthBinner().fit(frame)
    assert EqualWidthBinner(missing="bin").fit_transform(frame)[:, 0].tolist() == [0, 2, 1]
    nothing = pl.DataFrame({"a": [None, None]}, schema={"a": pl.String})
    binner = EqualWidthBinner(missing="bin").fit(nothing)
    assert binner.n_bins_.tolist() == [1]
    assert binner.transform(nothing).ravel().tolist() == [0, 0]


def test_a_sum_that_overflows_is_no_infinity():
    check_values(read(np.full((4, 2), np.finfo(float).max)), allow_missing=False)
    check_values(read(pl.DataFrame({"a": [np.finfo(float).max] * 4})), allow_missing=False)


def test_columns_that_changed_are_refused():
    binner = EqualWidthBinner().fit(pl.DataFrame({"a": [1.0, 2.0], "b": ["u", "v"]}))
    with pytest.raises(ValueError, match="feature names"):
        binner.transform(pl.DataFrame({"b": ["u"], "a": [1.0]}))
    with pytest.raises(ValueError, match="column 'a' was numeric when fitting"):
        binner.transform(pl.DataFrame({"a": ["one"], "b": ["u"]}))
    with pytest.raises(ValueError, match="column 'b' was categorical when fitting"):
        binner.transform(pl.DataFrame({"a": [1.0], "b": [2.0]}))
    with pytest.raises(ValueError, match="column 'b' holds 'w', which was not there when fitting"):
        binner.transform(pl.DataFrame({"a": [1.0], "b": ["w"]}))
    with pytest.raises(ValueError, match="column 'b' holds True, which was not there"):
        binner.transform(pl.DataFrame({"a": [1.0], "b": [True]}))


@pytest.mark.parametrize(("container", "kind"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame)])
def test_set_output(container, kind):
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": ["u", "v", "u"]})
    out = EqualFrequencyBinner(n_bins=2).set_output(transform=container).fit_transform(frame)
    assert isinstance(out, kind)
    assert list(out.columns) == ["a", "b"]
    assert np.asarray(out["b"]).tolist() == [0, 1, 0]


def test_clone_and_pickle():
    X, y = pl.DataFrame(_DATA), [0, 1, 0, 1]
    binner = MDLBinner(uncut="median", missing="bin", n_jobs=2).fit(X, y)
    copy = pickle.loads(pickle.dumps(binner))
    assert (copy.transform(X) == binner.transform(X)).all()
    assert clone(binner).get_params() == binner.get_params()
    assert not hasattr(clone(binner), "n_bins_")


def test_strided_and_reversed_arrays():
    X = np.random.default_rng(0).normal(size=(40, 6))
    expected = EqualFrequencyBinner(n_bins=3).fit_transform(X)
    views = [np.asfortranarray(X), np.repeat(X, 2, axis=0)[::2], X[::-1][::-1], X.astype(object)]
    for view in views:
        assert (EqualFrequencyBinner(n_bins=3).fit_transform(view) == expected).all()


def test_dates_and_times_in_other_units():
    day, second = 86_400e6, 1e6
    table = pa.table(
        {
            "date64": pa.array([86_400_000, None], pa.date64()),
            "seconds": pa.array([7, None], pa.timestamp("s")),
            "nanoseconds": pa.array([1_500, None], pa.timestamp("ns", tz="Europe/Paris")),
            "time32": pa.array([2, None], pa.time32("s")),
            "time64": pa.array([2_000_000_000, None], pa.time64("ns")),
            "duration": pa.array([-3, None], pa.duration("ms")),
            "decimal": pa.array([decimal.Decimal("0.1"), None]),
            "half": pa.array(np.array([0.5, 0], np.float16), mask=np.array([False, True])),
        }
    )
    columns = read(table)
    expected = [day, 7 * second, 1.5, 2 * second, 2 * second, -3_000, 0.1, 0.5]
    assert [columns.numeric(j)[0] for j in range(len(expected))] == expected
    assert all(np.isnan(columns.numeric(j)[1]) for j in range(len(expected)))


def test_too_many_samples_are_refused():
    many = np.broadcast_to(np.zeros((1, 1), np.uint8), (2**31 + 1, 1))
    with pytest.raises(ValueError, match="X has 2,147,483,649 samples: at most 2,147,483,648 are supported"):
        read(many)


def test_text_is_read_as_when_fitting():
    """Of new rows all may be numbers in text though the column is not, and text of a column of numbers is numbers."""
    binner = EqualWidthBinner(n_bins=2).fit(pd.DataFrame({"mixed": ["1", "2", "x"], "price": ["1.5", "2.5", "9.5"]}))
    assert binner.categories_[0].tolist() == ["1", "2", "x"]
    assert binner.transform(pd.DataFrame({"mixed": ["2", "1"], "price": ["9", "2"]})).tolist() == [[1, 1], [0, 0]]


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_text_of_a_frame_is_what_a_file_of_text_would_make_of_it(make, tmp_path):
    words = {
        "date": ["2024-01-02", "2024-03-01", None],
        "time": ["2024-01-02 10:00", "2024-03-01 11:30", "2024-03-01 11:31"],
        "grouped": ["1,234", "5", "6"],
        "gap": ["3", "NA", "4"],
        "marked": ["a", "?", "b"],
        "truth": ["true", "false", "true"],
        "text": ["12 kg", "3", "4"],
    }
    table = read(make(words))
    pd.DataFrame(words).to_csv(tmp_path / "words.csv", index=False)
    expected = read(read_table(tmp_path / "words.csv"))
    for j, name in enumerate(words):
        assert table.is_numeric(j) == expected.is_numeric(j), name
        if table.is_numeric(j):
            np.testing.assert_array_equal(table.numeric(j), expected.numeric(j))
        else:
            assert table.categorical(j).codes.tolist() == expected.categorical(j).codes.tolist()


def test_numbers_of_the_other_byte_order():
    values = np.arange(6.0).reshape(3, 2)
    for kind in (">f8", ">f4", ">i4"):
        frame = pd.DataFrame(values.astype(kind), columns=["a", "b"])
        read = read_columns(frame)
        np.testing.assert_array_equal(np.column_stack([read.columns[0], read.columns[1]]), values)


def test_complex_numbers_are_refused_by_one_line():
    for table in (np.full((2, 1), 1j), pd.DataFrame({"a": [1j, 2.0]}), pd.DataFrame({"a": [1j, 2.0], "b": [1, 2]})):
        with pytest.raises(ValueError, match=r"Complex data not supported.*give real numbers$"):
            read_columns(table)
