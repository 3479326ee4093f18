"""A selection that was saved, read back."""

from __future__ import annotations

from os import PathLike

from bitsieve.results.saved.read import read_record
from bitsieve.results.selection import Selection, selection_of_record


def load(path: str | PathLike[str]) -> Selection:
    """Read a selection that :meth:`Selection.save` or ``bitsieve select --save`` has written.

    Parameters
    ----------
    path : path
        Of the file.

    Returns
    -------
    Selection
        Equal to the one that was saved, with its notes and scores. It has no rows: ``transform`` and ``to_sklearn``
        apply it to other data, and what counts rows again (``explain``, ``plot``, reports) is an error.

    Raises
    ------
    ValueError
        There is no such file, or it is no whole selection: one line that says what is wrong. Nothing in the file is
        run.

    Examples
    --------
    >>> import bitsieve, os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "selection.json")
    >>> X, y = [[0, 0, 1], [0, 1, 1], [1, 0, 1], [1, 1, 0]] * 5, ["no", "no", "yes", "yes"] * 5
    >>> bitsieve.select(X, y, n_features_to_select=2).save(path)
    >>> bitsieve.load(path).features
    ['x0', 'x1']
    """
    return selection_of_record(read_record(path))
