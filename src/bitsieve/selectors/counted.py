"""Selectors on integer tables: bin, count, choose. What is counted once can serve several of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from bitsieve.common.parameters import check_threads, made_by
from bitsieve.common.progress import phase
from bitsieve.common.ties import TIE
from bitsieve.data.binning import binner_of, make_binner
from bitsieve.data.binning.categorical import known_arities
from bitsieve.engines import make_source
from bitsieve.engines.in_parts import TableInParts
from bitsieve.information import Information, make_information
from bitsieve.information.evidence import carries_information
from bitsieve.selectors.incremental import IncrementalSelector
from bitsieve.selectors.shared_attributes import OF_ALL, OF_COUNTS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from bitsieve.common.parameters import Rule
    from bitsieve.data.binning.base import Binner
    from bitsieve.data.table import Table
    from bitsieve.selectors.found import Found


@dataclass(frozen=True)
class Counted:
    """A table that is binned and packed for counting.

    Attributes
    ----------
    table : Table or TableInParts
    binner : Binner
        Fitted on it.
    information : Information
        The plug-in one. Keeps what was counted, so that a second method does not count it again.
    """

    table: Table | TableInParts
    binner: Binner
    information: Information
    _estimated: dict[str, Information] = field(default_factory=dict, repr=False, compare=False)

    def estimated(self, estimator: str) -> Information:
        """The information by an estimator, from the same counts; made once."""
        if estimator == self.information.estimator:
            return self.information
        if estimator not in self._estimated:
            self._estimated[estimator] = make_information(estimator, self.information.source)
        return self._estimated[estimator]


def count_table(table: Table | TableInParts, binning: Any, n_jobs: int | None = None) -> Counted:
    """Bin the columns of a table and pack their codes."""
    if isinstance(table, TableInParts):
        coding, source = table.count(make_binner(binning, n_jobs=n_jobs))
        return Counted(table, coding.binner, make_information("plug-in", source))
    return count_binned(table, binner_of(table, binning, n_jobs).fit_table(table), n_jobs)


def count_binned(table: Table, binner: Binner, n_jobs: int | None = None) -> Counted:
    """Pack the codes that a binner gives which was fitted on the table."""
    codes = binner.codes(table)
    phase("counting")
    target = table.target
    source = make_source(
        codes,
        target.codes,
        n_classes=target.n_classes,
        weights=table.weights,
        arities=known_arities(binner),
        n_jobs=n_jobs,
    )
    source.search = binner.search(table)
    return Counted(table, binner, make_information("plug-in", source))


class CountSelector(IncrementalSelector):
    """Base of the selectors on integer tables; a subclass chooses columns from counts."""

    parameter_rules: ClassVar[Mapping[str, Rule]] = {"binning": made_by(make_binner), "n_jobs": check_threads}
    shared_attributes: ClassVar[Mapping[str, str]] = {**OF_ALL, **OF_COUNTS}
    takes_parts = True
    takes_sparse: ClassVar[bool] = True
    relevance_: NDArray[np.float64]
    informative_: NDArray[np.bool_]
    estimator: str = "plug-in"  # of the information; a parameter where a subclass has it

    def fit_counted(self, counted: Counted) -> Self:
        """Choose features from a table that is binned and packed already; ``binning`` and ``n_jobs`` have no part.

        Parameters
        ----------
        counted : Counted

        Returns
        -------
        self
        """
        self._check_parameters()
        return self._fit_counted(counted, self._wanted(counted.table))

    def _fit_table(self, table: Table | TableInParts) -> Self:
        wanted = self._wanted(table)
        return self._fit_counted(count_table(table, self.binning, self.n_jobs), wanted)

    def _fit_counted(self, counted: Counted, wanted: Any) -> Self:
        self._counts = getattr(counted.table, "counts", None)
        information = counted.estimated(self.estimator)
        found = self._choose(information, wanted).with_last(
            getattr(counted.table, "blank", ()), counted.table.n_features
        )
        overlap_with, overlap = overlaps(information, found.selected)
        return self._keep(
            counted.table,
            found,
            binner_=counted.binner,
            relevance_=information.relevance,
            overlap_with_=overlap_with,
            overlap_=overlap,
            informative_=carries_information(counted.information, found.selected),
        )

    def _doubts(self) -> list[str]:
        return tells_nothing(self.relevance_[self.selected_], self.informative_)

    def _choose(self, information: Information, k: Any) -> Found:
        """What the method finds, of so many features to select."""
        raise NotImplementedError


def tells_nothing(relevance: NDArray[np.float64], informative: NDArray[np.bool_]) -> list[str]:
    """A note where no selected column tells anything about the class, alone or with another."""
    k = len(relevance)
    if not k or informative.any() or relevance.max() > TIE:
        return []
    what = "column tells" if k == 1 else f"{k:,} columns tell"
    return [f"the selected {what} nothing about the class (relevance 0): any other would do as well"]


def overlaps(information: Information, selected: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """For every selected feature, the one chosen before it with the largest I(Xi;Xs), and that information.

    The first has none: -1 and nan.
    """
    nearest, overlap = np.full(len(selected), -1, np.intp), np.full(len(selected), np.nan)
    if len(selected) > 1:
        shared = information.redundancies(selected)
        shared[np.triu_indices(len(selected))] = -np.inf
        places = shared.argmax(axis=1)[1:]
        nearest[1:], overlap[1:] = selected[places], shared[np.arange(1, len(selected)), places]
    return nearest, overlap
