"""What a stopping rule is: a value of the step's conditional information, and when it is no longer enough."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Protocol

if TYPE_CHECKING:
    from bitsieve.information.conditional import ConditionalInformation


class StoppingRule(Protocol):
    """Accepts or refuses the candidate that a criterion would take next, by I(Xi;C|S).

    Attributes
    ----------
    name : str
    unit : str
        Of the value: "p" or "bits".
    """

    name: ClassVar[str]
    unit: ClassVar[str]

    def value(self, given: ConditionalInformation, candidate: int, n_candidates: int) -> float:
        """What the rule looks at: of ``n_candidates`` that were tried, the criterion prefers ``candidate``."""

    def stops(self, value: float) -> bool:
        """Whether a candidate of that value is refused, and the selection with it ended."""

    def reason(self, value: float) -> str:
        """Why, in a few words: ``p = 0.31 > 0.05``."""
