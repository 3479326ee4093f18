"""Rules of binning by name, and fitted ones as JSON holds them."""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bitsieve.common.defaults import BINNING
from bitsieve.common.messages import ParameterError, Sentence, Setting, quoted
from bitsieve.data.binning.base import Binning
from bitsieve.data.binning.ragged import Ragged

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
    """The rule of a name, or an unfitted copy of a binner; ``n_jobs`` and the parameters are for a name alone."""
    if isinstance(spec, Binning):
        if parameters:
            raise ValueError(f"binning is an object, so set {', '.join(parameters)} on that object")
        return spec.unfitted()
    names = ", ".join(map(repr, RULES))
    if not isinstance(spec, str) or spec not in RULES:
        near = get_close_matches(spec.lower(), RULES, n=1) if isinstance(spec, str) else []
        hint = f", did you mean {near[0]!r}?" if near else "" if isinstance(spec, str) else " or a binner object"
        raise ParameterError("binning", spec, f"give one of {names}{hint}", "is not known")
    rule: Any = rule_named(spec)  # whose parameters are its own
    accepted = [name for name in rule.parameter_names() if name != "n_jobs"]
    for name in parameters:
        if name not in accepted:
            known = [part for other in accepted for part in (", ", Setting(other))][1:]
            raise ValueError(Sentence(f"binning {spec!r} has no parameter ", Setting(name), ": it has ", *known))
    made: Binning = rule(n_jobs=n_jobs, **parameters)
    return made


def binning_with(spec: Any, missing: str | None, n_jobs: int | None = None) -> Any:
    """What names a binner, or a binner that takes missing values as is asked for."""
    return spec if missing is None else make_binner(spec, missing=missing, n_jobs=n_jobs)


def keeps_missing(spec: Any) -> bool:
    """Whether a binner gives missing values a code of their own; by default none does."""
    return getattr(spec, "missing", "error") == "bin"


def binning_name(binner: Binning) -> str:
    """The name by which a rule is made."""
    for name in RULES:
        if isinstance(binner, rule_named(name)):
            return name
    raise ValueError(f"counts by {type(binner).__name__} cannot be saved: use one of {quoted(RULES)}")


def binning_facts(binner: Binning) -> dict[str, Any]:
    """What the codes of a fitted rule mean, as JSON holds it."""
    return {
        "binning": binning_name(binner),
        "missing": binner.missing,
        "bins": np.asarray(binner.n_bins_).tolist(),
        "bin_edges": [edges.tolist() for edges in binner.bin_edges_],
        "categories": [None if known is None else listed(known) for known in binner.categories_],
    }


def binning_of(facts: dict[str, Any], names: list[str], **parameters: Any) -> Binning:
    """The fitted rule of :func:`binning_facts`."""
    binner = make_binner(facts["binning"], **{"missing": facts["missing"], **parameters})
    edges = [np.array(one, np.float64) for one in facts["bin_edges"]]
    binner.bin_edges_ = Ragged(np.concatenate([np.empty(0), *edges]), np.cumsum([len(one) for one in edges]))
    binner.n_bins_ = np.array(facts["bins"], np.int64)
    binner.categories_ = [None if known is None else from_list(known) for known in facts["categories"]]
    if binner.requires == "classes":
        numeric = np.array([known is None for known in binner.categories_], bool)
        binner.uncut_ = np.flatnonzero(numeric & (binner.bin_edges_.lengths == 0))
    binner.n_features_in_ = len(names)
    binner.feature_names_in_ = np.array(names, object)
    return binner


def listed(values: NDArray[Any]) -> list[Any]:
    """The type of an array and its values."""
    if values.dtype.kind in "mM":
        return [str(values.dtype), values.astype(np.int64).tolist()]
    return [str(values.dtype), values.tolist()]


def from_list(values: list[Any]) -> NDArray[Any]:
    """The array of :func:`listed`."""
    kind, items = values
    return np.array(items, np.dtype(kind))
