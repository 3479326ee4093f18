"""Every distinct value its own code: what ``binning="none"`` means."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bitsieve.binning.base import Binner, unknown_category
from bitsieve.table.encoding import distinct, lookup
from bitsieve.table.missing import is_missing

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from bitsieve.table.table import Table


class CategoricalBinner(Binner):
    """Take columns as the codes they are: each distinct value gets its rank among the sorted ones.

    Numeric columns must hold whole numbers; they need not be contiguous nor start at 0. Costs O(n) a column for
    integers in a span of 65,536, else a sort.

    Parameters
    ----------
    missing : {"error", "bin"}, default="error"
        What missing values are: an error that names the columns, or a code of their own, the last one of every
        column.

    Attributes
    ----------
    categories_ : list of ndarray
        Sorted distinct values of every column.
    bin_edges_ : list of ndarray of float64
        Empty: nothing is cut.
    n_bins_ : ndarray of int, shape (n_features,)
        Codes of every column; with ``missing="bin"`` the code of the missing values is one of them.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of str
        Their names, if they are strings.

    Examples
    --------
    >>> from bitsieve.binning import CategoricalBinner
    >>> CategoricalBinner().fit_transform([[7, "b"], [3, "a"], [7, "a"]]).tolist()
    [[1, 1], [0, 0], [1, 0]]
    """

    def __init__(self, *, missing: str = "error") -> None:
        self.missing = missing

    def _cutter(self, table: Table) -> Callable[..., NDArray[np.float64]]:
        return lambda values, missing: np.empty(0)

    def _fit_numeric(
        self, table: Table, j: int, cut: Callable[..., NDArray[np.float64]]
    ) -> tuple[NDArray[np.float64], NDArray[Any] | None, int]:
        values, _ = _whole_numbers(table, j)
        categories = distinct(values)
        return np.empty(0), categories, len(categories)

    def _code_numeric(self, table: Table, j: int, out: NDArray[Any]) -> None:
        known = self.categories_[j]
        if known is None or known.dtype.kind not in "iu":
            raise ValueError(f"column {table.names[j]!r} was categorical when fitting: give categories")
        values, missing = _whole_numbers(table, j)
        if not len(values):
            return
        if _are_codes(values, known):
            codes = values
        else:
            codes = lookup(values, known)
            if codes.min() < 0:
                raise unknown_category(table.names[j], values[codes < 0])
        if missing is None:
            out[:] = codes
        else:
            out[~missing] = codes

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        return tags


def _are_codes(values: NDArray[Any], known: NDArray[Any]) -> bool:
    """Whether every value is its own code: the known ones are 0, 1, ... and none is beyond them."""
    if not len(known) or known[0] != 0 or known[-1] != len(known) - 1:
        return False
    return bool(values.min() >= 0 and values.max() < len(known))


def _whole_numbers(table: Table, j: int) -> tuple[NDArray[Any], NDArray[np.bool_] | None]:
    """The values of a numeric column that are there, as integers; and where others are missing, or None.

    Raises
    ------
    ValueError
        If a value has a fractional part, or is beyond the range of int64.
    """
    values = np.ascontiguousarray(table.values(j))
    if values.dtype.kind != "f":
        return values, None
    missing = is_missing(values)
    if missing is not None:
        values = values[~missing]
    refused = values[(values != np.floor(values)) | (np.abs(values) >= 2.0**63)]
    if len(refused):
        raise ValueError(
            f"column {table.names[j]!r} holds {refused[:1].tolist()[0]!r}: binning 'none' takes whole numbers and "
            "categories only, use 'mdl', 'quantile' or 'uniform' for this column"
        )
    return values.astype(np.int64), missing
