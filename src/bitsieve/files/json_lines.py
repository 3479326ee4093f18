"""Tables of JSON: one object a line, or one list of objects."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from bitsieve.files.arrow import INDEX, check_schema, native_file
from bitsieve.files.dialect import BOM
from bitsieve.files.errors import in_one_line
from bitsieve.files.parts import line_starts
from bitsieve.files.text import TextParts, Types

_HEAD = 4096  # bytes that are looked at


def is_json(path: Path) -> bool:
    """Whether a file of text begins as an object, or as a list of objects."""
    with open(path, "rb") as file:
        start = file.read(_HEAD).removeprefix(BOM).split()
    return b"".join(start[:3]).startswith((b'{"', b"[{", b"{}"))


class JsonParts(TextParts):
    """Objects as rows: their keys are the columns, and a key that an object lacks is a missing value."""

    def opened(self) -> Objects:
        with open(self.path, "rb") as file:
            is_list = file.read(_HEAD).removeprefix(BOM).lstrip().startswith(b"[")
        return Objects(self.path, self.label, is_list)

    @property
    def names(self) -> Sequence[str]:
        return list(self.types)


@dataclass(frozen=True)
class Objects:
    """How objects are parsed."""

    path: Path
    label: str
    is_list: bool

    def starts(self, size: int | None) -> list[int]:
        if size is None or self.is_list:
            return [0, os.path.getsize(self.path)]
        return line_starts(self.path, 0, size)

    def fit(self, first: int, end: int, types: Types) -> bool:
        try:
            self._read(first, end, types)
        except pa.ArrowInvalid:
            return False
        return True

    def parsed(self, first: int, end: int, types: Types | None, before: int = 0) -> pa.Table:
        with in_one_line(f"cannot read {self.label} as JSON"):
            table = self._read(first, end, types)
            table.validate(full=True)  # the reader of lines takes texts that are not UTF-8
        if types is None:
            table = table.select([name for name in table.column_names if not name.startswith(INDEX)])
            check_schema(table.schema, self.label)
        return table

    def _read(self, first: int, end: int, types: Types | None) -> pa.Table:
        from pyarrow import json as arrow_json

        if self.is_list:
            table = pa.Table.from_pylist(json.loads(self.path.read_text(encoding="utf-8-sig")))
            return table if types is None else table.select(list(types))
        how = arrow_json.ParseOptions()
        if types is not None:
            how = arrow_json.ParseOptions(
                explicit_schema=pa.schema(list(types.items())), unexpected_field_behavior="ignore"
            )
        with native_file(self.path) as file:
            file.seek(first)
            whole = end == file.size()
            return arrow_json.read_json(
                file if whole else pa.BufferReader(file.read_buffer(end - first)), parse_options=how
            )
