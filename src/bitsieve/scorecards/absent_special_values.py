"""Special values that do not occur, such as 999 where the data hold -999."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bitsieve.dataset.dataset import InMemoryDataset
from bitsieve.diagnostics import Diagnostic
from bitsieve.discretization.monotone.column_bins import SpecialValue, names_of, names_of_special
from bitsieve.scorecards.monotone_binner import (
    ALL_OTHERS,
    MonotoneBinner,
    number_of_special,
    special_values_in,
    time_unit_of,
)


def notes_on_absent_special_values(table: InMemoryDataset, binner: MonotoneBinner) -> list[Diagnostic]:
    """Which special values occur in no column that they were declared for; first those of which the sign is wrong."""
    declared = binner.special_values
    values_of_column = declared if isinstance(declared, Mapping) else {ALL_OTHERS: declared}
    values_of_all = special_values_in(values_of_column.get(ALL_OTHERS))
    names = [str(name) for name in table.names]
    notes = []
    for value in values_of_all:
        if not _occurs(value, range(len(names)), table):
            notes.append(_absent_value(ALL_OTHERS, value, range(len(names)), table))
    for j, name in enumerate(names):
        for value in special_values_in(values_of_column.get(name)):
            if value not in values_of_all and not _occurs(value, [j], table):
                notes.append(_absent_value(name, value, [j], table))
    return sorted(notes, key=lambda note: not note.fix)


def _occurs(value: SpecialValue, columns: Sequence[int], table: InMemoryDataset) -> bool:
    """Whether a special value is in one of the columns."""
    return any(_is_in(value, j, table) for j in columns)


def _is_in(value: SpecialValue, j: int, table: InMemoryDataset) -> bool:
    if table.is_numeric(j):
        number = number_of_special(value, time_unit_of(table.text_meanings.get(j)))
        return number is not None and bool((table.numeric(j) == number).any())
    return not {*names_of(table.categorical(j))}.isdisjoint(names_of_special(value))


def _absent_value(name: str, value: SpecialValue, columns: Sequence[int], table: InMemoryDataset) -> Diagnostic:
    """The note on a special value that none of the columns has; ``name`` is that of the column, or "*" for all."""
    fix: dict[str, object] = {}
    columns_with_other_sign: list[int] = []
    if not isinstance(value, str):
        columns_with_other_sign = [j for j in columns if table.is_numeric(j) and (table.numeric(j) == -value).any()]
        if columns_with_other_sign:
            fix["special_values"] = _as_parameter(name, -value)
    where = "in no column" if name == ALL_OTHERS else "not in that column"
    return Diagnostic(
        code="special-value-absent",
        severity="warning",
        message=f"is {where}",
        advice="did you mean {special_values}?" if fix else "leave it out",
        fix=fix,
        columns=[str(table.names[j]) for j in columns_with_other_sign],
        parameters={"special_values": _as_parameter(name, value)},
    )


def _as_parameter(name: str, value: SpecialValue) -> object:
    """The parameter ``special_values`` with one value, for a column or for all."""
    plain = int(value) if isinstance(value, float) and value.is_integer() else value
    return [plain] if name == ALL_OTHERS else {name: [plain]}
