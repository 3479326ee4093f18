"""The target to class codes: classes as they are, a continuous target by equal frequency."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import narwhals as nw
import numpy as np
from sklearn.utils.validation import column_or_1d

from bitsieve.binning.assign import assign
from bitsieve.binning.cuts import equal_frequency_cuts
from bitsieve.binning.encoding import Encoded, encode, occurring
from bitsieve.binning.parameters import check_integer

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Target:
    """Class codes of the samples.

    Attributes
    ----------
    codes : ndarray of int32, shape (n_samples,)
        In ``0 .. n_classes - 1``; every class occurs.
    labels : ndarray, shape (n_classes,)
        The sorted distinct values, or the intervals as text when the target was binned.
    edges : ndarray of float64 or None
        The inner edges of a binned target; a value on an edge belongs to the interval below it.
    kind : {"classes", "binned"}
    """

    codes: NDArray[np.int32]
    labels: NDArray[Any]
    edges: NDArray[np.float64] | None = None
    kind: Literal["classes", "binned"] = "classes"

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.labels)

    def take(self, rows: NDArray[np.intp]) -> Target:
        """The target of some of the samples, with the classes that occur among them."""
        codes, labels = occurring(Encoded(self.codes, self.labels), rows)
        return Target(codes, labels, self.edges, self.kind)


def read_target(y: Any, *, n_bins: int = 5) -> Target:
    """Read a target of any kind.

    Integers, text, booleans, categories and dates are classes. A target is continuous if it holds floats of which
    one has a fractional part; it is cut into ``n_bins`` intervals of equal frequency.

    Parameters
    ----------
    y : array-like, pandas or polars Series, pyarrow array, of shape (n_samples,)
    n_bins : int, default=5
        Intervals of a continuous target.

    Returns
    -------
    Target

    Raises
    ------
    ValueError
        If values are missing or infinite (the message tells how many), or there are none.

    Examples
    --------
    >>> from bitsieve.binning import read_target
    >>> target = read_target(["no", "yes", "no"])
    >>> target.codes.tolist(), target.labels.tolist()
    ([0, 1, 0], ['no', 'yes'])
    """
    check_integer("n_bins", n_bins, 2, 65_535)
    values = _read(y)
    n_samples = len(values.codes) if isinstance(values, Encoded) else len(values)
    if not n_samples:
        raise ValueError("the target is empty: at least one sample is required")
    missing, infinite = _count(values)
    if missing:
        raise ValueError(
            f"the target has {missing:,} missing values (NaN) among {n_samples:,}: drop those samples or fill them in"
        )
    if infinite:
        raise ValueError(f"the target has {infinite:,} infinite values (inf) among {n_samples:,}: drop those samples")
    if isinstance(values, Encoded):
        return Target(values.codes, values.categories)
    if values.dtype.kind == "f" and (values != np.floor(values)).any():
        return _binned(values.astype(np.float64), n_bins)
    return Target(*encode(values))


def _read(y: Any) -> NDArray[Any] | Encoded:
    """The target as a 1-D array of numbers or dates, or as codes."""
    series = nw.from_native(y, pass_through=True, allow_series=True)
    pyarrow = nw.dependencies.get_pyarrow()
    if isinstance(series, nw.Series):
        if not series.dtype.is_numeric() and series.dtype != nw.Object and not series.dtype.is_temporal():
            return _arrow(series.to_arrow())
        array = series.to_numpy()
    elif pyarrow is not None and isinstance(y, pyarrow.Array):
        return _arrow(y)
    else:
        array = np.asarray(y)
        if array.dtype.kind in "US" and not isinstance(y, np.ndarray):
            array = np.asarray(y, dtype=object)
    if array.dtype.kind == "c":
        raise ValueError("Complex data not supported: give classes or real numbers as the target")
    array = column_or_1d(array, warn=True)
    if array.dtype.kind in "biufmM":
        return array
    return _arrow(array)


def _arrow(values: Any) -> NDArray[Any] | Encoded:
    from bitsieve.binning.arrow_values import column_of_arrow, column_of_objects

    read = column_of_objects if isinstance(values, np.ndarray) else column_of_arrow
    return read(values, "the target")


def _count(values: NDArray[Any] | Encoded) -> tuple[int, int]:
    """Numbers of missing and of infinite values."""
    if isinstance(values, Encoded):
        return int((values.codes < 0).sum()), 0
    if values.dtype.kind in "mM":
        return int(np.isnat(values).sum()), 0
    if values.dtype.kind == "f":
        return int(np.isnan(values).sum()), int(np.isinf(values).sum())
    return 0, 0


def _binned(values: NDArray[np.float64], n_bins: int) -> Target:
    edges = equal_frequency_cuts(values, n_bins)
    codes = np.empty(len(values), np.int32)
    assign(values, edges, "left", codes)
    bounds = ["-inf", *(f"{edge:g}" for edge in edges), "inf"]
    ends = [*"]" * len(edges), ")"]
    labels = [f"({low}, {high}{end}" for low, high, end in zip(bounds, bounds[1:], ends, strict=False)]
    return Target(codes, np.array(labels, dtype=object), edges, "binned")
