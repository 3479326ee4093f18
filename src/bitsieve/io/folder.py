"""Several table files of the same columns as one: a list of them, or a folder, whose sub-folders may name columns."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import unquote

import pyarrow as pa

from bitsieve.io.errors import DataError, FileState, check_names, readable
from bitsieve.io.parts import ColumnParts, Copies, Given, Range, Rows
from bitsieve.utils.messages import quoted

Value = int | str | None

_NO_VALUE = "__HIVE_DEFAULT_PARTITION__"
_HIDDEN = (".", "_")  # what the names of files and folders begin with that are no part of a table
ENDINGS = (".parquet", ".pq", ".arrow", ".feather", ".ipc", ".arrows", ".orc", ".csv", ".tsv", ".txt")


class FolderParts(ColumnParts):
    """Several files, or those of a folder, one after the other; folders named ``column=value`` add that column."""

    def __init__(
        self, path: Path | Sequence[Path], open_one: Callable[[Path], ColumnParts], label: str | None = None
    ) -> None:
        if isinstance(path, Path):
            files, label, original = _files(path), label or repr(str(path)), path
        else:
            files, label, original = {file: {} for file in path}, quoted(path), None
        super().__init__(Given(original or next(iter(files)), label, original, Copies()), [])
        self.files = [open_one(file) for file in files]
        first = self.files[0]
        own = list(first.names)
        values = [{name: value for name, value in one.items() if name not in own} for one in files.values()]
        self.values = _typed(values)
        for file in self.files:
            lost, new = (
                [name for name in some if name not in set(others)]
                for some, others in ((own, file.names), (file.names, own))
            )
            if lost or new:
                columns = f"column{'s' if len(lost or new) > 1 else ''} {quoted(lost or new)}"
                what = f"lacks the {columns}" if lost else f"has the {columns} besides"
                raise DataError(
                    code="columns-differ",
                    message=f"{file.label} {what}, unlike {first.label}",
                    advice="give all parts the same columns",
                )
        check_names(self.names, self.label)
        self.diagnostics += dict.fromkeys(note for file in self.files for note in file.diagnostics)

    @property
    def names(self) -> Sequence[str]:
        return [*self.files[0].names, *self.values[0]]

    @property
    def n_rows(self) -> int | None:
        counts = [file.n_rows for file in self.files]
        return None if None in counts else sum(count or 0 for count in counts)

    @property
    def types(self) -> Mapping[str, pa.DataType]:
        return {**self.files[0].types, **{name: _type(value) for name, value in self.values[0].items()}}

    def pieces(self, *, whole: bool) -> Sequence[Rows]:
        return [OfFolder(file, file.names[0], values) for file, values in zip(self.files, self.values, strict=True)]

    def ranges(self, n: int | None = None) -> list[Range]:
        each = None if n is None else -(-n // len(self.files))
        found = []
        for file, values in zip(self.files, self.values, strict=True):
            found += [replace(part, rows=OfFolder(part.rows, file.names[0], values)) for part in file.ranges(each)]
        return found

    def state(self) -> list[FileState]:
        return [one for file in self.files for one in file.state()]


@dataclass(frozen=True)
class OfFolder:
    """Rows of a file, which has the column ``some``, with the ``values`` that its folders name."""

    rows: Rows
    some: str
    values: Mapping[str, Value]

    def batches(self, columns: Sequence[str] | None, rows: int | None) -> Iterator[pa.Table]:
        own = None if columns is None else [name for name in columns if name not in self.values] or [self.some]
        for table in self.rows.batches(own, rows):
            for name, value in self.values.items():
                table = table.append_column(name, pa.repeat(pa.scalar(value, _type(value)), table.num_rows))
            yield table if columns is None else table.select(list(columns))


def _files(path: Path) -> dict[Path, dict[str, str | None]]:
    """The table files of a folder in their order, and the values that their folders name."""

    def fail(error: OSError) -> None:
        with readable(path):
            raise error

    tables: dict[Path, dict[str, str | None]] = {}
    for where, _, names in os.walk(path, onerror=fail, followlinks=True):
        folders = Path(where).relative_to(path).parts
        pairs = (folder.partition("=") for folder in folders if "=" in folder)
        values = {name: None if value == _NO_VALUE else unquote(value) for name, _, value in pairs}
        if not any(folder.startswith(_HIDDEN) for folder in folders):
            shown = (name for name in names if not name.startswith(_HIDDEN))
            tables |= {Path(where, name): values for name in shown if Path(name).suffix.lower() in ENDINGS}
    if not tables:
        raise DataError(
            code="not-a-table",
            message=f"the folder {str(path)!r} holds no table",
            advice=f"files that end in {', '.join(ENDINGS)} are read",
        )
    if len({frozenset(one) for one in tables.values()}) > 1:
        raise DataError(
            code="columns-differ",
            message=f"the sub-folders of {str(path)!r} are not all named by the same columns",
            advice="name each COLUMN=VALUE alike",
        )
    return dict(sorted(tables.items()))


def _typed(values: list[dict[str, str | None]]) -> list[dict[str, Value]]:
    """Whole numbers where all values of a column are, else text."""
    numeric = {name for name in values[0] if all((one[name] or "0").lstrip("-").isdecimal() for one in values)}
    return [
        {name: int(value) if name in numeric and value is not None else value for name, value in one.items()}
        for one in values
    ]


def _type(value: Value) -> pa.DataType:
    return pa.int64() if isinstance(value, int) else pa.string()
