"""The samples that a method on rows receives, as numbers and codes; and centred or standardised columns of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from bitsieve.diagnostics import UserError
from bitsieve.information.protocol import Information
from bitsieve.utils.arrays import Columns, Flags, Floats, Values

if TYPE_CHECKING:
    from scipy.sparse import csc_array

    from bitsieve.dataset.encoding import Encoded


@dataclass(frozen=True)
class Rows:
    """The samples of a table: numbers of the numeric columns, codes of the categorical ones."""

    numbers: Floats  # shape (n_samples, n_numeric); nan where missing
    codes: NDArray[np.int32]  # shape (n_samples, n_categorical); -1 where missing
    numeric: Columns  # the columns of the table that are numeric
    categorical: Columns

    @property
    def n_samples(self) -> int:
        return len(self.numbers)

    @property
    def n_features(self) -> int:
        """Number of columns of the table."""
        return len(self.numeric) + len(self.categorical)

    @property
    def varies(self) -> Flags:
        """Which columns have at least two different values, shape (n_features,)."""
        varies = np.zeros(self.n_features, bool)
        varies[self.numeric] = np.fmin.reduce(self.numbers, axis=0) < np.fmax.reduce(self.numbers, axis=0)
        smallest = np.where(self.codes < 0, np.iinfo(np.int32).max, self.codes).min(axis=0)
        varies[self.categorical] = smallest < self.codes.max(axis=0)
        return varies


class Coded(NamedTuple):
    """Binned columns."""

    codes: NDArray[np.uint8] | NDArray[np.uint16]  # shape (n_samples, n_features)
    binner: object  # the fitted binner


class Samples(Protocol):
    """The samples of a table and their classes; a sample with a frequency weight is repeated as often.

    Methods that return values raise ValueError where values are infinite, or missing and not allowed.
    """

    n_samples: int
    n_features: int
    dropped: Sequence[int]  # columns that hold one value in every row
    names: Sequence[str]  # of the columns
    classes: NDArray[np.int32]  # of every sample, a code
    n_classes: int
    quantity: Floats | None  # the target of every sample if it is a quantity; its bins are then the classes
    labels: Values  # of the classes

    def rows(self, *, takes_missing: bool = False) -> Rows:
        """The numbers of the numeric columns and the codes of the categorical ones."""

    def numbers(self, setting: str = "") -> tuple[Floats, Flags]:
        """All columns as numbers, and which vary; categories are refused, with ``setting`` in the message."""

    def values(self) -> Values | csc_array:
        """All columns as numbers of any type and layout, or as a CSC array; tables that are too large are refused."""

    def categorical(self, column: int) -> Encoded | None:
        """A column of categories; None of numbers."""

    def coded(self) -> Coded | None:
        """All columns as codes; None if the user asks for no bins."""

    def counted(self, kind: str) -> Information:
        """The information of the columns that vary: each distinct value a code ("distinct"), or ten bins ("binned")."""


def refuse_large(values: Values, limit: float) -> None:
    """Refuse numbers whose size exceeds a limit."""
    if values.dtype.kind != "f" or values.dtype.itemsize < 8:
        return
    largest = float(max(-values.min(initial=0.0), values.max(initial=0.0)))
    if largest > limit:
        raise UserError(
            code="values-too-large",
            message=f"values of up to {largest:.3g} are too large to be added up",
            advice="divide their columns first",
        )


class Centred(NamedTuple):
    """Columns less their means; column j is ``values[:, j] * 2.0**exponents[j]``, with a largest value near 1."""

    values: Floats
    exponents: NDArray[np.integer]


def centre(numbers: Floats) -> Centred:
    """Centre columns that vary; numbers of any size, without overflow."""
    _, exponents = np.frexp(np.abs(numbers).max(axis=0))
    scaled = np.ldexp(numbers, -exponents)
    centred = scaled - np.add.reduce(scaled, axis=0) / len(scaled)
    _, centred_exponents = np.frexp(np.abs(centred).max(axis=0))
    return Centred(np.ldexp(centred, -centred_exponents), exponents + centred_exponents)


def standardize(numbers: Floats) -> Floats:
    """Columns, shape (n_samples, n_features), as rows of mean 0 and standard deviation 1; constants are 0."""
    varies = numbers.min(axis=0, initial=np.inf) < numbers.max(axis=0, initial=-np.inf)
    out = np.zeros(numbers.shape[::-1])
    if varies.any():
        values = centre(numbers[:, varies]).values.T
        spread = np.sqrt(np.add.reduce(values * values, axis=1) / values.shape[1])
        out[varies] = values / spread[:, None]
    return out
