"""What a selection does not take where the target is a time to an event."""

from __future__ import annotations

from bitsieve.dataset.dataset import Dataset
from bitsieve.diagnostics import UserError
from bitsieve.discretization.mdl import needs_classes_to_cut
from bitsieve.information import ANY_EFFECT, check_survival_estimator
from bitsieve.methods.by_counts.stopping import make_stopping
from bitsieve.methods.method import Method
from bitsieve.options import DiscretizationOptions
from bitsieve.pipeline.selection_options import SelectionOptions


def check_survival(table: Dataset, selection: SelectionOptions, discretization: DiscretizationOptions) -> None:
    """Refuse a method, an estimator, a stopping rule or bins that do not take a time to an event as the target."""
    if table.target.kind != "survival":
        return
    check_survival_of_method(selection.method, selection.estimator, discretization)
    check_effect_of_survival(selection.effect)
    if selection.stopping is not None and not make_stopping(selection.stopping).takes_survival:
        raise UserError(
            code="survival-not-supported",
            message=f"stopping rule {make_stopping(selection.stopping).name!r} does not take a time to an event",
            advice="use {stopping}",
            fix={"stopping": "significance"},
        )


def check_effect_of_survival(effect: str) -> None:
    """Refuse a common effect of the strata: a time to an event has no other."""
    if effect != ANY_EFFECT:
        raise UserError(
            code="survival-not-supported",
            message="is for classes, and a time to an event has one effect in all strata",
            advice="leave it out",
            parameters={"effect": effect},
        )


def check_survival_of_method(method: Method, estimator: str, discretization: DiscretizationOptions) -> None:
    """Refuse a method, an estimator or bins that do not take a time to an event as the target."""
    if not method.takes_survival:
        raise UserError(
            code="survival-not-supported",
            message=f"method {method.name!r} does not take a time to an event",
            advice="use a greedy method such as mim, mrmr, jmi, cmim or cmi",
        )
    if isinstance(discretization.binning, str) and discretization.binning == "mdl":
        raise needs_classes_to_cut()
    check_survival_estimator(estimator)
