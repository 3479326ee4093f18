"""Parts of messages: names in quotes, and the names that a user may have meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence

from bitsieve.diagnostics import UserError, literal

MAX_COMPARED_NAMES = 5000


def one_line(text: object) -> str:
    """``text`` on one line: every run of white space is replaced by a space."""
    return " ".join(str(text).split())


def quoted(names: Iterable[object], limit: int = 5) -> str:
    """``'a', 'b', 'c' and 7 more``: at most ``limit`` names, each quoted."""
    sequence = names if isinstance(names, Sequence) else list(names)
    return quoted_at(range(len(sequence)), sequence, limit)


def quoted_groups(groups: Sequence[Sequence[str]], limit: int = 3) -> str:
    """``'a', 'A'; 'b', 'B'; and 7 more``: at most ``limit`` groups of names, each name quoted."""
    listed = "; ".join(map(quoted, groups[:limit]))
    n_more = len(groups) - limit
    return f"{listed}; and {n_more:,} more" if n_more > 0 else listed


def quoted_at(indices: Sequence[int], names: Sequence[object], limit: int = 5) -> str:
    """:func:`quoted` for the names at these indices. Only those that are displayed are looked up."""
    first_names = ", ".join(repr(str(names[j])) for j in indices[:limit])
    n_more = len(indices) - limit
    return f"{first_names} and {n_more:,} more" if n_more > 0 else first_names


def nearest(name: str, allowed: Sequence[str], limit: int = 3) -> list[str]:
    """The allowed names that ``name`` may be a misspelling of, best first (perhaps none).

    First come those that begin with ``name`` in any case, the shortest first, then those with similar letters.
    """
    ordered = _with_same_beginning(name, allowed) + _with_similar_letters(name, allowed, limit)
    return list(dict.fromkeys(ordered))[:limit]


def _with_same_beginning(name: str, allowed: Sequence[str]) -> list[str]:
    """The allowed names that are ``name`` in another case, or begin with it if it has three letters; shortest first."""
    folded_name = name.strip().casefold()
    matches = []
    for other in allowed:
        folded = other.strip().casefold()
        is_longer_name = len(folded_name) > 2 and folded.startswith(folded_name)
        if folded == folded_name or is_longer_name:
            matches.append(other)
    return sorted(matches, key=len)


def _with_similar_letters(name: str, allowed: Sequence[str], limit: int) -> list[str]:
    """The allowed names of similar letters, most similar first."""
    # Long tables have 10^5 names. A misspelling changes the length by little, so others are not compared.
    max_difference = 2 + len(name) // 4
    similar_names = [other for other in allowed if abs(len(other) - len(name)) <= max_difference]
    name_of_folded: dict[str, str] = {}  # the first of the names that differ in case alone
    folded_names = []
    for other in similar_names[:MAX_COMPARED_NAMES]:
        folded_names.append(other.casefold())
        name_of_folded.setdefault(other.casefold(), other)
    matches = difflib.get_close_matches(name.strip().casefold(), folded_names, n=limit, cutoff=0.6)
    return [name_of_folded[folded] for folded in matches]


def nearest_in(parameter: str, value: object, allowed: Sequence[str]) -> dict[str, object]:
    """The ``fix`` of an error: the parameter with the allowed name nearest to ``value``; empty if none is near."""
    near = nearest(str(value), allowed, limit=1)
    return {parameter: near[0]} if near else {}


def closest_match(name: str, allowed: Sequence[object]) -> str:
    """The allowed name that ``name`` stands for, which may have other blanks around it; ``name`` if there is none."""
    if name in allowed:
        return name
    matches = [other for other in map(str, allowed) if other.strip() == name.strip()]
    return matches[0] if len(matches) == 1 else name


def advice_on_choice(name: str, allowed: Iterable[str], where_all: str = "") -> str:
    """Advice for a wrong ``name``: the nearest allowed names, and a list of all of them.

    If ``where_all`` is given, such as "'bitsieve methods' lists all", it stands in place of the list, unless no name is
    near.
    """
    names = list(allowed)
    all_names = f"choose one of {', '.join(names)}"
    near = difflib.get_close_matches(name, names, n=3, cutoff=0.6)
    if not near:
        return all_names
    return f"did you mean {' or '.join(near)}? {where_all or all_names}"


def advice_on_name(name: str, allowed: Sequence[str]) -> str:
    """Advice for a wrong ``name`` of many, such as the columns: the nearest allowed names, else the first ones."""
    close = nearest(name, allowed)
    if close:
        return literal(f"did you mean {' or '.join(repr(other) for other in close)}?")
    return literal(f"it is one of {quoted(allowed, limit=8)}")


def needs_dense_rows(who: str) -> UserError:
    """The error where ``who`` is given a sparse table and needs every value of its rows."""
    return UserError(
        code="dense-rows-needed",
        message=f"the table is sparse, but {who} needs dense rows",
        advice="use a method on counts, such as jmi, or make the table dense (X.toarray()) if it is small",
    )


def number_and_noun(number: int, noun: str) -> str:
    """A number and its noun: ``1 feature``, ``1,200 features``."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
