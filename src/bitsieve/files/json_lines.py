"""Tables of JSON: one object a line, or one list of objects."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pyarrow as pa

from bitsieve.common.messages import one_line
from bitsieve.files.arrow import native_file
from bitsieve.files.errors import DataError

if TYPE_CHECKING:
    from pathlib import Path


def is_json(path: Path) -> bool:
    """Whether a file of text begins as an object, or as a list of objects."""
    with open(path, "rb") as file:
        start = file.read(4096).removeprefix(b"\xef\xbb\xbf").split()
    return b"".join(start[:3]).startswith((b'{"', b"[{", b"{}"))


def read_json(path: Path) -> pa.Table:
    """Read the objects as rows: their keys are the columns, and a key that an object lacks is a missing value.

    Raises
    ------
    DataError
        The text is not JSON, or not of objects.
    """
    from pyarrow import json as arrow_json

    try:
        with open(path, "rb") as file:
            if file.read(4096).removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"["):
                table = pa.Table.from_pylist(json.loads(path.read_text(encoding="utf-8-sig")))
            else:
                table = arrow_json.read_json(native_file(path))
        table.validate(full=True)  # the reader of lines takes texts that are not UTF-8
    except (pa.ArrowException, ValueError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        raise DataError(f"cannot read {str(path)!r} as JSON: {one_line(error)[:200]}") from None
    columns = [c.cast(pa.float64()) if pa.types.is_null(c.type) else c for c in table.columns]
    return pa.Table.from_arrays(columns, names=table.column_names)
