"""Names for the kinds of arrays that are passed around."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Columns = NDArray[np.intp]  # indices of columns, or other places
Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Matrix = NDArray[np.floating]
Progress = Callable[[int, int], object] | None  # called with how much is done and how much there is to do
