"""The plug-in estimate: entropies of the observed frequencies."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from bitsieve.counts.terms import entropy_terms
from bitsieve.information.from_sums import SumInformation

if TYPE_CHECKING:
    from bitsieve.counts.source import CountSource


class PlugInInformation(SumInformation):
    """Information quantities of the observed frequencies, in bits.

    Parameters
    ----------
    source : CountSource
    """

    estimator: ClassVar[str] = "plug-in"

    def __init__(self, source: CountSource) -> None:
        super().__init__(source, entropy_terms(source.n_samples))
