"""A scorecard: the points of every bin of every column, from a logistic regression on weights of evidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.linear_model import LogisticRegression

from bitsieve.dataset.dataset import InMemoryDataset
from bitsieve.dataset.encoding import Encoded, encode_with_missing
from bitsieve.dataset.plain_text import Words
from bitsieve.dataset.text_format import TextFormat, TextMeaning
from bitsieve.diagnostics import ParameterError, UserError
from bitsieve.discretization.monotone.bin_counts import Totals
from bitsieve.discretization.monotone.column_bins import ColumnBins
from bitsieve.scorecards.monotone_binner import MonotoneBinner, text_in_numbers
from bitsieve.scorecards.points import Points
from bitsieve.utils.arrays import Flags, Floats, Integers

TimeKind = Literal["dates", "zoned dates", "durations"]
CategoryKind = Literal["text", "boolean", "number"]
NAME_OF_BOOLEAN = {0: "False", 1: "True"}
#: Of gradients. The default of scikit-learn leaves errors of several percent in the coefficients of many rows.
TOLERANCE = 1e-10


@dataclass(frozen=True, eq=False)
class CardColumn:
    """A column of a scorecard: its bins, and the weight of evidence and the points of each."""

    name: str
    bins: ColumnBins
    text_format: TextFormat | None  # how its text is read; None for numbers and for categories
    category_kind: CategoryKind | None  # None for numbers and times
    time_kind: TimeKind | None  # None if its values are no times
    coefficient: float
    woe: Floats
    points: Floats
    points_of_unseen: float  # the points of a value that is in no bin: its weight of evidence is 0
    p_value: float  # the share of shuffled targets with at least this information value

    @property
    def is_numeric(self) -> bool:
        """Whether its bins are intervals of numbers."""
        return self.bins.merged.edges is not None

    @property
    def mean_points(self) -> float:
        """The mean of the points over the development rows."""
        rows = self.bins.counts.rows
        return float((self.points * rows).sum() / rows.sum())

    def bins_in(self, table: InMemoryDataset, j: int) -> Integers:
        """The bin of each value of column ``j`` of a table; -1 for a value that is in none."""
        if self.is_numeric:
            return self.bins.bins_of_numbers(self._numbers_in(table, j))
        return self.bins.bins_of_categories(self._categories_in(table, j))

    def _numbers_in(self, table: InMemoryDataset, j: int) -> Floats:
        """The numbers of column ``j`` of a table, where text may have nothing but missing values."""
        if table.is_numeric(j):
            return table.numeric(j)
        words = table.categorical(j)
        if (words.codes >= 0).any():
            raise text_in_numbers(self.name, words.categories.tolist(), self.bins.fixed.time_unit)
        return np.full(len(words), np.nan)

    def _categories_in(self, table: InMemoryDataset, j: int) -> Encoded:
        """The categories of column ``j`` of a table, which may hold numbers: 0 and 1 are how SQLite stores booleans."""
        if not table.is_numeric(j):
            return table.categorical(j)
        values = encode_with_missing(table.numbers(j))
        if self.category_kind != "boolean":
            return values
        categories = [NAME_OF_BOOLEAN.get(number, str(number)) for number in values.categories.tolist()]
        return replace(values, categories=np.array(categories, object))

    def points_in(self, bins: Integers) -> Floats:
        """The points of bins; -1 is no bin."""
        return np.append(self.points, self.points_of_unseen)[bins]

    def woe_in(self, bins: Integers) -> Floats:
        """The weights of evidence of bins; -1 is no bin."""
        return np.append(self.woe, 0.0)[bins]


@dataclass(frozen=True, eq=False)
class Card:
    """The columns of a scorecard and the model that gave them their points."""

    columns: tuple[CardColumn, ...]
    without_information: tuple[str, ...]  # columns of one bin, which have no points
    wrong_sign: tuple[str, ...]  # columns that were left out as their coefficient was negative
    intercept: float
    intercept_points: float  # 0 if the columns share it
    points: Points
    totals: Totals
    event: Any
    max_rounding_error: float  # the largest difference between a score and the exact one, over the development rows

    def score_of(self, points_of_columns: Sequence[Floats]) -> Floats:
        """The score of every row from the points that it has in each column."""
        total = np.full(len(points_of_columns[0]), self.intercept_points)
        for points in points_of_columns:
            total += points
        return total


@dataclass(frozen=True)
class Regression:
    """The coefficients of a logistic regression on the weights of evidence of columns."""

    columns: Integers  # the indices of the columns among those of the table
    coefficients: Floats  # one for each of them
    intercept: float

    def log_odds(self, woe: Floats) -> Floats:
        """The log-odds of the event of rows with these weights of evidence, a column for each column of the table."""
        return self.intercept + woe[:, self.columns] @ self.coefficients


@dataclass(frozen=True, eq=False)
class _DevelopmentRows:
    """The rows that a scorecard is fitted on: the weight of evidence of every value, and the target."""

    woe: Floats  # shape (n_rows, n_columns)
    is_event: Flags
    weights: Integers | None

    def regress(self, columns: Integers, model: BaseEstimator | None) -> Regression:
        """Fit ``model``, by default a logistic regression without a penalty, to some columns."""
        regression = LogisticRegression(C=np.inf, tol=TOLERANCE, max_iter=1000) if model is None else clone(model)
        regression.fit(self.woe[:, columns], self.is_event, sample_weight=self.weights)
        try:
            coefficients = np.asarray(regression.coef_, np.float64).reshape(-1)
            intercept = float(np.asarray(regression.intercept_).reshape(-1)[0])
        except AttributeError:
            raise ParameterError(
                "model", model, "give a linear classifier of scikit-learn, such as LogisticRegression()"
            ) from None
        return Regression(columns, coefficients, intercept)

    def regress_without_wrong_signs(
        self, columns: Integers, model: BaseEstimator | None
    ) -> tuple[Regression, list[int]]:
        """Leave out the column of the most negative coefficient until none is negative; also return these columns."""
        regression = self.regress(columns, model)
        wrong_sign = []
        while regression.coefficients.min() < 0 and len(regression.columns) > 1:
            worst = int(np.argmin(regression.coefficients))
            wrong_sign.append(int(regression.columns[worst]))
            regression = self.regress(np.delete(regression.columns, worst), model)
        return regression, wrong_sign


def fit_card(
    table: InMemoryDataset,
    binner: MonotoneBinner,
    points: Points,
    model: BaseEstimator | None = None,
    *,
    drop_wrong_sign: bool = False,
) -> Card:
    """Give points to the bins of a binner that is fitted on the table.

    With ``drop_wrong_sign`` the column of the most negative coefficient is left out, and the model is fitted again,
    until no coefficient is negative.

    Raises
    ------
    UserError
        If no column has two bins, or the model is no linear classifier.
    """
    column_bins = binner.column_bins_
    bins = np.column_stack([_bins_in_table(table, j, column) for j, column in enumerate(column_bins)])
    woe = np.column_stack([column.woe[bins[:, j]] for j, column in enumerate(column_bins)])
    has_information = woe.min(axis=0) < woe.max(axis=0)
    if not has_information.any():
        raise UserError(
            code="no-bins",
            message="no column has two bins, so that there is nothing to score by",
            advice="set lower bounds on the bins, such as {min_bin_share=0.01}, or give more rows",
        )

    code_of_event = list(table.target.labels).index(binner.event_)
    is_event = np.asarray(table.target.codes == code_of_event, bool)
    rows = _DevelopmentRows(woe, is_event, table.weights)
    candidates = np.flatnonzero(has_information)
    wrong_sign: list[int] = []
    if drop_wrong_sign:
        regression, wrong_sign = rows.regress_without_wrong_signs(candidates, model)
    else:
        regression = rows.regress(candidates, model)

    columns = []
    for j, coefficient in zip(regression.columns.tolist(), regression.coefficients.tolist(), strict=True):
        columns.append(_column_with_points(table, j, column_bins[j], coefficient, points, regression))
    intercept_points = _intercept_points(regression, points)

    scores = np.zeros(len(bins))
    for j, card_column in zip(regression.columns.tolist(), columns, strict=True):
        scores += card_column.points_in(bins[:, j])
    scores += intercept_points
    exact_scores = points.score_of(regression.log_odds(woe))
    return Card(
        columns=tuple(columns),
        without_information=tuple(str(table.names[j]) for j in np.flatnonzero(~has_information).tolist()),
        wrong_sign=tuple(str(table.names[j]) for j in wrong_sign),
        intercept=regression.intercept,
        intercept_points=intercept_points,
        points=points,
        totals=column_bins[0].totals,
        event=binner.event_,
        max_rounding_error=float(np.abs(scores - exact_scores).max()),
    )


def _intercept_points(regression: Regression, points: Points) -> float:
    """The points with which every row begins; 0 where the columns share those of the intercept."""
    if not points.base_points:
        return 0.0
    return float(_rounded(points.score_of(np.array([regression.intercept])), points)[0])


def _column_with_points(
    table: InMemoryDataset, j: int, bins: ColumnBins, coefficient: float, points: Points, regression: Regression
) -> CardColumn:
    """A column of the table with the points of its bins, and of a value that is in none."""
    woe = np.append(bins.woe, 0.0)  # the weight of evidence of a value that is in no bin is 0
    exact = points_of_woe(woe, coefficient, points, regression.intercept, len(regression.columns))
    rounded = _rounded(exact, points)
    meaning = table.text_meanings.get(j)
    return CardColumn(
        name=str(table.names[j]),
        bins=bins.with_shown_edges,
        text_format=_format_of(meaning),
        category_kind=_category_kind_of(table, j),
        time_kind=time_kind_of(meaning),
        coefficient=coefficient,
        woe=bins.woe,
        points=rounded[:-1],
        points_of_unseen=float(rounded[-1]),
        p_value=bins.p_value,
    )


def _format_of(meaning: TextMeaning | None) -> TextFormat | None:
    """The format of text that was read as numbers or times; None for numbers and for categories."""
    if meaning is None or meaning.is_plain or isinstance(meaning.format, Words):
        return None
    return meaning.format


def _category_kind_of(table: InMemoryDataset, j: int) -> CategoryKind | None:
    if table.is_numeric(j):
        return None
    kind = table.categorical(j).categories.dtype.kind
    if kind == "b":
        return "boolean"
    return "number" if kind in "iuf" else "text"


def time_kind_of(meaning: TextMeaning | None) -> TimeKind | None:
    """What the times of a column are; None if its values are no times."""
    if meaning is None:
        return None
    return "zoned dates" if meaning.format.zoned else meaning.format.time


def _bins_in_table(table: InMemoryDataset, j: int, column: ColumnBins) -> Integers:
    if table.is_numeric(j):
        return column.bins_of_numbers(table.numeric(j))
    return column.bins_of_categories(table.categorical(j))


def points_of_woe(woe: Floats, coefficient: float, points: Points, intercept: float, n_columns: int) -> Floats:
    """``(base_score - factor (ln(base_odds) + b_0)) / m - factor c WOE`` for each bin of one of m columns.

    b_0 is the intercept and c the coefficient. The first term is 0 where the intercept has points of its own.
    """
    share_of_intercept = 0.0
    if not points.base_points:
        share_of_intercept = float(points.score_of(np.array([intercept]))[0]) / n_columns
    return share_of_intercept - points.factor * coefficient * woe


def _rounded(values: Floats, points: Points) -> Floats:
    if not points.rounded:
        return values
    return np.round(values) + 0.0  # -0.0 becomes 0.0
