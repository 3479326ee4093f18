"""One call from a table to a ranked, explained selection."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any

from bitsieve.common.defaults import BINNING, SELECT
from bitsieve.common.notes import warn_of
from bitsieve.common.progress import shown
from bitsieve.selection.from_table import select_from
from bitsieve.selection.reading import passed_on, read_table
from bitsieve.selection.selection import Selection


def select(
    data: Any,
    target: Any = None,
    *,
    sample_weight: Any = None,
    method: str = SELECT.method,
    n_features_to_select: int | float | str | None = None,
    include: Sequence[Any] = (),
    exclude: Sequence[Any] = (),
    binning: Any = BINNING,
    target_bins: int | str | None = None,
    drop_missing_target: bool = False,
    header: bool | None = None,
    n_jobs: int | None = None,
    memory: int | str | None = None,
    spool: str | PathLike[str] | None = None,
    engine: str | None = None,
    verbose: bool = False,
    **parameters: Any,
) -> Selection:
    """Select the features of a table that tell most about its target.

    Parameters
    ----------
    data : array-like or scipy.sparse of shape (n_samples, n_features), dataframe, or path
        numpy, pandas, polars (lazy, too) or pyarrow (table or record batch); or a CSV, TSV, JSON lines, Parquet,
        Arrow/Feather, libsvm or .npz file, compressed or not. A Dask data frame or array is counted on its cluster (see
        :class:`bitsieve.DaskSource`), by the methods that need counts alone; so are a Spark data frame (see
        :class:`bitsieve.SparkSource`) and, in batches, a folder of files, a
        pyarrow dataset and any Arrow stream, and with ``memory`` a file and a lazy frame, too (see
        :class:`bitsieve.StreamSource`).
    target : str or array-like of shape (n_samples,), or several, optional
        A column of ``data``, which is then no feature, or the values themselves. A list of columns, or a 2-D array, is
        one target whose classes are the combinations that occur. Only for .npz and libsvm it may be left out: it is
        ``y`` there.
    sample_weight : str or array-like of shape (n_samples,), optional
        Frequency weights, as a column of ``data``, which is then no feature, or as values: whole numbers, how many
        times each sample counts.
    method : str, default="cmim"
        One of :func:`bitsieve.list_methods`.
    n_features_to_select : int, float or "auto", optional
        By default 20, or all columns where there are fewer. A float between 0 and 1 is a share of the columns; "auto"
        lets a greedy method, fcbf or vmi stop by itself.
    include : sequence of column, optional
        Selected first, whatever they tell, by a greedy method. A column with a value of its own in every row, as a
        name or a number of each row, is left out unless it is named here.
    exclude : sequence of column, optional
        Never selected.
    binning : {"mdl", "quantile", "uniform", "none"} or binner, default="mdl"
        How numeric columns become codes. Text, categorical and boolean columns are codes as they are. None, for a
        method on densities (vmi), bins for the explanation alone, by "mdl".
    target_bins : int or "none", optional
        Equal-frequency classes of a target that is a quantity, 5 by default: numbers with a fractional part, or more
        than 100 different whole numbers. A number that is given is obeyed by whole numbers, too, of which more
        different ones occur; "none" takes each number as a class.
    drop_missing_target : bool, default=False
        Whether rows without a target are left out; else they are an error.
    header : bool, optional
        Whether the first line of a text file has the names. By default it has, unless it looks like data, which is an
        error.
    n_jobs : int, optional
        Threads; the result is the same to the last bit for any number.
    memory : int or str, optional
        About how many bytes the work may take, such as ``"4GB"``: a file is then read in batches, a libsvm file in
        ranges of its text. A method with this
        parameter gets it, too.
    spool : path, optional
        For data that is read in batches: a folder in which what was packed, or sorted by column, is kept for later
        runs.
    engine : {"local", "stream", "dask", "spark"}, optional
        Where the rows are worked on: in memory, in batches, or by a cluster. By default it follows from the data.
    verbose : bool, default=False
        Whether a job of more than a second shows what it is doing, in one line of a terminal or a notebook.
    **parameters
        Of the binner (``n_bins``, ``uncut``, ``missing``) or of the method (such as ``beta`` of MIFS, or ``stopping``
        and ``constraints`` of the greedy ones).

    Returns
    -------
    Selection
        ``print`` shows it as a table with its notes, a notebook as one of HTML. Each note is a
        :class:`BitsieveWarning`, too.

    Raises
    ------
    ValueError
        The data, the target or a parameter cannot be used: one line that says what to do.

    Examples
    --------
    >>> import bitsieve
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> bitsieve.select(X, y, method="jmi", n_features_to_select=2).features
    ['x3', 'x2']
    """
    parameters |= passed_on(data, method, memory, spool, engine)
    with shown(verbose):
        selection = select_from(
            read_table(
                data,
                target,
                sample_weight,
                target_bins,
                memory,
                spool,
                drop_missing=drop_missing_target,
                header=header,
                engine=engine,
            ),
            method=method,
            n_features_to_select=n_features_to_select,
            include=include,
            exclude=exclude,
            binning=binning,
            n_jobs=n_jobs,
            **parameters,
        )
    warn_of(selection.notes)
    return selection
