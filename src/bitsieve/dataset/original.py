"""The data as the user gave it, from which selected columns are taken again in its own kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from bitsieve.utils.arrays import Columns


@dataclass(frozen=True, eq=False)
class OriginalData:
    """The data as the user gave it, all of its rows."""

    # ``take(indices)`` returns these features in that order, in the kind and with the dtypes of the data; None where
    # the data is not read again
    take: Callable[[Columns], Any]
    # ``with_target(names)`` returns these features, then the target and the weights, for writing to a file; None where
    # the data came without them
    with_target: Callable[[Sequence[str]], Any] | None = None
    # the name of the frequency weights, "sample_weight" where they were given by their values
    weight: str | None = None
    # what the features are called in the data, of whatever type; None where they have no names
    labels: Sequence[Any] | None = None
    table: Any = None  # the table in memory that held the target, too
    groups: str | None = None  # the name of the groups, "groups" where they were given by their values


def not_read_again(indices: Columns) -> None:
    """``take`` of data whose selected columns lie in files and need not fit into memory."""
