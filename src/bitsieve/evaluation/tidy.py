"""A comparison as a tidy table, as a file, and as a plain document."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

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


def check_table_path(path: str | PathLike[str]) -> None:
    """Refuse, before any work, a path that :func:`write_comparison` could not write."""
    path = Path(path)
    if path.suffix.lower() not in WRITTEN:
        raise ValueError(f"cannot tell the format of the output {str(path)!r}: end it in one of {', '.join(WRITTEN)}")
    check_writable(path, "output")


def check_writable(path: str | PathLike[str], what: str) -> None:
    """Refuse a path at which no file can be made.

    Raises
    ------
    ValueError
        It is a directory, or its directory is not there or cannot be written.
    """
    path = Path(path)
    if path.is_dir():
        raise ValueError(f"the {what} {str(path)!r} is a directory: give the path of a file")
    if not path.parent.is_dir():
        raise ValueError(f"there is no directory {str(path.parent)!r} for the {what}: make it first")
    if not os.access(path if path.exists() else path.parent, os.W_OK) or not os.access(path.parent, os.W_OK):
        raise ValueError(f"the {what} {str(path)!r} cannot be written: choose another path")


def write_comparison(comparison: Comparison, path: str | PathLike[str]) -> None:
    """Write the tidy table in the format of the ending: Parquet, CSV, or JSON as a list of rows."""
    path = Path(path)
    check_table_path(path)
    table = tidy_table(comparison)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        if path.suffix.lower() == ".parquet":
            from pyarrow import parquet

            parquet.write_table(table, temporary)
        elif path.suffix.lower() == ".csv":
            from pyarrow import csv

            csv.write_csv(table, temporary)
        else:
            temporary.write_text(json.dumps(table.to_pylist(), indent=1), encoding="utf-8")
        os.replace(temporary, path)
    except OSError as error:
        raise ValueError(f"cannot write {str(path)!r}: {error.strerror or error}") from None
    finally:
        temporary.unlink(missing_ok=True)
