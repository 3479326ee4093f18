"""Losses, each the error of some samples times their number, which add up; and measures of selections beside them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bitsieve.diagnostics import ParameterError, UserError
from bitsieve.utils.arrays import Columns, Floats
from bitsieve.utils.messages import choices

Values = NDArray[Any]
Loss = Callable[[Values, Values], float]
Predicted = Literal["classes", "quantity"]


@dataclass(frozen=True)
class Measure:
    """How predictions are judged: a loss, and how the error, the loss divided by the samples, is shown."""

    name: str
    loss: Loss  # of predicted and true values
    about: str = ""  # what the error is, where that is not plain
    predicts: Predicted = "classes"
    is_share: bool = True  # shown in percent; else in the unit of the quantity
    by_scores: bool = False  # of the classes, where predicted classes are not enough
    fewest: int = 1  # test samples of a fold
    per_variance: bool = False  # whether the loss is divided by the variance of all true values

    @property
    def unit(self) -> str:
        """What stands after an error."""
        return " %" if self.is_share else ""

    @property
    def baseline(self) -> str:
        """What is predicted without columns."""
        return "majority class" if self.predicts == "classes" else "mean"

    def text(self, error: float | None) -> str:
        """An error as it is shown, without the unit."""
        if error is None:
            return "-"
        return f"{100 * error:.1f}" if self.is_share else f"{error:.4g}"

    def over(self, values: Values) -> Loss:
        """The loss where these are the true values of all samples."""
        if not self.per_variance:
            return self.loss
        with np.errstate(over="ignore", invalid="ignore"):
            variance = float(values.var())
        if not 0 < variance < np.inf:
            raise UserError(
                code="values-too-large",
                message="the target is too large or varies too little to be squared",
                advice="give it in another unit",
            )
        return lambda predicted, truth: self.loss(predicted, truth) / variance


def wrong(predicted: Values, truth: Values) -> float:
    """How many samples got the wrong class."""
    return int((predicted != truth).sum())


def unbalanced(predicted: Values, truth: Values) -> float:
    """1 - balanced accuracy: every class that occurs counts as much as another."""
    recalls = [(predicted[truth == label] == label).mean() for label in np.unique(truth)]
    return float(len(truth) * (1 - np.mean(recalls)))


def short_of_f1(predicted: Values, truth: Values) -> float:
    """1 - F1, the mean over the classes that occur or are predicted."""
    scores = []
    for label in np.union1d(predicted, truth):
        hit = int(((predicted == label) & (truth == label)).sum())
        scores.append(2 * hit / int((predicted == label).sum() + (truth == label).sum()))
    return float(len(truth) * (1 - np.mean(scores)))


def short_of_auc(predicted: Values, truth: Values) -> float:
    """1 - AUC, the mean over classes, each against all others, by scores, a column a class, or by class codes."""
    from sklearn.metrics import roc_auc_score

    if predicted.ndim == 1:
        predicted = predicted[:, None] == np.arange(truth.max() + 1)
    unknown = np.zeros(len(truth))  # of a class that was not learned: all samples are alike
    areas = [
        roc_auc_score(truth == label, predicted[:, label] if label < predicted.shape[1] else unknown)
        for label in np.unique(truth)
    ]
    return float(len(truth) * (1 - np.mean(areas)))


def squares(predicted: Values, truth: Values) -> float:
    """The sum of squared errors."""
    return float(np.square(predicted - truth).sum())


def absolute(predicted: Values, truth: Values) -> float:
    """The sum of absolute errors."""
    return float(np.abs(predicted - truth).sum())


def root_mean_square(predicted: Values, truth: Values) -> float:
    """The root of the mean squared error."""
    return float(len(truth) * np.sqrt(np.square(predicted - truth).mean()))


def short_of_rank_correlation(predicted: Values, truth: Values) -> float:
    """1 - Spearman's rank correlation, which is 0 where all predictions, or all values, are equal."""
    from scipy.stats import rankdata

    a, b = (rankdata(values) - (len(truth) + 1) / 2 for values in (predicted, truth))
    length = np.sqrt(np.square(a).sum() * np.square(b).sum())
    return float(len(truth) * (1 - (a @ b / length if length else 0.0)))


