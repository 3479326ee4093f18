"""The data as the user gave it, from which the selected columns are taken."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from bitsieve.utils.arrays import Columns
from bitsieve.utils.column_names import STRATUM
from bitsieve.utils.types import Label, TableLike


class OriginalData(NamedTuple):
    """The data as the user gave it, with all of its rows."""

    #: ``take(indices)`` returns these features in that order, as the same kind of data with the same dtypes. It returns
    #: None where the data is not read again.
    take: Callable[[Columns], TableLike]
    #: ``with_target(names)`` returns these features, then the target and the weights, to be written to a file. None
    #: where the data does not hold the target.
    with_target: Callable[[Sequence[str]], TableLike] | None = None
    #: The name of the frequency weights, "sample_weight" if they were given by their values. None without weights.
    weight: str | None = None
    #: The labels of the features in the data, of any type. None where they have none.
    labels: Sequence[Label] | None = None
    table: TableLike = None  # the table in memory that also held the target
    groups: str | None = None  # the name of the groups, "groups" if they were given by their values
    strata: str | list[str] | None = None  # the names of the strata, "strata" if they were given by their values

    @property
    def role_of_column(self) -> dict[str, str]:
        """What the columns of the weights, the groups and the strata are, by their names."""
        roles: dict[str, str] = {}
        if self.weight is not None:
            roles[self.weight] = "the weight"
        if self.groups is not None:
            roles[self.groups] = "the groups"
        strata = self.strata or []
        return roles | dict.fromkeys([strata] if isinstance(strata, str) else strata, STRATUM)


def not_read_again(indices: Columns) -> None:
    """The ``take`` of data in files that may not fit into memory: it returns None."""
