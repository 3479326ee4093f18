"""The choice of a method and a number of features from cross-validated errors, and the error of the whole search."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from bitsieve.metrics.measures import ACCURACY, Measure
from bitsieve.metrics.paired_test import LEVEL
from bitsieve.utils.arrays import Columns, Floats, Values
from bitsieve.utils.messages import number_and_noun

MAX_BLOCKS = 10  # the paired test puts more folds than this together into this many blocks
EQUAL = 1e-12  # errors that differ by no more are equal but for the rounding of sums


@dataclass(frozen=True)
class Choice:
    """The recommended method and number of features, and what it was compared with."""

    method: str
    n_features: int
    error: float
    standard_error: float
    best_method: str  # the one with the smallest error
    best_n_features: int
    best_error: float
    to_beat: float | None = None  # the error of the baseline; None without a baseline
    measure: Measure = ACCURACY
    others: tuple[tuple[str, float], ...] = ()  # other methods, and the smallest error of each

    @property
    def is_recommended(self) -> bool:
        """Whether the smallest error is below that of the baseline."""
        return self.to_beat is None or self.best_error < self.to_beat

    def __str__(self) -> str:
        best = f"{self.best_method} with {self.best_n_features:,}: {self._error_text(self.best_error)}"
        if self.to_beat is not None and not self.is_recommended:
            baseline = f"that of the {self.measure.baseline} ({self._error_text(self.to_beat)})"
            return f"nothing is recommended: the smallest error ({best}) is not below {baseline}"

        features = number_and_noun(self.n_features, "feature")
        recommended = f"{self.method} with {features}: error {self._error_text(self.error)}"
        if not np.isnan(self.standard_error):
            recommended += f" +- {self.measure.text(self.standard_error)}"
        exceptions = self._lower_errors()
        if (self.method, self.n_features) != (self.best_method, self.best_n_features):
            return f"{recommended}, not more than one standard error above the best ({best}){exceptions}"
        return f"{recommended}, the smallest{exceptions or ' of all'}{self._ties()}"

    def _error_text(self, error: float) -> str:
        return f"{self.measure.text(error)}{self.measure.unit}"

    def _differences_of_others(self) -> list[tuple[str, float]]:
        """By how much the smallest error of each other method is above the best one."""
        return [(name, error - self.best_error) for name, error in self.others if name != self.best_method]

    def _lower_errors(self) -> str:
        """Other methods with a lower error than the best, such as those that were not candidates."""
        lower = [
            f"{name} ({self._error_text(self.best_error + difference)})"
            for name, difference in self._differences_of_others()
            if difference < -EQUAL
        ]
        return f" except {_listed(lower)}" if lower else ""

    def _ties(self) -> str:
        tied = [name for name, difference in self._differences_of_others() if abs(difference) <= EQUAL]
        return f", tied with {_listed(tied)}" if tied else ""


def _listed(names: list[str]) -> str:
    """``a``, ``a and b``, or ``a, b and c``."""
    if len(names) == 1:
        return names[0]
    return f"{', '.join(names[:-1])} and {names[-1]}"


def choose(
    methods: list[str],
    counts: Columns,
    rates: Floats,
    spread: Floats,
    to_beat: float | None = None,
    measure: Measure = ACCURACY,
    others: Iterable[tuple[str, float]] = (),
) -> Choice:
    """Choose the fewest features whose error is within one standard error of the smallest one.

    ``rates`` and ``spread`` are the errors and their standard errors, shape (n_methods, n_counts). Of several methods
    with as many features the lower error is chosen, of equal errors the earlier method. An error that is not below
    ``to_beat`` is chosen only if none is.
    """
    best_row, best_column = np.unravel_index(rates.argmin(), rates.shape)
    row, column = _indices_of_choice(rates, spread, to_beat)
    return Choice(
        method=methods[row],
        n_features=int(counts[column]),
        error=float(rates[row, column]),
        standard_error=float(spread[row, column]),
        best_method=methods[best_row],
        best_n_features=int(counts[best_column]),
        best_error=float(rates[best_row, best_column]),
        to_beat=to_beat,
        measure=measure,
        others=tuple(others),
    )


def _indices_of_choice(rates: Floats, spread: Floats, to_beat: float | None = None) -> tuple[int, int]:
    """The method and the number of features that :func:`choose` chooses, as a row and a column of ``rates``."""
    best = np.unravel_index(rates.argmin(), rates.shape)
    standard_error = np.nan_to_num(spread[best])
    is_near = rates <= rates[best] + standard_error + EQUAL
    if to_beat is not None and rates[best] < to_beat:
        is_near &= rates < to_beat
    column = int(np.flatnonzero(is_near.any(axis=0))[0])
    row = int(np.where(is_near[:, column], rates[:, column], np.inf).argmin())
    return row, column


@dataclass(frozen=True)
class OuterError:
    """The error of the whole search, measured in folds that had no part in the choice."""

    error: float
    majority: float  # the error of the baseline in the same folds
    p: float  # the p-value of "the search is no better than the baseline"
    measure: Measure = ACCURACY

    @property
    def is_better(self) -> bool:
        """Whether the search is shown to do better than the baseline."""
        return self.p <= LEVEL

    def __str__(self) -> str:
        text = self.measure.text
        unit = self.measure.unit
        error = f"on held-out folds: error {text(self.error)}{unit}"
        relation = "below" if self.is_better else "not shown to be below"
        baseline = f"that of the {self.measure.baseline} ({text(self.majority)}{unit}, p = {self.p:.2g})"
        return f"{error}, {relation} {baseline}"


def outer_error(
    counts: Columns, errors: Values, n_test: Columns, majority: Values, measure: Measure = ACCURACY
) -> OuterError:
    """The error of the search: in every fold, the error of the method and number that the other folds choose.

    ``errors`` has the shape (n_methods, n_folds, n_counts). Of more than 10 folds every tenth are put together into a
    block. The p-value is that of :func:`_p_of_gains`.
    """
    n_blocks = min(len(n_test), MAX_BLOCKS)
    block_of_fold = np.arange(len(n_test)) % n_blocks
    block_losses = np.zeros(n_blocks)
    baseline_losses = np.zeros(n_blocks)
    sizes = np.zeros(n_blocks)
    for block in range(n_blocks):
        in_block = block_of_fold == block
        is_other = ~in_block if n_blocks > 1 else in_block
        other_errors = errors[:, is_other]
        rates = other_errors.sum(axis=1) / n_test[is_other].sum()
        row, column = _indices_of_choice(rates, standard_errors(other_errors, n_test[is_other]))
        block_losses[block] = errors[row, in_block, column].sum()
        baseline_losses[block] = majority[in_block].sum()
        sizes[block] = n_test[in_block].sum()

    error = float(block_losses.sum() / sizes.sum())
    baseline_error = float(baseline_losses.sum() / sizes.sum())
    gains = (baseline_losses - block_losses) / sizes
    return OuterError(error, baseline_error, _p_of_gains(gains), measure)


def _p_of_gains(gains: Floats) -> float:
    """The p-value of "the mean gain is not above 0" by a one-sided t-test over B blocks.

    ``t = mean(d) / (std(d) sqrt(1/B + 1/(B - 1)))`` for the gains d, with the variance of Nadeau and Bengio (2003), as
    the folds learn from the same samples. A single block shows nothing.
    """
    from scipy.special import stdtr

    n_blocks = len(gains)
    if n_blocks < 2:
        return 1.0
    spread = float(gains.std(ddof=1) * np.sqrt(1 / n_blocks + 1 / (n_blocks - 1)))
    if spread == 0:
        return float(gains.mean() <= 0)
    return float(stdtr(n_blocks - 1, -gains.mean() / spread))


def standard_errors(errors: Columns, n_test: Columns) -> Floats:
    """The standard error of each mean error: the standard deviation over the B folds, divided by the root of B.

    ``errors`` has the shape (..., n_folds, n_counts). nan for a single fold.
    """
    rates = errors / n_test[:, None]
    if len(n_test) < 2:
        return np.full(rates.shape[:-2] + rates.shape[-1:], np.nan)
    return np.asarray(rates.std(axis=-2, ddof=1) / np.sqrt(len(n_test)))
