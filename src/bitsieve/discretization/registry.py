"""The rules of binning by name: one line for each rule."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

from bitsieve.diagnostics import NAME_ONLY, ParameterError, UserError
from bitsieve.discretization.base import Binning, BinningChoice, BinningLike
from bitsieve.options import DiscretizationOptions
from bitsieve.utils.defaults import BINNING
from bitsieve.utils.lazy import ClassesByName
from bitsieve.utils.messages import nearest_in, quoted

RULES: ClassesByName[BinningChoice] = ClassesByName(
    {
        "auto": "bitsieve.discretization.mdl:AutoBinning",
        "mdl": "bitsieve.discretization.mdl:MDLBinning",
        "quantile": "bitsieve.discretization.equal:EqualFrequencyBinning",
        "uniform": "bitsieve.discretization.equal:EqualWidthBinning",
        "monotone": "bitsieve.discretization.monotone.binning:MonotoneBinning",
        "none": "bitsieve.discretization.categorical:CategoricalBinning",
    }
)


def binning_name(binner: Binning) -> str:
    """The name of a rule."""
    for name, rule in RULES.items():
        if isinstance(binner, rule):
            return name
    raise UserError(
        code="rule-not-saved",
        message=f"counts by {type(binner).__name__} cannot be saved",
        advice=f"use one of {quoted(RULES)}",
    )


def make_binner(binning: BinningLike = BINNING, *, n_jobs: int | None = None, **parameters: Any) -> BinningChoice:
    """Make a rule from its name and parameters, or an unfitted copy of a rule.

    ``n_jobs`` and the parameters are for a name: a rule has its own. Without the parameter ``missing`` the table
    decides whether missing values get a code of their own.
    """
    if isinstance(binning, BinningChoice):
        if parameters:
            raise UserError(
                code="contradicting-parameters",
                message=f"binning is an object, so set {', '.join(parameters)} on that object",
            )
        return binning.unfitted()
    if not isinstance(binning, str) or binning not in RULES:
        raise _unknown_rule(binning)
    rule: Any = RULES[binning]
    accepted = [name for name in rule.parameter_names() if name != "n_jobs"]
    for name in parameters:
        if name not in accepted:
            raise UserError(
                code="unknown-parameter",
                message=f"is no parameter of binning {binning!r}",
                advice=f"it has {_listed_without_strata(accepted)}{_rules_with(name)}",
                parameters={name: NAME_ONLY},
            )
    parameters.setdefault("missing", None)
    binner: BinningChoice = rule(n_jobs=n_jobs, **parameters)
    return binner


def _listed_without_strata(names: Sequence[str]) -> str:
    """The names as advice holds them: a name in braces is written as Python or the command line writes it.

    Bins within strata are not among them, as not every function and command has strata.
    """
    return ", ".join("{" + name + "}" for name in names if name != "bins_within")


def _rules_with(parameter: str) -> str:
    """The rules that have a parameter, as the end of an advice; empty if no rule has it."""
    rules = [repr(name) for name, rule in RULES.items() if name != "auto" and parameter in rule.parameter_names()]
    return f"; {{binning}} may be {' or '.join(rules)}" if rules else ""


def _unknown_rule(binning: object) -> ParameterError:
    if isinstance(binning, str):
        near = get_close_matches(binning.lower(), RULES, n=1)
        hint = f", did you mean {near[0]!r}?" if near else ""
    else:
        hint = " or a binner object"
    names = ", ".join(map(repr, RULES))
    return ParameterError(
        "binning",
        binning,
        f"give one of {names}{hint}",
        "is not known",
        code="unknown-name",
        fix=nearest_in("binning", binning, [*RULES]),
    )


def make_discretizer(options: DiscretizationOptions, n_jobs: int | None = None) -> BinningChoice:
    """The rule that a user chose, not fitted: the default one where none is chosen."""
    name_or_rule = BINNING if options.binning is None else options.binning
    return make_binner(name_or_rule, n_jobs=n_jobs, **options.rule_parameters)


def makes_bins_within(options: DiscretizationOptions) -> bool:
    """Whether each stratum gets bins of its own, by an option or by the rule that the user gave."""
    rule = options.binning
    return options.bins_within or (isinstance(rule, BinningChoice) and rule.bins_within)


def binning_with(binning: BinningLike, n_jobs: int | None = None, **parameters: Any) -> BinningLike:
    """A binner with the parameters that are not None; ``binning`` itself where all of them are None."""
    chosen = {name: value for name, value in parameters.items() if value is not None}
    if not chosen:
        return binning
    return make_binner(binning, n_jobs=n_jobs, **chosen)
