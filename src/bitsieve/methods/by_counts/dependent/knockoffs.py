"""Knockoffs of columns of codes: statistics of columns and knockoffs together, the knockoff filter, e-values."""

from __future__ import annotations

from typing import Any

import numpy as np

from bitsieve.counts.packed import PackedSource, dense_cells
from bitsieve.counts.source import CountSource, coded
from bitsieve.counts.threads import run_blocks
from bitsieve.diagnostics import UserError
from bitsieve.methods.by_counts.dependent.forest import Forest, TreeModel, draw
from bitsieve.utils.arrays import Columns, Floats

LEARNING_RATE = 0.1  # share of a column's fit that is added in a step
MAX_STEPS = 1000
MAX_CACHED_BYTES = 128 << 20  # of tables during a fit


def knockoff_wins(source: CountSource, forest: Forest, columns: Columns, n_draws: int, random_state: int) -> Floats:
    """W, shape (n_draws, n_columns): the gain of each column less that of its knockoff, for every draw.

    Cost of a draw: O(n d codes^2) for the knockoffs, at most 1,000 rows of tables of 2n columns for the fit.
    """
    if source.search is not None:
        raise UserError(
            code="bins-from-target",
            message="knockoffs need bins that were made without the target",
            advice="give {binning}",
            fix={"binning": "quantile"},
        )
    rows = coded(source)
    if rows is None:
        raise UserError(
            code="rows-not-in-memory",
            message="knockoffs need the codes of every row in memory, one column each",
            advice="leave out groups",
        )
    by_sample, classes = rows.class_by_class()
    codes = by_sample.T
    model = TreeModel(codes, source.arities, forest)
    wins = np.empty((n_draws, len(columns)))

    def work(number: int) -> None:
        random = np.random.default_rng([random_state, number])
        drawn = model.knockoffs(codes, lambda weights: draw(random, weights))[columns]
        # The fit prefers the first of equal columns: a fair coin decides whether that is the column or its knockoff.
        is_swapped = random.random(len(columns)) < 0.5
        first = np.where(is_swapped[:, None], drawn, codes[columns])
        second = np.where(is_swapped[:, None], codes[columns], drawn)
        both = PackedSource(np.concatenate([first, second]).T, classes, n_classes=source.n_classes, n_jobs=1)
        gains = fit_gains(both).reshape(2, -1)
        wins[number] = np.where(is_swapped, -1, 1) * (gains[0] - gains[1])

    run_blocks(work, range(n_draws), source.n_jobs)
    return wins


def fit_gains(source: PackedSource) -> Floats:
    """How much the codes of every column reduce the squared error of the class, in samples, fitted step by step.

    The class, a 0/1 variable a class, is fitted by a sum of functions of one column each (P. Buhlmann, B. Yu, "Boosting
    with the L2 loss", Journal of the American Statistical Association 98, 2003). At every step the column whose mean
    residuals by code reduce the squared error most, less the ``(codes - 1) s2`` of chance, adds a tenth of them; s2 is
    the error of a sample. The fit ends where no column has more than chance, or after 1,000 steps.
    """
    arities = source.arities.astype(np.int64)
    start = np.cumsum(arities) - arities
    column = np.repeat(np.arange(source.n_features), arities)
    code = np.arange(len(column)) - start[column]
    everything = np.arange(source.n_features)
    cells = dense_cells(source.packed, None, everything, 1, arities, source.n_classes)
    by_class = cells.reshape(-1, source.n_classes).T.astype(np.float64)
    size = by_class.sum(axis=0)
    share = source.class_sizes / source.n_samples
    residual = by_class - share[:, None] * size  # sums over the samples of a code, a class a row
    error = source.n_samples * float((share * (1 - share)).sum())
    freedom = np.add.reduceat((size > 0).astype(np.float64), start) - 1
    gains = np.zeros(source.n_features)
    cached_tables = dict[int, list[Any]]()
    for _ in range(MAX_STEPS):
        gain = np.add.reduceat((residual**2 / (size + 1)).sum(axis=0), start) - freedom * error / source.n_samples
        best = int(np.argmax(gain))
        if gain[best] <= 0:
            break
        n_codes = int(arities[best])
        if best not in cached_tables:
            if 8 * len(column) * n_codes * (len(cached_tables) + 1) > MAX_CACHED_BYTES:
                cached_tables.clear()
            tables = dense_cells(source.packed, best, everything, n_codes, arities, 1)
            cached_tables[best] = [tables[start[column] * n_codes + v * arities[column] + code] for v in range(n_codes)]
        codes_of_best = slice(start[best], start[best] + n_codes)
        added = LEARNING_RATE * residual[:, codes_of_best] / (size[codes_of_best] + 1)
        reduced = float((2 * added * residual[:, codes_of_best] - added**2 * size[codes_of_best]).sum())
        gains[best] = gains[best] + reduced
        error = error - reduced
        for v, counts in enumerate(cached_tables[best]):
            residual -= added[:, v, None] * counts
    return gains


def e_values(wins: Floats, level: float) -> Floats:
    """The mean over draws of ``n [W >= T] / (1 + #{W <= -T})``, T the threshold of the knockoff filter at a level."""
    n = wins.shape[1]
    sums = np.zeros(n)
    for wins_of_draw in wins:
        limit = threshold(wins_of_draw, level)
        sums += n * (wins_of_draw >= limit) / (1 + (wins_of_draw <= -limit).sum())
    return sums / len(wins)


def threshold(wins: Floats, level: float) -> float:
    """The smallest t > 0 with ``(1 + #{W <= -t}) / #{W >= t} <= level``, the knockoff+ filter; inf if there is none."""
    for t in np.unique(np.abs(wins[wins != 0])).tolist():
        if 1 + (wins <= -t).sum() <= level * (wins >= t).sum():
            return float(t)
    return np.inf
