"""Fitted rules of binning as JSON holds them, and back."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bitsieve.common.messages import quoted
from bitsieve.data.binning.base import Binning
from bitsieve.data.binning.registry import RULES, make_binner, rule_named
from bitsieve.data.ragged import Ragged


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
