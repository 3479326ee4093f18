"""The joint information of the first features of a selection, and what chance would add."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bitsieve.information.protocol import Information
from bitsieve.selectors.fitting import Counted

Columns = NDArray[np.intp]
Floats = NDArray[np.float64]

N_SHUFFLES = 39


class Curve(NamedTuple):
    """The joint information of the first 1, 2, ... of n columns and the class, in bits.

    ``columns`` are in order of choice; those after the first ``n_selected`` would have come next. ``joint[j]`` is
    I(X1, ..., Xj; C), at most ``class_entropy``, H(C); ``chance[j]`` is what 19 of 20 shuffles of column j among
    samples that agree on the columns before it do not exceed.
    """

    columns: Columns
    joint: Floats
    chance: Floats
    n_selected: int
    class_entropy: float


def information_curve(
    information: Information, columns: Columns, n_selected: int | None = None, seed: int = 0
) -> Curve:
    """The curve of columns in the order given.

    The codes are shuffled as they are: cuts that looked at the class are not made again, so that for them chance adds
    a little more than this says.
    """
    seeds = np.random.SeedSequence(seed).generate_state(N_SHUFFLES, np.uint64).astype(np.uint64)
    given = information.conditional()
    joint, shuffled = np.empty((2, len(columns)))
    known = 0.0
    for place, column in enumerate(columns.tolist()):
        added = float(given.conditional_relevance(np.array([column]))[0])
        shuffled[place] = known + float(np.quantile(given.shuffled_relevance(column, seeds), 0.95))
        known += added
        joint[place] = known
        given = given.refine(column)
    n_selected = len(columns) if n_selected is None else n_selected
    return Curve(columns, joint, shuffled, n_selected, information.class_entropy)


def ranked_on(selector: Any, counted: Counted) -> Columns:
    """The selected columns, and half as many (at least five) that would come next, where the method can say so."""
    from sklearn.base import clone

    selected = np.asarray(selector.selected_)
    k, n = len(selected), len(selector.ranking_)
    wanted = min(n, k + max(5, k // 2))
    if len(np.unique(selector.ranking_)) == n:
        return np.argsort(selector.ranking_)[:wanted]
    settings = selector.get_params(deep=False)
    if "stopping" not in settings or settings["constraints"] is not None:  # only a greedy method goes on from there
        return selected
    longer = clone(selector).set_params(n_features_to_select=wanted, stopping=None).fit_counted(counted)
    order = np.asarray(longer.selected_)
    return order if np.array_equal(order[:k], selected) else selected
