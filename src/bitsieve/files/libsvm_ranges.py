"""Libsvm files larger than memory: read once, range by range, and turned to columns in a spool."""

from __future__ import annotations

import hashlib
import io
import json
from typing import TYPE_CHECKING, Any

import numpy as np

from bitsieve.common.memory import check_room
from bitsieve.common.messages import one_line
from bitsieve.common.names import NumberedNames
from bitsieve.common.progress import phase
from bitsieve.counts.checks import check_sparse_rows
from bitsieve.files.batches import check_unchanged, file_state
from bitsieve.files.by_column import VALUE_BYTES, SpooledRows
from bitsieve.files.errors import DataError
from bitsieve.files.libsvm import first_column, labels, sparse_rows
from bitsieve.files.npz import ArrayTable
from bitsieve.files.own_key import is_own, signed
from bitsieve.files.spool import Room, Spool, kept
from bitsieve.files.spooled_columns import SpooledColumns

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

_TEXT_SHARE = 16  # of the memory: the rows of a range take several times as much as its text
_SHORTEST, _LONGEST = 1 << 20, 1 << 28  # bytes of a range
_FILES = {"start": np.int64, "labels": np.float64, "row": np.int32, "value": np.float64}


def read_libsvm_in_ranges(
    path: Path, memory: int, parent: Path | None = None, *, range_bytes: int | None = None
) -> ArrayTable:
    """Read a libsvm file as :func:`~bitsieve.files.libsvm.read_libsvm` does, with its values in a spool.

    Parameters
    ----------
    path : Path
    memory : int
        About how many bytes may be taken, beside some for every row and column.
    parent : Path, optional
        A folder in which the columns are kept for later runs with the same file; None: they are removed in the end.
    range_bytes : int, optional
        Text that is read at once; by default what ``memory`` allows.

    Returns
    -------
    ArrayTable
        Its ``X`` is :class:`SpooledColumns`.

    Raises
    ------
    DataError
        The file is no libsvm file, changes while it is read, or the disk is full.
    """
    state = file_state(path)
    name = None if parent is None else _key(state)
    if parent is not None and name is not None:
        found = _reopened(parent, name, path)
        if found is not None:
            return found
    room = Room(parent)
    spool = room.spool if name is None else Spool(parent)
    size = int(np.clip(memory // _TEXT_SHARE, _SHORTEST, _LONGEST)) if range_bytes is None else range_bytes
    rows, y = _read(path, size, spool)
    check_unchanged(repr(str(path)), [state], [file_state(path)])
    labels(y, rows.n_stored, path)  # refuses a file without any
    check_sparse_rows(rows.n_rows)
    array = spool.array if name is not None else lambda _, size, kind: room(size, kind)
    start, row, value = rows.by_column(first_column(rows.least), max(1, memory // 4 // VALUE_BYTES), array)
    if name is not None:
        for file, values in (("start", start), ("labels", y)):
            spool.append(file, values)
        spool.keep(name, {"signature": signed(_digest(spool.folder))})
    return _table(start, y, np.asarray(row), np.asarray(value), room, path)


def _read(path: Path, size: int, spool: Spool) -> tuple[SpooledRows, NDArray[np.float64]]:
    """The rows of a file in a spool, and its labels."""
    rows, found = SpooledRows(spool), [np.empty(0)]
    step, whole = phase("reading"), path.stat().st_size
    try:
        with open(path, "rb") as file:
            while text := file.read(size):
                X, y = sparse_rows(io.BytesIO(text + file.readline()), path)
                del text
                check_room(32 * X.shape[1], f"the {X.shape[1]:,} columns of {str(path)!r} take", "renumber them")
                rows.add(X)
                found.append(y)
                step(file.tell(), max(whole, file.tell()))
    except OSError as error:
        raise DataError(f"cannot read {str(path)!r}: {error.strerror or one_line(error)}") from None
    return rows, np.concatenate(found)


def _key(state: tuple[Any, ...]) -> str:
    """The name of the columns of a file: that of another one, or after a change, is another one."""
    from bitsieve import __version__

    text = json.dumps(["libsvm", __version__, state])
    return f"bitsieve-{hashlib.sha256(text.encode()).hexdigest()[:32]}"


def _reopened(parent: Path, name: str, path: Path) -> ArrayTable | None:
    """What an earlier run has kept; None where there is nothing that can be trusted."""
    found = kept(parent, name)
    if found is None:
        return None
    folder, facts = found
    phase("opening the spool")
    try:
        if not is_own(_digest(folder), facts.get("signature")):
            return None
        start, y = (np.fromfile(folder / file, _FILES[file]) for file in ("start", "labels"))
        row, value = (_mapped(folder / file, _FILES[file], int(start[-1])) for file in ("row", "value"))
    except OSError:
        return None
    return _table(start, y, row, value, Room(parent), path)


def _digest(folder: Path) -> bytes:
    """A digest of all arrays of a folder; one without values has no files for these."""
    found = hashlib.sha256()
    for name in _FILES:
        found.update(name.encode())
        if (folder / name).exists():
            with open(folder / name, "rb") as file:
                found.update(hashlib.file_digest(file, "sha256").digest())
    return found.digest()


def _mapped(path: Path, kind: Any, size: int) -> NDArray[Any]:
    return np.asarray(np.memmap(path, kind, "r", shape=(size,))) if size else np.empty(0, kind)


def _table(start: Any, y: Any, row: Any, value: Any, room: Room, path: Path) -> ArrayTable:
    columns = SpooledColumns((len(y), len(start) - 1), start, row, value, room)
    return ArrayTable(columns, labels(y, 1, path), NumberedNames(columns.shape[1]))
