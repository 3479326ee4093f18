"""New data is read and cut as the data that was selected from; what differs is named, and nothing else happens."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse

import bitsieve
from bitsieve.results.saved.new_columns import choose_formats
from bitsieve.results.selection import record_of
from bitsieve.utils.note_warnings import BitsieveWarning

N = 80
DRAW = np.random.default_rng(5)
Y = DRAW.integers(0, 2, N)


def frame():
    gaps = DRAW.normal(size=N) + 2 * Y
    gaps[::9] = np.nan
    return pd.DataFrame(
        {
            "number": DRAW.normal(size=N) + 2 * Y,
            "gaps": gaps,
            "few": DRAW.integers(0, 3, N) + Y,
            "city": np.where(Y == 1, "Rome", np.where(DRAW.random(N) < 0.5, "Oslo", "Bern")),
            "share": [f"{value} %" for value in DRAW.integers(0, 40, N) + 30 * Y],
            "euro": [f"{value:,}".replace(",", ".") + ",50 €" for value in DRAW.integers(900, 4000, N) + 3000 * Y],
            "when": [f"{day}.{month}.2024" for day, month in zip(DRAW.integers(13, 28, N), 3 + 5 * Y, strict=True)],
            "agreed": [("yes" if c else "no") if i % 3 else ("Y" if c else "N") for i, c in enumerate(Y)],
            "flag": (Y == 1) ^ (DRAW.random(N) < 0.2),
        }
    )


X = frame()


def selected(data=X, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BitsieveWarning)
        return bitsieve.select(data, Y, **options)


SELECTION = selected()
WITHOUT_GAPS = selected(X.drop(columns="gaps"))  # missing values have no code


def codes_of(selection, data):
    """The codes, and the codes of the warnings on them."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        codes = selection.transform(data, codes=True)
    return codes, [(warning.message.diagnostic.code, *warning.message.diagnostic.columns) for warning in seen]


def fitted_codes(selection):
    """The codes that the columns had when they were counted."""
    evidence = selection.evidence
    return evidence.binner.codes(evidence.table.rows)[:, np.sort(selection.indices)]


@pytest.mark.each_value
@pytest.mark.parametrize("binning", ["auto", "mdl", "quantile", "uniform"])
@pytest.mark.parametrize("missing", ["bin", None])
def test_codes_are_those_of_the_binner(binning, missing):
    selection = selected(binning=binning, missing=missing)
    codes, notes = codes_of(selection, X)
    assert codes.to_numpy().tolist() == fitted_codes(selection).tolist()
    assert not notes


@pytest.mark.parametrize(
    "binner", [bitsieve.ZeroApartBinner(), bitsieve.ZeroApartBinner("quantile"), bitsieve.CategoricalBinner()]
)
def test_codes_of_numbers_by_other_binners(binner):
    numbers = np.maximum(np.round(DRAW.normal(size=(N, 4)) * 3 + Y[:, None]), -2)
    selection = selected(numbers, binning=binner)
    codes, notes = codes_of(selection, numbers)
    assert codes.tolist() == fitted_codes(selection).tolist()
    assert not notes


def test_sparse_tables_stay_sparse():
    dense = np.maximum(np.round(DRAW.normal(size=(N, 6)) * 3 + Y[:, None]), 0)
    for kind in (scipy.sparse.csr_array, scipy.sparse.csc_array, scipy.sparse.coo_array):
        selection = selected(kind(dense), n_features_to_select=3)
        taken = selection.transform(kind(dense))
        assert type(taken) is kind
        assert taken.toarray().tolist() == dense[:, np.sort(selection.indices)].tolist()
        codes, _ = codes_of(selection, kind(dense))
        assert type(codes) is kind
        again, _ = codes_of(selection, dense)
        assert codes.toarray().tolist() == again.tolist()


@pytest.mark.parametrize("seed", range(3))
def test_rows_in_any_order_get_their_own_codes(seed):
    """The codes of a row do not depend on the other rows."""
    whole, _ = codes_of(SELECTION, X)
    rows = np.random.default_rng(seed).choice(N, 30)
    part, _ = codes_of(SELECTION, X.iloc[rows])
    assert part.to_numpy().tolist() == whole.iloc[rows].to_numpy().tolist()
    assert part.index.tolist() == X.index[rows].tolist()


@pytest.mark.parametrize("kind", ["pandas", "polars", "lazy polars", "pyarrow", "record batch"])
@pytest.mark.parametrize("codes", [False, True])
def test_the_kind_of_table_stays(kind, codes):
    shuffled = X[X.columns[::-1]].assign(target=Y, other="x")
    table = pa.Table.from_pandas(shuffled, preserve_index=False)
    data = {
        "pandas": shuffled,
        "polars": pl.from_arrow(table),
        "lazy polars": pl.from_arrow(table).lazy(),
        "pyarrow": table,
        "record batch": table.to_batches()[0],
    }[kind]
    with warnings.catch_warnings():
        warnings.simplefilter("error", BitsieveWarning)
        result = SELECTION.transform(data, codes=codes)
    if kind == "lazy polars":
        assert isinstance(result, pl.LazyFrame)
        result = result.collect()
    elif not (kind == "record batch" and codes):
        assert type(result) is type(data)
    names = list(result.schema.names if kind in ("pyarrow", "record batch") else result.columns)
    assert names == [name for name in X.columns if name in SELECTION.features]
    if codes:
        expected, _ = codes_of(SELECTION, X)
        columns = [np.asarray(result[name]).tolist() for name in names]
        assert columns == [expected[name].tolist() for name in names]


