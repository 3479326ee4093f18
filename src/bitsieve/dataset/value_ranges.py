"""What the columns of a table hold: ranges, missing and infinite values, fractions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bitsieve import _native
from bitsieve.counts.threads import run_blocks, thread_count
from bitsieve.dataset.encoding import (
    MAX_EXACT_INTEGER,
    ColumnValues,
    Encoded,
    are_categories,
    check_whole_numbers,
)
from bitsieve.dataset.text_format import TextMeaning
from bitsieve.diagnostics import UserError
from bitsieve.utils.arrays import Columns, Integers, Values
from bitsieve.utils.messages import quoted_at

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

# The bits of the content of a column, as in native/encode.hpp
NUMBERS = 1  # numbers or categories
MISSING = 2
INFINITE = 4
FRACTIONS = 8  # numbers that are no integers
_MAX_NAMED = 5  # columns named in a message
_BLOCKS_PER_THREAD = 8
_BYTES_OF_ROW = 4096  # read together from each row of a matrix in C order
_CACHE_LINE = 64  # bytes that a processor always reads together
_MIN_BLOCK_SIZE = 1 << 20  # values; smaller blocks cost more to hand out than they save


class NumericBlock(NamedTuple):
    """Numeric columns of one type, which one thread processes together."""

    indices: Integers  # of the columns in the table, ascending
    #: A matrix of shape (n_samples, n_columns), or a list of columns. Columns of numbers that bytes hold are bytes.
    values: Values | list[Values]

    def take(self, positions: Values) -> NumericBlock:
        """The block of the columns at these positions in this block."""
        return NumericBlock(self.indices[positions], [self.column(position) for position in positions.tolist()])

    def of_rows(self, rows: Columns) -> NumericBlock:
        """These rows of the columns, which are numbered from 0 as those of a table of their own."""
        columns = [self.column(position)[rows] for position in range(len(self.indices))]
        return NumericBlock(np.arange(len(columns)), columns)

    def column(self, position: int) -> Values:
        """The column at a position in this block."""
        return self.values[position] if isinstance(self.values, list) else self.values[:, position]


class BlockRange(NamedTuple):
    """A block, and the smallest and the largest number of each of its columns.

    These are of the type of the table, but float64 for floats. Where all numbers of a column are missing, low > high.
    """

    block: NumericBlock
    low: Values
    high: Values


class ValueRanges(NamedTuple):
    """What the columns of a table hold, and the smallest and the largest number of every numeric column."""

    blocks: list[BlockRange]  # all numeric columns, each in one block
    content: NDArray[np.uint8]  # shape (n_features,): the bits NUMBERS, MISSING, INFINITE and FRACTIONS
    fractions_are_known: bool  # whether fractions were looked for; the bit FRACTIONS is 0 where they were not
    matrix: Values | None = None  # a matrix of all columns, if there is one; of bytes if these hold its numbers

    def columns_with(self, bit: int) -> list[int]:
        """The columns whose content has a bit, such as MISSING or INFINITE."""
        return np.flatnonzero(self.content & bit).tolist()

    def column(self, j: int) -> Values:
        """The numbers of feature ``j``."""
        for block, _, _ in self.blocks:
            if j in block.indices:
                return block.column(int(np.searchsorted(block.indices, j)))
        raise IndexError(f"no block has column {j}")


class NamedColumns:
    """Columns with names."""

    names: Sequence[str]  # one for each feature; ``x0``, ``x1``, ... where the data has no names
    feature_names: Values | None  # as scikit-learn keeps them; None where not all columns have a name of text

    @property
    def n_features(self) -> int:
        """Number of features."""
        return len(self.names)

    def names_of(self, columns: Iterable[int]) -> list[str]:
        """The names of some features as text."""
        return [str(self.names[j]) for j in columns]

    def quoted(self, columns: Sequence[int]) -> str:
        """The names of some features for a message, which lists at most five of them."""
        return quoted_at(columns, self.names)

    def set_names_on(self, estimator: BaseEstimator) -> None:
        """Set ``n_features_in_`` and ``feature_names_in_`` of an estimator that is fitted on these columns."""
        estimator.n_features_in_ = self.n_features
        if self.feature_names is not None:
            estimator.feature_names_in_ = self.feature_names
        elif hasattr(estimator, "feature_names_in_"):  # of an earlier fit
            del estimator.feature_names_in_


class InspectedColumns(NamedColumns, ABC):
    """Named columns that can say what they hold."""

    text_meanings: Mapping[int, TextMeaning]  # what the text of columns means, by column index

    @abstractmethod
    def value_ranges(self, n_jobs: int | None = None, find_fractions: bool = False) -> ValueRanges:
        """What the columns hold."""


TableColumns = Values | Sequence[ColumnValues]


def find_value_ranges(columns: TableColumns, n_jobs: int | None, find_fractions: bool) -> ValueRanges:
    """Find what all columns hold, in one pass; the bit FRACTIONS is set only with ``find_fractions``."""
    matrix = None
    if isinstance(columns, np.ndarray):
        matrix = _in_bytes(_native_type(columns), n_jobs)
    blocks = numeric_blocks(columns if matrix is None else matrix, n_jobs)
    n_features = len(columns) if matrix is None else matrix.shape[1]
    content = np.zeros(n_features, np.uint8)
    ranges_of_blocks: list[list[BlockRange]] = [[] for _ in blocks]

    def inspect(index: int) -> None:
        block = blocks[index]
        range_type = _type_of_ranges(columns if isinstance(columns, np.ndarray) else block.column(0))
        for part in _split_off_bytes(block):
            content[part.indices], low, high = _native.extent(part.values, find_fractions)
            low = low.astype(range_type, copy=False)
            high = high.astype(range_type, copy=False)
            ranges_of_blocks[index].append(BlockRange(part, low, high))

    run_blocks(inspect, range(len(blocks)), n_jobs)
    if matrix is None:
        for j, values in enumerate(columns):
            if are_categories(values):
                content[j] = _content_of_categories(values)
    ranges = list(chain.from_iterable(ranges_of_blocks))
    return ValueRanges(ranges, content, fractions_are_known=find_fractions, matrix=matrix)


def _type_of_ranges(values: Values) -> np.dtype[Any]:
    """The type of the smallest and the largest of these numbers."""
    if values.dtype.kind == "f":
        return np.dtype(np.float64)
    return values.dtype.newbyteorder("=")


def _content_of_categories(values: Encoded) -> int:
    content = 0
    if len(values.categories):
        content |= NUMBERS
    if len(values.codes) and int(values.codes.min()) < 0:
        content |= MISSING
    return content


def _in_bytes(matrix: Values, n_jobs: int | None) -> Values:
    """Convert a matrix to bytes if these hold all of its numbers; else return it as it is.

    It is converted in parts that are contiguous in memory.
    """
    if matrix.itemsize == 1:
        return matrix
    out = np.empty(matrix.shape, np.uint8, order="F")
    axis = 1 if matrix.flags.f_contiguous else 0
    max_parts = _BLOCKS_PER_THREAD * thread_count(n_jobs)
    n_parts = min(matrix.shape[axis], max_parts, max(1, matrix.size // _MIN_BLOCK_SIZE))
    parts = zip(np.array_split(matrix, n_parts, axis), np.array_split(out, n_parts, axis), strict=True)
    part_fits: list[bool] = []

    def convert(part: tuple[Values, Values]) -> None:
        source, target = part
        part_fits.append(bool(_native.as_bytes(source, target).all()))

    run_blocks(convert, list(parts), n_jobs)
    return out if all(part_fits) else matrix


def _split_off_bytes(block: NumericBlock) -> list[NumericBlock]:
    """Split a block into the columns whose numbers bytes hold, as bytes, and the others.

    From bytes the kernels read an eighth of the memory.
    """
    first = block.column(0)
    if first.itemsize == 1:
        return [block]
    values = np.empty((len(first), len(block.indices)), np.uint8, order="F")
    fits = _native.as_bytes(block.values, values).astype(bool)
    in_bytes = NumericBlock(block.indices, values)
    if fits.all():
        return [in_bytes]
    if not fits.any():
        return [block]
    return [in_bytes.take(np.flatnonzero(fits)), block.take(np.flatnonzero(~fits))]


def numeric_blocks(columns: TableColumns, n_jobs: int | None) -> list[NumericBlock]:
    """Split the numeric columns into blocks of one type, several for each thread."""
    if isinstance(columns, np.ndarray):
        return _blocks_of_matrix(columns, n_jobs)
    arrays_of_type: dict[np.dtype[Any], dict[int, Values]] = {}
    for j, values in enumerate(columns):
        if not are_categories(values):
            numbers = _native_type(values)
            arrays_of_type.setdefault(numbers.dtype, {})[j] = numbers
    blocks = []
    for arrays in arrays_of_type.values():
        indices = list(arrays)
        for part in _ranges(len(arrays), len(arrays[indices[0]]), n_jobs, multiple=1):
            in_block = indices[part.start : part.stop]
            blocks.append(NumericBlock(np.array(in_block), [arrays[j] for j in in_block]))
    return blocks


def _blocks_of_matrix(matrix: Values, n_jobs: int | None) -> list[NumericBlock]:
    n_samples, n_features = matrix.shape
    if matrix.itemsize == 1 and matrix.size < _MIN_BLOCK_SIZE:
        n_jobs = 1
    multiple = 1
    if not matrix.flags.f_contiguous:  # columns that lie side by side are read together
        columns_of_line = _CACHE_LINE // matrix.itemsize
        columns_of_thread = -(-n_features // thread_count(n_jobs))
        columns_of_row = max(1, _BYTES_OF_ROW // matrix.itemsize)
        multiple = min(columns_of_row, max(1, columns_of_line, columns_of_thread))
    return [
        NumericBlock(np.arange(part.start, part.stop), matrix[:, part.start : part.stop])
        for part in _ranges(n_features, n_samples, n_jobs, multiple)
    ]


def _native_type(values: Values) -> Values:
    """Convert values to a type that the native kernels take: float16 to float32, wider floats to float64."""
    kind = values.dtype
    if kind.kind == "f" and kind.itemsize not in (4, 8):
        return values.astype(np.float32 if kind.itemsize == 2 else np.float64)
    if not kind.isnative or not values.flags.aligned:
        return values.astype(kind.newbyteorder("="))
    return values


def _ranges(n_columns: int, n_samples: int, n_jobs: int | None, multiple: int) -> list[range]:
    """Split columns into ranges of about equal length, a multiple of ``multiple``."""
    n_threads = thread_count(n_jobs)
    n_blocks = min(_BLOCKS_PER_THREAD * n_threads, max(n_threads, n_columns * n_samples // _MIN_BLOCK_SIZE))
    size = -(-n_columns // n_blocks)
    size = -(-size // multiple) * multiple
    return [range(first, min(first + size, n_columns)) for first in range(0, n_columns, size)]


FINITE_INSTEAD = "replace infinity by a finite number, or drop the rows"


class Advice(NamedTuple):
    """The advice and the fix of a message about missing values."""

    text: str
    fix: Mapping[str, object] = MappingProxyType({})


IN_A_BIN = Advice("set {missing} to give them a separate bin, or impute them first", {"missing": "bin"})


def check_integers(table: InspectedColumns, ranges: ValueRanges) -> None:
    """Refuse columns of which different integers are equal as floats."""
    for block, low, high in ranges.blocks:
        if low.dtype.kind == "f" or low.itemsize < 8:
            continue
        is_beyond_floats = (low < -MAX_EXACT_INTEGER) | (high > MAX_EXACT_INTEGER)
        for c in np.flatnonzero(is_beyond_floats).tolist():
            name = table.names[int(block.indices[c])]
            check_whole_numbers(block.column(c), f"column {name!r}")


def check_values(
    table: InspectedColumns,
    *,
    allow_missing: bool,
    advice_on_missing: Advice = IN_A_BIN,
    n_jobs: int | None = None,
    find_fractions: bool = False,
) -> ValueRanges:
    """Find what the columns hold. Infinite values are refused, and missing values unless they are allowed."""
    ranges = table.value_ranges(n_jobs, find_fractions)
    infinite = ranges.columns_with(INFINITE)
    missing = ranges.columns_with(MISSING)
    if infinite:
        raise UserError(
            code="infinite-values",
            message=f"{columns_hold(len(infinite))} infinite values (inf): {table.quoted(infinite)}",
            advice=FINITE_INSTEAD,
            fix={"exclude": [str(table.names[j]) for j in infinite]},
        )
    if missing and not allow_missing:
        listed = f"{table.quoted(missing)}{_read_as_missing(table, missing)}"
        raise UserError(
            code="missing-values",
            message=f"{columns_hold(len(missing))} missing values (NaN): {listed}",
            advice=advice_on_missing.text,
            fix=advice_on_missing.fix,
            columns=[str(table.names[j]) for j in missing],
        )
    return ranges


def _read_as_missing(table: InspectedColumns, columns: Sequence[int]) -> str:
    """The text in columns of numbers that is read as missing, for a message; empty where there is none."""
    examples = []
    for j in columns:
        parsing = table.text_meanings[j].parsing if j in table.text_meanings else None
        if parsing is not None and parsing.unread:
            example, _ = parsing.unread[0]
            examples.append(f"{example!r} in {table.names[j]!r}")
    if not examples:
        return ""
    more = f" and {len(examples) - _MAX_NAMED:,} more" if len(examples) > _MAX_NAMED else ""
    return f" (text that is no number is read as missing: {', '.join(examples[:_MAX_NAMED])}{more})"


def columns_hold(count: int) -> str:
    """The beginning of a message about ``count`` columns."""
    return "1 column holds" if count == 1 else f"{count:,} columns hold"
