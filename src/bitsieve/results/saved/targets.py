"""The target of a selection, without the classes of rows, as fields of the file, and back."""

from __future__ import annotations

import numpy as np

from bitsieve.dataset.quantity import TargetKind
from bitsieve.dataset.target import JointEdges, Target
from bitsieve.results.saved.record import SavedTarget
from bitsieve.results.saved.values import array_of_values, values_of_array
from bitsieve.utils.arrays import Floats


def saved_target(target: Target, class_sizes: tuple[int, ...]) -> SavedTarget:
    """The fields of a target; ``class_sizes`` are the sums of the weights of its classes."""
    return SavedTarget(
        name=target.name,
        kind=target.kind,
        columns=tuple(target.columns),
        labels=values_of_array(target.labels),
        edges=_saved_edges(target),
        unit=target.unit,
        requested_kind=target.requested_kind.kind,
        requested_bins=target.requested_kind.n_bins,
        n_numbers=target.n_numbers,
        n_classes_of_quantity=target.n_classes_of_quantity,
        class_sizes=class_sizes,
    )


def target_of(saved: SavedTarget) -> Target:
    """The target of these fields; it has no rows."""
    return Target(
        codes=np.empty(0, np.int32),
        labels=array_of_values(saved.labels),
        edges=_edges(saved),
        kind=saved.kind,
        columns=saved.columns,
        name=saved.name,
        requested_kind=TargetKind(saved.requested_kind, saved.requested_bins),
        n_numbers=saved.n_numbers,
        unit=saved.unit,
        n_classes_of_quantity=saved.n_classes_of_quantity,
    )


def _saved_edges(target: Target) -> tuple[float, ...] | tuple[tuple[float, ...] | None, ...] | None:
    if target.edges is None:
        return None
    if target.kind != "joint":
        return tuple(target.quantity_edges.tolist())
    return tuple(None if edges is None else tuple(edges.tolist()) for edges in target.edges_of_columns)


def _edges(saved: SavedTarget) -> Floats | JointEdges | None:
    if saved.edges is None:
        return None
    if saved.kind != "joint":
        return np.array(saved.edges, np.float64)
    return [None if edges is None else np.array(edges, np.float64) for edges in saved.edges]
