"""Public data sets from .npz files: X, y and, where the file has them, names and a test part."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bitsieve.common.messages import one_line, quoted
from bitsieve.datasets.origins import ORIGINS

if TYPE_CHECKING:
    from os import PathLike

    from numpy.typing import NDArray

SPARSE = {"data", "indices", "indptr"}


class DataSet(NamedTuple):
    """A table as it is in its file.

    ``X_test`` and ``y_test`` are None where the file has no test part, ``feature_names`` where it names no columns.
    """

    name: str
    X: NDArray
    y: NDArray
    feature_names: list[str] | None = None
    X_test: NDArray | None = None
    y_test: NDArray | None = None


def load_npz(data_dir: str | PathLike[str], name: str) -> DataSet:
    """Read ``name.npz`` in a directory of public data sets.

    Parameters
    ----------
    data_dir : path
    name : str
        Of the file, without ``.npz``.

    Returns
    -------
    DataSet

    Raises
    ------
    ValueError
        The file is not there (its public origin is named), cannot be read, holds sparse pieces, or no X and y that
        belong together.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> from bitsieve.datasets.files import load_npz
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     np.savez(f"{directory}/small.npz", X=np.eye(3), y=[0, 1, 1])
    ...     load_npz(directory, "small").X.shape
    (3, 3)
    """
    path = Path(data_dir) / f"{name}.npz"
    if not path.is_file():
        origin = f"; its public origin: {ORIGINS[name]}" if name in ORIGINS else ""
        raise ValueError(f"there is no {path.name} in {str(data_dir)!r}{origin}")
    try:
        with np.load(path, allow_pickle=False) as arrays:
            held = {key: arrays[key] for key in arrays.files if key not in SPARSE}
            sparse = set(arrays.files) >= SPARSE
    except (OSError, ValueError, zipfile.BadZipFile) as error:
        raise ValueError(f"{str(path)!r} cannot be read as .npz: {one_line(error)}") from None
    if sparse:
        raise ValueError(f"{str(path)!r} holds the pieces of a sparse matrix: a dense X is needed here")
    if not {"X", "y"} <= set(held):
        raise ValueError(f"{str(path)!r} holds {quoted(held) or 'nothing'}: arrays X and y are needed")
    _check(path, held["X"], held["y"])
    if "X_test" in held and "y_test" in held:
        _check(path, held["X_test"], held["y_test"])
    names = held.get("feature_names")
    return DataSet(
        name,
        held["X"],
        held["y"],
        None if names is None else [str(each) for each in names],
        held.get("X_test"),
        held.get("y_test"),
    )


def _check(path: Path, X: NDArray, y: NDArray) -> None:
    if X.ndim != 2 or y.shape != X.shape[:1]:
        raise ValueError(f"{str(path)!r}: X of shape {X.shape} and y of shape {y.shape} are no table with its classes")
