"""What a selection does about columns that move with the period."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Self

from bitsieve.api.drift import DriftOptions, find_drift
from bitsieve.dataset.data_kinds import is_path
from bitsieve.diagnostics import Diagnostic, UserError
from bitsieve.engines.registry import is_stream
from bitsieve.io.read import STANDARD_INPUT
from bitsieve.options import ColumnOptions, DiscretizationOptions, ExecutionOptions, ReadOptions
from bitsieve.pipeline.notes import column_notes
from bitsieve.pipeline.period_columns import check_period_has_one_role, check_period_is_no_group, column_list
from bitsieve.results.drift import Drift
from bitsieve.utils.defaults import DRIFT_BINNING, DRIFT_PENALTY, MAX_DRIFT
from bitsieve.utils.parameters import check_choice, check_number, without_effect
from bitsieve.utils.types import ColumnLike, NameOrIndex, TableLike

EXCLUDE = "exclude"
PENALTY = "penalty"
WITHIN = "within"
RULES = (EXCLUDE, PENALTY, WITHIN)


@dataclass(frozen=True, kw_only=True, eq=False)
class DriftRule:
    """What a selection does about columns that move with the period; the fields are parameters of ``select``."""

    period: ColumnLike
    drift: str = EXCLUDE
    max_drift: float = MAX_DRIFT  # bits; only for "exclude"
    drift_penalty: float = DRIFT_PENALTY  # the weight of the penalty; only for "penalty"

    def __post_init__(self) -> None:
        check_choice("drift", self.drift, RULES)
        check_number("max_drift", self.max_drift, low=0)
        check_number("drift_penalty", self.drift_penalty, low=0)

    @classmethod
    def from_parameters(
        cls, period: ColumnLike, drift: str | None, max_drift: float | None, drift_penalty: float | None
    ) -> Self | None:
        """The rule that the parameters of a public function give; None if all of them are None."""
        if period is None:
            for name, value in (("drift", drift), ("max_drift", max_drift), ("drift_penalty", drift_penalty)):
                if value is not None:
                    raise without_effect(name, value, {"period": "month"})
            return None
        rule = cls(
            period=period,
            drift=EXCLUDE if drift is None else drift,
            max_drift=MAX_DRIFT if max_drift is None else max_drift,
            drift_penalty=DRIFT_PENALTY if drift_penalty is None else drift_penalty,
        )
        if max_drift is not None and rule.drift != EXCLUDE:
            raise without_effect("max_drift", max_drift, {"drift": EXCLUDE})
        if drift_penalty is not None and rule.drift != PENALTY:
            raise without_effect("drift_penalty", drift_penalty, {"drift": PENALTY})
        return rule


@dataclass(frozen=True, kw_only=True, eq=False)
class AppliedDriftRule:
    """The options of a selection that follows a rule on drift."""

    read: ReadOptions
    columns: ColumnOptions
    penalties: Mapping[NameOrIndex, float] = field(default_factory=dict)  # bits, by column
    diagnostics: list[Diagnostic] = field(default_factory=list)


def apply_drift_rule(
    data: TableLike, read: ReadOptions, execution: ExecutionOptions, columns: ColumnOptions, rule: DriftRule | None
) -> AppliedDriftRule:
    """The options of a selection within the periods, or without the columns that drift, or with penalties for drift.

    The period is no feature. To find how much each column drifts, the data is read and counted once before. Without a
    rule the options stay as they are.
    """
    if rule is None:
        return AppliedDriftRule(read=read, columns=columns)
    check_period_has_one_role(rule.period, read.target, read.strata)
    check_period_is_no_group(rule.period, read.groups)
    if rule.drift == WITHIN:
        strata = [rule.period, *column_list(read.strata, are_names=isinstance(rule.period, str))]
        return AppliedDriftRule(read=replace(read, strata=strata[0] if len(strata) == 1 else strata), columns=columns)
    result = _drift_of_features(data, read, execution, columns, rule)
    period = [rule.period] if isinstance(rule.period, str) else []
    exclude = [*columns.exclude, *period]
    penalties: dict[NameOrIndex, float] = {}
    diagnostics = []
    if rule.drift == PENALTY:
        penalties = _penalties(result, rule.drift_penalty)
    else:
        drifting = [column for column in result.drifting if column not in columns.include]
        _refuse_to_exclude_all(len(drifting), result, rule)
        exclude += drifting
        if drifting:
            diagnostics.append(column_notes.drifting_excluded([str(column) for column in drifting], rule.max_drift))
    return AppliedDriftRule(
        read=replace(read, exclude=exclude),
        columns=replace(columns, exclude=exclude),
        penalties=penalties,
        diagnostics=diagnostics,
    )


def _drift_of_features(
    data: TableLike, read: ReadOptions, execution: ExecutionOptions, columns: ColumnOptions, rule: DriftRule
) -> Drift:
    """How much each column moves with the period within the classes of the target."""
    if read.survival is not None:
        raise UserError(
            code="survival-not-supported",
            message="drift within classes needs a target of classes, and a duration has none",
            advice="use {drift}, or exclude the columns that bitsieve.drift finds without a target",
            fix={"drift": WITHIN},
        )
    is_standard_input = is_path(data) and str(data) == STANDARD_INPUT
    if is_standard_input or is_stream(data):
        raise UserError(
            code="rows-not-in-memory",
            message="to find the columns that drift, the data is read twice, and a stream can be read once",
            advice="save it to a file first",
        )
    return find_drift(
        data,
        replace(read, target=None, target_kind=None, target_bins=None, strata=None),
        execution,
        DiscretizationOptions(binning=DRIFT_BINNING),
        replace(columns, identifiers="keep"),
        DriftOptions(period=rule.period, target=read.target, strata=read.strata, max_drift=rule.max_drift),
    )


def _penalties(result: Drift, drift_penalty: float) -> dict[NameOrIndex, float]:
    """The shift within the classes in bits, times the weight, of every column in which it is above 0."""
    assert result.shift_within_classes is not None  # there is a target
    penalties: dict[NameOrIndex, float] = {}
    for column, bits in zip(result.columns, result.shift_within_classes.bits.tolist(), strict=True):
        if bits > 0:
            penalties[str(column)] = drift_penalty * bits
    return penalties


def _refuse_to_exclude_all(n_drifting: int, result: Drift, rule: DriftRule) -> None:
    if n_drifting == len(result.columns):
        raise UserError(
            code="no-features",
            message=f"every column moves by more than {rule.max_drift:g} bits between the periods",
            advice="use {drift}, or allow more bits by {max_drift}",
            fix={"drift": WITHIN},
        )
