"""Every limit of docs/reference/limits.md: just inside it works, just outside it is one line of error."""

from __future__ import annotations

import zipfile
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from scipy.sparse import csc_array

from bitsieve.counts.checks import check_joint_values, checked_codes
from bitsieve.dataset.columns import read_columns
from bitsieve.dataset.quantity import TargetKind
from bitsieve.dataset.sparse import read_sparse
from bitsieve.dataset.target import read_target
from bitsieve.dataset.weights import read_weights
from bitsieve.discretization.transformers import CategoricalBinner, EqualFrequencyBinner, EqualWidthBinner
from bitsieve.engines.pair_cells import check_cells
from bitsieve.io.read import read_table

COLUMN_BYTES = 8 << 14  # of a column of floats
DOCUMENT = Path(__file__).parents[1] / "docs" / "reference" / "limits.md"


def samples(n):
    read_weights([n - 1, 1], 2)


def features(n):
    checked_codes(np.broadcast_to(np.uint8(0), (1, n)))


def sparse_columns(n, tmp_path):
    (tmp_path / "wide.libsvm").write_text(f"0 1:1\n1 {n}:1\n")
    read_table(tmp_path / "wide.libsvm")


def codes(n):
    CategoricalBinner().fit(np.arange(n)[:, None])
    checked_codes(np.array([[0], [n - 1]]))


def bins(n):
    for binner in (EqualFrequencyBinner, EqualWidthBinner):
        binner(n_bins=n).fit([[1.0], [2.0]])


def joint_classes(n):
    first = np.arange(n) % 256 if n % 256 == 0 else np.arange(n)
    read_target(
        np.column_stack([first, np.arange(n) // 256 if n % 256 == 0 else np.zeros(n, int)]),
        target_kind=TargetKind("classes"),
    )


def joint_values(n):
    check_joint_values(np.arange(2), n)


def distance(n):
    """Whole numbers from 2^53 on of which n steps of 1 become the same float."""
    EqualFrequencyBinner(n_bins=2).fit(2**53 + np.array([[0], [n]]))


def digits(n):
    read_columns(pa.table({"x": [Decimal("1" * n), Decimal("1" * (n - 1) + "2")]}))


def nanoseconds(n):
    start = np.datetime64("2020-01-01", "ns")
    read_columns(np.array([[start], [start + np.timedelta64(n, "ns")]]))


def name(n, tmp_path):
    (tmp_path / "wide.csv").write_text("x" * n + ",y\n1,2\n")
    read_table(tmp_path / "wide.csv")


def cell(n, folder):
    pytest.importorskip("python_calamine")
    workbook = pytest.importorskip("openpyxl").Workbook()
    for row in [("a", "y"), ("short", 1), ("short", 0)]:
        workbook.active.append(row)
    workbook.save(folder / "plain.xlsx")
    with zipfile.ZipFile(folder / "plain.xlsx") as plain, zipfile.ZipFile(folder / "t.xlsx", "w") as changed:
        for member in plain.namelist():
            changed.writestr(member, plain.read(member).replace(b"short", b"a" * n))
    read_table(folder / "t.xlsx")


def dense_bytes(n):
    read_sparse(csc_array((1 << 14, n // COLUMN_BYTES))).dense()  # of zeros, for which the system takes no memory


def saved_cells(n):
    check_cells(n, 2)


# Of every row of the table what is asked for, just outside: one more, but where one more is not yet wrong.
ROWS = {
    "samples, or the sum of their weights": (samples, 1, "at most 2,147,483,648 are supported"),
    "features that are counted in memory": (features, 1, r"more than the limit of 10\*\*6"),
    "columns of a sparse file, or 16 for each stored value if that is more": (
        sparse_columns,
        1,
        "1,048,577 columns, more than 1,048,576",
    ),
    "bins or categories of a feature": (codes, 1, "at most 65,536 are supported"),
    "bins that may be requested": (bins, 1, "give a whole number from 2 to 65535"),
    "classes of a target of several columns": (joint_classes, 1, "at most 65,536 are supported"),
    "joint values of a group of features": (joint_values, 1, "at most 65,536"),
    "distance between whole numbers that are binned, from 2^53 on": (distance, 1, "the same in double precision"),
    "digits of decimals that are binned, unless no two become one number": (digits, 3, "the same in double precision"),
    "nanoseconds between times that are binned, unless no two become one number": (nanoseconds, 1, "double precision"),
    "characters of a cell of a workbook": (cell, 1, "characters, and 32,767 are allowed"),
    "characters of a column's name in a text file": (name, 1, "longer than 131,072 characters"),
    "bytes of a sparse table that is made dense, as for `compare`": (
        dense_bytes,
        COLUMN_BYTES,
        "above the limit of 2 GiB",
    ),
    "cells of all tables of pairs that `count` saves": (saved_cells, 1, "cells, more than 268,435,456"),
}


def documented():
    rows = [line.strip("|").split("|") for line in DOCUMENT.read_text(encoding="utf-8").splitlines() if line[:1] == "|"]
    table = {row[0].strip(): row[1].strip() for row in rows if len(row) == 3}
    return {what: int(limit.replace(",", "")) for what, limit in table.items() if limit[0].isdigit()}


def test_every_limit_has_its_row():
    assert list(documented()) == list(ROWS)


@pytest.mark.parametrize("what", ROWS)
def test_just_inside_and_just_outside(what, tmp_path):
    ask, more, message = ROWS[what]
    limit = documented()[what]
    place = (tmp_path,) if ask in (cell, name, sparse_columns) else ()
    ask(limit, *place)
    with pytest.raises(ValueError, match=message) as caught:
        ask(limit + more, *place)
    assert "\n" not in str(caught.value)
