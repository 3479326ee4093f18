"""Base of the selectors on samples."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from bitsieve.selectors.base import ColumnSelector
from bitsieve.selectors.sampled import repeated

if TYPE_CHECKING:
    from bitsieve.data.table import Table
    from bitsieve.methods.found import Found


class SampleSelector(ColumnSelector):
    """Base of the selectors on samples that have a method ``_choose`` in place of a function."""

    def _fit_table(self, table: Table) -> Self:
        wanted = self._wanted(table)
        return self._keep(table, self._choose(repeated(table), wanted))

    def _choose(self, table: Table, k: Any) -> Found:
        """What the method finds in a table without weights, of so many features to select."""
        raise NotImplementedError
