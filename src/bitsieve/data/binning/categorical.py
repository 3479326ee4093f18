"""Every distinct value its own code: what ``binning="none"`` means."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bitsieve import _native
from bitsieve.common.progress import phase
from bitsieve.counts.blocks import run_blocks
from bitsieve.data.binning.base import Binner
from bitsieve.data.binning.known import unknown_category
from bitsieve.data.encoding import lookup
from bitsieve.data.extents import FRACTIONS
from bitsieve.data.ragged import Ragged
from bitsieve.data.table import Table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bitsieve.data.extents import Extents, NumericBlock
    from bitsieve.data.sparse import SparseTable
    from bitsieve.data.table import NamedColumns


class CategoricalBinner(Binner):
    """Take columns as the codes they are: each distinct value gets its rank among the sorted ones.

    Numeric columns must hold whole numbers; they need not be contiguous nor start at 0. Costs O(n) a column for
    integers in a span of 65,536, else a sort.

    Parameters
    ----------
    missing : {"error", "bin"}, default="error"
        What missing values are: an error that names the columns, or a code of their own, the last one of every
        column.
    n_jobs : int or None, default=None
        Threads; None is 1, -1 is every core. The result does not depend on it.

    Attributes
    ----------
    categories_ : sequence of ndarray
        Sorted distinct values of every column.
    bin_edges_ : sequence of ndarray of float64
        Empty: nothing is cut.
    n_bins_ : ndarray of int, shape (n_features,)
        Codes of every column; with ``missing="bin"`` the code of the missing values is one of them.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of str
        Their names, if they are strings.

    Examples
    --------
    >>> from bitsieve.data.binning import CategoricalBinner
    >>> CategoricalBinner().fit_transform([[7, "b"], [3, "a"], [7, "a"]]).tolist()
    [[1, 1], [0, 0], [1, 0]]
    """

    sees = "codes"

    def __init__(self, *, missing: str = "error", n_jobs: int | None = None) -> None:
        self.missing = missing
        self.n_jobs = n_jobs

    def codes(self, table: Table, room: NDArray[np.uint8] | None = None) -> NDArray[Any]:
        """Codes of a table that is read already, as :meth:`transform` gives them, to be read only.

        Parameters
        ----------
        table : Table
        room : ndarray of uint8, optional
            Memory for them, two bytes a value.

        Returns
        -------
        codes : ndarray of shape (n_samples, n_features), Fortran order
            The matrix of the table itself, in its own order, where its numbers are the codes.
        """
        matrix = table.matrix
        if matrix is not None and self._are_codes(table, matrix.dtype):
            return matrix
        return super().codes(table, room)

    def _are_codes(self, table: Table, kind: np.dtype[Any]) -> bool:
        """Whether every number of a matrix is its own code already, and of the type of codes."""
        if kind != (np.uint8 if self.n_bins_.max() <= 256 else np.uint16) or not isinstance(self.categories_, Ragged):
            return False
        extents, known = table.extents(self.n_jobs), self.categories_
        if self.missing == "bin" or not known.lengths.all():
            return False
        largest = known.values[known.ends - 1]
        beyond = any((high > largest[of.places]).any() for high, of in zip(extents.high, extents.blocks, strict=True))
        return not beyond and bool((largest == known.lengths - 1).all() and largest.dtype == kind)

    def check_numbers(self, table: NamedColumns, extents: Extents) -> None:
        """Refuse numbers that the rule does not take: here those with a fractional part.

        Parameters
        ----------
        table : NamedColumns
            A table, or what is known of one.
        extents : Extents
            What its columns hold.

        Returns
        -------
        None

        Raises
        ------
        ValueError
            If a column holds one.
        """
        for j in extents.which(FRACTIONS)[:1]:
            assert isinstance(table, Table)  # a summary is made of tables that were checked
            _whole_numbers(table, j)  # says what it holds

    def _fit_numeric(self, table: Table, extents: Extents) -> None:
        found: list[Any] = [None] * len(extents.blocks)

        def find(b: int) -> None:
            block = extents.blocks[b]
            values, ends = _native.distinct(block.values, extents.low[b], extents.high[b])
            found[b] = block.places, values.astype(np.int64) if values.dtype.kind == "f" else values, ends

        run_blocks(find, range(len(found)), self.n_jobs, phase("binning"))
        self.bin_edges_ = Ragged(np.empty(0), np.zeros(table.n_features, np.int64))
        self.n_bins_ = np.ones(table.n_features, np.int64)
        if table.matrix is not None:
            known = Ragged.merged(table.n_features, found)
            self.categories_, self.n_bins_ = known, known.lengths
            return
        by_column = self._known_categories(table)
        for places, values, ends in found:
            for j, categories in zip(places.tolist(), Ragged(values, ends), strict=True):
                by_column[j], self.n_bins_[j] = categories, len(categories)
        self.categories_ = by_column

    def _cut_stored(self, table: SparseTable, first: int, last: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        values, ends = _native.stored_distinct(table.start, table.row, table.value, first, last)
        refused = np.flatnonzero((values != np.floor(values)) | (np.abs(values) >= 2.0**63))
        if len(refused):
            place = int(refused[0])
            raise not_whole(table.names[first + int(np.searchsorted(ends, place, side="right"))], values[place])
        return values, ends

    def _code_block(
        self, table: Table, block: NumericBlock, missing_code: NDArray[np.int64], out: NDArray[Any]
    ) -> None:
        known = self._known_numbers(table, block.places)
        numbers, are_unsigned = known.values.astype(np.int64), known.values.dtype == np.uint64
        found = _native.code_categories(
            block.values, numbers, are_unsigned, known.ends, missing_code, block.places, out
        )
        for c in np.flatnonzero(found == 0)[:1].tolist():
            name, values = table.names[int(block.places[c])], _whole_numbers(table, int(block.places[c]))
            raise unknown_category(name, values[lookup(values, known[c]) < 0])

    def _known_numbers(self, table: Table, places: NDArray[np.int64]) -> Ragged:
        """The categories of numeric columns."""
        if isinstance(self.categories_, Ragged):
            return self.categories_.take(places)
        arrays = [self.categories_[j] for j in places.tolist()]
        for j, known in zip(places.tolist(), arrays, strict=True):
            if known is None or known.dtype.kind not in "iu":
                raise ValueError(f"column {table.names[j]!r} was categorical when fitting: give categories")
        kind = np.result_type(*(known.dtype for known in arrays))
        values = np.concatenate([known.astype(np.uint64 if kind.kind == "f" else kind) for known in arrays])
        return Ragged(values, np.cumsum([len(known) for known in arrays]))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        return tags


def known_arities(binner: Binner) -> NDArray[np.int64] | None:
    """One more than the largest code of every column in the table that was fitted on; None where it is not known."""
    every_category_occurs = isinstance(binner, CategoricalBinner) and binner.missing == "error"
    return binner.n_bins_ if every_category_occurs else None


def _whole_numbers(table: Table, j: int) -> NDArray[Any]:
    """The values of a numeric column that are there, as integers.

    Raises
    ------
    ValueError
        If a value has a fractional part, or is beyond the range of int64.
    """
    values = np.asarray(table.values(j))
    if values.dtype.kind != "f":
        return values
    values = values[~np.isnan(values)]
    refused = values[(values != np.floor(values)) | (np.abs(values) >= 2.0**63)]
    if len(refused):
        raise not_whole(table.names[j], refused[0])
    return values.astype(np.int64)


def not_whole(name: str, value: Any) -> ValueError:
    """The error for a number that is no code."""
    return ValueError(
        f"column {name!r} holds {value.item()!r}: binning 'none' takes whole numbers and "
        "categories only, use 'mdl', 'quantile' or 'uniform' for this column"
    )
