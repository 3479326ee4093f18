"""A comparison as a tidy table, as a file, and as a plain document."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bitsieve.evaluation.summary import summarise
from bitsieve.files.output import check_output, writing

if TYPE_CHECKING:
    from os import PathLike

    import pyarrow as pa

    from bitsieve.evaluation.error_curves import ErrorCurves

WRITTEN = (".parquet", ".csv", ".json")


def tidy_table(curves: ErrorCurves) -> pa.Table:
    """One row for each method, fold and number of features."""
    import pyarrow as pa

    shape = curves.errors.shape
    method, fold, count = np.unravel_index(np.arange(curves.errors.size), shape)
    return pa.table(
        {
            "method": pa.array([curves.methods[m] for m in method], pa.string()),
            "fold": fold.astype(np.int64),
            "n_features": curves.counts[count].astype(np.int64),
            "n_test": curves.n_test[fold].astype(np.int64),
            "errors": curves.errors.ravel(),
            "redundancy": pa.array(curves.redundancy.ravel(), from_pandas=True),
            "separability": pa.array(curves.separability.ravel(), from_pandas=True),
            "seconds_selecting": curves.seconds_selecting[method, fold],
            "seconds_classifying": curves.seconds_classifying[method, fold],
        }
    )


def plain_document(curves: ErrorCurves) -> dict[str, Any]:
    """The whole comparison as plain values."""
    return {
        "parameters": dict(curves.parameters),
        "features": curves.counts.tolist(),
        "methods": [
            {
                **row,
                "errors": rates.tolist(),
                "standard_errors": [None if np.isnan(value) else value for value in spread.tolist()],
                "against": {
                    other: curves.test(row["method"], other).outcome
                    for other in curves.methods
                    if other != row["method"]
                },
                "selected": [[curves.names[j] for j in selected] for selected in folds],
            }
            for row, rates, spread, folds in zip(
                summarise(curves), curves.rates, curves.standard_errors, curves.selected, strict=True
            )
        ],
        "answer": str(curves.choice()),
        "notes": list(curves.notes),
    }


def write_comparison(curves: ErrorCurves, path: str | PathLike[str]) -> None:
    """Write the tidy table in the format of the ending: Parquet, CSV, or JSON as a list of rows."""
    check_output(path, WRITTEN)
    ending = Path(path).suffix.lower()
    table = tidy_table(curves)
    with writing(path) as file:
        if ending == ".parquet":
            from pyarrow import parquet

            parquet.write_table(table, file)
        elif ending == ".csv":
            from pyarrow import csv

            csv.write_csv(table, file)
        else:
            file.write(json.dumps(table.to_pylist(), indent=1).encode())
