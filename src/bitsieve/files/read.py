"""Tables from files: the kind is told by the content first, and only where that cannot tell by the ending."""

from __future__ import annotations

import re
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from bitsieve.common.messages import Sentence, message_of, one_line
from bitsieve.common.notes import warn_of
from bitsieve.files.errors import DataError, EncodingError, check_names
from bitsieve.files.output import temporary_folder

if TYPE_CHECKING:
    from os import PathLike

    import pyarrow as pa

    from bitsieve.files.npz import ArrayTable

READ = "CSV, TSV, JSON lines, Parquet, Arrow/Feather, libsvm and .npz are read"
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
    if b"\0" in head and not head.startswith((b"\xff\xfe", b"\xfe\xff")):  # which begin text of UTF-16
        raise DataError(f"{str(path)!r} is not a table: {READ}")
    return "text"


def read_table(
    path: str | PathLike[str], *, header: bool | None = None, notes: list[str] | None = None
) -> pa.Table | ArrayTable:
    """Read a table from a file, told by its content and not only by its ending.

    Parameters
    ----------
    path : path-like
        Parquet, Arrow (file or stream), Feather, .npz (``X``, ``y``, optional ``feature_names``; or the pieces
        ``data``, ``indices``, ``indptr``, ``shape`` of a sparse matrix, and ``y``), libsvm, JSON (lines, or one list of
        objects), or text with a header line and commas, tabs, semicolons or bars. Any of them compressed by gzip,
        bzip2, xz or zip; "-" is standard input.
    header : bool, optional
        Whether the first line of a text has the names. By default it has, unless it looks like data, which is an error.
    notes : list of str, optional
        Takes what was noticed; without it each is a warning.

    Returns
    -------
    pyarrow.Table or ArrayTable
        The latter for .npz and libsvm. The index that pandas adds to a file as ``__index_level_0__`` is left out.

    Raises
    ------
    DataError
        The file is not there, is empty, is no table or is broken; has no rows, or fewer than two columns; a column
        holds lists or raw bytes.
    """
    path = Path(path)
    found: list[str] = []
    check_file(path)
    with temporary_folder() as folder:
        try:
            table = _read_plain(path, folder, header, found)
        except DataError as error:
            raise _named(error, str(folder), path) from None
        except OSError as error:
            raise DataError(f"cannot read {str(path)!r}: {error.strerror or one_line(error)}") from None
    if notes is None:
        warn_of(found)
    else:
        notes += found
    return table


def _read_plain(path: Path, folder: Path, header: bool | None, notes: list[str]) -> pa.Table | ArrayTable:
    from bitsieve.files.plain import decompressed

    path = decompressed(path, folder)
    kind = file_kind(path)
    if kind == "npz":
        from bitsieve.files.npz import read_npz

        return read_npz(path)
    if kind == "text":
        from bitsieve.files.libsvm import is_libsvm, read_libsvm

        if is_libsvm(path):
            return read_libsvm(path)
    return _checked(_read_columns(path, kind, folder, header, notes), path, notes)


def _named(error: DataError, folder: str, path: Path) -> DataError:
    """The error with the name of the file that was given in the place of that of a copy."""

    def of_given(text: str) -> str:
        name = "standard input" if str(path) == "-" else str(path)
        return re.sub(re.escape(repr(folder)[:-1]) + r"[^']*'", lambda _: repr(name), text)

    message = message_of(error)
    if isinstance(message, Sentence):
        return DataError(Sentence(*(of_given(part) if isinstance(part, str) else part for part in message.parts)))
    return DataError(of_given(message))


def check_file(path: str | PathLike[str]) -> None:
    """Raise :class:`DataError` where there is no file to read."""
    path = Path(path)
    if str(path) == "-":  # standard input
        return
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


def _read_columns(path: Path, kind: str, folder: Path, header: bool | None, notes: list[str]) -> pa.Table:
    if kind == "text":
        return _read_text(path, folder, header, notes)
    if kind == "feather1":
        raise DataError(f"{str(path)!r} is a Feather file of version 1: write it again with version 2")
    from bitsieve.files.arrow import read_arrow

    return read_arrow(path, kind)


def _read_text(path: Path, folder: Path, header: bool | None, notes: list[str]) -> pa.Table:
    """JSON, or rows of fields; once more as another encoding where it is not UTF-8."""
    from bitsieve.files.json_lines import is_json, read_json
    from bitsieve.files.plain import in_utf8, with_names, without_comments
    from bitsieve.files.text import read_text

    with open(path, "rb") as file:
        head = file.read(2)
    if head in (b"\xff\xfe", b"\xfe\xff"):
        path = in_utf8(path, folder, notes)
    if is_json(path):
        return read_json(path)
    of_utf8: list[str] = []
    try:
        table = read_text(with_names(without_comments(path, folder, of_utf8), folder, header, of_utf8))
    except EncodingError:
        path = in_utf8(path, folder, notes)
        return read_text(with_names(without_comments(path, folder, notes), folder, header, notes))
    notes += of_utf8
    return table


def _checked(table: pa.Table, path: Path, notes: list[str]) -> pa.Table:
    from bitsieve.files.plain import unique_names

    table = table.select([j for j, n in enumerate(table.column_names) if not n.startswith("__index_level_")])
    table = table.rename_columns(unique_names(table.column_names, notes))
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
