"""The binning by default: what it is follows from the target."""

from __future__ import annotations

from typing import Any, Self, cast

from bitsieve.common.messages import Sentence, Setting
from bitsieve.data.binning.base import Binning
from bitsieve.data.binning.equal import EqualFrequencyBinning
from bitsieve.data.binning.mdl import MDLBinning
from bitsieve.data.table import Table, TableInMemory


class AutoBinning(Binning):
    """Cuts by description length for classes; for a quantity, ``max(3, N^(1/5)) + 1`` bins of equal frequency."""

    requires = "classes"

    def __init__(
        self, *, n_bins: int | None = None, uncut: str | None = None, missing: str = "error", n_jobs: int | None = None
    ) -> None:
        self.n_bins = n_bins
        self.uncut = uncut
        self.missing = missing
        self.n_jobs = n_jobs

    def for_table(self, table: Table) -> Binning:
        allowed = table.target.n_allowed if table.has_target else 0
        shared: Any = {"missing": self.missing, "n_jobs": self.n_jobs}
        if allowed:
            self._refuse("uncut", "quantile", "a quantity", "mdl")
            return EqualFrequencyBinning(n_bins=self.n_bins or allowed + 1, uncut="apart", **shared)
        self._refuse("n_bins", "mdl", "classes", "quantile")
        return MDLBinning(uncut=self.uncut or "leave", **shared)

    def fit_table(self, table: TableInMemory) -> Self:
        return cast("Self", self.for_table(table).fit_table(table))  # what it becomes, fitted

    def _refuse(self, parameter: str, rule: str, target: str, other: str) -> None:
        """Refuse a parameter that the rule does not have."""
        if getattr(self, parameter) is not None:
            here = Setting("binning", rule), f", the rule for {target}: leave it out, or use "
            raise ValueError(Sentence(Setting(parameter), " has no meaning with ", *here, Setting("binning", other)))
