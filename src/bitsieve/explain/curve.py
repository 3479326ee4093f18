"""The joint information of the first features against their number."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from bitsieve.explain.contribution import conditional_on
from bitsieve.information.protocol import Information
from bitsieve.pipeline.discretize import CountedTable
from bitsieve.utils.arrays import Columns, Floats
from bitsieve.utils.progress import phase

N_SHUFFLES = 39
MIN_NEXT = 5  # columns that the curve shows after the selected ones


class Curve(NamedTuple):
    """The joint information of the first 1, 2, ..., n columns about the class, in bits."""

    columns: Columns
    joint: Floats  # shape (n,): I(X1,...,Xi;C)
    chance: Floats  # shape (n,): the same with column i shuffled, 95 % quantile
    n_selected: int  # of the columns
    n_supported: int  # first columns that leave five samples for each combination of their values
    class_entropy: float


def information_curve(
    information: Information, columns: Columns, n_selected: int | None = None, seed: int = 0
) -> Curve:
    """Compute the curve of columns in their order. ``n_selected`` is by default the number of columns.

    The bins stay as they are when a column is shuffled. By the estimator "corrected" each column adds what it has more
    than shuffles give on average, so that columns of noise add about 0.
    """
    seeds = np.random.SeedSequence(seed).generate_state(N_SHUFFLES, np.uint64).astype(np.uint64)
    joint = np.empty(len(columns))
    chance = np.empty(len(columns))
    conditional = information.conditional()
    joint_relevance = 0.0  # I(X1,...,Xi-1;C)
    report_progress = phase("shuffling each column")
    for i, column in enumerate(columns.tolist()):
        report_progress(i, len(columns))
        added_by_chance = float(np.quantile(conditional.shuffled_relevance(column, seeds), 0.95))
        chance[i] = joint_relevance + added_by_chance
        joint_relevance += float(conditional.conditional_relevance(np.array([column]))[0])
        joint[i] = joint_relevance
        conditional = conditional.refine(column)
    _, supported_columns = conditional_on(information, columns.tolist())
    return Curve(
        columns=columns,
        joint=joint,
        chance=chance,
        n_selected=len(columns) if n_selected is None else n_selected,
        n_supported=len(supported_columns),
        class_entropy=information.class_entropy,
    )


def selected_and_next(selector: Any, counted_table: CountedTable) -> Columns:
    """The selected columns, and those that the method would choose next.

    The next ones are half as many as the selected ones, but at least five, or all that are left. There are none if the
    method cannot rank further columns, or if it selects other columns when asked for more.
    """
    from sklearn.base import clone

    selected = np.asarray(selector.selected_)
    n_selected = len(selected)
    n_features = len(selector.ranking_)
    n_candidates = n_features - len(counted_table.table.dropped)
    n_ranked = min(n_candidates, n_selected + max(MIN_NEXT, n_selected // 2))
    ranks_all_columns = len(np.unique(selector.ranking_)) == n_features
    if ranks_all_columns:
        return np.argsort(selector.ranking_)[:n_ranked]
    parameters = selector.get_params(deep=False)
    is_greedy = "stopping" in parameters
    if not is_greedy or parameters["constraints"] is not None:
        return selected
    longer = clone(selector).set_params(n_features_to_select=n_ranked, stopping=None).fit_counted(counted_table)
    order = np.asarray(longer.selected_)
    begins_with_selected = np.array_equal(order[:n_selected], selected)
    return order if begins_with_selected else selected
