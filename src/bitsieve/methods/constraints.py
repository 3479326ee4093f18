"""Constraints of a selection: columns that must be selected or must not be, groups of columns, and penalties."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import SupportsIndex

import numpy as np

from bitsieve.diagnostics import NAME_ONLY, ParameterError, UserError, literal
from bitsieve.utils.arrays import Columns, Floats
from bitsieve.utils.column_names import TARGET, NumberedNames
from bitsieve.utils.lazy import cached_property
from bitsieve.utils.messages import advice_on_name, closest_match, nearest, number_and_noun, quoted
from bitsieve.utils.parameters import FeatureCount
from bitsieve.utils.types import NameOrIndex

IndexOf = Callable[[str], int | None]  # the index of a column by its name; None where there is none
NO_ROLES: Mapping[str, str] = {}
PARAMETERS = ("must_include", "exclude", "penalties", "start", "levels")  # that name columns, beside the groups


@dataclass(frozen=True, eq=False)
class Candidates:
    """The candidates of a selection: single columns and groups of columns, in the order of their first column."""

    candidate_of_column: Columns
    must_include: list[int] = field(default_factory=list)  # candidates
    exclude: list[int] = field(default_factory=list)  # candidates
    penalties: Floats | None = None  # bits, of every candidate; None where there is none

    @cached_property
    def sizes(self) -> Columns:
        """The number of columns of every candidate."""
        return np.bincount(self.candidate_of_column)

    @property
    def grouped(self) -> bool:
        """Whether any candidate is more than one column."""
        return len(self.sizes) < len(self.candidate_of_column)

    def members(self) -> list[Columns]:
        """The columns of every candidate."""
        columns = np.argsort(self.candidate_of_column, kind="stable")
        return np.split(columns, np.cumsum(self.sizes)[:-1])

    def columns(self, chosen: Columns) -> Columns:
        """The columns of the chosen candidates, in their order."""
        if not self.grouped:
            return chosen
        members = self.members()
        return np.concatenate([np.empty(0, np.intp), *(members[candidate] for candidate in chosen)])

    @property
    def n_open(self) -> int:
        """How many candidates are not excluded; raises UserError if all are."""
        n_open = len(self.sizes) - len(self.exclude)
        if not n_open:
            raise UserError(
                code="no-features",
                message="names every column",
                advice="leave at least one to select",
                parameters={"exclude": NAME_ONLY},
            )
        return n_open

    def number(self, n_features_to_select: object, rule: FeatureCount) -> int:
        """The number of candidates to select, for the value of ``n_features_to_select`` that the user gave."""
        n_open = self.n_open
        candidates = number_and_noun(n_open, "feature")
        if self.grouped:
            candidates = f"{n_open:,} columns and groups"
        remark = " left without the excluded ones" if self.exclude else ""
        k = rule.among(n_features_to_select, n_open, f"the table has {candidates}{remark}")
        if n_features_to_select is None:
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
    """Columns that must be selected, must not be, are taken together, or have a price in bits.

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
    penalties : mapping of str or int to float
        Bits, 0 or more, that are taken off the score of a column at every choice, such as for what it costs to measure
        it, or how far it moves from month to month. Those of a group add up. For criteria whose scores are bits and
        condition on one chosen column at a time, such as cmim and jmi.

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

    must_include: Sequence[NameOrIndex] = ()
    exclude: Sequence[NameOrIndex] = ()
    groups: Sequence[Sequence[NameOrIndex]] | Mapping[str, Sequence[NameOrIndex]] = ()
    penalties: Mapping[NameOrIndex, float] = field(default_factory=dict)


def with_penalties(constraints: Constraints, penalties: Mapping[NameOrIndex, float]) -> Constraints:
    """The constraints with further penalties; two of one column add up."""
    sums = dict(constraints.penalties)
    for column, penalty in penalties.items():
        sums[column] = sums.get(column, 0.0) + penalty
    return replace(constraints, penalties=sums)


def resolve(
    constraints: Constraints | None, names: Sequence[str], role_of_column: Mapping[str, str] = NO_ROLES
) -> Candidates:
    """The candidates among the columns ``names``.

    ``role_of_column`` has the columns of the data that are no features, such as ``{"ill": "the target"}``.
    """
    candidate_of_column = np.arange(len(names))
    if constraints is None or not names_columns(constraints):
        return Candidates(candidate_of_column)
    index_of = _index_of(names)
    group_of_column: dict[int, str] = {}
    for label, members in _labelled(constraints.groups).items():
        columns = _columns(members, label, names, index_of, role_of_column)
        for j in columns:
            if j in group_of_column:
                raise UserError(
                    code="column-in-two-groups",
                    message=f"column {names[j]!r} is in {group_of_column[j]} and in {label}",
                    advice="give every column one group at most",
                )
            group_of_column[j] = label
        if columns:
            candidate_of_column[columns] = min(columns)
    candidate_of_column = np.unique(candidate_of_column, return_inverse=True)[1]
    included_columns = _columns(constraints.must_include, "must_include", names, index_of, role_of_column)
    excluded_columns = _columns(constraints.exclude, "exclude", names, index_of, role_of_column)
    included = _distinct(candidate_of_column[included_columns].tolist())
    excluded = _distinct(candidate_of_column[excluded_columns].tolist())
    in_both = np.flatnonzero(np.isin(candidate_of_column, np.intersect1d(included, excluded))).tolist()
    if in_both:
        raise UserError(
            code="contradicting-parameters",
            message=f"both name {quoted([names[j] for j in in_both])}",
            advice="take them out of one",
            columns=[str(names[j]) for j in in_both],
            parameters={"must_include": NAME_ONLY, "exclude": NAME_ONLY},
        )
    penalties = _penalties(constraints.penalties, candidate_of_column, names, index_of, role_of_column)
    return Candidates(candidate_of_column, included, excluded, penalties)


