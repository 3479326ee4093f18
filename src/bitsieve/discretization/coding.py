"""A binner that is fitted on the summary of a table in parts, the codes of each part, and both as JSON holds them."""

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
from bitsieve.discretization.base import MAX_CODES, Binning
from bitsieve.discretization.ragged_array import RaggedArray
from bitsieve.discretization.registry import RULES, make_binner, rule_named
from bitsieve.discretization.summary import Summary
from bitsieve.utils.messages import quoted
from bitsieve.utils.progress import listening, phase


@dataclass(frozen=True, eq=False)
class Coding:
    """How the columns of a table become codes, the same in every part of its rows."""

    binner: Binning  # fitted: as on all rows at once, but for the columns in ``sampled``
    kinds: list[Kind | None]  # the type of the numbers of every column over all rows; None for categories
    arities: NDArray[np.int32]  # one more than the largest code that occurs in every column
    # columns whose bins are those of a sample of the rows, since they hold too many distinct numbers
    sampled: tuple[int, ...]
    rank_error: float  # by what share of the samples the rank of a cut of those columns may be off

    def facts(self) -> dict[str, Any]:
        """The fields as JSON can hold them."""
        binner = self.binner
        parameters = {name: value for name, value in binner.parameters.items() if name not in ("missing", "n_jobs")}
        uncut = getattr(binner, "uncut_", None)
        return {
            **binning_facts(binner),
            "parameters": parameters,
            "uncut": None if uncut is None else uncut.tolist(),
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
        """How column ``j`` becomes codes, in a table that has no other."""
        column = np.array([j])
        binner = copy(self.binner)
        binner.bin_edges_ = RaggedArray.from_arrays([self.binner.bin_edges_[j]])
        binner.n_bins_ = binner.n_bins_[column]
        binner.categories_ = [self.binner.categories_[j]]
        return replace(self, binner=binner, kinds=[self.kinds[j]], arities=self.arities[column], sampled=())

    def codes(self, table: InMemoryDataset, buffer: NDArray[np.uint8] | None = None) -> NDArray[Any]:
        """The codes of a part of the rows, to be read only; ``buffer`` is memory for them, two bytes a value."""
        with listening(lambda _: None):  # progress is shown in rows
            return self.binner.codes(as_kinds(table, self.kinds), buffer)


def binning_name(binner: Binning) -> str:
    """The name by which a rule is made."""
    for name in RULES:
        if isinstance(binner, rule_named(name)):
            return name
    raise UserError(
        code="rule-not-saved",
        message=f"counts by {type(binner).__name__} cannot be saved",
        advice=f"use one of {quoted(RULES)}",
    )


def binning_facts(binner: Binning) -> dict[str, Any]:
    """What the codes of a fitted rule mean, as JSON can hold it."""
    return {
        "binning": binning_name(binner),
        "missing": binner.missing,
        "bins": np.asarray(binner.n_bins_).tolist(),
        "bin_edges": [edges.tolist() for edges in binner.bin_edges_],
        "categories": [None if values is None else listed(values) for values in binner.categories_],
    }


def binning_of(facts: dict[str, Any], names: list[str], **parameters: Any) -> Binning:
    """The fitted rule of :func:`binning_facts`."""
    binner = make_binner(facts["binning"], **{"missing": facts["missing"], **parameters})
    binner.bin_edges_ = RaggedArray.from_arrays([np.array(edges, np.float64) for edges in facts["bin_edges"]])
    binner.n_bins_ = np.array(facts["bins"], np.int64)
    binner.categories_ = [None if values is None else from_list(values) for values in facts["categories"]]
    if binner.requires == "classes":
        is_numeric = np.array([values is None for values in binner.categories_], bool)
        binner.uncut_ = np.flatnonzero(is_numeric & (binner.bin_edges_.lengths == 0))
    binner.n_features_in_ = len(names)
    binner.feature_names_in_ = np.array(names, object)
    return binner


def listed(values: NDArray[Any]) -> list[Any]:
    """The type of an array and its values."""
    if values.dtype.kind in "mM":
        return [str(values.dtype), values.astype(np.int64).tolist()]
    return [str(values.dtype), values.tolist()]


def from_list(values: list[Any]) -> NDArray[Any]:
    """The array of :func:`listed`."""
    kind, items = values
    return np.array(items, np.dtype(kind))


def fit_on_summary(binner: Binning, summary: Summary) -> Coding:
    """Fit a copy of a binner on a table of which only the summary that was made for it is known."""
    if not binner.bins_parts:
        raise UserError(
            code="rows-not-in-memory",
            message="ZeroApartBinner bins tables in memory",
            advice="give another binning for data that is read in parts",
        )
    fitted = binner.unfitted()
    fitted.start_fit(summary)
    if binner.requires == "codes":
        for name, column in zip(summary.names, summary.columns, strict=True):
            if column.has_uncounted:
                what = f"column {name!r} has more than {MAX_CODES:,} codes, the most that are supported"
                raise UserError(
                    code="too-many-bins",
                    message=f"{what}",
                    advice="drop it or group its values",
                )
    rules: list[Any] = [None] * summary.n_features  # a copy for each column, fitted on it

    def fit(j: int) -> None:
        rule = binner.unfitted(n_jobs=1)
        rules[j] = rule.fit_table(summary.column(j, ends_only=binner.requires == "ends"))

    run_blocks(fit, range(summary.n_features), binner.n_jobs, phase("binning"))
    fitted.bin_edges_ = RaggedArray.from_arrays([rule.bin_edges_[0] for rule in rules])
    fitted.categories_ = [rule.categories_[0] for rule in rules]
    fitted.n_bins_ = np.array([rule.n_bins_[0] for rule in rules], np.int64)
    if binner.requires == "classes":
        fitted.uncut_ = np.array([j for j, rule in enumerate(rules) if len(rule.uncut_)], np.int64)
    rank_errors = [_rank_error(column, summary.sample) for column in summary.columns]
    return Coding(
        fitted,
        [column.kind for column in summary.columns],
        np.array([arity_of(fitted, summary, j) for j in range(summary.n_features)], np.int32),
        tuple(j for j, error in enumerate(rank_errors) if error),
        max(rank_errors, default=0.0),
    )


def _rank_error(column: ColumnSummary, sample: RowSample | None) -> float:
    """By what share of the samples the rank of a cut of a column may be off."""
    if sample is None or not column.has_uncounted:
        return column.rank_error
    return max(column.rank_error, sample.rank_error)


def arity_of(binner: Binning, summary: Summary, j: int) -> int:
    """One more than the largest code that occurs in a column."""
    column = summary.columns[j]
    if column.is_empty or column.holds & MISSING:  # the code of missing values is the last one
        return int(binner.n_bins_[j])
    categories = binner.categories_[j]
    if categories is not None:
        return len(categories)
    return int(np.searchsorted(binner.bin_edges_[j], float(column.high), side=binner.side)) + 1


def as_kinds(table: InMemoryDataset, kinds: list[Kind | None]) -> InMemoryDataset:
    """A part of a table with its columns of the types that they have over all rows."""
    if table.matrix is not None and all(kind == table.matrix.dtype for kind in kinds):
        return table
    before = [table.values(j) for j in range(table.n_features)]
    columns = [_as_kind(values, kind) for values, kind in zip(before, kinds, strict=True)]
    nothing_changed = all(new is old for new, old in zip(columns, before, strict=True))
    if nothing_changed and table.matrix is None:
        return table
    return replace(table, columns=columns)


def _as_kind(values: NDArray[Any] | Encoded, kind: Kind | None) -> NDArray[Any] | Encoded:
    if kind is None:
        return _as_categories(values)
    if are_categories(values):  # of an empty part, whose kind is not known
        return values if len(values.categories) else np.full(len(values), np.nan, kind)
    return values if values.dtype == kind else values.astype(kind)


def _as_categories(values: NDArray[Any] | Encoded) -> NDArray[Any] | Encoded:
    if are_categories(values):
        return values
    if all_missing(values):
        return Encoded(np.full(len(values), -1, np.int32), np.empty(0, object))
    return encode(values) if values.dtype.kind in "iu" else values
