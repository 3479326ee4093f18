"""Rows of codes and classes in memory: what they must be to be counted, and their order class by class."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bitsieve import _native
from bitsieve.counts import Columns, Integers
from bitsieve.counts.terms import MAX_SAMPLES

MAX_CODES = 1 << 16
MAX_FEATURES = 10**6


def checked_codes(codes: NDArray[Any]) -> NDArray[Any]:
    if codes.ndim != 2 or not codes.size:
        raise ValueError(
            f"codes of shape {codes.shape} are not a table; give (n_samples, n_features), neither of them 0"
        )
    if codes.dtype.kind not in "iub":
        raise ValueError(f"codes of type {codes.dtype} are not integers; bin the columns first")
    n_samples, n_features = codes.shape
    if n_samples > MAX_SAMPLES:
        raise ValueError(f"{n_samples} samples are more than the limit of 2**31; count them in parts")
    if n_features > MAX_FEATURES:
        raise ValueError(f"{n_features} features are more than the limit of 10**6; filter the columns first")
    if codes.dtype in (np.uint8, np.uint16):
        return codes
    if codes.dtype.kind == "i" and codes.min() < 0:
        raise ValueError(f"code {codes.min()} is negative; codes are 0, 1, 2, ... (CategoricalBinner makes them)")
    largest = int(codes.max())
    if largest >= MAX_CODES:
        raise ValueError(f"code {largest} is beyond the limit of 65,536 codes a feature; use fewer bins")
    return codes.astype(np.uint8 if largest < 256 else np.uint16)


def check_sparse_rows(n_rows: int) -> None:
    """Refuse more rows of a sparse table than 32 bits number."""
    if n_rows > MAX_SAMPLES - 1:
        raise ValueError(f"X has {n_rows:,} samples: at most 2**31 - 1 are supported in a sparse table")


def check_joint_values(group: Columns, n_values: int) -> None:
    """Refuse a group of columns with more joint values than a feature may have codes."""
    if n_values > MAX_CODES:
        raise ValueError(f"a group of {len(group)} columns has {n_values:,} combinations: at most 65,536")


def checked_weights(weights: NDArray[Any], n_rows: int) -> Integers:
    if weights.shape != (n_rows,):
        raise ValueError(f"weights of shape {weights.shape} do not fit {n_rows} samples; give one weight a sample")
    if weights.dtype.kind not in "iub" or weights.min() < 1:
        raise ValueError("weights must be whole numbers from 1: leave out rows of weight 0, round others")
    if weights.sum(dtype=np.float64) > MAX_SAMPLES:
        raise ValueError(
            f"the weights sum to {weights.sum(dtype=np.float64):,.0f} samples, more than the limit of 2**31: "
            "scale them down, such as by np.rint(100 * w / w.max())"
        )
    return weights.astype(np.int64)


def checked_classes(classes: NDArray[Any], n_samples: int, n_classes: int | None) -> NDArray[Any]:
    if classes.shape != (n_samples,):
        raise ValueError(f"classes of shape {classes.shape} do not fit {n_samples} samples; give one class a sample")
    if classes.dtype.kind not in "iub" or (classes.dtype.kind == "i" and classes.min() < 0):
        raise ValueError("classes must be codes 0, 1, 2, ...; encode the labels first")
    if n_classes is not None and int(classes.max()) >= n_classes:
        raise ValueError(f"class {int(classes.max())} is not below n_classes={n_classes}")
    return classes


def class_order(
    classes: NDArray[np.integer], weights: Integers | None, n_classes: int
) -> tuple[NDArray[np.uint32], Integers]:
    """The rows class by class, each as often as its weight says; and how many samples each class has."""
    order, sizes = _native.class_order(np.ascontiguousarray(classes, np.int32), n_classes)
    if weights is None:
        return order, sizes
    return np.repeat(order, weights[order]), sizes_of_classes(classes, weights, n_classes)


def sizes_of_classes(classes: NDArray[np.integer], weights: Integers | None, n_classes: int) -> Integers:
    """How many samples each class has."""
    # Sums of weights are at most 2**31: the floats that bincount makes of them are exact.
    return np.bincount(classes, weights, minlength=n_classes).astype(np.int64)
