"""What a selection must hold, must not hold, and must take together."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bitsieve.diagnostics import NAME_ONLY, ParameterError, UserError, literal
from bitsieve.utils.arrays import Columns
from bitsieve.utils.lazy import cached_property
from bitsieve.utils.messages import allowed_names, meant, quoted
from bitsieve.utils.parameters import FeatureCount

Place = Callable[[str], int | None]  # where the column of a name is


@dataclass(frozen=True)
class Candidates:
    """What a selection chooses among: columns and groups of columns, numbered by their first column.

    ``of_column``: the candidate of every column. ``must_include``, ``exclude``: candidates.
    """

    of_column: Columns
    must_include: list[int] = field(default_factory=list)
    exclude: list[int] = field(default_factory=list)

    @cached_property
    def sizes(self) -> Columns:
        """Number of columns of every candidate."""
        return np.bincount(self.of_column)

    @property
    def grouped(self) -> bool:
        """Whether any candidate is more than one column."""
        return len(self.sizes) < len(self.of_column)

    def members(self) -> list[Columns]:
        """The columns of every candidate."""
        return np.split(np.argsort(self.of_column, kind="stable"), np.cumsum(self.sizes)[:-1])

    def columns(self, chosen: Columns) -> Columns:
        """The columns of the chosen candidates, in their order."""
        if not self.grouped:
            return chosen
        members = self.members()
        return np.concatenate([np.empty(0, np.intp), *(members[candidate] for candidate in chosen)])

    @property
    def n_open(self) -> int:
        """How many candidates can be selected: one at least, else it is refused."""
        n_open = len(self.sizes) - len(self.exclude)
        if not n_open:
            raise UserError(
                code="no-features",
                message="names every column",
                advice="leave at least one to select",
                parameters={"exclude": NAME_ONLY},
            )
        return n_open

    def number(self, asked: Any, rule: FeatureCount) -> int:
        """How many candidates are to be selected, where ``asked`` is the number of features that is asked for."""
        n_open = self.n_open
        what = "columns and groups" if self.grouped else f"feature{'s' * (n_open != 1)}"
        hint = " left without the excluded ones" if self.exclude else ""
        k = rule.among(asked, n_open, f"the table has {n_open:,} {what}{hint}")
        if asked is None:
            return max(k, len(self.must_include))
        if len(self.must_include) > k:
            raise UserError(
                code="too-many-included",
                message=f"has {len(self.must_include)} features, more than the {k} to select",
                advice="give {n_features_to_select} or more",
                fix={"n_features_to_select": len(self.must_include)},
                parameters={"must_include": NAME_ONLY},
            )
        return k


@dataclass(frozen=True)
class Constraints:
    """Columns that must be selected, must not be, or are taken together.

    Parameters
    ----------
    must_include : sequence of str or int
        Names or indices; they are chosen first, in this order, and count towards ``n_features_to_select``.
    exclude : sequence of str or int
        Never selected.
    groups : sequence of sequences, or mapping of name to sequence, of str or int
        Columns that are selected together or not at all, such as the 0/1 columns of one category. A group counts as
        one feature, whose codes are the combinations of its columns' codes. A column of a group represents the group
        in the other two.

    Raises
    ------
    ValueError
        When fitted: if a column does not exist, is in two groups, or is both included and excluded.

    Examples
    --------
    >>> from bitsieve import Constraints, ForwardSelector
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> rules = Constraints(must_include=["sepal width (cm)"], exclude=["petal width (cm)"])
    >>> ForwardSelector(2, constraints=rules).fit(X, y).get_feature_names_out().tolist()
    ['sepal width (cm)', 'petal length (cm)']
    """

    must_include: Sequence[Any] = ()
    exclude: Sequence[Any] = ()
    groups: Sequence[Sequence[Any]] | Mapping[str, Sequence[Any]] = ()


def resolve(constraints: Constraints | None, names: Sequence[str], target: Sequence[str] = ()) -> Candidates:
    """The candidates among columns of these names, which those of ``target`` are not."""
    of_column = np.arange(len(names))
    if constraints is None or not any(
        map(is_given, (constraints.must_include, constraints.exclude, constraints.groups))
    ):
        return Candidates(of_column)
    # Numbered names need not be gone through.
    place: Place = getattr(names, "place", None) or {name: j for j, name in enumerate(names)}.get
    owner: dict[int, str] = {}
    for label, members in _labelled(constraints.groups).items():
        columns = _columns(members, label, names, place, target)
        for j in columns:
            if j in owner:
                raise UserError(
                    code="column-in-two-groups",
                    message=f"column {names[j]!r} is in {owner[j]} and in {label}",
                    advice="give every column one group at most",
                )
            owner[j] = label
        if columns:
            of_column[columns] = min(columns)
    of_column = np.unique(of_column, return_inverse=True)[1]
    wanted = _columns(constraints.must_include, "must_include", names, place, target)
    refused = _columns(constraints.exclude, "exclude", names, place, target)
    both = np.isin(of_column, np.intersect1d(of_column[wanted], of_column[refused]))
    if both.any():
        listed = quoted([names[j] for j in np.flatnonzero(both).tolist()])
        raise UserError(
            code="contradicting-parameters",
            message=f"both name {listed}",
            advice="take them out of one",
            columns=[str(names[j]) for j in np.flatnonzero(both).tolist()],
            parameters={"must_include": NAME_ONLY, "exclude": NAME_ONLY},
        )
    return Candidates(of_column, *(list(dict.fromkeys(of_column[some].tolist())) for some in (wanted, refused)))


def is_given(wanted: Any) -> bool:
    """Whether a list of columns, of whatever kind, is anything but an empty one."""
    return not hasattr(wanted, "__len__") or len(wanted) > 0


def check_constraints(constraints: Any) -> None:
    """Refuse what is neither None nor constraints."""
    if not isinstance(constraints, Constraints | None):
        raise ParameterError("constraints", constraints, "give Constraints(must_include=..., exclude=..., groups=...)")


def _labelled(groups: Any) -> dict[str, Sequence[Any]]:
    if isinstance(groups, str) or not isinstance(groups, Iterable):
        raise ParameterError("groups", groups, "give a list of groups of columns, or a mapping of names to them")
    if isinstance(groups, Mapping):
        return {f"group {name!r}": members for name, members in groups.items()}
    return {f"group {number}": members for number, members in enumerate(groups, 1)}


def _columns(wanted: Any, label: str, names: Sequence[str], place: Place, target: Sequence[str]) -> list[int]:
    """The indices of columns given by name or index; ``label`` is a parameter or the name of a group."""
    if isinstance(wanted, str) or not isinstance(wanted, Iterable):
        raise _error_in(label, f"is {wanted!r}", "give a list of column names or indices", code="parameter-not-allowed")
    indices = []
    for column in wanted:
        if isinstance(column, str):
            index = place(column)
            if index is None:
                index = place(meant(column, names))
            if index is None and column in target:
                problem = f"names column {column!r}, which is the target, not a feature"
                raise _error_in(label, problem, "leave it out", [column], code="column-is-target")
            if index is None:
                parts = [part.strip() for part in column.split(",")]
                is_list = len(parts) > 1 and None not in map(place, parts)
                advice = literal(f"give {quoted(parts)} one by one") if is_list else allowed_names(column, names)
                problem = f"names column {column!r}, which is not there"
                raise _error_in(label, problem, advice, [column], code="unknown-column")
            indices.append(index)
            continue
        try:
            index = operator.index(column)
        except TypeError:
            problem = f"holds {column!r}"
            raise _error_in(label, problem, "give column names or indices", code="parameter-not-allowed") from None
        if not 0 <= index < len(names):
            problem = f"holds column {index}, but there are columns 0 to {len(names) - 1} only"
            raise _error_in(label, problem, code="unknown-column")
        indices.append(index)
    return list(dict.fromkeys(indices))


def _error_in(label: str, problem: str, advice: str = "", columns: Sequence[str] = (), *, code: str) -> UserError:
    """The error for a column that a parameter, or a group of columns, names."""
    if label in ("must_include", "exclude"):
        parameters = {label: NAME_ONLY}
        return UserError(code=code, message=problem, advice=advice, columns=columns, parameters=parameters)
    return UserError(code=code, message=f"{label} {problem}", advice=advice, columns=columns)
