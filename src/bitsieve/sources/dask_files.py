"""Files that every worker of a cluster can read: each reads its pieces of them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from bitsieve.files.batches import check_unchanged, file_state
from bitsieve.files.open_batches import FolderBatches, open_file, with_values
from bitsieve.sources.dask_source import PartsOfDask
from bitsieve.sources.in_parts import GivenInParts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from os import PathLike

    import numpy as np
    from distributed import Client
    from numpy.typing import NDArray

    from bitsieve.files.batches import Batches, PartOfFile

_ROWS = 1 << 20  # read at once where a file has no row groups


@dataclass(frozen=True)
class Piece:
    """A part of a file that one worker reads.

    Attributes
    ----------
    path : Path
        As the workers see it.
    state : tuple
        What tells that the file is still the same.
    part : PartOfFile
    some : str
        A column of the file.
    values : mapping of str to value
        The columns that are told by the names of folders.
    """

    path: Path
    state: tuple[Any, ...]
    part: PartOfFile
    some: str
    values: Mapping[str, Any]

    def read(self, columns: Sequence[str]) -> Any:
        """Some columns as an Arrow table."""
        import pyarrow as pa

        self._check()
        tables = list(with_values(self.part, self.some, self.values, columns, _ROWS))
        self._check()
        return pa.concat_tables(tables)

    def _check(self) -> None:
        check_unchanged(repr(str(self.path)), self.state, file_state(self.path))


class FilesOnCluster(PartsOfDask):
    """A file or a folder of files, read by the workers of a cluster.

    Parameters
    ----------
    path : path-like
        Parquet, whose row groups are the parts; text, whose parts are ranges of lines; or Arrow or Feather, each file
        of which is one part; or a folder of such files. The workers must find it under the same path.
    client : distributed.Client or None
    """

    def __init__(self, path: str | PathLike[str], client: Client | None) -> None:
        self.client, self.batches = client, open_file(Path(path).absolute())
        self.labels, self.n_columns = list(self.batches.names), len(self.batches.names)
        self.pieces = _pieces(self.batches)

    def _parts(self, labels: list[Any] | None) -> list[Any]:
        """The pieces of the files."""
        from dask import delayed

        columns, name = self.labels if labels is None else labels, f"bitsieve-read-{uuid4().hex}"
        return [
            delayed(piece.read, pure=False)(columns, dask_key_name=f"{name}-{place}")
            for place, piece in enumerate(self.pieces)
        ]

    def _given(self, features: list[Any], others: list[Any], weight: str | None) -> FilesGiven:
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
    return [Piece(file.path, file.state_before, part, file.names[0], values) for part in file.pieces()]
