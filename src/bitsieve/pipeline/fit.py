"""What a method was run on, what it returned, and what the counts say of that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bitsieve.counts.tables import ContingencyTable
from bitsieve.dataset.dataset import Dataset
from bitsieve.discretization.base import Binning
from bitsieve.discretization.registry import make_discretizer
from bitsieve.information.evidence import Leak
from bitsieve.methods.method import Method, MethodResult
from bitsieve.options import DiscretizationOptions, ExecutionOptions
from bitsieve.pipeline.prepare import PreparedSelection
from bitsieve.pipeline.selection_options import SelectionOptions
from bitsieve.utils.arrays import Columns, Flags, Floats, Integers
from bitsieve.utils.lazy import Later


@dataclass(frozen=True, kw_only=True)
class CountEvidence:
    """What the counts say of the selected columns."""

    binner: Binning  # fitted
    relevance: Floats  # shape (n_features,): I(X;C) of every column of the table, in bits
    overlap_with: Columns  # shape (k,): the earlier selected column that shares most information; -1 for the first
    overlap: Floats  # shape (k,): that information, in bits; nan for the first
    informative: Later[Flags]  # shape (k,): whether each selected column is more informative than chance
    leaks: list[Leak]
    class_sizes: Integers  # shape (n_classes,): the sum of the weights of the rows of every class
    tables: Sequence[ContingencyTable]  # of every selected column with the class
    is_sure: bool = False  # whether no other selected column is more informative than chance


@dataclass(frozen=True, kw_only=True)
class Fit:
    """What a method was run on, what it returned, and what the counts say of that."""

    prepared: PreparedSelection
    execution: ExecutionOptions
    table: Dataset  # as the method got it
    result: MethodResult
    evidence: CountEvidence | None = None  # None for a method on rows, until it is counted for an explanation
    screened_out: Sequence[int] = ()

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
        """The evidence, which ``with_evidence`` has added where the method counts nothing itself."""
        assert self.evidence is not None
        return self.evidence

    @property
    def takes_missing(self) -> bool:
        """Whether missing values were taken, by the method or by its discretizer."""
        if self.method.takes_missing:
            return True
        if not self.method.bins or self.discretization.binning is None:
            return False
        return make_discretizer(self.discretization).takes_missing

    @property
    def about_unused_bins(self) -> str:
        """The beginning of a note on bins of a method that does not use them; empty for one that does."""
        return "" if self.method.bins else f"once cut into bins, which {self.method.name} does not use, "

    def fitted_attribute(self, name: str, default: Any = None) -> Any:
        """A fitted attribute that this method alone sets, such as ``upper_bound_``."""
        return self.result.extras.get(name, default)