ACCURACY = Measure("accuracy", wrong)
_OF_VARIANCE = "what r2 falls short of 1, the share of the variance that is not predicted"
R2 = Measure("r2", squares, _OF_VARIANCE, "quantity", per_variance=True)
_OF_RANKS = "what rank_correlation (Spearman) falls short of 1"
MEASURES = {
    measure.name: measure
    for measure in (
        ACCURACY,
        Measure("balanced_accuracy", unbalanced, "what balanced_accuracy falls short of 1"),
        Measure("f1_macro", short_of_f1, "what f1_macro falls short of 1"),
        Measure("roc_auc", short_of_auc, "what roc_auc falls short of 1", by_scores=True),
        R2,
        Measure("mae", absolute, "the mean absolute error", "quantity", is_share=False),
        Measure("rmse", root_mean_square, "the root mean square error", "quantity", is_share=False, fewest=2),
        Measure("rank_correlation", short_of_rank_correlation, _OF_RANKS, "quantity", fewest=2),
    )
}


def make_measure(scoring: str | None, predicts: Predicted = "classes") -> Measure:
    """The measure of a name, by default accuracy, of a quantity r2; ValueError if there is none, or it does not fit."""
    if scoring is None:
        return ACCURACY if predicts == "classes" else R2
    fitting = [name for name, measure in MEASURES.items() if measure.predicts == predicts]
    if scoring in MEASURES and scoring not in fitting:
        raise does_not_fit("scoring", scoring, fitting, predicts)
    if scoring not in MEASURES:
        raise ParameterError("scoring", scoring, choices(str(scoring), fitting), "is not known", code="unknown-name")
    return MEASURES[scoring]


def does_not_fit(parameter: str, name: str, fitting: Iterable[str], predicts: Predicted) -> ParameterError:
    """The error where a measure or a model is for another kind of target."""
    why = f"does not fit, the target {'has classes' if predicts == 'classes' else 'is a quantity'}"
    advice = f"choose one of {', '.join(fitting)}"
    fix = {}
    if predicts == "classes":
        advice += "; if the target is a number to predict, add {target_kind}"
        fix = {"target_kind": "quantity"}
    return ParameterError(parameter, name, advice, why, code="wrong-kind-of-target", fix=fix)


SINGULAR = 1e-10  # share of a column's spread within classes below which the columns before it explain it


@dataclass(frozen=True)
class Scored:
    """One method in one fold: its columns in order of choice, and what was measured for every number of them."""

    selected: Columns
    errors: Columns | Floats
    redundancy: Floats
    separability: Floats
    seconds_selecting: float
    seconds_classifying: float


def nogueira(selections: Sequence[ArrayLike], n_features: int) -> float:
    """Stability of several selections of any sizes, corrected for chance (Nogueira, Sechidis, Brown 2018); 1 at most.

    ``1 - mean_f s_f^2 / [(k/n) (1 - k/n)]``, s_f^2 the unbiased variance over the M selections of "feature f was
    chosen", k the mean number of features; nan where all selections are empty or whole, or fewer than two.
    """
    m = len(selections)
    share = sum(len(np.asarray(chosen)) for chosen in selections) / max(m, 1) / n_features
    if m < 2 or not 0 < share < 1:
        return float("nan")
    frequency = _times_chosen(selections, n_features) / m
    variance = m / (m - 1) * frequency * (1 - frequency)
    return float(1 - variance.mean() / (share * (1 - share)))


def kuncheva(selections: Sequence[ArrayLike], n_features: int) -> float:
    """Mean over all pairs of selections of their overlap beyond chance, ``(r n - k^2) / (k (n - k))`` (Kuncheva 2007).

    For selections of one size that is :func:`nogueira`'s; nan where sizes differ, or that is not defined.
    """
    m, sizes = len(selections), {len(np.asarray(chosen)) for chosen in selections}
    k = min(sizes, default=0)
    if m < 2 or len(sizes) > 1 or not 0 < k < n_features:
        return float("nan")
    times = _times_chosen(selections, n_features)
    shared = (times * (times - 1) / 2).sum() / (m * (m - 1) / 2)  # mean over pairs
    return float((shared * n_features - k * k) / (k * (n_features - k)))


