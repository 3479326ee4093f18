"""What rules share that refuse a candidate whose p exceeds a level."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from bitsieve.information.protocol import ConditionalInformation
from bitsieve.methods.by_counts.stopping.independence import chi_squared_tails, hopeful_tails
from bitsieve.methods.by_counts.stopping.single import SingleStopping
from bitsieve.utils.arrays import Columns, Floats


@dataclass(frozen=True)
class LevelStopping(SingleStopping):
    """Refuses a candidate whose corrected p exceeds a level."""

    unit: ClassVar[str] = "p"
    level: float = 0.05

    def screen(
        self, conditional: ConditionalInformation, columns: Columns, n_candidates: int, compares_best: bool
    ) -> Floats:
        """Tails of chi-squared; p of a search is the rank of the tail among the least tails after shuffles."""
        if compares_best:
            return chi_squared_tails(conditional, columns)
        return hopeful_tails(conditional, columns, self.level / n_candidates)

    def stops(self, value: float) -> bool:
        """Whether p exceeds the level."""
        return value > self.level

    def reason(self, value: float, basis: str = "") -> str:
        """``p = 0.31 > 0.05``, and how p was found."""
        comparison = f"p = {value:.2g} > {self.level:g}"
        return f"{comparison} ({basis})" if basis else comparison
