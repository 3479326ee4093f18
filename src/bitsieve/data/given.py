"""The data as it was given: of what kind it is, and how selected features are handed back in that kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from os import PathLike
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Given:
    """The data as it was given, all of its rows."""

    # ``take(indices)`` gives these features in that order, in the kind and with the dtypes of the data given; None
    # where the data is not read again
    take: Callable[[NDArray[np.intp]], Any]
    # ``with_target(names)`` gives these features, then the target and the weights, for writing to a file; None where
    # the data came without them
    with_target: Callable[[Sequence[str]], Any] | None = None
    # the name of the frequency weights, "sample_weight" where they were given by their values
    weight: str | None = None
    # what the features are called in the data, of whatever type; None where they have no names
    labels: Sequence[Any] | None = None
    whole: Any = None  # the table in memory that held the target, too


def not_read_again(indices: NDArray[np.intp]) -> None:
    """What ``take`` is where the selected columns lie in files and need not fit into memory."""


def is_path(data: Any) -> bool:
    """Whether something is the path of a file or a folder, or several paths of files that are one table."""
    if isinstance(data, (list, tuple)) and data:
        return all(isinstance(one, (str, PathLike)) for one in data)
    return isinstance(data, (str, PathLike))


def with_rows(data: Any) -> Any:
    """A lazy frame collected, a record batch as a pyarrow table, anything else as it is."""
    if _is_record_batch(data):
        import pyarrow as pa

        return pa.table(data)
    if _is_of_a_cluster(data):
        library = type(data).__module__.partition(".")[0]
        raise ValueError(
            f"the data is a frame of {library}, whose rows may be too many for memory: if they are not, give them as a "
            "table in memory, such as by compute() or toArrow()"
        )
    if not is_lazy(data):
        return data
    import narwhals as nw

    return nw.from_native(data).collect().to_native()


def is_frame(data: Any) -> bool:
    """Whether something is a data frame in memory."""
    import narwhals as nw

    return nw.dependencies.is_into_dataframe(data)


def is_lazy(data: Any) -> bool:
    """Whether something is a lazy frame, such as a relation of a database."""
    if is_frame(data):
        return False
    import narwhals as nw

    return _is_of_a_cluster(data) or isinstance(nw.from_native(data, pass_through=True), nw.LazyFrame)


def gives_batches(data: Any) -> bool:
    """Whether something is read in batches: it speaks the Arrow stream protocol, or is of a kind that gives batches."""
    import narwhals as nw

    kind = type(data)
    at_once = hasattr(kind, "__arrow_c_array__") or nw.dependencies.is_into_series(data)  # one batch, or one column
    return not at_once and any(hasattr(kind, name) for name in ("__arrow_c_stream__", "collect_batches", "scanner"))


def keeps_columns_only(data: Any) -> bool:
    """Whether the data is a lazy frame or a record batch, from which columns are taken by name."""
    return _is_record_batch(data) or is_lazy(data)


def take_columns(data: Any, names: Sequence[str]) -> Any:
    """Columns of a lazy frame or a record batch, in its own kind."""
    if _is_record_batch(data):
        return data.select(list(names))
    import narwhals as nw

    return nw.from_native(data).lazy().select(list(names)).to_native()


def _is_of_a_cluster(data: Any) -> bool:
    return hasattr(data, "persist") and hasattr(data, "columns")  # it may be kept where it is


def _is_record_batch(data: Any) -> bool:
    return hasattr(data, "__arrow_c_array__") and hasattr(data, "num_columns")


def library_of(data: Any) -> str:
    """The library of data frames that results on some data are given in: its own, else pandas where it is installed."""
    import narwhals as nw

    frame = nw.from_native(data, pass_through=True)
    lazy = isinstance(frame, nw.LazyFrame) and frame.implementation.is_polars()  # others have no frames in memory
    if lazy or isinstance(frame, nw.DataFrame):
        return str(frame.implementation.name.lower())
    with suppress(ModuleNotFoundError):  # of a finder that refuses the name
        if find_spec("pandas"):
            return "pandas"
    return "pyarrow"


def frame_of(columns: Mapping[str, Any], library: str) -> Any:
    """A data frame of a library."""
    import narwhals as nw

    return nw.from_dict(columns, backend=cast(Any, library)).to_native()
