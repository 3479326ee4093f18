"""Several files of the same columns as one table: a list of files, or a folder whose sub-folders may name columns."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from urllib.parse import unquote

import pyarrow as pa

from bitsieve.diagnostics import Diagnostic
from bitsieve.io.column_file import CheckedPartition, ColumnFile, Copies, InputFile, Partition
from bitsieve.io.errors import DataError, FileState, check_names, readable
from bitsieve.io.formats import folder_endings
from bitsieve.io.notes import documents_left_out, empty_files_left_out
from bitsieve.utils.messages import quoted

Value = int | str | None

_NO_VALUE = "__HIVE_DEFAULT_PARTITION__"
_WHOLE_NUMBER = re.compile("-?[0-9]{1,18}")  # it fits into 64 bits
_HIDDEN = (".", "_")  # a file or folder whose name begins so is no part of the table
_NAMES_OF_DOCUMENTS = ("readme", "license", "licence", "copying", "notice", "changelog")  # without the ending .txt


class FolderOfFiles(ColumnFile):
    """The rows of several files, one after the other. A folder named ``column=value`` adds that column."""

    def __init__(
        self, path: Path | Sequence[Path], open_one: Callable[[Path], ColumnFile], label: str | None = None
    ) -> None:
        if isinstance(path, Path):
            folder = _open_tables(path, open_one)
            values_of_folders = list(folder.values)
            file = InputFile(path, label or repr(str(path)), path, Copies())
            super().__init__(file, folder.diagnostics)
            self.files = folder.files
        else:
            values_of_folders = [{} for _ in path]
            file = InputFile(path[0], quoted(path), None, Copies())
            super().__init__(file, [])
            self.files = [open_one(file_path) for file_path in path]
        self.initial_state = list(chain.from_iterable(file.initial_state for file in self.files))
        self.values = _typed([_without_names(values, self.files[0].names) for values in values_of_folders])
        for other in self.files[1:]:
            _check_same_columns(self.files[0], other)
        check_names(self.names, self.label)
        self.diagnostics += dict.fromkeys(chain.from_iterable(file.diagnostics for file in self.files))

    @property
    def names(self) -> Sequence[str]:
        return [*self.files[0].names, *self.values[0]]

    @property
    def n_rows(self) -> int | None:
        total = 0
        for file in self.files:
            if file.n_rows is None:
                return None
            total += file.n_rows
        return total

    @property
    def types(self) -> Mapping[str, pa.DataType]:
        types = dict(self.files[0].types)
        for name, value in self.values[0].items():
            types[name] = _type(value)
        return types

    @property
    def types_of_all_rows(self) -> Mapping[str, pa.DataType]:
        return {name: self._common_type(name) for name in self.names}

    def _common_type(self, name: str) -> pa.DataType:
        """The type of a column that is text where it is text in one of the files."""
        types = [
            _type(values[name]) if name in values else file.types[name]
            for file, values in zip(self.files, self.values, strict=True)
        ]
        if any(pa.types.is_string(kind) or pa.types.is_large_string(kind) for kind in types):
            return pa.string()
        schemas = [pa.schema([(name, kind)]) for kind in types]
        return pa.unify_schemas(schemas, promote_options="permissive").field(name).type

    def partitions(self, *, in_one_block: bool) -> Sequence[Partition]:
        return [FileInFolder(file, file.names[0], values) for file, values in zip(self.files, self.values, strict=True)]

    def checked_partitions(self, n: int | None = None) -> list[CheckedPartition]:
        n_per_file = None if n is None else -(-n // len(self.files))
        partitions = []
        for file, values in zip(self.files, self.values, strict=True):
            for checked in file.checked_partitions(n_per_file):
                in_folder = FileInFolder(checked.partition, file.names[0], values)
                partitions.append(replace(checked, partition=in_folder))
        return partitions

    def state(self) -> list[FileState]:
        return list(chain.from_iterable(file.state() for file in self.files))


@dataclass(frozen=True)
class FileInFolder:
    """Rows of a file, and the values in the names of its folders."""

    rows: Partition
    any_column: str  # a column of the file, which is read to count the rows where no other is needed
    values: Mapping[str, Value]

    def batches(self, columns: Sequence[str] | None, rows: int | None) -> Iterator[pa.Table]:
        for table in self.rows.batches(self._columns_in_file(columns), rows):
            extended_table = table
            for name, value in self.values.items():
                column = pa.repeat(pa.scalar(value, _type(value)), table.num_rows)
                extended_table = extended_table.append_column(name, column)
            yield extended_table if columns is None else extended_table.select(list(columns))

    def _columns_in_file(self, columns: Sequence[str] | None) -> list[str] | None:
        if columns is None:
            return None
        in_file = [name for name in columns if name not in self.values]
        return in_file or [self.any_column]


def _check_same_columns(first: ColumnFile, other: ColumnFile) -> None:
    """Refuse a file that lacks a column of the first one, or has one besides."""
    first_names = set(first.names)
    other_names = set(other.names)
    lost = [name for name in first.names if name not in other_names]
    new = [name for name in other.names if name not in first_names]
    if not lost and not new:
        return
    difference = f"lacks the {_columns_in_words(lost)}" if lost else f"has the {_columns_in_words(new)} besides"
    raise DataError(
        code="columns-differ",
        message=f"{other.label} {difference}, unlike {first.label}",
        advice="give all parts the same columns",
    )


def _columns_in_words(names: Sequence[str]) -> str:
    return f"column {quoted(names)}" if len(names) == 1 else f"columns {quoted(names)}"


@dataclass(frozen=True)
class _Folder:
    """The tables of a folder."""

    files: list[ColumnFile]
    values: list[dict[str, str | None]]  # one for each file: the values in the names of its folders, by column
    diagnostics: list[Diagnostic]  # on the files that were left out


def _open_tables(path: Path, open_one: Callable[[Path], ColumnFile]) -> _Folder:
    """Open the tables of a folder, sorted by path. Empty files and documents are left out."""
    paths = _paths_of_tables(path)
    empty_files = [file_path for file_path in paths if _is_empty(file_path)]
    documents = [file_path for file_path in paths if _has_name_of_document(file_path)]
    table_paths = [file_path for file_path in paths if file_path not in {*empty_files, *documents}]
    files = {file_path: open_one(file_path) for file_path in table_paths if not _is_plain_text(file_path)}
    column_names = set(chain.from_iterable(file.names for file in files.values()))
    for text_path in filter(_is_plain_text, table_paths):
        if column_names and _shares_no_column(text_path, open_one, column_names):
            documents.append(text_path)
        else:
            files[text_path] = open_one(text_path)
    if not files:
        raise DataError(
            code="not-a-table",
            message=f"the folder {str(path)!r} holds no table",
            advice=f"files that end in {', '.join(folder_endings())} are read",
        )
    files = dict(sorted(files.items()))
    values = [_values_of_folders(file_path.relative_to(path).parent.parts) for file_path in files]
    if len({frozenset(values_of_file) for values_of_file in values}) > 1:
        raise DataError(
            code="columns-differ",
            message=f"the sub-folders of {str(path)!r} are not all named by the same columns",
            advice="name each of them COLUMN=VALUE, with the same column",
        )
    diagnostics = []
    if empty_files:
        diagnostics.append(empty_files_left_out([str(file_path.relative_to(path)) for file_path in empty_files]))
    if documents:
        diagnostics.append(documents_left_out(sorted(str(file_path.relative_to(path)) for file_path in documents)))
    return _Folder(list(files.values()), values, diagnostics)


def _is_empty(path: Path) -> bool:
    with readable(path):
        return path.is_file() and path.stat().st_size == 0


def _is_plain_text(path: Path) -> bool:
    return path.suffix.lower() == ".txt"


def _has_name_of_document(path: Path) -> bool:
    return _is_plain_text(path) and path.stem.lower() in _NAMES_OF_DOCUMENTS


def _shares_no_column(path: Path, open_one: Callable[[Path], ColumnFile], names: set[str]) -> bool:
    """Whether a file has none of the columns ``names``, or is no table."""
    try:
        return names.isdisjoint(open_one(path).names)
    except DataError:
        return True


def _paths_of_tables(path: Path) -> list[Path]:
    """The files of a folder whose ending is that of a table."""

    def fail(error: OSError) -> None:
        with readable(path):
            raise error

    endings = folder_endings()
    paths = []
    for directory, _, file_names in os.walk(path, onerror=fail, followlinks=True):
        folders = Path(directory).relative_to(path).parts
        if any(folder.startswith(_HIDDEN) for folder in folders):
            continue
        for name in file_names:
            if not name.startswith(_HIDDEN) and Path(name).suffix.lower() in endings:
                paths.append(Path(directory, name))
    return sorted(paths)


def _values_of_folders(folders: Sequence[str]) -> dict[str, str | None]:
    """The values in names of folders such as ``year=2024``, by column."""
    values: dict[str, str | None] = {}
    for folder in folders:
        name, equals, value = folder.partition("=")
        if equals:
            values[name] = None if value == _NO_VALUE else unquote(value)
    return values


def _typed(values_of_files: list[dict[str, str | None]]) -> list[dict[str, Value]]:
    """Convert the values of a column to integers if all of them are whole numbers."""
    typed_values: list[dict[str, Value]] = [dict(values) for values in values_of_files]
    for name in values_of_files[0]:
        if not all(_is_missing_or_whole(values[name]) for values in values_of_files):
            continue
        for values, converted in zip(values_of_files, typed_values, strict=True):
            text = values[name]
            if text is not None:
                converted[name] = int(text)
    return typed_values


def _without_names(values: Mapping[str, str | None], names: Sequence[str]) -> dict[str, str | None]:
    other_names = set(names)
    return {name: value for name, value in values.items() if name not in other_names}


def _is_missing_or_whole(value: str | None) -> bool:
    return value is None or _WHOLE_NUMBER.fullmatch(value) is not None


def _type(value: Value) -> pa.DataType:
    return pa.int64() if isinstance(value, int) else pa.string()
