"""A target that is read in parts: what a pass over the rows must keep of it, and the classes of each part."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from bitsieve.common.messages import quoted
from bitsieve.table.encoding import Encoded
from bitsieve.table.target import (
    DEFAULT_BINS,
    MAX_JOINT_CLASSES,
    Target,
    join_targets,
    read_values,
    target_columns,
)
from bitsieve.table.target_column import TargetColumn

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from bitsieve.table.target_column import TargetPart


@dataclass(frozen=True, eq=False)
class TargetSummary:
    """What some rows of a target hold, by column; summaries of parts of the rows merge."""

    columns: Mapping[str, TargetColumn]
    joint: bool

    @classmethod
    def of_part(
        cls, y: Any, *, first_row: int = 0, weights: NDArray[np.int64] | None = None, sampled: bool = True
    ) -> TargetSummary:
        """What a part of the rows holds.

        Parameters
        ----------
        y : array-like, Series or DataFrame, pyarrow array or Table
            Of shape (n_samples,), or (n_samples, n_targets).
        first_row : int, default=0
            The number of the first of these rows in the whole table.
        weights : ndarray of int64, shape (n_samples,), optional
            Frequency weights, none of them 0.
        sampled : bool, default=True
            Whether a sample of the rows is kept, for a target of too many different numbers.
        """
        columns = split_target(y)
        found = {}
        for name, given in columns.items():
            values = read_values(given, _called(name, len(columns) > 1))
            length = len(values.codes) if isinstance(values, Encoded) else len(values)
            rows = np.arange(first_row, first_row + length) if sampled else None
            found[name] = TargetColumn.of_part(values, rows, weights)
        return cls(found, len(columns) > 1)

    @classmethod
    def merged(cls, parts: Sequence[TargetSummary]) -> TargetSummary:
        """What all parts of the rows hold."""
        first = parts[0]
        columns = {
            name: TargetColumn.merged([part.columns[name] for part in parts], _called(name, first.joint))
            for name in first.columns
        }
        return cls(columns, first.joint)

    @property
    def needs_sample(self) -> bool:
        """Whether a column holds too many numbers to know them all, and no sample of them."""
        return any(column.needs_sample for column in self.columns.values())

    def fitted(self, name: str, n_bins: int | str | None = None) -> TargetCoding:
        """How the target becomes classes: as by :func:`~bitsieve.table.target.read_target` of all rows.

        Parameters
        ----------
        name : str
            What messages call the target.
        n_bins : int or "none", optional
        """
        parts = {part: column.classes(_called(part, self.joint), n_bins) for part, column in self.columns.items()}
        bins = DEFAULT_BINS if n_bins is None else n_bins
        coding = TargetCoding(parts, Target(np.empty(0, np.int32), np.empty(0), name=name, n_bins=bins))
        if self.joint:
            return coding
        (only,) = parts.values()
        return replace(coding, target=replace(only.target, codes=np.empty(0, np.int32), name=name, n_bins=bins))


@dataclass(frozen=True, eq=False)
class TargetCoding:
    """How a target becomes classes, the same in every part of its rows.

    Attributes
    ----------
    parts : mapping of str to TargetPart
        By column.
    target : Target
        The classes, with no codes. Of several columns it is known with their combinations only.
    combinations : ndarray of int64 or None
        The numbers of the combinations of classes of several columns that occur, ascending.
    """

    parts: Mapping[str, TargetPart]
    target: Target
    combinations: NDArray[np.int64] | None = field(default=None)

    @property
    def is_joint(self) -> bool:
        """Whether it is of several columns, whose combinations must be known before there are classes."""
        return len(self.parts) > 1

    @property
    def rank_error(self) -> float:
        """By what share of the samples the rank of an edge may be off; 0: exact."""
        return max(part.rank_error for part in self.parts.values())

    @property
    def class_sizes(self) -> NDArray[np.int64] | None:
        """How many samples each class has; None where only a pass over their classes tells."""
        return None if self.is_joint else next(iter(self.parts.values())).class_sizes

    def codes(self, y: Any) -> NDArray[np.int32]:
        """The classes of some rows."""
        if not self.is_joint:
            return self._codes_by_column(y)[0]
        assert self.combinations is not None  # they are found first
        return np.searchsorted(self.combinations, self.combinations_of(y)).astype(np.int32)

    def combinations_of(self, y: Any) -> NDArray[np.int64]:
        """The number of the combination of classes of every row, among those that there might be."""
        sizes = [part.target.n_classes for part in self.parts.values()]
        if np.prod(sizes, dtype=float) > MAX_JOINT_CLASSES:
            join_targets({name: part.target for name, part in self.parts.items()})  # says why that is too many
        return np.ravel_multi_index(self._codes_by_column(y), sizes).astype(np.int64)

    def with_combinations(self, occurring: NDArray[np.int64]) -> TargetCoding:
        """The same for several columns whose combinations are known.

        Parameters
        ----------
        occurring : ndarray of int64
            Of :meth:`combinations_of`, of all rows, in any order and repeated or not.
        """
        present = np.unique(occurring)
        places = np.unravel_index(present, [part.target.n_classes for part in self.parts.values()])
        targets = {
            name: replace(part.target, codes=place.astype(np.int32))
            for (name, part), place in zip(self.parts.items(), places, strict=True)
        }
        joint = replace(
            join_targets(targets), codes=np.empty(0, np.int32), name=self.target.name, n_bins=self.target.n_bins
        )
        return replace(self, target=joint, combinations=present)

    def _codes_by_column(self, y: Any) -> tuple[NDArray[np.int32], ...]:
        given = split_target(y)
        return tuple(
            part.codes(read_values(of_column, _called(name, self.is_joint)))
            for (name, part), of_column in zip(self.parts.items(), given.values(), strict=True)
        )


def split_target(y: Any) -> dict[str, Any]:
    """The columns of a target by name; one that is a column itself has the name ``y``."""
    columns = target_columns(y)
    if columns is None:
        return {"y": y}
    return {"y": next(iter(columns.values()))} if len(columns) == 1 else columns


def _called(name: str, joint: bool) -> str:
    return f"the target {quoted([name])}" if joint else "the target"
