"""The file or the folder of files that is read in batches of rows, told by its content."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn
from urllib.parse import unquote

from bitsieve.common.messages import one_line, quoted
from bitsieve.files.batches import ArrowBatches, Batches, FileBatches, PartOfFile
from bitsieve.files.errors import DataError, check_names
from bitsieve.files.json_lines import is_json
from bitsieve.files.libsvm import ENDINGS, is_libsvm
from bitsieve.files.parquet_batches import ParquetBatches
from bitsieve.files.read import READ, file_kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pyarrow as pa

_ENDINGS = (".parquet", ".pq", ".arrow", ".feather", ".ipc", ".arrows", ".csv", ".tsv", ".txt")
_NO_VALUE = "__HIVE_DEFAULT_PARTITION__"


class FolderBatches(Batches):
    """The files of a folder, one after the other; folders named ``column=value`` add that column.

    Parameters
    ----------
    parts : sequence of FileBatches
    label : str
    values : sequence of dict
        Of every part its columns that are told by the folders.
    """

    def __init__(self, parts: Sequence[FileBatches], label: str, values: Sequence[dict[str, Any]]) -> None:
        first = parts[0]
        own = set(first.names)
        values = [{name: value for name, value in one.items() if name not in own} for one in values]
        self.parts, self.label, self.values = parts, label, values
        for part in parts:
            lost = [name for name in first.names if name not in set(part.names)]
            new = [name for name in part.names if name not in own]
            if lost or new:
                what = f"lacks the column {quoted(lost)}" if lost else f"has the column {quoted(new)} besides"
                raise DataError(f"{part.label} {what}, unlike {first.label}: give all parts the same columns")
        self.names = [*first.names, *values[0]]
        check_names(self.names, Path(label))
        self.row_bytes = first.row_bytes + 8 * len(values[0])
        counts = [part.n_rows for part in parts]
        self.n_rows = None if None in counts else sum(count or 0 for count in counts)

    def read(self, columns: Sequence[str], rows: int) -> Iterator[pa.Table]:
        """The batches of every file in turn."""
        for part, values in zip(self.parts, self.values, strict=True):
            yield from with_values(part, part.names[0], values, columns, rows)

    def state(self) -> list[tuple[Any, ...]]:
        """That of every file."""
        return [one for part in self.parts for one in part.state()]


def with_values(
    part: PartOfFile, some: str, values: Mapping[str, Any], columns: Sequence[str], rows: int
) -> Iterator[pa.Table]:
    """Some columns of a file or a part of it; of ``values``, which folders tell, or of the file, which has ``some``."""
    own = [name for name in columns if name not in values]
    for table in part.read(own or [some], rows):
        for name in columns:
            if name in values:
                table = table.append_column(name, _constant(values[name], table.num_rows))
        yield table.select(list(columns))


def open_file(path: str | PathLike[str]) -> Batches:
    """The batches of a file, or of all files of a folder.

    Parameters
    ----------
    path : path-like
        Parquet, Arrow or Feather, or text with a header line; or a folder of such files, all with the same columns,
        whose sub-folders may be named ``column=value``. Of a folder, files of other endings are left out, and those
        whose names begin with a dot or an underscore.

    Raises
    ------
    DataError
        The path is not there, is no such file or is broken; or the files of a folder do not have the same columns.
    """
    path = Path(path)
    try:
        if not path.is_dir():
            if not path.is_file():
                what = "is not a regular file" if path.exists() else "is not there"
                raise DataError(f"{str(path)!r} {what}: give the path of a table file or a folder of them ({READ})")
            return _open_one(path)
        files = [
            file
            for file in sorted(path.rglob("*"))
            if file.suffix.lower() in _ENDINGS
            and file.is_file()
            and not any(part.startswith((".", "_")) for part in file.relative_to(path).parts)
        ]
        if not files:
            raise DataError(
                f"the folder {str(path)!r} holds no table: files that end in {', '.join(_ENDINGS)} are read"
            )
        values = [_told_by_folders(file.relative_to(path)) for file in files]
        if any(one.keys() != values[0].keys() for one in values):
            raise DataError(f"the sub-folders of {str(path)!r} are not all named by the same columns: sort them out")
        return FolderBatches([_open_one(file) for file in files], str(path), _typed(values))
    except OSError as error:
        raise DataError(f"cannot read {str(path)!r}: {error.strerror or one_line(error)}") from None


def _open_one(path: Path) -> FileBatches:
    kind = file_kind(path)
    if kind == "parquet":
        return ParquetBatches(path)
    if kind in ("arrow", "stream"):
        return ArrowBatches(path)
    if kind == "text" and is_libsvm(path):
        refuse_sparse_rows(path)
    if kind == "text" and not is_json(path):
        from bitsieve.files.text_batches import TextBatches

        return TextBatches(path)
    what = {"npz": "an .npz file", "text": "a JSON file"}.get(kind, "a Feather file of version 1")
    advice = "give it without a limit of memory and a spool, or write it as Parquet"
    raise DataError(f"{str(path)!r} is {what}, which is not read in batches: {advice}")


def holds_sparse_rows(data: Any) -> bool:
    """Whether something is the path of a libsvm file, whose rows are no batches: it is read in ranges of its text."""
    if not isinstance(data, (str, PathLike)):
        return False
    path = Path(data)
    try:
        if not path.exists():  # whoever reads it will say so
            return path.suffix.lower() in ENDINGS
        return path.is_file() and file_kind(path) == "text" and is_libsvm(path)
    except OSError as error:
        raise DataError(f"cannot read {str(path)!r}: {error.strerror or one_line(error)}") from None


def refuse_sparse_rows(path: str | PathLike[str]) -> NoReturn:
    """Refuse a libsvm file where batches of columns are needed.

    Raises
    ------
    DataError
        Always.
    """
    advice = "give its path to select or fit, one file alone, or write it as Parquet"
    raise DataError(f"{str(path)!r} is a libsvm file, which is not read in batches of columns: {advice}")


def _told_by_folders(path: Path) -> dict[str, str | None]:
    parts = [part.partition("=") for part in path.parts[:-1] if "=" in part]
    return {name: None if value == _NO_VALUE else unquote(value) for name, _, value in parts}


def _typed(values: list[dict[str, str | None]]) -> list[dict[str, Any]]:
    """Whole numbers where all values of a column are, else text."""
    numeric = {name for name in values[0] if all((one[name] or "0").lstrip("-").isdecimal() for one in values)}
    return [
        {name: int(value) if name in numeric and value is not None else value for name, value in one.items()}
        for one in values
    ]


def _constant(value: Any, n_rows: int) -> Any:
    import pyarrow as pa

    kind = pa.int64() if isinstance(value, int) else pa.string()
    return pa.repeat(pa.scalar(value, kind), n_rows)
