"""What a stopping rule is: a value of the step's conditional information, and when it is no longer enough."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Protocol, Self

if TYPE_CHECKING:
    from bitsieve.information.conditional import ConditionalInformation
    from bitsieve.methods.by_counts.stopping.repeated_search import RepeatedSearch


class PValue(float):
    """A probability that knows how it was found.

    Attributes
    ----------
    how : str
        A few words for a message, empty where there is nothing to say.
    """

    how: str

    def __new__(cls, value: float, how: str = "") -> Self:
        """The number, with its words."""
        made = super().__new__(cls, value)
        made.how = how
        return made


def p_reason(value: float, level: float) -> str:
    """``p = 0.31 > 0.05``, and how p was found where it knows."""
    how = value.how if isinstance(value, PValue) else ""
    return f"p = {value:.2g} > {level:g}{how and f' ({how})'}"


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

    def value(
        self,
        given: ConditionalInformation,
        candidate: int,
        n_candidates: int,
        search: RepeatedSearch | None = None,
    ) -> float:
        """What the rule looks at: of ``n_candidates`` that were tried, the criterion prefers ``candidate``.

        ``search`` is given where the codes were made with a look at the classes, and repeats that with others.
        """

    def stops(self, value: float) -> bool:
        """Whether a candidate of that value is refused, and the selection with it ended."""

    def reason(self, value: float) -> str:
        """Why, in a few words: ``p = 0.31 > 0.05``."""
