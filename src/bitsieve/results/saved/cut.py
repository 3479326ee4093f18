"""The codes of new data, cut as a selection was: for ``transform``, for files, and for checks of new data.

A number gets the code of its interval, and a category that of its rank. What cannot be coded gets -1, and is counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bitsieve.dataset.encoding import (
    MAX_EXACT_INTEGER,
    ColumnValues,
    Encoded,
    are_categories,
    encode_with_missing,
    is_missing,
)
from bitsieve.diagnostics import NAME_ONLY, UserError
from bitsieve.results.saved.column_changes import N_LISTED, ColumnChanges
from bitsieve.results.saved.new_columns import ChosenFormat, NewColumn, by_row, read_new_columns
from bitsieve.results.saved.schema import ColumnKind, Cut, SavedColumn
from bitsieve.results.saved.values import array_of_values
from bitsieve.utils.arrays import Values
from bitsieve.utils.messages import quoted
from bitsieve.utils.types import TableLike

NO_CODE = -1  # of a value that the saved cuts do not have


@dataclass(frozen=True, kw_only=True)
class ColumnCodes:
    """The codes of a column of new data, and what was different from the data that was selected from."""

    codes: NDArray[np.int32]  # shape (n_samples,): NO_CODE where there is none
    changes: ColumnChanges


def check_edges_are_saved(columns: Sequence[SavedColumn]) -> None:
    """Refuse codes of columns in which each stratum had bins of its own: these are not saved, nor are the strata."""
    names = [column.name for column in columns if column.cut.within_strata]
    if names:
        raise UserError(
            code="no-bins-saved",
            message=f"{quoted(names)}: each stratum had bins of its own, and new rows have no strata here",
            advice="take the columns without codes, scores and checks, or select again without {bins_within}",
            fix={"bins_within": NAME_ONLY},
            columns=names,
        )


def cut_columns(
    columns: Sequence[SavedColumn], data: TableLike, formats: Sequence[ChosenFormat | None] | None = None
) -> list[ColumnCodes]:
    """Read and cut the columns of new data; the arguments are those of :func:`read_new_columns`."""
    new_columns = read_new_columns(columns, data, formats)
    return [_cut_column(column, new) for column, new in zip(columns, new_columns, strict=True)]


def _cut_column(column: SavedColumn, new: NewColumn) -> ColumnCodes:
    cut = column.cut
    missing = is_missing(new.values)
    unseen: tuple[str, ...] = ()
    n_unseen = 0
    if cut.categories is not None:
        codes, unseen = _ranks(new.values, array_of_values(cut.categories))
        n_unseen = int(((codes == NO_CODE) & ~missing).sum())
    elif are_categories(new.values) or new.kind != column.kind:
        codes = np.full(len(missing), NO_CODE, np.int32)
    else:
        codes = _intervals(new.values, cut)
    codes[missing] = NO_CODE if cut.missing_code is None else cut.missing_code
    n_unread = int(new.is_unread.sum())
    n_codes = cut.n_codes
    changes = ColumnChanges(
        name=column.name,
        kind_before=column.kind,
        kind_now=_kind_now(column, new),
        n_rows=len(codes),
        code_counts=np.bincount(np.where(codes == NO_CODE, n_codes, codes), minlength=n_codes + 1),
        n_missing=int(missing.sum()) - n_unread,
        n_unread=n_unread,
        unread_texts=new.unread_texts,
        n_unseen=n_unseen,
        unseen_categories=unseen,
        written_now=new.written_now,
        has_missing_code=cut.missing_code is not None,
        n_outside=_n_outside(column, new),
    )
    return ColumnCodes(codes=codes, changes=changes)


def _n_outside(column: SavedColumn, new: NewColumn) -> int:
    """In how many rows a number is outside the range that the column had."""
    if column.smallest is None or column.largest is None or are_categories(new.values):
        return 0
    if new.kind != column.kind:
        return 0
    numbers = np.asarray(new.values, np.float64)
    return int(((numbers < column.smallest) | (numbers > column.largest)).sum())


def _kind_now(column: SavedColumn, new: NewColumn) -> ColumnKind:
    """The kind of the new values. Numbers stay categories where the saved categories are whole numbers."""
    if bool(is_missing(new.values).all()):
        return column.kind
    categories = column.cut.categories
    if new.kind == "number" and categories is not None and categories.dtype[1:2] in ("i", "u"):  # such as "<i8"
        return column.kind
    return new.kind


def _intervals(numbers: Values, cut: Cut) -> NDArray[np.int32]:
    """The code of the interval of every number."""
    values = np.asarray(numbers, np.float64)
    edges = np.array(cut.edges, np.float64)
    codes = np.searchsorted(edges, values, side="left" if cut.side == "left" else "right").astype(np.int32)
    if cut.zero_apart:
        codes = np.where(values == 0, 0, codes + 1).astype(np.int32)
    return codes


def _ranks(values: ColumnValues, saved: Values) -> tuple[NDArray[np.int32], tuple[str, ...]]:
    """The rank of every value among the saved categories, and some of the values that are not among them."""
    encoded = values if are_categories(values) else _encoded_numbers(values)
    ranks = _ranks_of_categories(encoded.categories, saved)
    codes = by_row(ranks, encoded.codes, missing=NO_CODE)
    unseen = encoded.categories[ranks < 0]
    return codes, tuple(str(value) for value in unseen[:N_LISTED].tolist())


def _encoded_numbers(values: Values) -> Encoded:
    """Numbers as categories; whole numbers as integers, also where missing values made them floats."""
    encoded = encode_with_missing(values)
    categories = encoded.categories
    if categories.dtype.kind == "f" and _are_exact_integers(categories):
        categories = categories.astype(np.int64)
    return Encoded(encoded.codes, categories)


def _are_exact_integers(numbers: Values) -> bool:
    """Whether all floats are whole numbers, none of which float64 rounds."""
    if (np.abs(numbers) > MAX_EXACT_INTEGER).any():
        return False
    return bool((numbers % 1 == 0).all())


def _ranks_of_categories(values: Values, saved: Values) -> NDArray[np.int32]:
    """The rank of each value among the saved categories; values of another type are compared as text."""
    rank_of = {value: rank for rank, value in enumerate(saved.tolist())}
    rank_of_text = {str(value): rank for value, rank in rank_of.items()}
    ranks = [rank_of.get(value, rank_of_text.get(str(value), NO_CODE)) for value in values.tolist()]
    return np.array(ranks, np.int32)
