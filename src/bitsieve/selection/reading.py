"""The data that ``select`` is given as a table: read at once, or in parts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bitsieve.sources.stream import as_parts, reads_in_batches
from bitsieve.table.read_data import read_data

if TYPE_CHECKING:
    from os import PathLike

    from bitsieve.sources.in_parts import TableInParts
    from bitsieve.table.table import Table


def read_table(
    data: Any,
    target: Any,
    sample_weight: Any,
    target_bins: int | str | None,
    memory: int | str | None = None,
    spool: str | PathLike[str] | None = None,
) -> Table | TableInParts:
    """The data of :func:`select` as a table, in memory or in parts."""
    parts = as_parts(data, memory, spool)
    if parts is None:
        return read_data(data, target, sample_weight, target_bins=target_bins)
    if target is None:
        raise ValueError("no target is given: name one of the columns, or give one value a row")
    return parts.read_in_parts(target, sample_weight, target_name="target", target_bins=target_bins)


def passed_on(
    data: Any, method: str, memory: int | str | None, spool: str | PathLike[str] | None
) -> dict[str, int | str]:
    """The parameter ``memory`` of a method that has it, or that is to say that it has not."""
    from bitsieve.selectors.registry import parameters_of

    if memory is None or (reads_in_batches(data, memory, spool) and "memory" not in parameters_of(method)):
        return {}
    return {"memory": memory}
