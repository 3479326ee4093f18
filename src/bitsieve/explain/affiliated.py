"""Which columns a selected one represents: those that are correlated with it, or share its information."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from bitsieve.dataset.columns import read_columns
from bitsieve.dataset.dataset import InMemoryDataset
from bitsieve.diagnostics import UserError
from bitsieve.discretization.base import BinningLike
from bitsieve.engines.local import binner_of, make_source
from bitsieve.explain.evidence import Evidence
from bitsieve.information import make_information
from bitsieve.information.protocol import Information, pair_uncertainty
from bitsieve.methods.by_samples.cutting_plane.columns import Pairs, column_vectors
from bitsieve.methods.by_samples.cutting_plane.search import check_tau
from bitsieve.pipeline.samples import TableSamples
from bitsieve.utils.arrays import Columns, Floats
from bitsieve.utils.choice import TIE
from bitsieve.utils.parameters import check_choice
from bitsieve.utils.types import TableLike

MEASURES = ("correlation", "information")
MIN_SHARED = 0.5  # symmetric uncertainty of two columns from which on one represents the other


class Affiliated(NamedTuple):
    """The features that every selected feature represents."""

    selected: Columns  # shape (k,), in order of choice
    groups: list[Columns]  # length k: columns that were not selected, the nearest to the selected one first
    nearness: list[Floats]  # length k: their correlations with it, or symmetric uncertainties


def affiliated(
    selector: Any,
    X: TableLike,
    *,
    tau: float = 0.25,
    by: str = "correlation",
    binning: BinningLike | None = None,
    n_jobs: int | None = None,
) -> Affiliated:
    """Find, for every selected feature, the features that are correlated with it, or share its information.

    A feature that was not selected is represented by the selected feature that is nearest to it, if their nearness is
    at least 1 - tau. Of equally near ones it is that chosen first.

    Parameters
    ----------
    selector : fitted selector or Selection
        Of any method.
    X : array-like, dataframe or sparse matrix of shape (n_samples, n_features)
        The table that it was fitted on, or another one with the same columns, without the target.
    tau : float, default=0.25
        The largest distance, 1 less the nearness, between 0 and 1.
    by : {"correlation", "information"}, default="correlation"
        Nearness is ``|rho|``, or the symmetric uncertainty ``2 I(Xi;Xs) / (H(Xi) + H(Xs))``, which finds any dependence
        between binned columns; both are between 0 and 1.
    binning : {"quantile", "uniform", "none"} or binner, optional
        How columns are binned for information; by default as the selector binned them, or "quantile" if it did not.
    n_jobs : int, optional
        Threads (None is 1, -1 every core).

    Returns
    -------
    Affiliated

    Raises
    ------
    ValueError
        If the selector is not fitted, or the table has other columns. For correlations also if the table has missing
        or infinite values, or categories.

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
    >>> affiliated = bitsieve.affiliated(selector, X, tau=0.1)
    >>> affiliated.selected.tolist(), [group.tolist() for group in affiliated.groups]
    ([22, 21], [[20, 23, 2, 0, 3], [1]])
    """
    from sklearn.utils.validation import check_is_fitted

    from bitsieve.selectors.base import fitted_binner

    check_tau("tau", tau)
    check_choice("by", by, MEASURES)
    fitted = getattr(selector, "selector", selector)  # a Selection has its selector in the attribute of this name
    check_is_fitted(fitted)
    selected = np.asarray(fitted.selected_, np.intp)
    table = read_columns(X, estimator=fitted, reset=False)
    if by == "correlation":
        return affiliated_by_correlation(selected, table, tau, n_jobs)
    binner = fitted_binner(fitted)
    if binner is None or binning is not None:
        binner = binner_of(table, "quantile" if binning is None else binning, n_jobs).fit_table(table)
    one_class = np.zeros(table.n_samples, np.int32)
    source = make_source(binner.codes(table), one_class, n_classes=1, n_jobs=n_jobs)
    return affiliated_by_information(selected, make_information("plug-in", source), tau)


def affiliated_of_evidence(evidence: Evidence, tau: float, by: str) -> Affiliated:
    """The affiliated features of a selection, from its table; for information its counts are enough."""
    check_tau("tau", tau)
    check_choice("by", by, MEASURES)
    if by == "information":
        return affiliated_by_information(evidence.selected, evidence.counted_table.information, tau)
    rows = evidence.table.rows
    if rows is None:
        raise UserError(
            code="rows-not-in-memory",
            message="correlations need all rows in memory",
            advice="give {by} for what counts can say",
            fix={"by": "information"},
        )
    return affiliated_by_correlation(evidence.selected, rows, tau, evidence.n_jobs)


def affiliated_by_correlation(
    selected: Columns, table: InMemoryDataset, tau: float, n_jobs: int | None = None
) -> Affiliated:
    """For every selected column the others of ``table`` that are correlated with it by ``1 - tau`` or more."""
    values = TableSamples(table, "affiliated(by='correlation')").values()
    return nearest_selected(selected, column_vectors(values, n_jobs).correlated(selected, 1 - tau - TIE))


def affiliated_by_information(selected: Columns, information: Information, tau: float) -> Affiliated:
    """For every selected column the others whose symmetric uncertainty with it is ``1 - tau`` or more."""
    return nearest_selected(selected, pairs_with_shared_information(information, selected, 1 - tau - TIE))


def represented_by_selected(evidence: Evidence) -> Affiliated:
    """For every selected column the others that share at least half of their information with it."""
    if not len(evidence.selected):
        return Affiliated(evidence.selected, [], [])
    pairs = pairs_with_shared_information(evidence.counted_table.information, evidence.selected, MIN_SHARED)
    return nearest_selected(evidence.selected, pairs)


def nearest_selected(selected: Columns, pairs: Pairs) -> Affiliated:
    """Group every column that is not selected with the selected column nearest to it among ``pairs``."""
    nearness = np.round(np.abs(pairs.correlation), 10)  # what differs by less is a tie
    others = np.flatnonzero(~np.isin(pairs.column, selected))
    by_column_nearest_first = np.lexsort((pairs.chosen[others], -nearness[others], pairs.column[others]))
    order = others[by_column_nearest_first]
    column = pairs.column[order]
    is_first_of_column = np.ones(len(order), bool)
    is_first_of_column[1:] = column[1:] != column[:-1]
    groups = pairs.groups(order[is_first_of_column], len(selected))
    return Affiliated(selected, groups.members, groups.correlations)


def pairs_with_shared_information(information: Information, selected: Columns, minimum: float) -> Pairs:
    """The pairs of a selected and another column whose symmetric uncertainty is at least ``minimum``.

    The uncertainty takes the place of the correlation of a pair.
    """
    columns = []
    positions = []  # of the selected column among the selected ones
    uncertainties = []
    all_columns = np.arange(information.n_features)
    for i, selected_column in enumerate(selected.tolist()):
        others = np.delete(all_columns, selected_column)
        uncertainty = pair_uncertainty(information.pair(selected_column, others, by_class=False))
        is_near = uncertainty >= minimum
        columns.append(others[is_near])
        positions.append(np.full(int(is_near.sum()), i))
        uncertainties.append(uncertainty[is_near])
    return Pairs(np.concatenate(columns), np.concatenate(positions), np.concatenate(uncertainties))
