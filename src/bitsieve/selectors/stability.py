"""Stability selection: columns that a selector chooses again and again from halves of the samples."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import Tags, get_tags

from bitsieve.counts.threads import run_blocks
from bitsieve.dataset.dataset import Dataset, InMemoryDataset
from bitsieve.diagnostics import ParameterError
from bitsieve.discretization.base import n_codes_that_occur
from bitsieve.methods.method import MethodResult
from bitsieve.options import FREQUENCY, DiscretizationOptions
from bitsieve.pipeline.discretize import take_few_numbers_as_categories
from bitsieve.selectors.base import with_parameters
from bitsieve.selectors.by_method import MethodSelector
from bitsieve.selectors.supervised import SupervisedSelector
from bitsieve.utils.arrays import Columns, Flags
from bitsieve.utils.docstrings import cites
from bitsieve.utils.parameters import Rule, check_integer, check_number, check_threads, optional


def expected_false_selections(n_chosen: float, n_features: int, n_pairs: int, threshold: float) -> float:
    """An upper bound on the expected number of columns kept among those chosen no more often than at random.

    Let q of n columns be chosen from each half, B the number of pairs of halves, ``r = q / n``, and t the threshold,
    rounded up to a multiple of ``1 / (2 B)``. Theorem 1 of Shah and Samworth gives, for any selector, ::

        q r / (2 t - 1)

    Their theorem 2 gives, if the distribution of each frequency has one peak, ``r <= 1 / sqrt(3)`` and
    ``t >= 1/2 + 1 / B``, the bound ``q r C`` with ::

        C = 1 / (2 (2 t - 1 - 1 / (2 B)))            for t <= 3/4, above min(1/2 + r^2, 1/2 + 1 / (2 B) + 3/4 r^2)
        C = 4 (1 - t + 1 / (2 B)) / (1 + 1 / B)      for t > 3/4

    The smaller of the two is returned, or q if it is smaller still.
    """
    if threshold > 1:
        return 0.0
    threshold = np.ceil(2 * n_pairs * threshold - 1e-9) / (2 * n_pairs)  # no other share occurs
    rate = n_chosen / n_features
    factor = 1 / (2 * threshold - 1)
    if rate <= 1 / np.sqrt(3) and threshold >= 0.5 + 1 / n_pairs - 1e-9:
        if threshold > 0.75:
            factor = min(factor, 4 * (1 - threshold + 1 / (2 * n_pairs)) / (1 + 1 / n_pairs))
        elif threshold > min(0.5 + rate**2, 0.5 + 1 / (2 * n_pairs) + 0.75 * rate**2):
            factor = min(factor, 1 / (2 * (2 * threshold - 1 - 1 / (2 * n_pairs))))
    return float(min(n_chosen, factor * n_chosen * rate))


def min_threshold(n_chosen: float, n_features: int, n_pairs: int, max_false: float) -> float:
    """The smallest share of the ``2 n_pairs`` fits at which the bound is at most ``max_false``; above 1 if none is."""
    n_fits = 2 * n_pairs
    for n_times_chosen in range(n_pairs + 1, n_fits + 1):
        threshold = n_times_chosen / n_fits
        if expected_false_selections(n_chosen, n_features, n_pairs, threshold) <= max_false:
            return threshold
    return 1 + 1 / n_fits


def check_threshold(name: str, value: Any) -> None:
    """Raise ValueError unless a share of the fits is above one half."""
    if check_number(name, value, 0.5, 1) == 0.5:
        raise ParameterError(name, value, "give a share above 0.5, to 1")


@with_parameters
@cites("Shah, Samworth 2013", "Meinshausen, Bühlmann 2010")
class StabilitySelector(SupervisedSelector):
    r"""Keep the columns that a selector chooses from most halves of the samples, with a bound on the false ones.

    The samples are divided into halves at random, B times. The selector is fitted on both halves, and column i was
    chosen in a share ``f_i`` of the 2 B fits (complementary pairs: Shah, Samworth). All columns with ``f_i >= t`` are
    kept. Let q be the mean number of columns that the selector chose and n their number: of the columns that it chooses
    at a rate of at most ``q / n``, at most

        C(t, B) q^2 / n

    are kept in expectation, with ``C = 1 / (2 t - 1)`` for any selector, and less where the distribution of ``f_i`` has
    one peak. That bounds noise only if columns of noise are exchangeable: the selector prefers none to another.

    Parameters
    ----------
    selector : selector
        It selects a fixed number of columns, or ends by itself.
    expected_false : float, default=1.0
        The threshold is the smallest one above 1/2 at which the bound is at most this.
    threshold : float, optional
        Share of the fits, above 1/2; None takes the one that ``expected_false`` gives.
    n_pairs : int, default=50
        B, the number of pairs of halves.
    random_state : int, default=0
        The same seed gives the same halves, for any number of threads.
    n_jobs : int, default=None
        Threads over the fits (None is 1, -1 every core).

    Attributes
    ----------
    frequencies_ : ndarray of float, shape (n_features,)
        Share of the fits in which each column was chosen.
    threshold_ : float
        The smallest frequency of a column that is kept; above 1 if no threshold keeps the bound.
    expected_false_ : float
        The bound, at the threshold.
    n_chosen_ : float
        q, the mean number of columns that the selector chose.
    scores_ : ndarray of float, shape (k,)
        The frequencies of the selected columns.

    Notes
    -----
    The samples of each class are divided evenly; with ``fit(X, y, groups=)`` its groups are; with ``strata`` the
    samples of each class in each stratum are, and a matched set stays whole. A column that has one bin in a half does
    not count as chosen there. Of two copies, each is chosen from about half of the halves, and none may be kept. Cost:
    2 B fits on half of the samples.

    Examples
    --------
    >>> from bitsieve import ForwardSelector, StabilitySelector
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> stable = StabilitySelector(ForwardSelector(3), n_pairs=20).fit(X, y)
    >>> stable.get_feature_names_out().tolist(), round(stable.expected_false_, 2)
    (['flavanoids'], 0.92)
    """

    parameter_rules: ClassVar[Mapping[str, Rule]] = {
        "expected_false": lambda name, value: check_number(name, value, 1e-6, 1e6),
        "threshold": optional(check_threshold),
        "n_pairs": lambda name, value: check_integer(name, value, 2, 10**5),
        "random_state": lambda name, value: check_integer(name, value, 0, 2**32 - 1),
        "n_jobs": check_threads,
    }

    selector: Any = field(kw_only=False)
    expected_false: float = 1.0
    threshold: float | None = None
    n_pairs: int = 50
    random_state: int = 0
    target_kind: str | None = None
    weight_kind: str = FREQUENCY
    identifiers: str = "drop"
    n_jobs: int | None = None

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if not isinstance(self.selector, MethodSelector):
            raise ParameterError(
                "selector", self.selector, "give a selector, such as ForwardSelector(10)", "is no selector"
            )
        self.selector._check_parameters()

    def _select(self, table: Dataset, discretization: DiscretizationOptions) -> None:
        """Select from the table; ``discretization`` is that of the inner selector."""
        coded_table, settled = take_few_numbers_as_categories(
            table.required_rows(), self.selector.registry_methods[0], self.selector.discretization, self._execution()
        )
        is_chosen = self._chosen_in_halves(coded_table, settled)
        frequencies = is_chosen.mean(axis=0)
        n_chosen = float(is_chosen.sum(axis=1).mean())
        n_features = table.n_features
        threshold = self.threshold
        if threshold is None:
            threshold = min_threshold(n_chosen, n_features, self.n_pairs, self.expected_false)
        order = np.argsort(-frequencies, kind="stable")
        selected = order[frequencies[order] >= threshold - 1e-9]  # the rounding of shares of 2 B
        attributes = {
            "frequencies_": frequencies,
            "threshold_": threshold,
            "expected_false_": expected_false_selections(n_chosen, n_features, self.n_pairs, threshold),
            "n_chosen_": n_chosen,
        }
        self._set_result(coded_table, MethodResult(selected, frequencies[selected], extras=attributes))

    def _chosen_in_halves(self, table: InMemoryDataset, discretization: DiscretizationOptions) -> Flags:
        """Which columns each fit chose, shape (2 n_pairs, n_features); none from a half that holds one class."""
        is_chosen = np.zeros((2 * self.n_pairs, table.n_features), bool)

        def fit(index: int) -> None:
            pair, half_index = divmod(index, 2)
            half = half_of(table, pair, half_index, self.random_state)
            if half.target.varies:
                selector = clone(self.selector).fit_table(half, discretization)
                is_chosen[index, _columns_that_vary(selector, half)] = True

        run_blocks(fit, range(2 * self.n_pairs), self.n_jobs)
        return is_chosen

    @property
    def _takes_survival(self) -> bool:
        return bool(self.selector._takes_survival)

    def _capabilities_needed(self) -> frozenset[str]:
        return self.required_capabilities  # the selector itself refuses what it cannot do

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = get_tags(self.selector).input_tags.allow_nan
        return tags


def half_of(table: InMemoryDataset, pair: int, half_index: int, random_state: int) -> InMemoryDataset:
    """The first (``half_index`` 0) or the second (1) half of the rows of a table, drawn at random.

    The groups of each class, in each stratum, are ordered at random, and go to the two halves by turns. Without groups
    every row is one, and a row of weight w is w rows; but a stratum that cannot be divided stays whole.
    """
    random = np.random.default_rng([random_state, pair])
    rows = np.arange(table.n_samples)
    if table.weights is not None:
        rows = np.repeat(rows, table.weights)
    classes = table.target.codes[rows]
    strata = np.zeros(len(rows), np.intp)
    groups = np.arange(len(rows))
    if table.several_strata is not None:
        strata, groups = _divisible_strata(table.several_strata[rows], classes)
    if table.groups is not None:
        groups = table.groups[rows]
    _, first_of_group, group_of_row = np.unique(groups, return_index=True, return_inverse=True)
    class_of_group = classes[first_of_group]
    random_keys = random.random(len(class_of_group))
    groups_by_class = np.lexsort((random_keys, strata[first_of_group], class_of_group))
    half = rows[np.isin(group_of_row, groups_by_class[half_index::2])]
    if table.weights is None:
        return table.take(np.sort(half))
    weights = np.bincount(half, minlength=table.n_samples)
    rows_in_half = np.flatnonzero(weights)
    return replace(table.take(rows_in_half), weights=weights[rows_in_half].astype(np.int64))


def _divisible_strata(strata: Columns, classes: NDArray[np.integer]) -> tuple[Columns, Columns]:
    """The strata and the groups by which samples are divided into halves.

    Each sample is a group of its own. A stratum of several classes that has no two samples of each of two is one group,
    as none of its halves would have two classes; all such strata are one, so that their order is random.
    """
    n_strata = int(strata.max()) + 1
    counts = np.zeros((n_strata, int(classes.max()) + 1), np.intp)
    np.add.at(counts, (strata, classes), 1)
    has_one_class = (counts > 0).sum(axis=1) == 1
    is_divisible = has_one_class | ((counts > 1).sum(axis=1) > 1)
    group_of_sample = n_strata + np.arange(len(strata))
    divided = is_divisible[strata]
    return np.where(divided, strata, n_strata), np.where(divided, group_of_sample, strata)


def _columns_that_vary(fitted: MethodSelector, half: InMemoryDataset) -> Columns:
    """The chosen columns without those of one bin, which only fill the list."""
    selected = np.asarray(fitted.selected_)
    binner = fitted.fitted_rule
    if binner is None:
        return selected
    return selected[n_codes_that_occur(binner, half)[selected] > 1]
