"""The periods of a table that is counted by period, class and stratum: their order, and checks of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bitsieve.dataset.calendar_names import in_calendar_order
from bitsieve.dataset.target import Target
from bitsieve.diagnostics import ParameterError, UserError
from bitsieve.information.drift import Combinations
from bitsieve.pipeline.period_columns import CombinedColumns
from bitsieve.utils.arrays import Integers
from bitsieve.utils.messages import advice_on_choice
from bitsieve.utils.types import Label

FIRST = "first"  # the reference by default
MAX_PERIODS = 100


def combinations_of(target: Target, columns: CombinedColumns) -> tuple[Combinations, list[Label]]:
    """The period, class and stratum that each class of the table combines, and the names of the periods in order.

    Periods are in the order of their values, names of months and of weekdays in that of the calendar.
    """
    if columns.n_targets + columns.n_strata == 0:
        zeros = np.zeros(target.n_classes, np.int64)
        combinations = Combinations(period=np.arange(target.n_classes), label=zeros, stratum=zeros)
        return _in_order_of_periods(combinations, target.labels.tolist())
    first_stratum = 1 + columns.n_targets
    periods, period = _numbered([values[0] for values in target.labels])
    _, label = _numbered([values[1:first_stratum] for values in target.labels])
    _, stratum = _numbered([values[first_stratum:] for values in target.labels])
    return _in_order_of_periods(Combinations(period, label, stratum), periods)


def _numbered(values: Sequence[Label]) -> tuple[list[Label], Integers]:
    """The distinct values in the order of their first appearance, and the number of each value among them."""
    distinct = list(dict.fromkeys(values))
    index_of_value = {value: index for index, value in enumerate(distinct)}
    return distinct, np.array([index_of_value[value] for value in values], np.int64)


def _in_order_of_periods(combinations: Combinations, periods: list[Label]) -> tuple[Combinations, list[Label]]:
    """Put the periods in the order of the calendar if they are names of months or of weekdays."""
    order = in_calendar_order(periods)
    if order is None:
        return combinations, periods
    new_index = np.argsort(order)
    in_order = Combinations(new_index[combinations.period], combinations.label, combinations.stratum)
    return in_order, [periods[index] for index in order]


def check_combinations(combinations: Combinations, periods: Sequence[Label], target_name: str | None) -> None:
    """Refuse a single period, too many of them, and a target of one class."""
    if target_name is not None and combinations.n_labels < 2:
        raise UserError(
            code="one-class",
            message=f"the target {target_name!r} has one class only",
            advice="leave it out, or give one with at least two",
        )
    if len(periods) < 2:
        raise UserError(
            code="one-class",
            message=f"there is one period only ({periods[0]!r})",
            advice="give at least two",
        )
    if len(periods) > MAX_PERIODS:
        raise UserError(
            code="too-many-classes",
            message=f"there are {len(periods):,} periods",
            advice=f"at most {MAX_PERIODS:,} are compared: name a column of fewer values, such as the month",
        )


def index_of_reference(reference: Label, periods: Sequence[Label]) -> int:
    """The index of the period that is named as the reference."""
    if isinstance(reference, str) and reference == FIRST:
        return 0
    names = [str(period) for period in periods]
    if str(reference) not in names:
        raise ParameterError("reference", reference, advice_on_choice(str(reference), names))
    return names.index(str(reference))
