"""Types of what users hand in and receive.

Tables and columns may come from libraries that need not be installed, so no type checker can know their classes.
Their names say here what the functions accept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, SupportsIndex, TypeAlias

if TYPE_CHECKING:
    import numpy as np

#: A table: an array, a matrix of scipy.sparse, a data frame in memory, lazy or on a cluster, an Arrow table or stream,
#: or the path of a file.
TableLike: TypeAlias = Any

#: One value for each row: an array, a list, a series or an Arrow array. Or the name of a column of the table.
ColumnLike: TypeAlias = Any

#: The label of a column or of a class: most often a string; in pandas anything hashable.
Label: TypeAlias = Any

#: The name of a column, or its index.
NameOrIndex: TypeAlias = str | SupportsIndex

#: A data frame of pandas or polars, or an Arrow table.
DataFrame: TypeAlias = Any

#: An object of JSON: its values are None, numbers, strings, lists and objects of JSON.
JsonObject: TypeAlias = dict[str, Any]

#: A seed, a generator of numpy, or None for numbers that differ from call to call.
RandomState: TypeAlias = "int | np.random.RandomState | None"
