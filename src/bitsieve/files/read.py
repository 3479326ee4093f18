"""Tables from files: the kind is told by the content first, and only where that cannot tell by the ending."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import TYPE_CHECKING

from bitsieve.common.messages import one_line
from bitsieve.files.errors import DataError, check_names

if TYPE_CHECKING:
    from os import PathLike

    import pyarrow as pa

    from bitsieve.files.npz import ArrayTable

READ = "CSV, TSV, Parquet, Arrow/Feather, libsvm and .npz are read"
_MAGIC = {
    b"PAR1": "parquet",
    b"ARROW1": "arrow",
    b"FEA1": "feather1",
    b"\xff\xff\xff\xff": "stream",
    b"PK\x03\x04": "npz",
    b"PK\x05\x06": "npz",
}
_FOREIGN = {
    b"PARE": "an encrypted Parquet file",
    b"\x93NUMPY": "a single numpy array (store X and y with numpy.savez)",
    b"\x1f\x8b": "compressed with gzip (decompress it first)",
    b"BZh": "compressed with bzip2 (decompress it first)",
    b"\xfd7zXZ": "compressed with xz (decompress it first)",
    b"\x28\xb5\x2f\xfd": "compressed with zstd (decompress it first)",
    b"\x89HDF": "an HDF5 file",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook",
    b"%PDF": "a PDF document",
    b"\xff\xfe": "UTF-16 text (save it as UTF-8)",
    b"\xfe\xff": "UTF-16 text (save it as UTF-8)",
}


def file_kind(path: Path) -> str:
    """The kind of a file by its first bytes: "parquet", "arrow", "feather1", "stream", "npz" or "text"."""
    with open(path, "rb") as file:
        head = file.read(4096)
    if not head:
        raise DataError(f"{str(path)!r} is empty: {READ}")
    for magic, kind in _MAGIC.items():
        if head.startswith(magic):
            return kind
    for magic, what in _FOREIGN.items():
        if head.startswith(magic):
            raise DataError(f"{str(path)!r} is {what}: {READ}")
    if b"\0" in head:
        raise DataError(f"{str(path)!r} is not a table: {READ}")
    return "text"


def read_table(path: str | PathLike[str]) -> pa.Table | ArrayTable:
    """Read a table from a file, told by its content and not only by its ending.

    Parameters
    ----------
    path : path-like
        Parquet, Arrow (file or stream), Feather, .npz (``X``, ``y``, optional ``feature_names``; or the pieces
        ``data``, ``indices``, ``indptr``, ``shape`` of a sparse matrix, and ``y``), libsvm, or text with a header
        line and commas, tabs or semicolons.

    Returns
    -------
    pyarrow.Table or ArrayTable
        The latter for .npz and libsvm. The index that pandas adds to a file as ``__index_level_0__`` is left out.

    Raises
    ------
    DataError
        The file is not there, is empty, is no table or is broken; has two columns of one name, no rows, or fewer
        than two columns; a column holds lists or raw bytes.
    """
    path = Path(path)
    check_file(path)
    try:
        kind = file_kind(path)
        if kind == "npz":
            from bitsieve.files.npz import read_npz

            return read_npz(path)
        if kind == "text":
            from bitsieve.files.libsvm import is_libsvm, read_libsvm

            if is_libsvm(path):
                return read_libsvm(path)
        return _checked(_read_columns(path, kind), path)
    except OSError as error:
        raise DataError(f"cannot read {str(path)!r}: {error.strerror or one_line(error)}") from None


def check_file(path: str | PathLike[str]) -> None:
    """Raise :class:`DataError` where there is no file to read."""
    path = Path(path)
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        raise DataError(f"there is no file {str(path)!r}: give the path of a table file ({READ})") from None
    except OSError as error:
        raise DataError(f"cannot read {str(path)!r}: {error.strerror or one_line(error)}") from None
    if stat.S_ISDIR(mode):
        raise DataError(f"{str(path)!r} is a directory: give the path of a table file ({READ})")
    if not stat.S_ISREG(mode):
        raise DataError(f"{str(path)!r} is not a regular file: save the table to a file first")


def _read_columns(path: Path, kind: str) -> pa.Table:
    if kind == "text":
        from bitsieve.files.text import read_text

        return read_text(path)
    if kind == "feather1":
        raise DataError(f"{str(path)!r} is a Feather file of version 1: write it again with version 2")
    from bitsieve.files.arrow import read_arrow

    return read_arrow(path, kind)


def _checked(table: pa.Table, path: Path) -> pa.Table:
    table = table.select([j for j, n in enumerate(table.column_names) if not n.startswith("__index_level_")])
    check_names(table.column_names, path)
    if table.num_rows == 0:
        raise DataError(f"{str(path)!r} has no rows: nothing to select from")
    if table.num_columns == 0:
        raise DataError(f"{str(path)!r} has no columns: nothing to select from")
    check_schema(table.schema, path)
    return table


def check_schema(schema: pa.Schema, path: Path) -> None:
    """Refuse two columns of one name, and columns that hold lists or raw bytes."""
    import pyarrow as pa

    check_names(schema.names, path)
    for field in schema:
        inner = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
        if pa.types.is_nested(inner):
            raise DataError(
                f"column {field.name!r} of {str(path)!r} holds {field.type}: drop it or make it plain columns"
            )
        if _is_binary(inner):
            raise DataError(f"column {field.name!r} of {str(path)!r} holds raw bytes: drop it or make it text")


def _is_binary(kind: pa.DataType) -> bool:
    import pyarrow as pa

    tests = (pa.types.is_binary, pa.types.is_large_binary, pa.types.is_fixed_size_binary)
    return any(test(kind) for test in tests) or str(kind) == "binary_view"
