"""Values as a table shows them and as JSON can hold them."""

from __future__ import annotations

from typing import Any

import numpy as np


def number(value: float) -> str:
    """Four places, no minus before a zero, "-" for no number."""
    if np.isnan(value):
        return "-"
    text = f"{value:.4f}"
    return text.removeprefix("-") if float(text) == 0 else text


def finite(value: float) -> float | None:
    """``value``, or None where it is no number."""
    return float(value) if np.isfinite(value) else None


def certificate(selector: Any) -> dict[str, float | None] | None:
    """The objective of a subset, the bound on every other's, and the gap between; None where the method has none."""
    if not hasattr(selector, "upper_bound_"):
        return None
    return {
        "objective_bits": finite(selector.objective_),
        "upper_bound_bits": finite(selector.upper_bound_),
        "gap": finite(selector.gap_),
    }


def stopping(selector: Any) -> dict[str, Any] | None:
    """What ended the selection, and at which candidate; None where the method has no rule that could."""
    if not hasattr(selector, "stopped_by_"):
        return None
    names = getattr(selector, "feature_names_in_", None)
    candidate = selector.stopping_candidate_
    return {
        "by": selector.stopped_by_,
        "candidate": None if candidate < 0 else f"x{candidate}" if names is None else str(names[candidate]),
        "value": finite(selector.stopping_value_),
        "values": [finite(value) for value in selector.stopping_values_],
    }


def plain_edges(edges: Any) -> Any:
    """The edges of a target; of several columns a list for each, None for one that was not binned."""
    if edges is None:
        return None
    return [plain_edges(edge) if edge is None or np.ndim(edge) else float(edge) for edge in edges]


def plain(value: Any) -> Any:
    """``value`` as JSON can hold it."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, tuple):
        return [plain(part) for part in value]
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    return str(value)
