"""What a stopping rule is, and what it reports when a greedy selection has ended."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, NamedTuple, Protocol

import numpy as np

from bitsieve.information.protocol import Information
from bitsieve.methods.method import CONDITIONED
from bitsieve.utils.arrays import Columns, Floats
from bitsieve.utils.choice import Monitor


class StoppingOutcome(NamedTuple):
    """What a stopping rule measured in a selection of k candidates, and the candidate that it refused at the end.

    Attributes
    ----------
    values : ndarray of shape (k,)
        The value of each selected candidate by the rule, such as a p-value; nan where it was not tested.
    refused : int or None
        The candidate that would have been selected next; None if the selection did not end by a refusal.
    value : float
        The value of the refused candidate.
    basis : str
        How that value was computed, if not in the usual way: "by shuffles: a cell expects fewer than 5 samples".
    only_constants_left : bool
        Whether the selection ended because only constant columns were left.
    neighbours : sequence of ndarray, or None
        The candidates given which each selected one was tested; None for a rule that tests given all selected ones.
    untested : ndarray or None
        Candidates without a test, because the candidates given which they would be tested determine them.
    """

    values: Floats
    refused: int | None = None
    value: float = np.nan
    basis: str = ""
    only_constants_left: bool = False
    neighbours: Sequence[Columns] | None = None
    untested: Columns | None = None


class StoppingMonitor(Monitor, Protocol):
    """A stopping rule at work on one selection."""

    def outcome(self) -> StoppingOutcome:
        """What the rule has measured until now."""


class StoppingRule(ABC):
    """Says when a greedy selection has enough columns. A rule is a frozen dataclass whose fields are its parameters."""

    #: The name of the rule, as in ``ForwardSelector(stopping=name)``.
    name: ClassVar[str]
    #: The unit of its values: "p", "rate" or "bits".
    unit: ClassVar[str]
    #: What the rule requires of the data.
    required_capabilities: ClassVar[frozenset[str]] = CONDITIONED
    #: Whether the target may be a time to an event.
    takes_survival: ClassVar[bool] = False
    #: Whether the rule compares with chance.
    is_test: ClassVar[bool] = True
    #: Whether the rule can be asked about an effect that all strata have in common.
    takes_common_effect: ClassVar[bool] = False
    #: Whether the rule names the next candidate even if it accepted none at all.
    orders_refused_columns: ClassVar[bool] = True
    #: Whether the rule takes codes for numbers, so that the order of categories matters.
    takes_codes_for_numbers: ClassVar[bool] = False
    #: What may be concluded of each selected column; None for a rule that controls no rate of errors.
    conclusion: ClassVar[str | None] = None

    @property
    def assumes_positive_dependence(self) -> bool:
        """Whether the rate of errors holds only if columns depend on each other positively."""
        return False

    def default_bins(self, n_samples: int) -> int | None:
        """How many bins of equal frequency a column has if the user chose no binning.

        None, the default, keeps the bins that a selection without a rule has.
        """
        return None

    @abstractmethod
    def stops(self, value: float) -> bool:
        """Whether the rule refuses a candidate with that value."""

    @abstractmethod
    def reason(self, value: float, basis: str = "") -> str:
        """Why the rule refuses a candidate with that value, in a few words: ``p = 0.31 > 0.05``."""

    @abstractmethod
    def monitor(self, information: Information) -> StoppingMonitor:
        """Make a monitor, which applies the rule to one selection."""
