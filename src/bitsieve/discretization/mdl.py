"""Cuts by the minimum description length principle, the same made again for other classes, and the rule by default."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from math import lgamma
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bitsieve import _native
from bitsieve.counts.search import ClassSearch, Dependence, Labels, Parts, dependence_of_codes
from bitsieve.counts.tables import Terms, entropy_terms
from bitsieve.dataset.extents import Extents, NumericBlock
from bitsieve.dataset.table import Table, TableInMemory
from bitsieve.diagnostics import NAME_ONLY, UserError
from bitsieve.discretization.base import Binning, CutBinning
from bitsieve.discretization.equal import EqualFrequencyBinning
from bitsieve.discretization.ragged import Ragged
from bitsieve.utils.arrays import Columns, Floats, Integers
from bitsieve.utils.lazy import cached_property
from bitsieve.utils.parameters import Rule, check_choice


class RepeatedCuts(ClassSearch):
    """The cuts of all numeric columns by description length for any classes; a sample of weight w is w samples."""

    def __init__(self, table: TableInMemory, binner: Binning, cut_at_median: bool) -> None:
        self.table, self.binner, self.cut_at_median = table, binner, cut_at_median
        self.n_classes = table.target.n_classes
        self.rows = np.repeat(np.arange(table.n_samples), 1 if table.weights is None else table.weights)
        self.classes = table.target.codes[self.rows].astype(np.int32)

    def codes(self, column: int) -> Integers:
        return np.asarray(self._codes[self.rows, column], np.int64)

    @cached_property
    def _codes(self) -> NDArray[Any]:
        return self.binner.codes(self.table)

    def recoded(self, classes: Labels, columns: Columns) -> Iterator[tuple[int, Integers]]:
        terms = entropy_terms(len(classes))
        for column in columns.tolist():
            codes = self._recut(column, classes, terms) if self.table.is_numeric(column) else self.codes(column)
            if codes.max() > 0:
                yield column, codes

    def _recut(self, column: int, classes: Labels, terms: Terms) -> Integers:
        values = self._values(column)
        there = ~np.isnan(values)
        cuts, _ = _native.mdl_cuts([values], classes.reshape(1, -1), self.n_classes, terms.table, terms.shift, None)
        if not len(cuts) and self.cut_at_median:
            cuts, _ = _native.order_statistic_cuts([values], 2, None)
        codes = np.searchsorted(cuts, values, side="left")
        return np.where(there, codes, len(cuts) + 1 if there.any() else 0).astype(np.int64)

    def dependence(self, classes: Labels, columns: Columns, parts: Parts, terms: Terms) -> Dependence:
        found = Dependence(*np.zeros((2, len(columns), len(classes)), np.int64))
        numeric = np.array([self.table.is_numeric(column) for column in columns.tolist()], bool)
        if numeric.any():
            values = np.empty((len(self.classes), int(numeric.sum())), order="F")
            for place, column in enumerate(columns[numeric].tolist()):
                values[:, place] = self._values(column)
            made = _native.dependence_of_cuts(
                values, classes, self.n_classes, *parts, terms.table, terms.shift, self.cut_at_median
            )
            for all_of_them, some in zip(found, made, strict=True):
                all_of_them[numeric] = some.reshape(-1, len(classes))
        for place in np.flatnonzero(~numeric).tolist():
            made = dependence_of_codes(self.codes(int(columns[place])), classes, self.n_classes, parts, terms)
            for all_of_them, one in zip(found, made, strict=True):
                all_of_them[place] = one[0]
        return found

    def log_codings(self, column: int) -> float:
        """The logarithm of how many sets of cuts there were to choose from, doubled for every cut in the set."""
        if not self.table.is_numeric(column):
            return 0.0
        return log_codings(len(self.classes), len(self.binner.bin_edges_[column]), self.binner.missing)

    def _values(self, column: int) -> Floats:
        values = self.table.numeric(column)
        return values if self.table.weights is None else values[self.rows]


class CutsInParts(ClassSearch):
    """The cuts of a table whose rows are read in parts: what they were chosen from is known, but not the rows."""

    def __init__(self, binner: Binning, n_samples: int, n_classes: int) -> None:
        self.binner, self.n_samples, self.n_classes = binner, n_samples, n_classes

    def _refuse(self, *_: Any, **__: Any) -> Any:
        raise UserError(
            code="rows-not-in-memory",
            message=(
                "this stopping rule shuffles the classes and bins the columns by 'mdl' again each time, for which all "
                "rows must be in memory"
            ),
            advice="use {binning}, or {stopping}",
            fix={"binning": "quantile", "stopping": "threshold"},
        )

    classes: Any = property(_refuse)
    codes = recoded = dependence = _refuse

    def log_codings(self, column: int) -> float:
        """As that of :class:`RepeatedCuts`."""
        if self.binner.categories_[column] is not None:
            return 0.0
        return log_codings(self.n_samples, len(self.binner.bin_edges_[column]), self.binner.missing)


def log_codings(n_samples: int, n_cuts: int, missing: str | None = "error") -> float:
    """Twice the price where missing values are a code, which makes one more coding, that without a cut."""
    places = n_samples - 1
    ways = lgamma(places + 1) - lgamma(n_cuts + 1) - lgamma(places - n_cuts + 1)
    return float(ways + (n_cuts + (missing == "bin")) * np.log(2))


_TERMS = 1 << 22


class MDLBinning(CutBinning):
    """Cuts by the minimum description length principle: the rule of :class:`MDLBinner`."""

    parameter_rules: ClassVar[Mapping[str, Rule]] = {"uncut": partial(check_choice, choices=("leave", "median"))}
    requires = "classes"

    def __init__(self, *, uncut: str = "leave", missing: str | None = "error", n_jobs: int | None = None) -> None:
        self.uncut = uncut
        self.missing = missing
        self.n_jobs = n_jobs

    def _fit_numeric(self, table: TableInMemory, extents: Extents) -> None:
        super()._fit_numeric(table, extents)
        numeric = np.concatenate([np.empty(0, np.int64), *(block.places for block in extents.blocks)])
        self.uncut_ = np.sort(numeric[self.bin_edges_.lengths[numeric] == 0])
        if self.uncut == "median" and len(self.uncut_):
            medians = [self._medians(table, block) for block in extents.blocks]
            accepted = np.arange(table.n_features), self.bin_edges_.values, self.bin_edges_.ends
            self.bin_edges_ = Ragged.merged(table.n_features, [accepted, *(some for some in medians if len(some[0]))])
            self.n_bins_[self.uncut_] += self.bin_edges_.lengths[self.uncut_]

    def search(self, table: TableInMemory) -> ClassSearch:
        return RepeatedCuts(table, self, self.uncut == "median")

    def _medians(self, table: TableInMemory, block: NumericBlock) -> tuple[Integers, Floats, Integers]:
        """The lower medians of the columns of a block that have no cut; none where nothing lies above."""
        chosen = np.flatnonzero(self.bin_edges_.lengths[block.places] == 0)
        if not len(chosen):
            return block.places[:0], np.empty(0), np.empty(0, np.int64)
        values, ends = _native.order_statistic_cuts(block.part(chosen).values, 2, table.weights)
        return block.places[chosen], values, ends

    def _cut(
        self, table: TableInMemory, block: NumericBlock, low: NDArray[Any], high: NDArray[Any]
    ) -> tuple[Floats, Integers]:
        classes, *price = _classes_and_terms(table)
        return _native.mdl_cuts(block.values, classes.reshape(1, -1), *price)

    def _cut_stored(self, table: TableInMemory, first: int, last: int) -> tuple[Floats, Integers]:
        of = table.stored
        stored = of.start, of.row, of.value, first, last
        found = _native.stored_mdl_cuts(*stored, *_classes_and_terms(table))
        if self.uncut == "leave":
            return found
        medians = Ragged(*_native.stored_order_cuts(*stored, table.n_samples, 2, table.weights))
        whole = np.flatnonzero(np.diff(found[1], prepend=0) == 0)
        median = medians.take(whole)
        both = Ragged.merged(last - first, [(np.arange(last - first), *found), (whole, median.values, median.ends)])
        return both.values, both.ends


def _classes_and_terms(table: TableInMemory) -> tuple[Any, ...]:
    """What cuts are priced by: the classes, how many there are, the terms of entropies, and the weights."""
    if table.y is None:
        raise UserError(
            code="target-needed",
            message="MDL cuts by the class",
            advice="give a target, or use another binning such as 'quantile'",
        )
    n_samples = table.total_weight
    terms = entropy_terms(n_samples, limit=min(n_samples + 1, _TERMS))
    return np.asarray(table.y.codes, np.int32), table.y.n_classes, terms.table, terms.shift, table.weights


class AutoBinning(Binning):
    """Cuts by description length for classes; for a quantity, ``max(3, N^(1/5)) + 1`` bins of equal frequency."""

    requires = "classes"

    def __init__(
        self,
        *,
        n_bins: int | None = None,
        uncut: str | None = None,
        missing: str | None = "error",
        n_jobs: int | None = None,
    ) -> None:
        self.n_bins = n_bins
        self.uncut = uncut
        self.missing = missing
        self.n_jobs = n_jobs

    def for_table(self, table: Table) -> Binning:
        allowed = table.target.n_allowed if table.has_target else 0
        shared: Any = {"missing": self._missing_of(table), "n_jobs": self.n_jobs}
        if allowed:
            self._refuse("uncut", "quantile", "a quantity", "mdl")
            return EqualFrequencyBinning(n_bins=self.n_bins or allowed + 1, uncut="apart", **shared)
        self._refuse("n_bins", "mdl", "classes", "quantile")
        return MDLBinning(uncut=self.uncut or "leave", **shared)

    def _refuse(self, parameter: str, rule: str, target: str, other: str) -> None:
        """Refuse a parameter that the rule does not have."""
        if getattr(self, parameter) is not None:
            raise UserError(
                code="parameter-without-effect",
                message=f"has no effect with binning {rule!r}, the rule for {target}",
                advice="leave it out, or use {binning}",
                fix={"binning": other},
                parameters={parameter: NAME_ONLY},
            )