def _times_chosen(selections: Sequence[ArrayLike], n_features: int) -> Columns:
    return np.bincount(np.concatenate([np.asarray(chosen, np.intp) for chosen in selections]), minlength=n_features)


def redundancy_rates(values: ArrayLike, counts: ArrayLike | None = None) -> Floats:
    """Mean |correlation| of the first k columns, for every k of ``counts`` (by default all); constant ones have none.

    ``2 / (k (k - 1)) sum_{i<j} |rho_ij|``, nan for fewer than two columns; some papers print half of it.
    """
    table = np.asarray(values, np.float64)
    k = np.atleast_1d(np.asarray(table.shape[1] if counts is None else counts, np.intp))
    centred = table - table.mean(axis=0)
    lengths = np.sqrt(np.square(centred).sum(axis=0))
    varies = lengths > 1e-12 * np.abs(table).max(axis=0, initial=0.0)  # more than the rounding of the mean leaves
    centred = np.where(varies, centred / np.where(varies, lengths, 1.0), 0.0)
    correlation = np.abs(centred.T @ centred)
    shared = np.concatenate([[0.0], np.cumsum(np.triu(correlation, 1).sum(axis=0))])  # of the first k columns
    pairs = k * (k - 1) / 2
    rates = np.full(len(k), np.nan)
    np.divide(shared[k], pairs, out=rates, where=pairs > 0)
    return rates


def separability(values: ArrayLike, classes: ArrayLike, counts: ArrayLike | None = None) -> Floats:
    """``J = |Sw + Sb| / |Sw| = prod (1 + lambda)`` of the first k columns, a k of ``counts`` each; nan: Sw singular."""
    table = np.asarray(values, np.float64)
    k = np.atleast_1d(np.asarray(table.shape[1] if counts is None else counts, np.intp))
    _, codes = np.unique(np.asarray(classes), return_inverse=True)
    sizes = np.bincount(codes)
    means = np.array([np.bincount(codes, column) / sizes for column in table.T]).reshape(-1, len(sizes)).T
    within = table - means[codes]
    spread = np.sqrt(np.square(within).sum(axis=0))
    spread[spread == 0] = 1.0
    within /= spread  # unit diagonal: what is singular does not depend on the columns' units
    total = (table - table.mean(axis=0)) / spread
    log_ratio = np.concatenate([[0.0], np.cumsum(_log_pivots(total) - _log_pivots(within))])
    with np.errstate(over="ignore"):
        return np.asarray(np.exp(log_ratio[k]))


def _log_pivots(columns: Floats) -> Floats:
    """log of the pivots of ``columns' columns``, from the triangle of a QR factor; nan from a singular one on."""
    n_samples, n_columns = columns.shape
    triangle = np.linalg.qr(columns, mode="r")
    pivots = np.zeros(n_columns)
    pivots[: min(n_samples, n_columns)] = np.square(np.diagonal(triangle))
    singular = pivots <= SINGULAR
    regular = np.where(singular, 1.0, pivots)
    return np.where(np.logical_or.accumulate(singular), np.nan, np.log(regular))


LEVEL = 0.05  # of the paired tests
MOST_BLOCKS = 10  # of folds that are taken together where there are more


@dataclass(frozen=True)
class Choice:
    """A method with a number of features, the least error, ``to_beat`` or None, and the least of ``others`` by name."""

    method: str
    n_features: int
    error: float
    standard_error: float
    best_method: str
    best_n_features: int
    best_error: float
    to_beat: float | None = None
    measure: Measure = ACCURACY
    others: tuple[tuple[str, float], ...] = ()

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
        if not self.is_recommended:
            least = f"the least error ({best}) is not below that of the {measure.baseline}"
            return f"nothing is recommended: {least} ({measure.text(self.to_beat)}{measure.unit})"
        others = [(name, least - self.best_error) for name, least in self.others if name != self.best_method]
        lower = [f"{name} ({measure.text(self.best_error + d)}{measure.unit})" for name, d in others if d < -1e-12]
        limit = f" but for {' and '.join(lower)}" if lower else ""
        if (self.method, self.n_features) != (self.best_method, self.best_n_features):
            return f"{what}, not more than one standard error above the best ({best}){limit}"
        tied = " and ".join(name for name, difference in others if abs(difference) <= 1e-12)
        return f"{what}, the least{limit or ' of all'}{tied and f', tied with {tied}'}"


