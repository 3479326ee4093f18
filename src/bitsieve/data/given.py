"""The data as it was given, so that selected features can be handed back in its kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, cast

import narwhals as nw
import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Given:
    """The data as it was given, all of its rows.

    Attributes
    ----------
    take : callable
        ``take(indices)`` gives these features in that order, in the kind and with the dtypes of the data given;
        None where the data is not read again.
    with_target : callable or None
        ``with_target(names)`` gives these features, then the target and the weights, for writing to a file; None where
        the data came without them.
    whole : dataframe, ArrayTable or None
        The table in memory that held the target, too.
    weight : str or None
        The name of the frequency weights, "sample_weight" where they were given by their values.
    labels : sequence or None
        What the features are called in the data, of whatever type; None where they have no names.
    """

    take: Callable[[NDArray[np.intp]], Any]
    with_target: Callable[[Sequence[str]], Any] | None = None
    weight: str | None = None
    labels: Sequence[Any] | None = None
    whole: Any = None


def not_read_again(indices: NDArray[np.intp]) -> None:
    """What ``take`` is where the selected columns lie in files and need not fit into memory."""


def library_of(data: Any) -> str:
    """The library of data frames that results on some data are given in: its own, else pandas where it is installed."""
    frame = nw.from_native(data, pass_through=True)
    own = frame.implementation.name.lower() if isinstance(frame, (nw.DataFrame, nw.LazyFrame)) else ""
    if own in ("pandas", "polars", "pyarrow", "modin", "cudf"):  # of the others every frame is lazy
        return own
    return "pandas" if find_spec("pandas") else "pyarrow"


def frame_of(columns: Mapping[str, Any], library: str) -> Any:
    """A data frame of a library."""
    return nw.from_dict(columns, backend=cast(Any, library)).to_native()
