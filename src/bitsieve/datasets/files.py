"""Public data sets from .npz files: X, y and, where the file has them, a test part."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bitsieve.datasets.origins import ORIGINS
from bitsieve.files.npz import read_npz

if TYPE_CHECKING:
    from os import PathLike

    from numpy.typing import NDArray


class DataSet(NamedTuple):
    """The arrays of a public data set; ``X_test`` and ``y_test`` are None where it has no test part."""

    name: str
    X: NDArray[Any]
    y: NDArray[Any]
    X_test: NDArray[Any] | None = None
    y_test: NDArray[Any] | None = None


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
        The file is not there (its public origin is named), cannot be read, or holds no X and y that belong together.

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
    arrays = read_npz(path)
    X = arrays.X if isinstance(arrays.X, np.ndarray) else arrays.X.toarray()
    with np.load(path, allow_pickle=False) as stored:
        test = [stored[key] for key in ("X_test", "y_test") if key in stored.files]
    if len(test) < 2:
        return DataSet(name, X, arrays.y)
    X_test, y_test = test
    if X_test.ndim != 2 or X_test.shape[1] != arrays.X.shape[1] or y_test.shape != X_test.shape[:1]:
        raise ValueError(
            f"X_test of shape {X_test.shape} and y_test of shape {y_test.shape} of {str(path)!r} do not belong to X of "
            f"shape {arrays.X.shape}: store as many columns, and one value a row"
        )
    return DataSet(name, X, arrays.y, X_test, y_test)
