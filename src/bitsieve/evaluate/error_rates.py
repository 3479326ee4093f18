"""Which of two error curves is lower, how many features are enough, and the error of the whole search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bitsieve.evaluate.measures import ACCURACY, Measure

LEVEL = 0.05  # of the paired tests
MOST_BLOCKS = 10  # of folds that are taken together where there are more


@dataclass(frozen=True)
class Choice:
    """A method with a number of features, and the least error of all that it was measured against.

    ``error`` is pooled over the folds; ``to_beat`` is that of the baseline, None where it was not measured.
    """

    method: str
    n_features: int
    error: float
    standard_error: float
    best_method: str
    best_n_features: int
    best_error: float
    to_beat: float | None = None
    measure: Measure = ACCURACY

    @property
    def is_recommended(self) -> bool:
        """Whether the least error is below ``to_beat``."""
        return self.to_beat is None or self.best_error < self.to_beat

    def __str__(self) -> str:
        measure = self.measure
        spread = "" if np.isnan(self.standard_error) else f" +- {measure.text(self.standard_error)}"
        number = f"{self.n_features:,} feature{'s' * (self.n_features != 1)}"
        what = f"{self.method} with {number}: error {measure.text(self.error)}{measure.unit}{spread}"
        best = f"{self.best_method} with {self.best_n_features:,}: {measure.text(self.best_error)}{measure.unit}"
        if self.to_beat is not None and not self.is_recommended:
            limit = f"that of the {measure.baseline} ({measure.text(self.to_beat)}{measure.unit})"
            least = f"the least error ({best}) is not below {limit}"
            return f"nothing is recommended: {least}"
        if (self.method, self.n_features) == (self.best_method, self.best_n_features):
            return f"{what}, the least of all"
        return f"{what}, not more than one standard error above the best ({best})"


def choose(
    methods: list[str],
    counts: NDArray[np.intp],
    rates: NDArray[np.float64],
    spread: NDArray[np.float64],
    to_beat: float | None = None,
    measure: Measure = ACCURACY,
) -> Choice:
    """The fewest features within one standard error of the least; then the lower error, then the earlier method."""
    best = np.unravel_index(rates.argmin(), rates.shape)
    row, at = chosen_place(rates, spread, to_beat)
    return Choice(
        methods[row],
        int(counts[at]),
        float(rates[row, at]),
        float(spread[row, at]),
        methods[best[0]],
        int(counts[best[1]]),
        float(rates[best]),
        to_beat,
        measure,
    )


def chosen_place(
    rates: NDArray[np.float64], spread: NDArray[np.float64], to_beat: float | None = None
) -> tuple[int, int]:
    """The row and the column that :func:`choose` takes."""
    best = np.unravel_index(rates.argmin(), rates.shape)
    slack = np.nan_to_num(spread[best])
    near = rates <= rates[best] + slack + 1e-12  # rounding of the sum must not shut out an equal error
    if to_beat is not None and rates[best] < to_beat:
        near &= rates < to_beat
    at = int(np.flatnonzero(near.any(axis=0))[0])
    return int(np.where(near[:, at], rates[:, at], np.inf).argmin()), at


@dataclass(frozen=True)
class OuterError:
    """The error of a whole search, choice of method and number included, in samples that had no part in the choice.

    ``majority`` is the error of the baseline; ``p`` is of the test that the search is no better.
    """

    error: float
    majority: float
    p: float
    measure: Measure = ACCURACY

    @property
    def is_better(self) -> bool:
        """Whether the search is shown to do better than the baseline."""
        return self.p <= LEVEL

    def __str__(self) -> str:
        text, unit = self.measure.text, self.measure.unit
        what = f"in folds that had no part in the choice: error {text(self.error)}{unit}"
        shown = "below" if self.is_better else "not shown to be below"
        limit = f"that of the {self.measure.baseline} ({text(self.majority)}{unit}, p = {self.p:.2g})"
        return f"{what}, {shown} {limit}"


def outer_error(
    counts: NDArray[np.intp],
    errors: NDArray[Any],
    n_test: NDArray[np.intp],
    majority: NDArray[Any],
    measure: Measure = ACCURACY,
) -> OuterError:
    """The error of the search: in every fold that of the method and number that the other folds choose.

    ``errors`` are of shape (n_methods, n_folds, n_counts); of more than 10 folds every tenth are taken together. The
    test is the one-sided paired t-test over the B folds with the variance of Nadeau and Bengio (2003), as they learn
    from the same samples: ``t = mean(d) / (std(d) sqrt(1/B + 1/(B - 1)))``.
    """
    from scipy.special import stdtr

    n_blocks = min(len(n_test), MOST_BLOCKS)
    block_of = np.arange(len(n_test)) % n_blocks
    found, without, sizes = np.zeros((3, n_blocks))
    for block in range(n_blocks):
        inside = block_of == block
        others = errors[:, ~inside] if n_blocks > 1 else errors
        n_others = n_test[~inside] if n_blocks > 1 else n_test
        rates = others.sum(axis=1) / n_others.sum()
        row, at = chosen_place(rates, standard_errors(others, n_others))
        found[block], without[block] = errors[row, inside, at].sum(), majority[inside].sum()
        sizes[block] = n_test[inside].sum()
    error, level = float(found.sum() / sizes.sum()), float(without.sum() / sizes.sum())
    gains = (without - found) / sizes
    if n_blocks < 2:
        return OuterError(error, level, 1.0, measure)
    spread = float(gains.std(ddof=1) * np.sqrt(1 / n_blocks + 1 / (n_blocks - 1)))
    if spread == 0:
        return OuterError(error, level, float(gains.mean() <= 0), measure)
    return OuterError(error, level, float(stdtr(n_blocks - 1, -gains.mean() / spread)), measure)


def standard_errors(errors: NDArray[np.intp], n_test: NDArray[np.intp]) -> NDArray[np.float64]:
    """Of each pooled error rate, of errors (..., n_folds, n_counts): the deviation over the folds by the root of B."""
    rates = errors / n_test[:, None]
    if len(n_test) < 2:
        return np.full(rates.shape[:-2] + rates.shape[-1:], np.nan)
    return np.asarray(rates.std(axis=-2, ddof=1) / np.sqrt(len(n_test)))


@dataclass(frozen=True)
class PairedTest:
    """One-sided paired t-tests of a curve against another: the p-values of "is lower" and "is higher"."""

    p_lower: float
    p_higher: float

    @property
    def outcome(self) -> str:
        """``+`` if the first is lower at 5 %, ``-`` if it is higher, ``=`` if neither."""
        return "+" if self.p_lower < LEVEL else "-" if self.p_higher < LEVEL else "="


def paired_test(first: ArrayLike, second: ArrayLike) -> PairedTest:
    """One-sided paired t-tests over m numbers of features, ``mean(d) / (std(d) / sqrt(m))``, as in the papers."""
    from scipy.special import stdtr

    difference = np.asarray(first, np.float64) - np.asarray(second, np.float64)
    m = len(difference)
    if m < 2:
        return PairedTest(0.5, 0.5)
    mean, spread = difference.mean(), difference.std(ddof=1)
    if spread <= 1e-12 * np.abs(difference).max():  # equal up to rounding
        t = np.inf * np.sign(mean) if mean else 0.0
    else:
        t = mean / (spread / np.sqrt(m))
    return PairedTest(float(stdtr(m - 1, t)), float(stdtr(m - 1, -t)))
