"""Base of the selectors on integer tables: bin, count, choose."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from bitsieve.common.parameters import check_threads, made_by
from bitsieve.data.binning import make_binner
from bitsieve.engines.in_parts import TableInParts
from bitsieve.information import Information
from bitsieve.information.evidence import carries_information
from bitsieve.selectors.fitting import Counted, Fitted, count_table, fit_counted, overlaps, tells_nothing
from bitsieve.selectors.incremental import IncrementalSelector
from bitsieve.selectors.shared_attributes import OF_ALL, OF_COUNTS

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from bitsieve.common.parameters import Rule
    from bitsieve.data.table import Table
    from bitsieve.engines.in_parts import TableInParts
    from bitsieve.information import Information
    from bitsieve.methods.found import Found


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
        if self.described and self.described[0].run is not None:
            fitted = fit_counted(self.described[0], counted, self.n_features_to_select, self._parameters())
            return self._keep_fitted(counted.table, fitted)
        self._check_parameters()
        return self._fit_counted(counted, self._wanted(counted.table))

    def _fit_table(self, table: Table | TableInParts) -> Self:
        if self.described and self.described[0].run is not None:
            return super()._fit_table(table)
        wanted = self._wanted(table)
        return self._fit_counted(count_table(table, self.binning, self.n_jobs), wanted)

    def _keep_fitted(self, table: Table | TableInParts, fitted: Fitted) -> Self:
        counted = fitted.counted
        assert counted is not None
        self._counts = getattr(counted.table, "counts", None)
        return self._keep(
            table,
            fitted.found,
            binner_=counted.binner,
            relevance_=fitted.relevance,
            overlap_with_=fitted.overlap_with,
            overlap_=fitted.overlap,
            informative_=fitted.informative,
        )

    def _fit_counted(self, counted: Counted, wanted: Any) -> Self:
        information = counted.estimated(self.estimator)
        found = self._choose(information, wanted).with_last(
            getattr(counted.table, "blank", ()), counted.table.n_features
        )
        nearest, overlap = overlaps(information, found.selected)
        informative = carries_information(counted.information, found.selected)
        return self._keep_fitted(
            counted.table, Fitted(found, counted, information.relevance, nearest, overlap, informative)
        )

    def _doubts(self) -> list[str]:
        return tells_nothing(self.relevance_[self.selected_], self.informative_)

    def _choose(self, information: Information, k: Any) -> Found:
        """What the method finds, of so many features to select."""
        raise NotImplementedError
