"""How many features are selected where no number is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bitsieve.common.defaults import DEFAULT_FEATURES
from bitsieve.selectors.constraints import check_constraints, resolve

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bitsieve.sources.in_parts import TableInParts
    from bitsieve.table.table import Table


def default_number(table: Table | TableInParts, parameters: Mapping[str, Any]) -> tuple[int, list[str]]:
    """The default number, or all columns and groups that may be selected where there are fewer, and a note on that.

    Parameters
    ----------
    table : Table or TableInParts
    parameters : mapping
        Of the method; its ``constraints`` exclude, include and group columns, and a method with ``stopping`` may end
        earlier.
    """
    constraints = parameters.get("constraints")
    check_constraints(constraints)
    candidates = resolve(constraints, table.names)
    n_open = candidates.n_open
    if n_open >= DEFAULT_FEATURES:
        return max(DEFAULT_FEATURES, len(candidates.must_include)), []
    if parameters.get("stopping") is not None:
        return n_open, []
    left = " left" if candidates.exclude else ""
    what = "columns and groups" if candidates.grouped else f"feature{'s' * (n_open != 1)}"
    return n_open, [f"the table has {n_open:,} {what}{left}, fewer than {DEFAULT_FEATURES}: all are ranked"]
