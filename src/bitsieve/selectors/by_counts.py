"""The base of the selectors whose method works on counts; they can count the rows part by part."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from typing import Any, ClassVar, Self

from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from bitsieve.diagnostics import Diagnostic
from bitsieve.discretization.base import BinningLike
from bitsieve.discretization.registry import make_binner
from bitsieve.discretization.transformers import as_transformer
from bitsieve.engines.saved_counts_dataset import SavedCountsDataset
from bitsieve.methods.method import check_capabilities
from bitsieve.options import SAMPLING
from bitsieve.pipeline.discretize import CountedTable
from bitsieve.pipeline.evidence import has_no_information
from bitsieve.pipeline.fit import Fit, StrataEvidence
from bitsieve.pipeline.notes import selection_notes
from bitsieve.pipeline.prepare import PreparedSelection
from bitsieve.pipeline.run import run, run_on_counts
from bitsieve.selectors.base import with_parameters
from bitsieve.selectors.by_method import MethodSelector
from bitsieve.selectors.descriptions import ATTRIBUTES, COUNT_ATTRIBUTES
from bitsieve.selectors.partial_counts import (
    PartialCounts,
    check_classes,
    classes_needed,
    count_part,
    frequency_weights_needed,
    partial_fit_begins_again,
    read_part,
)
from bitsieve.selectors.supervised import target_needed
from bitsieve.utils.arrays import Flags, Floats
from bitsieve.utils.defaults import BINNING
from bitsieve.utils.lazy import Lazy
from bitsieve.utils.note_warnings import warn
from bitsieve.utils.types import ColumnLike, TableLike

#: Codes of notes that say why no column was selected.
EMPTY_SELECTION_CODES = {"stopped-at", "stopped-by-rule", "nothing-left", "nothing-related", "empty-blanket"}


def _takes_codes(selector: CountSelector) -> bool:
    """True if ``partial_fit`` is available, as later rows cannot change the bins. Else AttributeError with advice."""
    if make_binner(selector.binning).requires == "codes":
        return True
    raise AttributeError(
        f"partial_fit takes codes, which later rows do not change: give the codes of a fitted binner, and "
        f"binning='none' in place of binning={selector.binning!r}"
    )


@with_parameters
class CountSelector(MethodSelector):
    """Base of the selectors by a method on counts."""

    shared_attributes: ClassVar[Mapping[str, str]] = {**ATTRIBUTES, **COUNT_ATTRIBUTES}
    relevance_: Floats = field(init=False)
    _informative: Lazy[Flags] = field(init=False)
    _partial_counts: PartialCounts | None = field(init=False, default=None)  # of the rows that partial_fit has counted

    binning: BinningLike = BINNING
    missing: str | None = None
    n_jobs: int | None = None

    def fit_counted(self, counted_table: CountedTable) -> Self:
        """Choose features by the counts of a table; ``binning`` and ``n_jobs`` have no effect on these."""
        self._check_parameters()
        counted_table.table.target.check_kind(self.target_kind)
        selection = self._selection_options()
        prepared = PreparedSelection.of_prepared_table(counted_table.table, selection, self.discretization)
        self._set_fit(run_on_counts(prepared, counted_table, self._execution()))
        return self

    @available_if(_takes_codes)  # type: ignore[untyped-decorator]  # of scikit-learn
    def partial_fit(self, X: TableLike, y: ColumnLike, classes: Any = None, sample_weight: ColumnLike = None) -> Self:
        """Count some more rows, and choose features by all that were counted.

        After each call the selector is what ``fit`` makes of all rows so far, to the last bit; a row of weight w is
        taken for w rows. Only with ``binning="none"``, on the codes of a fitted binner; not by methods such as ``cmi``,
        nor by stopping rules.

        Parameters
        ----------
        X : array-like or dataframe of shape (n_samples, n_features)
            Dense; whole numbers and categories. Values that were not there before are welcome.
        y : array-like of shape (n_samples,)
            Classes: text, or at most 100 different whole numbers. The first rows must hold two.
        classes : array-like, default=None
            All classes that may occur; another one is then refused.
        sample_weight : array-like of shape (n_samples,), default=None
            Frequency weights, as for ``fit``.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            What ``fit`` raises; or the columns are not those of the rows before.

        Warns
        -----
        BitsieveWarning
            If ``fit`` was called before, which keeps no counts of its rows.

        Notes
        -----
        Cost: the tables of all pairs of columns of these rows, which are kept: 8 bytes for every pair of codes of every
        pair of columns and every class.

        Examples
        --------
        >>> import bitsieve
        >>> selector = bitsieve.ForwardSelector(1, criterion="mrmr", binning="none")
        >>> selector.partial_fit([[0, 1], [1, 1]], ["a", "b"]).selected_.tolist()
        [0]
        >>> selector.partial_fit([[0, 0], [0, 0], [1, 1], [1, 1]], ["b", "b", "a", "a"]).selected_.tolist()
        [1]
        """
        self._check_parameters()
        earlier = self._partial_counts
        is_fitted = hasattr(self, "selected_")
        if earlier is None and is_fitted:
            warn(partial_fit_begins_again())
        if y is None:
            raise target_needed(self)
        if self.target_kind == "quantity":
            raise classes_needed()
        if sample_weight is not None and self.weight_kind == SAMPLING:
            raise frequency_weights_needed()
        table = read_part(X, y, sample_weight, classes, estimator=self, is_first=earlier is None)
        counts = count_part(table, self.discretization, self.n_jobs)
        if earlier is not None:
            counts = earlier + counts
        check_classes(counts.counts.target)
        self._select_by_counts(counts)
        self._partial_counts = counts
        self._warn()
        return self

    def _select_by_counts(self, partial_counts: PartialCounts) -> None:
        """Choose features by the counts of all rows so far."""
        counts = partial_counts.counts
        has_names = hasattr(self, "feature_names_in_")
        table = SavedCountsDataset(counts, named=has_names, identifier_candidates=partial_counts.identifier_candidates)
        table.target.check_kind(self.target_kind)
        check_capabilities(self._name_in_messages(), self._capabilities_needed(), table.capabilities)
        prepared = self._prepare(table)
        table_left = SavedCountsDataset(counts.without(list(prepared.dropped)), named=has_names)
        self._set_fit(run(replace(prepared, table=table_left), self._execution()))

    def _set_fit(self, fit: Fit) -> None:
        super()._set_fit(fit)
        self._partial_counts = None
        evidence = fit.evidence
        if evidence is None:
            return
        self.binner_ = as_transformer(evidence.binner)
        self.relevance_ = evidence.relevance
        self.overlap_with_ = evidence.overlap_with
        self.overlap_ = evidence.overlap
        self._informative = evidence.informative
        self._set_attributes_within_strata(evidence.strata)

    def _set_attributes_within_strata(self, strata: StrataEvidence | None) -> None:
        """Set the attributes that a selector has within strata only; without strata, remove those of an earlier fit."""
        if strata is None:
            self.__dict__.pop("relevance_pooled_", None)
            self.__dict__.pop("heterogeneity_", None)
            self.__dict__.pop("n_informative_rows_", None)
            return
        self.relevance_pooled_ = strata.relevance_pooled
        self.heterogeneity_ = strata.heterogeneity
        self.n_informative_rows_ = strata.n_informative_rows

    @property
    def informative_(self) -> Flags:
        """Whether each selected column is more informative than chance. Tested at the first access."""
        check_is_fitted(self, "_informative")
        return self._informative.value

    def _result_warnings(self) -> list[Diagnostic]:
        if not len(self.selected_):
            return [note for note in self.diagnostics_ if note.code in EMPTY_SELECTION_CODES]
        if has_no_information(self.relevance_[self.selected_], self._informative):
            return [selection_notes.no_information(len(self.selected_))]
        return []


@with_parameters
class StratifiedSelector(CountSelector):
    """Base of the selectors whose method takes information within strata."""

    bins_within: bool = False
