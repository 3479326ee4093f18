"""The digest of values: equal for every order of rows and columns and every engine, and different for other values."""

from __future__ import annotations

import warnings

import numpy as np
import pyarrow as pa
import pytest
from tests.patients import patients

import bitsieve

N = 400


def table():
    data = patients(N).drop(columns=["noise", "weight"])
    random = np.random.default_rng(1)
    ill = data["ill"] == "yes"
    return data.assign(few=random.integers(0, 3, N) + ill, agreed=ill ^ (random.random(N) < 0.2))


def digest(data, target="ill", **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return bitsieve.select(data, target, **options).details.values_digest


EXPECTED = digest(table())


def test_it_has_128_bits():
    assert len(EXPECTED) == 32
    assert int(EXPECTED, 16) > 0


def test_the_order_of_rows_and_columns_does_not_matter():
    data = table()
    assert digest(data.sample(frac=1, random_state=1)) == EXPECTED
    assert digest(data[data.columns[::-1]]) == EXPECTED


def test_method_and_number_of_features_and_threads_do_not_matter():
    assert digest(table(), method="mim", n_features_to_select=2, n_jobs=2) == EXPECTED


@pytest.mark.each_value
@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("options", [{}, {"memory": "1MB"}, {"engine": "dask"}], ids=str)
def test_every_format_and_engine(tmp_path, ending, options):
    if options.get("engine") == "dask":
        pytest.importorskip("dask")
    path = tmp_path / f"data.{ending}"
    if ending == "csv":
        table().to_csv(path, index=False)
    else:
        table().to_parquet(path)
    assert digest(path, **options) == EXPECTED


def test_a_database_that_counts():
    duckdb = pytest.importorskip("duckdb")
    data = table()[["dose", "few", "city", "ill"]]
    relation = duckdb.from_arrow(pa.Table.from_pandas(data, preserve_index=False))
    assert digest(relation, push_down=True) == digest(data)


def test_weights_are_repeated_rows():
    data = table()
    data["weight"] = np.arange(N) % 3
    repeated = data.loc[np.repeat(np.arange(N), data["weight"])].drop(columns="weight")
    assert digest(data, sample_weight="weight") == digest(repeated)


CHANGES = {
    "a category": lambda data: data.assign(city=["Oslo", *data["city"][1:]]),
    "a new category": lambda data: data.assign(city=["Paris", *data["city"][1:]]),
    "a whole number": lambda data: data.assign(few=[3 - data["few"][0], *data["few"][1:]]),
    "a truth value": lambda data: data.assign(agreed=[not data["agreed"][0], *data["agreed"][1:]]),
    "a missing number": lambda data: data.assign(dose=[9.0, *data["dose"][1:]]),
    "other names": lambda data: data.rename(columns={"city": "town"}),
    "names that change places": lambda data: data.rename(columns={"city": "agreed", "agreed": "city"}),
    "labels": lambda data: data.assign(ill=data["ill"].str.upper()),
    "a row less": lambda data: data.iloc[1:],
    "shuffled": lambda data: data.assign(city=data["city"].sample(frac=1, random_state=0).to_numpy()),
}


@pytest.mark.parametrize("change", CHANGES)
def test_other_values_have_another_digest(change):
    data = table()
    data.loc[0, "city"] = "Rome"
    assert digest(CHANGES[change](data)) != digest(data)


def test_a_quantity_and_several_targets():
    data = table()
    changed = data.assign(dose=data["dose"] + 1)
    for target in ("dose", ["ill", "dose"]):
        assert digest(data, target) == digest(data.sample(frac=1, random_state=1), target)
        assert digest(data, target) != digest(changed, target)


def test_ranges_are_those_of_the_values(tmp_path):
    data = table()
    data.to_csv(tmp_path / "data.csv", index=False)
    for source, options in ((data, {}), (tmp_path / "data.csv", {"memory": "1MB"})):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            columns = bitsieve.select(source, "ill", **options).details.columns
        ranges = {column.name: (column.smallest, column.largest) for column in columns}
        assert ranges["dose"] == (data["dose"].min(), data["dose"].max())
        shares = data["share"].str.removesuffix(" %").astype(float)
        assert ranges["share"] == (shares.min(), shares.max())
        assert ranges["city"] == (None, None)
