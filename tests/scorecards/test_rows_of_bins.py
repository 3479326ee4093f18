"""The rows of the bins of a scorecard: counted in parts they are those of the table in memory."""

from __future__ import annotations

import sqlite3

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import dataset, parquet

import bitsieve
from bitsieve import MonotoneBinner, UserError
from bitsieve.engines.in_database import DatabaseSource
from bitsieve.results.scorecard import wanted_columns
from bitsieve.scorecards.rows_of_bins import rows_of_bins

N_ROWS = 5000  # a batch has 1,024 rows or more


@pytest.fixture(scope="module")
def loans():
    """Numbers, dates, categories in text and in numbers, and gaps, the target last."""
    random = np.random.default_rng(0)
    y = random.random(N_ROWS) < 0.3
    frame = pd.DataFrame(
        {
            "age": random.integers(18, 80, N_ROWS) - 5 * y,
            "income": random.normal(3000 - 400 * y, 900).round(2),
            "opened": pd.Timestamp("2021-01-01") + pd.to_timedelta(random.integers(0, 900, N_ROWS) + 200 * y, unit="D"),
            "job": random.choice(["cook", "smith", "clerk", "rare"], N_ROWS, p=[0.4, 0.3, 0.297, 0.003]),
            "owner": random.random(N_ROWS) < 0.3 + 0.2 * y,
        }
    )
    frame.loc[random.random(N_ROWS) < 0.1, "income"] = -999
    frame.loc[random.random(N_ROWS) < 0.1, ["income", "opened"]] = None
    frame.loc[:1500, "income"] = None  # the first batch has no number
    frame["y"] = y.astype(int)
    return frame


@pytest.fixture(scope="module")
def card(loans):
    binner = MonotoneBinner(special_values={"income": [-999, -998]})
    card = bitsieve.scorecard(loans, "y", binner=binner)
    assert len(card.features) == 5
    return card


def counts(card, data):
    """The rows of the bins of each column, as lists."""
    return [rows.tolist() for rows in rows_of_bins(card.card.columns, wanted_columns(card), data, [])]


def test_a_table_in_memory_is_counted_by_its_bins(loans, card):
    bins = card._bins(loans)
    for rows, column_bins in zip(counts(card, loans), bins.T, strict=True):
        assert rows == [int((column_bins == b).sum()) for b in range(-1, len(rows) - 1)]
        assert sum(rows) == N_ROWS


def test_a_file_of_text_in_batches(loans, card, tmp_path):
    loans.to_csv(tmp_path / "loans.csv", index=False)
    source = bitsieve.StreamSource(tmp_path / "loans.csv", memory="1MB")
    assert counts(card, source) == counts(card, loans)
    assert card.stability(source).equals(card.stability(loans))
    assert card.stability(tmp_path / "loans.csv", loans)["psi"].tolist() == [0.0] * 5


def test_a_folder_whose_files_have_other_types(loans, card, tmp_path):
    loans[:2000].astype({"age": "int16"}).to_parquet(tmp_path / "a.parquet")
    loans[2000:].astype({"age": "float64", "owner": "object"}).to_parquet(tmp_path / "b.parquet")
    assert counts(card, tmp_path) == counts(card, loans)
    assert counts(card, [tmp_path / "a.parquet", tmp_path / "b.parquet"]) == counts(card, loans)


def test_a_database_whose_dates_are_text(loans, card, tmp_path):
    stored = loans.assign(opened=loans["opened"].dt.strftime("%Y-%m-%d"))
    stored.loc[100:4000, "opened"] = None  # some batches have no date
    with sqlite3.connect(tmp_path / "bank.sqlite") as connection:
        stored.to_sql("loans", connection, index=False)
    connection.close()
    source = bitsieve.StreamSource(tmp_path / "bank.sqlite", memory="1MB")
    assert counts(card, source) == counts(card, stored)


@pytest.mark.parametrize("second", ["100", "a word"])
def test_text_that_is_other_values_in_another_batch_is_refused_as_in_memory(loans, card, tmp_path, second):
    dates = loans["opened"].dt.strftime("%Y-%m-%d").where(loans.index < 4990, second)
    stored = loans.assign(opened=dates)
    parquet.write_table(pa.Table.from_pandas(stored), tmp_path / "loans.parquet")
    source = bitsieve.StreamSource(tmp_path / "loans.parquet", memory="1MB")
    for data in (stored, source):
        with pytest.raises(UserError, match="column 'opened' was numeric when fitting"):
            counts(card, data)


def test_a_stream_is_read_once(loans, card):
    reader = pa.Table.from_pandas(loans).to_reader(max_chunksize=700)
    assert counts(card, reader) == counts(card, loans)
    assert counts(card, dataset.dataset(pa.Table.from_pandas(loans))) == counts(card, loans)


@pytest.mark.parametrize("n_parts", [1, 7])
def test_a_frame_of_dask(loans, card, n_parts):
    frames = pytest.importorskip("dask.dataframe")
    data = frames.from_pandas(loans, npartitions=n_parts)
    assert counts(card, data) == counts(card, loans)
    young = data[data["age"] < 20]
    assert counts(card, young) == counts(card, loans[loans["age"] < 20])
    with pytest.raises(UserError, match="no rows"):
        counts(card, data[data["age"] < 0])
    with pytest.raises(UserError, match="'income'"):
        counts(card, data[["age"]])


def test_columns_without_names(loans):
    arrays = pytest.importorskip("dask.array")
    X = loans[["age", "income"]].to_numpy(float)
    card = bitsieve.scorecard(X, loans["y"])
    assert not card.has_names
    assert counts(card, arrays.from_array(X, chunks=(999, 1))) == counts(card, X)


def test_arrays_in_a_file(loans, tmp_path):
    X = loans[["age", "income"]].to_numpy(float)
    card = bitsieve.scorecard(X, loans["y"])
    np.savez(tmp_path / "loans.npz", X=X, y=loans["y"])
    assert counts(card, tmp_path / "loans.npz") == counts(card, X)


def test_a_column_without_values(loans, card):
    """It is missing in every row, whatever its type."""
    missing = loans.assign(opened=None)
    assert counts(card, missing.astype({"opened": object})) == counts(card, missing.astype({"opened": "str"}))
    missing_rows = counts(card, missing)[card.features.index("opened")]
    assert missing_rows[-1] == N_ROWS


def test_rows_that_are_counted_where_they_are(loans, card):
    polars = pytest.importorskip("polars")
    lazy = polars.from_pandas(loans).lazy()
    assert counts(card, lazy) == counts(card, loans)
    with pytest.raises(UserError, match="a DatabaseSource are not read part by part"):
        counts(card, DatabaseSource(lazy))
