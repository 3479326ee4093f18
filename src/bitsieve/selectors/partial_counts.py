"""The counts of all rows that were passed to ``partial_fit``, call by call."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bitsieve.dataset.dataset import InMemoryDataset
from bitsieve.dataset.quantity import TargetKind, has_fractions
from bitsieve.dataset.read import read_xy
from bitsieve.dataset.target import Target
from bitsieve.diagnostics import Diagnostic, ParameterError, UserError
from bitsieve.discretization.registry import make_discretizer
from bitsieve.engines.count_pairs import count_all_pairs
from bitsieve.engines.local import count_coded
from bitsieve.engines.registry import data_in_parts
from bitsieve.engines.saved_counts import SavedCounts
from bitsieve.options import SAMPLING, DiscretizationOptions
from bitsieve.utils.messages import quoted
from bitsieve.utils.types import ColumnLike, TableLike

MAX_NUMERIC_CLASSES = 100  # with more different numbers, the target is probably a quantity


@dataclass(frozen=True, eq=False)
class PartialCounts:
    """The counts of all rows so far."""

    counts: SavedCounts
    identifier_candidates: frozenset[int]  # columns without floats; counts alone cannot tell which columns have floats

    def __add__(self, other: PartialCounts) -> PartialCounts:
        return PartialCounts(self.counts + other.counts, self.identifier_candidates & other.identifier_candidates)


def read_part(
    X: TableLike, y: ColumnLike, sample_weight: ColumnLike, classes: Any, *, estimator: Any, is_first: bool
) -> InMemoryDataset:
    """Read the rows of one call; unless it is the first they must have the columns of the rows before."""
    if data_in_parts(X) is not None:
        raise UserError(
            code="rows-not-in-memory",
            message="partial_fit takes rows in memory",
            advice="read the batches, or use 'bitsieve count'",
        )
    table = read_xy(X, y, sample_weight, estimator=estimator, reset=is_first, target_kind=TargetKind("classes"))
    if "dense" not in table.capabilities:
        raise UserError(
            code="dense-rows-needed",
            message="partial_fit takes dense rows, and these are sparse",
            advice="give a part of them by .toarray()",
        )
    if classes is not None:
        unlisted = set(table.target.labels.tolist()) - set(np.asarray(classes).tolist())
        if unlisted:
            raise UserError(
                code="unseen-value",
                message=f"the target holds {quoted(map(str, sorted(unlisted, key=str)))}, which classes does not list",
            )
    if table.target.kind == "joint" or has_fractions(table.target.labels):
        raise classes_needed()
    return table


def count_part(table: InMemoryDataset, discretization: DiscretizationOptions, n_jobs: int | None) -> PartialCounts:
    """Count the tables of all pairs of columns. Missing values have a code, even if these rows hold none."""
    rule = make_discretizer(discretization, n_jobs)
    if rule.missing is None:
        rule = rule.unfitted(missing="bin")
    binner = rule.for_table(table).fit_table(table)
    source = count_coded(table, binner, n_jobs)
    target = replace(table.target, codes=np.empty(0, np.int32))
    counts = count_all_pairs(source, table.names, target, binner, binner.n_bins_.astype(np.int32))
    columns = range(table.n_features)
    return PartialCounts(counts, frozenset(j for j in columns if not _holds_floats(table, j)))


def _holds_floats(table: InMemoryDataset, column: int) -> bool:
    return table.is_numeric(column) and table.numbers(column).dtype.kind == "f"


def check_classes(target: Target) -> None:
    """Raise ValueError for a target of one class, or one that looks like a quantity."""
    if target.n_classes < 2:
        (label,) = target.labels[:1].tolist()
        raise UserError(
            code="one-class",
            message=f"the first rows hold 1 class ({label!r})",
            advice="begin with rows of at least two classes",
        )
    if target.labels.dtype.kind in "iuf" and target.n_classes > MAX_NUMERIC_CLASSES:
        raise UserError(
            code="too-many-classes",
            message=f"the target holds more than {MAX_NUMERIC_CLASSES} different numbers",
            advice="bin it first, or make it text",
        )


def classes_needed() -> UserError:
    """The target is a quantity, or several targets."""
    return UserError(
        code="wrong-kind-of-target",
        message="partial_fit takes one target of classes",
        advice="bin a quantity first, by edges that stay",
    )


def frequency_weights_needed() -> ParameterError:
    """The weights of a survey are given to ``partial_fit``."""
    return ParameterError(
        "weight_kind",
        SAMPLING,
        "give all rows to fit, or frequency weights to partial_fit",
        "needs the weights of all rows at once, and partial_fit gets some of the rows",
        code="rows-not-in-memory",
    )


def partial_fit_begins_again() -> Diagnostic:
    """The rows of an earlier fit are not counted."""
    return Diagnostic(
        code="partial-fit-begins-again",
        message="fit kept no counts of its rows: partial_fit begins again with the rows that are passed",
    )
