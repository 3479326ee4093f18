"""A table becomes counts: its columns are discretized, and packed for every method on counts."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa

from bitsieve.counts.source import CountSource, class_order
from bitsieve.dataset.dataset import Dataset
from bitsieve.dataset.encoding import as_array, encode_known
from bitsieve.dataset.read import read_xy
from bitsieve.discretization.base import Binning
from bitsieve.discretization.registry import make_binner, make_discretizer
from bitsieve.engines.local import count
from bitsieve.information import make_information
from bitsieve.information.protocol import Information
from bitsieve.methods.constraints import Constraints, resolve
from bitsieve.methods.method import Method
from bitsieve.options import DiscretizationOptions
from bitsieve.utils.arrays import Integers
from bitsieve.utils.defaults import INTERACTIONS_BINS
from bitsieve.utils.messages import renamed


@dataclass(frozen=True)
class Counted:
    """A table that is binned by a fitted ``binner`` and packed, whose counts serve every method."""

    table: Dataset
    binner: Binning
    information: Information
    _estimated: dict[str, Information] = field(default_factory=dict, repr=False, compare=False)

    def estimated(self, estimator: str) -> Information:
        """The information by an estimator, from the same counts; made once."""
        if estimator == self.information.estimator:
            return self.information
        if estimator not in self._estimated:
            self._estimated[estimator] = make_information(estimator, self.information.source)
        return self._estimated[estimator]


def count_table(table: Dataset, binning: Any, n_jobs: int | None = None) -> Counted:
    """Bin the columns of a table and count their codes."""
    binner, source = count(table, binning, n_jobs)
    return Counted(table, binner, make_information("plug-in", source))


def discretization_of_codes(
    table: Dataset, method: Method, options: DiscretizationOptions, n_jobs: int | None
) -> tuple[Dataset, DiscretizationOptions]:
    """The table with columns of few whole numbers as categories where nothing is said of their bins.

    Where all columns of an array are such, none is cut: its numbers are the codes.
    """
    if not options.leaves_codes_open or method.needs_rows:
        return table, options
    table, all_are_codes = table.few_as_codes(n_jobs)
    return table, replace(options, binning="none") if all_are_codes else options


def discretizer_for_tuples(options: DiscretizationOptions, order: int, n_jobs: int | None) -> Binning:
    """The rule for pairs and triples of columns: of three and of two bins where no number is given."""
    if isinstance(options.binning, str) and options.binning in ("quantile", "uniform") and options.n_bins is None:
        options = replace(options, n_bins=INTERACTIONS_BINS[order])
    return make_discretizer(options, n_jobs)


def count_for_tuples(
    table: Dataset, options: DiscretizationOptions, rule: Binning, n_jobs: int | None
) -> tuple[Binning, CountSource]:
    """The fitted rule and the counts; columns of few whole numbers are codes, where nothing is said of the bins."""
    is_named_rule = isinstance(options.binning, str) and options.binning != "none"
    if is_named_rule and options.n_bins is None and options.uncut is None:
        table, all_are_codes = table.few_as_codes(n_jobs)
        rule = make_binner("none", n_jobs=n_jobs, missing=rule.missing) if all_are_codes else rule
    return count(table, rule, n_jobs)


def strata_of(table: Dataset, strata: Any) -> tuple[Integers | None, list[int]]:
    """The stratum of every sample, class by class, of a column or one value a row, and the column, where it is one."""
    if strata is None:
        return None, []
    rows = table.rows
    if rows is None or table.is_sparse:
        raise ValueError(
            "strata need dense rows in memory: leave out memory, spool and engine, or give some of the rows"
        )
    with renamed("exclude", "strata"):
        columns = resolve(Constraints(exclude=[strata]), table.names).exclude if np.isscalar(strata) else []
    given = rows if columns else read_xy(pa.table({"strata": pa.array(as_array(strata))}))
    if given.n_samples != table.n_samples:
        what = "rows of weight 0 and those without a target do not count: name a column in place of values"
        raise ValueError(f"strata has {given.n_samples:,} values but the data has {table.n_samples:,} rows: {what}")
    values = given.values(columns[0] if columns else 0)
    codes = values.codes if hasattr(values, "codes") else encode_known(values).codes
    if codes.min() < 0:
        raise ValueError("strata are missing in some rows: give every row one")
    target = table.target
    order, _ = class_order(target.codes, rows.weights, target.n_classes)
    strata, classes = codes[order].astype(np.int64), target.codes[order]
    if len(np.unique(strata * target.n_classes + classes)) == len(np.unique(strata)):
        of = f" of {table.quoted(columns)}" if columns else ""
        raise ValueError(f"no stratum{of} has rows of two classes, so that shuffles within strata change nothing")
    return strata, columns
