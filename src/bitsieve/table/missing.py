"""Missing and infinite values: which columns have them, and the line that says what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bitsieve.common.errors import Sentence, Setting
from bitsieve.table.encoding import Encoded

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from bitsieve.table.table import Table

_IN_A_BIN = Sentence("set ", Setting("missing", "bin"), " to give them a code of their own, or impute them first")


def check_values(
    table: Table,
    *,
    allow_missing: bool,
    instead: str = _IN_A_BIN,
) -> None:
    """Refuse infinite values, and missing ones unless they are allowed; ``instead`` says what to do about those.

    Raises
    ------
    ValueError
        One line with the names of up to five columns, their number, and what to do.
    """
    suspects = _not_finite(table)
    if not suspects:
        return
    infinite = [j for j in suspects if _any(table.values(j), np.isinf)]
    if infinite:
        raise ValueError(
            f"{_columns_hold(len(infinite))} infinite values (inf): {table.quoted(infinite)}; "
            "replace infinity by a finite number, or drop the rows"
        )
    if not allow_missing:
        what = f"{_columns_hold(len(suspects))} missing values (NaN): {table.quoted(suspects)}; "
        raise ValueError(Sentence(what, instead))


def is_missing(values: NDArray[Any]) -> NDArray[np.bool_] | None:
    """Where a column of floats is missing, None if nowhere."""
    missing = np.isnan(values)
    return missing if missing.any() else None


def _columns_hold(count: int) -> str:
    return "1 column holds" if count == 1 else f"{count:,} columns hold"


def _not_finite(table: Table) -> list[int]:
    """The columns with a missing or an infinite value."""
    matrix = table.matrix
    if matrix is not None and (matrix.dtype.kind != "f" or _finite_sum(matrix)):
        return []
    return [j for j in range(table.n_features) if _incomplete(table.values(j))]


def _incomplete(values: NDArray[Any] | Encoded) -> bool:
    if isinstance(values, Encoded):
        return bool(len(values.codes)) and int(values.codes.min()) < 0
    return values.dtype.kind == "f" and not _finite_sum(values) and not bool(np.isfinite(values).all())


def _finite_sum(values: NDArray[Any]) -> bool:
    """Whether the sum is finite: then so is every value (the reverse need not hold)."""
    with np.errstate(all="ignore"):
        return bool(np.isfinite(values.sum(dtype=np.float64)))


def _any(values: NDArray[Any] | Encoded, test: Callable[[NDArray[Any]], NDArray[np.bool_]]) -> bool:
    return not isinstance(values, Encoded) and values.dtype.kind == "f" and bool(test(values).any())
