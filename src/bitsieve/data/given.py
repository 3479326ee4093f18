"""The data as it was given, so that selected features can be handed back in its kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

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