def choose(
    methods: list[str],
    counts: Columns,
    rates: Floats,
    spread: Floats,
    to_beat: float | None = None,
    measure: Measure = ACCURACY,
    others: Iterable[tuple[str, float]] = (),
) -> Choice:
    """The fewest features within one standard error of the least; then the lower error, then the earlier method."""
    best = np.unravel_index(rates.argmin(), rates.shape)
    row, at = chosen_place(rates, spread, to_beat)
    chosen, best_choice = ((methods[i], int(counts[j]), float(rates[i, j])) for i, j in ((row, at), best))
    return Choice(*chosen, float(spread[row, at]), *best_choice, to_beat, measure, tuple(others))


def chosen_place(rates: Floats, spread: Floats, to_beat: float | None = None) -> tuple[int, int]:
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
    """The error of a whole search in samples with no part in the choice, the baseline's, and p that it is no better."""

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
        formatted = "below" if self.is_better else "not shown to be below"
        limit = f"that of the {self.measure.baseline} ({text(self.majority)}{unit}, p = {self.p:.2g})"
        return f"{what}, {formatted} {limit}"


def outer_error(
    counts: Columns, errors: NDArray[Any], n_test: Columns, majority: NDArray[Any], measure: Measure = ACCURACY
) -> OuterError:
    """The error of the search: in every fold that of the method and number that the other folds choose.

    ``errors`` are of shape (n_methods, n_folds, n_counts); of more than 10 folds every tenth are taken together. The
    test is the one-sided paired t-test over the B folds with the variance of Nadeau and Bengio (2003), as they learn
    from the same samples: ``t = mean(d) / (std(d) sqrt(1/B + 1/(B - 1)))``.
    """
    from scipy.special import stdtr

    n_blocks = min(len(n_test), MOST_BLOCKS)
    block_of = np.arange(len(n_test)) % n_blocks
    block_errors, without, sizes = np.zeros((3, n_blocks))
    for block in range(n_blocks):
        inside = block_of == block
        others = errors[:, ~inside] if n_blocks > 1 else errors
        n_others = n_test[~inside] if n_blocks > 1 else n_test
        rates = others.sum(axis=1) / n_others.sum()
        row, at = chosen_place(rates, standard_errors(others, n_others))
        block_errors[block], without[block] = errors[row, inside, at].sum(), majority[inside].sum()
        sizes[block] = n_test[inside].sum()
    error, level = float(block_errors.sum() / sizes.sum()), float(without.sum() / sizes.sum())
    gains = (without - block_errors) / sizes
    if n_blocks < 2:
        return OuterError(error, level, 1.0, measure)
    spread = float(gains.std(ddof=1) * np.sqrt(1 / n_blocks + 1 / (n_blocks - 1)))
    if spread == 0:
        return OuterError(error, level, float(gains.mean() <= 0), measure)
    return OuterError(error, level, float(stdtr(n_blocks - 1, -gains.mean() / spread)), measure)


def standard_errors(errors: Columns, n_test: Columns) -> Floats:
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
    def outcome(self) -> str | None:
        """``+`` if the first is lower at 5 %, ``-`` if it is higher, ``=`` if neither; None without a test."""
        if np.isnan(self.p_lower):
            return None
        return "+" if self.p_lower < LEVEL else "-" if self.p_higher < LEVEL else "="


def paired_test(first: ArrayLike, second: ArrayLike) -> PairedTest:
    """One-sided paired t-tests over m > 1 numbers of features, ``mean(d) / (std(d) / sqrt(m))``, as in the papers."""
    from scipy.special import stdtr

    difference = np.asarray(first, np.float64) - np.asarray(second, np.float64)
    m = len(difference)
    if m < 2:
        return PairedTest(np.nan, np.nan)
    mean, spread = difference.mean(), difference.std(ddof=1)
    if spread <= 1e-12 * np.abs(difference).max():  # equal up to rounding
        t = np.inf * np.sign(mean) if mean else 0.0
    else:
        t = mean / (spread / np.sqrt(m))
    return PairedTest(float(stdtr(m - 1, t)), float(stdtr(m - 1, -t)))
