"""The data that ``select`` is given as a table: its rows in memory, or read in parts."""

from __future__ import annotations

from os import PathLike
from typing import Any

from bitsieve.common.parameters import check_flag
from bitsieve.data.read import read_data
from bitsieve.data.table import COUNTS, Table
from bitsieve.engines.registry import open_data, reads_in_batches


def read_table(
    data: Any,
    target: Any,
    sample_weight: Any,
    target_bins: int | str | None,
    memory: int | str | None = None,
    spool: str | PathLike[str] | None = None,
    *,
    drop_missing: bool = False,
    header: bool | None = None,
    engine: str | None = None,
) -> Table:
    """The data of :func:`select` as a table, in memory or in parts."""
    opened = open_data(data, memory, spool, engine, header)
    if opened is None:
        return read_data(data, target, sample_weight, target_bins=target_bins, drop_missing=drop_missing, header=header)
    check_flag("drop_missing_target", drop_missing)
    target = getattr(opened, "own_target", None) if target is None else target
    if target is None:
        raise ValueError("no target is given: name one of the columns, or give one value a row")
    return opened.read_in_parts(
        target, sample_weight, target_name="target", target_bins=target_bins, drop_missing=drop_missing
    )


def passed_on(
    data: Any, method: str, memory: int | str | None, spool: str | PathLike[str] | None, engine: str | None = None
) -> dict[str, int | str]:
    """The parameter ``memory`` of a method that has it, or that is to say that it has not.

    Raises
    ------
    ValueError
        The data is read in batches, and the method needs all rows.
    """
    from bitsieve.methods.registry import check_offers, parameters_of

    in_batches = engine == "stream" or (engine is None and reads_in_batches(data, memory, spool))
    if in_batches:
        check_offers(method, COUNTS)  # before hours of reading
    if memory is None or (in_batches and "memory" not in parameters_of(method)):
        return {}
    return {"memory": memory}
