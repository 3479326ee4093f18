"""A rule of binning that is fitted on a summary of the rows and codes them part by part, and its form in JSON."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bitsieve.counts.threads import run_blocks
from bitsieve.dataset.column_summary import ColumnSummary, Kind, RowSample
from bitsieve.dataset.dataset import InMemoryDataset
from bitsieve.dataset.encoding import Encoded, all_missing, are_categories, encode
from bitsieve.dataset.value_ranges import MISSING
from bitsieve.diagnostics import UserError
from bitsieve.discretization.base import MAX_CODES, Binning, as_column_rule
from bitsieve.discretization.ragged_array import RaggedArray
from bitsieve.discretization.registry import RULES, make_binner, rule_named
from bitsieve.discretization.summary import Summary
from bitsieve.utils.messages import quoted
from bitsieve.utils.progress import listening, phase


@dataclass(frozen=True, eq=False)
class Coding:
    """How the columns of a table become codes, the same in every part of its rows."""

    binner: Binning  # fitted on a summary of all rows
    kinds: list[Kind | None]  # the type of the numbers of every column over all rows; None for categories
    arities: NDArray[np.int32]  # one more than the largest code that occurs in every column
    sampled: tuple[int, ...]  # columns of too many distinct numbers, whose bins are those of a sample of the rows
    rank_error: float  # the largest error of the rank of a cut of these columns, as a share of the samples

    def facts(self) -> dict[str, Any]:
        """The coding as a dictionary for JSON."""
        binner = self.binner
        parameters = {name: value for name, value in binner.parameters.items() if name not in ("missing", "n_jobs")}
        return {
            **binning_facts(binner),
            "parameters": parameters,
            "uncut": binner.uncut_.tolist() if binner.requires == "classes" else None,
            "kinds": [None if kind is None else kind.str for kind in self.kinds],
            "arities": self.arities.tolist(),
            "sampled": list(self.sampled),
            "rank_error": self.rank_error,
        }

    @classmethod
    def from_facts(cls, facts: dict[str, Any], names: list[str]) -> Coding:
        """Rebuild a coding of columns with these names from the dictionary made by :meth:`facts`."""
        binner = binning_of(facts, names, **facts["parameters"])
        if facts["uncut"] is not None:
            binner.uncut_ = np.array(facts["uncut"], np.int64)
        kinds = [None if kind is None else np.dtype(kind) for kind in facts["kinds"]]
        sampled = tuple(facts["sampled"])
        return cls(binner, kinds, np.array(facts["arities"], np.int32), sampled, facts["rank_error"])

    def of_column(self, j: int) -> Coding:
        """The coding of a table whose only column is column ``j``."""
        column = np.array([j])
        binner = copy(self.binner)
        binner.bin_edges_ = RaggedArray.from_arrays([self.binner.bin_edges_[j]])
        binner.n_bins_ = binner.n_bins_[column]
        binner.categories_ = [self.binner.categories_[j]]
        return replace(self, binner=binner, kinds=[self.kinds[j]], arities=self.arities[column], sampled=())

    def codes(self, table: InMemoryDataset, buffer: NDArray[np.uint8] | None = None) -> NDArray[Any]:
        """The codes of a part of the rows, as :meth:`Binning.codes` gives them."""
        with listening(lambda _: None):  # the progress of a part is not shown
            codes: NDArray[Any] = self.binner.codes(as_kinds(table, self.kinds), buffer)
            return codes


def binning_name(binner: Binning) -> str:
    """The name of a rule."""
    for name in RULES:
        if isinstance(binner, rule_named(name)):
            return name
    raise UserError(
        code="rule-not-saved",
        message=f"counts by {type(binner).__name__} cannot be saved",
        advice=f"use one of {quoted(RULES)}",
    )


def binning_facts(binner: Binning) -> dict[str, Any]:
    """A fitted rule as a dictionary for JSON: what its codes mean."""
    return {
        "binning": binning_name(binner),
        "missing": binner.missing,
        "bins": np.asarray(binner.n_bins_).tolist(),
        "bin_edges": [edges.tolist() for edges in binner.bin_edges_],
        "categories": [None if values is None else listed(values) for values in binner.categories_],
    }


def binning_of(facts: dict[str, Any], names: list[str], **parameters: Any) -> Binning:
    """Rebuild a fitted rule from the dictionary made by :func:`binning_facts`."""
    binner: Any = make_binner(facts["binning"], missing=facts["missing"], **parameters)
    binner.bin_edges_ = RaggedArray.from_arrays([np.array(edges, np.float64) for edges in facts["bin_edges"]])
    binner.n_bins_ = np.array(facts["bins"], np.int64)
    binner.categories_ = [None if values is None else from_list(values) for values in facts["categories"]]
    if binner.requires == "classes":
        is_numeric = np.array([values is None for values in binner.categories_], bool)
        binner.uncut_ = np.flatnonzero(is_numeric & (binner.bin_edges_.lengths == 0))
    binner.n_features_in_ = len(names)
    binner.feature_names_in_ = np.array(names, object)
    fitted: Binning = binner
    return fitted


def listed(values: NDArray[Any]) -> list[Any]:
    """An array for JSON: the name of its type and its values as a list. Times are integers."""
    if values.dtype.kind in "mM":
        return [str(values.dtype), values.astype(np.int64).tolist()]
    return [str(values.dtype), values.tolist()]


def from_list(values: list[Any]) -> NDArray[Any]:
    """Rebuild an array from :func:`listed`."""
    type_name, items = values
    return np.array(items, np.dtype(type_name))


def fit_on_summary(binner: Binning, summary: Summary) -> Coding:
    """Fit a copy of a rule on the summary of a table that :func:`summarize` made for this rule."""
    rule = as_column_rule(binner)
    fitted = rule.unfitted()
    fitted.start_fit(summary)
    if binner.requires == "codes":
        for name, column in zip(summary.names, summary.columns, strict=True):
            if column.has_uncounted:
                raise UserError(
                    code="too-many-bins",
                    message=f"column {name!r} has more than {MAX_CODES:,} codes, the most that are supported",
                    advice="drop it or group its values",
                )
    rules = [rule.unfitted(n_jobs=1) for _ in summary.columns]  # one for each column

    def fit(j: int) -> None:
        rules[j].fit_table(summary.column(j, ends_only=binner.requires == "ends"))

    run_blocks(fit, range(summary.n_features), binner.n_jobs, phase("binning"))
    fitted.bin_edges_ = RaggedArray.from_arrays([column_rule.bin_edges_[0] for column_rule in rules])
    fitted.categories_ = [column_rule.categories_[0] for column_rule in rules]
    fitted.n_bins_ = np.array([column_rule.n_bins_[0] for column_rule in rules], np.int64)
    if binner.requires == "classes":
        fitted.uncut_ = np.array([j for j, column_rule in enumerate(rules) if len(column_rule.uncut_)], np.int64)
    rank_errors = [_rank_error(column, summary.sample) for column in summary.columns]
    return Coding(
        binner=fitted,
        kinds=[column.kind for column in summary.columns],
        arities=np.array([arity_of(fitted, summary, j) for j in range(summary.n_features)], np.int32),
        sampled=tuple(j for j, error in enumerate(rank_errors) if error),
        rank_error=max(rank_errors, default=0.0),
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
    """Convert the columns of a part of the rows to the types that they have over all rows."""
    if table.matrix is not None and all(kind == table.matrix.dtype for kind in kinds):
        return table
    columns = [table.values(j) for j in range(table.n_features)]
    converted = [_as_kind(values, kind) for values, kind in zip(columns, kinds, strict=True)]
    nothing_changed = all(new is old for new, old in zip(converted, columns, strict=True))
    if nothing_changed and table.matrix is None:
        return table
    return replace(table, columns=converted)


def _as_kind(values: NDArray[Any] | Encoded, kind: Kind | None) -> NDArray[Any] | Encoded:
    if kind is None:
        return _as_categories(values)
    if are_categories(values):
        if len(values.categories):
            return values
        return np.full(len(values), np.nan, kind)  # a column without values was taken for one of categories
    return values if values.dtype == kind else values.astype(kind)


def _as_categories(values: NDArray[Any] | Encoded) -> NDArray[Any] | Encoded:
    if are_categories(values):
        return values
    if all_missing(values):
        return Encoded(np.full(len(values), -1, np.int32), np.empty(0, object))
    return encode(values) if values.dtype.kind in "iu" else values
