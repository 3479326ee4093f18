"""Build the options of the pipeline from what was typed: one function for each kind of options."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from inspect import signature
from typing import TYPE_CHECKING, Any

from bitsieve.cli.options import IN_PLACE_OF_SET
from bitsieve.cli.set_values import DENSITIES, asks_for_densities, parameters_of_settings, settable_parameters
from bitsieve.cli.wording import setting_text
from bitsieve.diagnostics import NAME_ONLY, UserError
from bitsieve.utils.defaults import BINNING, SELECT_METHOD
from bitsieve.utils.messages import quoted

if TYPE_CHECKING:
    from bitsieve.api.drift_rule import DriftRule
    from bitsieve.methods.by_counts.stopping import StoppingRule
    from bitsieve.methods.method import Method
    from bitsieve.options import ColumnOptions, DiscretizationOptions, ExecutionOptions, ReadOptions, SurvivalOptions
    from bitsieve.pipeline.selection_options import SelectionOptions

#: Parameters of stopping rules that have an option of their own; the others are given by --set.
RULE_OPTIONS = {"level": "level", "bits": "min_bits", "n_draws": "draws"}


def read_options(arguments: argparse.Namespace) -> ReadOptions:
    """How the table is read. Where a command has no such option, the default holds."""
    from bitsieve.options import FREQUENCY, ReadOptions

    return ReadOptions(
        target=arguments.target,
        survival=_survival(arguments),
        sample_weight=getattr(arguments, "weight", None),
        weight_kind=getattr(arguments, "weight_kind", None) or FREQUENCY,
        groups=getattr(arguments, "groups", None),
        strata=_strata(arguments),
        target_kind=arguments.target_kind,
        target_bins=arguments.target_bins,
        drop_missing_target=arguments.drop_missing_target is not False,
        header=getattr(arguments, "header", None),
        repair=arguments.repair is not False,
        column_types=dict(arguments.column_type or ()),
        exclude=getattr(arguments, "exclude", None) or (),
    )


def _survival(arguments: argparse.Namespace) -> SurvivalOptions | None:
    """The options of a time to an event; None for a command without --duration."""
    from bitsieve.options import survival_options

    if "duration" not in arguments:  # --event of such a command names a class
        return None
    intervals = 1 if arguments.intervals is None else arguments.intervals
    return survival_options(arguments.target, arguments.duration, arguments.event, arguments.entry, intervals)


def _strata(arguments: argparse.Namespace) -> list[str] | None:
    """The columns of the strata. None for ``interactions``, whose --strata are those of its shuffles."""
    strata = getattr(arguments, "strata", None)
    return strata if isinstance(strata, list) else None


def execution_options(arguments: argparse.Namespace) -> ExecutionOptions:
    """Where the rows are worked on, and by how many threads: all cores unless --threads is given."""
    from bitsieve.options import ExecutionOptions

    return ExecutionOptions(
        engine=_engine(arguments),
        memory=getattr(arguments, "memory", None),
        spool=getattr(arguments, "spool", None),
        push_down=getattr(arguments, "push_down", None),
        n_jobs=arguments.threads or -1,
    )


def _engine(arguments: argparse.Namespace) -> str | None:
    """The engine that was named; with --scheduler it is dask."""
    engine: str | None = getattr(arguments, "engine", None)
    if getattr(arguments, "scheduler", None) is not None:
        if engine not in (None, "dask"):
            raise UserError(
                code="parameter-without-effect",
                message="--scheduler works with engine dask only",
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
    """How columns become codes; ``default`` is the rule if none was named. Refuses parameters that the rule lacks."""
    from bitsieve.discretization.registry import make_discretizer
    from bitsieve.options import DiscretizationOptions

    if asks_for_densities(getattr(arguments, "set", None) or ()):
        return _densities(arguments)
    discretization = DiscretizationOptions(
        binning=arguments.binning or default,
        n_bins=arguments.bins,
        uncut=arguments.uncut,
        bins_within=getattr(arguments, "bins_within", False),
        missing=arguments.missing,
    )
    make_discretizer(discretization)
    return discretization


def _densities(arguments: argparse.Namespace) -> DiscretizationOptions:
    """Numbers by their densities, without bins."""
    from bitsieve.options import DiscretizationOptions

    binning_options = [name for name in ("binning", "bins", "uncut") if getattr(arguments, name) is not None]
    if getattr(arguments, "bins_within", False):
        binning_options.append("bins-within")
    if binning_options:
        raise UserError(
            code="contradicting-parameters",
            message=f"--{binning_options[0]} is for bins, and --set densities takes numbers without bins",
            advice="leave out one of them",
        )
    return DiscretizationOptions(binning=None, missing=arguments.missing)


def drift_rule(arguments: argparse.Namespace) -> DriftRule | None:
    """What is done about columns that move with --period; None without these options."""
    period = arguments.period
    drift = arguments.drift
    max_drift = arguments.max_drift
    drift_penalty = arguments.drift_penalty
    if all(value is None for value in (period, drift, max_drift, drift_penalty)):
        return None
    from bitsieve.api.drift_rule import DriftRule  # here, as it loads scipy

    return DriftRule.from_parameters(period, drift, max_drift, drift_penalty)


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
        columns = replace(columns, include=())  # the constraints have it
    return SelectionOptions.by_name(
        arguments.method,
        _method_parameters(arguments),
        n_features_to_select=arguments.features,
        columns=columns,
        screen=arguments.screen,
        memory=arguments.memory,
        protocol=arguments.protocol,
    )


def _method_parameters(arguments: argparse.Namespace) -> dict[str, Any]:
    """The parameters of the method that were typed, by options of their own or by --set."""
    from bitsieve.methods.registry import find_method

    method = find_method(arguments.method)
    settable_of_method = settable_parameters(method)
    settable_of_rule = _settable_of_rule(_rule_name(arguments))
    _check_settings(arguments, method, settable_of_method, settable_of_rule)
    settings: list[tuple[str, object]] = arguments.set or []
    settings_of_rule = {name: value for name, value in settings if name not in settable_of_method}
    parameters = _parameters_of_options(arguments, settings_of_rule)
    _refuse_options_of_other_methods(arguments, method, parameters)
    settings_of_method = [(name, value) for name, value in settings if name in settable_of_method and name != DENSITIES]
    parameters.update(parameters_of_settings(settings_of_method))
    return parameters


def _parameters_of_options(arguments: argparse.Namespace, settings_of_rule: Mapping[str, object]) -> dict[str, Any]:
    """The parameters of the method that options of their own give, such as --stop and --estimator."""
    parameters: dict[str, Any] = {}
    stopping = _stopping_rule(arguments, settings_of_rule)
    if stopping is not None:
        parameters["stopping"] = stopping
    if arguments.group:
        from bitsieve.methods.constraints import Constraints

        parameters["constraints"] = Constraints(arguments.include or (), groups=arguments.group)
    if arguments.estimator is not None:
        from bitsieve.information import check_estimator

        check_estimator(arguments.estimator)
        parameters["estimator"] = arguments.estimator
    if arguments.effect is not None:
        parameters["effect"] = arguments.effect
    if arguments.roles:
        parameters["roles"] = True
    return parameters


def _refuse_options_of_other_methods(
    arguments: argparse.Namespace, method: Method, parameters: Mapping[str, object]
) -> None:
    """Refuse an option, such as --effect, that gives a parameter which the method lacks."""
    from bitsieve.methods.registry import method_names, parameters_of

    for name in parameters:
        if name in method.parameters:
            continue
        typed = "level" if name == "stopping" and arguments.stop is None else name
        names_of_methods = [SELECT_METHOD, *method_names()]
        other_method = next(other for other in names_of_methods if name in parameters_of(other))
        raise UserError(
            code="parameter-without-effect",
            message=f"is not for method {method.name!r}",
            advice="leave it out, or use {method}",
            fix={"method": other_method},
            parameters={typed: NAME_ONLY},
        )


def settable_names(arguments: argparse.Namespace) -> set[str]:
    """The names that --set takes with the methods and the stopping rule that were typed."""
    from bitsieve.evaluate.plan import DEFAULT_METHODS
    from bitsieve.methods.registry import find_method, method_names

    methods = getattr(arguments, "methods", None) or DEFAULT_METHODS
    if "method" in arguments:
        methods = (arguments.method,)
    names = set(_settable_of_rule(getattr(arguments, "stop", None)))  # compare has no stopping rule
    for method in methods:
        if method in method_names():
            names.update(settable_parameters(find_method(method)))
    return names


def _methods_with(name: str, value: object) -> list[str]:
    """The methods for which --set takes a parameter, and on which it has an effect."""
    from bitsieve.methods.registry import find_method, method_names

    names = []
    for method in map(find_method, method_names()):
        if name in settable_parameters(method) and _has_effect(method, name, value):
            names.append(method.name)
    return names


def _has_effect(method: Method, name: str, value: object) -> bool:
    """Whether a parameter has an effect on a method. Values that are wrong in other ways are refused later."""
    from bitsieve.methods.registry import arguments_of

    if name == DENSITIES:
        return True
    try:
        parameters = arguments_of(method, parameters_of_settings([(name, value)]))
        parameters["n_features_to_select"] = None
        method.check_parameters(parameters)
    except UserError as error:
        return error.code != "parameter-without-effect"
    return True


def _settable_of_rule(rule: str | None) -> dict[str, Any]:
    """The parameters of a stopping rule that --set gives, and their defaults."""
    from bitsieve.methods.by_counts.stopping import STOPPING_RULES

    if rule is None or rule not in STOPPING_RULES:
        return {}
    defaults = {}
    for name, parameter in signature(STOPPING_RULES[rule]).parameters.items():
        if name not in RULE_OPTIONS:
            defaults[name] = parameter.default
    return defaults


def check_settings_of_compare(arguments: argparse.Namespace) -> None:
    """Refuse what ``compare`` is given by --set, and none of its methods takes."""
    from bitsieve.evaluate.plan import DEFAULT_METHODS
    from bitsieve.methods.registry import find_method

    accepted_names = set(IN_PLACE_OF_SET)  # compare has no options of their own for these
    for method in arguments.methods or DEFAULT_METHODS:
        accepted_names.update(settable_parameters(find_method(method)))
    for name, value in arguments.set or ():
        if name == "algorithm":
            raise _has_option(name, "--methods")
        if name not in accepted_names:
            raise UserError(
                code="unknown-parameter",
                message=f"--set {name}: none of the methods takes {name!r}",
                advice=_advice_on_methods(name, value, "--methods") or "'bitsieve methods' lists what each takes",
            )


def _check_settings(
    arguments: argparse.Namespace,
    method: Method,
    settable_of_method: Mapping[str, Any],
    settable_of_rule: Mapping[str, Any],
) -> None:
    """Refuse a name that --set gives twice, or that neither the method nor the stopping rule takes by --set."""
    settable = dict(settable_of_rule)
    settable.update(settable_of_method)
    settings: list[tuple[str, object]] = arguments.set or []
    names = [name for name, _ in settings]
    for name, value in settings:
        if name not in settable:
            option = _option_in_place_of_set(name, arguments.stop)
            if option is not None:
                raise _has_option(name, option)
            raise _unknown_setting(name, value, method, arguments.stop, settable)
        if names.count(name) > 1:
            raise UserError(
                code="given-twice",
                message=f"--set {name} is given {names.count(name)} times",
                advice="give it once",
            )


def _option_in_place_of_set(name: str, rule: str | None) -> str | None:
    """The option that gives a parameter of the method, or of the stopping rule of --stop; None if there is none."""
    if rule is not None and name in RULE_OPTIONS:
        return f"--{RULE_OPTIONS[name].replace('_', '-')}"
    return IN_PLACE_OF_SET.get(name)


def _unknown_setting(
    name: str, value: object, method: Method, rule: str | None, settable: Mapping[str, Any]
) -> UserError:
    """The error for a name that --set does not take, with the names that it takes, and the methods that take it."""
    method_and_rule = f"method {method.name!r}" if rule is None else f"method {method.name!r} with --stop {rule}"
    listed = ", ".join(f"{other}={setting_text(default)}" for other, default in settable.items())
    advice = f"it takes {listed or 'no parameters'}"
    advice_on_methods = _advice_on_methods(name, value, "--method")
    if advice_on_methods:
        advice += f"; {advice_on_methods}"
    return UserError(
        code="unknown-parameter",
        message=f"--set {name}: {method_and_rule} does not take {name!r}",
        advice=advice,
    )


def _has_option(name: str, option: str) -> UserError:
    """The error for a parameter that an option of its own gives, and not --set."""
    return UserError(code="unknown-parameter", message=f"--set {name}", advice=f"give {option} instead")


def _advice_on_methods(name: str, value: object, option: str) -> str:
    """Which methods take a parameter; empty if none does."""
    methods = _methods_with(name, value)
    if not methods:
        return ""
    verb = "takes" if len(methods) == 1 else "take"
    return f"{quoted(methods, limit=3)} {verb} it: use {option} {methods[0]}"


def _rule_name(arguments: argparse.Namespace) -> str | None:
    """The stopping rule: that of --stop, or significance if --level is given for ``--features auto``."""
    rule: str | None = arguments.stop
    if rule is None and arguments.features == "auto" and arguments.level is not None:
        return "significance"
    return rule


def _stopping_rule(arguments: argparse.Namespace, settings: Mapping[str, object]) -> StoppingRule | None:
    """The stopping rule with its parameters, those of --set included; None if no rule is named."""
    from bitsieve.methods.by_counts.stopping import STOPPING_RULES, make_stopping
    from bitsieve.methods.registry import refuse_method_as_rule

    rule = _rule_name(arguments)
    is_unknown = rule is not None and rule not in STOPPING_RULES  # refused below
    rule_parameters: dict[str, object] = {}
    for parameter, option in RULE_OPTIONS.items():
        value = getattr(arguments, option)
        if value is None:
            continue
        rules = [name for name, make in STOPPING_RULES.items() if parameter in signature(make).parameters]
        if rule not in rules and not is_unknown:
            raise UserError(
                code="parameter-without-effect",
                message=f"has an effect only with --stop {' or '.join(rules)}",
                advice="add that, or leave it out",
                parameters={parameter: NAME_ONLY},
            )
        rule_parameters[parameter] = value
    if rule is None:
        return None
    refuse_method_as_rule(rule)
    return make_stopping(rule, **rule_parameters, **settings)
