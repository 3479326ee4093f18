"""Special values that do not occur, such as 999 where the data hold -999."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bitsieve.dataset.dataset import InMemoryDataset
from bitsieve.diagnostics import Diagnostic
from bitsieve.discretization.monotone.column_bins import SpecialValue
from bitsieve.scorecards.monotone_binner import ALL_OTHERS, MonotoneBinner, special_values_in


def notes_on_absent_special_values(table: InMemoryDataset, binner: MonotoneBinner) -> list[Diagnostic]:
    """Which special values occur in no column that they were declared for; first those of which the sign is wrong.

    The binner is fitted to the table.
    """
    declared = binner.special_values
    by_column = declared if isinstance(declared, Mapping) else {ALL_OTHERS: declared}
    for_all = special_values_in(by_column.get(ALL_OTHERS))
    names = [str(name) for name in table.names]
    notes = _absent_values(ALL_OTHERS, for_all, range(len(names)), table, binner)
    for j, name in enumerate(names):
        for_column = [value for value in special_values_in(by_column.get(name)) if value not in for_all]
        notes += _absent_values(name, for_column, [j], table, binner)
    return sorted(notes, key=lambda note: not note.fix)


def _absent_values(
    name: str, values: Sequence[SpecialValue], columns: Sequence[int], table: InMemoryDataset, binner: MonotoneBinner
) -> list[Diagnostic]:
    """A note on each of the values that is in none of the columns; ``name`` is that of the column, or "*"."""
    occurring = {value for j in columns for value in binner.column_bins_[j].fixed.special_values}
    return [_absent_value(name, value, columns, table) for value in values if value not in occurring]


def _absent_value(name: str, value: SpecialValue, columns: Sequence[int], table: InMemoryDataset) -> Diagnostic:
    with_other_sign = []
    if not isinstance(value, str):
        with_other_sign = [j for j in columns if table.is_numeric(j) and (table.numeric(j) == -value).any()]
    fix: dict[str, object] = {}
    if with_other_sign and not isinstance(value, str):
        fix["special_values"] = _parameter(name, -value)
    where = "in no column" if name == ALL_OTHERS else "not in that column"
    return Diagnostic(
        code="special-value-absent",
        severity="warning",
        message=f"is {where}",
        advice="did you mean {special_values}?" if fix else "leave it out",
        fix=fix,
        columns=[str(table.names[j]) for j in with_other_sign],
        parameters={"special_values": _parameter(name, value)},
    )


def _parameter(name: str, value: SpecialValue) -> object:
    """The parameter ``special_values`` with one value, for a column or for all."""
    plain = int(value) if isinstance(value, float) and value.is_integer() else value
    return [plain] if name == ALL_OTHERS else {name: [plain]}
