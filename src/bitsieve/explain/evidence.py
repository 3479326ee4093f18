"""What a selection rests on, counted again from its table when an explanation or a report asks for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from bitsieve.counts.search import Units
from bitsieve.dataset.dataset import Dataset
from bitsieve.dataset.encoding import all_missing
from bitsieve.dataset.read import read_xy
from bitsieve.diagnostics import UserError
from bitsieve.discretization.base import with_integers_as_categories
from bitsieve.discretization.registry import make_binner
from bitsieve.engines.local import count_coded
from bitsieve.information import make_information
from bitsieve.information.protocol import ConditionalInformation, Information
from bitsieve.pipeline.discretize import Counted, count_table
from bitsieve.pipeline.prepare import Reason
from bitsieve.utils.arrays import Columns, Floats
from bitsieve.utils.choice import TIE
from bitsieve.utils.lazy import cached_property

SAMPLES_A_PART = 5  # on average, at least, where information is conditional on several columns
SHUFFLED_CELLS = 200_000_000  # that may be binned to see what chance does
FEWEST_SHUFFLES, MOST_SHUFFLES = 10, 40
SHUFFLES_OF_A_CURVE = 39
PLUG_IN = "plug-in"
EXPLAINING = (PLUG_IN, "corrected")
MOST_ROWS = 1_000_000  # that weighted rows are written out to


class Contribution(NamedTuple):
    """The information of a column about the class beside other columns s, in bits.

    Of several columns each field is an array. Redundancy and synergy are 0, with column -1, where there is none.
    """

    relevance: Any  # I(X;C)
    redundancy: Any  # max_s [I(X;C) - I(X;C|Xs)]
    redundant_with: Any  # the column s of that maximum
    complementarity: Any  # the synergy, max_s [I(X;C|Xs) - I(X;C)]
    complementary_with: Any  # the column s of that maximum


class Chance(NamedTuple):
    """The relevance of columns after shuffles of the classes, in bits."""

    n_shuffles: int
    typical: float  # 95 % quantile over all columns and shuffles
    best_low: float  # 5 % quantile of the best of all columns
    best_high: float  # 95 % quantile of the best of all columns
    columns: Floats  # shape (n_features,): 95 % quantile of each column

    def of(self, column: int) -> float:
        """The relevance that a column would have to exceed, as one of many that were tried."""
        return max(self.best_high, float(self.columns[column]))


@dataclass(frozen=True, eq=False)
class Evidence:
    """What the counts behind a selection are made of; they are counted again when somebody asks for them."""

    table: Dataset  # as the method got it: dropped columns hold one value
    binner: Any  # fitted
    selected: Columns
    n_jobs: int | None
    original_table: Dataset  # with the values of the dropped columns
    dropped: Mapping[int, Reason] = field(default_factory=dict)
    estimator: str = PLUG_IN  # of the method
    screened_out: Sequence[int] = ()

    @cached_property
    def counted(self) -> Counted:
        """The counts of the table."""
        rows = self.table.rows
        if rows is None:
            return count_table(self.table, self.binner, self.n_jobs)
        source = count_coded(rows, self.binner, self.n_jobs)
        return Counted(self.table, self.binner, make_information(PLUG_IN, source))

    @property
    def explaining_estimator(self) -> str:
        """The estimator by which columns are explained: that of the method, if its terms add up; else plug-in."""
        return self.estimator if self.estimator in EXPLAINING else PLUG_IN

    @property
    def information(self) -> Information:
        """The information by which columns are explained."""
        return self.counted.estimated(self.explaining_estimator)

    @cached_property
    def contributions(self) -> Contribution:
        """The contribution of every selected column beside those selected before it; fields are arrays."""
        contributions = [
            contribution(self.information, column, self.selected[:n_earlier])
            for n_earlier, column in enumerate(self.selected.tolist())
        ]
        return Contribution(*(np.array(values) for values in zip(*contributions, strict=True)))

    @cached_property
    def chance(self) -> Chance | None:
        """The relevance after shuffles; None if rows are not in memory, or too many once weights are written out."""
        table = self.table.rows
        if table is None or (table.weights is not None and table.total_weight > MOST_ROWS):
            return None
        if table.weights is not None:
            table = replace(table.take(np.repeat(np.arange(table.n_samples), table.weights)), weights=None)
        affordable = SHUFFLED_CELLS // (table.n_samples * table.n_features)
        n_shuffles = min(MOST_SHUFFLES, max(FEWEST_SHUFFLES, affordable))
        random = np.random.default_rng(0)
        target = table.target
        units = None if table.groups is None else Units.of(table.groups, target.codes)
        relevance_by_shuffle = []
        for seed in np.arange(n_shuffles, dtype=np.uint64):
            if units is None:
                codes = random.permutation(target.codes)
            else:
                (codes,) = units.shuffled(target.codes, np.zeros(table.n_samples, np.int64), np.array([seed]))
            shuffled = replace(table, y=replace(target, codes=codes))
            counted = count_table(shuffled, self.binner, self.n_jobs)
            relevance_by_shuffle.append(counted.estimated(self.explaining_estimator).relevance)
        relevance = np.array(relevance_by_shuffle)  # shape (n_shuffles, n_features)
        has_few_bins = 2 * np.asarray(self.binner.n_bins_) <= table.n_samples  # others look informative by chance alone
        comparable = relevance[:, has_few_bins] if has_few_bins.any() else relevance
        best_low, best_high = np.quantile(comparable.max(axis=1), [0.05, 0.95])
        return Chance(
            n_shuffles=n_shuffles,
            typical=float(np.quantile(comparable, 0.95)),
            best_low=float(best_low),
            best_high=float(best_high),
            columns=np.quantile(relevance, 0.95, axis=0),
        )


def evidence_of(selector: Any, X: Any, y: Any, sample_weight: Any = None) -> Evidence:
    """The evidence behind the columns of a fitted selector, counted on a table that is given as for ``fit``."""
    from sklearn.utils.validation import check_is_fitted

    check_is_fitted(selector)
    table = read_xy(X, y, sample_weight)
    if table.n_features != selector.n_features_in_:
        raise UserError(
            code="columns-differ",
            message=(
                f"X has {table.n_features:,} features, but {type(selector).__name__} was fitted on "
                f"{selector.n_features_in_:,}"
            ),
            advice="give the same columns",
        )
    n_jobs = getattr(selector, "n_jobs", None)
    binner = getattr(selector, "binner_", None)
    if binner is None:
        missing = "bin" if selector.__sklearn_tags__().input_tags.allow_nan else "error"
        binner = make_binner(missing=missing, n_jobs=n_jobs).for_table(table).fit_table(table)
    dropped: dict[int, Reason] = {}
    categories = binner.categories_
    if binner.requires != "codes" and categories is not None:
        table = with_integers_as_categories(table, categories)
        # The selector was given one number in every row of a column that was dropped, which this table still holds.
        one_code = np.flatnonzero(np.asarray(binner.n_bins_) == 1).tolist()
        for j in one_code:
            if categories[j] is None and (not table.is_numeric(j) or all_missing(table.numbers(j))):
                dropped[j] = "empty"
    return Evidence(
        table=table.without(sorted(dropped)),
        binner=binner,
        selected=np.asarray(selector.selected_),
        n_jobs=n_jobs,
        original_table=table,
        dropped=dropped,
        estimator=getattr(selector, "estimator", PLUG_IN),
    )


def contribution(information: Information, column: int, others: Columns) -> Contribution:
    """The relevance of a column, and its largest redundancy and synergy with one of the other columns."""
    relevance = float(information.relevance[column])
    if not len(others):
        return Contribution(relevance, 0.0, -1, 0.0, -1)
    pair = information.pair(column, others)
    conditional_relevance = pair.joint_relevance - information.relevance[others]  # I(X;C|Xs)
    # Corrected for chance, I(X;C|Xs) may be below 0: no more than the relevance is redundant.
    redundancies = np.minimum(relevance - conditional_relevance, max(relevance, 0.0))
    largest, smallest = int(np.argmax(redundancies)), int(np.argmin(redundancies))
    redundancy, redundant_with = float(redundancies[largest]), int(others[largest])
    if redundancy <= TIE:
        redundancy, redundant_with = 0.0, -1
    synergy, synergy_with = float(-redundancies[smallest]), int(others[smallest])
    if synergy <= TIE:
        synergy, synergy_with = 0.0, -1
    return Contribution(relevance, redundancy, redundant_with, synergy, synergy_with)


def conditional_on(information: Information, columns: Sequence[int]) -> tuple[ConditionalInformation, tuple[int, ...]]:
    """Condition information on the first of ``columns``: on as many as leave five samples a part on average.

    Returns the conditional information, and the columns that it is conditional on.
    """
    conditional = information.conditional()
    conditioned_on: list[int] = []
    for column in columns:
        finer = conditional.refine(int(column))
        if len(finer.partition.keys) * SAMPLES_A_PART > finer.n_samples:
            break
        conditional = finer
        conditioned_on.append(int(column))
    return conditional, tuple(conditioned_on)


class Curve(NamedTuple):
    """The joint information of the first 1, 2, ..., n columns about the class, in bits."""

    columns: Columns
    joint: Floats  # shape (n,): I(X1,...,Xi;C)
    chance: Floats  # shape (n,): the same with a shuffled column i, 95 % quantile
    n_selected: int  # of the columns
    class_entropy: float


def information_curve(
    information: Information, columns: Columns, n_selected: int | None = None, seed: int = 0
) -> Curve:
    """The curve of columns in their order. Bins are not fitted again after a shuffle of the class."""
    seeds = np.random.SeedSequence(seed).generate_state(SHUFFLES_OF_A_CURVE, np.uint64).astype(np.uint64)
    joint = np.empty(len(columns))
    chance = np.empty(len(columns))
    conditional = information.conditional()
    joint_relevance = 0.0  # of the columns so far
    for i, column in enumerate(columns.tolist()):
        chance[i] = joint_relevance + float(np.quantile(conditional.shuffled_relevance(column, seeds), 0.95))
        joint_relevance += float(conditional.conditional_relevance(np.array([column]))[0])
        joint[i] = joint_relevance
        conditional = conditional.refine(column)
    n_selected = len(columns) if n_selected is None else n_selected
    return Curve(columns, joint, chance, n_selected, information.class_entropy)


def ranked_on(selector: Any, counted: Counted) -> Columns:
    """The selected columns, and half as many (at least five) that would come next, where the method can say so."""
    from sklearn.base import clone

    selected = np.asarray(selector.selected_)
    n_selected = len(selected)
    n_features = len(selector.ranking_)
    n_ranked = min(n_features, n_selected + max(5, n_selected // 2))
    ranks_all_columns = len(np.unique(selector.ranking_)) == n_features
    if ranks_all_columns:
        return np.argsort(selector.ranking_)[:n_ranked]
    parameters = selector.get_params(deep=False)
    is_greedy = "stopping" in parameters
    if not is_greedy or parameters["constraints"] is not None:
        return selected
    longer = clone(selector).set_params(n_features_to_select=n_ranked, stopping=None).fit_counted(counted)
    order = np.asarray(longer.selected_)
    return order if np.array_equal(order[:n_selected], selected) else selected
