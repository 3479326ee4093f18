"""Diagnostics on the target: how it was read, and what kind of target it was taken for."""

from __future__ import annotations

import numpy as np

from bitsieve.dataset.dataset import Dataset
from bitsieve.dataset.identifiers import FEW_ROWS, MIN_ROWS_OF_IDENTIFIER
from bitsieve.dataset.quantity import listed_edges
from bitsieve.dataset.target import Target
from bitsieve.diagnostics import Diagnostic
from bitsieve.pipeline.notes import target_notes, text_notes
from bitsieve.utils.arrays import Integers
from bitsieve.utils.messages import nearest
from bitsieve.utils.spelling import alike_but_for_case_and_blanks

MANY_CLASSES = 100
MIN_NUMBERS_OF_QUANTITY = 11  # a target of so many different numbers may be a quantity
MAX_SHARE_OF_SINGLE_ROWS = 0.1  # of all rows; with more of them the classes are no misspellings


def on_target(table: Dataset) -> list[Diagnostic]:
    """How text of the target was read, how a quantity became classes, and whether there are too many classes."""
    target = table.target
    diagnostics = []
    for name, parsing in target.parsings.items():
        name_of_target = name if target.kind == "joint" else target.name
        diagnostics.append(text_notes.target_text_read(name_of_target, parsing))
    return [*diagnostics, *_on_kind(table, target)]


def _on_kind(table: Dataset, target: Target) -> list[Diagnostic]:
    """What kind of target it was taken for."""
    name = target.name
    n_classes = target.n_classes
    if target.kind == "joint":
        cuts = [
            f"{column!r} is a quantity: cut at {listed_edges(edges, unit.strip())}"
            for column, edges, unit in zip(target.columns, target.edges_of_columns, target.unit, strict=True)
            if edges is not None
        ]
        return [target_notes.joint_target(target.columns, n_classes, cuts)]
    if target.kind == "survival":
        return []
    if target.edges is not None:
        return [target.how_cut]
    is_perhaps_numeric = target.labels.dtype.kind in "iuf" and target.requested_kind.kind is None
    if n_classes > MANY_CLASSES or 2 * n_classes > table.n_samples > FEW_ROWS:
        return [target_notes.many_classes(name, n_classes, table.n_samples, is_perhaps_numeric)]
    if n_classes >= MIN_NUMBERS_OF_QUANTITY and is_perhaps_numeric:
        return [target_notes.numbers_as_classes(name, n_classes)]
    return []


def on_classes(target: Target, class_sizes: Integers) -> list[Diagnostic]:
    """Classes that may be misspellings of others: those of a single row, and those of another case or other blanks."""
    if target.kind != "classes":
        return []
    return [*_on_single_rows(target, class_sizes), *_on_spellings(target)]


def _on_single_rows(target: Target, class_sizes: Integers) -> list[Diagnostic]:
    n_rows = int(class_sizes.sum())
    single = np.flatnonzero(class_sizes == 1).tolist()
    if not single or n_rows < MIN_ROWS_OF_IDENTIFIER or len(single) > MAX_SHARE_OF_SINGLE_ROWS * n_rows:
        return []
    are_numbers = target.labels.dtype.kind in "iuf"
    if are_numbers and target.n_classes - len(single) > 2:  # the largest of many counts often stands alone
        return []
    labels = [str(target.labels[code]) for code in single]
    others = [str(target.labels[code]) for code in np.flatnonzero(class_sizes > 1).tolist()]
    near = [] if are_numbers else nearest(labels[0], others, limit=1)
    return [target_notes.single_row_classes(target.name, labels, near[0] if near else None)]


def _on_spellings(target: Target) -> list[Diagnostic]:
    alike = alike_but_for_case_and_blanks(map(str, target.labels.tolist()))
    return [target_notes.classes_alike(target.name, alike)] if alike else []
