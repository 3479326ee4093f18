"""Bits from tables: entropies and mutual informations of features and a class, by four estimators."""

from __future__ import annotations

from collections.abc import Sequence

from bitsieve.counts.source import CountSource
from bitsieve.diagnostics import ParameterError
from bitsieve.information.corrected import CorrectedInformation
from bitsieve.information.plug_in import MillerMadowInformation, PlugInInformation
from bitsieve.information.protocol import Information, UndefinedQuantityError
from bitsieve.information.shrinkage import ShrinkageInformation
from bitsieve.utils.messages import choices, nearest_in

ESTIMATORS: dict[str, type[Information]] = {
    kind.estimator: kind
    for kind in (PlugInInformation, CorrectedInformation, MillerMadowInformation, ShrinkageInformation)
}


def check_estimator(estimator: str, *, conditions_on_sets: bool = False, also: Sequence[str] = ()) -> None:
    """Refuse a name that is neither an estimator's nor in ``also``, or of one that does not condition on sets."""
    if not isinstance(estimator, str) or estimator not in (*ESTIMATORS, *also):
        names = [*ESTIMATORS, *also]
        raise ParameterError(
            "estimator",
            estimator,
            choices(str(estimator), names),
            "is not known",
            code="unknown-name",
            fix=nearest_in("estimator", estimator, names),
        )
    if conditions_on_sets and not ESTIMATORS[estimator].conditions_on_sets:
        able = [repr(name) for name, kind in ESTIMATORS.items() if kind.conditions_on_sets]
        raise UndefinedQuantityError(
            code="undefined-quantity",
            message="shrinks tables of two features and the class, but this criterion conditions on more",
            advice=f"use {' or '.join(able)}",
            parameters={"estimator": estimator},
        )


def make_information(estimator: str, source: CountSource) -> Information:
    """The information quantities of ``source`` by an estimator of that name."""
    check_estimator(estimator)
    return ESTIMATORS[estimator](source)
