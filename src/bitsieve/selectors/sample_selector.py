"""Base of the selectors on samples."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self

from bitsieve.common.parameters import FeatureCount, check_parameters
from bitsieve.selectors.base import ColumnSelector
from bitsieve.selectors.sampled import repeated

if TYPE_CHECKING:
    from bitsieve.data.table import Table
    from bitsieve.methods.found import Found


class SampleSelector(ColumnSelector):
    """Base of the selectors on samples that have a method ``_choose`` in place of a function."""

    feature_count: ClassVar[FeatureCount] = FeatureCount()

    def _check_parameters(self) -> None:
        check_parameters(self)

    def _needs(self) -> frozenset[str]:
        return self.requires

    def _fit_table(self, table: Table) -> Self:
        wanted = self.feature_count.among(self.n_features_to_select, table.n_features)
        found = self._choose(repeated(table), wanted)
        return self._keep(table, found.with_last(getattr(table, "blank", ()), table.n_features))

    def _choose(self, table: Table, k: Any) -> Found:
        """What the method finds in a table without weights, of so many features to select."""
        raise NotImplementedError
