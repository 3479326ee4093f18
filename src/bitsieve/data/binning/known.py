"""Categories that were there when a binner was fitted: codes of given ones among them, and the error for others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bitsieve.data.encoding import Encoded, encode, encode_known, lookup
from bitsieve.data.table import TableInMemory


def code_categories(name: str, given: Encoded, known: NDArray[Any] | None, out: NDArray[Any]) -> None:
    """Codes of the categories of a column among those ``known`` when fitting, written to ``out``."""
    if known is None:
        raise ValueError(f"column {name!r} was numeric when fitting: give numbers")
    if known is given.categories:
        out[:] = given.codes
        return
    try:
        codes = lookup(given.categories, known)
    except TypeError:  # of another kind than when fitting
        codes = np.full(len(given.categories), -1, np.int32)
    if len(codes) and codes.min() < 0:
        raise unknown_category(name, given.categories[codes < 0])
    if len(codes):
        out[:] = codes[given.codes]


def unknown_category(name: str, values: NDArray[Any]) -> ValueError:
    """The error for values of a column that were not there when fitting."""
    value = values[:1].tolist()[0]
    return ValueError(
        f"column {name!r} holds {value!r}, which was not there when fitting: fit on data that has every value, "
        "or replace it"
    )


_MOST_EXACT = 2.0**53  # beyond, different whole numbers may be one float64


def as_known(table: TableInMemory, categories: Sequence[NDArray[Any] | None]) -> TableInMemory:
    """The table with every column of whole numbers as categories whose known categories are whole numbers.

    Parameters
    ----------
    table : TableInMemory
    categories : sequence of ndarray or None
        Those of every column of the table that the binner was fitted on; None where it was numeric.

    Returns
    -------
    TableInMemory
        The same one where there is nothing to do.
    """
    whole = [j for j, known in enumerate(categories) if known is not None and known.dtype.kind in "iu"]
    changed = {j: _encoded(table.numbers(j)) for j in whole if table.is_numeric(j)}
    if not changed:
        return table
    return replace(table, columns=[changed.get(j, table.values(j)) for j in range(table.n_features)])


def _encoded(values: Any) -> Any:
    """The codes of whole numbers, -1 for missing ones; numbers of another kind as they are."""
    if values.dtype.kind in "iu":
        return encode(values)
    numbers = values[~np.isnan(values)]
    if (np.abs(numbers) > _MOST_EXACT).any() or (numbers != np.rint(numbers)).any():
        return values
    found = encode_known(values)
    return found._replace(categories=found.categories.astype(np.int64))