def _penalties(
    penalty_of_column: Mapping[NameOrIndex, float],
    candidate_of_column: Columns,
    names: Sequence[str],
    index_of: IndexOf,
    role_of_column: Mapping[str, str],
) -> Floats | None:
    """The penalty of every candidate: the sum of those of its columns. None where no column has one."""
    if not isinstance(penalty_of_column, Mapping):
        raise ParameterError("penalties", penalty_of_column, "give a mapping of columns to bits")
    if not penalty_of_column:
        return None
    penalties = np.zeros(int(candidate_of_column.max()) + 1)
    for column, penalty in penalty_of_column.items():
        if not isinstance(penalty, Real) or not 0 <= penalty < float("inf"):
            raise ParameterError("penalties", {column: penalty}, "give bits, a finite number of 0 or more")
        (j,) = _columns([column], "penalties", names, index_of, role_of_column)
        penalties[candidate_of_column[j]] += float(penalty)
    return penalties


def names_columns(constraints: Constraints) -> bool:
    """Whether the constraints name any column."""
    lists = (constraints.must_include, constraints.exclude, constraints.groups, constraints.penalties)
    return any(has_items(columns) for columns in lists)


def has_items(columns: object) -> bool:
    """Whether a list of columns is not empty. True for a value that is no list: it is refused later."""
    return not isinstance(columns, Sized) or len(columns) > 0


def check_constraints(constraints: object) -> None:
    """Raise ParameterError unless it is None or a `Constraints`."""
    if not isinstance(constraints, Constraints | None):
        raise ParameterError(
            "constraints", constraints, "give Constraints(must_include=..., exclude=..., groups=..., penalties=...)"
        )


def indices_of_columns(
    columns: object, label: str, names: Sequence[str], role_of_column: Mapping[str, str] = NO_ROLES
) -> list[int]:
    """The indices of columns that the parameter ``label`` gives by name or index, without repetitions."""
    return _columns(columns, label, names, _index_of(names), role_of_column)


def _index_of(names: Sequence[str]) -> IndexOf:
    """A function that finds the index of a name; of numbered names, without a list of all."""
    if isinstance(names, NumberedNames):
        return names.find
    return {name: j for j, name in enumerate(names)}.get


def _distinct(values: list[int]) -> list[int]:
    """The values without repetitions, in the order of their first occurrence."""
    return list(dict.fromkeys(values))


def _labelled(groups: object) -> dict[str, Sequence[NameOrIndex]]:
    """The members of each group, by the label of the group in messages."""
    if isinstance(groups, str) or not isinstance(groups, Iterable):
        raise ParameterError("groups", groups, "give a list of groups of columns, or a mapping of names to them")
    if isinstance(groups, Mapping):
        return {f"group {name!r}": members for name, members in groups.items()}
    return {f"group {number}": members for number, members in enumerate(groups, 1)}


def _columns(
    columns: object, label: str, names: Sequence[str], index_of: IndexOf, role_of_column: Mapping[str, str]
) -> list[int]:
    """The indices of columns that are given by name or index; ``label`` is a parameter or the label of a group."""
    if isinstance(columns, str) or not isinstance(columns, Iterable):
        problem = f"is {columns!r}"
        raise _error_in(label, problem, "give a list of column names or indices", code="parameter-not-allowed")
    indices = []
    for column in columns:
        if isinstance(column, str):
            indices.append(_index_of_name(column, label, names, index_of, role_of_column))
        else:
            indices.append(_checked_index(column, label, len(names)))
    return _distinct(indices)


def _index_of_name(
    name: str, label: str, names: Sequence[str], index_of: IndexOf, role_of_column: Mapping[str, str]
) -> int:
    index = index_of(name)
    if index is not None:
        return index
    if name in role_of_column:
        role = role_of_column[name]
        code = "column-is-target" if role == TARGET else "column-in-two-roles"
        problem = f"names column {name!r}, which is {role}, not a feature"
        raise _error_in(label, problem, "leave it out", [name], code=code)
    index = index_of(closest_match(name, names))
    if index is not None:
        return index
    parts = [part.strip() for part in name.split(",")]
    is_list_of_names = len(parts) > 1 and all(index_of(part) is not None for part in parts)
    instead = parts if is_list_of_names else nearest(name, names, limit=1)
    advice = advice_on_name(name, names)
    if is_list_of_names:
        advice = f"give {{{label}}}" if label in PARAMETERS else literal(f"give {quoted(parts)} one by one")
    problem = f"names column {name!r}, which is not there"
    raise _error_in(label, problem, advice, [name], code="unknown-column", instead=instead)


def _checked_index(column: SupportsIndex, label: str, n_columns: int) -> int:
    try:
        index = operator.index(column)
    except TypeError:
        problem = f"holds {column!r}"
        raise _error_in(label, problem, "give column names or indices", code="parameter-not-allowed") from None
    if not 0 <= index < n_columns:
        problem = f"holds column {index}, but there are columns 0 to {n_columns - 1} only"
        raise _error_in(label, problem, code="unknown-column")
    return index


def _error_in(
    label: str, problem: str, advice: str = "", columns: Sequence[str] = (), *, code: str, instead: Sequence[str] = ()
) -> UserError:
    """The error for a column that a parameter, or a group of columns, names; ``instead`` may have the right name."""
    if label in PARAMETERS:
        parameters = {label: NAME_ONLY}
        fix = {label: list(instead)} if instead else {}
        return UserError(code=code, message=problem, advice=advice, columns=columns, parameters=parameters, fix=fix)
    return UserError(code=code, message=f"{label} {problem}", advice=advice, columns=columns)
