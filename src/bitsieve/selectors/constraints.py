"""What a selection must hold, must not hold, and must take together."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bitsieve.common.errors import ParameterError, Sentence, Setting
from bitsieve.common.messages import allowed_names, quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


class Units(NamedTuple):
    """What a selection chooses among: single columns and groups, ordered by their first column.

    Attributes
    ----------
    columns : list of ndarray
        The columns of every unit.
    must_include, exclude : list of int
        Units.
    """

    columns: list[NDArray[np.intp]]
    must_include: list[int]
    exclude: list[int]

    @property
    def noun(self) -> str:
        """How many there are to choose from, in words."""
        n_open = len(self.columns) - len(self.exclude)
        what = "columns and groups" if self.grouped else f"feature{'s' * (n_open != 1)}"
        left = " left without the excluded ones" if self.exclude else ""
        return f"the table has {n_open:,} {what}{left}"

    @property
    def grouped(self) -> bool:
        """Whether any unit is more than one column."""
        return any(len(unit) > 1 for unit in self.columns)


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
        one feature, whose codes are the combinations of its columns' codes. A column of a group stands for the group
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
    >>> wish = Constraints(must_include=["sepal width (cm)"], exclude=["petal width (cm)"])
    >>> ForwardSelector(2, constraints=wish).fit(X, y).get_feature_names_out().tolist()
    ['sepal width (cm)', 'petal length (cm)']
    """

    must_include: Sequence[Any] = ()
    exclude: Sequence[Any] = ()
    groups: Sequence[Sequence[Any]] | Mapping[str, Sequence[Any]] = ()


def resolve(constraints: Constraints, names: Sequence[str]) -> Units:
    """The units among columns of these names.

    Raises
    ------
    ValueError
        If the constraints do not fit the columns.
    """
    place = {name: j for j, name in enumerate(names)}
    groups = _labelled(constraints.groups)
    unit_of = np.arange(len(names))
    owner: dict[int, str] = {}
    for label, members in groups.items():
        columns = _columns(members, label, names, place)
        for j in columns:
            if j in owner:
                raise ValueError(
                    f"column {names[j]!r} is in {owner[j]} and in {label}: give every column one group at most"
                )
            owner[j] = label
        if columns:
            unit_of[columns] = min(columns)
    unit_of = np.unique(unit_of, return_inverse=True)[1]
    units = np.split(np.argsort(unit_of, kind="stable"), np.cumsum(np.bincount(unit_of))[:-1])
    wanted = _columns(constraints.must_include, Sentence(Setting("must_include")), names, place)
    wanted = list(dict.fromkeys(unit_of[wanted].tolist()))
    refused = _columns(constraints.exclude, Sentence(Setting("exclude")), names, place)
    refused = list(dict.fromkeys(unit_of[refused].tolist()))
    both = [names[int(j)] for u in wanted if u in set(refused) for j in units[u]]
    if both:
        in_both = Setting("must_include"), " and ", Setting("exclude")
        raise ValueError(Sentence(f"{quoted(both)} cannot be in both ", *in_both, ": take them out of one"))
    return Units(units, wanted, refused)


def check_constraints(constraints: Any) -> Constraints:
    """The constraints themselves, or none for None.

    Raises
    ------
    ValueError
        If they are something else.
    """
    if constraints is None:
        return Constraints()
    if not isinstance(constraints, Constraints):
        raise ParameterError("constraints", constraints, "give Constraints(must_include=..., exclude=..., groups=...)")
    return constraints


def _labelled(groups: Any) -> dict[str, Sequence[Any]]:
    if isinstance(groups, Mapping):
        return {f"group {name!r}": members for name, members in groups.items()}
    return {f"group {number}": members for number, members in enumerate(groups, 1)}


def _columns(wanted: Any, label: str, names: Sequence[str], place: Mapping[str, int]) -> list[int]:
    if isinstance(wanted, str) or not isinstance(wanted, Iterable):
        raise ValueError(Sentence(label, f" is {wanted!r}: give a list of column names or indices"))
    found = []
    for column in wanted:
        if isinstance(column, str):
            if column not in place:
                advice = allowed_names(column, names)
                raise ValueError(Sentence(label, f" names column {column!r}, which is not there: {advice}"))
            found.append(place[column])
            continue
        try:
            index = operator.index(column)
        except TypeError:
            raise ValueError(Sentence(label, f" holds {column!r}: give column names or indices")) from None
        if not 0 <= index < len(names):
            raise ValueError(
                Sentence(label, f" holds column {index}, but there are columns 0 to {len(names) - 1} only")
            )
        found.append(index)
    return list(dict.fromkeys(found))
