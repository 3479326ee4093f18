"""Categories among those that were there when fitting, and the error for others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bitsieve.table.encoding import lookup

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bitsieve.table.encoding import Encoded


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
