"""The options of a call of ``select`` as plain values that a file can hold, and the options again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, NamedTuple

from bitsieve.diagnostics import UserError
from bitsieve.discretization.registry import RULES
from bitsieve.methods.by_counts.stopping import STOPPING_RULES
from bitsieve.methods.constraints import Constraints
from bitsieve.options import (
    FREQUENCY,
    ColumnOptions,
    DiscretizationOptions,
    ReadOptions,
    SurvivalOptions,
    survival_options,
)
from bitsieve.pipeline.fit import Fit
from bitsieve.pipeline.selection_options import SelectionOptions
from bitsieve.results.saved.schema import ObjectOption, Option
from bitsieve.results.saved.values import option_of

MAX_NAMES = 1000  # of target columns; a longer list is one of values
#: The parameters of ``select`` that are no parameters of a method.
_PARAMETERS_OF_SELECT = {
    *(item.name for item in fields(ReadOptions)),
    *(item.name for item in fields(DiscretizationOptions)),
    *(item.name for item in fields(ColumnOptions)),
    *(item.name for item in fields(SurvivalOptions)),
    "n_features_to_select",
    "screen",
}


class Call(NamedTuple):
    """The options of a call of ``select``, those of its execution aside."""

    read: ReadOptions
    discretization: DiscretizationOptions
    selection: SelectionOptions


def options_of_call(fit: Fit, read: ReadOptions) -> dict[str, Option]:
    """The options by their names, with the defaults of the method's parameters and of the number of features."""
    selection = fit.selection
    discretization = fit.prepared.requested_discretization
    values: dict[str, object] = {
        "target": _name_of(read.target),
        "sample_weight": _name_of(read.sample_weight),
        "weight_kind": read.weight_kind,
        "groups": _name_of(read.groups),
        "strata": _name_of(read.strata),
        "method": fit.method.name,
        "n_features_to_select": selection.n_features_to_select,
        "include": list(selection.columns.include),
        "exclude": list(selection.columns.exclude),
        "identifiers": selection.columns.identifiers,
        "screen": selection.screen,
        "binning": discretization.binning,
        "n_bins": discretization.n_bins,
        "uncut": discretization.uncut,
        "missing": discretization.missing,
        "target_bins": read.target_bins,
        "target_kind": read.target_kind,
        "drop_missing_target": read.drop_missing_target,
        "header": read.header,
        "repair": read.repair,
        "column_types": read.column_types or {},
        **fit.method.parameters,
        **selection.requested,
    }
    if discretization.bins_within:
        values["bins_within"] = True
    if read.survival is not None:
        survival = read.survival
        values["duration"] = _name_of(survival.duration)
        values["event"] = _name_of(survival.event)
        values["entry"] = _name_of(survival.entry)
        values["n_intervals"] = survival.n_intervals
    return {name: option_of(value) for name, value in values.items()}


def call_of_options(
    saved_options: Mapping[str, Option], parameters: Mapping[str, Option], memory: int | str | None
) -> Call:
    """The options again from what :func:`options_of_call` has made of them.

    ``parameters`` are those of the options that the user gave, and ``memory`` is what the method may take now.

    Raises
    ------
    UserError
        If weights, groups or strata were values, or an option is an object of a class of the user's own.
    """
    for name in ("sample_weight", "groups", "strata"):
        if name in parameters and saved_options[name] is None:
            raise UserError(
                code="options-not-saved",
                message=f"{name} was given to the selection as values, which its file does not hold",
                advice="make it a column of the data, and select again",
            )
    if "duration" in saved_options and saved_options["duration"] is None:
        raise UserError(
            code="options-not-saved",
            message="the times to an event were given to the selection as values, which its file does not hold",
            advice="make them columns of the data, and select again",
        )
    options = {name: _option_again(name, option) for name, option in saved_options.items()}
    read = ReadOptions(
        target=options["target"],
        survival=survival_options(
            None,
            options.get("duration"),
            options.get("event"),
            options.get("entry"),
            options.get("n_intervals", 1),
        ),
        sample_weight=options["sample_weight"],
        weight_kind=options.get("weight_kind", FREQUENCY),  # files of schema 1 have weights of this kind only
        groups=options["groups"],
        strata=options.get("strata"),  # files of schema 1 to 4 have none
        target_kind=options["target_kind"],
        target_bins=options["target_bins"],
        drop_missing_target=options["drop_missing_target"],
        header=options["header"],
        repair=options["repair"],
        column_types=options["column_types"],
        exclude=options["exclude"],
    )
    discretization = DiscretizationOptions(
        binning=options["binning"],
        n_bins=options["n_bins"],
        uncut=options["uncut"],
        bins_within=options.get("bins_within", False),
        missing=options["missing"],
    )
    columns = ColumnOptions(
        include=options["include"],
        exclude=options["exclude"],
        identifiers=options["identifiers"],
    )
    selection = SelectionOptions.by_name(
        options["method"],
        {name: options[name] for name in parameters if name not in _PARAMETERS_OF_SELECT},
        n_features_to_select=options["n_features_to_select"],
        columns=columns,
        screen=options["screen"],
        memory=memory,
    )
    return Call(read=read, discretization=discretization, selection=selection)


def _name_of(column: object) -> str | list[str] | None:
    """The name of a column of the data, or of several; None for values of its own."""
    if isinstance(column, str):
        return column
    if not isinstance(column, (list, tuple)) or not 0 < len(column) <= MAX_NAMES:
        return None
    if not all(isinstance(name, str) for name in column):
        return None
    return column[0] if len(column) == 1 else list(column)


def classes_of_options() -> dict[str, Any]:
    """The classes of options that can be made again from their saved parameters, by name."""
    from bitsieve.discretization import transformers  # only here, as it loads scikit-learn
    from bitsieve.optimize.nystrom import Nystrom

    binners = (
        transformers.CategoricalBinner,
        transformers.EqualFrequencyBinner,
        transformers.EqualWidthBinner,
        transformers.MDLBinner,
        transformers.ZeroApartBinner,
    )
    classes: list[type] = [*STOPPING_RULES.values(), *RULES.values(), *binners, Constraints, Nystrom]
    return {cls.__name__: cls for cls in classes}


def _option_again(name: str, option: Option) -> Any:
    """The value of an option; an object is made again from its parameters."""
    if not isinstance(option, ObjectOption):
        return option
    classes = classes_of_options()
    if option.class_name not in classes:
        raise UserError(
            code="options-not-saved",
            message=f"{name} of the selection is an object of {option.class_name}, which its file cannot hold",
            advice="select again with an option that has a name",
        )
    parameters = {key: _option_again(key, value) for key, value in option.parameters.items()}
    return classes[option.class_name](**parameters)
