"""Every distinct value its own code: what ``binning="none"`` means."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bitsieve import _native
from bitsieve.counts.threads import run_blocks
from bitsieve.dataset.encoding import lookup
from bitsieve.dataset.extents import FRACTIONS, Extents, KnownColumns, NumericBlock
from bitsieve.dataset.table import TableInMemory
from bitsieve.diagnostics import UserError
from bitsieve.discretization.base import Binning, unknown_category
from bitsieve.discretization.ragged import Ragged
from bitsieve.utils.arrays import Floats, Integers
from bitsieve.utils.progress import phase


class CategoricalBinning(Binning):
    """Every distinct value its own code: the rule of :class:`CategoricalBinner`."""

    requires = "codes"

    def __init__(self, *, missing: str | None = "error", n_jobs: int | None = None) -> None:
        self.missing = missing
        self.n_jobs = n_jobs

    @property
    def known_arities(self) -> Integers | None:
        """One more than the largest code of every column: every category occurs, but a missing value may not."""
        return self.n_bins_ if self.missing != "bin" else None

    def codes(self, table: TableInMemory, room: NDArray[np.uint8] | None = None) -> NDArray[Any]:
        own: Any = table.extents(self.n_jobs, whole=True).matrix
        if own is None and room is not None and table.matrix is None and self._code_type is np.uint8:  # to be packed
            own = table.columns
        return own if own is not None and self._are_codes(table, own) else super().codes(table, room)

    def _are_codes(self, table: TableInMemory, own: NDArray[Any] | list[NDArray[Any]]) -> bool:
        """Whether every number of a matrix or of columns is its own code already, and of the type of codes."""
        kinds = {own.dtype} if isinstance(own, np.ndarray) else {values.dtype for values in own}
        if kinds != {np.dtype(self._code_type)} or self.missing == "bin":
            return False
        extents, known = table.extents(self.n_jobs), self._known_numbers(table, np.arange(table.n_features))
        if not known.lengths.all():
            return False
        largest = known.values[known.ends - 1]
        beyond = any((high > largest[of.places]).any() for high, of in zip(extents.high, extents.blocks, strict=True))
        return not beyond and bool((largest == known.lengths - 1).all() and known.values.min() >= 0)

    def check_numbers(self, table: KnownColumns, extents: Extents) -> None:
        for j in extents.which(FRACTIONS)[:1]:
            _whole_numbers(extents.column(j), table.names[j])  # says what it holds

    def _fit_numeric(self, table: TableInMemory, extents: Extents) -> None:
        found: list[Any] = [None] * len(extents.blocks)

        def find(b: int) -> None:
            block = extents.blocks[b]
            low, high = extents.low[b], extents.high[b]
            kind = np.uint8 if block.column(0).itemsize == 1 and low.dtype.itemsize > 1 else low.dtype
            values, ends = _native.distinct(block.values, low.astype(kind), high.astype(kind))
            found[b] = block.places, values.astype(np.int64 if low.dtype.kind == "f" else low.dtype), ends

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

    def _cut_stored(self, table: TableInMemory, first: int, last: int) -> tuple[Floats, Integers]:
        stored = table.stored
        values, ends = _native.stored_distinct(stored.start, stored.row, stored.value, first, last)
        refused = np.flatnonzero((values != np.floor(values)) | (np.abs(values) >= 2.0**63))
        if len(refused):
            place = int(refused[0])
            raise not_whole(table.names[first + int(np.searchsorted(ends, place, side="right"))], values[place])
        return values, ends

    def _code_block(self, table: TableInMemory, block: NumericBlock, missing_code: Integers, out: NDArray[Any]) -> None:
        if not isinstance(self.categories_, Ragged):  # no type of whole numbers holds both, -1 and 2^64 - 1
            signed = np.array([getattr(self.categories_[j], "dtype", None) != np.uint64 for j in block.places.tolist()])
            if signed.any() and not signed.all():
                for some in (np.flatnonzero(signed), np.flatnonzero(~signed)):
                    self._code_block(table, block.part(some), missing_code[some], out)
                return
        known = self._known_numbers(table, block.places)
        numbers, are_unsigned = known.values.astype(np.int64), known.values.dtype == np.uint64
        found = _native.code_categories(
            block.values, numbers, are_unsigned, known.ends, missing_code, block.places, out
        )
        for c in np.flatnonzero(found == 0)[:1].tolist():
            name = table.names[int(block.places[c])]
            values = _whole_numbers(block.column(c), name)
            raise unknown_category(name, values[lookup(values, known[c]) < 0])

    def _known_numbers(self, table: TableInMemory, places: Integers) -> Ragged:
        """The categories of numeric columns."""
        if isinstance(self.categories_, Ragged):
            return self.categories_.take(places)
        arrays = [self.categories_[j] for j in places.tolist()]
        for j, known in zip(places.tolist(), arrays, strict=True):
            if known is None or known.dtype.kind not in "iu":
                raise UserError(
                    code="column-kind-changed",
                    message=f"column {table.names[j]!r} was categorical when fitting",
                    advice="give categories",
                )
        values = np.concatenate(arrays)
        return Ragged(values, np.cumsum([len(known) for known in arrays]))


def _whole_numbers(values: NDArray[Any], name: str) -> NDArray[Any]:
    """The values of a numeric column that are not missing, as integers."""
    if values.dtype.kind != "f":
        return values
    values = values[~np.isnan(values)]
    refused = values[(values != np.floor(values)) | (np.abs(values) >= 2.0**63)]
    if len(refused):
        raise not_whole(name, refused[0])
    return values.astype(np.int64)


def not_whole(name: str, value: Any) -> UserError:
    """The error for a number that is no code."""
    return UserError(
        code="numbers-not-categories",
        message=f"column {name!r} holds {value.item()!r}",
        advice=(
            "binning 'none' takes whole numbers and categories only, use 'mdl', 'quantile' or 'uniform' for this column"
        ),
    )
