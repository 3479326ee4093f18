"""``bitsieve.scorecard``: bins of columns, and points for them by a logistic regression."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import clone

from bitsieve.dataset.dataset import InMemoryDataset
from bitsieve.dataset.read import read_data
from bitsieve.diagnostics import ParameterError
from bitsieve.options import FREQUENCY, ColumnOptions, DiscretizationOptions, ExecutionOptions, ReadOptions
from bitsieve.pipeline.prepare import prepare, prepare_selection
from bitsieve.pipeline.run import run
from bitsieve.pipeline.selection_options import SelectionOptions
from bitsieve.results.scorecard import Scorecard
from bitsieve.scorecards.absent_special_values import notes_on_absent_special_values
from bitsieve.scorecards.card import fit_card
from bitsieve.scorecards.monotone_binner import MonotoneBinner, check_binner, for_columns, refuse_unknown_columns
from bitsieve.scorecards.notes import notes_on_bins, notes_on_card
from bitsieve.scorecards.points import Points
from bitsieve.scorecards.undeclared_values import notes_on_undeclared_values
from bitsieve.utils.arrays import Columns
from bitsieve.utils.diagnostic_list import Diagnostics
from bitsieve.utils.docstrings import cites
from bitsieve.utils.parameters import check_flag, check_parameters
from bitsieve.utils.progress import phase


@dataclass(frozen=True, kw_only=True, eq=False)
class ScorecardOptions:
    """How a scorecard is made: the parameters of :func:`scorecard` of these names."""

    binner: MonotoneBinner | None = None
    points: Points | None = None
    model: Any = None
    drop_wrong_sign: bool = False
    n_features_to_select: int | None = None
    method: str = "cmim"

    def __post_init__(self) -> None:
        check_binner(self.binner)
        check_flag("drop_wrong_sign", self.drop_wrong_sign)
        if not isinstance(self.points, Points | None):
            raise ParameterError("points", self.points, "give bitsieve.Points(), or None for the default scale")


@cites("Navas-Palencia 2020", "Good 1950")
def scorecard(
    data: Any,
    target: Any = None,
    *,
    binner: MonotoneBinner | None = None,
    points: Points | None = None,
    model: Any = None,
    drop_wrong_sign: bool = False,
    n_features_to_select: int | None = None,
    method: str = "cmim",
    include: Sequence[Any] = (),
    exclude: Sequence[Any] = (),
    sample_weight: Any = None,
    weight_kind: str = FREQUENCY,
    n_jobs: int | None = None,
) -> Scorecard:
    """Make a scorecard: monotone bins of every column, and points for each bin by a logistic regression.

    The columns become weights of evidence, ``WOE_b = ln((e_b/E) / (n_b/N))``, and a logistic regression on them has the
    log-odds z of the event; the score is ``base_score - factor (ln(base_odds) + z)`` with ``factor = pdo / ln 2``.
    Costs O(N log N) a column, and the regression.

    Parameters
    ----------
    data : array-like, pandas or polars DataFrame, pyarrow Table, or path
    target : str or array-like
        The column, or the values, of a target of two classes. Rows without a target are left out, with a note.
    binner : MonotoneBinner, optional
        How columns are cut into bins, and which class is the event; None is ``MonotoneBinner()``.
    points : Points, optional
        The scale; None is ``Points()``.
    model : linear classifier of scikit-learn, optional
        None is a logistic regression without penalty.
    drop_wrong_sign : bool, default=False
        Whether columns with a negative coefficient are left out, one at a time, the most negative one first. Bins of
        more events would get better points by them.
    n_features_to_select : int, optional
        So many columns are selected first, by ``method`` on monotone bins; by default all are used.
    method : str, default="cmim"
        The method by which they are selected, as in :func:`bitsieve.select`.
    include, exclude : list of columns, optional
        As in :func:`bitsieve.select`.
    sample_weight : str or array-like, optional
        The column, or the values, of frequency weights.
    weight_kind : {"frequency", "sampling"}, default="frequency"
        What ``sample_weight`` is: frequencies, or the weights of a survey, as in :func:`bitsieve.select`.
    n_jobs : int, optional
        Threads; the result is the same for any number.

    Returns
    -------
    Scorecard
        ``print`` shows the bins and points of every column.

    Raises
    ------
    ValueError
        The data, the target or a parameter cannot be used, or no column has two bins.

    Examples
    --------
    >>> import bitsieve
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> card = bitsieve.scorecard(X[["mean texture", "mean smoothness"]], y)
    >>> card.table[["column", "bin", "points"]].head(2).values.tolist()
    [['mean texture', '(-inf, 14.23]', 138.0], ['mean texture', '(14.23, 15.04]', 164.0]]
    >>> card.score(X[:2]).tolist()
    [426.0, 411.0]
    """
    read = ReadOptions(
        target=target,
        sample_weight=sample_weight,
        weight_kind=weight_kind,
        drop_missing_target=True,
        exclude=exclude,
    )
    columns = ColumnOptions(include=include, exclude=exclude)
    options = ScorecardOptions(
        binner=binner,
        points=points,
        model=model,
        drop_wrong_sign=drop_wrong_sign,
        n_features_to_select=n_features_to_select,
        method=method,
    )
    card = make_scorecard(data, read, columns, ExecutionOptions(n_jobs=n_jobs), options)
    card.diagnostics.warn()
    return card


def make_scorecard(
    data: Any, read: ReadOptions, columns: ColumnOptions, execution: ExecutionOptions, options: ScorecardOptions
) -> Scorecard:
    """Read data, select columns if it is asked for, bin them, and give points to the bins."""
    binner = MonotoneBinner() if options.binner is None else clone(options.binner)
    if execution.n_jobs is not None:
        binner.set_params(n_jobs=execution.n_jobs)
    check_parameters(binner)
    table = read_data(data, read).dense()
    prepared = prepare(table, columns, DiscretizationOptions(), execution)
    chosen = np.setdiff1d(np.arange(table.n_features), list(prepared.dropped))
    if options.n_features_to_select is not None:
        chosen = _selected_columns(table, columns, execution, options)
    chosen_table = _with_columns(table, chosen)
    phase("binning")
    refuse_unknown_columns(binner, [str(name) for name in table.names])
    fitted = for_columns(binner, [str(name) for name in chosen_table.names])
    fitted.fit_table(chosen_table)
    phase("fitting the model")
    points = Points() if options.points is None else options.points
    card = fit_card(chosen_table, fitted, points, options.model, drop_wrong_sign=options.drop_wrong_sign)
    position_of_name = {str(table.names[j]): j for j in chosen.tolist()}
    notes_on_table = [note for note in prepared.diagnostics if note.code != "sentinel"]  # the next ones look further
    notes = [
        *notes_on_table,
        *notes_on_undeclared_values(chosen_table, fitted.column_bins_),
        *notes_on_absent_special_values(table, binner),
        *notes_on_bins(fitted.column_names_, fitted.column_bins_),
        *notes_on_card(card),
    ]
    return Scorecard(
        card=card,
        target=table.target.name,
        indices=np.array([position_of_name[column.name] for column in card.columns], np.intp),
        n_features=table.n_features,
        has_names=table.feature_names is not None,
        diagnostics=Diagnostics([*table.diagnostics, *notes]),
    )


def _selected_columns(
    table: InMemoryDataset, columns: ColumnOptions, execution: ExecutionOptions, options: ScorecardOptions
) -> Columns:
    """The columns that the method selects, in the order of the table."""
    selection = SelectionOptions.by_name(
        options.method, {}, n_features_to_select=options.n_features_to_select, columns=columns
    )
    prepared = prepare_selection(table, selection, DiscretizationOptions(binning="monotone"), execution)
    return np.sort(run(prepared, execution).result.selected)


def _with_columns(table: InMemoryDataset, columns: Columns) -> InMemoryDataset:
    """The table with some of its columns."""
    text_meanings = {}
    for position, j in enumerate(columns.tolist()):
        if j in table.text_meanings:
            text_meanings[position] = table.text_meanings[j]
    return replace(
        table,
        columns=[table.values(j) for j in columns.tolist()],
        names=[table.names[j] for j in columns.tolist()],
        feature_names=None,
        text_meanings=text_meanings,
        original=None,
    )
