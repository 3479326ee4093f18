"""The result of running a method: what it ran on, what it returned, and the evidence from counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from bitsieve.counts.tables import ContingencyTable
from bitsieve.dataset.dataset import Dataset
from bitsieve.dataset.rank_test import RankTest
from bitsieve.discretization.base import Binning
from bitsieve.information.few_repeats import FewRepeats
from bitsieve.information.leaks import Leak
from bitsieve.methods.method import Method, MethodResult
from bitsieve.options import DiscretizationOptions, ExecutionOptions
from bitsieve.pipeline.prepare import PreparedSelection
from bitsieve.pipeline.selected_tests import SelectedTests
from bitsieve.pipeline.selection_options import SelectionOptions
from bitsieve.utils.arrays import Columns, Flags, Floats, Integers
from bitsieve.utils.lazy import Lazy


class StrataEvidence(NamedTuple):
    """What the strata of the samples are, and what columns say without them."""

    n_strata: int
    n_informative_rows: int  # the samples of strata with two classes
    relevance_pooled: Floats  # shape (n_features,): I(X;C) of all samples, whatever their strata, in bits
    # shape (k,): of the selected columns, what differs between the strata, in bits; None where no stratum has two
    # samples of each of two classes
    heterogeneity: Floats | None


class CountEvidence(NamedTuple):
    """Evidence from counts for the k selected columns."""

    binner: Binning  # fitted
    relevance: Floats  # shape (n_features,): I(X;C) of every column of the table, in bits
    overlap_with: Columns  # shape (k,): the earlier selected column that shares most information; -1 for the first
    overlap: Floats  # shape (k,): that information, in bits; nan for the first
    informative: Lazy[Flags]  # shape (k,): whether each selected column is more informative than chance
    tests: Lazy[SelectedTests]  # whether it is so alone, or given all other selected columns
    leaks: list[Leak]  # columns of the table that nearly determine the target
    few_repeats: list[FewRepeats]  # selected columns of categories with few rows for each value
    class_sizes: Integers  # shape (n_classes,): the sum of the weights of the rows of every class
    tables: Sequence[ContingencyTable]  # the table of every selected column with the class
    values_digest: Lazy[str]  # the digest of all columns and the target; see `values_digest.py`
    strata: StrataEvidence | None = None  # None without strata
    is_sure: bool = False  # whether shuffles confirmed that the columns that are not `informative` are like chance


@dataclass(frozen=True, kw_only=True, eq=False)
class Fit:
    """A method that has run."""

    prepared: PreparedSelection
    execution: ExecutionOptions
    table: Dataset  # as the method got it
    result: MethodResult
    evidence: CountEvidence | None = None  # None after a method on rows, until ``with_evidence`` counts it
    screened_out: Sequence[int] = ()  # columns that a screen took from the method
    # The tests of the selected columns without a cut, by column; None if they cannot be tested, and are ordered by
    # their position in the table.
    rank_tests: Mapping[int, RankTest] | None = field(default_factory=dict)

    @property
    def selection(self) -> SelectionOptions:
        """What was to be selected; the number of features is settled."""
        return self.prepared.selection

    @property
    def method(self) -> Method:
        return self.prepared.selection.method

    @property
    def discretization(self) -> DiscretizationOptions:
        return self.prepared.discretization

    @property
    def evidence_from_counts(self) -> CountEvidence:
        """The evidence. ``with_evidence`` must have completed it."""
        assert self.evidence is not None
        return self.evidence

    @property
    def takes_missing(self) -> bool:
        """Whether missing values were taken, by the method or by its discretizer."""
        return self.prepared.takes_missing

    @property
    def about_unused_bins(self) -> str:
        """How a note on bins begins if the method does not use bins; empty if it does."""
        if self.method.bins:
            return ""
        return f"once cut into bins, which {self.method.name} does not use, "

    def fitted_attribute(self, name: str, default: Any = None) -> Any:
        """A fitted attribute that this method alone sets, such as ``upper_bound_``."""
        return self.result.extras.get(name, default)
