"""Files that every worker of a cluster can read: each reads its pieces of them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from bitsieve.files.read import open_columns
from bitsieve.sources.dask_source import PartsOfDask
from bitsieve.sources.in_parts import GivenInParts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from os import PathLike

    import numpy as np
    import pyarrow as pa
    from distributed import Client
    from numpy.typing import NDArray

    from bitsieve.files.arrow import ColumnParts
    from bitsieve.files.parts import Range

_ROWS = 1 << 20  # read at once where a file has no row groups


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
        self.client, self.batches = client, open_columns(Path(path).absolute())
        self.labels, self.n_columns = list(self.batches.names), len(self.batches.names)
        self.pieces = self.batches.ranges()

    def _parts(self, labels: list[Any] | None) -> list[Any]:
        """The pieces of the files."""
        from dask import delayed

        columns, name = self.labels if labels is None else labels, f"bitsieve-read-{uuid4().hex}"
        return [
            delayed(_read, pure=False)(piece, columns, dask_key_name=f"{name}-{place}")
            for place, piece in enumerate(self.pieces)
        ]

    def _given(self, features: list[Any], others: list[Any], weight: str | None) -> FilesGiven:
        """The files that were given."""
        return FilesGiven(self.batches, others, weight)


@dataclass(frozen=True)
class FilesGiven(GivenInParts):
    """The files that were given."""

    whole: ColumnParts
    others: Sequence[str]
    weight: str | None

    def take(self, indices: NDArray[np.intp]) -> None:
        """The selected columns are not read again."""

    def with_target(self, names: Sequence[str]) -> Any:
        """Some features, the target and the weights, read into the memory of this process."""
        import pyarrow as pa

        return pa.concat_tables(self.whole.batches([*names, *self.others], _ROWS), promote_options="permissive")


def _read(part: Range[pa.Table], columns: Sequence[str]) -> pa.Table:
    """Some columns of a part of a file."""
    import pyarrow as pa

    return pa.concat_tables(part.batches(columns, _ROWS))
