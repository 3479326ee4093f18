"""Bounds on the error of the best possible classifier on the columns of a table, as ``compare`` gives them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bitsieve.dataset.dataset import InMemoryDataset
from bitsieve.diagnostics import Diagnostic, UserError, parameter_reported_as
from bitsieve.evaluate.encoding import encode_features
from bitsieve.methods.by_samples.spanning_tree.bayes_error import BOUNDS_BY_TREE, BayesErrorBounds
from bitsieve.methods.constraints import Constraints, resolve
from bitsieve.options import ColumnOptions, DiscretizationOptions, ExecutionOptions
from bitsieve.pipeline.prepare import prepare
from bitsieve.utils.arrays import Columns
from bitsieve.utils.parameters import check_choice
from bitsieve.utils.progress import phase
from bitsieve.utils.types import JsonObject


@dataclass(frozen=True)
class TableErrorBounds:
    """Bounds on the error of the best possible classifier, with the target and the columns that it has."""

    bounds: BayesErrorBounds
    majority_error: float  # the error of always predicting the largest class
    columns: list[str]
    target_name: str
    n_samples: int
    n_classes: int
    tree: str
    diagnostics: Sequence[Diagnostic]

    def to_dict(self) -> JsonObject:
        """The same as plain values for JSON."""
        return {
            "target": self.target_name,
            "n_samples": self.n_samples,
            "n_classes": self.n_classes,
            "columns": self.columns,
            "tree": self.tree,
            "lower": self.bounds.lower,
            "upper": self.bounds.upper,
            "majority_error": self.majority_error,
            "diagnostics": [diagnostic.to_dict() for diagnostic in self.diagnostics],
        }

    def __str__(self) -> str:
        n_columns = len(self.columns)
        columns = "1 column" if n_columns == 1 else f"{n_columns:,} columns"
        return (
            f"the best possible classifier of {self.target_name!r} by {columns} errs on "
            f"{100 * self.bounds.lower:.1f} to {100 * self.bounds.upper:.1f} % of the rows\n"
            f"{self.n_samples:,} rows, {self.n_classes:,} classes; the error of always predicting the largest class: "
            f"{100 * self.majority_error:.1f} %"
        )


def bounds_of_table(
    table: InMemoryDataset, options: ColumnOptions, names: Sequence[str] = (), tree: str = "global"
) -> TableErrorBounds:
    """Bound the error of the best possible classifier on the columns ``names``, by default on all not dropped.

    Numbers are standardised, and a category becomes a column of zeros and ones, as in a comparison of classifiers.

    Raises
    ------
    UserError
        If the target is a quantity, or a column does not exist.
    """
    check_choice("tree", tree, tuple(BOUNDS_BY_TREE))
    if table.target.is_quantity:
        raise UserError(
            code="wrong-kind-of-target",
            message=f"the target {table.target.name!r} is a quantity, and these bounds are for classes",
            advice="take its values as classes ({target_kind}), or give another target",
            fix={"target_kind": "classes"},
        )
    table.target.check_varies()
    prepared = prepare(table.dense(), options, DiscretizationOptions(), ExecutionOptions())
    columns = _columns(prepared.table, names)
    phase("bounding the Bayes error")
    points = encode_features(prepared.table, columns, np.arange(table.n_samples)).values
    codes = table.target.codes
    largest_class = int(np.bincount(codes).max())
    return TableErrorBounds(
        bounds=BOUNDS_BY_TREE[tree](points, codes, table.target.n_classes),
        majority_error=1 - largest_class / table.n_samples,
        columns=[str(prepared.table.names[j]) for j in columns.tolist()],
        target_name=table.target.name,
        n_samples=table.n_samples,
        n_classes=table.target.n_classes,
        tree=tree,
        diagnostics=[*table.diagnostics, *prepared.diagnostics],
    )


def _columns(table: InMemoryDataset, names: Sequence[str]) -> Columns:
    """The columns with these names; without names, all that are not dropped."""
    if not names:
        return np.setdiff1d(np.arange(table.n_features), table.dropped)
    with parameter_reported_as("must_include", "column"):
        return np.array(resolve(Constraints(names), table.names, table.role_of_column).must_include, np.intp)
