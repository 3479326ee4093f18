"""Checks of what a source of counts is made from: codes, classes and weights within its limits."""

from __future__ import annotations

import numpy as np

from bitsieve.counts.tables import MAX_SAMPLES
from bitsieve.diagnostics import UserError
from bitsieve.utils.arrays import Columns, Integers, Values

MAX_CODES = 1 << 16
MAX_FEATURES = 10**6
ADVICE_ON_LARGE_WEIGHTS = "divide them by a number, or say that they are those of a survey: their kind is 'sampling'"


def checked_codes(codes: Values) -> Values:
    """The codes as uint8 or uint16, refused where they are no table of codes or beyond a limit."""
    if codes.ndim != 2 or not codes.size:
        raise UserError(
            code="invalid-codes",
            message=f"codes of shape {codes.shape} are not a table",
            advice="give (n_samples, n_features), neither of them 0",
        )
    if codes.dtype.kind not in "iub":
        raise UserError(
            code="invalid-codes",
            message=f"codes of type {codes.dtype} are not integers",
            advice="bin the columns first",
        )
    n_samples, n_features = codes.shape
    if n_samples > MAX_SAMPLES:
        raise UserError(
            code="too-many-rows",
            message=f"{n_samples} samples are more than the limit of 2**31",
            advice="count them in parts",
        )
    if n_features > MAX_FEATURES:
        raise UserError(
            code="too-many-columns",
            message=f"{n_features} features are more than the limit of 10**6",
            advice="filter the columns first",
        )
    if codes.dtype in (np.uint8, np.uint16):
        return codes
    if codes.dtype.kind == "i" and codes.min() < 0:
        raise UserError(
            code="invalid-codes",
            message=f"code {codes.min()} is negative",
            advice="codes are 0, 1, 2, ... (CategoricalBinner makes them)",
        )
    largest = int(codes.max())
    if largest >= MAX_CODES:
        raise UserError(
            code="too-many-bins",
            message=f"code {largest} is beyond the limit of 65,536 codes a feature",
            advice="use fewer bins",
        )
    return codes.astype(np.uint8 if largest < 256 else np.uint16)


def check_sparse_rows(n_rows: int) -> None:
    """Refuse a sparse table with more rows than signed 32-bit integers can number."""
    if n_rows > MAX_SAMPLES - 1:
        raise UserError(
            code="too-many-rows",
            message=f"X has {n_rows:,} samples",
            advice="at most 2**31 - 1 are supported in a sparse table",
        )


def check_joint_values(group: Columns, n_values: int) -> None:
    """Refuse a group of columns with more joint values than a feature may have codes."""
    if n_values > MAX_CODES:
        raise UserError(
            code="too-many-bins",
            message=f"a group of {len(group)} columns has {n_values:,} combinations",
            advice="at most 65,536",
        )


def checked_weights(weights: Values, n_rows: int) -> Integers:
    """The frequency weights as int64, refused where they are not whole numbers from 1."""
    if weights.shape != (n_rows,):
        raise UserError(
            code="lengths-differ",
            message=f"weights of shape {weights.shape} do not fit {n_rows} samples",
            advice="give one weight a sample",
        )
    if weights.dtype.kind not in "iub" or weights.min() < 1:
        raise UserError(
            code="invalid-weights",
            message="weights must be whole numbers from 1",
            advice="leave out rows of weight 0, and round the others",
        )
    if weights.sum(dtype=np.float64) > MAX_SAMPLES:
        raise UserError(
            code="invalid-weights",
            message=(f"the weights sum to {weights.sum(dtype=np.float64):,.0f} samples, more than the limit of 2**31"),
            advice=ADVICE_ON_LARGE_WEIGHTS,
        )
    return weights.astype(np.int64)


def checked_classes(classes: Values, n_samples: int, n_classes: int | None) -> Values:
    """The classes as they are, refused where they are not codes below ``n_classes`` (None: any codes)."""
    if classes.shape != (n_samples,):
        raise UserError(
            code="lengths-differ",
            message=f"classes of shape {classes.shape} do not fit {n_samples} samples",
            advice="give one class a sample",
        )
    if classes.dtype.kind not in "iub" or (classes.dtype.kind == "i" and classes.min() < 0):
        raise UserError(
            code="invalid-codes",
            message="classes must be codes 0, 1, 2, ...",
            advice="encode the labels first",
        )
    if n_classes is not None and int(classes.max()) >= n_classes:
        raise UserError(
            code="invalid-codes",
            message=f"class {int(classes.max())} is not below n_classes={n_classes}",
        )
    return classes
