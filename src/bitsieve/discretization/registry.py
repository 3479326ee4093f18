"""The rules of binning by name. A line a rule; a rule is made by its name and its parameters."""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module
from typing import Any

from bitsieve.diagnostics import NAME_ONLY, ParameterError, UserError
from bitsieve.discretization.base import Binning
from bitsieve.options import DiscretizationOptions
from bitsieve.utils.defaults import BINNING

RULES = {  # name to the module, with a dot before it where it is in this folder, and the class of the rule
    "auto": (".mdl", "AutoBinning"),
    "mdl": (".mdl", "MDLBinning"),
    "quantile": (".equal", "EqualFrequencyBinning"),
    "uniform": (".equal", "EqualWidthBinning"),
    "none": (".categorical", "CategoricalBinning"),
}


def rule_named(name: str) -> type[Binning]:
    """The class of a rule."""
    module, kind = RULES[name]
    rule: type[Binning] = getattr(import_module(module, __package__), kind)
    return rule


def make_binner(spec: Any = BINNING, *, n_jobs: int | None = None, **parameters: Any) -> Binning:
    """The rule of a name, or an unfitted copy of a binner; ``n_jobs`` and the parameters are for a name alone.

    Missing values have a code of their own by the rule of a name, unless ``missing`` says otherwise.
    """
    if isinstance(spec, Binning):
        if parameters:
            raise UserError(
                code="contradicting-parameters",
                message=f"binning is an object, so set {', '.join(parameters)} on that object",
            )
        return spec.unfitted()
    if not isinstance(spec, str) or spec not in RULES:
        raise _unknown_rule(spec)
    rule: Any = rule_named(spec)  # each has parameters of its own
    accepted = [name for name in rule.parameter_names() if name != "n_jobs"]
    for name in parameters:
        if name not in accepted:
            raise UserError(
                code="unknown-parameter",
                message=f"is no parameter of binning {spec!r}",
                advice=f"it has {', '.join(f'{{{other}}}' for other in accepted)}",
                parameters={name: NAME_ONLY},
            )
    parameters.setdefault("missing", None)
    binner: Binning = rule(n_jobs=n_jobs, **parameters)
    return binner


def _unknown_rule(spec: Any) -> ParameterError:
    hint = " or a binner object"
    if isinstance(spec, str):
        near = get_close_matches(spec.lower(), RULES, n=1)
        hint = f", did you mean {near[0]!r}?" if near else ""
    return ParameterError(
        "binning", spec, f"give one of {', '.join(map(repr, RULES))}{hint}", "is not known", code="unknown-name"
    )


def make_discretizer(options: DiscretizationOptions, n_jobs: int | None = None) -> Binning:
    """The rule that a user chose, not fitted: the default one where none is chosen."""
    name_or_rule = BINNING if options.binning is None else options.binning
    return make_binner(name_or_rule, n_jobs=n_jobs, **options.rule_parameters)


def binning_with(spec: Any, n_jobs: int | None = None, **parameters: Any) -> Any:
    """A binner with the parameters that are not None; ``spec`` itself where all of them are."""
    chosen = {name: value for name, value in parameters.items() if value is not None}
    return make_binner(spec, n_jobs=n_jobs, **chosen) if chosen else spec


def keeps_missing(spec: Any) -> bool:
    """Whether missing values get a code of their own, by a rule of a name or by a binner."""
    return isinstance(spec, str) or getattr(spec, "missing", "error") in ("bin", None)
