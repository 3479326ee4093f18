"""What counts as an error, which of two error curves is lower, and how many features are enough.

A loss is what a score falls short of 1, times the samples, so that the losses of folds add up.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bitsieve.common.messages import ParameterError, choices

Codes = NDArray[Any]
Loss = Callable[[Codes, Codes], float]


def wrong(predicted: Codes, truth: Codes) -> float:
    """How many samples got the wrong class."""
    return int((predicted != truth).sum())


def unbalanced(predicted: Codes, truth: Codes) -> float:
    """1 - balanced accuracy: every class that occurs counts as much as another."""
    recalls = [(predicted[truth == label] == label).mean() for label in np.unique(truth)]
    return float(len(truth) * (1 - np.mean(recalls)))


def short_of_f1(predicted: Codes, truth: Codes) -> float:
    """1 - F1, the mean over the classes that occur or are predicted."""
    scores = []
    for label in np.union1d(predicted, truth):
        hit = int(((predicted == label) & (truth == label)).sum())
        scores.append(2 * hit / int((predicted == label).sum() + (truth == label).sum()))
    return float(len(truth) * (1 - np.mean(scores)))


def short_of_auc(predicted: NDArray[Any], truth: Codes) -> float:
    """1 - AUC, the mean over the classes that occur, each against all others.

    ``predicted`` has one column of scores a class, or class codes: the score of a class is then 1 where it was given.
    """
    from sklearn.metrics import roc_auc_score

    if predicted.ndim == 1:
        predicted = predicted[:, None] == np.arange(truth.max() + 1)
    unknown = np.zeros(len(truth))  # of a class that was not learned: all samples are alike
    areas = [
        roc_auc_score(truth == label, predicted[:, label] if label < predicted.shape[1] else unknown)
        for label in np.unique(truth)
    ]
    return float(len(truth) * (1 - np.mean(areas)))


ROC_AUC = "roc_auc"  # the one that is measured by scores and not by predicted classes
LOSSES: dict[str, Loss] = {
    "accuracy": wrong,
    "balanced_accuracy": unbalanced,
    "f1_macro": short_of_f1,
    ROC_AUC: short_of_auc,
}


def make_loss(scoring: str) -> Loss:
    """The loss of a score, as scikit-learn names it; ValueError if there is no such score."""
    if scoring not in LOSSES:
        raise ParameterError("scoring", scoring, choices(str(scoring), LOSSES), "is not known")
    return LOSSES[scoring]


LEVEL = 0.05  # of the paired tests
MOST_BLOCKS = 10  # of folds that are taken together where there are more


@dataclass(frozen=True)
class Choice:
    """A method with a number of features, and the least error of all that it was measured against.

    ``error`` and ``standard_error`` are the share of wrong test samples, pooled over the folds, and its standard error.
    ``to_beat`` is the error of the majority class; None where it was not measured.
    """

    method: str
    n_features: int
    error: float
    standard_error: float
    best_method: str
    best_n_features: int
    best_error: float
    to_beat: float | None = None

    @property
    def is_recommended(self) -> bool:
        """Whether the least error is below that of the majority class."""
        return self.to_beat is None or self.best_error < self.to_beat

    def __str__(self) -> str:
        spread = "" if np.isnan(self.standard_error) else f" +- {100 * self.standard_error:.1f}"
        number = f"{self.n_features:,} feature{'s' * (self.n_features != 1)}"
        what = f"{self.method} with {number}: error {100 * self.error:.1f} %{spread}"
        best = f"{self.best_method} with {self.best_n_features:,}: {100 * self.best_error:.1f} %"
        if self.to_beat is not None and not self.is_recommended:
            least = f"the least error ({best}) is not below that of the majority class ({100 * self.to_beat:.1f} %)"
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
) -> Choice:
    """The fewest features within one standard error of the least error; then the lower error, then the earlier method.

    ``rates`` and ``spread``, of shape (n_methods, n_counts), are pooled error rates and their standard errors. Where
    any rate is below ``to_beat``, that of the majority class, the rate chosen is.
    """
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

    ``error`` and ``majority`` are shares of wrong test samples, of the search and of the majority class; ``p`` is of
    the test that the search is no better.
    """

    error: float
    majority: float
    p: float

    @property
    def is_better(self) -> bool:
        """Whether the search is shown to do better than the majority class."""
        return self.p <= LEVEL

    def __str__(self) -> str:
        what = f"in folds that had no part in the choice: error {100 * self.error:.1f} %"
        shown = "below" if self.is_better else "not shown to be below"
        return f"{what}, {shown} that of the majority class ({100 * self.majority:.1f} %, p = {self.p:.2g})"


def outer_error(
    counts: NDArray[np.intp], errors: NDArray[Any], n_test: NDArray[np.intp], majority: NDArray[Any]
) -> OuterError:
    """The error of the search: in every fold that of the method and number that the other folds choose.

    ``errors`` are of shape (n_methods, n_folds, n_counts), ``majority`` (n_folds,) those of the class that is most
    frequent in the samples learned from; of more than 10 folds every tenth are taken together. The least of many errors
    is too low by chance, but not where others chose it. The test is the one-sided paired t-test over the B folds with
    the variance of Nadeau and Bengio, as they learn from the same samples:
    ``t = mean(d) / (std(d) sqrt(1/B + 1/(B - 1)))``.

    C. Nadeau, Y. Bengio, "Inference for the generalization error", Machine Learning 52, 2003.
    doi:10.1023/A:1024068626366
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
        return OuterError(error, level, 1.0)
    spread = float(gains.std(ddof=1) * np.sqrt(1 / n_blocks + 1 / (n_blocks - 1)))
    if spread == 0:
        return OuterError(error, level, float(gains.mean() <= 0))
    return OuterError(error, level, float(stdtr(n_blocks - 1, -gains.mean() / spread)))


def standard_errors(errors: NDArray[np.intp], n_test: NDArray[np.intp]) -> NDArray[np.float64]:
    """The standard error of each pooled error rate, (..., n_counts), from errors of shape (..., n_folds, n_counts).

    The standard deviation (ddof 1) of the folds' error rates over the root of their number; nan for one fold.
    """
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
    """One-sided paired t-tests over the numbers of features: ``t = mean(d) / (std(d) / sqrt(m))``, d = first - second.

    Errors of neighbouring numbers of features are not independent, so the test is a convention of the papers more
    than a probability; differences that are all equal count as certain, and of one number nothing is concluded.
    """
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
