"""A digest of the values of a table, by which two tables are told apart when their rows are gone."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

import numpy as np

from bitsieve.dataset.target import Target
from bitsieve.discretization.ragged_array import RaggedArray
from bitsieve.pipeline.discretize import CountedTable
from bitsieve.utils.arrays import Columns, Values

DIGEST_BYTES = 16


def values_digest(counted_table: CountedTable) -> str:
    """The digest of all columns and the target as they were cut and counted: 32 hexadecimal digits.

    It is made of the classes and their sizes and, for each column with several codes, of its name, its edges or
    categories, the number of its codes and its plug-in information about the target. So it is the same for every order
    of the rows and of the columns, and for every engine.
    """
    binner = counted_table.binner
    information = counted_table.information
    arities = information.source.arities
    varying_columns = np.flatnonzero(arities > 1).tolist()
    sorted_columns = sorted((str(counted_table.table.names[j]), j) for j in varying_columns)
    columns = np.array([j for _, j in sorted_columns], np.intp)

    digest = blake2b(_bytes_of_target(counted_table.table.target), digest_size=DIGEST_BYTES)
    digest.update(information.source.class_sizes.astype("<i8").tobytes())
    digest.update(_bytes_of_texts([name for name, _ in sorted_columns]))
    digest.update(_bytes_of_arrays(binner.bin_edges_, columns))
    if binner.bins_within:
        for edges in binner.bin_edges_of_strata_:
            digest.update(_bytes_of_arrays(edges, columns))
    if binner.categories_ is not None:
        digest.update(_bytes_of_arrays(binner.categories_, columns))
    digest.update(arities[columns].astype("<i8").tobytes())
    digest.update(information.relevance[columns].astype("<f8").tobytes())
    return digest.hexdigest()


def _bytes_of_target(target: Target) -> bytes:
    """The labels of the classes, and each edge of a quantity, or the edges of each column of a joint target."""
    parts = [_bytes_of_values(target.labels)]
    if isinstance(target.edges, list):
        parts += [b"" if edges is None else edges.astype("<f8").tobytes() for edges in target.edges]
    elif target.edges is not None:
        parts += [edge.astype("<f8").tobytes() for edge in target.edges]
    return b"\0".join(parts)


def _bytes_of_arrays(arrays: Sequence[Values | None], columns: Columns) -> bytes:
    """The arrays of some columns; None is a column without one."""
    if isinstance(arrays, RaggedArray):
        subset = arrays.take(columns)
        return subset.lengths.astype("<i8").tobytes() + subset.values.astype("<f8").tobytes()
    parts: list[bytes] = []
    for j in columns.tolist():
        array = arrays[j]
        parts.append(b"" if array is None else _bytes_of_values(array))
    return b"\0".join(parts)


def _bytes_of_values(values: Values) -> bytes:
    """Numbers as float64, which are the same bytes whatever type they were read in; anything else as text."""
    if values.dtype.kind in "biuf":
        return values.astype("<f8").tobytes()
    return _bytes_of_texts([str(value) for value in values.tolist()])


def _bytes_of_texts(texts: list[str]) -> bytes:
    return "\0".join(texts).encode("utf-8", "surrogatepass")
