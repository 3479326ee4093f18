"""The warning of rows that seem to belong together, although every rule takes them for independent draws."""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

from bitsieve.dataset.dataset import Dataset, InMemoryDataset
from bitsieve.dataset.encoding import are_categories
from bitsieve.diagnostics import Diagnostic
from bitsieve.pipeline.notes import row_notes
from bitsieve.utils.arrays import Values

#: Names of columns that say to which person a row belongs: "patient_id", "Subject", "customer id".
NAMES_OF_UNITS = re.compile(
    r"(?:subject|patient|person|participant|customer|user|client)?[\W_]*(?:ids?|subject|patient|person|participant)",
    re.I,
)
MAX_RUNS_SCORE = -6.0  # standard deviations: one column of noise in a thousand million has so few runs
MIN_SHARE_ALIKE = 0.25  # of the columns
MAX_ROWS_TESTED = 1 << 15
MAX_COLUMNS_TESTED = 200


class RunsTests(NamedTuple):
    """Tests whether rows that follow each other are alike, one for each column."""

    n_tested: int  # columns
    n_alike: int  # columns of which rows that follow each other are alike


def on_rows(table: Dataset) -> list[Diagnostic]:
    """Whether several rows seem to belong together, although every rule takes them for independent draws.

    They do if a column names persons that repeat, or if rows that follow each other are alike.
    """
    rows = table.rows
    if rows is None or not {"independent", "dense"} <= table.capabilities:
        return []
    for j, name in enumerate(table.names):
        if NAMES_OF_UNITS.fullmatch(str(name)):
            n_values = len(np.unique(_values(rows, j)))
            if 1 < n_values <= table.n_samples / 2:
                return [row_notes.repeated_identifier(str(name), n_values, table.n_samples)]
    runs_tests = _test_runs(rows)
    if runs_tests.n_alike < max(2, MIN_SHARE_ALIKE * runs_tests.n_tested):
        return []
    return [row_notes.rows_alike(runs_tests.n_alike, runs_tests.n_tested)]


def _values(table: InMemoryDataset, j: int) -> Values:
    """The numbers of a column, or the codes of its categories."""
    values = table.values(j)
    return values.codes if are_categories(values) else values


def _test_runs(table: InMemoryDataset) -> RunsTests:
    """Test in each column whether rows that follow each other are alike.

    The test is that of runs by Wald and Wolfowitz, within each class: of n values of which h are above the mean of the
    column, the changes between above and below have, after shuffles, with ``a = 2 h (n - h)`` the mean ``a / n`` and
    the variance ``a (a - n) / (n^2 (n - 1))``. Sorted columns are not tested.
    """
    classes = table.target.codes[:MAX_ROWS_TESTED]
    order = np.argsort(classes, kind="stable")
    is_same_class = np.diff(classes[order]) == 0
    class_sizes = np.bincount(classes).astype(float)
    n = np.maximum(class_sizes, 2)  # a class of one row has no change: 0 above, whatever it is divided by
    n_tested = 0
    n_alike = 0
    for j in range(min(table.n_features, MAX_COLUMNS_TESTED)):
        values = np.nan_to_num(_values(table, j)[:MAX_ROWS_TESTED].astype(float))
        steps = np.diff(values)
        if (steps >= 0).all() or (steps <= 0).all():
            continue
        is_high = values > values.mean()
        n_high = np.bincount(classes, is_high, len(class_sizes))
        a = 2 * n_high * (class_sizes - n_high)
        mean = (a / n).sum()
        variance = (a * (a - class_sizes) / (n**2 * (n - 1))).sum()
        n_changes = int((np.diff(is_high[order]) & is_same_class).sum())
        n_tested += 1
        if n_changes - mean < MAX_RUNS_SCORE * np.sqrt(max(variance, 0.0)):
            n_alike += 1
    return RunsTests(n_tested, n_alike)
