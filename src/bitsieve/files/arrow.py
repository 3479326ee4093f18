"""Parquet, Arrow and Feather files: what was read is checked in full before a value of it is used."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pyarrow as pa

from bitsieve.common.messages import one_line
from bitsieve.files.errors import DataError

if TYPE_CHECKING:
    from pathlib import Path

NAMES = {"parquet": "Parquet", "arrow": "Arrow", "stream": "an Arrow stream"}


def read_arrow(path: Path, kind: str) -> pa.Table:
    """Read a file of kind "parquet", "arrow" or "stream".

    The file is read and not mapped: were it cut while it is mapped, the next look at it would end the process.

    Raises
    ------
    DataError
        The file is broken: also where only the values say so, such as an offset beyond the text that it points into.
    """
    try:
        with native_file(path) as file:
            table = _read(file, kind)
        table.validate(full=True)
    except pa.ArrowMemoryError as error:
        raise DataError(
            f"{str(path)!r} asks for more memory than there is: it is broken, or too large ({one_line(error)})"
        ) from None
    except UnicodeDecodeError:
        raise DataError(f"cannot read {str(path)!r} as {NAMES[kind]}: the name of a column is not UTF-8 text") from None
    except (pa.ArrowException, OSError, ValueError, KeyError, IndexError, NotImplementedError) as error:
        raise DataError(f"cannot read {str(path)!r} as {NAMES[kind]}: {_printable(error)}") from None
    return table


def native_file(path: Path, mode: str = "rb") -> pa.OSFile:
    """The file opened by pyarrow; its name may be no UTF-8 text."""
    return pa.OSFile(os.fsencode(path), mode)


def _read(file: pa.OSFile, kind: str) -> pa.Table:
    if kind == "parquet":
        from pyarrow import parquet

        return parquet.ParquetFile(file).read()
    return (pa.ipc.open_file if kind == "arrow" else pa.ipc.open_stream)(file).read_all()


def _printable(error: Exception) -> str:
    """The message in one line; those about broken text repeat it, with whatever bytes it has."""
    return "".join(letter if letter.isprintable() else "?" for letter in one_line(error))[:300]
