"""Tables as methods on samples take them: as rows, as numbers, as codes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bitsieve.dataset.columns import read_columns
from bitsieve.dataset.dataset import InMemoryDataset
from bitsieve.dataset.value_ranges import Advice, check_values
from bitsieve.diagnostics import UserError
from bitsieve.discretization.equal import EqualWidthBinning
from bitsieve.discretization.registry import make_binner
from bitsieve.engines.local import make_source
from bitsieve.information import make_information
from bitsieve.information.protocol import Information
from bitsieve.methods.by_samples.rows import Coded, Rows, Samples, refuse_large
from bitsieve.utils.arrays import Columns, Flags, Floats

if TYPE_CHECKING:
    from scipy.sparse import csc_array

INSTEAD = Advice("impute them first, or drop the rows; a separate bin is for methods that bin")
LARGEST = 1e300  # of a value: beyond, sums of a few overflow
FEW_VALUES = 10  # of a column that "binned" leaves as it is, and the bins of the others


class TableSamples(Samples):
    """The samples of a table, each as often as its weight says."""

    def __init__(self, table: InMemoryDataset, method: str, binning: Any = None, n_jobs: int | None = None) -> None:
        if table.weights is not None:
            table = replace(table.take(np.repeat(np.arange(table.n_samples), table.weights)), weights=None)
        self.table, self.binning, self.n_jobs = table, binning, n_jobs
        self.method = method  # that is named in messages
        self.n_samples, self.n_features, self.names = table.n_samples, table.n_features, table.names
        self.left_out = table.left_out
        if table.has_target:
            of = table.target
            self.classes, self.n_classes, self.labels, self.quantity = of.codes, of.n_classes, of.labels, of.values

    def rows(self, *, takes_missing: bool = False) -> Rows:
        table = self.table
        check_values(table, allow_missing=takes_missing, instead=INSTEAD)
        if table.matrix is not None:
            everything = np.arange(table.n_features)
            no_codes = np.empty((table.n_samples, 0), np.int32)
            return Rows(np.asarray(table.matrix, np.float64, order="C"), no_codes, everything, everything[:0])
        numeric = np.array([j for j in range(table.n_features) if table.is_numeric(j)], np.intp)
        categorical = np.setdiff1d(np.arange(table.n_features), numeric)
        numbers = np.empty((table.n_samples, len(numeric)))
        for place, j in enumerate(numeric):
            numbers[:, place] = table.numbers(int(j))
        codes = np.empty((table.n_samples, len(categorical)), np.int32)
        for place, j in enumerate(categorical):
            codes[:, place] = table.categorical(int(j)).codes
        return Rows(numbers, codes, numeric, categorical)

    def numbers(self, setting: str = "") -> tuple[Floats, Flags]:
        rows = self.rows()
        wide = rows.categorical[rows.codes.max(axis=0, initial=0) > 1]
        if len(wide):
            raise UserError(
                code="numbers-needed",
                message=(
                    f"{self.method}{setting} needs numbers, and {len(wide):,} of the columns hold more than two "
                    f"categories: {self.table.quoted(wide)}"
                ),
                advice="encode them as numbers, or leave them out",
            )
        numbers = np.empty((rows.n_samples, rows.n_features))
        numbers[:, rows.numeric], numbers[:, rows.categorical] = rows.numbers, rows.codes
        return numbers, rows.varies

    def values(self) -> NDArray[Any] | csc_array:
        if "dense" not in self.table.capabilities:
            return stored_values(self.table)
        if self.table.matrix is None:
            values = self.numbers()[0]
        else:
            check_values(self.table, allow_missing=False, instead=INSTEAD)
            values = self.table.matrix
        refuse_large(values, LARGEST)
        return values

    def categories(self, column: int) -> NDArray[Any] | None:
        return None if self.table.is_numeric(column) else self.table.categorical(column).categories

    def coded(self) -> Coded | None:
        if self.binning is None:
            return None
        binner = make_binner(self.binning, n_jobs=self.n_jobs).for_table(self.table).fit_table(self.table)
        return Coded(binner.codes(self.table), binner)

    def counted(self, kind: str) -> Information:
        rows = self.rows()
        codes = np.empty((rows.n_samples, rows.n_features), np.uint16)
        binned = None
        if kind == "binned":
            binned = EqualWidthBinning(n_bins=FEW_VALUES, n_jobs=self.n_jobs).fit_table(self.table).codes(self.table)
        codes[:, rows.categorical] = rows.codes
        for place, j in enumerate(rows.numeric.tolist()):
            distinct, own = np.unique(rows.numbers[:, place], return_inverse=True)
            if binned is not None and len(distinct) > FEW_VALUES:
                own = binned[:, j]
            elif len(distinct) > 1 << 16:
                raise UserError(
                    code="too-many-bins",
                    message=f"column {self.names[j]!r} has {len(distinct):,} distinct values, more than {1 << 16:,}",
                    advice="give {similarity}",
                    fix={"similarity": "binned"},
                    columns=[str(self.names[j])],
                )
            codes[:, j] = own
        target = self.table.y
        classes, n_classes = (None, None) if target is None else (target.codes, target.n_classes)
        source = make_source(codes[:, rows.varies], classes, n_classes=n_classes, n_jobs=self.n_jobs)
        return make_information("plug-in", source)


def stored_values(table: InMemoryDataset) -> csc_array:
    """The values of a sparse table as CSC; ValueError if some are missing, infinite or too large."""
    columns = table.stored
    columns.check_finite(table.names, allow_missing=False, instead=INSTEAD)
    refuse_large(columns.value, LARGEST)
    return columns.stored


def columns_of(estimator: Any, X: Any, columns: Columns, categories: Mapping[int, NDArray[Any]]) -> Floats | csc_array:
    """Some columns of a new table as numbers, dense or sparse; ``categories`` are those that were fitted, by column."""
    table = read_columns(X, estimator=estimator, reset=False)
    if table.is_sparse:
        return stored_values(table)[:, columns]
    check_values(table, allow_missing=False, instead=INSTEAD)
    values = np.empty((table.n_samples, len(columns)))
    for place, j in enumerate(columns.tolist()):
        if j in categories and not table.is_numeric(j):
            column = table.categorical(j)
            values[:, place] = np.asarray(column.categories == categories[j][-1], bool)[column.codes]
        else:
            values[:, place] = table.numeric(j)
    return values
