"""ARFF files of Weka: numbers, and the names of nominal values."""

from __future__ import annotations

import csv
from typing import Any

import pyarrow as pa

from bitsieve.io.typed_file import WholeFile, as_integers


class ArffFile(WholeFile):
    """An ARFF file, read by scipy."""

    description = "an ARFF file"

    def read_table(self) -> pa.Table:
        field_size_limit = csv.field_size_limit()
        from scipy.io import arff

        csv.field_size_limit(2**31 - 1)  # the import of scipy's reader sets this limit, too, and does not reset it
        try:
            with open(self.path, encoding="utf-8", errors="surrogateescape") as opened:
                rows, attributes = arff.loadarff(opened)
        finally:
            csv.field_size_limit(field_size_limit)
        return pa.table({name: _column(rows[name]) for name in attributes.names()})


def _column(values: Any) -> pa.Array:
    if values.dtype.kind == "S":
        return pa.array([None if value == b"?" else value.decode() for value in values.tolist()])
    return as_integers(pa.array(values, from_pandas=True))
