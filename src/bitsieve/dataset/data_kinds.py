"""Tell the kinds of data apart: paths, data frames, lazy frames, streams of batches."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike

from bitsieve.diagnostics import UserError
from bitsieve.io.annotated import from_anndata, is_anndata
from bitsieve.io.errors import in_one_line
from bitsieve.utils.frames import default_library
from bitsieve.utils.types import ColumnLike, TableLike


def is_path(data: TableLike) -> bool:
    """Whether data is the path of a file or a folder, or a list of paths of files that are one table."""
    if isinstance(data, (list, tuple)) and data:
        return all(isinstance(item, (str, PathLike)) for item in data)
    return isinstance(data, (str, PathLike))


def refuse_path(data: TableLike) -> None:
    """Refuse a path where a table in memory is needed."""
    if is_path(data):
        raise UserError(
            code="data-type-not-read",
            message="the data is a path",
            advice="give a table, such as pandas.read_csv(path)",
        )


def collect(data: TableLike) -> TableLike:
    """Collect a lazy frame, turn a record batch into a pyarrow table, return anything else as it is.

    An AnnData object becomes its matrix with the annotations of its cells.
    """
    if is_anndata(data):
        return from_anndata(data)
    if _is_record_batch(data):
        import pyarrow as pa

        return pa.table(data)
    if is_on_cluster(data):
        library = type(data).__module__.partition(".")[0]
        raise UserError(
            code="frame-not-in-memory",
            message=f"the data is a frame of {library}, whose rows may be too many for memory",
            advice="if they are not, give them as a table in memory, such as by compute() or toArrow()",
        )
    if not is_lazy(data):
        return data
    import narwhals as nw

    from bitsieve.io.database import with_types_of_values

    with in_one_line(f"cannot read the rows of the {type(data).__name__}"):
        return nw.from_native(with_types_of_values(data)).collect().to_native()


def is_arrow_table(data: TableLike) -> bool:
    """Whether something is a table of Arrow, as files are read: its columns are taken without an adapter of frames."""
    import pyarrow as pa

    return isinstance(data, pa.Table)


def is_arrow_column(values: ColumnLike) -> bool:
    """Whether something is a column of a table of Arrow."""
    import pyarrow as pa

    return isinstance(values, pa.ChunkedArray)


def is_frame(data: TableLike) -> bool:
    """Whether something is a data frame in memory."""
    if is_arrow_table(data):
        return True
    import narwhals as nw

    return nw.dependencies.is_into_dataframe(data)


def is_lazy(data: TableLike) -> bool:
    """Whether something is a lazy frame, such as a relation of a database."""
    if is_frame(data):
        return False
    import narwhals as nw

    return is_on_cluster(data) or isinstance(nw.from_native(data, pass_through=True), nw.LazyFrame)


def gives_batches(data: TableLike) -> bool:
    """Whether data is read in batches: an Arrow stream, a dataset of pyarrow or a lazy frame of polars."""
    kind = type(data)
    if not any(hasattr(kind, name) for name in ("__arrow_c_stream__", "collect_batches", "scanner")):
        return False
    import narwhals as nw

    is_one_batch = hasattr(kind, "__arrow_c_array__")
    is_one_column = nw.dependencies.is_into_series(data)
    return not is_one_batch and not is_one_column


def keeps_columns_only(data: TableLike) -> bool:
    """Whether columns can be taken by name alone, as from a lazy frame or a record batch."""
    return _is_record_batch(data) or is_lazy(data)


def take_columns(data: TableLike, names: Sequence[str]) -> TableLike:
    """Take columns of a lazy frame or a record batch; the result is of the same kind."""
    if _is_record_batch(data):
        return data.select(list(names))
    import narwhals as nw

    return nw.from_native(data).lazy().select(list(names)).to_native()


def is_on_cluster(data: TableLike) -> bool:
    """Whether something is a data frame of Dask or Spark."""
    kind = type(data)  # a relation of DuckDB runs its query to answer for its own attributes
    return hasattr(kind, "persist") and hasattr(kind, "columns")


def _is_record_batch(data: TableLike) -> bool:
    return hasattr(data, "__arrow_c_array__") and hasattr(data, "num_columns")


def library_of(data: TableLike) -> str:
    """The library in which results are given: that of the data, else pandas if it is installed, else pyarrow."""
    if is_on_cluster(data):
        return default_library()
    import narwhals as nw

    frame = nw.from_native(data, pass_through=True)
    has_frames_in_memory = isinstance(frame, nw.DataFrame)
    if isinstance(frame, nw.LazyFrame):
        has_frames_in_memory = frame.implementation.is_polars()  # no other library of lazy frames has them
    if has_frames_in_memory:
        return str(frame.implementation.name.lower())
    return default_library()
