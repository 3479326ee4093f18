"""What the stopping rules by knockoffs share: the filter of one draw or several."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import ClassVar

import numpy as np

from bitsieve.methods.by_counts.dependent.knockoffs import e_values
from bitsieve.methods.by_counts.stopping.lists import BENJAMINI_HOCHBERG, ListStopping, adjusted
from bitsieve.utils.arrays import Floats
from bitsieve.utils.parameters import check_integer, check_level

SHARE_OF_LEVEL = 0.8  # that the filter of each of several draws has; any share keeps the rate


@dataclass(frozen=True)
class KnockoffFilter(ListStopping):
    """A rule that takes the columns which beat their knockoffs in the mean over draws."""

    orders_refused_columns: ClassVar[bool] = False  # where none was accepted all rates are 1
    n_draws: int = 1
    random_state: int = 0

    def __post_init__(self) -> None:
        check_level(self.level)
        check_integer("n_draws", self.n_draws, 1, 10**4)
        check_integer("random_state", self.random_state, 0, 2**32 - 1)

    @property
    def level_of_a_draw(self) -> float:
        """The level of the filter that gives the e-values of one draw."""
        return SHARE_OF_LEVEL * self.level if self.n_draws > 1 else self.level

    @property
    def min_columns(self) -> int:
        """The smallest number of columns that a draw takes, if it takes any."""
        return ceil(1 / self.level_of_a_draw)

    def rates_of_wins(self, wins: Floats) -> Floats:
        """``n / (k e)`` of the k-th largest e-value e, at most 1, for every column of W."""
        e = e_values(wins, self.level_of_a_draw)
        return adjusted(1 / np.maximum(e, 1), BENJAMINI_HOCHBERG)

    def reason(self, value: float, basis: str = "") -> str:
        """The rate and the level, and how many columns a draw takes at least."""
        return f"{super().reason(value)} (knockoffs select at least {self.min_columns:,} columns, or none)"
