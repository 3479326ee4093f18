"""A rule of binning that is fitted on a summary of all rows and codes partitions of them, and its form in JSON."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, replace
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from bitsieve.counts.threads import run_blocks
from bitsieve.dataset.column_summary import ColumnSummary, Kind, RowSample
from bitsieve.dataset.dataset import InMemoryDataset
from bitsieve.dataset.encoding import ColumnValues, Encoded, all_missing, are_categories, encode
from bitsieve.dataset.rank_test import RankTest
from bitsieve.dataset.value_ranges import MISSING
from bitsieve.diagnostics import UserError
from bitsieve.discretization.base import MAX_CODES, Binning, as_column_rule
from bitsieve.discretization.ragged_array import RaggedArray
from bitsieve.discretization.registry import binning_name, make_binner
from bitsieve.discretization.summary import Summary
from bitsieve.utils.arrays import Values
from bitsieve.utils.progress import listening, phase


class RuleFacts(TypedDict):
    """A fitted rule of binning, as JSON holds it: what its codes mean."""

    binning: str  # the name of the rule
    missing: str | None
    bins: list[int]  # of each column, as the three below
    bin_edges: list[list[float]]
    categories: list[list[Any] | None]  # see :func:`array_to_json`


class CodingFacts(RuleFacts):
    """A :class:`Coding`, as JSON holds it."""

    parameters: dict[str, Any]  # of the rule
    uncut: list[int] | None
    rank_tests: list[tuple[int, float, float]]  # the column, the statistic and p of each
    kinds: list[str | None]
    arities: list[int]
    sampled: list[int]
    rank_error: float


@dataclass(frozen=True, eq=False)
class Coding:
    """How the columns of a table become codes, the same in every partition of its rows."""

    binner: Binning  # fitted on a summary of all rows
    kinds: list[Kind | None]  # the dtype of the numbers of each column over all rows; None for categories
    arities: NDArray[np.int32]  # one more than the largest code that occurs in each column
    sampled: tuple[int, ...]  # columns of too many distinct numbers, whose bins are those of a sample of the rows
    rank_error: float  # the largest error of the rank of a cut of these columns, as a share of the samples
    rank_tests: Mapping[int, RankTest]  # of the columns without a cut, of a rule that cuts by the classes

    def facts(self) -> CodingFacts:
        """The coding as a dictionary for JSON."""
        binner = self.binner
        parameters = dict(binner.parameters)
        parameters.pop("missing", None)  # it is one of the facts of the rule
        parameters.pop("n_jobs", None)
        return {
            **rule_facts(binner),
            "parameters": parameters,
            "uncut": binner.uncut_.tolist() if binner.requires == "classes" else None,
            "rank_tests": [(j, test.statistic, test.p) for j, test in self.rank_tests.items()],
            "kinds": [None if kind is None else kind.str for kind in self.kinds],
            "arities": self.arities.tolist(),
            "sampled": list(self.sampled),
            "rank_error": self.rank_error,
        }

    @classmethod
    def from_facts(cls, facts: CodingFacts, names: list[str]) -> Coding:
        """Rebuild a coding of columns with these names from the dictionary made by :meth:`facts`."""
        binner = rule_from_facts(facts, names, **facts["parameters"])
        if facts["uncut"] is not None:
            binner.uncut_ = np.array(facts["uncut"], np.int64)
        return cls(
            binner=binner,
            kinds=[None if kind is None else np.dtype(kind) for kind in facts["kinds"]],
            arities=np.array(facts["arities"], np.int32),
            sampled=tuple(facts["sampled"]),
            rank_error=facts["rank_error"],
            rank_tests={j: RankTest(statistic, p) for j, statistic, p in facts["rank_tests"]},
        )

    def of_column(self, j: int) -> Coding:
        """The coding of a table that holds column ``j`` alone."""
        column = np.array([j])
        binner = copy(self.binner)
        binner.bin_edges_ = RaggedArray.from_arrays([self.binner.bin_edges_[j]])
        binner.n_bins_ = binner.n_bins_[column]
        binner.categories_ = [self.binner.categories_[j]]
        return replace(self, binner=binner, kinds=[self.kinds[j]], arities=self.arities[column], sampled=())

    def codes(self, table: InMemoryDataset, buffer: NDArray[np.uint8] | None = None) -> Values:
        """The codes of a partition of the rows, as :meth:`Binning.codes` gives them."""
        with listening(lambda _: None):  # the progress of a partition is not shown
            codes: Values = self.binner.codes(as_kinds(table, self.kinds), buffer)
            return codes


def rule_facts(binner: Binning) -> RuleFacts:
    """A fitted rule as a dictionary for JSON."""
    return {
        "binning": binning_name(binner),
        "missing": binner.missing,
        "bins": np.asarray(binner.n_bins_).tolist(),
        "bin_edges": [edges.tolist() for edges in binner.bin_edges_],
        "categories": [None if values is None else array_to_json(values) for values in binner.categories_],
    }


def rule_from_facts(facts: RuleFacts, names: list[str], **parameters: Any) -> Binning:
    """Rebuild a fitted rule of columns with these names from the dictionary made by :func:`rule_facts`."""
    binner = make_binner(facts["binning"], missing=facts["missing"], **parameters)
    assert isinstance(binner, Binning)  # "auto" is settled before a rule is fitted
    binner.bin_edges_ = RaggedArray.from_arrays([np.array(edges, np.float64) for edges in facts["bin_edges"]])
    binner.n_bins_ = np.array(facts["bins"], np.int64)
    binner.categories_ = [None if values is None else array_from_json(values) for values in facts["categories"]]
    if binner.requires == "classes":
        is_numeric = np.array([values is None for values in binner.categories_], bool)
        binner.uncut_ = np.flatnonzero(is_numeric & (binner.bin_edges_.lengths == 0))
    binner.n_features_in_ = len(names)
    binner.feature_names_in_ = np.array(names, object)
    return binner


def array_to_json(values: Values) -> list[Any]:
    """An array as a list for JSON: the name of its dtype, and the list of its values. Times are integers."""
    if values.dtype.kind in "mM":
        return [str(values.dtype), values.astype(np.int64).tolist()]
    return [str(values.dtype), values.tolist()]


def array_from_json(dtype_and_values: list[Any]) -> Values:
    """Rebuild an array from the list made by :func:`array_to_json`."""
    dtype, values = dtype_and_values
    return np.array(values, np.dtype(dtype))


def fit_on_summary(binner: Binning, summary: Summary) -> Coding:
    """Fit a copy of a rule on the summary of a table that :func:`summarize` made for this rule."""
    rule = as_column_rule(binner)
    fitted = rule.unfitted()
    fitted.start_fit(summary)
    if rule.requires == "codes":
        _check_all_counted(summary)

    # Each column is binned by a rule of its own, as a small table in which the rule finds the same bins.
    rules_of_columns = [rule.unfitted(n_jobs=1) for _ in summary.columns]
    tests_of_columns: list[RankTest | None] = [None] * len(summary.columns)

    def fit(j: int) -> None:
        column_rule = rules_of_columns[j]
        column = summary.column(j, ends_only=rule.requires == "ends")
        column_rule.fit_table(column)
        if rule.requires == "classes" and len(column_rule.uncut_):
            tests_of_columns[j] = column.rank_tests([0])[0]

    run_blocks(fit, range(summary.n_features), rule.n_jobs, phase("binning"))
    fitted.bin_edges_ = RaggedArray.from_arrays([column_rule.bin_edges_[0] for column_rule in rules_of_columns])
    fitted.categories_ = [column_rule.categories_[0] for column_rule in rules_of_columns]
    fitted.n_bins_ = np.array([column_rule.n_bins_[0] for column_rule in rules_of_columns], np.int64)
    rank_tests = {j: test for j, test in enumerate(tests_of_columns) if test is not None}
    if rule.requires == "classes":
        fitted.uncut_ = np.array(list(rank_tests), np.int64)
    rank_errors = [_rank_error(column, summary.sample) for column in summary.columns]
    return Coding(
        binner=fitted,
        kinds=[column.kind for column in summary.columns],
        arities=np.array([arity_of(fitted, summary, j) for j in range(summary.n_features)], np.int32),
        sampled=tuple(j for j, error in enumerate(rank_errors) if error),
        rank_error=max(rank_errors, default=0.0),
        rank_tests=rank_tests,
    )


def _check_all_counted(summary: Summary) -> None:
    """Refuse a column of so many values that not all of them were counted, for a rule whose codes are the values."""
    for name, column in zip(summary.names, summary.columns, strict=True):
        if column.has_uncounted:
            raise UserError(
                code="too-many-bins",
                message=f"column {name!r} has more than {MAX_CODES:,} codes, the most that are supported",
                advice="drop it or group its values",
            )


def _rank_error(column: ColumnSummary, sample: RowSample | None) -> float:
    """The largest error of the rank of a cut of a column, as a share of the samples."""
    if sample is None or not column.has_uncounted:
        return column.rank_error
    return max(column.rank_error, sample.rank_error)


def arity_of(binner: Binning, summary: Summary, j: int) -> int:
    """One more than the largest code that occurs in a column."""
    column = summary.columns[j]
    if column.is_empty or column.content & MISSING:  # the code of missing values is the largest one
        return int(binner.n_bins_[j])
    categories = binner.categories_[j]
    if categories is not None:
        return len(categories)
    return int(np.searchsorted(binner.bin_edges_[j], float(column.high), side=binner.side)) + 1


def as_kinds(table: InMemoryDataset, kinds: list[Kind | None]) -> InMemoryDataset:
    """Convert the columns of a partition of the rows to the dtypes that they have over all rows."""
    if table.matrix is not None and all(kind == table.matrix.dtype for kind in kinds):
        return table
    columns = [table.values(j) for j in range(table.n_features)]
    converted = [_as_kind(values, kind) for values, kind in zip(columns, kinds, strict=True)]
    nothing_changed = all(new is old for new, old in zip(converted, columns, strict=True))
    if nothing_changed and table.matrix is None:
        return table
    return replace(table, columns=converted)


def _as_kind(values: ColumnValues, kind: Kind | None) -> ColumnValues:
    if kind is None:
        return _as_categories(values)
    if not are_categories(values):
        return values if values.dtype == kind else values.astype(kind)
    if len(values.categories):
        return values
    # A partition without any value of the column took the column for one of categories.
    return np.full(len(values), np.nan, kind)


def _as_categories(values: ColumnValues) -> ColumnValues:
    if are_categories(values):
        return values
    if all_missing(values):
        return Encoded(np.full(len(values), -1, np.int32), np.empty(0, object))
    return encode(values) if values.dtype.kind in "iu" else values
