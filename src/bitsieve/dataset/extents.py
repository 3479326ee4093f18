"""What the columns of a table hold: ranges, missing and infinite values, fractions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bitsieve import _native
from bitsieve.counts.threads import run_blocks, thread_count
from bitsieve.dataset.encoding import Encoded, are_categories
from bitsieve.dataset.text_format import TextMeaning
from bitsieve.diagnostics import UserError
from bitsieve.utils.arrays import Integers
from bitsieve.utils.messages import quoted_places

NUMBERS, MISSING, INFINITE, FRACTIONS = 1, 2, 4, 8  # of native/encode.hpp
_MOST_NAMED = 5
_BLOCKS_PER_THREAD = 8
_ROW_PART = 4096  # bytes of a row that are read together, where columns lie side by side in rows
_LINE = 64  # bytes of a row that are read at once in any case
_LEAST_BLOCK = 1 << 20  # values; smaller blocks cost more to hand out than they save


class NumericBlock(NamedTuple):
    """Some numeric columns of one type."""

    places: Integers  # which features they are, ascending
    # shape (n_samples, n_columns): as the native kernels take them; numbers that bytes hold are bytes
    values: NDArray[Any] | list[NDArray[Any]]

    def part(self, chosen: NDArray[Any]) -> NumericBlock:
        """Some of the columns."""
        return NumericBlock(self.places[chosen], [self.column(c) for c in chosen.tolist()])

    def column(self, c: int) -> NDArray[Any]:
        """One of the columns."""
        return self.values[c] if isinstance(self.values, list) else self.values[:, c]


@dataclass(frozen=True, eq=False)
class Extents:
    """What the columns hold."""

    blocks: list[NumericBlock]  # all numeric columns, each once
    # for every block the smallest and largest number of its columns, of the type that the table has, float64 for any
    # float; low > high: all are missing
    low: list[NDArray[Any]]
    high: list[NDArray[Any]]
    # shape (n_features,): bits: NUMBERS (or categories), MISSING, INFINITE; FRACTIONS where they were looked for
    holds: NDArray[np.uint8]
    whole: bool  # whether fractions were looked for
    matrix: NDArray[Any] | None = None  # of all columns, if there is one; of bytes where these hold all of its numbers

    def which(self, bit: int) -> list[int]:
        """The features that hold something."""
        return np.flatnonzero(self.holds & bit).tolist()

    def column(self, j: int) -> NDArray[Any]:
        """The numbers of feature ``j``."""
        block = next(block for block in self.blocks if j in block.places)
        return block.column(int(np.searchsorted(block.places, j)))


class NamedColumns:
    """What follows from the names of the columns alone."""

    names: Sequence[str]  # one a feature; ``x0``, ``x1``, ... where the input has none
    # the names as scikit-learn keeps them: None where the input has none, or not all are strings
    feature_names: NDArray[Any] | None

    @property
    def n_features(self) -> int:
        """Number of features."""
        return len(self.names)

    def quoted(self, which: Iterable[int]) -> str:
        """The names of some features for a message, the first five of them."""
        return quoted_places(list(which), self.names)

    def set_names_on(self, estimator: Any) -> None:
        """Set ``n_features_in_`` and ``feature_names_in_`` of an estimator that is fitted on these columns."""
        estimator.n_features_in_ = self.n_features
        if self.feature_names is not None:
            estimator.feature_names_in_ = self.feature_names
        elif hasattr(estimator, "feature_names_in_"):  # of an earlier fit
            del estimator.feature_names_in_


class KnownColumns(NamedColumns, ABC):
    """Named columns of which it is known what they hold, and their text means."""

    meanings: Mapping[int, TextMeaning]  # what text means, by the places of its columns

    @abstractmethod
    def extents(self, n_jobs: int | None = None, whole: bool = False) -> Extents:
        """What the columns hold."""


TableColumns = NDArray[Any] | Sequence[NDArray[Any] | Encoded]


def find_extents(columns: TableColumns, n_jobs: int | None, whole: bool) -> Extents:
    """Look at all columns once; numbers with a fractional part are looked for only if ``whole``."""
    matrix = _in_bytes(_native_type(columns), n_jobs) if isinstance(columns, np.ndarray) else None
    given = numeric_blocks(columns if matrix is None else matrix, n_jobs)
    holds = np.zeros(len(columns) if matrix is None else matrix.shape[1], np.uint8)
    found: list[Any] = [None] * len(given)

    def look(b: int) -> None:
        kind = (columns if isinstance(columns, np.ndarray) else given[b].column(0)).dtype.newbyteorder("=")
        found[b] = []
        for block in _as_bytes(given[b]):
            holds[block.places], low, high = _native.extent(block.values, whole)
            kind = np.dtype(np.float64) if kind.kind == "f" else kind
            found[b].append((block, low.astype(kind, copy=False), high.astype(kind, copy=False)))

    run_blocks(look, range(len(given)), n_jobs)
    seen = [one for some in found for one in some]
    for j, values in enumerate(columns if matrix is None else ()):
        if are_categories(values):
            missing = bool(len(values.codes)) and int(values.codes.min()) < 0
            holds[j] = NUMBERS * (len(values.categories) > 0) | MISSING * missing
    return Extents([of[0] for of in seen], [of[1] for of in seen], [of[2] for of in seen], holds, whole, matrix)


def _in_bytes(matrix: NDArray[Any], n_jobs: int | None) -> NDArray[Any]:
    """A matrix as bytes, rows or columns read whole as they lie, if these hold all of its numbers; else itself."""
    if matrix.itemsize == 1:
        return matrix
    out, axis = np.empty(matrix.shape, np.uint8, order="F"), int(matrix.flags.f_contiguous)
    most = _BLOCKS_PER_THREAD * thread_count(n_jobs)
    n_parts = min(matrix.shape[axis], most, max(1, matrix.size // _LEAST_BLOCK))
    parts = zip(np.array_split(matrix, n_parts, axis), np.array_split(out, n_parts, axis), strict=True)
    fits: list[bool] = []
    run_blocks(lambda part: fits.append(bool(_native.as_bytes(*part).all())), list(parts), n_jobs)
    return out if all(fits) else matrix


def _as_bytes(block: NumericBlock) -> list[NumericBlock]:
    """The columns whose numbers bytes hold, as bytes, and the others: the kernels read an eighth of the memory then."""
    first = block.column(0)
    if first.itemsize == 1:
        return [block]
    values = np.empty((len(first), len(block.places)), np.uint8, order="F")
    fits = _native.as_bytes(block.values, values).astype(bool)
    if fits.all():
        return [NumericBlock(block.places, values)]
    narrow = NumericBlock(block.places, values).part(np.flatnonzero(fits))
    return [narrow, block.part(np.flatnonzero(~fits))] if fits.any() else [block]


def numeric_blocks(columns: TableColumns, n_jobs: int | None) -> list[NumericBlock]:
    """The numeric columns in some blocks a thread, each of one type."""
    if isinstance(columns, np.ndarray):
        n_samples, n_features = columns.shape
        if columns.itemsize == 1 and columns.size < _LEAST_BLOCK:
            n_jobs = 1
        least = max(1, _LINE // columns.itemsize, -(-n_features // thread_count(n_jobs)))
        together = 1 if columns.flags.f_contiguous else min(max(1, _ROW_PART // columns.itemsize), least)
        return [
            NumericBlock(np.arange(some.start, some.stop), columns[:, some.start : some.stop])
            for some in _ranges(n_features, n_samples, n_jobs, together)
        ]
    of_type: dict[Any, tuple[list[int], list[NDArray[Any]]]] = {}
    for j, values in enumerate(columns):
        if not are_categories(values):
            values = _native_type(values)
            places, arrays = of_type.setdefault(values.dtype, ([], []))
            places.append(j)
            arrays.append(values)
    return [
        NumericBlock(np.array(places[some.start : some.stop]), arrays[some.start : some.stop])
        for places, arrays in of_type.values()
        for some in _ranges(len(places), len(arrays[0]), n_jobs, 1)
    ]


def _native_type(values: NDArray[Any]) -> NDArray[Any]:
    """The values in a type of which there are kernels: half precision as float32, more than float64 as float64."""
    kind = values.dtype
    if kind.kind == "f" and kind.itemsize not in (4, 8):
        return values.astype(np.float32 if kind.itemsize == 2 else np.float64)
    if not kind.isnative or not values.flags.aligned:
        return values.astype(kind.newbyteorder("="))
    return values


def _ranges(n_columns: int, n_samples: int, n_jobs: int | None, together: int) -> list[range]:
    n_threads = thread_count(n_jobs)
    n_blocks = min(_BLOCKS_PER_THREAD * n_threads, max(n_threads, n_columns * n_samples // _LEAST_BLOCK))
    size = -(-n_columns // n_blocks)
    size = -(-size // together) * together
    return [range(first, min(first + size, n_columns)) for first in range(0, n_columns, size)]


FINITE_INSTEAD = "replace infinity by a finite number, or drop the rows"


class Advice(NamedTuple):
    """What to do about missing values: the advice and the fix of a diagnostic."""

    text: str
    fix: Mapping[str, object] = MappingProxyType({})


IN_A_BIN = Advice("set {missing} to give them a separate bin, or impute them first", {"missing": "bin"})


def check_values(
    table: KnownColumns,
    *,
    allow_missing: bool,
    instead: Advice = IN_A_BIN,
    n_jobs: int | None = None,
    whole: bool = False,
) -> Extents:
    """Refuse infinite values, and missing ones unless they are allowed; ``instead`` says what to do about those."""
    extents = table.extents(n_jobs, whole)
    infinite, missing = extents.which(INFINITE), extents.which(MISSING)
    if infinite:
        raise UserError(
            code="infinite-values",
            message=f"{columns_hold(len(infinite))} infinite values (inf): {table.quoted(infinite)}",
            advice=FINITE_INSTEAD,
        )
    if missing and not allow_missing:
        listed = f"{table.quoted(missing)}{_read_as_missing(table, missing)}"
        raise UserError(
            code="missing-values",
            message=f"{columns_hold(len(missing))} missing values (NaN): {listed}",
            advice=instead.text,
            fix=instead.fix,
            columns=[str(table.names[j]) for j in missing],
        )
    return extents


def _read_as_missing(table: KnownColumns, columns: Sequence[int]) -> str:
    """What text in columns of numbers means a missing value; empty where there is none."""
    parsings = {j: table.meanings[j].parsing for j in columns if j in table.meanings}
    found = [f"{of.unread[0][0]!r} in {table.names[j]!r}" for j, of in parsings.items() if of and of.unread]
    if not found:
        return ""
    more = f" and {len(found) - _MOST_NAMED:,} more" if len(found) > _MOST_NAMED else ""
    return f" (text that is no number is read as missing: {', '.join(found[:_MOST_NAMED])}{more})"


def columns_hold(count: int) -> str:
    """The beginning of a message about so many columns."""
    return "1 column holds" if count == 1 else f"{count:,} columns hold"
