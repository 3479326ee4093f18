"""A comparison as a tidy table, as a file, and as a plain document."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bitsieve.files.output import check_output, writing

if TYPE_CHECKING:
    from os import PathLike

    import pyarrow as pa

    from bitsieve.evaluation.comparison import Comparison

WRITTEN = (".parquet", ".csv", ".json")


def tidy_table(comparison: Comparison) -> pa.Table:
    """One row for each method, fold and number of features."""
    import pyarrow as pa

    shape = comparison.errors.shape
    method, fold, count = np.unravel_index(np.arange(comparison.errors.size), shape)
    return pa.table(
        {
            "method": pa.array([comparison.methods[m] for m in method], pa.string()),
            "fold": fold.astype(np.int64),
            "n_features": comparison.counts[count].astype(np.int64),
            "n_test": comparison.n_test[fold].astype(np.int64),
            "errors": comparison.errors.ravel().astype(np.int64),
            "redundancy": pa.array(comparison.redundancy.ravel(), from_pandas=True),
            "separability": pa.array(comparison.separability.ravel(), from_pandas=True),
            "seconds_selecting": comparison.seconds_selecting[method, fold],
            "seconds_classifying": comparison.seconds_classifying[method, fold],
        }
    )


def plain_document(comparison: Comparison) -> dict[str, Any]:
    """The whole comparison as plain values."""
    return {
        "parameters": dict(comparison.parameters),
        "features": comparison.counts.tolist(),
        "methods": [
            {
                **row,
                "errors": rates.tolist(),
                "standard_errors": [None if np.isnan(value) else value for value in spread.tolist()],
                "against": {
                    other: comparison.test(row["method"], other).outcome
                    for other in comparison.methods
                    if other != row["method"]
                },
                "selected": [[comparison.names[j] for j in selected] for selected in folds],
            }
            for row, rates, spread, folds in zip(
                comparison.summary(), comparison.rates, comparison.standard_errors, comparison.selected, strict=True
            )
        ],
        "answer": str(comparison.choice()),
        "notes": list(comparison.notes),
    }


def write_comparison(comparison: Comparison, path: str | PathLike[str]) -> None:
    """Write the tidy table in the format of the ending: Parquet, CSV, or JSON as a list of rows."""
    check_output(path, WRITTEN)
    ending = Path(path).suffix.lower()
    table = tidy_table(comparison)
    with writing(path) as file:
        if ending == ".parquet":
            from pyarrow import parquet

            parquet.write_table(table, file)
        elif ending == ".csv":
            from pyarrow import csv

            csv.write_csv(table, file)
        else:
            file.write(json.dumps(table.to_pylist(), indent=1).encode())
