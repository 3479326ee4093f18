"""Whatever gives Arrow batches, as a table that can be read in batches several times."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, Any

from bitsieve.common.messages import one_line
from bitsieve.common.progress import row_phase
from bitsieve.files.arrow import native_file
from bitsieve.files.batches import ArrowBatches, Batches
from bitsieve.files.errors import DataError
from bitsieve.files.open_batches import open_file
from bitsieve.files.read import check_schema
from bitsieve.files.spool import Spool, no_room

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class StreamedOnce(ArrowBatches):
    """A stream that was read once and written to a spool, from which it is read again."""

    spool: Spool

    def state(self) -> list[tuple[Any, ...]]:
        """Nobody but this process writes the file."""
        return []


def open_batches(data: Any, parent: Path | None) -> Batches:
    """The batches of a path, or of a stream, which is written to the spool.

    Parameters
    ----------
    data : path, or object with ``__arrow_c_stream__``, pyarrow dataset, polars LazyFrame
    parent : Path or None
        Where the spool of a stream lies; it is removed with the batches.

    Raises
    ------
    DataError
        The data can not be read, or the disk is full.
    """
    if isinstance(data, (str, PathLike)):
        return open_file(data)
    import pyarrow as pa

    spool = Spool(parent)
    path, n_rows = spool.folder / "stream.arrow", 0
    step = row_phase("reading the stream", None)
    try:
        batches = _batches(data)
        first = next(batches, None)
        if first is None:
            raise DataError("the stream has no rows: nothing to select from")
        check_schema(first.schema, path)
        with native_file(path, "wb") as file, pa.ipc.new_file(file, first.schema) as writer:
            batch: Any = first
            while batch is not None:
                writer.write_batch(batch)
                n_rows += batch.num_rows
                step(n_rows)
                batch = next(batches, None)
    except OSError as error:
        raise no_room(spool.folder.parent, path.stat().st_size if path.exists() else 0, error) from None
    except pa.ArrowException as error:
        raise DataError(f"cannot read the stream: {one_line(error)}") from None
    if not n_rows:
        raise DataError("the stream has no rows: nothing to select from")
    stored = StreamedOnce(path)
    stored.label, stored.n_rows, stored.spool = "the stream", n_rows, spool
    return stored


def _batches(data: Any) -> Iterator[Any]:
    import pyarrow as pa

    if hasattr(data, "__arrow_c_stream__"):
        yield from pa.RecordBatchReader.from_stream(data)
    elif hasattr(data, "scanner"):  # a pyarrow dataset
        yield from data.scanner().to_reader()
    else:  # a polars LazyFrame
        for frame in data.collect_batches(maintain_order=True):
            yield from frame.to_arrow().to_batches()
