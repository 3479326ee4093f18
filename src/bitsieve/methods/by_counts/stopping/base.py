"""What a stopping rule is, and what it reports when a greedy selection has ended."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np

from bitsieve.information.protocol import Information
from bitsieve.methods.method import CONDITIONED
from bitsieve.utils.arrays import Columns, Floats
from bitsieve.utils.choice import Monitor


@dataclass(frozen=True, kw_only=True)
class StoppingOutcome:
    """What a stopping rule measured, by candidate."""

    values: Floats  # of every choice, shape (k,); nan where it was not tested
    refused: int | None = None  # the candidate next in line where the rule accepted none that was left
    value: float = np.nan  # of that candidate
    how: str = ""  # how that value was found, where there is something to say
    exhausted: bool = False  # whether only constant columns were left
    neighbours: Sequence[Columns] | None = None  # that every choice was tested given, of rules that say so
    untested: Columns | None = None  # columns that are determined by their neighbours, so that no test is possible


class StoppingMonitor(Monitor, Protocol):
    """A stopping rule at work on one selection."""

    def outcome(self) -> StoppingOutcome:
        """What was measured."""


class StoppingRule(ABC):
    """Says when a greedy selection has enough columns. A rule is a frozen dataclass whose fields are its parameters."""

    name: ClassVar[str]  # as in `ForwardSelector(stopping=name)`
    unit: ClassVar[str]  # of its values: "p", "rate" or "bits"
    required_capabilities: ClassVar[frozenset[str]] = CONDITIONED  # of the data
    orders_refused_columns: ClassVar[bool] = True  # even where no column was accepted
    conclusion: ClassVar[str | None] = None  # what is true of each selected column, of a rule with a rate of errors

    @property
    def assumes_positive_dependence(self) -> bool:
        """Whether its rate holds only where columns depend on each other positively."""
        return False

    def default_bins(self, n_samples: int) -> int | None:
        """How many bins of equal frequency a column has if the user chose no binning.

        None, the default, keeps the bins that a selection without a rule has.
        """
        return None

    @abstractmethod
    def stops(self, value: float) -> bool:
        """Whether a candidate of that value is refused."""

    @abstractmethod
    def reason(self, value: float, how: str = "") -> str:
        """Why it is refused, in a few words: ``p = 0.31 > 0.05``."""

    @abstractmethod
    def monitor(self, information: Information) -> StoppingMonitor:
        """The rule at work on one selection."""
