"""Files and streams of rows, to be given in place of a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

from bitsieve.common.lazy import cached_property
from bitsieve.common.memory import check_memory
from bitsieve.data.encoding import as_array
from bitsieve.data.given import Given, not_read_again
from bitsieve.data.read import read_data
from bitsieve.data.roles import divide
from bitsieve.data.table import Table
from bitsieve.engines.in_parts import TableInParts
from bitsieve.engines.registry import gives_batches
from bitsieve.engines.stream_table import DEFAULT_MEMORY, StreamParts
from bitsieve.files.arrow import ColumnParts
from bitsieve.files.libsvm import read_libsvm_in_ranges
from bitsieve.files.read import holds_sparse_rows, open_columns

_ROWS = 1 << 20  # of a batch that is read again


class StreamSource:
    """A file, a folder of files or a stream of rows, to be given to ``select`` or to ``fit`` in place of a table.

    The rows are read in batches: once for the target, once to find bins and once to pack the coded columns into planes
    on disk, which are counted from there; once less where the codes of all rows are those of the first batch. The
    result is that of the same rows in memory, to the last bit, but for a numeric column of so many distinct values that
    its bins are found on a sample of the rows. Needs ``(codes - 1) / 8`` bytes of disk per row and column, and for a
    stream, which can be read only once, as much again as its rows take. A libsvm file is read once, in ranges, and its
    values are sorted by column on disk, in 28 bytes each; the target "y" are its labels.

    Parameters
    ----------
    data : path or stream
        A Parquet, Arrow, Feather, text or libsvm file; a folder of such files but libsvm, whose sub-folders may be
        named ``column=value``; or whatever speaks the Arrow stream protocol (``__arrow_c_stream__``), a pyarrow
        dataset, a polars LazyFrame.
    memory : int or str, optional
        About how many bytes the work may take, such as ``"4GB"``: it decides how many rows are read at once, never what
        is selected. Less than the work needs is refused, with the least amount; by default batches are made for 2 GiB.
        Planes on disk are mapped: the system keeps as much of them in memory as is free.
    spool : path, optional
        A folder in which the planes are kept for later runs with the same file, columns and binner. By default they
        lie in the system's folder for temporary files and are removed in the end. Of a libsvm file the sorted columns
        are kept, for any target and binner.

    Raises
    ------
    ValueError
        If the data is of no such kind, or ``memory`` no amount of memory.

    Examples
    --------
    >>> import bitsieve, pyarrow as pa
    >>> table = pa.table({"a": [0, 1, 0, 1], "b": [0, 0, 1, 1], "class": ["no", "no", "yes", "yes"]})
    >>> source = bitsieve.StreamSource(table.to_reader())
    >>> bitsieve.select(source, "class", n_features_to_select=1, binning="none").features
    ['b']
    """

    def __init__(self, data: Any, memory: int | str | None = None, spool: str | PathLike[str] | None = None) -> None:
        if not isinstance(data, (str, PathLike)) and not gives_batches(data):
            raise ValueError(f"data is {type(data).__name__}: give a path, or a stream of Arrow batches")
        self.data, self.memory = data, check_memory(memory)
        self.spool = None if spool is None else Path(spool)
        self.header: bool | None = None  # whether the first line of a text file has the names; None: looked at

    @cached_property
    def own_target(self) -> str | None:
        """The target that the data is of by itself: "y", the labels of a libsvm file; None for all other data."""
        return "y" if holds_sparse_rows(self.data) else None

    def read_in_parts(
        self,
        target: Any = None,
        sample_weight: Any = None,
        *,
        target_name: str = "y",
        target_bins: Any = None,
        drop_missing: bool = False,
    ) -> Table:
        """Look at the target, and divide the columns into features, target and weights.

        Parameters
        ----------
        target : str, list of str, or array-like of shape (n_samples,), optional
            Columns, or the values; "y" are the labels of a libsvm file. None: all rows are of one class.
        sample_weight : str or array-like of shape (n_samples,), optional
            Frequency weights, in the same ways.
        target_name : str
            What messages call a target that is given by its values.
        target_bins : int or "none", optional
            As in :func:`bitsieve.select`.
        drop_missing : bool, default=False
            Whether rows without a target are left out.

        Returns
        -------
        Table
            In parts; of a libsvm file in memory, its values in files.

        Raises
        ------
        ValueError
            If the data cannot be read, a column is not there, or the target or the weights are not as many as the rows.
        """
        if self.own_target is not None:
            return self._read_sparse_rows(target, sample_weight, target_bins, drop_missing)
        batches = open_columns(self.data, header=self.header, spool=self.spool)
        roles = divide(batches.names, target, sample_weight, n_samples=batches.n_rows, unnamed=target_name)
        beside = (
            None if roles.target or target is None else as_array(target),
            None if roles.weight is not None or sample_weight is None else as_array(sample_weight),
        )
        open_parts = partial(StreamParts, batches, beside=beside, memory=self.memory, spool=self.spool)
        table = TableInParts.read(
            open_parts, roles, len(batches.names), target_bins=target_bins, drop_missing=drop_missing
        )
        table.given = Given(not_read_again, partial(read_again, batches, roles.others), roles.weight_name)
        table.notes = tuple(batches.notes)
        return table

    def _read_sparse_rows(self, target: Any, sample_weight: Any, target_bins: Any, drop_missing: bool) -> Table:
        arrays = read_libsvm_in_ranges(Path(self.data), self.memory or DEFAULT_MEMORY, self.spool)
        of_target = {"target_bins": target_bins, "drop_missing": drop_missing}
        table = read_data(arrays, self.own_target if target is None else target, sample_weight, **of_target)
        return table if target is not None else replace(table, y=None)


def read_again(whole: ColumnParts, others: Sequence[str], names: Sequence[str]) -> Any:
    """Some columns of files, the target and the weights, read into the memory of this process."""
    import pyarrow as pa

    return pa.concat_tables(whole.batches([*names, *others], _ROWS), promote_options="permissive")
