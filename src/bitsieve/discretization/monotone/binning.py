"""The rule ``binning="monotone"``: cuts between which the rate of one of two classes rises or falls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bitsieve.counts.search import ClassSearch, Labels
from bitsieve.counts.tables import EntropyTerms
from bitsieve.dataset.dataset import InMemoryDataset
from bitsieve.dataset.target import Target
from bitsieve.dataset.value_ranges import NumericBlock
from bitsieve.diagnostics import UserError
from bitsieve.discretization.base import ClassCutBinning
from bitsieve.discretization.mdl import RepeatedCuts
from bitsieve.discretization.monotone.bin_counts import Totals
from bitsieve.discretization.monotone.division import BinRules, divide
from bitsieve.discretization.monotone.pre_bins import PreBinRules, pre_bins_of
from bitsieve.discretization.monotone.sorted_numbers import sort_numbers
from bitsieve.discretization.ragged_array import RaggedArray
from bitsieve.utils.arrays import Flags, Floats, Integers
from bitsieve.utils.parameter_names import proposes_right_names
from bitsieve.utils.parameters import Rule, check_integer


class MonotoneBinning(ClassCutBinning):
    """The cuts of :class:`MonotoneBinner` with ``max_n_bins=n_bins`` and its other parameters as they are by default.

    Only numbers are cut; a category, ordered or not, stays a code of its own. The target must have two classes. A
    column that separates them is cut between them, although no bin then has rows of both.
    """

    parameter_rules: ClassVar[Mapping[str, Rule]] = {"n_bins": partial(check_integer, low=2, high=4096)}

    @proposes_right_names
    def __init__(self, *, n_bins: int = 10, missing: str | None = "error", n_jobs: int | None = None) -> None:
        self.n_bins = n_bins
        self.missing = missing
        self.n_jobs = n_jobs

    def search(self, table: InMemoryDataset) -> ClassSearch:
        return RepeatedMonotoneCuts(table, self)

    def cut_block(
        self, table: InMemoryDataset, block: NumericBlock, low: NDArray[Any], high: NDArray[Any]
    ) -> RaggedArray:
        is_event = _rows_of_event(table)
        cuts = [self.cut_numbers(block.column(c), is_event, table.weights) for c in range(len(block.indices))]
        return RaggedArray.from_arrays(cuts)

    def cut_stored(self, table: InMemoryDataset, first: int, end: int) -> RaggedArray:
        stored = table.stored
        is_event = _rows_of_event(table)
        cuts = []
        for j in range(first, end):
            column = slice(int(stored.start[j]), int(stored.start[j + 1]))
            is_present = ~np.isnan(stored.value[column])
            rows = stored.row[column][is_present]
            weights = None if table.weights is None else table.weights[rows]
            cuts.append(self.cut_numbers(stored.value[column][is_present], is_event[rows], weights))
        return RaggedArray.from_arrays(cuts)

    def cut_numbers(self, values: NDArray[Any], is_event: Flags, weights: Integers | None) -> Floats:
        """The cuts of a column. Rows with a missing value count among all rows, as they do for information value."""
        totals = Totals.of_rows(is_event, weights)
        numbers = values.astype(np.float64)
        is_present = ~np.isnan(numbers)
        has_both_classes = totals.events > 0 and totals.nonevents > 0
        if not has_both_classes or not is_present.any():
            return np.empty(0)
        sorted_numbers = sort_numbers(numbers, is_event, weights, is_present, n_threads=1)
        pre_bins = pre_bins_of(sorted_numbers, PreBinRules(), n_threads=1)
        rules = BinRules(max_n_bins=self.n_bins)
        division = divide(pre_bins.counts, totals, rules)
        if len(division.bin_ends) == 1:  # a column that separates the classes has no second bin with rows of both
            division = divide(pre_bins.counts, totals, replace(rules, min_events=0, min_nonevents=0))
        return pre_bins.merged(division.bin_ends).cuts


class RepeatedMonotoneCuts(RepeatedCuts):
    """Monotone bins of the numeric columns of a table, for any two classes of its samples."""

    def __init__(self, table: InMemoryDataset, binner: MonotoneBinning) -> None:
        super().__init__(table, binner)
        self.rule = binner

    def cuts_of(self, values: Floats, classes: Labels, entropy_terms: EntropyTerms) -> Floats:
        return self.rule.cut_numbers(values, classes == 1, None)


def _rows_of_event(table: InMemoryDataset) -> Flags:
    """Whether each row has the second class. Of equally good cuts those are taken where its rate rises."""
    target = _target_of_two_classes(table)
    return np.asarray(target.codes == 1, bool)


def _target_of_two_classes(table: InMemoryDataset) -> Target:
    if table.y is None:
        raise UserError(
            code="target-needed",
            message="binning 'monotone' needs a target",
            advice="give a target, or use another binning such as 'quantile'",
        )
    if table.y.kind == "binned":
        raise _needs_two_classes("is a quantity", "quantile")
    if table.y.n_classes > 2:
        raise _needs_two_classes(f"has {table.y.n_classes:,} classes", "mdl")
    return table.y


def _needs_two_classes(kind_of_target: str, other_binning: str) -> UserError:
    return UserError(
        code="wrong-kind-of-target",
        message=f"binning 'monotone' needs a target of two classes, and the target {kind_of_target}",
        advice="use {binning}",
        fix={"binning": other_binning},
    )
