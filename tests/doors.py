"""The doors through which the same rows come: every one must give the same table, and so the same selection."""

from __future__ import annotations

from functools import partial
from itertools import pairwise

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from pyarrow import csv, feather, parquet


def in_parts(table):
    """The table cut into five parts of the rows, the first of which has one row only."""
    cuts = [0, 1, *range(size := table.num_rows // 4 + 1, table.num_rows, size), table.num_rows]
    return [table.slice(first, last - first) for first, last in pairwise(cuts)]


def from_numpy(table, path, order):
    """An array of objects without names: the target is given by its values."""
    features = table.drop_columns(["y"])
    array = np.array([column.to_pylist() for column in features.columns], object, order="F").T
    return {"data": np.asarray(array, order=order), "target": table["y"].to_pylist()}


def from_csv(table, path, **how):
    csv.write_csv(table, path / "rows.csv")
    return {"data": path / "rows.csv", "target": "y", **how}


def from_parquet(table, path, **how):
    parquet.write_table(table, path / "rows.parquet", row_group_size=90)
    return {"data": path / "rows.parquet", "target": "y", **how}


def from_folder(table, path):
    folder = path / "parts"
    folder.mkdir(exist_ok=True)
    for place, part in enumerate(in_parts(table)):
        feather.write_feather(part, str(folder / f"{place:03}.feather"))
    return {"data": folder, "target": "y"}


def from_dask(table, path):
    import dask.dataframe as dd

    return {"data": dd.from_pandas(table.to_pandas(), npartitions=3, sort=False), "target": "y"}


def from_duckdb(table, path, **how):
    import duckdb

    return {"data": duckdb.from_arrow(table), "target": "y", **how}


#: By name, ``door(table, path)`` gives the arguments ``data`` and ``target`` of ``select``, and what goes with them.
DOORS = {
    "numpy, rows": partial(from_numpy, order="C"),
    "numpy, columns": partial(from_numpy, order="F"),
    "pandas": lambda table, path: {"data": table.to_pandas(), "target": "y"},
    "pandas of Arrow": lambda table, path: {"data": table.to_pandas(types_mapper=pd.ArrowDtype), "target": "y"},
    "polars": lambda table, path: {"data": pl.from_arrow(table), "target": "y"},
    "polars, lazy": lambda table, path: {"data": pl.from_arrow(table).lazy(), "target": "y"},
    "polars, lazy, in batches": lambda table, path: {
        "data": pl.from_arrow(table).lazy(),
        "target": "y",
        "memory": "1GB",
    },
    "Arrow": lambda table, path: {"data": table, "target": "y"},
    "Arrow stream": lambda table, path: {
        "data": pa.Table.from_batches(table.to_batches()).to_reader(table.num_rows // 4 + 1),
        "target": "y",
    },
    "CSV": from_csv,
    "CSV, in batches": partial(from_csv, memory="1GB"),
    "CSV, by engine": partial(from_csv, engine="stream"),
    "Parquet": from_parquet,
    "Parquet, in batches": partial(from_parquet, memory="1GB"),
    "folder": from_folder,
    "Dask": from_dask,
    "DuckDB": from_duckdb,
    "DuckDB, counted there": partial(from_duckdb, push_down=True),
    "polars, counted there": lambda table, path: {
        "data": pl.from_arrow(table).lazy(),
        "target": "y",
        "push_down": True,
    },
}

#: Whether features carry information is tested by shuffles of the rows, which only rows in memory allow.
BY_SHUFFLES = ("more informative than chance", "tested against chance")


def by_names(table, columns):
    """Names of columns, where an array has x0, x1, ..."""
    numbered = {f"x{j}": name for j, name in enumerate(table.column_names)}
    return [numbered.get(column, column) for column in columns]


def said(table, selection):
    """The notes, with the names of the columns and of the target where an array has none."""
    notes = [
        str(note).replace("'target'", "'y'")
        for note in selection.notes
        if not any(words in note for words in BY_SHUFFLES)
    ]
    for j, name in reversed(list(enumerate(table.column_names))):
        notes = [
            note.replace(f"'x{j}'", f"'{name}'").replace(f"['x{j}", f"['{name}").replace(f"{{'x{j}", f"{{'{name}")
            for note in notes
        ]
    return notes
