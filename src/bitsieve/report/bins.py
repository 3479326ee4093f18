"""The bins of a feature, with how many rows of each class they hold."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np

from bitsieve.report.page import folded, paragraph, table
from bitsieve.selection.plain import number

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bitsieve.selection.evidence import Evidence

MOST_BINS, MOST_CLASSES = 30, 12


def bins_of(evidence: Evidence, column: int) -> str:
    """A folded table: a row a bin, the counts and shares of the classes in it."""
    names, target = evidence.table.names, evidence.table.target
    counts = evidence.information.source.tables(None, np.array([column]), True)[0].dense()[0]
    labels = bin_labels(evidence.binner, column, len(counts))
    classes = np.argsort(-counts.sum(axis=0), kind="stable")[:MOST_CLASSES]
    classes = np.sort(classes)
    kept = np.arange(len(counts))
    if len(kept) > MOST_BINS:
        kept = np.sort(np.argsort(-counts.sum(axis=1), kind="stable")[:MOST_BINS])
    rows = []
    for at in kept:
        total = int(counts[at].sum())
        shares = [_counted(int(counts[at, c]), total) for c in classes]
        rows.append((labels[at], f"{total:,}", *shares))
    header = ("bin", "rows", *(str(target.labels[c]) for c in classes))
    left = []
    if len(kept) < len(counts):
        left.append(f"{len(counts) - len(kept):,} more bins, of fewer rows")
    if len(classes) < counts.shape[1]:
        left.append(f"{counts.shape[1] - len(classes):,} more classes, of fewer rows")
    note = paragraph(f"Not shown: {' and '.join(left)}.", "aside") if left else ""
    bits = number(evidence.information.relevance[column])
    summary = f"{names[column]}: {len(counts):,} bin{'s' * (len(counts) != 1)}, {bits} bits"
    return folded(summary, table(header, rows) + note)


def bin_labels(binner: object, column: int, n_bins: int) -> list[str]:
    """What every code of a column stands for: a category, an interval, or missing values."""
    categories = binner.categories_[column]  # type: ignore[attr-defined]
    if categories is not None:
        labels = [str(value) for value in categories.tolist()]
    else:
        labels = _intervals(np.asarray(binner.bin_edges_[column]), getattr(binner, "_side", "left"))  # type: ignore[attr-defined]
    if len(labels) < n_bins:
        labels.append("missing")
    return labels


def _intervals(edges: NDArray[np.float64], side: str) -> list[str]:
    if not len(edges):
        return ["any value"]
    texts = [f"{edge:.6g}" for edge in edges]
    low, high = (">", "<=") if side == "left" else (">=", "<")  # where a value on a cut goes
    inner = [f"{low} {a}, {high} {b}" for a, b in itertools.pairwise(texts)]
    return [f"{high} {texts[0]}", *inner, f"{low} {texts[-1]}"]


def _counted(count: int, total: int) -> str:
    return f"{count:,} ({100 * count / total:.0f} %)" if total else "0"
