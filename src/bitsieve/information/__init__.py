"""Bits from tables: entropies and mutual informations of features and a class, by four estimators."""

from __future__ import annotations

from collections.abc import Sequence

from bitsieve.counts.source import CountSource
from bitsieve.diagnostics import ParameterError
from bitsieve.information.protocol import ANY_EFFECT as ANY_EFFECT
from bitsieve.information.protocol import COMMON as COMMON
from bitsieve.information.protocol import Information, UndefinedQuantityError
from bitsieve.utils.lazy import ClassesByName
from bitsieve.utils.messages import advice_on_choice, nearest_in

ESTIMATORS: ClassesByName[Information] = ClassesByName(
    {
        "plug-in": "bitsieve.information.plug_in:PlugInInformation",
        "corrected": "bitsieve.information.corrected:CorrectedInformation",
        "miller-madow": "bitsieve.information.plug_in:MillerMadowInformation",
        "shrinkage": "bitsieve.information.shrinkage:ShrinkageInformation",
    }
)
#: The estimators of information within strata, by the effect: any, or one that the strata have in common.
ESTIMATORS_OF_EFFECT: dict[str, ClassesByName[Information]] = {
    ANY_EFFECT: ClassesByName(
        {
            "plug-in": "bitsieve.information.within_strata:PlugInWithinStrata",
            "corrected": "bitsieve.information.within_strata:CorrectedWithinStrata",
            "miller-madow": "bitsieve.information.within_strata:MillerMadowWithinStrata",
        }
    ),
    COMMON: ClassesByName(
        {
            "plug-in": "bitsieve.information.common_effect:PlugInCommonEffect",
            "corrected": "bitsieve.information.common_effect:CorrectedCommonEffect",
        }
    ),
}
SURVIVAL_ESTIMATORS: ClassesByName[Information] = ClassesByName(
    {
        "plug-in": "bitsieve.information.survival:SurvivalInformation",
        "corrected": "bitsieve.information.survival:CorrectedSurvivalInformation",
    }
)


def check_estimator(estimator: str, *, conditions_on_sets: bool = False, also: Sequence[str] = ()) -> None:
    """Refuse a name that is neither an estimator's nor in ``also``, or of one that does not condition on sets."""
    if not isinstance(estimator, str) or estimator not in (*ESTIMATORS, *also):
        names = [*ESTIMATORS, *also]
        raise ParameterError(
            "estimator",
            estimator,
            advice_on_choice(str(estimator), names),
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
    """The information quantities of ``source`` by an estimator of that name, whatever the strata of the samples."""
    check_estimator(estimator)
    if "survival" in source.capabilities:
        check_survival_estimator(estimator)
        return SURVIVAL_ESTIMATORS[estimator](source)
    return ESTIMATORS[estimator](source)


def information_of(estimator: str, source: CountSource, effect: str = ANY_EFFECT) -> Information:
    """The information quantities of ``source``, within the strata of its samples if these lie in several.

    In a single stratum any effect is that of all samples.
    """
    if source.n_strata <= 1 and effect == ANY_EFFECT:
        return make_information(estimator, source)
    return make_information_within_strata(estimator, source, effect)


def make_information_within_strata(estimator: str, source: CountSource, effect: str = ANY_EFFECT) -> Information:
    """The information quantities of ``source`` given the strata of its samples, by an estimator of that name.

    With ``effect`` "common" they are those of the effect that all strata have in common.
    """
    check_estimator(estimator)
    check_estimator_of_effect(estimator, effect)
    return ESTIMATORS_OF_EFFECT[effect][estimator](source)


def check_estimator_of_effect(estimator: str, effect: str) -> None:
    """Refuse an estimator that is not defined within strata for this effect."""
    estimators = ESTIMATORS_OF_EFFECT[effect]
    if estimator not in estimators:
        quantity = "an effect that all strata have in common" if effect == COMMON else "information within strata"
        raise UndefinedQuantityError(
            code="undefined-quantity",
            message=f"is not defined for {quantity}",
            advice=f"use {' or '.join(map(repr, estimators))}",
            parameters={"estimator": estimator},
        )


def check_survival_estimator(estimator: str) -> None:
    """Refuse an estimator that is not defined where the target is a time to an event."""
    if estimator not in SURVIVAL_ESTIMATORS:
        raise UndefinedQuantityError(
            code="undefined-quantity",
            message="is not defined where the target is a time to an event",
            advice="use 'corrected' or 'plug-in'",
            parameters={"estimator": estimator},
        )
