"""What was typed becomes the options of the pipeline: one function for each kind of options, for every command."""

from __future__ import annotations

import argparse
from inspect import signature
from typing import TYPE_CHECKING, Any

from bitsieve.cli.options import IN_PLACE_OF_SET
from bitsieve.diagnostics import NAME_ONLY, UserError
from bitsieve.utils.defaults import BINNING

if TYPE_CHECKING:
    from bitsieve.options import ColumnOptions, DiscretizationOptions, ExecutionOptions, ReadOptions
    from bitsieve.pipeline.selection_options import SelectionOptions


def read_options(arguments: argparse.Namespace) -> ReadOptions:
    """How the table is read; what a command has no option for is as by default."""
    from bitsieve.options import ReadOptions

    return ReadOptions(
        target=arguments.target,
        sample_weight=getattr(arguments, "weight", None),
        groups=getattr(arguments, "groups", None),
        target_kind=arguments.target_kind,
        target_bins=arguments.target_bins,
        drop_missing_target=arguments.drop_missing_target is not False,
        header=getattr(arguments, "header", None),
        repair=arguments.repair is not False,
        column_types=dict(arguments.column_type or ()),
    )


def execution_options(arguments: argparse.Namespace) -> ExecutionOptions:
    """Where the rows are worked on, by all cores unless --threads says otherwise."""
    from bitsieve.options import ExecutionOptions

    return ExecutionOptions(
        engine=_engine(arguments),
        memory=getattr(arguments, "memory", None),
        spool=getattr(arguments, "spool", None),
        push_down=getattr(arguments, "push_down", None),
        n_jobs=arguments.threads or -1,
    )


def _engine(arguments: argparse.Namespace) -> str | None:
    """The engine that was named; --scheduler is that of a Dask cluster."""
    engine: str | None = getattr(arguments, "engine", None)
    if getattr(arguments, "scheduler", None) is not None:
        if engine not in (None, "dask"):
            raise UserError(
                code="parameter-without-effect",
                message="--scheduler is that of engine dask",
                advice=f"leave it out, or --engine {engine}",
            )
        engine = "dask"
    if engine == "dask" and isinstance(arguments.data, list):
        raise UserError(
            code="one-file-needed",
            message="engine dask reads one file or a folder",
            advice="put the files into a folder, and give that as DATA",
        )
    return engine


def discretization_options(arguments: argparse.Namespace, default: str | None = BINNING) -> DiscretizationOptions:
    """How columns become codes, by the rule ``default`` if none was named; refused if a rule has no such parameter."""
    from bitsieve.discretization.registry import make_discretizer
    from bitsieve.options import DiscretizationOptions

    discretization = DiscretizationOptions(
        binning=arguments.binning or default,
        n_bins=arguments.bins,
        uncut=arguments.uncut,
        missing=arguments.missing,
    )
    make_discretizer(discretization)
    return discretization


def column_options(arguments: argparse.Namespace) -> ColumnOptions:
    """Which columns may be used."""
    from bitsieve.options import ColumnOptions

    return ColumnOptions(
        include=arguments.include or (),
        exclude=arguments.exclude or (),
        identifiers=arguments.identifiers or "drop",
    )


def selection_options(arguments: argparse.Namespace) -> SelectionOptions:
    """What is to be selected, and by which method."""
    from dataclasses import replace

    from bitsieve.pipeline.selection_options import SelectionOptions

    columns = column_options(arguments)
    if arguments.group:
        columns = replace(columns, include=())  # it is in the constraints
    return SelectionOptions.by_name(
        arguments.method,
        _method_parameters(arguments),
        n_features_to_select=arguments.features,
        columns=columns,
        screen=arguments.screen,
        memory=arguments.memory,
    )


def _method_parameters(arguments: argparse.Namespace) -> dict[str, Any]:
    """The parameters of the method that were typed, by options of their own or by --set."""
    parameters: dict[str, Any] = {}
    stopping = _stopping_rule(arguments)
    if stopping is not None:
        parameters["stopping"] = stopping
    if arguments.group:
        from bitsieve.methods.constraints import Constraints

        parameters["constraints"] = Constraints(arguments.include or (), groups=arguments.group)
    if arguments.estimator is not None:
        from bitsieve.information import check_estimator

        check_estimator(arguments.estimator)
        parameters["estimator"] = arguments.estimator
    parameters.update(_parameters_set(arguments))
    return parameters


def _parameters_set(arguments: argparse.Namespace) -> list[tuple[str, object]]:
    """The values of --set, refused where the method does not take them."""
    from bitsieve.methods.registry import find_method

    method = find_method(arguments.method)
    settable = {name: value for name, value in method.parameters.items() if name not in IN_PLACE_OF_SET}
    settings: list[tuple[str, object]] = arguments.set or []
    names = [name for name, _ in settings]
    for name in names:
        if name in method.parameters and name not in settable:
            raise UserError(
                code="unknown-parameter",
                message=f"--set {name}",
                advice=f"give {IN_PLACE_OF_SET[name]} instead",
            )
        if name not in settable:
            takes = ", ".join(f"{other}={value}" for other, value in settable.items()) or "no parameters"
            raise UserError(
                code="unknown-parameter",
                message=f"--set {name}: method {method.name!r} does not take {name!r}",
                advice=f"it takes {takes}",
            )
        if names.count(name) > 1:
            raise UserError(
                code="given-twice",
                message=f"--set {name} is given {names.count(name)} times",
                advice="give it once",
            )
    return settings


def _stopping_rule(arguments: argparse.Namespace) -> Any:
    """The stopping rule with its parameters; None where nothing of the kind was typed."""
    typed = {"level": arguments.level, "bits": arguments.min_bits, "n_draws": arguments.draws}
    parameters = {name: value for name, value in typed.items() if value is not None}
    rule = arguments.stop
    if rule is None and arguments.features == "auto" and "level" in parameters:
        rule = "significance"
    if rule is None and not parameters:
        return None

    from bitsieve.methods.by_counts.stopping import STOPPING_RULES, make_stopping

    for name in parameters:
        rules = [other for other, make in STOPPING_RULES.items() if name in signature(make).parameters]
        if rule not in rules and (rule is None or rule in STOPPING_RULES):
            raise UserError(
                code="parameter-without-effect",
                message=f"has an effect only with --stop {' or '.join(rules)}",
                advice="add that, or leave it out",
                parameters={name: NAME_ONLY},
            )
    return make_stopping(rule, **parameters)
