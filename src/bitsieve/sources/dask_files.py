"""Files that every worker of a cluster can read: each reads its pieces of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from bitsieve.files.errors import DataError
from bitsieve.files.open_batches import FolderBatches, open_file
from bitsieve.sources.dask_table import PartsOnCluster
from bitsieve.sources.in_parts import GivenInParts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from os import PathLike

    import numpy as np
    from distributed import Client
    from numpy.typing import NDArray

    from bitsieve.files.batches import Batches

_ROWS = 1 << 20  # read at once where a file has no row groups


@dataclass(frozen=True)
class Piece:
    """A row group of a Parquet file, or the whole of another one.

    Attributes
    ----------
    path : str
        As the workers see it.
    row_group : int or None
    values : mapping of str to value
        The columns that are told by the names of folders.
    """

    path: str
    row_group: int | None
    values: Mapping[str, Any]

    def read(self, columns: Sequence[str]) -> Any:
        """Some columns as an Arrow table."""
        import pyarrow as pa

        file: Any = open_file(self.path)
        if self.row_group is not None:
            file = _RowGroup(self.path, self.row_group, file.names)
        return pa.concat_tables(list(FolderBatches([file], self.path, [dict(self.values)]).read(columns, _ROWS)))


class _RowGroup:
    """One row group of a Parquet file, as its only batch."""

    n_rows, row_bytes = None, 8

    def __init__(self, path: str, place: int, names: list[str]) -> None:
        self.path, self.place, self.names, self.label = path, place, names, repr(path)

    def read(self, columns: Sequence[str], rows: int) -> Any:
        """The row group."""
        import pyarrow as pa
        from pyarrow import parquet

        try:
            with parquet.ParquetFile(self.path) as file:
                yield file.read_row_group(self.place, columns=list(columns)).select(list(columns))
        except (pa.ArrowException, OSError, IndexError) as error:
            raise DataError(f"cannot read {self.label} as Parquet: {error}") from None


class FilesOnCluster(PartsOnCluster):
    """A file or a folder of files, read by the workers of a cluster.

    Parameters
    ----------
    path : path-like
        Parquet, whose row groups are the parts; or Arrow, Feather or text, each file of which is one part; or a folder
        of such files. The workers must find it under the same path.
    client : distributed.Client or None
    """

    def __init__(self, path: str | PathLike[str], client: Client | None) -> None:
        self.client, self.batches = client, open_file(path)
        self.labels, self.n_columns = list(self.batches.names), len(self.batches.names)

    def parts(self, labels: list[Any] | None) -> list[Any]:
        """The pieces of the files."""
        from dask import delayed

        columns, name = self.labels if labels is None else labels, f"bitsieve-read-{uuid4().hex}"
        return [
            delayed(piece.read, pure=False)(columns, dask_key_name=f"{name}-{place}")
            for place, piece in enumerate(_pieces(self.batches))
        ]

    def given(self, features: list[Any], others: list[Any], weight: str | None) -> FilesGiven:
        """The files that were given."""
        return FilesGiven(self.batches, others, weight)


@dataclass(frozen=True)
class FilesGiven(GivenInParts):
    """The files that were given."""

    whole: Batches
    others: Sequence[str]
    weight: str | None

    def take(self, indices: NDArray[np.intp]) -> None:
        """The selected columns are not read again."""

    def with_target(self, names: Sequence[str]) -> Any:
        """Some features, the target and the weights, read into the memory of this process."""
        import pyarrow as pa

        return pa.concat_tables(self.whole.read([*names, *self.others], _ROWS), promote_options="permissive")


def _pieces(batches: Batches) -> list[Piece]:
    if isinstance(batches, FolderBatches):
        of_files = zip(batches.parts, batches.values, strict=True)
        return [piece for file, values in of_files for piece in _pieces_of(file, values)]
    return _pieces_of(batches, {})


def _pieces_of(file: Any, values: Mapping[str, Any]) -> list[Piece]:
    groups: Sequence[int | None] = range(len(file.groups)) if hasattr(file, "groups") else [None]
    return [Piece(str(file.path.resolve()), group, values) for group in groups]
