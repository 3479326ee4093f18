"""Bits from tables: entropies and the mutual informations of pairs of features, by three estimators."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bitsieve.common.errors import ParameterError
from bitsieve.common.messages import choices
from bitsieve.information.miller_madow import MillerMadowInformation
from bitsieve.information.pairwise import PairTerms, PairwiseInformation
from bitsieve.information.shrinkage import ShrinkageInformation

if TYPE_CHECKING:
    from bitsieve.counts.source import CountSource

ESTIMATORS: dict[str, type[PairwiseInformation]] = {
    kind.estimator: kind for kind in (PairwiseInformation, MillerMadowInformation, ShrinkageInformation)
}


def check_estimator(estimator: str) -> None:
    """Refuse a name that no estimator has.

    Raises
    ------
    ValueError
        The message lists the names.
    """
    if not isinstance(estimator, str) or estimator not in ESTIMATORS:
        raise ParameterError("estimator", estimator, choices(str(estimator), ESTIMATORS), "is not known;")


def make_information(estimator: str, source: CountSource) -> PairwiseInformation:
    """The information quantities of ``source`` by an estimator: "plug-in", "miller-madow" or "shrinkage".

    Raises
    ------
    ValueError
        If there is no estimator of that name.
    """
    check_estimator(estimator)
    return ESTIMATORS[estimator](source)


__all__ = ["ESTIMATORS", "PairTerms", "PairwiseInformation", "check_estimator", "make_information"]
