"""The features that selected ones represent, whatever method selected them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bitsieve.common.arrays import Floats
from bitsieve.common.choice import TIE
from bitsieve.common.parameters import check_choice
from bitsieve.data.binning.zero_apart import binner_of
from bitsieve.data.columns import read_columns
from bitsieve.engines.local import make_source
from bitsieve.information import Information, make_information
from bitsieve.information.protocol import pair_uncertainty
from bitsieve.methods.by_samples.cutting_plane.columns import Pairs, vectors_of
from bitsieve.methods.by_samples.cutting_plane.search import check_tau
from bitsieve.selectors.sampled import TableSamples

Integers = NDArray[np.intp]

MEASURES = ("correlation", "information")


class Affiliated(NamedTuple):
    """For every selected feature those that it represents.

    ``selected`` (k,): the selected columns in order of choice. ``groups``, of length k: columns that were not selected,
    the nearest to the selected one first. ``nearness``: their correlations with it, or the symmetric uncertainties.
    """

    selected: Integers
    groups: list[Integers]
    nearness: list[Floats]


def affiliated(
    selector: Any, X: Any, *, tau: float = 0.25, by: str = "correlation", binning: Any = None, n_jobs: int | None = None
) -> Affiliated:
    """Find, for every selected feature, the features that are correlated with it, or share its information.

    A feature that was not selected belongs to the selected one that is nearest to it (of equal ones to that chosen
    first), if the two are as near as 1 - tau; else to none.

    Parameters
    ----------
    selector : fitted selector or Selection
        Of any method.
    X : array-like, dataframe or sparse matrix of shape (n_samples, n_features)
        The table that it was fitted on, or another one with the same columns, without the target.
    tau : float, default=0.25
        Inside 0 and 1.
    by : {"correlation", "information"}, default="correlation"
        Nearness is ``|rho|``, or the symmetric uncertainty ``2 I(Xi;Xs) / (H(Xi) + H(Xs))``, which finds any dependence
        between binned columns; both are between 0 and 1.
    binning : {"quantile", "uniform", "none"} or binner, optional
        Of the columns, for information; by default the selector's fitted binner, or "quantile" where it has none.
    n_jobs : int, optional
        Threads (None is 1, -1 every core).

    Returns
    -------
    Affiliated

    Raises
    ------
    ValueError
        If the selector is not fitted, the table has other columns, or holds missing or infinite values, categories
        where correlations are asked for.

    Notes
    -----
    Exact: every pair of a selected and another column is looked at. Cost: O(k n d) for n columns and d samples; for a
    sparse table a pass over it with the rows of the selected columns.

    Examples
    --------
    >>> import bitsieve
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> selector = bitsieve.make_selector("mrmr", 2).fit(X, y)
    >>> found = bitsieve.affiliated(selector, X, tau=0.1)
    >>> found.selected.tolist(), [group.tolist() for group in found.groups]
    ([22, 21], [[20, 23, 2, 0, 3], [1]])
    """
    from sklearn.utils.validation import check_is_fitted

    check_tau("tau", tau)
    check_choice("by", by, MEASURES)
    selector = getattr(selector, "selector", selector)  # of a Selection
    check_is_fitted(selector)
    selected = np.asarray(selector.selected_, np.intp)
    find = _by_correlation if by == "correlation" else _by_information
    pairs = find(selector, X, selected, 1 - tau - TIE, binning, n_jobs)
    return groups_of(selected, pairs)


def groups_of(selected: Integers, pairs: Pairs) -> Affiliated:
    """Every other column to the selected one nearest to it."""
    strength = np.round(np.abs(pairs.correlation), 10)  # what differs by less is a tie
    others = np.flatnonzero(~np.isin(pairs.column, selected))
    order = others[np.lexsort((pairs.chosen[others], -strength[others], pairs.column[others]))]
    column = pairs.column[order]
    nearest = order[np.append(True, column[1:] != column[:-1])] if len(order) else order
    return Affiliated(selected, *pairs.groups(nearest, len(selected)))


def _by_correlation(selector: Any, X: Any, selected: Integers, least: float, binning: Any, n_jobs: int | None) -> Pairs:
    table = read_columns(X, estimator=selector, reset=False)
    values = TableSamples(table, "affiliated(by='correlation')").values()
    return vectors_of(values, n_jobs).correlated(selected, least)


def _by_information(selector: Any, X: Any, selected: Integers, least: float, binning: Any, n_jobs: int | None) -> Pairs:
    table = read_columns(X, estimator=selector, reset=False)
    binner = getattr(selector, "binner_", None) if binning is None else None
    if binner is None:
        binner = binner_of(table, "quantile" if binning is None else binning, n_jobs).fit_table(table)
    codes = binner.codes(table)
    one_class = np.zeros(table.n_samples, np.int32)
    information = make_information("plug-in", make_source(codes, one_class, n_classes=1, n_jobs=n_jobs))
    return pairs_by_information(information, selected, least)


def pairs_by_information(information: Information, selected: Integers, least: float) -> Pairs:
    """Every selected column with all others whose symmetric uncertainty with it is at least ``least``."""
    columns, chosen, values = [], [], []
    everything = np.arange(information.n_features)
    for place, pivot in enumerate(selected.tolist()):
        others = np.delete(everything, pivot)
        near = pair_uncertainty(information.pair(pivot, others, by_class=False))
        kept = near >= least
        columns.append(others[kept])
        chosen.append(np.full(int(kept.sum()), place))
        values.append(near[kept])
    return Pairs(np.concatenate(columns), np.concatenate(chosen), np.concatenate(values))
