"""The roles of the columns of a table: features, target, weights, groups, strata."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from bitsieve.diagnostics import UserError
from bitsieve.utils.messages import advice_on_name, closest_match, nearest_in, quoted
from bitsieve.utils.types import ColumnLike, Label


@dataclass(frozen=True)
class Roles:
    """The columns of a table by their role."""

    features: list[Label]  # labels, in the order of the data
    target: list[Label]  # labels of one column or of several; empty where the target is given by its values
    weight: Label | None  # the label of the frequency weights; None where no column holds them
    groups: Label | None  # the label of the groups of rows; None where no column holds them
    strata: list[Label]  # labels of the columns of the strata; empty where no column holds them
    target_name: str  # what messages call the target
    weight_name: str | None  # the name of the weights, "sample_weight" if they have none; None without weights

    @property
    def others(self) -> list[Label]:
        """The columns of the strata, the target and the weights."""
        if self.weight is None:
            return [*self.strata, *self.target]
        return [*self.strata, *self.target, self.weight]


def split_columns(
    labels: Sequence[Label],
    target: ColumnLike,
    sample_weight: ColumnLike,
    groups: ColumnLike = None,
    strata: ColumnLike = None,
    *,
    n_samples: int | None = None,
    never: Sequence[Label] = (),
    unnamed: str = "target",
) -> Roles:
    """Split the columns of a table into features, target, weights, groups and strata.

    Parameters
    ----------
    labels : sequence
        The labels of all columns; empty for an array, whose columns have none.
    target, sample_weight, groups, strata : labels or arrays
        What the user gave: the label of a column, several labels, or values.
    n_samples : int, optional
        The number of rows. It tells a list of labels from a list of values.
    never : sequence
        Labels that are never features.
    unnamed : str
        What messages call a target of values without a name.
    """
    targets = _named_columns(target, labels, "target", n_samples)
    weights = [] if isinstance(sample_weight, list) else _named_columns(sample_weight, labels, "weight", n_samples)
    group_columns = [] if isinstance(groups, list) else _named_columns(groups, labels, "groups", n_samples)
    strata_columns = _named_columns(strata, labels, "strata", n_samples)
    if len(set(targets)) < len(targets):
        raise UserError(
            code="given-twice",
            message=f"the targets {quoted(targets)} name a column twice",
            advice="name each once",
        )
    if len(set(strata_columns)) < len(strata_columns):
        raise UserError(
            code="given-twice",
            message=f"the strata {quoted(strata_columns)} name a column twice",
            advice="name each once",
        )
    for column in weights:
        _refuse_second_role(column, targets, "the weight")
    for column in group_columns:
        _refuse_second_role(column, targets, "the groups")
    for column in strata_columns:
        _refuse_second_role(column, targets, "a stratum")
    target_name = ", ".join(map(str, targets))
    if not targets:
        target_name = str(getattr(target, "name", None) or unnamed)
    taken = {*targets, *weights, *group_columns, *strata_columns, *never}
    features = [label for label in labels if label not in taken]
    if labels and not features:
        raise UserError(
            code="no-features",
            message=f"the data holds only the target {target_name!r}",
            advice="at least one feature is needed",
        )
    weight_name = None
    if sample_weight is not None:
        weight_name = str(weights[0]) if weights else "sample_weight"
    return Roles(
        features=features,
        target=targets,
        weight=weights[0] if weights else None,
        groups=group_columns[0] if group_columns else None,
        strata=strata_columns,
        target_name=target_name,
        weight_name=weight_name,
    )


def _refuse_second_role(column: Label, targets: Sequence[Label], role: str) -> None:
    if column in targets:
        raise UserError(
            code="column-in-two-roles",
            message=f"column {column!r} cannot be both the target and {role}",
            advice="name another column for one of them",
        )


def _named_columns(argument: ColumnLike, labels: Sequence[Label], role: str, n_samples: int | None) -> list[Label]:
    """The columns that an argument names; none where it holds values instead."""
    if argument is None:
        return []
    if isinstance(argument, (list, tuple)) and argument and all(isinstance(item, str) for item in argument):
        if not labels:
            return []
        is_as_long_as_the_data = n_samples == len(argument)
        if is_as_long_as_the_data and not set(argument) <= set(labels):
            return []
        return _checked_names(list(argument), labels, role)
    if isinstance(argument, tuple):
        return _checked_names([argument], labels, role) if argument in labels else []
    is_column_of_values = not np.isscalar(argument) and hasattr(argument, "__len__")
    if is_column_of_values or not isinstance(argument, Hashable):
        return []
    return _checked_names([argument], labels, role)


def _checked_names(names: list[Label], labels: Sequence[Label], role: str) -> list[Label]:
    if not labels:
        name = {"weight": "sample_weight"}.get(role, role)
        values = "the target as an array of its values" if role == "target" else f"{name} as an array"
        raise UserError(
            code="names-needed",
            message="the data is an array, whose columns have no names",
            advice=f"give {values}",
        )
    names = [closest_match(name, labels) if isinstance(name, str) else name for name in names]
    for name in names:
        if name not in labels:
            text_labels = [str(label) for label in labels]
            parameter = "sample_weight" if role == "weight" else role
            fix = nearest_in(parameter, name, text_labels)
            if role == "target" and not fix:
                fix = {"target": text_labels[-1]}
            raise UserError(
                code="unknown-column",
                message=f"there is no column {str(name)!r} for the {role}",
                advice=advice_on_name(str(name), text_labels),
                fix=fix,
                columns=[str(name)],
            )
    return names
