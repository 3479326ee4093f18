"""The information values of columns whose rows are read part by part are those of the rows in memory."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

import bitsieve
from bitsieve import MonotoneBinner, UserError

N_ROWS = 4000


def loans():
    random = np.random.default_rng(0)
    y = random.random(N_ROWS) < 0.3
    frame = pd.DataFrame(
        {
            "age": random.integers(18, 80, N_ROWS) - 5 * y,
            "income": random.normal(3000 - 400 * y, 900).round(),
            "opened": pd.Timestamp("2021-01-01") + pd.to_timedelta(random.integers(0, 900, N_ROWS) + 200 * y, unit="D"),
            "job": random.choice(["cook", "smith", "unknown", "rare"], N_ROWS, p=[0.4, 0.3, 0.297, 0.003]),
            "owner": random.random(N_ROWS) < 0.3 + 0.2 * y,
            "empty": np.nan,
            "n": random.integers(0, 3, N_ROWS),
            "y": np.where(y, "bad", "good"),
        }
    )
    frame.loc[random.random(N_ROWS) < 0.1, "income"] = -999
    frame.loc[random.random(N_ROWS) < 0.1, ["income", "opened"]] = None
    frame.loc[random.random(N_ROWS) < 0.1, "job"] = None
    return frame


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("loans") / "loans.parquet"
    loans().to_parquet(path)
    return path


def binner():
    return MonotoneBinner(event="bad", special_values=[-999, "unknown"], trend={"age": "descending"})


def in_memory(frame, **parameters):
    return bitsieve.information_value(frame.drop(columns="y"), frame["y"], **parameters)


def test_a_file_and_a_frame_of_dask(path):
    expected = in_memory(loans(), binner=binner())
    assert (expected["iv"] > 0).sum() >= 5
    assert bitsieve.information_value(path, "y", binner=binner()).equals(expected)
    source = bitsieve.StreamSource(path, memory="10MB")
    assert bitsieve.information_value(source, "y", binner=binner()).equals(expected)
    frames = pytest.importorskip("dask.dataframe")
    data = frames.from_pandas(loans(), npartitions=3)
    assert bitsieve.information_value(data, "y", binner=binner()).equals(expected)


def test_text_that_means_dates_and_numbers(tmp_path):
    frame = loans()
    frame["opened"] = frame["opened"].dt.strftime("%d.%m.%Y")
    frame["income"] = frame["income"].map("{:,.0f} EUR".format).where(frame["income"].notna())
    frame.to_csv(tmp_path / "loans.csv", index=False)
    special = MonotoneBinner(event="bad", special_values={"opened": ["2021-02-01"]})
    expected = in_memory(pd.read_csv(tmp_path / "loans.csv"), binner=special)
    assert bitsieve.information_value(tmp_path / "loans.csv", "y", binner=special).equals(expected)


def test_weights_count_rows_more_than_once(path):
    frame = loans()
    expected = in_memory(frame.drop(columns="n"), sample_weight=frame["n"], binner=binner())
    assert bitsieve.information_value(path, "y", sample_weight="n", binner=binner()).equals(expected)


def test_a_column_that_separates_the_classes_is_warned_of(path, tmp_path):
    frame = loans().assign(copy=lambda rows: (rows["y"] == "bad") * 1.5)
    frame.to_parquet(tmp_path / "leak.parquet")
    with pytest.warns(bitsieve.BitsieveWarning, match="'copy'"):
        bitsieve.information_value(tmp_path / "leak.parquet", "y", binner=MonotoneBinner(event="bad"))


def test_too_many_different_numbers_are_refused(tmp_path):
    random = np.random.default_rng(1)
    frame = pd.DataFrame({"amount": random.normal(size=9000), "y": random.integers(0, 2, 9000)})
    frame.to_parquet(tmp_path / "amounts.parquet")
    expected = in_memory(frame)
    assert bitsieve.information_value(tmp_path / "amounts.parquet", "y").equals(expected)
    source = bitsieve.StreamSource(tmp_path / "amounts.parquet", memory="1MB")
    with pytest.raises(UserError, match=r"column 'amount' has more than [\d,]+ different numbers"):
        bitsieve.information_value(source, "y")


def test_ordered_categories_are_refused(tmp_path):
    levels = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2] * 100, pa.int8()), ["low", "mid", "high"], ordered=True)
    parquet.write_table(pa.table({"level": levels, "y": [0, 1] * 150}), tmp_path / "levels.parquet")
    with pytest.raises(UserError, match="categories of column 'level' have an order"):
        bitsieve.information_value(tmp_path / "levels.parquet", "y")


@pytest.mark.parametrize(
    ("target", "special_values", "part"),
    [
        ("income", None, "weight of evidence needs two classes"),
        ("job", None, "has 4 classes"),
        ("y", {"age": ["unknown"]}, "is a text, and column 'age' holds numbers"),
        ("y", {"agee": [-999]}, "names 'agee', no column of the table"),
    ],
)
def test_mistakes_are_those_of_rows_in_memory(path, target, special_values, part):
    wrong = MonotoneBinner(special_values=special_values, event="bad" if target == "y" else None)
    frame = loans().dropna(subset=["income", "job"])
    with pytest.raises(UserError, match=part):
        bitsieve.information_value(frame.drop(columns=target), frame[target], binner=wrong)
    frame.to_parquet(path.with_name("whole.parquet"))
    with pytest.raises(UserError, match=part):
        bitsieve.information_value(path.with_name("whole.parquet"), target, binner=wrong)
