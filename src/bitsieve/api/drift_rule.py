"""What a selection does about columns that move with the period."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

from bitsieve.api.drift import DriftOptions, find_drift
from bitsieve.dataset.data_kinds import is_path
from bitsieve.diagnostics import Diagnostic, ParameterError, UserError
from bitsieve.engines.registry import is_stream
from bitsieve.io.read import STANDARD_INPUT
from bitsieve.options import ColumnOptions, DiscretizationOptions, ExecutionOptions, ReadOptions
from bitsieve.pipeline import notes
from bitsieve.pipeline.period_columns import check_period_has_one_role, column_list
from bitsieve.utils.defaults import DRIFT_BINNING, MAX_DRIFT
from bitsieve.utils.parameters import check_choice, check_number
from bitsieve.utils.types import ColumnLike, TableLike

EXCLUDE = "exclude"
WITHIN = "within"
RULES = (EXCLUDE, WITHIN)


@dataclass(frozen=True, kw_only=True, eq=False)
class DriftRule:
    """What a selection does about columns that move with the period; the fields are parameters of ``select``."""

    period: ColumnLike
    drift: str = EXCLUDE
    max_drift: float = MAX_DRIFT

    def __post_init__(self) -> None:
        check_choice("drift", self.drift, RULES)
        check_number("max_drift", self.max_drift, low=0)

    @classmethod
    def from_parameters(cls, period: ColumnLike, drift: str | None, max_drift: float | None) -> Self:
        """The rule that the parameters give; at least one of them is not None."""
        if period is None:
            name, value = ("max_drift", max_drift) if drift is None else ("drift", drift)
            problem = "has an effect only with a period"
            raise ParameterError(name, value, "add {period}, or leave it out", problem, fix={"period": "month"})
        return cls(
            period=period,
            drift=EXCLUDE if drift is None else drift,
            max_drift=MAX_DRIFT if max_drift is None else max_drift,
        )


def apply_drift_rule(
    data: TableLike, read: ReadOptions, execution: ExecutionOptions, columns: ColumnOptions, rule: DriftRule
) -> tuple[ReadOptions, ColumnOptions, list[Diagnostic]]:
    """The options of a selection within the periods, or without the columns that drift; the period is no feature.

    To find the columns that drift, the data is read and counted once before.
    """
    if rule.drift == WITHIN:
        check_period_has_one_role(rule.period, read.target, read.strata)
        strata = [rule.period, *column_list(read.strata, are_names=isinstance(rule.period, str))]
        return replace(read, strata=strata[0] if len(strata) == 1 else strata), columns, []
    if read.survival is not None:
        raise UserError(
            code="survival-not-supported",
            message="drift within classes needs a target of classes, and a duration has none",
            advice="use {drift}, or exclude the columns that bitsieve.drift finds without a target",
            fix={"drift": WITHIN},
        )
    _refuse_data_that_is_read_once(data)
    read_for_drift = replace(read, target=None, target_kind=None, target_bins=None, groups=None, strata=None)
    question = DriftOptions(period=rule.period, target=read.target, strata=read.strata, max_drift=rule.max_drift)
    result = find_drift(
        data,
        read_for_drift,
        execution,
        DiscretizationOptions(binning=DRIFT_BINNING),
        replace(columns, identifiers="keep"),
        question,
    )
    excluded = [column for column in result.drifting if column not in columns.include]
    if len(excluded) == len(result.columns):
        raise UserError(
            code="no-features",
            message=f"every column moves by more than {rule.max_drift:g} bits between the periods",
            advice="use {drift}, or allow more bits by max_drift",
            fix={"drift": WITHIN},
        )
    diagnostics = []
    if excluded:
        diagnostics.append(notes.drifting_excluded([str(column) for column in excluded], rule.max_drift))
    period = [rule.period] if isinstance(rule.period, str) else []
    all_excluded = [*columns.exclude, *period, *excluded]
    return replace(read, exclude=all_excluded), replace(columns, exclude=all_excluded), diagnostics


def _refuse_data_that_is_read_once(data: TableLike) -> None:
    is_standard_input = is_path(data) and str(data) == STANDARD_INPUT
    if is_standard_input or is_stream(data):
        raise UserError(
            code="rows-not-in-memory",
            message="to exclude the columns that drift, the data is read twice, and a stream can be read once",
            advice="save it to a file first",
        )
