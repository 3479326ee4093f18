"""Contingency tables of integers: the count source protocol, the reference, the native engine; kinds of arrays."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Columns = NDArray[np.intp]
Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Matrix = NDArray[np.floating]
Progress = Callable[[int, int], object] | None
