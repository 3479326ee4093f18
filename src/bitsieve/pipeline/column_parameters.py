"""Parameters of methods that name columns, with indices in place of the names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from bitsieve.counts.source import CountSource
from bitsieve.dataset.dataset import Dataset
from bitsieve.diagnostics import UserError
from bitsieve.methods.constraints import indices_of_columns
from bitsieve.methods.method import Method
from bitsieve.utils.types import NameOrIndex

Levels = Mapping[NameOrIndex, int]  # how many values a column could have


def arguments_by_index(
    arguments: Mapping[str, Any], method: Method, table: Dataset, source: CountSource
) -> dict[str, Any]:
    """The arguments of a method, with the indices of columns in place of their names.

    A parameter that names columns holds a list of them, or levels.
    """
    indexed_arguments = dict(arguments)
    for parameter in method.column_parameters:
        value = arguments[parameter]
        if isinstance(value, Mapping):
            indexed_arguments[parameter] = levels_by_variable(value, table.names, table.target.name, source)
        elif value is not None:
            indexed_arguments[parameter] = indices_of_columns(value, parameter, table.names, table.role_of_column)
    return indexed_arguments


def levels_by_variable(
    levels: Levels | None, names: Sequence[str], target: str | None, source: CountSource
) -> dict[int, int]:
    """How many values each variable could have. A variable is the index of a column, or ``n_features`` for the target.

    Refuses a number that is smaller than the number of values that occur.
    """
    if levels is None:
        return {}
    n_values_by_variable = {}
    for column, n_values in levels.items():
        if column == target:
            variable = source.n_features
        else:
            (variable,) = indices_of_columns([column], "levels", names)
        n_occurring = _n_occurring_values(source, variable)
        if n_values < n_occurring:
            raise UserError(
                code="too-few-levels",
                message=f"levels has {n_values:,} for column {str(column)!r}, in which {n_occurring:,} values occur",
                advice="give the number of values that the column could have, a missing value included",
                columns=[str(column)],
            )
        n_values_by_variable[variable] = n_values
    return n_values_by_variable


def _n_occurring_values(source: CountSource, variable: int) -> int:
    """How many codes of a column occur, or how many classes."""
    if variable == source.n_features:
        return int(np.count_nonzero(source.class_sizes))
    (table,) = source.tables(None, np.array([variable], np.intp), False)
    _, counts = table.occupied()
    return len(counts)
