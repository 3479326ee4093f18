"""Which columns of a table are features, target and frequency weights, from the names alone."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bitsieve.common.messages import allowed_names, quoted


@dataclass(frozen=True)
class Roles:
    """The columns of a table by what they are used for."""

    features: list[Any]  # labels, in the order of the data
    target: list[Any]  # labels of one column or of several; empty where the target is given by its values
    weight: Any  # the column of frequency weights
    groups: Any  # the column of what belongs together
    target_name: str  # what messages call the target
    # the name of the weights, "sample_weight" where they are given by their values; None without weights
    weight_name: str | None

    @property
    def others(self) -> list[Any]:
        """The columns that are no features."""
        return [*self.target, *([] if self.weight is None else [self.weight])]


def divide(
    labels: Sequence[Any],  # of all columns; empty for an array, whose columns have none
    target: Any,  # as :func:`bitsieve.select` takes them
    sample_weight: Any,
    groups: Any = None,
    *,
    # rows, where their number is known: it helps to see whether a list holds names or values
    n_samples: int | None = None,
    never: Sequence[Any] = (),  # labels that are no features
    unnamed: str = "target",  # what messages call a target that is given by values without a name
) -> Roles:
    """Divide the columns of a table into features, target and weights."""
    targets = _named(target, labels, "target", n_samples)
    weights, of_groups = (
        [] if isinstance(given, list) else _named(given, labels, what, n_samples)
        for given, what in ((sample_weight, "weight"), (groups, "groups"))
    )
    if len(set(targets)) < len(targets):
        raise ValueError(f"the targets {quoted(targets)} name a column twice: name each once")
    weight = weights[0] if weights else None
    for column, what in (*((one, "the weight") for one in weights), *((one, "the groups") for one in of_groups)):
        if column in targets:
            raise ValueError(f"column {column!r} cannot be both the target and {what}")
    name = ", ".join(map(str, targets)) if targets else str(getattr(target, "name", None) or unnamed)
    taken = {*targets, *weights, *of_groups, *never}
    features = [label for label in labels if label not in taken]
    if labels and not features:
        raise ValueError(f"the data holds only the target {name!r}: at least one feature is needed")
    weight_name = None if sample_weight is None else "sample_weight" if weight is None else str(weight)
    return Roles(features, targets, weight, of_groups[0] if of_groups else None, name, weight_name)


def _named(given: Any, labels: Sequence[Any], what: str, n_samples: int | None) -> list[Any]:
    """The columns that are meant where names are given; none where values are."""
    if given is None:
        return []
    if isinstance(given, (list, tuple)) and given and all(isinstance(part, str) for part in given):
        values = not labels or (n_samples == len(given) and not set(given) <= set(labels))
        return [] if values else _checked(list(given), labels, what)
    values = not np.isscalar(given) and not isinstance(given, tuple) and hasattr(given, "__len__")  # may be hashable
    if values or not isinstance(given, Hashable) or (isinstance(given, tuple) and given not in labels):
        return []
    return _checked([given], labels, what)


def _checked(names: list[Any], labels: Sequence[Any], what: str) -> list[Any]:
    if not labels:
        name = {"weight": "sample_weight"}.get(what, what)
        values = "the target as an array of its values" if what == "target" else f"{name} as an array"
        raise ValueError(f"the data is an array, whose columns have no names: give {values}")
    for name in names:
        if name not in labels:
            known = allowed_names(str(name), [str(label) for label in labels])
            raise ValueError(f"there is no column {str(name)!r} for the {what}: {known}")
    return names
