"""The data that ``select`` is given as a table: read at once, or in parts."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import narwhals as nw

from bitsieve.common.parameters import check_flag
from bitsieve.data.read import read_data
from bitsieve.engines import data_in_parts
from bitsieve.engines.in_parts import gives_batches, is_frame

if TYPE_CHECKING:
    from bitsieve.data.table import Table
    from bitsieve.engines.in_parts import DataInParts, TableInParts


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
) -> Table | TableInParts:
    """The data of :func:`select` as a table, in memory or in parts."""
    parts = as_parts(data, memory, spool, header)
    if parts is None:
        return read_data(data, target, sample_weight, target_bins=target_bins, drop_missing=drop_missing, header=header)
    check_flag("drop_missing_target", drop_missing)
    target = getattr(parts, "own_target", None) if target is None else target
    if target is None:
        raise ValueError("no target is given: name one of the columns, or give one value a row")
    return parts.read_in_parts(
        target, sample_weight, target_name="target", target_bins=target_bins, drop_missing=drop_missing
    )


def passed_on(
    data: Any, method: str, memory: int | str | None, spool: str | PathLike[str] | None
) -> dict[str, int | str]:
    """The parameter ``memory`` of a method that has it, or that is to say that it has not.

    Raises
    ------
    ValueError
        The data is read in batches, and the method needs all rows.
    """
    from bitsieve.engines.in_parts import TableInParts
    from bitsieve.methods.registry import check_offers, parameters_of

    if reads_in_batches(data, memory, spool):
        check_offers(method, TableInParts.offers)  # before hours of reading
    if memory is None or (reads_in_batches(data, memory, spool) and "memory" not in parameters_of(method)):
        return {}
    return {"memory": memory}


def reads_in_batches(data: Any, memory: int | str | None, spool: str | PathLike[str] | None) -> bool:
    """Whether ``select`` reads data in batches: a file only if it is told to, or if the file is a folder."""
    if isinstance(data, (str, PathLike)):
        return memory is not None or spool is not None or Path(data).is_dir()
    return gives_batches(data) and (spool is not None or not is_frame(data) or (memory is not None and is_lazy(data)))


def as_parts(
    data: Any, memory: int | str | None, spool: str | PathLike[str] | None, header: bool | None = None
) -> DataInParts | None:
    """The data of ``select`` as what is read in parts; None for what is read at once."""
    if reads_in_batches(data, memory, spool):
        from bitsieve.engines.stream import StreamSource

        source = StreamSource(data, memory, spool)
        source.header = header
        return source
    return None if isinstance(data, (str, PathLike)) else data_in_parts(data)


def is_lazy(data: Any) -> bool:
    """Whether something is a lazy frame, such as a DuckDB relation."""
    return isinstance(nw.from_native(data, pass_through=True), nw.LazyFrame)