def test_arrays_are_taken_by_position():
    numbers = DRAW.normal(size=(N, 5)) + Y[:, None]
    selection = selected(numbers, n_features_to_select=2)
    taken = selection.transform(numbers.astype(np.float32))
    assert taken.dtype == np.float32
    assert taken.tolist() == numbers.astype(np.float32)[:, np.sort(selection.indices)].tolist()
    assert codes_of(selection, numbers)[0].tolist() == fitted_codes(selection).tolist()
    with pytest.raises(bitsieve.UserError) as error:
        selection.transform(numbers[:, :4])
    assert error.value.code == "columns-differ"


def test_every_missing_column_is_named():
    with pytest.raises(bitsieve.UserError) as error:
        SELECTION.transform(X.drop(columns=["city", "share", "when"]))
    assert error.value.code == "columns-missing"
    assert set(error.value.columns) == {"city", "share", "when"} & set(SELECTION.features)
    assert all(repr(name) in str(error.value) for name in error.value.columns)


def test_two_columns_of_one_name():
    twice = pd.concat([X, X[["city"]]], axis=1)
    with pytest.raises(bitsieve.UserError) as error:
        SELECTION.transform(twice)
    assert error.value.code == "duplicate-names"
    others = pd.concat([X, pd.DataFrame({"o": [1] * N}), pd.DataFrame({"o": [2] * N})], axis=1)
    assert SELECTION.transform(others).equals(SELECTION.transform(X))


CHANGES = {
    "new category": ("city", lambda values: values.replace("Oslo", "Paris"), "unseen-categories"),
    "numbers as text": ("number", lambda values: values.map(str), None),
    "text that is no number": ("number", lambda values: values.map(str).mask(X.index % 2 == 1, "abc"), "text-not-read"),
    "numbers became words": ("number", lambda values: values.map(lambda _: "high"), "kind-changed"),
    "numbers became dates": (
        "number",
        lambda values: pd.Timestamp("2024-01-01") + pd.to_timedelta(values, "D"),
        "kind-changed",
    ),
    "percentages became numbers": ("share", lambda values: values.str.rstrip(" %").astype(float), "kind-changed"),
    "decimal point in place of a comma": (
        "euro",
        lambda values: values.str.replace(".", "").str.replace(",", "."),
        "kind-changed",
    ),
    "dates became times": ("when", lambda values: pd.to_datetime(values, dayfirst=True), None),
    "dates in another format": (
        "when",
        lambda values: pd.to_datetime(values, dayfirst=True).dt.strftime("%Y-%m-%d"),
        None,
    ),
    "gaps where there were none": ("city", lambda values: values.mask(X.index < 3, None), "missing-without-code"),
    "more gaps where there were some": ("gaps", lambda values: values.mask(X.index < 3, np.nan), None),
    "whole numbers as floats": ("few", lambda values: values.astype(float), None),
    "whole numbers as text": ("few", lambda values: values.map(str), None),
    "other words for yes": ("agreed", lambda values: values.replace("Y", "true"), None),
    "all missing": ("gaps", lambda values: values * np.nan, None),
}


SAME_VALUES = {
    "numbers as text",
    "dates became times",
    "dates in another format",
    "whole numbers as floats",
    "whole numbers as text",
    "other words for yes",
    "decimal point in place of a comma",
}


@pytest.mark.parametrize("name", ["share", "euro", "when"])
def test_a_value_that_cannot_be_read_leaves_the_others_as_they_were(name):
    before, _ = codes_of(SELECTION, X)
    codes, notes = codes_of(SELECTION, X.assign(**{name: X[name].mask(X.index == 0, "abc")}))
    assert notes == [("text-not-read", name)]
    assert codes[name][1:].equals(before[name][1:])


@pytest.mark.parametrize("word", ["-", "n/a", "k.A."])
def test_words_for_a_missing_value_are_no_change(word):
    gaps = X["gaps"].map(lambda value: word if np.isnan(value) else str(value))
    codes, notes = codes_of(SELECTION, X.assign(gaps=gaps))
    assert notes == []
    assert codes.equals(codes_of(SELECTION, X)[0])


@pytest.mark.parametrize("change", CHANGES)
def test_what_changed_is_named(change):
    name, changed, expected = CHANGES[change]
    selection = WITHOUT_GAPS if change == "gaps where there were none" else SELECTION
    before, _ = codes_of(selection, X)
    codes, notes = codes_of(selection, X.assign(**{name: changed(X[name])}))
    others = [column for column in before.columns if column != name]
    assert codes[others].equals(before[others])
    assert {column for _, column in notes} <= {name}
    if expected is None:
        assert not notes
    else:
        assert expected in {code for code, _ in notes}
    if change in SAME_VALUES:
        assert codes[name].equals(before[name])
    if expected in ("unseen-categories", "missing-without-code"):
        assert (codes[name] == -1).any()
        assert (codes[name] == before[name]).any()
    if change in ("numbers became words", "numbers became dates"):
        assert (codes[name] == -1).all()


def test_every_column_of_text_has_a_format_of_all_batches_and_others_have_none():
    columns = [feature.column for feature in record_of(SELECTION).features]
    in_order = X[[column.name for column in columns]]
    formats = choose_formats(columns, [in_order.iloc[:30], in_order.iloc[30:]])
    texts = {"city", "share", "euro", "when", "agreed"}
    assert [chosen is not None for chosen in formats] == [column.name in texts for column in columns]
    assert len({column.name in texts for column in columns}) == 2
