"""Knockoffs of columns of codes: statistics of columns and knockoffs together, the knockoff filter, e-values."""

from __future__ import annotations

import numpy as np

from bitsieve.counts.packed import PackedSource, dense_cells
from bitsieve.counts.source import CountSource
from bitsieve.counts.threads import run_blocks
from bitsieve.methods.by_counts.dependent.forest import Forest, TreeModel, draw
from bitsieve.methods.by_counts.dependent.rows import codes_and_classes
from bitsieve.utils.arrays import Columns, Floats, Integers

LEARNING_RATE = 0.1  # share of a column's fit that is added in a step
MAX_STEPS = 1000
MAX_CACHED_BYTES = 128 << 20  # of the tables of pairs during a fit


def knockoff_wins(source: CountSource, forest: Forest, columns: Columns, n_draws: int, random_state: int) -> Floats:
    """W, shape (n_draws, n_columns): the gain of each column less that of its knockoff, for every draw.

    Cost of a draw: O(n d codes^2) for the knockoffs, at most 1,000 rows of tables of 2n columns for the fit.
    """
    code_rows, classes = codes_and_classes(source, "knockoffs")
    codes = code_rows.T
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
    """How much each column reduces the squared error of the class, in samples, in a fit step by step.

    The class, a 0/1 variable for each class c, is fitted by a sum of functions of one column each (P. Buhlmann, B. Yu,
    "Boosting with the L2 loss", Journal of the American Statistical Association 98, 2003). With the residuals r_c, n_v
    the samples of code v of a column, and s2 the squared error of a sample, a column gains ::

        sum_vc (sum of r_c over the samples of code v)^2 / (n_v + 1)  -  s2 (codes that occur - 1)

    where the second term is what a column gains by chance. Every step takes the column of the largest gain, and adds a
    tenth of its mean residuals to the fit. The fit ends where no gain is above 0, or after 1,000 steps.
    """
    pairs = _CodePairs(source)
    starts = pairs.starts
    counts = pairs.class_counts()  # shape (n_classes, codes of all columns)
    n_of_code = counts.sum(axis=0)
    class_share = source.class_sizes / source.n_samples
    residual = counts - class_share[:, None] * n_of_code  # sums over the samples of each code
    error = source.n_samples * float((class_share * (1 - class_share)).sum())
    freedom = np.add.reduceat((n_of_code > 0).astype(np.float64), starts) - 1
    gains = np.zeros(source.n_features)
    for _ in range(MAX_STEPS):
        reduction = np.add.reduceat((residual**2 / (n_of_code + 1)).sum(axis=0), starts)
        gain = reduction - freedom * error / source.n_samples
        best = int(np.argmax(gain))
        if gain[best] <= 0:
            break
        codes_of_best = pairs.codes_of(best)
        residual_of_best = residual[:, codes_of_best]
        n_of_best = n_of_code[codes_of_best]
        added = LEARNING_RATE * residual_of_best / (n_of_best + 1)  # to the fit, shape (n_classes, codes of the column)
        reduced_error = float((2 * added * residual_of_best - added**2 * n_of_best).sum())
        gains[best] = gains[best] + reduced_error
        error = error - reduced_error
        for code, joint_counts in enumerate(pairs.counts_with(best)):
            residual -= added[:, code, None] * joint_counts
    return gains


class _CodePairs:
    """How many samples have two codes together.

    The codes of all columns stand in one row, those of column j from ``starts[j]`` on. The tables of one column with
    all others are cached, up to ``MAX_CACHED_BYTES``.
    """

    def __init__(self, source: PackedSource) -> None:
        self.starts = np.cumsum(source.arities.astype(np.int64)) - source.arities
        self._source = source
        self._arities = source.arities.astype(np.int64)
        self._columns = np.arange(source.n_features)
        self._column_of_code = np.repeat(self._columns, self._arities)
        self._code = np.arange(len(self._column_of_code)) - self.starts[self._column_of_code]
        self._cache: dict[int, list[Integers]] = {}

    def codes_of(self, column: int) -> slice:
        """Where the codes of a column are in a row."""
        return slice(self.starts[column], self.starts[column] + int(self._arities[column]))

    def class_counts(self) -> Floats:
        """How many samples of each class have each code, shape (n_classes, codes of all columns)."""
        source = self._source
        cells = dense_cells(source.packed, None, self._columns, 1, self._arities, source.n_classes)
        return cells.reshape(-1, source.n_classes).T.astype(np.float64)

    def counts_with(self, column: int) -> list[Integers]:
        """For each code of a column, a row of counts: how many samples have it and another code."""
        if column not in self._cache:
            n_codes = int(self._arities[column])
            n_bytes = 8 * len(self._code) * n_codes
            if n_bytes * (len(self._cache) + 1) > MAX_CACHED_BYTES:
                self._cache.clear()
            cells = dense_cells(self._source.packed, column, self._columns, n_codes, self._arities, 1)
            # The table with column j begins at starts[j] * n_codes, and has a row of arities[j] cells for each code.
            first_cells = self.starts[self._column_of_code] * n_codes + self._code
            cells_of_row = self._arities[self._column_of_code]
            self._cache[column] = [cells[first_cells + code * cells_of_row] for code in range(n_codes)]
        return self._cache[column]


def e_values(wins: Floats, level: float) -> Floats:
    """The mean over draws of ``n [W >= T] / (1 + #{W <= -T})``, T the threshold of the knockoff filter at a level."""
    n = wins.shape[1]
    sums = np.zeros(n)
    for wins_of_draw in wins:
        limit = threshold(wins_of_draw, level)
        n_below = (wins_of_draw <= -limit).sum()
        sums += n * (wins_of_draw >= limit) / (1 + n_below)
    return sums / len(wins)


def threshold(wins: Floats, level: float) -> float:
    """The smallest t > 0 with ``(1 + #{W <= -t}) / #{W >= t} <= level``, the knockoff+ filter; inf if there is none."""
    for t in np.unique(np.abs(wins[wins != 0])).tolist():
        if 1 + (wins <= -t).sum() <= level * (wins >= t).sum():
            return float(t)
    return np.inf
