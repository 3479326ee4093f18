"""Bits from tables: entropies and mutual informations of features and a class, by three estimators."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bitsieve.common.messages import ParameterError, Sentence, Setting, choices
from bitsieve.information.miller_madow import MillerMadowInformation
from bitsieve.information.plug_in import PlugInInformation
from bitsieve.information.protocol import Information, PairInformation, UndefinedQuantityError
from bitsieve.information.shrinkage import ShrinkageInformation

if TYPE_CHECKING:
    from bitsieve.counts.source import CountSource

ESTIMATORS: dict[str, type[Information]] = {
    kind.estimator: kind for kind in (PlugInInformation, MillerMadowInformation, ShrinkageInformation)
}


def check_estimator(estimator: str, *, conditions_on_sets: bool = False) -> None:
    """Refuse a name that no estimator has, or one that cannot do what is needed of it.

    Parameters
    ----------
    estimator : str
    conditions_on_sets : bool
        Whether information conditional on several features together will be asked for.

    Raises
    ------
    ValueError
        The message lists the names that would do.
    """
    if not isinstance(estimator, str) or estimator not in ESTIMATORS:
        raise ParameterError("estimator", estimator, choices(str(estimator), ESTIMATORS), "is not known")
    if conditions_on_sets and not ESTIMATORS[estimator].conditions_on_sets:
        able = [repr(name) for name, kind in ESTIMATORS.items() if kind.conditions_on_sets]
        why = " shrinks tables of two features and the class, but this criterion conditions on more: use "
        raise UndefinedQuantityError(Sentence(Setting("estimator", estimator), why, " or ".join(able)))


def make_information(estimator: str, source: CountSource) -> Information:
    """The information quantities of ``source`` by an estimator: "plug-in", "miller-madow" or "shrinkage".

    Raises
    ------
    ValueError
        If there is no estimator of that name.
    """
    check_estimator(estimator)
    return ESTIMATORS[estimator](source)


__all__ = [
    "ESTIMATORS",
    "Information",
    "PairInformation",
    "PlugInInformation",
    "UndefinedQuantityError",
    "check_estimator",
    "make_information",
]
