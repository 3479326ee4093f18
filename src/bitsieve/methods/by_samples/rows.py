"""What a method on rows is given: numbers and codes, without the table they came from; columns that are centred."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from bitsieve.diagnostics import UserError
from bitsieve.information.protocol import Information
from bitsieve.utils.arrays import Columns, Flags, Floats

if TYPE_CHECKING:
    from scipy.sparse import csc_array


@dataclass(frozen=True)
class Rows:
    """The samples of a table, numeric columns apart from categorical ones; missing values are NaN, or code -1."""

    numbers: Floats
    codes: NDArray[np.int32]
    numeric: Columns
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
        out = np.zeros(self.n_features, bool)
        out[self.numeric] = np.fmin.reduce(self.numbers, axis=0) < np.fmax.reduce(self.numbers, axis=0)
        smallest = np.where(self.codes < 0, np.iinfo(np.int32).max, self.codes).min(axis=0)
        out[self.categorical] = smallest < self.codes.max(axis=0)
        return out


class Coded(NamedTuple):
    """Columns as codes, shape (n_samples, n_features), and the fitted binner that gave them."""

    codes: NDArray[np.uint8] | NDArray[np.uint16]
    binner: object


class Samples(Protocol):
    """The samples of a table and their classes; each is there as often as its weight says.

    What gives values raises ValueError where they are infinite, or missing and not allowed.
    """

    n_samples: int
    n_features: int
    left_out: Sequence[int]  # columns that hold one value in every row
    names: Sequence[str]  # of the columns
    classes: NDArray[np.int32]  # of every sample, a code
    n_classes: int
    quantity: Floats | None  # of every sample, where the target is a quantity; the classes are those of its cut
    labels: NDArray[Any]  # of the classes

    def rows(self, *, takes_missing: bool = False) -> Rows:
        """Numeric columns apart from categorical ones."""

    def numbers(self, setting: str = "") -> tuple[Floats, Flags]:
        """All columns as numbers, and which vary; ``setting``: what needs numbers, for the refusal of categories."""

    def values(self) -> NDArray[Any] | csc_array:
        """All columns as numbers of any numeric type and layout, or CSC; too large ones are refused."""

    def categories(self, column: int) -> NDArray[Any] | None:
        """The categories of a column; None of numbers."""

    def coded(self) -> Coded | None:
        """All columns binned; None where they are to be taken as they are."""

    def counted(self, kind: str) -> Information:
        """The information of the columns that vary: each distinct value a code ("distinct"), or ten bins ("binned")."""


def refuse_large(values: NDArray[Any], limit: float) -> None:
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
    """Columns less their means, each in a unit of its own, ``2.0**exponents``, in which its largest value is near 1."""

    values: Floats
    exponents: NDArray[np.integer]


def centre(numbers: Floats) -> Centred:
    """Centre columns that vary; numbers of any size, without overflow."""
    _, exponents = np.frexp(np.abs(numbers).max(axis=0))
    scaled = np.ldexp(numbers, -exponents)
    centred = scaled - np.add.reduce(scaled, axis=0) / len(scaled)
    _, more = np.frexp(np.abs(centred).max(axis=0))
    return Centred(np.ldexp(centred, -more), exponents + more)


def standardize(numbers: Floats) -> Floats:
    """Columns, shape (n_samples, n_features), as rows of mean 0 and standard deviation 1; constants are 0."""
    varies = numbers.min(axis=0, initial=np.inf) < numbers.max(axis=0, initial=-np.inf)
    out = np.zeros(numbers.shape[::-1])
    if varies.any():
        values = centre(numbers[:, varies]).values.T
        spread = np.sqrt(np.add.reduce(values * values, axis=1) / values.shape[1])
        out[varies] = values / spread[:, None]
    return out
