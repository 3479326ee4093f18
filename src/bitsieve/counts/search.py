"""What looked at the classes before the columns were codes, and can be repeated with other classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    Integers = NDArray[np.int64]
    Columns = NDArray[np.intp]


class ClassSearch(Protocol):
    """A way to make codes of columns that depends on the classes, such as cuts by description length.

    A test of independence must repeat it after every shuffle of the classes: codes that were made to fit the classes
    tell something about them by chance alone.

    Attributes
    ----------
    classes : ndarray of int64, shape (n_samples,)
        Of every sample, in an order of its own.
    n_classes : int
    """

    classes: Integers
    n_classes: int

    def codes(self, column: int) -> Integers:
        """The codes that were made with the classes as they are, one a sample."""

    def log_codings(self, column: int) -> float:
        """A price for the search: the sum of ``exp(-log_codings)`` over all codings a column might get is at most 1."""

    def recoded(self, classes: Integers, columns: Columns) -> Iterator[tuple[int, Integers]]:
        """Those of ``columns`` that have several codes when they are made with other classes, and these codes."""


class JoinedSearch(ClassSearch):
    """The same for groups of columns, whose codes are the joint values of their columns.

    Parameters
    ----------
    search : ClassSearch
    groups : sequence of ndarray of int
    """

    def __init__(self, search: ClassSearch, groups: Sequence[Columns]) -> None:
        self.search, self.groups = search, groups
        self.classes, self.n_classes = search.classes, search.n_classes

    def codes(self, column: int) -> Integers:
        """The joint codes of a group."""
        return joint_codes([self.search.codes(int(member)) for member in self.groups[column]], len(self.classes))

    def log_codings(self, column: int) -> float:
        """The price for the search of all columns of a group."""
        return sum(self.search.log_codings(int(member)) for member in self.groups[column])

    def recoded(self, classes: Integers, columns: Columns) -> Iterator[tuple[int, Integers]]:
        """The groups that have several joint values, and these."""
        for column in columns:
            made = [codes for _, codes in self.search.recoded(classes, self.groups[column])]
            if made:
                yield int(column), joint_codes(made, len(classes))


def joint_codes(columns: Sequence[Integers], n_samples: int) -> Integers:
    """The number of every sample's joint value among those that occur, in lexicographic order."""
    joint = np.zeros(n_samples, np.int64)
    for codes in columns:
        pairs = joint * (int(codes.max()) + 1) + codes
        joint = np.unique(pairs, return_inverse=True)[1].reshape(-1).astype(np.int64)
    return joint
