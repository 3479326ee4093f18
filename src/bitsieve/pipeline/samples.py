"""Tables in the forms that methods on rows take: rows, numbers, codes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from bitsieve.dataset.columns import read_columns
from bitsieve.dataset.dataset import InMemoryDataset
from bitsieve.dataset.encoding import Encoded
from bitsieve.dataset.value_ranges import Advice, check_values
from bitsieve.diagnostics import UserError
from bitsieve.discretization.base import MAX_CODES, BinningLike
from bitsieve.discretization.equal import EqualWidthBinning
from bitsieve.discretization.registry import make_binner
from bitsieve.engines.local import make_source
from bitsieve.information import make_information
from bitsieve.information.protocol import Information
from bitsieve.methods.by_samples.rows import Coded, Rows, Samples, refuse_large
from bitsieve.utils.arrays import Columns, Flags, Floats, Values
from bitsieve.utils.types import TableLike

if TYPE_CHECKING:
    from scipy.sparse import csc_array
    from sklearn.base import BaseEstimator

ADVICE_ON_MISSING = Advice("impute them first, or drop the rows; a separate bin is for methods that bin")
MAX_VALUE = 1e300  # sums of a few larger values overflow
#: "binned" leaves columns of at most so many values as they are, and cuts others into as many bins.
MAX_VALUES_UNBINNED = 10


class TableSamples(Samples):
    """The samples of a table. A sample of weight w occurs w times.

    ``method`` is the name in messages. ``binning`` is a discretizer or its name; None for a method that takes no codes.
    """

    def __init__(
        self, table: InMemoryDataset, method: str, binning: BinningLike | None = None, n_jobs: int | None = None
    ) -> None:
        if table.weights is not None:
            repeated_rows = np.repeat(np.arange(table.n_samples), table.weights)
            table = replace(table.take(repeated_rows), weights=None)
        self.table = table
        self.method = method
        self.binning = binning
        self.n_jobs = n_jobs
        self.n_samples = table.n_samples
        self.n_features = table.n_features
        self.names = table.names
        self.dropped = table.dropped
        if table.has_target:
            self.classes = table.target.codes
            self.n_classes = table.target.n_classes
            self.labels = table.target.labels
            self.quantity = table.target.values

    def rows(self, *, takes_missing: bool = False) -> Rows:
        table = self.table
        check_values(table, allow_missing=takes_missing, advice_on_missing=ADVICE_ON_MISSING)
        if table.matrix is not None:
            return Rows(
                numbers=np.asarray(table.matrix, np.float64, order="C"),
                codes=np.empty((table.n_samples, 0), np.int32),
                numeric=np.arange(table.n_features),
                categorical=np.arange(0),
            )
        numeric = np.array([j for j in range(table.n_features) if table.is_numeric(j)], np.intp)
        categorical = np.setdiff1d(np.arange(table.n_features), numeric)
        numbers = np.empty((table.n_samples, len(numeric)))
        for i, j in enumerate(numeric.tolist()):
            numbers[:, i] = table.numbers(j)
        codes = np.empty((table.n_samples, len(categorical)), np.int32)
        for i, j in enumerate(categorical.tolist()):
            codes[:, i] = table.categorical(j).codes
        return Rows(numbers, codes, numeric, categorical)

    def numbers(self, setting: str = "") -> tuple[Floats, Flags]:
        rows = self.rows()
        many_valued = rows.categorical[rows.codes.max(axis=0, initial=0) > 1]
        if len(many_valued):
            raise UserError(
                code="numbers-needed",
                message=(
                    f"{self.method}{setting} needs numbers, and {len(many_valued):,} of the columns hold more than two "
                    f"categories: {self.table.quoted(many_valued)}"
                ),
                advice="encode them as numbers, or leave them out",
            )
        numbers = np.empty((rows.n_samples, rows.n_features))
        numbers[:, rows.numeric] = rows.numbers
        numbers[:, rows.categorical] = rows.codes
        return numbers, rows.varies

    def values(self) -> Values | csc_array:
        if "dense" not in self.table.capabilities:
            return stored_values(self.table)
        if self.table.matrix is None:
            values, _ = self.numbers()
        else:
            check_values(self.table, allow_missing=False, advice_on_missing=ADVICE_ON_MISSING)
            values = self.table.matrix
        refuse_large(values, MAX_VALUE)
        return values

    def categorical(self, column: int) -> Encoded | None:
        return None if self.table.is_numeric(column) else self.table.categorical(column)

    def coded(self) -> Coded | None:
        if self.binning is None:
            return None
        binner = make_binner(self.binning, n_jobs=self.n_jobs).for_table(self.table).fit_table(self.table)
        return Coded(binner.codes(self.table), binner)

    def counted(self, kind: str) -> Information:
        rows = self.rows()
        codes_in_bins = None
        if kind == "binned":
            binning = EqualWidthBinning(n_bins=MAX_VALUES_UNBINNED, n_jobs=self.n_jobs)
            codes_in_bins = binning.fit_table(self.table).codes(self.table)
        codes = np.empty((rows.n_samples, rows.n_features), np.uint16)
        codes[:, rows.categorical] = rows.codes
        for i, j in enumerate(rows.numeric.tolist()):
            distinct, ranks = np.unique(rows.numbers[:, i], return_inverse=True)
            if codes_in_bins is not None and len(distinct) > MAX_VALUES_UNBINNED:
                codes[:, j] = codes_in_bins[:, j]
                continue
            if len(distinct) > MAX_CODES:
                raise UserError(
                    code="too-many-bins",
                    message=f"column {self.names[j]!r} has {len(distinct):,} distinct values, more than {MAX_CODES:,}",
                    advice="give {similarity}",
                    fix={"similarity": "binned"},
                    columns=[str(self.names[j])],
                )
            codes[:, j] = ranks
        target = self.table.y
        source = make_source(
            codes[:, rows.varies],
            None if target is None else target.codes,
            n_classes=None if target is None else target.n_classes,
            n_jobs=self.n_jobs,
        )
        return make_information("plug-in", source)


def stored_values(table: InMemoryDataset) -> csc_array:
    """The values of a sparse table as CSC. Raises ValueError if any is missing, infinite or too large."""
    columns = table.stored
    columns.check_finite(table.names, allow_missing=False, advice_on_missing=ADVICE_ON_MISSING)
    refuse_large(columns.value, MAX_VALUE)
    return columns.stored


def numbers_of_columns(
    estimator: BaseEstimator, X: TableLike, columns: Columns, categories: Mapping[int, Values]
) -> Floats | csc_array:
    """Read some columns of a new table as numbers, dense or sparse.

    ``categories`` holds the categories of the fitted columns, by index. A column of two categories becomes 1 for the
    second of them and 0 for all others.
    """
    table = read_columns(X, estimator=estimator, reset=False)
    if table.is_sparse:
        return stored_values(table)[:, columns]
    check_values(table, allow_missing=False, advice_on_missing=ADVICE_ON_MISSING)
    values = np.empty((table.n_samples, len(columns)))
    for i, j in enumerate(columns.tolist()):
        if j in categories and not table.is_numeric(j):
            column = table.categorical(j)
            is_last_category = np.asarray(column.categories == categories[j][-1], bool)
            values[:, i] = is_last_category[column.codes]
        else:
            values[:, i] = table.numeric(j)
    return values
