"""Make codes of the columns of a table, and count them for the methods on counts."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from bitsieve.counts.source import CountSource, class_order
from bitsieve.dataset.dataset import Dataset, DatasetT
from bitsieve.dataset.encoding import ColumnValues, are_categories, as_array, encode_with_missing
from bitsieve.dataset.read import read_xy
from bitsieve.diagnostics import UserError, parameter_reported_as
from bitsieve.discretization.base import Binning, BinningChoice, BinningLike
from bitsieve.discretization.registry import binning_with, make_binner, make_discretizer
from bitsieve.engines.local import count
from bitsieve.information import ANY_EFFECT, information_of, make_information
from bitsieve.information.protocol import Information
from bitsieve.methods.by_counts.stopping import StoppingRule, make_stopping
from bitsieve.methods.constraints import Constraints, resolve
from bitsieve.methods.method import Method
from bitsieve.options import DiscretizationOptions, ExecutionOptions
from bitsieve.utils.arrays import Integers
from bitsieve.utils.defaults import INTERACTIONS_BINS
from bitsieve.utils.types import ColumnLike

POOLED = "pooled"  # in place of an effect within strata: the information of all samples


@dataclass(frozen=True, eq=False)
class CountedTable:
    """A table, the discretizer fitted to it, and the plug-in information of all samples from its counts."""

    table: Dataset
    binner: Binning
    information: Information
    _cached: dict[tuple[str, str], Information] = field(default_factory=dict, repr=False, compare=False)

    @property
    def has_strata(self) -> bool:
        return self.information.source.n_strata > 0

    @property
    def has_several_strata(self) -> bool:
        return self.information.source.n_strata > 1

    def estimated(self, estimator: str, effect: str = ANY_EFFECT) -> Information:
        """The information by an estimator, within the strata if there are several; cached."""
        if not self.has_strata:
            return self.pooled(estimator)
        if (estimator, effect) not in self._cached:
            self._cached[estimator, effect] = information_of(estimator, self.information.source, effect)
        return self._cached[estimator, effect]

    def pooled(self, estimator: str) -> Information:
        """The information of all samples by an estimator, whatever their strata; cached."""
        if estimator == self.information.estimator:
            return self.information
        if (estimator, POOLED) not in self._cached:
            self._cached[estimator, POOLED] = make_information(estimator, self.information.source)
        return self._cached[estimator, POOLED]


def discretize(table: Dataset, options: DiscretizationOptions, execution: ExecutionOptions) -> CountedTable:
    """Fit the discretizer that the options name to a table, and count the codes of all columns."""
    return count_table(table, make_discretizer(options, execution.n_jobs), execution.n_jobs)


def count_table(table: Dataset, binning: BinningLike, n_jobs: int | None = None) -> CountedTable:
    """Fit a discretizer, given by its name or as an object, to a table, and count the codes of all columns."""
    binner, source = count(table, binning, n_jobs)
    return CountedTable(table, binner, make_information("plug-in", source))


def take_few_numbers_as_categories(
    table: DatasetT, method: Method, options: DiscretizationOptions, execution: ExecutionOptions
) -> tuple[DatasetT, DiscretizationOptions]:
    """Take columns of few whole numbers as categories, unless the user chose how to bin them.

    If all columns of an array are such, the array stays as it is and its numbers are the codes: binning is "none".
    """
    if not options.leaves_codes_open or method.needs_rows:
        return table, options
    if table.is_array_of_small_integers(execution.n_jobs):
        return table, replace(options, binning="none")
    return table.with_small_integers_as_categories(execution.n_jobs), options


def take_default_bins(
    options: DiscretizationOptions, method: Method, stopping: str | StoppingRule | None, n_samples: int
) -> DiscretizationOptions:
    """Take the bins that a method or a stopping rule has by default, unless the user chose how to bin the columns."""
    if not options.is_default:
        return options
    n_bins = None
    if method.default_bins is not None:
        n_bins = method.default_bins(n_samples)
    elif stopping is not None:
        n_bins = make_stopping(stopping).default_bins(n_samples)
    if n_bins is None:
        return options
    return replace(options, binning="quantile", n_bins=n_bins)


class BinningParameters(NamedTuple):
    """The parameters of a selector that say how it bins."""

    binning: BinningLike
    bins_within: bool
    missing: str | None


def binning_parameters(options: DiscretizationOptions, n_jobs: int | None = None) -> BinningParameters:
    """The options as parameters of a selector, which has no ``n_bins`` and ``uncut``: these take a discretizer."""
    if options.n_bins is None and options.uncut is None:
        return BinningParameters(options.binning, options.bins_within, options.missing)
    return BinningParameters(binning_parameter(options, n_jobs), bins_within=False, missing=None)


def binning_parameter(options: DiscretizationOptions, n_jobs: int | None = None) -> BinningLike:
    """The options in one: the name of a rule, or a discretizer with its parameters."""
    return binning_with(options.binning, n_jobs, **options.rule_parameters)


def discretization_for_tuples(options: DiscretizationOptions, order: int) -> DiscretizationOptions:
    """The options for pairs or triples of columns: by default three bins for pairs, two for triples."""
    if isinstance(options.binning, str) and options.binning in ("quantile", "uniform") and options.n_bins is None:
        return replace(options, n_bins=INTERACTIONS_BINS[order])
    return options


def count_for_tuples(
    table: Dataset, options: DiscretizationOptions, order: int, execution: ExecutionOptions
) -> tuple[Binning, CountSource]:
    """Fit the discretizer for pairs and triples of columns, and count the codes of all columns.

    Columns of few whole numbers are categories, unless the user chose how to bin them.
    """
    rule = make_discretizer(discretization_for_tuples(options, order), execution.n_jobs)
    return count_by_rule(table, rule, options, execution)


def count_by_rule(
    table: Dataset, rule: BinningChoice, options: DiscretizationOptions, execution: ExecutionOptions
) -> tuple[Binning, CountSource]:
    """Fit the discretizer ``rule``, which the options lead to, and count the codes of all columns.

    Columns of few whole numbers are categories, unless the user chose how to bin them.
    """
    is_named_rule = isinstance(options.binning, str) and options.binning != "none"
    if is_named_rule and options.n_bins is None and options.uncut is None:
        if table.is_array_of_small_integers(execution.n_jobs):
            rule = make_binner("none", n_jobs=execution.n_jobs, missing=rule.missing)
        table = table.with_small_integers_as_categories(execution.n_jobs)
    return count(table, rule, execution.n_jobs)


def strata_of(table: Dataset, strata: ColumnLike) -> tuple[Integers | None, list[int]]:
    """Read strata, which are given as a column of the table or as one value a row.

    Returns
    -------
    strata_by_class : ndarray of int, shape (n_samples,), or None
        The number of the stratum of every sample, the samples ordered by class; None without strata.
    columns : list of int
        The column of the strata, if they are one; else empty.
    """
    if strata is None:
        return None, []
    rows = table.rows
    if rows is None or table.is_sparse:
        raise UserError(
            code="rows-not-in-memory",
            message="strata need dense rows in memory",
            advice="leave out memory, spool and engine, or give some of the rows",
        )
    columns: list[int] = []
    is_name_or_index = bool(np.isscalar(strata))
    if is_name_or_index:
        with parameter_reported_as("exclude", "strata"):
            columns = resolve(Constraints(exclude=[strata]), table.names).exclude
        values = rows.values(columns[0])
    else:
        values = _values_by_row(strata, table.n_samples)
    codes = _codes_of_strata(values)
    target = table.target
    order, _ = class_order(target.codes, rows.weights, target.n_classes)
    strata_by_class = codes[order].astype(np.int64)
    strata_and_classes = strata_by_class * target.n_classes + target.codes[order]
    if len(np.unique(strata_and_classes)) == len(np.unique(strata_by_class)):
        where = f" of {table.quoted(columns)}" if columns else ""
        raise UserError(
            code="one-class",
            message=f"no stratum{where} has rows of two classes, so shuffling within strata changes nothing",
        )
    return strata_by_class, columns


def _codes_of_strata(values: ColumnValues) -> NDArray[np.int32]:
    """The code of the stratum of every row. Refuses missing values."""
    encoded = values if are_categories(values) else encode_with_missing(values)
    if encoded.codes.min() < 0:
        raise UserError(
            code="missing-values",
            message="strata are missing in some rows",
            advice="give every row one",
        )
    return encoded.codes


def _values_by_row(strata: ColumnLike, n_samples: int) -> ColumnValues:
    """The values of strata, one for each row."""
    column = read_xy(pa.table({"strata": pa.array(as_array(strata))}))
    if column.n_samples != n_samples:
        raise UserError(
            code="lengths-differ",
            message=f"strata has {column.n_samples:,} values but the data has {n_samples:,} rows",
            advice="rows of weight 0 and those without a target do not count: name a column instead of values",
        )
    return column.values(0)
