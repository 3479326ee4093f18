"""How many features are selected where no number is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bitsieve.common.defaults import SELECT
from bitsieve.methods.constraints import resolve
from bitsieve.selection.left_out import Considered


def default_number(considered: Considered, parameters: Mapping[str, Any]) -> tuple[int, list[str]]:
    """The default number, or all columns and groups that may be selected where there are fewer, and a note on that.

    Parameters
    ----------
    considered : Considered
        The table, and what is left out of it.
    parameters : mapping
        Of the method; one with ``stopping`` may end earlier.
    """
    candidates = resolve(considered.constraints, considered.table.names)
    excluded = {j for j, of in enumerate(candidates.of_column) if of in candidates.exclude}
    n_open = candidates.n_open - len(set(considered.left_out) - excluded)
    if n_open >= SELECT.features:
        return max(SELECT.features, len(candidates.must_include)), []
    if parameters.get("stopping") is not None:
        return n_open, []
    left = " left" if n_open < len(candidates.sizes) else ""
    what = "columns and groups" if candidates.grouped else f"feature{'s' * (n_open != 1)}"
    return n_open, [f"the table has {n_open:,} {what}{left}, fewer than {SELECT.features}: all are ranked"]
