"""A digest of the values of a table, by which two tables are told apart when their rows are gone."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bitsieve.counts.source import CountSource
from bitsieve.counts.tables import ContingencyTable, column_blocks
from bitsieve.dataset.dataset import Dataset
from bitsieve.dataset.target import Target
from bitsieve.discretization.base import Binning
from bitsieve.discretization.separate_zero import SeparateZeroBinning

DIGEST_BYTES = 16
_SEPARATOR = b"\0"


def values_digest(table: Dataset, binner: Binning, source: CountSource) -> str:
    """The digest of all columns and the target as they were cut and counted: 32 hexadecimal digits.

    Each column has a hash of 128 bits: of its name, its cuts or categories, the classes, and the number of samples of
    every code and class. The digest is the sum of these hashes modulo 2**128. So it is the same for every order of the
    rows and of the columns, and for every engine. A column with one code has no hash.
    """
    target_hash = blake2b(_bytes_of_target(table.target), digest_size=DIGEST_BYTES).digest()
    with_several_codes = np.flatnonzero(source.arities > 1)
    arities = source.arities[with_several_codes]
    total = 0
    for block in column_blocks(1, arities, source.n_classes, source.n_samples):
        columns = with_several_codes[block]
        for j, counts in zip(columns.tolist(), source.tables(None, columns, True), strict=True):
            name = _bytes_of_text(table.names[j])
            description = _SEPARATOR.join([target_hash, name, _bytes_of_cut(binner, j)])
            total += _hash_of_column(description, counts)
    return f"{total % (1 << 8 * DIGEST_BYTES):0{2 * DIGEST_BYTES}x}"


def _hash_of_column(description: bytes, table: ContingencyTable) -> int:
    """The hash of a column; 0 where all samples have one code."""
    cells, counts = table.occupied()
    n_classes = table.shape[2]
    first_code = int(cells[0]) // n_classes
    last_code = int(cells[-1]) // n_classes
    if first_code == last_code:
        return 0
    digest = blake2b(description, digest_size=DIGEST_BYTES)
    digest.update(cells.astype("<i8", copy=False).tobytes())
    digest.update(counts.astype("<i8", copy=False).tobytes())
    return int.from_bytes(digest.digest(), "big")


def _bytes_of_target(target: Target) -> bytes:
    """The labels of the classes, and the edges of a quantity or of each column of a joint target."""
    parts = [_bytes_of_values(target.labels)]
    if target.edges is not None:
        for edge in target.edges:
            parts.append(b"" if edge is None else _bytes_of_numbers(np.ravel(edge)))
    return _SEPARATOR.join(parts)


def _bytes_of_cut(binner: Binning, j: int) -> bytes:
    """The categories of a column, or its edges."""
    categories = None if binner.categories_ is None else binner.categories_[j]
    if categories is not None:
        return b"categories" + _bytes_of_values(np.asarray(categories))
    has_zero_apart = isinstance(binner, SeparateZeroBinning) and bool(binner.zero_[j])
    kind = b"edges beside zero" if has_zero_apart else b"edges"
    return kind + _bytes_of_numbers(binner.bin_edges_[j])


def _bytes_of_values(values: NDArray[Any]) -> bytes:
    """Numbers as float64, which are the same bytes whatever type they were read in; anything else as text."""
    if values.dtype.kind in "biuf":
        return _bytes_of_numbers(values)
    return _SEPARATOR.join(_bytes_of_text(str(value)) for value in values.tolist())


def _bytes_of_numbers(numbers: NDArray[Any]) -> bytes:
    return numbers.astype("<f8").tobytes()


def _bytes_of_text(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
