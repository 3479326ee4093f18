"""Read the strata of the rows, such as batches or sites."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np

from bitsieve.dataset.encoding import Encoded, are_categories, as_array, encode_with_missing, is_missing
from bitsieve.dataset.target import read_values
from bitsieve.diagnostics import UserError
from bitsieve.utils.arrays import Columns, Integers, Values
from bitsieve.utils.messages import quoted
from bitsieve.utils.types import ColumnLike

MAX_NUMBERS = 100  # a column of more distinct numbers is a quantity, which has no strata


class Strata(NamedTuple):
    """The strata of the samples, numbered from 0."""

    number: Columns  # shape (n_samples,): the number of the stratum of every sample
    values: tuple[tuple[object, ...], ...]  # for every stratum, its value in each column of the strata


def read_strata(
    strata: ColumnLike, n_samples: int, categories: Collection[str] | None = None, weights: Integers | None = None
) -> Strata:
    """Number the strata by their values, in ascending order. Of several columns the strata are their joint values.

    Columns of numbers whose names are in ``categories`` may have many different values; None where no column can be
    declared to be one. A sample of weight 0 needs no stratum, and is in stratum 0.
    """
    counted_rows = np.arange(n_samples) if weights is None else np.flatnonzero(weights)
    stratum = np.zeros(len(counted_rows), np.intp)
    columns = []
    for name, column in columns_of_strata(strata):
        values = read_values(column, "strata")
        if len(values) != n_samples:
            raise UserError(
                code="lengths-differ",
                message=f"strata has {len(values):,} values but the data has {n_samples:,} rows",
                advice="give one value for each row",
            )
        column_of_strata = _encoded(values[counted_rows], name, categories)
        codes = column_of_strata.codes.astype(np.intp)
        n_codes = int(codes.max(initial=0)) + 1
        _, joint = np.unique(stratum * n_codes + codes, return_inverse=True)
        stratum = joint.reshape(-1)
        columns.append(column_of_strata)
    _, first_rows = np.unique(stratum, return_index=True)
    values_of_columns = [column.categories[column.codes[first_rows]].tolist() for column in columns]
    stratum_of_sample = np.zeros(n_samples, np.intp)
    stratum_of_sample[counted_rows] = stratum
    return Strata(stratum_of_sample, tuple(zip(*values_of_columns, strict=True)))


def numbers_of_strata(strata: ColumnLike, n_samples: int, values: Sequence[tuple[object, ...]]) -> Columns:
    """The number of the stratum of every sample among strata with these values. Raises UserError for other strata."""
    names = [name for name, _ in columns_of_strata(strata)]
    read = read_strata(strata, n_samples, categories=names)
    number_of_values = {stratum: number for number, stratum in enumerate(values)}
    unseen = [stratum for stratum in read.values if stratum not in number_of_values]
    if unseen:
        listed = quoted([", ".join(map(str, stratum)) for stratum in unseen])
        raise UserError(
            code="unseen-value",
            message=f"the strata {listed} were not there when fitting",
            advice="fit on rows of every stratum, or leave these rows out",
        )
    numbers = np.array([number_of_values[stratum] for stratum in read.values], np.intp)
    return numbers[read.number]


def columns_of_strata(strata: ColumnLike) -> list[tuple[str, ColumnLike]]:
    """The columns of the strata, each with its name; the name of values without one is empty."""
    import narwhals as nw

    frame = strata if isinstance(strata, np.ndarray) else nw.from_native(strata, allow_series=True, pass_through=True)
    if isinstance(frame, nw.LazyFrame):
        raise UserError(code="frame-not-in-memory", message="strata is a lazy frame", advice="collect() it first")
    if isinstance(frame, nw.DataFrame):
        return [(str(name), frame[:, j].to_native()) for j, name in enumerate(frame.columns)]
    if isinstance(frame, nw.Series):
        return [(str(frame.name or ""), strata)]
    array = as_array(strata)
    if array.ndim != 2:
        return [("", strata)]
    return [("", array[:, j]) for j in range(array.shape[1])]


def _encoded(values: Values | Encoded, name: str, categories: Collection[str] | None) -> Encoded:
    """A column of strata as categories. Missing values, and those of a quantity, are refused."""
    check_every_row_has_a_stratum(int(is_missing(values).sum()), len(values), name)
    if are_categories(values):
        return values
    encoded = encode_with_missing(values)
    check_are_no_quantity(encoded.categories, name, categories)
    return encoded


def check_every_row_has_a_stratum(n_missing: int, n_rows: int, name: str) -> None:
    """Refuse rows without a stratum; the name of the column is empty where it has none."""
    if n_missing:
        strata = f"the strata {name!r}" if name else "strata"
        raise UserError(
            code="missing-values",
            message=f"{strata} are missing in {n_missing:,} of {n_rows:,} rows",
            advice="give every row one",
            columns=[name] if name else [],
        )


def check_are_no_quantity(numbers: Values, name: str, categories: Collection[str] | None) -> None:
    """Refuse a column of strata whose distinct numbers are many or have fractions, unless it is among ``categories``.

    ``categories`` is None where no column can be declared to be one.
    """
    if categories is not None and name in categories:
        return
    has_fractions = numbers.dtype.kind == "f" and bool((numbers != np.floor(numbers)).any())
    if has_fractions or len(numbers) > MAX_NUMBERS:
        raise _strata_are_numbers(name, len(numbers), can_be_declared=categories is not None)


def _strata_are_numbers(name: str, n_values: int, *, can_be_declared: bool) -> UserError:
    """A column of strata holds a quantity. Its name is empty where it has none."""
    advice = "cut them into bins, or give them as text"
    strata = f"the strata {name!r}" if name else "the strata"
    if not can_be_declared:
        return UserError(
            code="strata-are-numbers",
            message=f"{strata} are a quantity of {n_values:,} different values",
            advice=advice,
            columns=[name] if name else [],
        )
    return UserError(
        code="strata-are-numbers",
        message=f"{strata} are a quantity of {n_values:,} different values",
        advice=f"{advice}; of a column that numbers the strata say {{column_types}}",
        fix={"column_types": {name: "category"}},
        columns=[name],
    )
