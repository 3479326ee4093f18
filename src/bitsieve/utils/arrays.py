"""Types of arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Columns = NDArray[np.intp]  # indices, most often of columns
Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Matrix = NDArray[np.floating]
Values = NDArray[Any]  # numbers, text, times or objects
Progress = Callable[[int, int], object] | None  # called with how much is done and how much there is to do
