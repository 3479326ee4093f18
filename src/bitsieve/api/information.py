"""Entropy and mutual information of columns, with a target and of all pairs of columns, in bits."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from bitsieve.dataset.dataset import Dataset
from bitsieve.dataset.read import read_xy
from bitsieve.diagnostics import ParameterError, UserError
from bitsieve.discretization.base import BinningLike
from bitsieve.discretization.registry import binning_with, make_binner
from bitsieve.engines.local import binner_of, count, count_coded
from bitsieve.engines.registry import data_in_parts, refuse_sampling_weights
from bitsieve.information import check_estimator, make_information
from bitsieve.information.neighbours import Variable, between, conditional
from bitsieve.information.protocol import Information
from bitsieve.options import FREQUENCY, ReadOptions
from bitsieve.pipeline.samples import TableSamples
from bitsieve.utils.defaults import BINNING
from bitsieve.utils.docstrings import cites
from bitsieve.utils.parameter_names import proposes_right_names
from bitsieve.utils.parameters import check_choice
from bitsieve.utils.types import ColumnLike, TableLike

NEIGHBOURS = "ksg"  # the estimator that needs no bins


@proposes_right_names
def entropy(
    X: TableLike,
    y: ColumnLike = None,
    *,
    sample_weight: ColumnLike = None,
    weight_kind: str = FREQUENCY,
    binning: BinningLike = BINNING,
    missing: str | None = None,
    estimator: str = "plug-in",
    n_jobs: int | None = None,
) -> NDArray[np.float64]:
    """Entropy of every column, in bits.

    ``H(X) = sum_x (n_x / N) log2(N / n_x)`` over the codes that occur (plug-in). Costs what the binning costs, and O(N)
    a column to count its codes.

    Parameters
    ----------
    X : array-like, dataframe, pyarrow Table or scipy.sparse of shape (n_samples, n_features), or path or stream
    y : array-like of shape (n_samples,), optional
        Needed by "auto", and by "mdl", which cuts by the class.
    sample_weight : array-like of shape (n_samples,), optional
        Frequency weights, whole numbers: how many times each sample counts, exactly as if it were repeated.
    weight_kind : {"frequency", "sampling"}, default="frequency"
        What ``sample_weight`` is: frequencies, or the weights of a survey, as in :func:`bitsieve.select`.
    binning : {"auto", "mdl", "monotone", "quantile", "uniform", "none"} or binner, default="auto"
        How numeric columns become codes.
    missing : {"error", "bin"}, optional
        What missing values are: an error, or a code of their own (the default). A binner has its own ``missing``.
    estimator : {"plug-in", "corrected", "miller-madow", "shrinkage"}, default="plug-in"
        Plug-in, or corrected for few samples: see the page on numbers for what each may be and what bounds it.
    n_jobs : int, optional
        Threads.

    Returns
    -------
    ndarray of shape (n_features,)
        ``0 <= H <= log2(codes)``; miller-madow may exceed it.

    Raises
    ------
    ValueError
        If the binner refuses the columns, a weight is no whole number, or there is no such estimator.

    Examples
    --------
    >>> import bitsieve
    >>> bitsieve.entropy([[0, 0], [1, 0], [0, 1], [1, 1]], binning="none").tolist()
    [1.0, 1.0]
    """
    read = ReadOptions(target=y, sample_weight=sample_weight, weight_kind=weight_kind)
    _, information = count_columns(X, read, binning, missing, estimator, n_jobs)
    return information.entropy


@proposes_right_names
def mutual_information(
    X: TableLike,
    y: ColumnLike,
    *,
    sample_weight: ColumnLike = None,
    weight_kind: str = FREQUENCY,
    binning: BinningLike = BINNING,
    missing: str | None = None,
    estimator: str = "plug-in",
    n_jobs: int | None = None,
) -> NDArray[np.float64]:
    """Mutual information of every column and the target (the relevance of the column), in bits.

    ``I(X;C) = sum (n_xc / N) log2(n_xc N / (n_x n_c))`` over the cells that occur (plug-in). The relevance of
    :func:`bitsieve.select` is corrected for chance by default, and so a little lower: ``estimator="corrected"`` gives
    the same numbers here. Costs what the binning costs, and O(N) a column to count its codes by class.

    Parameters
    ----------
    X : array-like, dataframe, pyarrow Table or scipy.sparse of shape (n_samples, n_features), or path or stream
    y : array-like of shape (n_samples,)
        Classes, or a quantity, which is cut into classes of equal frequency: see :func:`bitsieve.select`.
    sample_weight, weight_kind, binning, missing
        As in :func:`entropy`.
    estimator : {"plug-in", "corrected", "miller-madow", "shrinkage", "ksg"}, default="plug-in"
        Plug-in, or corrected for few samples: see the page on numbers for what each may be and what bounds it. "ksg"
        takes numbers without bins, by the distances to the 3 nearest samples (Kraskov, Stögbauer, Grassberger; Ross for
        classes; Mesner, Shalizi where values occur twice): arrays and dataframes in memory, O(N log N) a column.
    n_jobs : int, optional
        Threads.

    Returns
    -------
    ndarray of shape (n_features,)
        Plug-in: ``0 <= I <= min(H(X), H(C))`` up to rounding of at most ``log2(n_samples) / 2**62`` bit a table cell.
        All but plug-in and shrinkage may be negative, and nothing is clipped.

    Raises
    ------
    ValueError
        If the columns, the target or a weight cannot be used, or there is no such estimator.

    Examples
    --------
    >>> import bitsieve
    >>> bitsieve.mutual_information([[0, 0], [1, 0], [0, 1], [1, 1]], [0, 1, 0, 1], binning="none").tolist()
    [1.0, 0.0]
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> bitsieve.mutual_information(X, y)[[2, 3]].round(3).tolist()
    [1.357, 1.378]
    >>> bitsieve.mutual_information(X, y, estimator="corrected")[[2, 3]].round(3).tolist()
    [1.337, 1.359]
    >>> bitsieve.select(X, y, n_features_to_select=2).relevance.round(3).tolist()
    [1.359, 1.337]
    """
    check_estimator(estimator, also=(NEIGHBOURS,))
    if estimator == NEIGHBOURS:
        columns, target = _variables(X, y, sample_weight, binning, missing)
        return np.array([between(column, target) for column in columns])
    read = ReadOptions(target=require_target(y), sample_weight=sample_weight, weight_kind=weight_kind)
    _, information = count_columns(X, read, binning, missing, estimator, n_jobs)
    return information.relevance


@cites("Hellman, Raviv 1970")
@proposes_right_names
def hellman_raviv_bound(
    X: TableLike,
    y: ColumnLike,
    *,
    sample_weight: ColumnLike = None,
    weight_kind: str = FREQUENCY,
    binning: BinningLike = BINNING,
    missing: str | None = None,
    estimator: str = "plug-in",
    n_jobs: int | None = None,
) -> NDArray[np.float64]:
    """An upper bound on the error of the best possible classifier by every column alone: ``H(C|X) / 2``.

    ``H(C|X) = H(C) - I(X;C)`` in bits, X the bins of the column. The best classifier by several columns errs no more
    often than that by one of them; :func:`bayes_error_bounds` bounds its error from both sides. Costs what
    :func:`mutual_information` costs.

    Parameters
    ----------
    X, y, sample_weight, weight_kind, binning, missing
        As in :func:`mutual_information`.
    estimator : {"plug-in", "corrected", "miller-madow", "shrinkage"}, default="plug-in"
        "plug-in" bounds the error on the samples themselves.
    n_jobs : int, optional
        Threads.

    Returns
    -------
    ndarray of shape (n_features,)
        Shares of the samples. With more than two classes it may be above the error of guessing, and even above 1.

    Raises
    ------
    ValueError
        If the columns, the target or a weight cannot be used, or there is no such estimator.

    Examples
    --------
    >>> import bitsieve
    >>> bitsieve.hellman_raviv_bound([[0, 0], [1, 0], [0, 1], [1, 1]], [0, 1, 0, 1], binning="none").tolist()
    [0.0, 0.5]
    """
    read = ReadOptions(target=require_target(y), sample_weight=sample_weight, weight_kind=weight_kind)
    _, information = count_columns(X, read, binning, missing, estimator, n_jobs)
    conditional_entropy: NDArray[np.float64] = information.class_entropy - information.relevance
    return conditional_entropy / 2


@proposes_right_names
def mutual_information_matrix(
    X: TableLike,
    y: ColumnLike = None,
    *,
    sample_weight: ColumnLike = None,
    weight_kind: str = FREQUENCY,
    binning: BinningLike = BINNING,
    missing: str | None = None,
    estimator: str = "plug-in",
    dtype: str = "float64",
    n_jobs: int | None = None,
) -> NDArray[np.floating]:
    """Mutual information of every pair of columns, in bits.

    ``[i, j] = I(Xi;Xj)`` (plug-in), the entropy H(Xi) on the diagonal; symmetric to the last bit.

    Parameters
    ----------
    X, y, sample_weight, weight_kind, binning, missing, estimator
        As in :func:`entropy`; y takes no part in the information.
    dtype : {"float64", "float32"}, default="float64"
        float32 halves the memory of the result.
    n_jobs : int, optional
        Threads.

    Returns
    -------
    ndarray of shape (n_features, n_features)

    Raises
    ------
    ValueError
        If the binner refuses the columns, a weight is no whole number, or there is no such estimator.

    Notes
    -----
    Cost: O(n^2 d) samples read as bits. Memory: the result and the bit planes.

    Examples
    --------
    >>> import bitsieve
    >>> bitsieve.mutual_information_matrix([[0, 0], [1, 1], [0, 0], [1, 1]], binning="none").tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    """
    check_choice("dtype", dtype, ("float64", "float32"))
    read = ReadOptions(target=y, sample_weight=sample_weight, weight_kind=weight_kind)
    _, information = count_columns(X, read, binning, missing, estimator, n_jobs, by_class=False)
    return information.matrix("redundancy", np.dtype(dtype))


@proposes_right_names
def conditional_mutual_information_matrix(
    X: TableLike,
    y: ColumnLike,
    *,
    sample_weight: ColumnLike = None,
    weight_kind: str = FREQUENCY,
    binning: BinningLike = BINNING,
    missing: str | None = None,
    estimator: str = "plug-in",
    dtype: str = "float64",
    n_jobs: int | None = None,
) -> NDArray[np.floating]:
    """Mutual information of every column and the target conditional on every other column, in bits.

    ``[i, j] = I(Xi;C|Xj)`` (plug-in), the relevance I(Xi;C) on the diagonal; not symmetric.

    Parameters
    ----------
    X, y, sample_weight, weight_kind, binning, missing, estimator
        As in :func:`mutual_information`. By "ksg" the matrix costs O(n^2 N log N), and n of a hundred some minutes.
    dtype, n_jobs
        As in :func:`mutual_information_matrix`.

    Returns
    -------
    ndarray of shape (n_features, n_features)

    Raises
    ------
    ValueError
        If the columns, the target or a weight cannot be used, or there is no such estimator.

    Notes
    -----
    Cost: O(n^2 d) samples read as bits. Memory: the result and the bit planes.

    Examples
    --------
    The exclusive or: neither column is informative alone, and each determines the target given the other.

    >>> import bitsieve
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    >>> bitsieve.conditional_mutual_information_matrix(X, y, binning="none").tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """
    check_choice("dtype", dtype, ("float64", "float32"))
    check_estimator(estimator, also=(NEIGHBOURS,))
    if estimator == NEIGHBOURS:
        columns, target = _variables(X, y, sample_weight, binning, missing)
        matrix = np.empty((len(columns), len(columns)), dtype)
        for i, x in enumerate(columns):
            for j, z in enumerate(columns):
                matrix[i, j] = between(x, target) if i == j else conditional(x, target, z)
        return matrix
    read = ReadOptions(target=require_target(y), sample_weight=sample_weight, weight_kind=weight_kind)
    _, information = count_columns(X, read, binning, missing, estimator, n_jobs)
    return information.matrix("conditional_relevance", np.dtype(dtype))


def count_columns(
    X: TableLike,
    read: ReadOptions,
    binning: BinningLike,
    missing: str | None,
    estimator: str,
    n_jobs: int | None,
    *,
    by_class: bool = True,
) -> tuple[Dataset, Information]:
    """Read a table, and count its columns; ``by_class=False`` spares the counts within the classes."""
    check_estimator(estimator)
    binner = make_binner(binning_with(binning, n_jobs, missing=missing), n_jobs=n_jobs)
    table = _read(X, read, needs_target=binner.requires == "classes")
    rows = table.rows
    if by_class or rows is None:
        _, source = count(table, binner, n_jobs)
    else:
        fitted_binner = binner_of(rows, binner, n_jobs).fit_table(rows)
        source = count_coded(replace(rows, y=None), fitted_binner, n_jobs)
    return table, make_information(estimator, source)


def _read(X: TableLike, read: ReadOptions, *, needs_target: bool) -> Dataset:
    """Read a table, in parts where it is a path or a stream."""
    parts = data_in_parts(X)
    if parts is None:
        return read_xy(X, read.target, read.sample_weight, weight_kind=read.weight_kind)
    if needs_target and read.target is None:
        raise UserError(
            code="target-needed",
            message="binning 'mdl' needs a target",
            advice="give a target, or use another binning such as 'quantile'",
        )
    refuse_sampling_weights(read)
    return parts.read_in_parts(read)


def refuse_binning_by_target(binning: BinningLike, missing: str | None, n_jobs: int | None, why_none: str) -> None:
    """Refuse a binning that cuts by a target, as there is none; ``why_none`` ends the message."""
    if make_binner(binning_with(binning, n_jobs, missing=missing)).requires == "classes":
        advice = "give 'quantile', 'uniform', 'none' or a binner that looks at no target"
        raise ParameterError("binning", binning, advice, f"cuts by a target, and {why_none}", code="target-needed")


def _variables(
    X: TableLike, y: ColumnLike, sample_weight: ColumnLike, binning: BinningLike, missing: str | None
) -> tuple[list[Variable], Variable]:
    """The columns and the target as variables of the estimator by nearest neighbours, which needs no bins."""
    _check_neighbours(X, sample_weight, binning, missing)
    table = read_xy(X, require_target(y))
    rows = TableSamples(table, f"estimator={NEIGHBOURS!r}").rows()
    variables: dict[int, Variable] = {}
    for i, column in enumerate(rows.numeric.tolist()):
        variables[column] = Variable.of(rows.numbers[:, i], categorical=False)
    for i, column in enumerate(rows.categorical.tolist()):
        variables[column] = Variable.of(rows.codes[:, i], categorical=True)
    columns = [variables[j] for j in range(table.n_features)]
    if table.target.values is not None:
        return columns, Variable.of(table.target.values, categorical=False)
    return columns, Variable.of(table.target.codes, categorical=True)


def _check_neighbours(X: TableLike, sample_weight: ColumnLike, binning: BinningLike, missing: str | None) -> None:
    """Refuse what the estimator by nearest neighbours does not take."""
    if sample_weight is not None:
        advice = "repeat the rows, or use an estimator of counts such as 'plug-in'"
        raise ParameterError("estimator", NEIGHBOURS, advice, "takes no sample_weight", code="contradicting-parameters")
    if binning != BINNING:
        raise _without_effect("binning", binning)
    if missing is not None:
        raise _without_effect("missing", missing)
    if data_in_parts(X) is not None:
        advice = "give an array or a dataframe in memory"
        raise ParameterError("estimator", NEIGHBOURS, advice, "needs all rows at once", code="rows-not-in-memory")


def _without_effect(parameter: str, value: object) -> ParameterError:
    return ParameterError(
        parameter,
        value,
        "leave it out",
        f"has no meaning with estimator={NEIGHBOURS!r}",
        code="parameter-without-effect",
    )


def require_target(y: ColumnLike) -> ColumnLike:
    """The target itself. Raises ValueError if there is none."""
    if y is None:
        raise UserError(
            code="target-needed",
            message="a target is needed here",
            advice="give y, one class a sample",
        )
    return y
