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
    """The information of a column about the class beside some others, in bits; the fields of several are arrays.

    ``redundancy`` is ``max_s [I(X;C) - I(X;C|Xs)]``, ``complementarity``, the synergy, ``max_s [I(X;C|Xs) - I(X;C)]``;
    both are 0, with column -1, where there is nothing of the kind.
    """

    relevance: Any
    redundancy: Any
    redundant_with: Any
    complementarity: Any
    complementary_with: Any


class Chance(NamedTuple):
    """How relevant columns look in 19 of 20 shuffles of the classes: each, a typical one, the best of all; in bits."""

    n_shuffles: int
    typical: float
    best_low: float
    best_high: float
    columns: Floats

    def of(self, column: int) -> float:
        """What a column would have to exceed, if it is one of many that were tried."""
        return max(self.best_high, float(self.columns[column]))


@dataclass(frozen=True, eq=False)
class Evidence:
    """The counts behind a selection; ``whole`` is the table with the columns that were ``dropped`` before it."""

    table: Dataset
    binner: Any
    selected: Columns
    n_jobs: int | None
    whole: Dataset | None = None
    dropped: Mapping[int, Reason] = field(default_factory=dict)
    estimator: str = PLUG_IN
    screened_off: Sequence[int] = ()

    @cached_property
    def counted(self) -> Counted:
        """The table, packed for counting."""
        rows = self.table.rows
        if rows is None:
            return count_table(self.table, self.binner, self.n_jobs)
        source = count_coded(rows, self.binner, self.n_jobs)
        return Counted(self.table, self.binner, make_information(PLUG_IN, source))

    @property
    def explaining(self) -> str:
        """The estimator by which everything is explained: that of the method if its terms are those of the counts."""
        return self.estimator if self.estimator in EXPLAINING else PLUG_IN

    @property
    def information(self) -> Information:
        """The information by which columns are explained."""
        return self.counted.estimated(self.explaining)

    @cached_property
    def contributions(self) -> Contribution:
        """Of every selected column beside those selected before it."""
        found = [contribution(self.information, int(j), self.selected[:p]) for p, j in enumerate(self.selected)]
        return Contribution(*(np.array(values) for values in zip(*found, strict=True)))

    @cached_property
    def chance(self) -> Chance | None:
        """What chance does; None where rows are not in memory, or weighted ones too many to be shuffled one by one."""
        table = self.table.rows
        if table is None or (table.weights is not None and table.total_weight > MOST_ROWS):
            return None
        if table.weights is not None:
            table = replace(table.take(np.repeat(np.arange(table.n_samples), table.weights)), weights=None)
        n_shuffles = SHUFFLED_CELLS // (table.n_samples * table.n_features)
        n_shuffles = min(MOST_SHUFFLES, max(FEWEST_SHUFFLES, n_shuffles))
        random, target, rows = np.random.default_rng(0), table.target, []
        units = None if table.groups is None else Units.of(table.groups, target.codes)
        for seed in np.arange(n_shuffles, dtype=np.uint64):
            if units is None:
                codes = random.permutation(target.codes)
            else:
                (codes,) = units.shuffled(target.codes, np.zeros(table.n_samples, np.int64), np.array([seed]))
            shuffled = replace(table, y=replace(target, codes=codes))
            rows.append(count_table(shuffled, self.binner, self.n_jobs).estimated(self.explaining).relevance)
        found = np.array(rows)
        few_bins = 2 * np.asarray(self.binner.n_bins_) <= table.n_samples
        counted = found[:, few_bins] if few_bins.any() else found
        low, high = np.quantile(counted.max(axis=1), [0.05, 0.95])
        of_columns = np.quantile(found, 0.95, axis=0)
        return Chance(n_shuffles, float(np.quantile(counted, 0.95)), float(low), float(high), of_columns)


def evidence_of(selector: Any, X: Any, y: Any, sample_weight: Any = None) -> Evidence:
    """The counts behind what a fitted selector selected, of a table with its columns, given as for ``fit``."""
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
    binner, estimator = getattr(selector, "binner_", None), getattr(selector, "estimator", PLUG_IN)
    if binner is None:
        missing = "bin" if selector.__sklearn_tags__().input_tags.allow_nan else "error"
        binner = make_binner(missing=missing, n_jobs=n_jobs).for_table(table).fit_table(table)
    known = binner.categories_
    if binner.requires != "codes" and known is not None:
        table = with_integers_as_categories(table, known)
        one_code = np.flatnonzero(np.asarray(binner.n_bins_) == 1).tolist()
        unknown = [j for j in one_code if known[j] is None]
        left_out = [j for j in unknown if not table.is_numeric(j) or all_missing(table.numbers(j))]
        if left_out:  # by select: the selector was given one value in every row
            left = table.without(left_out)
            dropped: dict[int, Reason] = dict.fromkeys(left_out, "empty")
            return Evidence(left, binner, np.asarray(selector.selected_), n_jobs, table, dropped, estimator)
    return Evidence(table, binner, np.asarray(selector.selected_), n_jobs, estimator=estimator)


def contribution(information: Information, column: int, others: Columns) -> Contribution:
    """The information of a column beside others."""
    relevance = float(information.relevance[column])
    if not len(others):
        return Contribution(relevance, 0.0, -1, 0.0, -1)
    pair = information.pair(column, others)
    redundant = np.minimum(
        relevance - (pair.joint_relevance - information.relevance[others]), max(relevance, 0.0)
    )  # corrected, the column may have less than nothing given the other
    most, least = int(np.argmax(redundant)), int(np.argmin(redundant))
    redundancy, complementarity = float(redundant[most]), float(-redundant[least])
    return Contribution(
        relevance,
        *((redundancy, int(others[most])) if redundancy > TIE else (0.0, -1)),
        *((complementarity, int(others[least])) if complementarity > TIE else (0.0, -1)),
    )


def conditional_on(information: Information, columns: Sequence[int]) -> tuple[ConditionalInformation, tuple[int, ...]]:
    """Information conditional on the first of ``columns``, as many as leave five samples a part on average."""
    given = information.conditional()
    used: list[int] = []
    for column in columns:
        finer = given.refine(int(column))
        if len(finer.partition.keys) * SAMPLES_A_PART > finer.n_samples:
            break
        given = finer
        used.append(int(column))
    return given, tuple(used)


class Curve(NamedTuple):
    """The joint information of the first 1, 2, ... of n columns and the class, and what chance would add, in bits."""

    columns: Columns
    joint: Floats
    chance: Floats
    n_selected: int
    class_entropy: float


def information_curve(
    information: Information, columns: Columns, n_selected: int | None = None, seed: int = 0
) -> Curve:
    """The curve of columns in the order given; cuts that looked at the class are not made again after a shuffle."""
    seeds = np.random.SeedSequence(seed).generate_state(SHUFFLES_OF_A_CURVE, np.uint64).astype(np.uint64)
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
